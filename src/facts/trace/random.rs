//! Random traces for tests: the same for the same seed.

use std::ops::Range;

use super::Trace;
use crate::builder::{Timestamp, TraceBuilder};
use crate::functions::Function;
use callscape_base::warnings::{Place, Reporter};

/// What a random trace is like.
pub struct Shape {
    /// At most so many threads, of at least one.
    pub threads: u64,
    pub functions: u64,
    /// Less than so many events a thread.
    pub events: u64,
    /// At most so many calls open at once.
    pub deepest: usize,
    /// Nanoseconds from one event to the next.
    pub step: Range<u64>,
}

/// A linear congruential generator: below a limit that is not zero.
pub fn random_numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    move |limit| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % limit
    }
}

/// Of functions `a`, `b` and so on.
pub fn random_trace(seed: u64, shape: &Shape) -> Trace {
    let mut below = random_numbers(seed);
    let reporter = Reporter::new();
    let place = || Place::file("random");
    let mut builder = TraceBuilder::new(&reporter);
    let names = (b'a'..).take(shape.functions as usize);
    let functions: Vec<_> = names
        .map(|name| {
            builder.function(Function {
                name: &char::from(name).to_string(),
                ..Function::default()
            })
        })
        .collect();
    for thread in 0..1 + below(shape.threads) {
        let id = builder.thread("p", &thread.to_string());
        let mut now = 0;
        for _ in 0..below(shape.events) {
            now += shape.step.start + below(shape.step.end - shape.step.start);
            let time = Timestamp::from_ns(now as i64);
            let open = builder.open_calls(id);
            if open == 0 || (open < shape.deepest && below(9) < 5) {
                let function = functions[below(shape.functions) as usize];
                builder.enter(id, time, function, place);
            } else {
                builder.exit(id, time, None, place);
            }
        }
    }
    builder.finish(place).1
}
