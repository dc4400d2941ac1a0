//! What the kernel's scheduler did: `sched_switch` events of ftrace, each for itself or many in columns
//! (`ftrace_event_bundle.proto`, `ftrace/sched.proto`). A thread that is taken from its processor waits until one is
//! given to it again.

use std::io;

use super::clocks::{BOOTTIME, in_range};
use super::reader::Reader;
use super::switches::{IN, PREEMPTED, Switch, VOLUNTARY, switches};
use crate::protobuf::{Fields, Value, varint};
use callscape_base::progress::Progress;
use callscape_facts::builder::Timestamp;
use callscape_facts::trace::Why;

/// The states of a thread that can go on: none of the bits for what it waits for. A bit above says that it was taken
/// while it ran, another one from kernel to kernel.
fn can_go_on(state: u64) -> bool {
    state & 0xff == 0
}

impl Reader<'_> {
    /// Takes a bundle of events of one processor. Whether there was anything of the scheduler or a mark in it.
    pub(super) fn bundle(&mut self, bundle: &[u8]) -> bool {
        let offset = self.clock_offset(BOOTTIME);
        let mut found = false;
        let mut processor = Fields::new(bundle).filter(|(number, _)| *number == 1);
        let processor = processor.next().and_then(|(_, value)| value.number());
        let processor = processor.unwrap_or(0);
        for (number, value) in Fields::new(bundle) {
            match (number, value) {
                (2, Value::Bytes(event)) => found |= self.kernel_event(event, offset),
                (4, Value::Bytes(columns)) => found |= self.compact(processor, columns, offset),
                _ => {}
            }
        }
        found
    }

    fn switch(&mut self, time: i64, (previous, state): (u64, u64), next: u64) {
        self.last_switch = self.last_switch.max(time);
        let kind = match can_go_on(state) {
            true => PREEMPTED,
            false => VOLUNTARY,
        };
        // Nobody waits in the thread that stands for an idle processor.
        for (thread, kind) in [(previous, kind), (next, IN)] {
            if thread != 0 {
                self.switches.push(Switch { thread, time, kind });
            }
        }
    }

    fn kernel_event(&mut self, event: &[u8], offset: i64) -> bool {
        let (mut time, mut thread, mut switch, mut print) = (0, 0, None, None);
        for (number, value) in Fields::new(event) {
            match (number, value) {
                (1, Value::Number(ns)) => time = in_range(ns),
                (2, Value::Number(number)) => thread = number,
                (3, Value::Bytes(bytes)) => print = Some(bytes),
                (4, Value::Bytes(bytes)) => switch = Some(bytes),
                _ => {}
            }
        }
        if let Some(print) = print {
            self.print(thread, time.saturating_add(offset), print);
            return true;
        }
        let Some(switch) = switch else {
            return false;
        };
        let (mut previous, mut state, mut next) = (0, 0, 0);
        for (number, value) in Fields::new(switch) {
            match (number, value) {
                (2, Value::Number(thread)) => previous = thread,
                (4, Value::Number(number)) => state = number,
                (6, Value::Number(thread)) => next = thread,
                _ => {}
            }
        }
        self.switch(time.saturating_add(offset), (previous, state), next);
        true
    }

    /// Switches of one processor in columns: what was next in one is what is taken from it in the following.
    fn compact(&mut self, processor: u64, columns: &[u8], offset: i64) -> bool {
        let mut of: [&[u8]; 3] = [&[]; 3];
        for (number, value) in Fields::new(columns) {
            if let (1..=3, Value::Bytes(column)) = (number, value) {
                of[number as usize - 1] = column;
            }
        }
        let mut at = [0; 3];
        let mut time = 0u64;
        // Nobody knows who ran before the first switch there is.
        let mut previous = self.running.get(&processor).copied().unwrap_or(0);
        let mut found = false;
        while let Some(step) = varint(of[0], &mut at[0]) {
            let state = varint(of[1], &mut at[1]).unwrap_or(0);
            let next = varint(of[2], &mut at[2]).unwrap_or(0);
            time = time.saturating_add(step);
            let now = in_range(time).saturating_add(offset);
            self.switch(now, (previous, state), next);
            previous = next;
            found = true;
        }
        self.running.insert(processor, previous);
        found
    }

    /// Tells the builder when the threads of tracks had no processor. O(n log n).
    pub(super) fn wait(&mut self, progress: &Progress) -> io::Result<()> {
        let switches = std::mem::replace(&mut self.switches, switches());
        if switches.total() == 0 {
            return Ok(());
        }
        self.builder.knows_waiting();
        let mut of_thread = std::collections::HashMap::new();
        for lane in &self.lanes {
            let track = self.tracks.get(&lane.uuid);
            if let Some(thread) = track.and_then(|track| track.thread) {
                of_thread.entry(thread).or_insert(lane.thread);
            }
        }
        let mut switches = switches.finish(progress)?;
        let mut out: Option<Switch> = None;
        loop {
            let next = switches.next();
            if let Some(taken) = out.take()
                && let Some(&thread) = of_thread.get(&taken.thread)
            {
                // What does not come back waits to the end.
                let end = match next.filter(|next| next.thread == taken.thread) {
                    Some(next) if next.kind == IN => Some(next.time),
                    Some(_) => None,
                    None => Some(self.last_switch),
                };
                let why = match taken.kind {
                    PREEMPTED => Why::Preempted,
                    _ => Why::Voluntary,
                };
                if let Some(end) = end {
                    let times = (Timestamp::from_ns(taken.time), Timestamp::from_ns(end));
                    self.builder.wait(thread, times, None, why);
                }
            }
            match next {
                None => break,
                Some(next) => out = (next.kind != IN).then_some(next),
            }
        }
        switches.check()
    }
}
