//! Perfetto's traces: the slices of track events. Specification:
//! <https://github.com/google/perfetto/tree/main/protos/perfetto/trace>, `trace_packet.proto`,
//! `track_event/track_event.proto`, `track_event/track_descriptor.proto`, `clock_snapshot.proto` and
//! `interned_data/interned_data.proto`; <https://perfetto.dev/docs/reference/synthetic-track-event>.
//!
//! Read are begins and ends of slices on every track (a thread, or a track of its own), also in the form that
//! Chrome's older events have in them (phases B, E and X), names and source locations, interned or not,
//! defaults of a sequence, clocks of a sequence with their units and deltas, compressed packets, and the marks that programs
//! write into the trace of the kernel (Android's atrace). Counted but not kept are instants, counters, asynchronous phases,
//! and events of the kernel other than switches, wake-ups and binder (`event-not-shown`), and packets of all others,
//! such as profilers (`packet-not-shown`). Flows, wake-ups and transactions of binder are links. Annotations of slices are arguments; those of their ends are
//! counted (`arguments-of-end-not-shown`). Not read are categories, and times
//! that refer to a thread descriptor, as before 2020.
//!
//! Events go straight to the builder, since each writer puts its own in order. Where those of a track turn out not to
//! be, where it has complete events, or is described behind them, the file is read a second time and they are
//! sorted.

use std::io;
use std::io::Read;

use super::chrome::building;
use super::chrome::complete::Complete;
use super::chrome::nesting::{self, Mark, Marks, What};
use super::chrome::spellings::Name;
use super::error::ImportError;
use super::flows::{At, Role};
use super::input::Input;
use super::protobuf::{Fields, Value, is_text, varint};
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::functions::Function;
use callscape_facts::names::NameId;
use callscape_facts::recording::Recording;
use legacy::Legacy;
use reader::{Location, Reader, Sequence};

mod annotations;
mod clocks;
mod legacy;
mod marks;
mod reader;
mod scheduler;
mod tracks;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "perfetto";

/// The tag of a packet in a trace.
const PACKET: u8 = 0x0a;

/// How long a packet or what is compressed in one may be. Perfetto's own limit is half a megabyte.
const LONGEST: u64 = 16 << 20;

/// Packets that say how and where the trace was recorded, or what its numbers and addresses are called, and of nothing that
/// ran: configurations, descriptors, symbols, what a compressed one may not hold again.
const ABOUT_THE_TRACE: [u32; 41] = [
    33, 34, 35, 36, 43, 44, 45, 46, 47, 48, 50, 51, 55, 61, 64, 67, 69, 70, 72, 78, 82, 83, 86, 89,
    107, 109, 111, 113, 123, 124, 125, 126, 127, 128, 130, 131, 133, 138, 139, 140, 900,
];

/// What compressed packets may hold in all: this much, and so many bytes for each of the file before them. Tracing
/// services reach five to ten.
const FREE_UNPACKED: u64 = 8 << 20;
const MOST_RATIO: u64 = 20;

/// Whether a file that begins with `head` is a trace: a packet with fields that only packets have.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let mut at = 1;
    let is_packet = head.first() == Some(&PACKET) && !is_text(head);
    let Some(length) = varint(head, &mut at).filter(|_| is_packet) else {
        return false;
    };
    let end = at.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
    let whole = end <= head.len();
    let mut fields = Fields::new(&head[at..end.min(head.len())]);
    let mut known = false;
    for (number, value) in &mut fields {
        match (number, value) {
            (8 | 10 | 13 | 41 | 42 | 58 | 79 | 87, Value::Number(_))
            | (6 | 11 | 12 | 33..=36 | 43..=45 | 50 | 59 | 60 | 89 | 133, Value::Bytes(_)) => {
                known = true
            }
            (1..=9 | 11 | 12, Value::Number(_)) => return false,
            _ => {}
        }
    }
    let sound = fields.rest().is_empty() || !whole;
    known && sound && (!whole || head.get(end).is_none_or(|&next| next == PACKET))
}

/// Reads the slices. O(n), O(n log n) where they have to be sorted.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    for sorts in [false, true] {
        let reporter = Reporter::new();
        let mut window = Window::open(input, progress, &reporter)?;
        let mut reader = Reader::new(input, sorts, &reporter);
        reader.packets(&mut window)?;
        let end = window.offset();
        if !reader.finish() {
            continue;
        }
        let built = reader.build(progress);
        progress.check()?;
        built.map_err(|error| ImportError::io(input, error))?;
        let told = reader.kernel(progress);
        progress.check()?;
        told.map_err(|error| ImportError::io(input, error))?;
        let place = || Place::offset(&reader.file, end);
        let calls = reader.builder.finish(place);
        let warnings = reporter.warnings();
        return Ok(Recording::of_calls(input, FORMAT, None, calls, warnings));
    }
    // Sorting takes events in whatever order they are.
    let place = Place::file(input.display().to_string());
    Err(ImportError::malformed(place, "slices", "none"))
}

/// Hands the numbers of a repeated field to `take`: one, or several packed into one.
fn ids(value: Value<'_>, mut take: impl FnMut(u64)) {
    match value {
        Value::Number(id) => take(id),
        Value::Bytes(packed) => {
            let (whole, _) = packed.as_chunks::<8>();
            whole.iter().for_each(|id| take(u64::from_le_bytes(*id)));
        }
    }
}

impl Reader<'_> {
    fn warn(&self, kind: &'static str) {
        self.reporter
            .warn(kind, || Place::offset(&self.file, self.offset));
    }

    fn packets(&mut self, window: &mut Window<'_>) -> Result<(), ImportError> {
        while !self.out_of_order {
            self.offset = window.offset();
            let data = window.data();
            let mut at = 0;
            let head = varint(data, &mut at).and_then(|tag| Some((tag, varint(data, &mut at)?)));
            let Some((tag, length)) = head else {
                // A tag and a length take up to ten bytes each.
                if data.len() < 20 && window.more()? {
                    continue;
                }
                if !window.data().is_empty() {
                    self.warn("truncated-file");
                }
                return Ok(());
            };
            if tag != u64::from(PACKET) || length > LONGEST {
                let place = Place::offset(&self.file, self.offset);
                let found = format!("the tag {tag} with the length {length}");
                return Err(ImportError::malformed(place, "a packet", found));
            }
            let end = at + length as usize;
            while window.data().len() < end {
                if !window.more()? {
                    self.warn("truncated-file");
                    return Ok(());
                }
            }
            self.packet(&window.data()[at..end], false);
            window.consume(end);
        }
        Ok(())
    }

    /// Takes a packet; `inner` for one that was compressed in another, where no further one may be.
    fn packet(&mut self, packet: &[u8], inner: bool) {
        let mut sequence = 0;
        let (mut time, mut clock) = (None, None);
        let (mut event, mut track, mut kernel) = (None, None, None);
        let (mut cleared, mut says) = (false, false);
        let mut fields = Fields::new(packet);
        for (number, value) in &mut fields {
            match (number, value) {
                (8, Value::Number(number)) => time = Some(number),
                (10, Value::Number(number)) => sequence = number,
                (11, Value::Bytes(bytes)) => event = Some(bytes),
                (13, Value::Number(flags)) => cleared |= flags & 1 != 0,
                (41, Value::Number(number)) => cleared |= number != 0,
                // Since 2025 the reason in bits.
                (42, Value::Number(1..)) => self.warn("packet-dropped"),
                (58, Value::Number(number)) => clock = Some(number),
                (60, Value::Bytes(bytes)) => track = Some(bytes),
                (6 | 12 | 59, Value::Bytes(_)) => says = true,
                (1, Value::Bytes(bundle)) => kernel = Some(bundle),
                (2, Value::Bytes(tree)) => self.process_tree(tree),
                (50, Value::Bytes(bytes)) if !inner => {
                    self.compressed(flate2::read::ZlibDecoder::new(bytes));
                }
                (133, Value::Bytes(bytes)) if !inner => {
                    match zstd::stream::read::Decoder::new(bytes) {
                        Ok(decoder) => self.compressed(decoder),
                        Err(_) => self.warn("malformed-packet"),
                    }
                }
                (number, Value::Bytes(_)) if !ABOUT_THE_TRACE.contains(&number) => {
                    self.warn("packet-not-shown");
                }
                _ => {}
            }
        }
        if !fields.rest().is_empty() {
            self.warn("malformed-packet");
        }
        if self.current.0 != sequence {
            let state = self.sequences.remove(&sequence).unwrap_or_default();
            let (last, state) = std::mem::replace(&mut self.current, (sequence, state));
            self.sequences.insert(last, state);
        }
        if cleared {
            *self.current.1 = Sequence::default();
        }
        if says {
            self.interned_and_defaults(packet);
        }

        if let Some(descriptor) = track {
            self.descriptor(descriptor);
        }
        if let Some(bundle) = kernel {
            self.bundle(bundle);
        }
        // Every time moves a clock that counts from the last.
        let time = time.map(|time| self.time(time, clock));
        match (event, time) {
            (Some(event), Some(time)) => self.event(event, time),
            (Some(_), None) => self.warn("missing-time"),
            _ => {}
        }
    }

    /// What a packet says for those of its sequence that follow.
    fn interned_and_defaults(&mut self, packet: &[u8]) {
        // Taken out while it changes together with the rest.
        let mut state = std::mem::take(&mut self.current.1);
        for (number, value) in Fields::new(packet) {
            match (number, value.bytes()) {
                (6, Some(snapshot)) => self.snapshot(snapshot, &mut state),
                (12, Some(interned)) => self.interned(interned, &mut state),
                (59, Some(defaults)) => {
                    for (number, value) in Fields::new(defaults) {
                        match (number, value) {
                            (58, Value::Number(clock)) => state.clock = Some(clock),
                            (11, Value::Bytes(event)) => {
                                let mut fields = Fields::new(event);
                                let track = fields.find(|(number, _)| *number == 11);
                                state.track = track.and_then(|(_, v)| v.number()).unwrap_or(0);
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        self.current.1 = state;
    }

    fn compressed(&mut self, decoder: impl Read) {
        let allowed = FREE_UNPACKED.saturating_add(self.offset.saturating_mul(MOST_RATIO));
        let limit = LONGEST.min(allowed.saturating_sub(self.unpacked));
        let mut packets = Vec::new();
        let read = decoder.take(limit).read_to_end(&mut packets);
        self.unpacked += packets.len() as u64;
        let mut fields = Fields::new(&packets);
        for (number, value) in &mut fields {
            if let (1, Value::Bytes(packet)) = (number, value) {
                self.packet(packet, true);
            }
        }
        if read.is_err() || !fields.rest().is_empty() {
            self.warn("malformed-packet");
        }
    }

    fn text(&mut self, bytes: &[u8]) -> NameId {
        let text = String::from_utf8_lossy(bytes);
        if let std::borrow::Cow::Owned(_) = text {
            self.warn("invalid-text");
        }
        self.names.intern(&text)
    }

    fn interned(&mut self, interned: &[u8], state: &mut Sequence) {
        for (number, value) in Fields::new(interned) {
            match (number, value) {
                (2 | 3 | 29, Value::Bytes(entry)) => {
                    let (mut id, mut name) = (0, NameId::EMPTY);
                    for (number, value) in Fields::new(entry) {
                        match (number, value) {
                            (1, Value::Number(number)) => id = number,
                            (2, Value::Bytes(bytes)) => name = self.text(bytes),
                            _ => {}
                        }
                    }
                    let names = match number {
                        2 => &mut state.names,
                        3 => &mut state.annotations,
                        _ => &mut state.texts,
                    };
                    names.insert(id, name);
                }
                (4, Value::Bytes(entry)) => {
                    let (id, location) = self.location(entry);
                    state.locations.insert(id, location);
                }
                _ => {}
            }
        }
    }

    /// A source location and its id.
    fn location(&mut self, entry: &[u8]) -> (u64, Location) {
        let mut id = 0;
        let mut location = (NameId::EMPTY, NameId::EMPTY, 0);
        for (number, value) in Fields::new(entry) {
            match (number, value) {
                (1, Value::Number(number)) => id = number,
                (2, Value::Bytes(bytes)) => location.1 = self.text(bytes),
                (3, Value::Bytes(bytes)) => location.0 = self.text(bytes),
                (4, Value::Number(line)) => location.2 = u32::try_from(line).unwrap_or(0),
                _ => {}
            }
        }
        (id, location)
    }

    fn event(&mut self, event: &[u8], time: i64) {
        let mut kind = 0;
        let mut track = self.current.1.track;
        let mut name = None;
        let mut location = None;
        let mut legacy = Legacy::default();
        let mut flows: Vec<(Role, u64)> = Vec::new();
        let mut is_annotated = false;
        let mut fields = Fields::new(event);
        for (number, value) in &mut fields {
            match (number, value) {
                // Before 2022 they were varints.
                (36, Value::Number(id)) => flows.push((Role::Step, id)),
                (42, Value::Number(id)) => flows.push((Role::End, id)),
                (47, value) => ids(value, |id| flows.push((Role::Step, id))),
                (48, value) => ids(value, |id| flows.push((Role::End, id))),
                (4, Value::Bytes(_)) => is_annotated = true,
                (9, Value::Number(number)) => kind = number,
                (11, Value::Number(number)) => track = number,
                (10, Value::Number(id)) => {
                    name = self.current.1.names.get(&id).copied();
                    if name.is_none() {
                        self.warn("unknown-name");
                    }
                }
                (23, Value::Bytes(bytes)) => name = Some(self.text(bytes)),
                (33, Value::Bytes(entry)) => location = Some(self.location(entry).1),
                (34, Value::Number(id)) => location = self.current.1.locations.get(&id).copied(),
                (6, Value::Bytes(bytes)) => legacy.read(bytes),
                _ => {}
            }
        }
        flows.extend(legacy.flow());
        let begin = kind == 1 || (kind == 0 && legacy.phase == Some(b'B'));
        let end = kind == 2 || (kind == 0 && legacy.phase == Some(b'E'));
        let complete = kind == 0 && legacy.phase == Some(b'X');
        if !begin && !end && !complete {
            if !self.legacy_flow(&legacy, name, (track, time)) {
                self.warn("event-not-shown");
            }
            return self.flows(&flows, track, time, At::Open);
        }
        let Some(place) = self.lane(track) else {
            self.warn("too-many-tracks");
            return;
        };
        if end {
            self.flows(&flows, track, time, At::Open);
            if is_annotated {
                self.warn("arguments-of-end-not-shown");
            }
        }
        let what = if end {
            // An end ends the innermost slice of its track, whatever its name.
            What::End(None)
        } else {
            let (in_code, file, line) = location.unwrap_or((NameId::EMPTY, NameId::EMPTY, 0));
            let function = self.function((name.unwrap_or(in_code), file, line));
            let name = name.unwrap_or(NameId::EMPTY);
            self.flows(&flows, track, time, At::Begun(function));
            let end = complete.then(|| time.saturating_add(legacy.duration));
            if is_annotated {
                self.annotations(event, (place, function), (time, end));
            }
            What::Begin(Name::from_index(name.0), function)
        };
        if let What::Begin(_, function) = what
            && complete
        {
            self.out_of_order |= !self.sorts;
            self.completes.push(Complete {
                start: time,
                end: time.saturating_add(legacy.duration),
                offset: self.offset,
                thread: place as u32,
                function: function.0,
            });
            return;
        }
        self.mark(time, place, what);
    }

    /// Takes a begin or end on the lane at `place`: handed to the builder, or kept.
    fn mark(&mut self, time: i64, place: usize, what: What) {
        let mark = Mark::new(time, self.offset, place, what);
        let lane = &mut self.lanes[place];
        let backwards = lane.last.is_some_and(|last| time < last);
        lane.last = Some(time);
        if self.sorts {
            self.marks.push(mark);
            if backwards {
                self.warn("out-of-order");
            }
        } else if backwards {
            self.out_of_order = true;
        } else {
            let place = |offset| Place::offset(&self.file, offset);
            let mut builder = self.builder.plain(lane.thread);
            nesting::step(&mut lane.open, &mark, &mut builder, self.reporter, &place);
        }
    }

    #[inline]
    fn function(&mut self, key: Location) -> FunctionId {
        let (name, file, line) = key;
        let plain = (file, line) == (NameId::EMPTY, 0);
        if plain && let Some(&Some(function)) = self.plain.get(name.0 as usize) {
            return function;
        }
        let (names, builder) = (&self.names, &mut self.builder);
        let function = *self.functions.entry(key).or_insert_with(|| {
            builder.function(Function {
                name: match names.get(name) {
                    "" => "(unnamed)",
                    name => name,
                },
                file: names.get(file),
                line,
                library: "",
            })
        });
        if plain {
            let by_name = self.plain.len().max(name.0 as usize + 1);
            self.plain.resize(by_name, None);
            self.plain[name.0 as usize] = Some(function);
        }
        function
    }

    /// Names the threads, and says whether all that went to the builder could: not where events were out of order,
    /// or where it has become known since what their threads are called.
    fn finish(&mut self) -> bool {
        self.known.clear();
        for place in 0..self.lanes.len() {
            let named = self.thread_of(self.lanes[place].uuid);
            let lane = &mut self.lanes[place];
            self.out_of_order |= (&lane.process, &lane.id) != (&named.0, &named.1);
            if self.sorts {
                lane.thread = self.builder.thread(&named.0, &named.1);
            }
            self.known.insert(named);
        }
        self.sorts || !self.out_of_order
    }

    /// Makes calls of the events that wait.
    fn build(&mut self, progress: &Progress) -> io::Result<()> {
        let mut threads = Vec::new();
        for lane in &mut self.lanes {
            lane.open
                .enter_waiting(&mut self.builder.plain(lane.thread));
            threads.push(lane.thread);
            let name = self.tracks.get(&lane.uuid);
            let name = name.map_or("", |track| &track.name);
            self.builder.name_thread(lane.thread, name);
        }
        self.builder.arguments().number_threads(threads.clone());
        let completes = std::mem::take(&mut self.completes);
        let marks = std::mem::replace(&mut self.marks, Marks::new(Mark::key));
        let place = |offset| Place::offset(&self.file, offset);
        let (builder, reporter) = (&mut self.builder, self.reporter);
        let to = (&mut *builder, progress);
        building::build(&threads, completes, marks, to, reporter, &place)?;
        let flows = std::mem::take(&mut self.flows);
        let tracks = &self.tracks;
        let thread = |uuid| threads.get(tracks.get(&uuid)?.place?).copied();
        flows.build(thread, builder, reporter, &place);
        Ok(())
    }
}
