//! A band along time: stretches of time that have names, which all views along time show alike.
//!
//! Whoever knows such stretches, as the phases of a run, has them shown (`Ask::Band`);
//! the views that show them need not know where they come from.

use callscape_base::units::{CallId, FunctionId, ThreadId, Time, TimeRange};

/// A call that the band shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub name: String,
    pub range: TimeRange,
    pub thread: ThreadId,
    pub call: CallId,
    /// Its colour is that of the module of this function.
    pub function: FunctionId,
}

/// Rows of stretches, the outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Band {
    /// What its stretches are.
    pub title: &'static str,
    /// Those of a row are in order of time and do not overlap.
    pub rows: Vec<Vec<Stretch>>,
}

impl Band {
    /// The stretches of a row that `range` meets. O(log n).
    pub fn within(&self, row: usize, range: TimeRange) -> &[Stretch] {
        let row = self.rows.get(row).map_or(&[][..], Vec::as_slice);
        let from = row.partition_point(|it| it.range.end < range.start);
        let to = row.partition_point(|it| it.range.start <= range.end);
        &row[from.min(to)..to]
    }

    /// The stretch of a row that a time is in, or the one next to it where it is between two. O(log n).
    pub fn nearest(&self, row: usize, time: Time) -> Option<&Stretch> {
        let row = self.rows.get(row)?;
        let after = row.partition_point(|it| it.range.start <= time);
        let around = row[after.saturating_sub(1)..].iter().take(2);
        let distance = |it: &&Stretch| {
            let before = it.range.start.ns().saturating_sub(time.ns());
            before.max((time.ns() + 1).saturating_sub(it.range.end.ns()))
        };
        around.min_by_key(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn band(of: &[(u64, u64)]) -> Band {
        let stretch = |(number, &(start, end)): (usize, &(u64, u64))| Stretch {
            name: number.to_string(),
            range: TimeRange::new(Time::from_ns(start), Time::from_ns(end)),
            thread: ThreadId(0),
            call: CallId(number as u32),
            function: FunctionId(0),
        };
        Band {
            title: "numbers",
            rows: vec![of.iter().enumerate().map(stretch).collect()],
        }
    }

    #[test]
    fn stretches_are_found_by_time() {
        let of = [(10, 20), (20, 30), (40, 40), (50, 90)];
        let band = band(&of);
        for time in 0..100 {
            let found = band
                .nearest(0, Time::from_ns(time))
                .expect("one is nearest");
            let number = found.call.0 as usize;
            let inside = of
                .iter()
                .position(|&(start, end)| start <= time && time < end);
            if let Some(inside) = inside {
                assert_eq!(number, inside, "at {time}");
            }
            let distance = |(start, end): (u64, u64)| {
                let before = start.saturating_sub(time);
                before.max((time + 1).saturating_sub(end))
            };
            let least = of.iter().map(|&it| distance(it)).min();
            assert_eq!(Some(distance(of[number])), least, "at {time}");
        }
        assert_eq!(band.nearest(1, Time::from_ns(10)), None);
    }

    #[test]
    fn a_range_has_all_that_it_meets() {
        let of = [(10, 20), (20, 30), (40, 40), (50, 90)];
        let band = band(&of);
        for start in 0..100 {
            for end in start..100 {
                let range = TimeRange::new(Time::from_ns(start), Time::from_ns(end));
                let found = band.within(0, range).iter().map(|it| it.call.0 as usize);
                let met = |&number: &usize| of[number].0 <= end && start <= of[number].1;
                let expected: Vec<usize> = (0..of.len()).filter(met).collect();
                assert_eq!(found.collect::<Vec<_>>(), expected, "{start} to {end}");
            }
        }
        assert!(
            band.within(3, TimeRange::new(Time::ZERO, Time::ZERO))
                .is_empty()
        );
    }
}
