//! The clocks of a Perfetto trace: those of the machine, and those of one sequence with units and deltas of their own.

use super::reader::{Clock, Reader, Sequence};
use crate::protobuf::{Fields, Value};

/// The clock that traces use where they name none.
pub(super) const BOOTTIME: u64 = 6;

/// The first clock that belongs to a sequence, and the first that does not any more.
const OWN_CLOCKS: std::ops::Range<u64> = 64..128;

impl Reader<'_> {
    pub(super) fn snapshot(&mut self, snapshot: &[u8], state: &mut Sequence) {
        let mut primary = BOOTTIME;
        let mut readings = Vec::new();
        for (number, value) in Fields::new(snapshot) {
            match (number, value) {
                (1, Value::Bytes(clock)) => {
                    let (mut id, mut time, mut incremental, mut unit) = (0, 0, false, 1);
                    for (number, value) in Fields::new(clock) {
                        match (number, value) {
                            (1, Value::Number(number)) => id = number,
                            (2, Value::Number(number)) => time = number,
                            (3, Value::Number(number)) => incremental = number != 0,
                            (4, Value::Number(number)) => unit = number,
                            _ => {}
                        }
                    }
                    let unit = i64::try_from(unit).unwrap_or(1).max(1);
                    let time = in_range(time).saturating_mul(unit);
                    readings.push((id, time, incremental, unit));
                }
                (2, Value::Number(number)) => primary = number,
                _ => {}
            }
        }
        // What makes the trace's time of these, by a clock that has both.
        let shared = readings
            .iter()
            .filter(|reading| !OWN_CLOCKS.contains(&reading.0));
        let trace_time = shared
            .clone()
            .find(|reading| reading.0 == primary)
            .map(|reading| reading.1);
        let trace_time = trace_time.or_else(|| {
            let mut known = shared.clone();
            known.find_map(|reading| Some(reading.1.saturating_add(*self.clocks.get(&reading.0)?)))
        });
        for (id, time, incremental, nanoseconds) in readings {
            let offset = trace_time.map_or(0, |trace_time| trace_time.saturating_sub(time));
            if OWN_CLOCKS.contains(&id) {
                let clock = Clock {
                    last: time,
                    incremental,
                    nanoseconds,
                    offset,
                };
                state.clocks.insert(id, clock);
            } else if trace_time.is_some() {
                // The first stays: a later one would put times out of order by the clocks' drift.
                self.clocks.entry(id).or_insert(offset);
            }
        }
    }

    /// What makes the trace's time of a clock of the machine.
    pub(super) fn clock_offset(&self, clock: u64) -> i64 {
        self.clocks.get(&clock).copied().unwrap_or(0)
    }

    /// The trace's time of a packet's.
    pub(super) fn time(&mut self, time: u64, clock: Option<u64>) -> i64 {
        let state = &mut self.current.1;
        let id = clock.or(state.clock).unwrap_or(BOOTTIME);
        let time = in_range(time);
        if !OWN_CLOCKS.contains(&id) {
            return time.saturating_add(self.clock_offset(id));
        }
        let Some(clock) = state.clocks.get_mut(&id) else {
            self.warn("unknown-clock");
            return time;
        };
        let time = time.saturating_mul(clock.nanoseconds);
        clock.last = match clock.incremental {
            true => clock.last.saturating_add(time),
            false => time,
        };
        clock.last.saturating_add(clock.offset)
    }
}

/// Times beyond 146 years are taken for damage; so sums of two stay in range.
pub(super) fn in_range(time: u64) -> i64 {
    time.min(1 << 62) as i64
}
