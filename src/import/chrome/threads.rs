//! The threads of a Chrome trace, told apart by what its events call them.

use std::collections::{HashMap, HashSet};

use super::events::Event;
use super::nesting::{Nesting, OpenBegins};
use super::spellings::Name;
use crate::json::unescape;
use callscape_base::units::ThreadId;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::hashing::{BuildFast, same};

/// A thread while its events are read.
pub(super) struct Thread {
    pub id: ThreadId,
    pub key: Key,
    /// The time of the last begin or end event.
    pub last: Option<i64>,
    pub open: OpenBegins,
    /// Start and end of the last complete event.
    pub last_complete: Option<(i64, i64)>,
    pub nesting: Nesting,
}

/// Process and thread as events call them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub process: Box<[u8]>,
    pub thread: Box<[u8]>,
}

/// What metadata says of a thread or process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct About {
    pub name: Option<Name>,
    pub sort_index: Option<i64>,
}

/// The threads by what events call them.
#[derive(Default)]
pub(super) struct Threads {
    pub threads: Vec<Thread>,
    by_key: HashMap<Key, usize, BuildFast>,
    /// The thread of the last event that has one.
    current: usize,
    /// The thread of the event at hand, once it is known.
    pub found: Option<usize>,
    pub thread_metadata: HashMap<Key, About, BuildFast>,
    pub process_metadata: HashMap<Box<[u8]>, About, BuildFast>,
}

impl Threads {
    /// uftrace writes no thread id for a process's first thread.
    fn ids<'a>(event: &Event<'a>) -> (&'a [u8], &'a [u8]) {
        let process = event.pid.unwrap_or_default();
        (process, event.tid.unwrap_or(process))
    }

    pub(super) fn key(event: &Event<'_>) -> Key {
        let (process, thread) = Threads::ids(event);
        Key {
            process: process.into(),
            thread: thread.into(),
        }
    }

    /// The place of the event's thread, made when it is new.
    #[inline]
    pub(super) fn find(&mut self, event: &Event<'_>, builder: &mut TraceBuilder<'_>) -> usize {
        if let Some(thread) = event.thread {
            self.current = thread;
            return thread;
        }
        let (process, thread) = Threads::ids(event);
        let is_current = self.threads.get(self.current).is_some_and(|current| {
            same(&current.key.thread, thread) && same(&current.key.process, process)
        });
        if !is_current {
            let key = Threads::key(event);
            self.current = self.lane(key, builder);
        }
        self.found = Some(self.current);
        self.current
    }

    /// The thread of this key, where it has calls.
    pub(super) fn known(&self, key: &Key) -> Option<ThreadId> {
        let place = self.by_key.get(key)?;
        Some(self.threads[*place].id)
    }

    /// The place of the thread of this key, made when it is new.
    pub(super) fn lane(&mut self, key: Key, builder: &mut TraceBuilder<'_>) -> usize {
        match self.by_key.get(&key) {
            Some(&known) => known,
            None => self.add(key, builder),
        }
    }

    fn add(&mut self, key: Key, builder: &mut TraceBuilder<'_>) -> usize {
        let (process, _) = unescape(&key.process);
        let (thread, _) = unescape(&key.thread);
        let id = builder.thread(&process, &thread);
        // All of the builder's threads are made here, so that they are numbered alike.
        let index = id.index();
        if index < self.threads.len() {
            // Another spelling of one that is known: with escapes, or with other bytes that are no text.
            self.by_key.insert(key, index);
            return index;
        }
        self.threads.push(Thread {
            id,
            key: key.clone(),
            last: None,
            open: OpenBegins::default(),
            last_complete: None,
            nesting: Nesting::default(),
        });
        self.by_key.insert(key, index);
        index
    }

    /// Process and thread of each, as text.
    pub(super) fn texts(&self) -> HashSet<(String, String)> {
        let ids = self.threads.iter().map(|thread| &thread.key);
        ids.map(|key| (unescape(&key.process).0, unescape(&key.thread).0))
            .collect()
    }

    #[inline]
    pub(super) fn get_mut(&mut self, thread: usize) -> &mut Thread {
        &mut self.threads[thread]
    }

    /// Where a thread stands among the others: by the sort index of its process, then its own; those without
    /// one have zero, as in Chrome's own viewer.
    pub(super) fn rank(&self, thread: &Thread) -> (i64, i64) {
        let process = self.process_metadata.get(&thread.key.process);
        let own = self.thread_metadata.get(&thread.key);
        let index = |about: Option<&About>| about.and_then(|about| about.sort_index).unwrap_or(0);
        (index(process), index(own))
    }
}
