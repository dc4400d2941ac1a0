//! The arguments of `callscape export`.

use std::path::PathBuf;

#[cfg(feature = "parquet")]
use super::table_args::{NAME, TablesArgs};
use crate::frequency::FrequencyArg;
use callscape_base::units::TimeSpec;
use callscape_export::Format;

#[derive(Debug, clap::Args)]
#[command(about = "Write a recording, or a part of it, for another tool", after_help = HELP)]
pub struct ExportArgs {
    /// The recording: a file or a directory, in any format that Callscape knows; for tables also several
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// The source tree that the recording's functions are looked up in
    #[arg(long, value_name = "SOURCE_DIR")]
    pub source: Option<PathBuf>,
    /// What to write of a profile that holds several values, such as alloc_space; `info` lists them
    #[arg(long, value_name = "NAME")]
    pub value: Option<String>,
    #[command(flatten)]
    pub left_out: FrequencyArg,
    /// What to write
    #[arg(long, value_parser = parse_target, value_name = "FORMAT")]
    pub format: Target,
    #[cfg(feature = "parquet")]
    #[command(flatten)]
    pub tables: TablesArgs,
    /// Only from this time on: 12.5ms, 3s, 250us, 40% of the recording, or plain nanoseconds
    #[arg(long, value_name = "TIME")]
    pub from: Option<TimeSpec>,
    /// Only up to this time
    #[arg(long, value_name = "TIME")]
    pub to: Option<TimeSpec>,
    /// Only the thread with this id or name
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// Where to write; standard output without it, or with `-`. A name that ends in .gz or .zst is compressed. Of tables the
    /// folder
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

const HELP: &str = "\
Formats:
  chrome-json  Chrome Trace Event JSON: Perfetto, chrome://tracing, VizTracer
  speedscope   speedscope.app; evented for a trace, sampled for a sampled recording or a profile
  folded       folded stacks with the self cost in nanoseconds: flamegraph.pl, inferno
  csv          a table of the functions: the fields of `callscape functions`; names that a spreadsheet
               would take for a formula stand behind an apostrophe
  parquet      a folder of tables that DuckDB, DataFusion and Spark ask with SQL; see docs/fleet.md

With --from and --to, what is written is what a recording of that range alone would hold: calls that reach
beyond it are cut to it. Opened again in Callscape, chrome-json and speedscope give the same calls.

Examples:
  callscape export trace.json --format speedscope -o trace.speedscope.json
  callscape export uftrace.data --format chrome-json --from 40% --to 45% -o part.json.gz
  callscape export trace.json --format folded | flamegraph.pl > flame.svg
  callscape export run-*.json --format parquet -o runs --tables functions,relations";

/// What is written: one file, or a folder of tables.
#[derive(Clone, Copy, Debug)]
pub enum Target {
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
