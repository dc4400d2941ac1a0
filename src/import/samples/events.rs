//! What is sampled, and the values that its samples weigh.

use super::sums::Amounts;
use crate::samplers::{self, Counts, Sampler, Sees};
use callscape_facts::profile::Value;

/// What is sampled: the number of its [`Event`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventId(pub(super) usize);

/// What samplers were set to.
pub(super) struct Event {
    pub name: String,
    pub sampler: &'static Sampler,
    /// As the file tells it, in nanoseconds.
    pub interval: Option<i64>,
    /// Some sample says how much it stands for.
    pub has_amounts: bool,
    /// It is of what the leading event does not see, and both together are a value.
    pub completes: bool,
}

/// The event whose samples are shown along time: rather a clock than a counter, and one of running threads.
pub(super) fn leading(events: &[Event]) -> EventId {
    let rank = |event: &Event| {
        let Sampler { counts, sees, .. } = event.sampler;
        (*counts == Counts::Events, *sees == Sees::Waiting)
    };
    let events = events.iter().enumerate();
    let leading = events.min_by_key(|(number, event)| (rank(event), *number));
    EventId(leading.map_or(0, |(number, _)| number))
}

/// What samples weigh: time first, then how many there are, then events with amounts of their own by their numbers.
pub(super) fn values(events: &[Event], leading: EventId) -> Vec<(Value, Amounts)> {
    let Some(of_leading) = events.get(leading.0) else {
        return Vec::new();
    };
    let mut values = vec![
        (of_leading.sampler.time(), Amounts::Time),
        (samplers::samples(), Amounts::Samples),
    ];
    for (number, event) in events.iter().enumerate() {
        let is_clock = event.sampler.counts == Counts::Nanoseconds;
        let value = match is_clock {
            true => event.sampler.time(),
            false => event.sampler.counter(&event.name),
        };
        let is_known = match is_clock {
            true => number != leading.0,
            false => event.has_amounts,
        };
        if is_known && values.iter().all(|(known, _)| known.name != value.name) {
            let amounts = match event.completes {
                true => Amounts::TimeAndEvent(number),
                false => Amounts::Event(number),
            };
            values.push((value, amounts));
        }
    }
    values
}
