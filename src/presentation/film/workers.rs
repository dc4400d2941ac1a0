//! Parts of a film being encoded on threads of their own while the next frames are drawn.
//!
//! Frames that wait take no more memory than a bound, whatever is slower.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::container;
use super::encode::{Encoder, Picture, write_picture};
use super::settings::{FilmError, FilmSettings, Format, at};
use callscape_base::files;

/// Bytes of the frames that wait.
const MOST_BYTES: usize = 128 << 20;

/// What all threads know.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Frames that wait, and threads that work.
    waiting: usize,
    working: usize,
    failed: Option<FilmError>,
    /// Memory to be used again.
    spare: Vec<Picture>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as `is` says.
    fn wait_while(&self, is: impl FnMut(&mut State) -> bool) -> MutexGuard<'_, State> {
        let state = self.changed.wait_while(self.state(), is);
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Threads that encode.
pub(super) struct Workers {
    settings: FilmSettings,
    shared: Arc<Shared>,
    /// Takes the frames of the part that is under way.
    sender: Option<Sender<Arc<Picture>>>,
    last: Option<Arc<Picture>>,
    /// Frames that may wait, and threads that may work.
    most_waiting: usize,
    most_working: usize,
}

/// A part to be encoded.
struct Part {
    settings: FilmSettings,
    frames: u64,
    path: PathBuf,
}

impl Workers {
    pub(super) fn new(settings: FilmSettings) -> Workers {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most_waiting = MOST_BYTES / Picture::bytes(&settings).max(1);
        Workers {
            settings,
            shared: Arc::new(Shared {
                state: Mutex::default(),
                changed: Condvar::new(),
            }),
            sender: None,
            last: None,
            most_waiting: most_waiting.clamp(3, 4 * settings.fps.max(1) as usize),
            most_working: match settings.format {
                // Its encoder has threads of its own.
                Format::WebM => (cores / 4).max(1),
                _ => cores,
            },
        }
    }

    fn check(state: &mut State) -> Result<(), FilmError> {
        state.failed.take().map_or(Ok(()), Err)
    }

    /// Begins a part of `frames` frames, which is to be written to `path`.
    pub(super) fn begin(&mut self, frames: u64, path: PathBuf) -> Result<(), FilmError> {
        let most = self.most_working;
        let mut state = (self.shared).wait_while(|it| it.working >= most && it.failed.is_none());
        Workers::check(&mut state)?;
        state.working += 1;
        drop(state);
        let (sender, receiver) = channel();
        let part = Part {
            settings: self.settings,
            frames,
            path,
        };
        let shared = Arc::clone(&self.shared);
        let spawned = std::thread::Builder::new()
            .name("encoding".into())
            .spawn(move || work(&part, &receiver, &shared));
        if let Err(error) = spawned {
            self.shared.state().working -= 1;
            return Err(error.into());
        }
        self.sender = Some(sender);
        Ok(())
    }

    /// Hands the next frame of the part over; none for the same as before. Waits while too many wait.
    pub(super) fn push(
        &mut self,
        image: Option<&callscape_look::image::Image>,
    ) -> Result<(), FilmError> {
        let most = self.most_waiting;
        let mut state = (self.shared).wait_while(|it| it.waiting >= most && it.failed.is_none());
        Workers::check(&mut state)?;
        state.waiting += 1;
        let spare = image.and_then(|_| state.spare.pop());
        drop(state);
        let picture = match (image, &self.last) {
            (None, Some(last)) => Arc::clone(last),
            (Some(image), _) => Arc::new(Picture::new(&self.settings, image, spare)),
            (None, None) => return Err(FilmError::Unfit("a film begins with a frame".to_owned())),
        };
        self.last = Some(Arc::clone(&picture));
        if let Some(sender) = &self.sender {
            // A thread that has failed has said why.
            let _ = sender.send(picture);
        }
        Ok(())
    }

    /// The part has all its frames.
    pub(super) fn end(&mut self) {
        self.sender = None;
    }

    /// Waits until all parts are written.
    pub(super) fn finish(&mut self) -> Result<(), FilmError> {
        self.sender = None;
        let mut state = self.shared.wait_while(|it| it.working > 0);
        Workers::check(&mut state)
    }
}

impl Drop for Workers {
    /// What is whole is kept.
    fn drop(&mut self) {
        self.sender = None;
        drop(self.shared.wait_while(|it| it.working > 0));
    }
}

/// Encodes a part and writes it; what has not got all its frames is dropped.
fn work(part: &Part, receiver: &Receiver<Arc<Picture>>, shared: &Shared) {
    /// However it ends, it is told.
    struct End<'a>(&'a Shared);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            let mut state = self.0.state();
            state.working -= 1;
            if std::thread::panicking() && state.failed.is_none() {
                state.failed = Some(FilmError::Unfit("an encoder ended unexpectedly".to_owned()));
            }
            drop(state);
            self.0.changed.notify_all();
        }
    }
    let _end = End(shared);
    let mut encoded = encode(part, receiver, shared);
    // Nobody waits for room that is never made.
    while let Ok(picture) = receiver.recv() {
        done(picture, shared);
    }
    if let Err(error) = &mut encoded {
        let error = std::mem::replace(error, FilmError::Unfit(String::new()));
        shared.state().failed.get_or_insert(error);
    }
}

fn encode(
    part: &Part,
    receiver: &Receiver<Arc<Picture>>,
    shared: &Shared,
) -> Result<(), FilmError> {
    if part.settings.format == Format::Png {
        if let Ok(picture) = receiver.recv() {
            let written = write_picture(&picture, &part.path);
            done(picture, shared);
            written.map_err(|error| match error {
                FilmError::Io(error) => at(&part.path)(error),
                other => other,
            })?;
        }
        return Ok(());
    }
    let mut encoder = Encoder::new(&part.settings)?;
    let mut frames = 0;
    while let Ok(picture) = receiver.recv() {
        let pushed = encoder.push(&picture);
        done(picture, shared);
        pushed?;
        frames += 1;
    }
    if frames < part.frames {
        return Ok(());
    }
    let packets = encoder.finish()?;
    if packets.len() as u64 != part.frames {
        return Err(FilmError::Encoder {
            encoder: part.settings.format.ending(),
            reason: format!("{} of {} frames were encoded", packets.len(), part.frames),
        });
    }
    let written = files::write_with(&part.path, |out| container::write(&packets, out));
    written.map_err(at(&part.path))
}

/// A frame has been encoded: there is room for another.
fn done(picture: Arc<Picture>, shared: &Shared) {
    let spare = Arc::into_inner(picture);
    let mut state = shared.state();
    state.waiting -= 1;
    state.spare.extend(spare);
    drop(state);
    shared.changed.notify_all();
}
