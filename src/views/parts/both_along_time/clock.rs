//! The time axis that two runs share: the times of one of them, those of the other laid where they are the same.

use callscape_analysis::alignment::Alignment;
use callscape_analysis::session::Session;
use callscape_base::units::{Time, TimeRange};
use callscape_facts::trace::Columns;
use callscape_layout::axis::TimeAxis;
use callscape_model::linked::LinkedRuns;

/// The clocks of two runs on one axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common<'a> {
    clocks: &'a Alignment,
    /// The run whose time the axis shows; none where the same time since the first event is the same.
    pub reference: Option<usize>,
    pub limits: TimeRange,
}

/// Pixel columns that are equally long in a run, and its time in them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// The first of the pixel columns, and how many they are.
    pub first: u32,
    pub width: u32,
    /// The time of the run in them: as many columns, or fewer where it has fewer nanoseconds.
    pub columns: Columns,
}

impl Stretch {
    /// The pixel columns that show one of [`columns`](Self::columns).
    pub(super) fn pixels(&self, k: u32) -> std::ops::Range<usize> {
        let count = u64::from(self.columns.count().max(1));
        let edge = |k: u32| (u64::from(k) * u64::from(self.width)).div_ceil(count) as usize;
        self.first as usize + edge(k)..self.first as usize + edge(k + 1)
    }
}

/// Columns whose lengths differ by no more than this part are equally long.
const EVEN: f64 = 0.02;

impl<'a> Common<'a> {
    /// `ranges` are those of A and B. The axis shows the longer run, so that nothing of it is squeezed away.
    pub(super) fn new(clocks: &'a Alignment, is_wall: bool, ranges: [TimeRange; 2]) -> Common<'a> {
        let longer = usize::from(ranges[1].length() > ranges[0].length());
        Common {
            clocks,
            reference: (!is_wall).then_some(longer),
            limits: ranges[longer],
        }
    }

    /// The axis of two runs of `session`.
    pub(super) fn of(runs: &LinkedRuns<'a>, session: &Session) -> Common<'a> {
        Common::new(runs.clocks, runs.is_wall, runs.ranges(session))
    }

    /// The time of a run that the axis shows as `time`.
    pub(super) fn time_of(&self, side: usize, time: Time) -> Time {
        match self.reference {
            Some(reference) if reference != side => self.clocks.map(reference, time),
            _ => time,
        }
    }

    /// Where on the axis a time of a run is.
    pub(super) fn on_axis(&self, side: usize, time: Time) -> Time {
        match self.reference {
            Some(reference) if reference != side => self.clocks.map(side, time),
            _ => time,
        }
    }

    /// The times of a run in the columns of `axis`, cut where they begin to be longer or shorter; columns in which
    /// it stands still are in none. O(columns × log points).
    pub(super) fn stretches(&self, axis: &TimeAxis, side: usize) -> Vec<Stretch> {
        let columns = axis.columns().0;
        let count = columns.count();
        if self.reference.is_none_or(|reference| reference == side) {
            return vec![Stretch {
                first: 0,
                width: count,
                columns,
            }];
        }
        let at = |k: u32| self.time_of(side, columns.start(k)).ns();
        let mut stretches = Vec::new();
        let mut first = 0;
        while first < count {
            let start = at(first);
            let length = at(first + 1).saturating_sub(start);
            if length == 0 {
                first += 1;
                continue;
            }
            let mut end = first + 1;
            while end < count {
                // What is as long all the way may be off by a nanosecond in each.
                let expected = length as f64 * f64::from(end + 1 - first);
                let found = at(end + 1).saturating_sub(start) as f64;
                let slack = (EVEN * length as f64).max(1.0);
                if (found - expected).abs() > slack {
                    break;
                }
                end += 1;
            }
            let range = TimeRange::new(Time::from_ns(start), Time::from_ns(at(end)));
            stretches.push(Stretch {
                first,
                width: end - first,
                columns: Columns::new(range, end - first),
            });
            first = end;
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::Cost;

    #[test]
    fn stretches_cover_the_columns_in_order_and_keep_the_times_of_the_map() {
        let clocks = Alignment::through(&[[0, 0], [400, 100], [600, 101], [1000, 900]]);
        let range = |end| TimeRange::new(Time::ZERO, Time::from_ns(end));
        let common = Common::new(&clocks, false, [range(1000), range(900)]);
        assert_eq!(common.reference, Some(0));
        let mut axis = TimeAxis::new(common.limits);
        axis.place(0.0, 100.0);
        let stretches = common.stretches(&axis, 1);
        let mut next = 0;
        for stretch in &stretches {
            let Stretch { first, columns, .. } = *stretch;
            assert!(first >= next);
            next = first + stretch.width;
            assert_eq!(stretch.pixels(0).start, first as usize);
            assert_eq!(stretch.pixels(columns.count()).start, next as usize);
            for k in 0..=columns.count() {
                let on_axis = axis.columns().0.start(stretch.pixels(k).start as u32);
                let expected = common.time_of(1, on_axis);
                let found = columns.start(k);
                let off = found.since(expected) + expected.since(found);
                assert!(off <= Cost::from_ns(2), "{first} {k}: {found} {expected}");
            }
        }
        // From 400 to 600 B all but stands still: most of twenty columns are in no stretch.
        let covered: u32 = stretches.iter().map(|it| it.width).sum();
        assert!((80..=83).contains(&covered), "{covered}");
    }
}
