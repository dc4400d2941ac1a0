//! The arguments of `callscape faults`.

use std::path::PathBuf;

use callscape_base::units::TimeSpec;

#[derive(Debug, clap::Args)]
#[command(about = "Rank the changes between two revisions that ran, most suspect first", long_about = ABOUT, after_help = HELP)]
pub(crate) struct FaultsArgs {
    /// The source tree, in a git repository
    pub source: PathBuf,
    /// Recording of a failing run: a file or a directory in any supported format
    pub recording: PathBuf,
    /// The last known good revision: a branch, a tag, or a commit ID, optionally followed by ~2 or ^
    #[arg(long, value_name = "REV")]
    pub good: String,
    /// The revision that was recorded [default: the working tree]
    #[arg(long, value_name = "REV")]
    pub bad: Option<String>,
    /// A recording of a good run of the same scenario
    #[arg(long, value_name = "RECORDING")]
    pub good_recording: Option<PathBuf>,
    /// Start of the failing range
    #[arg(long, value_name = "TIME")]
    pub from: Option<TimeSpec>,
    /// End of the failing range
    #[arg(long, value_name = "TIME")]
    pub to: Option<TimeSpec>,
    /// Failing thread, by id or name
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// Group the functions by the commits that touched them
    #[arg(long)]
    pub by_commit: bool,
    /// Also list changed functions that did not run, at the end
    #[arg(long)]
    pub not_run: bool,
    /// Only the first N functions
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

const ABOUT: &str = "Rank the changes between two revisions that ran, most suspect first

Lines added or changed since --good, and the line before each deletion, are looked up in the functions that ran. For \
changed declarations outside functions, the functions that use their names count as changed, as far as the text \
shows. Changed macros, inclusions and build files are listed for manual review, and changed functions that did not \
run are counted. Differences in comments and white space do not count.";

const HELP: &str = "Examples:
  callscape faults . --good v2.3 trace.json
  callscape faults . --good HEAD~20 --bad HEAD trace.json --good-recording before.json
  callscape faults . --good main trace.json --from 3s --to 4s --by-commit

The score of a function is a sum of parts, listed in `why`: how it was changed, how much of it was changed, its share \
of the cost, changed functions next to it, and when it first runs; with --from, --to or --thread, whether it runs in \
the failing part; with --good-recording, its share of the difference, whether its calls changed, and how close to the \
first difference between the two runs it ran. Nothing in the repository is executed: no hook, filter or other \
program.";
