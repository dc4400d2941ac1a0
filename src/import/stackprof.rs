//! Profiles of Ruby's stackprof as JSON: `stackprof --json FILE`, or its results through `JSON.generate`. Source:
//! <https://github.com/tmm1/stackprof/blob/master/ext/stackprof/stackprof.c>, `stackprof_results` and
//! `stackprof_record_sample_for_stack`.
//!
//! With `raw`, each stack is a context with its samples; in wall time `raw_timestamp_deltas`, or the distances of
//! `raw_sample_timestamps`, say how long each lasted, and otherwise the interval does. Without `raw`, functions with their
//! samples and the samples in which one called another. Stacks of the garbage collector are roots, as stackprof has them.
//! Samples that stackprof has missed are counted (`missed-samples`). Not read: lines.

use std::collections::HashMap;

use super::document::{self, Document};
use super::error::ImportError;
use super::input::Input;
use super::samplers::{self, Sampler};
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId};
use callscape_base::warnings::Reporter;
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::{Function, Functions, NO_FRAMES};
use callscape_facts::hashing::BuildFast;
use callscape_facts::profile::{OfValue, Profile, Sums, Value, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::{FunctionMetrics, Relation};

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "stackprof";

const NS_A_MICROSECOND: i64 = 1_000;

/// Whether it says how its samples were taken, as stackprof does.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |wanted: &str| paths.iter().any(|path| path == wanted);
    has("mode") && has("interval") && (has("gc_samples") || has("missed_samples"))
}

/// A function with its samples, and those in which it called others.
#[derive(Default)]
struct Frame {
    name: String,
    file: String,
    line: u32,
    own: u64,
    total: u64,
    edges: Vec<(u64, u64)>,
}

#[derive(Default)]
struct File {
    mode: String,
    /// Microseconds, or allocations.
    interval: i64,
    missed: u64,
    frames: HashMap<u64, FunctionId, BuildFast>,
    functions: Functions,
    of_frames: Vec<(FunctionId, Frame)>,
    /// Of each run of like samples the number of its frames, these outermost first, and the number of samples.
    raw: Vec<i64>,
    /// By sample.
    deltas: Vec<i64>,
    times: Vec<i64>,
}

/// Reads the profile. O(size); memory for functions and samples.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut file = File::default();
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"mode" => file.mode = document.text()?,
                b"interval" => file.interval = document.amount()?.unwrap_or(0),
                b"missed_samples" => file.missed = document.size()?,
                b"frames" => file.frames(&mut document)?,
                b"raw" => file.raw = numbers(&mut document)?,
                b"raw_timestamp_deltas" => file.deltas = numbers(&mut document)?,
                b"raw_sample_timestamps" => file.times = numbers(&mut document)?,
                _ => document.skip()?,
            }
        }
    }
    document.close()?;
    if file.of_frames.is_empty() {
        return Err(document.error("a member frames with functions", "none"));
    }
    // Allocations between samples count as missed.
    if file.time().is_some() {
        document.warn_many("missed-samples", file.missed);
    }
    let (samples, (functions, profile)) = match file.raw.is_empty() {
        true => file.graph(&reporter, &document),
        false => file.contexts(&reporter, &document),
    };
    let profile = (functions, profile);
    Ok(Recording::of_profile(
        input,
        FORMAT,
        samples,
        profile,
        reporter.warnings(),
    ))
}

/// The whole numbers of the array that stands next.
fn numbers(document: &mut Document<'_>) -> Result<Vec<i64>, ImportError> {
    let mut numbers = Vec::new();
    if document.array()? {
        document.integers(|number| numbers.push(number))?;
        while document.element()? {
            numbers.push(document.amount()?.unwrap_or(0));
            document.integers(|number| numbers.push(number))?;
        }
    }
    Ok(numbers)
}

fn id_of(key: &[u8]) -> Option<u64> {
    std::str::from_utf8(key).ok()?.parse().ok()
}

impl File {
    fn frames(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(key) = document.member()? {
            let id = id_of(key);
            if !document.object()? {
                continue;
            }
            let frame = frame(document)?;
            let Some(id) = id else {
                document.warn("unknown-id");
                continue;
            };
            let function = self.functions.intern(Function {
                name: &frame.name,
                // What is no Ruby has no file.
                file: if frame.file == "<cfunc>" {
                    ""
                } else {
                    &frame.file
                },
                line: frame.line,
                library: "",
            });
            self.frames.insert(id, function);
            self.of_frames.push((function, frame));
        }
        Ok(())
    }

    /// The value of the time of samples; none where they count something else.
    fn time(&self) -> Option<Value> {
        samplers::of(FORMAT, &self.mode).map(Sampler::time)
    }

    /// How long so many samples lasted, by the interval.
    fn lasted(&self, samples: u64) -> i64 {
        let samples = i64::try_from(samples).unwrap_or(i64::MAX);
        let interval = self.interval.saturating_mul(NS_A_MICROSECOND);
        samples.saturating_mul(interval.max(0))
    }

    fn contexts(
        mut self,
        reporter: &Reporter,
        document: &Document<'_>,
    ) -> (u64, (Functions, Profile)) {
        let time = self.time();
        let durations = self.durations();
        let mut builder = ContextsBuilder::new(1 + usize::from(time.is_some()), reporter);
        let place = || document.place();
        let (mut rest, mut all) = (&self.raw[..], 0_u64);
        while let Some((&frames, behind)) = rest.split_first() {
            let frames = usize::try_from(frames).unwrap_or(usize::MAX);
            let Some((stack, [samples, behind @ ..])) = behind.split_at_checked(frames) else {
                document.warn("truncated-sample");
                break;
            };
            rest = behind;
            let mut node = NodeId::ROOT;
            for &id in stack {
                let function = u64::try_from(id).ok().and_then(|id| self.frames.get(&id));
                match function {
                    Some(&function) => node = builder.child(node, function, place),
                    None => document.warn("unknown-frame"),
                }
            }
            if node == NodeId::ROOT {
                document.warn("empty-stack");
                node = builder.child(node, self.functions.intern(NO_FRAMES), place);
            }
            let Ok(samples) = u64::try_from(*samples) else {
                document.warn("negative-count");
                continue;
            };
            if time.is_some() {
                let of =
                    (all..all.saturating_add(samples)).map_while(|it| durations.get(it as usize));
                let lasted = match durations.is_empty() {
                    true => self.lasted(samples),
                    false => of.fold(0_i64, |sum, it| sum.saturating_add(*it)),
                };
                builder.add(node, 0, lasted, place);
            }
            builder.add(node, builder.values() - 1, samples, place);
            all = all.saturating_add(samples);
        }
        if !durations.is_empty() && durations.len() as u64 != all {
            document.warn("times-differ-from-samples");
        }
        let values: Vec<Value> = time.into_iter().chain([samplers::samples()]).collect();
        let weights = Weights::Contexts(builder.finish());
        let profile = Profile::new(values, 0, weights, self.functions.len());
        (all, (self.functions, profile))
    }

    /// How long each sample lasted, in nanoseconds; none by processor time, for which the clock on the wall runs.
    fn durations(&self) -> Vec<i64> {
        if self.mode != "wall" {
            return Vec::new();
        }
        if !self.deltas.is_empty() {
            let deltas = self.deltas.iter();
            return deltas
                .map(|it| it.max(&0).saturating_mul(NS_A_MICROSECOND))
                .collect();
        }
        let first = self.times.first().map(|_| self.lasted(1));
        let pairs = self.times.windows(2);
        let distances = pairs.map(|it| {
            it[1]
                .saturating_sub(it[0])
                .max(0)
                .saturating_mul(NS_A_MICROSECOND)
        });
        first.into_iter().chain(distances).collect()
    }

    fn graph(self, reporter: &Reporter, document: &Document<'_>) -> (u64, (Functions, Profile)) {
        let functions = self.functions.len();
        let weight = |samples: u64| i64::try_from(samples).unwrap_or(i64::MAX);
        let of_value = |cost: &dyn Fn(u64) -> i64| {
            let cost = |samples| Cost::signed(cost(samples));
            let mut of = OfValue {
                functions: vec![FunctionMetrics::default(); functions],
                relations: Vec::new(),
            };
            for (caller, frame) in &self.of_frames {
                let told = &mut of.functions[caller.index()];
                told.self_cost += cost(frame.own);
                told.total += cost(frame.total);
                let edges = frame.edges.iter();
                let known =
                    edges.filter_map(|(id, samples)| Some((*self.frames.get(id)?, samples)));
                of.relations
                    .extend(known.map(|(callee, &samples)| Relation {
                        caller: *caller,
                        callee,
                        cost: cost(samples),
                        ..Relation::NOTHING
                    }));
            }
            of
        };
        let edges = self.of_frames.iter().flat_map(|(_, frame)| &frame.edges);
        let unknown = edges
            .filter(|(id, _)| !self.frames.contains_key(id))
            .count();
        document.warn_many("unknown-frame", unknown as u64);
        let (mut values, mut of_values) = (Vec::new(), Vec::new());
        if let Some(time) = self.time() {
            values.push(time);
            of_values.push(of_value(&|samples| self.lasted(samples)));
        }
        values.push(samplers::samples());
        of_values.push(of_value(&weight));
        let samples = self
            .of_frames
            .iter()
            .fold(0_u64, |sum, (_, it)| sum.saturating_add(it.own));
        let sums = Sums::new(of_values, false, reporter, || document.place());
        let profile = Profile::new(values, 0, Weights::Sums(sums), functions);
        (samples, (self.functions, profile))
    }
}

/// The members of a frame.
fn frame(document: &mut Document<'_>) -> Result<Frame, ImportError> {
    let mut frame = Frame::default();
    while let Some(key) = document.member()? {
        match key {
            b"name" => document.text_into(&mut frame.name)?,
            b"file" => document.text_into(&mut frame.file)?,
            b"line" => frame.line = document.index()?.unwrap_or(0),
            b"samples" => frame.own = document.size()?,
            b"total_samples" => frame.total = document.size()?,
            b"edges" => {
                if document.object()? {
                    while let Some(key) = document.member()? {
                        let id = id_of(key);
                        let samples = document.size()?;
                        match id {
                            Some(id) => frame.edges.push((id, samples)),
                            None => document.warn("unknown-id"),
                        }
                    }
                }
            }
            _ => document.skip()?,
        }
    }
    Ok(frame)
}

#[cfg(test)]
mod tests;
