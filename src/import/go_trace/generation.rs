//! A generation of a trace: its tables, and its events in order of time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::batch::Batch;
use super::wire::{self, number};
use callscape_facts::hashing::BuildFast;

/// A frame of a stack: numbers of the texts of its function and file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub function: u64,
    pub file: u64,
}

/// A sample of the processor, in the clock's ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub time: u64,
    /// 0 for none.
    pub goroutine: u64,
    pub stack: u64,
}

/// An event with its arguments behind its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// In the clock's ticks.
    pub time: u64,
    pub machine: u64,
    pub kind: u8,
    pub arguments: [u64; wire::MOST],
    /// Where its batch begins.
    pub offset: u64,
}

#[derive(Default)]
pub(super) struct Generation {
    pub number: Option<u64>,
    /// By thread of the system, in the order of the file.
    batches: BTreeMap<u64, Vec<Batch>>,
    texts: HashMap<u64, String, BuildFast>,
    /// Innermost frames first.
    stacks: HashMap<u64, Vec<Frame>, BuildFast>,
    pub samples: Vec<Sample>,
    /// Ticks a second.
    pub frequency: Option<u64>,
}

impl Generation {
    pub(super) fn text(&self, id: u64) -> &str {
        self.texts.get(&id).map_or("", String::as_str)
    }

    pub(super) fn stack(&self, id: u64) -> &[Frame] {
        self.stacks.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Takes a batch; false where it is damaged and not all of it is kept.
    pub(super) fn add(&mut self, batch: Batch) -> bool {
        let data = &batch.data;
        let mut at = 1;
        let mut is_sound = true;
        match data.first() {
            None => {}
            Some(&wire::STRINGS) => {
                while is_sound && at < data.len() {
                    is_sound = self.string(data, &mut at).is_some();
                }
            }
            Some(&wire::STACKS) => {
                while is_sound && at < data.len() {
                    is_sound = self.stack_of(data, &mut at).is_some();
                }
            }
            Some(&wire::CPU_SAMPLES) => {
                while is_sound && at < data.len() {
                    is_sound = self.sample(data, &mut at).is_some();
                }
            }
            Some(&wire::FREQUENCY) => is_sound = self.clock(data).is_some(),
            Some(&wire::SYNC) => is_sound = self.clock(&data[1..]).is_some(),
            Some(_) => self.batches.entry(batch.machine).or_default().push(batch),
        }
        is_sound
    }

    fn string(&mut self, data: &[u8], at: &mut usize) -> Option<()> {
        kind(data, at, wire::STRING)?;
        let (id, length) = (number(data, at)?, number(data, at)?);
        let end = at.checked_add(usize::try_from(length).ok()?)?;
        let text = String::from_utf8_lossy(data.get(*at..end)?);
        self.texts.insert(id, text.into_owned());
        *at = end;
        Some(())
    }

    fn stack_of(&mut self, data: &[u8], at: &mut usize) -> Option<()> {
        kind(data, at, wire::STACK)?;
        let (id, count) = (number(data, at)?, number(data, at)?);
        let mut frames = Vec::new();
        for _ in 0..count {
            let [_, function, file, _] = [
                number(data, at)?,
                number(data, at)?,
                number(data, at)?,
                number(data, at)?,
            ];
            frames.push(Frame { function, file });
        }
        self.stacks.insert(id, frames);
        Some(())
    }

    fn sample(&mut self, data: &[u8], at: &mut usize) -> Option<()> {
        kind(data, at, wire::CPU_SAMPLE)?;
        let time = number(data, at)?;
        let (_, _) = (number(data, at)?, number(data, at)?);
        let (goroutine, stack) = (number(data, at)?, number(data, at)?);
        self.samples.push(Sample {
            time,
            goroutine,
            stack,
        });
        Some(())
    }

    /// The frequency of the clock; what time it is elsewhere does not matter.
    fn clock(&mut self, data: &[u8]) -> Option<()> {
        let mut at = 0;
        while at < data.len() {
            let kind = data[at];
            at += 1;
            let first = number(data, &mut at)?;
            match kind {
                wire::FREQUENCY => self.frequency = Some(first).filter(|&it| it > 0),
                wire::CLOCK_SNAPSHOT => {
                    for _ in 0..3 {
                        number(data, &mut at)?;
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// The events of all threads, in order of time.
    pub(super) fn events(&self) -> Events<'_> {
        let cursors = self.batches.values().map(|batches| Cursor {
            batches,
            at: 0,
            time: batches.first().map_or(0, |batch| batch.time),
            damaged: None,
        });
        let mut events = Events {
            cursors: cursors.collect(),
            next: BinaryHeap::new(),
            at_hand: Vec::new(),
            damaged: Vec::new(),
        };
        for number in 0..events.cursors.len() {
            events.at_hand.push(None);
            events.advance(number);
        }
        events
    }
}

/// Passes over the kind of an entry of a table, which all of them have.
fn kind(data: &[u8], at: &mut usize, expected: u8) -> Option<()> {
    let kind = *data.get(*at)?;
    *at += 1;
    (kind == expected).then_some(())
}

/// The batches of a thread that are left.
struct Cursor<'g> {
    batches: &'g [Batch],
    /// In the first of them.
    at: usize,
    time: u64,
    /// Where the batch begins that could not be read to its end.
    damaged: Option<u64>,
}

impl Cursor<'_> {
    fn next(&mut self) -> Option<Event> {
        loop {
            let batch = self.batches.first()?;
            if self.at < batch.data.len() {
                let event = self.event(batch.machine, batch.offset, &batch.data);
                if event.is_some() {
                    return event;
                }
                self.damaged = Some(batch.offset);
            }
            self.batches = &self.batches[1..];
            self.at = 0;
            self.time = self.batches.first().map_or(0, |batch| batch.time);
        }
    }

    fn event(&mut self, machine: u64, offset: u64, data: &[u8]) -> Option<Event> {
        let kind = data[self.at];
        let count = wire::arguments(kind)?;
        let mut at = self.at + 1;
        self.time = self.time.saturating_add(number(data, &mut at)?);
        let mut arguments = [0; wire::MOST];
        for argument in arguments.iter_mut().take(count) {
            *argument = number(data, &mut at)?;
        }
        self.at = at;
        Some(Event {
            time: self.time,
            machine,
            kind,
            arguments,
            offset,
        })
    }
}

pub(super) struct Events<'g> {
    cursors: Vec<Cursor<'g>>,
    /// When the next event of each is.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    at_hand: Vec<Option<Event>>,
    /// Where batches begin that could not be read to their end.
    pub damaged: Vec<u64>,
}

impl Events<'_> {
    fn advance(&mut self, number: usize) {
        let cursor = &mut self.cursors[number];
        let event = cursor.next();
        self.damaged.extend(cursor.damaged.take());
        self.next
            .extend(event.map(|event| Reverse((event.time, number))));
        self.at_hand[number] = event;
    }
}

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let Reverse((_, number)) = self.next.pop()?;
        let event = self.at_hand[number].take();
        self.advance(number);
        event
    }
}
