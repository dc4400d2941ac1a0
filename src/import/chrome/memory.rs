//! Memory in a Chrome trace: objects that are created (`N`), seen (`O`) and destroyed (`D`), counters of bytes (`C`, and
//! `UpdateCounters` of DevTools) and the resident set in dumps of memory (`v`). Specification: "Trace Event Format", the
//! sections Object Events, Counter Events and Memory Dump Events; for what that leaves open
//! <https://github.com/catapult-project/catapult/blob/main/tracing/tracing/model/object_collection.html>.
//!
//! An object is known by its id, its scope, and its process unless the id is global (`id2.global`); its type is its name. The
//! format tells no sizes, so objects are counted and bytes are not known. Who created it are the calls open on the thread
//! of its event. Events are put in order of time. Repairs, each counted: an object that is first heard of in a snapshot
//! is created there (`object-without-creation`); of one that is created twice the first is gone then
//! (`address-used-again`); what is destroyed without being there is left out (`free-without-allocation`). What a snapshot
//! holds is not shown.

use std::collections::{HashMap, HashSet};

use super::events::Event;
use super::measured;
use super::threads::{Key, Threads};
use crate::json::{Cursor, Stop, Value, unescape};
use callscape_base::units::{ThreadId, Time};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::hashing::BuildFast;
use callscape_facts::memory::{Counter, Detail, Live, Memory, MemoryBuilder, StackId};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Trace;

/// The counters of DevTools, which are instants with their values below `args.data`.
const UPDATE: &[u8] = b"UpdateCounters";

/// What dumps tell of a process, and as what it is shown.
const TOTALS: [(&[u8], &str); 2] = [
    (b"resident_set_bytes", "resident set"),
    (b"private_footprint_bytes", "private footprint"),
];

/// No more counters than this are shown, the first of a file.
const MOST_COUNTERS: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Created,
    Seen,
    Destroyed,
}

/// Something that happened to an object.
#[derive(Clone, Copy, Debug)]
struct Happened {
    /// Nanoseconds on the recording's own clock.
    time: i64,
    offset: u64,
    /// Places in what [`Gathered`] has of each.
    thread: u32,
    object: u32,
    kind: u32,
    what: What,
}

/// Something that was measured.
struct Measured {
    process: Box<[u8]>,
    name: String,
    /// Nanoseconds on the recording's own clock, and bytes.
    values: Vec<(i64, u64)>,
}

/// Process, none of a global id, then scope and id.
type ObjectKey = (Option<Box<[u8]>>, Box<[u8]>, Box<[u8]>);

/// What is known of the counters of one name.
#[derive(Default)]
struct Scales {
    /// By series, how many bytes one of its values is; none of what does not count memory.
    of: HashMap<Box<[u8]>, Option<u64>, BuildFast>,
    /// How many events since the last that had a series that counts memory.
    misses: u32,
}

/// Counters that have had no series of memory so often in a row are taken for such that have none, and counted: there may
/// be millions of them.
const MISSES: u32 = 64;

/// Events of memory as they stand in the file.
#[derive(Default)]
pub(super) struct Gathered {
    happened: Vec<Happened>,
    threads: Vec<Key>,
    thread_ids: HashMap<Key, u32, BuildFast>,
    objects: HashMap<ObjectKey, u32, BuildFast>,
    types: Vec<String>,
    type_ids: HashMap<Box<[u8]>, u32, BuildFast>,
    /// By the name of a counter.
    scales: HashMap<Box<[u8]>, Scales, BuildFast>,
    measured: Vec<Measured>,
    /// By process, name, id and series.
    counters: HashMap<[Box<[u8]>; 4], usize, BuildFast>,
}

impl Gathered {
    /// Takes an event that is no call, `raw` being all of it; false where it tells nothing of memory. `warn` counts
    /// what is wrong.
    pub(super) fn take(
        &mut self,
        (phase, offset): (u8, u64),
        event: &Event<'_>,
        raw: &[u8],
        warn: &mut dyn FnMut(&'static str),
    ) -> bool {
        let is_update = event.name == Some(UPDATE);
        let what = match phase {
            b'N' => What::Created,
            b'O' => What::Seen,
            b'D' => What::Destroyed,
            b'I' | b'i' | b'C' if is_update => {
                return self.counters(event, raw, &[b"args", b"data"], warn);
            }
            b'C' => return self.counters(event, raw, &[b"args"], warn),
            b'v' => return self.dump(event, raw, warn),
            _ => return false,
        };
        let Some(time) = time(event, warn) else {
            return true;
        };
        let Some(object) = self.object(event, raw) else {
            warn("object-without-id");
            return true;
        };
        if what == What::Seen {
            warn("snapshot-not-shown");
        }
        let thread = Threads::key(event);
        let threads = &mut self.threads;
        let thread = *self.thread_ids.entry(thread).or_insert_with_key(|key| {
            threads.push(key.clone());
            threads.len() as u32 - 1
        });
        let (name, types) = (event.name.unwrap_or_default(), &mut self.types);
        let kind = match self.type_ids.get(name) {
            Some(&kind) => kind,
            None => {
                types.push(unescape(name).0);
                let kind = types.len() as u32 - 1;
                self.type_ids.insert(name.into(), kind);
                kind
            }
        };
        self.happened.push(Happened {
            time,
            offset,
            thread,
            object,
            kind,
            what,
        });
        true
    }

    /// The number of the object that an event is about; none where it has no id.
    fn object(&mut self, event: &Event<'_>, raw: &[u8]) -> Option<u32> {
        let (mut id, mut scope): (Option<&[u8]>, &[u8]) = (None, &[]);
        members_at(raw, &[], &mut |key, value| match key {
            b"id" => id = value.bytes(),
            b"scope" => scope = value.bytes().unwrap_or_default(),
            _ => {}
        });
        let mut is_global = false;
        members_at(raw, &[b"id2"], &mut |key, value| match key {
            b"local" => id = value.bytes().or(id),
            b"global" => {
                id = value.bytes().or(id);
                is_global = value.bytes().is_some();
            }
            _ => {}
        });
        let process = (!is_global).then(|| event.pid.unwrap_or_default().into());
        let key = (process, scope.into(), id?.into());
        let next = self.objects.len() as u32;
        Some(*self.objects.entry(key).or_insert(next))
    }

    /// Takes the values of a counter that count memory; whether there are any.
    fn counters(
        &mut self,
        event: &Event<'_>,
        raw: &[u8],
        path: &[&[u8]],
        warn: &mut dyn FnMut(&'static str),
    ) -> bool {
        let name = event.name.unwrap_or_default();
        if !self.scales.contains_key(name) {
            self.scales.insert(name.into(), Scales::default());
        }
        let Some(scales) = self.scales.get_mut(name).filter(|it| it.misses < MISSES) else {
            return false;
        };
        let (mut found, mut others) = (Vec::new(), false);
        members_at(raw, path, &mut |series, value| {
            let scale = match scales.of.get(series) {
                Some(known) => *known,
                None => {
                    let names = [unescape(name).0, unescape(series).0];
                    let scale = measured::scale([&names[0], &names[1]]);
                    scales.of.insert(series.into(), scale);
                    scale
                }
            };
            match scale {
                Some(scale) => found.push((series, value.bytes().unwrap_or_default(), scale)),
                None => others = true,
            }
        });
        if found.is_empty() {
            scales.misses += 1;
            return false;
        }
        scales.misses = 0;
        if others {
            warn("counter-not-shown");
        }
        if let Some(time) = time(event, warn) {
            for (series, number, scale) in found {
                let bytes = measured::amount(number, scale);
                let id = event.id.unwrap_or_default();
                let label = || label([name, series], id);
                self.measure(event, [name, id, series], label, (time, bytes), warn);
            }
        }
        true
    }

    /// Takes what a dump tells of all the memory of its process; whether it does.
    fn dump(&mut self, event: &Event<'_>, raw: &[u8], warn: &mut dyn FnMut(&'static str)) -> bool {
        let mut found = Vec::new();
        let path: [&[u8]; 3] = [b"args", b"dumps", b"process_totals"];
        members_at(raw, &path, &mut |key, value| {
            if let Some((key, name)) = TOTALS.iter().find(|(it, _)| *it == key) {
                found.push((*key, *name, value.bytes().unwrap_or_default()));
            }
        });
        if found.is_empty() {
            return false;
        }
        if let Some(time) = time(event, warn) {
            for (key, name, number) in found {
                let bytes = measured::hexadecimal(number);
                let label = || name.to_owned();
                self.measure(event, [b"", b"", key], label, (time, bytes), warn);
            }
        }
        true
    }

    /// Keeps a value of what `key` tells from the others of its process.
    fn measure(
        &mut self,
        event: &Event<'_>,
        key: [&[u8]; 3],
        label: impl FnOnce() -> String,
        (time, bytes): (i64, Result<u64, &'static str>),
        warn: &mut dyn FnMut(&'static str),
    ) {
        let process = event.pid.unwrap_or_default();
        let [name, id, series] = key.map(Box::from);
        let all = &mut self.measured;
        let key = [process.into(), name, id, series];
        let counter = *self.counters.entry(key).or_insert_with(|| {
            all.push(Measured {
                process: process.into(),
                name: label(),
                values: Vec::new(),
            });
            all.len() - 1
        });
        match (bytes, all.get_mut(counter)) {
            (Ok(bytes), Some(counter)) => counter.values.push((time, bytes)),
            (Err(kind), _) => warn(kind),
            (Ok(_), None) => {}
        }
    }

    /// When the first of it happened or was measured, in nanoseconds on the recording's own clock; none of nothing.
    pub(super) fn began(&self) -> Option<i64> {
        let happened = self.happened.iter().map(|it| it.time);
        let measured = self.measured.iter().flat_map(|it| &it.values);
        happened.chain(measured.map(|&(time, _)| time)).min()
    }

    /// The recording whose calls were read of the same file, with what is known of its memory. O(n log n + created × (log
    /// calls + depth)).
    pub(super) fn add_to(self, mut recording: Recording) -> Recording {
        let reporter = Reporter::new();
        let file = recording.path.display().to_string();
        if let Some(memory) = self.finish(&recording.trace, &file, &reporter) {
            recording.warnings.extend(reporter.warnings());
            recording.trace = recording.trace.lasting(memory.end_of_events());
            recording.memory = Some(memory);
        }
        recording
    }

    /// All of it, as it belongs to a trace; none of nothing.
    fn finish(mut self, trace: &Trace, file: &str, reporter: &Reporter) -> Option<Memory> {
        self.measured.retain(|counter| !counter.values.is_empty());
        let detail = match (self.happened.is_empty(), self.measured.is_empty()) {
            (true, true) => return None,
            (true, false) => Detail::Counters,
            (false, _) => Detail::Events,
        };
        let mut builder = MemoryBuilder::new();
        let since = |time: i64| {
            let since = i128::from(time) - i128::from(trace.origin());
            Time::from_ns(u64::try_from(since).unwrap_or(0))
        };
        self.replay(&mut builder, trace, &since, &|kind, offset| {
            reporter.warn(kind, || Place::offset(file, offset));
        });
        let left_out = self
            .measured
            .split_off(self.measured.len().min(MOST_COUNTERS));
        let left_out = left_out.iter().map(|it| it.values.len() as u64).sum();
        reporter.warn_many("counter-not-shown", left_out, || Place::file(file));
        let counters = named(&self.measured, &since);
        let last = |counter: &Counter| counter.values.last().map(|&(time, _)| time);
        let last = counters.iter().filter_map(last).max().unwrap_or(0);
        let end = trace.range().end.max(Time::from_ns(last));
        let mut memory = builder.finish(detail, end);
        memory.sizes_known = detail == Detail::Counters;
        memory.counters = counters;
        Some(memory)
    }

    /// Hands on what happened to objects, in order of time.
    fn replay(
        &mut self,
        builder: &mut MemoryBuilder,
        trace: &Trace,
        since: &dyn Fn(i64) -> Time,
        warn: &dyn Fn(&'static str, u64),
    ) {
        let threads: HashMap<(&str, &str), ThreadId> = trace
            .threads()
            .iter()
            .zip(trace.thread_ids())
            .map(|(thread, id)| ((thread.process.as_str(), thread.id.as_str()), id))
            .collect();
        // Past the last is one without calls.
        let without = ThreadId(trace.threads().len() as u32);
        let threads: Vec<ThreadId> = self
            .threads
            .iter()
            .map(|key| {
                let (process, thread) = (unescape(&key.process).0, unescape(&key.thread).0);
                let known = threads.get(&(process.as_str(), thread.as_str()));
                known.copied().unwrap_or(without)
            })
            .collect();
        let kinds: Vec<u32> = self.types.iter().map(|name| builder.kind(name)).collect();
        self.happened.sort_by_key(|it| it.time);
        let mut live: Vec<Option<Live>> = vec![None; self.objects.len()];
        let mut open = Vec::new();
        for event in &self.happened {
            let time = since(event.time);
            let refuse = |kind: &'static str| warn(kind, event.offset);
            let thread = threads.get(event.thread as usize).copied();
            let thread = thread.unwrap_or(without);
            let Some(place) = live.get_mut(event.object as usize) else {
                continue;
            };
            match (event.what, place.take()) {
                (What::Seen, Some(seen)) => {
                    *place = Some(seen);
                    continue;
                }
                (What::Destroyed, Some(old)) => {
                    builder.release(time, thread, old, refuse);
                    continue;
                }
                (What::Destroyed, None) => {
                    refuse("free-without-allocation");
                    continue;
                }
                (What::Created, Some(old)) => {
                    refuse("address-used-again");
                    builder.release(time, thread, old, refuse);
                }
                (What::Seen, None) => refuse("object-without-creation"),
                (What::Created, None) => {}
            }
            open.clear();
            if thread != without {
                trace.stack_at(thread, time, &mut open);
            }
            let push = |stack, &call: &callscape_base::units::CallId| {
                builder.stack(stack, trace.call(thread, call).function)
            };
            let stack = open.iter().fold(StackId::EMPTY, push);
            let kind = kinds.get(event.kind as usize).copied().unwrap_or(0);
            let site = builder.site(1, stack, kind);
            *place = builder.allocate(time, thread, site, refuse);
        }
    }
}

/// What was measured in order of time, told apart by processes where several have the same.
fn named(measured: &[Measured], since: &dyn Fn(i64) -> Time) -> Vec<Counter> {
    let mut processes: HashMap<&str, HashSet<&[u8]>> = HashMap::new();
    for counter in measured {
        let of_name = processes.entry(&counter.name).or_default();
        of_name.insert(&counter.process);
    }
    let counters = measured.iter().map(|counter| {
        let values = counter.values.iter();
        let values = values.map(|&(time, bytes)| (since(time).ns(), bytes));
        let mut values: Vec<(u64, u64)> = values.collect();
        values.sort_by_key(|&(time, _)| time);
        let name = match processes.get(counter.name.as_str()).map_or(0, HashSet::len) {
            0 | 1 => counter.name.clone(),
            _ => format!(
                "{} (process {})",
                counter.name,
                unescape(&counter.process).0
            ),
        };
        Counter { name, values }
    });
    counters.collect()
}

/// The time of an event; where it has none that is counted.
fn time(event: &Event<'_>, warn: &mut dyn FnMut(&'static str)) -> Option<i64> {
    match event.ts {
        Some(Ok(time)) => Some(time),
        Some(Err(why)) => {
            warn(why.kind());
            None
        }
        None => {
            warn("missing-field");
            None
        }
    }
}

/// What a series of a counter is called.
fn label(names: [&[u8]; 2], id: &[u8]) -> String {
    let [name, series] = names.map(|it| unescape(it).0);
    let says_nothing = matches!(series.as_str(), "" | "value") || series == name;
    let name = match (name.as_str(), says_nothing) {
        (_, true) => name,
        ("UpdateCounters" | "", false) => series,
        (_, false) => format!("{name}: {series}"),
    };
    match id {
        [] => name,
        id => format!("{name} ({})", unescape(id).0),
    }
}

/// Hands the members of the object at `path` within an object to `take`, objects and arrays among them skipped. Nothing
/// where there is no such object, and no more once it is damaged.
fn members_at<'a>(raw: &'a [u8], path: &[&[u8]], take: &mut dyn FnMut(&'a [u8], Value<'a>)) {
    // What is read here has been read before, and was whole.
    let _ = walk(&mut Cursor::new(raw, 0), path, take);
}

fn walk<'a>(
    cursor: &mut Cursor<'a>,
    mut path: &[&[u8]],
    take: &mut dyn FnMut(&'a [u8], Value<'a>),
) -> Result<(), Stop> {
    'object: loop {
        cursor.expect(b'{')?;
        while cursor.next(b'}')? {
            let (_, key) = cursor.key()?;
            let next = cursor.peek()?;
            if let Some((first, rest)) = path.split_first() {
                if *first == key && next == b'{' {
                    path = rest;
                    continue 'object;
                }
                cursor.value()?;
                continue;
            }
            take(key, cursor.value()?);
        }
        return Ok(());
    }
}
