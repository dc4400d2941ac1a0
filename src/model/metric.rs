//! What can be counted or measured of a module.

/// A number that every module has, and that a view can map to area, height or colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    LinesOfCode,
    CommentLines,
    /// How many functions.
    Functions,
    Bytes,
    /// Cyclomatic complexity; the mean of its functions in a district, their sum as a footprint.
    Complexity,
    /// Lines of the file after the last commit, 0 if it is no longer there; the sum over the files of a district.
    LastLines,
    /// Commits that changed the file; the sum over the files of a district.
    Changes,
    /// Those of the year before the newest commit.
    RecentChanges,
    /// Complexity times recent changes; the sum over the files of a district.
    Hotspots,
    /// The day of the newest commit that changed the file; the newest in a district.
    LastChange,
    /// Who changed it, each person once.
    Authors,
    /// Commits that changed the file and mend a fault, by their summaries; the sum over the files of a district.
    Fixes,
    /// Lines added and removed in the year before the newest commit; the sum over the files of a district.
    ChangedLines,
    /// Other files that change together with it.
    Coupled,
    Calls,
    /// Time in which the function is open; the longest in a district, whose functions' times overlap.
    Total,
    SelfCost,
    /// The part of the self cost in which threads waited, where the recording knows.
    Waiting,
    /// Lines of code of functions that the recording never calls.
    NeverRun,
    /// The share of the lines counted by reports of coverage that ran, in percent.
    Coverage,
    /// Of those lines how many did not run.
    Uncovered,
    /// What tables of other tools say, by column.
    Own(u8),
    /// Functions outside that call it, each once.
    FanIn,
    /// Functions outside that it calls, each once.
    FanOut,
    /// Files in the import cycle that the file is part of, itself among them; the largest such in a district.
    ImportCycle,
    /// Variables outside of functions, and static ones of classes.
    Globals,
    /// Bytes of the objects that live: at the time shown, or where none is shown when the most lived.
    LiveBytes,
    /// How many objects live, likewise.
    LiveObjects,
    /// Objects created in the whole run.
    Allocations,
    /// Objects that did not outlive a three-hundredth of the run.
    Churn,
    /// Of two runs, what A or B has of the measure that is compared, and by how much they differ.
    InA,
    InB,
    Difference,
}

impl Metric {
    pub const ALL: [Metric; 36] = [
        Metric::LinesOfCode,
        Metric::CommentLines,
        Metric::Functions,
        Metric::Bytes,
        Metric::Complexity,
        Metric::LastLines,
        Metric::Changes,
        Metric::RecentChanges,
        Metric::Hotspots,
        Metric::LastChange,
        Metric::Authors,
        Metric::Fixes,
        Metric::ChangedLines,
        Metric::Coupled,
        Metric::Calls,
        Metric::Total,
        Metric::SelfCost,
        Metric::Waiting,
        Metric::NeverRun,
        Metric::Coverage,
        Metric::Uncovered,
        Metric::Own(0),
        Metric::Own(1),
        Metric::Own(2),
        Metric::Own(3),
        Metric::FanIn,
        Metric::FanOut,
        Metric::ImportCycle,
        Metric::Globals,
        Metric::LiveBytes,
        Metric::LiveObjects,
        Metric::Allocations,
        Metric::Churn,
        Metric::InA,
        Metric::InB,
        Metric::Difference,
    ];

    /// As the command line names it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::LinesOfCode => "loc",
            Metric::CommentLines => "comments",
            Metric::Functions => "functions",
            Metric::Bytes => "bytes",
            Metric::Complexity => "complexity",
            Metric::LastLines => "last-lines",
            Metric::Changes => "changes",
            Metric::RecentChanges => "recent-changes",
            Metric::Hotspots => "hotspots",
            Metric::LastChange => "last-change",
            Metric::Authors => "authors",
            Metric::Fixes => "fixes",
            Metric::ChangedLines => "changed-lines",
            Metric::Coupled => "coupled",
            Metric::Calls => "calls",
            Metric::Total => "total",
            Metric::SelfCost => "self",
            Metric::Waiting => "waiting",
            Metric::NeverRun => "never-run",
            Metric::Coverage => "coverage",
            Metric::Uncovered => "uncovered",
            Metric::Own(0) => "own",
            Metric::Own(1) => "own-2",
            Metric::Own(2) => "own-3",
            Metric::Own(_) => "own-4",
            Metric::FanIn => "fan-in",
            Metric::FanOut => "fan-out",
            Metric::ImportCycle => "import-cycle",
            Metric::Globals => "globals",
            Metric::LiveBytes => "live-bytes",
            Metric::LiveObjects => "live-objects",
            Metric::Allocations => "allocations",
            Metric::Churn => "churn",
            Metric::InA => "a",
            Metric::InB => "b",
            Metric::Difference => "difference",
        }
    }

    /// As a sentence names it.
    pub fn title(self) -> &'static str {
        match self {
            Metric::LinesOfCode => "lines of code",
            Metric::CommentLines => "comment lines",
            Metric::Functions => "functions",
            Metric::Bytes => "file size",
            Metric::Complexity => "complexity",
            Metric::LastLines => "lines after the last commit",
            Metric::Changes => "changes",
            Metric::RecentChanges => "changes in the last year",
            Metric::Hotspots => "hotspots",
            Metric::LastChange => "last change",
            Metric::Authors => "authors",
            Metric::Fixes => "fixes of faults",
            Metric::ChangedLines => "lines changed in the last year",
            Metric::Coupled => "files that change together with it",
            Metric::Calls => "calls",
            Metric::Total => "total cost",
            Metric::SelfCost => "self cost",
            Metric::Waiting => "waiting",
            Metric::NeverRun => "lines never run",
            Metric::Coverage => "coverage",
            Metric::Uncovered => "uncovered lines",
            Metric::Own(0) => "own numbers, first column",
            Metric::Own(1) => "own numbers, second column",
            Metric::Own(2) => "own numbers, third column",
            Metric::Own(_) => "own numbers, fourth column",
            Metric::FanIn => "fan-in",
            Metric::FanOut => "fan-out",
            Metric::ImportCycle => "files in its import cycle",
            Metric::Globals => "global variables",
            Metric::LiveBytes => "live memory",
            Metric::LiveObjects => "live objects",
            Metric::Allocations => "allocations",
            Metric::Churn => "objects soon released",
            Metric::InA => "in A",
            Metric::InB => "in B",
            Metric::Difference => "difference of A and B",
        }
    }

    /// What it says of a module with others below it.
    pub fn rule(self) -> &'static str {
        match self {
            Metric::LinesOfCode | Metric::CommentLines | Metric::Functions | Metric::Bytes => {
                "sum of its contents"
            }
            Metric::Complexity => "decisions in a function plus one; the mean of its functions",
            Metric::Calls | Metric::SelfCost => "sum of its functions",
            Metric::Waiting => "sum of the waiting in its functions",
            Metric::LastLines => "sum of the lines that its files have after the last commit",
            Metric::Changes => "sum of the commits to its files",
            Metric::RecentChanges => {
                "sum of the commits to its files in the year before the newest"
            }
            Metric::Hotspots => "sum over its files of complexity times changes in the last year",
            Metric::LastChange => "day of the newest commit to it",
            Metric::Authors => "number of people who committed to it",
            Metric::Fixes => {
                "sum of the commits to its files whose summaries say fix, bug, fault or crash"
            }
            Metric::ChangedLines => {
                "sum of the lines added to and removed from its files in the year before the newest commit"
            }
            Metric::Coupled => {
                "files changed in at least 5 and 30 % of the same commits, more often than by chance; the sum of its files"
            }
            Metric::Total => "cost of its longest open function",
            Metric::NeverRun => "lines of its functions that are never called",
            Metric::Coverage => "share of its lines in the coverage reports that ran",
            Metric::Uncovered => "lines in the coverage reports that did not run",
            Metric::Own(_) => {
                "number in a table of another tool; the sum of its contents, of shares the mean"
            }
            Metric::FanIn => {
                "functions outside that call into it; without a recording, files that import it"
            }
            Metric::FanOut => {
                "functions outside that it calls; without a recording, files that it imports"
            }
            Metric::ImportCycle => "size of its cycle of imports; the maximum of its files",
            Metric::Globals => {
                "variables outside of functions and static ones of classes; sum of its files"
            }
            Metric::LiveBytes | Metric::LiveObjects => {
                "live objects at the time shown if only colour or height shows them, otherwise at the peak"
            }
            Metric::Allocations => "number of objects created in the whole run",
            Metric::Churn => "number of objects released within a three-hundredth of the run",
            Metric::InA | Metric::InB | Metric::Difference => "value selected for the comparison",
        }
    }

    pub fn origin(self) -> Origin {
        match self {
            Metric::LinesOfCode
            | Metric::CommentLines
            | Metric::Functions
            | Metric::Bytes
            | Metric::Complexity => Origin::Source,
            Metric::LastLines
            | Metric::Changes
            | Metric::RecentChanges
            | Metric::Hotspots
            | Metric::LastChange
            | Metric::Authors
            | Metric::Fixes
            | Metric::ChangedLines
            | Metric::Coupled => Origin::History,
            Metric::Calls
            | Metric::Total
            | Metric::SelfCost
            | Metric::Waiting
            | Metric::NeverRun => Origin::Recording,
            Metric::Coverage | Metric::Uncovered => Origin::Coverage,
            Metric::Own(_) => Origin::Numbers,
            Metric::FanIn | Metric::FanOut | Metric::ImportCycle | Metric::Globals => {
                Origin::Relations
            }
            Metric::LiveBytes | Metric::LiveObjects | Metric::Allocations | Metric::Churn => {
                Origin::Memory
            }
            Metric::InA | Metric::InB | Metric::Difference => Origin::Comparison,
        }
    }

    pub fn unit(self) -> Unit {
        match self {
            Metric::Bytes | Metric::LiveBytes => Unit::Bytes,
            Metric::Total | Metric::SelfCost | Metric::Waiting => Unit::Cost,
            Metric::LastChange => Unit::Day,
            Metric::Coverage => Unit::Percent,
            Metric::Own(column) => Unit::Own(column),
            Metric::InA | Metric::InB | Metric::Difference => Unit::Compared,
            _ => Unit::Count,
        }
    }

    /// Whether its values are those of the time shown, where one is.
    pub fn is_live(self) -> bool {
        matches!(self, Metric::LiveBytes | Metric::LiveObjects)
    }

    /// Whether the history of a tree says at each time what it is.
    pub fn is_of_history(self) -> bool {
        self == Metric::LinesOfCode
            || (self.origin() == Origin::History
                && !matches!(self, Metric::LastLines | Metric::Hotspots | Metric::Coupled))
    }

    /// Whether a value is known. For most metrics zero means unknown; for coverage it means that nothing ran.
    pub fn is_known(self, value: f64) -> bool {
        let zero_counts = matches!(self.origin(), Origin::Coverage | Origin::Numbers);
        value.is_finite() && (value > 0.0 || zero_counts && value == 0.0)
    }

    /// Whether a footprint can say it: days and shares are no amounts, global variables are in no function, and one of two runs would have other places than the other.
    pub fn is_amount(self) -> bool {
        !matches!(
            self,
            Metric::LastChange
                | Metric::Coupled
                | Metric::ImportCycle
                | Metric::Globals
                | Metric::Coverage
        ) && self.origin() != Origin::Comparison
    }
}

/// What a metric is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Of what a recording says of memory.
    Memory,
    /// Of a recording's calls; of imports where there is none.
    Relations,
    Source,
    History,
    Recording,
    /// Of reports that other tools wrote.
    Coverage,
    /// Of tables that other tools wrote.
    Numbers,
    Comparison,
}

/// What a metric counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Count,
    Bytes,
    /// Time, or what a profile counts.
    Cost,
    /// Days since [`crate::measure::Measure::first_day`], which is day 1.
    Day,
    /// A share, 0 to 100.
    Percent,
    /// What a column of own numbers is in.
    Own(u8),
    /// What two runs are compared by.
    Compared,
}
