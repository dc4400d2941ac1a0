//! `callscape graph`: The call relations of a recording or of a range of it

#[derive(Debug, clap::Args)]
#[command(about = "The call relations of a recording or of a range of it", after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: super::TraceArg,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Example:\n  callscape graph trace.json --from 10% --to 20% --json";

pub fn run(args: Args) -> anyhow::Result<()> {
    anyhow::bail!("{args:?} is under construction")
}
