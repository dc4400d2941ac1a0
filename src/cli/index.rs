//! `callscape index`: Build the index file of a recording ahead of time

use std::path::PathBuf;

use callscape_base::progress::Progress;
use callscape_import as import;

#[derive(Debug, clap::Args)]
#[command(about = "Build the index file of a recording ahead of time", after_help = EXAMPLES)]
pub(crate) struct IndexArgs {
    /// The recording: a file or a directory in any supported format
    trace: PathBuf,
    /// Index file to write [default: next to the recording]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  callscape index trace.json                     writes trace.json.callscape, which the next start opens
  callscape index uftrace.data -o run.callscape  writes an index that can be opened on its own";

pub(crate) fn run(args: IndexArgs) -> anyhow::Result<()> {
    let progress = Progress::new();
    let place = import::index::build(&args.trace, args.output.as_deref(), &progress)?;
    say!("{}", place.display());
    Ok(())
}
