//! What runs glows and rises, fades by half-lives afterwards, and tints the terraces up to the root.
//!
//! Of a million blocks a few hundred change in a frame. What is looked at for these lies together: the blocks of a
//! recording's functions and those that they stand on, each in a slot of its own, in the order of blocks.

use super::blocks::NO_BLOCK;
use super::memory::{Level, NEWS};
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{Cost, FunctionId, ModuleId, Time};
use callscape_facts::trace::Recent;
use callscape_layout::geometry::{Block, BlockActivity, BlockKind, BlockLook, ChangedLooks};
use callscape_model::landscape::LandscapeSettings;
use callscape_model::left::Left;
use callscape_model::moment::Moment;
use callscape_model::surface::Surface;

/// After this many half-lives nothing is left to see.
const HALF_LIVES: u64 = 6;

/// What ran in the cel glows so much at least; less than this is not seen; what was called at all glows so
/// much at least in a summary.
const LEAST_IN_CEL: f32 = 0.3;
const LEAST: f32 = 0.015;
const LEAST_IN_SUMMARY: f32 = 0.06;

/// How far a block that runs stands above its top at rest, in world units, and at most as a multiple of
/// its shorter side.
const RISE: f32 = 22.0;
const RISE_SLENDERNESS: f32 = 6.0;

/// How much of the strongest glow on it a terrace shows, and how much of that the one below it.
const TERRACE_SHARE: f32 = 0.075;
const TERRACE_FADE: f32 = 0.85;

/// Where the blocks stand, and which of them is shown for a module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub blocks: &'a [Block],
    pub parents: &'a [u32],
    pub(crate) block_of: &'a [u32],
}

/// What raises and colours blocks whether or not they run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing<'a> {
    /// The blocks that it may, in order.
    pub blocks: &'a [u32],
    /// What has changed if `is_partial`, otherwise what there is.
    pub levels: &'a [Level],
    pub is_partial: bool,
    /// Heights say it: what runs glows alone.
    pub says_height: bool,
}

/// A block that may glow.
#[derive(Clone, Copy, Debug)]
struct Slot {
    block: u32,
    /// The slot of the block that it stands on; its own for the root.
    parent: u32,
    /// Its top at rest, and how far it rises at most; 0 for a terrace.
    top: f32,
    rise: f32,
    glow: f32,
    /// How far it stands above its top whether or not it glows.
    level: f32,
    /// The highest top of what stands on it and has risen; 0 where nothing has.
    highest: f32,
}

/// The blocks that are not at rest.
#[derive(Debug, Default)]
pub(super) struct Activity {
    /// The recording that the slots are of.
    of: Option<usize>,
    slots: Vec<Slot>,
    /// By function its slot; [`NO_BLOCK`] for what is hidden.
    slot_of: Vec<u32>,
    /// The same by level of memory.
    slot_of_level: Vec<u32>,
    /// The slots that glow, in order, terraces among them.
    glowing: Vec<u32>,
    /// Blocks on which some have risen, and how high the highest of these are.
    risen: Vec<(u32, f32)>,
    /// How active the blocks are now that the last moment changed; unless all looks have changed.
    changed: Vec<BlockActivity>,
    are_all_others: bool,
    /// Scratch: what glowed before, and how much each function glows.
    before: Vec<u32>,
    glows: Vec<(FunctionId, f32)>,
    recent: Recent,
}

impl Activity {
    /// The blocks are all at rest.
    pub(super) fn forget(&mut self) {
        self.slots.iter_mut().for_each(|it| it.level = 0.0);
        self.put_out();
        // Slots may be numbered anew before anything glows again.
        self.before.clear();
        self.glowing.clear();
        self.before.clear();
        self.risen.clear();
        self.changed.clear();
        self.are_all_others = true;
    }

    /// The blocks have changed, and all are at rest.
    pub(crate) fn outdate(&mut self) {
        self.forget();
        self.of = None;
    }

    /// Which looks the last moment changed.
    pub(super) fn changed(&self) -> ChangedLooks<'_> {
        match self.are_all_others {
            true => ChangedLooks::All,
            false => ChangedLooks::Activity(&self.changed),
        }
    }

    /// The moment is the same as before: nothing changes.
    pub(super) fn stay(&mut self) {
        self.changed.clear();
        self.are_all_others = false;
    }

    /// The blocks that glow, terraces among them.
    pub(super) fn glowing(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        let slots = self.glowing.iter();
        slots.filter_map(|&slot| Some(self.slots.get(slot as usize)?.block))
    }

    /// Blocks on which some have risen, and how high the highest of these are.
    pub(super) fn risen(&self) -> &[(u32, f32)] {
        &self.risen
    }

    /// Whether anything shown may raise a block; so may all as long as nothing has been shown. O(log blocks).
    pub(super) fn may_rise(&self, block: u32) -> bool {
        let found = self.slots.binary_search_by_key(&block, |slot| slot.block);
        self.of.is_none() || found.is_ok()
    }

    fn has_slots(&self, resolved: &Resolved, of: usize, standing: Standing<'_>) -> bool {
        self.of == Some(of)
            && self.slot_of.len() == resolved.resolution.modules.len()
            && self.slot_of_level.len() == standing.blocks.len()
    }

    /// Gives the blocks of a recording's functions, and those that they stand on, their slots. O(blocks + functions).
    fn find_slots(
        &mut self,
        resolved: &Resolved,
        of: usize,
        place: Place<'_>,
        standing: Standing<'_>,
    ) {
        let modules = &resolved.resolution.modules;
        self.of = Some(of);
        let block = |module: &ModuleId| {
            let block = place.block_of.get(module.index()).copied();
            block.unwrap_or(NO_BLOCK)
        };
        let mut slot_at = vec![NO_BLOCK; place.blocks.len()];
        let standing = standing.blocks.iter().copied();
        for block in modules.iter().map(block).chain(standing.clone()) {
            let mut at = block as usize;
            // Up to one that is marked already.
            while let Some(slot) = slot_at.get_mut(at).filter(|slot| **slot == NO_BLOCK) {
                *slot = 0;
                at = place.parents[at] as usize;
            }
        }
        self.slots.clear();
        for (index, slot) in slot_at.iter_mut().enumerate() {
            if *slot == NO_BLOCK {
                continue;
            }
            *slot = self.slots.len() as u32;
            let block = &place.blocks[index];
            self.slots.push(Slot {
                block: index as u32,
                parent: place.parents[index],
                top: block.max.z,
                rise: rise_of(block),
                glow: 0.0,
                level: 0.0,
                highest: 0.0,
            });
        }
        for slot in &mut self.slots {
            slot.parent = slot_at[slot.parent as usize];
        }
        let slots = modules.iter().map(|module| {
            let slot = slot_at.get(block(module) as usize);
            slot.copied().unwrap_or(NO_BLOCK)
        });
        self.slot_of.clear();
        self.slot_of.extend(slots);
        let levels = standing.map(|block| slot_at[block as usize]);
        self.slot_of_level.clear();
        self.slot_of_level.extend(levels);
    }

    /// Brings `looks` to `moment`.
    pub(super) fn show(
        &mut self,
        session: &Session,
        moment: Option<Moment>,
        settings: &LandscapeSettings,
        place: Place<'_>,
        looks: &mut [BlockLook],
        (left, standing): (&Left, Standing<'_>),
    ) {
        self.stay();
        let resolved = moment.and_then(|moment| session.recordings.get(moment.recording));
        let is_history = resolved.is_some_and(|it| it.recording.played.is_some());
        // Red and amber mean more in a difference, and changes glow for months: both would hide the colours.
        let is_covered = is_history && settings.surface != Surface::Neutral;
        let glows = settings.surface != Surface::Difference && !is_covered;
        if let (Some(moment), Some(resolved)) = (moment, resolved)
            && !self.has_slots(resolved, moment.recording, standing)
        {
            // Slots are numbered anew: what glows is put out first.
            self.are_all_others = !self.glowing.is_empty();
            self.level();
            self.put_out();
            self.write((glows, false), looks);
            self.before.clear();
            self.glowing.clear();
            self.find_slots(resolved, moment.recording, place, standing);
        }
        if !standing.is_partial {
            self.level();
        }
        self.put_out();
        std::mem::swap(&mut self.before, &mut self.glowing);
        self.glowing.clear();
        let rises = moment.is_some_and(|moment| !moment.summary) && !standing.says_height;
        if let (Some(moment), Some(resolved)) = (moment, resolved) {
            self.glows.clear();
            if moment.summary {
                shares(resolved, moment, left, &mut self.glows);
            } else {
                let recent = &mut self.recent;
                find_recent(resolved, moment, settings, left, recent, &mut self.glows);
            }
            for &(function, glow) in &self.glows {
                if left.shows(function)
                    && let Some(&slot) = self.slot_of.get(function.index())
                    && slot != NO_BLOCK
                {
                    light(&mut self.slots, &mut self.glowing, slot, glow);
                }
            }
        }
        self.lift(standing.levels, looks);
        self.glowing.sort_unstable();
        self.write((glows, rises), looks);
    }

    /// Raises and colours blocks by what lives in them.
    fn lift(&mut self, levels: &[Level], looks: &mut [BlockLook]) {
        for level in levels {
            let Some(&slot) = self.slot_of_level.get(level.group as usize) else {
                continue;
            };
            let (glowing, slots) = (&mut self.glowing, &mut self.slots);
            // Where colours say how much lives, a glow would cover them.
            if level.is_news && level.color.is_none() {
                light(slots, glowing, slot, NEWS);
            }
            let of = &mut slots[slot as usize];
            of.level = level.rise;
            // Those at rest that have just come to rest are told of as well.
            if of.glow == 0.0 {
                glowing.push(slot);
            }
            if let Some(color) = level.color {
                looks[level.block as usize].data = color;
            }
        }
    }

    fn put_out(&mut self) {
        for &slot in &self.glowing {
            self.slots[slot as usize].glow = 0.0;
        }
    }

    /// Nothing stands above or below its top at rest; those that did are written anew.
    fn level(&mut self) {
        for (slot, number) in self.slots.iter_mut().zip(0..) {
            if slot.level != 0.0 {
                slot.level = 0.0;
                if slot.glow == 0.0 {
                    self.glowing.push(number);
                }
            }
        }
        self.glowing.sort_unstable();
        self.glowing.dedup();
    }

    /// Writes what glows, and what no longer does, to `looks`. A summary has nothing that rises.
    fn write(&mut self, (glows, rises): (bool, bool), looks: &mut [BlockLook]) {
        let (slots, blocks) = (&self.slots, looks.len());
        let changed = &mut self.changed;
        changed.clear();
        // Each is far from the others in memory: asked for together they come together.
        let glowing = self.glowing.iter().map(|&slot| slots[slot as usize].block);
        let near = glowing.map(|block| looks[block as usize % blocks.max(1)].glow.to_bits());
        std::hint::black_box(near.fold(0, |all, one| all ^ one));
        merge(&self.before, &self.glowing, |slot| {
            let slot = &slots[slot as usize];
            let look = &mut looks[slot.block as usize];
            look.glow = if glows { slot.glow } else { 0.0 };
            look.rise = slot.level + if rises { slot.glow * slot.rise } else { 0.0 };
            changed.push(BlockActivity {
                block: slot.block,
                data: look.data,
                glow: look.glow,
                rise: look.rise,
            });
        });
        self.find_risen(rises);
    }

    /// Finds out on what blocks have risen.
    fn find_risen(&mut self, rises: bool) {
        self.risen.clear();
        if !rises && self.slot_of_level.is_empty() {
            return;
        }
        let slots = &mut self.slots;
        // From the last to the first: what stands on a block comes before it. Levels stay where nothing changes.
        let with_levels = 0..if self.slot_of_level.is_empty() {
            0
        } else {
            slots.len() as u32
        };
        let glowing = self
            .glowing
            .iter()
            .copied()
            .filter(|_| with_levels.is_empty());
        for slot in glowing.chain(with_levels.clone()).rev() {
            let of = slots[slot as usize];
            let mut highest = of.highest;
            if of.rise > 0.0 {
                let glow = if rises { of.glow } else { 0.0 };
                highest = highest.max(of.top + of.level + glow * of.rise);
            }
            slots[slot as usize].highest = 0.0;
            if highest > 0.0 {
                let below = &mut slots[of.parent as usize];
                below.highest = below.highest.max(highest);
                // What nothing stands on says so itself.
                if of.rise == 0.0 {
                    self.risen.push((of.block, highest));
                }
            }
        }
        // The root is below itself.
        if let Some(root) = slots.first_mut() {
            root.highest = 0.0;
        }
    }
}

/// How far a block rises that runs.
pub(super) fn rise_of(block: &Block) -> f32 {
    let side = (block.max.x - block.min.x).min(block.max.y - block.min.y);
    match block.kind {
        // What stands on it would be swallowed.
        BlockKind::Terrace => 0.0,
        _ => RISE.min(side * RISE_SLENDERNESS),
    }
}

/// Lets a block glow, and tints what it stands on.
fn light(slots: &mut [Slot], glowing: &mut Vec<u32>, slot: u32, glow: f32) {
    let of = &mut slots[slot as usize];
    if of.glow == 0.0 {
        glowing.push(slot);
    }
    of.glow = of.glow.max(glow);
    let mut tint = glow * TERRACE_SHARE;
    let mut at = slot;
    while slots[at as usize].parent != at {
        at = slots[at as usize].parent;
        let of = &mut slots[at as usize];
        if of.glow >= tint {
            break;
        }
        if of.glow == 0.0 {
            glowing.push(at);
        }
        of.glow = tint;
        tint *= TERRACE_FADE;
    }
}

/// How much the functions glow that ran before the moment: half as much after every half-life, and what
/// ran in the cel at least so much that it is seen, however short it was.
fn find_recent(
    resolved: &Resolved,
    moment: Moment,
    settings: &LandscapeSettings,
    left: &Left,
    recent: &mut Recent,
    glows: &mut Vec<(FunctionId, f32)>,
) {
    let Some((start, time)) = moment.window() else {
        return;
    };
    let half_life = settings.half_life.ns().max(1);
    let horizon = Cost::from_ns(half_life.saturating_mul(HALF_LIVES));
    let horizon = horizon
        .max(time.since(moment.previous))
        .min(time.since(start));
    left.activity(&resolved.recording.trace, time, horizon, recent);
    for &(function, last) in recent.found() {
        let age = time.since(last).ns() as f64 / half_life as f64;
        let least = if last > moment.previous {
            LEAST_IN_CEL
        } else {
            0.0
        };
        let glow = (0.5f64.powf(age) as f32).max(least);
        if glow > LEAST {
            glows.push((function, glow));
        }
    }
}

/// How much the functions glow that ran in the range: by the root of their share of the greatest self
/// cost, so that a hundredth of it is still seen. What has been left out has none, and what is left may have more.
fn shares(resolved: &Resolved, moment: Moment, left: &Left, glows: &mut Vec<(FunctionId, f32)>) {
    if moment.so_far && !left.is_all() {
        return shares_of_calls(resolved, moment, left, glows);
    }
    let of_range;
    let metrics = match left.is_all() {
        true => {
            of_range = resolved.recording.function_metrics(moment.range);
            of_range.as_slice()
        }
        false => left.metrics(),
    };
    let most = metrics.iter().map(|metric| metric.self_cost).max();
    let most = most.unwrap_or_default().max(moment.most).ns().max(1) as f64;
    for (index, metric) in metrics.iter().enumerate() {
        if metric.calls > 0 || metric.total > Cost::ZERO {
            let share = (metric.self_cost.ns() as f64 / most).sqrt() as f32;
            glows.push((FunctionId(index as u32), share.max(LEAST_IN_SUMMARY)));
        }
    }
}

/// Of what filters leave, running sums count calls alone: by how much each function was called so far it glows.
fn shares_of_calls(
    resolved: &Resolved,
    moment: Moment,
    left: &Left,
    glows: &mut Vec<(FunctionId, f32)>,
) {
    let trace = &resolved.recording.trace;
    let Some((start, until)) = moment.window() else {
        return;
    };
    let mut calls = vec![0_u64; resolved.recording.functions.len()];
    let mut count = |time: Time, is_before: bool| {
        for relation in left.running_at(trace, time) {
            if let Some(calls) = calls.get_mut(relation.callee.index()) {
                *calls = match is_before {
                    true => calls.saturating_sub(relation.calls),
                    false => calls.saturating_add(relation.calls),
                };
            }
        }
    };
    count(until, false);
    if start > Time::ZERO {
        count(start - Cost::from_ns(1), true);
    }
    let most = calls.iter().copied().max().unwrap_or(0).max(1) as f64;
    for (index, &calls) in calls.iter().enumerate().filter(|it| *it.1 > 0) {
        let share = (calls as f64 / most).sqrt() as f32;
        glows.push((FunctionId(index as u32), share.max(LEAST_IN_SUMMARY)));
    }
}

/// Hands over what is in either of two ascending lists, in order and once.
fn merge(mut a: &[u32], mut b: &[u32], mut tell: impl FnMut(u32)) {
    loop {
        let next = match (a, b) {
            ([first, ..], [second, ..]) => *first.min(second),
            ([first, ..], []) => *first,
            ([], [second, ..]) => *second,
            ([], []) => return,
        };
        if a.first() == Some(&next) {
            a = &a[1..];
        }
        if b.first() == Some(&next) {
            b = &b[1..];
        }
        tell(next);
    }
}
