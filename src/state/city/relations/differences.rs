//! Arcs for what differs between two runs: those of its causes strongly, the others as their background.

use std::collections::BTreeMap;

use super::Relations;
use crate::city::blocks::block_of_module;
use crate::city::ends::EndsOf;
use callscape_layout::arcs::add_relations;
use callscape_layout::block_relation::{ArcStyle, BlockRelation};
use callscape_layout::bundles::Ground;
use callscape_look::ink::difference_color;
use callscape_model::arcs::ArcMode;
use callscape_model::difference::{CauseAt, RelationDifference};
use callscape_model::landscape::LandscapeSettings;

/// Few arcs can be followed: those of so many causes, or without any so many of the largest differences.
const STRONG: usize = 12;
/// So many are drawn with those that stay in the background, and none for one that is this many times smaller than the
/// largest.
const MOST: usize = 40;
const LEAST: u64 = 200;

/// How wide strong arcs are, in world units, and how wide and opaque others are at most.
const WIDTHS: [f32; 2] = [1.7, 3.2];
const FAINT_WIDTH: f32 = 0.8;
const FAINT: f32 = 0.3;

/// What differs between two blocks.
#[derive(Clone, Copy, Debug)]
struct Between {
    more: i64,
    /// All of it is in one run.
    is_one_sided: bool,
    /// Of a cause, whether it costs more.
    cause: Option<bool>,
}

impl Between {
    const NONE: Between = Between {
        more: 0,
        is_one_sided: true,
        cause: None,
    };

    fn is_more(&self) -> bool {
        self.cause.unwrap_or(self.more > 0)
    }
}

impl Relations {
    /// Arcs for the largest differences in place of those of a moment: less in the colour of less, more in that of
    /// more; those of `causes`, largest first, stand out, and are outlined where only one run has the relation.
    pub(crate) fn show_differences(
        &mut self,
        (relations, causes): (&[RelationDifference], &[CauseAt]),
        settings: &LandscapeSettings,
        ground: Ground<'_>,
        ends: &EndsOf<'_>,
    ) {
        self.clear();
        if settings.arcs == ArcMode::None {
            return;
        }
        let mut between = between((relations, causes), ends);
        // One list, so that widths of less and more are to one scale.
        let most = between.values().map(|of| of.more.unsigned_abs()).max();
        let most = most.unwrap_or(0);
        if between.values().all(|of| of.cause.is_none()) {
            let mut sizes: Vec<_> = between.values().map(|of| of.more.unsigned_abs()).collect();
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            let least = sizes.get(STRONG - 1).copied().unwrap_or(0);
            for of in between.values_mut() {
                of.cause = (of.more.unsigned_abs() >= least.max(1)).then_some(of.more > 0);
            }
        }
        self.forget();
        let pairs = &mut self.counting.pairs;
        pairs.clear();
        let of_pairs = between.iter().map(|(&(from, to), of)| {
            // What a cause is of is there, though it may be called as often.
            let calls = of.more.unsigned_abs().max(u64::from(of.cause.is_some()));
            BlockRelation {
                from,
                to,
                calls,
                step_calls: if of.cause.is_some() { calls } else { 0 },
                ..BlockRelation::default()
            }
        });
        pairs.extend(of_pairs);
        pairs.retain(|relation| relation.step_calls > 0 || relation.calls > most / LEAST);
        self.forget_paths();
        self.bundler.strength = settings.bundling;
        let [less, more] = [false, true].map(|is_more| difference_color(settings.theme, is_more));
        let style = ArcStyle {
            ink: [less; 2],
            most,
            limit: MOST,
            ..ArcStyle::default()
        };
        add_relations(
            &mut self.arcs,
            ground,
            &mut self.bundler,
            &mut self.counting.pairs,
            &mut self.drawn,
            (&style, None),
        );
        self.settle_paths();
        let ink_of_more = self.arcs.inks.len() as u32;
        self.arcs.inks.push([more; 2]);
        for (arc, &index) in self.arcs.arcs.iter_mut().zip(&self.drawn.relations) {
            let relation = &mut self.counting.pairs[index as usize];
            let of = between[&(relation.from, relation.to)];
            if of.is_more() {
                arc.ink = ink_of_more;
            }
            arc.is_lit = false;
            match of.cause {
                Some(_) => arc.width = arc.width.clamp(WIDTHS[0], WIDTHS[1]),
                None => {
                    arc.width = arc.width.min(FAINT_WIDTH);
                    arc.opacity = arc.opacity.min(FAINT);
                }
            }
            arc.outlined = of.cause.is_some() && of.is_one_sided && of.more != 0;
            // No step is counted beside the difference.
            (relation.calls, relation.step_calls) = (of.more.unsigned_abs(), 0);
            self.signs.push(match of.more {
                0 => "±",
                more if more > 0 => "+",
                _ => "−",
            });
        }
    }
}

/// What differs by pair of blocks: causes between their own, the others between those at which arcs end.
fn between(
    (relations, causes): (&[RelationDifference], &[CauseAt]),
    ends: &EndsOf<'_>,
) -> BTreeMap<(u32, u32), Between> {
    let mut between: BTreeMap<(u32, u32), Between> = BTreeMap::new();
    let blocks = |from, to| {
        let [from, to] = [from, to].map(|module| block_of_module(module, ends.block_of));
        from.zip(to).filter(|(from, to)| from != to)
    };
    for cause in causes {
        if between.len() < STRONG
            && let Some(pair) = cause.from.and_then(|from| blocks(from, cause.to))
        {
            let of = between.entry(pair).or_insert(Between::NONE);
            of.cause.get_or_insert(cause.is_more);
        }
    }
    for relation in relations {
        let Some((from, to)) = blocks(relation.from, relation.to) else {
            continue;
        };
        let is_cause = between
            .get(&(from, to))
            .is_some_and(|of| of.cause.is_some());
        let (from, to) = match is_cause {
            true => (from, to),
            false => ends.between(from, to),
        };
        if from != to {
            let sum = between.entry((from, to)).or_insert(Between::NONE);
            sum.more = sum.more.saturating_add(relation.more);
            sum.is_one_sided &= relation.is_one_sided;
        }
    }
    between
}
