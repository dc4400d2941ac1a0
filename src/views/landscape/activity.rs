//! What runs glows and rises, fades by half-lives afterwards, and tints the terraces up to the root.

use std::ops::Range;

use super::left::Left;
use super::{LandscapeSettings, Moment, NO_BLOCK, Surface};
use crate::analysis::session::{Resolved, Session};
use crate::layout::geometry::{Block, BlockKind, BlockLook};
use crate::units::{Cost, FunctionId};

/// After so many half-lives nothing is left to see.
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

/// Changed looks closer together than this are told as one range.
const RANGE_GAP: u32 = 2;

/// The blocks that are not at rest.
#[derive(Debug, Default)]
pub(super) struct Activity {
    /// Blocks that glow, in order, terraces among them.
    glowing: Vec<u32>,
    /// Those that have risen.
    risen: Vec<u32>,
    /// Scratch: what glowed before, and how much each function glows.
    before: Vec<u32>,
    glows: Vec<(FunctionId, f32)>,
}

impl Activity {
    /// The blocks are new, and all at rest.
    pub fn forget(&mut self) {
        self.glowing.clear();
        self.risen.clear();
    }

    pub fn risen(&self) -> &[u32] {
        &self.risen
    }

    /// Brings `looks` to `moment` and names the ranges that changed.
    #[expect(clippy::too_many_arguments)]
    pub fn show(
        &mut self,
        session: &Session,
        moment: Option<Moment>,
        settings: &LandscapeSettings,
        blocks: &[Block],
        parents: &[u32],
        block_of: &[u32],
        looks: &mut [BlockLook],
        changed: &mut Vec<Range<u32>>,
        left: &Left,
    ) {
        for &index in &self.glowing {
            let look = &mut looks[index as usize];
            (look.glow, look.rise) = (0.0, 0.0);
        }
        std::mem::swap(&mut self.before, &mut self.glowing);
        self.glowing.clear();
        self.risen.clear();

        let resolved = moment.and_then(|moment| session.recordings.get(moment.recording));
        if let (Some(moment), Some(resolved)) = (moment, resolved) {
            self.glows.clear();
            if moment.summary {
                shares(resolved, moment, left, &mut self.glows);
            } else {
                recent(resolved, moment, settings, left, &mut self.glows);
            }
            for &(function, glow) in &self.glows {
                if !left.shows(function) {
                    continue;
                }
                let module = resolved.resolution.modules.get(function.index());
                let index = module.and_then(|module| block_of.get(module.index()));
                let Some(&index) = index.filter(|index| **index != NO_BLOCK) else {
                    continue;
                };
                let block = &blocks[index as usize];
                let look = &mut looks[index as usize];
                if look.glow == 0.0 {
                    self.glowing.push(index);
                }
                look.glow = look.glow.max(glow);
                // A terrace that rose would swallow what stands on it; a summary has nothing that moves.
                if block.kind != BlockKind::Terrace && !moment.summary {
                    if look.rise == 0.0 {
                        self.risen.push(index);
                    }
                    let side = (block.max.x - block.min.x).min(block.max.y - block.min.y);
                    look.rise = look.rise.max(glow * RISE.min(side * RISE_SLENDERNESS));
                }
                let mut tint = glow * TERRACE_SHARE;
                let mut at = index;
                while at != 0 {
                    at = parents[at as usize];
                    let look = &mut looks[at as usize];
                    if look.glow >= tint {
                        break;
                    }
                    if look.glow == 0.0 {
                        self.glowing.push(at);
                    }
                    look.glow = tint;
                    tint *= TERRACE_FADE;
                }
            }
        }
        self.glowing.sort_unstable();
        if settings.surface == Surface::Difference {
            // Red and amber would be taken for more: here what runs rises, and keeps its colour.
            for &index in &self.glowing {
                looks[index as usize].glow = 0.0;
            }
        }
        merge_ranges(&self.before, &self.glowing, changed);
    }
}

/// How much the functions glow that ran before the moment: half as much after every half-life, and what
/// ran in the cel at least so much that it is seen, however short it was.
fn recent(
    resolved: &Resolved,
    moment: Moment,
    settings: &LandscapeSettings,
    left: &Left,
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
    for (function, last) in left.activity(&resolved.recording.trace, time, horizon) {
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

/// The ranges that cover two ascending lists.
fn merge_ranges(a: &[u32], b: &[u32], ranges: &mut Vec<Range<u32>>) {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(&&first), Some(&&second)) => first.min(second),
            (Some(&&first), None) => first,
            (None, Some(&&second)) => second,
            (None, None) => return,
        };
        a.next_if(|&&index| index == next);
        b.next_if(|&&index| index == next);
        match ranges.last_mut() {
            Some(last) if next < last.end + RANGE_GAP => last.end = next + 1,
            _ => ranges.push(next..next + 1),
        }
    }
}
