//! Adds up what happens in runs of calls while a thread is packed: of the shortest runs what calls add, of the others
//! what two of half their length have.

use super::entries::NONE;
use super::next_run::Outlived;
use super::radix;
use super::runs::{AtDepth, PageWriter, SHORTEST, Share, TOP_LEVEL, Written, in_page};

/// A list is kept if it holds at most this share of what it joins, or fewer than one entry for every `SMALL` calls.
const MOST_KEPT: f64 = 0.5;
const SMALL: f64 = 12.0;

/// What a level has of the run under construction and of the page that it will be in.
#[derive(Debug, Default)]
struct Level {
    page: PageWriter,
    /// When the page begins.
    base: u64,
    /// Calls that were around all of the last run, which is the first of two, and have ended since.
    ended: Vec<u32>,
    /// Runs so far, and what their lists hold.
    runs: u64,
    entries: u64,
}

impl Level {
    fn push(&mut self, end: u64, run: &Written<'_>) {
        self.runs += 1;
        self.entries += (run.shares.len() + run.depths.len()) as u64;
        self.page.push(end, run);
    }
}

/// A page that is whole.
#[derive(Debug)]
pub(super) struct Full {
    pub level: usize,
    pub base: u64,
}

/// A run of the shortest as it comes: shares in no order, depths from its lowest on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole<'a> {
    pub start: u64,
    pub end: u64,
    /// The least depth at which a call of the run starts, or the one behind it.
    pub lowest: u32,
    pub shares: &'a [Share],
    pub depths: &'a [AtDepth],
    /// Calls from before the run that have ended in it.
    pub outlived: &'a [Outlived],
    /// The functions that are on the stack at the end of the run, from its lowest depth on; [`NONE`] for those that
    /// another call of their function encloses.
    pub stack: &'a [u32],
}

/// The runs of a thread. Times are on the recording's clock; differences wrap and come out right.
#[derive(Debug, Default)]
pub(super) struct Summing {
    /// Runs so far.
    number: u32,
    /// The functions on the stack, as [`Whole::stack`] has them.
    stack: Vec<u32>,
    levels: Vec<Level>,
    joined_shares: Vec<Share>,
    /// Of what was around one of two runs, and room to sort and to merge.
    around: Vec<Share>,
    ended_shares: Vec<Share>,
    order: Vec<u64>,
    room: Vec<u64>,
    merged_shares: Vec<Share>,
    joined_depths: Vec<AtDepth>,
    full: Vec<Full>,
}

/// Puts shares in order of function, each once, behind those of `out`. `order` and `room` are room.
fn sort(shares: &[Share], (order, room): (&mut Vec<u64>, &mut Vec<u64>), out: &mut Vec<Share>) {
    // Numbers are sorted several times faster than shares are.
    let keys = shares.iter().zip(0u64..);
    order.clear();
    order.extend(keys.map(|(share, place)| u64::from(share.function) << u32::BITS | place));
    radix::sort(order, room);
    for &key in &*order {
        append(out, shares[key as u32 as usize]);
    }
}

/// Appends a share, whose function is at least the last one's.
fn append(shares: &mut Vec<Share>, next: Share) {
    match shares.last_mut() {
        Some(last) if last.function == next.function => {
            last.open = last.open.wrapping_add(next.open);
            last.top = last.top.wrapping_add(next.top);
        }
        _ => shares.push(next),
    }
}

/// Joins shares in order of function.
fn merge(a: &[Share], b: &[Share], out: &mut Vec<Share>) {
    out.clear();
    out.reserve(a.len() + b.len());
    let (mut of_a, mut of_b) = (0, 0);
    while let (Some(first_a), Some(first_b)) = (a.get(of_a), b.get(of_b)) {
        // Which is first is as good as random: nothing here depends on it but what is read.
        let (is_a, is_b) = (
            first_a.function <= first_b.function,
            first_b.function <= first_a.function,
        );
        let first = if is_a { first_a } else { first_b };
        let both = u64::from(is_a & is_b).wrapping_neg();
        out.push(Share {
            function: first.function,
            open: first.open.wrapping_add(first_b.open & both),
            top: first.top.wrapping_add(first_b.top & both),
        });
        of_a += usize::from(is_a);
        of_b += usize::from(is_b);
    }
    out.extend_from_slice(&a[of_a..]);
    out.extend_from_slice(&b[of_b..]);
}

impl Summing {
    /// Takes the next run. Pages that are whole now are to be taken.
    pub(super) fn push(&mut self, run: &Whole<'_>) {
        for ended in run.outlived {
            self.outlived(*ended);
        }
        self.stack.truncate(run.lowest as usize);
        self.stack.extend_from_slice(run.stack);
        self.joined_shares.clear();
        let room = (&mut self.order, &mut self.room);
        sort(run.shares, room, &mut self.joined_shares);
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let first = &mut self.levels[0];
        if first.page.len() == 0 {
            first.base = run.start;
        }
        let written = Written {
            lowest: run.lowest,
            around: self.stack.len() as u32,
            shares: &self.joined_shares,
            depths: run.depths,
        };
        first.push(run.end, &written);
        self.number += 1;
        let mut level = 0;
        // Two runs make one of the next level.
        while level < TOP_LEVEL && (self.number >> level).is_multiple_of(2) {
            self.join(level);
            level += 1;
        }
        for (level, of_level) in self.levels.iter().enumerate() {
            if of_level.page.len() == in_page(level) {
                self.full.push(Full {
                    level,
                    base: of_level.base,
                });
            }
        }
    }

    /// A call has ended that started before the run that comes: runs of which it has been around the first half lack
    /// that.
    fn outlived(&mut self, Outlived { call, function }: Outlived) {
        for (level, of_level) in self.levels.iter_mut().enumerate() {
            let number = self.number >> level;
            if number % 2 == 1 && call < ((number - 1) << level) * SHORTEST {
                of_level.ended.push(function);
            }
        }
    }

    /// Joins the last two runs of a level.
    fn join(&mut self, level: usize) {
        let of_level = &mut self.levels[level];
        let last = of_level.page.ends.len() - 1;
        let (a, b) = (of_level.page.run(last - 1), of_level.page.run(last));
        let middle = of_level.page.ends[last - 1];
        let end = of_level.page.ends[last];
        let start = match last.checked_sub(2) {
            Some(before) => of_level.page.ends[before],
            None => of_level.base,
        };
        let lasts = [middle.wrapping_sub(start), end.wrapping_sub(middle)];
        let lowest = a.lowest.min(b.lowest);
        let mut shares = &mut self.joined_shares;
        merge(a.shares, b.shares, shares);
        let mut whole = |function: u32, open: u64| {
            if open > 0 {
                self.around.push(Share {
                    function,
                    open,
                    top: 0,
                });
            }
        };
        // What was around all of one of them is not around both.
        for function in of_level.ended.drain(..) {
            whole(function, lasts[0]);
        }
        let around = self.stack.iter().take(b.lowest as usize);
        for &function in around.skip(lowest as usize) {
            if function != NONE {
                whole(function, lasts[1]);
            }
        }
        if !self.around.is_empty() {
            self.ended_shares.clear();
            let room = (&mut self.order, &mut self.room);
            sort(&self.around, room, &mut self.ended_shares);
            self.around.clear();
            merge(shares, &self.ended_shares, &mut self.merged_shares);
            shares = &mut self.merged_shares;
        }
        let depths = &mut self.joined_depths;
        depths.clear();
        let reach = |run: &Written<'_>| run.lowest as usize + run.depths.len();
        for depth in lowest as usize..reach(&a).max(reach(&b)) {
            let at = |run: &Written<'_>, lasts: u64| match depth.checked_sub(run.lowest as usize) {
                Some(place) => run.depths.get(place).copied().unwrap_or(AtDepth::NOTHING),
                None => AtDepth {
                    open: lasts,
                    ..AtDepth::NOTHING
                },
            };
            let [a, b] = [at(&a, lasts[0]), at(&b, lasts[1])];
            depths.push(AtDepth {
                open: a.open.saturating_add(b.open),
                started: a.started.saturating_add(b.started),
                last: if b.started > 0 { b.last } else { a.last },
            });
        }
        let around = b.around;
        if self.levels.len() == level + 1 {
            self.levels.push(Level::default());
        }
        let next = &mut self.levels[level + 1];
        if next.page.len() == 0 {
            next.base = start;
        }
        next.push(
            end,
            &Written {
                lowest,
                around,
                shares,
                depths: &self.joined_depths,
            },
        );
    }

    /// The next page that is whole.
    pub(super) fn take_full(&mut self) -> Option<Full> {
        self.full.pop()
    }

    /// The pages that are not whole, at the end.
    pub(super) fn rest(&self) -> Vec<Full> {
        let levels = self.levels.iter().enumerate();
        let begun = levels.filter(|(_, of_level)| of_level.page.len() > 0);
        begun
            .map(|(level, of_level)| Full {
                level,
                base: of_level.base,
            })
            .collect()
    }

    /// Whether the runs of a level are kept with their lists: those of the shortest are, and those of others where they
    /// are small or hold at most half of what the same calls have in the last level below that is kept. Which ones
    /// are may change on the way.
    fn is_listed(&self, level: usize) -> bool {
        let [shortest, others @ ..] = &self.levels[..=level] else {
            return true;
        };
        // Entries by shortest run.
        let share = |of: &Level, level: usize| {
            (of.entries as f64) / (of.runs.max(1) as f64) / f64::from(1u32 << level)
        };
        let most = |kept: f64| (kept * MOST_KEPT).max(f64::from(SHORTEST) / SMALL);
        let mut kept = share(shortest, 0);
        let mut is_listed = true;
        for (of, level) in others.iter().zip(1..) {
            is_listed = share(of, level) <= most(kept);
            if is_listed {
                kept = share(of, level);
            }
        }
        is_listed
    }

    /// Appends a page, and begins the next.
    pub(super) fn write(&mut self, full: &Full, values: &mut Vec<u64>, out: &mut Vec<u8>) {
        let is_listed = self.is_listed(full.level);
        let page = &mut self.levels[full.level].page;
        page.write(full.base, is_listed, values, out);
    }
}
