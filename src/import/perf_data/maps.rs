//! Which processes and threads run, and which files they have mapped where, as the kernel tells it along time.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::bytes::{Bytes, Order};
use super::chains::Chains;
use super::mapped::{FileId, Found};
use super::records::{Record, kind};
use callscape_facts::hashing::BuildFast;

/// The bits of a record's word that say in which mode it was written, and the modes of kernels.
const MODE: u16 = 7;
const KERNEL: u16 = 1;
const GUEST_KERNEL: u16 = 4;

/// A bit of `PERF_RECORD_MMAP2`: it tells a build id in the place of a device.
const HAS_BUILD_ID: u16 = 1 << 14;

/// A bit of `PERF_RECORD_KSYMBOL`: the symbol goes.
const UNREGISTERED: u16 = 1;

/// How many maps forks may copy, beyond one for so many bytes of the file.
const FREE_COPIES: u64 = 1 << 20;
const BYTES_A_COPY: u64 = 16;

/// A file that is mapped from some address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Map {
    /// Behind its last address.
    end: u64,
    /// Where in the file its first address is.
    offset: u64,
    file: FileId,
}

/// By its first address, what is mapped.
type Space = BTreeMap<u64, Map>;

pub(super) struct Processes {
    /// By thread, its command.
    commands: HashMap<i32, Rc<[u8]>, BuildFast>,
    /// By process; that of its parent until it maps something itself.
    spaces: HashMap<i32, Rc<Space>, BuildFast>,
    kernel: Space,
    /// How many maps may still be copied.
    copies: u64,
    left_out: bool,
}

impl Processes {
    /// None yet, of a file with so many bytes.
    pub(super) fn new(size: u64) -> Processes {
        Processes {
            commands: HashMap::default(),
            spaces: HashMap::default(),
            kernel: Space::new(),
            copies: FREE_COPIES + size / BYTES_A_COPY,
            left_out: false,
        }
    }

    /// The command of a thread, as perf calls it; empty where there is no thread.
    pub(super) fn command_of(&self, thread: Option<i32>) -> Rc<[u8]> {
        let Some(thread) = thread else {
            return Rc::default();
        };
        match (self.commands.get(&thread), thread) {
            (Some(command), _) => Rc::clone(command),
            (None, 0) => Rc::from(&b"swapper"[..]),
            (None, thread) => Rc::from(format!(":{thread}").into_bytes()),
        }
    }

    /// Whether maps were left out since this was last asked.
    pub(super) fn has_left_out(&mut self) -> bool {
        std::mem::take(&mut self.left_out)
    }

    /// Takes the name of a thread.
    pub(super) fn command(&mut self, record: &Record<'_>, order: Order) -> Option<()> {
        let mut body = Bytes::new(record.body, order);
        body.i32()?;
        let thread = body.i32()?;
        self.commands.insert(thread, body.text().into());
        Some(())
    }

    /// Takes a new thread or process, which begins as a copy of another.
    pub(super) fn fork(&mut self, record: &Record<'_>, order: Order) -> Option<()> {
        let mut body = Bytes::new(record.body, order);
        let (process, parent) = (body.i32()?, body.i32()?);
        let (thread, parent_thread) = (body.i32()?, body.i32()?);
        if process != parent
            && let Some(space) = self.spaces.get(&parent).cloned()
        {
            self.spaces.insert(process, space);
        }
        if thread != parent_thread
            && let Some(command) = self.commands.get(&parent_thread).cloned()
        {
            self.commands.insert(thread, command);
        }
        Some(())
    }

    /// Takes a mapped file, or a symbol that the kernel made.
    pub(super) fn map(
        &mut self,
        record: &Record<'_>,
        order: Order,
        chains: &mut Chains<'_>,
    ) -> Option<()> {
        let mut body = Bytes::new(record.body, order);
        if record.kind == kind::SYMBOL {
            let (start, length) = (body.u64()?, body.u32()?);
            body.u16()?;
            let flags = body.u16()?;
            let name = body.text();
            let end = start.checked_add(u64::from(length))?;
            if flags & UNREGISTERED != 0 {
                self.kernel.remove(&start);
            } else if end > start {
                let file = chains.symbol(name);
                insert(
                    &mut self.kernel,
                    start,
                    Map {
                        end,
                        offset: 0,
                        file,
                    },
                );
            }
            return Some(());
        }
        let process = body.i32()?;
        body.i32()?;
        let (start, length, offset) = (body.u64()?, body.u64()?, body.u64()?);
        let mut build_id = None;
        if record.kind == kind::MAP2 {
            let about = body.take(24)?;
            // Protection and flags.
            body.u64()?;
            if record.misc & HAS_BUILD_ID != 0 {
                build_id = about.get(4..4 + usize::from(about[0]));
            }
        }
        let name = body.text();
        // Perf takes a map up to the end of addresses as one that it begins with.
        let end = start.saturating_add(length);
        if end <= start {
            return Some(());
        }
        if matches!(record.misc & MODE, KERNEL | GUEST_KERNEL) {
            let file = chains.kernel_file(name, build_id, (start, offset));
            insert(&mut self.kernel, start, Map { end, offset, file });
            return Some(());
        }
        let file = chains.file(name, build_id, process);
        let map = Map { end, offset, file };
        insert(self.space(process), start, map);
        Some(())
    }

    /// What a process has mapped, which is its own from now on.
    fn space(&mut self, process: i32) -> &mut Space {
        let space = self.spaces.entry(process).or_default();
        if Rc::strong_count(space) > 1 {
            let count = space.len() as u64;
            match self.copies.checked_sub(count) {
                Some(left) => self.copies = left,
                None => {
                    self.left_out = true;
                    *space = Rc::default();
                }
            }
        }
        Rc::make_mut(space)
    }

    /// The file that is mapped at an address of a process.
    pub(super) fn find(&self, process: i32, address: u64, is_kernel: bool) -> Option<Found> {
        let space = match is_kernel {
            true => &self.kernel,
            false => &**self.spaces.get(&process)?,
        };
        let (start, map) = space.range(..=address).next_back()?;
        (address < map.end).then(|| Found {
            file: map.file,
            offset: (address - start).wrapping_add(map.offset),
        })
    }
}

/// Maps a file, over all that was there.
fn insert(space: &mut Space, start: u64, map: Map) {
    // What is behind the end of the new one stays.
    let rest = |from: u64, old: Map| Map {
        offset: old.offset.wrapping_add(map.end - from),
        ..old
    };
    if let Some((&from, before)) = space.range_mut(..start).next_back()
        && before.end > start
    {
        let old = *before;
        before.end = start;
        if old.end > map.end {
            space.insert(map.end, rest(from, old));
        }
    }
    while let Some((&from, &old)) = space.range(start..map.end).next() {
        space.remove(&from);
        if old.end > map.end {
            space.insert(map.end, rest(from, old));
        }
    }
    space.insert(start, map);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_maps_cut_the_old_ones() {
        let map = |end, offset, file| Map {
            end,
            offset,
            file: FileId(file),
        };
        let mut space = Space::new();
        insert(&mut space, 100, map(200, 0, 1));
        insert(&mut space, 120, map(140, 7, 2));
        let expected = [
            (100, map(120, 0, 1)),
            (120, map(140, 7, 2)),
            (140, map(200, 40, 1)),
        ];
        assert!(space.iter().map(|(&at, &map)| (at, map)).eq(expected));
        insert(&mut space, 110, map(150, 0, 3));
        let expected = [
            (100, map(110, 0, 1)),
            (110, map(150, 0, 3)),
            (150, map(200, 50, 1)),
        ];
        assert!(space.iter().map(|(&at, &map)| (at, map)).eq(expected));
    }
}
