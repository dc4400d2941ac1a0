//! Massively called functions: short ones in inner loops, which make up most of a trace and tell least of it.
//!
//! The algorithm is that of Bohnet's thesis, section 4.3.2, over the events of each thread: windows of a given length
//! follow each other, the first from the thread's first event, each other one from the first event past the one before.
//! In each, the exits of every function are counted. A function of which more than so many end in any window is called
//! massively, and then all its calls are left out (4.3.3), wherever they are: what they called is called by their callers.
//!
//! How it is put: an event exactly at the end of a window belongs to it, and the first event past it to the next one, the
//! last event of a thread included. Windows do not depend on how many calls are allowed: [`Frequencies`] are found
//! once, and say for every limit what goes.

#[cfg(test)]
mod oracle;
mod without;

use std::cmp::Reverse;

use rayon::prelude::*;

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, FunctionId, ThreadId, Time};
use callscape_facts::frequency::{Frequency, LeftOut, NAMED};
use callscape_facts::functions::Functions;
use callscape_facts::trace::{Call, Trace};
pub(crate) use without::without;
pub use without::{FrequencyError, leave_out_frequent};

/// So many calls are walked through between two looks at whether to go on.
const STRETCH: u64 = 200_000;

/// How often functions are called at most in windows of one length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frequencies {
    window: Cost,
    /// By function.
    of: Vec<Called>,
    /// The functions that are called at all, the most often called first, and by place the calls of all up to it.
    order: Vec<FunctionId>,
    until: Vec<u64>,
}

/// How often a function is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// The most exits in one window of one thread.
    pub peak: u64,
    /// In all threads and all of the time.
    pub calls: u64,
}

impl Frequencies {
    /// Of a trace that has so many `functions`, in windows of this length. O(calls), threads side by side.
    pub fn new(
        trace: &Trace,
        functions: usize,
        window: Cost,
        progress: &Progress,
    ) -> Result<Frequencies, Cancelled> {
        progress.start("counting how often functions are called", trace.calls());
        let threads: Vec<ThreadId> = trace.thread_ids().collect();
        let parts: Result<Vec<Vec<Called>>, Cancelled> = threads
            .into_par_iter()
            .map(|thread| of_thread(trace, thread, functions, window, progress))
            .collect();
        let mut of = vec![Called::default(); functions];
        for part in parts? {
            for (all, part) in of.iter_mut().zip(part) {
                all.peak = all.peak.max(part.peak);
                all.calls += part.calls;
            }
        }
        let mut order: Vec<FunctionId> = (0..of.len() as u32).map(FunctionId).collect();
        order.retain(|id| of[id.index()].calls > 0);
        order.sort_by_key(|id| Reverse((of[id.index()].peak, of[id.index()].calls)));
        let calls = order.iter().scan(0, |sum, id| {
            *sum += of[id.index()].calls;
            Some(*sum)
        });
        Ok(Frequencies {
            window,
            until: calls.collect(),
            of,
            order,
        })
    }

    /// How many functions are called at all.
    pub fn functions(&self) -> usize {
        self.order.len()
    }

    /// The most calls of a function in one window.
    pub fn highest(&self) -> u64 {
        let first = self.order.first();
        first.map_or(0, |id| self.of[id.index()].peak)
    }

    /// The functions that are called more often than `most` times in some window, the most often called first, and how
    /// many calls they have of how many. O(log functions).
    pub fn above(&self, most: u64) -> (&[FunctionId], u64, u64) {
        let end = self
            .order
            .partition_point(|id| self.of[id.index()].peak > most);
        let calls = end.checked_sub(1).map_or(0, |last| self.until[last]);
        let of = self.until.last().copied().unwrap_or(0);
        (&self.order[..end], calls, of)
    }

    pub fn window(&self) -> Cost {
        self.window
    }

    /// By function.
    pub fn called(&self) -> &[Called] {
        &self.of
    }

    /// The functions that are called more often than `most` times in some window, in order. O(functions).
    pub fn frequent(&self, most: u64) -> Frequent {
        let functions = self.of.iter().zip(0..).filter(|(it, _)| it.peak > most);
        let functions = functions.map(|(_, id)| FunctionId(id)).collect();
        self.with(most, functions)
    }

    /// These functions, those that are never called left out, as what a limit takes away. O(functions).
    fn with(&self, most: u64, mut functions: Vec<FunctionId>) -> Frequent {
        let calls = |id: &FunctionId| self.of.get(id.index()).map_or(0, |it| it.calls);
        functions.retain(|id| calls(id) > 0);
        Frequent {
            frequency: Frequency {
                most,
                window: self.window,
            },
            calls: functions.iter().map(calls).sum(),
            of: self.of.iter().map(|it| it.calls).sum(),
            functions,
        }
    }

    /// What is said of a recording of these `functions` without the `frequent` ones.
    pub fn left_out(&self, frequent: &Frequent, functions: &Functions) -> LeftOut {
        let mut most_first = frequent.functions.clone();
        most_first.sort_by_key(|id| Reverse(self.of.get(id.index()).map_or(0, |it| it.calls)));
        let names = most_first.iter().take(NAMED);
        LeftOut {
            max_frequency: frequent.frequency,
            functions: frequent.functions.len() as u64,
            calls: Some(frequent.calls),
            of: Some(frequent.of),
            of_run_before: false,
            names: names.map(|&id| functions.get(id).name.to_owned()).collect(),
            before: None,
            found: Vec::new(),
            has_first_calls: false,
        }
    }
}

/// The functions that are called more often than a frequency allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frequent {
    pub frequency: Frequency,
    /// In order.
    pub functions: Vec<FunctionId>,
    /// How many calls these have, and all functions together.
    pub calls: u64,
    pub of: u64,
}

impl Frequent {
    /// The share of the calls, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.calls as f64 / self.of.max(1) as f64
    }
}

/// The window that is counted, and the most found so far.
struct Counting {
    window: u64,
    /// When the window began; none before the first event.
    began: Option<u64>,
    /// By function how often it has ended in the window; those that have are in `seen`.
    counts: Vec<u32>,
    seen: Vec<u32>,
    found: Vec<Called>,
}

impl Counting {
    /// An event at `time`: it may begin another window.
    #[inline]
    fn event(&mut self, time: Time) {
        let time = time.ns();
        match self.began {
            Some(began) if time.saturating_sub(began) <= self.window => {}
            Some(_) => {
                self.close();
                self.began = Some(time);
            }
            None => self.began = Some(time),
        }
    }

    #[inline]
    fn exit(&mut self, (function, end): (u32, Time)) {
        self.event(end);
        if let Some(count) = self.counts.get_mut(function as usize) {
            if *count == 0 {
                self.seen.push(function);
            }
            // A thread has fewer calls than that.
            *count = count.saturating_add(1);
        }
    }

    fn close(&mut self) {
        for &function in &self.seen {
            let count = std::mem::take(&mut self.counts[function as usize]);
            let found = &mut self.found[function as usize];
            found.peak = found.peak.max(u64::from(count));
            found.calls += u64::from(count);
        }
        self.seen.clear();
    }
}

/// By function, how often it is called in a thread. O(calls).
fn of_thread(
    trace: &Trace,
    thread: ThreadId,
    functions: usize,
    window: Cost,
    progress: &Progress,
) -> Result<Vec<Called>, Cancelled> {
    let mut counting = Counting {
        window: window.ns(),
        began: None,
        counts: vec![0; functions],
        seen: Vec::new(),
        found: vec![Called::default(); functions],
    };
    let mut open: Vec<(u32, Time)> = Vec::new();
    each_call(trace, thread, progress, |call| {
        while open.len() > call.depth as usize
            && let Some(ended) = open.pop()
        {
            counting.exit(ended);
        }
        counting.event(call.start);
        open.push((call.function.0, call.end));
    })?;
    while let Some(ended) = open.pop() {
        counting.exit(ended);
    }
    counting.close();
    Ok(counting.found)
}

/// Hands every call of `thread` to `visit`, in order of start, and tells `progress` how many. O(calls).
fn each_call(
    trace: &Trace,
    thread: ThreadId,
    progress: &Progress,
    mut visit: impl FnMut(&Call),
) -> Result<(), Cancelled> {
    let Some(info) = trace.threads().get(thread.index()) else {
        return Ok(());
    };
    let calls = u32::try_from(info.calls).unwrap_or(u32::MAX);
    let mut next = 0u32;
    while next < calls {
        let end = calls.min(next.saturating_add(STRETCH as u32));
        progress.check()?;
        let numbered = trace.calls_numbered(thread, next..end);
        numbered.iter().for_each(&mut visit);
        progress.add(u64::from(end - next))?;
        next = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
