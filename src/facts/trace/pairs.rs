//! What a thread keeps at hand while it is written: sums by pair, and which functions are on the stack.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use super::entries::{NONE, Pair};
use super::next_run::share;
use super::runs::Share;
use super::summary::Sums;

/// Builds hashers of small keys: a folded multiplication, seeded anew in each run so that no input can
/// be made to collide.
#[derive(Clone)]
pub(super) struct Seed(u64);

impl Default for Seed {
    fn default() -> Seed {
        Seed(RandomState::new().hash_one(0))
    }
}

impl Seed {
    /// Where a pair is looked for first, in a table of a power of two.
    #[inline]
    fn place(&self, pair: Pair) -> usize {
        let key = u64::from(pair.caller) << 32 | u64::from(pair.callee);
        mix(self.0, key) as usize
    }
}

/// Has the memory of a row brought near, for it is asked for soon.
#[inline]
fn bring_near<T>(table: &[T], place: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(row) = table.get(place & table.len().wrapping_sub(1)) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is a part of every x86-64, and the address is one of a row.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(row).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, place);
}

/// The pairs of a store, numbered as they come.
#[derive(Default)]
pub(super) struct Numbers {
    pub pairs: Vec<Pair>,
    /// Open addressing: the number of a pair and one, 0 where free. A power of two, at most half full.
    table: Vec<(Pair, u32)>,
    seed: Seed,
}

impl Numbers {
    /// Has the memory of a pair brought near, for it is asked for soon.
    #[inline]
    pub(super) fn expect(&self, pair: Pair) {
        bring_near(&self.table, self.seed.place(pair));
    }

    /// The number of a pair, a new one where it has none.
    #[inline]
    pub(super) fn of(&mut self, pair: Pair) -> u32 {
        if self.pairs.len() * 2 >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut at = self.seed.place(pair) & mask;
        loop {
            let (found, number) = self.table[at];
            if number == 0 {
                break;
            }
            if found == pair {
                return number - 1;
            }
            at = (at + 1) & mask;
        }
        self.pairs.push(pair);
        let number = self.pairs.len() as u32;
        self.table[at] = (pair, number);
        number - 1
    }

    #[cold]
    fn grow(&mut self) {
        let length = (self.table.len() * 2).max(1 << 10);
        self.table = vec![(Pair::default(), 0); length];
        for (&pair, number) in self.pairs.iter().zip(1..) {
            let mut at = self.seed.place(pair) & (length - 1);
            while self.table[at].1 != 0 {
                at = (at + 1) & (length - 1);
            }
            self.table[at] = (pair, number);
        }
    }
}

/// The numbers of the pairs of a thread, by their rows in [`PairSums`]: most rows have the pair of the block before.
#[derive(Default)]
pub(super) struct Known {
    rows: Vec<(Pair, u32)>,
    /// Room for rows of which the number is not known.
    unknown: Vec<(u32, Pair)>,
}

impl Known {
    /// Finds out the numbers of pairs with their rows, new ones in their order.
    pub(super) fn find(
        &mut self,
        pairs: impl Iterator<Item = (u32, Pair)> + Clone,
        numbers: &mut Numbers,
    ) {
        let most = pairs.clone().map(|(row, _)| row as usize + 1).max();
        if most.is_some_and(|most| most > self.rows.len()) {
            self.rows.resize(most.unwrap_or(0), (Pair::default(), NONE));
        }
        self.unknown.extend(pairs.filter(|&(row, pair)| {
            let (known, number) = self.rows[row as usize];
            known != pair || number == NONE
        }));
        // Each waits for memory: so the waits fall together.
        self.unknown
            .iter()
            .for_each(|&(_, pair)| numbers.expect(pair));
        for (row, pair) in self.unknown.drain(..) {
            self.rows[row as usize] = (pair, numbers.of(pair));
        }
    }

    /// The number of a pair that was found last at its row.
    #[inline]
    pub(super) fn at(&self, row: u32) -> u32 {
        self.rows[row as usize].1
    }
}

impl BuildHasher for Seed {
    type Hasher = Mixed;

    fn build_hasher(&self) -> Mixed {
        Mixed(self.0)
    }
}

#[inline]
fn mix(state: u64, word: u64) -> u64 {
    // The factor of Fibonacci hashing: Knuth, The Art of Computer Programming 3, section 6.4.
    let product = u128::from(state ^ word) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

/// The state of a hash.
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(byte.into());
        }
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.0 = mix(self.0, value.into());
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// For how long calls of a pair have been open and on top in a run of calls.
#[derive(Clone, Copy, Default)]
struct InRun {
    open: u64,
    top: u64,
    is_seen: bool,
}

/// The sums of the calls of a block, by pair in order of the first call.
#[derive(Default)]
pub(super) struct PairSums {
    sums: Vec<(Pair, Sums)>,
    /// By slot, and the slots that have something.
    in_run: Vec<InRun>,
    seen: Vec<u32>,
    /// Open addressing: pair, its slot, and the number of the block that it belongs to. A power of two,
    /// at most half full.
    table: Vec<(Pair, u32, u32)>,
    /// By slot its row. Most pairs of a block are those of the one before, in the same rows.
    rows: Vec<u32>,
    block: u32,
    seed: Seed,
}

impl PairSums {
    /// The slot of a pair, a new one where it has none.
    #[inline]
    pub(super) fn slot(&mut self, pair: Pair) -> u32 {
        let mask = self.table.len().wrapping_sub(1);
        let mut at = self.place(pair);
        while let Some(&(found, slot, block)) = self.table.get(at & mask) {
            if block != self.block {
                break;
            }
            if found == pair {
                return slot;
            }
            at = (at & mask) + 1;
        }
        self.add(pair)
    }

    /// Has the memory of a pair's slot brought near, for it is asked for soon.
    #[inline]
    pub(super) fn expect(&self, pair: Pair) {
        bring_near(&self.table, self.place(pair));
    }

    #[inline]
    fn place(&self, pair: Pair) -> usize {
        self.seed.place(pair)
    }

    #[cold]
    fn add(&mut self, pair: Pair) -> u32 {
        let slot = self.sums.len() as u32;
        self.sums.push((pair, Sums::default()));
        self.in_run.push(InRun::default());
        if self.sums.len() * 2 > self.table.len() {
            let len = (self.table.len() * 2).max(8);
            self.block = 1;
            self.table.clear();
            self.table.resize(len, (Pair::default(), 0, 0));
            self.rows.clear();
            for slot in 0..self.sums.len() {
                self.put(self.sums[slot].0, slot as u32);
            }
        } else {
            self.put(pair, slot);
        }
        slot
    }

    /// Gives the pair of the next slot its row.
    fn put(&mut self, pair: Pair, slot: u32) {
        let mask = self.table.len() - 1;
        let mut at = self.place(pair) & mask;
        while self.table[at].2 == self.block {
            at = (at + 1) & mask;
        }
        self.table[at] = (pair, slot, self.block);
        self.rows.push(at as u32);
    }

    /// The sums of a slot that was given out.
    #[inline]
    pub(super) fn of(&mut self, slot: u32) -> &mut Sums {
        &mut self.sums[slot as usize].1
    }

    /// Counts for how long a call of a slot that was given out has been open and on top in the run.
    #[inline]
    pub(super) fn count_in_run(&mut self, slot: u32, open: u64, top: u64) {
        let of = &mut self.in_run[slot as usize];
        if !std::mem::replace(&mut of.is_seen, true) {
            self.seen.push(slot);
        }
        of.open = of.open.wrapping_add(open);
        of.top = of.top.wrapping_add(top);
    }

    /// Appends the shares of the run that have been counted, and forgets them.
    pub(super) fn end_run(&mut self, shares: &mut Vec<Share>) {
        for slot in self.seen.drain(..) {
            let InRun { open, top, .. } = std::mem::take(&mut self.in_run[slot as usize]);
            share(shares, self.sums[slot as usize].0.callee, open, top);
        }
    }

    /// Hands over the sums of the block and the rows of their pairs, in exchange for empty ones, and begins the next.
    pub(super) fn take(&mut self, sums: &mut Vec<(Pair, Sums)>, rows: &mut Vec<u32>) {
        std::mem::swap(sums, &mut self.sums);
        std::mem::swap(rows, &mut self.rows);
        self.in_run.clear();
        self.seen.clear();
        self.block = self.block.wrapping_add(1);
        if self.block == 0 {
            // What is left from four thousand million blocks ago would look new.
            self.table.fill((Pair::default(), 0, 0));
            self.block = 1;
        }
    }
}

/// Calls below this depth are searched one by one for a function.
const SHALLOW: usize = 64;
/// Numbers of open calls, of functions whose ids are equal modulo this.
const COUNTS: usize = 512;
/// Up to this depth a stack is searched without them: recordings of many threads have most of them shallow.
const UNCOUNTED: usize = 8;

/// Which functions are on a stack.
#[derive(Default)]
pub(super) struct OnStack {
    /// Of many functions these tell that they are not; none as long as no stack was deep.
    counts: Vec<u32>,
    /// How often each stands at `SHALLOW` or deeper.
    deep: HashMap<u32, u32, Seed>,
}

impl OnStack {
    /// Whether `function` is among `functions`, those of the stack from the outermost on.
    #[inline]
    pub(super) fn is_nested(&self, function: u32, functions: &[u32]) -> bool {
        match self.counts.get(function as usize % COUNTS) {
            Some(&count) => count > 0 && self.search(function, functions),
            None => functions.contains(&function),
        }
    }

    fn search(&self, function: u32, functions: &[u32]) -> bool {
        let shallow = &functions[..functions.len().min(SHALLOW)];
        shallow.contains(&function) || self.deep.contains_key(&function)
    }

    /// A call of `function` gets onto the stack, inside calls of `functions`, from the outermost on.
    #[inline]
    pub(super) fn enter(&mut self, function: u32, functions: &[u32]) {
        let depth = functions.len();
        if self.counts.is_empty() {
            if depth < UNCOUNTED {
                return;
            }
            self.count(functions);
        }
        self.counts[function as usize % COUNTS] += 1;
        if depth >= SHALLOW {
            *self.deep.entry(function).or_default() += 1;
        }
    }

    #[cold]
    fn count(&mut self, functions: &[u32]) {
        self.counts = vec![0; COUNTS];
        for &function in functions {
            self.counts[function as usize % COUNTS] += 1;
        }
    }

    /// And leaves it.
    #[inline]
    pub(super) fn exit(&mut self, function: u32, depth: usize) {
        if let Some(count) = self.counts.get_mut(function as usize % COUNTS) {
            *count -= 1;
        }
        if depth >= SHALLOW
            && let Some(count) = self.deep.get_mut(&function)
        {
            *count -= 1;
            if *count == 0 {
                self.deep.remove(&function);
            }
        }
    }
}
