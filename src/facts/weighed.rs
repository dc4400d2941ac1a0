//! Weights of the samples of a recording, by calling context, in addition to its calls along time.
//!
//! A sample stands for its own weight, and sums are sums of weights. Along time it covers at most that weight and at most
//! the time since the sample before, so calls show less where samples are closer together than they weigh.
//!
//! In a range, a sample counts if it was taken there, with all that it weighs; time is that of the parts of samples inside.

mod taken;

use std::ops::Range;

use bytemuck::Pod;
use serde::{Deserialize, Serialize};

use super::contexts::{ContextColumns, Contexts};
use super::memory::Memory;
use super::profile::{Profile, Value, Weights};
use super::trace::storage::{Bytes, Table};
use super::trace::{FunctionMetrics, Relation, Trace};
use callscape_base::units::{ContextId, Cost, FunctionId, ThreadId, TimeRange, Unit};
pub use taken::{Taken, TakenSample};

/// Weights of samples, and how much of each thread they cover.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// Its first value is the time that calls show.
    profile: Profile,
    /// By thread, the time that samples cover.
    sampled: Vec<Cost>,
    /// Between two samples of a thread; `None` if no two are known.
    interval: Option<Cost>,
    taken: Taken,
    /// What is set aside while a value without times is shown.
    aside: Option<Box<(Trace, Option<Memory>)>>,
}

/// The small parts, for the index file.
#[derive(Serialize, Deserialize)]
struct Header {
    /// Names, and units other than nanoseconds.
    values: Vec<(String, Option<String>)>,
    sampled: Vec<Cost>,
    interval: Option<Cost>,
    contexts: usize,
    /// As [`Taken::threads`].
    taken: Vec<(u64, u64)>,
}

impl Weighed {
    /// Weights of `contexts`, whose values are these, of a recording with `functions` functions; and each sample.
    pub fn new(
        values: Vec<Value>,
        contexts: Contexts,
        functions: usize,
        (sampled, interval): (Vec<Cost>, Option<Cost>),
        taken: Taken,
    ) -> Weighed {
        Weighed {
            profile: Profile::new(values, 0, Weights::Contexts(contexts), functions),
            sampled,
            interval,
            taken,
            aside: None,
        }
    }

    /// The values that its samples weigh; the first is the time that calls show.
    pub fn values(&self) -> &[Value] {
        self.profile.values()
    }

    /// The weights as a profile; the value shown is the time that calls show.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The sum of all samples for the value with this number.
    pub fn weight_of(&self, value: usize) -> Cost {
        self.profile.weight_of(value)
    }

    /// The calling contexts, with all values.
    pub fn contexts(&self) -> Option<&Contexts> {
        self.profile.contexts()
    }

    /// By thread, the time that samples cover; the rest was not sampled.
    pub fn sampled(&self) -> &[Cost] {
        &self.sampled
    }

    /// The usual time between two samples of a thread; begins and ends of calls are known to it.
    pub fn interval(&self) -> Option<Cost> {
        self.interval
    }

    /// Calling contexts with what the samples in `range` on `threads` weigh, of all threads if `None`; calls are not known.
    /// O(samples in the range + contexts).
    pub fn within(&self, range: TimeRange, threads: Option<&[ThreadId]>) -> Contexts {
        let Some(contexts) = self.contexts() else {
            return Contexts::default();
        };
        let counts = (self.values().len(), contexts.len());
        let (sums, mut is_found) = self.taken.sums(range, threads, counts);
        let parent = |id| contexts.parent(id).map(|it| it.index());
        for id in (0..contexts.len() as u32).rev().map(ContextId) {
            if let Some(parent) = parent(id).filter(|_| is_found[id.index()]) {
                is_found[parent] = true;
            }
        }
        let mut columns = ContextColumns {
            weights: vec![Vec::new(); sums.len()],
            ..ContextColumns::default()
        };
        let mut places = vec![ContextColumns::OUTERMOST; contexts.len()];
        for id in contexts.ids().filter(|id| is_found[id.index()]) {
            places[id.index()] = columns.functions.len() as u32;
            columns.functions.push(contexts.function(id));
            let around = parent(id).map_or(ContextColumns::OUTERMOST, |it| places[it]);
            columns.parents.push(around);
            for (column, sums) in columns.weights.iter_mut().zip(&sums) {
                column.push(sums[id.index()]);
            }
        }
        columns.finish().map(|it| it.0).unwrap_or_default()
    }

    /// Sums of time by function, with what `trace` knows of waiting.
    pub fn function_metrics(&self, trace: &Trace) -> Vec<FunctionMetrics> {
        let mut metrics = self.profile.function_metrics().to_vec();
        if trace.knows_waiting() {
            for (of, known) in metrics.iter_mut().zip(trace.function_metrics(None)) {
                of.waiting = known.waiting.min(of.total);
                of.self_waiting = known.self_waiting.min(of.self_cost);
            }
        }
        metrics
    }

    /// The same of the samples in a range, for the value with this number; calls are those that `trace` shows.
    pub fn metrics_within(
        &self,
        value: usize,
        range: TimeRange,
        trace: &Trace,
    ) -> Vec<FunctionMetrics> {
        let known = trace.function_metrics(range);
        let contexts = self.within(range, None);
        let mut metrics = match contexts.is_empty() {
            true => vec![FunctionMetrics::default(); known.len()],
            false => contexts.function_metrics(value, known.len()),
        };
        for (of, known) in metrics.iter_mut().zip(known) {
            of.calls = known.calls;
            if value == 0 {
                of.waiting = known.waiting.min(of.total);
                of.self_waiting = known.self_waiting.min(of.self_cost);
            }
        }
        metrics
    }

    /// Call relations by time, with what `trace` knows of waiting and links.
    pub fn relations(&self, trace: &Trace) -> Vec<Relation> {
        let relations = self.profile.relations().to_vec();
        match trace.knows_waiting() || trace.has_links() {
            true => with_known(relations, trace.relations(None), false),
            false => relations,
        }
    }

    /// The same of the samples in a range, for the value with this number; calls are those that `trace` shows.
    pub fn relations_within(&self, value: usize, range: TimeRange, trace: &Trace) -> Vec<Relation> {
        let contexts = self.within(range, None);
        let relations = match contexts.is_empty() {
            true => Vec::new(),
            false => contexts.relations(value),
        };
        let mut relations = with_known(relations, trace.relations(range), true);
        if value > 0 {
            for of in &mut relations {
                (of.waiting, of.self_waiting) = (Cost::ZERO, Cost::ZERO);
            }
        }
        relations
    }

    /// The profile of the value with this number, of a recording with these threads. Its calls and memory are kept until
    /// [`times_again`](Self::times_again).
    pub(crate) fn without_times(&mut self, value: usize, of: (Trace, Option<Memory>)) -> Profile {
        let threads = of.0.threads().to_vec();
        self.aside = Some(Box::new(of));
        self.profile.showing(value).with_threads(threads)
    }

    /// The calls that are set aside.
    pub(crate) fn aside(&self) -> Option<&Trace> {
        self.aside.as_ref().map(|it| &it.0)
    }

    /// The calls and memory that were set aside.
    pub(crate) fn times_again(&mut self) -> Option<(Trace, Option<Memory>)> {
        self.aside.take().map(|it| *it)
    }

    /// The bytes, a multiple of eight of them.
    pub(crate) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let empty = Contexts::default();
        let contexts = self.contexts().unwrap_or(&empty);
        let unit = |unit: &Unit| (!unit.is_time()).then(|| unit.name().into_owned());
        let header = serde_json::to_vec(&Header {
            values: self
                .values()
                .iter()
                .map(|it| (it.name.clone(), unit(&it.unit)))
                .collect(),
            sampled: self.sampled.clone(),
            interval: self.interval,
            contexts: contexts.len(),
            taken: self.taken.threads().to_vec(),
        })?;
        let mut out = (header.len() as u64).to_le_bytes().to_vec();
        let mut add = |part: &[u8]| {
            out.extend_from_slice(part);
            out.resize(out.len().next_multiple_of(8), 0);
        };
        add(&header);
        let ids = || contexts.ids();
        let functions: Vec<u32> = ids().map(|id| contexts.function(id).0).collect();
        let parent = |id| {
            contexts
                .parent(id)
                .map_or(ContextColumns::OUTERMOST, |it| it.0)
        };
        let parents: Vec<u32> = ids().map(parent).collect();
        add(bytemuck::cast_slice(&functions));
        add(bytemuck::cast_slice(&parents));
        let calls = ids().map(|id| contexts.calls(id).unwrap_or_default());
        add(bytemuck::cast_slice(&calls.collect::<Vec<u64>>()));
        for value in 0..contexts.values() {
            let weights = ids().map(|id| contexts.self_weight(value, id).weight());
            let weights: Vec<i64> = weights.collect();
            add(bytemuck::cast_slice(&weights));
        }
        add(bytemuck::cast_slice(self.taken.samples()));
        Ok(out)
    }

    /// The weights in `range` of `bytes`, of a recording with so many functions and threads; `None` if they contradict
    /// each other.
    pub(crate) fn from_bytes(
        bytes: &Bytes,
        range: Range<usize>,
        (functions, threads): (usize, usize),
    ) -> Option<Weighed> {
        let length = bytes.get(range.clone())?.first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let start = range.start.checked_add(size_of::<u64>())?;
        let end = start.checked_add(length).filter(|&end| end <= range.end)?;
        let header: Header = serde_json::from_slice(bytes.get(start..end)?).ok()?;
        // Samples of no thread come after those of threads.
        let is_more = header.sampled.len() > threads || header.taken.len() > threads + 1;
        if header.values.is_empty() || is_more {
            return None;
        }
        let mut at = end.checked_next_multiple_of(8)?;
        let mut next = |width: usize| {
            let end = at.checked_add(header.contexts.checked_mul(width)?)?;
            let part = at..Some(end).filter(|&end| end <= range.end)?;
            at = end.checked_next_multiple_of(8)?;
            Some(part)
        };
        fn column<T: Pod>(bytes: &Bytes, part: Range<usize>) -> Option<Vec<T>> {
            Some(Table::<T>::part(bytes, part)?.to_vec())
        }
        let known: Vec<u32> = column(bytes, next(4)?)?;
        let columns = ContextColumns {
            functions: known.into_iter().map(FunctionId).collect(),
            parents: column(bytes, next(4)?)?,
            calls: column(bytes, next(8)?)?,
            weights: header
                .values
                .iter()
                .map(|_| column(bytes, next(8)?))
                .collect::<Option<_>>()?,
        };
        let taken = Taken::stored(header.taken, bytes, at..range.end)?;
        let fits = |it: &FunctionId| it.index() < functions;
        if !columns.functions.iter().all(fits) {
            return None;
        }
        let (contexts, _) = columns.finish().ok()?;
        let value = |(name, unit): (String, Option<String>)| Value {
            name,
            unit: match unit {
                None => Unit::Nanoseconds,
                Some(bytes) if bytes == Unit::Bytes.name() => Unit::Bytes,
                Some(things) => Unit::Things(things),
            },
        };
        let values = header.values.into_iter().map(value).collect();
        let about = (header.sampled, header.interval);
        Some(Weighed::new(values, contexts, functions, about, taken))
    }
}

/// Relations with the waiting and links of those `known`, and calls: theirs, or links beside their own.
pub fn with_known(
    mut relations: Vec<Relation>,
    known: Vec<Relation>,
    counts_calls: bool,
) -> Vec<Relation> {
    let mut more = Vec::new();
    for known in known {
        let key = (known.caller, known.callee);
        match relations.binary_search_by_key(&key, |it| (it.caller, it.callee)) {
            Ok(at) => {
                let of = &mut relations[at];
                of.waiting = known.waiting.min(of.cost);
                of.self_waiting = known.self_waiting.min(of.self_cost);
                of.calls = match counts_calls {
                    true => known.calls,
                    false => of.calls.saturating_add(known.links),
                };
                of.links = known.links;
            }
            // Its calls cover less than a sample weighs.
            Err(_) if counts_calls => more.push(Relation {
                cost: Cost::ZERO,
                self_cost: Cost::ZERO,
                waiting: Cost::ZERO,
                self_waiting: Cost::ZERO,
                ..known
            }),
            Err(_) if known.links > 0 => more.push(known),
            Err(_) => {}
        }
    }
    relations.append(&mut more);
    relations.sort_by_key(|it| (it.caller, it.callee));
    relations
}
