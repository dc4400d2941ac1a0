//! What the scheduler did with the tasks: `perf-cpu*.dat`, a file for each processor, of records as
//! `perf_event_open(2)` describes them. uftrace asks for task and thread numbers and times in each (`sample_id_all`).

use std::collections::BTreeMap;

use crate::error::ImportError;
use crate::input::Input;
use crate::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;

/// `struct perf_event_header`: type u32, misc u16, size u16.
const HEADER: usize = 8;
/// Task, thread and time.
const SAMPLE: usize = 16;

/// A number, and how many events.
const LOST: u32 = 2;
const COMM: u32 = 3;
const EXIT: u32 = 4;
const FORK: u32 = 7;
const SWITCH: u32 = 14;

/// `PERF_RECORD_MISC_SWITCH_OUT` and `PERF_RECORD_MISC_SWITCH_OUT_PREEMPT`.
const MISC_OUT: u16 = 1 << 13;
const MISC_PREEMPTED: u16 = 1 << 14;

/// A time at which a task was taken from its processor, or given one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Switch {
    /// Nanoseconds, on the clock of the records.
    time: u64,
    is_out: bool,
    /// Of one taken from it: whether it could have gone on.
    is_preempted: bool,
}

/// A time in which a task had no processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Absence {
    /// Nanoseconds, on the clock of the records.
    pub start: u64,
    pub end: u64,
    /// It could have gone on; otherwise it waited for something.
    pub is_preempted: bool,
}

#[derive(Clone, Debug, Default)]
struct OfTask {
    switches: Vec<Switch>,
    last: u64,
}

/// The scheduler's events by task.
#[derive(Clone, Debug, Default)]
pub(super) struct Scheduler {
    tasks: BTreeMap<u32, OfTask>,
    is_known: bool,
}

impl Scheduler {
    /// Reads the files of all processors.
    pub(super) fn read(
        dir: &Input,
        reporter: &Reporter,
        progress: &Progress,
    ) -> Result<Scheduler, ImportError> {
        let mut scheduler = Scheduler::default();
        for file in dir.entries().unwrap_or_default() {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("perf-cpu") && name.ends_with(".dat") {
                scheduler.read_file(&file, reporter, progress)?;
            }
        }
        // A short run may come through without a switch. One that did not ask for switches has none either.
        let switches = scheduler.tasks.values().map(|of| of.switches.len());
        scheduler.is_known =
            switches.sum::<usize>() > 0 || !scheduler.tasks.is_empty() && !without_switches(dir);
        for of in scheduler.tasks.values_mut() {
            // A task is taken from one processor before another gets it, and each file is in order of time.
            of.switches.sort_by_key(|switch| switch.time);
        }
        Ok(scheduler)
    }

    fn read_file(
        &mut self,
        file: &Input,
        reporter: &Reporter,
        progress: &Progress,
    ) -> Result<(), ImportError> {
        let mut window = Window::open_binary(file, progress, reporter)?;
        loop {
            let data = window.data();
            let mut at = 0;
            let mut is_damaged = false;
            while let Some(header) = data.get(at..at + HEADER) {
                let size = usize::from(u16_at(header, 6));
                if size < HEADER {
                    is_damaged = true;
                    break;
                }
                let Some(body) = data.get(at + HEADER..at + size) else {
                    break;
                };
                let kind = u32_at(header, 0);
                if kind == LOST && body.len() >= 16 {
                    reporter.warn_many("lost-scheduler-events", u64_at(body, 8), || {
                        window.place(window.offset() + at as u64)
                    });
                }
                self.take(kind, u16_at(header, 4), body);
                at += size;
            }
            window.consume(at);
            if is_damaged {
                reporter.warn("malformed-scheduler-event", || {
                    window.place(window.offset())
                });
                return Ok(());
            }
            if !window.more()? {
                break;
            }
        }
        if !window.data().is_empty() {
            reporter.warn("truncated-file", || window.place(window.offset()));
        }
        Ok(())
    }

    fn take(&mut self, kind: u32, misc: u16, body: &[u8]) {
        let (task, time) = match kind {
            SWITCH | COMM if body.len() >= SAMPLE => {
                let sample = &body[body.len() - SAMPLE..];
                (u32_at(sample, 4), u64_at(sample, 8))
            }
            // Process, parent, task, parent's task, time.
            EXIT | FORK if body.len() >= 24 => (u32_at(body, 8), u64_at(body, 16)),
            _ => return,
        };
        let of = self.tasks.entry(task).or_default();
        of.last = of.last.max(time);
        if kind == SWITCH {
            of.switches.push(Switch {
                time,
                is_out: misc & MISC_OUT != 0,
                is_preempted: misc & MISC_PREEMPTED != 0,
            });
        }
    }

    /// Whether the recording says when tasks had no processor.
    pub(super) fn is_known(&self) -> bool {
        self.is_known
    }

    /// The time of the last event of a task, in nanoseconds on the clock of the records; none without one.
    pub(super) fn last(&self, task: u32) -> Option<u64> {
        self.tasks.get(&task).map(|of| of.last)
    }

    /// When a task had no processor, in order of time. One that does not come back waits until its last event; of
    /// two times that it was taken without coming back in between, the second counts.
    pub(super) fn absences(&self, task: u32) -> Vec<Absence> {
        let Some(of) = self.tasks.get(&task) else {
            return Vec::new();
        };
        let mut absences = Vec::new();
        let mut out: Option<Switch> = None;
        let mut close = |out: Option<Switch>, end: u64| {
            if let Some(out) = out.filter(|out| out.time < end) {
                absences.push(Absence {
                    start: out.time,
                    end,
                    is_preempted: out.is_preempted,
                });
            }
        };
        for &switch in &of.switches {
            if switch.is_out {
                out = Some(switch);
            } else {
                close(out.take(), switch.time);
            }
        }
        close(out, of.last);
        absences
    }
}

/// Whether uftrace was told to leave switches out.
fn without_switches(dir: &Input) -> bool {
    let info = dir.join("info").read().unwrap_or_default();
    let info = String::from_utf8_lossy(&info);
    let mut command = info.lines().filter(|line| line.starts_with("cmdline:"));
    command.any(|line| line.contains("--no-sched") || line.contains("--no-event"))
}

/// Zero where there are too few bytes.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk());
    number.map_or(0, |number| u16::from_le_bytes(*number))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk());
    number.map_or(0, |number| u32::from_le_bytes(*number))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk());
    number.map_or(0, |number| u64::from_le_bytes(*number))
}
