//! Ages of objects: histograms at an instant, patterns over the whole run, and lists of the objects behind them.
//!
//! After "Visualizing dynamic software system information through high-level models" (AVID), sections 2.1 to 2.3: an
//! object created in the cel at hand is of age 1, and ages on whether or not it has been released.

use super::events::{Events, Object, Sequence};
use super::state::State;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::Cost;

/// How many intervals a [`Pattern`] has.
pub const INTERVALS: usize = 10;

/// Objects of one age, of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgeBin {
    /// Those that live at the instant.
    pub living: u32,
    /// Those released at or before it.
    pub released: u32,
}

/// A count of objects of one group in each of ten intervals of the run.
pub type Pattern = [u32; INTERVALS];

impl Events {
    /// The ages of all objects of each group. `edges` are positions, falling: the first is the instant itself, the
    /// next the ends of the cels before it. An object created between `edges[k]` and `edges[k - 1]` is in bin k (here
    /// from 0: k - 1), and everything created before the last edge in the last bin. `of[cell]` is the group of a cell;
    /// `out` holds the bins of group 0, then those of group 1, as many each as there are edges.
    /// O(cells + events between the first and the last edge).
    pub fn ages(&self, edges: &[u32], of: &[u32], now: &State, out: &mut [AgeBin]) {
        out.fill(AgeBin::default());
        let (Some(&at), Some(&oldest)) = (edges.first(), edges.last()) else {
            return;
        };
        let (at, bins) = (at.min(self.end()), edges.len());
        let group = |cell: u32| of.get(cell as usize).map(|&group| group as usize * bins);
        // What was created between the edges, one bin after the other.
        for (bin, pair) in edges.windows(2).enumerate() {
            for event in pair[1]..pair[0].min(at) {
                let (site, is_release) = self.raw(event);
                if is_release {
                    continue;
                }
                let place = group(self.site(site).0).map(|first| first + bin);
                let Some(entry) = place.and_then(|place| out.get_mut(place)) else {
                    continue;
                };
                match self.other(event) {
                    Some(release) if release < at => entry.released += 1,
                    _ => entry.living += 1,
                }
            }
        }
        // All others are older, and there are as many as are missing.
        let mut moved;
        let now = match now.position() == at {
            true => now,
            false => {
                moved = now.clone();
                self.advance(&mut moved, at);
                &moved
            }
        };
        let mut young = vec![(0_u32, 0_u32); out.len().checked_div(bins).unwrap_or(0)];
        for (young, bins) in young.iter_mut().zip(out.chunks(bins)) {
            for bin in bins {
                young.0 += bin.living;
                young.1 += bin.released;
            }
        }
        for (cell, totals) in now.cells().iter().enumerate() {
            let place = group(cell as u32).map(|first| first + bins - 1);
            if let Some(entry) = place.and_then(|place| out.get_mut(place)) {
                entry.living = entry.living.saturating_add(totals.live());
                entry.released = entry.released.saturating_add(totals.releases);
            }
        }
        debug_assert!(oldest <= at || bins == 1);
        for (young, bins) in young.iter().zip(out.chunks_mut(bins)) {
            if let Some(last) = bins.last_mut() {
                last.living = last.living.saturating_sub(young.0);
                last.released = last.released.saturating_sub(young.1);
            }
        }
    }

    /// The first position of each tenth of the run by equal time, from 0 to `duration`, and the end of the last. By equally
    /// many events, see [`AllEvents::tenths`](crate::all_events::AllEvents::tenths).
    pub fn tenths_of_time(&self, duration: Cost) -> [u32; INTERVALS + 1] {
        std::array::from_fn(|i| match i {
            0 => 0,
            INTERVALS => self.end(),
            _ => {
                let share = u128::from(duration.ns()) * i as u128 / INTERVALS as u128;
                // What happens where one interval ends and the next begins belongs to the next.
                let before = (share as u64).checked_sub(1);
                before.map_or(0, |t| self.times.up_to(t) as u32)
            }
        })
    }

    /// How many objects of each group were created in each interval: the allocation pattern. O(events).
    pub fn allocation_pattern(
        &self,
        edges: &[u32; INTERVALS + 1],
        of: &[u32],
        out: &mut [Pattern],
        progress: &Progress,
    ) -> Result<(), Cancelled> {
        out.fill(Pattern::default());
        let mut before = self.state(0);
        for (interval, pair) in edges.windows(2).enumerate() {
            progress.check()?;
            let after = self.state(pair[1]);
            for (cell, (after, before)) in after.cells().iter().zip(before.cells()).enumerate() {
                let group = of.get(cell).map(|&group| group as usize);
                if let Some(out) = group.and_then(|group| out.get_mut(group)) {
                    out[interval] += after.since(before).allocations;
                }
            }
            before = after;
        }
        Ok(())
    }

    /// How many objects of each group were released at which age: nine bins of equal length up to the age of the oldest
    /// that was released, and in the last what was never released. Also gives that age. O(events).
    pub fn release_ages(
        &self,
        of: &[u32],
        out: &mut [Pattern],
        progress: &Progress,
    ) -> Result<Cost, Cancelled> {
        out.fill(Pattern::default());
        let mut oldest = 0;
        let checked = |event: u32| match event.is_multiple_of(1 << 16) {
            true => progress.check(),
            false => Ok(()),
        };
        for event in 0..self.end() {
            checked(event)?;
            if self.is_release(event)
                && let Some(created) = self.other(event)
            {
                oldest = oldest.max(self.time(event).since(self.time(created)).ns());
            }
        }
        for event in 0..self.end() {
            checked(event)?;
            let (site, is_release) = self.raw(event);
            if is_release {
                continue;
            }
            let bin = match self.other(event) {
                None => INTERVALS - 1,
                Some(release) => {
                    let age = self.time(release).since(self.time(event)).ns();
                    let bins = INTERVALS as u128 - 1;
                    let bin = u128::from(age) * bins / (u128::from(oldest) + 1);
                    bin as usize
                }
            };
            let group = of.get(self.site(site).0 as usize);
            if let Some(out) = group.and_then(|&group| out.get_mut(group as usize)) {
                out[bin] += 1;
            }
        }
        Ok(Cost::from_ns(oldest))
    }

    /// The objects created from one position to before another, for which `keep` is true, at most `most` of them, in an
    /// order. Also gives how many there are. O(events between + objects log objects).
    pub fn objects(
        &self,
        (from, to): (u32, u32),
        keep: impl Fn(&Object) -> bool,
        sequence: Sequence,
        most: usize,
        progress: &Progress,
    ) -> Result<(Vec<Object>, u64), Cancelled> {
        let (mut found, mut count): (Vec<Object>, u64) = Default::default();
        let end = self.end().checked_sub(1).map(|last| self.time(last));
        let end = end.unwrap_or_default();
        let rank = |object: &Object| match sequence {
            Sequence::Creation => u64::from(object.created),
            Sequence::Size => u64::MAX - object.size,
            Sequence::Age => u64::MAX - object.age(end).ns(),
        };
        self.visit((from, to), progress, |object| {
            if !keep(&object) {
                return;
            }
            count += 1;
            found.push(object);
            if found.len() >= most.saturating_mul(2).max(1 << 16) {
                found.sort_by_key(|object| (rank(object), object.created));
                found.truncate(most);
            }
        })?;
        found.sort_by_key(|object| (rank(object), object.created));
        found.truncate(most);
        Ok((found, count))
    }

    /// Hands out the objects created from one position to before another, in order. O(events between).
    pub fn visit(
        &self,
        (from, to): (u32, u32),
        progress: &Progress,
        mut take: impl FnMut(Object),
    ) -> Result<(), Cancelled> {
        for event in from..to.min(self.end()) {
            if event.is_multiple_of(1 << 16) {
                progress.check()?;
            }
            if !self.is_release(event)
                && let Some(object) = self.object(event)
            {
                take(object);
            }
        }
        Ok(())
    }
}
