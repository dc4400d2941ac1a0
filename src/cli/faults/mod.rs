//! `callscape faults`: Rank the changes between two revisions that ran, most suspect first

mod args;
mod document;
mod report;
mod text;

use anyhow::{bail, ensure};

use super::output;
use super::progress::with_progress;
pub(crate) use args::FaultsArgs;
use callscape_analysis::faults::opening::{self, Opened};
use callscape_analysis::faults::{Failing, Question, find};
use callscape_base::units::{Time, TimeRange};
use callscape_facts::trace::Trace;
use callscape_source::history;
use report::Report;

pub(crate) fn run(args: FaultsArgs) -> anyhow::Result<()> {
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
