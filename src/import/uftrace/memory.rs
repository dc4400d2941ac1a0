//! Allocations and releases in a uftrace recording, where the arguments of the functions of memory were recorded with it
//! (`-A 'malloc@arg1/u64' -R 'malloc@retval/x64'` and their like, or `-a`).
//!
//! `info` says of which functions arguments and return values stand behind the records, and how long each is
//! (`doc/uftrace-record.md`, "ARGUMENTS", and `utils/argspec.c`): each is padded to four bytes. They are read in a pass of
//! their own, so that recordings without them cost nothing.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::records::{RecordKind, visit};
use super::symbols::Symbols;
use super::tasks::Tasks;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId, Time};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::memory::{Detail, Live, Memory, MemoryBuilder, StackId};

/// What a function does with memory, and which of its arguments, from 1, say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// As many bytes as the product of two arguments; the second is 0 for one alone.
    Allocates(u8, u8),
    /// What the first argument points at becomes as large as the second says.
    Reallocates,
    Releases,
}

/// The functions of memory, as symbols and as C++ names.
const FUNCTIONS: [(&str, Role); 14] = [
    ("malloc", Role::Allocates(1, 0)),
    ("calloc", Role::Allocates(1, 2)),
    ("realloc", Role::Reallocates),
    ("free", Role::Releases),
    ("aligned_alloc", Role::Allocates(2, 0)),
    ("memalign", Role::Allocates(2, 0)),
    ("valloc", Role::Allocates(1, 0)),
    ("pvalloc", Role::Allocates(1, 0)),
    ("_Znwm", Role::Allocates(1, 0)),
    ("_Znam", Role::Allocates(1, 0)),
    ("_ZdlPv", Role::Releases),
    ("_ZdaPv", Role::Releases),
    ("_ZdlPvm", Role::Releases),
    ("_ZdaPvm", Role::Releases),
];

/// How C++ writes the symbols above.
const OPERATORS: [(&str, &str); 4] = [
    ("operator new", "_Znwm"),
    ("operator new[]", "_Znam"),
    ("operator delete", "_ZdlPv"),
    ("operator delete[]", "_ZdaPv"),
];

/// A value behind a record: the number of its argument, 0 for what is returned, and its length in bytes; none of a text,
/// which says so itself.
type Value = (u8, Option<usize>);

/// What `info` says of the functions of memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Specs {
    arguments: HashMap<String, Vec<Value>>,
    returned: HashMap<String, Vec<Value>>,
}

impl Specs {
    /// Of the lines of `info`. What was asked for by name goes before what is usual.
    pub(super) fn parse(info: &str) -> Specs {
        let mut specs = Specs::default();
        for line in info.lines() {
            let (map, list) = match line.split_once(':') {
                Some(("argspec", list)) => (&mut specs.arguments, list),
                Some(("retspec", list)) => (&mut specs.returned, list),
                Some(("argauto", list)) => (&mut specs.arguments, list),
                Some(("retauto", list)) => (&mut specs.returned, list),
                _ => continue,
            };
            for one in list.split(';') {
                let Some((name, values)) = one.split_once('@') else {
                    continue;
                };
                if role(name).is_some() {
                    let values = values.split(',').filter_map(value);
                    map.entry(name.to_owned()).or_insert(values.collect());
                }
            }
        }
        specs
    }

    /// Whether anything of memory was recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.arguments.is_empty() || self.returned.is_empty()
    }
}

fn role(name: &str) -> Option<Role> {
    let mut functions = FUNCTIONS.iter();
    functions.find(|(it, _)| *it == name).map(|(_, role)| *role)
}

/// The symbol that a function of memory has in `info`: `_Znwm` of `operator new(unsigned long)`.
pub(super) fn symbol(name: &str) -> &str {
    let name = name.split('(').next().unwrap_or(name);
    let mut operators = OPERATORS.iter();
    let operator = operators.find(|(it, _)| *it == name);
    operator.map_or(name, |(_, symbol)| symbol)
}

/// `arg1/u64`, `arg2`, `retval/x`: which value, and its length: that of a machine word unless told otherwise.
fn value(spec: &str) -> Option<Value> {
    let (which, format) = spec.split_once('/').unwrap_or((spec, ""));
    let number = match which {
        "retval" => 0,
        _ => which.strip_prefix("arg")?.parse().ok()?,
    };
    let letter = format.chars().next().unwrap_or('d');
    let bits = format.get(1..).and_then(|bits| bits.parse::<usize>().ok());
    let length = match (letter, bits) {
        ('s' | 'S', _) => None,
        (_, Some(bits)) => Some(bits.div_ceil(8)),
        ('c', None) => Some(1),
        _ => Some(8),
    };
    Some((number, length))
}

/// The value of an argument, or what was returned for 0, among those behind a record.
fn number(values: &[Value], wanted: u8, mut bytes: &[u8]) -> Option<u64> {
    for &(which, length) in values {
        let length = match length {
            Some(length) => length,
            // Two bytes say how long a text is.
            None => 2 + usize::from(u16::from_le_bytes(*bytes.first_chunk::<2>()?)),
        };
        if which == wanted {
            let value = bytes.get(..length.min(8))?;
            let mut word = [0; 8];
            word[..value.len()].copy_from_slice(value);
            return Some(u64::from_le_bytes(word));
        }
        bytes = bytes.get(length.next_multiple_of(4)..)?;
    }
    None
}

/// An allocation of so many bytes, or a release, at an address.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    /// Nanoseconds on the recording's own clock.
    time: u64,
    thread: ThreadId,
    address: u64,
    /// None of a release.
    size: Option<u64>,
    stack: StackId,
}

/// A call that is open: its depth, the stack with it, and if it is one of a function of memory its arguments.
struct Open {
    depth: usize,
    stack: StackId,
    of_memory: Option<Asked>,
}

/// What a function of memory was asked for.
#[derive(Clone, Copy)]
struct Asked {
    role: Role,
    /// Bytes, or the address that is given.
    size: Option<u64>,
    address: Option<u64>,
}

/// The events of memory of all tasks.
pub(super) struct Reading<'a> {
    specs: Specs,
    builder: MemoryBuilder,
    events: Vec<Event>,
    /// Of functions whether they are of memory, and what stands behind their records.
    known: HashMap<FunctionId, Option<(Role, String)>>,
    reporter: &'a Reporter,
}

impl<'a> Reading<'a> {
    /// None where the recording has no arguments of the functions of memory.
    pub(super) fn begin(dir: &Input, reporter: &'a Reporter) -> Option<Reading<'a>> {
        let info = dir.join("info").read().ok()?;
        let specs = Specs::parse(&String::from_utf8_lossy(&info));
        (!specs.is_empty()).then(|| Reading {
            specs,
            builder: MemoryBuilder::new(),
            events: Vec::new(),
            known: HashMap::new(),
            reporter,
        })
    }

    /// Reads a task's records once more, for what is behind them.
    pub(super) fn read(
        &mut self,
        (file, tid): (&Input, u32),
        tasks: &Tasks,
        symbols: &mut Symbols<'_>,
        trace: &mut TraceBuilder<'_>,
        progress: &Progress,
    ) -> Result<(), ImportError> {
        let thread = trace.thread(&tasks.process(tid).to_string(), &tid.to_string());
        let sessions = tasks.sessions_of(tid);
        let mut open: Vec<Open> = Vec::new();
        let (resumed, _) = tasks.switches_of(tid);
        let mut passed = resumed.iter().copied().peekable();
        visit((file, resumed), progress, |record, bytes, place| {
            let started = sessions.partition_point(|&(start, _)| start <= record.time);
            let session = started.checked_sub(1).map(|at| sessions[at].1);
            // What was open before recording stopped need not be open after it.
            while passed.next_if(|&it| it <= record.time).is_some() {
                open.clear();
            }
            match record.kind {
                RecordKind::Entry => {
                    let function =
                        symbols.function(session, record.address, record.time, trace, place);
                    open.truncate(open.partition_point(|it| it.depth < record.depth));
                    let around = open.last().map_or(StackId::EMPTY, |it| it.stack);
                    let asked = self.asked(function, trace, bytes, place);
                    // The function of memory itself created nothing.
                    let stack = match asked {
                        Some(_) => around,
                        None => self.builder.stack(around, function),
                    };
                    if let Some(Asked {
                        role: Role::Releases,
                        address: Some(address),
                        ..
                    }) = asked
                    {
                        self.release(record.time, thread, address, stack);
                    }
                    open.push(Open {
                        depth: record.depth,
                        stack,
                        of_memory: asked,
                    });
                }
                RecordKind::Exit => {
                    open.truncate(open.partition_point(|it| it.depth <= record.depth));
                    let call = open.pop_if(|it| it.depth == record.depth);
                    if let Some((asked, stack)) =
                        call.and_then(|it| Some((it.of_memory?, it.stack)))
                    {
                        let function =
                            symbols.function(session, record.address, record.time, trace, place);
                        let returned = self.returned(function, bytes);
                        self.end((record.time, thread), asked, returned, stack);
                    }
                }
                RecordKind::Other => {}
            }
            ControlFlow::Continue(())
        })
    }

    /// What a call asks of memory; none of other functions.
    fn asked(
        &mut self,
        function: FunctionId,
        trace: &TraceBuilder<'_>,
        bytes: &[u8],
        place: &dyn Fn() -> Place,
    ) -> Option<Asked> {
        let known = self.known.entry(function).or_insert_with(|| {
            let name = symbol(trace.function_name(function));
            role(name).map(|role| (role, name.to_owned()))
        });
        let (role, name) = known.as_ref()?;
        let values = self.specs.arguments.get(name)?;
        let value = |which| number(values, which, bytes);
        let size = match *role {
            Role::Allocates(first, 0) => value(first),
            Role::Allocates(first, second) => value(first)
                .zip(value(second))
                .map(|(count, size)| count.saturating_mul(size)),
            Role::Reallocates => value(2),
            Role::Releases => None,
        };
        let address = match *role {
            Role::Allocates(..) => None,
            Role::Reallocates | Role::Releases => value(1),
        };
        if size.is_none() && address.is_none() {
            self.reporter.warn("arguments-not-recorded", place);
        }
        Some(Asked {
            role: *role,
            size,
            address,
        })
    }

    /// What a function of memory gave.
    fn returned(&self, function: FunctionId, bytes: &[u8]) -> Option<u64> {
        let (_, name) = self.known.get(&function)?.as_ref()?;
        number(self.specs.returned.get(name)?, 0, bytes)
    }

    fn release(&mut self, time: u64, thread: ThreadId, address: u64, stack: StackId) {
        // Releasing nothing is allowed.
        if address != 0 {
            self.events.push(Event {
                time,
                thread,
                address,
                size: None,
                stack,
            });
        }
    }

    /// A function of memory returns.
    fn end(
        &mut self,
        (time, thread): (u64, ThreadId),
        asked: Asked,
        returned: Option<u64>,
        stack: StackId,
    ) {
        if asked.role == Role::Releases {
            return;
        }
        let given = returned.filter(|&address| address != 0);
        if let (Role::Reallocates, Some(address)) = (asked.role, asked.address) {
            // Where there is no room the old stays; of size 0 it is gone.
            if given.is_some() || asked.size == Some(0) {
                self.release(time, thread, address, stack);
            }
        }
        if let (Some(address), Some(size)) = (given, asked.size) {
            self.events.push(Event {
                time,
                thread,
                address,
                size: Some(size),
                stack,
            });
        }
    }

    /// All of it, on a clock that shows 0 at `origin`; none where nothing was allocated. O(n log n).
    pub(super) fn finish(
        mut self,
        origin: i64,
        end: Time,
        place: impl Fn() -> Place,
    ) -> Option<Memory> {
        if self.events.is_empty() {
            return None;
        }
        self.events.sort_by_key(|event| event.time);
        let origin = u64::try_from(origin).unwrap_or(0);
        let (builder, reporter) = (&mut self.builder, self.reporter);
        let mut live: HashMap<u64, Live> = HashMap::new();
        for event in &self.events {
            let time = Time::from_ns(event.time.saturating_sub(origin));
            let mut refuse = |kind: &'static str| reporter.warn(kind, &place);
            // What was there before was released where nobody saw it.
            let old = live.remove(&event.address);
            match (event.size, old) {
                (None, Some(old)) => builder.release(time, event.thread, old, refuse),
                (None, None) => refuse("free-without-allocation"),
                (Some(size), old) => {
                    if let Some(old) = old {
                        refuse("address-used-again");
                        builder.release(time, event.thread, old, &mut refuse);
                    }
                    let site = builder.site(size, event.stack, 0);
                    let object = builder.allocate(time, event.thread, site, refuse);
                    live.extend(object.map(|object| (event.address, object)));
                }
            }
        }
        Some(self.builder.finish(Detail::Events, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_says_what_stands_behind_records() {
        let info = "argspec:lines=3\nargspec:malloc@arg1/u64;free@arg1/x64;strlen@arg1/s\n\
                    retspec:malloc@retval/x64\nargauto:malloc@arg1/u;calloc@arg1/u32,arg2\n";
        let specs = Specs::parse(info);
        assert!(!specs.is_empty());
        assert_eq!(specs.arguments["malloc"], [(1, Some(8))]);
        assert_eq!(specs.arguments["calloc"], [(1, Some(4)), (2, Some(8))]);
        assert_eq!(specs.returned["malloc"], [(0, Some(8))]);
        assert_eq!(specs.arguments.len(), 3);
        assert!(Specs::parse("cmdline:uftrace record ./m\n").is_empty());
    }

    #[test]
    fn values_are_padded_and_texts_say_how_long_they_are() {
        let values = [(1, None), (2, Some(4)), (3, Some(8))];
        let bytes = [
            3, 0, b'a', b'b', b'c', 0, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 1,
        ];
        assert_eq!(number(&values, 2, &bytes), Some(7));
        assert_eq!(number(&values, 3, &bytes), Some(9 + (1 << 56)));
        assert_eq!(number(&values, 4, &bytes), None);
        assert_eq!(number(&values, 3, &bytes[..15]), None);
        assert_eq!(symbol("operator new[](unsigned long)"), "_Znam");
    }

    #[test]
    fn objects_are_those_that_valgrind_counts() {
        let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let path = path.join("tests/data/import/lists.uftrace");
        let input = Input::new(&path).expect("it is there");
        let recording = super::super::import(&input, &Progress::new()).expect("it is read");
        let memory = recording.memory.as_ref().expect("it has arguments");
        let events = memory.events().expect("all of them");
        // lists.c: 29 lists of 1 to 29 nodes, one of 5 that is lost, and a buffer that grows.
        let (lists, nodes) = (29, 29 * 30 / 2);
        let end = events.totals(events.end());
        assert_eq!(end.allocations, 1 + lists + nodes + 5);
        assert_eq!(end.releases, 1 + lists + nodes);
        assert_eq!((end.live(), end.live_bytes()), (5, 160));
        let buffers: u64 = (1..30).map(|round| 100 * round + 900).sum();
        assert_eq!(end.allocated, 1000 + buffers + 32 * (nodes + 5));
        // With the last list there is its buffer.
        assert_eq!(events.peak().0, 29 * 32 + 100 * 29 + 900);
        let functions = &recording.functions;
        for object in (0..events.end()).filter_map(|event| events.object(event)) {
            let creator = memory.stacks.function(object.stack).expect("it has one");
            let expected = if object.size == 32 { "make" } else { "main" };
            assert_eq!(functions.get(creator).name, expected);
        }
    }

    /// Of a call of a function of memory the address and the size that it is given, and the address that it returns.
    type Called = (Role, Option<u64>, Option<u64>, Option<u64>);

    /// What is made of such calls, a nanosecond apart, and what was counted.
    fn made(calls: &[Called]) -> (Memory, Vec<String>) {
        let reporter = Reporter::new();
        let mut reading = Reading {
            specs: Specs::default(),
            builder: MemoryBuilder::new(),
            events: Vec::new(),
            known: HashMap::new(),
            reporter: &reporter,
        };
        for (time, &(role, address, size, returned)) in (10..).zip(calls) {
            let asked = Asked {
                role,
                size,
                address,
            };
            let thread = ThreadId(0);
            if let (Role::Releases, Some(address)) = (role, address) {
                reading.release(time, thread, address, StackId::EMPTY);
            }
            reading.end((time, thread), asked, returned, StackId::EMPTY);
        }
        let memory = reading.finish(10, Time::ZERO, || Place::file("made"));
        let counted = reporter.warnings();
        let counted = counted.iter().map(|it| format!("{} {}", it.kind, it.count));
        (memory.expect("events"), counted.collect())
    }

    const MALLOC: Role = Role::Allocates(1, 0);

    #[test]
    fn realloc_to_nothing_frees_and_without_room_keeps() {
        let (memory, counted) = made(&[
            (MALLOC, None, Some(10), Some(0xa0)),
            // Of 0 it is gone.
            (Role::Reallocates, Some(0xa0), Some(0), None),
            (MALLOC, None, Some(20), Some(0xb0)),
            // There was no room: the old stays.
            (Role::Reallocates, Some(0xb0), Some(1 << 62), None),
            // It moves, and one of nothing is new.
            (Role::Reallocates, Some(0xb0), Some(30), Some(0xc0)),
            (Role::Reallocates, Some(0), Some(40), Some(0xd0)),
            // Some give a place of no bytes.
            (Role::Reallocates, Some(0xd0), Some(0), Some(0xe0)),
        ]);
        assert!(counted.is_empty(), "{counted:?}");
        let events = memory.events().expect("events");
        let live = |time: u64| {
            let totals = events.totals(events.position(Time::from_ns(time)));
            (totals.live(), totals.live_bytes())
        };
        let expected = [(1, 10), (0, 0), (1, 20), (1, 20), (1, 30), (2, 70), (2, 30)];
        let found: Vec<(u64, u64)> = (0..7).map(live).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_cannot_be_is_counted() {
        let huge = 1 << 63;
        let (memory, counted) = made(&[
            (MALLOC, None, Some(huge), Some(0xa0)),
            // As much again is more than can be counted.
            (MALLOC, None, Some(huge), Some(0xb0)),
            (Role::Releases, Some(0xa0), None, None),
            // Again, what was not there, and nothing.
            (Role::Releases, Some(0xa0), None, None),
            (Role::Releases, Some(0xf0), None, None),
            (Role::Releases, Some(0), None, None),
            // An address that was not released is used again.
            (MALLOC, None, Some(1), Some(0xc0)),
            (MALLOC, None, Some(2), Some(0xc0)),
            // Without a size or without an address nothing was given.
            (MALLOC, None, None, Some(0xd0)),
            (MALLOC, None, Some(3), None),
        ]);
        let expected = [
            "address-used-again 1",
            "bytes-out-of-range 1",
            "free-without-allocation 2",
        ];
        assert_eq!(counted, expected);
        let events = memory.events().expect("events");
        let totals = events.totals(events.end());
        assert_eq!((totals.allocations, totals.releases), (3, 2));
        assert_eq!((totals.live_bytes(), events.peak().0), (2, huge));
    }
}
