//! What the landscape maps to what, and the moment that it shows.

use super::{Highlight, Scale, Surface};
use crate::layout::arcs::ArcMeasure;
use crate::layout::treemap::Tiling;
use crate::render::theme::Theme;
use crate::units::{Cost, Time, TimeRange};
use crate::views::metrics::Metric;

/// Which call relations lie over the landscape as arcs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArcMode {
    /// All up to now, those of the last step standing out.
    #[default]
    All,
    /// Those of the module chosen.
    Selection,
    /// Those of the last step.
    Step,
    /// What differs between two runs: added, gone, more and less; all where nothing is compared.
    Difference,
    None,
}

impl ArcMode {
    pub const ALL: [ArcMode; 5] = [
        ArcMode::All,
        ArcMode::Selection,
        ArcMode::Step,
        ArcMode::Difference,
        ArcMode::None,
    ];

    /// As the command line and session files call it.
    pub fn name(self) -> &'static str {
        match self {
            ArcMode::All => "all",
            ArcMode::Selection => "selection",
            ArcMode::Step => "step",
            ArcMode::Difference => "difference",
            ArcMode::None => "none",
        }
    }
}

/// As Holten recommends.
pub const BUNDLING: f32 = 0.85;

/// How many arcs are drawn unless asked for otherwise, and at most.
pub const MOST_ARCS: usize = 10_000;
pub const ARCS_AT_MOST: usize = 200_000;

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
    /// So many arcs are drawn at most, the most important.
    pub most_arcs: usize,
    /// So many blocks are drawn at most, what a device can hold; the smallest modules are collapsed for it.
    pub most_blocks: usize,
    pub theme: Theme,
    pub tiling: Tiling,
    /// The time in the recording after which the glow of what ran has halved.
    pub half_life: Cost,
    /// What stands out by its value.
    pub highlight: Option<Highlight>,
    /// How the values of a metric are spread over heights; none: by their square root.
    pub height_scale: Option<Scale>,
}

impl LandscapeSettings {
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
        }
    }
}

/// A point in time of a recording, and where the last step to it began: the cel is what happened after
/// `previous`, up to `time`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    pub recording: usize,
    pub time: Time,
    pub previous: Time,
    /// Only what happened in it is shown, and counted.
    pub range: Option<TimeRange>,
    /// In place of the cel the final state over the whole range (AVID section 2.2): every call relation,
    /// and what ran by its self cost.
    pub summary: bool,
    /// The self cost that glows most in a summary, so that two can be held against each other; zero: the largest
    /// in this one.
    pub most: Cost,
}

impl Moment {
    /// The time up to which something is shown, and that from which on; none outside of the range.
    pub(super) fn window(&self) -> Option<(Time, Time)> {
        let Some(range) = self.range else {
            return Some((Time::ZERO, self.time));
        };
        (range.start <= self.time).then(|| (range.start, self.time.min(range.end)))
    }

    /// The final state of a recording without times, a profile.
    pub fn without_time(recording: usize) -> Moment {
        Moment {
            recording,
            time: Time::ZERO,
            previous: Time::ZERO,
            range: None,
            summary: true,
            most: Cost::ZERO,
        }
    }
}
