//! `callscape stack`: The call stacks at a point in time

#[derive(Debug, clap::Args)]
#[command(about = "The call stacks at a point in time", after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: super::TraceArg,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Example:\n  callscape stack trace.json --at 12.5ms";

pub fn run(args: Args) -> anyhow::Result<()> {
    anyhow::bail!("{args:?} is under construction")
}
