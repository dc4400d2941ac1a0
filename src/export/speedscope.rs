//! speedscope's own format. Specification: see `src/import/speedscope.rs`.
//!
//! A trace is written as evented profiles, one for each thread. A sampled recording is written as sampled ones:
//! a sample wherever the stack changes, with the time until it changes again as its weight, so that equal samples
//! in a row are one. Units are nanoseconds. A profile is written as sampled profiles, one for each of its values: a
//! sample for each context that weighs something itself, in the order of the calling context tree.

use std::collections::HashMap;
use std::io::Write;

use super::chrome_json::quoted;
use super::part::{ExportError, Part, contexts_of};
use super::walk::{self, Step};
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId, ThreadId, Time, Unit};
use callscape_facts::contexts::Contexts;
use callscape_facts::profile::Profile;
use callscape_facts::recording::RecordingKind;
use callscape_facts::trace::Thread;

/// What the format is called on the command line.
pub(crate) const NAME: &str = "speedscope";

pub(crate) fn write(
    part: &Part<'_>,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<(), ExportError> {
    let profile = part.recording.profile.as_ref();
    let contexts = profile
        .map(|profile| contexts_of(part, profile))
        .transpose()?;
    let sampled = part.recording.kind == RecordingKind::Sampled;
    let looking = u64::from(!part.is_whole());
    walk::start(part, looking + if sampled { 2 } else { 1 }, progress);
    let name = quoted(&part.recording.name());
    write!(
        out,
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","name":{name},"exporter":"callscape {}","#,
        env!("CARGO_PKG_VERSION"),
    )?;
    let frames = write_frames(part, out, progress)?;
    write!(out, ",\n\"profiles\":[")?;
    if let (Some(profile), Some(contexts)) = (profile, contexts) {
        write_profile(profile, contexts, &frames, out, progress)?;
        out.write_all(b"\n]}\n")?;
        return Ok(());
    }
    let threads = part.threads();
    let names = names(part, &threads);
    let mut separator = "\n";
    for (thread, name) in threads.into_iter().zip(names) {
        let (start, end) = bounds(part, thread);
        let kind = if sampled { "sampled" } else { "evented" };
        write!(
            out,
            r#"{separator}{{"type":"{kind}","name":{},"unit":"nanoseconds","startValue":{},"endValue":{},"#,
            quoted(&name),
            start.ns(),
            end.ns(),
        )?;
        separator = ",\n";
        if sampled {
            write_samples(part, thread, &frames, out, progress)?;
        } else {
            write_events(part, thread, &frames, out, progress)?;
        }
        write!(out, "}}")?;
    }
    out.write_all(b"\n]}\n")?;
    Ok(())
}

/// Writes the shared frames; gives by function its number.
fn write_frames(
    part: &Part<'_>,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<Vec<u32>, ExportError> {
    let called = walk::called(part, progress)?;
    let functions = &part.recording.functions;
    write!(out, "\n\"shared\":{{\"frames\":[")?;
    let mut frames = vec![0; functions.len()];
    let written = functions.ids().filter(|id| called[id.index()]);
    for (id, frame) in written.zip(0..) {
        let function = functions.get(id);
        let separator = if frame == 0 { "\n" } else { ",\n" };
        write!(out, r#"{separator}{{"name":{}"#, quoted(function.name))?;
        if !function.file.is_empty() {
            write!(out, r#","file":{}"#, quoted(function.file))?;
        }
        if function.line > 0 {
            write!(out, r#","line":{}"#, function.line)?;
        }
        if functions.column(id) > 0 {
            write!(out, r#","col":{}"#, functions.column(id))?;
        }
        // No member of the format, for reading it again.
        if !function.library.is_empty() {
            write!(out, r#","library":{}"#, quoted(function.library))?;
        }
        write!(out, "}}")?;
        frames[id.index()] = frame;
    }
    write!(out, "\n]}}")?;
    Ok(frames)
}

/// What the threads are called: by their names where these tell them apart, else with their numbers.
fn names(part: &Part<'_>, threads: &[ThreadId]) -> Vec<String> {
    let infos = part.recording.trace.threads();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for info in infos {
        *known.entry(&info.name).or_default() += 1;
    }
    let name = |info: &Thread| {
        let number = match info.process.as_str() {
            "" => format!("thread {}", info.id),
            process => format!("process {process}, thread {}", info.id),
        };
        match info.name.as_str() {
            "" => number,
            name if known.get(name) == Some(&1) => name.to_owned(),
            name => format!("{name} ({number})"),
        }
    };
    threads.iter().map(|id| name(&infos[id.index()])).collect()
}

/// When the first call of a thread in the part starts and the last one ends. O(log n).
fn bounds(part: &Part<'_>, thread: ThreadId) -> (Time, Time) {
    let info = &part.recording.trace.threads()[thread.index()];
    let (mut start, mut end) = (info.start, info.end);
    if let Some(range) = part.range {
        start = start.clamp(range.start, range.end);
        end = end.clamp(start, range.end);
    }
    (start, end)
}

fn write_events(
    part: &Part<'_>,
    thread: ThreadId,
    frames: &[u32],
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<(), ExportError> {
    write!(out, r#""events":["#)?;
    let mut separator = "\n";
    walk::walk(part, thread, progress, |step| {
        let (kind, function, time) = match step {
            Step::Enter(function, time, _) => ('O', function, time),
            Step::Exit(function, time) => ('C', function, time),
        };
        let (frame, at) = (frames[function.index()], time.ns());
        write!(
            out,
            r#"{separator}{{"type":"{kind}","frame":{frame},"at":{at}}}"#
        )?;
        separator = ",\n";
        Ok(())
    })?;
    write!(out, "\n]")?;
    Ok(())
}

/// The stacks of a thread with how long each lasted, in two passes.
fn write_samples(
    part: &Part<'_>,
    thread: ThreadId,
    frames: &[u32],
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<(), ExportError> {
    write!(out, r#""samples":["#)?;
    let mut separator = "\n";
    stacks(part, thread, progress, |stack, _| {
        write!(out, "{separator}[")?;
        for (place, function) in stack.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(out, "{comma}{}", frames[function.index()])?;
        }
        write!(out, "]")?;
        separator = ",\n";
        Ok(())
    })?;
    write!(out, "\n],\n\"weights\":[")?;
    let mut separator = "";
    stacks(part, thread, progress, |_, weight| {
        write!(out, "{separator}{weight}")?;
        separator = ",";
        Ok(())
    })?;
    write!(out, "]")?;
    Ok(())
}

/// The values of a profile.
fn write_profile(
    profile: &Profile,
    contexts: &Contexts,
    frames: &[u32],
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<(), ExportError> {
    for (number, value) in profile.values().iter().enumerate() {
        progress.check()?;
        let weight = |weight: Cost| match value.unit {
            Unit::Thousandths(_) => weight.in_thousandths(),
            _ => weight.weight().to_string(),
        };
        let unit = match value.unit {
            Unit::Nanoseconds => "nanoseconds",
            Unit::Bytes => "bytes",
            Unit::Things(_) | Unit::Thousandths(_) => "none",
        };
        let separator = if number == 0 { "\n" } else { ",\n" };
        write!(
            out,
            r#"{separator}{{"type":"sampled","name":{},"unit":"{unit}","startValue":0,"endValue":{},"samples":["#,
            quoted(&value.name),
            weight(contexts.weight(number)),
        )?;
        // The path at hand, and where each of its contexts ends in the tree.
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut weights: Vec<Cost> = Vec::new();
        for context in contexts.ids() {
            while path.pop_if(|(_, end)| *end <= context.0).is_some() {}
            let frame = frames[contexts.function(context).index()];
            path.push((frame, contexts.subtree(context).end));
            let own = contexts.self_weight(number, context);
            if own == Cost::ZERO {
                continue;
            }
            let separator = if weights.is_empty() { "\n" } else { ",\n" };
            weights.push(own);
            write!(out, "{separator}[")?;
            for (place, (frame, _)) in path.iter().enumerate() {
                let comma = if place == 0 { "" } else { "," };
                write!(out, "{comma}{frame}")?;
            }
            write!(out, "]")?;
        }
        write!(out, "\n],\n\"weights\":[")?;
        for (place, own) in weights.into_iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(out, "{comma}{}", weight(own))?;
        }
        write!(out, "]}}")?;
    }
    Ok(())
}

/// Hands each stack of a thread to `visit`, outermost first, with the nanoseconds that it lasted: none for
/// one that another replaced at the same time.
fn stacks(
    part: &Part<'_>,
    thread: ThreadId,
    progress: &Progress,
    mut visit: impl FnMut(&[FunctionId], u64) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut stack: Vec<FunctionId> = Vec::new();
    let mut since: Option<Time> = None;
    // Whether the stack has grown to what it is and was not handed on yet.
    let mut grown = false;
    walk::walk(part, thread, progress, |step| {
        let (Step::Enter(_, time, _) | Step::Exit(_, time)) = step;
        let lasted = since.map_or(0, |since| time.since(since).ns());
        let replaced = grown && matches!(step, Step::Exit(..));
        if lasted > 0 || replaced {
            visit(&stack, lasted)?;
            grown = false;
        }
        since = Some(time);
        match step {
            Step::Enter(function, ..) => {
                stack.push(function);
                grown = true;
            }
            Step::Exit(..) => drop(stack.pop()),
        }
        Ok(())
    })
}
