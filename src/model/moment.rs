//! The point in time of a recording that is shown.

use crate::units::{Cost, Time, TimeRange};

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
    pub fn window(&self) -> Option<(Time, Time)> {
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
