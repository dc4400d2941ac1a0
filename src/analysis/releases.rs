//! Which modules release the objects that others created (J. Walker et al., *Visualizing Dynamic Software System
//! Information through High-Level Models*, section 5.4).
//!
//! Recordings keep the stack that created an object, and of its release the thread and the time. Who released it follows
//! from the calls that are open on that thread then, if the recording has calls: the innermost function, as for creators.
//! Functions that only release memory, such as `free`, stand for their callers. Without calls, as in heaptrack, the
//! releaser is unknown, and so it is in tables, which have the thread of the creator alone.

use std::collections::BTreeMap;

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{CallId, FunctionId};
use callscape_facts::functions::Functions;
use callscape_facts::memory::{Events, Object};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Trace;

/// Functions that release what their callers ask for.
const RELEASING: [&str; 10] = [
    "free",
    "cfree",
    "realloc",
    "reallocarray",
    "operator delete",
    "operator delete[]",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "_ZdaPvm",
];

/// The format whose releases have the threads of creations.
const TABLES: &str = "parquet";

/// How often progress is told.
const OFTEN: u32 = 1 << 16;

/// Objects released, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Released {
    pub objects: u64,
    pub bytes: u64,
}

/// By the groups of creator and releaser, each none if unknown.
pub type Between = BTreeMap<(Option<u32>, Option<u32>), Released>;

/// Finds who released objects.
pub struct Releasers<'a> {
    /// None if it has no calls at releases.
    trace: Option<&'a Trace>,
    functions: &'a Functions,
}

impl<'a> Releasers<'a> {
    pub fn new(recording: &'a Recording) -> Releasers<'a> {
        let trace = &recording.trace;
        let has_calls = trace.calls() > 0 && recording.format != TABLES;
        Releasers {
            trace: has_calls.then_some(trace),
            functions: &recording.functions,
        }
    }

    /// Whether the recording can tell who released anything.
    pub fn are_known(&self) -> bool {
        self.trace.is_some()
    }

    /// The group of the innermost function with one that was open at a release; none if nothing was. O(depth + log n).
    fn group(
        &self,
        events: &Events,
        release: u32,
        of: &impl Fn(FunctionId) -> Option<u32>,
        open: &mut Vec<CallId>,
    ) -> Option<u32> {
        let trace = self.trace?;
        let thread = events.thread(release);
        if thread.index() >= trace.threads().len() {
            return None;
        }
        trace.stack_at(thread, events.time(release), open);
        let functions = open.iter().rev();
        let mut functions = functions.map(|&call| trace.call(thread, call).function);
        functions.find_map(|it| match is_releasing(self.functions.get(it).name) {
            true => None,
            false => of(it),
        })
    }

    /// Counts the objects created from one position to before another and released before `until`, by the groups of their
    /// creators and releasers. O(events × (depth + log calls)).
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn count(
        &self,
        events: &Events,
        ((from, to), until): ((u32, u32), u32),
        creator: impl Fn(&Object) -> Option<u32>,
        releaser: impl Fn(FunctionId) -> Option<u32>,
        progress: &Progress,
    ) -> Result<Between, Cancelled> {
        progress.start("finding who released objects", u64::from(to));
        let mut between = Between::new();
        let mut open = Vec::new();
        for event in from..to.min(events.end()) {
            if event.is_multiple_of(OFTEN) {
                progress.set(u64::from(event))?;
            }
            let created = events.object(event).filter(|_| !events.is_release(event));
            let Some(object) = created else { continue };
            let Some(release) = object.released.filter(|&it| it < until) else {
                continue;
            };
            let ends = (
                creator(&object),
                self.group(events, release, &releaser, &mut open),
            );
            let sum = between.entry(ends).or_default();
            sum.objects += 1;
            sum.bytes += object.size;
        }
        Ok(between)
    }
}

/// Whether a function of this name only releases memory for its caller.
fn is_releasing(name: &str) -> bool {
    let name = name.split('(').next().unwrap_or(name);
    RELEASING.contains(&name)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use callscape_base::units::{ThreadId, Time};
    use callscape_base::warnings::{Place, Reporter};
    use callscape_facts::builder::{Timestamp, TraceBuilder};
    use callscape_facts::functions::Function;
    use callscape_facts::memory::{Detail, Live, MemoryBuilder, StackId};
    use callscape_facts::trace::random::random_numbers;

    /// What happened to an object: its size, the groups of creator and releaser, and the positions after both.
    #[derive(Clone, Copy)]
    struct Lived {
        size: u64,
        ends: (Option<u32>, Option<u32>),
        created: u32,
        released: Option<u32>,
    }

    /// The last is in no group, and the first only releases.
    const NAMES: [&str; 7] = ["free", "a", "b", "c", "d", "e", "outside"];

    fn group(function: FunctionId) -> Option<u32> {
        (function.index() < NAMES.len() - 1).then_some(function.0 % 3)
    }

    /// By the definition: that of the innermost function with one.
    fn of_stack(stack: &[FunctionId]) -> Option<u32> {
        let functions = stack.iter().rev().filter(|it| it.0 != 0);
        functions.filter_map(|&it| group(it)).next()
    }

    /// That of the innermost function.
    fn of_creator(stack: &[FunctionId]) -> Option<u32> {
        stack.last().and_then(|&it| group(it))
    }

    /// Calls of two threads with objects that any of them creates and releases, and what became of each.
    fn random(seed: u64, count: u32) -> (Recording, Vec<Lived>) {
        let mut below = random_numbers(seed);
        let reporter = Reporter::new();
        let place = || Place::file("random");
        let mut calls = TraceBuilder::new(&reporter);
        let functions = NAMES.map(|name| {
            calls.function(Function {
                name,
                ..Function::default()
            })
        });
        let threads = ["1", "2"].map(|it| calls.thread("p", it));
        calls.began(Timestamp::from_ns(0));
        for thread in threads {
            calls.enter(thread, Timestamp::from_ns(0), functions[1], place);
            calls.exit(thread, Timestamp::from_ns(0), None, place);
        }
        let mut open: [Vec<FunctionId>; 2] = Default::default();
        let mut memory = MemoryBuilder::new();
        let mut all: Vec<Lived> = Vec::new();
        let mut living: Vec<(usize, Live)> = Vec::new();
        for time in 1..=u64::from(count) {
            let at = below(2) as usize;
            let (thread, stack) = (threads[at], &mut open[at]);
            let stamp = Timestamp::from_ns(time as i64);
            match below(7) {
                0..=2 if stack.len() < 9 => {
                    let function = functions[below(NAMES.len() as u64) as usize];
                    calls.enter(thread, stamp, function, place);
                    stack.push(function);
                }
                0..=3 => {
                    if stack.pop().is_some() {
                        calls.exit(thread, stamp, None, place);
                    }
                }
                6 if !living.is_empty() => {
                    let (which, live) = living.swap_remove(below(living.len() as u64) as usize);
                    memory.release(Time::from_ns(time), thread, live, |it| panic!("{it}"));
                    all[which].ends.1 = of_stack(stack);
                    all[which].released = Some(memory.events() as u32);
                }
                _ => {
                    let mut id = StackId::EMPTY;
                    for &function in stack.iter() {
                        id = memory.stack(id, function);
                    }
                    let size = below(50);
                    let site = memory.site(size, id, 0);
                    let live =
                        memory.allocate(Time::from_ns(time), thread, site, |it| panic!("{it}"));
                    living.push((all.len(), live.expect("room")));
                    all.push(Lived {
                        size,
                        ends: (of_creator(stack), None),
                        created: memory.events() as u32,
                        released: None,
                    });
                }
            }
        }
        let end = Timestamp::from_ns(i64::from(count) + 1);
        for (thread, stack) in threads.into_iter().zip(&open) {
            for _ in stack {
                calls.exit(thread, end, None, place);
            }
        }
        let made = calls.finish(place);
        let recording =
            Recording::of_calls(Path::new("random"), "chrome-json", None, made, Vec::new());
        let recording = Recording {
            memory: Some(memory.finish(Detail::Events, Time::ZERO)),
            ..recording
        };
        (recording, all)
    }

    /// The definition, object by object.
    fn expected(all: &[Lived], ((from, to), until): ((u32, u32), u32)) -> Between {
        let mut between = Between::new();
        for it in all {
            let is_created = it.created > from && it.created <= to;
            if is_created && it.released.is_some_and(|it| it <= until) {
                let sum = between.entry(it.ends).or_default();
                sum.objects += 1;
                sum.bytes += it.size;
            }
        }
        between
    }

    fn count(recording: &Recording, within: ((u32, u32), u32)) -> Between {
        let memory = recording.memory.as_ref().expect("it");
        let events = memory.events().expect("all of them");
        let creator = |it: &Object| group(memory.stacks.function(it.stack)?);
        let releasers = Releasers::new(recording);
        let counted = releasers.count(events, within, creator, group, &Progress::new());
        counted.expect("nobody cancels")
    }

    #[test]
    fn releasers_are_the_innermost_functions_open_at_releases() {
        let (mut elsewhere, mut unknown) = (0, 0);
        for seed in 0..40 {
            let (recording, all) = random(seed, 600);
            let end = recording.memory.as_ref().and_then(|it| it.events());
            let end = end.expect("events").end();
            for within in [
                ((0, end), end),
                ((0, end / 2), end / 2),
                ((end / 4, end / 2), end),
                ((end, end), end),
            ] {
                let expected = expected(&all, within);
                assert_eq!(
                    count(&recording, within),
                    expected,
                    "seed {seed}, {within:?}"
                );
                for ((creator, releaser), sum) in expected {
                    elsewhere += u64::from(creator != releaser) * sum.objects;
                    unknown += u64::from(releaser.is_none()) * sum.objects;
                }
            }
        }
        assert!(elsewhere > 1_000 && unknown > 100, "{elsewhere}, {unknown}");
    }

    #[test]
    fn without_calls_and_in_tables_releasers_are_unknown() {
        let (recording, all) = random(5, 600);
        let events = recording.memory.as_ref().and_then(|it| it.events());
        let end = events.expect("events").end();
        let whole = ((0, end), end);
        let released: u64 = expected(&all, whole).values().map(|it| it.objects).sum();
        let tables = Recording {
            format: TABLES,
            ..recording.clone()
        };
        let bare = Recording {
            trace: Trace::default(),
            ..recording
        };
        for recording in [tables, bare] {
            assert!(!Releasers::new(&recording).are_known());
            let counted = count(&recording, whole);
            assert!(counted.keys().all(|it| it.1.is_none()));
            let objects = counted.values().map(|it| it.objects);
            assert_eq!(objects.sum::<u64>(), released);
        }
    }

    #[test]
    fn a_release_in_a_thread_without_calls_is_unknown() {
        let (mut recording, _) = random(7, 60);
        let mut memory = MemoryBuilder::new();
        let site = memory.site(8, StackId::EMPTY, 0);
        let at = Time::from_ns(30);
        let live = memory.allocate(at, ThreadId(9), site, |it| panic!("{it}"));
        memory.release(at, ThreadId(9), live.expect("room"), |it| panic!("{it}"));
        recording.memory = Some(memory.finish(Detail::Events, at));
        let counted = count(&recording, ((0, 2), 2));
        let one = Released {
            objects: 1,
            bytes: 8,
        };
        assert_eq!(counted, Between::from([((None, None), one)]));
    }
}
