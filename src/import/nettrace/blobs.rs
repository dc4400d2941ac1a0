//! The events of a block, with headers of full length or with what is equal to the event before left out.

use super::bytes::Bytes;

/// An event, or the description of a kind of events.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Blob<'a> {
    /// What describes it.
    pub metadata: u32,
    pub thread: u64,
    pub stack: u32,
    pub time: u64,
    pub payload: &'a [u8],
}

/// The flag of a block whose headers are compressed.
const COMPRESSED: u16 = 1;

pub(super) struct Blobs<'a> {
    /// All of the block: events are aligned in it.
    block: &'a [u8],
    rest: Bytes<'a>,
    is_compressed: bool,
    last: Blob<'a>,
    payload_size: usize,
}

impl<'a> Blobs<'a> {
    /// The events of a block; none if its header is not whole.
    pub(super) fn of(block: &'a [u8]) -> Option<Blobs<'a>> {
        let mut header = Bytes(block);
        let (size, flags) = (header.two()?, header.two()?);
        let rest = block.get(usize::from(size)..)?;
        Some(Blobs {
            block,
            rest: Bytes(rest),
            is_compressed: flags & COMPRESSED != 0,
            last: Blob::default(),
            payload_size: 0,
        })
    }

    /// Whether the block has ended where an event does.
    pub(super) fn has_ended(&self) -> bool {
        self.rest.0.is_empty()
    }

    fn compressed(&mut self) -> Option<Blob<'a>> {
        let rest = &mut self.rest;
        let [flags] = rest.array()?;
        let has = |flag: u8| flags & flag != 0;
        let mut blob = self.last;
        if has(1) {
            blob.metadata = rest.varint()? as u32;
        }
        if has(2) {
            // The number in the sequence, the thread that wrote it, and its processor.
            rest.varint()?;
            rest.varint()?;
            rest.varint()?;
        }
        if has(4) {
            blob.thread = rest.varint()?;
        }
        if has(8) {
            blob.stack = rest.varint()? as u32;
        }
        blob.time = blob.time.wrapping_add(rest.varint()?);
        // Activities.
        if has(16) {
            rest.take(16)?;
        }
        if has(32) {
            rest.take(16)?;
        }
        if has(128) {
            self.payload_size = usize::try_from(rest.varint()?).ok()?;
        }
        blob.payload = rest.take(self.payload_size)?;
        self.last = blob;
        Some(blob)
    }

    fn plain(&mut self) -> Option<Blob<'a>> {
        let size = self.rest.four()? as usize;
        let mut event = Bytes(self.rest.take(size)?);
        // The highest bit says that the events before are not later.
        let metadata = event.four()? & 0x7fff_ffff;
        event.four()?;
        let thread = event.eight()?;
        event.take(12)?;
        let (stack, time) = (event.four()?, event.eight()?);
        event.take(32)?;
        let size = event.four()? as usize;
        let payload = event.take(size)?;
        let at = self.block.len() - self.rest.0.len();
        let padding = at.next_multiple_of(4) - at;
        self.rest.take(padding.min(self.rest.0.len()))?;
        Some(Blob {
            metadata,
            thread,
            stack,
            time,
            payload,
        })
    }
}

impl<'a> Iterator for Blobs<'a> {
    type Item = Blob<'a>;

    fn next(&mut self) -> Option<Blob<'a>> {
        if self.has_ended() {
            return None;
        }
        let rest = self.rest;
        let blob = match self.is_compressed {
            true => self.compressed(),
            false => self.plain(),
        };
        if blob.is_none() {
            self.rest = rest;
        }
        blob
    }
}
