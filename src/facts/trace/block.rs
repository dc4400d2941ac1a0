//! A block: up to 4096 calls of one thread in preorder, in packed columns, with their summary.

use std::ops::Range;

use super::call_columns::{CallColumns, Encoded, OPEN};
use super::columns::{self, Column, Descriptor, PADDING};
use super::longest::{Longest, TOP, Top};
use super::raw_call::{BLOCK, GROUP, RUN};
use super::summary::{self, Summary};

/// Space to work in that is kept from block to block.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    values: Vec<u64>,
    columns: CallColumns,
    pub longest: Longest,
    top: Top,
}

/// A block begins with its numbers and the descriptors of its columns, close together, for each is read
/// before anything else. Then the columns.
const NUMBERS: usize = 11;
/// In the last of the numbers: the calls are in steps, and the block has no summary of its own but for the pairs.
const IN_STEPS_BIT: u32 = 1;
const UNSUMMED_BIT: u32 = 2;
/// Stands in the number of lists of the longest calls of each depth where there are none: of a block so deep that they
/// would hold a good part of its calls.
const NO_LISTS: u32 = u32::MAX;
/// A list with more than one entry for every `LISTED` calls is left out, and so is a summary with more than one pair for
/// every `SUMMED` calls: reading the calls themselves takes no longer.
const LISTED: usize = if cfg!(test) { 2 } else { 4 };
const SUMMED: usize = if cfg!(test) { 2 } else { 8 };
/// Those of the calls, of the longest calls in parts, and of the longest calls of each depth.
const CALL_COLUMNS: usize = 8;
const LONGEST_COLUMNS: usize = 5;
const TOP_COLUMNS: usize = 3;
const DESCRIPTORS: usize = NUMBERS * size_of::<u32>();
const COLUMNS: usize = CALL_COLUMNS + LONGEST_COLUMNS + TOP_COLUMNS;
const HEAD: usize = DESCRIPTORS + COLUMNS * size_of::<Descriptor>();

/// Appends a block.
pub(super) fn write(block: &Encoded<'_>, scratch: &mut Scratch, out: &mut Vec<u8>) {
    let calls = block.calls;
    let base = calls.first().map_or(0, |call| call.start);
    let depth_base = calls.iter().map(|call| call.depth).min().unwrap_or(0);
    let begin = out.len();
    out.resize(begin + HEAD, 0);
    let columns = &mut scratch.columns;
    columns.fill(block, base, depth_base);
    let in_steps = columns.find_steps(block, base);
    let of_calls: [Descriptor; CALL_COLUMNS] = [
        columns::encode(&columns.group_starts, out),
        columns::encode(&columns.lowest, out),
        if in_steps {
            columns::encode_steps(&columns.deltas, out)
        } else {
            columns::encode(&columns.deltas, out)
        },
        columns::encode(
            if in_steps {
                &columns.gaps
            } else {
                &columns.costs
            },
            out,
        ),
        columns::encode(&columns.triggered, out),
        columns::encode_even(&columns.depths, out),
        columns::encode_even(&columns.slots, out),
        columns::encode_even(&columns.nested, out),
    ];
    out.extend_from_slice(&[0; PADDING]);
    let longest_at = (out.len() - begin) as u32;
    let values = &mut scratch.values;
    scratch.longest.find(calls);
    let ids = &scratch.longest.in_runs;
    let depth_of = |&id: &u32| u64::from(calls[id as usize].depth - depth_base);
    let cost_of = |&id: &u32| calls[id as usize].cost;
    // Depths and costs again beside each other, so that few cache lines are read; but for calls in steps, which are
    // many here.
    let again = if in_steps { &[][..] } else { &ids[..] };
    let of_longest: [Descriptor; LONGEST_COLUMNS] = [
        columns::encode(&scratch.longest.masks, out),
        columns::encode(&scratch.longest.run_ends, out),
        columns::encode(ids, out),
        columns::encode(columns::gather(values, again.iter().map(depth_of)), out),
        columns::encode(columns::gather(values, again.iter().map(cost_of)), out),
    ];
    out.extend_from_slice(&[0; PADDING]);
    let top_at = (out.len() - begin) as u32;
    scratch.top.find(calls, depth_base);
    let is_listed = scratch.top.found.len() * LISTED <= calls.len();
    if !is_listed {
        scratch.top.found.clear();
        scratch.top.ends.clear();
    }
    let Top { ends, found, .. } = &scratch.top;
    let id_of = |&(_, id): &(u64, u32)| u64::from(id);
    let of_top: [Descriptor; TOP_COLUMNS] = [
        columns::encode(ends, out),
        columns::encode(columns::gather(values, found.iter().map(id_of)), out),
        columns::encode(
            columns::gather(values, found.iter().map(|&(cost, _)| cost)),
            out,
        ),
    ];
    out.extend_from_slice(&[0; PADDING]);
    let is_summed = block.entries.len() * SUMMED <= calls.len();
    let flags = [(in_steps, IN_STEPS_BIT), (!is_summed, UNSUMMED_BIT)];
    let flags = flags.into_iter().filter(|flag| flag.0);
    let until = if in_steps { columns.until } else { 0 };
    let numbers: [u32; NUMBERS] = [
        calls.len() as u32,
        depth_base,
        (out.len() - begin) as u32,
        longest_at,
        ids.len() as u32,
        top_at,
        found.len() as u32,
        if is_listed {
            ends.len() as u32
        } else {
            NO_LISTS
        },
        until as u32,
        (until >> u32::BITS) as u32,
        flags.fold(0, |flags, (_, bit)| flags | bit),
    ];
    let head = numbers.iter().flat_map(|number| number.to_le_bytes());
    let descriptors = of_calls.iter().chain(&of_longest).chain(&of_top);
    let head = head.chain(descriptors.flatten().copied());
    for (byte, value) in out[begin..].iter_mut().zip(head) {
        *byte = value;
    }
    if is_summed {
        summary::write_of_block(block.entries, &mut scratch.values, out);
    } else {
        summary::write_pairs(block.entries, &mut scratch.values, out);
    }
}

/// A block as it was written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Block<'a> {
    bytes: &'a [u8],
    /// When its first call starts.
    base: u64,
    pub len: usize,
    /// The depth of its least deep call.
    pub depth_base: u32,
    flags: u32,
    /// Where calls are in steps: when those end that no call of the block follows.
    until: u64,
    summary_at: usize,
    groups: Column,
    lowest: Column,
    deltas: Column,
    costs: Column,
    triggered: Column,
    depths: Column,
    slots: Column,
    nested: Column,
    pairs: Option<PairColumn>,
}

/// Where the pairs of the entries stand.
type PairColumn = (Column, usize);

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The columns of `lens` values, from the one with number `first` on, that lie at `at`.
fn described<const N: usize>(
    bytes: &[u8],
    first: usize,
    mut at: usize,
    lens: [usize; N],
) -> Option<[Column; N]> {
    let descriptors = bytes.get(DESCRIPTORS..HEAD)?.as_chunks().0;
    let mut columns = [Column::default(); N];
    for ((column, descriptor), len) in columns.iter_mut().zip(descriptors.get(first..)?).zip(lens) {
        *column = Column::described(descriptor, bytes, &mut at, len)?;
    }
    Some(columns)
}

impl<'a> Block<'a> {
    /// The block in `bytes`, whose first call starts at `base`. None when the bytes do not hold what
    /// they say.
    pub(crate) fn parse(bytes: &'a [u8], base: u64) -> Option<Block<'a>> {
        let len = number(bytes, 0)? as usize;
        let depth_base = number(bytes, 4)?;
        let summary_at = number(bytes, 8)? as usize;
        if len > BLOCK {
            return None;
        }
        let groups = len.div_ceil(GROUP);
        let lens = [groups, groups, len, len, len, len, len, len];
        let [
            groups,
            lowest,
            deltas,
            costs,
            triggered,
            depths,
            slots,
            nested,
        ] = described(bytes, 0, HEAD, lens)?;
        let mut block = Block {
            bytes,
            base,
            len,
            depth_base,
            flags: number(bytes, 40)?,
            until: base.wrapping_add(
                u64::from(number(bytes, 32)?) | u64::from(number(bytes, 36)?) << u32::BITS,
            ),
            summary_at,
            groups,
            lowest,
            deltas,
            costs,
            triggered,
            depths,
            slots,
            nested,
            pairs: None,
        };
        let entries = number(bytes, summary_at)? as usize;
        let mut at = summary_at + size_of::<u32>();
        block.pairs = Some((Column::parse(bytes, &mut at, entries)?, entries));
        Some(block)
    }

    #[inline]
    pub(crate) fn start(&self, i: usize) -> u64 {
        let group = self.groups.get(self.bytes, i / GROUP);
        let delta = self.deltas.get(self.bytes, i);
        self.base.wrapping_add(group).wrapping_add(delta)
    }

    /// Cost and number of triggered calls; none for a call that is open at the end of the block.
    #[inline]
    pub(crate) fn ended(&self, i: usize) -> Option<(u64, u32)> {
        let triggered = self.triggered.get(self.bytes, i);
        (triggered < OPEN).then(|| (self.cost(i), triggered as u32))
    }

    /// Zero for a call that is open at the end of the block.
    #[inline]
    pub(crate) fn cost(&self, i: usize) -> u64 {
        if self.flags & IN_STEPS_BIT != 0 {
            return self.cost_in_steps(i);
        }
        self.costs.get(self.bytes, i)
    }

    fn cost_in_steps(&self, i: usize) -> u64 {
        let triggered = self.triggered.get(self.bytes, i);
        if triggered >= OPEN {
            return 0;
        }
        let next = i + 1 + triggered as usize;
        let next = if next < self.len {
            self.start(next)
        } else {
            self.until
        };
        let gap = self.costs.get(self.bytes, i);
        next.wrapping_sub(gap).wrapping_sub(self.start(i))
    }

    #[inline]
    pub(crate) fn depth(&self, i: usize) -> u32 {
        self.depth_base
            .wrapping_add(self.depths.get(self.bytes, i) as u32)
    }

    #[inline]
    pub(crate) fn slot(&self, i: usize) -> usize {
        self.slots.get(self.bytes, i) as usize
    }

    /// The pairs that the slots stand for.
    pub(crate) fn pairs(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let (column, entries) = self.pairs.unwrap_or_default();
        let bytes = self.bytes;
        (0..entries).map(move |slot| column.get(bytes, slot) as u32)
    }

    /// The pair of caller and callee of call `i`.
    #[inline]
    pub(crate) fn pair(&self, i: usize) -> u32 {
        match self.pairs {
            Some((pairs, entries)) if self.slot(i) < entries => {
                pairs.get(self.bytes, self.slot(i)) as u32
            }
            _ => u32::MAX,
        }
    }

    /// The pair that a slot stands for.
    #[inline]
    pub(crate) fn pair_in(&self, slot: usize) -> u32 {
        match self.pairs {
            Some((pairs, entries)) if slot < entries => pairs.get(self.bytes, slot) as u32,
            _ => u32::MAX,
        }
    }

    /// Whether a call of the same function encloses call `i`.
    #[inline]
    pub(crate) fn nested(&self, i: usize) -> bool {
        self.nested.get(self.bytes, i) != 0
    }

    /// The number of calls that start at or before `t`; `t` is not before the first of them.
    pub(crate) fn started(&self, t: u64) -> usize {
        let group = partition(self.len.div_ceil(GROUP), |group| {
            self.start(group * GROUP) <= t
        });
        let first = group.saturating_sub(1) * GROUP;
        first
            + partition(GROUP.min(self.len - first.min(self.len)), |i| {
                self.start(first + i) <= t
            })
    }

    /// Hands the calls before call `end`, from the last on, that are less deep than `below` and than all handed over
    /// before to `visit`, with their depths, until it says no: the calls around one of them. `depths` is room to work
    /// in. Whether it never said no.
    pub(crate) fn visit_around(
        &self,
        end: usize,
        below: u32,
        depths: &mut Vec<u64>,
        mut visit: impl FnMut(usize, u32) -> bool,
    ) -> bool {
        let mut end = end.min(self.len);
        let mut least = u64::from(below.saturating_sub(self.depth_base));
        while let Some(last) = end.checked_sub(1)
            && least > 0
        {
            let group = last / GROUP;
            let first = group * GROUP;
            if self.lowest.get(self.bytes, group) < least {
                self.depths.unpack(self.bytes, first..end, depths);
                for (i, &depth) in (first..end).zip(&*depths).rev() {
                    if depth < least {
                        least = depth;
                        if !visit(i, self.depth_base.wrapping_add(depth as u32)) {
                            return false;
                        }
                    }
                }
            }
            end = first;
        }
        true
    }

    pub(crate) fn longest(&self) -> Option<LongestCalls<'a>> {
        let at = number(self.bytes, 12)? as usize;
        let len = number(self.bytes, 16)? as usize;
        let (groups, runs) = (self.len.div_ceil(GROUP), self.len.div_ceil(RUN));
        let again = if self.flags & IN_STEPS_BIT == 0 {
            len
        } else {
            0
        };
        let [masks, ends, ids, depths, costs] = described(
            self.bytes,
            CALL_COLUMNS,
            at,
            [groups, runs, len, again, again],
        )?;
        Some(LongestCalls {
            block: *self,
            bytes: self.bytes,
            len,
            masks,
            ends,
            ids,
            depths,
            costs,
        })
    }

    pub(crate) fn top(&self) -> Option<TopCalls<'a>> {
        let at = number(self.bytes, 20)? as usize;
        let len = number(self.bytes, 24)? as usize;
        let lists = number(self.bytes, 28)?;
        let is_left_out = lists == NO_LISTS;
        let lists = if is_left_out { 0 } else { lists as usize };
        let [ends, ids, costs] = described(
            self.bytes,
            CALL_COLUMNS + LONGEST_COLUMNS,
            at,
            [lists, len, len],
        )?;
        Some(TopCalls {
            bytes: self.bytes,
            depth_base: self.depth_base,
            len,
            lists,
            is_left_out,
            ends,
            ids,
            costs,
        })
    }

    /// Starts, relative to the block's, of the calls of `range`.
    pub(crate) fn unpack_starts(&self, range: Range<usize>, out: &mut Vec<u64>) {
        self.deltas.unpack(self.bytes, range.clone(), out);
        let mut next = range.start;
        for group in range.start / GROUP..range.end.div_ceil(GROUP) {
            let end = ((group + 1) * GROUP).min(range.end);
            let start = self.base.wrapping_add(self.groups.get(self.bytes, group));
            for time in &mut out[next - range.start..end - range.start] {
                *time = time.wrapping_add(start);
            }
            next = end;
        }
    }

    /// Costs of the calls of `range`; zero for those that are open at the end of the block.
    pub(crate) fn unpack_costs(&self, range: Range<usize>, out: &mut Vec<u64>) {
        if self.flags & IN_STEPS_BIT != 0 {
            out.clear();
            out.extend(range.map(|i| self.cost_in_steps(i)));
            return;
        }
        self.costs.unpack(self.bytes, range, out);
    }

    /// Depths of the calls of `range`, less `depth_base`.
    pub(crate) fn unpack_depths(&self, range: Range<usize>, out: &mut Vec<u64>) {
        self.depths.unpack(self.bytes, range, out);
    }

    /// How many calls those of `range` trigger; for one that is open at the end of the block as many as no other can.
    pub(crate) fn unpack_triggered(&self, range: Range<usize>, out: &mut Vec<u64>) {
        self.triggered.unpack(self.bytes, range, out);
    }

    /// The slots of the calls of `range`.
    pub(crate) fn unpack_slots(&self, range: Range<usize>, out: &mut Vec<u64>) {
        self.slots.unpack(self.bytes, range, out);
    }

    /// What it adds up to; none where reading its calls is as quick.
    pub(crate) fn summary(&self) -> Option<Summary<'a>> {
        if self.flags & UNSUMMED_BIT != 0 {
            return None;
        }
        let bytes = self.bytes.get(self.summary_at..).unwrap_or_default();
        Some(Summary::parse(bytes, true).unwrap_or_default())
    }
}

/// The longest calls of each depth of a block, as they were written.
pub(crate) struct TopCalls<'a> {
    bytes: &'a [u8],
    depth_base: u32,
    len: usize,
    lists: usize,
    is_left_out: bool,
    ends: Column,
    ids: Column,
    costs: Column,
}

impl TopCalls<'_> {
    /// The entries of `depth`, longest first, and whether they are all calls of the depth that have
    /// ended in the block.
    pub(crate) fn of(&self, depth: u32) -> (Range<usize>, bool) {
        let list = depth.wrapping_sub(self.depth_base) as usize;
        if list >= self.lists {
            return (0..0, !self.is_left_out);
        }
        let end = |list| (self.ends.get(self.bytes, list) as usize).min(self.len);
        let range = list.checked_sub(1).map_or(0, end)..end(list);
        let all = range.len() < TOP;
        (range, all)
    }

    #[inline]
    pub(crate) fn cost(&self, entry: usize) -> u64 {
        self.costs.get(self.bytes, entry)
    }

    /// The place in the block of the call of an entry.
    #[inline]
    pub(crate) fn call(&self, entry: usize) -> usize {
        self.ids.get(self.bytes, entry) as usize
    }
}

/// The longest calls by depth in parts of a block, as they were written.
pub(crate) struct LongestCalls<'a> {
    block: Block<'a>,
    bytes: &'a [u8],
    len: usize,
    masks: Column,
    ends: Column,
    ids: Column,
    depths: Column,
    costs: Column,
}

impl LongestCalls<'_> {
    /// Those of a group.
    pub(crate) fn in_group(&self, group: usize) -> impl Iterator<Item = usize> + use<> {
        let mut mask = self.masks.get(self.bytes, group);
        std::iter::from_fn(move || {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask.wrapping_sub(1);
            (bit < GROUP).then_some(group * GROUP + bit)
        })
    }

    /// The entries that hold those of a run.
    pub(crate) fn in_run(&self, run: usize) -> Range<usize> {
        let end = |run| (self.ends.get(self.bytes, run) as usize).min(self.len);
        run.checked_sub(1).map_or(0, end)..end(run)
    }

    #[inline]
    pub(crate) fn depth(&self, entry: usize) -> u32 {
        if self.block.flags & IN_STEPS_BIT != 0 {
            return self.block.depth(self.call(entry));
        }
        let depth = self.depths.get(self.bytes, entry) as u32;
        self.block.depth_base.wrapping_add(depth)
    }

    #[inline]
    pub(crate) fn cost(&self, entry: usize) -> u64 {
        if self.block.flags & IN_STEPS_BIT != 0 {
            return self.block.cost(self.call(entry));
        }
        self.costs.get(self.bytes, entry)
    }

    /// The place in the block of the call of an entry.
    #[inline]
    pub(crate) fn call(&self, entry: usize) -> usize {
        self.ids.get(self.bytes, entry) as usize
    }
}

/// How many of `0..len` hold `before`, which holds for a prefix of them.
pub(super) fn partition(len: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
