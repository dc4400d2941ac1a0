//! What `callscape compare` is asked for.

use std::path::PathBuf;

use super::moments::Moment;
use super::{clocks, picture_args};
use callscape_analysis::comparison::amounts::Measure;
use callscape_analysis::comparison::condition::Condition;
use callscape_analysis::comparison::pairing::Correction;

#[derive(Debug, clap::Args)]
#[command(about = "What differs between two recordings, A before a change and B after it", after_help = EXAMPLES)]
pub struct CompareArgs {
    /// The recordings A and B; a source tree of both, or one of each
    #[arg(value_name = "A B SOURCE_DIR", required_unless_present_all = ["a", "b"])]
    pub inputs: Vec<PathBuf>,
    /// Several runs of A: what is noise among them is told from what differs
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "b")]
    pub a: Vec<PathBuf>,
    /// Several runs of B
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "a")]
    pub b: Vec<PathBuf>,
    #[command(flatten)]
    pub left_out: crate::frequency::FrequencyArg,
    /// By which difference the tables are sorted
    #[arg(long, value_enum, default_value_t = Sort::SelfCost)]
    pub sort: Sort,
    /// Only the first N of each table [default: 20 in text, all in JSON]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Only what has this text in its name or path
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Modules and relations by the entities of this mapping file; what it leaves out is left out
    #[arg(long, value_name = "FILE", conflicts_with = "level")]
    pub map: Option<PathBuf>,
    /// Relations between the modules of this depth of the hierarchy; the root has depth 0
    #[arg(long, value_name = "N")]
    pub level: Option<u16>,
    /// The call tree of both too: calls and costs by calling context
    #[arg(long)]
    pub contexts: bool,
    /// Only calls that start after this time of each run, or after it makes the call CALLER -> CALLEE, and the calls
    /// around them
    #[arg(long, value_name = "TIME|CALL")]
    pub from: Option<Moment>,
    /// Only calls that end before this time of each run, or before such a call, and the calls around them
    #[arg(long, value_name = "TIME|CALL")]
    pub to: Option<Moment>,
    /// Calls and costs per call of this function
    #[arg(long, value_name = "FUNCTION")]
    pub per: Option<String>,
    /// Costs as shares of their runs, calls as shares of all calls
    #[arg(long, conflicts_with = "per")]
    pub shares: bool,
    /// Which time is compared: running leaves out what threads waited for, where both recordings know it [default: running
    /// where both know it, else elapsed]
    #[arg(long, value_enum, value_name = "TIME")]
    pub time: Option<TimedBy>,
    /// These two functions are one; without NEW, OLD is in A alone, without OLD, NEW in B; may be repeated
    #[arg(long, value_name = "OLD=NEW")]
    pub pair: Vec<Correction>,
    /// A file of such pairs, one a line
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<PathBuf>,
    /// Only functions of one name in one place are the same: none is taken for moved or renamed
    #[arg(long)]
    pub exact: bool,
    /// Exit with 1 when this holds, such as 'total(parse) > 1.1x'; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<Condition>,
    /// Link the clocks of both by this, and say in JSON which times are the same
    #[arg(long, value_enum, value_name = "LINK")]
    pub align: Option<clocks::Align>,
    /// The function whose calls link the clocks; --align calls alone takes those that both call equally often
    #[arg(long, value_name = "FUNCTION", requires = "align")]
    pub align_by: Option<String>,
    #[command(flatten)]
    pub picture: picture_args::PictureArgs,
    /// Value to compare by, of profiles or sampled recordings: alloc_space, samples, cycles, 'wall time'; `info` lists them
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
  callscape compare before.json after.json --map layers.map --from 'UI -> CORE' --json
  callscape compare before.json after.json -o stacks.png --view flame --align calls
  callscape compare before.json after.json src -o report.html --fail-if 'total(parse) > 1.1x'

Functions are paired by name and place, then by name and file name, then by a name that is unique on both sides,
then by likeness of names and of callers and callees (renamed); --exact stops after the first, --pair corrects it.
Of several runs of a side the mean is shown; with two or more on each, what a test of the logarithms of costs (Smyth's,
which learns from all functions how much they vary) and the bound of Benjamini and Hochberg (5 % false discoveries) do
not tell from chance counts as noise, and stands last. Two answers of `callscape query means` stand for their runs.
Recordings of different kinds are compared by the shares that functions have in their run.

The CALL of --from, --to and --at is the first one of CALLEE by CALLER in each run, functions, modules or entities of
the mapping; * is any of them, and CALLER -> CALLEE#2 the second one.

Where both recordings know when their threads wait, costs are compared without it (--time), and stand in JSON as they
were recorded, the waiting beside them.

A condition is total|self|calls|average(FUNCTION), or duration, then > >= < or <=, then a limit: 1.1x (of A),
+10% (the same), +5ms (more than A), 5ms or 100 (B alone). * in a name stands for anything. The exit code is 1 when
one holds, or when no function has the name; 2 when it cannot be read; else 0.";

/// Which time is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TimedBy {
    /// What a thread runs itself, whatever else the machine does
    Running,
    /// All that passes, waiting or not
    Elapsed,
}

/// The largest difference first.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Sort {
    /// Cost in the function itself: where a difference arises
    #[value(name = "self")]
    SelfCost,
    /// Time in which the function is open: where a difference arrives
    Total,
    /// Number of calls
    Calls,
    /// Total cost a call
    Average,
}

impl Sort {
    pub fn measure(self) -> Measure {
        match self {
            Sort::SelfCost => Measure::SelfCost,
            Sort::Total => Measure::Total,
            Sort::Calls => Measure::Calls,
            Sort::Average => Measure::Average,
        }
    }
}
