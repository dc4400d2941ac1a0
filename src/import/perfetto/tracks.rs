//! The tracks of a Perfetto trace, and the threads of the recording that those with events are.

use super::reader::{Lane, Reader, Track};
use crate::chrome::nesting::OpenBegins;
use crate::protobuf::{Fields, Value};
use callscape_base::units::ThreadId;

/// How many tracks may have events: this many, and one for each so many bytes before. A track takes some kilobytes.
const FREE_TRACKS: u64 = 32 << 10;
const LEAST_OF_TRACK: u64 = 48;

impl Reader<'_> {
    pub(super) fn descriptor(&mut self, descriptor: &[u8]) {
        let mut uuid = 0;
        let mut track = Track::default();
        for (number, value) in Fields::new(descriptor) {
            match (number, value) {
                (1, Value::Number(number)) => uuid = number,
                (5, Value::Number(number)) => track.parent = Some(number),
                (2 | 10, Value::Bytes(bytes)) => track.name = String::from_utf8_lossy(bytes).into(),
                (3 | 4, Value::Bytes(message)) => {
                    let thread = number == 4;
                    for (number, value) in Fields::new(message) {
                        match (number, value) {
                            (1, Value::Number(pid)) => track.process = Some(pid),
                            (2, Value::Number(tid)) if thread => track.thread = Some(tid),
                            (5, Value::Bytes(name)) if thread => {
                                track.name = String::from_utf8_lossy(name).into();
                            }
                            (6, Value::Bytes(name)) if !thread && track.name.is_empty() => {
                                track.name = String::from_utf8_lossy(name).into();
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        let known = self.tracks.entry(uuid).or_default();
        // Written again and again.
        track.place = known.place;
        *known = track;
    }

    /// The place of a track that has an event; none where the file can have no further one honestly.
    #[inline]
    pub(super) fn lane(&mut self, uuid: u64) -> Option<usize> {
        if self
            .lanes
            .get(self.lane)
            .is_none_or(|lane| lane.uuid != uuid)
        {
            let known = self.tracks.get(&uuid).and_then(|track| track.place);
            self.lane = match known {
                Some(known) => known,
                None if self.lanes.len() as u64 >= FREE_TRACKS + self.offset / LEAST_OF_TRACK => {
                    return None;
                }
                None => self.new_lane(uuid),
            };
        }
        Some(self.lane)
    }

    fn new_lane(&mut self, uuid: u64) -> usize {
        let place = self.lanes.len();
        self.tracks.entry(uuid).or_default().place = Some(place);
        let (process, id) = self.thread_of(uuid);
        self.known.insert((process.clone(), id.clone()));
        self.lanes.push(Lane {
            uuid,
            thread: match self.sorts {
                true => ThreadId(0),
                false => self.builder.thread(&process, &id),
            },
            process,
            id,
            last: None,
            open: OpenBegins::default(),
        });
        place
    }

    /// The process and the id of a track's thread, by what is known of it and of those before it.
    pub(super) fn thread_of(&self, uuid: u64) -> (String, String) {
        let process = self.process_of(uuid).map(|process| process.to_string());
        let process = process.unwrap_or_default();
        let thread = self.tracks.get(&uuid).and_then(|track| track.thread);
        let thread = thread.map(|id| (process.clone(), id.to_string()));
        let thread = thread.filter(|thread| !self.known.contains(thread));
        thread.unwrap_or_else(|| (process, format!("track {uuid:x}")))
    }

    /// The process of a track or of those around it.
    pub(super) fn process_of(&self, uuid: u64) -> Option<u64> {
        /// Tracks lie a few levels deep; a circle ends here.
        const MOST_AROUND: usize = 16;
        let mut track = self.tracks.get(&uuid)?;
        for _ in 0..MOST_AROUND {
            if track.process.is_some() {
                return track.process;
            }
            track = self.tracks.get(&track.parent?)?;
        }
        None
    }
}
