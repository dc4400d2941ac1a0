//! Clocks of services that differ: a call that lies outside of the one that started it, in another service, says how far
//! the clocks are apart.
//!
//! In each trace the services are gone through from that of its outermost span on, and one that was called is moved as a
//! whole: so that as many of its calls as can be lie inside of their callers; not at all where it is as well where it is;
//! else to the middle of where it may be, as if the way there took as long as the way back. What lasts longer than its
//! caller, which did not wait for it, only has to start after it. So does Jaeger's adjuster, one span after the other
//! (`cmd/query/app/querysvc/adjuster/clockskew.go` of <https://github.com/jaegertracing/jaeger>).

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

static IS_LEFT: AtomicBool = AtomicBool::new(false);

/// Has times stay as recordings have them, from now on and for the whole process: it is asked of each.
pub fn leave() {
    IS_LEFT.store(true, Ordering::Relaxed);
}

/// Whether times stay as recordings have them.
pub fn is_left() -> bool {
    IS_LEFT.load(Ordering::Relaxed)
}

/// A span that a span of another service started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Crossing {
    pub trace: u32,
    pub from: u32,
    pub to: u32,
    /// Start and end of both.
    pub caller: (i64, i64),
    pub called: (i64, i64),
}

impl Crossing {
    /// How far the called one may be moved where its caller is moved by `shift`.
    fn room(&self, shift: i64) -> (i64, i64) {
        let (caller, called) = (self.caller, self.called);
        let apart = |a: i64, b: i64| a.saturating_add(shift).saturating_sub(b);
        let first = apart(caller.0, called.0);
        match apart(caller.1, called.1) {
            last if last >= first => (first, last),
            _ => (first, i64::MAX),
        }
    }
}

/// By trace and service how far it is to be moved, those left out that stay. O(n log n).
pub(super) fn shifts(mut crossings: Vec<Crossing>) -> BTreeMap<(u32, u32), i64> {
    let mut shifts = BTreeMap::new();
    // Most traces have nothing to be moved.
    let is_inside = |it: &Crossing| {
        let room = it.room(0);
        room.0 <= 0 && 0 <= room.1
    };
    let mut traces: Vec<u32> = crossings
        .iter()
        .filter(|it| !is_inside(it))
        .map(|it| it.trace)
        .collect();
    traces.sort_unstable();
    crossings.retain(|it| traces.binary_search(&it.trace).is_ok());
    crossings.sort_unstable();
    for of_trace in crossings.chunk_by(|a, b| a.trace == b.trace) {
        of_one(of_trace, &mut shifts);
    }
    shifts
}

/// The same of one trace, in order of caller, then of called service.
fn of_one(crossings: &[Crossing], shifts: &mut BTreeMap<(u32, u32), i64>) {
    let is_called = |service: u32| crossings.iter().any(|it| it.to == service);
    let outermost = crossings.iter().find(|it| !is_called(it.from));
    // Where services call each other in circles, that of the first span.
    let first = outermost.or_else(|| crossings.iter().min_by_key(|it| it.caller.0));
    let Some(first) = first else { return };
    let mut known = BTreeMap::from([(first.from, 0)]);
    for other in crossings.iter().filter(|it| !is_called(it.from)) {
        known.insert(other.from, 0);
    }
    let mut next: VecDeque<u32> = known.keys().copied().collect();
    while let Some(from) = next.pop_front() {
        let shift = known.get(&from).copied().unwrap_or(0);
        let start = crossings.partition_point(|it| it.from < from);
        let of_caller = crossings[start..].iter().take_while(|it| it.from == from);
        let of_caller: Vec<Crossing> = of_caller.copied().collect();
        for calls in of_caller.chunk_by(|a, b| a.to == b.to) {
            let to = calls[0].to;
            if known.contains_key(&to) {
                continue;
            }
            let by = best(calls.iter().map(|it| it.room(shift)).collect());
            known.insert(to, by);
            next.push_back(to);
            if by != 0 {
                shifts.insert((calls[0].trace, to), by);
            }
        }
    }
}

/// The number that lies in most of these, 0 where none lies in more; else the middle of where it may lie, or its one end.
fn best(rooms: Vec<(i64, i64)>) -> i64 {
    let holds = |at: i64| {
        rooms
            .iter()
            .filter(|room| room.0 <= at && at <= room.1)
            .count()
    };
    // As many hold a number as hold the last start before it that is not yet over.
    let mut starts: Vec<i64> = rooms.iter().map(|room| room.0).collect();
    starts.sort_unstable();
    let mut ends: Vec<i64> = rooms.iter().map(|room| room.1).collect();
    ends.sort_unstable();
    let over = |at: i64| ends.partition_point(|&end| end < at);
    let at_start = |number: usize| number + 1 - over(starts[number]);
    let most = (0..starts.len()).map(at_start).max().unwrap_or(0);
    if holds(0) >= most {
        return 0;
    }
    let best = (0..starts.len()).filter(|&it| at_start(it) == most);
    let best = best.map(|it| (starts[it], ends[over(starts[it])]));
    let nearest = best.min_by_key(|(first, last)| first.unsigned_abs().min(last.unsigned_abs()));
    match nearest {
        None => 0,
        Some((first, i64::MAX)) => first,
        Some((first, last)) => i64::midpoint(first, last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(from: u32, to: u32, caller: (i64, i64), called: (i64, i64)) -> Crossing {
        Crossing {
            trace: 7,
            from,
            to,
            caller,
            called,
        }
    }

    #[test]
    fn a_service_is_moved_into_its_caller_and_what_it_calls_with_it() {
        let calls = vec![
            call(0, 1, (0, 100), (500, 560)),
            call(1, 2, (510, 550), (900, 910)),
            // Longer than its caller: only what starts too early is moved.
            call(0, 3, (0, 100), (50, 400)),
            call(0, 4, (0, 100), (-30, 400)),
        ];
        let expected = [((7, 1), -480), ((7, 2), -855), ((7, 4), 30)];
        assert_eq!(shifts(calls), expected.into());
    }

    #[test]
    fn a_service_stays_where_most_of_its_calls_are_well() {
        let well = [(0, 100), (200, 300)].map(|it| call(0, 1, it, (it.0 + 10, it.1 - 10)));
        let calls = vec![well[0], well[1], call(0, 1, (400, 500), (520, 530))];
        assert_eq!(shifts(calls), BTreeMap::new());
    }

    #[test]
    fn no_shift_has_more_calls_inside_of_their_callers() {
        let mut state = 1u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            ((state >> 33) % limit) as i64
        };
        for round in 0..500 {
            let calls: Vec<Crossing> = (0..1 + below(6))
                .map(|_| {
                    let (caller, called) = (below(40), below(40));
                    let (cost, inner) = (below(20), below(12));
                    call(0, 1, (caller, caller + cost), (called, called + inner))
                })
                .collect();
            let inside = |by: i64| {
                let inside = calls.iter().filter(|it| {
                    let room = it.room(0);
                    room.0 <= by && by <= room.1
                });
                inside.count()
            };
            let by = shifts(calls.clone()).get(&(7, 1)).copied().unwrap_or(0);
            let most = (-100..100).map(inside).max();
            assert_eq!(Some(inside(by)), most, "round {round}: {by} of {calls:?}");
            assert!(by == 0 || inside(0) < inside(by), "round {round}");
        }
    }
}
