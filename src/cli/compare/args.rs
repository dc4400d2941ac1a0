//! What `callscape compare` is asked for.

use std::path::PathBuf;

use super::moments::Moment;
use super::{clocks, picture_args};
use crate::range::Reaching;
use crate::revisions::Between;
use callscape_analysis::comparison::amounts::Measure;
use callscape_analysis::comparison::condition::Condition;
use callscape_analysis::comparison::pairing::Correction;

#[derive(Debug, clap::Args)]
#[command(about = "Compare two recordings: A from before a change, B from after it", after_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    /// The recordings A and B; a source tree of both, or one of each
    #[arg(value_name = "A B SOURCE_DIR", required_unless_present_all = ["a", "b"])]
    pub inputs: Vec<PathBuf>,
    /// Compare two revisions of the source tree, such as v1.0..v2.0: lines of code of their functions, or complexity with
    /// --value complexity; with two recordings, these over both trees
    #[arg(long, value_name = "A..B")]
    pub rev: Option<Between>,
    /// Several runs of A, to separate noise from real differences
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "b")]
    pub a: Vec<PathBuf>,
    /// Several runs of B
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "a")]
    pub b: Vec<PathBuf>,
    #[command(flatten)]
    pub left_out: crate::frequency::FrequencyArg,
    /// Difference to sort the tables by
    #[arg(long, value_enum, default_value_t = Sort::SelfCost)]
    pub sort: Sort,
    /// Only the first N of each table [default: 20 in text, all in JSON]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Only entries with this text in their name or path
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Group modules and relations by the entities of this mapping file; functions that match no entry are excluded
    #[arg(long, value_name = "FILE", conflicts_with = "level")]
    pub map: Option<PathBuf>,
    /// Relations between the modules of this depth of the hierarchy; the root has depth 0
    #[arg(long, value_name = "N")]
    pub level: Option<u16>,
    /// Also compare the call trees: calls and costs by calling context
    #[arg(long)]
    pub contexts: bool,
    /// Start of the range in each run: a time, or the start of the call CALLER -> CALLEE
    #[arg(long, value_name = "TIME|CALL")]
    pub from: Option<Moment>,
    /// End of the range in each run, which is not part of it: a time, or the start of such a call
    #[arg(long, value_name = "TIME|CALL")]
    pub to: Option<Moment>,
    /// How calls count that are open at an end of the range
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Reaching::Parts)]
    pub enclosing: Reaching,
    /// Calls and costs per call of this function
    #[arg(long, value_name = "FUNCTION")]
    pub per: Option<String>,
    /// Costs as shares of their runs, calls as shares of all calls
    #[arg(long, conflicts_with = "per")]
    pub shares: bool,
    /// Time to compare: running excludes the time that threads waited, if both recordings have it [default: running if
    /// both have it, otherwise elapsed]
    #[arg(long, value_enum, value_name = "TIME")]
    pub time: Option<TimedBy>,
    /// Pair these two functions. Without NEW, OLD exists only in A; without OLD, NEW exists only in B. May be repeated
    #[arg(long, value_name = "OLD=NEW")]
    pub pair: Vec<Correction>,
    /// File of such pairs, one per line
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<PathBuf>,
    /// Pair only functions with the same name in the same place; never treat one as moved or renamed
    #[arg(long)]
    pub exact: bool,
    /// Exit with 1 if this condition holds, such as 'total(parse) > 1.1x'; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Condition>,
    /// How to align the timelines of both runs; JSON output lists the matching times
    #[arg(long, value_enum, value_name = "LINK")]
    pub align: Option<clocks::Align>,
    /// Function whose calls align the timelines [default for --align calls: functions that both call equally often]
    #[arg(long, value_name = "FUNCTION", requires = "align")]
    pub align_by: Option<String>,
    #[command(flatten)]
    pub picture: picture_args::PictureArgs,
    /// Value to compare, of profiles or sampled recordings: alloc_space, samples, cycles, 'wall time'; `info` lists them
    #[arg(long, value_name = "NAME")]
    pub value: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

const EXAMPLES: &str = "Examples:
  callscape compare before.json after.json
  callscape compare before after src --sort calls --top 10 --json
  callscape compare before.json after.json src-1.0 src-2.0 --pair parse_slow=parse
  callscape compare --a before*.json --b after*.json
  callscape compare before.json after.json src -o difference.png
  callscape compare src --rev v1.0..v2.0 -o report.html
  callscape compare before.json after.json --map layers.map --from 'UI -> CORE' --json
  callscape compare before.json after.json --from 10% --to 20% --enclosing none
  callscape compare before.json after.json -o stacks.png --view flame --align calls
  callscape compare before.json after.json src -o report.html --fail-if 'total(parse) > 1.1x'

Functions are paired by name and place, then by name and file name, then by a name that is unique on both sides, then \
by similarity of names, callers and callees (renamed); --exact stops after the first step, --pair corrects a pairing. \
For several runs per side, the mean is shown. With two or more runs on each side, log costs are compared with Smyth's \
test, which estimates the variance from all functions, and the Benjamini–Hochberg procedure (5 % false discoveries). \
Differences that are not significant count as noise and are listed last. Two results of `callscape query means` \
represent the runs they summarise. Recordings of different kinds are compared by each function's share of its run.

CALL in --from, --to and --at is the first call of CALLEE by CALLER in each run. Both are functions, modules or \
entities of the mapping; * matches any of them, and CALLER -> CALLEE#2 is the second call.

--rev compares lines of code, without blank lines and comments, by function; `<module>` is what a file has outside \
of its functions. Files that git takes for renamed are one file. Nothing is checked out: the files of both revisions are \
copied to the user's cache directory.

If both recordings know when their threads wait, costs are compared without waiting (--time). JSON contains the costs \
as recorded, and the waiting time separately.

A condition is total|self|calls|average(FUNCTION), or duration, followed by >, >=, < or <=, and a limit: 1.1x (1.1 \
times A), +10% (10 % more than A), +5ms (5 ms more than A), 5ms or 100 (absolute value of B). * in a name matches any \
text. The exit code is 1 if a condition holds or no function has the name, 2 if a condition cannot be parsed, \
otherwise 0.";

/// Which time is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TimedBy {
    /// Time in which the thread itself ran
    Running,
    /// Wall-clock time, including waiting
    Elapsed,
}

/// The largest difference first.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Sort {
    /// Self cost: shows where a difference originates
    #[value(name = "self")]
    SelfCost,
    /// Time between entry and exit: shows which callers a difference affects
    Total,
    /// Number of calls
    Calls,
    /// Total cost per call
    Average,
}

impl Sort {
    pub(crate) fn measure(self) -> Measure {
        match self {
            Sort::SelfCost => Measure::SelfCost,
            Sort::Total => Measure::Total,
            Sort::Calls => Measure::Calls,
            Sort::Average => Measure::Average,
        }
    }
}
