//! `callscape [SOURCE_DIR] [TRACE]…`: opens the window.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A source tree, recordings of it, or both; without any, the built-in demo
    #[arg(value_name = "SOURCE_DIR | TRACE")]
    inputs: Vec<PathBuf>,
}

pub const EXAMPLES: &str = "Examples:
  callscape                         the built-in demo
  callscape src trace.json          a source tree and a recording of it
  callscape src                     the structure alone
  callscape trace.json              a landscape of the names in a recording";

pub fn run(args: Args) -> anyhow::Result<()> {
    let inputs = super::input::sort(&args.inputs)?;
    crate::app::run(inputs)
}
