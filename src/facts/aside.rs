//! Bytes that an import puts aside while it runs: in memory at first, in a file that is mapped when they
//! get many.

use std::io;
use std::ops::Deref;

use super::trace::storage::{self, Growing, Temporary};

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
        Ok(Bytes { bytes, _file: file })
    }
}

/// Bytes that were put aside; their file is gone with them.
#[derive(Debug)]
pub struct Bytes {
    bytes: storage::Bytes,
    _file: Option<Temporary>,
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}
