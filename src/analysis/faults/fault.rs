//! What faults are: functions that ran and were touched by a change, with what speaks for each; and what is asked.

use std::ops::Range;

use super::first_difference::FirstDifference;
use crate::comparison::Comparison;
use crate::session::Session;
use callscape_base::units::{Cost, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use callscape_source::Scan;
use callscape_source::history::change::{Changes, Commit, Region};

/// Why a function counts as changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A line of it was added or changed.
    Body,
    /// Lines of it were deleted, and nothing else.
    BeforeDeletion,
    /// It uses the name of something outside of functions that was changed, as far as the text says.
    Declaration,
}

impl Reason {
    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Body => "body",
            Reason::BeforeDeletion => "before deletion",
            Reason::Declaration => "declaration",
        }
    }
}

/// A changed declaration that a function uses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Used {
    pub name: String,
    pub file: String,
    /// Of the declaration; of one that is gone, where it stood in the earlier revision.
    pub line: u32,
    pub is_gone: bool,
}

/// A function that ran and was touched by a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub module: ModuleId,
    /// As the recording has it; several where it has names for parts of it.
    pub functions: Vec<FunctionId>,
    /// Where the lines are: of a declaration not always the file of the function.
    pub file: String,
    /// In the later revision, in rising order: changed lines, or those before deletions.
    pub lines: Vec<u32>,
    pub reason: Reason,
    /// Words that stood in it are gone; else the change only adds to it.
    pub replaces: bool,
    /// What it uses of what was changed outside of functions.
    pub uses: Vec<Used>,
    /// Indices into [`Faults::commits`], the newest first.
    pub commits: Vec<u32>,
    /// Some of the lines are not committed yet.
    pub is_uncommitted: bool,
    /// None in a profile.
    pub first: Option<(Time, ThreadId)>,
    /// 0 where the recording does not count them.
    pub calls: u64,
    pub self_cost: Cost,
    pub total: Cost,
    /// The innermost phases that it runs in, in order.
    pub phases: Vec<String>,
    /// From 0 to 1.
    pub score: f64,
    pub why: Vec<Part>,
}

/// A changed function that the recording did not see run.
#[derive(Clone, Debug, PartialEq)]
pub struct NotRun {
    /// With the classes and namespaces around it, joined by points.
    pub name: String,
    pub file: String,
    pub line: u32,
    pub lines: Vec<u32>,
    pub commits: Vec<u32>,
    pub is_uncommitted: bool,
}

/// What a person has to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    Macro,
    /// An inclusion, whose names are not followed.
    Include,
    BuildFile,
}

impl Flag {
    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Flag::Macro => "macro",
            Flag::Include => "include",
            Flag::BuildFile => "build file",
        }
    }
}

/// A change whose effect is not followed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flagged {
    pub flag: Flag,
    pub file: String,
    pub lines: Vec<u32>,
    /// Of a macro; empty otherwise.
    pub name: String,
}

/// What is not in the list, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files that differ.
    pub files: u32,
    pub removed_files: u32,
    /// Differences in comments and white space alone.
    pub only_looks: u32,
    /// Changed lines outside of functions that declare nothing that a function which ran uses.
    pub unused_lines: u32,
    /// Changed files without a grammar: documents and data.
    pub other_files: u32,
}

impl Counts {
    /// How much of what was not looked into, in words; nothing of which there is none.
    pub fn not_looked_into(&self) -> impl Iterator<Item = (u64, &'static str)> {
        let all = [
            (
                self.unused_lines,
                "changed line outside functions, not used by any function that ran",
                "changed lines outside functions, not used by any function that ran",
            ),
            (
                self.only_looks,
                "difference only in comments or white space",
                "differences only in comments and white space",
            ),
            (
                self.other_files,
                "changed file in an unsupported language",
                "changed files in unsupported languages",
            ),
            (self.removed_files, "removed file", "removed files"),
        ];
        let told = all.into_iter().filter(|(count, ..)| *count > 0);
        told.map(|(count, one, many)| (count.into(), if count == 1 { one } else { many }))
    }
}

/// The part of the run that fails, as far as one knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failing {
    pub range: Option<TimeRange>,
    pub threads: Vec<ThreadId>,
}

/// What to look at.
pub struct Question<'a> {
    /// The source tree, and the recording of the later revision as its first.
    pub session: &'a Session,
    pub changes: &'a Changes,
    /// Of the source tree, with what imports what; without it declarations count in their own file alone.
    pub scan: Option<&'a Scan>,
    /// A run of the earlier revision and, as B, the recording.
    pub against: Option<&'a Comparison>,
    pub failing: Failing,
}

/// Where the lines of an entry lie, for the commits that touched them.
pub(super) type Regions = Vec<Region>;

/// Lines of a file as regions, neighbours in one.
pub(super) fn vec_regions(file: usize, lines: &[u32]) -> Regions {
    let mut regions: Vec<Region> = Vec::new();
    for &line in lines {
        match regions.last_mut() {
            Some(last) if last.lines.end == line => last.lines.end = line + 1,
            _ => regions.push(region(file, line..line + 1)),
        }
    }
    regions
}

pub(super) fn region(file: usize, lines: Range<u32>) -> Region {
    Region {
        file: file as u32,
        lines,
    }
}

/// The functions that ran and were touched, and what is to be known of the rest.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Most suspect first.
    pub faults: Vec<Fault>,
    /// In order of file and line.
    pub not_run: Vec<NotRun>,
    pub flagged: Vec<Flagged>,
    pub counts: Counts,
    /// The newest first.
    pub commits: Vec<Commit>,
    /// How many commits lie between the two revisions.
    pub between: u64,
    /// Some of these are missing or not looked at.
    pub is_cut_off: bool,
    /// Where the run and that of the earlier revision part; none without a recording of that, or where they do not.
    pub first_difference: Option<FirstDifference>,
    /// How many functions ran and are in the source.
    pub executed: u64,
}

/// What a part of a score is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartOf {
    /// How it is touched.
    Reason,
    /// How much of it was changed.
    Extent,
    /// Whether the change replaces or removes what was there, or only adds to it.
    Edit,
    /// Its share of the cost.
    Cost,
    /// Other changed functions call it or are called by it.
    Neighbours,
    /// When it first runs.
    First,
    /// Whether it runs in the part of the run that fails.
    Failing,
    /// Its share of the difference between two runs.
    Difference,
    /// Whether it calls others as it did.
    Behaviour,
    /// How near to the first difference between two runs it ran.
    FirstDifference,
}

impl PartOf {
    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            PartOf::Reason => "reason",
            PartOf::Extent => "extent",
            PartOf::Edit => "edit",
            PartOf::Cost => "cost",
            PartOf::Neighbours => "neighbours",
            PartOf::First => "first run",
            PartOf::Failing => "failing part",
            PartOf::Difference => "cost change",
            PartOf::Behaviour => "behaviour",
            PartOf::FirstDifference => "first difference",
        }
    }

    /// What it is worth at most.
    pub fn weight(self) -> f64 {
        match self {
            PartOf::Reason => 0.10,
            PartOf::Extent => 0.03,
            PartOf::Edit => 0.06,
            PartOf::Cost => 0.25,
            PartOf::Neighbours => 0.04,
            PartOf::First => 0.03,
            PartOf::Failing => 0.40,
            PartOf::Difference => 0.30,
            PartOf::Behaviour => 0.20,
            PartOf::FirstDifference => 0.40,
        }
    }
}

/// A part of a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub of: PartOf,
    /// What it adds to the score.
    pub score: f64,
    pub text: String,
}
