//! Events that are samples of code, and the settings that say how often they are taken.

use std::collections::HashMap;

use super::types::{Class, Role, Types, Value};
use super::wire::{Bytes, Text};
use crate::samplers;
use crate::samples::{EventId, Samples};
use callscape_facts::hashing::BuildFast;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "jfr";

/// The interval of async-profiler unless it is told otherwise, which it writes as 0.
const USUAL_OF_ASYNC: i64 = 10_000_000;

/// How async-profiler marks that a thread was sampled which had no processor.
const SLEEPING: &str = "STATE_SLEEPING";
/// The event of such samples, and of waits that are told with their length.
const WAITING: &str = "waiting";

/// A sample as its event has it: keys hold within the chunk.
pub(super) struct Sample {
    pub time: i64,
    pub thread: u64,
    pub stack: u64,
    pub offset: u64,
    event: EventId,
    state: u64,
    /// It stands for so many.
    count: u64,
}

/// The events of a chunk that are samples.
pub(super) struct Sampled<'t> {
    classes: HashMap<u64, (EventId, &'t Class), BuildFast>,
    settings: Option<u64>,
    /// Intervals that the file tells, in nanoseconds.
    every: Vec<(EventId, i64)>,
    /// The event of threads that wait, if the file says so of each sample.
    waiting: Option<EventId>,
}

/// The name of an event without its package.
fn plain(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, name)| name)
}

impl<'t> Sampled<'t> {
    pub(super) fn new(types: &'t Types, samples: &mut Samples<'_>) -> Sampled<'t> {
        let mut known: Vec<_> = types.all().collect();
        known.sort_unstable_by_key(|(id, _)| *id);
        let mut sampled = Sampled {
            classes: HashMap::default(),
            settings: None,
            every: Vec::new(),
            waiting: None,
        };
        for (id, class) in known {
            if class.name == "jdk.ActiveSetting" {
                sampled.settings = Some(id);
            }
            let sampler = samplers::of(FORMAT, &class.name);
            let is_event = class.name.starts_with("jdk.") || class.name.starts_with("profiler.");
            if let Some(sampler) = sampler.filter(|_| is_event) {
                let event = samples.event(plain(&class.name), sampler);
                sampled.classes.insert(id, (event, class));
            }
        }
        sampled
    }

    /// The sample in an event of type `kind`; the outer `None` if it is none, the inner if it is damaged.
    pub(super) fn read(
        &self,
        kind: u64,
        types: &Types,
        mut content: Bytes<'_>,
        (time, offset): (impl Fn(u64) -> i64, u64),
    ) -> Option<Option<Sample>> {
        let &(event, class) = self.classes.get(&kind)?;
        let mut sample = Sample {
            time: 0,
            thread: 0,
            stack: 0,
            offset,
            event,
            state: 0,
            count: 1,
        };
        let whole = types.value(class, &mut content, &mut |role, value| {
            let Value::Number(number) = value else {
                return;
            };
            match role {
                Role::StartTime => sample.time = time(number),
                Role::Thread => sample.thread = number,
                Role::StackTrace => sample.stack = number,
                Role::State => sample.state = number,
                Role::Samples => sample.count = number,
                _ => {}
            }
        });
        Some(whole.map(|()| sample))
    }

    /// Takes an event that says how often samples are taken; false if it does not.
    pub(super) fn setting(&mut self, kind: u64, types: &Types, mut content: Bytes<'_>) -> bool {
        let Some(class) = types.get(kind).filter(|_| self.settings == Some(kind)) else {
            return false;
        };
        let (mut of, mut name, mut value) = (0, String::new(), String::new());
        types.value(
            class,
            &mut content,
            &mut |role, given| match (role, given) {
                (Role::Id, Value::Number(id)) => of = id,
                (Role::Name, Value::Text(Text::Here(text))) => name = text.into_owned(),
                (Role::SettingValue, Value::Text(Text::Here(text))) => value = text.into_owned(),
                _ => {}
            },
        );
        let event = self.classes.get(&of).map(|(event, _)| *event);
        if let Some((event, every)) = event.zip(interval(&name, &value)) {
            self.every.push((event, every));
        }
        true
    }

    /// Hands on what settings have told.
    pub(super) fn tell(&self, samples: &mut Samples<'_>) {
        for &(event, every) in &self.every {
            samples.every(event, every);
        }
    }

    /// The event of a sample, whose thread was in a state of this name, and the amount that it stands for.
    pub(super) fn event(
        &mut self,
        sample: &Sample,
        state: impl Fn(u64) -> bool,
        samples: &mut Samples<'_>,
    ) -> (EventId, Option<u64>) {
        let event = match state(sample.state) {
            true => *self
                .waiting
                .get_or_insert_with(|| event_of_waiting(samples)),
            false => sample.event,
        };
        let every = samples
            .interval_of(event)
            .and_then(|it| u64::try_from(it).ok());
        let amount = every.map(|every| every.saturating_mul(sample.count));
        (event, amount.filter(|_| sample.count != 1))
    }
}

/// The event of threads that have no processor, which completes those that have one.
pub(super) fn event_of_waiting(samples: &mut Samples<'_>) -> EventId {
    let event = samples.event(WAITING, samplers::in_format(FORMAT, WAITING));
    samples.completes(event);
    event
}

/// Whether a thread in a state of this name has no processor.
pub(super) fn is_waiting(state: &str) -> bool {
    state == SLEEPING
}

/// The interval in a setting, in nanoseconds: `period` of the JDK with a unit, `interval` of async-profiler without.
fn interval(name: &str, value: &str) -> Option<i64> {
    match name {
        "interval" => match value.parse().ok()? {
            0 => Some(USUAL_OF_ASYNC),
            interval => Some(interval),
        },
        "period" => {
            let (number, unit) = value.trim().split_once(' ')?;
            let unit = match unit {
                "ns" => 1,
                "us" => 1_000,
                "ms" => 1_000_000,
                "s" => 1_000_000_000,
                _ => return None,
            };
            number.parse::<i64>().ok()?.checked_mul(unit)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_tell_intervals() {
        for (name, value, expected) in [
            ("period", "20 ms", Some(20_000_000)),
            ("period", "everyChunk", None),
            ("interval", "0", Some(10_000_000)),
            ("interval", "1000000", Some(1_000_000)),
            ("enabled", "true", None),
        ] {
            assert_eq!(interval(name, value), expected, "{name} = {value}");
        }
    }
}
