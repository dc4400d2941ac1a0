//! The arguments of `callscape export`.

use std::path::PathBuf;

#[cfg(feature = "parquet")]
use super::table_args::{NAME, TablesArgs};
use crate::frequency::FrequencyArg;
use crate::without::WithoutArg;
use callscape_base::units::TimeSpec;
use callscape_export::Format;

#[derive(Debug, clap::Args)]
#[command(about = "Convert a recording, or a part of it, for another tool", after_help = HELP)]
pub(crate) struct ExportArgs {
    /// The recording: a file or a directory in any supported format; several for tables
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// Source tree in which to look up the recording's functions
    #[arg(long, value_name = "SOURCE_DIR")]
    pub source: Option<PathBuf>,
    /// Value to write, of a profile or sampled recording: alloc_space, samples, cycles, 'wall time'; `info` lists them
    #[arg(long, value_name = "NAME")]
    pub value: Option<String>,
    #[command(flatten)]
    pub left_out: FrequencyArg,
    #[command(flatten)]
    pub without: WithoutArg,
    /// Output format
    #[arg(long, value_parser = parse_target, value_name = "FORMAT")]
    pub format: Target,
    #[cfg(feature = "parquet")]
    #[command(flatten)]
    pub tables: TablesArgs,
    /// Start of the range: 12.5ms, 3s, 250us, 40% of the recording, or plain nanoseconds
    #[arg(long, value_name = "TIME")]
    pub from: Option<TimeSpec>,
    /// End of the range
    #[arg(long, value_name = "TIME")]
    pub to: Option<TimeSpec>,
    /// Only the thread with this id or name
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// Output file, or the folder for tables; a name that ends in .gz or .zst is compressed [default: standard output,
    /// as with `-`]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
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
  callscape export trace.json --format csv --without src/log --without 'std::*' -o functions.csv
  callscape export trace.json --format folded | flamegraph.pl > flame.svg
  callscape export run-*.json --format parquet -o runs --tables functions,relations";

/// Output: one file, or a folder of tables.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    File(Format),
    #[cfg(feature = "parquet")]
    Tables,
}

fn parse_target(text: &str) -> Result<Target, String> {
    #[cfg(feature = "parquet")]
    if text == NAME {
        return Ok(Target::Tables);
    }
    let found = Format::all().find(|format| format.name() == text);
    found.map(Target::File).ok_or_else(|| {
        let known = Format::all().map(Format::name);
        #[cfg(feature = "parquet")]
        let known = known.chain([NAME]);
        format!("expected one of {}", known.collect::<Vec<_>>().join(", "))
    })
}
