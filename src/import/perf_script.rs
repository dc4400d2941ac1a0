//! The text that `perf script` prints. Specification: perf-script(1),
//! <https://man7.org/linux/man-pages/man1/perf-script.1.html>, and what `tools/perf/builtin-script.c` of Linux
//! prints by default.
//!
//! Read is, of every sample, the line that names its command, its process and thread where they are there, its
//! processor and its time, and the frames behind it: symbol, library and, with `-F +srcline`, file and line.
//! Samples of all events are taken together: each shows a stack that there was. Not read are the event's name
//! and period, addresses, and the header beyond its being one (`#`). Other output, such as that of scripts or
//! of `-F` without command and thread, is not recognised.
//!
//! A symbol is demangled where perf did not, and loses its offset. `[unknown]` is a function of that name in
//! its library. A frame that was inlined (`(inlined)`) is a call of its own, in the library of the frame around
//! it. Symbols of just-in-time compilers say where their functions stand: `JS:*f /a.js:3` of V8,
//! `py::f:/a.py` of CPython, `Lorg/x/C;::m` of Java's map agents. Idle processors share thread 0: it is one
//! thread for each of them.

use std::collections::HashMap;

use super::ImportError;
use super::decimal::{self, Unit};
use super::demangle::demangle;
use super::document;
use super::hashing::BuildFast;
use super::input::Input;
use super::lines::Lines;
use super::samples::{Samples, TrackId};
use crate::facts::builder::{Timestamp, TraceBuilder};
use crate::facts::functions::Function;
use crate::facts::names::{NameId, Names};
use crate::facts::recording::{Recording, RecordingKind};
use crate::progress::Progress;
use crate::units::{FunctionId, ThreadId};
use crate::warnings::Reporter;

/// The identifier of the format in `info`.
pub const FORMAT: &str = "perf-script";

/// How many lines may stand before the first sample.
const LINES_BEFORE: usize = 1000;

/// Whether a file that begins with `head` is what `perf script` prints: a sample's line with a time, or one without
/// and a frame behind it.
pub fn sniff(head: &[u8]) -> bool {
    let lines = head
        .split(|&byte| byte == b'\n')
        .map(|line| line.trim_ascii_end());
    let mut lines = lines
        .take(LINES_BEFORE)
        .filter(|line| !line.is_empty() && line[0] != b'#');
    let (Some(first), second) = (lines.next(), lines.next()) else {
        return false;
    };
    let Some(sample) = Sample::parse(first) else {
        return false;
    };
    match second {
        Some(second) => {
            let next_sample = sample.time.is_some() && Sample::parse(second).is_some();
            next_sample || Frame::parse(second).is_some_and(|frame| frame.address)
        }
        None => sample.time.is_some(),
    }
}

/// Reads the text. O(its size), in memory for its functions and calls alone.
pub fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader {
        builder: TraceBuilder::new(&reporter),
        samples: Samples::new(&reporter),
        symbols: Symbols::default(),
        threads: HashMap::default(),
        current: None,
        frames: Vec::new(),
        stack: Vec::new(),
        text: Vec::new(),
    };
    while reader.line(&mut lines)? {}
    reader.flush(&lines);
    let place = || lines.place();
    let samples = reader.samples.finish(&mut reader.builder, place);
    let (functions, trace) = reader.builder.finish(place);
    Ok(Recording {
        path: input.to_path_buf(),
        format: FORMAT,
        kind: RecordingKind::Sampled,
        functions,
        trace,
        profile: None,
        samples,
        warnings: reporter.warnings(),
    })
}

/// The line that begins a sample.
#[derive(Debug, PartialEq)]
struct Sample<'a> {
    command: &'a [u8],
    process: Option<u64>,
    thread: u64,
    processor: Option<u64>,
    /// In seconds, as written; none where perf did not record times.
    time: Option<&'a [u8]>,
    /// Behind the event: the only frame where chains of calls were not recorded.
    rest: &'a [u8],
}

impl<'a> Sample<'a> {
    /// `command pid/tid [cpu] seconds: period event: rest`, where the process, the processor, the time and
    /// the period may be missing. The command may hold spaces, so the first words that can be the
    /// thread and what follows it are.
    fn parse(line: &'a [u8]) -> Option<Sample<'a>> {
        if line.first().is_none_or(u8::is_ascii_whitespace) {
            return None;
        }
        let mut from = 0;
        // The first word is always of the command.
        next_word(line, &mut from)?;
        loop {
            let word = next_word(line, &mut from)?;
            let Some((process, thread)) = ids(word) else {
                continue;
            };
            let mut after = from;
            if let Some((processor, time, rest)) = Sample::event(line, &mut after) {
                return Some(Sample {
                    command: line[..from - word.len()].trim_ascii(),
                    process,
                    thread,
                    processor,
                    time,
                    rest,
                });
            }
        }
    }

    /// What stands behind the thread.
    fn event(line: &'a [u8], from: &mut usize) -> Option<Event<'a>> {
        let mut word = next_word(line, from)?;
        let mut processor = None;
        if let Some(inner) = word
            .strip_prefix(b"[")
            .and_then(|word| word.strip_suffix(b"]"))
        {
            processor = Some(number(inner)?);
            word = next_word(line, from)?;
        }
        if is_flags(word) {
            word = next_word(line, from)?;
        }
        let seconds = word.strip_suffix(b":").filter(|seconds| {
            let point = seconds.contains(&b'.');
            point
                && seconds
                    .iter()
                    .all(|byte| byte.is_ascii_digit() || *byte == b'.')
        });
        if seconds.is_some() {
            word = next_word(line, from)?;
        }
        if number(word).is_some() {
            word = next_word(line, from)?;
        }
        // The event has a name.
        let named = word.iter().any(u8::is_ascii_alphabetic);
        if !word.ends_with(b":") || !named {
            return None;
        }
        Some((processor, seconds, line[*from..].trim_ascii()))
    }
}

/// The processor, the time, and what stands behind the event.
type Event<'a> = (Option<u64>, Option<&'a [u8]>, &'a [u8]);

/// Whether a word is the state of interrupts that tracepoints have: `d..2.`.
fn is_flags(word: &[u8]) -> bool {
    let letters = word
        .iter()
        .all(|byte| b".dnNhHszZpbX0123456789".contains(byte));
    letters && word.len() >= 4 && word.contains(&b'.')
}

/// The next run of bytes in `line` from `from` on that no white space interrupts.
fn next_word<'a>(line: &'a [u8], from: &mut usize) -> Option<&'a [u8]> {
    let rest = &line[*from..];
    let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let word = &rest[start..];
    let length = word.iter().position(u8::is_ascii_whitespace);
    let word = &word[..length.unwrap_or(word.len())];
    *from += start + word.len();
    Some(word)
}

fn number(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// `tid` or `pid/tid`.
fn ids(word: &[u8]) -> Option<(Option<u64>, u64)> {
    match memchr::memchr(b'/', word) {
        Some(at) => Some((Some(number(&word[..at])?), number(&word[at + 1..])?)),
        None => Some((None, number(word)?)),
    }
}

/// A line of a sample's stack.
#[derive(Debug, PartialEq)]
struct Frame<'a> {
    /// Whether it begins with an address, as all do but those that were inlined before perf 6.
    address: bool,
    symbol: &'a [u8],
    /// Path or bracketed name; empty for none.
    library: &'a [u8],
}

impl<'a> Frame<'a> {
    /// `address symbol+offset (library)`.
    fn parse(line: &'a [u8]) -> Option<Frame<'a>> {
        if !line.first()?.is_ascii_whitespace() {
            return None;
        }
        let line = line.trim_ascii();
        let mut from = 0;
        let word = next_word(line, &mut from)?;
        let rest = line[from..].trim_ascii();
        // `add (inlined)` has no address.
        let no_symbol = rest.is_empty() || rest == b"(inlined)";
        let address = word.iter().all(u8::is_ascii_hexdigit) && !no_symbol;
        let line = if address { rest } else { line };
        let (symbol, library) = match last_parenthesis(line) {
            Some(open) => (line[..open].trim_ascii(), &line[open + 1..line.len() - 1]),
            None => (line, &line[..0]),
        };
        if !address && library != b"inlined" {
            return None;
        }
        let symbol = match memchr::memmem::rfind(symbol, b"+0x") {
            Some(at) if symbol[at + 3..].iter().all(u8::is_ascii_hexdigit) => &symbol[..at],
            _ => symbol,
        };
        Some(Frame {
            address,
            symbol,
            library,
        })
    }
}

/// Where the parenthesis opens that the last byte closes, behind white space or at the start.
fn last_parenthesis(line: &[u8]) -> Option<usize> {
    let before = line.strip_suffix(b")")?;
    let mut depth = 1;
    let open = before.iter().rposition(|byte| {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    (open == 0 || line[open - 1] == b' ').then_some(open)
}

/// The line that a frame was in, as `-F +srcline` prints it behind the frame.
#[derive(Debug, PartialEq)]
struct SourceLine<'a> {
    /// Empty where unknown.
    file: &'a [u8],
    line: u32,
    inlined: bool,
}

impl<'a> SourceLine<'a> {
    /// `file:line`, `file:line (inlined)`, `??:0`.
    fn parse(line: &'a [u8]) -> Option<SourceLine<'a>> {
        let line = line.trim_ascii();
        let without = line.strip_suffix(b" (inlined)");
        let place = without.unwrap_or(line);
        let colon = memchr::memrchr(b':', place).filter(|&colon| colon > 0)?;
        let number = document::index_of(&place[colon + 1..])?;
        Some(SourceLine {
            file: match &place[..colon] {
                b"??" => &[],
                file => file,
            },
            line: number,
            inlined: without.is_some(),
        })
    }
}

/// Symbols, libraries and files by name, and the functions that they are.
#[derive(Default)]
struct Symbols {
    names: Names,
    /// By the bytes in the file.
    spellings: HashMap<Box<[u8]>, NameId, BuildFast>,
    /// By symbol, library and file.
    functions: HashMap<(NameId, NameId, NameId), FunctionId, BuildFast>,
}

impl Symbols {
    fn name(&mut self, bytes: &[u8], lines: &Lines<'_>) -> NameId {
        if let Some(&name) = self.spellings.get(bytes) {
            return name;
        }
        let text = String::from_utf8_lossy(bytes);
        if let std::borrow::Cow::Owned(_) = text {
            lines.warn("invalid-text");
        }
        let name = self.names.intern(&text);
        self.spellings.insert(bytes.into(), name);
        name
    }

    fn function(
        &mut self,
        frame: &StackFrame,
        library: NameId,
        builder: &mut TraceBuilder<'_>,
    ) -> FunctionId {
        let key = (frame.symbol, library, frame.file);
        if let Some(&function) = self.functions.get(&key) {
            return function;
        }
        let library = self.names.get(library);
        let (name, file, line) = symbol_parts(self.names.get(frame.symbol));
        let function = builder.function(Function {
            name: &name,
            file: if file.is_empty() {
                self.names.get(frame.file)
            } else {
                file
            },
            line: if line == 0 { frame.line } else { line },
            library: match library.rsplit_once('/') {
                // A compiler's map is no library.
                Some((_, base)) if base.starts_with("perf-") && base.ends_with(".map") => "",
                Some((_, base)) if !base.is_empty() => base,
                _ => library,
            },
        });
        self.functions.insert(key, function);
        function
    }
}

/// The name, file and line in a symbol, which just-in-time compilers write in their own ways.
fn symbol_parts(symbol: &str) -> (String, &str, u32) {
    if let Some(rest) = symbol.strip_prefix("py::")
        && let Some((name, file)) = rest.split_once(':')
    {
        return (name.to_owned(), file, 0);
    }
    if let Some(class) = symbol.strip_prefix('L')
        && let Some((class, method)) = class.split_once(";::")
    {
        return (format!("{}::{method}", class.replace('/', ".")), "", 0);
    }
    for kind in ["JS:", "LazyCompile:", "Function:", "Script:", "Eval:"] {
        let Some(rest) = symbol.strip_prefix(kind) else {
            continue;
        };
        // Which compiler made it.
        let rest = rest.trim_start_matches(['*', '~', '^', '+']);
        let (name, place) = rest.split_once(' ').unwrap_or((rest, ""));
        let (file, line) = place_parts(place);
        let name = if name.is_empty() { "(anonymous)" } else { name };
        return (name.to_owned(), file, line);
    }
    (demangle(symbol), "", 0)
}

/// `file:line:column`, `file:line` or `file` as file and line.
fn place_parts(place: &str) -> (&str, u32) {
    let mut file = place;
    let mut line = 0;
    for _ in 0..2 {
        if let Some((before, number)) = file.rsplit_once(':')
            && let Ok(number) = number.parse()
        {
            (file, line) = (before, number);
        }
    }
    (file, line)
}

/// A frame of the sample at hand.
struct StackFrame {
    symbol: NameId,
    library: NameId,
    inlined: bool,
    file: NameId,
    line: u32,
}

/// A thread while its samples are read.
struct Thread {
    id: ThreadId,
    track: TrackId,
    command: Box<[u8]>,
    last: i64,
}

struct Reader<'a> {
    builder: TraceBuilder<'a>,
    samples: Samples<'a>,
    symbols: Symbols,
    /// By process, thread, and processor of thread 0.
    threads: HashMap<(Option<u64>, u64, Option<u64>), Thread, BuildFast>,
    /// The sample at hand.
    current: Option<(TrackId, Timestamp)>,
    /// Its frames, the innermost first.
    frames: Vec<StackFrame>,
    /// Its functions, kept for its memory.
    stack: Vec<FunctionId>,
    /// The line at hand, kept for its memory.
    text: Vec<u8>,
}

/// How long a sample lasts where perf did not record times: those of cpu-clock at 1000 Hz.
const USUAL_INTERVAL: i64 = 1_000_000;

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
        if line.trim_ascii().is_empty() {
            self.flush(lines);
        } else if line[0] == b'#' {
            // A header, or a comment of perf's.
        } else if let Some(sample) = Sample::parse(line) {
            self.flush(lines);
            self.sample(&sample, lines);
        } else if let Some(source) = SourceLine::parse(line)
            && let Some(frame) = self.frames.last_mut()
        {
            frame.file = self.symbols.name(source.file, lines);
            frame.line = source.line;
            frame.inlined |= source.inlined;
        } else if let Some(frame) = Frame::parse(line).filter(|_| self.current.is_some()) {
            self.frame(&frame, lines);
        } else {
            lines.warn("malformed-line");
        }
    }

    fn sample(&mut self, sample: &Sample<'_>, lines: &Lines<'_>) {
        let processor = sample.processor.filter(|_| sample.thread == 0);
        let key = (sample.process, sample.thread, processor);
        let builder = &mut self.builder;
        let samples = &mut self.samples;
        let thread = self.threads.entry(key).or_insert_with(|| {
            let process = sample.process.map(|process| process.to_string());
            let id = match processor {
                Some(processor) => format!("{} on processor {processor}", sample.thread),
                None => sample.thread.to_string(),
            };
            let id = builder.thread(process.as_deref().unwrap_or_default(), &id);
            Thread {
                id,
                track: samples.track(id),
                command: Box::default(),
                last: 0,
            }
        });
        if *thread.command != *sample.command {
            thread.command = sample.command.into();
            let command = String::from_utf8_lossy(sample.command);
            builder.name_thread(thread.id, &command);
        }
        let time = match sample
            .time
            .map(|time| decimal::nanoseconds(time, Unit::Seconds))
        {
            Some(Ok(time)) => time,
            Some(Err(why)) => {
                lines.warn(why.kind());
                thread.last
            }
            None => {
                lines.warn("missing-time");
                thread.last + USUAL_INTERVAL
            }
        };
        thread.last = time;
        self.current = Some((thread.track, Timestamp::from_ns(time)));
        if !sample.rest.is_empty() {
            // The frame needs white space before it to be one.
            let line = [b" ", sample.rest].concat();
            if let Some(frame) = Frame::parse(&line) {
                self.frame(&frame, lines);
            }
        }
    }

    fn frame(&mut self, frame: &Frame<'_>, lines: &Lines<'_>) {
        let inlined = frame.library == b"inlined";
        let frame = StackFrame {
            symbol: self.symbols.name(frame.symbol, lines),
            library: match inlined {
                true => NameId::EMPTY,
                false => self.symbols.name(frame.library, lines),
            },
            inlined,
            file: NameId::EMPTY,
            line: 0,
        };
        self.frames.push(frame);
    }

    /// The sample at hand is complete.
    fn flush(&mut self, lines: &Lines<'_>) {
        let Some((track, time)) = self.current.take() else {
            return;
        };
        self.stack.clear();
        let mut library = NameId::EMPTY;
        for frame in self.frames.iter().rev() {
            if !frame.inlined {
                library = frame.library;
            }
            let function = self.symbols.function(frame, library, &mut self.builder);
            self.stack.push(function);
        }
        self.frames.clear();
        let place = || lines.place();
        self.samples
            .frames(track, time, &self.stack, &mut self.builder, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_samples_are_taken_apart() {
        for (line, command, process, thread, processor, time) in [
            (
                "luafp 19400  3374.416761:    1003009 cpu-clock: ",
                "luafp",
                None,
                19400,
                None,
                "3374.416761",
            ),
            (
                "forks     9 [002] 203265.377019:    1001001 cpu-clock: ",
                "forks",
                None,
                9,
                Some(2),
                "203265.377019",
            ),
            (
                "a 1/2     198791.127353: cpu-clock: ",
                "a",
                Some(1),
                2,
                None,
                "198791.127353",
            ),
            ("my prog 2 7 0.5: x:", "my prog 2", None, 7, None, "0.5"),
            (
                "swapper 0 [001] d..2. 1.25: sched:sched_switch: prev",
                "swapper",
                None,
                0,
                Some(1),
                "1.25",
            ),
            (
                "node-v011 31912 cpu-clock: ",
                "node-v011",
                None,
                31912,
                None,
                "",
            ),
        ] {
            let sample = Sample::parse(line.as_bytes()).expect(line);
            assert_eq!(sample.command, command.as_bytes(), "{line}");
            assert_eq!((sample.process, sample.thread), (process, thread), "{line}");
            assert_eq!(sample.processor, processor, "{line}");
            assert_eq!(sample.time.unwrap_or_default(), time.as_bytes(), "{line}");
        }
        for line in [
            "",
            " a 1 2.0: x:",
            "{\"a\": 1}",
            "main;f 17",
            "a b c",
            "a 1 2.0:",
            "a 1 2.0: x",
        ] {
            assert_eq!(Sample::parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn lines_of_frames_are_taken_apart() {
        for (line, symbol, library) in [
            (
                "\t   2950a luaV_execute+0x3844 (/src/lua/luafp)",
                "luaV_execute",
                "/src/lua/luafp",
            ),
            ("\t       0 [unknown] ([unknown])", "[unknown]", "[unknown]"),
            (
                " dd777 v8::Call(v8::I*, bool) (/tmp/node (deleted))",
                "v8::Call(v8::I*, bool)",
                "/tmp/node (deleted)",
            ),
            (
                " 27304 __libc_start_main_impl+0x84 (inlined)",
                "__libc_start_main_impl",
                "inlined",
            ),
            (" f (inlined)", "f", "inlined"),
            (" 1156 step+0x1d", "step", ""),
            (" 1 a+0xg (b)", "a+0xg", "b"),
        ] {
            let frame = Frame::parse(line.as_bytes()).expect(line);
            assert_eq!(frame.symbol, symbol.as_bytes(), "{line}");
            assert_eq!(frame.library, library.as_bytes(), "{line}");
        }
        for line in ["", "a", " ", "  spin.c:3", " ff", " )"] {
            assert_eq!(Frame::parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn symbols_of_compilers_say_where_their_functions_stand() {
        for (symbol, name, file, line) in [
            ("JS:*f /a b/c.js:3:17", "f", "/a b/c.js", 3),
            ("LazyCompile:~ node.js:387", "(anonymous)", "node.js", 387),
            ("LazyCompile:*g", "g", "", 0),
            ("py::f:/a/b.py", "f", "/a/b.py", 0),
            ("Lorg/x/C;::m", "org.x.C::m", "", 0),
            ("_Z5gammav", "gamma", "", 0),
            ("Lua_main", "Lua_main", "", 0),
        ] {
            let parts = symbol_parts(symbol);
            assert_eq!(
                (parts.0.as_str(), parts.1, parts.2),
                (name, file, line),
                "{symbol}"
            );
        }
    }
}
