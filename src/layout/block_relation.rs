//! Calls between two displayed blocks, and how they are drawn as arcs.

use std::ops::Range;

use super::bundles::Path;
use super::geometry::Ink;
use callscape_model::arcs::ArcMeasure;

/// Calls between two displayed blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BlockRelation {
    /// Indices of the caller's and the callee's block.
    pub from: u32,
    pub to: u32,
    pub calls: u64,
    /// Those of the calls that happened in the last step.
    pub step_calls: u64,
    /// What the calls cost, in the unit of the recording.
    pub cost: u64,
    /// Where it runs, once it has been drawn on these blocks.
    pub path: Path,
}

impl BlockRelation {
    pub fn amount(&self, measure: ArcMeasure) -> u64 {
        match measure {
            ArcMeasure::Calls => self.calls,
            ArcMeasure::Cost => self.cost,
        }
    }
}

/// How relations are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArcStyle {
    pub ink: Ink,
    pub measure: ArcMeasure,
    /// The amount that is drawn widest.
    pub most: u64,
    /// So many arcs are drawn at most.
    pub limit: usize,
    /// Blocks whose relations are drawn before all others when they are too many.
    pub wanted: [Range<u32>; 2],
    /// Blocks whose relations alone are drawn; none for all.
    pub only: Option<Range<u32>>,
}
