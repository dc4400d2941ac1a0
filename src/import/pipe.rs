//! Pipes: standard input, named pipes, process substitution. What comes is handed on as it comes, and kept in
//! a temporary file without a name for those who read it again: an importer that needs a second pass, or a
//! window that opens the recording anew.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use callscape_base::progress::Progress;

/// What stands for standard input on the command line.
pub const STANDARD_INPUT: &str = "-";

/// How much is taken from the pipe at once.
const CHUNK: usize = 64 << 10;
/// How many pieces may wait to be read.
const WAITING: usize = 16;
/// How long a reader waits before it asks whether the user has cancelled.
const PATIENCE: Duration = Duration::from_millis(50);

/// A pipe and what has come from it.
#[derive(Debug)]
pub(crate) struct Pipe(Mutex<State>);

#[derive(Debug)]
struct State {
    name: String,
    /// None once everything has come.
    coming: Option<Receiver<io::Result<Vec<u8>>>>,
    /// What has come before `last`; the reason where it could not be kept.
    kept: Result<Unnamed, String>,
    /// The piece that came last.
    last: Vec<u8>,
    /// The number of bytes that have come.
    length: u64,
    /// Why no more came.
    failed: Option<String>,
}

impl Pipe {
    /// The pipe at `path`. It can be read only once: whoever asks for it again, in this process, gets what
    /// was read.
    pub(crate) fn of(path: &Path) -> Arc<Pipe> {
        static KNOWN: Mutex<BTreeMap<PathBuf, Arc<Pipe>>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let pipe = known.entry(path.to_owned());
        pipe.or_insert_with(|| Arc::new(Pipe::start(path))).clone()
    }

    /// Starts to read on a thread of its own: opening and reading a pipe wait, and nothing ends that.
    fn start(path: &Path) -> Pipe {
        let (sender, coming) = sync_channel(WAITING);
        let from = path.to_owned();
        let read = move || {
            let pipe: io::Result<Box<dyn Read>> = if from.as_os_str() == STANDARD_INPUT {
                Ok(Box::new(io::stdin().lock()))
            } else {
                File::open(&from).map(|file| Box::new(file) as Box<dyn Read>)
            };
            let mut pipe = match pipe {
                Ok(pipe) => pipe,
                Err(error) => return drop(sender.send(Err(error))),
            };
            loop {
                let mut chunk = vec![0; CHUNK];
                let piece = match pipe.read(&mut chunk) {
                    Ok(0) => return,
                    Ok(count) => {
                        chunk.truncate(count);
                        Ok(chunk)
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let failed = piece.is_err();
                if sender.send(piece).is_err() || failed {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("pipe".into()).spawn(read);
        Pipe(Mutex::new(State {
            name: path.display().to_string(),
            coming: Some(coming),
            kept: Unnamed::create().map_err(|error| error.to_string()),
            last: Vec::new(),
            length: 0,
            failed: thread.err().map(|error| error.to_string()),
        }))
    }

    /// The bytes from the start on.
    pub(crate) fn open<'a>(&'a self, progress: &'a Progress) -> Reader<'a> {
        Reader {
            pipe: self,
            progress,
            at: 0,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change leaves the state whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Waits for the next piece; false when there is none.
    fn receive(&mut self, progress: &Progress) -> io::Result<bool> {
        loop {
            let Some(coming) = &self.coming else {
                return Ok(false);
            };
            match coming.recv_timeout(PATIENCE) {
                Ok(Ok(piece)) => {
                    let last = std::mem::replace(&mut self.last, piece);
                    if let Ok(kept) = &mut self.kept
                        && let Err(error) = kept.file.write_all(&last)
                    {
                        self.kept = Err(error.to_string());
                    }
                    self.length += self.last.len() as u64;
                    return Ok(true);
                }
                Ok(Err(error)) => {
                    self.failed = Some(error.to_string());
                    self.coming = None;
                }
                Err(RecvTimeoutError::Timeout) => {
                    progress.check().map_err(io::Error::other)?;
                }
                Err(RecvTimeoutError::Disconnected) => self.coming = None,
            }
        }
    }

    /// Bytes that have come, from `at` on, which is less than the length.
    fn again(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let kept_length = self.length - self.last.len() as u64;
        if at >= kept_length {
            let piece = &self.last[(at - kept_length) as usize..];
            let count = piece.len().min(buffer.len());
            buffer[..count].copy_from_slice(&piece[..count]);
            return Ok(count);
        }
        let kept = self.kept.as_mut().map_err(|error| {
            let name = &self.name;
            io::Error::other(format!(
                "the data from {name} is needed again, but could not be stored: {error}"
            ))
        })?;
        let count = buffer.len().min((kept_length - at) as usize);
        kept.file.seek(SeekFrom::Start(at))?;
        let result = kept.file.read(&mut buffer[..count]);
        kept.file.seek(SeekFrom::Start(kept_length))?;
        match result? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}

/// Reads what has come and what comes.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pipe: &'a Pipe,
    progress: &'a Progress,
    at: u64,
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.pipe.state();
        if self.at == state.length && !state.receive(self.progress)? {
            return match &state.failed {
                Some(failed) => Err(io::Error::other(failed.clone())),
                None => Ok(0),
            };
        }
        let count = state.again(self.at, buffer)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Reader<'_> {
    /// Counted from the end, waits for all that comes.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, offset) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::Current(offset) => (self.at, offset),
            SeekFrom::End(offset) => {
                let mut state = self.pipe.state();
                while state.receive(self.progress)? {}
                (state.length, offset)
            }
        };
        let at = base.checked_add_signed(offset);
        let at = at.ok_or(io::ErrorKind::InvalidInput)?;
        let mut state = self.pipe.state();
        while state.length < at && state.receive(self.progress)? {}
        self.at = at.min(state.length);
        Ok(self.at)
    }
}

/// A temporary file that nobody else can open, gone with its owner.
#[derive(Debug)]
struct Unnamed {
    file: File,
    /// Where it lies as long as the system lets no open file be without a name.
    path: Option<PathBuf>,
}

impl Unnamed {
    fn create() -> io::Result<Unnamed> {
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let dir = std::env::temp_dir();
        for number in 0.. {
            let path = dir.join(format!("callscape-{}-{number}", std::process::id()));
            match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    let removed = std::fs::remove_file(&path).is_ok();
                    return Ok(Unnamed {
                        file,
                        path: (!removed).then_some(path),
                    });
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Unnamed {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}
