//! `callscape phases`: A table of contents of a run

mod document;
mod report;
mod text;

use anyhow::ensure;

use super::output;
use super::progress::with_progress;
use callscape_analysis::phases::names::Labels;
use callscape_analysis::phases::{Pruning, SIMILARITY, Wish};
use callscape_base::units::{Time, TimeRange, TimeSpec};
use callscape_facts::recording::RecordingKind;
use report::Report;

#[derive(Debug, clap::Args)]
#[command(about = "A table of contents of a run", long_about = ABOUT, after_help = EXAMPLES)]
pub struct PhasesArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    /// How many calls a heavy call triggers; without it the largest of 1, 2, 5, 10, … that leaves 20 rows
    #[arg(long, value_name = "N", value_parser = calls, allow_hyphen_values = true)]
    min_calls: Option<u64>,
    /// Or what it costs; without it as much as so many typical short calls
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    min_cost: Option<TimeSpec>,
    /// What a typical short call costs; without it the median of the calls that call nothing
    #[arg(
        long,
        value_name = "TIME",
        conflicts_with = "min_cost",
        allow_hyphen_values = true
    )]
    short: Option<TimeSpec>,
    /// Up to which share of their functions two phases of one callee may differ to be alike, from 0 to 1
    #[arg(long, value_name = "X", value_parser = similarity, allow_hyphen_values = true, default_value_t = SIMILARITY)]
    similarity: f64,
    /// Only the thread with this id or name
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    /// Only calls that start after this time, and the calls around them
    #[arg(long, value_name = "TIME")]
    from: Option<TimeSpec>,
    /// Only calls that end before this time, and the calls around them
    #[arg(long, value_name = "TIME")]
    to: Option<TimeSpec>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const ABOUT: &str = "A table of contents of a run

A call is heavy when it triggers --min-calls calls or costs --min-cost. A heavy call with two heavy subcalls or more
is an inner phase, one without any a leaf phase; a call with one heavy subcall only hands on, and is left out like all
light calls. Light calls of one callee that are heavy together are one row of the phase that they are met in. Phases
that repeat themselves are folded, and those whose functions differ from the others are marked as outliers.

Cost is elapsed time without what other programs took of it, where the recording knows that; waiting counts.";

const EXAMPLES: &str = "Examples:
  callscape phases trace.json
  callscape phases trace.json --min-calls 1000 --similarity 0.2
  callscape phases trace.json --thread main --from 10% --to 20% --json

In the JSON document \"in\" of a gathered row is the index of its phase, null outside of all; \"group\" is the class
of similar phases among those of one enclosing phase; \"instance_of\" the number of the repetition that a phase is an
instance of; \"explained\" the share of the time in leaf phases and gathered rows. With --from or --to a call around
the range counts with what of it lies inside.";

fn calls(text: &str) -> Result<u64, String> {
    let number = text.trim().parse();
    number.map_err(|_| format!("expected a number of calls, 0 or more, found '{text}'"))
}

fn similarity(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>();
    let number = number.ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| format!("expected a share from 0 to 1, found '{text}'"))
}

pub fn run(args: PhasesArgs) -> anyhow::Result<()> {
    let session = output::open(&args.input)?;
    let resolved = output::recording(&session)?;
    let recording = &resolved.recording;
    output::ensure_times(recording, "there are no calls to find phases among")?;
    let trace = &recording.trace;
    let resolve = |spec: TimeSpec| spec.resolve(trace.duration());
    let cost = |spec: TimeSpec| resolve(spec).since(Time::ZERO);
    let range = range(args.from.map(resolve), args.to.map(resolve))?;
    let wish = Wish {
        calls: args.min_calls,
        cost: args.min_cost.map(cost),
        short: args.short.map(cost),
        similarity: args.similarity,
        threads: super::threads::find(trace, args.thread.as_deref())?,
        range,
    };
    let (pruning, phases) = with_progress(|progress| {
        let pruning = Pruning::new(trace, &wish, progress)?;
        progress.start("comparing phases", 0);
        let phases = pruning.phases(pruning.parameters(&wish));
        Ok::<_, anyhow::Error>((pruning, phases))
    })??;
    let labels = Labels::new(&phases, &recording.functions, &pruning);
    let report = Report {
        session: &session,
        resolved,
        phases: &phases,
        labels: &labels,
        range,
        is_sampled: recording.kind == RecordingKind::Sampled,
    };
    if args.json {
        let document = document::Document::new(&report);
        output::ensure_whole(recording)?;
        return output::print_json(&document);
    }
    let lines = text::lines(&report);
    output::ensure_whole(recording)?;
    output::print(|out| {
        for line in lines {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })
}

fn range(from: Option<Time>, to: Option<Time>) -> anyhow::Result<Option<TimeRange>> {
    let range = TimeRange {
        start: from.unwrap_or(Time::ZERO),
        end: to.unwrap_or(Time::MAX),
    };
    ensure!(
        range.start <= range.end,
        "expected --from before --to, found {} and {}",
        range.start,
        range.end
    );
    Ok((from.is_some() || to.is_some()).then_some(range))
}
