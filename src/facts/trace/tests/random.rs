//! Random traces, with the same calls held directly.

use super::super::call::Call;
use super::super::oracle::Direct;
use super::super::{Trace, Why};
use crate::builder::{Timestamp, TraceBuilder};
use crate::functions::Function;
use callscape_base::units::{Cost, FunctionId, ThreadId, Time};
use callscape_base::warnings::{Place, Reporter};

/// A small random number generator (splitmix64).
pub(super) struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

fn place() -> Place {
    Place::file("random")
}

/// A trace of random shape and the same calls held directly.
pub(super) fn random_trace(seed: u64) -> (Trace, Direct) {
    let mut random = Random(seed);
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    // Now and then so slow that costs add up to more than a number can hold.
    let scale = if seed % 8 == 5 { 1 << 47 } else { 1 };
    let names: Vec<String> = (0..1 + random.below(12)).map(|i| format!("f{i}")).collect();
    let functions: Vec<FunctionId> = names
        .iter()
        .map(|name| {
            builder.function(Function {
                name,
                ..Function::default()
            })
        })
        .collect();
    let mut threads = Vec::new();
    let knows_waiting = !seed.is_multiple_of(3);
    let mut waits = Vec::new();
    // Also of clocks that start below zero.
    let origin = random.below(2000) as i64 - 1000;
    for thread in 0..1 + random.below(3) {
        let id = builder.thread("p", &thread.to_string());
        let mut calls: Vec<Call> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut now = random.below(40);
        let (events, deepest) = (random.below(700), 1 + random.below(90));
        // Steps of mostly nothing make many equal times.
        let step = 1 + random.below(30);
        // As samples do it, where calls start and end together.
        let pause = if random.below(3) == 0 { 12 } else { 1 };
        let close = |open: &mut Vec<usize>, calls: &mut Vec<Call>, now: u64| {
            if let Some(call) = open.pop() {
                calls[call].end = Time::from_ns(now);
                calls[call].triggered = (calls.len() - 1 - call) as u32;
            }
        };
        let wanders = random.below(2) == 0;
        for _ in 0..events {
            if random.below(pause) == 0 {
                now += random.below(step).saturating_sub(step / 3) * scale;
            }
            let at = Timestamp::from_ns(now as i64 + origin);
            let up = if wanders {
                2
            } else {
                1 + u64::from(random.below(100) < 50)
            };
            if (open.len() as u64) < deepest && random.below(4) < up {
                let function = functions[random.below(functions.len() as u64) as usize];
                builder.enter(id, at, function, place);
                calls.push(Call {
                    function,
                    start: Time::from_ns(now),
                    end: Time::from_ns(now),
                    depth: open.len() as u32,
                    triggered: 0,
                });
                open.push(calls.len() - 1);
            } else if random.below(20) == 0 {
                // The end of an outer call, or of one that never began.
                let function = functions[random.below(functions.len() as u64) as usize];
                let found = open
                    .iter()
                    .rposition(|&call| calls[call].function == function);
                assert_eq!(builder.exit(id, at, Some(function), place), found.is_some());
                match found {
                    Some(depth) => {
                        while open.len() > depth {
                            close(&mut open, &mut calls, now);
                        }
                    }
                    None => continue,
                }
            } else if !open.is_empty() {
                builder.exit(id, at, None, place);
                close(&mut open, &mut calls, now);
            }
        }
        // What is open at the end ends with the last event.
        let ends = calls.iter().map(|call| call.end.max(call.start));
        let last = ends.max().map_or(0, Time::ns);
        while !open.is_empty() {
            close(&mut open, &mut calls, last);
        }
        threads.push(calls);
        waits.push(random_waits(&mut random, step * scale, knows_waiting));
    }
    let first = threads.iter().flatten().map(|call| call.start).min();
    let first = first.unwrap_or_default().since(Time::ZERO);
    let mut direct_waits = Vec::new();
    for (thread, waits) in waits.iter().enumerate() {
        let id = ThreadId(thread as u32);
        for &(start, end, waited) in waits {
            let time = |ns: u64| Timestamp::from_ns(ns as i64 + origin);
            let waited = (waited < end - start).then_some(Cost::from_ns(waited));
            builder.wait(id, (time(start), time(end)), waited, Why::Voluntary);
        }
        // What lies before the first event is cut off, and the same part of the rest was waiting.
        let cut = waits.iter().filter_map(|&(start, end, waited)| {
            let end = end.checked_sub(first.ns()).filter(|&end| end > 0)?;
            let left = end - start.saturating_sub(first.ns());
            let length = end + first.ns() - start;
            let waited = (u128::from(waited) * u128::from(left) / u128::from(length)) as u64;
            Some((end - left, end, waited))
        });
        direct_waits.push(cut.collect::<Vec<_>>());
    }
    // Waits in which no call is open concern none.
    for (waits, calls) in direct_waits.iter_mut().zip(&threads) {
        let at = |ns: u64| Time::from_ns(ns) + first;
        waits.retain(|&(from, to, _)| {
            let mut calls = calls.iter();
            calls.any(|call| call.start.max(at(from)) < call.end.min(at(to)))
        });
    }
    for call in threads.iter_mut().flatten() {
        call.start = call.start - first;
        call.end = call.end - first;
    }
    let (functions, trace) = builder.finish(place);
    let mut direct = Direct::new(threads, functions.len());
    if knows_waiting {
        direct.waits = direct_waits;
    }
    (trace, direct)
}

/// Waits of a thread that do not overlap, as start, end and how much of it was waiting, which may be all.
fn random_waits(random: &mut Random, step: u64, knows_waiting: bool) -> Vec<(u64, u64, u64)> {
    let mut waits = Vec::new();
    let mut now = 0;
    let (count, longest) = (random.below(40), 1 + random.below(6 * step));
    for _ in 0..if knows_waiting { count } else { 0 } {
        let start = now + random.below(longest) / (1 + random.below(3));
        let length = 1 + random.below(longest);
        let waited = match random.below(2) {
            0 => length,
            _ => random.below(length + 1),
        };
        now = start + length;
        waits.push((start, now, waited));
    }
    waits
}
