//! A task while its records are read: its open calls.

use super::record::{DEPTHS, MAGIC, Record, SIZE, Type};
use super::symbols::Symbols;
use super::tasks::{Tasks, timestamp};
use callscape_base::units::ThreadId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;

/// A call that had begun before its task's first record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inherited {
    pub address: u64,
    pub depth: usize,
}

/// A task while its records are read.
pub(super) struct Task {
    pub thread: ThreadId,
    /// From when each session holds.
    sessions: Vec<(u64, usize)>,
    /// Index of the one that holds.
    session: usize,
    pub last: u64,
    /// The addresses of the open calls; [`UNKNOWN`] of those whose beginning was lost, which the builder does not know.
    open: Vec<u64>,
    /// The depth that records give for an outermost call.
    base: usize,
    /// Records before the next one are lost.
    is_after_loss: bool,
    /// When recording went on after it had stopped, in order; and how many of these times have passed.
    resumed: Vec<u64>,
    pub crossed: usize,
    /// The first record since the last of them.
    pub since: u64,
    /// The first and the last record of each part before.
    pub parts: Vec<(u64, u64)>,
}

/// Stands for a call whose beginning is not known; no address has all bits set.
const UNKNOWN: u64 = u64::MAX;

impl Task {
    pub(super) fn start(
        tid: u32,
        tasks: &Tasks,
        time: u64,
        builder: &mut TraceBuilder<'_>,
    ) -> Task {
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
    pub(super) fn cross(
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
    pub(super) fn end_before_gap(
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
    pub(super) fn inherit(
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

    /// Ends all open calls if the process became another program by `time`: they do not return.
    #[inline]
    fn become_another(
        &mut self,
        time: u64,
        builder: &mut TraceBuilder<'_>,
        place: &dyn Fn() -> Place,
    ) {
        let next = self.sessions.get(self.session + 1);
        if self.open.is_empty() || next.is_none_or(|&(since, _)| since > time) {
            return;
        }
        while !self.open.is_empty() {
            self.exit(self.last, builder, place);
        }
        self.base = 0;
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
    pub(super) fn take_plain(
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
    pub(super) fn take(
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
        self.become_another(time, builder, place);
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
