//! `callscape [SOURCE_DIR] [TRACE]…`: opens the window.

use std::env;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use anyhow::ensure;

use super::playable;
use super::revisions::Between;
use callscape_app::{Opening, goto};
use callscape_export::pack;
use callscape_import::input::STANDARD_INPUT;
use callscape_record::{listen, place};

#[derive(Debug, clap::Args)]
pub(crate) struct WindowArgs {
    /// A source tree, recordings of it, or both; a session saved with Ctrl + S; or a pack [default: the built-in demo]
    #[arg(value_name = "SOURCE_DIR | TRACE | SESSION | PACK")]
    inputs: Vec<PathBuf>,
    /// Compare several runs of A with several runs of B, separating noise from real differences
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "b")]
    a: Vec<PathBuf>,
    /// Several runs of B
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "a")]
    b: Vec<PathBuf>,
    /// Compare two revisions of the source tree, such as v1.0..v2.0; with two recordings, these over both trees
    #[arg(long, value_name = "A..B", conflicts_with_all = ["follow", "good", "results"])]
    rev: Option<Between>,
    /// Reload recordings as they grow
    #[arg(long)]
    follow: bool,
    /// Show the entities of this mapping file as districts; the file is watched and reapplied when it changes
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Write what the user does to FILE, one line of JSON for each action: its time in milliseconds since the start,
    /// name, arguments, source (mouse, key or palette) and view. Typed text and names of functions are part of it
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    #[command(flatten)]
    left_out: super::frequency::FrequencyArg,
    #[command(flatten)]
    elsewhere: super::elsewhere::ElsewhereArgs,
    /// Show only the calls of functions that changed since this revision, in every view; as --good with its marks alone
    #[arg(long, value_name = "REV", conflicts_with_all = ["good", "rev", "follow"])]
    changed_since: Option<String>,
    /// Receive OpenTelemetry spans over HTTP and show them as they arrive; ADDR defaults to the loopback address
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = listen::address, conflicts_with_all = ["a", "b", "rev", "follow", "good", "changed_since", "results"])]
    listen: Option<SocketAddr>,
    /// Show this line in the window that has the file's source tree open, without opening a new window
    #[arg(long, value_name = "FILE:LINE", exclusive = true)]
    goto: Option<String>,
}

pub(crate) const EXAMPLES: &str = "Examples:
  callscape                         the built-in demo
  callscape src trace.json          a source tree and a recording of it
  callscape src                     only the structure
  callscape trace.json              a landscape of the names in a recording
  callscape src trace.json --map architecture.map
  callscape src before.json after.json                    two runs, compared
  callscape before.json after.json src-1.0 src-2.0        from two versions of the source
  callscape src --a before*.json --b after*.json          several runs of each
  callscape src --rev v1.0..v2.0                          two revisions, without a recording
  callscape --follow trace.json     a recording that is still being written
  zcat trace.json.gz | callscape -  from a pipe
  callscape src --listen 4318       OpenTelemetry spans as they arrive
  callscape . trace.json --good v2.3      functions that changed since then and ran
  callscape . trace.json --changed-since v2.3         only their calls
  callscape . trace.json --results clippy.sarif --results coverage.info

  callscape --goto src/main.c:120   shows the line in the open window

  callscape trace.json.callscape-session.json    a saved session
  callscape talk.callscape-pack                  a pack written by `callscape pack`";

pub(crate) fn run(mut args: WindowArgs) -> anyhow::Result<()> {
    args.elsewhere.fixes.apply();
    let since = args.changed_since.clone();
    args.elsewhere.good = args.elsewhere.good.take().or(since);
    if let Some(place) = &args.goto {
        return goto::go_to(&goto::place(place)?);
    }
    let opening = Opening {
        map: args.map.clone(),
        follow: args.follow,
        max_frequency: args.left_out.max_frequency,
        only_changed: args.changed_since.is_some(),
        log: args.log.clone(),
        write_page: Some(playable::share_whole),
    };
    let is_alone = args.inputs.len() == 1
        && args.a.is_empty()
        && args.rev.is_none()
        && !args.elsewhere.is_any();
    let alone = args.inputs.first().filter(|_| is_alone);
    if let Some(path) = alone
        && callscape_app::saved::is_session_file(path)
    {
        return callscape_app::run_session(path.clone(), opening);
    }
    if let Some(path) = alone
        && pack::is_pack(path)
    {
        ensure!(
            args.map.is_none(),
            "a pack is shown through its own mapping: expected no --map with a pack"
        );
        return callscape_app::run_pack(path.clone(), opening);
    }
    if let Some(at) = args.listen {
        return receive(at, &args.inputs, opening);
    }
    let mut inputs = super::input::sort_sides(&args.inputs, [&args.a, &args.b])?;
    if let Some(between) = &args.rev {
        between.open(&mut inputs)?;
    }
    ensure!(
        args.changed_since.is_none()
            || (inputs.source_dir.is_some() && !inputs.recordings.is_empty()),
        "--changed-since shows calls of functions that changed: expected a source tree and a recording of it"
    );
    args.elsewhere.add_to(&mut inputs)?;
    let is_pipe = |path: &PathBuf| path.as_os_str() == STANDARD_INPUT;
    ensure!(
        !args.follow || !inputs.recordings.iter().any(is_pipe),
        "standard input is shown once it is read completely: it cannot be followed"
    );
    callscape_app::run(inputs, opening)
}

/// Receives spans at this address, and opens the window on them when the first arrive. Without a display they are only
/// stored.
fn receive(at: SocketAddr, inputs: &[PathBuf], opening: Opening) -> anyhow::Result<()> {
    let mut inputs = super::input::sort(inputs)?;
    ensure!(
        inputs.recordings.is_empty(),
        "spans are shown as they arrive: expected no recording with --listen"
    );
    let name = format!("spans-{}", place::now());
    let (sender, arrived) = mpsc::channel();
    let lost = |why: &str| say!("callscape: {why}");
    let limits = listen::Limits::of_user()?;
    let place = (Path::new(""), name.as_str());
    let listener = listen::Listener::begin(at, place, limits, sender, Box::new(lost))?;
    let at = listener.address()?;
    say!("callscape: waiting for spans at http://{at}/v1/traces; they are stored in {name}.otlp");
    std::thread::Builder::new()
        .name("listening".to_owned())
        .spawn(move || listener.serve())?;
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|it| env::var_os(it).is_some());
    while let Ok(file) = arrived.recv() {
        say!("callscape: spans are stored in {}", file.display());
        if has_display {
            inputs.recordings.push(file);
            let opening = Opening {
                follow: true,
                ..opening
            };
            return callscape_app::run(inputs, opening);
        }
    }
    Ok(())
}
