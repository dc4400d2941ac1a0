//! Recordings of tests: samples and bytes made by hand, and what they say as lines of text.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use super::error::ImportError;
use super::formats::{Import, format_of};
use super::input::{Held, Input};
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, ContextId};
use callscape_facts::recording::Recording;

/// The bytes of a sample in `tests/data/import`.
pub(crate) fn sample(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/import");
    std::fs::read(format!("{folder}/{name}")).expect("a sample")
}

/// What an importer makes of a file with these bytes.
pub(crate) fn read(import: Import, bytes: &[u8]) -> Result<Recording, ImportError> {
    let held = Arc::new(Held(bytes.to_vec()));
    let input = Input::member(Path::new("made"), &held, "here");
    import(&input, &Progress::new())
}

/// The recording in these bytes, by the importer that the table of formats chooses, which has to be that of `id`.
pub(crate) fn found(id: &str, bytes: impl AsRef<[u8]>) -> Recording {
    let bytes = bytes.as_ref();
    let (format, import) = format_of(&bytes[..bytes.len().min(64 << 10)]).expect("a known format");
    assert_eq!(format.id, id);
    read(import, bytes).expect("a recording")
}

/// Reads each beginning of these bytes; how many of them are recordings.
pub(crate) fn cut(import: Import, bytes: &[u8]) -> usize {
    let lengths = 0..bytes.len();
    lengths
        .filter(|&length| read(import, &bytes[..length]).is_ok())
        .count()
}

/// Reads these bytes with each of them in turn replaced.
pub(crate) fn damage(import: Import, bytes: &[u8]) {
    let mut damaged = bytes.to_vec();
    for at in 0..bytes.len() {
        for other in [0, b'{', b'9', 0xff] {
            damaged[at] = other;
            // Whether that is still a recording depends on the byte.
            let _ = read(import, &damaged);
        }
        damaged[at] = bytes[at];
    }
}

/// Reads each beginning of these bytes, and the bytes with each of them changed: no importer may panic or go on for ever.
pub(crate) fn survives(import: Import, bytes: &[u8]) {
    let mut damaged = bytes.to_vec();
    for end in 0..bytes.len() {
        let _ = read(import, &bytes[..end]);
        for other in [bytes[end] ^ 1, bytes[end] ^ 0xff, b"\0 \n9{-"[end % 6]] {
            damaged[end] = other;
            let _ = read(import, &damaged);
        }
        damaged[end] = bytes[end];
    }
}

/// The kinds of what was repaired or left out, with how often.
pub(crate) fn warnings(recording: &Recording) -> Vec<(&str, u64)> {
    let warnings = recording.warnings.iter();
    warnings.map(|it| (it.kind.as_ref(), it.count)).collect()
}

fn name(recording: &Recording, id: callscape_base::units::FunctionId) -> String {
    let function = recording.functions.get(id);
    match (function.file, function.line) {
        ("", _) => function.name.to_owned(),
        (file, 0) => format!("{} ({file})", function.name),
        (file, line) => format!("{} ({file}:{line})", function.name),
    }
}

/// Each function of the value with its calls, own weight and weight in all, sorted.
pub(crate) fn functions(recording: &Recording, value: usize) -> Vec<String> {
    let profile = recording
        .profile
        .as_ref()
        .expect("a profile")
        .showing(value);
    let metrics = profile.function_metrics();
    let mut lines: Vec<String> = recording
        .functions
        .ids()
        .map(|id| {
            let of = metrics[id.index()];
            let costs = (of.self_cost.weight(), of.total.weight());
            format!(
                "{} {} {} {}",
                name(recording, id),
                of.calls,
                costs.0,
                costs.1
            )
        })
        .collect();
    lines.sort();
    lines
}

/// Each call relation of the value with its calls, own weight and weight in all, sorted.
pub(crate) fn relations(recording: &Recording, value: usize) -> Vec<String> {
    let profile = recording
        .profile
        .as_ref()
        .expect("a profile")
        .showing(value);
    let relations = profile.relations().iter().map(|of| {
        let names = [of.caller, of.callee].map(|id| name(recording, id));
        let costs = (of.self_cost.weight(), of.cost.weight());
        format!(
            "{} > {} {} {} {}",
            names[0], names[1], of.calls, costs.0, costs.1
        )
    });
    let mut lines: Vec<String> = relations.collect();
    lines.sort();
    lines
}

/// Each context that weighs something itself, as folded stacks have it, sorted.
pub(crate) fn stacks(recording: &Recording, value: usize) -> Vec<String> {
    let profile = recording
        .profile
        .as_ref()
        .expect("a profile")
        .showing(value);
    let contexts = profile.contexts().expect("contexts");
    let mut lines = Vec::new();
    for id in contexts.ids() {
        let weight = contexts.self_weight(value, id).weight();
        if weight == 0 {
            continue;
        }
        let mut frames = Vec::new();
        let mut at = Some(id);
        while let Some(context) = at {
            frames.push(name(recording, contexts.function(context)));
            at = contexts.parent(context);
        }
        frames.reverse();
        lines.push(format!("{} {weight}", frames.join(";")));
    }
    lines.sort();
    lines
}

/// The calls by thread, as `process/thread name: function@start+cost^depth …`.
pub(crate) fn calls(recording: &Recording) -> Vec<String> {
    let trace = &recording.trace;
    let threads = trace.threads().iter().zip(trace.thread_ids());
    let shown = threads.map(|(thread, id)| {
        let mut text = format!("{}/{} {}:", thread.process, thread.id, thread.name);
        for call in (0..thread.calls as u32).map(|call| trace.call(id, CallId(call))) {
            let name = recording.functions.get(call.function).name;
            let (start, cost, depth) = (call.start.ns(), call.cost().ns(), call.depth);
            text += &format!(" {name}@{start}+{cost}^{depth}");
        }
        text
    });
    shown.collect()
}

/// The contexts of a profile in preorder with what they weigh themselves of `value`: `outer;inner 3`.
pub(crate) fn contexts(recording: &Recording, value: usize) -> Vec<String> {
    let profile = recording.profile.as_ref().expect("a profile");
    let contexts = profile.contexts().expect("contexts");
    let mut found = Vec::new();
    for id in (0..contexts.len() as u32).map(ContextId) {
        let weight = contexts.self_weight(value, id).weight();
        if weight == 0 {
            continue;
        }
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(context) = at {
            let function = recording.functions.get(contexts.function(context));
            names.push(function.name.to_owned());
            at = contexts.parent(context);
        }
        names.reverse();
        found.push(format!("{} {weight}", names.join(";")));
    }
    found
}

/// The repairs and omissions that were counted: `kind count`.
pub(crate) fn counted(recording: &Recording) -> Vec<String> {
    let warnings = recording.warnings.iter();
    warnings
        .map(|it| format!("{} {}", it.kind, it.count))
        .collect()
}

/// The calls of a recording, one a line: thread, function, start since the first
/// one and duration in nanoseconds, depth, and what links to it.
pub(crate) fn linked_calls(recording: &Recording) -> Vec<String> {
    let trace = &recording.trace;
    let mut lines = Vec::new();
    for (thread, id) in trace.threads().iter().zip(trace.thread_ids()) {
        for number in (0..thread.calls as u32).map(CallId) {
            let call = trace.call(id, number);
            let name = recording.functions.get(call.function).name;
            let mut line = format!(
                "{}: {name} {}+{} ^{}",
                thread.name,
                call.start.ns(),
                call.cost().ns(),
                call.depth
            );
            for link in trace.links_to(id, number) {
                let from = trace.call(link.from.0, link.from.1);
                let from = recording.functions.get(from.function).name;
                let _ = write!(line, " <{from}");
            }
            lines.push(line);
        }
    }
    lines
}

/// The kinds of a recording's warnings.
pub(crate) fn kinds(recording: &Recording) -> Vec<&str> {
    let warnings = recording.warnings.iter();
    warnings.map(|it| it.kind.as_ref()).collect()
}
