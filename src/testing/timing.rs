//! How the benches take times, and what they are told by the environment.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The processor time of this process and of those it has waited for, in all their threads.
pub fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may contain anything: user and system time, then those of the processes waited for.
    let after = text.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(4);
    let ticks = ticks.filter_map(|text| text.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// The shortest time of `times` runs, and the result of that run: other work on the machine is not what is measured.
pub fn least<T>(times: usize, mut work: impl FnMut() -> T) -> (Duration, T) {
    let runs = (0..times).map(|_| {
        let begin = Instant::now();
        let result = black_box(work());
        (begin.elapsed(), result)
    });
    runs.min_by_key(|it| it.0).expect("at least one run")
}

/// The least processor time of three runs.
pub fn least_cpu(mut work: impl FnMut()) -> Duration {
    let times = (0..3).map(|_| {
        let before = cpu_time();
        work();
        cpu_time() - before
    });
    times.min().unwrap_or_default()
}

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The number in the environment variable `name`.
pub fn setting(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    let number = value.and_then(|value| value.parse().ok());
    number.unwrap_or(default)
}
