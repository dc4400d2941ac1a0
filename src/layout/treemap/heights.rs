//! Heights: terraces one step above each other, leaves as low plinths of even height or by a metric.

use crate::layout::geometry::{Block, BlockKind, CITY_SIZE};

/// The step from the ground to the root's terrace in world units, and how steps shrink from level to
/// level, so that deep trees stay low.
const STEP: f32 = 6.0;
const STEP_DECAY: f32 = 0.8;
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
    pub(super) fn scale(&self, blocks: &[Block]) -> Scale {
        let solid = blocks
            .iter()
            .filter(|block| block.kind != BlockKind::Terrace);
        let mean_side = CITY_SIZE * (0.7 / solid.clone().count().max(1) as f32).sqrt();
        let largest = match self {
            Heights::Even => 0.0,
            Heights::Metric(values) => {
                let values = solid.filter_map(|block| values.get(block.module.index()));
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

impl Scale {
    /// How far `block`, whose footprint is known, stands above what it stands on.
    pub(super) fn top(&self, heights: &Heights, block: &Block) -> f32 {
        let side = (block.max.x - block.min.x).min(block.max.y - block.min.y);
        let step = || (STEP * STEP_DECAY.powi(i32::from(block.level))).min(side * STEP_SHARE);
        let plinth = self.leaf.min(side * LEAF_SLENDERNESS);
        match (block.kind, heights) {
            (BlockKind::Terrace, _) => step(),
            (BlockKind::Leaf, Heights::Even) => plinth,
            // As high as what it holds would be.
            (BlockKind::Collapsed, Heights::Even) => step() + plinth,
            (_, Heights::Metric(values)) => {
                let value = values.get(block.module.index()).copied().unwrap_or(0.0);
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
