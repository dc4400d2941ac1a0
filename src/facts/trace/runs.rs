//! What happens in runs of calls, as it was written: how long functions are open and on top of the stack, and
//! what each depth has of it.
//!
//! A run of the calls *i* .. *k* stands for the time from the start of call *i* up to the start of call *k*; what
//! ends right at the start of a call ends before it. The runs are of 128 calls, of twice that, and so on, so that any
//! time between two starts is that of a few runs and of less than 128 calls at either end: shorter ones make an index
//! larger and slower to write. Runs of a length whose lists are not much shorter than those of the runs of half that
//! length, which say the same, are kept without lists. Calls around all of a run are open all of the time and not among its lists: they are
//! on the stack where it begins, and still where it ends.

use std::ops::Range;

use super::columns::{self, Column, Descriptor, PADDING};
use super::entries::NONE;

/// Calls in the shortest runs.
pub(super) const SHORTEST: u32 = if cfg!(test) { 4 } else { 128 };
/// The longest runs are 2 to the power of this times as long.
pub(super) const TOP_LEVEL: usize = if cfg!(test) { 5 } else { 13 };
/// Runs in a page: of the levels whose pages are the shortest, and at least.
const MOST_IN_PAGE: u32 = if cfg!(test) { 4 } else { 64 };
const FEWEST_IN_PAGE: u32 = 2;
/// Pages of levels up to this have the most runs, then half as many from level to level: so no page has more than
/// so many calls' entries but for those of the longest runs.
const EVEN_LEVELS: usize = if cfg!(test) { 1 } else { 5 };

/// Runs are kept of traces of more calls. An exact picture goes through the calls of a shortest run at each border of
/// its columns anyway, up to 2048 times; reading as many again fits into a frame.
pub(super) const FEW: usize = if cfg!(test) { 40 } else { 1 << 19 };

/// The number of runs in a page of a level, a power of two. A page holds whole blocks.
pub(super) fn in_page(level: usize) -> u32 {
    let halved = MOST_IN_PAGE >> level.saturating_sub(EVEN_LEVELS).min(31);
    halved.max(FEWEST_IN_PAGE)
}

/// The number of whole shortest runs among `calls`: the call behind each is there too.
pub(super) fn whole_runs(calls: u32) -> u32 {
    calls.saturating_sub(1) / SHORTEST
}

/// The pages of a level of a thread with this number of calls.
fn pages_of_level(calls: u32, level: usize) -> u32 {
    (whole_runs(calls) >> level).div_ceil(in_page(level))
}

/// The pages of all levels of a thread with this number of calls.
pub(crate) fn pages(calls: u32) -> u32 {
    (0..=TOP_LEVEL)
        .map(|level| pages_of_level(calls, level))
        .sum()
}

/// The first page of a level among all of its thread.
pub(super) fn first_page(calls: u32, level: usize) -> u32 {
    (0..level).map(|level| pages_of_level(calls, level)).sum()
}

/// What a function has of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Share {
    pub function: u32,
    /// For how long a call of it is open that no other call of it encloses and that is not around all of the run.
    pub open: u64,
    /// For how long a call of it is the innermost open one.
    pub top: u64,
}

/// What calls of a depth have of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtDepth {
    pub open: u64,
    /// Calls that start in it, and the function of the last of them; NONE without one.
    pub started: u32,
    pub last: u32,
}

impl AtDepth {
    pub(crate) const NOTHING: AtDepth = AtDepth {
        open: 0,
        started: 0,
        last: NONE,
    };
}

/// A page under construction: runs one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct PageWriter {
    /// When each run ends, on the recording's clock, and the depth of the call that starts there.
    pub ends: Vec<u64>,
    pub around: Vec<u32>,
    /// The least depth at which a call of it, or the one behind it, starts.
    pub lowest: Vec<u32>,
    pub share_ends: Vec<u32>,
    pub shares: Vec<Share>,
    /// From the lowest depth of a run on.
    pub depth_ends: Vec<u32>,
    pub depths: Vec<AtDepth>,
}

/// A run of a page under construction.
pub(super) struct Written<'a> {
    pub lowest: u32,
    pub around: u32,
    pub shares: &'a [Share],
    pub depths: &'a [AtDepth],
}

/// How `open` is kept beside `top`: mostly they are equal, or it is 0 where a call is around all of the run.
fn beside(open: u64, top: u64) -> u64 {
    match (open, open.wrapping_sub(top)) {
        (_, 0) => 0,
        (0, _) => 1,
        (_, more) => more.wrapping_add(1),
    }
}

/// The opposite of `beside`.
#[inline]
fn of_beside(kept: u64, top: u64) -> u64 {
    match kept {
        0 => top,
        1 => 0,
        _ => top.wrapping_add(kept - 1),
    }
}

impl PageWriter {
    pub(super) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    pub(super) fn push(&mut self, end: u64, run: &Written<'_>) {
        self.ends.push(end);
        self.around.push(run.around);
        self.lowest.push(run.lowest);
        self.shares.extend_from_slice(run.shares);
        self.share_ends.push(self.shares.len() as u32);
        self.depths.extend_from_slice(run.depths);
        self.depth_ends.push(self.depths.len() as u32);
    }

    pub(super) fn run(&self, run: usize) -> Written<'_> {
        let part = |ends: &[u32]| {
            let start = run.checked_sub(1).map_or(0, |before| ends[before]);
            start as usize..ends[run] as usize
        };
        Written {
            lowest: self.lowest[run],
            around: self.around[run],
            shares: &self.shares[part(&self.share_ends)],
            depths: &self.depths[part(&self.depth_ends)],
        }
    }

    fn clear(&mut self) {
        self.ends.clear();
        self.around.clear();
        self.lowest.clear();
        self.share_ends.clear();
        self.shares.clear();
        self.depth_ends.clear();
        self.depths.clear();
    }

    /// Appends the page, which begins at `base`, with or without its lists, and takes it.
    pub(super) fn write(
        &mut self,
        base: u64,
        is_listed: bool,
        values: &mut Vec<u64>,
        out: &mut Vec<u8>,
    ) {
        if !is_listed {
            self.shares.clear();
            self.share_ends.clear();
            self.depths.clear();
            self.depth_ends.clear();
        }
        let begin = out.len();
        out.resize(begin + HEAD, 0);
        // Of runs there are few.
        let ends = self.ends.iter().map(|end| end.wrapping_sub(base));
        let (shares, depths) = (&self.shares, &self.depths);
        // None is the smallest.
        let lasts = depths.iter().map(|at| at.last.wrapping_add(1).into());
        // Functions rise within a run: what is kept is the difference to the one before, less one.
        let mut in_run = 0..0;
        let mut run_ends = self.share_ends.iter();
        let mut before = u32::MAX;
        let functions = shares.iter().map(|share| {
            while in_run.is_empty()
                && let Some(&end) = run_ends.next()
            {
                (in_run.end, before) = (end, u32::MAX);
            }
            in_run.start += 1;
            let more = share.function.wrapping_sub(before).wrapping_sub(1);
            before = share.function;
            u64::from(more)
        });
        let descriptors: [Descriptor; COLUMNS] = [
            columns::encode_even(columns::gather(values, ends), out),
            columns::encode_even(&self.around, out),
            columns::encode_even(&self.lowest, out),
            columns::encode_even(&self.share_ends, out),
            columns::encode_even(&self.depth_ends, out),
            columns::encode(columns::gather(values, functions), out),
            columns::encode(
                columns::gather(
                    values,
                    shares.iter().map(|share| beside(share.open, share.top)),
                ),
                out,
            ),
            columns::encode(
                columns::gather(values, shares.iter().map(|share| share.top)),
                out,
            ),
            columns::encode(
                columns::gather(values, depths.iter().map(|at| at.open)),
                out,
            ),
            columns::encode(
                columns::gather(values, depths.iter().map(|at| at.started.into())),
                out,
            ),
            columns::encode_even(columns::gather(values, lasts), out),
        ];
        out.extend_from_slice(&[0; PADDING]);
        let numbers = [
            self.ends.len() as u32,
            if is_listed { shares.len() as u32 } else { NONE },
            depths.len() as u32,
        ];
        let numbers = numbers.into_iter().flat_map(u32::to_le_bytes);
        let head = numbers.chain(descriptors.into_iter().flatten());
        for (byte, value) in out[begin..].iter_mut().zip(head) {
            *byte = value;
        }
        self.clear();
    }
}

/// So many entries are unpacked at once: few enough to stay in the cache that is nearest.
const AT_ONCE: usize = 512;

/// A page begins with its numbers and the descriptors of its columns.
const NUMBERS: usize = 3;
const COLUMNS: usize = 11;
const DESCRIPTORS: usize = NUMBERS * size_of::<u32>();
const HEAD: usize = DESCRIPTORS + COLUMNS * size_of::<Descriptor>();

/// A page as it was written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Page<'a> {
    bytes: &'a [u8],
    runs: usize,
    pub is_listed: bool,
    shares: usize,
    depths: usize,
    columns: [Column; COLUMNS],
}

/// The places of columns.
const ENDS: usize = 0;
const AROUND: usize = 1;
const LOWEST: usize = 2;
const SHARE_ENDS: usize = 3;
const DEPTH_ENDS: usize = 4;
const FUNCTION: usize = 5;
const OPEN: usize = 6;
const TOP: usize = 7;
const DEPTH_OPEN: usize = 8;
const STARTED: usize = 9;
const LAST: usize = 10;

impl<'a> Page<'a> {
    /// None when the bytes do not hold what they say.
    pub(crate) fn parse(bytes: &'a [u8]) -> Option<Page<'a>> {
        let number = |at: usize| {
            let number = bytes.get(at * size_of::<u32>()..)?.first_chunk()?;
            Some(u32::from_le_bytes(*number))
        };
        let is_listed = number(1)? != NONE;
        let shares = if is_listed { number(1)? as usize } else { 0 };
        let (runs, depths) = (number(0)? as usize, number(2)? as usize);
        let descriptors: &[Descriptor] = bytes.get(DESCRIPTORS..HEAD)?.as_chunks().0;
        let mut columns = [Column::default(); COLUMNS];
        let mut at = HEAD;
        for (place, (column, descriptor)) in columns.iter_mut().zip(descriptors).enumerate() {
            let len = match place {
                ENDS..=LOWEST => runs,
                SHARE_ENDS..=DEPTH_ENDS if is_listed => runs,
                SHARE_ENDS..=DEPTH_ENDS => 0,
                FUNCTION..=TOP => shares,
                _ => depths,
            };
            *column = Column::described(descriptor, bytes, &mut at, len)?;
        }
        Some(Page {
            bytes,
            runs,
            is_listed,
            shares,
            depths,
            columns,
        })
    }

    #[inline]
    fn at(&self, column: usize, place: usize) -> u64 {
        self.columns[column].get(self.bytes, place)
    }

    fn part(&self, ends: usize, len: usize, run: usize) -> Range<usize> {
        if run >= self.runs || !self.is_listed {
            return 0..0;
        }
        let end = |run: usize| (self.at(ends, run) as usize).min(len);
        let start = run.checked_sub(1).map_or(0, end);
        start..end(run).max(start)
    }

    /// When runs end, since the page begins.
    pub(crate) fn ends(&self, out: &mut Vec<u64>) {
        self.columns[ENDS].unpack(self.bytes, 0..self.runs, out);
    }

    /// The least depth at which a call of a run, or the one behind it, starts: calls less deep are around all of it.
    #[inline]
    pub(crate) fn lowest(&self, run: usize) -> u32 {
        if run < self.runs {
            self.at(LOWEST, run) as u32
        } else {
            0
        }
    }

    /// How many calls are open where a run ends, around the call that starts there.
    #[inline]
    pub(crate) fn around(&self, run: usize) -> u32 {
        if run < self.runs {
            self.at(AROUND, run) as u32
        } else {
            0
        }
    }

    /// Hands what functions have of a run to `see`: functions, for how long open, and on top.
    #[inline]
    pub(crate) fn shares(
        &self,
        run: usize,
        room: &mut Unpacked,
        mut see: impl FnMut(u64, u64, u64),
    ) {
        let part = self.part(SHARE_ENDS, self.shares, run);
        let [functions, open, top] = &mut room.0;
        let mut function = u64::MAX;
        for start in part.clone().step_by(AT_ONCE) {
            let some = start..part.end.min(start + AT_ONCE);
            self.columns[FUNCTION].unpack(self.bytes, some.clone(), functions);
            self.columns[OPEN].unpack(self.bytes, some.clone(), open);
            self.columns[TOP].unpack(self.bytes, some, top);
            for (&more, (&open, &top)) in functions.iter().zip(open.iter().zip(&*top)) {
                function = function.wrapping_add(more).wrapping_add(1);
                see(function, of_beside(open, top), top);
            }
        }
    }

    /// What depths have of a run, from its lowest on: entries of these.
    pub(crate) fn depths(&self, run: usize) -> Range<usize> {
        self.part(DEPTH_ENDS, self.depths, run)
    }

    /// One more than the functions of the last calls of the depths of these entries that start in their run; 0
    /// without one.
    pub(crate) fn lasts(&self, entries: Range<usize>, out: &mut Vec<u64>) {
        self.columns[LAST].unpack(self.bytes, entries, out);
    }

    /// For how long calls of the depths of these entries are open, all together.
    pub(crate) fn open_of(&self, entries: Range<usize>, room: &mut Unpacked) -> u64 {
        let [open, ..] = &mut room.0;
        self.columns[DEPTH_OPEN].unpack(self.bytes, entries, open);
        open.iter().fold(0, |sum, &open| sum.saturating_add(open))
    }

    /// Hands these entries to `see`, in order of depth.
    #[inline]
    pub(crate) fn each_depth(
        &self,
        entries: Range<usize>,
        room: &mut Unpacked,
        mut see: impl FnMut(AtDepth),
    ) {
        let [open, started, last] = &mut room.0;
        self.columns[DEPTH_OPEN].unpack(self.bytes, entries.clone(), open);
        self.columns[STARTED].unpack(self.bytes, entries.clone(), started);
        self.columns[LAST].unpack(self.bytes, entries, last);
        for (&open, (&started, &last)) in open.iter().zip(started.iter().zip(&*last)) {
            see(AtDepth {
                open,
                started: started as u32,
                last: (last as u32).wrapping_sub(1),
            });
        }
    }
}

/// Room to unpack entries into.
#[derive(Debug, Default)]
pub(crate) struct Unpacked([Vec<u64>; 3]);
