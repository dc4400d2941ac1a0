//! The parts of a film, kept beside it until it is whole.
//!
//! `FILM.parts/` holds `plan`, which says what the parts are of, and `00001`, `00002`, …, each written beside and
//! renamed: one that is there is whole. When the plan is another, all of them are made anew.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::settings::{FilmError, FilmSettings, Format, at};
use super::workers::Workers;
use super::{gif, mp4, sequence};
use callscape_base::files;
use callscape_base::files::Temporary;
use callscape_look::image::Image;

#[cfg(feature = "webm")]
use super::webm;

/// What the frames of a film depend on, as a text; two films of one plan have the same frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan(pub String);

/// A film that is being made.
pub struct Film {
    path: PathBuf,
    folder: PathBuf,
    settings: FilmSettings,
    frames: u64,
    /// Frames of a part.
    part: u64,
    /// How many parts were there from an earlier time.
    kept: u64,
    workers: Workers,
    /// The next frame.
    next: u64,
}

/// The name of the file that says what the parts are of.
const PLAN: &str = "plan";

/// Seconds of a part: what is lost at most when the work is interrupted.
const PART_SECONDS: u64 = 1;

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(ending);
    PathBuf::from(name)
}

/// Removes a folder of parts, its plan last: until then it is told by that, wherever this is stopped.
fn remove(folder: &Path) -> io::Result<()> {
    let plan = folder.join(PLAN);
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => fs::remove_dir_all(&path)?,
            false if path == plan => {}
            false => fs::remove_file(&path)?,
        }
    }
    match fs::remove_file(&plan) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::remove_dir(folder)
}

impl Film {
    /// Begins a film of `frames` frames at `path`, or goes on with what is there of it.
    pub fn begin(
        path: &Path,
        settings: FilmSettings,
        frames: u64,
        plan: &Plan,
    ) -> Result<Film, FilmError> {
        settings.check()?;
        let part = match settings.format {
            Format::Png => 1,
            _ => u64::from(settings.fps) * PART_SECONDS,
        };
        let folder = beside(path, ".parts");
        let mut film = Film {
            path: path.to_owned(),
            folder,
            settings,
            frames,
            part,
            kept: 0,
            workers: Workers::new(settings),
            next: 0,
        };
        let plan = format!("{settings:?}\n{frames} frames\n{}\n", plan.0);
        let known = film.folder.join(PLAN);
        if fs::read_to_string(&known).is_ok_and(|found| found == plan) {
            let parts = frames.div_ceil(part);
            film.kept = (0..parts)
                .take_while(|&number| film.part_path(number).is_file())
                .count() as u64;
        } else {
            film.clear(&known)?;
            fs::create_dir_all(&film.folder).map_err(at(&film.folder))?;
            files::write(&known, plan.as_bytes()).map_err(at(&known))?;
        }
        film.next = (film.kept * part).min(frames);
        Ok(film)
    }

    /// Removes the parts of another film; a folder that holds something else is left alone.
    fn clear(&self, plan: &Path) -> Result<(), FilmError> {
        // One that was killed before it had a plan.
        files::remove_abandoned(&self.folder);
        let is_empty = match fs::read_dir(&self.folder) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(at(&self.folder)(error)),
        };
        if !is_empty && !plan.is_file() {
            return Err(FilmError::Unfit(format!(
                "{}: expected parts of a film, found something else; the film needs this name for its unfinished parts",
                self.folder.display()
            )));
        }
        remove(&self.folder).map_err(at(&self.folder))
    }

    /// The number of the frame that is to come next; those before it are there.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// How many frames there are in all.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Where the parts are kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn part_path(&self, number: u64) -> PathBuf {
        match self.settings.format {
            Format::Png => sequence::path_of(&self.path, number),
            _ => self.folder.join(format!("{:05}", number + 1)),
        }
    }

    /// Takes the next frame, none for the same as the last, which this film has been given.
    pub fn push(&mut self, image: Option<&Image>) -> Result<(), FilmError> {
        if self.next.is_multiple_of(self.part) {
            let frames = self.part.min(self.frames - self.next);
            let path = self.part_path(self.next / self.part);
            self.workers.begin(frames, path)?;
        }
        self.workers.push(image)?;
        self.next += 1;
        if self.next.is_multiple_of(self.part) || self.next == self.frames {
            self.workers.end();
        }
        Ok(())
    }

    /// Puts the parts together, once all frames are there, and removes them.
    pub fn finish(mut self) -> Result<(), FilmError> {
        self.workers.finish()?;
        if self.settings.format == Format::Png {
            // The pictures are whole: a plan that cannot be removed does no harm.
            let _ = remove(&self.folder);
            return Ok(());
        }
        let count = self.frames.div_ceil(self.part);
        let mut parts = (0..count).map(|number| File::open(self.part_path(number)));
        let settings = &self.settings;
        let temporary = Temporary::beside(&self.path)?;
        let mut out = BufWriter::new(&temporary.file);
        let frames = self.frames as usize;
        match settings.format {
            Format::Mp4 => mp4::write(settings, frames, &mut parts, &mut out)?,
            #[cfg(feature = "webm")]
            Format::WebM => webm::write(settings, frames, &mut parts, &mut out)?,
            // Refused by `FilmSettings::check`.
            #[cfg(not(feature = "webm"))]
            Format::WebM => return Err(FilmError::Unfit("no .webm".to_owned())),
            Format::Gif | Format::Png => gif::write(settings, &mut parts, &mut out)?,
        }
        out.flush()?;
        drop(out);
        temporary.keep_as(&self.path)?;
        // The film is whole: parts that cannot be removed do no harm.
        let _ = remove(&self.folder);
        Ok(())
    }
}
