//! The contexts of a trace as bytes, for the index: numbers in as many bytes as they need, packed.

use super::super::entries::NONE;
use super::super::numbers::{self, Reader, write};
use super::super::store::Store;
use super::rows::{Node, Paths, Row, ThreadPaths};

impl Paths {
    /// The contexts as bytes; of contexts that are too many, that they are.
    pub(crate) fn to_bytes(paths: Option<&Paths>) -> std::io::Result<Vec<u8>> {
        let Some(paths) = paths else {
            return Ok(Vec::new());
        };
        let mut out = Vec::new();
        for thread in &paths.threads {
            thread.write(&mut out);
        }
        numbers::pack(&out)
    }

    /// The outer none where they are not those of the store; the inner where they were too many.
    pub(crate) fn from_bytes(bytes: &[u8], store: &Store) -> Option<Option<Paths>> {
        if bytes.is_empty() {
            return Some(None);
        }
        let bytes = numbers::unpack(bytes)?;
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
