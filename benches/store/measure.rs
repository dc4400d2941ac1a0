//! How times are taken: as work of the processor, or as the latency of a query beside that of its floor.

use std::time::Duration;

use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::{cpu_time, least};

/// The least of three measurements of the processor's time for `work`, repeated while it is short: the
/// clock ticks every 10 ms.
pub fn cpu_of(mut work: impl FnMut()) -> Duration {
    let mut measure = |_| {
        let begin = cpu_time();
        let mut times = 0;
        loop {
            work();
            times += 1;
            let taken = cpu_time() - begin;
            if taken > Duration::from_millis(300) || times == 1000 {
                return taken / times;
            }
        }
    };
    (0..3).map(&mut measure).min().unwrap_or_default()
}

/// Median and 99th percentile.
#[derive(Clone, Copy)]
struct Latency {
    median: Duration,
    rare: Duration,
}

/// Runs `query` with `times` seeds.
fn latency(times: u32, query: &mut dyn FnMut(&mut Random)) -> Latency {
    let mut seeds = Random(7);
    let mut taken: Vec<Duration> = (0..times)
        .map(|_| {
            let seed = seeds.next();
            least(3, || query(&mut Random(seed))).0
        })
        .collect();
    taken.sort();
    let at = |share: f64| taken[((taken.len() - 1) as f64 * share) as usize];
    Latency {
        median: at(0.5),
        rare: at(0.99),
    }
}

fn is_left_out(what: &str) -> bool {
    std::env::var("ONLY").is_ok_and(|only| !what.contains(&only))
}

/// Queries over a trace of so many calls.
pub struct Queries {
    pub calls: u64,
}

impl Queries {
    /// Runs `query` with many seeds and prints median and 99th percentile.
    pub fn latencies(&self, what: &str, times: u32, mut query: impl FnMut(&mut Random)) {
        if is_left_out(what) {
            return;
        }
        let Latency { median, rare } = latency(times, &mut query);
        println!("{what}: median {median:.2?}, 99th percentile {rare:.2?}");
    }

    /// Runs `query` and what it is held against with the same seeds, and prints both, their ratio and what is asked of
    /// the 99th percentile.
    pub fn beside(
        &self,
        (what, aim): (&str, &str),
        times: u32,
        mut query: impl FnMut(&mut Random),
        floor: &str,
        mut floor_query: impl FnMut(&mut Random),
    ) {
        if is_left_out(what) {
            return;
        }
        let (ours, other) = (latency(times, &mut query), latency(times, &mut floor_query));
        println!(
            "{what}: median {:.2?}, 99th percentile {:.2?}; {floor}: {:.2?}, {:.2?}; ratio {:.4}, {:.4}",
            ours.median,
            ours.rare,
            other.median,
            other.rare,
            ratio(ours.median, other.median),
            ratio(ours.rare, other.rare),
        );
        Measured {
            target: &format!("store: {what}, {} calls", amount(self.calls)),
            value: ours.rare.as_secs_f64() * 1e3,
            unit: "ms, 99th percentile",
            peer: Some((floor, other.rare.as_secs_f64() * 1e3)),
            aim,
            ..Measured::default()
        }
        .print();
    }
}

pub fn ratio(ours: Duration, other: Duration) -> f64 {
    ours.as_secs_f64() / other.as_secs_f64().max(1e-9)
}
