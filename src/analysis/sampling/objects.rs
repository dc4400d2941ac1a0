//! Allocations and releases, sampled.

use std::collections::HashMap;

use super::names::Renamed;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::memory::{Detail, Events, Live, Memory, MemoryBuilder, StackId};
use callscape_facts::sampling::{Objects, Stretch};

/// Whether somebody cancels is checked once in this many events.
const PIECE: u32 = 1 << 16;

/// An event that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub event: u32,
    /// With the stack before it.
    pub with_stack: bool,
    /// It is one of a sample, and not of a stretch that is kept whole.
    pub is_sampled: bool,
}

/// The events that are kept, in order. O(events).
pub(super) struct Choice<'a> {
    events: &'a Events,
    stretches: &'a [Stretch],
    at: usize,
    next: u32,
    /// Events of the stretch so far.
    seen: u64,
    /// From when on the next event counts, where that goes by time.
    due: Option<u64>,
}

impl<'a> Choice<'a> {
    pub(super) fn new(events: &'a Events, stretches: &'a [Stretch]) -> Choice<'a> {
        let mut choice = Choice {
            events,
            stretches,
            at: 0,
            next: 0,
            seen: 0,
            due: None,
        };
        choice.start(0);
        choice
    }

    fn start(&mut self, at: usize) {
        self.at = at;
        self.seen = 0;
        self.due = match self.stretches[at].rule.objects {
            Objects::Every(step) => {
                let start = self.stretches[at].start.ns();
                start.checked_add(step.ns().max(1))
            }
            _ => None,
        };
    }
}

impl Iterator for Choice<'_> {
    type Item = Chosen;

    fn next(&mut self) -> Option<Chosen> {
        while self.next < self.events.end() {
            let event = self.next;
            self.next += 1;
            let time = self.events.time(event);
            while self.at + 1 < self.stretches.len() && self.stretches[self.at].end <= time {
                self.start(self.at + 1);
            }
            let Stretch { start, rule, .. } = self.stretches[self.at];
            self.seen += 1;
            let is_kept = match rule.objects {
                Objects::All => true,
                Objects::Off => false,
                Objects::Events(n) => self.seen.is_multiple_of(n.max(1)),
                Objects::Every(step) => {
                    let is_due = self.due.is_some_and(|due| due <= time.ns());
                    if is_due {
                        // It is the first at or after each of the times up to its own.
                        let step = step.ns().max(1);
                        let passed = time.ns().saturating_sub(start.ns()) / step;
                        let next = passed.checked_add(1).and_then(|it| it.checked_mul(step));
                        self.due = next.and_then(|it| start.ns().checked_add(it));
                    }
                    is_due
                }
            };
            if is_kept {
                return Some(Chosen {
                    event,
                    with_stack: rule.with_stack || rule.objects == Objects::All,
                    is_sampled: rule.objects != Objects::All,
                });
            }
        }
        None
    }
}

/// Stacks under new ids.
struct Stacks<'a, 'b, 'r, 'f> {
    memory: &'a Memory,
    whole: Vec<Option<StackId>>,
    builder: &'b mut TraceBuilder<'r>,
    names: &'b mut Renamed<'f>,
}

impl Stacks<'_, '_, '_, '_> {
    /// A stack, or of it the innermost function alone.
    fn get(&mut self, stack: StackId, is_whole: bool, out: &mut MemoryBuilder) -> StackId {
        if !is_whole {
            let function = self.memory.stacks.function(stack);
            return function.map_or(StackId::EMPTY, |function| {
                out.stack(StackId::EMPTY, self.names.get(function, self.builder))
            });
        }
        if let Some(Some(known)) = self.whole.get(stack.index()) {
            return *known;
        }
        let mut functions: Vec<_> = self.memory.stacks.functions(stack).collect();
        functions.reverse();
        let new = functions
            .into_iter()
            .fold(StackId::EMPTY, |around, function| {
                out.stack(around, self.names.get(function, self.builder))
            });
        if let Some(known) = self.whole.get_mut(stack.index()) {
            *known = Some(new);
        }
        new
    }
}

/// The memory of a recording with only the events that are kept. An object of which only the release is kept counts as
/// released, one of which only the allocation is as never released. What is measured from time to time is kept.
/// O(events), O(objects that live at once + stacks) memory beside what is made.
pub(super) fn sample(
    memory: &Memory,
    events: &Events,
    stretches: &[Stretch],
    (builder, names): (&mut TraceBuilder<'_>, &mut Renamed<'_>),
    reporter: &Reporter,
    progress: &Progress,
) -> Result<Memory, Cancelled> {
    let mut out = MemoryBuilder::new();
    let kinds: Vec<u32> = memory.types.iter().map(|name| out.kind(name)).collect();
    let mut stacks = Stacks {
        memory,
        whole: vec![None; memory.stacks.len()],
        builder,
        names,
    };
    let refuse = |kind: &'static str| reporter.warn(kind, || Place::file("sampling"));
    let mut live: HashMap<u32, Live> = HashMap::new();
    let mut done = 0;
    for Chosen {
        event, with_stack, ..
    } in Choice::new(events, stretches)
    {
        if event - done >= PIECE {
            progress.add(u64::from(event - done))?;
            done = event;
        }
        let Some((cell, size)) = events.kind_of(event) else {
            continue;
        };
        let (time, thread) = (events.time(event), events.thread(event));
        let is_release = events.is_release(event);
        let created = events.other(event).filter(|_| is_release);
        if let Some(object) = created.and_then(|created| live.remove(&created)) {
            out.release(time, thread, object, refuse);
            continue;
        }
        let stack = stacks.get(cell.stack, with_stack, &mut out);
        let kind = kinds.get(cell.kind as usize).copied().unwrap_or_default();
        let site = out.site(size, stack, kind);
        if is_release {
            out.release_alone(time, thread, site, refuse);
        } else if let Some(object) = out.allocate(time, thread, site, refuse)
            && events.other(event).is_some()
        {
            live.insert(event, object);
        }
    }
    let is_sampled = stretches.iter().any(|it| it.rule.objects != Objects::All);
    let detail = match is_sampled {
        true => Detail::Samples,
        false => memory.detail,
    };
    let mut sampled = out.finish(detail, memory.end);
    sampled.clock = memory.clock.clone();
    sampled.counters.clone_from(&memory.counters);
    sampled.ages_inferred = memory.ages_inferred;
    sampled.sizes_known = memory.sizes_known;
    sampled.types_are_classes = memory.types_are_classes;
    Ok(sampled)
}
