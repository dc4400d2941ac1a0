//! Complete events that a writer put down as their calls ended, each behind those inside it: brought into order of
//! start in linear time. When a call comes, those that ended inside it are the last that have none around them: they
//! follow it, one with all inside it after the other, which takes a link each.

use std::cmp::Reverse;

use super::complete::Complete;

/// Calls as they come, and room to work in that is kept from one stretch to the next.
#[derive(Default)]
pub(super) struct Ends {
    /// By the place of the thread, the calls around which none has ended so far.
    outermost: Vec<Vec<Outermost>>,
    /// The threads that have any.
    threads: Vec<u32>,
    /// By call, the one that follows it in order of start; [`NONE`] for the last of those inside an outermost one.
    following: Vec<u32>,
    ordered: Vec<Complete>,
    /// How often the links gave no order.
    #[cfg(test)]
    sorted: usize,
}

/// A call with those inside it.
#[derive(Clone, Copy)]
struct Outermost {
    start: i64,
    end: i64,
    /// Its place.
    call: u32,
    /// That of the last call inside it, in order of start.
    last: u32,
}

const NONE: u32 = u32::MAX;

impl Ends {
    /// Takes the next call. O(1), amortised.
    #[inline]
    pub(super) fn push(&mut self, call: &Complete) {
        let place = self.following.len() as u32;
        if self.outermost.len() <= call.thread as usize {
            self.add(call.thread);
        }
        let outermost = &mut self.outermost[call.thread as usize];
        if outermost.is_empty() {
            self.threads.push(call.thread);
        }
        let (mut first, mut last) = (NONE, place);
        while let Some(inner) = outermost.last() {
            let inside = call.start <= inner.start
                && inner.end <= call.end
                // Of equals the first stays the first.
                && (call.start, call.end) != (inner.start, inner.end);
            if !inside {
                break;
            }
            if first == NONE {
                last = inner.last;
            } else {
                self.following[inner.last as usize] = first;
            }
            first = inner.call;
            outermost.pop();
        }
        self.following.push(first);
        outermost.push(Outermost {
            start: call.start,
            end: call.end,
            call: place,
            last,
        });
    }

    #[cold]
    fn add(&mut self, thread: u32) {
        self.outermost.resize(thread as usize + 1, Vec::new());
    }

    /// Hands over the calls that came, which are `calls`, and forgets them: those of each thread in the order of
    /// [`Complete::key`], those of equal keys as they came. O(n) for calls that came as they ended, or in order of
    /// start, else O(n log n).
    pub(super) fn take(&mut self, calls: &[Complete], mut of_thread: impl FnMut(&[Complete])) {
        for &thread in &self.threads {
            let outermost = &mut self.outermost[thread as usize];
            self.ordered.clear();
            let (mut before, mut in_order) = ((i64::MIN, Reverse(i64::MAX), 0), true);
            for (place, call) in places(outermost, &self.following, calls) {
                let key = (call.start, Reverse(call.end), place);
                in_order &= before <= key;
                before = key;
                self.ordered.push(*call);
            }
            if !in_order {
                let places = places(outermost, &self.following, calls);
                let mut places: Vec<u32> = places.map(|(place, _)| place).collect();
                places.sort_unstable();
                self.ordered.clear();
                let as_they_came = places.iter().map(|&place| calls[place as usize]);
                self.ordered.extend(as_they_came);
                self.ordered.sort_by_key(Complete::key);
                #[cfg(test)]
                (self.sorted += 1);
            }
            of_thread(&self.ordered);
            outermost.clear();
        }
        self.threads.clear();
        self.following.clear();
    }
}

/// The calls of a thread as the links have them, each with its place.
fn places<'a>(
    outermost: &'a [Outermost],
    following: &'a [u32],
    calls: &'a [Complete],
) -> impl Iterator<Item = (u32, &'a Complete)> {
    outermost.iter().flat_map(move |outermost| {
        let mut next = outermost.call;
        std::iter::from_fn(move || {
            let place = next;
            let call = calls.get(place as usize)?;
            next = following[place as usize];
            Some((place, call))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls of up to three threads as they end, with ties; sometimes not quite.
    fn calls(seed: u64) -> Vec<Complete> {
        let mut state = seed;
        let mut below = |limit: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % limit
        };
        let threads = 1 + below(3);
        let mut open: Vec<Vec<(i64, u32)>> = vec![Vec::new(); threads as usize];
        let mut calls = Vec::new();
        let mut time = 0;
        for number in 0..below(60) as u32 {
            time += below(3) as i64;
            let thread = below(threads) as u32;
            let open = &mut open[thread as usize];
            if below(2) == 0 {
                open.push((time, number));
            } else if let Some((start, function)) = open.pop() {
                calls.push(Complete {
                    start,
                    end: time,
                    offset: calls.len() as u64,
                    thread,
                    function,
                });
            }
        }
        if below(4) == 0 && calls.len() > 2 {
            let (a, b) = (below(calls.len() as u64), below(calls.len() as u64));
            calls.swap(a as usize, b as usize);
        }
        calls
    }

    #[test]
    fn calls_as_they_ended_are_ordered_as_a_sort_orders_them() {
        let fields = |calls: &[Complete]| -> Vec<_> {
            let fields = calls.iter();
            fields.map(|call| (call.key(), call.offset)).collect()
        };
        let mut ends = Ends::default();
        for seed in 0..3000 {
            let calls = calls(seed);
            calls.iter().for_each(|call| ends.push(call));
            let mut found = Vec::new();
            ends.take(&calls, |of_thread| found.push(of_thread.to_vec()));
            found.sort_by_key(|calls| calls[0].thread);
            let mut expected = calls.clone();
            expected.sort_by_key(Complete::key);
            assert_eq!(fields(&found.concat()), fields(&expected), "seed {seed}");
        }
        assert!(ends.sorted < 1500, "{}", ends.sorted);
    }
}
