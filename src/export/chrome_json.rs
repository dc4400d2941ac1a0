//! Chrome Trace Event JSON. Specification: see `src/import/chrome.rs`.
//!
//! A begin (B) and an end (E) event for each call, thread by thread, each in the order in which its thread ran
//! through them: complete (X) events could not tell siblings from nested calls where calls take no time.
//! Times are microseconds with three decimals, exact to the nanosecond. Where a function stands is in `args`,
//! `file` and `line`, of both events, since some readers pair them by name and arguments. What it belongs to is
//! the category, and once more in `args`, with the column where it begins, as `callscape`. A sampled recording says so
//! in the labels of its processes and in `otherData`: the format has no calls that are known to the sampling interval
//! only. A link is a flow from its source call to its target call. Both ends follow the begin events of these calls, and
//! the category is the kind of link.

use std::collections::HashMap;
use std::io::Write;

use super::links::{self, At};
use super::part::{ExportError, Part};
use super::walk::{self, Step};
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, Time};
use callscape_facts::functions::Functions;
use callscape_facts::recording::RecordingKind;

/// What the format is called on the command line.
pub(crate) const NAME: &str = "chrome-json";

/// What is said of a sampled recording.
const SAMPLED: &str = "sampled: times are known to the sampling interval";

pub(crate) fn write(
    part: &Part<'_>,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<(), ExportError> {
    walk::start(part, 1, progress);
    let sampled = part.recording.kind == RecordingKind::Sampled;
    let functions = &part.recording.functions;
    let described: Vec<String> = functions.ids().map(|id| describe(functions, id)).collect();
    write!(
        out,
        r#"{{"displayTimeUnit":"ns","otherData":{{"exporter":"callscape {}","recording":{}"#,
        env!("CARGO_PKG_VERSION"),
        quoted(&part.recording.name()),
    )?;
    if sampled {
        write!(out, r#","kind":{}"#, quoted(SAMPLED))?;
    }
    write!(out, "}},\n\"traceEvents\":[")?;
    let ends = ends(part);
    let mut separator = "\n";
    let mut labelled: Vec<&str> = Vec::new();
    for thread in part.threads() {
        let info = &part.recording.trace.threads()[thread.index()];
        let who = format!(
            r#"{}"tid":{}"#,
            match info.process.as_str() {
                "" => String::new(),
                process => format!(r#""pid":{},"#, number_or_text(process)),
            },
            number_or_text(&info.id)
        );
        if sampled && !labelled.contains(&info.process.as_str()) {
            labelled.push(&info.process);
            let labels = quoted(SAMPLED);
            write!(
                out,
                r#"{separator}{{"ph":"M",{who},"name":"process_labels","args":{{"labels":{labels}}}}}"#
            )?;
            separator = ",\n";
        }
        if !info.name.is_empty() {
            let name = quoted(&info.name);
            write!(
                out,
                r#"{separator}{{"ph":"M",{who},"name":"thread_name","args":{{"name":{name}}}}}"#
            )?;
            separator = ",\n";
        }
        walk::walk(part, thread, progress, |step| {
            let (phase, function, time, call) = match step {
                Step::Enter(function, time, call) => ('B', function, time, Some(call)),
                Step::Exit(function, time) => ('E', function, time, None),
            };
            let described = &described[function.index()];
            let ts = Microseconds(time);
            write!(
                out,
                r#"{separator}{{"ph":"{phase}",{who},"ts":{ts},{described}}}"#
            )?;
            separator = ",\n";
            let of_call = call.and_then(|call| ends.get(&(thread, call)));
            for end in of_call.into_iter().flatten() {
                let args = place(functions, function, true).join(",");
                write!(
                    out,
                    r#"{separator}{{{end},{who},"ts":{ts},"args":{{{args}}}}}"#
                )?;
            }
            Ok(())
        })?;
    }
    out.write_all(b"\n]}\n")?;
    Ok(())
}

/// What the events of a function have in common.
fn describe(functions: &Functions, id: FunctionId) -> String {
    let function = functions.get(id);
    let mut text = format!(r#""name":{}"#, quoted(function.name));
    if !function.library.is_empty() {
        text += &format!(r#","cat":{}"#, quoted(function.library));
    }
    let place = place(functions, id, false);
    if !place.is_empty() {
        text += &format!(r#","args":{{{}}}"#, place.join(","));
    }
    text
}

/// By call, the events of flows that stand behind its begin.
fn ends(part: &Part<'_>) -> HashMap<At, Vec<String>> {
    let mut ends: HashMap<At, Vec<String>> = HashMap::new();
    for (number, (from, to, kind)) in (1u64..).zip(links::of(part)) {
        for (at, phase) in [(from, r#""s""#), (to, r#""f","bp":"e""#)] {
            let kind = kind.name();
            let of_call = ends.entry(at).or_default();
            of_call.push(format!(
                r#""ph":{phase},"cat":"callscape:{kind}","name":"link","id":{number}"#
            ));
        }
    }
    ends
}

/// The location of a function as members of `args`, with its name if the event has another one.
fn place(functions: &Functions, id: FunctionId, is_named: bool) -> Vec<String> {
    let function = functions.get(id);
    let mut place: Vec<String> = Vec::new();
    if is_named {
        place.push(format!(r#""name":{}"#, quoted(function.name)));
    }
    if !function.file.is_empty() {
        place.push(format!(r#""file":{}"#, quoted(function.file)));
    }
    if function.line > 0 {
        place.push(format!(r#""line":{}"#, function.line));
    }
    // What tells it from others of its name and place, for reading it again.
    let column = functions.column(id);
    let bare_line = function.line > 0 && function.file.is_empty();
    if column > 0 || bare_line || !function.library.is_empty() {
        let own = format!("{}:{column}", function.library);
        place.push(format!(r#""callscape":{}"#, quoted(&own)));
    }
    place
}

/// A text as JSON, which steers no terminal.
pub(crate) fn quoted(text: &str) -> String {
    escape::json(&serde_json::Value::from(text).to_string()).into_owned()
}

/// The name of a process or thread: a number where it is one, as the format wants it, else a text.
fn number_or_text(text: &str) -> String {
    match text.parse::<u32>() {
        Ok(number) if number.to_string() == text => text.to_owned(),
        _ => quoted(text),
    }
}

/// A time in microseconds with three decimals.
struct Microseconds(Time);

impl std::fmt::Display for Microseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ns = self.0.ns();
        write!(f, "{}.{:03}", ns / 1000, ns % 1000)
    }
}
