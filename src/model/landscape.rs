//! What the landscape maps to what.

use crate::arcs::{ArcMeasure, ArcMode, BUNDLING, MOST_ARCS};
use crate::highlight::Highlight;
use crate::metric::{Metric, Origin};
use crate::surface::{Scale, Surface};
use crate::theme::Theme;
use crate::tiling::Tiling;
use callscape_base::units::Cost;
use callscape_facts::kinds::Purposes;
use callscape_facts::memory::Known;
use callscape_facts::recording::Recording;

/// What the landscape maps to what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LandscapeSettings {
    pub area: Metric,
    /// None: leaves of even height.
    pub height: Option<Metric>,
    pub surface: Surface,
    /// How the values of a metric are spread over its colours.
    pub scale: Scale,
    pub arcs: ArcMode,
    /// What the width of arcs says.
    pub arc_measure: ArcMeasure,
    /// How closely arcs follow the hierarchy, 0 (straight) to 1: Holten's β.
    pub bundling: f32,
    /// At most this many arcs are drawn, the most important first.
    pub most_arcs: usize,
    /// At most this many blocks are drawn, what a device can hold; the smallest modules are collapsed for it.
    pub most_blocks: usize,
    pub theme: Theme,
    pub tiling: Tiling,
    /// The time in the recording after which the glow of what ran has halved.
    pub half_life: Cost,
    /// What stands out by its value.
    pub highlight: Option<Highlight>,
    /// How the values of a metric are spread over heights; none: by their square root.
    pub height_scale: Option<Scale>,
    /// Whether generated, vendored, minified and data-like files have footprints like all others; else they have
    /// [`SHARE`](super::small::SHARE) of the map at most, unless they are most of it.
    pub full_size: bool,
    /// Files for these purposes are not shown.
    pub without: Purposes,
}

impl LandscapeSettings {
    /// What a recording of memory alone looks like at first: what lives, or what was allocated where that is not known,
    /// as height, and without a source tree as footprint too; of a history lines are heights. What was chosen otherwise stays.
    pub fn once_open(
        mut self,
        recording: Option<&Recording>,
        has_source: bool,
    ) -> LandscapeSettings {
        let is_of_memory = |it: &&Recording| it.profile.is_some() && it.memory.is_some();
        if recording.is_none_or(|it| it.memory.is_none()) {
            let is_of_memory = |metric: &Metric| metric.origin() == Origin::Memory;
            self.height = self.height.filter(|metric| !is_of_memory(metric));
            if is_of_memory(&self.area) {
                self.area = Metric::LinesOfCode;
            }
        }
        // A history shows what grows.
        if recording.is_some_and(|it| it.played.is_some()) {
            self.height = self.height.or(Some(Metric::LinesOfCode));
        }
        let memory = recording.filter(is_of_memory);
        if let Some(memory) = memory.and_then(|it| it.memory.as_ref()) {
            let metric = match memory.known {
                Known::Allocations(_) => Metric::Allocations,
                _ if !memory.sizes_known => Metric::LiveObjects,
                _ => Metric::LiveBytes,
            };
            self.height = self.height.or(Some(metric));
            if !has_source && self.area == Metric::LinesOfCode {
                self.area = metric;
            }
        }
        self
    }

    /// Whether arcs join files that change together.
    pub fn joins_what_changes_together(&self) -> bool {
        let is_asked = self.surface == Surface::Metric(Metric::Coupled);
        self.arcs == ArcMode::Together || is_asked && self.arcs != ArcMode::None
    }

    /// Whether area, height or colour say something of their own, which a legend has to explain.
    pub fn says_more(&self) -> bool {
        let plain = LandscapeSettings::default();
        (self.area, self.height, self.surface) != (plain.area, plain.height, plain.surface)
            || self.highlight.is_some()
    }
}

impl Default for LandscapeSettings {
    fn default() -> LandscapeSettings {
        LandscapeSettings {
            area: Metric::LinesOfCode,
            height: None,
            surface: Surface::Neutral,
            scale: Scale::Log,
            arcs: ArcMode::All,
            arc_measure: ArcMeasure::Calls,
            bundling: BUNDLING,
            most_arcs: MOST_ARCS,
            most_blocks: usize::MAX,
            theme: Theme::Light,
            tiling: Tiling::Squarified,
            half_life: Cost::from_ns(50_000_000),
            highlight: None,
            height_scale: None,
            full_size: false,
            without: Purposes::NONE,
        }
    }
}
