//! `callscape [SOURCE_DIR] [TRACE]…`: opens the window.

use std::path::PathBuf;

use anyhow::ensure;

use crate::facts::pack;
use crate::import::input::STANDARD_INPUT;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A source tree, recordings of it, or both; or a session saved with Ctrl + S, or a pack; without any, the
    /// built-in demo
    #[arg(value_name = "SOURCE_DIR | TRACE | SESSION | PACK")]
    inputs: Vec<PathBuf>,
    /// Read recordings anew as they grow
    #[arg(long)]
    follow: bool,
    /// Show the entities of this mapping file as districts; it is watched and applied again when it changes
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
}

pub const EXAMPLES: &str = "Examples:
  callscape                         the built-in demo
  callscape src trace.json          a source tree and a recording of it
  callscape src                     the structure alone
  callscape trace.json              a landscape of the names in a recording
  callscape src trace.json --map architecture.map
  callscape --follow trace.json     the same while it is still written
  zcat trace.json.gz | callscape -  from a pipe

  callscape trace.json.callscape-session.json    a session as it was saved
  callscape talk.callscape-pack                  what `callscape pack` has put together";

pub fn run(args: Args) -> anyhow::Result<()> {
    if let [path] = &args.inputs[..]
        && crate::app::saved::is_session_file(path)
    {
        return crate::app::run_session(path.clone(), args.map, args.follow);
    }
    if let [path] = &args.inputs[..]
        && pack::is_pack(path)
    {
        ensure!(
            args.map.is_none(),
            "a pack is shown through its own mapping: expected no --map beside it"
        );
        return crate::app::run_pack(path.clone(), args.follow);
    }
    let inputs = super::input::sort(&args.inputs)?;
    let is_pipe = |path: &PathBuf| path.as_os_str() == STANDARD_INPUT;
    ensure!(
        !args.follow || !inputs.recordings.iter().any(is_pipe),
        "standard input is read to its end and shown then: it cannot be followed"
    );
    crate::app::run(inputs, args.map, args.follow)
}
