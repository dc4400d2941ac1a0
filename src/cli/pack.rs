//! `callscape pack`: Structure, recordings, session and scenes in one file for another machine

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::input;
use super::output::{self, Align, Table};
use super::progress::with_progress;
use callscape_app::saved::{self, SavedSession};
use callscape_app::sharing::{self, Wanted};
use callscape_base::files::is_taken;
use callscape_base::units::{counted, grouped};
use callscape_export::pack::{self, ENDING};

#[derive(Debug, clap::Args)]
#[command(about = "Bundle a source tree, its recordings or a session into one file for another machine", after_help = HELP)]
pub(crate) struct PackArgs {
    /// A source tree, recordings of it, or both; or a session
    #[arg(value_name = "SOURCE_DIR | TRACE | SESSION")]
    inputs: Vec<PathBuf>,
    /// The pack to write; its name ends in .callscape-pack
    #[arg(short, long, value_name = "FILE", required_unless_present = "list")]
    output: Option<PathBuf>,
    /// List the files in a pack with their sizes, and write nothing
    #[arg(long, value_name = "PACK", conflicts_with_all = ["inputs", "output", "session", "scenes", "map", "with_source", "force"])]
    list: Option<PathBuf>,
    /// The session to pack [default: the session saved next to the inputs, if any]
    #[arg(long, value_name = "SESSION")]
    session: Option<PathBuf>,
    /// A scene to pack; may be repeated
    #[arg(long = "scene", value_name = "SCENE")]
    scenes: Vec<PathBuf>,
    /// The mapping file to pack
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Also pack the text of the source files, not only their structure
    #[arg(long)]
    with_source: bool,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

const HELP: &str = "A pack contains the structure of the source tree (without its text unless --with-source), the index of each recording \
(a profile is copied as it is), the session with its bookmarks, mapping files and scenes. Open it with `callscape \
FILE` or drop it on the window; other subcommands accept it instead of a source tree or a recording. It is a tar file \
compressed with Zstandard. It does not contain the git history of the files.

Examples:
  callscape pack src trace.json -o talk.callscape-pack
  callscape pack trace.json.callscape-session.json --scene talk.toml -o talk.callscape-pack
  callscape talk.callscape-pack
  callscape pack --list talk.callscape-pack
  callscape functions talk.callscape-pack --json";

pub(crate) fn run(args: PackArgs) -> anyhow::Result<()> {
    if let Some(path) = &args.list {
        return list(path);
    }
    let Some(out) = &args.output else {
        bail!("expected a file to write (-o), found none");
    };
    ensure!(
        out.to_string_lossy().ends_with(ENDING),
        "{}: expected a name that ends in {ENDING}",
        out.display()
    );
    ensure!(
        args.force || !is_taken(out),
        "{}: this file exists; --force overwrites it",
        out.display()
    );
    let wanted = wanted(&args)?;
    let (said, bytes) = with_progress(|progress| sharing::pack(&wanted, out, progress))??;
    for line in said {
        say!("{line}");
    }
    say!("{}: {}", out.display(), counted(bytes, "byte", "bytes"));
    Ok(())
}

/// Lists the files in a pack.
fn list(path: &Path) -> anyhow::Result<()> {
    let found = with_progress(|progress| pack::list(path, progress))??;
    output::print(|out| {
        let mut table = Table::new(&[("bytes", Align::Right), ("file", Align::Left)]);
        for (name, bytes) in &found {
            table.row([grouped(*bytes), name.clone()]);
        }
        table.write(out)
    })
}

fn wanted(args: &PackArgs) -> anyhow::Result<Wanted> {
    let mut wanted = Wanted {
        session: args.session.clone(),
        mapping: args.map.clone(),
        scenes: args.scenes.clone(),
        with_source: args.with_source,
        ..Wanted::default()
    };
    match &args.inputs[..] {
        [path] if saved::is_session_file(path) => {
            ensure!(
                wanted.session.is_none(),
                "{}: expected one session, found another with --session",
                path.display()
            );
            wanted.inputs = of_session(path)?;
            wanted.session = Some(path.clone());
        }
        [] => match &wanted.session {
            Some(session) => wanted.inputs = of_session(session)?,
            None if wanted.scenes.is_empty() => {
                bail!("expected a source tree, a recording or a session to pack, found none")
            }
            None => {}
        },
        paths => wanted.inputs = input::sort(paths)?,
    }
    if wanted.session.is_none() && !args.inputs.is_empty() {
        let beside = saved::place(&wanted.inputs).ok();
        wanted.session = beside.filter(|path| path.is_file());
    }
    Ok(wanted)
}

/// What a session opens; all of it has to be there.
fn of_session(path: &Path) -> anyhow::Result<callscape_analysis::session::Inputs> {
    let session = SavedSession::read(path)?;
    let (inputs, missing) = session.inputs(path);
    if let Some(missing) = missing.first() {
        Err(std::io::Error::from(std::io::ErrorKind::NotFound))
            .with_context(|| missing.display().to_string())
            .with_context(|| format!("{}: its inputs", path.display()))?;
    }
    Ok(inputs)
}
