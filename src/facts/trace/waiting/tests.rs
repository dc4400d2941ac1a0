use super::super::random::{Shape, random_numbers, random_trace};
use super::clean::clean;
use super::*;
use callscape_base::units::{Cost, ThreadId, Time, TimeRange};

fn raw(start: i64, end: i64, waited: u64) -> RawWait {
    RawWait {
        start,
        end,
        waited,
        why: Why::Preempted,
    }
}

#[test]
fn waits_come_in_order_each_behind_the_end_of_the_one_before() {
    let all = u64::MAX;
    let unordered = vec![raw(130, 140, 5), raw(90, 110, all), raw(135, 155, all)];
    let (rows, overlapping) = clean(unordered, 100);
    let found: Vec<_> = rows
        .iter()
        .map(|it| (it.start, it.end, it.before, it.waited(), it.why()))
        .collect();
    let why = Why::Preempted;
    // What lies before the origin is cut off, and of the last the part that the one before has.
    let expected = [
        (0, 10, 0, 10, why),
        (30, 40, 10, 5, why),
        (40, 55, 15, 15, why),
    ];
    assert_eq!(found, expected);
    assert_eq!(overlapping, 1);
}

#[test]
fn waits_that_are_none_are_left_out() {
    let waits = vec![
        raw(5, 5, 1),
        raw(9, 2, 7),
        raw(10, 20, 0),
        raw(i64::MIN, -1, 3),
        raw(12, 14, u64::MAX),
        raw(11, 13, u64::MAX),
        raw(12, 13, u64::MAX),
        raw(i64::MAX - 1, i64::MAX, 1),
    ];
    let (rows, overlapping) = clean(waits, 0);
    let found: Vec<_> = rows.iter().map(|it| (it.start, it.end)).collect();
    let last = i64::MAX as u64;
    assert_eq!(found, [(11, 13), (13, 14), (last - 1, last)]);
    assert_eq!(overlapping, 2);
}

#[test]
fn the_waits_of_a_window_are_those_that_overlap_it() {
    let shape = Shape {
        threads: 1,
        functions: 3,
        events: 60,
        deepest: 4,
        step: 1..9,
    };
    for seed in 0..100 {
        let mut below = random_numbers(seed);
        let mut trace = random_trace(seed, &shape);
        let mut raws = Vec::new();
        let mut now = trace.origin();
        for _ in 0..below(30) {
            let start = now + below(9) as i64;
            now = start + 1 + below(9) as i64;
            raws.push(raw(start, now, 1 + below(4)));
        }
        let threads = trace.threads().len();
        trace.learn_waiting(vec![raws; threads]);
        let Some(thread) = trace.thread_ids().next() else {
            continue;
        };
        let mut all = Vec::new();
        trace.waits_in(thread, TimeRange::new(Time::ZERO, Time::MAX), |wait| {
            all.push(wait);
            true
        });
        let known = trace.waiting_known().expect("it is known");
        let total: Cost = all.iter().map(|wait| wait.waited).sum();
        assert_eq!(
            (known.waits, known.total),
            (
                (all.len() * threads) as u64,
                Cost::from_ns(total.ns() * threads as u64)
            )
        );
        assert_eq!(
            (known.preempted, known.voluntary),
            (known.total, Cost::ZERO)
        );
        for _ in 0..20 {
            let mut ends = [below(300), below(300)].map(Time::from_ns);
            ends.sort();
            let [from, to] = ends;
            let mut found = Vec::new();
            trace.waits_in(thread, TimeRange::new(from, to), |wait| {
                found.push(wait);
                true
            });
            let overlapping = all.iter().filter(|it| it.start < to && it.end > from);
            assert!(found.iter().eq(overlapping), "seed {seed}, {from} to {to}");
        }
        assert_eq!(trace.waited_until(ThreadId(7), Time::MAX), Cost::ZERO);
    }
}
