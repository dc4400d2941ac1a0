//! Arcs between files that change together.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{DrawnFor, Relations};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_layout::arcs::add_relations;
use callscape_layout::block_relation::{ArcStyle, BlockRelation};
use callscape_layout::bundles::Ground;
use callscape_look::theme::Palette;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metrics::ModuleMetrics;

use crate::city::blocks::block_of_module;

impl Relations {
    /// Arcs between the files that some commits changed together, all for none, in place of those of a moment: with one chosen
    /// only those of the files in it. Wide ones changed together most often. Nothing to do where they are there already;
    /// whether a history is known.
    pub(in crate::city) fn show_together(
        &mut self,
        metrics: &ModuleMetrics,
        commits: Option<Range<u32>>,
        settings: &LandscapeSettings,
        ground: Ground<'_>,
        (hierarchy, chosen): (&Hierarchy, Option<ModuleId>),
        block_of: &[u32],
    ) -> bool {
        let wanted = DrawnFor {
            commits,
            chosen,
            theme: settings.theme,
            bundling: settings.bundling,
            most_arcs: settings.most_arcs,
        };
        if self.together.as_ref() == Some(&wanted) && self.paths_end > 0 {
            return true;
        }
        let Some(together) = metrics.together(wanted.commits.clone()) else {
            return false;
        };
        self.clear();
        self.forget();
        self.forget_paths();
        let mut between: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        let block = |module| block_of_module(module, block_of);
        for &(a, b, count) in &together.pairs {
            let is_meant = |of| chosen.is_none_or(|chosen| hierarchy.contains(chosen, of));
            if let (Some(from), Some(to)) = (block(a), block(b))
                && from != to
                && (is_meant(a) || is_meant(b))
            {
                *between.entry((from.min(to), from.max(to))).or_default() += u64::from(count);
            }
        }
        let pairs = &mut self.counting.pairs;
        pairs.clear();
        pairs.extend(between.iter().map(|(&(from, to), &count)| BlockRelation {
            from,
            to,
            calls: count,
            step_calls: count,
            ..BlockRelation::default()
        }));
        self.bundler.strength = settings.bundling;
        let palette = Palette::of(settings.theme);
        let style = ArcStyle {
            // Neither end comes first.
            ink: [palette.caller, palette.caller],
            most: between.values().copied().max().unwrap_or(0),
            limit: settings.most_arcs,
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
        for (arc, &index) in self.arcs.arcs.iter_mut().zip(&self.drawn.relations) {
            arc.is_lit = false;
            self.counting.pairs[index as usize].step_calls = 0;
        }
        self.together = Some(wanted);
        true
    }
}
