//! The command line: one file per sub-command. `main.rs` parses, runs and prints one error.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Parser, Subcommand};

use callscape_facts::index::was_cut as index_was_cut;

/// Prints a line to standard error; terminal control characters and line breaks are shown as escapes.
macro_rules! say {
    ($($text:tt)*) => {
        crate::messages::line(&format!($($text)*))
    };
}

mod base85;
mod calls;
mod compare;
mod contexts;
mod elsewhere;
mod export;
mod faults;
mod film;
mod findings;
mod frequency;
mod functions;
mod graph;
mod history;
mod index;
mod info;
mod input;
mod lines;
#[cfg(any(test, feature = "manual"))]
mod manual;
mod map;
mod mapping;
mod messages;
mod objects;
mod output;
mod pack;
mod page;
mod phases;
mod playable;
mod present;
mod progress;
#[cfg(feature = "parquet")]
mod query;
mod range;
mod record;
mod render;
mod resolve;
mod revisions;
mod sample;
mod scene;
mod stack;
mod threads;
mod trace_arg;
mod tree;
mod usage;
mod window;
mod without;

pub use messages::say_error;

/// Fly through a code base and watch a recorded execution play on it.
#[derive(Debug, Parser)]
#[command(name = "callscape", version, args_conflicts_with_subcommands = true, after_help = window::EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Keep span times as recorded, even if the clocks of services differ
    #[arg(long, global = true)]
    no_skew: bool,
    #[command(flatten)]
    window: window::WindowArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    Record(record::RecordArgs),
    Render(render::RenderArgs),
    Scene(scene::SceneArgs),
    Info(info::InfoArgs),
    Functions(functions::FunctionsArgs),
    Stack(stack::StackArgs),
    Calls(calls::CallsArgs),
    Compare(compare::args::CompareArgs),
    Graph(graph::GraphArgs),
    Phases(phases::PhasesArgs),
    Contexts(contexts::ContextsArgs),
    Findings(findings::FindingsArgs),
    Lines(lines::LinesArgs),
    Faults(faults::FaultsArgs),
    History(history::HistoryArgs),
    Objects(objects::ObjectsArgs),
    Resolve(resolve::ResolveArgs),
    Tree(tree::TreeArgs),
    Map(map::MapArgs),
    #[cfg(any(test, feature = "manual"))]
    Manual(manual::ManualArgs),
    Index(index::IndexArgs),
    Export(export::ExportArgs),
    #[cfg(feature = "parquet")]
    Query(query::QueryArgs),
    Sample(sample::SampleArgs),
    Pack(pack::PackArgs),
    Present(present::PresentArgs),
}

/// Parses the command line. Exits with 2 if it is invalid, or with 0 after printing help.
pub fn parse() -> Cli {
    Cli::try_parse().unwrap_or_else(|error| usage::exit(error))
}

/// Runs the command. If an index is truncated meanwhile, the missing part reads as zeros, on which a query may panic:
/// this is reported as an error, not as a bug.
pub fn run(cli: Cli) -> anyhow::Result<()> {
    static STUMBLED: AtomicBool = AtomicBool::new(false);
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| match index_was_cut() {
        true => STUMBLED.store(true, Ordering::Relaxed),
        false => usual(panic),
    }));
    match panic::catch_unwind(AssertUnwindSafe(|| command(cli))) {
        Ok(outcome) => outcome,
        Err(_) if STUMBLED.load(Ordering::Relaxed) => {
            anyhow::bail!("an index was cut while it was read")
        }
        Err(panic) => panic::resume_unwind(panic),
    }
}

fn command(cli: Cli) -> anyhow::Result<()> {
    if cli.no_skew {
        callscape_import::skew::leave();
    }
    match cli.command {
        None => window::run(cli.window),
        Some(Command::Record(args)) => record::run(args),
        Some(Command::Render(args)) => render::run(args),
        Some(Command::Scene(args)) => scene::run(args),
        Some(Command::Info(args)) => info::run(args),
        Some(Command::Functions(args)) => functions::run(args),
        Some(Command::Stack(args)) => stack::run(args),
        Some(Command::Calls(args)) => calls::run(args),
        Some(Command::Compare(args)) => compare::run(args),
        Some(Command::Graph(args)) => graph::run(args),
        Some(Command::Phases(args)) => phases::run(args),
        Some(Command::Contexts(args)) => contexts::run(args),
        Some(Command::Findings(args)) => findings::run(args),
        Some(Command::Lines(args)) => lines::run(args),
        Some(Command::Faults(args)) => faults::run(args),
        Some(Command::History(args)) => history::run(args),
        Some(Command::Objects(args)) => objects::run(args),
        Some(Command::Resolve(args)) => resolve::run(args),
        Some(Command::Tree(args)) => tree::run(args),
        Some(Command::Map(args)) => map::run(args),
        #[cfg(any(test, feature = "manual"))]
        Some(Command::Manual(args)) => manual::run(args, <Cli as clap::CommandFactory>::command()),
        Some(Command::Index(args)) => index::run(args),
        Some(Command::Export(args)) => export::run(args),
        #[cfg(feature = "parquet")]
        Some(Command::Query(args)) => query::run(args),
        Some(Command::Sample(args)) => sample::run(args),
        Some(Command::Pack(args)) => pack::run(args),
        Some(Command::Present(args)) => present::run(args),
    }
}
