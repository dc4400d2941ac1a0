//! How long call relations go on, each moment counted once.
//!
//! The cost of a relation is a sum over its calls: if a call runs inside another of the same relation, their common time
//! counts twice. Its moments are the time in which at least one of its calls is open on a thread, summed over threads, which
//! is at most what the recording lasts on each.

use std::collections::HashMap;

use super::contexts;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, FunctionId, ThreadId, Time, TimeRange};
use callscape_facts::contexts::Contexts;
use callscape_facts::recording::Recording;
use callscape_facts::trace::{Call, Enclosing, Relation, Trace, Within};

/// How many calls are gone through between two looks at the wish to cancel.
const BATCH: u64 = 1 << 16;

/// The moments of relations between functions, in order; `None` if the recording has neither calls nor contexts. As slow as
/// [`Between::moments`].
///
/// # Errors
/// When it is cancelled.
pub fn of_functions(
    recording: &Recording,
    within: Within,
    relations: &[Relation],
    progress: &Progress,
) -> Result<Option<Vec<Cost>>, Cancelled> {
    let of = |function: FunctionId| Some(function.0);
    let pairs = relations.iter().map(|it| (it.caller.0, it.callee.0));
    Between::new(pairs, &of).moments(recording, within, progress)
}

/// Relations between what stands for functions: modules, entities of a mapping, or functions themselves.
pub struct Between<'a> {
    /// The entity that represents a function; `None` if it is not shown.
    of: &'a dyn Fn(FunctionId) -> Option<u32>,
    places: HashMap<(u32, u32), usize>,
}

impl<'a> Between<'a> {
    /// The relations from the first to the second of each pair.
    pub fn new(
        pairs: impl Iterator<Item = (u32, u32)>,
        of: &'a dyn Fn(FunctionId) -> Option<u32>,
    ) -> Between<'a> {
        let places = pairs.zip(0..).collect();
        Between { of, places }
    }

    fn place(&self, caller: FunctionId, callee: FunctionId) -> Option<usize> {
        let pair = ((self.of)(caller)?, (self.of)(callee)?);
        self.places.get(&pair).copied()
    }

    /// The moments of each relation, in order; `None` if the recording has neither calls nor contexts. O(contexts) where the
    /// index has them; O(calls) with links, or where calls that reach out of the range count else than by their parts.
    ///
    /// # Errors
    /// When it is cancelled.
    pub fn moments(
        &self,
        recording: &Recording,
        within: Within,
        progress: &Progress,
    ) -> Result<Option<Vec<Cost>>, Cancelled> {
        if let Some((weighed, range)) = recording.samples_in(within) {
            let contexts = weighed.within(range, None);
            return Ok(Some(match contexts.is_empty() {
                true => vec![Cost::ZERO; self.places.len()],
                false => self.of_contexts(&contexts, recording.value()),
            }));
        }
        let weighed = recording.weighed.as_ref();
        let weighed = weighed.filter(|_| within.range.is_none());
        match (&recording.profile, weighed) {
            (Some(profile), _) => Ok(profile
                .contexts()
                .map(|contexts| self.of_contexts(contexts, profile.shown()))),
            (None, Some(weighed)) => Ok(weighed.contexts().map(|it| self.of_contexts(it, 0))),
            (None, None) => self.of_trace(&recording.trace, within, progress).map(Some),
        }
    }

    /// The moments of each relation, in order, in one value of contexts. O(contexts).
    pub fn of_contexts(&self, contexts: &Contexts, value: usize) -> Vec<Cost> {
        let mut moments = vec![Cost::ZERO; self.places.len()];
        // The relations of the contexts around, each with where its subtree ends.
        let mut around: Vec<(u32, usize)> = Vec::new();
        let mut open = vec![0_u32; self.places.len()];
        for id in contexts.ids() {
            while let Some((_, ended)) = around.pop_if(|(end, _)| *end <= id.0) {
                open[ended] -= 1;
            }
            let caller = contexts.parent(id).map(|it| contexts.function(it));
            let Some(of) = caller.and_then(|it| self.place(it, contexts.function(id))) else {
                continue;
            };
            if open[of] == 0 {
                moments[of] += contexts.total(value, id);
            }
            open[of] += 1;
            around.push((contexts.subtree(id).end, of));
        }
        moments
    }

    fn of_trace(
        &self,
        trace: &Trace,
        within: Within,
        progress: &Progress,
    ) -> Result<Vec<Cost>, Cancelled> {
        // Calls of one path never run at once on a thread, and parts of calls add up by path; a link leads elsewhere.
        let is_of_parts = within.range.is_none() || within.enclosing == Enclosing::Parts;
        if is_of_parts && !trace.has_links() {
            let contexts = contexts::of_trace(trace, within, progress)?;
            return Ok(self.of_contexts(&contexts, 0));
        }
        progress.start("reading every call", trace.calls());
        let mut moments = vec![Cost::ZERO; self.places.len()];
        for thread in trace.thread_ids() {
            self.of_thread(trace, thread, within, progress, &mut moments)?;
        }
        Ok(moments)
    }

    fn of_thread(
        &self,
        trace: &Trace,
        thread: ThreadId,
        within: Within,
        progress: &Progress,
        moments: &mut [Cost],
    ) -> Result<(), Cancelled> {
        let inside = trace.inside(thread, within);
        let whole = TimeRange::new(Time::ZERO, Time::MAX);
        let has_links = trace.has_links();
        // The calls open, each with how many relations it opens, and these.
        let mut stack: Vec<(FunctionId, usize)> = Vec::new();
        let mut opened: Vec<usize> = Vec::new();
        let mut open = vec![0_u32; self.places.len()];
        let (mut visited, mut result) = (0_u64, Ok(()));
        trace.calls_in(
            thread,
            within.range.unwrap_or(whole),
            u32::MAX,
            |id, call: Call| {
                visited += 1;
                if visited.is_multiple_of(BATCH) && result.is_ok() {
                    result = progress.add(BATCH);
                }
                if result.is_err() {
                    return;
                }
                while stack.len() > call.depth as usize
                    && let Some((_, count)) = stack.pop()
                {
                    for place in opened.split_off(opened.len() - count) {
                        open[place] -= 1;
                    }
                }
                let first = opened.len();
                if let Some(part) = inside.part(id, &call) {
                    let caller = stack.last().map(|it| it.0);
                    opened.extend(caller.and_then(|it| self.place(it, call.function)));
                    if has_links {
                        let links = trace.links_to(thread, id);
                        let callers = links.map(|it| trace.call(it.from.0, it.from.1).function);
                        opened.extend(callers.filter_map(|it| self.place(it, call.function)));
                    }
                    for &place in &opened[first..] {
                        if open[place] == 0 {
                            moments[place] += part.length();
                        }
                        open[place] += 1;
                    }
                }
                stack.push((call.function, opened.len() - first));
            },
        );
        result
    }
}
