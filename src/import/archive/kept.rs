//! What is kept in memory of the members of a compressed tar: small ones as a whole, of others that look like recordings
//! the first bytes.

use std::io::{self, Read, Write};
use std::sync::Arc;

use super::place::{Looks, Where};

/// What the members that are kept may take together, and the first bytes of others.
const MOST_KEPT: usize = 64 << 20;
const MOST_HEADS: usize = 64 << 20;
/// First bytes that are kept: enough for a block of any compression, and for what tells a format.
const HEAD: usize = 256 << 10;

/// Packs members one after the other.
pub(super) struct Packer {
    compressor: zstd::bulk::Compressor<'static>,
    buffer: Vec<u8>,
    room: usize,
    room_for_heads: usize,
}

impl Packer {
    pub(super) fn new() -> io::Result<Packer> {
        Ok(Packer {
            compressor: zstd::bulk::Compressor::new(1)?,
            buffer: Vec::new(),
            room: MOST_KEPT,
            room_for_heads: MOST_HEADS,
        })
    }

    /// Reads a member as far as there is room for it. `is_recording` judges its first bytes.
    pub(super) fn take(
        &mut self,
        member: &mut impl Read,
        offset: u64,
        is_recording: impl FnOnce(&[u8]) -> bool,
    ) -> io::Result<Where> {
        self.buffer.clear();
        let is_cut = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
        match member.take(HEAD as u64).read_to_end(&mut self.buffer) {
            // The archive ends in it. What there is of it is read as any file that was cut.
            Err(error) if !is_cut(&error) => return Err(error),
            _ => {}
        }
        let head = self.compressor.compress(&self.buffer)?;
        let packed = match self.buffer.len() < HEAD {
            true => Some(head.clone()).filter(|it| it.len() <= self.room),
            false => packed(&self.buffer, member, self.room)?,
        };
        if let Some(packed) = packed {
            self.room -= packed.len();
            return Ok(Where::Kept(packed.into()));
        }
        let looks = match is_recording(&self.buffer) {
            true if head.len() <= self.room_for_heads => {
                self.room_for_heads -= head.len();
                Looks::Recording(head.into())
            }
            true => Looks::Unknown,
            false => Looks::Other,
        };
        Ok(Where::Tar(offset, looks))
    }
}

/// A member in compressed form, of which `head` has been read; none if that takes more than `room`.
fn packed(head: &[u8], member: &mut impl Read, room: usize) -> io::Result<Option<Vec<u8>>> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1)?;
    encoder.write_all(head)?;
    let mut chunk = vec![0; 128 << 10];
    while encoder.get_ref().len() <= room {
        match member.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => encoder.write_all(&chunk[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
        }
    }
    let packed = encoder.finish()?;
    Ok((packed.len() <= room).then_some(packed))
}

/// The bytes of a member of which the first are kept; what is behind them is opened when it is asked for.
pub(super) struct Headed<R, F> {
    head: zstd::stream::read::Decoder<'static, io::BufReader<io::Cursor<Arc<[u8]>>>>,
    passed: u64,
    open: Option<F>,
    rest: Option<R>,
}

impl<R: Read, F: FnOnce(u64) -> io::Result<R>> Headed<R, F> {
    /// `open` opens the member behind as many bytes as it is told.
    pub(super) fn new(head: &Arc<[u8]>, open: F) -> io::Result<Headed<R, F>> {
        Ok(Headed {
            head: zstd::stream::read::Decoder::new(io::Cursor::new(head.clone()))?,
            passed: 0,
            open: Some(open),
            rest: None,
        })
    }
}

impl<R: Read, F: FnOnce(u64) -> io::Result<R>> Read for Headed<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.open.is_some() {
            let count = self.head.read(buffer)?;
            self.passed += count as u64;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
        }
        if let Some(open) = self.open.take() {
            self.rest = Some(open(self.passed)?);
        }
        self.rest.as_mut().map_or(Ok(0), |rest| rest.read(buffer))
    }
}
