//! The index file: a recording as it lies in memory, to be mapped and asked at once.
//!
//! A header, the blocks and summaries in the order in which the import wrote them, the arguments of calls, and the tail: tables
//! that lead to these, functions, threads and what the importer wants to remember; packed where it is small, mapped
//! where it is large. The tail is followed by answers about all calls (`trace::appendix`). Header and tail are
//! compared with their checksums when the file is opened, every block and summary when it is first
//! read, or all at once. Numbers are little-endian; on a machine that is not, an index does not fit.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytemuck::{Pod, Zeroable};

use super::functions::{Function, Functions};
use super::lines::Lines;
use super::memory::Memory;
use super::trace::answers::Answers;
use super::trace::arguments::Arguments;
use super::trace::entries::{BlockEntry, LongestCall, MetricsRow, NodeEntry, OpenCall, Pair};
use super::trace::links::{LinkLengths, Links, ThreadLinks};
use super::trace::mapped;
use super::trace::raw_call::BLOCK;
use super::trace::storage::{self, Bytes, Table};
use super::trace::store::{Checks, Store, ThreadTables};
use super::trace::waiting::{Lengths, ThreadWaiting, Waiting};
use super::trace::writer::HEADER;
use super::trace::{Thread, Trace, runs};
use super::weighed::Weighed;
use callscape_base::files::Temporary;
use callscape_base::units::Time;

/// The first bytes of every index file. As in PNG, the first is no text and the line ends tell of
/// transfers that change these.
pub const MAGIC: [u8; 8] = *b"\x89CSCAPE\n";
/// Changes with every change of what the file holds.
pub const VERSION: u32 = 18;
/// Difference between this version and the one before, for people.
pub const CHANGED: &str = "arguments of calls and contexts by call site are kept";
const BYTE_ORDER: u32 = 0x0102_0304;
/// Tails up to this size are packed: all of one is unpacked in less than a millisecond.
const PACKED: usize = 512 << 10;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    byte_order: u32,
    /// Of what the recording was read from.
    fingerprint: u64,
    tail_at: u64,
    tail_bytes: u64,
    /// Calls in a block.
    block: u32,
    tail_checksum: u32,
    /// 1 when the costs of all calls add up to more than a number can hold.
    overflows: u32,
    /// What the tail takes unpacked; 0 where it is not packed.
    unpacked: u32,
    reserved: u32,
    /// Of all before it.
    checksum: u32,
}

const _: () = assert!(size_of::<Header>() == HEADER);

impl Header {
    fn sum(&self) -> u32 {
        crc32fast::hash(&bytemuck::bytes_of(self)[..HEADER - size_of::<u32>()])
    }
}

/// The tail begins with the number of bytes of each section; each starts at a multiple of 8.
#[derive(Clone, Copy)]
enum Section {
    Note,
    Text,
    TextLengths,
    Functions,
    Threads,
    Pairs,
    Metrics,
    Blocks,
    Open,
    Groups,
    Checkpoints,
    Longest,
    LongestEnds,
    Runs,
    /// By thread; empty where the recording does not know when threads wait.
    WaitingLengths,
    Waits,
    Waiters,
    WaitPieces,
    WaitSums,
    WaitSumEnds,
    /// By thread; empty where there are no links.
    LinkLengths,
    LinkPairs,
    Links,
    LinkSums,
    LinkSumEnds,
    /// Empty where nothing is known of memory.
    Memory,
    /// Empty where nothing is known of lines.
    Lines,
    /// Empty unless samples have weights.
    Weighed,
    /// The directory of the arguments of calls, which lie between the calls and the tail; empty where there are none.
    Arguments,
}

const SECTIONS: usize = Section::Arguments as usize + 1;

/// Texts by their place among all.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct FunctionRow {
    name: u32,
    file: u32,
    library: u32,
    line: u32,
    column: u32,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct ThreadRow {
    start: u64,
    end: u64,
    id: u32,
    process: u32,
    name: u32,
    lane: u32,
    max_depth: u32,
    calls: u32,
    blocks: u32,
    open: u32,
    groups: u32,
    checkpoints: u32,
    longest: u32,
    longest_ends: u32,
    runs: u32,
    unused: u32,
}

/// What an index file holds.
#[derive(Debug)]
pub struct Contents {
    pub functions: Functions,
    pub trace: Trace,
    pub memory: Option<Memory>,
    pub lines: Option<Lines>,
    pub weighed: Option<Weighed>,
    /// What the importer wanted to remember.
    pub note: Vec<u8>,
    /// Of what the recording was read from.
    pub fingerprint: u64,
}

/// Why an index file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("expected a Callscape index, found other bytes")]
    Other,
    #[error("expected a Callscape index of version {VERSION}, found one of version {0}")]
    Version(u32),
    #[error("expected an intact Callscape index, found damage in its {0}")]
    Damaged(&'static str),
}

/// What was recorded besides calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    pub memory: Option<&'a Memory>,
    pub lines: Option<&'a Lines>,
    pub weighed: Option<&'a Weighed>,
}

/// Texts one after the other, each once.
#[derive(Default)]
struct Texts<'a> {
    text: Vec<u8>,
    lengths: Vec<u32>,
    places: HashMap<&'a str, u32>,
}

impl<'a> Texts<'a> {
    fn place(&mut self, text: &'a str) -> u32 {
        *self.places.entry(text).or_insert_with(|| {
            self.text.extend_from_slice(text.as_bytes());
            self.lengths.push(text.len() as u32);
            self.lengths.len() as u32 - 1
        })
    }
}

fn tail(
    functions: &Functions,
    store: &Store,
    beside: Beside<'_>,
    note: &[u8],
    arguments_at: u64,
) -> io::Result<Vec<u8>> {
    let mut texts = Texts::default();
    let function_rows: Vec<FunctionRow> = functions
        .ids()
        .map(|id| {
            let function = functions.get(id);
            FunctionRow {
                name: texts.place(function.name),
                file: texts.place(function.file),
                library: texts.place(function.library),
                line: function.line,
                column: functions.column(id),
            }
        })
        .collect();
    let threads = store.infos.iter().zip(&store.threads);
    let thread_rows: Vec<ThreadRow> = threads
        .map(|(info, tables)| ThreadRow {
            start: info.start.ns(),
            end: info.end.ns(),
            id: texts.place(&info.id),
            process: texts.place(&info.process),
            name: texts.place(&info.name),
            lane: info.lane,
            max_depth: info.max_depth,
            calls: tables.calls,
            blocks: tables.blocks.len() as u32,
            open: tables.open.len() as u32,
            groups: tables.groups.len() as u32,
            checkpoints: tables.checkpoints.len() as u32,
            longest: tables.longest.len() as u32,
            longest_ends: tables.longest_ends.len() as u32,
            runs: tables.runs.len() as u32,
            unused: 0,
        })
        .collect();
    fn bytes<T: Pod>(rows: &[T]) -> Vec<&[u8]> {
        vec![bytemuck::cast_slice(rows)]
    }
    fn all<T: Pod>(store: &Store, table: fn(&ThreadTables) -> &Table<T>) -> Vec<&[u8]> {
        let tables = store.threads.iter();
        tables
            .map(|tables| bytemuck::cast_slice(table(tables)))
            .collect()
    }
    fn waiting<T: Pod>(store: &Store, table: fn(&ThreadWaiting) -> &Table<T>) -> Vec<&[u8]> {
        let threads = store.waiting.iter().flat_map(|waiting| &waiting.threads);
        threads
            .map(|thread| bytemuck::cast_slice(table(thread)))
            .collect()
    }
    fn links<T: Pod>(store: &Store, table: fn(&ThreadLinks) -> &Table<T>) -> Vec<&[u8]> {
        let threads = store.links.threads.iter();
        threads
            .map(|thread| bytemuck::cast_slice(table(thread)))
            .collect()
    }
    let lengths_of_links = store.links.threads.iter().map(ThreadLinks::lengths);
    let link_lengths: Vec<LinkLengths> = lengths_of_links.collect();
    let lengths = store.waiting.iter().flat_map(|waiting| &waiting.threads);
    let lengths: Vec<Lengths> = lengths.map(ThreadWaiting::lengths).collect();
    let memory = beside.memory.map(Memory::to_bytes).transpose()?;
    let of_lines = beside.lines.map(Lines::to_bytes).transpose()?;
    let weighed = beside.weighed.map(Weighed::to_bytes).transpose()?;
    let arguments = store.arguments.directory(arguments_at);
    // In the order of `Section`.
    let sections: [Vec<&[u8]>; SECTIONS] = [
        vec![note],
        vec![&texts.text],
        bytes(&texts.lengths),
        bytes(&function_rows),
        bytes(&thread_rows),
        bytes(&store.pairs),
        bytes(&store.metrics),
        all(store, |tables| &tables.blocks),
        all(store, |tables| &tables.open),
        all(store, |tables| &tables.groups),
        all(store, |tables| &tables.checkpoints),
        all(store, |tables| &tables.longest),
        all(store, |tables| &tables.longest_ends),
        all(store, |tables| &tables.runs),
        bytes(&lengths),
        waiting(store, |thread| &thread.waits),
        waiting(store, |thread| &thread.waiters),
        waiting(store, |thread| &thread.pieces),
        waiting(store, |thread| &thread.sums),
        waiting(store, |thread| &thread.sum_ends),
        bytes(&link_lengths),
        bytes(&store.links.pairs),
        links(store, |thread| &thread.rows),
        links(store, |thread| &thread.sums),
        links(store, |thread| &thread.sum_ends),
        vec![memory.as_deref().unwrap_or_default()],
        vec![of_lines.as_deref().unwrap_or_default()],
        vec![weighed.as_deref().unwrap_or_default()],
        vec![&arguments],
    ];
    let mut tail = Vec::new();
    for section in &sections {
        let bytes: usize = section.iter().map(|part| part.len()).sum();
        tail.extend_from_slice(&(bytes as u64).to_le_bytes());
    }
    for section in &sections {
        for part in section {
            tail.extend_from_slice(part);
        }
        tail.resize(tail.len().next_multiple_of(8), 0);
    }
    Ok(tail)
}

/// Writes an index file: beside, and renamed to `path` when it is whole and on disk.
pub fn write(
    path: &Path,
    functions: &Functions,
    trace: &Trace,
    beside: Beside<'_>,
    note: &[u8],
    fingerprint: u64,
) -> io::Result<()> {
    let store = trace.store();
    let data = &store.data;
    let arguments = store.arguments.blocks();
    let arguments_at = data.len().max(HEADER).next_multiple_of(8);
    let mut tail = tail(functions, store, beside, note, arguments_at as u64)?;
    let appendix = store.appendix()?;
    let mut unpacked = 0;
    if tail.len() <= PACKED {
        unpacked = tail.len() as u32;
        tail = zstd::bulk::compress(&tail, 0)?;
    }
    let tail_at = (arguments_at + arguments.len()).next_multiple_of(8);
    let mut header = Header {
        magic: MAGIC,
        version: VERSION,
        byte_order: BYTE_ORDER,
        fingerprint,
        tail_at: tail_at as u64,
        tail_bytes: tail.len() as u64,
        block: BLOCK as u32,
        tail_checksum: crc32fast::hash(&tail),
        overflows: u32::from(store.overflows),
        unpacked,
        reserved: 0,
        checksum: 0,
    };
    header.checksum = header.sum();
    let finish = |file: &mut File| {
        file.seek(SeekFrom::Start(arguments_at as u64))?;
        storage::write(file, arguments_at as u64, arguments)?;
        file.seek(SeekFrom::Start(tail_at as u64))?;
        storage::write(file, tail_at as u64, &tail)?;
        let end = (tail_at + tail.len()) as u64;
        file.write_all(&vec![0; (end.next_multiple_of(8) - end) as usize])?;
        storage::write(file, end.next_multiple_of(8), &appendix)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(bytemuck::bytes_of(&header))
    };
    // The import's own file becomes the index when a name in `dir` can be given to it.
    let spilled = store.temporary.lock().ok().and_then(|mut file| file.take());
    if let Some(mut spilled) = spilled {
        finish(&mut spilled.file)?;
        match spilled.keep_as(path) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
            result => return result,
        }
    }
    let mut temporary = Temporary::beside(path)?;
    storage::write(&mut temporary.file, 0, data)?;
    finish(&mut temporary.file)?;
    temporary.keep_as(path)
}

/// Opens an index file. `check_all` compares all of it with its checksums now; otherwise blocks and
/// summaries are compared when they are first read.
pub fn open(path: &Path, check_all: bool) -> Result<Contents, IndexError> {
    let bytes = Bytes::open(path)?;
    let head = bytes.first_chunk::<HEADER>().ok_or(IndexError::Other)?;
    let header: Header = bytemuck::pod_read_unaligned(head);
    if header.magic != MAGIC {
        return Err(IndexError::Other);
    }
    if header.version != VERSION || header.byte_order != BYTE_ORDER {
        return Err(IndexError::Version(header.version));
    }
    if header.checksum != header.sum() || header.block != BLOCK as u32 {
        return Err(IndexError::Damaged("header"));
    }
    let range = |at: u64, len: u64| {
        let (at, len) = (usize::try_from(at).ok()?, usize::try_from(len).ok()?);
        Some(at..at.checked_add(len)?)
    };
    let tail_range = range(header.tail_at, header.tail_bytes);
    let tail_range = tail_range.filter(|range| range.end <= bytes.len());
    let tail_range = tail_range.ok_or(IndexError::Damaged("length"))?;
    let tail = &bytes[tail_range.clone()];
    if crc32fast::hash(tail) != header.tail_checksum {
        return Err(IndexError::Damaged("tables"));
    }
    let damaged = || IndexError::Damaged("tables");
    let appendix_at = tail_range.end;
    let mut contents = match usize::try_from(header.unpacked) {
        Ok(0) => read_tail(&bytes, &bytes, tail_range, &header),
        Ok(unpacked) => {
            let len = Some(unpacked).filter(|&len| len <= PACKED);
            let tail = len.and_then(|len| Bytes::unpack(tail, len));
            let tail = tail.ok_or_else(damaged)?;
            read_tail(&bytes, &tail, 0..unpacked, &header)
        }
        Err(_) => None,
    }
    .ok_or_else(damaged)?;
    contents
        .trace
        .learn_answers(Answers::read(&bytes, appendix_at));
    if check_all && !contents.trace.store().check_all() {
        return Err(IndexError::Damaged("calls"));
    }
    Ok(contents)
}

/// The tables in `tail` of `bytes`, of calls in `data`; none when they do not belong together.
fn read_tail(data: &Bytes, bytes: &Bytes, tail: Range<usize>, header: &Header) -> Option<Contents> {
    let mut sections: [Range<usize>; SECTIONS] = Default::default();
    let mut at = tail.start.checked_add(SECTIONS * size_of::<u64>())?;
    for (i, section) in sections.iter_mut().enumerate() {
        let length = bytes
            .get(tail.start + i * size_of::<u64>()..)?
            .first_chunk()?;
        let end = at.checked_add(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        *section = at..end;
        at = end.checked_next_multiple_of(8)?;
    }
    if at != tail.end {
        return None;
    }
    let section = |section: Section| sections[section as usize].clone();
    let rest = &mut bytes.get(section(Section::Text))?;
    let mut texts = Vec::new();
    for &length in Table::<u32>::part(bytes, section(Section::TextLengths))?.iter() {
        let (text, others) = rest.split_at_checked(length as usize)?;
        *rest = others;
        texts.push(std::str::from_utf8(text).ok()?);
    }
    let text = |place: u32| texts.get(place as usize).copied();
    let functions = read_functions(bytes, section(Section::Functions), &texts)?;
    let mut store = Store {
        data: data.clone(),
        checks: Some(Checks::new(data.len()).into()),
        functions: functions.len(),
        pairs: Table::<Pair>::part(bytes, section(Section::Pairs))?,
        metrics: Table::<MetricsRow>::part(bytes, section(Section::Metrics))?,
        overflows: header.overflows != 0,
        ..Store::default()
    };
    let mut blocks = Parts::<BlockEntry>::new(bytes, section(Section::Blocks));
    let mut open = Parts::<OpenCall>::new(bytes, section(Section::Open));
    let mut groups = Parts::<NodeEntry>::new(bytes, section(Section::Groups));
    let mut checkpoints = Parts::<NodeEntry>::new(bytes, section(Section::Checkpoints));
    let mut longest = Parts::<LongestCall>::new(bytes, section(Section::Longest));
    let mut longest_ends = Parts::<u32>::new(bytes, section(Section::LongestEnds));
    let mut run_pages = Parts::<NodeEntry>::new(bytes, section(Section::Runs));
    for row in Table::<ThreadRow>::part(bytes, section(Section::Threads))?.iter() {
        let blocks_needed = (row.calls as usize).div_ceil(BLOCK);
        let has_pages = row.runs == 0 || row.runs == runs::pages(row.calls);
        if row.blocks as usize != blocks_needed || !has_pages {
            return None;
        }
        store.infos.push(Thread {
            id: text(row.id)?.to_owned(),
            process: text(row.process)?.to_owned(),
            name: text(row.name)?.to_owned(),
            lane: row.lane,
            calls: u64::from(row.calls),
            max_depth: row.max_depth,
            start: Time::from_ns(row.start),
            end: Time::from_ns(row.end),
        });
        store.threads.push(ThreadTables {
            calls: row.calls,
            blocks: blocks.next(row.blocks)?,
            open: open.next(row.open)?,
            groups: groups.next(row.groups)?,
            checkpoints: checkpoints.next(row.checkpoints)?,
            longest: longest.next(row.longest)?,
            longest_ends: longest_ends.next(row.longest_ends)?,
            runs: run_pages.next(row.runs)?,
        });
    }
    store.waiting = read_waiting(bytes, &sections)?;
    let threads = store.waiting.as_ref().map(|waiting| waiting.threads.len());
    if threads.is_some_and(|threads| threads != store.threads.len()) {
        return None;
    }
    store.links = read_links(bytes, &sections)?;
    if ![0, store.threads.len()].contains(&store.links.threads.len()) {
        return None;
    }
    let directory = (bytes, section(Section::Arguments));
    store.arguments = Arguments::read(directory, data, &store.threads)?;
    let note = bytes.get(section(Section::Note))?.to_vec();
    let memory = match section(Section::Memory) {
        nothing if nothing.is_empty() => None,
        range => Some(Memory::from_bytes(bytes, range)?),
    };
    let lines = match section(Section::Lines) {
        nothing if nothing.is_empty() => None,
        range => Some(Lines::from_bytes(bytes, range, functions.len())?),
    };
    let weighed = match section(Section::Weighed) {
        nothing if nothing.is_empty() => None,
        range => {
            let counts = (functions.len(), store.infos.len());
            Some(Weighed::from_bytes(bytes, range, counts)?)
        }
    };
    Some(Contents {
        functions,
        trace: Trace::new(store),
        memory,
        lines,
        weighed,
        note,
        fingerprint: header.fingerprint,
    })
}

/// The functions; none when two of them are one, or a text is not there.
fn read_functions(bytes: &Bytes, section: Range<usize>, texts: &[&str]) -> Option<Functions> {
    let text = |place: u32| texts.get(place as usize).copied();
    let mut functions = Functions::default();
    for row in Table::<FunctionRow>::part(bytes, section)?.iter() {
        let next = functions.len();
        let function = Function {
            name: text(row.name)?,
            file: text(row.file)?,
            line: row.line,
            library: text(row.library)?,
        };
        let id = functions.intern_at(function, row.column);
        if id.index() != next {
            return None;
        }
    }
    Some(functions)
}

/// What is known of waiting, which may be nothing; the outer none when the tables do not belong together.
fn read_waiting(bytes: &Bytes, sections: &[Range<usize>; SECTIONS]) -> Option<Option<Waiting>> {
    let section = |section: Section| sections[section as usize].clone();
    let lengths = Table::<Lengths>::part(bytes, section(Section::WaitingLengths))?;
    let mut waits = Parts::new(bytes, section(Section::Waits));
    let mut waiters = Parts::new(bytes, section(Section::Waiters));
    let mut pieces = Parts::new(bytes, section(Section::WaitPieces));
    let mut sums = Parts::new(bytes, section(Section::WaitSums));
    let mut sum_ends = Parts::new(bytes, section(Section::WaitSumEnds));
    let threads = lengths.iter().map(|of| {
        Some(ThreadWaiting {
            waits: waits.next(of.waits)?,
            waiters: waiters.next(of.waiters)?,
            pieces: pieces.next(of.pieces)?,
            sums: sums.next(of.sums)?,
            sum_ends: sum_ends.next(of.sum_ends)?,
        })
    });
    let threads = threads.collect::<Option<Vec<_>>>()?;
    Some((!threads.is_empty()).then_some(Waiting { threads }))
}

/// The links, which may be none; none when the tables do not belong together.
fn read_links(bytes: &Bytes, sections: &[Range<usize>; SECTIONS]) -> Option<Links> {
    let section = |section: Section| sections[section as usize].clone();
    let lengths = Table::<LinkLengths>::part(bytes, section(Section::LinkLengths))?;
    let mut rows = Parts::new(bytes, section(Section::Links));
    let mut sums = Parts::new(bytes, section(Section::LinkSums));
    let mut sum_ends = Parts::new(bytes, section(Section::LinkSumEnds));
    let threads = lengths.iter().map(|of| {
        Some(ThreadLinks {
            rows: rows.next(of.rows)?,
            sums: sums.next(of.sums)?,
            sum_ends: sum_ends.next(of.sum_ends)?,
        })
    });
    Some(Links {
        threads: threads.collect::<Option<_>>()?,
        pairs: Table::<Pair>::part(bytes, section(Section::LinkPairs))?,
    })
}

/// A section cut into tables.
struct Parts<'a, T> {
    bytes: &'a Bytes,
    rest: Range<usize>,
    rows: std::marker::PhantomData<T>,
}

impl<'a, T: Pod> Parts<'a, T> {
    fn new(bytes: &'a Bytes, rest: Range<usize>) -> Parts<'a, T> {
        Parts {
            bytes,
            rest,
            rows: std::marker::PhantomData,
        }
    }

    fn next(&mut self, rows: u32) -> Option<Table<T>> {
        let length = (rows as usize).checked_mul(size_of::<T>())?;
        let end = self.rest.start.checked_add(length)?;
        if end > self.rest.end {
            return None;
        }
        let part = Table::part(self.bytes, self.rest.start..end);
        self.rest.start = end;
        part
    }
}

/// Whether an index that is in use has become shorter than it was when it was opened, and that was met with.
pub fn was_cut() -> bool {
    mapped::any_was_cut()
}

/// Where the indexes of recordings go whose own folder cannot be written; none where the user has no
/// cache directory.
pub fn cache_dir() -> Option<PathBuf> {
    storage::cache_dir()
}
