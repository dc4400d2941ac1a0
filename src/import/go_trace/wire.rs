//! Numbers and kinds of events as the file has them.

pub(super) const EVENT_BATCH: u8 = 1;
pub(super) const STACKS: u8 = 2;
pub(super) const STACK: u8 = 3;
pub(super) const STRINGS: u8 = 4;
pub(super) const STRING: u8 = 5;
pub(super) const CPU_SAMPLES: u8 = 6;
pub(super) const CPU_SAMPLE: u8 = 7;
pub(super) const FREQUENCY: u8 = 8;
pub(super) const GO_CREATE: u8 = 14;
pub(super) const GO_CREATE_SYSCALL: u8 = 15;
pub(super) const GO_START: u8 = 16;
pub(super) const GO_DESTROY: u8 = 17;
pub(super) const GO_DESTROY_SYSCALL: u8 = 18;
pub(super) const GO_STOP: u8 = 19;
pub(super) const GO_BLOCK: u8 = 20;
pub(super) const GO_UNBLOCK: u8 = 21;
pub(super) const SYSCALL_BEGIN: u8 = 22;
pub(super) const SYSCALL_END: u8 = 23;
pub(super) const SYSCALL_END_BLOCKED: u8 = 24;
pub(super) const GO_STATUS: u8 = 25;
pub(super) const GC_ACTIVE: u8 = 28;
pub(super) const GC_BEGIN: u8 = 29;
pub(super) const GC_END: u8 = 30;
pub(super) const ASSIST_BEGIN: u8 = 35;
pub(super) const ASSIST_END: u8 = 36;
pub(super) const TASK_BEGIN: u8 = 40;
pub(super) const TASK_END: u8 = 41;
pub(super) const REGION_BEGIN: u8 = 42;
pub(super) const REGION_END: u8 = 43;
pub(super) const GO_SWITCH: u8 = 45;
pub(super) const GO_SWITCH_DESTROY: u8 = 46;
pub(super) const GO_CREATE_BLOCKED: u8 = 47;
pub(super) const GO_STATUS_STACK: u8 = 48;
pub(super) const EXPERIMENTAL_BATCH: u8 = 49;
pub(super) const SYNC: u8 = 50;
pub(super) const CLOCK_SNAPSHOT: u8 = 51;
pub(super) const END_OF_GENERATION: u8 = 52;

/// The status of a goroutine.
pub(super) const RUNNABLE: u64 = 1;
pub(super) const RUNNING: u64 = 2;
pub(super) const IN_SYSCALL: u64 = 3;
pub(super) const WAITING: u64 = 4;

/// How many arguments events have behind their time, from `ProcsChange` on.
const FIRST: usize = 9;
const COUNTS: [u8; 40] = [
    2, 2, 0, 3, 2, 3, 1, 2, 0, 0, 2, 2, 3, 2, 0, 0, 3, 2, 0, 1, 2, 1, 1, 1, 2, 1, 1, 0, 1, 1, 1, 4,
    2, 3, 3, 4, 2, 2, 3, 4,
];

/// The same of those of experiments.
const FIRST_OF_EXPERIMENTS: usize = 128;
const COUNTS_OF_EXPERIMENTS: [u8; 9] = [3, 3, 1, 2, 2, 1, 2, 2, 1];

/// Arguments of an event at most.
pub(super) const MOST: usize = 4;

/// How many arguments an event has behind its time; none of one that has no time or is not known.
pub(super) fn arguments(kind: u8) -> Option<usize> {
    let kind = usize::from(kind);
    let count = match kind {
        FIRST_OF_EXPERIMENTS.. => COUNTS_OF_EXPERIMENTS.get(kind - FIRST_OF_EXPERIMENTS),
        _ => COUNTS.get(kind.checked_sub(FIRST)?),
    };
    count.map(|&count| usize::from(count))
}

/// The number of seven bits a byte, the lowest first, that is at this place.
pub(super) fn number(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
