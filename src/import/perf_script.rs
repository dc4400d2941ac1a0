//! The text that `perf script` prints. Specification: perf-script(1),
//! <https://man7.org/linux/man-pages/man1/perf-script.1.html>, and what `tools/perf/builtin-script.c` of Linux
//! prints by default.
//!
//! Read is, of every sample, the line that names its command, its process and thread where they are there, its
//! processor and its time, and the frames behind it: symbol, library and, with `-F +srcline`, file and line. Any of
//! those fields may be missing (`-F`): samples without a thread are taken together by processor or command.
//! A sample weighs the period before its event: nanoseconds of a clock, else what the event counts. Calls are those of the
//! samples of one event, a clock if there is one, else the first; the others are values. The scheduler's events of wake-ups are links too. Not read are
//! addresses, and the header beyond its being one (`#`). What perf notes between samples (`PERF_RECORD_…`) is counted,
//! losses apart. What `callscape record` notes there is read ([`gap`]). Output of scripts is not recognised. Times of `--deltatime` are
//! summed: they are told by going back again and again.
//!
//! A symbol is demangled where perf did not, and loses its offset. `[unknown]` is a function of that name in
//! its library. Lines are those that ran, or from which the next frame was called. A frame that was inlined (`(inlined)`) is a call of its own, in the library of the frame around
//! it. Symbols of just-in-time compilers say where their functions stand: `JS:*f /a.js:3` of V8,
//! `py::f:/a.py` of CPython, `Lorg/x/C;::m` of Java's map agents. Idle processors share thread 0: it is one
//! thread for each of them.

pub mod gap;
mod text;

use super::decimal::{self, Unit};
use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::perf_samples::{Head, PerfSamples, StackFrame, When};
use super::wakeups::{self, Stage};
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::Timestamp;
use callscape_facts::names::NameId;
use callscape_facts::recording::Recording;
use gap::Gap;
use text::{Frame, Sample, SourceLine, is_source_text};

/// The identifier of the format in `info`.
pub const FORMAT: &str = "perf-script";

/// How many lines may stand before the first sample.
const LINES_BEFORE: usize = 1000;

/// The time in the line that begins a sample, in nanoseconds; none of other lines, and where no time stands.
pub fn time_of_sample(line: &[u8]) -> Option<i64> {
    let time = Sample::parse(line)?.time?;
    decimal::nanoseconds(time, Unit::Seconds).ok()
}

/// Whether a file that begins with `head` is what `perf script` prints: a sample's line with time and event, or one
/// of the others with a frame behind it.
pub fn sniff(head: &[u8]) -> bool {
    let lines = head
        .split(|&byte| byte == b'\n')
        .map(|line| line.trim_ascii_end());
    let mut lines = lines
        .take(LINES_BEFORE)
        .filter(|line| !line.is_empty() && line[0] != b'#');
    let Some(first) = lines.next() else {
        // Nothing but the header: no other format says it like this.
        return is_header(head);
    };
    let is_frame = |line: &[u8]| {
        // Addresses stand in a column of their own.
        let indented = line.starts_with(b"\t") || line.starts_with(b"    ");
        indented && Frame::parse(line).is_some_and(|frame| frame.address)
    };
    let second = lines.next();
    match (Sample::parse(first), second) {
        (Some(sample), _) if sample.is_record() => true,
        (Some(sample), None) => sample.time.is_some() && !sample.event.is_empty(),
        (Some(sample), Some(second)) => {
            let next = Sample::parse(second);
            let named = |sample: &Sample<'_>| !sample.event.is_empty();
            let alike = named(&sample) || Frame::alone(sample.rest).is_some();
            let next = next.is_some_and(|it| it.time.is_some() && named(&it) == named(&sample));
            (alike && sample.time.is_some() && next)
                || Frame::parse(second).is_some_and(|frame| frame.address)
        }
        // Without a time and an event, or without a line for the sample at all.
        (None, Some(second)) => {
            is_frame(second) && (is_frame(first) || !first[0].is_ascii_whitespace())
        }
        (None, None) => false,
    }
}

/// Whether the text begins with the header of `perf script --header`.
fn is_header(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty());
    first == Some(b"# ========")
        && lines
            .next()
            .is_some_and(|line| line.starts_with(b"# captured on"))
}

/// Reads the text. O(its size), in memory for its functions and calls alone.
pub fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    match pass(input, progress, false)? {
        Some(recording) => Ok(recording),
        None => pass(input, progress, true)?.ok_or_else(|| {
            let place = Place::file(input.display().to_string());
            ImportError::malformed(place, "a file that stays as it is", "one that changes")
        }),
    }
}

/// Reads the text; `sums_deltas` where each time counts from the sample before it. None where that turns out only
/// now.
fn pass(
    input: &Input,
    progress: &Progress,
    sums_deltas: bool,
) -> Result<Option<Recording>, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader {
        samples: PerfSamples::new(FORMAT, &reporter),
        waiting: None,
        text: Vec::new(),
        gaps: Vec::new(),
        order: Order::default(),
        sum: sums_deltas.then_some(0),
    };
    // A frame in the text is a call at most.
    reader.samples.samples.allow(u64::MAX);
    while reader.line(&mut lines)? {
        if !sums_deltas && reader.order.tells() && reader.order.is_of_deltas() {
            return Ok(None);
        }
    }
    if !sums_deltas && reader.order.is_of_deltas() {
        return Ok(None);
    }
    reader.flush(&lines);
    let place = || lines.place();
    let file = place().file;
    reader.samples.wake(&|line| Place::line(file.clone(), line));
    let found = "only a header or other lines";
    let recording = reader.samples.finish(input, found, place)?;
    let gaps = gap::on_clock_of(&recording.trace, &reader.gaps);
    Ok(Some(Recording { gaps, ..recording }))
}

/// In what order the times of the samples stand, which tells those of `--deltatime` from others: perf prints samples
/// of all threads in order of time.
#[derive(Default)]
struct Order {
    first: Option<i64>,
    last: i64,
    samples: u64,
    /// Times before the one that stands before them.
    backwards: u64,
}

impl Order {
    fn take(&mut self, time: i64) {
        self.first.get_or_insert(time);
        self.backwards += u64::from(time < self.last);
        self.samples += 1;
        self.last = time;
    }

    /// Whether enough is known; to be asked for every sample.
    fn tells(&self) -> bool {
        const ENOUGH: u64 = 64;
        self.samples == ENOUGH
    }

    /// Differences go back at every second sample or so, times only where another recording begins. The first of
    /// them is nothing.
    fn is_of_deltas(&self) -> bool {
        const LEAST: u64 = 4;
        self.first == Some(0) && self.samples >= LEAST && self.backwards * 5 >= self.samples
    }
}

/// How many lines of stacks are remembered as they are written.
const MOST_FRAMES: usize = 1 << 16;

struct Reader<'a> {
    samples: PerfSamples<'a>,
    /// A line that is a sample's if a frame follows it.
    waiting: Option<Vec<u8>>,
    /// The line at hand, kept for its memory.
    text: Vec<u8>,
    /// When recording was off.
    gaps: Vec<Gap>,
    order: Order,
    /// The time of the last sample where each counts from the one before it.
    sum: Option<i64>,
}

impl Reader<'_> {
    /// Takes the next line; false at the end of the file.
    fn line(&mut self, lines: &mut Lines<'_>) -> Result<bool, ImportError> {
        // A line is borrowed from its reader, which also says where it stands.
        let mut copy = std::mem::take(&mut self.text);
        copy.clear();
        match lines.next()? {
            Some(line) => copy.extend_from_slice(line),
            None => return Ok(false),
        }
        self.take(&copy, lines);
        self.text = copy;
        Ok(true)
    }

    fn take(&mut self, line: &[u8], lines: &Lines<'_>) {
        match line {
            [] => self.flush(lines),
            // A header, or a comment of perf's.
            [b'#', ..] => self.comment(line, lines),
            [b'\t', ..] => {
                let known = self
                    .samples
                    .has_sample()
                    .then(|| self.samples.symbols.frames.get(line))
                    .flatten();
                match known {
                    Some(frame) => self.samples.frames.push(*frame),
                    None => self.stack_line(line, lines),
                }
            }
            _ => {
                if let Some(sample) = Sample::parse(line) {
                    self.flush(lines);
                    self.sample(&sample, lines);
                } else {
                    self.stack_line(line, lines);
                }
            }
        }
    }

    /// Calls end where recording was switched off; other comments say nothing.
    fn comment(&mut self, line: &[u8], lines: &Lines<'_>) {
        let Some(gap) = Gap::parse(line) else {
            return;
        };
        self.flush(lines);
        let on = Timestamp::from_ns(gap.end);
        let place = || lines.place();
        self.samples
            .samples
            .pause(on, &mut self.samples.builder, place);
        self.gaps.push(gap);
    }

    /// Takes a line that begins no sample, so far as it says itself.
    fn stack_line(&mut self, line: &[u8], lines: &Lines<'_>) {
        let frame = Frame::parse(line);
        // Source lines are indented by two blanks, and may end as inlined frames do.
        let source = match &frame {
            Some(frame) if frame.address || !line.starts_with(b"  ") => None,
            _ => SourceLine::parse(line),
        };
        if let Some(source) = source
            && let Some(frame) = self.samples.frames.last_mut()
        {
            frame.file = self
                .samples
                .symbols
                .name(source.file, |kind| lines.warn(kind));
            frame.line = source.line;
            frame.inlined |= source.inlined;
            return;
        }
        if let Some(frame) = frame {
            if !self.samples.has_sample() && frame.address {
                let head = self.waiting.take().unwrap_or_default();
                self.sample(&Sample::of(&head), lines);
            }
            if self.samples.has_sample() {
                self.frame(&frame, lines);
                if let Some(&last) = self.samples.frames.last()
                    && line.starts_with(b"\t")
                    && self.samples.symbols.frames.len() < MOST_FRAMES
                {
                    self.samples.symbols.frames.insert(line.into(), last);
                }
                return;
            }
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            self.flush(lines);
        } else if is_source_text(line) {
            // Of the program, with no more to say.
        } else if !self.samples.has_sample() && self.waiting.is_none() {
            self.waiting = Some(line.to_owned());
        } else {
            lines.warn("malformed-line");
        }
    }

    fn sample(&mut self, sample: &Sample<'_>, lines: &Lines<'_>) {
        if sample.is_record() {
            return lines.warn(match sample.is_loss() {
                true => "samples-lost",
                false => "record-not-shown",
            });
        }
        let when = match sample.seconds() {
            Some(Ok(time)) => {
                self.order.take(time);
                When::At(match &mut self.sum {
                    Some(sum) => {
                        *sum = sum.saturating_add(time);
                        *sum
                    }
                    None => time,
                })
            }
            Some(Err(why)) => {
                lines.warn(why.kind());
                When::Same
            }
            None => {
                lines.warn("missing-time");
                When::Next
            }
        };
        if sample.is_negative {
            lines.warn("negative-period");
        }
        let time = self.samples.begin(&Head {
            command: sample.command,
            process: sample.process,
            thread: sample.thread,
            processor: sample.processor,
            when,
            event: sample.event,
            period: sample.period,
        });
        self.wakeup(sample, time, lines);
        if let Some(frame) = Frame::alone(sample.rest) {
            self.frame(&frame, lines);
        }
    }

    /// Notes whom a sample says that its thread wakes.
    fn wakeup(&mut self, sample: &Sample<'_>, time: i64, lines: &Lines<'_>) {
        if !sample.event.starts_with(b"sched") {
            return;
        }
        let stage = Stage::of_event(&String::from_utf8_lossy(sample.event));
        let woken = wakeups::woken(&String::from_utf8_lossy(sample.rest));
        if let (Some(stage), Some(by), Some(woken)) = (stage, sample.thread, woken) {
            self.samples
                .wakeups
                .push(stage, [by, woken], time, lines.number());
        }
    }

    fn frame(&mut self, frame: &Frame<'_>, lines: &Lines<'_>) {
        let inlined = frame.library == b"inlined";
        let frame = StackFrame {
            symbol: self
                .samples
                .symbols
                .name(frame.symbol, |kind| lines.warn(kind)),
            library: match inlined {
                true => NameId::EMPTY,
                false => self
                    .samples
                    .symbols
                    .name(frame.library, |kind| lines.warn(kind)),
            },
            inlined,
            file: NameId::EMPTY,
            line: 0,
        };
        self.samples.frames.push(frame);
    }

    /// The sample at hand is complete.
    fn flush(&mut self, lines: &Lines<'_>) {
        if self.waiting.take().is_some() {
            lines.warn("malformed-line");
        }
        self.samples.flush(|| lines.place());
    }
}
