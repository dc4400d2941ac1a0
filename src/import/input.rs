//! What a recording is read from: a file or directory where it lies, a pipe, or a member of an archive.

use std::fmt;
use std::io::{self, Read, Seek};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::pipe::Pipe;
pub use super::pipe::STANDARD_INPUT;
use callscape_base::files::disk;
use callscape_base::progress::Progress;

/// The path by which an input is known, which it stands for, and where its bytes come from. It can be opened
/// more than once, each time from its start.
#[derive(Clone, Debug)]
pub struct Input {
    path: PathBuf,
    bytes: Bytes,
}

#[derive(Clone, Debug)]
enum Bytes {
    Disk(PathBuf),
    Pipe(Arc<Pipe>),
    /// A member by its name, or all that lie in the directory of that name.
    Member(Arc<dyn Container>, String),
}

/// What an input may be a member of. A trait as the archive that it stands for is read from an input itself.
pub trait Container: fmt::Debug + Send + Sync {
    /// The bytes of a member from its start on.
    fn open_member<'a>(
        &'a self,
        name: &str,
        progress: &'a Progress,
    ) -> io::Result<Box<dyn Read + 'a>>;
    /// The number of bytes of a member; none where there is none of this name.
    fn size(&self, name: &str) -> Option<u64>;
    /// The number of bytes that a member takes in a zip file.
    fn packed(&self, name: &str) -> Option<u64>;
    /// Whether members lie in a directory of this name.
    fn is_dir(&self, name: &str) -> bool;
    /// The names right inside of a directory.
    fn entries(&self, name: &str) -> Vec<String>;
}

/// Bytes in memory, as the only member of a container.
#[derive(Debug)]
pub(super) struct Held(pub Vec<u8>);

impl Container for Held {
    fn open_member<'a>(&'a self, _: &str, _: &'a Progress) -> io::Result<Box<dyn Read + 'a>> {
        Ok(Box::new(self.0.as_slice()))
    }

    fn size(&self, _: &str) -> Option<u64> {
        Some(self.0.len() as u64)
    }

    fn packed(&self, _: &str) -> Option<u64> {
        None
    }

    fn is_dir(&self, _: &str) -> bool {
        false
    }

    fn entries(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

/// Bytes that can be read at any place.
pub trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

impl Deref for Input {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl Input {
    /// The input that `path` names: `-` is standard input; what is neither file nor directory is read as a
    /// pipe.
    pub fn new(path: &Path) -> io::Result<Input> {
        if path.as_os_str() == STANDARD_INPUT {
            return Ok(Input::standard());
        }
        let kind = disk::metadata(path)?;
        let bytes = if kind.is_file() || kind.is_dir() {
            Bytes::Disk(path.to_owned())
        } else {
            Bytes::Pipe(Pipe::of(path))
        };
        Ok(Input {
            path: path.to_owned(),
            bytes,
        })
    }

    /// Standard input; a file that it was redirected from is read as one.
    fn standard() -> Input {
        let device = Path::new("/dev/stdin");
        let is_file = cfg!(unix) && device.metadata().is_ok_and(|metadata| metadata.is_file());
        Input {
            path: "standard input".into(),
            bytes: if is_file {
                Bytes::Disk(device.to_owned())
            } else {
                Bytes::Pipe(Pipe::of(Path::new(STANDARD_INPUT)))
            },
        }
    }

    /// The file or directory on disk at `path`.
    pub fn on_disk(path: PathBuf) -> Input {
        Input {
            bytes: Bytes::Disk(path.clone()),
            path,
        }
    }

    /// The member of `archive` with this name, which lies in the file at `path`.
    pub fn member(path: &Path, archive: &Arc<impl Container + 'static>, name: &str) -> Input {
        Input {
            path: path.join(name),
            bytes: Bytes::Member(archive.clone() as Arc<dyn Container>, name.to_owned()),
        }
    }

    /// Where the bytes lie on disk as they are; none for a pipe or a member.
    pub fn file(&self) -> Option<&Path> {
        match &self.bytes {
            Bytes::Disk(path) => Some(path),
            Bytes::Pipe(_) | Bytes::Member(..) => None,
        }
    }

    /// Whether it can come only once, and has no name to keep an index by.
    pub fn is_pipe(&self) -> bool {
        matches!(self.bytes, Bytes::Pipe(_)) || self.path == Path::new("standard input")
    }

    /// The bytes from the start on. Waiting for them ends when the user cancels.
    pub fn open<'a>(&'a self, progress: &'a Progress) -> io::Result<Box<dyn Read + 'a>> {
        Ok(match &self.bytes {
            Bytes::Disk(path) => Box::new(disk::open_regular(path)?),
            Bytes::Pipe(pipe) => Box::new(pipe.open(progress)),
            Bytes::Member(archive, name) => archive.open_member(name, progress)?,
        })
    }

    /// The bytes from the start on, to be read at any place. A member of an archive cannot.
    pub fn seekable<'a>(&'a self, progress: &'a Progress) -> io::Result<Box<dyn ReadSeek + 'a>> {
        Ok(match &self.bytes {
            Bytes::Disk(path) => Box::new(disk::open_regular(path)?),
            Bytes::Pipe(pipe) => Box::new(pipe.open(progress)),
            Bytes::Member(..) => return Err(io::ErrorKind::NotSeekable.into()),
        })
    }

    /// The number of bytes; zero where it is not known yet.
    pub fn size(&self) -> io::Result<u64> {
        Ok(match &self.bytes {
            Bytes::Disk(path) => disk::metadata(path)?.len(),
            Bytes::Pipe(_) => 0,
            Bytes::Member(archive, name) => archive.size(name).unwrap_or(0),
        })
    }

    /// How many bytes a member of a zip file takes there; none of anything else.
    pub fn packed(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::Member(archive, name) => archive.packed(name),
            Bytes::Disk(_) | Bytes::Pipe(_) => None,
        }
    }

    pub fn is_dir(&self) -> bool {
        match &self.bytes {
            Bytes::Disk(path) => disk::is_dir(path),
            Bytes::Pipe(_) => false,
            Bytes::Member(archive, name) => archive.is_dir(name),
        }
    }

    pub fn is_file(&self) -> bool {
        match &self.bytes {
            Bytes::Disk(path) => disk::is_file(path),
            Bytes::Pipe(_) => false,
            Bytes::Member(archive, name) => archive.size(name).is_some(),
        }
    }

    /// What lies under `name` in this directory.
    pub fn join(&self, name: &str) -> Input {
        Input {
            path: self.path.join(name),
            bytes: match &self.bytes {
                Bytes::Disk(path) => Bytes::Disk(path.join(name)),
                Bytes::Pipe(pipe) => Bytes::Pipe(pipe.clone()),
                Bytes::Member(archive, dir) => {
                    let name = if dir.is_empty() {
                        name.to_owned()
                    } else {
                        format!("{dir}/{name}")
                    };
                    Bytes::Member(archive.clone(), name)
                }
            },
        }
    }

    /// What lies in this directory itself, in order of name; names that are no text are left out.
    pub fn entries(&self) -> io::Result<Vec<Input>> {
        let mut names: Vec<String> = match &self.bytes {
            Bytes::Disk(path) => {
                let entries = path.read_dir()?.flatten();
                entries
                    .filter_map(|entry| entry.file_name().into_string().ok())
                    .collect()
            }
            Bytes::Pipe(_) => return Err(io::ErrorKind::NotADirectory.into()),
            Bytes::Member(archive, name) => archive.entries(name),
        };
        names.sort();
        Ok(names.iter().map(|name| self.join(name)).collect())
    }

    /// All of the bytes, for files that are small by their nature.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open(&Progress::new())?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
