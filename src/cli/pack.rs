//! `callscape pack`: Structure, recordings, session and scenes in one file for another machine

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::input;
use super::output::{self, Align, Table};
use super::playable;
use super::progress::with_progress;
use callscape_app::presenting::opening::Opens;
use callscape_app::saved::{self, SavedSession};
use callscape_app::sharing::{self, Kept, Source, Wanted};
use callscape_base::files::{Folder, is_taken};
use callscape_base::units::{TimeSpec, counted, grouped};
use callscape_export::pack::{self, ENDING};
use callscape_presentation::scene::SceneFile;

#[derive(Debug, clap::Args)]
#[command(about = "Bundle a source tree, its recordings or a session into one file for another machine", after_help = HELP)]
pub(crate) struct PackArgs {
    /// A source tree, recordings of it, or both; or a session
    #[arg(value_name = "SOURCE_DIR | TRACE | SESSION")]
    inputs: Vec<PathBuf>,
    /// The file to write; its name ends in .callscape-pack, or in .html for a page
    #[arg(short, long, value_name = "FILE", required_unless_present = "list")]
    output: Option<PathBuf>,
    /// Write a page that plays in a browser; without inputs, one of the built-in demo
    #[arg(long)]
    page: bool,
    /// Maximum size of the page: 500kB, 20MB; calls are sampled until it fits
    #[arg(long, value_name = "SIZE", requires = "page", value_parser = size)]
    at_most: Option<u64>,
    /// Exclude calls that end before this time: 12.5ms, 3s, 40% of the recording
    #[arg(long, value_name = "TIME")]
    from: Option<TimeSpec>,
    /// Exclude calls that start at this time or later
    #[arg(long, value_name = "TIME")]
    to: Option<TimeSpec>,
    /// List the contents of a pack or a page, and write nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inputs", "output", "page", "at_most", "from", "to", "session", "scenes", "map", "with_source", "force"])]
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

A page is a pack with its player in one HTML file, which opens in a browser without Callscape and without a network. \
Browsers that cannot play it show its findings, functions and phases as text.

Examples:
  callscape pack src trace.json -o talk.callscape-pack
  callscape pack trace.json.callscape-session.json --scene talk.toml -o talk.callscape-pack
  callscape talk.callscape-pack
  callscape pack src trace.json --page -o finding.html
  callscape pack src trace.json --page --at-most 20MB -o finding.html
  callscape pack --list finding.html
  callscape functions talk.callscape-pack --json";

pub(crate) fn run(args: PackArgs) -> anyhow::Result<()> {
    if let Some(path) = &args.list {
        return list(path);
    }
    let Some(out) = &args.output else {
        bail!("expected a file to write (-o), found none");
    };
    let ending = if args.page { ".html" } else { ENDING };
    ensure!(
        out.to_string_lossy().ends_with(ending),
        "{}: expected a name that ends in {ending}",
        out.display()
    );
    ensure!(
        args.force || !is_taken(out),
        "{}: this file exists; --force overwrites it",
        out.display()
    );
    let wanted = wanted(&args)?;
    let (said, bytes) = with_progress(|progress| match args.page {
        true => playable::share(&wanted, args.at_most, out, progress),
        false => sharing::pack(&wanted, out, progress),
    })??;
    for line in said {
        say!("{line}");
    }
    say!("{}: {}", out.display(), counted(bytes, "byte", "bytes"));
    Ok(())
}

/// A size in bytes.
fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 4] = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)];
    let wrong = || format!("expected a size like 500kB or 20MB, found '{text}'");
    let with = |(unit, bytes): (&str, f64)| {
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        (number > 0.0 && number.is_finite()).then_some((number * bytes) as u64)
    };
    UNITS.into_iter().find_map(with).ok_or_else(wrong)
}

/// Says what a pack or a page contains.
fn list(path: &Path) -> anyhow::Result<()> {
    let found = match pack::is_pack(path) {
        true => with_progress(|progress| pack::list(path, progress))??,
        false => {
            let Some(bytes) = playable::pack_in(path)? else {
                bail!(
                    "{}: expected a pack or a page, found neither",
                    path.display()
                );
            };
            let folder = Folder::beside(&std::env::temp_dir().join(playable::NAME))?;
            let inner = folder.path().join(playable::NAME);
            std::fs::write(&inner, &bytes)?;
            if bytes.is_empty() {
                say!("{}: {}", path.display(), playable::DEMO);
            }
            match bytes.is_empty() {
                true => Vec::new(),
                false => with_progress(|progress| pack::list(&inner, progress))?
                    .with_context(|| path.display().to_string())?,
            }
        }
    };
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
        source: match (args.with_source, args.page) {
            (false, _) => Source::Structure,
            (true, false) => Source::Text,
            (true, true) => Source::Both,
        },
        kept: Kept {
            from: args.from,
            to: args.to,
            stacks: None,
        },
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
            None if wanted.scenes.is_empty() && !args.page => {
                bail!("expected a source tree, a recording or a session to pack, found none")
            }
            None => of_scenes(&mut wanted)?,
        },
        paths => wanted.inputs = input::sort(paths)?,
    }
    if wanted.session.is_none() && !args.inputs.is_empty() {
        let beside = saved::place(&wanted.inputs).ok();
        wanted.session = beside.filter(|path| path.is_file());
    }
    Ok(wanted)
}

/// Packs what the scenes open, where nothing else is named.
fn of_scenes(wanted: &mut Wanted) -> anyhow::Result<()> {
    let mut first: Option<Opens> = None;
    for scene in &wanted.scenes {
        let opens = Opens::of(&SceneFile::read(scene)?)?;
        ensure!(
            first.as_ref().is_none_or(|it| it.inputs == opens.inputs),
            "{}: expected a scene of the same inputs as the first one; pack them separately",
            scene.display()
        );
        first.get_or_insert(opens);
    }
    if let Some(opens) = first {
        wanted.inputs = opens.inputs;
        wanted.session = opens.session.map(|(path, _)| path);
        wanted.mapping = wanted.mapping.take().or(opens.mapping);
    }
    Ok(())
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
