//! `callscape render`: A picture, or a sequence of pictures, without a window

#[derive(Debug, clap::Args)]
#[command(about = "A picture, or a sequence of pictures, without a window", after_help = EXAMPLES)]
pub struct Args {
    /// A source tree, a recording, or both
    inputs: Vec<std::path::PathBuf>,
}

const EXAMPLES: &str = "Example:\n  callscape render src trace.json -o city.png";

pub fn run(args: Args) -> anyhow::Result<()> {
    anyhow::bail!("{args:?} is under construction")
}
