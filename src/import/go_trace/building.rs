//! Makes calls, waiting and links of the events of a trace.

use std::collections::HashMap;

use super::generation::{Event, Frame, Generation};
use super::machines::{Machines, first_stacks};
use super::wire;
use crate::atrace::Lanes;
use crate::samplers::Sampler;
use crate::samples::{Sample, Samples, StackId, Stacks, TrackId};
use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hashing::BuildFast;
use callscape_facts::trace::{LinkEnd, LinkKind, Trace, Why};

/// What a goroutine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    /// It could run, or blocks, from this time on.
    Waits(Timestamp, Why),
}

struct Goroutine {
    thread: ThreadId,
    first: FunctionId,
    /// Whether its first function was entered, and whether it ended.
    is_begun: bool,
    is_ended: bool,
    state: State,
    /// The system call that it is in, and since when.
    syscall: Option<(FunctionId, Timestamp)>,
}

/// A generation while its events are taken.
struct At<'g> {
    generation: &'g Generation,
    /// Ticks a second.
    frequency: u64,
    first_stacks: HashMap<u64, u64, BuildFast>,
}

impl At<'_> {
    fn time(&self, ticks: u64) -> Timestamp {
        const NS: u128 = 1_000_000_000;
        let ns = u128::from(ticks) * NS / u128::from(self.frequency);
        // Later ones are damage, and their distances must fit.
        Timestamp::from_ns(i64::try_from(ns).unwrap_or(i64::MAX).min(1 << 62))
    }
}

pub(super) struct Building<'r> {
    reporter: &'r Reporter,
    file: String,
    builder: TraceBuilder<'r>,
    goroutines: HashMap<u64, Goroutine, BuildFast>,
    machines: Machines,
    lanes: Lanes,
    collector: Option<ThreadId>,
    samples: Samples<'r>,
    stacks: Stacks,
    /// By goroutine, its samples.
    tracks: HashMap<u64, TrackId, BuildFast>,
    /// Of the last event.
    end: Timestamp,
}

impl<'r> Building<'r> {
    pub(super) fn new(
        reporter: &'r Reporter,
        file: &str,
        sampler: &'static Sampler,
    ) -> Building<'r> {
        let mut builder = TraceBuilder::new(reporter);
        builder.knows_waiting();
        Building {
            reporter,
            file: file.to_owned(),
            builder,
            goroutines: HashMap::default(),
            machines: Machines::default(),
            lanes: Lanes::default(),
            collector: None,
            samples: Samples::of(reporter, sampler),
            stacks: Stacks::default(),
            tracks: HashMap::default(),
            end: Timestamp::from_ns(0),
        }
    }

    /// Takes a generation. O(n log(threads)).
    pub(super) fn take(&mut self, mut generation: Generation) {
        if generation.number.is_none() {
            return;
        }
        let frequency = generation.frequency.unwrap_or_else(|| {
            let place = || Place::file(&self.file);
            self.reporter.warn("missing-frequency", place);
            1_000_000_000
        });
        generation.samples.sort_by_key(|sample| sample.time);
        let at = At {
            generation: &generation,
            frequency,
            first_stacks: first_stacks(&generation, self.machines.clone()),
        };
        let mut events = generation.events();
        for event in events.by_ref() {
            self.event(&event, &at);
        }
        for &offset in &events.damaged {
            let place = || Place::offset(&self.file, offset);
            self.reporter.warn("malformed-batch", place);
        }
        self.sampled(&at);
    }

    fn place(&self, event: &Event) -> Place {
        Place::offset(&self.file, event.offset)
    }

    fn event(&mut self, event: &Event, at: &At<'_>) {
        let time = at.time(event.time);
        self.end = self.end.max(time);
        let goroutine = self.machines.step(event);
        let [first, second, third, _] = event.arguments;
        match event.kind {
            wire::GO_CREATE | wire::GO_CREATE_BLOCKED => self.create(goroutine, event, at),
            wire::GO_START | wire::GO_CREATE_SYSCALL => self.start(first, event, at),
            wire::GO_STATUS | wire::GO_STATUS_STACK => self.status(first, third, event, at),
            wire::GO_UNBLOCK => self.unblock(goroutine, event, at),
            wire::GO_SWITCH => {
                self.wait(goroutine, Why::Voluntary, event, at);
                self.start(first, event, at);
            }
            wire::GO_SWITCH_DESTROY => {
                self.destroy(goroutine, event, at);
                self.start(first, event, at);
            }
            wire::GO_STOP => self.wait(goroutine, Why::Preempted, event, at),
            wire::GO_BLOCK => self.wait(goroutine, Why::Voluntary, event, at),
            wire::GO_DESTROY | wire::GO_DESTROY_SYSCALL => self.destroy(goroutine, event, at),
            wire::SYSCALL_BEGIN => {
                let frame = at.generation.stack(second).first();
                let function = function(frame, at.generation, &mut self.builder);
                let thread = self.enter(goroutine, function, event, at);
                if let Some(goroutine) = thread.and(self.of(goroutine)) {
                    goroutine.syscall = Some((function, time));
                }
            }
            wire::SYSCALL_END | wire::SYSCALL_END_BLOCKED => self.end_syscall(goroutine, event, at),
            wire::REGION_BEGIN | wire::REGION_END => {
                let function = self.named(at.generation.text(second));
                match event.kind {
                    wire::REGION_BEGIN => {
                        self.enter(goroutine, function, event, at);
                    }
                    _ => self.exit(goroutine, function, event, at),
                }
            }
            wire::ASSIST_BEGIN | wire::ASSIST_END => {
                let function = self.named("GC mark assist");
                match event.kind {
                    wire::ASSIST_BEGIN => {
                        self.enter(goroutine, function, event, at);
                    }
                    _ => self.exit(goroutine, function, event, at),
                }
            }
            wire::GC_BEGIN | wire::GC_ACTIVE | wire::GC_END => self.collect(event, time),
            wire::TASK_BEGIN | wire::TASK_END => self.task(goroutine, event, at),
            _ => self.reporter.warn("event-not-shown", || self.place(event)),
        }
    }

    /// A function of which only the name is known.
    fn named(&mut self, name: &str) -> FunctionId {
        self.builder.function(Function {
            name: if name.is_empty() { "(unnamed)" } else { name },
            ..Function::default()
        })
    }

    fn of(&mut self, goroutine: Option<u64>) -> Option<&mut Goroutine> {
        let goroutine = self.goroutines.get_mut(&goroutine?)?;
        (!goroutine.is_ended).then_some(goroutine)
    }

    /// The goroutine of this number, which runs from now on if it is new.
    fn goroutine(&mut self, number: u64, at: &At<'_>) -> &mut Goroutine {
        let builder = &mut self.builder;
        self.goroutines.entry(number).or_insert_with(|| {
            let stack = at.first_stacks.get(&number);
            let stack = stack.map_or(&[][..], |&stack| at.generation.stack(stack));
            let first = function(stack.last(), at.generation, builder);
            let thread = builder.thread("", &number.to_string());
            if !stack.is_empty() {
                let name = builder.function_name(first).to_owned();
                builder.name_thread(thread, &name);
            }
            Goroutine {
                thread,
                first,
                is_begun: false,
                is_ended: false,
                state: State::Running,
                syscall: None,
            }
        })
    }

    /// The thread of a goroutine, whose first function is entered.
    fn begun(&mut self, number: u64, event: &Event, at: &At<'_>) -> Option<ThreadId> {
        let time = at.time(event.time);
        let goroutine = self.goroutine(number, at);
        if goroutine.is_ended {
            return None;
        }
        let (thread, first) = (goroutine.thread, goroutine.first);
        if !std::mem::replace(&mut goroutine.is_begun, true) {
            let place = || Place::offset(&self.file, event.offset);
            self.builder.enter(thread, time, first, place);
        }
        Some(thread)
    }

    /// A call begins on a goroutine: its thread.
    fn enter(
        &mut self,
        goroutine: Option<u64>,
        function: FunctionId,
        event: &Event,
        at: &At<'_>,
    ) -> Option<ThreadId> {
        let thread = goroutine.and_then(|number| self.begun(number, event, at));
        let Some(thread) = thread else {
            self.reporter
                .warn("event-without-goroutine", || self.place(event));
            return None;
        };
        let place = || Place::offset(&self.file, event.offset);
        self.builder
            .enter(thread, at.time(event.time), function, place);
        Some(thread)
    }

    fn exit(&mut self, goroutine: Option<u64>, function: FunctionId, event: &Event, at: &At<'_>) {
        let Some(thread) = self.of(goroutine).map(|it| it.thread) else {
            return self
                .reporter
                .warn("event-without-goroutine", || self.place(event));
        };
        let place = || Place::offset(&self.file, event.offset);
        self.builder
            .exit(thread, at.time(event.time), Some(function), place);
    }

    fn create(&mut self, by: Option<u64>, event: &Event, at: &At<'_>) {
        let time = at.time(event.time);
        let why = match event.kind {
            wire::GO_CREATE => Why::Preempted,
            _ => Why::Voluntary,
        };
        let created = self.goroutine(event.arguments[0], at);
        created.state = State::Waits(time, why);
        let to = LinkEnd::Next(created.thread, time);
        if let Some(by) = self.of(by) {
            let from = LinkEnd::Open(by.thread, time);
            self.builder
                .link(LinkKind::AsyncBegin, from, to, event.offset);
        }
    }

    /// A goroutine runs from now on.
    fn start(&mut self, number: u64, event: &Event, at: &At<'_>) {
        let was_begun = self.goroutines.get(&number).is_some_and(|it| it.is_begun);
        if self.begun(number, event, at).is_none() {
            return;
        }
        let state = std::mem::replace(&mut self.goroutine(number, at).state, State::Running);
        if was_begun {
            self.waited(number, state, at.time(event.time));
        }
    }

    /// Notes how long a goroutine has waited in this state until now.
    fn waited(&mut self, number: u64, state: State, time: Timestamp) {
        if let (State::Waits(since, why), Some(goroutine)) = (state, self.goroutines.get(&number))
            && since < time
        {
            self.builder
                .wait(goroutine.thread, (since, time), None, why);
        }
    }

    /// A goroutine waits from now on.
    fn wait(&mut self, goroutine: Option<u64>, why: Why, event: &Event, at: &At<'_>) {
        let Some(number) = goroutine else {
            return self
                .reporter
                .warn("event-without-goroutine", || self.place(event));
        };
        if self.begun(number, event, at).is_some() {
            self.goroutine(number, at).state = State::Waits(at.time(event.time), why);
        }
    }

    /// What a goroutine does when a generation begins. It is news only at the start of the trace.
    fn status(&mut self, number: u64, status: u64, event: &Event, at: &At<'_>) {
        if self.goroutines.contains_key(&number) || self.begun(number, event, at).is_none() {
            return;
        }
        let time = at.time(event.time);
        let goroutine = self.goroutine(number, at);
        goroutine.state = match status {
            wire::RUNNABLE => State::Waits(time, Why::Preempted),
            wire::WAITING => State::Waits(time, Why::Voluntary),
            _ => State::Running,
        };
    }

    /// A goroutine no longer blocks.
    fn unblock(&mut self, by: Option<u64>, event: &Event, at: &At<'_>) {
        let (number, time) = (event.arguments[0], at.time(event.time));
        let goroutine = self.goroutine(number, at);
        let (thread, is_begun) = (goroutine.thread, goroutine.is_begun);
        let now = State::Waits(time, Why::Preempted);
        let state = std::mem::replace(&mut goroutine.state, now);
        if is_begun {
            self.waited(number, state, time);
        }
        if let Some(by) = self.of(by).map(|it| it.thread).filter(|&by| by != thread) {
            let (from, to) = (LinkEnd::Open(by, time), LinkEnd::Waits(thread, time));
            self.builder.link(LinkKind::WakeUp, from, to, event.offset);
        }
    }

    fn end_syscall(&mut self, goroutine: Option<u64>, event: &Event, at: &At<'_>) {
        let time = at.time(event.time);
        let Some(of) = self.of(goroutine) else {
            return self
                .reporter
                .warn("event-without-goroutine", || self.place(event));
        };
        let begun = of.syscall.take();
        let is_blocked = event.kind == wire::SYSCALL_END_BLOCKED;
        if is_blocked {
            of.state = State::Waits(time, Why::Preempted);
        }
        // At the start of a trace it may be in one that is not known.
        let Some((function, since)) = begun else {
            return;
        };
        self.exit(goroutine, function, event, at);
        if let Some(number) = goroutine.filter(|_| is_blocked) {
            self.waited(number, State::Waits(since, Why::Voluntary), time);
        }
    }

    fn destroy(&mut self, goroutine: Option<u64>, event: &Event, at: &At<'_>) {
        let is_begun = goroutine.and_then(|number| self.begun(number, event, at));
        let Some(of) = is_begun.and(self.of(goroutine)) else {
            return self
                .reporter
                .warn("event-without-goroutine", || self.place(event));
        };
        of.is_ended = true;
        let (thread, first) = (of.thread, of.first);
        if let Some((function, _)) = of.syscall.take() {
            let place = || Place::offset(&self.file, event.offset);
            self.builder
                .exit(thread, at.time(event.time), Some(function), place);
        }
        let place = || Place::offset(&self.file, event.offset);
        self.builder
            .exit(thread, at.time(event.time), Some(first), place);
    }

    /// A collection begins or ends.
    fn collect(&mut self, event: &Event, time: Timestamp) {
        let function = self.named("GC");
        let builder = &mut self.builder;
        let thread = *self
            .collector
            .get_or_insert_with(|| builder.thread("", "GC"));
        let is_open = builder.open_calls(thread) > 0;
        let place = || Place::offset(&self.file, event.offset);
        match event.kind {
            wire::GC_END => {
                builder.exit(thread, time, Some(function), place);
            }
            // Each generation says that one goes on.
            wire::GC_ACTIVE if is_open => {}
            _ => builder.enter(thread, time, function, place),
        }
    }

    /// A task begins or ends.
    fn task(&mut self, goroutine: Option<u64>, event: &Event, at: &At<'_>) {
        let time = at.time(event.time);
        let begins = event.kind == wire::TASK_BEGIN;
        let number = event.arguments[0].to_string();
        let Some(lane) = self.lanes.lane(begins, "", (&number, "")) else {
            let kind = if begins {
                "duplicate-id"
            } else {
                "end-without-begin"
            };
            return self.reporter.warn(kind, || self.place(event));
        };
        let thread = self.builder.thread("", &format!("tasks {lane}"));
        let place = || Place::offset(&self.file, event.offset);
        if !begins {
            self.builder.exit(thread, time, None, place);
            return;
        }
        let by = self.of(goroutine).map(|it| it.thread);
        let function = self.named(at.generation.text(event.arguments[2]));
        let call = self.builder.next_call(thread);
        let place = || Place::offset(&self.file, event.offset);
        self.builder.enter(thread, time, function, place);
        if let Some(by) = by {
            let (from, to) = (LinkEnd::Open(by, time), LinkEnd::Call(thread, call));
            self.builder
                .link(LinkKind::AsyncBegin, from, to, event.offset);
        }
    }

    fn sampled(&mut self, at: &At<'_>) {
        for sample in &at.generation.samples {
            let (builder, samples) = (&mut self.builder, &mut self.samples);
            let track = *self.tracks.entry(sample.goroutine).or_insert_with(|| {
                let thread = match sample.goroutine {
                    0 => builder.thread("", "samples of no goroutine"),
                    number => builder.thread("", &format!("{number}, samples")),
                };
                samples.track(thread)
            });
            let mut stack = StackId::EMPTY;
            for frame in at.generation.stack(sample.stack).iter().rev() {
                let function = function(Some(frame), at.generation, builder);
                stack = self.stacks.push(stack, function);
            }
            let sample = Sample::at(at.time(sample.time).ns(), stack);
            let place = || Place::file(&self.file);
            samples.stack(track, sample, &self.stacks, builder, place);
        }
    }

    /// The calls of all generations. Goroutines that did not end last until the end of the trace.
    pub(super) fn finish(mut self, place: &impl Fn() -> Place) -> (Functions, Trace) {
        let end = self.end;
        for goroutine in self.goroutines.values() {
            if goroutine.is_ended || !goroutine.is_begun {
                continue;
            }
            if let State::Waits(since, why) = goroutine.state
                && since < end
            {
                self.builder.wait(goroutine.thread, (since, end), None, why);
            }
            self.builder.seen(goroutine.thread, end);
        }
        let builder = &mut self.builder;
        self.samples.finish(&self.stacks, builder, place);
        self.builder.finish(place)
    }
}

/// The function of a frame.
fn function(
    frame: Option<&Frame>,
    generation: &Generation,
    builder: &mut TraceBuilder<'_>,
) -> FunctionId {
    let name = frame.map_or("", |frame| generation.text(frame.function));
    builder.function(Function {
        name: if name.is_empty() { "[unknown]" } else { name },
        file: frame.map_or("", |frame| generation.text(frame.file)),
        line: 0,
        library: "",
    })
}
