//! Cels: the steps that a trace is shown in (AVID, section 2.3).

use super::{Playback, Step, scaled, time_after};
use callscape_base::units::{Cost, Time, TimeRange};
use callscape_facts::all_events::AllEvents;

impl Playback {
    /// The number of the cel that ends at the time shown, from 1, and how many there are. A number that is
    /// left over by events of the same time counts with the cel before it.
    pub fn cel_number(&self, all: AllEvents<'_>) -> (u64, u64) {
        let (at, count, size) = match self.step {
            Step::Events(events) => (all.until(self.time), all.count(), events),
            Step::Span(span) => (self.time.ns(), all.trace.duration().ns(), span.ns()),
        };
        let size = size.max(1);
        (at.div_ceil(size).max(1), count.div_ceil(size).max(1))
    }

    /// The time at which cel `number` ends, counted from 1.
    pub(crate) fn end_of_cel(&self, number: u64, all: AllEvents<'_>) -> Time {
        match self.step {
            Step::Events(events) => time_after(events.saturating_mul(number).min(all.count()), all),
            Step::Span(span) => (Time::ZERO + scaled(span, number)).min(all.trace.range().end),
        }
    }

    /// The time `events` events before the time shown. Of several events at one time none alone can be
    /// shown: it is always earlier than the time shown, except at the start.
    fn time_before(&self, events: u64, all: AllEvents<'_>) -> Time {
        let seen = all.until(self.time);
        let time = time_after(seen.saturating_sub(events), all);
        if time < self.time {
            return time;
        }
        let before = self.time - Cost::from_ns(1);
        time_after(all.until(before), all)
    }

    /// The cel: the step that ends at the time shown.
    pub fn cel(&self, all: AllEvents<'_>) -> TimeRange {
        let start = match self.step {
            Step::Span(span) => self.time - span,
            Step::Events(events) => self.time_before(events, all),
        };
        TimeRange::new(start, self.time)
    }

    /// Pauses and moves by `steps` times the stride, back for negative ones.
    pub fn step(&mut self, steps: i64, all: AllEvents<'_>) {
        self.pause();
        self.summary = false;
        let amount = steps.unsigned_abs().saturating_mul(self.stride.max(1));
        let limits = self.limits(all);
        let time = match (self.step, steps > 0) {
            (Step::Span(span), true) => self.time + scaled(span, amount),
            (Step::Span(span), false) => self.time - scaled(span, amount),
            (Step::Events(events), true) => {
                let seen = all.until(self.time);
                let wanted = seen.saturating_add(events.saturating_mul(amount));
                if wanted >= all.count() {
                    limits.end
                } else {
                    time_after(wanted, all)
                }
            }
            (Step::Events(events), false) => self.time_before(events.saturating_mul(amount), all),
        };
        self.time = time.clamp(limits.start, limits.end);
    }
}
