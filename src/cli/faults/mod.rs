//! `callscape faults`: Which of the changes between two revisions ran, and which is most suspect

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
#[command(about = "Which of the changes between two revisions ran, and which is most suspect", long_about = ABOUT, after_help = HELP)]
pub struct FaultsArgs {
    /// The source tree, in a git repository
    source: PathBuf,
    /// The recording of a run that fails: a file or a directory, in any format that Callscape knows
    recording: PathBuf,
    /// The revision in which all was well: a branch, a tag, or a commit's id, with ~2 or ^ behind it
    #[arg(long, value_name = "REV")]
    good: String,
    /// The revision that was recorded; without it the working tree
    #[arg(long, value_name = "REV")]
    bad: Option<String>,
    /// A recording of the same run in which all was well
    #[arg(long, value_name = "RECORDING")]
    good_recording: Option<PathBuf>,
    /// It fails from this time on
    #[arg(long, value_name = "TIME")]
    from: Option<TimeSpec>,
    /// It fails up to this time
    #[arg(long, value_name = "TIME")]
    to: Option<TimeSpec>,
    /// It fails in the thread with this id or name
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    /// Group the functions by the commits that touched them
    #[arg(long)]
    by_commit: bool,
    /// List the changed functions that did not run too, last
    #[arg(long)]
    not_run: bool,
    /// Only the first N functions
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
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

/// What was found, and what it was found in.
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
