//! Asynchronous events as calls: tracing-chrome's asynchronous style, what request tracers write, and what clang and
//! webpack write beside others. Those of one category and id nest in each other, and ids are at work at the same time: each
//! gets a lane from its first begin to its last end, a thread of its own for the views. A lane that is free is taken
//! again, so that there are as many as were ever at work at once.

use std::collections::HashMap;

use super::events::Event;
use super::threads::{Key, Threads};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::hashing::BuildFast;

/// Process and category.
type Group = (Box<[u8]>, Box<[u8]>);

/// Which lane each id is on.
#[derive(Default)]
pub(super) struct Lanes {
    taken: HashMap<(Group, Box<[u8]>), Taken, BuildFast>,
    groups: HashMap<Group, OfGroup, BuildFast>,
}

struct Taken {
    /// The place of the thread that the lane is.
    lane: usize,
    /// How many begins wait for their end.
    open: u64,
}

#[derive(Default)]
struct OfGroup {
    count: usize,
    free: Vec<usize>,
}

/// How the ids of the threads begin that lanes are.
const LANE: &[u8] = b"async ";

/// Whether the thread of this key is a lane.
pub(super) fn is_one(key: &Key) -> bool {
    key.thread.starts_with(LANE)
}

impl Lanes {
    fn key(event: &Event<'_>) -> (Group, Box<[u8]>) {
        let bytes = |bytes: Option<&[u8]>| bytes.unwrap_or_default().into();
        ((bytes(event.pid), bytes(event.category)), bytes(event.id))
    }

    /// The place of the thread that a begin goes to, and whether no other with its id is open there.
    pub(super) fn begin(
        &mut self,
        event: &Event<'_>,
        threads: &mut Threads,
        builder: &mut TraceBuilder<'_>,
    ) -> (usize, bool) {
        let key = Lanes::key(event);
        if let Some(taken) = self.taken.get_mut(&key) {
            taken.open += 1;
            return (taken.lane, false);
        }
        let group = self.groups.entry(key.0.clone()).or_default();
        let lane = group.free.pop().unwrap_or_else(|| {
            group.count += 1;
            let mut thread = LANE.to_vec();
            thread.extend_from_slice(&key.0.1);
            if group.count > 1 {
                thread.extend_from_slice(format!(" {}", group.count).as_bytes());
            }
            let process = key.0.0.clone();
            let thread = thread.into();
            threads.lane(Key { process, thread }, builder)
        });
        self.taken.insert(key, Taken { lane, open: 1 });
        (lane, true)
    }

    /// The place of the thread that an end goes to; none where nothing with its id has begun.
    pub(super) fn end(&mut self, event: &Event<'_>) -> Option<usize> {
        let key = Lanes::key(event);
        let taken = self.taken.get_mut(&key)?;
        let lane = taken.lane;
        taken.open -= 1;
        if taken.open == 0 {
            self.taken.remove(&key);
            if let Some(group) = self.groups.get_mut(&key.0) {
                group.free.push(lane);
            }
        }
        Some(lane)
    }
}
