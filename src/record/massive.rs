//! What is called massively is found in a short run before the recording, and not recorded in it: the agent of uftrace 0.13
//! takes such a wish in the running program, and does nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::error::RecordError;
use super::place::Workplace;
use super::program::Program;
use super::recorder::Recorder;
use super::run::{Run, Wish};
use super::uftrace;
use crate::analysis::frequency::Frequencies;
use crate::facts::frequency::{Frequency, LeftOut};
use crate::files;
use crate::import;
use crate::import::demangle::demangle;
use crate::import::note::{NOTE, Note};
use crate::progress::Progress;
use crate::units::FunctionId;

/// What a run before has found.
pub struct Massive {
    /// The symbols of the functions that are not recorded.
    pub without: Vec<String>,
    /// The names of those of libraries that call nothing.
    pub untraced: Vec<String>,
    pub left_out: LeftOut,
}

/// Runs the program for a while, without its standard streams, and finds what is called more often than `limit`.
pub fn probe(
    wish: &Wish,
    program: &Program,
    by: Recorder,
    limit: Frequency,
    say: &mut dyn FnMut(&str),
) -> Result<Massive, RecordError> {
    if by != Recorder::Uftrace {
        let reason = "functions are left out while recording by uftrace alone";
        return Err(RecordError::Recorder(reason.to_owned()));
    }
    let seconds = wish.probe.as_secs_f64();
    say(&format!(
        "a run before, of {seconds} s at most and without its streams, finds what is called more than {limit}"
    ));
    let place = Workplace::beside(Path::new("callscape-probe"))?;
    let folder = place.0.join("probe");
    let plain = Wish {
        is_paused: false,
        memory: false,
        ..wish.clone()
    };
    let run = Run {
        wish: &plain,
        program,
        output: &folder,
        without: Vec::new(),
        untraced: Vec::new(),
    };
    uftrace::run_until(&run, &uftrace::Patched::All, Some(wish.probe), &mut |_| ())?;
    let recording = import::open(&folder, &Progress::new());
    let recording = recording.map_err(|error| RecordError::Probe(error.to_string()))?;
    let (trace, functions) = (&recording.trace, &recording.functions);
    let counted = Frequencies::new(trace, functions.len(), limit.window, &Progress::new());
    let counted = counted.map_err(|error| RecordError::Probe(error.to_string()))?;
    let frequent = counted.frequent(limit.most);
    let names: BTreeSet<&str> = frequent
        .functions
        .iter()
        .map(|&id| functions.get(id).name)
        .collect();
    let callers: BTreeSet<FunctionId> = trace.relations(None).iter().map(|it| it.caller).collect();
    let leaves = frequent.functions.iter().filter(|id| !callers.contains(id));
    let leaves: BTreeSet<&str> = leaves.map(|&id| functions.get(id).name).collect();
    let without = symbols_of(&folder, &names, &["T", "t", "W", "w", "i"]);
    let untraced = symbols_of(&folder, &leaves, &["P"]);
    let left_out = LeftOut {
        of_run_before: true,
        ..counted.left_out(&frequent, functions)
    };
    say(&format!("not recorded: {left_out}"));
    Ok(Massive {
        without,
        untraced,
        left_out,
    })
}

/// The symbols of these kinds of functions of these names: all that a recording lists, those of libraries too. `P` is what a
/// file calls of others.
fn symbols_of(folder: &Path, names: &BTreeSet<&str>, kinds: &[&str]) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let lists = entries
        .map(|it| it.path())
        .filter(|it| it.extension().is_some_and(|it| it == "sym"));
    let mut found = BTreeSet::new();
    for list in lists {
        let text = fs::read_to_string(list).unwrap_or_default();
        let all = uftrace::of_symbols(&text, kinds);
        let wanted =
            all.filter(|symbol| names.contains(&*demangle(symbol)) || names.contains(symbol));
        found.extend(wanted.map(str::to_owned));
    }
    found.into_iter().collect()
}

/// Writes into a recording what it does not hold.
pub fn keep(recordings: &[PathBuf], left_out: &LeftOut) -> Result<(), RecordError> {
    let note = Note {
        left_out: Some(left_out.clone()),
    };
    let text = serde_json::to_vec_pretty(&note).unwrap_or_default();
    for recording in recordings {
        let path = recording.join(NOTE);
        files::write(&path, &text).map_err(|error| RecordError::io(&path, error))?;
    }
    Ok(())
}
