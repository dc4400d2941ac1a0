//! What is called massively is found in a short trial run before the recording, and not recorded in it: the agent of uftrace 0.13
//! takes such a wish in the running program, and does nothing.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::called::Called;
use super::error::RecordError;
use super::place::Place;
use super::program::Program;
use super::recorder::Recorder;
use super::run::{Run, Wish};
use super::{symbols, uftrace};
use callscape_analysis::frequency::Frequencies;
use callscape_base::escape;
use callscape_base::files;
use callscape_base::progress::Progress;
use callscape_base::units::{self, FunctionId};
use callscape_facts::frequency::{Frequency, LeftOut};
use callscape_import as import;
use callscape_import::demangle::demangle;
use callscape_import::note::{NOTE, Note};

/// How long a trial run may take, unless told otherwise.
pub const PROBE: Duration = Duration::from_secs(3);

/// What a trial run has found.
pub(crate) struct Massive {
    /// The symbols of the functions that are not recorded.
    pub without: Vec<String>,
    /// The names of those of libraries that call nothing.
    pub untraced: Vec<String>,
    pub left_out: LeftOut,
}

/// Runs the program for a while, without its standard streams, and finds what is called more often than `limit`.
pub(crate) fn probe(
    wish: &Wish,
    program: &Program,
    (by, place): (Recorder, &Place),
    limit: Frequency,
    say: &mut dyn FnMut(&str),
) -> Result<Massive, RecordError> {
    if by != Recorder::Uftrace {
        let reason = "only uftrace can exclude functions while recording";
        return Err(RecordError::Recorder(reason.to_owned()));
    }
    let seconds = wish.probe.as_secs_f64();
    say(&format!(
        "a trial run of at most {seconds} s without standard streams finds the functions called more than {limit}"
    ));
    let folder = place.folder.join("probe");
    let plain = Wish {
        is_paused: false,
        is_switchable: false,
        memory: false,
        ..wish.clone()
    };
    let run = Run {
        wish: &plain,
        program,
        place,
        without: Vec::new(),
        untraced: Vec::new(),
    };
    let all = &uftrace::Patched::All;
    uftrace::run_until(&run, (all, &folder), Some(wish.probe), &mut |_| ())?;
    let recording = import::open(&folder, &Progress::new());
    let recording = recording.map_err(|error| RecordError::Probe(error.to_string()))?;
    let (trace, functions) = (&recording.trace, &recording.functions);
    let counted = Frequencies::new(trace, functions.len(), limit.window, &Progress::new());
    let counted = counted.map_err(|error| RecordError::Probe(error.to_string()))?;
    let frequent = counted.frequent(limit.most);
    let callers: BTreeSet<FunctionId> = trace.relations(None).iter().map(|it| it.caller).collect();
    let ranks =
        |id: &FunctionId| Reverse(counted.called().get(id.index()).map_or(0, |it| it.calls));
    let mut most_first = frequent.functions.clone();
    most_first.sort_by_key(ranks);
    let name = |id: &FunctionId| functions.get(*id).name;
    let names: Vec<&str> = most_first.iter().map(name).collect();
    let leaves = most_first.iter().filter(|id| !callers.contains(id));
    let leaves: Vec<&str> = leaves.map(name).collect();
    let called = Called::read(&folder);
    let (without, more) = fitting(symbols_of(
        &folder,
        &called,
        &names,
        &["T", "t", "W", "w", "i"],
    ));
    let (untraced, more_untraced) = fitting(symbols_of(&folder, &called, &leaves, &["P"]));
    // The recording needs its room.
    let _ = fs::remove_dir_all(&folder);
    if more + more_untraced > 0 {
        let more = units::counted((more + more_untraced) as u64, "function", "functions");
        say(&format!(
            "left in the recording though called often: {more}, as uftrace takes no longer list"
        ));
    }
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

/// The symbols of these kinds that were called, of functions of these names and in their order: all that a recording lists,
/// those of libraries too. `P` is what a file calls of others.
fn symbols_of(folder: &Path, called: &Called, names: &[&str], kinds: &[&str]) -> Vec<String> {
    let ranks: HashMap<&str, usize> = names.iter().copied().zip(0..).collect();
    let mut found = BTreeSet::new();
    for list in symbols::lists(folder) {
        let text = fs::read_to_string(list).unwrap_or_default();
        let path = text.lines().find_map(|it| it.strip_prefix("# path name: "));
        let path = path.unwrap_or_default();
        let ends: BTreeSet<u64> = symbols::of_symbols(&text, &[]).map(|it| it.0).collect();
        for (address, symbol) in symbols::of_symbols(&text, kinds) {
            let end = ends.range(address.saturating_add(1)..).next().copied();
            if !called.has(path, address..end.unwrap_or(u64::MAX)) {
                continue;
            }
            let rank = ranks.get(&*demangle(symbol)).or_else(|| ranks.get(symbol));
            found.extend(rank.map(|rank| (*rank, symbol.to_owned())));
        }
    }
    found.into_iter().map(|(_, symbol)| symbol).collect()
}

/// As many of the first symbols as uftrace takes, and how many more there are.
fn fitting(mut symbols: Vec<String>) -> (Vec<String>, usize) {
    let all = symbols.len();
    let mut length = 0;
    let fits = symbols.iter().position(|symbol| {
        length += uftrace::pattern_length(symbol);
        length > uftrace::LONGEST_LIST
    });
    symbols.truncate(fits.unwrap_or(all));
    (symbols, all - fits.unwrap_or(all))
}

/// Writes into a recording what it does not hold.
pub(crate) fn keep(recordings: &[PathBuf], left_out: &LeftOut) -> Result<(), RecordError> {
    let note = Note {
        left_out: Some(left_out.clone()),
    };
    let text = serde_json::to_string_pretty(&note).unwrap_or_default();
    let text = escape::json(&text);
    for recording in recordings {
        let path = recording.join(NOTE);
        files::write(&path, text.as_bytes()).map_err(|error| RecordError::io(&path, error))?;
    }
    Ok(())
}
