//! Phases out of the skeletons that an index has, held against the definitions, without a look at calls in between.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::tests::{check_of, shape, thresholds, trace_with_waits};
use super::*;
use callscape_base::units::{Cost, ThreadId, Time, TimeRange};
use callscape_facts::trace::random::{random_numbers, random_trace};
use callscape_facts::trace::{CostOf, Enclosing, Floor, Skeleton, Trace, Within};

/// A trace with skeletons, and how often others are made.
struct Kept {
    trace: Trace,
    made: AtomicUsize,
}

impl Calls for Kept {
    fn calls(&self, thread: ThreadId) -> u64 {
        Calls::calls(&self.trace, thread)
    }

    fn typical_short_call(
        &self,
        threads: &[ThreadId],
        progress: &Progress,
    ) -> Result<Option<Cost>, Cancelled> {
        self.trace
            .typical_short_call(threads, CostOf::Running, progress)
    }

    fn skeleton(
        &self,
        thread: ThreadId,
        floor: Floor,
        within: Within,
        progress: &Progress,
    ) -> Result<Skeleton, Cancelled> {
        self.made.fetch_add(1, Ordering::Relaxed);
        self.trace
            .skeleton(thread, floor, CostOf::Running, within, progress)
    }

    fn skeleton_out_of(
        &self,
        whole: &Skeleton,
        within: Within,
        progress: &Progress,
    ) -> Option<Result<Skeleton, Cancelled>> {
        Calls::skeleton_out_of(&self.trace, whole, within, progress)
    }

    fn trace(&self) -> &Trace {
        &self.trace
    }

    fn known(&self) -> Option<Pruning> {
        self.trace.known()
    }
}

/// A trace whose index has skeletons above this floor.
fn kept(seed: u64, floor: Floor) -> Kept {
    let trace = match seed % 2 {
        0 => random_trace(seed, &shape(seed)),
        _ => trace_with_waits(seed),
    };
    let progress = Progress::new();
    let of_thread = |thread| trace.skeleton(thread, floor, CostOf::Running, None, &progress);
    let skeletons: Result<Vec<Skeleton>, _> = trace.thread_ids().map(of_thread).collect();
    trace.keep_skeletons(&skeletons.expect("not cancelled"), Some(Cost::from_ns(3)));
    Kept {
        trace,
        made: AtomicUsize::new(0),
    }
}

#[test]
fn ranges_threads_and_thresholds_are_answered_from_what_is_kept() {
    for seed in 0..500 {
        let mut below = random_numbers(seed + 3);
        let floor = Floor {
            triggered: [0, 1, 2, 3, 8][below(5) as usize],
            cost: Cost::from_ns([0, 10, 40, 100][below(4) as usize]),
        };
        let kept = kept(seed, floor);
        let all: Vec<ThreadId> = kept.trace.thread_ids().collect();
        let some: Vec<ThreadId> = all.iter().copied().filter(|_| below(2) == 0).collect();
        let lasts = kept.trace.duration().ns() + 2;
        let range = TimeRange::new(Time::from_ns(below(lasts)), Time::from_ns(below(lasts)));
        let more = thresholds(seed);
        let heavy = Floor {
            triggered: more.triggered.max(floor.triggered),
            cost: more.cost.max(floor.cost),
        };
        let enclosing = [Enclosing::Parts, Enclosing::Whole, Enclosing::None];
        let of_range = enclosing.map(|enclosing| Within {
            range: Some(range),
            enclosing,
        });
        let all_calls = Within::default();
        for threads in [all, some] {
            for within in of_range.into_iter().chain([all_calls]) {
                let wish = Wish {
                    calls: Some(heavy.triggered),
                    cost: Some(heavy.cost),
                    within,
                    ..Wish::of(threads.clone())
                };
                let found = phases(&kept, &wish, &Progress::new()).expect("not cancelled");
                let what = format!("seed {seed}, {floor:?}, {heavy:?}, {within:?}");
                check_of(&kept.trace, &threads, &found, within, &what);
            }
        }
        assert_eq!(kept.made.into_inner(), 0, "seed {seed}");
    }
}

#[test]
fn start_values_are_those_without_what_is_kept() {
    for seed in 0..200 {
        let kept = kept(
            seed,
            Floor {
                triggered: 1,
                cost: Cost::from_ns(1),
            },
        );
        let plain = match seed % 2 {
            0 => random_trace(seed, &shape(seed)),
            _ => trace_with_waits(seed),
        };
        let threads: Vec<ThreadId> = plain.thread_ids().collect();
        let lasts = plain.duration().ns();
        let mut below = random_numbers(seed);
        let half = TimeRange::new(Time::ZERO, Time::from_ns(lasts / 2));
        for range in [None, Some(half)] {
            let one = vec![ThreadId(below(threads.len().max(1) as u64) as u32)];
            // What a short call of all costs is not what is kept here.
            let of_one = (threads.len() > 1).then_some((None, None, &one));
            let of_all = [(Some(7), None), (None, Some(5)), (Some(0), None)];
            let of_all = of_all.map(|(cost, short)| (cost, short, &threads));
            for (cost, short, threads) in of_all.into_iter().chain(of_one) {
                let wish = Wish {
                    cost: cost.map(Cost::from_ns),
                    short: short.map(Cost::from_ns),
                    within: range.into(),
                    ..Wish::of(threads.clone())
                };
                let of = |calls: &dyn Fn(&Wish) -> Result<Phases, Cancelled>| {
                    let found = calls(&wish).expect("not cancelled");
                    (found.parameters, found.rows(), found.cost())
                };
                let out_of_kept = of(&|wish| phases(&kept, wish, &Progress::new()));
                let anew = of(&|wish| phases(&plain, wish, &Progress::new()));
                assert_eq!(out_of_kept, anew, "seed {seed}, {wish:?}");
            }
        }
    }
}
