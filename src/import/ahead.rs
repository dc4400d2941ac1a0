//! Reads ahead: a large file is read, and decompressed, on a thread of its own while what came before is taken apart.
//! Whoever reads sees what it would see without: each warning and error where it stands, and how much of the file was
//! taken by then.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};

use super::input::Input;
use super::unpacked::{Taken, Unpacked, unpacked};
use callscape_base::progress::Progress;
use callscape_base::warnings::{Found, Reporter};

/// Files from this size on are worth a thread.
const WORTH: u64 = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Bytes that are handed over together.
const PIECE: usize = if cfg!(test) { 1 << 10 } else { 128 << 10 };

/// Pieces that wait.
const WAITING: usize = 2;

/// What one read gave.
struct Step {
    /// Where its bytes end in the piece; no bytes at the end of the file.
    end: usize,
    /// Bytes of the file itself that were taken by then.
    taken: u64,
    warnings: Vec<Found>,
    error: Option<io::Error>,
}

/// Bytes of the file as they were read.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    steps: Vec<Step>,
}

enum Message {
    /// The file is open, and is compressed or is not.
    Opened(io::Result<bool>),
    Piece(Piece),
}

/// The bytes of a file.
pub(crate) struct Ahead<'a> {
    /// None once the thread is to end.
    coming: Option<Receiver<Message>>,
    back: Sender<Piece>,
    thread: Option<JoinHandle<()>>,
    piece: Piece,
    /// How much of the piece has been given out, and of its steps.
    at: usize,
    step: usize,
    taken: Taken,
    reporter: &'a Reporter,
}

impl<'a> Ahead<'a> {
    /// Opens the file, and says whether it is compressed; none where a thread is not worth it.
    pub(crate) fn open(
        input: &Input,
        progress: &Progress,
        taken: &Taken,
        reporter: &'a Reporter,
    ) -> io::Result<Option<(Ahead<'a>, bool)>> {
        let is_plain = input.file().is_some() && !input.is_pipe();
        if !is_plain || input.size()? < WORTH || rayon::current_num_threads() < 2 {
            return Ok(None);
        }
        let (to, coming) = mpsc::sync_channel(WAITING);
        let (back, spare) = mpsc::channel();
        let (input, progress) = (input.clone(), progress.clone());
        let thread = thread::Builder::new().name("reading".to_owned());
        // Without one it is read here.
        let Ok(thread) = thread.spawn(move || read(&input, &progress, &to, &spare)) else {
            return Ok(None);
        };
        let mut ahead = Ahead {
            coming: Some(coming),
            back,
            thread: Some(thread),
            piece: Piece::default(),
            at: 0,
            step: 0,
            taken: taken.clone(),
            reporter,
        };
        match ahead.next() {
            Message::Opened(is_compressed) => Ok(Some((ahead, is_compressed?))),
            Message::Piece(_) => Ok(None),
        }
    }

    fn next(&mut self) -> Message {
        let next = self.coming.as_ref().and_then(|coming| coming.recv().ok());
        next.unwrap_or_else(|| {
            // Nothing comes from a thread that has panicked, or has told the end already.
            if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
                std::panic::resume_unwind(panic);
            }
            Message::Opened(Err(io::ErrorKind::UnexpectedEof.into()))
        })
    }
}

impl Read for Ahead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(step) = self.piece.steps.get_mut(self.step) else {
                let done = std::mem::take(&mut self.piece);
                // Where the thread has ended it is of no use.
                let _ = self.back.send(done);
                (self.at, self.step) = (0, 0);
                match self.next() {
                    Message::Piece(piece) => self.piece = piece,
                    Message::Opened(opened) => return opened.map(|_| 0),
                }
                continue;
            };
            self.taken.set(step.taken);
            for found in step.warnings.drain(..) {
                self.reporter.add(found);
            }
            if let Some(error) = step.error.take() {
                return Err(error);
            }
            let bytes = &self.piece.bytes[self.at..step.end];
            let is_end = bytes.is_empty();
            let count = bytes.len().min(buffer.len());
            buffer[..count].copy_from_slice(&bytes[..count]);
            self.at += count;
            if self.at == step.end && !is_end {
                self.step += 1;
            }
            return Ok(count);
        }
    }
}

impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        self.coming = None;
        if let Some(thread) = self.thread.take() {
            // What it panicked of, nobody waits for.
            let _ = thread.join();
        }
    }
}

/// Reads the file until it ends or fails, or nobody takes any more.
fn read(input: &Input, progress: &Progress, to: &SyncSender<Message>, spare: &Receiver<Piece>) {
    let reporter = Reporter::new();
    let taken = Taken::default();
    let opened = unpacked(input, progress, &taken, &reporter);
    let Unpacked {
        mut reader,
        is_compressed,
    } = match opened {
        Ok(unpacked) => unpacked,
        Err(error) => return drop(to.send(Message::Opened(Err(error)))),
    };
    if to.send(Message::Opened(Ok(is_compressed))).is_err() {
        return;
    }
    let mut at_end = false;
    while !at_end {
        let mut piece = spare.try_recv().unwrap_or_default();
        piece.bytes.resize(PIECE, 0);
        piece.steps.clear();
        let mut end = 0;
        while end < PIECE && !at_end {
            let (count, error) = match reader.read(&mut piece.bytes[end..]) {
                Ok(count) => (count, None),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => (0, Some(error)),
            };
            end += count;
            at_end = count == 0;
            piece.steps.push(Step {
                end,
                taken: taken.get(),
                warnings: reporter.take(),
                error,
            });
        }
        if to.send(Message::Piece(piece)).is_err() {
            return;
        }
    }
}
