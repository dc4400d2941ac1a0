//! Recordings that tests of importers make in memory, and what they read of them.

use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use super::error::ImportError;
use super::formats::{Import, format_of};
use super::input::{Container, Input};
use callscape_base::progress::Progress;
use callscape_base::units::CallId;
use callscape_facts::recording::Recording;

#[derive(Debug)]
struct Bytes(Vec<u8>);

impl Container for Bytes {
    fn open_member<'a>(&'a self, _: &str, _: &'a Progress) -> io::Result<Box<dyn Read + 'a>> {
        Ok(Box::new(Cursor::new(&self.0)))
    }

    fn size(&self, _: &str) -> Option<u64> {
        Some(self.0.len() as u64)
    }

    fn packed(&self, _: &str) -> Option<u64> {
        None
    }

    fn is_dir(&self, _: &str) -> bool {
        false
    }

    fn entries(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

/// What an importer makes of these bytes.
pub(crate) fn import(import: Import, bytes: &[u8]) -> Result<Recording, ImportError> {
    let bytes = Arc::new(Bytes(bytes.to_vec()));
    let input = Input::member(Path::new("made"), &bytes, "here");
    import(&input, &Progress::new())
}

/// The same of a text that is taken for one of the format `id`.
pub(crate) fn read(id: &str, text: &str) -> Recording {
    let (format, import_it) = format_of(text.as_bytes()).expect("a known format");
    assert_eq!(format.id, id, "{text}");
    import(import_it, text.as_bytes()).expect("a recording")
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
pub(crate) fn stacks(recording: &Recording, value: usize) -> Vec<String> {
    let profile = recording.profile.as_ref().expect("a profile");
    let contexts = profile.contexts().expect("contexts");
    let mut found = Vec::new();
    for id in (0..contexts.len() as u32).map(callscape_base::units::ContextId) {
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
pub(crate) fn warnings(recording: &Recording) -> Vec<String> {
    let warnings = recording.warnings.iter();
    warnings
        .map(|it| format!("{} {}", it.kind, it.count))
        .collect()
}

/// Reads each beginning of these bytes, and the bytes with each of them changed: neither may panic.
pub(crate) fn damage(import_it: Import, bytes: &[u8]) {
    const OTHERS: &[u8] = b"\0 \n9{-\xff";
    for end in 0..bytes.len() {
        let _ = import(import_it, &bytes[..end]);
        let mut bytes = bytes.to_vec();
        bytes[end] = OTHERS[end % OTHERS.len()];
        let _ = import(import_it, &bytes);
    }
}
