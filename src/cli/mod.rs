//! The command line: one file per sub-command. `main.rs` parses, runs and prints one error.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

mod compare;
mod export;
mod film;
mod functions;
mod graph;
mod index;
mod info;
mod input;
mod map;
mod mapping;
mod output;
mod pack;
mod present;
mod render;
mod resolve;
mod scene;
mod stack;
mod threads;
mod tree;
mod window;

/// Fly through a code base and watch a recorded execution play on it.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = window::EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    window: window::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    Render(render::Args),
    Scene(scene::Args),
    Info(info::Args),
    Functions(functions::Args),
    Stack(stack::Args),
    Compare(compare::Args),
    Graph(graph::Args),
    Resolve(resolve::Args),
    Tree(tree::Args),
    Map(map::Args),
    Index(index::Args),
    Export(export::Args),
    Pack(pack::Args),
    Present(present::Args),
}

/// Runs what the command line asks for.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        None => window::run(cli.window),
        Some(Command::Render(args)) => render::run(args),
        Some(Command::Scene(args)) => scene::run(args),
        Some(Command::Info(args)) => info::run(args),
        Some(Command::Functions(args)) => functions::run(args),
        Some(Command::Stack(args)) => stack::run(args),
        Some(Command::Compare(args)) => compare::run(args),
        Some(Command::Graph(args)) => graph::run(args),
        Some(Command::Resolve(args)) => resolve::run(args),
        Some(Command::Tree(args)) => tree::run(args),
        Some(Command::Map(args)) => map::run(args),
        Some(Command::Index(args)) => index::run(args),
        Some(Command::Export(args)) => export::run(args),
        Some(Command::Pack(args)) => pack::run(args),
        Some(Command::Present(args)) => present::run(args),
    }
}

/// The recording of a sub-command that reads one.
#[derive(Debug, clap::Args)]
struct TraceArg {
    /// The recording: a file or a directory, in any format that Callscape knows
    trace: PathBuf,
    /// The source tree that the recording's functions are looked up in
    #[arg(long, value_name = "SOURCE_DIR")]
    source: Option<PathBuf>,
    /// What to show of a profile that holds several values, such as alloc_space; `info` lists them
    #[arg(long, value_name = "NAME")]
    value: Option<String>,
}
