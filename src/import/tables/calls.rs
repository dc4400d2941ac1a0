//! The table of calls, as it streams by: enters and exits for the builder, and where calls have waited.

use super::file::Ask;
use super::functions::{FunctionTable, Numbering, UNKNOWN};
use super::rows::Rows;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, Cost, ThreadId};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::trace::{LinkEnd, LinkKind, Why};

const THREAD: usize = 0;
const CALL: usize = 1;
const FUNCTION: usize = 2;
const DEPTH: usize = 3;
const START: usize = 4;
const END: usize = 5;
const WAITING: usize = 6;

/// There may be this many threads whatever the size of the files, and one more for each byte: each takes memory.
const FREE_THREADS: u64 = 1 << 16;

/// How many threads files may have.
#[derive(Clone, Copy)]
pub(super) struct MostThreads {
    bytes: u64,
}

impl MostThreads {
    pub(super) fn of<'f>(files: impl IntoIterator<Item = &'f Input>) -> MostThreads {
        let bytes = files.into_iter().map(|it| it.size().unwrap_or_default());
        MostThreads { bytes: bytes.sum() }
    }

    /// An error where there is no room for one more than `threads`.
    pub(super) fn check(self, threads: usize, rows: &Rows<'_>) -> Result<(), ImportError> {
        let most = FREE_THREADS.saturating_add(self.bytes);
        if (threads as u64) < most {
            return Ok(());
        }
        let expected = format!("no more than {most} threads in {} bytes", self.bytes);
        Err(ImportError::malformed(rows.place(), expected, "more"))
    }
}

/// A call that is open at the one at hand.
struct Open {
    start: u64,
    end: u64,
    /// How far its own time has been looked at: its start, or the end of the last call in it.
    at: u64,
    /// What it has waited itself, and has no place yet.
    waited: u64,
}

/// A thread and how far it has been read.
#[derive(Default)]
struct Lane {
    open: Vec<Open>,
    last: Option<u64>,
    /// The places of its further lanes, for calls that overlap without nesting.
    further: Vec<usize>,
    /// A call has another number than in the table.
    is_renumbered: bool,
}

/// So many further lanes a thread has at most.
const MOST_LANES: usize = 1000;

impl Lane {
    /// Notes the number of the next call of a thread; an error where it is not behind the one before.
    fn check_order(&mut self, call: u64, thread: u64, rows: &Rows<'_>) -> Result<(), ImportError> {
        if let Some(last) = self.last.filter(|&last| call <= last) {
            let expected = "calls in order of their number on each thread";
            let found = format!("call {call} of thread {thread} after call {last}");
            return Err(ImportError::malformed(rows.place(), expected, found));
        }
        self.last = Some(call);
        Ok(())
    }
}

/// Reads threads, calls and links into a builder that is made to know the functions. O(calls), and a batch of rows in memory.
pub(super) fn read(
    [threads, calls, links]: [Vec<Input>; 3],
    table: &mut FunctionTable,
    builder: &mut TraceBuilder<'_>,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<(), ImportError> {
    builder.began(Timestamp::from_ns(0));
    for id in table.functions.ids() {
        builder.function_at(table.functions.get(id), table.functions.column(id));
    }
    let mut known = table.functions.len();
    let mut lanes = Lanes {
        most: MostThreads::of(threads.iter().chain(&calls)),
        numbering: Numbering::default(),
        lanes: Vec::new(),
        last: None,
    };
    read_threads(threads, &mut lanes, builder, progress, reporter)?;
    let asks = vec![
        Ask::number("thread").or_none(),
        Ask::number("call").or_none(),
        Ask::number("function"),
        Ask::number("depth").or_none(),
        Ask::number("start_ns"),
        Ask::number("end_ns"),
        Ask::number("waiting_ns").or_none(),
    ];
    let mut rows = Rows::new(calls, "calls", asks, progress, reporter);
    while rows.next()? > 0 {
        for row in 0..rows.len() {
            let thread = rows.number(THREAD, row).unwrap_or_default();
            let at = lanes.lane(thread, builder, &rows)?;
            if let Some(call) = rows.number(CALL, row) {
                lanes.lanes[at].1.check_order(call, thread, &rows)?;
            }
            let time = |column| rows.number(column, row).map(|it| it.min(i64::MAX as u64));
            let (Some(start), Some(end)) = (time(START), time(END)) else {
                reporter.warn("call-without-time", || rows.place());
                continue;
            };
            if end < start {
                reporter.warn("end-before-start", || rows.place());
            }
            let depth = rows.number(DEPTH, row);
            let at = match depth {
                None => lanes.fitting(at, (start, end), builder, &rows),
                Some(_) => at,
            };
            let (id, lane) = &mut lanes.lanes[at];
            let id = *id;
            let depth = match depth {
                // Without depths a call ends before whatever begins at its end.
                None => lane.open.iter().take_while(|it| it.end > start).count(),
                Some(depth) => usize::try_from(depth).unwrap_or(usize::MAX),
            };
            if depth > lane.open.len() {
                reporter.warn("call-without-parent", || rows.place());
            }
            let function = table.get(rows.number(FUNCTION, row), &rows);
            if function.index() >= known {
                builder.function(UNKNOWN);
                known = function.index() + 1;
            }
            let mut events = Events {
                builder: &mut *builder,
                id,
                rows: &rows,
            };
            while lane.open.len() > depth {
                events.close(&mut lane.open);
            }
            if let Some(around) = lane.open.last_mut() {
                events.wait(around, start);
                around.at = around.at.max(start);
            }
            let waited = rows.number(WAITING, row);
            if waited.is_some() {
                events.builder.knows_waiting();
            }
            lane.is_renumbered |=
                rows.number(CALL, row) != Some(events.builder.next_call(id).0.into());
            let place = || rows.place();
            let starts = Timestamp::from_ns(start as i64);
            events.builder.enter(id, starts, function, place);
            lane.open.push(Open {
                start,
                end: end.max(start),
                at: start,
                waited: waited.unwrap_or_default(),
            });
        }
    }
    read_links(links, &lanes, builder, progress, reporter)?;
    for (id, mut lane) in lanes.lanes {
        let mut events = Events {
            builder: &mut *builder,
            id,
            rows: &rows,
        };
        while !lane.open.is_empty() {
            events.close(&mut lane.open);
        }
    }
    Ok(())
}

/// What becomes events of a thread.
struct Events<'e, 'b> {
    builder: &'e mut TraceBuilder<'b>,
    id: ThreadId,
    rows: &'e Rows<'e>,
}

impl Events<'_, '_> {
    /// What a call waited itself lies in its own time, nobody knows where: in the first of it.
    fn wait(&mut self, call: &mut Open, until: u64) {
        let gap = until.saturating_sub(call.at);
        let waited = gap.min(call.waited);
        if waited > 0 {
            let times = (
                Timestamp::from_ns(call.at as i64),
                Timestamp::from_ns(until as i64),
            );
            let waits = Some(Cost::from_ns(waited));
            self.builder.wait(self.id, times, waits, Why::Unknown);
            call.waited -= waited;
        }
    }

    /// The innermost open call ends.
    fn close(&mut self, open: &mut Vec<Open>) {
        let Some(mut call) = open.pop() else {
            return;
        };
        let end = call.end;
        self.wait(&mut call, end);
        if call.waited > 0 {
            let reporter = self.rows.reporter();
            reporter.warn("waited-longer-than-it-ran", || self.rows.place());
        }
        let place = || self.rows.place();
        let ends = Timestamp::from_ns(end as i64);
        self.builder.exit(self.id, ends, None, place);
        if let Some(around) = open.last_mut() {
            around.at = around.at.max(end);
        }
    }
}

/// The threads, by their numbers in the tables.
struct Lanes {
    most: MostThreads,
    numbering: Numbering,
    lanes: Vec<(ThreadId, Lane)>,
    /// The last one asked for: calls come thread by thread.
    last: Option<(u64, usize)>,
}

impl Lanes {
    fn add(&mut self, number: u64, id: ThreadId) -> bool {
        let at = u32::try_from(self.lanes.len()).unwrap_or(u32::MAX);
        let is_new = self.numbering.insert(number, at);
        if is_new {
            self.lanes.push((id, Lane::default()));
        }
        is_new
    }

    fn lane(
        &mut self,
        number: u64,
        builder: &mut TraceBuilder<'_>,
        rows: &Rows<'_>,
    ) -> Result<usize, ImportError> {
        let at = match self.last {
            Some((last, at)) if last == number => at,
            _ => {
                if self.numbering.get(number).is_none() {
                    self.most.check(self.lanes.len(), rows)?;
                    let id = builder.thread("", &number.to_string());
                    self.add(number, id);
                }
                self.numbering.get(number).unwrap_or_default() as usize
            }
        };
        self.last = Some((number, at));
        Ok(at)
    }

    /// The place of the lane for a call of which no depth is known: that with the nearest call around it, else the first
    /// that is free, else a new one.
    fn fitting(
        &mut self,
        thread: usize,
        (start, end): (u64, u64),
        builder: &mut TraceBuilder<'_>,
        rows: &Rows<'_>,
    ) -> usize {
        let further = &self.lanes[thread].1.further;
        let around = |at: usize| {
            let mut open = self.lanes[at].1.open.iter().rev();
            open.find(|it| it.end > start)
        };
        let own = around(thread);
        if further.is_empty() && own.is_none_or(|it| it.end >= end) {
            return thread;
        }
        let all = || std::iter::once(thread).chain(further.iter().copied());
        let enclosing = all().filter_map(|at| {
            let around = around(at).filter(|it| it.end >= end)?;
            Some((around.start, at))
        });
        // Of equals the first.
        let enclosing = enclosing.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let free = || all().find(|&at| around(at).is_none());
        if let Some(found) = enclosing.map(|(_, at)| at).or_else(free) {
            return found;
        }
        if further.len() >= MOST_LANES {
            rows.reporter().warn("overlap", || rows.place());
            return thread;
        }
        let (id, number) = (self.lanes[thread].0, further.len() as u32 + 2);
        self.lanes.push((builder.lane(id, number), Lane::default()));
        let new = self.lanes.len() - 1;
        self.lanes[thread].1.further.push(new);
        new
    }
}

fn read_threads(
    files: Vec<Input>,
    lanes: &mut Lanes,
    builder: &mut TraceBuilder<'_>,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<(), ImportError> {
    let asks = vec![
        Ask::number("thread"),
        Ask::text("id").or_none(),
        Ask::text("process").or_none(),
        Ask::text("name").or_none(),
    ];
    let mut rows = Rows::new(files, "threads", asks, progress, reporter);
    while rows.next()? > 0 {
        for row in 0..rows.len() {
            lanes.most.check(lanes.lanes.len(), &rows)?;
            let number = rows.number(0, row).unwrap_or_default();
            let text = rows.text(1, row);
            let id = match text.is_empty() {
                true => number.to_string().into(),
                false => text,
            };
            let id = builder.thread(&rows.text(2, row), &id);
            builder.name_thread(id, &rows.text(3, row));
            if !lanes.add(number, id) {
                reporter.warn("thread-twice", || rows.place());
            }
        }
    }
    Ok(())
}

/// Links by the numbers of their calls, which have to be those of the table.
fn read_links(
    files: Vec<Input>,
    lanes: &Lanes,
    builder: &mut TraceBuilder<'_>,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<(), ImportError> {
    let asks = vec![
        Ask::number("thread"),
        Ask::number("call"),
        Ask::number("from_thread"),
        Ask::number("from_call"),
        Ask::text("kind").or_none(),
    ];
    let mut rows = Rows::new(files, "links", asks, progress, reporter);
    while rows.next()? > 0 {
        for row in 0..rows.len() {
            let end = |column: usize| {
                let at = lanes.numbering.get(rows.number(column, row)?)?;
                let (id, lane) = lanes.lanes.get(at as usize)?;
                let call = u32::try_from(rows.number(column + 1, row)?).ok()?;
                (!lane.is_renumbered).then_some(LinkEnd::Call(*id, CallId(call)))
            };
            let kind = LinkKind::named(&rows.text(4, row)).unwrap_or(LinkKind::Flow);
            match (end(2), end(0)) {
                (Some(from), Some(to)) => builder.link(kind, from, to, 0),
                _ => reporter.warn("link-without-call", || rows.place()),
            }
        }
    }
    Ok(())
}
