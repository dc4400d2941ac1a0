//! Files held in memory under paths, where there is no disk: in a browser. Never changed once they are there.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

static FILES: Mutex<BTreeMap<PathBuf, Held>> = Mutex::new(BTreeMap::new());

/// The bytes of a file, which begin where numbers may.
#[derive(Clone, Debug)]
pub struct Held {
    words: Arc<Vec<u64>>,
    length: usize,
}

impl Held {
    fn new(bytes: &[u8]) -> Held {
        let mut words = vec![0u64; bytes.len().div_ceil(size_of::<u64>())];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Held {
            words: Arc::new(words),
            length: bytes.len(),
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }
}

/// What is known of a path.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    length: u64,
    is_dir: bool,
}

impl Metadata {
    #[expect(
        clippy::len_without_is_empty,
        reason = "as that of the standard library"
    )]
    pub fn len(&self) -> u64 {
        self.length
    }

    pub fn is_dir(&self) -> bool {
        self.is_dir
    }

    pub fn is_file(&self) -> bool {
        !self.is_dir
    }

    /// Never known.
    pub fn modified(&self) -> io::Result<std::time::SystemTime> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A file that is read.
#[derive(Clone, Debug)]
pub struct File {
    held: Held,
    at: u64,
}

fn files() -> std::sync::MutexGuard<'static, BTreeMap<PathBuf, Held>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds a file, in the place of what had the path.
pub fn hold(path: &Path, bytes: &[u8]) {
    files().insert(path.to_owned(), Held::new(bytes));
}

/// Forgets what is held at `path`, and below it.
pub fn forget(path: &Path) {
    files().retain(|it, _| !it.starts_with(path));
}

/// The bytes of the file at `path`.
pub fn held(path: &Path) -> io::Result<Held> {
    let found = files().get(path).cloned();
    found.ok_or_else(|| io::ErrorKind::NotFound.into())
}

pub fn metadata(path: &Path) -> io::Result<Metadata> {
    let files = files();
    if let Some(held) = files.get(path) {
        let length = held.length as u64;
        return Ok(Metadata {
            length,
            is_dir: false,
        });
    }
    let after = (Bound::Excluded(path.to_owned()), Bound::Unbounded);
    let next = files.range(after).next();
    match next.is_some_and(|(it, _)| it.starts_with(path)) {
        true => Ok(Metadata {
            length: 0,
            is_dir: true,
        }),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

/// The path without `..`, if something is held there: there are no links.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    metadata(&plain).map(|_| plain)
}

pub fn open(path: &Path) -> io::Result<File> {
    Ok(File {
        held: held(path)?,
        at: 0,
    })
}

/// The same: all that is held is regular.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open(path)
}

impl File {
    pub fn metadata(&self) -> io::Result<Metadata> {
        Ok(Metadata {
            length: self.held.length as u64,
            is_dir: false,
        })
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.held.bytes();
        let at = usize::try_from(self.at).map_or(bytes.len(), |at| at.min(bytes.len()));
        let read = (&bytes[at..]).read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => (self.held.length as u64).checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// A file that is written, and held from when this is dropped.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

/// A new file at `path`.
pub fn create_new(path: &Path) -> io::Result<NewFile> {
    if files().contains_key(path) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    Ok(NewFile {
        path: path.to_owned(),
        bytes: Vec::new(),
    })
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        hold(&self.path, &self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_reads_as_it_was_written() {
        let folder = Path::new("/held-test/a");
        let (path, bytes) = (folder.join("b"), b"0123456789".as_slice());
        let mut out = create_new(&path).expect("nothing is there");
        out.write_all(bytes).expect("there is memory");
        drop(out);
        assert!(create_new(&path).is_err());
        hold(&folder.join("c"), b"");
        let mut file = open(&path).expect("just written");
        file.seek(SeekFrom::End(-3)).expect("inside");
        let mut rest = String::new();
        file.read_to_string(&mut rest).expect("it is text");
        assert_eq!(rest, "789");
        file.seek(SeekFrom::Start(20)).expect("behind the end");
        assert_eq!(file.read(&mut [0; 4]).expect("the end"), 0);
        assert!(file.seek(SeekFrom::Start(0)).is_ok() && file.seek(SeekFrom::Current(-1)).is_err());
        assert_eq!(held(&path).expect("held").bytes(), bytes);
        let is_dir = |path: &Path| metadata(path).map(|it| it.is_dir()).ok();
        assert_eq!(is_dir(folder), Some(true));
        assert_eq!(is_dir(&path), Some(false));
        assert_eq!(is_dir(Path::new("/held-test/aa")), None);
        let plain = |path: &str| canonicalize(Path::new(path)).ok();
        assert_eq!(plain("/held-test/./x/../a/b").as_ref(), Some(&path));
        assert_eq!(plain("/held-test/../a/b"), None);
        forget(folder);
        assert!(open(&path).is_err() && metadata(folder).is_err());
    }
}
