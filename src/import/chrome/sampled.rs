//! The samples of a Chrome trace: the profiles of V8 that DevTools saves as a row of events
//! (`Profile`, then `ProfileChunk` with the nodes and samples since the last; `CpuProfile` with all at once before 2017),
//! and the format's own, `samples` and events `P` that refer to `stackFrames`, as React Native's Hermes writes them.
//! Specification: "Trace Event Format", the sections Sample Events and Stack Traces;
//! <https://github.com/ChromeDevTools/devtools-frontend/tree/main/front_end/models/cpu_profile>.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::{SAMPLE_NOT_SHOWN, devtools};
use crate::cpuprofile::{Handing, Profile};
use crate::decimal::{self, Unit};
use crate::document::{Document, Next};
use crate::error::ImportError;
use crate::input::Input;
use crate::samplers;
use crate::samples::{
    self, Sample as Taken, Samples, StackId, Stacks, Ticks, sort_by_time, usual_interval,
};
use crate::source_map::SourceMaps;
use callscape_base::progress::Progress;
use callscape_base::units::ThreadId;
use callscape_base::warnings::{Reporter, Warning};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::lines::Lines;
use callscape_facts::trace::Trace;
use callscape_facts::weighed::Weighed;

/// What the samples of a trace add to it.
#[derive(Default)]
pub(super) struct Sampled {
    pub samples: u64,
    pub lines: Option<Lines>,
    pub warnings: Vec<Warning>,
    /// What they weigh, of a trace that has no other calls.
    weights: Option<(samples::Sampled, Stacks)>,
}

impl Sampled {
    /// What they weigh, of a recording with these functions and calls.
    pub(super) fn weighed(&self, calls: (&Functions, &Trace)) -> Option<Weighed> {
        let (sampled, stacks) = self.weights.as_ref()?;
        sampled.weighed(stacks, calls)
    }
}

/// Reads the samples, and hands them to the builder of a trace: each thread to one of its own, beside the one that has
/// its calls. O(n log n), all in memory.
pub(super) fn add(
    input: &Input,
    progress: &Progress,
    trace: &mut super::Reader<'_>,
) -> Result<Sampled, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let with_calls = trace.threads.texts();
    let is_alone = with_calls.is_empty();
    let maps = match trace.has_source_maps {
        true => devtools::source_maps(input, progress, &reporter)?,
        false => SourceMaps::default(),
    };
    let mut reader = Reader::new(&mut trace.builder, with_calls, maps);
    if document.next()? == Next::Array {
        reader.events(&mut document)?;
    } else if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"traceEvents" => reader.events(&mut document)?,
                b"samples" => reader.samples(&mut document)?,
                b"stackFrames" => reader.frames(&mut document)?,
                _ => document.skip()?,
            }
        }
    }
    let mut samples = Samples::of(&reporter, samplers::only(super::FORMAT));
    samples.allow(document.offset());
    let (mut stacks, mut ticks) = (Stacks::default(), Ticks::default());
    reader.hand_on(&document, &mut stacks, &mut ticks, &mut samples);
    let sampled = samples.finish(&stacks, reader.builder, || document.place());
    Ok(Sampled {
        samples: sampled.samples,
        lines: sampled.innermost_lines(&stacks, &ticks),
        warnings: reporter.warnings(),
        weights: is_alone.then_some((sampled, stacks)),
    })
}

/// Process and thread, or process and id of a profile, as they are written.
type Key = (String, String);

/// The profile of a thread.
struct OfThread {
    process: String,
    /// Known where the profile begins; its parts come from another thread.
    thread: Option<String>,
    profile: Profile,
}

/// A frame of the format's own stacks.
struct Frame {
    name: String,
    parent: Option<String>,
}

/// One of the format's own samples.
struct Sample {
    thread: Key,
    time: i64,
    /// The innermost of its frames.
    frame: String,
}

struct Reader<'b, 'a> {
    builder: &'b mut TraceBuilder<'a>,
    maps: Rc<SourceMaps>,
    /// The threads that have calls.
    with_calls: HashSet<Key>,
    /// In order of their first event.
    profiles: Vec<OfThread>,
    by_id: HashMap<Key, usize>,
    names: HashMap<Key, String>,
    frames: HashMap<String, Frame>,
    sampled: Vec<Sample>,
}

/// What an event says that matters here.
#[derive(Default)]
struct Event {
    name: String,
    phase: String,
    process: String,
    thread: String,
    id: String,
    /// `args.name`.
    named: String,
    /// The time and the innermost frame of a sample.
    time: String,
    frame: String,
    part: Option<Profile>,
}

impl<'b, 'a> Reader<'b, 'a> {
    fn new(
        builder: &'b mut TraceBuilder<'a>,
        with_calls: HashSet<Key>,
        maps: SourceMaps,
    ) -> Reader<'b, 'a> {
        Reader {
            builder,
            maps: Rc::new(maps),
            with_calls,
            profiles: Vec::new(),
            by_id: HashMap::new(),
            names: HashMap::new(),
            frames: HashMap::new(),
            sampled: Vec::new(),
        }
    }
}

impl Reader<'_, '_> {
    /// The thread that the samples of a thread go to.
    fn thread(&mut self, of: Key) -> ThreadId {
        let beside = |text: &str| match self.with_calls.contains(&of) {
            true => format!("{text}, samples"),
            false => text.to_owned(),
        };
        let thread = self.builder.thread(&of.0, &beside(&of.1));
        if let Some(name) = self.names.get(&of) {
            self.builder.name_thread(thread, &beside(name));
        }
        thread
    }

    fn events(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.array()? {
            return Ok(());
        }
        while document.element()? {
            let event = self.event(document)?;
            match (event.name.as_str(), event.phase.as_str(), event.part) {
                ("thread_name", "M", _) => {
                    let thread = (event.process, event.thread);
                    self.names.insert(thread, event.named);
                }
                ("Profile" | "ProfileChunk" | "CpuProfile", _, Some(part)) => {
                    let begins = event.name != "ProfileChunk";
                    let id = match event.id.is_empty() {
                        true => event.thread.clone(),
                        false => event.id,
                    };
                    let key = (event.process.clone(), id);
                    let profiles = &mut self.profiles;
                    let at = *self.by_id.entry(key).or_insert_with(|| {
                        profiles.push(OfThread {
                            process: event.process,
                            thread: None,
                            profile: Profile::default(),
                        });
                        profiles.len() - 1
                    });
                    let known = &mut self.profiles[at];
                    if begins {
                        known.thread.get_or_insert(event.thread);
                    }
                    known.profile.add(part, document);
                }
                ("Profile" | "ProfileChunk" | "CpuProfile", "P" | "I" | "i", None) => {
                    document.warn(SAMPLE_NOT_SHOWN);
                }
                (_, "P", _) => {
                    let time = decimal::nanoseconds(event.time.as_bytes(), Unit::Microseconds);
                    match time {
                        Ok(time) if !event.frame.is_empty() => self.sampled.push(Sample {
                            thread: (event.process, event.thread),
                            time,
                            frame: event.frame,
                        }),
                        _ => document.warn(SAMPLE_NOT_SHOWN),
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn event(&mut self, document: &mut Document<'_>) -> Result<Event, ImportError> {
        let mut event = Event::default();
        if !document.object()? {
            return Ok(event);
        }
        while let Some(key) = document.member()? {
            match key {
                b"name" => document.text_into(&mut event.name)?,
                b"ph" => document.text_into(&mut event.phase)?,
                b"pid" => document.text_into(&mut event.process)?,
                b"tid" => document.text_into(&mut event.thread)?,
                b"id" => document.text_into(&mut event.id)?,
                b"ts" => document.text_into(&mut event.time)?,
                b"sf" => document.text_into(&mut event.frame)?,
                b"args" => {
                    if document.next()? == Next::Object {
                        self.arguments(&mut event, document)?;
                    } else {
                        document.skip()?;
                    }
                }
                _ => document.skip()?,
            }
        }
        Ok(event)
    }

    fn arguments(
        &mut self,
        event: &mut Event,
        document: &mut Document<'_>,
    ) -> Result<(), ImportError> {
        document.object()?;
        while let Some(key) = document.member()? {
            match key {
                b"name" => document.text_into(&mut event.named)?,
                b"data" => {
                    if document.next()? == Next::Object {
                        event.part = Some(Profile::part(document, self.builder, &self.maps)?);
                    } else {
                        document.skip()?;
                    }
                }
                _ => document.skip()?,
            }
        }
        Ok(())
    }

    fn samples(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.array()? {
            return Ok(());
        }
        while document.element()? {
            if !document.object()? {
                continue;
            }
            let (mut process, mut thread) = (String::new(), String::new());
            let (mut time, mut frame) = (None, String::new());
            while let Some(key) = document.member()? {
                match key {
                    b"pid" => document.text_into(&mut process)?,
                    b"tid" => document.text_into(&mut thread)?,
                    b"ts" => time = document.time(Unit::Microseconds)?,
                    b"sf" => document.text_into(&mut frame)?,
                    _ => document.skip()?,
                }
            }
            let Some(time) = time else {
                document.warn("missing-time");
                continue;
            };
            self.sampled.push(Sample {
                thread: (process, thread),
                time,
                frame,
            });
        }
        Ok(())
    }

    fn frames(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(id) = document.member()? {
            let id = String::from_utf8_lossy(id).into_owned();
            let mut frame = Frame {
                name: String::new(),
                parent: None,
            };
            if document.object()? {
                while let Some(key) = document.member()? {
                    match key {
                        b"name" => document.text_into(&mut frame.name)?,
                        b"parent" => frame.parent = Some(document.text()?),
                        _ => document.skip()?,
                    }
                }
            }
            self.frames.insert(id, frame);
        }
        Ok(())
    }

    fn hand_on(
        &mut self,
        document: &Document<'_>,
        stacks: &mut Stacks,
        ticks: &mut Ticks,
        samples: &mut Samples<'_>,
    ) {
        for mut of in std::mem::take(&mut self.profiles) {
            let thread = self.thread((of.process, of.thread.unwrap_or_default()));
            let to = Handing {
                thread,
                stacks,
                ticks,
                samples,
            };
            of.profile.parts_hand_on(to, document, self.builder);
        }
        let mut known: HashMap<String, StackId> = HashMap::new();
        // By thread, in order of its first sample.
        let mut threads: Vec<(Key, Vec<(i64, StackId)>)> = Vec::new();
        let mut places: HashMap<Key, usize> = HashMap::new();
        for sample in std::mem::take(&mut self.sampled) {
            let stack = self.stack(sample.frame, stacks, &mut known, document);
            let place = *places.entry(sample.thread).or_insert_with_key(|key| {
                threads.push((key.clone(), Vec::new()));
                threads.len() - 1
            });
            threads[place].1.push((sample.time, stack));
        }
        for (key, mut sampled) in threads {
            let thread = self.thread(key);
            document.warn_many("out-of-order", sort_by_time(&mut sampled));
            let track = samples.track(thread);
            let pairs = sampled.windows(2);
            let distances = pairs.map(|pair| pair[1].0.saturating_sub(pair[0].0));
            let distances: Vec<i64> = distances.collect();
            let interval = usual_interval(&distances).and_then(|it| u64::try_from(it).ok());
            for (time, stack) in sampled {
                let mut sample = Taken::at(time, stack);
                sample.amount = interval;
                samples.stack(track, sample, stacks, self.builder, || document.place());
            }
        }
    }

    /// The stack whose innermost frame has this id; a circle of frames is cut.
    fn stack(
        &mut self,
        innermost: String,
        stacks: &mut Stacks,
        known: &mut HashMap<String, StackId>,
        document: &Document<'_>,
    ) -> StackId {
        let mut way: Vec<&String> = Vec::new();
        let mut at = Some(&innermost);
        let mut stack = StackId::EMPTY;
        while let Some(id) = at.filter(|id| !id.is_empty()) {
            if let Some(&found) = known.get(id) {
                stack = found;
                break;
            }
            let Some(frame) = self.frames.get(id) else {
                document.warn("unknown-frame");
                break;
            };
            if way.len() > self.frames.len() {
                document.warn("cycle");
                break;
            }
            way.push(id);
            at = frame.parent.as_ref();
        }
        while let Some(id) = way.pop() {
            let name = self.frames.get(id).map_or("", |frame| &frame.name);
            let (name, file, line) = in_source(name);
            let function = self.builder.function(Function {
                name: if name.is_empty() { "(unnamed)" } else { name },
                file,
                line,
                library: "",
            });
            stack = stacks.push_at(stack, function, 0);
            known.insert(id.clone(), stack);
        }
        stack
    }
}

/// `name(file:line:column)` of Hermes as name, file and line; of other names all is the name.
fn in_source(name: &str) -> (&str, &str, u32) {
    let inside = || {
        let (function, place) = name.strip_suffix(')')?.split_once('(')?;
        let (place, column) = place.rsplit_once(':')?;
        let (file, line) = place.rsplit_once(':')?;
        column.parse::<u32>().ok()?;
        Some((function, file, line.parse().ok()?))
    };
    inside().unwrap_or((name, "", 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hermes_say_where_their_functions_stand() {
        for (name, expected) in [
            ("f(http://a:8081/b:7:3)", ("f", "http://a:8081/b", 7)),
            ("[root]", ("[root]", "", 0)),
            ("f(int)", ("f(int)", "", 0)),
            ("f(a:b:c)", ("f(a:b:c)", "", 0)),
        ] {
            assert_eq!(in_source(name), expected);
        }
    }
}
