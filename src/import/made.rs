//! Recordings of tests: samples and bytes made by hand, and what they say as lines of text.

use std::sync::atomic::{AtomicU32, Ordering};

use super::error::ImportError;
use super::formats::{Import, format_of};
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_facts::recording::Recording;

/// The bytes of a sample in `tests/data/import`.
pub(crate) fn sample(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/import");
    std::fs::read(format!("{folder}/{name}")).expect("a sample")
}

/// Reads a file with these bytes.
pub(crate) fn read(import: Import, bytes: &[u8]) -> Result<Recording, ImportError> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("callscape-made-{}-{number}", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, bytes).expect("a writable folder");
    let recording = import(&Input::on_disk(path.clone()), &Progress::new());
    std::fs::remove_file(&path).expect("the file");
    recording
}

/// Reads what begins with these bytes as the table of formats has it, which is to be the format with this id.
pub(crate) fn found(id: &str, bytes: &[u8]) -> Recording {
    let (format, import) = format_of(bytes).expect("a known format");
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
