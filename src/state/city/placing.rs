//! Where the blocks stand, in which colours, and what a legend says of it.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::blocks::NO_BLOCK;
use super::{City, ColorScale, surface};
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::kinds::{Purpose, Purposes};
use callscape_filter::cut::Cut;
use callscape_layout::geometry::{Block, BlockKind, BlockLook};
use callscape_layout::labels::flat::FlatLabels;
use callscape_layout::pick::Picker;
use callscape_layout::treemap::{Heights, Plan, Treemap};
use callscape_look::lightness;
use callscape_model::metric::{Metric, Origin};
use callscape_model::metrics::ModuleMetrics;
use callscape_model::small;
use callscape_model::surface::{Scale, Surface};
use callscape_model::tiling::Tiling;

/// What a legend says of footprints and heights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amounts {
    /// What all footprints together stand for; none where the metric does not add up.
    pub area: Option<f64>,
    /// What the tallest block stands for; none where heights are even or nothing is known.
    pub height: Option<f64>,
}

/// Functions without source are drawn as if they had this share of the mean function's lines: large
/// enough to see what runs in them, small enough to leave the city to the source.
const UNKNOWN_SHARE: f64 = 0.3;

/// Gives functions of which no lines are known a size.
fn guess_unknown(hierarchy: &Hierarchy, lines: &mut [f64]) {
    let is_function =
        |&id: &ModuleId| hierarchy.kind(id) == ModuleKind::Function && hierarchy.is_leaf(id);
    let functions = || hierarchy.modules().filter(is_function);
    let (mut sum, mut known) = (0.0, 0.0f64);
    for function in functions().filter(|id| lines[id.index()] > 0.0) {
        sum += lines[function.index()];
        known += 1.0;
    }
    let guess = sum / known.max(1.0) * UNKNOWN_SHARE;
    for function in functions() {
        let lines = &mut lines[function.index()];
        if *lines <= 0.0 {
            *lines = guess;
        }
    }
}

/// What each module's footprint is to say. Lines of code are guessed where none are known.
fn areas(hierarchy: &Hierarchy, metrics: &ModuleMetrics, metric: Metric) -> Vec<f64> {
    let mut areas = metrics.areas(hierarchy, metric);
    if metric == Metric::LinesOfCode {
        guess_unknown(hierarchy, &mut areas);
    }
    areas
}

/// The footprints by lines of code.
fn areas_by_lines(hierarchy: &Hierarchy, metrics: &ModuleMetrics) -> Arc<[f64]> {
    areas(hierarchy, metrics, Metric::LinesOfCode).into()
}

impl City {
    /// Gives the blocks the colours of the settings; nothing is shown of a recording.
    pub(super) fn paint(&mut self, session: &Session) {
        let settings = &self.settings;
        self.looks.clear();
        self.looks.resize(self.blocks.len(), BlockLook::default());
        let hierarchy = &session.hierarchy;
        let (colors, scale) = surface::colors(settings, hierarchy, &self.metrics, &self.blocks);
        self.color_scale = scale;
        self.not_by_hand = small::count(hierarchy);
        self.of_purposes = of_purposes(hierarchy);
        self.standing_out = surface::standing_out(settings, session, &self.metrics, &self.blocks);
        for (look, color) in self.looks.iter_mut().zip(colors) {
            look.data = color;
        }
        if settings.surface == Surface::Difference
            && let Some(difference) = self.metrics.difference()
        {
            for (look, block) in self.looks.iter_mut().zip(&self.blocks) {
                if block.kind != BlockKind::Terrace {
                    look.mark = difference.mark(block.module);
                }
            }
        }
        self.quiet_others();
        self.highlight_anew(&session.hierarchy);
        self.draw_edges(&session.hierarchy);
        self.activity.forget();
        self.past.forget();
        self.picker.set_risen([]);
        self.shown = None;
        self.named.is_old = true;
    }

    /// Makes the blocks, and what is found by them.
    pub(super) fn place(&mut self, hierarchy: &Hierarchy) {
        let settings = &self.settings;
        let mut areas = areas(hierarchy, &self.metrics, settings.area);
        // What ran is shown as much as it ran, whoever wrote it.
        let origin = settings.area.origin();
        self.keeps_small = false;
        if !settings.full_size && matches!(origin, Origin::Source | Origin::History) {
            self.keeps_small = small::keep_small(hierarchy, &mut areas) < 1.0;
        }
        if settings.tiling == Tiling::Stable && self.references.len() != hierarchy.len() {
            self.references = match settings.area {
                Metric::LinesOfCode => areas.as_slice().into(),
                _ => areas_by_lines(hierarchy, &self.metrics),
            };
        }
        let values = settings
            .height
            .map(|metric| self.metrics.values(hierarchy, metric));
        let heights = match values.as_ref() {
            // What lives, or is there, at the displayed time raises the blocks.
            Some(_) if self.live_height().is_some() => Heights::Even,
            Some(values) => Heights::Metric(values.clone()),
            None => Heights::Even,
        };
        let spread = match (&heights, settings.height_scale) {
            (Heights::Metric(values), Some(scale)) => {
                Some(Heights::Metric(self.spread(hierarchy, values, scale)))
            }
            _ => None,
        };
        let cut = match settings.without.is_empty() {
            true => Cow::Borrowed(&self.cut),
            false => Cow::Owned(without(hierarchy, &self.cut, settings.without)),
        };
        let within = cut.within(hierarchy, &areas, settings.most_blocks);
        let visible = within.is_some().then(|| cut.visible(hierarchy));
        let cut = within.as_ref().unwrap_or(&cut);
        let (blocks, parents) = (&mut self.blocks, &mut self.parents);
        let mut treemap = Treemap::in_place_of(std::mem::take(blocks), std::mem::take(parents));
        treemap.lay_out(&Plan {
            hierarchy,
            cut,
            areas: &areas,
            references: &self.references,
            heights: spread.as_ref().unwrap_or(&heights),
            tiling: settings.tiling,
        });
        (self.blocks, self.parents) = treemap.into_blocks();
        let visible = visible.unwrap_or(self.blocks.len());
        self.left_out = visible.saturating_sub(self.blocks.len());
        let tallest = |values: &[f64]| {
            let solid = |block: &&Block| block.kind != BlockKind::Terrace;
            let of = self.blocks.iter().filter(solid);
            let of = of.filter_map(|block| values.get(block.module.index()));
            of.copied()
                .filter(|value| value.is_finite())
                .fold(0.0, f64::max)
        };
        self.amounts = Amounts {
            area: self.metrics.sum_of_all(hierarchy, settings.area),
            height: values
                .map(|values| tallest(&values))
                .filter(|&most| most > 0.0),
        };
        self.levels = lightness::levels(&self.blocks);
        self.ground_scales = [OnceLock::new(), OnceLock::new()];
        self.motion = None;
        self.activity.outdate();
        self.memory.outdate();
        self.past.outdate();
        self.picker = Picker::new(&self.blocks, &self.parents);
        self.filling = None;
        self.block_of = vec![NO_BLOCK; hierarchy.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            let mut of = block.module.0..block.module.0 + 1;
            if block.kind == BlockKind::Collapsed {
                of = hierarchy.subtree(block.module);
            }
            self.block_of[of.start as usize..of.end as usize].fill(index as u32);
        }
        self.ends.outdate();
        self.flat_labels = FlatLabels::new(&self.blocks);
    }

    /// What heights, which grow with the square root, have to be given for values to be spread by `scale`.
    fn spread(&self, hierarchy: &Hierarchy, values: &[f64], scale: Scale) -> Vec<f64> {
        // Of what the cut leaves: before there are blocks, all that stands on the ground by itself.
        let is_solid = |&id: &ModuleId| hierarchy.is_leaf(id) || self.cut.is_collapsed(id);
        let solid = hierarchy.modules().filter(is_solid);
        let solid = solid.map(|id| values.get(id.index()).copied().unwrap_or(0.0));
        let measure = self.metrics.measure();
        let metric = self.settings.height.unwrap_or(Metric::LinesOfCode);
        let scale = ColorScale::new(metric, scale, measure, solid);
        let share = |&value: &f64| match value > 0.0 && value.is_finite() {
            // What is least is still seen to be something.
            true => f64::from(scale.share(value)).max(0.02).powi(2),
            false => 0.0,
        };
        values.iter().map(share).collect()
    }

    /// The values that footprints show, and how many blocks have which.
    pub fn area_scale(&self, hierarchy: &Hierarchy) -> &ColorScale {
        self.ground_scales[0]
            .get_or_init(|| self.scale_of(hierarchy, self.settings.area, Scale::Log))
    }

    /// The same of heights; none where they are even.
    pub fn height_scale(&self, hierarchy: &Hierarchy) -> Option<&ColorScale> {
        let metric = self.settings.height?;
        let scale = self.settings.height_scale.unwrap_or(Scale::Log);
        Some(self.ground_scales[1].get_or_init(|| self.scale_of(hierarchy, metric, scale)))
    }

    fn scale_of(&self, hierarchy: &Hierarchy, metric: Metric, scale: Scale) -> ColorScale {
        let values = self.metrics.values(hierarchy, metric);
        let measure = self.metrics.measure();
        ColorScale::new(
            metric,
            scale,
            measure,
            surface::solid(&values, &self.blocks),
        )
    }
}

/// How many files are for each of [`Purpose::ALL`]. O(n).
fn of_purposes(hierarchy: &Hierarchy) -> [usize; Purpose::ALL.len()] {
    let mut counts = [0; Purpose::ALL.len()];
    for file in hierarchy.outermost_files() {
        counts[hierarchy.file_kind(file).purpose as usize] += 1;
    }
    counts
}

/// The cut without the files for some purposes. O(files).
fn without(hierarchy: &Hierarchy, cut: &Cut, purposes: Purposes) -> Cut {
    let files = hierarchy.outermost_files();
    let files = files.filter(|&file| purposes.contains(hierarchy.file_kind(file).purpose));
    files.fold(cut.clone(), |cut, file| cut.hiding(Some(file)))
}
