//! Heights: terraces one step above each other, leaves as low plinths of even height or by a metric.

use super::rect::smaller;
use super::shown::Columns;
use crate::geometry::{BlockKind, CITY_SIZE};
use callscape_base::units::ModuleId;

/// The step from the ground to the root's terrace in world units, and how steps shrink from level to
/// level, so that deep trees stay low.
const STEP: f32 = 6.0;
const STEP_DECAY: f32 = 0.8;
/// Down to this level steps do not shrink below this, or the deepest levels of a deep tree would lie on one level.
const LEAST_STEP: f32 = 0.4;
const STEPPED: u16 = 48;
/// No step is higher than this share of the terrace's shorter side.
const STEP_SHARE: f32 = 0.1;

/// The height of a leaf as a share of the side of a mean leaf's footprint, and its limits.
const LEAF_SHARE: f32 = 0.25;
const LEAF_MAX: f32 = 4.0;
/// No leaf is higher than this share of its own shorter side.
const LEAF_SLENDERNESS: f32 = 0.4;

/// The height of the tallest block where a metric decides.
const METRIC_MAX: f32 = 60.0;

/// What the heights of leaves say.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Heights {
    /// Even plinths: the hierarchy alone is read.
    #[default]
    Even,
    /// Each module's value; heights grow with its square root up to the largest, which stands high but
    /// does not hide the city.
    Metric(Vec<f64>),
}

/// What heights depend on besides the block itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scale {
    leaf: f32,
    largest: f64,
}

impl Heights {
    /// The scale of a city of these blocks.
    pub(super) fn scale(&self, columns: Columns<'_>) -> Scale {
        let solid = || (0..columns.ends.len()).filter(|&at| columns.ends[at] as usize == at + 1);
        let mean_side = CITY_SIZE * (0.7 / solid().count().max(1) as f32).sqrt();
        let largest = match self {
            Heights::Even => 0.0,
            Heights::Metric(values) => {
                let values = solid().filter_map(|at| values.get(columns.module(at).index()));
                values
                    .copied()
                    .filter(|value| value.is_finite())
                    .fold(0.0, f64::max)
            }
        };
        Scale {
            leaf: (mean_side * LEAF_SHARE).min(LEAF_MAX),
            largest,
        }
    }
}

/// The highest step onto a terrace of this level, in world units.
pub(super) fn step(level: u16) -> f32 {
    let least = if level <= STEPPED { LEAST_STEP } else { 0.0 };
    (STEP * STEP_DECAY.powi(i32::from(level))).max(least)
}

impl Scale {
    /// How far a block stands above what it stands on; `side` is the shorter one of its footprint, `step` the
    /// highest step at its level.
    pub(super) fn top(
        &self,
        heights: &Heights,
        module: ModuleId,
        kind: BlockKind,
        side: f32,
        step: f32,
    ) -> f32 {
        let step = || smaller(step, side * STEP_SHARE);
        let plinth = smaller(self.leaf, side * LEAF_SLENDERNESS);
        match (kind, heights) {
            (BlockKind::Terrace, _) => step(),
            (BlockKind::Leaf, Heights::Even) => plinth,
            // As high as what it holds would be.
            (BlockKind::Collapsed, Heights::Even) => step() + plinth,
            (_, Heights::Metric(values)) => {
                let value = values.get(module.index()).copied().unwrap_or(0.0);
                if value > 0.0 && self.largest > 0.0 {
                    let share = (value / self.largest).min(1.0).sqrt() as f32;
                    plinth * 0.5 + share * METRIC_MAX
                } else {
                    plinth * 0.5
                }
            }
        }
    }
}
