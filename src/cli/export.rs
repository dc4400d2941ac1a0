//! `callscape export`: A recording, or a part of it, in a format that other tools open

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;

use super::progress::with_progress;
use super::{output, threads};
use crate::export::{self, ExportError, Format, Part};
use crate::units::{Time, TimeRange, TimeSpec};

#[derive(Debug, clap::Args)]
#[command(about = "Write a recording, or a part of it, for another tool", after_help = HELP)]
pub struct ExportArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    /// What to write
    #[arg(long, value_parser = parse_format, value_name = "FORMAT")]
    format: Format,
    /// Only from this time on: 12.5ms, 3s, 250us, 40% of the recording, or plain nanoseconds
    #[arg(long, value_name = "TIME")]
    from: Option<TimeSpec>,
    /// Only up to this time
    #[arg(long, value_name = "TIME")]
    to: Option<TimeSpec>,
    /// Only the thread with this id or name
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    /// Where to write; standard output without it, or with `-`. A name that ends in .gz or .zst is compressed
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

const HELP: &str = "\
Formats:
  chrome-json  Chrome Trace Event JSON: Perfetto, chrome://tracing, VizTracer
  speedscope   speedscope.app; evented for a trace, sampled for a sampled recording or a profile
  folded       folded stacks with the self cost in nanoseconds: flamegraph.pl, inferno
  csv          a table of the functions: the fields of `callscape functions`; names that a spreadsheet
               would take for a formula stand behind an apostrophe

With --from and --to, what is written is what a recording of that range alone would hold: calls that reach
beyond it are cut to it. Opened again in Callscape, chrome-json and speedscope give the same calls.

Examples:
  callscape export trace.json --format speedscope -o trace.speedscope.json
  callscape export uftrace.data --format chrome-json --from 40% --to 45% -o part.json.gz
  callscape export trace.json --format folded | flamegraph.pl > flame.svg";

fn parse_format(text: &str) -> Result<Format, String> {
    let mut all = Format::all();
    all.find(|format| format.name() == text).ok_or_else(|| {
        let known: Vec<&str> = Format::all().map(Format::name).collect();
        format!("expected one of {}", known.join(", "))
    })
}

pub fn run(args: ExportArgs) -> anyhow::Result<()> {
    let session = output::open(&args.input)?;
    let resolved = output::recording(&session)?;
    let trace = &resolved.recording.trace;
    let resolve = |time: TimeSpec| time.resolve(trace.duration());
    let range = (args.from.is_some() || args.to.is_some()).then(|| {
        let from = args.from.map_or(Time::ZERO, resolve);
        let to = args.to.map_or(trace.range().end, resolve);
        TimeRange::new(from, to)
    });
    let threads = match &args.thread {
        Some(wanted) => Some(threads::find(trace, Some(wanted))?),
        None => None,
    };
    let part = Part {
        recording: &resolved.recording,
        resolution: &resolved.resolution,
        hierarchy: &session.hierarchy,
        range,
        threads: threads.as_deref(),
    };
    let file = args.output.filter(|path| path.as_os_str() != "-");
    let written = with_progress(|progress| match &file {
        Some(path) => export::to_file(&part, args.format, path, progress),
        None => {
            let mut out = io::stdout().lock();
            export::write(&part, args.format, &mut out, progress)?;
            Ok(out.flush()?)
        }
    })?;
    match (written, file) {
        // A reader that has gone away, as `head` does, is no error.
        (Err(ExportError::Io(error)), None) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        (written, Some(path)) => {
            written.with_context(|| format!("cannot write {}", path.display()))
        }
        (written, None) => Ok(written?),
    }
}
