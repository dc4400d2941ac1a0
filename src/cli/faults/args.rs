//! The arguments of `callscape faults`.

use std::path::PathBuf;

use callscape_base::units::TimeSpec;

#[derive(Debug, clap::Args)]
#[command(about = "Which of the changes between two revisions ran, and which is most suspect", long_about = ABOUT, after_help = HELP)]
pub struct FaultsArgs {
    /// The source tree, in a git repository
    pub source: PathBuf,
    /// The recording of a run that fails: a file or a directory, in any format that Callscape knows
    pub recording: PathBuf,
    /// The revision in which all was well: a branch, a tag, or a commit's id, with ~2 or ^ behind it
    #[arg(long, value_name = "REV")]
    pub good: String,
    /// The revision that was recorded; without it the working tree
    #[arg(long, value_name = "REV")]
    pub bad: Option<String>,
    /// A recording of the same run in which all was well
    #[arg(long, value_name = "RECORDING")]
    pub good_recording: Option<PathBuf>,
    /// It fails from this time on
    #[arg(long, value_name = "TIME")]
    pub from: Option<TimeSpec>,
    /// It fails up to this time
    #[arg(long, value_name = "TIME")]
    pub to: Option<TimeSpec>,
    /// It fails in the thread with this id or name
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// Group the functions by the commits that touched them
    #[arg(long)]
    pub by_commit: bool,
    /// List the changed functions that did not run too, last
    #[arg(long)]
    pub not_run: bool,
    /// Only the first N functions
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

const ABOUT: &str = "Which of the changes between two revisions ran, and which is most suspect

Lines that were added or changed since --good, and the line before each deletion, are looked for in the functions that \
ran. Of changed declarations outside of functions those functions count that use their names, as far as the text says. \
Changed macros, inclusions and build files are named for a person to look at, and what changed without running is \
counted. Differences in comments and white space do not count.";

const HELP: &str = "Examples:
  callscape faults . --good v2.3 trace.json
  callscape faults . --good HEAD~20 --bad HEAD trace.json --good-recording before.json
  callscape faults . --good main trace.json --from 3s --to 4s --by-commit

The score of a function is a sum of parts, which `why` lists: how it is touched, how much of it, its share of the cost, \
changed functions next to it, when it first runs; with --from, --to or --thread whether it runs in the part that fails; \
with --good-recording its share of the difference, whether it calls others as it did, and how near to the first \
difference between the two runs it ran. Nothing of the repository is executed: no hook, no filter, no other program.";
