//! Bytes that an import puts aside while it runs: in memory at first, in a file that is mapped when they
//! get many.

use std::io::{self, Read, Seek, SeekFrom};

use super::trace::storage::{self, Growing};
use callscape_base::files::Temporary;

/// Bytes that grow.
#[derive(Debug, Default)]
pub struct Aside(Growing);

impl Aside {
    /// Hands the bytes to `write`, to be added to, and gives back what was added and where it begins.
    pub fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> (u64, &[u8]) {
        self.0.append(write)
    }

    /// All bytes. An error when they could be kept neither in memory nor in a file.
    pub fn finish(self) -> io::Result<Bytes> {
        let (bytes, file) = self.0.finish()?;
        Ok(Bytes { bytes, file })
    }
}

/// Bytes that were put aside; their file goes with them.
#[derive(Debug)]
pub struct Bytes {
    bytes: storage::Bytes,
    file: Option<Temporary>,
}

impl Bytes {
    /// Copies the bytes from `at` on. Those in a file are read, so that they do not count as memory of this process.
    pub fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        if let Some(temporary) = &self.file {
            let mut file = &temporary.file;
            file.seek(SeekFrom::Start(at))?;
            return file.read_exact(into);
        }
        let from = usize::try_from(at).ok().and_then(|at| self.bytes.get(at..));
        let from = from.and_then(|from| from.get(..into.len()));
        into.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}
