//! The records of one task: 16 bytes each, in order of time, some with arguments behind them.

use std::cell::RefCell;
use std::ops::ControlFlow;

use super::gaps::Recorded;
use super::record::{Record, SIZE, Type};
use super::running::{Inherited, Task};
use super::symbols::Symbols;
use super::tasks::{Tasks, timestamp};
use crate::error::ImportError;
use crate::input::Input;
use crate::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;

/// Arguments are padded to a multiple of this.
const ALIGNMENT: usize = 8;

/// The arguments of one call never take more than this.
const LONGEST_ARGUMENTS: usize = 64 << 10;

/// The length of the arguments at the start of `bytes`, which stand behind `record`: how many there are
/// and of what type is written nowhere near, so the next record is looked for. None when there is none
/// in reach.
fn arguments_length(record: Record, bytes: &[u8], resumed: &[u64]) -> Option<usize> {
    let reach = bytes.len().min(LONGEST_ARGUMENTS);
    let mut at = ALIGNMENT;
    while at <= reach {
        if at == bytes.len() {
            // The arguments end the file.
            return Some(at);
        }
        if let Some(next) = Record::read(&bytes[at..])
            && next.may_be_behind_arguments()
            && record.is_followed_by(next, resumed)
        {
            // Once more, so that an argument that looks like a record does not pass.
            let after = &bytes[at + SIZE..];
            let follows = |after: Record| next.is_followed_by(after, resumed);
            if next.arguments || after.len() < SIZE || Record::read(after).is_some_and(follows) {
                return Some(at);
            }
        }
        at += ALIGNMENT;
    }
    None
}

/// Reads the records of task `tid` into `builder`, and says of which times there are some.
pub(super) fn read(
    input: &Input,
    tid: u32,
    tasks: &Tasks,
    symbols: &mut Symbols<'_>,
    builder: &mut TraceBuilder<'_>,
    reporter: &Reporter,
    progress: &Progress,
) -> Result<Recorded, ImportError> {
    let (resumed, is_off) = tasks.switches_of(tid);
    let inherited = inherited_calls(input, resumed, progress)?;
    let task = RefCell::new(None::<Task>);
    let shared = RefCell::new((symbols, builder, 0u64));
    let plain = |data: &[u8]| {
        let (mut task, mut shared) = (task.borrow_mut(), shared.borrow_mut());
        let (symbols, builder, count) = &mut *shared;
        let Some(task) = task.as_mut() else { return 0 };
        let taken = task.take_plain(data, symbols, builder);
        *count += taken as u64;
        taken * SIZE
    };
    scan(
        (input, resumed),
        reporter,
        progress,
        plain,
        |mut record, next, _, place| {
            let (mut task, mut shared) = (task.borrow_mut(), shared.borrow_mut());
            let (symbols, builder, count) = &mut *shared;
            let task = task.get_or_insert_with(|| Task::start(tid, tasks, record.time, builder));
            // The time before and the time behind are in order without it: only this one is damaged.
            if let Some(next) = next
                && record.time > next
                && next >= task.last
            {
                reporter.warn("time-jumps-ahead", place);
                record.time = task.last;
            }
            let goes_on = task.cross(record.time, builder, reporter, place);
            if goes_on || *count == 0 {
                let open = inherited.get(task.crossed).map_or(&[][..], Vec::as_slice);
                task.inherit(open, record.time, symbols, builder, reporter, place);
            }
            *count += 1;
            task.take(record, symbols, builder, reporter, place);
            ControlFlow::Continue(())
        },
    )?;
    let (_, builder, records) = shared.into_inner();
    let mut recorded = Recorded {
        tid,
        records,
        parts: Vec::new(),
    };
    if let Some(mut task) = task.into_inner() {
        if is_off {
            let place = || Place::file(input.display().to_string());
            task.end_before_gap(builder, reporter, &place);
        }
        builder.seen(task.thread, timestamp(task.last));
        recorded.parts = task.parts;
        recorded.parts.push((task.since, task.last));
    }
    Ok(recorded)
}

/// Hands each record of a file to `visit`, with the time of the record behind it where that is at hand,
/// its arguments and its place; but for those that `plain`, which is asked first, takes from the bytes at hand. Recording went
/// on after it had stopped at the times `resumed`.
fn scan(
    (input, resumed): (&Input, &[u64]),
    reporter: &Reporter,
    progress: &Progress,
    plain: impl Fn(&[u8]) -> usize,
    mut visit: impl FnMut(Record, Option<u64>, &[u8], &dyn Fn() -> Place) -> ControlFlow<()>,
) -> Result<(), ImportError> {
    let mut window = Window::open_binary(input, progress, reporter)?;
    let mut at_end = false;
    loop {
        let data = window.data();
        let base = window.offset();
        let mut at = plain(data);
        while let Some(rest) = data.get(at..).filter(|rest| rest.len() >= SIZE) {
            let place = || window.place(base + at as u64);
            let Some(record) = Record::read(rest) else {
                let found = rest[..SIZE].iter().map(|byte| format!("{byte:02x}"));
                let found = found.collect::<Vec<_>>().join(" ");
                return Err(ImportError::malformed(place(), "a record", found));
            };
            let behind = &rest[SIZE..];
            let mut length = SIZE;
            if record.arguments {
                if behind.len() < LONGEST_ARGUMENTS && !at_end {
                    break;
                }
                length += arguments_length(record, behind, resumed).unwrap_or_else(|| {
                    reporter.warn("arguments-without-end", place);
                    behind.len()
                });
            }
            let next = rest.get(length..).and_then(Record::time);
            let arguments = &rest[SIZE..length.min(rest.len())];
            if visit(record, next, arguments, &place).is_break() {
                return Ok(());
            }
            at += length;
            at += plain(data.get(at..).unwrap_or_default());
        }
        window.consume(at);
        if at_end {
            break;
        }
        at_end = !window.more()?;
    }
    if !window.data().is_empty() {
        reporter.warn("truncated-file", || window.place(window.offset()));
    }
    Ok(())
}

/// What a record says, for those who read its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Nanoseconds on the recording's own clock.
    pub time: u64,
    pub kind: RecordKind,
    pub depth: usize,
    pub address: u64,
}

/// Whether a call begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    Entry,
    Exit,
    Other,
}

/// Hands each record of a file with its arguments, or what it returns, to `see`. What is wrong with them has been counted
/// when they were read for the calls.
pub(super) fn visit(
    (input, resumed): (&Input, &[u64]),
    progress: &Progress,
    mut see: impl FnMut(Seen, &[u8], &dyn Fn() -> Place) -> ControlFlow<()>,
) -> Result<(), ImportError> {
    scan(
        (input, resumed),
        &Reporter::new(),
        progress,
        |_| 0,
        |record, _, arguments, place| {
            let seen = Seen {
                time: record.time,
                kind: match record.kind {
                    Type::Entry => RecordKind::Entry,
                    Type::Exit => RecordKind::Exit,
                    Type::Lost | Type::Event => RecordKind::Other,
                },
                depth: record.depth,
                address: record.address,
            };
            see(seen, arguments, place)
        },
    )
}

/// The calls of a task that end without having begun in it, outermost first: a forked process begins
/// inside its parent's calls. The same of each part that begins when recording went on after it had stopped. Without
/// these only the first record is read where it begins an outermost call.
fn inherited_calls(
    input: &Input,
    resumed: &[u64],
    progress: &Progress,
) -> Result<Vec<Vec<Inherited>>, ImportError> {
    let mut inherited = vec![Vec::new(); resumed.len() + 1];
    let mut part = 0;
    // How many of the calls around the first record have not ended.
    let mut open = None;
    // Whatever is wrong is counted when the records are read for good.
    scan(
        (input, resumed),
        &Reporter::new(),
        progress,
        |_| 0,
        |record, _, _, _| {
            let Record { depth, kind, .. } = record;
            while resumed.get(part).is_some_and(|&it| it <= record.time) {
                part += 1;
                open = None;
            }
            match (kind, open) {
                (Type::Lost | Type::Event, _) => {}
                (Type::Entry, None) => open = Some(depth),
                (Type::Entry, Some(level)) => open = Some(level.min(depth)),
                (Type::Exit, None) => open = Some(depth + 1),
                (Type::Exit, Some(_)) => {}
            }
            if let Some(level) = open
                && kind == Type::Exit
                && depth < level
            {
                if let Some(inherited) = inherited.get_mut(part) {
                    inherited.push(Inherited {
                        address: record.address,
                        depth,
                    });
                }
                open = Some(depth);
            }
            match open {
                Some(0) if part == resumed.len() => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        },
    )?;
    for part in &mut inherited {
        part.reverse();
    }
    Ok(inherited)
}
