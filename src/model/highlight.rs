//! A range of a metric that stands out.

use super::metric::Metric;

/// The values from `low` to `high` of a metric, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Highlight {
    pub metric: Metric,
    pub low: f64,
    pub high: f64,
}

impl Highlight {
    /// Whether a value is in the range; what is not known never is.
    pub fn takes(&self, value: f64) -> bool {
        self.metric.is_known(value) && (self.low..=self.high).contains(&value)
    }
}
