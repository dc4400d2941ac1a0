//! Enter and exit events by number and by time, without a list of them.
//!
//! Call *j* of a thread enters as its event 2 *j* − depth(*j*): *j* calls have entered before it and all
//! but those around it have left. The exits that follow are those of its stack, innermost first.

use std::cmp::Ordering;

use super::call::{Call, Event};
use super::store::{Calls, Cursor, Store};
use callscape_base::units::{CallId, ThreadId, Time};

impl Calls<'_> {
    /// How many events of the thread happen at or before `t`.
    fn events_until(&self, t: u64) -> u64 {
        let mut cursor = Cursor::new(*self);
        let started = cursor.started(t);
        let mut open = 0;
        cursor.visit_stack(started, |_, facts| {
            let is_open = facts.end > t;
            if is_open {
                open = u64::from(facts.depth) + 1;
            }
            !is_open
        });
        2 * u64::from(started) - open.min(u64::from(started))
    }

    /// The thread's event with number `n`: its call, and whether it enters.
    fn event(&self, n: u64) -> Option<(CallId, bool)> {
        let mut cursor = Cursor::new(*self);
        let mut number =
            |call: u32| (2 * u64::from(call)).saturating_sub(u64::from(cursor.facts(call).depth));
        let mut low = 0;
        let mut high = self.len();
        while low < high {
            let middle = low + (high - low) / 2;
            if number(middle) <= n {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let call = low.checked_sub(1)?;
        let mut exits = n - number(call).min(n);
        if exits == 0 {
            return Some((CallId(call), true));
        }
        let mut found = None;
        self.visit_stack(low, |call, _| {
            exits -= 1;
            if exits == 0 {
                found = Some((call, false));
            }
            exits > 0
        });
        found
    }
}

impl Store {
    pub(crate) fn events_until(&self, t: Time) -> u64 {
        self.all_calls()
            .map(|calls| calls.events_until(t.ns()))
            .sum()
    }

    /// The time of the event with number `n`; the end of the trace past the last.
    fn event_time(&self, n: u64) -> u64 {
        let end = self.infos.iter().map(|thread| thread.end.ns()).max();
        let (mut low, mut high) = (0, end.unwrap_or(0));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.events_until(Time::from_ns(middle)) <= n {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The number of the event with which `call` of `thread` ends.
    pub(crate) fn exit_number(&self, thread: ThreadId, id: CallId, call: &Call) -> u64 {
        let enter = (2 * u64::from(id.0)).saturating_sub(u64::from(call.depth));
        let own = enter + 2 * u64::from(call.triggered) + 1;
        let others = self.all_calls().zip(0..).map(|(calls, other)| {
            // At the same time the first thread comes first.
            let until = match thread.0.cmp(&other) {
                Ordering::Equal => None,
                Ordering::Greater => Some(call.end.ns()),
                Ordering::Less => call.end.ns().checked_sub(1),
            };
            until.map_or(0, |t| calls.events_until(t))
        });
        own + others.sum::<u64>()
    }

    pub(crate) fn event(&self, n: u64) -> Option<Event> {
        let time = self.event_time(n);
        let before = |calls: &Calls<'_>| time.checked_sub(1).map_or(0, |t| calls.events_until(t));
        let mut rest = n - self
            .all_calls()
            .map(|calls| before(&calls))
            .sum::<u64>()
            .min(n);
        for (index, calls) in self.all_calls().enumerate() {
            let before = before(&calls);
            let here = calls.events_until(time) - before;
            if rest < here {
                let (call, enter) = calls.event(before + rest)?;
                return Some(Event {
                    time: Time::from_ns(time),
                    thread: ThreadId(index as u32),
                    call,
                    enter,
                });
            }
            rest -= here;
        }
        None
    }
}
