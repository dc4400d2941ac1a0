//! What the kernel's scheduler did: events of ftrace that switch and wake threads, each for itself or many in columns
//! (`ftrace_event_bundle.proto`, `ftrace/sched.proto`), and binder (`ftrace/binder.proto`). Who wakes in columns is who runs
//! on the processor.

use std::collections::HashMap;
use std::io;

use super::clocks::{BOOTTIME, in_range};
use super::reader::Reader;
use crate::kernel::Binder;
use crate::protobuf::{Fields, Value, varint};
use crate::wakeups::Stage;
use callscape_base::progress::Progress;
use callscape_base::units::ThreadId;
use callscape_base::warnings::Place;

/// The states of a thread that can go on: none of the bits for what it waits for. A bit above says that it was taken
/// while it ran, another one from kernel to kernel.
fn can_go_on(state: u64) -> bool {
    state & 0xff == 0
}

impl Reader<'_> {
    /// Takes a bundle of events of one processor; those that tell nothing of threads are counted.
    pub(super) fn bundle(&mut self, bundle: &[u8]) {
        let offset = self.clock_offset(BOOTTIME);
        let mut processor = Fields::new(bundle).filter(|(number, _)| *number == 1);
        let processor = processor.next().and_then(|(_, value)| value.number());
        let processor = processor.unwrap_or(0);
        for (number, value) in Fields::new(bundle) {
            match (number, value) {
                (2, Value::Bytes(event)) if !self.kernel_event(event, offset) => {
                    self.warn("event-not-shown");
                }
                (4, Value::Bytes(columns)) => self.compact(processor, columns, offset),
                _ => {}
            }
        }
    }

    /// Takes an event; whether it tells of threads or is a mark.
    fn kernel_event(&mut self, event: &[u8], offset: i64) -> bool {
        let (mut time, mut thread, mut switch, mut print) = (0, 0, None, None);
        let (mut wakeup, mut binder) = (None, None);
        for (number, value) in Fields::new(event) {
            match (number, value) {
                (1, Value::Number(ns)) => time = in_range(ns),
                (2, Value::Number(number)) => thread = number,
                (3, Value::Bytes(bytes)) => print = Some(bytes),
                (4, Value::Bytes(bytes)) => switch = Some(bytes),
                (17, Value::Bytes(bytes)) => wakeup = Some((Stage::Wakeup, bytes)),
                (50, Value::Bytes(bytes)) => binder = Some((Binder::Sent, bytes)),
                (51, Value::Bytes(bytes)) => binder = Some((Binder::Received, bytes)),
                (20, Value::Bytes(bytes)) => wakeup = Some((Stage::Waking, bytes)),
                (114, Value::Bytes(bytes)) => wakeup = Some((Stage::New, bytes)),
                _ => {}
            }
        }
        if let Some(print) = print {
            self.print(thread, time.saturating_add(offset), print);
            return true;
        }
        if let Some((stage, bytes)) = wakeup {
            let woken = Fields::new(bytes).find(|(number, _)| *number == 2);
            let woken = woken.and_then(|(_, value)| value.number()).unwrap_or(0);
            self.wakeup(stage, [thread, woken], time.saturating_add(offset));
            return true;
        }
        if let Some((end, bytes)) = binder {
            let number = Fields::new(bytes).find(|(number, _)| *number == 1);
            let number = number.and_then(|(_, value)| value.number()).unwrap_or(0);
            let time = time.saturating_add(offset);
            self.kernel.binder((end, number), thread, time, self.offset);
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
        let taken = (previous, can_go_on(state));
        self.kernel.switch(time.saturating_add(offset), taken, next);
        true
    }

    fn wakeup(&mut self, stage: Stage, threads: [u64; 2], time: i64) {
        self.kernel.wakeup(stage, threads, time, self.offset);
    }

    /// Switches and wake-ups of one processor in columns: what was next in a switch is what is taken from it in the
    /// following one.
    fn compact(&mut self, processor: u64, columns: &[u8], offset: i64) {
        let mut of: [&[u8]; 5] = [&[]; 5];
        for (number, value) in Fields::new(columns) {
            if let (1..=3 | 7..=8, Value::Bytes(column)) = (number, value) {
                of[if number > 3 { number - 4 } else { number - 1 } as usize] = column;
            }
        }
        let mut at = [0; 5];
        let mut next = |column: usize| varint(of[column], &mut at[column]);
        let mut wakings = Vec::new();
        let mut time = 0u64;
        while let Some(step) = next(3) {
            time = time.saturating_add(step);
            wakings.push((time, next(4).unwrap_or(0)));
        }
        let mut wakings = wakings.into_iter().peekable();
        let of_trace = |time| in_range(time).saturating_add(offset);
        time = 0;
        // Nobody knows who ran before the first switch there is.
        let mut running = self.running.get(&processor).copied().unwrap_or(0);
        loop {
            let step = next(0);
            let now = step.map_or(u64::MAX, |step| time.saturating_add(step));
            while let Some((time, woken)) = wakings.next_if(|it| it.0 <= now) {
                self.wakeup(Stage::Waking, [running, woken], of_trace(time));
            }
            if step.is_none() {
                break;
            }
            let state = next(1).unwrap_or(0);
            let thread = next(2).unwrap_or(0);
            self.kernel
                .switch(of_trace(now), (running, can_go_on(state)), thread);
            (time, running) = (now, thread);
        }
        self.running.insert(processor, running);
    }

    /// By the kernel's number, the thread of each track that is one.
    fn threads(&self) -> HashMap<u64, ThreadId> {
        let mut of_thread = HashMap::new();
        for lane in &self.lanes {
            let track = self.tracks.get(&lane.uuid);
            if let Some(thread) = track.and_then(|track| track.thread) {
                of_thread.entry(thread).or_insert(lane.thread);
            }
        }
        of_thread
    }

    /// Tells the builder what the kernel told of the threads of tracks. O(n log n).
    pub(super) fn kernel(&mut self, progress: &Progress) -> io::Result<()> {
        let threads = self.threads();
        let thread = |id| threads.get(&id).copied();
        let place = |offset| Place::offset(&self.file, offset);
        let kernel = std::mem::take(&mut self.kernel);
        let to = (&mut self.builder, progress);
        kernel.build(thread, to, self.reporter, &place)
    }
}
