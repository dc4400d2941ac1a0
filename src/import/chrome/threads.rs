//! The threads of a Chrome trace, told apart by what its events call them.

use std::collections::HashMap;

use super::events::Event;
use super::nesting::{Complete, Mark, OpenBegins};
use crate::facts::builder::TraceBuilder;
use crate::facts::names::NameId;
use crate::import::hashing::BuildFast;
use crate::import::json::unescape;
use crate::units::ThreadId;

/// A thread while its events are read.
pub struct Thread {
    pub id: ThreadId,
    pub key: Box<[u8]>,
    pub process: Box<[u8]>,
    /// The time of the last begin or end event.
    pub last: Option<i64>,
    pub open: OpenBegins,
    pub completes: Vec<Complete>,
    pub marks: Vec<Mark>,
}

/// The threads by what events call them.
#[derive(Default)]
pub struct Threads {
    pub threads: Vec<Thread>,
    by_key: HashMap<Box<[u8]>, usize, BuildFast>,
    /// The thread of the last event.
    current: usize,
    scratch: Vec<u8>,
    pub thread_names: HashMap<Box<[u8]>, NameId, BuildFast>,
    pub process_names: HashMap<Box<[u8]>, NameId, BuildFast>,
}

impl Threads {
    /// Process and thread as one key. uftrace writes no thread id for a process's first thread.
    pub fn key(event: &Event<'_>) -> Box<[u8]> {
        let mut key = Vec::new();
        Threads::write_key(event, &mut key);
        key.into()
    }

    fn write_key(event: &Event<'_>, key: &mut Vec<u8>) {
        let pid = event.pid.unwrap_or_default();
        key.extend_from_slice(pid);
        // No JSON text contains this byte.
        key.push(b'\n');
        key.extend_from_slice(event.tid.unwrap_or(pid));
    }

    /// The place of the event's thread, made when it is new.
    #[inline]
    pub fn find(&mut self, event: &Event<'_>, builder: &mut TraceBuilder<'_>) -> usize {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        Threads::write_key(event, &mut scratch);
        let same = self.threads.get(self.current);
        if same.is_none_or(|thread| *thread.key != *scratch) {
            self.current = match self.by_key.get(scratch.as_slice()) {
                Some(&known) => known,
                None => self.add(event, &scratch, builder),
            };
        }
        self.scratch = scratch;
        self.current
    }

    fn add(&mut self, event: &Event<'_>, key: &[u8], builder: &mut TraceBuilder<'_>) -> usize {
        let pid = event.pid.unwrap_or_default();
        let (process, _) = unescape(pid);
        let (tid, _) = unescape(event.tid.unwrap_or(pid));
        let index = self.threads.len();
        self.threads.push(Thread {
            id: builder.thread(&process, &tid),
            key: key.into(),
            process: pid.into(),
            last: None,
            open: OpenBegins::default(),
            completes: Vec::new(),
            marks: Vec::new(),
        });
        self.by_key.insert(key.into(), index);
        index
    }

    /// The thread at a place that `find` gave.
    pub fn get(&self, thread: usize) -> &Thread {
        &self.threads[thread]
    }

    pub fn get_mut(&mut self, thread: usize) -> &mut Thread {
        &mut self.threads[thread]
    }
}
