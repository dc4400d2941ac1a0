//! Complete events that a writer put down as their calls ended, each behind those inside it: brought into order of
//! start in linear time, since where a call stands among all follows from how many are inside it and around it.

use super::nesting::Complete;

/// Room to work in that is kept from one time to the next.
#[derive(Default)]
pub struct Ends {
    /// By call, the place of the first of those that ended inside it; its own where none did.
    firsts: Vec<u32>,
    /// The calls around which none has ended so far.
    ended: Vec<(usize, u32)>,
    around: Vec<u32>,
    ordered: Vec<Complete>,
}

impl Ends {
    /// Brings `calls` into the order of [`Complete::key`], those of equal keys as they came. O(n) for one thread whose
    /// calls come as they ended, else O(n log n).
    pub fn order(&mut self, calls: &mut Vec<Complete>) {
        if !self.by_nesting(calls) {
            calls.sort_by_key(Complete::key);
        }
    }

    /// False where they did not come as they ended, thread by thread; then they are in some order of threads, and
    /// those of a thread as they came.
    fn by_nesting(&mut self, calls: &mut Vec<Complete>) -> bool {
        if calls.is_sorted_by_key(Complete::key) {
            return true;
        }
        if u32::try_from(calls.len()).is_err() {
            return false;
        }
        if calls.iter().any(|call| call.thread != calls[0].thread) {
            calls.sort_by_key(|call| call.thread);
        }
        let Ends {
            firsts,
            ended,
            around,
            ordered,
        } = self;
        firsts.clear();
        ended.clear();
        for (place, call) in calls.iter().enumerate() {
            let mut first = place as u32;
            while let Some(&(inner, inner_first)) = ended.last() {
                let inner = &calls[inner];
                let inside = inner.thread == call.thread
                    && call.start <= inner.start
                    && inner.end <= call.end
                    // Of equals the first stays the first.
                    && (call.start, call.end) != (inner.start, inner.end);
                if !inside {
                    break;
                }
                first = inner_first;
                ended.pop();
            }
            ended.push((place, first));
            firsts.push(first);
        }
        // From the last on, what is open around a call is known: before it in order of start stand the calls that
        // ended before its first, and those around it. Each has a place of its own, for what is inside a call ended
        // in a row.
        ordered.resize(calls.len(), bytemuck::Zeroable::zeroed());
        around.clear();
        for (place, call) in calls.iter().enumerate().rev() {
            while around.last().is_some_and(|&first| (place as u32) < first) {
                around.pop();
            }
            let target = firsts[place] as usize + around.len();
            if let Some(target) = ordered.get_mut(target) {
                *target = *call;
            }
            around.push(firsts[place]);
        }
        if !ordered.is_sorted_by_key(Complete::key) {
            return false;
        }
        std::mem::swap(calls, ordered);
        true
    }
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
        let mut done = 0;
        let mut ends = Ends::default();
        for seed in 0..3000 {
            let mut found = calls(seed);
            let mut expected = found.clone();
            expected.sort_by_key(Complete::key);
            if ends.by_nesting(&mut found) {
                assert_eq!(fields(&found), fields(&expected), "seed {seed}");
                done += 1;
            } else {
                found.sort_by_key(Complete::key);
                assert_eq!(fields(&found), fields(&expected), "seed {seed}, sorted");
            }
        }
        assert!(done > 1500, "{done}");
    }
}
