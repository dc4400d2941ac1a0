//! `callscape faults`: Rank the changes between two revisions that ran, most suspect first

mod document;
mod text;

use std::path::PathBuf;

use anyhow::{bail, ensure};

use super::output;
use super::progress::with_progress;
use callscape_analysis::faults::opening::{self, Opened};
use callscape_analysis::faults::{Failing, Faults, Question, find};
use callscape_base::units::{Time, TimeRange, TimeSpec};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Trace;
use callscape_source::history;
use callscape_source::history::change::Changes;

#[derive(Debug, clap::Args)]
#[command(about = "Rank the changes between two revisions that ran, most suspect first", long_about = ABOUT, after_help = HELP)]
pub struct FaultsArgs {
    /// The source tree, in a git repository
    source: PathBuf,
    /// Recording of a failing run: a file or a directory in any supported format
    recording: PathBuf,
    /// The last known good revision: a branch, a tag, or a commit ID, optionally followed by ~2 or ^
    #[arg(long, value_name = "REV")]
    good: String,
    /// The revision that was recorded [default: the working tree]
    #[arg(long, value_name = "REV")]
    bad: Option<String>,
    /// A recording of a good run of the same scenario
    #[arg(long, value_name = "RECORDING")]
    good_recording: Option<PathBuf>,
    /// Start of the failing range
    #[arg(long, value_name = "TIME")]
    from: Option<TimeSpec>,
    /// End of the failing range
    #[arg(long, value_name = "TIME")]
    to: Option<TimeSpec>,
    /// Failing thread, by id or name
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    /// Group the functions by the commits that touched them
    #[arg(long)]
    by_commit: bool,
    /// Also list changed functions that did not run, at the end
    #[arg(long)]
    not_run: bool,
    /// Only the first N functions
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
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

/// The findings and the session that they refer to.
struct Report<'a> {
    opened: &'a Opened,
    changes: &'a Changes,
    faults: &'a Faults,
    args: &'a FaultsArgs,
}

impl Report<'_> {
    /// The run that fails.
    fn recording(&self) -> Option<&Recording> {
        let first = self.opened.session.recordings.first();
        first.map(|it| &*it.recording)
    }
}

pub fn run(args: FaultsArgs) -> anyhow::Result<()> {
    ensure!(
        args.source.is_dir(),
        "{}: expected the directory of a source tree, found {}",
        args.source.display(),
        if args.source.exists() {
            "a file"
        } else {
            "nothing"
        }
    );
    let (opened, changes, faults) = with_progress(|progress| -> anyhow::Result<_> {
        let dir = &args.source;
        // What is wrong with a revision is said before a recording is read for minutes.
        let scan = opening::scan(dir, progress)?;
        let bad = args.bad.as_deref();
        let changes = history::changes(dir, &args.good, bad, &opening::paths(&scan), progress)?;
        let good_recording = args.good_recording.as_deref();
        let opened = Opened::over(scan, &args.recording, good_recording, progress)?;
        let trace = &output::recording(&opened.session)?.recording.trace;
        let question = Question {
            session: &opened.session,
            changes: &changes,
            scan: Some(&opened.scan),
            against: opened.against.as_ref(),
            failing: failing(&args, trace)?,
        };
        let faults = find(&question, progress)?;
        Ok((opened, changes, faults))
    })??;
    for resolved in &opened.session.recordings {
        output::ensure_whole(&resolved.recording)?;
    }
    let report = Report {
        opened: &opened,
        changes: &changes,
        faults: &faults,
        args: &args,
    };
    text::say_the_rest(&report);
    match (args.json, args.by_commit) {
        (true, false) => output::print_json(&document::functions(&report)),
        (true, true) => output::print_json(&document::by_commit(&report)),
        (false, false) => output::print(|out| text::functions(&report, out)),
        (false, true) => output::print(|out| text::by_commit(&report, out)),
    }
}

fn failing(args: &FaultsArgs, trace: &Trace) -> anyhow::Result<Failing> {
    let duration = trace.duration();
    let [from, to] = [args.from, args.to].map(|it| it.map(|it| it.resolve(duration)));
    let range = TimeRange {
        start: from.unwrap_or(Time::ZERO),
        end: to.unwrap_or(Time::MAX),
    };
    if range.start > range.end {
        bail!(
            "expected --from before --to, found {} and {}",
            range.start,
            range.end
        );
    }
    Ok(Failing {
        range: (from.is_some() || to.is_some()).then_some(range),
        threads: match &args.thread {
            Some(thread) => super::threads::find(trace, Some(thread))?,
            None => Vec::new(),
        },
    })
}
