//! `callscape export`: A recording, or a part of it, in a format that other tools open

#[cfg(feature = "parquet")]
mod tables;

use std::path::PathBuf;

use anyhow::{Context, bail};

use super::progress::with_progress;
use super::trace_arg::TraceArg;
use super::{output, threads};
use callscape_base::files;
use callscape_base::units::{Time, TimeRange, TimeSpec};
use callscape_export::{self as export, ExportError, Format, Part};

#[derive(Debug, clap::Args)]
#[command(about = "Convert a recording, or a part of it, for another tool", after_help = HELP)]
pub struct ExportArgs {
    /// The recording: a file or a directory in any supported format; several for tables
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// Source tree in which to look up the recording's functions
    #[arg(long, value_name = "SOURCE_DIR")]
    source: Option<PathBuf>,
    /// Value to write if the profile has several, such as alloc_space; `info` lists them
    #[arg(long, value_name = "NAME")]
    value: Option<String>,
    #[command(flatten)]
    left_out: super::frequency::FrequencyArg,
    /// Output format
    #[arg(long, value_parser = parse_target, value_name = "FORMAT")]
    format: Target,
    #[cfg(feature = "parquet")]
    #[command(flatten)]
    tables: tables::TablesArgs,
    /// Start of the range: 12.5ms, 3s, 250us, 40% of the recording, or plain nanoseconds
    #[arg(long, value_name = "TIME")]
    from: Option<TimeSpec>,
    /// End of the range
    #[arg(long, value_name = "TIME")]
    to: Option<TimeSpec>,
    /// Only the thread with this id or name
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    /// Output file, or the folder for tables; a name that ends in .gz or .zst is compressed [default: standard output,
    /// as with `-`]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

const HELP: &str = "Formats:
  chrome-json  Chrome Trace Event JSON: Perfetto, chrome://tracing, VizTracer
  speedscope   speedscope.app; evented for a trace, sampled for a sampled recording or a profile
  folded       folded stacks with the self cost in nanoseconds: flamegraph.pl, inferno
  csv          a table of the functions: the fields of `callscape functions`; names that a spreadsheet
               would treat as a formula are prefixed with an apostrophe
  parquet      a folder of tables for SQL queries in DuckDB, DataFusion and Spark; see docs/fleet.md

With --from and --to, the output is the same as for a recording of only that range: calls that extend beyond it are \
cut off. Callscape reads the same calls back from chrome-json and speedscope.

Examples:
  callscape export trace.json --format speedscope -o trace.speedscope.json
  callscape export uftrace.data --format chrome-json --from 40% --to 45% -o part.json.gz
  callscape export trace.json --format folded | flamegraph.pl > flame.svg
  callscape export run-*.json --format parquet -o runs --tables functions,relations";

/// Output: one file, or a folder of tables.
#[derive(Clone, Copy, Debug)]
enum Target {
    File(Format),
    #[cfg(feature = "parquet")]
    Tables,
}

fn parse_target(text: &str) -> Result<Target, String> {
    #[cfg(feature = "parquet")]
    if text == tables::NAME {
        return Ok(Target::Tables);
    }
    let found = Format::all().find(|format| format.name() == text);
    found.map(Target::File).ok_or_else(|| {
        let known = Format::all().map(Format::name);
        #[cfg(feature = "parquet")]
        let known = known.chain([tables::NAME]);
        format!("expected one of {}", known.collect::<Vec<_>>().join(", "))
    })
}

pub fn run(args: ExportArgs) -> anyhow::Result<()> {
    let format = match args.format {
        Target::File(format) => format,
        #[cfg(feature = "parquet")]
        Target::Tables => return tables::run(args),
    };
    #[cfg(feature = "parquet")]
    args.tables.refuse()?;
    let [trace] = &args.traces[..] else {
        bail!(
            "expected one recording, found {}: several recordings can be exported only as tables",
            args.traces.len()
        );
    };
    let session = output::open(&TraceArg {
        trace: trace.clone(),
        source: args.source.clone(),
        value: args.value.clone(),
        left_out: args.left_out,
    })?;
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
        Some(path) => export::to_file(&part, format, path, progress),
        None => {
            let mut out = files::standard_output()?;
            export::write(&part, format, &mut out, progress)
        }
    })?;
    match (written, file) {
        (Err(ExportError::Io(error)), None) => output::written(Err(error)),
        (written, Some(path)) => {
            written.with_context(|| format!("cannot write {}", path.display()))
        }
        (written, None) => Ok(written?),
    }
}
