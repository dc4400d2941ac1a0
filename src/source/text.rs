//! The text of a source file as it is shown: decoded, cut into lines, with what was wrong with it counted.
//!
//! A path may come from a recording, so it is data. A file is read only where it lies inside the tree that the user named,
//! after all links in its path have been followed; nothing but a plain file is opened, so that no pipe or device is. Whoever
//! can change the tree meanwhile can read what is in it anyhow.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::reader::Reader;
use super::relations::Family;
use super::relations::sites::CallSite;
use super::{count, scan, structure, taken};
use callscape_base::files::disk;
use callscape_base::progress::Progress;

/// Larger files are generated or data; nobody reads them line by line.
const LARGEST: u64 = 64 << 20;
/// So many bytes at the beginning tell a text from other data, as git does it: those have a zero there.
const TOLD_BY: usize = 8000;

/// The source tree that a user named, whose files may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextTree {
    /// Without links and `..`.
    root: PathBuf,
}

/// Why the text of a file is not there.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    #[error("{0}: not in the source tree, so it is not opened")]
    Outside(PathBuf),
    #[error("{0}: file not found")]
    Gone(PathBuf),
    #[error("{0}: expected a file, found a directory, pipe or device")]
    NotAFile(PathBuf),
    #[error("{path}: {bytes} bytes exceed the limit of {LARGEST} for display")]
    TooLarge { path: PathBuf, bytes: u64 },
    #[error("{0}: expected text, found binary data")]
    Binary(PathBuf),
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
}

impl TextTree {
    /// The tree below `dir`, or of a structure that has its text beside it. An error where there is no such directory.
    pub fn new(dir: &Path) -> io::Result<TextTree> {
        let beside = disk::is_file(dir).then(|| structure::text_beside(dir));
        let found = beside.filter(|it| disk::is_dir(it));
        let root = disk::canonicalize(found.as_deref().unwrap_or(dir))?;
        match disk::is_dir(&root) {
            true => Ok(TextTree { root }),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// The tree's directory, without links and `..`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the file at `path` lies, which is relative to the tree or begins at the file system's root: without links and
    /// `..`, inside the tree, and a plain file.
    pub fn locate(&self, path: &Path) -> Result<PathBuf, TextError> {
        // Said of the path as it is, before anything outside of the tree is looked at.
        if !path.is_absolute() && leaves(path) {
            return Err(TextError::Outside(path.to_owned()));
        }
        let whole = self.root.join(path);
        if path.is_absolute() && !whole.starts_with(&self.root) && !self.may_hold(path) {
            return Err(TextError::Outside(path.to_owned()));
        }
        let found = disk::canonicalize(&whole).map_err(|error| at(path, error))?;
        if !found.starts_with(&self.root) {
            return Err(TextError::Outside(path.to_owned()));
        }
        let metadata = disk::metadata(&found).map_err(|error| at(path, error))?;
        match metadata.is_file() {
            true => Ok(found),
            false => Err(TextError::NotAFile(path.to_owned())),
        }
    }

    /// Whether the directory of an absolute path, links followed, lies in the tree.
    fn may_hold(&self, path: &Path) -> bool {
        let folder = path.parent().and_then(|it| disk::canonicalize(it).ok());
        folder.is_some_and(|it| it.starts_with(&self.root))
    }

    /// The text of the file at `path`, as [`locate`](Self::locate) takes it. O(its size).
    pub fn read(&self, path: &Path) -> Result<SourceText, TextError> {
        let found = self.locate(path)?;
        let failed = |error| at(path, error);
        let file = disk::open(&found).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(TextError::NotAFile(path.to_owned()));
        }
        if metadata.len() > LARGEST {
            let (path, bytes) = (path.to_owned(), metadata.len());
            return Err(TextError::TooLarge { path, bytes });
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
        // A file that grows while it is read is read as far as it was.
        file.take(LARGEST).read_to_end(&mut bytes).map_err(failed)?;
        let text = SourceText::of(bytes).ok_or_else(|| TextError::Binary(path.to_owned()))?;
        Ok(SourceText {
            modified: metadata.modified().ok(),
            ..text
        })
    }
}

/// Whether a relative path leads out of where it begins.
fn leaves(path: &Path) -> bool {
    let mut depth = 0_u32;
    for part in path.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return true,
            },
            Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

fn at(path: &Path, source: io::Error) -> TextError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => TextError::Gone(path),
        _ => TextError::Io { path, source },
    }
}

/// The text of a source file. Lines end with `\n`, as for compilers, runtimes and syntax trees; a `\r` before it belongs to
/// the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    text: String,
    /// By line, one past its last byte, its end left out, and where the next begins.
    ends: Vec<(u32, u32)>,
    longest: u32,
    replaced: u64,
    modified: Option<SystemTime>,
}

impl SourceText {
    /// The text in `bytes`: UTF-8, UTF-16 behind a mark of the byte order, or Windows-1252; other bytes are replaced and
    /// counted.
    /// None for what is no text. O(n).
    pub fn of(bytes: Vec<u8>) -> Option<SourceText> {
        let bytes = count::decoded(bytes);
        if bytes.len() > u32::MAX as usize || bytes[..bytes.len().min(TOLD_BY)].contains(&0) {
            return None;
        }
        let (text, replaced) = match String::from_utf8(bytes) {
            Ok(text) => (text, 0),
            Err(error) => {
                let bytes = error.into_bytes();
                let chunks = bytes.utf8_chunks();
                let replaced = chunks.filter(|it| !it.invalid().is_empty()).count();
                (
                    String::from_utf8_lossy(&bytes).into_owned(),
                    replaced as u64,
                )
            }
        };
        // Each replaced byte takes three.
        let length = u32::try_from(text.len()).ok()?;
        let mut ends = Vec::new();
        let (mut start, mut longest) = (0, 0);
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
        let breaks = breaks.map(|at| (at, at as u32 + 1));
        let is_open = !text.is_empty() && !text.ends_with('\n');
        let last = is_open.then_some((text.len(), length));
        for (end, next) in breaks.chain(last) {
            let line = &text[start as usize..end];
            let end = start + line.strip_suffix('\r').unwrap_or(line).len() as u32;
            longest = longest.max(end - start);
            ends.push((end, next));
            start = next;
        }
        Some(SourceText {
            text,
            ends,
            longest,
            replaced,
            modified: None,
        })
    }

    /// All of it, ends of lines as they are in the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many lines there are; an empty file has none.
    pub fn lines(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Where line `number`, from 1, lies in [`text`](Self::text), without its end; none past the last. O(1).
    pub fn range(&self, number: u32) -> Option<Range<usize>> {
        let index = number.checked_sub(1)? as usize;
        let &(end, _) = self.ends.get(index)?;
        let before = index.checked_sub(1).and_then(|it| self.ends.get(it));
        let start = before.map_or(0, |&(_, next)| next);
        Some(start as usize..end as usize)
    }

    /// Line `number`, from 1, without its end; none past the last. O(1).
    pub fn line(&self, number: u32) -> Option<&str> {
        self.text.get(self.range(number)?)
    }

    /// The number of the line that the byte at `place` of [`text`](Self::text) is in, from 1; that of the last where there is
    /// no such byte. O(log n).
    pub fn line_at(&self, place: usize) -> u32 {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        let before = self.ends.partition_point(|&(_, next)| next <= place) as u32;
        (before + 1).min(self.lines()).max(1)
    }

    /// Bytes of the longest line.
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// How many sequences of bytes were no text and are shown as `U+FFFD`.
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// The calls in it by its syntax, in order of line; none where its language, told by the name of the file at `path`, has
    /// no grammar, or reading it takes too long. A second for 250 kB at most, and where there are calls of something without
    /// a name what it takes to read the texts of `tree` that may name it.
    pub fn calls(&self, path: &Path, tree: &Path, progress: &Progress) -> Option<Vec<CallSite>> {
        let language = count::language(path).ok()?;
        let languages = scan::candidates(language, self.text.as_bytes());
        let mut sites = Reader::default().calls(&languages, self.text.as_bytes(), progress)?;
        let is_nameless = |site: &CallSite| site.name.is_empty();
        if Family::of(language) == Some(Family::C) && sites.iter().any(is_nameless) {
            let taken = Arc::new(taken::of_tree(tree, path, progress)?);
            for site in sites.iter_mut().filter(|it| is_nameless(it)) {
                site.taken = Some(Arc::clone(&taken));
            }
        }
        Some(sites)
    }

    /// When the file was last changed, as far as the system says.
    pub fn modified(&self) -> Option<SystemTime> {
        self.modified
    }

    /// Whether the file has been changed after `recorded`: then its lines may not be those that ran.
    pub fn is_newer_than(&self, recorded: SystemTime) -> bool {
        self.modified.is_some_and(|modified| modified > recorded)
    }
}

#[cfg(test)]
mod tests;
