//! The events of a recording: `perf_event_attr`, with the ids of their counters and their names.

use std::collections::HashMap;

use super::super::error::ImportError;
use super::super::stream::Window;
use super::bytes::{Bytes, Order};
use super::features::Features;
use super::header::{Header, PIPE_HEADER, Section};
use super::records::{Record, kind};
use super::samples::{self, Asked, Sample, has};
use callscape_facts::hashing::BuildFast;

/// The first form of `perf_event_attr`.
const LEAST_ATTRIBUTE: u64 = 64;

/// How far behind the header attributes and ids may be.
const LARGEST_FRONT: u64 = 64 << 20;

/// Bits of `perf_event_attr`: others than samples have ids too; the period is a frequency.
const ID_ALL: u64 = 1 << 18;
const FREQUENCY: u64 = 1 << 10;

/// A bit of `branch_sample_type`: branches are stacks of calls.
const CALL_STACK: u64 = 1 << 11;

/// An event.
#[derive(Debug)]
pub(super) struct Attribute {
    pub name: String,
    /// What a sample counts that does not say.
    pub period: u64,
    /// Where among the fields of its samples the thread is that they wake.
    pub woken: Option<usize>,
    kind: u32,
    config: u64,
    asked: Asked,
    id_all: bool,
    ids: Vec<u64>,
}

impl Attribute {
    fn parse(bytes: &[u8], order: Order) -> Option<Attribute> {
        let mut bytes = Bytes::new(bytes, order);
        let kind = bytes.u32()?;
        bytes.u32()?;
        let config = bytes.u64()?;
        let period = bytes.u64()?;
        let sample = bytes.u64()?;
        let read = bytes.u64()?;
        // Fields of bits begin at the highest one there.
        let bits = match order {
            Order::LowFirst => bytes.u64()?,
            Order::HighFirst => bytes.u64()?.reverse_bits(),
        };
        // Wake-up, type of the breakpoint and its address; its length may be missing in old forms, as what follows.
        bytes.skip(2)?;
        let _ = bytes.u64();
        let branches = bytes.u64().unwrap_or(0);
        let registers = bytes.u64().unwrap_or(0);
        Some(Attribute {
            name: known_name(kind, config).unwrap_or_default(),
            period: match bits & FREQUENCY {
                0 => period,
                _ => 1,
            },
            woken: None,
            kind,
            config,
            asked: Asked {
                sample,
                read,
                branches,
                registers,
            },
            id_all: bits & ID_ALL != 0,
            ids: Vec::new(),
        })
    }

    /// The fields of a sample.
    pub(super) fn sample(&self, record: &Record<'_>, order: Order) -> Option<Sample> {
        samples::sample(record, &self.asked, order)
    }

    /// Whether its stacks are branches, for the processor to know.
    pub(super) fn is_by_branches(&self) -> bool {
        self.asked.sample & has::BRANCHES != 0 && self.asked.branches & CALL_STACK != 0
    }
}

/// The name of an event that the recording does not name, as perf has it.
fn known_name(kind: u32, config: u64) -> Option<String> {
    const HARDWARE: [&str; 10] = [
        "cycles",
        "instructions",
        "cache-references",
        "cache-misses",
        "branches",
        "branch-misses",
        "bus-cycles",
        "stalled-cycles-frontend",
        "stalled-cycles-backend",
        "ref-cycles",
    ];
    const SOFTWARE: [&str; 12] = [
        "cpu-clock",
        "task-clock",
        "page-faults",
        "context-switches",
        "cpu-migrations",
        "minor-faults",
        "major-faults",
        "alignment-faults",
        "emulation-faults",
        "dummy",
        "bpf-output",
        "cgroup-switches",
    ];
    let of = |names: &[&'static str]| names.get(usize::try_from(config).ok()?).copied();
    let name = match kind {
        0 => of(&HARDWARE),
        1 => of(&SOFTWARE),
        4 => return Some(format!("raw 0x{config:x}")),
        _ => None,
    };
    name.map(str::to_owned)
}

/// How records other than samples end, and how samples begin: with the same words for all events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    asked: u64,
    id_all: bool,
}

impl Layout {
    /// When a record was written, in nanoseconds.
    pub(super) fn time(&self, record: &Record<'_>, order: Order) -> Option<u64> {
        let asks = |bit: u64| self.asked & bit != 0;
        if !asks(has::TIME) {
            return None;
        }
        let words = |bits: &[u64]| bits.iter().filter(|&&bit| asks(bit)).count() * 8;
        let at = match record.kind {
            kind::SAMPLE => words(&[has::IDENTIFIER, has::IP, has::THREAD]),
            _ if !self.id_all => return None,
            _ => {
                let behind = [
                    has::TIME,
                    has::ID,
                    has::STREAM,
                    has::PROCESSOR,
                    has::IDENTIFIER,
                ];
                record.body.len().checked_sub(words(&behind))?
            }
        };
        Bytes::new(record.body.get(at..)?, order).u64()
    }

    /// The id of a sample's counter.
    fn id(&self, record: &Record<'_>, order: Order) -> Option<u64> {
        let asks = |bit: u64| self.asked & bit != 0;
        let before = [has::IP, has::THREAD, has::TIME, has::ADDRESS];
        let at = match (asks(has::IDENTIFIER), asks(has::ID)) {
            (true, _) => 0,
            (false, true) => before.into_iter().filter(|&bit| asks(bit)).count() * 8,
            (false, false) => return None,
        };
        Bytes::new(record.body.get(at..)?, order).u64()
    }
}

/// The events of a recording.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    all: Vec<Attribute>,
    /// By the id of a counter, which of them it is.
    by_id: HashMap<u64, usize, BuildFast>,
    /// By the id of a counter, what it had counted when it was last read.
    counted: HashMap<u64, u64, BuildFast>,
}

impl Attributes {
    /// Reads what stands between the header and the data, and leaves the window at these.
    pub(super) fn read(
        window: &mut Window<'_>,
        header: &Header,
        features: &Features,
    ) -> Result<Attributes, ImportError> {
        let mut attributes = Attributes::default();
        let Some(file) = &header.file else {
            window.consume(PIPE_HEADER as usize);
            return Ok(attributes);
        };
        let start = file.data.offset;
        let attribute_end = file.attributes.offset.checked_add(file.attributes.size);
        let is_in_front = attribute_end.is_some_and(|end| end <= start);
        let has_size = file.attribute_size >= LEAST_ATTRIBUTE + 16;
        if !is_in_front || !has_size || start > LARGEST_FRONT || !window.have(start as usize)? {
            let found = format!(
                "{} bytes at {} of {} each, data at {start}",
                file.attributes.size, file.attributes.offset, file.attribute_size
            );
            let expected = "attributes of events before the data";
            return Err(ImportError::malformed(window.place(16), expected, found));
        }
        let front = &window.data()[..start as usize];
        let rows = file.attributes.of(front).unwrap_or_default();
        for row in rows.chunks_exact(file.attribute_size as usize) {
            let (about, ids) = row.split_at(row.len() - 16);
            let ids = Section::read(&mut Bytes::new(ids, header.order));
            let ids = ids.and_then(|ids| ids.of(front)).unwrap_or_default();
            attributes.push(about, ids, header.order);
        }
        attributes.name(features);
        window.consume(start as usize);
        Ok(attributes)
    }

    /// Takes an attribute of a pipe.
    pub(super) fn add(&mut self, body: &[u8], order: Order) -> Option<()> {
        let mut bytes = Bytes::new(body, order);
        bytes.u32()?;
        let size = u64::from(bytes.u32()?);
        let mut bytes = Bytes::new(body, order);
        let about = bytes.take(size.max(LEAST_ATTRIBUTE))?;
        self.push(about, bytes.rest(), order)
    }

    fn push(&mut self, about: &[u8], ids: &[u8], order: Order) -> Option<()> {
        let mut attribute = Attribute::parse(about, order)?;
        let mut ids = Bytes::new(ids, order);
        while let Some(id) = ids.u64() {
            self.by_id.entry(id).or_insert(self.all.len());
            attribute.ids.push(id);
        }
        self.all.push(attribute);
        Some(())
    }

    /// Takes what perf writes to a pipe of an event: its name.
    pub(super) fn update(&mut self, body: &mut Bytes<'_>) {
        const NAME: u64 = 2;
        let about = body.u64().zip(body.u64());
        let Some((NAME, id)) = about else {
            return;
        };
        if let Some(&number) = self.by_id.get(&id) {
            let name = String::from_utf8_lossy(body.text());
            self.all[number].name = name.into_owned();
        }
    }

    /// Gives the events the names that features have.
    pub(super) fn name(&mut self, features: &Features) {
        for (number, attribute) in self.all.iter_mut().enumerate() {
            let same_id = |ids: &[u64]| ids.iter().any(|id| attribute.ids.contains(id));
            let by_id = features.events.iter().find(|it| same_id(&it.ids));
            let by_place = || features.events.get(number).filter(|it| it.ids.is_empty());
            let by_kind = || {
                let kinds = &features.kinds;
                let is = |kind, config| (kind, config) == (attribute.kind, attribute.config);
                kinds.iter().find(|it| is(it.0, it.1)).map(|it| &it.2)
            };
            let name = by_id.or_else(by_place).map(|it| &it.name);
            if let Some(name) = name.or_else(by_kind) {
                attribute.name.clone_from(name);
            }
            let name = attribute.name.split(':').nth(1).unwrap_or_default();
            let woken = features.wakeups.iter().find(|it| it.0 == name);
            attribute.woken = woken.map(|it| it.1).or(attribute.woken);
        }
        for event in &features.events {
            let number = event.ids.iter().find_map(|id| self.by_id.get(id)).copied();
            for &id in event.ids.iter().filter(|_| number.is_some()) {
                self.by_id.entry(id).or_insert(number.unwrap_or(0));
            }
        }
    }

    /// How records are laid out; `None` without events.
    pub(super) fn layout(&self) -> Option<Layout> {
        self.all.first().map(|first| Layout {
            asked: first.asked.sample,
            id_all: first.id_all,
        })
    }

    /// The event of this number.
    pub(super) fn get(&self, number: usize) -> &Attribute {
        &self.all[number]
    }

    /// The number of the event of a sample.
    pub(super) fn of_sample(&self, record: &Record<'_>, order: Order) -> Option<usize> {
        match self.all.len() {
            0 => None,
            1 => Some(0),
            _ => {
                let id = self.layout()?.id(record, order)?;
                self.by_id.get(&id).copied()
            }
        }
    }

    /// The events that a sample of this event is of, with what it counts of each: where it has read its counters, all of
    /// these that went on, as perf does (`deliver_sample_group` in `tools/perf/util/session.c`).
    pub(super) fn counts(&mut self, number: usize, sample: &Sample) -> Vec<(usize, u64)> {
        if sample.counters.is_empty() {
            let period = sample.period.unwrap_or(self.all[number].period);
            return vec![(number, period)];
        }
        let counters = sample.counters.iter().filter_map(|&(id, value)| {
            let before = self.counted.insert(id, value).unwrap_or(0);
            let went_on = value.wrapping_sub(before);
            let number = *self.by_id.get(&id)?;
            (went_on > 0).then_some((number, went_on))
        });
        counters.collect()
    }
}
