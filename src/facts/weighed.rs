//! Weights of the samples of a recording, by calling context, in addition to its calls along time.
//!
//! A sample stands for its own weight, and sums are sums of weights. Along time it covers at most that weight and at most
//! the time since the sample before, so calls show less where samples are closer together than they weigh.

use std::ops::Range;

use bytemuck::Pod;
use serde::{Deserialize, Serialize};

use super::contexts::{ContextColumns, Contexts};
use super::memory::Memory;
use super::profile::{Profile, Value, Weights};
use super::trace::storage::{Bytes, Table};
use super::trace::{FunctionMetrics, Relation, Trace};
use callscape_base::units::{Cost, FunctionId, Unit};

/// Weights of samples, and how much of each thread they cover.
#[derive(Clone, Debug)]
pub struct Weighed {
    /// Its first value is the time that calls show.
    profile: Profile,
    /// By thread, the time that samples cover.
    sampled: Vec<Cost>,
    /// Between two samples of a thread; `None` if no two are known.
    interval: Option<Cost>,
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
}

impl Weighed {
    /// Weights of `contexts`, whose values are these, of a recording with `functions` functions.
    pub fn new(
        values: Vec<Value>,
        contexts: Contexts,
        functions: usize,
        sampled: Vec<Cost>,
        interval: Option<Cost>,
    ) -> Weighed {
        Weighed {
            profile: Profile::new(values, 0, Weights::Contexts(contexts), functions),
            sampled,
            interval,
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

    /// Call relations by time, with what `trace` knows of waiting and links.
    pub fn relations(&self, trace: &Trace) -> Vec<Relation> {
        let mut relations = self.profile.relations().to_vec();
        if trace.knows_waiting() || trace.has_links() {
            for known in trace.relations(None) {
                let key = (known.caller, known.callee);
                match relations.binary_search_by_key(&key, |it| (it.caller, it.callee)) {
                    Ok(at) => {
                        let of = &mut relations[at];
                        of.waiting = known.waiting.min(of.cost);
                        of.self_waiting = known.self_waiting.min(of.self_cost);
                        of.calls = of.calls.saturating_add(known.links);
                        of.links = known.links;
                    }
                    Err(at) if known.links > 0 => relations.insert(at, known),
                    Err(_) => {}
                }
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
        if header.values.is_empty() || header.sampled.len() > threads {
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
        let (sampled, interval) = (header.sampled, header.interval);
        Some(Weighed::new(values, contexts, functions, sampled, interval))
    }
}
