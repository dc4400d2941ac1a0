//! `callscape map`: Generate an initial mapping file to edit

use std::path::PathBuf;

use anyhow::{Context, ensure};

use super::output;
use callscape_analysis::mapping::starting::{By, starting_mapping};
use callscape_base::files;

#[derive(Debug, clap::Args)]
#[command(about = "Generate an initial mapping file to edit", after_help = HELP)]
pub(crate) struct MapArgs {
    /// The source tree, a recording of it, or both
    #[arg(value_name = "SOURCE_DIR | TRACE", required = true)]
    inputs: Vec<PathBuf>,
    /// Source of the entities
    #[arg(long, value_enum, default_value = "directory")]
    by: ByArg,
    /// Depth of directories or packages that become separate entities
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=32))]
    depth: u16,
    /// Mapping file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    force: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ByArg {
    /// Directories of the source, by the files in them
    Directory,
    /// Packages, namespaces and libraries, by function names
    Package,
}

const HELP: &str = "A mapping file contains one entry per line. A function belongs to the first entry that matches it; functions that \
match no entry are excluded:

  category NAME MATCHER PATTERN [MATCHER PATTERN]

MATCHER is class (the qualified name of the function's enclosing scope), method, file or package. PATTERN must match \
the whole name, and * matches any text; after ~ or regex: it is a regular expression, which may match anywhere in the \
name. Put text with spaces in double quotes. Lines that start with # are comments.

Examples:
  callscape map src -o architecture.map
  callscape map src trace.json --by package --depth 2 -o architecture.map
  callscape src trace.json --map architecture.map";

pub(crate) fn run(args: MapArgs) -> anyhow::Result<()> {
    let inputs = super::input::sort(&args.inputs)?;
    if let Some(output) = &args.output {
        ensure!(
            args.force || !files::is_taken(output),
            "{}: this file exists; --force overwrites it",
            output.display()
        );
    }
    let session = output::open_inputs(&inputs)?;
    let (by, what) = match args.by {
        ByArg::Directory => (By::Directory, "directories"),
        ByArg::Package => (By::Package, "packages"),
    };
    let names = args.inputs.iter().map(|path| path.display().to_string());
    let of = names.collect::<Vec<_>>().join(" and ");
    let text = starting_mapping(&session, by, args.depth, &of)
        .with_context(|| format!("no {what} for entities"))?;
    match &args.output {
        None => output::print_data(|out| out.write_all(text.as_bytes())),
        Some(path) => files::write(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display())),
    }
}
