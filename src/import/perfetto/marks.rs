//! The marks that programs have written into the trace of the kernel (`ftrace/ftrace.proto`), and the threads that have
//! written them (`ps/process_tree.proto`).

use super::reader::Reader;
use crate::atrace::{self, Mark};
use crate::chrome::nesting::What;
use crate::chrome::spellings::Name;
use crate::protobuf::{Fields, Value};
use callscape_facts::names::NameId;

/// Tracks that no descriptor describes: those of threads, and the lanes of what belongs to none. Writers draw the numbers
/// of theirs at random or count them.
const THREADS: u64 = 0x6361_6c6c << 32;
const LANES: u64 = 0x7363_6170 << 32;

impl Reader<'_> {
    /// Takes what a thread has printed.
    pub(super) fn print(&mut self, thread: u64, time: i64, print: &[u8]) {
        let text = Fields::new(print).find(|(number, _)| *number == 2);
        let text = text.and_then(|(_, value)| value.bytes());
        let text = String::from_utf8_lossy(text.unwrap_or_default());
        let (track, name) = match atrace::mark(&text) {
            Some(Mark::Begin { process, name }) => (self.thread_track(thread, process), Some(name)),
            Some(Mark::End) => (self.thread_track(thread, ""), None),
            Some(Mark::Async {
                begins,
                process,
                name,
                key,
            }) => match self.async_lanes.lane(begins, process, key) {
                Some(lane) => (self.lane_track(lane, process), begins.then_some(name)),
                None => return self.warn("end-without-begin"),
            },
            Some(Mark::Other) | None => return self.warn("event-not-shown"),
        };
        let Some(place) = self.lane(track) else {
            return self.warn("too-many-tracks");
        };
        let what = match name {
            Some(name) => {
                let name = self.text(name.as_bytes());
                let function = self.function((name, NameId::EMPTY, 0));
                What::Begin(Name::from_index(name.0), function)
            }
            None => What::End(None),
        };
        self.mark(time, place, what);
    }

    /// The track of a thread, made where it has none; of the process that is named where it is not known.
    fn thread_track(&mut self, thread: u64, process: &str) -> u64 {
        if let Some(&known) = self.thread_tracks.get(&thread) {
            return known;
        }
        let described = self.tracks.iter();
        let mut described = described.filter(|(_, track)| track.thread == Some(thread));
        let uuid = described.next().map_or(THREADS | thread, |(&uuid, _)| uuid);
        let track = self.tracks.entry(uuid).or_default();
        track.thread = Some(thread);
        track.process = track.process.or_else(|| process.parse().ok());
        self.thread_tracks.insert(thread, uuid);
        uuid
    }

    fn lane_track(&mut self, lane: u32, process: &str) -> u64 {
        let process: u64 = process.parse().unwrap_or_default();
        let uuid = LANES ^ process << 16 ^ u64::from(lane);
        let track = self.tracks.entry(uuid).or_default();
        track.process = Some(process);
        track.name = format!("async {lane}");
        uuid
    }

    /// Takes the names of processes and threads.
    pub(super) fn process_tree(&mut self, tree: &[u8]) {
        for (number, value) in Fields::new(tree) {
            let Value::Bytes(message) = value else {
                continue;
            };
            let (mut id, mut process, mut name) = (0, None, String::new());
            for (field, value) in Fields::new(message) {
                match (number, field, value) {
                    (1 | 2, 1, Value::Number(number)) => id = number,
                    (2, 3, Value::Number(number)) => process = Some(number),
                    // Of a process the first word of its command line.
                    (1, 3, Value::Bytes(bytes)) | (2, 2, Value::Bytes(bytes))
                        if name.is_empty() =>
                    {
                        name = String::from_utf8_lossy(bytes).into();
                    }
                    _ => {}
                }
            }
            if number == 1 {
                process = Some(id);
            }
            if id == 0 || !(1..=2).contains(&number) {
                continue;
            }
            let uuid = self.thread_track(id, "");
            let track = self.tracks.entry(uuid).or_default();
            track.process = track.process.or(process);
            if track.name.is_empty() {
                track.name = name;
            }
        }
    }
}
