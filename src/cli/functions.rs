//! `callscape functions`: The functions of a recording with calls, total and self cost

#[derive(Debug, clap::Args)]
#[command(about = "The functions of a recording with calls, total and self cost", after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: super::TraceArg,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Example:\n  callscape functions trace.json --sort self --top 10";

pub fn run(args: Args) -> anyhow::Result<()> {
    anyhow::bail!("{args:?} is under construction")
}
