//! All that happens in a recording, in order of time: calls, returns, allocations and releases alike (AVID, section 2.3).

use super::memory::{Events, INTERVALS};
use super::recording::Recording;
use super::trace::Trace;
use callscape_base::units::Time;

/// The events of a trace and of memory as one sequence. Numbers count from 0; of events at the same time, calls and
/// returns come first.
#[derive(Clone, Copy)]
pub struct AllEvents<'a> {
    pub trace: &'a Trace,
    /// Those of memory that have times.
    memory: Option<&'a Events>,
}

impl Recording {
    /// Its calls, returns, allocations and releases in order of time.
    pub fn all_events(&self) -> AllEvents<'_> {
        let memory = self.memory.as_ref();
        AllEvents::new(&self.trace, memory.and_then(|it| it.timed()))
    }
}

impl<'a> From<&'a Trace> for AllEvents<'a> {
    fn from(trace: &'a Trace) -> AllEvents<'a> {
        AllEvents::new(trace, None)
    }
}

impl<'a> AllEvents<'a> {
    pub fn new(trace: &'a Trace, memory: Option<&'a Events>) -> AllEvents<'a> {
        AllEvents { trace, memory }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.trace.events() + self.memory.map_or(0, |it| u64::from(it.end()))
    }

    /// How many happen at or before `t`. O(log n) a thread.
    pub fn until(&self, t: Time) -> u64 {
        let of_memory = self.memory.map_or(0, |it| it.position(t));
        self.trace.events_until(t) + u64::from(of_memory)
    }

    /// When event number `n` happens; none past the last. O(log² n) a thread.
    pub fn time(&self, n: u64) -> Option<Time> {
        if n >= self.count() {
            return None;
        }
        let before = self.of_memory_before(n);
        // The first of memory that is not before it may be this one.
        if let Some(memory) = self.memory.filter(|it| before < it.end())
            && self.number_of(memory, before) == n
        {
            return Some(memory.time(before));
        }
        let of_trace = n - u64::from(before);
        self.trace.event(of_trace).map(|event| event.time)
    }

    /// The positions between ten intervals of equally many events, of which there are less where they cannot be divided
    /// evenly: AVID's intervals for the allocation pattern (section 2.4).
    pub fn tenths(&self) -> [u32; INTERVALS + 1] {
        let all = u128::from(self.count());
        std::array::from_fn(|i| self.of_memory_before((all * i as u128 / INTERVALS as u128) as u64))
    }

    /// How many events of memory have a number less than `n`.
    fn of_memory_before(&self, n: u64) -> u32 {
        let Some(memory) = self.memory else {
            return 0;
        };
        let (mut from, mut to) = (0, memory.end());
        while from < to {
            let middle = from + (to - from) / 2;
            match self.number_of(memory, middle) < n {
                true => from = middle + 1,
                false => to = middle,
            }
        }
        from
    }

    /// The number of an event of memory among all.
    fn number_of(&self, memory: &Events, event: u32) -> u64 {
        u64::from(event) + self.trace.events_until(memory.time(event))
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::random::made;
    use super::super::trace::random::{Shape, random_trace};
    use super::*;

    /// Against one list of all times, sorted.
    #[test]
    fn they_are_those_of_calls_and_of_memory_in_order() {
        for seed in 0..30 {
            let shape = Shape {
                functions: 5,
                threads: 3,
                events: 300,
                deepest: 6,
                step: 0..4_000_000,
            };
            let trace = random_trace(seed, &shape);
            let (raw, memory) = made(seed + 1, (seed as usize % 7) * 60, false);
            let all = AllEvents::new(&trace, memory.events());
            let of_trace = (0..trace.events()).filter_map(|n| trace.event(n));
            let of_trace = of_trace.map(|it| (it.time, false));
            let of_memory = raw.iter().map(|it| (Time::from_ns(it.time), true));
            let mut expected: Vec<_> = of_trace.chain(of_memory).collect();
            expected.sort();
            assert_eq!(all.count(), expected.len() as u64);
            for (n, &(time, _)) in (0..).zip(&expected) {
                assert_eq!(all.time(n), Some(time), "seed {seed}, event {n}");
                let until = expected.partition_point(|it| it.0 <= time);
                assert_eq!(all.until(time), until as u64);
            }
            assert_eq!(all.time(all.count()), None);
            for (i, position) in all.tenths().into_iter().enumerate() {
                let first = &expected[..expected.len() * i / INTERVALS];
                let of_memory = first.iter().filter(|it| it.1).count();
                assert_eq!(position as usize, of_memory, "seed {seed}, tenth {i}");
            }
        }
    }
}
