//! Events of threads that wait for something.

use std::collections::HashMap;

use super::types::{Class, Role, Types, Value};
use super::wire::Bytes;
use callscape_facts::hashing::BuildFast;

/// What a thread does while it waits for something. Recorded as a rule from 20 ms on.
const WAITS: [&str; 4] = [
    "jdk.ThreadPark",
    "jdk.ThreadSleep",
    "jdk.JavaMonitorWait",
    "jdk.JavaMonitorEnter",
];

/// When a thread waited, and with which stack, by keys that hold within the chunk.
pub(super) struct Wait {
    pub thread: u64,
    pub stack: u64,
    pub start: i64,
    pub end: i64,
}

/// The types of these events in a chunk.
pub(super) struct Waits<'t>(HashMap<u64, &'t Class, BuildFast>);

impl<'t> Waits<'t> {
    pub(super) fn new(types: &'t Types) -> Waits<'t> {
        let known = types.all();
        Waits(
            known
                .filter(|(_, class)| WAITS.contains(&class.name.as_str()))
                .collect(),
        )
    }

    /// The wait in an event of type `kind`; the outer `None` if it is none, the inner if it is damaged.
    pub(super) fn read(
        &self,
        kind: u64,
        types: &Types,
        mut content: Bytes<'_>,
        time: impl Fn(u64) -> i64,
    ) -> Option<Option<Wait>> {
        let class = self.0.get(&kind)?;
        let (mut start, mut duration, mut thread, mut stack) = (0_u64, 0_u64, 0, 0);
        let whole = types.value(class, &mut content, &mut |role, value| {
            let Value::Number(number) = value else {
                return;
            };
            match role {
                Role::StartTime => start = number,
                Role::Duration => duration = number,
                Role::Thread => thread = number,
                Role::StackTrace => stack = number,
                _ => {}
            }
        });
        Some(whole.map(|()| Wait {
            thread,
            stack,
            start: time(start),
            end: time(start.saturating_add(duration)),
        }))
    }
}
