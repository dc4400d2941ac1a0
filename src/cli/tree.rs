//! `callscape tree`: The module hierarchy of a source tree with its lines of code

#[derive(Debug, clap::Args)]
#[command(about = "The module hierarchy of a source tree with its lines of code", after_help = EXAMPLES)]
pub struct Args {
    /// The source tree
    source_dir: std::path::PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Example:\n  callscape tree src --json";

pub fn run(args: Args) -> anyhow::Result<()> {
    anyhow::bail!("{args:?} is under construction")
}
