//! The lines of a file: what each costs itself, and what the calls made in it cost.
//!
//! Source: J. Bohnet, *Visualization of Execution Traces and its Application to Software Maintenance*, 2010, section 6.4.1.
//! With C(f, l) the calls that a function f makes in a line l, callcosts(f, l) is the sum of their costs, and
//! relcallcosts(f, l) = callcosts(f, l) / Σ callcosts(f, l') over all lines l' of f: the [`share`](Line::share) of a line.
//!
//! Where the recording says from which line a call was made, that is what counts ([`Evidence::Recorded`]). Elsewhere, as in
//! a trace of enters and exits, calls are known from function to function alone: then the name of what was called is looked
//! for among the calls that the caller's text makes (`infer`), and what was found is marked as inferred.
//!
//! [`LineFacts`] is made once for a recording and a range of time, from the sums that the call store keeps, and answers for
//! one file after the other.

mod difference;
mod elsewhere;
mod facts;
mod infer;

use std::path::Path;
use std::time::SystemTime;

use callscape_base::units::{Cost, FunctionId, ModuleId, Unit};
pub use difference::{CalleeDifference, LineDifference, difference};
pub use elsewhere::file_around;
pub use facts::LineFacts;

/// How it is known that a call was made in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// The recording says so.
    Recorded,
    /// Inferred: the caller calls something of this name in so many places, which share the calls and their cost.
    Name { places: u32 },
    /// Inferred: a function of the file that the caller calls, and that was not recorded because the compiler inlined it,
    /// calls something of this name in so many places.
    Inlined { places: u32 },
    /// Inferred: nothing in these has the name either, and this is their only call of something without one.
    Nameless,
}

impl Evidence {
    pub fn is_inferred(self) -> bool {
        self != Evidence::Recorded
    }

    /// How many calls of one name share what was recorded of it; 1 where none does.
    pub fn places(self) -> u32 {
        match self {
            Evidence::Name { places } | Evidence::Inlined { places } => places,
            Evidence::Recorded | Evidence::Nameless => 1,
        }
    }
}

/// What the calls of one function from one other come to, in a line or of unknown lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCalls {
    pub caller: ModuleId,
    pub callee: ModuleId,
    /// One of the recorded functions that are the callee, for its name.
    pub function: FunctionId,
    /// 0 where the recording does not count calls.
    pub calls: u64,
    /// As in a call relation every call counts, also one inside another.
    pub cost: Cost,
    pub evidence: Evidence,
}

/// What is known of a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// From 1.
    pub line: u32,
    /// What ran in the line itself; none where the recording does not know which line ran.
    pub self_cost: Option<Cost>,
    /// What the line weighs while it runs or waits for a call that was made in it, so that recursion counts once; none where
    /// that is not known, as in a call graph. Of a line whose calls are inferred, while one of these is open.
    pub total: Option<Cost>,
    /// How many samples found the line running; none where it was not sampled.
    pub samples: Option<u64>,
    /// Calls that were made in the line; 0 where the recording does not count them.
    pub calls: u64,
    /// The sum of what these calls cost, in which recursion counts more than once: callcosts of the thesis.
    pub cost: Cost,
    /// From 0 to 1: the part of what all calls cost that the functions make which call something in this line; relcallcosts
    /// of the thesis.
    pub share: f64,
    /// By caller and callee, the largest cost first. All callees of a polymorphic or indirect call are here.
    pub by_callee: Vec<LineCalls>,
}

impl Line {
    /// Whether any of its calls is inferred.
    pub fn is_inferred(&self) -> bool {
        self.by_callee.iter().any(|it| it.evidence.is_inferred())
    }

    /// The same calls by callee alone, whoever made them, the largest cost first.
    pub fn callees(&self) -> Vec<LineCalls> {
        let mut calls = self.by_callee.clone();
        calls.sort_by_key(|it| (it.callee, it.evidence));
        calls.dedup_by(|later, first| {
            let is_same = (later.callee, later.evidence) == (first.callee, first.evidence);
            if is_same {
                first.calls = first.calls.saturating_add(later.calls);
                first.cost += later.cost;
            }
            is_same
        });
        largest_first(&mut calls);
        calls
    }
}

/// A function that the text of a file defines, or that only the recording knows in it.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionInFile {
    pub module: ModuleId,
    /// First and last line, from 1; 0 where unknown.
    pub lines: (u32, u32),
    /// Whether the recording saw it run. What sampling never met may have run all the same.
    pub is_executed: bool,
    pub calls: u64,
    pub self_cost: Cost,
    pub total: Cost,
    /// What all the calls cost that it makes in lines that are known, here or in another file: what shares are parts of.
    pub call_costs: Cost,
    /// Calls of which it is not known in which line they were made, the largest cost first.
    pub unplaced: Vec<LineCalls>,
}

/// What a recording tells of the lines of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileLines {
    pub file: ModuleId,
    /// What costs count.
    pub unit: Unit,
    /// In order, only those with something to say.
    pub lines: Vec<Line>,
    /// In order of the text.
    pub functions: Vec<FunctionInFile>,
    /// The recording says which line ran.
    pub knows_self: bool,
    /// The recording says from which line calls were made; else they are inferred.
    pub knows_sites: bool,
    /// A range of time was asked for, and the recording knows of its lines only what they cost over all of its time: costs of
    /// lines are of all of it then.
    pub is_of_whole: bool,
    /// What all functions cost themselves, in the range that was asked for.
    pub whole: Cost,
}

impl FileLines {
    /// What is known of line `number`. O(log n).
    pub fn line(&self, number: u32) -> Option<&Line> {
        let found = self.lines.binary_search_by_key(&number, |it| it.line);
        self.lines.get(found.ok()?)
    }

    /// How many lines lie past the end of a text with `lines` lines, which is then another version of the file.
    pub fn past_end(&self, lines: u32) -> usize {
        self.lines.len() - self.lines.partition_point(|it| it.line <= lines)
    }

    /// The largest own cost of a line.
    pub fn largest_self(&self) -> Cost {
        let costs = self.lines.iter().filter_map(|it| it.self_cost);
        costs.max().unwrap_or_default()
    }

    /// The largest cost of the calls of a line.
    pub fn largest_cost(&self) -> Cost {
        let costs = self.lines.iter().map(|it| it.cost);
        costs.max().unwrap_or_default()
    }
}

/// When a recording was made, as far as its file says, or the newest of its files where it is a directory. What was copied
/// since may look younger than it is, so a source file that is not newer is no proof.
pub fn recorded_at(recording: &Path) -> Option<SystemTime> {
    let modified = |path: &Path| path.metadata().and_then(|it| it.modified()).ok();
    if !recording.is_dir() {
        return modified(recording);
    }
    let entries = recording.read_dir().ok()?.flatten();
    entries.filter_map(|entry| modified(&entry.path())).max()
}

/// Those that cost most first, then those called most, then in order of caller and callee.
fn largest_first(calls: &mut [LineCalls]) {
    calls.sort_by_key(|it| {
        let size = std::cmp::Reverse((it.cost, it.calls));
        (size, it.caller, it.callee, it.evidence)
    });
}
