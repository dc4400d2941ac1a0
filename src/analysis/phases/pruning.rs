//! The skeletons that phases are found from.

use callscape_base::units::Cost;
use callscape_facts::trace::{Floor, Skeleton};

/// The skeletons of threads, from which the phases are found for any thresholds above their floor.
#[derive(Clone, Debug)]
pub struct Pruning {
    pub skeletons: Vec<Skeleton>,
    /// What a typical short call costs; none where there is no call.
    pub short: Option<Cost>,
}

impl Pruning {
    /// Whether phases for these thresholds can be told from it.
    pub fn reaches(&self, heavy: &Floor) -> bool {
        self.skeletons.iter().all(|it| it.floor.is_below(heavy))
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.skeletons.iter().map(Skeleton::bytes).sum()
    }
}
