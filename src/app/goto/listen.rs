//! A window's end: listens, and hands on what it is asked.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use anyhow::{Context, ensure};

use super::message::{Answer, LONGEST, PATIENCE, Place};

/// Who asks more at once waits.
const MOST_ASKED: usize = 16;

/// Where windows listen: a folder that only the user may enter.
pub(super) fn folder() -> anyhow::Result<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let runtime = runtime.filter(|it| it.is_absolute());
    let runtime = runtime.context("XDG_RUNTIME_DIR names no folder for sockets")?;
    Ok(runtime.join("callscape"))
}

/// A question, and where its answer goes.
struct Asked {
    place: Place,
    answer: Sender<Result<(), String>>,
}

/// A window's socket; gone with it.
pub struct Listener {
    path: PathBuf,
    asked: Receiver<Asked>,
}

impl Listener {
    /// Listens in the user's runtime folder from now on; `wake` is called when there is something to answer.
    pub fn start(wake: impl Fn() + Send + 'static) -> anyhow::Result<Listener> {
        let name = format!("{}.sock", std::process::id());
        Listener::at(&folder()?, &name, wake)
    }

    /// The same at a socket of this name in `folder`.
    pub fn at(
        folder: &Path,
        name: &str,
        wake: impl Fn() + Send + 'static,
    ) -> anyhow::Result<Listener> {
        // The folder around it is the system's; where that is missing there is no session.
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(error).with_context(|| folder.display().to_string());
            }
            _ => {}
        }
        let path = folder.join(name);
        // Of a process that is no more and had our number.
        let _ = fs::remove_file(&path);
        let socket = UnixListener::bind(&path).with_context(|| path.display().to_string())?;
        let (sender, asked) = sync_channel(MOST_ASKED);
        let listener = Listener { path, asked };
        fs::set_permissions(&listener.path, Permissions::from_mode(0o600))?;
        ensure_private(folder, &listener.path)?;
        std::thread::Builder::new()
            .name("goto".to_owned())
            .spawn(move || listen(&socket, &sender, &wake))?;
        Ok(listener)
    }

    /// Answers what was asked: `go` shows a place, or says why not.
    pub fn answer(&self, mut go: impl FnMut(&Place) -> Result<(), String>) {
        for asked in self.asked.try_iter() {
            // Whoever asked may not wait any more.
            let _ = asked.answer.send(go(&asked.place));
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Refuses a folder that others may enter or put something into: they could listen in our place.
fn ensure_private(folder: &Path, socket: &Path) -> anyhow::Result<()> {
    let (of, ours) = (fs::symlink_metadata(folder)?, fs::symlink_metadata(socket)?);
    ensure!(
        of.is_dir() && of.uid() == ours.uid() && of.mode() & 0o077 == 0,
        "{}: expected a folder that only its owner may enter",
        folder.display()
    );
    Ok(())
}

/// Hears one after the other, for as long as the process lives.
fn listen(socket: &UnixListener, sender: &SyncSender<Asked>, wake: &dyn Fn()) {
    for stream in socket.incoming() {
        let Ok(stream) = stream else { continue };
        let answer = match hear(&stream) {
            Ok(place) => ask(place, sender, wake),
            Err(error) => Err(format!("{error:#}")),
        };
        let answer = Answer {
            error: answer.err(),
        };
        // Whoever asked may be gone.
        let _ = write(&stream, &answer);
    }
}

/// Has the window answer.
fn ask(place: Place, sender: &SyncSender<Asked>, wake: &dyn Fn()) -> Result<(), String> {
    let (answer, answered) = channel();
    let asked = Asked { place, answer };
    let is_asked = sender.try_send(asked).is_ok();
    wake();
    match is_asked.then(|| answered.recv_timeout(PATIENCE)) {
        Some(Ok(answer)) => answer,
        _ => Err("the window does not answer".to_owned()),
    }
}

/// Reads one message. No more than the longest is read, and no longer than is waited for.
fn hear(stream: &UnixStream) -> anyhow::Result<Place> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = Vec::new();
    BufReader::new(stream.take(LONGEST)).read_until(b'\n', &mut line)?;
    ensure!(
        line.last() == Some(&b'\n'),
        "expected a line of no more than {LONGEST} bytes"
    );
    let place: Place = serde_json::from_slice(&line).context("expected a file and a line")?;
    ensure!(place.line > 0, "expected a line from 1");
    ensure!(place.file.is_absolute(), "expected a path from the root");
    Ok(place)
}

fn write(mut stream: &UnixStream, answer: &Answer) -> anyhow::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    Ok(stream.write_all(&line)?)
}
