//! What a recording says of itself: names of events, build ids of files, and of simpleperf the symbols of files.
//!
//! A file has it behind its data, a pipe in records. Source: `tools/perf/Documentation/perf.data-file-format.txt`.

use std::io::{Read, Seek, SeekFrom};

use super::super::error::ImportError;
use super::super::input::Input;
use super::super::stream::Window;
use super::bytes::{Bytes, Order};
use super::header::{Header, Section};
use super::simpleperf::{self, Symbols};
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;

/// The numbers of features.
const TRACEPOINTS: u64 = 1;
const BUILD_IDS: u64 = 2;
const EVENTS: u64 = 12;
const OF_SIMPLEPERF: u64 = 128;
const SIMPLEPERF_FILES: u64 = 128;
const SIMPLEPERF_ABOUT: u64 = 129;
const SIMPLEPERF_FILES2: u64 = 132;

/// How large one may be that is read as a whole.
const LARGEST: u64 = 32 << 20;

/// A bit of a build id's header: its length is told.
const HAS_SIZE: u16 = 1 << 15;
const LONGEST_ID: usize = 20;

/// The name of an event, and the ids of its counters.
#[derive(Debug, Default)]
pub(super) struct Event {
    pub name: String,
    pub ids: Vec<u64>,
}

/// The build id of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BuildId {
    pub file: Box<[u8]>,
    pub id: Box<[u8]>,
}

#[derive(Debug, Default)]
pub(super) struct Features {
    pub events: Vec<Event>,
    /// Names of events by type and configuration, as simpleperf has them.
    pub kinds: Vec<(u32, u64, String)>,
    pub build_ids: Vec<BuildId>,
    /// Names of tracepoints that wake threads, and where among their fields the woken one is.
    pub wakeups: Vec<(&'static str, usize)>,
    pub symbols: Vec<Symbols>,
    is_simpleperf: bool,
}

impl Features {
    /// Reads those behind the data of a file; none of a pipe. O(size of the file), little of it in memory.
    pub(super) fn read(
        input: &Input,
        progress: &Progress,
        reporter: &Reporter,
    ) -> Result<Features, ImportError> {
        // What is repaired in the compression around it is told when the samples are read.
        let quiet = Reporter::new();
        let mut window = Window::open_binary(input, progress, &quiet)?;
        let mut features = Features::default();
        let header = Header::read(&mut window)?;
        let numbers = header.features();
        let Some(end) = header.data_end().filter(|_| !numbers.is_empty()) else {
            return Ok(features);
        };
        if !window.is_compressed()
            && let Some(bytes) = tail(input, end, progress)
        {
            let name = window.name().to_owned();
            window = Window::over(bytes, &name, end, progress, &quiet);
        }
        let table = numbers.len() * size_of::<Section>();
        if !pass(&mut window, end)? || !window.have(table)? {
            reporter.warn("features-missing", || window.place(end));
            return Ok(features);
        }
        let mut bytes = Bytes::new(&window.data()[..table], header.order);
        let mut sections: Vec<(u64, Section)> = numbers
            .into_iter()
            .filter_map(|number| Some((number, Section::read(&mut bytes)?)))
            .collect();
        sections.retain(|&(number, _)| {
            features.is_simpleperf |= number >= OF_SIMPLEPERF;
            is_wanted(number)
        });
        sections.sort_by_key(|(_, section)| section.offset);
        for (number, section) in sections {
            let at = section.offset;
            let is_there = at >= window.offset() && pass(&mut window, at)?;
            let is_read = is_there
                && match number {
                    SIMPLEPERF_FILES | SIMPLEPERF_FILES2 => {
                        features.files(&mut window, (number, section.size), header.order)?
                    }
                    _ if section.size > LARGEST => false,
                    _ if !window.have(section.size as usize)? => false,
                    _ => {
                        let bytes = &window.data()[..section.size as usize];
                        features.take(number, bytes, header.order);
                        true
                    }
                };
            if !is_read {
                reporter.warn("damaged-feature", || window.place(at));
            }
        }
        Ok(features)
    }

    /// Whether simpleperf wrote the recording.
    pub(super) fn is_simpleperf(&self) -> bool {
        self.is_simpleperf
    }

    /// Takes a feature.
    pub(super) fn take(&mut self, number: u64, bytes: &[u8], order: Order) {
        match number {
            TRACEPOINTS => self.wakeups = wakeups(bytes),
            EVENTS => self.events(bytes, order),
            BUILD_IDS => {
                let mut bytes = Bytes::new(bytes, order);
                while let Some((misc, size)) = build_id_header(&mut bytes)
                    && let Some(body) = bytes.take(size)
                {
                    self.build_id(misc, body, order);
                }
            }
            SIMPLEPERF_ABOUT => self.kinds = simpleperf::kinds(bytes),
            _ => {}
        }
    }

    /// Takes the names of events: their number, the size of an attribute, and for each its attribute, ids and name.
    fn events(&mut self, bytes: &[u8], order: Order) {
        let mut bytes = Bytes::new(bytes, order);
        let Some((count, size)) = bytes.u32().zip(bytes.u32()) else {
            return;
        };
        for _ in 0..count {
            let ids = bytes.take(u64::from(size)).and_then(|_| bytes.u32());
            let Some((ids, name)) = ids.zip(bytes.padded_text()) else {
                return;
            };
            let Some(ids) = bytes.take(u64::from(ids) * 8) else {
                return;
            };
            let mut ids = Bytes::new(ids, order);
            self.events.push(Event {
                name: String::from_utf8_lossy(name).into_owned(),
                ids: std::iter::from_fn(|| ids.u64()).collect(),
            });
        }
    }

    /// Takes the build id of a file: the number of a process, the id in 24 bytes, and the name.
    pub(super) fn build_id(&mut self, misc: u16, body: &[u8], order: Order) {
        const FIELD: u64 = 24;
        let mut body = Bytes::new(body, order);
        let id = body.i32().and_then(|_| body.take(FIELD));
        let Some(id) = id else {
            return;
        };
        let size = match misc & HAS_SIZE {
            0 => LONGEST_ID,
            _ => usize::from(id[LONGEST_ID]).min(LONGEST_ID),
        };
        self.build_ids.push(BuildId {
            file: body.text().into(),
            id: id[..size].into(),
        });
    }

    /// Takes the symbols of files that simpleperf found; whether all are sound.
    fn files(
        &mut self,
        window: &mut Window<'_>,
        (number, size): (u64, u64),
        order: Order,
    ) -> Result<bool, ImportError> {
        let end = window.offset().saturating_add(size);
        while window.offset() < end {
            const LENGTH: usize = 4;
            window.have(LENGTH)?;
            let length = Bytes::new(window.data(), order).u32();
            let Some(length) = length.filter(|&it| u64::from(it) <= LARGEST) else {
                return Ok(false);
            };
            let length = length as usize;
            window.consume(LENGTH);
            if !window.have(length)? {
                return Ok(false);
            }
            let bytes = &window.data()[..length];
            let symbols = match number {
                SIMPLEPERF_FILES => Symbols::of_fields(bytes, order),
                _ => Symbols::of_message(bytes),
            };
            let Some(symbols) = symbols else {
                return Ok(false);
            };
            self.symbols.push(symbols);
            window.consume(length);
        }
        Ok(true)
    }
}

fn is_wanted(number: u64) -> bool {
    const WANTED: [u64; 6] = [
        TRACEPOINTS,
        BUILD_IDS,
        EVENTS,
        SIMPLEPERF_FILES,
        SIMPLEPERF_ABOUT,
        SIMPLEPERF_FILES2,
    ];
    WANTED.contains(&number)
}

/// The tracepoints that wake threads, among the descriptions of fields that the kernel prints. Specification:
/// <https://docs.kernel.org/trace/events.html>.
fn wakeups(bytes: &[u8]) -> Vec<(&'static str, usize)> {
    const NAMES: [&str; 3] = ["sched_waking", "sched_wakeup", "sched_wakeup_new"];
    const FIELD: &[u8] = b"field:pid_t pid;\toffset:";
    let place = |name: &'static str| {
        let format = format!("name: {name}\n");
        let start = memchr::memmem::find(bytes, format.as_bytes())? + format.len();
        let rest = &bytes[start..];
        let end = memchr::memmem::find(rest, b"\nname: ").unwrap_or(rest.len());
        let field = memchr::memmem::find(&rest[..end], FIELD)? + FIELD.len();
        let digits = rest[field..].split(|byte| !byte.is_ascii_digit()).next()?;
        let place = std::str::from_utf8(digits).ok()?.parse().ok()?;
        Some((name, place))
    };
    NAMES.into_iter().filter_map(place).collect()
}

/// The word and the length of the body of a build id, which has the header of a record.
fn build_id_header(bytes: &mut Bytes<'_>) -> Option<(u16, u64)> {
    const HEADER: u64 = 8;
    bytes.u32()?;
    let (misc, size) = (bytes.u16()?, bytes.u16()?);
    Some((misc, u64::from(size).checked_sub(HEADER)?))
}

/// What a file on disk has from this place on, so that nobody has to read what is before it; `None` if it is much.
fn tail(input: &Input, start: u64, progress: &Progress) -> Option<Vec<u8>> {
    input.file()?;
    let size = input.size().ok()?.checked_sub(start)?;
    let mut file = input.seekable(progress).ok()?;
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    let read = size <= LARGEST && file.take(LARGEST).read_to_end(&mut bytes).is_ok();
    read.then_some(bytes)
}

/// Passes over everything before this place; whether it is there.
fn pass(window: &mut Window<'_>, offset: u64) -> Result<bool, ImportError> {
    while window.offset() < offset {
        let left = offset - window.offset();
        let here = (window.data().len() as u64).min(left);
        window.consume(here as usize);
        if window.offset() < offset && !window.more()? {
            return Ok(false);
        }
    }
    Ok(true)
}
