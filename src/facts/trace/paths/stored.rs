//! The contexts of a trace as bytes, for the index: numbers in as many bytes as they need, packed.

use super::super::entries::NONE;
use super::super::store::Store;
use super::thread::{Node, Paths, Row, ThreadPaths};

/// Unpacked bytes that are read at most.
const MOST: usize = 1 << 31;

fn write(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    #[inline]
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn short(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// As many as come first say; each takes a byte at least.
    fn each<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = usize::try_from(self.number()?).ok()?;
        if count > self.0.len() {
            return None;
        }
        let mut all = Vec::with_capacity(count);
        for _ in 0..count {
            all.push(read(self)?);
        }
        Some(all)
    }
}

/// What was packed, for tests.
#[cfg(test)]
pub(super) fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let packed = bytes.get(size_of::<u64>()..).unwrap_or_default();
    zstd::decode_all(packed).expect("it was packed")
}

impl Paths {
    /// The contexts as bytes; of contexts that are too many, that they are.
    pub fn to_bytes(paths: Option<&Paths>) -> std::io::Result<Vec<u8>> {
        let Some(paths) = paths else {
            return Ok(Vec::new());
        };
        let mut out = Vec::new();
        for thread in &paths.threads {
            thread.write(&mut out);
        }
        let mut bytes = (out.len() as u64).to_le_bytes().to_vec();
        bytes.extend(zstd::bulk::compress(&out, 1)?);
        Ok(bytes)
    }

    /// The outer none where they are not those of the store; the inner where they were too many.
    pub fn from_bytes(bytes: &[u8], store: &Store) -> Option<Option<Paths>> {
        if bytes.is_empty() {
            return Some(None);
        }
        let (length, packed) = bytes.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let length = Some(length).filter(|&it| it <= MOST)?;
        let bytes = zstd::bulk::decompress(packed, length).ok()?;
        let mut reader = Reader(&bytes);
        let mut paths = Paths::default();
        for (place, calls) in store.all_calls().enumerate() {
            let thread = ThreadPaths::read(&mut reader)?;
            let waiting = store.waiting.as_ref();
            let waiters = waiting.and_then(|it| it.threads.get(place));
            let waiters = waiters.map_or(0, |it| it.waiters.len());
            if !thread.belongs_to(&calls, waiters) {
                return None;
            }
            paths.threads.push(thread);
        }
        reader.0.is_empty().then_some(Some(paths))
    }
}

impl ThreadPaths {
    fn write(&self, out: &mut Vec<u8>) {
        write(out, self.nodes.len() as u64);
        for (node, number) in self.nodes.iter().zip(0_u32..) {
            // How far back, which is 0 for outermost ones.
            write(out, u64::from(number.saturating_sub(node.parent)));
            write(out, u64::from(node.function));
        }
        write(out, u64::from(self.blocks));
        write(out, self.ends.len() as u64);
        let mut before = 0;
        for &end in &self.ends {
            write(out, u64::from(end - before));
            before = end;
        }
        write(out, self.rows.len() as u64);
        for row in &self.rows {
            write(out, u64::from(row.context));
            write(out, u64::from(row.calls));
            write(out, row.cost);
        }
        for contexts in [&self.opened, &self.waiters] {
            write(out, contexts.len() as u64);
            for &context in contexts {
                write(out, u64::from(context));
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<ThreadPaths> {
        let mut number = 0_u32;
        let nodes = from.each(|it| {
            let back = it.short()?;
            let parent = match back {
                0 => NONE,
                back => number.checked_sub(back)?,
            };
            number += 1;
            let function = it.short()?;
            Some(Node { parent, function })
        })?;
        let blocks = from.short()?;
        let mut end = 0_u32;
        let ends = from.each(|it| {
            end = end.checked_add(it.short()?)?;
            Some(end)
        })?;
        let rows = from.each(|it| {
            Some(Row {
                context: it.short()?,
                calls: it.short()?,
                cost: it.number()?,
            })
        })?;
        Some(ThreadPaths {
            nodes,
            blocks,
            ends,
            rows,
            opened: from.each(Reader::short)?,
            waiters: from.each(Reader::short)?,
        })
    }
}
