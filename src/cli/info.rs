//! `callscape info`: What is in a recording: threads, calls, functions, repairs

#[derive(Debug, clap::Args)]
#[command(about = "What is in a recording: threads, calls, functions, repairs", after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: super::TraceArg,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Example:\n  callscape info trace.json --json";

pub fn run(args: Args) -> anyhow::Result<()> {
    anyhow::bail!("{args:?} is under construction")
}
