//! `callscape sample`: A smaller recording, of which only some events are kept

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail, ensure};
use serde::Serialize;

use super::output;
use super::progress::with_progress;
use callscape_analysis::sampling::{self, Keep, KeepRule, Size};
use callscape_base::files;
use callscape_base::units::{Cost, TimeSpec, Unit};
use callscape_facts::recording::Recording;
use callscape_facts::sampling::{Flow, Objects, Plan, Rule, Sampling};
use callscape_import as import;
use callscape_views::text::counted;

#[derive(Debug, clap::Args)]
#[command(about = "Make a smaller recording that keeps only some events", after_help = HELP)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    /// Control file that defines which events to keep in which range
    #[arg(long, value_name = "FILE", conflicts_with_all = ["calls", "stacks", "every", "memory", "memory_every", "memory_stacks"])]
    control: Option<PathBuf>,
    /// Keep every Nth function entry or exit (C-1)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["stacks", "every"])]
    calls: Option<u64>,
    /// Keep the stacks at every Nth function entry or exit (C-2)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "every")]
    stacks: Option<u64>,
    /// Keep the stacks at intervals of TIME (C-3): 10us, 1ms, 0.1% of the recording
    #[arg(long, value_name = "TIME")]
    every: Option<TimeSpec>,
    /// Keep every Nth allocation or release (M-1)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "memory_every")]
    memory: Option<u64>,
    /// Keep the first allocation or release at intervals of TIME (M-2)
    #[arg(long, value_name = "TIME")]
    memory_every: Option<TimeSpec>,
    /// Keep the stack with each of these events (M-3), not only the allocating function
    #[arg(long)]
    memory_stacks: bool,
    /// Always keep these calls: "A -> B" or "f > 5ms"; may be repeated
    #[arg(long, value_name = "RULE")]
    keep: Vec<KeepRule>,
    #[command(flatten)]
    without: super::without::WithoutArg,
    /// Where to write the smaller recording
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const HELP: &str = "A control file defines which events to keep in which time range; start and end are in nanoseconds, or have a unit:

  <sampling>
    <range>
      <sample object=\"0\" method=\"0\" stack=\"50\" stackonobject=\"no\" type=\"event\" start=\"10000\" end=\"200000\"/>
    </range>
    <default>
      <trace/>
    </default>
  </sampling>

The numbers count events: method=\"10\" keeps every tenth function entry or exit (C-1), stack every tenth snapshot \
(C-2), object every tenth memory event (M-1). With type=\"timestamp\" they are times: stack means C-3, and object \
M-2. stackonobject=\"yes\" means M-3. 0 is off, and <trace/> keeps everything. On the command line, kinds of events \
without an option are kept.

In a --keep rule, A, B and f are functions, in whose names * matches any text, or module paths.

OUT opens like any recording. Its size relative to the original is estimated before sampling and measured afterwards, \
both as stored in an index. See docs/sampling.md.

Examples:
  callscape sample trace.json --stacks 100 -o small.callscape
  callscape sample trace.json --control figure3.xml --keep \"Parser* -> src/io\" -o small.callscape
  callscape sample app.heaptrack.zst --memory 100 --memory-stacks -o small.callscape
  callscape sample trace.json --without src/log -o small.callscape";

#[derive(Serialize)]
struct Document<'a> {
    output: String,
    original: Of,
    predicted: Of,
    measured: Of,
    /// Size of OUT.
    file_bytes: u64,
    always_kept: u64,
    sampling: Option<&'a Sampling>,
}

/// A size, and its share of the original.
#[derive(Clone, Copy, Serialize)]
struct Of {
    #[serde(flatten)]
    size: Size,
    share: f64,
}

pub(crate) fn run(args: SampleArgs) -> anyhow::Result<()> {
    let mut session = output::open(&args.input)?;
    args.without.apply(&mut session)?;
    let resolved = output::recording(&session)?;
    let recording = &resolved.recording;
    let is_same = |path: &PathBuf| path.canonicalize().ok();
    ensure!(
        is_same(&args.output).is_none_or(|out| Some(out) != is_same(&args.input.trace)),
        "{}: expected a file other than the recording",
        args.output.display()
    );
    let plan = plan(&args, recording)?;
    let keep = Keep::new(&args.keep, &session, resolved);
    let keep = keep.map_err(|error| anyhow!("{}: {error}", recording.name()))?;
    let original = Size::of(recording);
    let of = |size: Size| Of {
        size,
        share: size.share_of(&original),
    };
    let predicted = of(sampling::predict(recording, &plan));
    if !args.json {
        output::print(|out| {
            writeln!(out, "original   {}", said(&of(original), false))?;
            writeln!(out, "predicted  {}", said(&predicted, true))
        })?;
    }
    let sampled = with_progress(|progress| sampling::sample(recording, &plan, &keep, progress))??;
    output::ensure_whole(recording)?;
    let written = import::index::save(&sampled, &args.output);
    written.with_context(|| format!("cannot write {}", args.output.display()))?;
    let metadata = args.output.metadata();
    let document = Document {
        output: args.output.display().to_string(),
        original: of(original),
        predicted,
        measured: of(Size::of(&sampled)),
        file_bytes: metadata.map_or(0, |it| it.len()),
        always_kept: sampled.sampling.as_ref().map_or(0, |it| it.always_kept),
        sampling: sampled.sampling.as_ref(),
    };
    if args.json {
        return output::print_json(&document);
    }
    output::print(|out| {
        writeln!(out, "measured   {}", said(&document.measured, true))?;
        let file = Unit::Bytes.show(Cost::from_ns(document.file_bytes));
        writeln!(out, "file       {file} in {}", document.output)?;
        for kept in document.sampling.iter().flat_map(|it| &it.always) {
            let calls = counted(kept.calls, "call", "calls");
            writeln!(out, "kept       {calls} by {}", kept.rule)?;
        }
        Ok(())
    })
}

fn said(of: &Of, with_share: bool) -> String {
    let mut text = counted(of.size.calls, "call", "calls");
    if of.size.memory_events > 0 {
        let events = counted(of.size.memory_events, "event", "events");
        text += &format!(", {events} of memory");
    }
    text += &format!(", {}", Unit::Bytes.show(Cost::from_ns(of.size.bytes)));
    if with_share {
        text += &format!(", {:.1} % of the original", of.share * 100.0);
    }
    text
}

/// Maximum size of a control file in bytes.
const MOST_CONTROL: u64 = 64 << 20;

/// Events to keep.
fn plan(args: &SampleArgs, recording: &Recording) -> anyhow::Result<Plan> {
    let memory = recording.memory.as_ref().map(|it| it.duration());
    let duration = recording.trace.duration().max(memory.unwrap_or_default());
    if let Some(path) = &args.control {
        let text = files::read(path, MOST_CONTROL).with_context(|| path.display().to_string())?;
        let name = path.display().to_string();
        return Ok(sampling::read_control(&name, &text, duration)?);
    }
    let length = |name: &str, spec: TimeSpec| {
        let length = spec.resolve(duration).ns();
        match length {
            0 => bail!("expected a time longer than 0 for {name}"),
            length => Ok(Cost::from_ns(length)),
        }
    };
    let flow = match (args.calls, args.stacks, args.every) {
        (Some(n), _, _) => Flow::Events(n),
        (_, Some(n), _) => Flow::Stacks(n),
        (_, _, Some(spec)) => Flow::StacksEvery(length("--every", spec)?),
        _ => Flow::All,
    };
    let objects = match (args.memory, args.memory_every) {
        (Some(n), _) => Objects::Events(n),
        (_, Some(spec)) => Objects::Every(length("--memory-every", spec)?),
        _ => Objects::All,
    };
    let rule = Rule {
        flow,
        objects,
        with_stack: args.memory_stacks || objects == Objects::All,
    };
    ensure!(
        rule.is_sampled() || !args.without.without.is_empty(),
        "expected --control, --calls, --stacks, --every, --memory, --memory-every or --without, found none"
    );
    Ok(Plan::of(rule))
}
