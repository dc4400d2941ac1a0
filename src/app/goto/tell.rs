//! The end of whoever asks: finds the windows and asks one after the other.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{bail, ensure};

use super::message::{Answer, LONGEST, PATIENCE, Place};

/// Has a window that listens in `folder` show a place; why none does.
pub(super) fn tell(folder: &Path, place: &Place) -> anyhow::Result<()> {
    let mut refused = None;
    for socket in sockets(folder) {
        match ask(&socket, place) {
            Ok(Answer { error: None }) => return Ok(()),
            Ok(Answer { error }) => refused = refused.or(error),
            Err(error) if is_abandoned(&error) => {
                // Its window ended without being able to tidy up.
                let _ = fs::remove_file(&socket);
            }
            Err(error) => refused = refused.or(Some(format!("a window does not answer: {error}"))),
        }
    }
    match refused {
        Some(reason) => bail!("{}: {reason}", place.file.display()),
        None => bail!("no window is open: start callscape with the source tree first"),
    }
}

/// The sockets of all windows, that of the one opened last first.
fn sockets(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let sockets = paths.filter(|path| path.extension().is_some_and(|it| it == "sock"));
    let mut sockets: Vec<(SystemTime, PathBuf)> = sockets
        .filter_map(|path| Some((fs::symlink_metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    sockets.sort_by(|a, b| b.cmp(a));
    sockets.into_iter().map(|(_, path)| path).collect()
}

fn is_abandoned(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|it| it.kind() == io::ErrorKind::ConnectionRefused)
}

fn ask(socket: &Path, place: &Place) -> anyhow::Result<Answer> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // The window itself is waited for as long.
    stream.set_read_timeout(Some(2 * PATIENCE))?;
    let mut line = serde_json::to_vec(place)?;
    line.push(b'\n');
    ensure!(line.len() as u64 <= LONGEST, "the path is too long");
    stream.write_all(&line)?;
    let mut answer = Vec::new();
    BufReader::new(stream.take(LONGEST)).read_until(b'\n', &mut answer)?;
    Ok(serde_json::from_slice(&answer)?)
}
