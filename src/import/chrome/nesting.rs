//! Nesting: complete (X) events and begin and end (B, E) events of one thread as one call tree.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;

use bytemuck::{Pod, Zeroable};

use super::complete::Complete;
use super::overlaps::Overlapping;
use super::spellings::Name;
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{PlainEvents, Timestamp};
use callscape_facts::hashing::BuildFast;
use callscape_facts::sorting::Sorter;

/// A begin or end event that waits until all of its thread are known.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Mark {
    pub time: i64,
    pub offset: u64,
    /// The place of its thread.
    pub thread: u32,
    /// Of a begin its function, or [`END`].
    function: u32,
    /// A [`Name`], or [`NO_NAME`].
    name: u32,
    unused: u32,
}

const END: u32 = u32::MAX;
const NO_NAME: u32 = u32::MAX;

/// What a [`Mark`] marks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Begin(Name, FunctionId),
    /// The name is none where the event has none.
    End(Option<Name>),
}

impl Mark {
    pub(crate) fn new(time: i64, offset: u64, thread: usize, what: What) -> Mark {
        let (function, name) = match what {
            What::Begin(name, function) => (function.0, Some(name)),
            What::End(name) => (END, name),
        };
        Mark {
            time,
            offset,
            thread: thread as u32,
            function,
            name: name.map_or(NO_NAME, Name::index),
            unused: 0,
        }
    }

    pub(crate) fn what(&self) -> What {
        let name = (self.name != NO_NAME).then(|| Name::from_index(self.name));
        match (self.function, name) {
            (END, name) => What::End(name),
            (function, Some(name)) => What::Begin(name, FunctionId(function)),
            // No begin is made without a name.
            (_, None) => What::End(None),
        }
    }

    /// Events of one time stay in the order of the file.
    pub(crate) fn key(&self) -> (u32, i64) {
        (self.thread, self.time)
    }
}

/// Begin and end events on their way into order.
pub(crate) type Marks = Sorter<Mark, (u32, i64)>;

/// What lies inside so many calls is left out (`too-deep`): no program has such a stack, and what each open call takes
/// of memory is bounded.
const DEEPEST: usize = if cfg!(test) { 200 } else { 1 << 18 };

/// Hands a begin or end to the builder, where `open` are the begins of its thread that wait for their end.
/// Times never go back.
#[inline]
pub(crate) fn step(
    open: &mut OpenBegins,
    mark: &Mark,
    builder: &mut PlainEvents<'_>,
    reporter: &Reporter,
    place: &impl Fn(u64) -> Place,
) {
    match mark.what() {
        What::Begin(name, function) => {
            if open.open.len() >= DEEPEST {
                open.too_deep += 1;
                reporter.warn("too-deep", || place(mark.offset));
                return;
            }
            open.enter_before(mark.time, builder);
            if !builder.has_room_for(open.waiting + 1) {
                reporter.warn("too-many-calls", || place(mark.offset));
                return;
            }
            open.begin(OpenBegin {
                name,
                function,
                start: mark.time,
                offset: mark.offset,
            });
            open.waiting += 1;
            builder.expect(function);
        }
        // Of one that was left out.
        What::End(_) if open.too_deep > 0 => open.too_deep -= 1,
        What::End(name) => {
            let end = Timestamp::from_ns(mark.time);
            let below = open.below_begun(name, mark.time);
            // Not where something has ended since they began.
            let inside = |depth: &usize| open.open.len() - 1 - depth;
            if let Some(depth) = below.filter(|depth| inside(depth) <= open.waiting) {
                open.end_below(depth, builder, end);
                return;
            }
            if open.find(name).is_none() {
                reporter.warn("end-without-begin", || place(mark.offset));
                return;
            }
            open.enter_all_but(1, builder);
            let waits = std::mem::take(&mut open.waiting) > 0;
            let mut inner = None;
            let ended = open.end(name, |begin| inner = inner.or(Some(begin)));
            let mut left = ended.unwrap_or(0);
            reporter.warn_many("missing-end", left.saturating_sub(1) as u64, || {
                place(mark.offset)
            });
            if waits && let Some(begin) = inner {
                // Nothing began inside it, and it is the innermost.
                left -= 1;
                builder.leaf(Timestamp::from_ns(begin.start), end, begin.function);
            }
            for _ in 0..left {
                builder.exit(end);
            }
        }
    }
}

/// Whether a thread can have a further call; counted where it cannot.
#[inline]
fn has_room(
    builder: &PlainEvents<'_>,
    offset: u64,
    reporter: &Reporter,
    place: &impl Fn(u64) -> Place,
) -> bool {
    let room = builder.has_room();
    if !room {
        reporter.warn("too-many-calls", || place(offset));
    }
    room
}

/// The begin events that wait for their end, on one thread.
#[derive(Default)]
pub(crate) struct OpenBegins {
    open: Vec<OpenBegin>,
    /// By name, the open begins of it from outermost to innermost; kept from the first time that a search
    /// would have been long, so that ends which match nothing do not cost the depth of the stack each.
    by_name: Option<HashMap<Name, Vec<u32>, BuildFast>>,
    /// How many of the innermost, all of which start together, are not handed to the builder yet: what comes next tells
    /// whether they hold other calls, or were only written before the end of what is around them.
    waiting: usize,
    /// How many more are open inside the innermost, which are left out.
    too_deep: usize,
}

/// A begin event that waits for its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenBegin {
    pub name: Name,
    pub function: FunctionId,
    pub start: i64,
    pub offset: u64,
}

/// How many open begins are looked through before an index is worth it.
const SHORT_SEARCH: usize = 16;

impl OpenBegins {
    #[inline]
    pub(crate) fn begin(&mut self, begin: OpenBegin) {
        if let Some(by_name) = &mut self.by_name {
            let depths = by_name.entry(begin.name).or_default();
            depths.push(self.open.len() as u32);
        }
        self.open.push(begin);
    }

    /// Hands those that wait to the builder.
    #[inline]
    pub(crate) fn enter_waiting(&mut self, builder: &mut PlainEvents<'_>) {
        self.enter_all_but(0, builder);
    }

    /// Hands those that wait to the builder where one begins at `time`, later than they.
    #[inline]
    fn enter_before(&mut self, time: i64, builder: &mut PlainEvents<'_>) {
        if self.open.last().is_some_and(|begin| begin.start < time) {
            self.enter_all_but(0, builder);
        }
    }

    /// Hands those that wait to the builder, but for the innermost `kept`.
    #[inline]
    fn enter_all_but(&mut self, kept: usize, builder: &mut PlainEvents<'_>) {
        while self.waiting > kept {
            let begin = &self.open[self.open.len() - self.waiting];
            builder.enter(Timestamp::from_ns(begin.start), begin.function);
            self.waiting -= 1;
        }
    }

    /// The depth of the innermost open begin with this name, where all inside it, which are few, have begun at `time`:
    /// its end at that time comes before them, whatever the order of the file.
    #[inline]
    fn below_begun(&self, name: Option<Name>, time: i64) -> Option<usize> {
        let innermost = self.open.last()?;
        if innermost.start != time || name.is_none_or(|name| innermost.name == name) {
            return None;
        }
        let near = self.open.iter().rev().take(SHORT_SEARCH + 1);
        let above = near.clone().position(|open| Some(open.name) == name)?;
        let all_begun = near.take(above).all(|open| open.start == time);
        all_begun.then(|| self.open.len() - 1 - above)
    }

    /// Takes the begin at this depth out from below those inside it, which are few.
    fn take(&mut self, depth: usize) -> OpenBegin {
        if let Some(by_name) = &mut self.by_name {
            for at in depth..self.open.len() {
                // Deep ones are the last of their name.
                let depths = by_name.entry(self.open[at].name).or_default();
                let place = depths.iter().rposition(|&it| it as usize == at);
                match place {
                    Some(place) if at == depth => drop(depths.remove(place)),
                    Some(place) => depths[place] -= 1,
                    None => {}
                }
            }
        }
        self.open.remove(depth)
    }

    /// Ends the begin at this depth, which those inside it follow.
    fn end_below(&mut self, depth: usize, builder: &mut PlainEvents<'_>, end: Timestamp) {
        let inside = self.open.len() - 1 - depth;
        self.enter_all_but(inside + 1, builder);
        let begin = self.take(depth);
        if self.waiting > inside {
            self.waiting -= 1;
            builder.leaf(Timestamp::from_ns(begin.start), end, begin.function);
        } else {
            builder.exit(end);
        }
    }

    /// The innermost open begin.
    #[inline]
    pub(crate) fn innermost(&self) -> Option<&OpenBegin> {
        self.open.last()
    }

    /// The depth of the innermost open begin with this name, of the innermost of all for none.
    #[inline]
    fn find(&mut self, name: Option<Name>) -> Option<usize> {
        let innermost = self.open.len().checked_sub(1)?;
        match name {
            None => Some(innermost),
            Some(name) if self.open[innermost].name == name => Some(innermost),
            Some(name) => self.find_below(name),
        }
    }

    #[inline(never)]
    fn find_below(&mut self, name: Name) -> Option<usize> {
        let mut near = self.open.iter().rev().take(SHORT_SEARCH);
        if let Some(above) = near.position(|open| open.name == name) {
            return Some(self.open.len() - 1 - above);
        }
        if self.open.len() <= SHORT_SEARCH {
            return None;
        }
        let open = &self.open;
        let by_name = self.by_name.get_or_insert_with(|| {
            let mut by_name: HashMap<Name, Vec<u32>, BuildFast> = HashMap::default();
            for (depth, begin) in open.iter().enumerate() {
                by_name.entry(begin.name).or_default().push(depth as u32);
            }
            by_name
        });
        let depths = by_name.get(&name)?;
        depths.last().map(|&depth| depth as usize)
    }

    /// The end of a begin: how many begins end with it, those inside it and itself. `closed` is handed each,
    /// innermost first. None when no open begin has this name.
    #[inline]
    pub(crate) fn end(
        &mut self,
        name: Option<Name>,
        mut closed: impl FnMut(OpenBegin),
    ) -> Option<usize> {
        let depth = self.find(name)?;
        let count = self.open.len() - depth;
        while self.open.len() > depth {
            let Some(begin) = self.open.pop() else { break };
            if let Some(by_name) = &mut self.by_name
                && let Some(depths) = by_name.get_mut(&begin.name)
            {
                depths.pop();
            }
            closed(begin);
        }
        Some(count)
    }
}

/// A begin with its end. Those of a thread are numbered in order of their begin.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Pair {
    call: Complete,
    number: u64,
    /// The number of the last pair inside it.
    last: u64,
}

type PairSorter = Sorter<Pair, u64>;

/// Pairs begins with ends. `marks` are in order of time.
fn pair(
    marks: impl Iterator<Item = Mark>,
    reporter: &Reporter,
    place: &impl Fn(u64) -> Place,
) -> PairSorter {
    let mut pairs = PairSorter::new(|pair| pair.number);
    let mut open = OpenBegins::default();
    // The numbers of the open begins.
    let mut numbers: Vec<u64> = Vec::new();
    let mut next = 0_u64;
    let mut end = None;
    let close = |begin: OpenBegin, mark: Mark, number: Option<u64>, next: u64| Pair {
        call: Complete {
            start: begin.start,
            end: mark.time,
            offset: begin.offset,
            thread: mark.thread,
            function: begin.function.0,
        },
        number: number.unwrap_or(0),
        last: next.saturating_sub(1),
    };
    for mark in marks {
        end = Some(mark);
        match mark.what() {
            What::Begin(name, function) => {
                open.begin(OpenBegin {
                    name,
                    function,
                    start: mark.time,
                    offset: mark.offset,
                });
                numbers.push(next);
                next += 1;
            }
            What::End(name) => {
                if let Some(depth) = open.below_begun(name, mark.time) {
                    let (begin, number) = (open.take(depth), numbers.remove(depth));
                    // Those that were inside follow it.
                    let next = numbers.get(depth).copied().unwrap_or(next);
                    pairs.push(close(begin, mark, Some(number), next));
                    continue;
                }
                let ended = open.end(name, |begin| {
                    pairs.push(close(begin, mark, numbers.pop(), next));
                });
                match ended {
                    Some(ended) => {
                        let inside = ended as u64 - 1;
                        reporter.warn_many("missing-end", inside, || place(mark.offset));
                    }
                    None => reporter.warn("end-without-begin", || place(mark.offset)),
                }
            }
        }
    }
    if let Some(end) = end {
        let unfinished = numbers.len() as u64;
        while !numbers.is_empty() {
            open.end(None, |begin| {
                pairs.push(close(begin, end, numbers.pop(), next));
            });
        }
        reporter.warn_many("open-at-end", unfinished, || place(end.offset));
    }
    pairs
}

/// Nests calls of one thread that come in order of start. A call that would end after the one around it has no place here:
/// it is one of a further lane, or where calls are cut, ends with that (`overlap`).
#[derive(Default)]
pub(crate) struct Nesting {
    open: Vec<Open>,
    overlapping: Option<Box<Overlapping>>,
    cuts: bool,
}

/// A call that is open while the next is placed.
#[derive(Clone, Copy)]
struct Open {
    start: i64,
    end: i64,
    /// For a pair, the number of the last pair inside it.
    last: Option<u64>,
    function: FunctionId,
    /// It is not handed to the builder yet: what comes next tells whether it holds other calls. Of the innermost
    /// alone.
    waits: bool,
}

impl Open {
    /// Whether the pair of this number lies inside, which times alone do not tell when it takes none.
    fn encloses(self, number: Option<u64>) -> bool {
        matches!((self.last, number), (Some(last), Some(number)) if number <= last)
    }

    /// Ends it.
    #[inline]
    fn close(self, builder: &mut PlainEvents<'_>) {
        let end = Timestamp::from_ns(self.end);
        if self.waits {
            builder.leaf(Timestamp::from_ns(self.start), end, self.function);
        } else {
            builder.exit(end);
        }
    }
}

impl Nesting {
    /// Cuts calls where they overlap.
    pub(crate) fn cutting() -> Nesting {
        Nesting {
            cuts: true,
            ..Nesting::default()
        }
    }

    /// Places a complete event.
    #[inline]
    pub(crate) fn complete(
        &mut self,
        call: &Complete,
        builder: &mut PlainEvents<'_>,
        reporter: &Reporter,
        place: &impl Fn(u64) -> Place,
    ) {
        self.place(call, None, None, builder, reporter, place);
    }

    #[inline]
    fn place(
        &mut self,
        call: &Complete,
        number: Option<u64>,
        last: Option<u64>,
        builder: &mut PlainEvents<'_>,
        reporter: &Reporter,
        place: &impl Fn(u64) -> Place,
    ) {
        while let Some(around) = self.open.last()
            && around.end <= call.start
            && !around.encloses(number)
        {
            around.close(builder);
            self.open.pop();
        }
        if self.open.len() >= DEEPEST {
            reporter.warn("too-deep", || place(call.offset));
            return;
        }
        let mut end = call.end;
        if let Some(overlapping) = &mut self.overlapping {
            let around = self.open.last().filter(|it| it.end >= call.end);
            if overlapping.encloses(call, around.map(|it| it.start)) {
                overlapping.push(call);
                return;
            }
        }
        if let Some(around) = self.open.last_mut() {
            if around.end < end && !self.cuts {
                let overlapping = self.overlapping.get_or_insert_with(Overlapping::boxed);
                overlapping.push(call);
                return;
            }
            if around.end < end {
                reporter.warn("overlap", || place(call.offset));
                end = around.end;
            }
            if around.waits {
                around.waits = false;
                builder.enter(Timestamp::from_ns(around.start), around.function);
            }
        }
        if !has_room(builder, call.offset, reporter, place) {
            return;
        }
        let function = FunctionId(call.function);
        builder.expect(function);
        self.open.push(Open {
            start: call.start.min(end),
            end,
            last,
            function,
            waits: true,
        });
    }

    /// Ends all calls, and gives those that had no place.
    pub(crate) fn finish(&mut self, builder: &mut PlainEvents<'_>) -> Option<Box<Overlapping>> {
        while let Some(call) = self.open.pop() {
            call.close(builder);
        }
        self.overlapping.take()
    }

    /// Builds the calls of a thread that has complete events, in order of their key, and begin and end
    /// events, in order of time. O(n log n).
    pub(crate) fn mixed(
        &mut self,
        (completes, marks): (impl Iterator<Item = Complete>, impl Iterator<Item = Mark>),
        builder: &mut PlainEvents<'_>,
        progress: &Progress,
        reporter: &Reporter,
        place: &impl Fn(u64) -> Place,
    ) -> io::Result<()> {
        let pairs = pair(marks, reporter, place);
        progress.start("nesting calls", 0);
        let mut pairs = pairs.finish(progress)?;
        let mut completes = completes.peekable();
        // A merge: both are in order, and pairs must stay in theirs.
        loop {
            let complete_first = match (completes.peek(), pairs.peek()) {
                (None, None) => return pairs.check(),
                (Some(a), Some(Pair { call: b, .. })) => {
                    (a.start, Reverse(a.end)) <= (b.start, Reverse(b.end))
                }
                (complete, _) => complete.is_some(),
            };
            if complete_first && let Some(call) = completes.next() {
                self.complete(&call, builder, reporter, place);
            } else if let Some(pair) = pairs.next() {
                let (number, last) = (Some(pair.number), Some(pair.last));
                self.place(&pair.call, number, last, builder, reporter, place);
            }
        }
    }
}
