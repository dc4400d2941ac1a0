//! Complete events that wait until all of a recording are known, and leave in order of start.
//!
//! Writers that do not put them in order of start mostly put them in order of end. Of those a stretch that is put in
//! order of start stands before the stretch behind it as a whole, but for the calls that began before it: so stretches
//! are packed and put aside as they come, and the few others are sorted and merged with them at the end.

use std::cmp::Reverse;
use std::io;

use super::complete::Complete;
use super::ends::Ends;
use callscape_base::progress::{Cancelled, Progress};
use callscape_facts::aside::{Aside, Bytes};
use callscape_facts::sorting::{Sorted, Sorter};

/// Events that wait before any are put aside: more than it takes to see that they come in order of start.
const AT_FIRST: usize = if cfg!(test) { 64 } else { 64 << 10 };
/// Events that are put in order together from then on: they fit the second-level cache.
const TOGETHER: usize = if cfg!(test) { 32 } else { 8 << 10 };
/// Fewer of a thread are not worth a page of their own.
const SHORTEST: usize = if cfg!(test) { 4 } else { 64 };
/// Events that are packed, and read back, at once.
const PAGE: usize = if cfg!(test) { 16 } else { 4 << 10 };

type Key = (u32, i64, Reverse<i64>);

/// Complete events on their way into order: by thread, then as [`Complete::key`] has it, those of equal keys as they
/// came. Bounded memory, but for 40 bytes a page.
pub(crate) struct Completes {
    /// The last that came.
    events: Vec<Complete>,
    /// How many of them there may be.
    most: usize,
    ends: Ends,
    /// By the place of the thread.
    threads: Vec<Pages>,
    aside: Aside,
    /// How many are in pages.
    packed: u64,
    /// Those that are in none.
    late: Sorter<Complete, Key>,
    /// Few find a place in a page.
    is_shuffled: bool,
}

/// What was put aside of a thread: pages in order, none of which begins before another of an earlier stretch ends.
#[derive(Default)]
struct Pages {
    pages: Vec<Page>,
    end: Option<i64>,
}

/// Packed events in order.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    /// Where it lies among the bytes put aside.
    at: u64,
    size: u32,
    count: u32,
    /// What the first event counts from.
    start: i64,
    offset: u64,
}

/// A packed event: how much later it starts than the one before it, its cost, how much farther in the file it stands,
/// and its function. Each has as many bytes as it takes, which a byte before them tells, two bits for each.
type Packed = [u32; 4];

/// The most bytes that one takes.
const LONGEST: usize = 1 + size_of::<Packed>();

/// Packs an event at `at`, where there is room for the longest, and gives back where it ends.
#[inline]
fn pack(bytes: &mut [u8], at: usize, packed: Packed) -> usize {
    let mut lengths = 0;
    let mut to = at + 1;
    for (place, number) in packed.into_iter().enumerate() {
        let more = (number | 1).ilog2() / 8;
        lengths |= (more as u8) << (2 * place);
        if let Some(into) = bytes.get_mut(to..to + size_of::<u32>()) {
            into.copy_from_slice(&number.to_le_bytes());
        }
        to += 1 + more as usize;
    }
    if let Some(into) = bytes.get_mut(at) {
        *into = lengths;
    }
    to
}

/// The event at `*at`, moved behind it. Nothing where the bytes do not hold one.
#[inline]
fn unpack(bytes: &[u8], at: &mut usize) -> Packed {
    let lengths = bytes.get(*at).copied().unwrap_or(0);
    *at += 1;
    std::array::from_fn(|place| {
        let more = u32::from(lengths >> (2 * place) & 3);
        let number = bytes.get(*at..).and_then(|rest| rest.first_chunk());
        *at += 1 + more as usize;
        number.map_or(0, |number| u32::from_le_bytes(*number)) & u32::MAX >> (24 - 8 * more)
    })
}

impl Default for Completes {
    fn default() -> Completes {
        Completes {
            events: Vec::new(),
            most: AT_FIRST,
            ends: Ends::default(),
            threads: Vec::new(),
            aside: Aside::default(),
            packed: 0,
            late: Sorter::new(Complete::key),
            is_shuffled: false,
        }
    }
}

impl Completes {
    /// How many came since some were put aside.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    #[inline]
    pub(crate) fn push(&mut self, event: Complete) {
        if self.events.len() >= self.most {
            self.put_aside();
        }
        if !self.is_shuffled {
            self.ends.push(&event);
        }
        self.events.push(event);
    }

    /// The events in the order in which they came, as long as none was put aside; else none.
    pub(crate) fn take_all(&mut self) -> Option<Vec<Complete>> {
        let none = self.packed + self.late.total() == 0;
        none.then(|| {
            self.ends = Ends::default();
            std::mem::take(&mut self.events)
        })
    }

    /// How many came at all.
    pub(crate) fn total(&self) -> u64 {
        self.packed + self.late.total() + self.events.len() as u64
    }

    #[inline(never)]
    fn put_aside(&mut self) {
        let mut events = std::mem::take(&mut self.events);
        if self.is_shuffled {
            events.iter().for_each(|&event| self.late.push(event));
        } else {
            let before = self.packed;
            let mut ends = std::mem::take(&mut self.ends);
            ends.take(&events, |of_thread| self.put_aside_of_thread(of_thread));
            self.ends = ends;
            self.is_shuffled = (self.packed - before) * 2 < events.len() as u64;
        }
        events.clear();
        self.events = events;
        self.most = TOGETHER;
    }

    /// Events of one thread, in order.
    fn put_aside_of_thread(&mut self, events: &[Complete]) {
        let thread = events.first().map_or(0, |event| event.thread as usize);
        if thread >= self.threads.len() {
            self.threads.resize_with(thread + 1, Pages::default);
        }
        let end = self.threads[thread].end;
        let is_late = |event: &Complete| end.is_some_and(|end| event.start <= end);
        let (late, rest) = events.split_at(events.partition_point(is_late));
        late.iter().for_each(|&event| self.late.push(event));
        if rest.len() < SHORTEST {
            rest.iter().for_each(|&event| self.late.push(event));
            return;
        }
        for mut page in rest.chunks(PAGE) {
            while !page.is_empty() {
                page = self.put_page(thread, page);
            }
        }
    }

    /// Packs events up to one that is too far from that before it, and gives back the others.
    fn put_page<'a>(&mut self, thread: usize, events: &'a [Complete]) -> &'a [Complete] {
        let Some(first) = events.first() else {
            return events;
        };
        let of_thread = &mut self.threads[thread];
        let (mut start, mut offset) = (first.start, first.offset);
        let (mut taken, mut count) = (0, 0);
        let late = &mut self.late;
        let (at, bytes) = self.aside.append(|bytes| {
            let mut at = bytes.len();
            bytes.resize(at + events.len() * LONGEST, 0);
            for event in events {
                let Ok(cost) = u32::try_from(event.end.abs_diff(event.start)) else {
                    late.push(*event);
                    taken += 1;
                    continue;
                };
                let step = u32::try_from(event.start.abs_diff(start));
                let jump = i32::try_from(event.offset.wrapping_sub(offset) as i64);
                let (Ok(step), Ok(jump)) = (step, jump) else {
                    break;
                };
                // Small ones of both signs as small numbers.
                let jump = (jump << 1 ^ jump >> 31) as u32;
                at = pack(bytes, at, [step, cost, jump, event.function]);
                (start, offset) = (event.start, event.offset);
                of_thread.end = of_thread.end.max(Some(event.end));
                taken += 1;
                count += 1;
            }
            bytes.truncate(at);
        });
        of_thread.pages.push(Page {
            at,
            size: bytes.len() as u32,
            count,
            start: first.start,
            offset: first.offset,
        });
        self.packed += u64::from(count);
        &events[taken..]
    }

    /// All events in order, which are added to `progress` as they are taken; they end early where it is cancelled.
    /// An error when they could be kept neither in memory nor in a file.
    pub(crate) fn finish(mut self, progress: &Progress) -> io::Result<Ordered> {
        self.put_aside();
        drop((self.events, self.ends));
        Ok(Ordered {
            late: self.late.finish(progress)?,
            stored: self.aside.finish()?,
            threads: self.threads,
            progress: progress.clone(),
            error: None,
        })
    }
}

/// Complete events in order.
pub(crate) struct Ordered {
    late: Sorted<Complete, Key>,
    stored: Bytes,
    threads: Vec<Pages>,
    progress: Progress,
    /// Why they ended early.
    error: Option<io::Error>,
}

impl Ordered {
    /// Whether there are any of a thread, all before it having been taken.
    pub(crate) fn has(&self, thread: u32) -> bool {
        let of_thread = self.threads.get(thread as usize);
        of_thread.is_some_and(|thread| !thread.pages.is_empty()) || self.late_of(thread)
    }

    fn late_of(&self, thread: u32) -> bool {
        let next = self.late.peek();
        next.is_some_and(|event| event.thread == thread)
    }

    /// The events of a thread. Threads are to be taken in order of their places.
    pub(crate) fn of(&mut self, thread: u32) -> OfThread<'_> {
        let pages = self.threads.get_mut(thread as usize);
        let pages = pages.map(|thread| std::mem::take(&mut thread.pages));
        let mut of_thread = OfThread {
            from: self,
            thread,
            pages: pages.unwrap_or_default().into_iter(),
            page: Page::default(),
            bytes: Vec::new(),
            at: 0,
            stored: None,
            late: None,
        };
        of_thread.stored = of_thread.next_stored();
        of_thread.late = of_thread.peek_late();
        of_thread
    }

    /// An error when events could not be read back, and some are missing, or when it was cancelled.
    pub(crate) fn check(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)?;
        self.late.check()
    }
}

/// The events of one thread in order.
pub(crate) struct OfThread<'a> {
    from: &'a mut Ordered,
    thread: u32,
    pages: std::vec::IntoIter<Page>,
    /// The one at hand: what of it has not been given out, and what that counts from.
    page: Page,
    /// Its bytes, and where the next event is among them.
    bytes: Vec<u8>,
    at: usize,
    /// The next one of a page, and of those that are in none.
    stored: Option<Complete>,
    late: Option<Complete>,
}

impl OfThread<'_> {
    #[inline]
    fn next_stored(&mut self) -> Option<Complete> {
        if self.page.count == 0 && !self.read() {
            return None;
        }
        let page = &mut self.page;
        page.count -= 1;
        let [step, cost, jump, function] = unpack(&self.bytes, &mut self.at);
        let jump = (jump >> 1) as i32 ^ -((jump & 1) as i32);
        page.start = page.start.wrapping_add(step.into());
        page.offset = page.offset.wrapping_add_signed(jump.into());
        Some(Complete {
            start: page.start,
            end: page.start.wrapping_add(cost.into()),
            offset: page.offset,
            thread: self.thread,
            function,
        })
    }

    fn peek_late(&self) -> Option<Complete> {
        let late = self.from.late.peek().copied();
        late.filter(|event| event.thread == self.thread)
    }

    #[inline(never)]
    fn next_late(&mut self) -> Option<Complete> {
        self.late?;
        let late = self.from.late.next();
        self.late = self.peek_late();
        late
    }

    /// Reads the next page; false behind the last.
    #[inline(never)]
    fn read(&mut self) -> bool {
        let Some(page) = self.pages.find(|page| page.count > 0) else {
            return false;
        };
        // Numbers are read four bytes at once.
        self.bytes.clear();
        self.bytes.resize(page.size as usize + size_of::<u32>(), 0);
        let into = &mut self.bytes[..page.size as usize];
        let told = self.from.progress.add(page.count.into());
        let read = match told {
            Ok(()) => self.from.stored.read(page.at, into),
            Err(Cancelled) => Err(io::Error::other(Cancelled)),
        };
        if let Err(error) = read {
            self.from.error = Some(error);
            self.pages = Vec::new().into_iter();
            return false;
        }
        (self.page, self.at) = (page, 0);
        true
    }
}

impl Iterator for OfThread<'_> {
    type Item = Complete;

    #[inline]
    fn next(&mut self) -> Option<Complete> {
        if let Some(stored) = self.stored {
            // Of equal keys the first in the file is the first.
            let in_order = |event: &Complete| (event.start, Reverse(event.end), event.offset);
            if self.late.is_none_or(|late| {
                stored.start < late.start || in_order(&stored) <= in_order(&late)
            }) {
                self.stored = self.next_stored();
                return Some(stored);
            }
        }
        self.next_late()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Random;
    use super::*;

    /// Calls of some threads as they end, those around others last; some of them long, at times out of order.
    fn calls(random: &mut Random) -> Vec<Complete> {
        let threads = 1 + random.below(4);
        let mut open: Vec<Vec<i64>> = vec![Vec::new(); threads as usize];
        let mut calls = Vec::new();
        let mut time = -5;
        for _ in 0..random.below(3000) {
            time += match random.below(200) {
                0 => 3 << 30,
                1..100 => 0,
                _ => random.below(50) as i64,
            };
            let thread = random.below(threads) as usize;
            if random.below(2) == 0 {
                open[thread].push(time);
            } else if let Some(start) = open[thread].pop() {
                calls.push((start, time, thread));
            }
        }
        for (thread, open) in open.iter_mut().enumerate() {
            calls.extend(open.drain(..).rev().map(|start| (start, time, thread)));
        }
        let swaps = match random.below(4) {
            0 => random.below(5),
            1 => calls.len() as u64 * 2,
            _ => 0,
        };
        for _ in 0..swaps.min(calls.len() as u64 * 2) {
            let (a, b) = (
                random.below(calls.len() as u64),
                random.below(calls.len() as u64),
            );
            calls.swap(a as usize, b as usize);
        }
        if random.below(5) == 0 {
            calls.sort();
        }
        let far = random.below(8) == 0;
        let calls = calls.into_iter().enumerate();
        calls
            .map(|(place, (start, end, thread))| Complete {
                start,
                end,
                offset: place as u64 * if far { 1 << 27 } else { 90 },
                thread: thread as u32,
                function: place as u32,
            })
            .collect()
    }

    #[test]
    fn events_leave_in_the_order_that_a_stable_sort_gives_them() {
        let mut in_pages = 0;
        for seed in 0..150 {
            let mut expected = calls(&mut Random(seed));
            let mut completes = Completes::default();
            expected.iter().for_each(|&call| completes.push(call));
            assert_eq!(completes.total(), expected.len() as u64);
            expected.sort_by_key(Complete::key);
            let progress = Progress::new();
            let mut ordered = completes.finish(&progress).expect("memory");
            in_pages += ordered
                .threads
                .iter()
                .map(|of| of.pages.len())
                .sum::<usize>();
            let mut found = Vec::new();
            for thread in 0..4 {
                let any = expected.iter().any(|call| call.thread == thread);
                assert_eq!(ordered.has(thread), any);
                found.extend(ordered.of(thread));
            }
            ordered.check().expect("a file that stays");
            let fields = |calls: &[Complete]| -> Vec<_> {
                let fields = calls.iter();
                fields
                    .map(|call| (call.key(), call.offset, call.function))
                    .collect()
            };
            assert_eq!(fields(&found), fields(&expected), "seed {seed}");
        }
        assert!(in_pages > 400, "{in_pages}");
    }

    #[test]
    fn of_events_in_order_of_end_few_are_sorted() {
        let mut completes = Completes::default();
        for number in 0..10_000 {
            // Three in one, one around all of them the last.
            let (start, end) = match number {
                9_999 => (0, 1_000_000),
                _ if number % 4 == 3 => (number * 10 - 35, number * 10 + 8),
                _ => (number * 10, number * 10 + 5),
            };
            completes.push(Complete {
                start,
                end,
                offset: number as u64,
                thread: 0,
                function: 0,
            });
        }
        let few = 10_000 / TOGETHER as u64 * 2;
        completes.put_aside();
        assert!(completes.late.total() < few, "{}", completes.late.total());
    }

    #[test]
    fn events_end_early_once_it_is_cancelled() {
        let mut completes = Completes::default();
        for number in 0..10_000 {
            completes.push(Complete {
                start: number,
                end: number,
                offset: 0,
                thread: 0,
                function: 0,
            });
        }
        let progress = Progress::new();
        let mut ordered = completes.finish(&progress).expect("memory");
        let mut taken = ordered.of(0);
        assert!(taken.next().is_some());
        progress.cancel();
        assert!(taken.count() <= 2 * PAGE);
        ordered.check().expect_err("it was cancelled");
    }
}
