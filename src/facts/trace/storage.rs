//! Where the bytes of a trace lie: in memory, or in a file that is mapped.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytemuck::Pod;

use super::mapped::Mapped;
use callscape_base::files::Temporary;

/// Bytes that stay as they are while a trace is in use.
#[derive(Clone, Debug)]
pub(crate) enum Bytes {
    Memory(Arc<Vec<u8>>),
    /// Rows of tables, which begin where numbers may.
    Words(Arc<Vec<u64>>),
    Mapped(Arc<Mapped>),
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::Memory(Arc::default())
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Memory(bytes) => bytes,
            Bytes::Words(words) => bytemuck::cast_slice(words),
            Bytes::Mapped(map) => map,
        }
    }
}

impl Bytes {
    /// Maps all of the file at `path`.
    pub(crate) fn open(path: &Path) -> io::Result<Bytes> {
        Ok(Bytes::Mapped(Arc::new(Mapped::open(path)?)))
    }

    /// Maps all of `file`; nothing spills into files where there are no maps.
    pub(crate) fn map(file: &File) -> io::Result<Bytes> {
        #[cfg(target_arch = "wasm32")]
        return Err(io::Error::other(format!("{file:?} cannot be mapped")));
        #[cfg(not(target_arch = "wasm32"))]
        Ok(Bytes::Mapped(Arc::new(Mapped::new(file)?)))
    }

    /// What is mapped, where it is.
    pub(crate) fn mapped(&self) -> Option<&Mapped> {
        match self {
            Bytes::Mapped(map) => Some(map),
            _ => None,
        }
    }

    /// What `packed` bytes were before they were packed, `len` bytes, a multiple of 8; none when they are not.
    pub(crate) fn unpack(packed: &[u8], len: usize) -> Option<Bytes> {
        let mut words = vec![0u64; len.div_ceil(size_of::<u64>())];
        let unpacked =
            zstd::bulk::decompress_to_buffer(packed, bytemuck::cast_slice_mut::<_, u8>(&mut words));
        (unpacked.ok()? == len && len.is_multiple_of(size_of::<u64>()))
            .then(|| Bytes::Words(Arc::new(words)))
    }
}

/// Rows of one type: built in memory, or a part of mapped bytes. A copy shares them.
#[derive(Clone, Debug)]
pub(crate) enum Table<T> {
    Rows(Arc<Vec<T>>),
    Part(Bytes, Range<usize>),
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table::Rows(Arc::default())
    }
}

impl<T: Pod> Table<T> {
    /// The rows in `range` of `bytes`; none when they do not fit it.
    pub(crate) fn part(bytes: &Bytes, range: Range<usize>) -> Option<Table<T>> {
        let rows = bytes.get(range.clone())?;
        bytemuck::try_cast_slice::<u8, T>(rows).ok()?;
        Some(Table::Part(bytes.clone(), range))
    }
}

impl<T: Pod> Deref for Table<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Table::Rows(rows) => rows,
            Table::Part(bytes, range) => {
                let rows = bytes.get(range.clone()).unwrap_or_default();
                bytemuck::try_cast_slice(rows).unwrap_or_default()
            }
        }
    }
}

/// Bytes kept in memory before they go to a file: a few, for memory that is touched for the first time costs more than
/// what is written into it.
const MEMORY: usize = 4 << 20;
/// Bytes gathered before they go to the file from then on.
const CHUNK: usize = 1 << 20;
/// Bytes written at once. Linux 6.18 keeps a write in runs of pages as long as it is. Those of up to eight pages it takes
/// from what was given back last; longer ones are often of memory that was never in use, where each byte costs up to ten
/// times as much.
const PIECE: usize = 32 << 10;

/// Writes `bytes` to `file`, which stands at `at`.
pub(crate) fn write(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    // Up to a multiple first: so all pieces but two are whole runs.
    let before = (at.next_multiple_of(PIECE as u64) - at) as usize;
    let (first, rest) = bytes.split_at(before.min(bytes.len()));
    file.write_all(first)?;
    rest.chunks(PIECE)
        .try_for_each(|piece| file.write_all(piece))
}

/// Bytes that grow: in memory at first, in a file when they get many, in memory again where no file can
/// be written.
#[derive(Debug, Default)]
pub(crate) struct Growing {
    memory: Vec<u8>,
    file: Option<Temporary>,
    /// Bytes in the file.
    written: u64,
    /// A file could not be made or is full.
    refused: bool,
}

impl Growing {
    /// Starts with `bytes`.
    pub(crate) fn new(bytes: Vec<u8>) -> Growing {
        Growing {
            memory: bytes,
            ..Growing::default()
        }
    }

    /// Hands the bytes to `write`, to be added to, and gives back what was added.
    pub(crate) fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> (u64, &[u8]) {
        let limit = if self.file.is_some() { CHUNK } else { MEMORY };
        if self.memory.len() >= limit && !self.refused {
            self.spill();
        }
        let before = self.memory.len();
        write(&mut self.memory);
        (self.written + before as u64, &self.memory[before..])
    }

    fn spill(&mut self) {
        if self.file.is_none() {
            self.file = spill_dirs().find_map(|dir| Temporary::create(&dir).ok());
        }
        let Some(temporary) = &mut self.file else {
            self.refused = true;
            return;
        };
        if write(&mut temporary.file, self.written, &self.memory).is_ok() {
            self.written += self.memory.len() as u64;
            self.memory.clear();
            self.memory.shrink_to(2 * CHUNK);
            return;
        }
        // The disk is full. What lies there already comes back, and the rest stays in memory.
        self.refused = true;
        let mut all = Vec::new();
        let read = temporary.file.seek(SeekFrom::Start(0));
        let read = read.and_then(|_| (&temporary.file).take(self.written).read_to_end(&mut all));
        if read.is_ok() && all.len() as u64 == self.written {
            all.append(&mut self.memory);
            self.memory = all;
            self.written = 0;
            self.file = None;
        }
    }

    /// The bytes, and the file that they lie in.
    pub(crate) fn finish(mut self) -> io::Result<(Bytes, Option<Temporary>)> {
        if self.file.is_some() && !self.refused && !self.memory.is_empty() {
            self.spill();
        }
        let Some(temporary) = self.file.take() else {
            return Ok((Bytes::Memory(Arc::new(self.memory)), None));
        };
        if !self.memory.is_empty() {
            // Full in the midst, and unreadable as well.
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok((Bytes::map(&temporary.file)?, Some(temporary)))
    }
}

/// Where an import may put its bytes while it runs.
fn spill_dirs() -> impl Iterator<Item = PathBuf> {
    let cache = cache_dir().filter(|dir| std::fs::create_dir_all(dir).is_ok());
    // A browser has none.
    let temporary = (!cfg!(target_arch = "wasm32")).then(std::env::temp_dir);
    cache.into_iter().chain(temporary)
}

/// The user's cache directory for Callscape.
pub(crate) fn cache_dir() -> Option<PathBuf> {
    dirs::cache_dir().map(|dir| dir.join("callscape"))
}
