//! The records of one task: 16 bytes each, in order of time, some with arguments behind them.

use std::cell::RefCell;
use std::ops::ControlFlow;

use super::gaps::Recorded;
use super::symbols::Symbols;
use super::tasks::{Tasks, timestamp};
use crate::error::ImportError;
use crate::input::Input;
use crate::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::units::ThreadId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;

const SIZE: usize = 16;

/// Arguments are padded to a multiple of this.
const ALIGNMENT: usize = 8;

/// The arguments of one call never take more than this.
const LONGEST_ARGUMENTS: usize = 64 << 10;

/// A record says its depth modulo this.
const DEPTHS: usize = 1 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Entry,
    Exit,
    Lost,
    Event,
}

/// A record: `time` u64, then from the lowest bit on 2 bits of type, 1 for arguments behind it, 3 of a
/// magic number, 10 of depth, 48 of address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    time: u64,
    kind: Type,
    arguments: bool,
    depth: usize,
    address: u64,
}

const MAGIC: u64 = 5;

impl Record {
    /// The record at the start of `bytes`; none when they are too few or no record.
    #[inline]
    fn read(bytes: &[u8]) -> Option<Record> {
        let (time, bytes) = bytes.split_first_chunk::<8>()?;
        let (data, _) = bytes.split_first_chunk::<8>()?;
        let data = u64::from_le_bytes(*data);
        if data >> 3 & 7 != MAGIC {
            return None;
        }
        Some(Record {
            time: u64::from_le_bytes(*time),
            kind: match data & 3 {
                0 => Type::Entry,
                1 => Type::Exit,
                2 => Type::Lost,
                _ => Type::Event,
            },
            arguments: data >> 2 & 1 == 1,
            depth: (data >> 6) as usize % DEPTHS,
            address: data >> 16,
        })
    }

    /// The time of the record at the start of `bytes`; none when they are too few or no record.
    #[inline]
    fn time(bytes: &[u8]) -> Option<u64> {
        let (time, bytes) = bytes.split_first_chunk::<8>()?;
        let (data, _) = bytes.split_first_chunk::<8>()?;
        let is_record = u64::from_le_bytes(*data) >> 3 & 7 == MAGIC;
        is_record.then(|| u64::from_le_bytes(*time))
    }

    /// Whether `next` can be the record after this one of the same task; whatever its depth where recording was off between
    /// them, until one of the times in `resumed`.
    fn is_followed_by(self, next: Record, resumed: &[u64]) -> bool {
        /// A task that does nothing for longer is taken for other data.
        const LONGEST_PAUSE: u64 = 24 * 3600 * 1_000_000_000;
        let depth = match (self.kind, next.kind) {
            (Type::Entry, Type::Entry) => next.depth <= self.depth + 1,
            (Type::Entry, Type::Exit) => next.depth <= self.depth,
            (Type::Exit, Type::Entry) => next.depth <= self.depth,
            (Type::Exit, Type::Exit) => next.depth < self.depth.max(1),
            _ => true,
        };
        let is_gap = || {
            // In order: there may be hundreds of thousands.
            let after = resumed.partition_point(|&at| at <= self.time);
            resumed.get(after).is_some_and(|&at| at <= next.time)
        };
        let depth = depth || is_gap();
        let time = next.time.checked_sub(self.time);
        depth && time.is_some_and(|pause| pause < LONGEST_PAUSE) && next.address != 0
    }
}

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
    let mut window = Window::open(input, progress, reporter)?;
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

/// A call that had begun before its task's first record.
#[derive(Clone, Copy, Debug)]
struct Inherited {
    address: u64,
    depth: usize,
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

/// A task while its records are read.
struct Task {
    thread: ThreadId,
    /// From when each session holds.
    sessions: Vec<(u64, usize)>,
    /// Index of the one that holds.
    session: usize,
    last: u64,
    /// The addresses of the open calls; [`UNKNOWN`] of those whose beginning was lost, which the builder does not know.
    open: Vec<u64>,
    /// The depth that records give for an outermost call.
    base: usize,
    /// Records before the next one are lost.
    is_after_loss: bool,
    /// When recording went on after it had stopped, in order; and how many of these times have passed.
    resumed: Vec<u64>,
    crossed: usize,
    /// The first record since the last of them.
    since: u64,
    /// The first and the last record of each part before.
    parts: Vec<(u64, u64)>,
}

/// Stands for a call whose beginning is not known; no address has all bits set.
const UNKNOWN: u64 = u64::MAX;

impl Task {
    fn start(tid: u32, tasks: &Tasks, time: u64, builder: &mut TraceBuilder<'_>) -> Task {
        let sessions = tasks.sessions_of(tid);
        let thread = builder.thread(&tasks.process(tid).to_string(), &tid.to_string());
        let session = sessions
            .first()
            .and_then(|&(_, session)| tasks.sessions.get(session));
        if let Some(session) = session {
            builder.name_thread(thread, &session.executable);
        }
        Task {
            thread,
            sessions,
            session: 0,
            last: time,
            open: Vec::new(),
            base: 0,
            is_after_loss: false,
            resumed: tasks.switches_of(tid).0.to_vec(),
            crossed: 0,
            since: time,
            parts: Vec::new(),
        }
    }

    /// Whether recording had stopped between the record before and one at `time`: all calls that were open then have ended,
    /// as far as is known, with the last record before.
    fn cross(
        &mut self,
        time: u64,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &dyn Fn() -> Place,
    ) -> bool {
        let mut is_crossed = false;
        while self.resumed.get(self.crossed).is_some_and(|&it| it <= time) {
            self.crossed += 1;
            is_crossed = true;
        }
        if is_crossed {
            self.parts.push((self.since, self.last));
            self.since = time;
            self.end_before_gap(builder, reporter, place);
        }
        is_crossed
    }

    /// Ends what is open where recording stops.
    fn end_before_gap(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &dyn Fn() -> Place,
    ) {
        reporter.warn("recording-switched-off", place);
        while !self.open.is_empty() {
            self.exit(self.last, builder, place);
        }
        self.base = 0;
    }

    /// Begins the calls that the task was started in, at its first record, or that had begun while recording was off.
    fn inherit(
        &mut self,
        inherited: &[Inherited],
        time: u64,
        symbols: &mut Symbols<'_>,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &dyn Fn() -> Place,
    ) {
        if let Some(outermost) = inherited.first() {
            self.base = outermost.depth;
        }
        for call in inherited {
            reporter.warn("begun-before-recording", place);
            self.enter(call.address, time, symbols, builder, place);
        }
    }

    #[inline]
    fn enter(
        &mut self,
        address: u64,
        time: u64,
        symbols: &mut Symbols<'_>,
        builder: &mut TraceBuilder<'_>,
        place: &dyn Fn() -> Place,
    ) {
        while let Some(&(since, _)) = self.sessions.get(self.session + 1)
            && since <= time
        {
            self.session += 1;
        }
        let session = self.sessions.get(self.session).map(|&(_, session)| session);
        let function = symbols.function(session, address, time, builder, place);
        builder.enter(self.thread, timestamp(time), function, place);
        self.open.push(address);
    }

    fn exit(&mut self, time: u64, builder: &mut TraceBuilder<'_>, place: &dyn Fn() -> Place) {
        if self.open.pop() != Some(UNKNOWN) {
            builder.exit(self.thread, timestamp(time), None, place);
        }
    }

    /// A call ends whose beginning was lost: as in uftrace's report it counts, and its time does not.
    fn exit_unknown(
        &mut self,
        address: u64,
        time: u64,
        symbols: &mut Symbols<'_>,
        builder: &mut TraceBuilder<'_>,
        place: &dyn Fn() -> Place,
    ) {
        self.enter(address, time, symbols, builder, place);
        self.exit(time, builder, place);
    }

    /// Takes records from `data` as long as they enter and leave functions met before, in order of time
    /// and in the depth that they say, and gives their number: nearly all records of a recording. The
    /// last ones are left, for whether a time is right shows in the record behind it.
    fn take_plain(
        &mut self,
        data: &[u8],
        symbols: &Symbols<'_>,
        builder: &mut TraceBuilder<'_>,
    ) -> usize {
        const ENTRY: u64 = MAGIC << 3;
        const EXIT: u64 = MAGIC << 3 | 1;
        let mut events = builder.plain(self.thread);
        let (records, _) = data.as_chunks::<SIZE>();
        let word = |at: usize| u64::from_le_bytes(*records[at].last_chunk().unwrap_or(&[0; 8]));
        let time = |at: usize| u64::from_le_bytes(*records[at].first_chunk().unwrap_or(&[0; 8]));
        let session = self.sessions.get(self.session).map(|&(_, session)| session);
        let next_session = self.sessions.get(self.session + 1);
        let latest = next_session.map_or(u64::MAX, |&(since, _)| since);
        let resumes = self.resumed.get(self.crossed).copied().unwrap_or(u64::MAX);
        let latest = latest.min(resumes).min(i64::MAX as u64);
        let mut last = self.last;
        if events
            .last()
            .is_some_and(|of_thread| of_thread > timestamp(last))
        {
            return 0;
        }
        let mut at = 0;
        while at + 2 < records.len() {
            let (data, now, next) = (word(at), time(at), time(at + 1));
            // The kind and that it has no arguments, its magic number.
            let kind = data & 0x3f;
            let depth = (data >> 6) as usize % DEPTHS;
            let address = data >> 16;
            let around = self.base.wrapping_add(self.open.len());
            if now < last || next < now || next >= latest {
                break;
            }
            if kind == ENTRY && depth == around && events.has_room() {
                let Some(function) = symbols.recent(session, address) else {
                    break;
                };
                if word(at + 1) == data | 1 && time(at + 2) >= next {
                    events.leaf(timestamp(now), timestamp(next), function);
                    last = next;
                    at += 2;
                    continue;
                }
                events.enter(timestamp(now), function);
                self.open.push(address);
            } else if kind == EXIT && depth + 1 == around && self.open.last() == Some(&address) {
                events.exit(timestamp(now));
                self.open.pop();
            } else {
                break;
            }
            last = now;
            at += 1;
        }
        self.last = last;
        at
    }

    /// Takes one record. The depth that it gives shows what is missing: calls that ended without a
    /// record, as those that longjmp(3) leaves do, and calls whose beginning was lost.
    #[inline]
    fn take(
        &mut self,
        record: Record,
        symbols: &mut Symbols<'_>,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &dyn Fn() -> Place,
    ) {
        let Record { time, address, .. } = record;
        let is_after_loss = self.is_after_loss;
        self.is_after_loss =
            record.kind == Type::Lost || is_after_loss && record.kind == Type::Event;
        // What ended in between ended as far as is known with the last event before.
        let left = if is_after_loss { self.last } else { time };
        match record.kind {
            Type::Entry => {
                let deeper = self.deeper(record.depth, self.open.len());
                if deeper != 0 {
                    self.leave(deeper, left, builder, reporter, place);
                    if is_after_loss && deeper > 0 && self.may_lack() {
                        self.open.resize(self.open.len() + deeper as usize, UNKNOWN);
                    } else if deeper > 0 || self.open.is_empty() {
                        // Calls around it are not known: it counts as an outermost one of them.
                        self.base = record.depth;
                        self.base = self.base.wrapping_sub(self.open.len()) % DEPTHS;
                    }
                }
                self.enter(address, time, symbols, builder, place);
            }
            Type::Exit => {
                let innermost = self.open.len().wrapping_sub(1);
                let deeper = self.deeper(record.depth, innermost);
                if is_after_loss && deeper > 0 && self.may_lack() {
                    let around = self.open.len() + deeper as usize - 1;
                    self.open.resize(around, UNKNOWN);
                    reporter.warn("end-without-begin", place);
                    self.exit_unknown(address, time, symbols, builder, place);
                    self.last = self.last.max(time);
                    return;
                }
                if self.open.is_empty() || deeper > 0 {
                    reporter.warn("end-without-begin", place);
                    return;
                }
                self.leave(deeper, left, builder, reporter, place);
                match self.open.last() {
                    Some(&open) if open == address => self.exit(time, builder, place),
                    Some(&UNKNOWN) => {
                        self.open.pop();
                        reporter.warn("end-without-begin", place);
                        self.exit_unknown(address, time, symbols, builder, place);
                    }
                    Some(_) => {
                        // setjmp(3) returns again, from within calls that were left meanwhile.
                        self.leave(-1, time, builder, reporter, place);
                        reporter.warn("end-without-begin", place);
                    }
                    None => reporter.warn("end-without-begin", place),
                }
            }
            Type::Lost => reporter.warn_many("lost-records", address.max(1), place),
            Type::Event => reporter.warn("event-not-shown", place),
        }
        self.last = self.last.max(time);
    }

    /// Whether calls whose beginning was lost may lie inside the open ones.
    fn may_lack(&self) -> bool {
        /// A damaged file must not make up any number of them.
        const MOST: usize = 1 << 16;
        !self.open.is_empty() && self.open.len() < MOST
    }

    /// How much deeper a record is than a call inside `open` others would be.
    #[inline]
    fn deeper(&self, depth: usize, open: usize) -> isize {
        let expected = self.base.wrapping_add(open);
        if expected < DEPTHS {
            return depth as isize - expected as isize;
        }
        let deeper = depth.wrapping_sub(expected) % DEPTHS;
        if deeper < DEPTHS / 2 {
            deeper as isize
        } else {
            deeper as isize - DEPTHS as isize
        }
    }

    /// Ends as many open calls as `deeper` is less than zero.
    fn leave(
        &mut self,
        deeper: isize,
        time: u64,
        builder: &mut TraceBuilder<'_>,
        reporter: &Reporter,
        place: &dyn Fn() -> Place,
    ) {
        for _ in deeper..0 {
            if self.open.is_empty() {
                break;
            }
            reporter.warn("missing-end", place);
            self.exit(time, builder, place);
        }
    }
}
