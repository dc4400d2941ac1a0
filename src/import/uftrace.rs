//! uftrace data directories. Specification: `uftrace.h`, `doc/` and, for what these leave open,
//! `utils/{data-file,session,symbol,fstack}.c` of <https://github.com/namhyung/uftrace>, versions 0.13 to 0.18.
//!
//! One directory holds `info`, `task.txt`, a map for each session, a symbol file for each executable and
//! library, for each task its records, and for each processor what the scheduler did there. Times are nanoseconds.

use std::io::Read;

use super::error::ImportError;
use super::input::Input;
use super::note;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::recording::Recording;
use callscape_facts::trace::Why;
use scheduler::Scheduler;
use symbols::Symbols;
use tasks::{Tasks, timestamp};

mod arguments;
mod gaps;
mod memory;
mod record;
mod records;
mod running;
mod scheduler;
mod symbols;
mod tasks;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "uftrace";

const MAGIC: &[u8] = b"Ftrace!\0";

/// Bytes of the header of `info` that are looked at: magic, version, size, byte order, word size, features.
const HEADER: usize = 24;

/// Whether the directory holds a uftrace recording: a file `info`, and tasks or their records.
pub(crate) fn sniff(dir: &Input) -> bool {
    let Some(head) = read_header(&dir.join("info")).ok().flatten() else {
        return false;
    };
    head.starts_with(MAGIC) || dir.join("task.txt").is_file() || !record_files(dir).is_empty()
}

/// Reads a uftrace data directory: one pass over the records of each task.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    check_header(&input.join("info"))?;
    let reporter = Reporter::new();
    let tasks = Tasks::read(input, &reporter)?;
    let mut symbols = Symbols::open(input, &tasks, &reporter)?;
    let mut builder = TraceBuilder::new(&reporter);
    let files = record_files(input);
    let Some((_, last)) = files.last() else {
        let place = Place::file(input.display().to_string());
        return Err(ImportError::malformed(
            place,
            "a file TID.dat of records",
            "none",
        ));
    };
    let mut recorded = Vec::new();
    for (tid, file) in &files {
        let of_task = records::read(
            file,
            *tid,
            &tasks,
            &mut symbols,
            &mut builder,
            &reporter,
            progress,
        )?;
        recorded.extend(Some(of_task).filter(|it| it.records > 0));
    }
    if recorded.is_empty() {
        let place = Place::file(last.display().to_string());
        return Err(ImportError::malformed(
            place,
            "records of a task",
            "an empty file",
        ));
    }
    let scheduler = Scheduler::read(input, &reporter, progress)?;
    if scheduler.is_known() {
        builder.knows_waiting();
    }
    for tid in recorded.iter().map(|it| it.tid) {
        let Some(last) = scheduler.last(tid) else {
            continue;
        };
        let thread = builder.thread(&tasks.process(tid).to_string(), &tid.to_string());
        // Calls that are open at the end have lasted until then, unless recording had stopped before.
        let (_, is_off) = tasks.switches_of(tid);
        if !is_off {
            builder.seen(thread, timestamp(last));
        }
        for absence in scheduler.absences(tid) {
            let times = (timestamp(absence.start), timestamp(absence.end));
            let why = match absence.is_preempted {
                true => Why::Preempted,
                false => Why::Voluntary,
            };
            builder.wait(thread, times, None, why);
        }
    }
    count_left_out(input, &reporter);
    let mut of_memory = memory::Reading::begin(input, &reporter);
    if let Some(reading) = &mut of_memory {
        for (tid, file) in &files {
            reading.read((file, *tid), &tasks, &mut symbols, &mut builder, progress)?;
        }
    }
    if let Some(mut reading) = arguments::Reading::begin(input, &reporter) {
        for (tid, file) in &files {
            reading.read((file, *tid), &tasks, &mut symbols, &mut builder, progress)?;
        }
    }
    let place = || Place::file(last.display().to_string());
    let (functions, trace) = builder.finish(place);
    let end = trace.range().end;
    let memory = of_memory.and_then(|it| it.finish(trace.origin(), end, place));
    let left_out = note::read(input, &reporter).left_out;
    let gaps = gaps::find(&recorded, &tasks, trace.origin()).before(end);
    let warnings = reporter.warnings();
    let calls = (functions, trace);
    let recording = Recording::of_calls(input, FORMAT, None, calls, warnings);
    Ok(Recording {
        memory,
        left_out,
        gaps,
        ..recording
    })
}

/// The start of `info`; none when it is too short to be one.
fn read_header(info: &Input) -> std::io::Result<Option<[u8; HEADER]>> {
    let mut header = [0; HEADER];
    match info.open(&Progress::new())?.read_exact(&mut header) {
        Ok(()) => Ok(Some(header)),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Checks that `info` describes records that can be read here.
fn check_header(info: &Input) -> Result<(), ImportError> {
    let wrong = |offset, expected: &str, found: String| {
        let place = Place::offset(info.display().to_string(), offset);
        Err(ImportError::malformed(place, expected, found))
    };
    let header = read_header(info).map_err(|error| ImportError::io(info, error))?;
    let Some(header) = header else {
        return wrong(
            0,
            "the header of uftrace's info file",
            "a shorter file".into(),
        );
    };
    if !header.starts_with(MAGIC) {
        let found = header[..MAGIC.len()].escape_ascii().to_string();
        return wrong(0, "'Ftrace!'", format!("'{found}'"));
    }
    match header[14] {
        1 => {}
        2 => return wrong(14, "little-endian data", "big-endian data".into()),
        other => return wrong(14, "a byte order, 1 or 2", other.to_string()),
    }
    let version = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
    if !(3..=5).contains(&version) {
        return wrong(8, "a format version from 3 to 5", version.to_string());
    }
    Ok(())
}

/// The files of records with their task's number, in order of it.
fn record_files(dir: &Input) -> Vec<(u32, Input)> {
    let entries = dir.entries().unwrap_or_default();
    let mut files: Vec<(u32, Input)> = entries
        .into_iter()
        .filter_map(|entry| {
            let name = entry.file_name()?.to_str()?;
            let tid = name.strip_suffix(".dat")?.parse().ok()?;
            Some((tid, entry))
        })
        .collect();
    files.sort_by_key(|(tid, _)| *tid);
    files
}

/// Counts the files whose events are not shown: those of the kernel, of other programs.
fn count_left_out(dir: &Input, reporter: &Reporter) {
    for path in dir.entries().unwrap_or_default() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let empty = path.size().is_ok_and(|size| size == 0);
        let kind = if empty {
            continue;
        } else if name.starts_with("kernel-cpu") && name.ends_with(".dat") {
            "kernel-events-not-shown"
        } else if name == "extern.dat" {
            "external-events-not-shown"
        } else {
            continue;
        };
        reporter.warn(kind, || Place::file(path.display().to_string()));
    }
}
