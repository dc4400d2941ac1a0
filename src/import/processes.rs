//! Recordings of processes that ran at the same time, a file each, as one recording.
//!
//! They are one when the files say so, by all of these: they lie in one directory, under names that differ only in
//! the number of the process that each of them holds; they are of one format and kind; and their times, which are
//! of one clock, overlap. Runs of a program one after the other have such names too, but other times. Times
//! that begin near zero are counted from each file's own start: nothing tells how these lie to each other, so the
//! files are runs of their own, and so are all that have other names, such as those of a compiler for each source.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::error::ImportError;
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, FunctionId, ThreadId, Time};
use callscape_base::warnings::{Place, Reporter, Warning};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::lines::{Knows, Lines, LinesBuilder};
use callscape_facts::recording::{Recording, RecordingKind};
use callscape_facts::trace::LinkEnd;

/// Clocks that machines share have run for longer than this, in nanoseconds; times from a recording's own start begin
/// before it.
const OWN_START: i64 = 1_000_000_000;

/// How many calls are taken at once.
const BATCH: u32 = 4096;

/// What files of one run have in common: their directory, their names before and behind the number, their format
/// and kind.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Series {
    folder: Option<PathBuf>,
    before: String,
    behind: String,
    format: &'static str,
    sampled: bool,
}

/// A recording with its inputs.
pub(crate) type Joined = (Vec<Input>, Arc<Recording>);

/// Puts those of `opened` together that are of one run, in the order of their first inputs, each with all of its inputs.
/// `merged` merges several.
pub(crate) fn join(
    opened: Vec<(Input, Arc<Recording>)>,
    merged: impl Fn(&[Input], &[Arc<Recording>]) -> Result<Arc<Recording>, ImportError>,
) -> Result<Vec<Joined>, ImportError> {
    let first = firsts(&opened);
    let mut runs: BTreeMap<usize, Vec<(Input, Arc<Recording>)>> = BTreeMap::new();
    for (opened, first) in opened.into_iter().zip(first) {
        runs.entry(first).or_default().push(opened);
    }
    let join = |run: Vec<(Input, Arc<Recording>)>| {
        let (inputs, recordings): (Vec<Input>, Vec<Arc<Recording>>) = run.into_iter().unzip();
        let joined = match recordings.as_slice() {
            [alone] => Arc::clone(alone),
            several => merged(&inputs, several)?,
        };
        Ok((inputs, joined))
    };
    runs.into_values().map(join).collect()
}

/// Whether all of `opened` are of one run.
pub(crate) fn are_one(opened: &[(Input, Arc<Recording>)]) -> bool {
    opened.len() > 1 && firsts(opened).iter().all(|&first| first == 0)
}

/// By recording, the first one of its run.
fn firsts(opened: &[(Input, Arc<Recording>)]) -> Vec<usize> {
    let mut series: BTreeMap<Series, Vec<usize>> = BTreeMap::new();
    for (number, (input, recording)) in opened.iter().enumerate() {
        if let Some(of) = series_of(input, recording) {
            series.entry(of).or_default().push(number);
        }
    }
    let mut first: Vec<usize> = (0..opened.len()).collect();
    for mut numbers in series.into_values() {
        numbers.sort_by_key(|&number| opened[number].1.trace.origin());
        let mut runs: Vec<(i64, Vec<usize>)> = Vec::new();
        for number in numbers {
            let trace = &opened[number].1.trace;
            let end = trace
                .origin()
                .saturating_add_unsigned(trace.duration().ns());
            match runs.last_mut() {
                Some((latest, run)) if trace.origin() < *latest => {
                    *latest = end.max(*latest);
                    run.push(number);
                }
                _ => runs.push((end, vec![number])),
            }
        }
        for (_, run) in runs {
            let recordings = run.iter().map(|&number| &*opened[number].1);
            let Some(&least) = run.iter().min().filter(|_| are_distinct(recordings)) else {
                continue;
            };
            for number in run {
                first[number] = least;
            }
        }
    }
    first
}

/// Whether the names of these say that they may be parts of one run, before any is read: they differ in numbers alone.
pub(crate) fn may_be_one(inputs: &[Input]) -> bool {
    let shape = |input: &Input| {
        let name = input.file_name().unwrap_or_default().to_string_lossy();
        let shape: String = name
            .chars()
            .map(|c| if c.is_ascii_digit() { '0' } else { c })
            .collect();
        let mut shape: Vec<char> = shape.chars().collect();
        shape.dedup_by(|a, b| *a == '0' && *b == '0');
        (input.parent().map(PathBuf::from), shape)
    };
    let mut shapes = inputs.iter().map(shape);
    let first = shapes.next();
    first.is_some_and(|first| first.1.contains(&'0') && shapes.all(|shape| shape == first))
}

/// What the name of the file that a recording came from says; none where it does not have the number of the recording's
/// only process, or where times are of no shared clock.
fn series_of(input: &Input, recording: &Recording) -> Option<Series> {
    let threads = recording.trace.threads();
    let process = &threads.first()?.process;
    if recording.profile.is_some()
        || recording.trace.origin() < OWN_START
        || threads.iter().any(|thread| thread.process != *process)
    {
        return None;
    }
    let is_process = |digits: &str| match process.as_str() {
        // The first thread of a process has its number.
        "" => threads.iter().any(|thread| thread.id == digits),
        process => process == digits,
    };
    let name = input.file_name()?.to_str()?;
    let mut at = 0;
    for part in name.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        if !digits.is_empty() && is_process(digits) {
            return Some(Series {
                folder: input.parent().map(PathBuf::from),
                before: name[..at].to_owned(),
                behind: name[at + digits.len()..].to_owned(),
                format: recording.format,
                sampled: recording.kind == RecordingKind::Sampled,
            });
        }
        at += part.len();
    }
    None
}

/// Whether no thread is in two of these.
fn are_distinct<'r>(recordings: impl Iterator<Item = &'r Recording>) -> bool {
    let mut known = HashSet::new();
    recordings
        .flat_map(|recording| recording.trace.threads())
        .all(|thread| known.insert((&thread.process, &thread.id)))
}

/// The calls of all of these on one clock. O(calls).
pub(crate) fn merge(
    recordings: &[Arc<Recording>],
    progress: &Progress,
) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let calls = recordings.iter().map(|recording| recording.trace.calls());
    progress.start("joining processes".to_owned(), calls.sum());
    let mut warnings: Vec<Warning> = Vec::new();
    let mut samples = 0;
    let knows = recordings.iter().filter_map(|it| it.lines.as_ref());
    let knows = knows.map(Lines::knows).reduce(Knows::and);
    let mut lines = LinesBuilder::new(1, knows.unwrap_or_default());
    for recording in recordings {
        let place = || Place::file(recording.path.display().to_string());
        let (trace, functions) = (&recording.trace, &recording.functions);
        let of: Vec<FunctionId> = functions
            .ids()
            .map(|id| builder.function_at(functions.get(id), functions.column(id)))
            .collect();
        if let Some(known) = &recording.lines {
            lines.add_lines(known, |it| of[it.index()]);
        }
        let time =
            |time: Time| Timestamp::from_ns(trace.origin().saturating_add_unsigned(time.ns()));
        let mut threads: Vec<ThreadId> = Vec::new();
        let mut first = ThreadId(0);
        for (about, id) in trace.threads().iter().zip(trace.thread_ids()) {
            let thread = match about.lane {
                0 => builder.thread(&about.process, &about.id),
                lane => builder.lane(first, lane),
            };
            if about.lane == 0 {
                first = thread;
                builder.name_thread(thread, &about.name);
            }
            threads.push(thread);
            add_calls(recording, id, progress, |step| match step {
                Step::Enter(function, start) => {
                    builder.enter(thread, time(start), of[function.index()], place);
                }
                Step::Exit(end) => {
                    builder.exit(thread, time(end), None, place);
                }
            })?;
        }
        for thread in trace.thread_ids() {
            for (call, link) in trace.linked(thread) {
                let end = |(thread, call): (ThreadId, CallId)| {
                    LinkEnd::Call(threads[thread.index()], call)
                };
                builder.link(link.kind, end(link.from), end((thread, call)), 0);
            }
        }
        samples += recording.samples;
        add_warnings(&mut warnings, &recording.warnings);
    }
    let first = &recordings[0];
    let (functions, trace) = builder.finish(|| Place::file(first.path.display().to_string()));
    add_warnings(&mut warnings, &reporter.warnings());
    Ok(Recording {
        played: None,
        revision: None,
        path: first.path.clone(),
        format: first.format,
        kind: first.kind,
        functions,
        trace,
        profile: None,
        weighed: None,
        memory: None,
        lines: lines.finish(),
        sampling: None,
        left_out: None,
        gaps: callscape_facts::gaps::Gaps::default(),
        failed: Vec::new(),
        samples,
        warnings,
    })
}

/// An event of a thread.
enum Step {
    Enter(FunctionId, Time),
    Exit(Time),
}

/// Hands on the events of a thread in their order.
fn add_calls(
    recording: &Recording,
    thread: ThreadId,
    progress: &Progress,
    mut take: impl FnMut(Step),
) -> Result<(), ImportError> {
    let trace = &recording.trace;
    let calls = trace.threads()[thread.index()].calls as u32;
    // By open call, its end and the number of the last call inside it.
    let mut open: Vec<(Time, u64)> = Vec::new();
    let mut next = 0;
    while next < calls {
        let behind = calls.min(next.saturating_add(BATCH));
        let batch = trace.calls_numbered(thread, next..behind);
        for (call, number) in batch.iter().zip(u64::from(next)..) {
            while let Some((end, _)) = open.pop_if(|(_, last)| *last < number) {
                take(Step::Exit(end));
            }
            take(Step::Enter(call.function, call.start));
            open.push((call.end, number + u64::from(call.triggered)));
        }
        progress.add(u64::from(behind - next))?;
        next = behind;
    }
    for (end, _) in open.into_iter().rev() {
        take(Step::Exit(end));
    }
    Ok(())
}

/// Adds up warnings of one kind; the first place stays.
fn add_warnings(all: &mut Vec<Warning>, more: &[Warning]) {
    for warning in more {
        match all.iter_mut().find(|known| known.kind == warning.kind) {
            Some(known) => known.count = known.count.saturating_add(warning.count),
            None => all.push(warning.clone()),
        }
    }
    all.sort_by(|a, b| a.kind.cmp(&b.kind));
}
