//! `callscape phases`: Show a run as a table of contents

mod document;
mod report;
mod text;

use super::output;
use super::progress::with_progress;
use super::range::RangeArgs;
use callscape_analysis::phases::names::Labels;
use callscape_analysis::phases::{Elapsed, Pruning, SIMILARITY, Wish};
use callscape_analysis::session::{Resolved, Session};
use callscape_base::progress::Progress;
use callscape_base::units::{Time, TimeSpec};
use callscape_facts::recording::RecordingKind;
use report::{AlikeKind, CostKind, Report};

#[derive(Debug, clap::Args)]
#[command(about = "Show a run as a table of contents", long_about = ABOUT, after_help = EXAMPLES)]
pub(crate) struct PhasesArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    /// Minimum number of descendant calls of a heavy call [default: the largest of 1, 2, 5, 10, … that leaves 20 rows]
    #[arg(long, value_name = "N", value_parser = calls, allow_hyphen_values = true)]
    min_calls: Option<u64>,
    /// Minimum cost of a heavy call, as an alternative to --min-calls [default: --min-calls typical short calls]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    min_cost: Option<TimeSpec>,
    /// Cost of a typical short call [default: the median of calls that make no calls]
    #[arg(
        long,
        value_name = "TIME",
        conflicts_with = "min_cost",
        allow_hyphen_values = true
    )]
    short: Option<TimeSpec>,
    /// What a call costs
    #[arg(long = "cost", value_name = "KIND", value_enum, default_value_t)]
    costs: CostKind,
    /// What makes two phases of one callee alike
    #[arg(long, value_name = "KIND", value_enum, default_value_t)]
    alike: AlikeKind,
    /// Maximum share of functions, from 0 to 1, by which two phases of one callee may differ and still count as alike
    #[arg(long, value_name = "X", value_parser = similarity, allow_hyphen_values = true, default_value_t = SIMILARITY)]
    similarity: f64,
    /// Only the thread with this id or name
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    #[command(flatten)]
    range: RangeArgs,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const ABOUT: &str = "Show a run as a table of contents

A call is heavy if it has at least --min-calls descendant calls or costs at least --min-cost. A heavy call with two \
or more heavy subcalls is an inner phase, and one without any is a leaf phase. A call with exactly one heavy subcall \
only passes control on, and is excluded like all light calls. Light calls of one callee that are heavy together form \
one row of the phase that contains them. Repeated phases are folded, and those whose functions differ from the others \
are marked as outliers. With --alike calls, only phases with equal sequences of calls are folded, whatever --similarity.

Cost is elapsed time, including waiting, but without the time used by other programs, if the recording has it; with \
--cost elapsed, it is all time from start to end.";

const EXAMPLES: &str = "Examples:
  callscape phases trace.json
  callscape phases trace.json --min-calls 1000 --similarity 0.2
  callscape phases trace.json --thread main --from 10% --to 20% --json

In the JSON document, \"in\" of a gathered row is the index of its phase, or null outside all phases; \"group\" is \
the class of similar phases within one enclosing phase; \"instance_of\" is the number of the repetition to which a \
phase belongs; \"explained\" is the share of the time in leaf phases and gathered rows. With --from or --to, a call \
that extends beyond the range counts only with its part inside.";

fn calls(text: &str) -> Result<u64, String> {
    let number = text.trim().parse();
    number.map_err(|_| format!("expected a number of calls, 0 or more, found '{text}'"))
}

fn similarity(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>();
    let number = number.ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| format!("expected a share from 0 to 1, found '{text}'"))
}

/// The table of contents of a recording with times, with thresholds chosen.
pub(crate) fn lines(
    session: &Session,
    resolved: &Resolved,
    progress: &Progress,
) -> anyhow::Result<Vec<String>> {
    let trace = &resolved.recording.trace;
    let wish = Wish::of(super::threads::find(trace, None)?);
    let pruning = Pruning::new(trace, &wish, progress)?;
    let phases = pruning.wished(trace, &wish, progress)?;
    let labels = Labels::new(&phases, &resolved.recording.functions, &pruning);
    Ok(text::lines(&Report {
        session,
        resolved,
        phases: &phases,
        labels: &labels,
        range: None,
        costs: CostKind::Running,
        is_sampled: resolved.recording.kind == RecordingKind::Sampled,
    }))
}

pub(crate) fn run(args: PhasesArgs) -> anyhow::Result<()> {
    let session = output::open(&args.input)?;
    let resolved = output::recording(&session)?;
    let recording = &resolved.recording;
    output::ensure_times(recording, "no calls can be grouped into phases")?;
    let trace = &recording.trace;
    let resolve = |spec: TimeSpec| spec.resolve(trace.duration());
    let cost = |spec: TimeSpec| resolve(spec).since(Time::ZERO);
    let within = args.range.within(recording)?;
    let wish = Wish {
        calls: args.min_calls,
        cost: args.min_cost.map(cost),
        short: args.short.map(cost),
        similarity: args.similarity,
        alike: args.alike.into(),
        threads: super::threads::find(trace, args.thread.as_deref())?,
        within,
    };
    let (pruning, phases) = with_progress(|progress| {
        let pruning = match args.costs {
            CostKind::Running => Pruning::new(trace, &wish, progress)?,
            CostKind::Elapsed => Pruning::new(&Elapsed(trace), &wish, progress)?,
        };
        let phases = pruning.wished(trace, &wish, progress)?;
        Ok::<_, anyhow::Error>((pruning, phases))
    })??;
    let labels = Labels::new(&phases, &recording.functions, &pruning);
    let report = Report {
        session: &session,
        resolved,
        phases: &phases,
        labels: &labels,
        range: within.range,
        costs: args.costs,
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
