//! The lines of what `perf script` prints: the one that begins a sample, frames, and the source lines of frames.
//! Which fields stand in the first is the user's choice (`-F`); their order is fixed.

use super::super::decimal::{self, NoTime, Unit};
use super::super::document;

/// The line that begins a sample.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Sample<'a> {
    /// Empty where it is not told.
    pub command: &'a [u8],
    pub process: Option<i64>,
    pub thread: Option<i64>,
    pub processor: Option<u64>,
    /// In seconds, as written; none where there are no times.
    pub time: Option<&'a [u8]>,
    /// The name of its event, with modifiers; empty if there is none.
    pub event: &'a [u8],
    /// How much of the event it stands for; none if that is not told.
    pub period: Option<u64>,
    /// A minus stands before the period, which is none then.
    pub is_negative: bool,
    /// Behind the event: the only frame where chains of calls were not recorded.
    pub rest: &'a [u8],
}

/// What perf tells between samples with `--show-task-events` and its like.
const RECORD: &[u8] = b"PERF_RECORD_";

impl<'a> Sample<'a> {
    /// `command pid/tid [cpu] misc seconds: period event: rest`, where each may be missing. The command may hold
    /// spaces, and is padded on the left where chains of calls were not recorded.
    pub(super) fn parse(line: &'a [u8]) -> Option<Sample<'a>> {
        if let Some((start, end)) = time_of(line) {
            let mut sample = Sample::of(&line[..start]);
            let somebody =
                sample.thread.is_some() || sample.processor.is_some() || !sample.command.is_empty();
            // Alone with its time, one is not told from a frame.
            if !somebody && line.first().is_some_and(u8::is_ascii_whitespace) {
                return None;
            }
            sample.time = Some(&line[start..end]);
            sample.describe(&line[end + 1..]);
            return Some(sample);
        }
        if line.first().is_none_or(u8::is_ascii_whitespace) {
            return None;
        }
        // Without a time, the first words that can be the thread and what follows it are.
        let mut from = 0;
        next_word(line, &mut from)?;
        loop {
            let word = next_word(line, &mut from)?;
            if ids(word).is_none() {
                continue;
            }
            let mut after = from;
            let mut before = from;
            while let Some(word) = next_word(line, &mut after)
                && (is_processor(word) || is_state(word))
            {
                before = after;
            }
            let mut sample = Sample::of(&line[..before]);
            sample.describe(&line[before..]);
            if !sample.event.is_empty() {
                return Some(sample);
            }
        }
    }

    /// A sample of which only these words are told: `command pid/tid [cpu] misc`.
    pub(super) fn of(line: &'a [u8]) -> Sample<'a> {
        let mut sample = Sample::default();
        let mut rest = line.trim_ascii();
        loop {
            let at = rest.iter().rposition(u8::is_ascii_whitespace);
            let at = at.map_or(0, |at| at + 1);
            let word = &rest[at..];
            if let Some((process, thread)) = ids(word) {
                (sample.process, sample.thread) = (process, Some(thread));
                rest = &rest[..at];
                break;
            }
            if sample.processor.is_none() && is_processor(word) {
                sample.processor = number(&word[1..word.len() - 1]);
            } else if at == 0 || sample.processor.is_some() || !is_state(word) {
                break;
            }
            rest = rest[..at].trim_ascii_end();
        }
        sample.command = rest.trim_ascii();
        sample
    }

    /// Takes what stands behind the time: `period event: rest`.
    fn describe(&mut self, after: &'a [u8]) {
        let mut from = 0;
        let Some(mut word) = next_word(after, &mut from) else {
            return;
        };
        let size = word.strip_prefix(b"-");
        if let Some(period) = amount(size.unwrap_or(word)) {
            // A period, or the address of the only frame.
            match next_word(after, &mut from) {
                Some(next) if is_event(next) => {
                    self.is_negative = size.is_some();
                    self.period = Some(if self.is_negative { 0 } else { period });
                    word = next;
                }
                Some(_) => {
                    self.rest = after.trim_ascii();
                    return;
                }
                None => return,
            }
        }
        self.rest = match is_event(word) {
            true => {
                self.event = &word[..word.len() - 1];
                after[from..].trim_ascii()
            }
            false => after.trim_ascii(),
        };
    }

    /// Its time in nanoseconds; `None` if it has none.
    pub(super) fn seconds(&self) -> Option<Result<i64, NoTime>> {
        let time = self.time?;
        let seconds = |time| decimal::nanoseconds(time, Unit::Seconds);
        Some(match memchr::memchr(b',', time) {
            None => seconds(time),
            Some(comma) => seconds(&[&time[..comma], b".", &time[comma + 1..]].concat()),
        })
    }

    /// What perf itself noted, which is no sample.
    pub(super) fn is_record(&self) -> bool {
        self.rest.starts_with(RECORD)
    }

    /// What was lost at this place.
    pub(super) fn is_loss(&self) -> bool {
        self.rest.starts_with(b"PERF_RECORD_LOST")
    }
}

/// Where the time stands: the first word that is a number of seconds with decimals and a colon behind it.
fn time_of(line: &[u8]) -> Option<(usize, usize)> {
    memchr::memchr_iter(b':', line).find_map(|colon| {
        let ends = line.get(colon + 1).is_none_or(u8::is_ascii_whitespace);
        if !ends || colon == 0 || !line[colon - 1].is_ascii_digit() {
            return None;
        }
        let before = &line[..colon];
        let start = before.iter().rposition(u8::is_ascii_whitespace);
        let start = start.map_or(0, |at| at + 1);
        // Some locales have a comma before the decimals.
        let mut parts = before[start..].split(|byte| b".,".contains(byte));
        let mut is_part = || {
            let part = parts.next();
            part.is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit))
        };
        let fits = is_part() && is_part();
        (fits && parts.next().is_none()).then_some((start, colon))
    })
}

/// Whether a word is the name of an event.
fn is_event(word: &[u8]) -> bool {
    word.ends_with(b":") && word.iter().any(u8::is_ascii_alphabetic) && !word.starts_with(RECORD)
}

fn is_processor(word: &[u8]) -> bool {
    let inside = word.strip_prefix(b"[").and_then(|it| it.strip_suffix(b"]"));
    inside.and_then(number).is_some()
}

/// Whether a word is the state of interrupts that tracepoints have, `d..2.`, or the mode that `-F +misc` shows:
/// `U`, `K`, `Sp`.
fn is_state(word: &[u8]) -> bool {
    let is_irq = word.len() >= 4
        && word.contains(&b'.')
        && word
            .iter()
            .all(|byte| b".dnNhHszZpbX0123456789".contains(byte));
    let is_mode = word.len() <= 5 && word.iter().all(|byte| b"KUHGgMESp".contains(byte));
    is_irq || is_mode
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

/// A number in a word, whatever stands between its thousands.
fn amount(word: &[u8]) -> Option<u64> {
    let is_number = word.first().is_some_and(u8::is_ascii_digit);
    let plain = || decimal::plain(std::str::from_utf8(word).ok()?, true);
    number(word).or_else(|| plain().filter(|_| is_number)?.parse().ok())
}

fn number(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// `tid` or `pid/tid`. Those of a thread that is not known are -1.
fn ids(word: &[u8]) -> Option<(Option<i64>, i64)> {
    let id = |word: &[u8]| match word {
        b"-1" => Some(-1),
        word => i64::try_from(number(word)?).ok(),
    };
    match memchr::memchr(b'/', word) {
        Some(at) => Some((Some(id(&word[..at])?), id(&word[at + 1..])?)),
        None => Some((None, id(word)?)),
    }
}

/// A line of a sample's stack.
#[derive(Debug, PartialEq)]
pub(super) struct Frame<'a> {
    /// Whether it begins with an address, as all do but those that were inlined before perf 6.
    pub address: bool,
    pub symbol: &'a [u8],
    /// Path or bracketed name; empty for none.
    pub library: &'a [u8],
}

impl<'a> Frame<'a> {
    /// `address symbol+offset (library)`.
    pub(super) fn parse(line: &'a [u8]) -> Option<Frame<'a>> {
        if !line.first()?.is_ascii_whitespace() {
            return None;
        }
        Frame::parse_trimmed(line.trim_ascii())
    }

    /// The same of a line without white space around it.
    pub(super) fn parse_trimmed(line: &'a [u8]) -> Option<Frame<'a>> {
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
        let symbol = match memchr::memrchr(b'+', symbol) {
            Some(at)
                if symbol[at..].starts_with(b"+0x")
                    && symbol[at + 3..].iter().all(u8::is_ascii_hexdigit) =>
            {
                &symbol[..at]
            }
            _ => symbol,
        };
        Some(Frame {
            address,
            symbol,
            library,
        })
    }

    /// The only frame of a sample, behind its event; before it may stand the address that it was sampled for.
    pub(super) fn alone(rest: &'a [u8]) -> Option<Frame<'a>> {
        let mut from = 0;
        let is_address = |word: &[u8]| word.iter().all(u8::is_ascii_hexdigit);
        let first = next_word(rest, &mut from)?;
        let behind = &rest[from..];
        let mut after = 0;
        let second = next_word(behind, &mut after);
        let has_more = behind[after..]
            .iter()
            .any(|byte| !byte.is_ascii_whitespace());
        let both =
            is_address(first) && second.is_some_and(|word| word.len() > 7 && is_address(word));
        let frame = if both && has_more {
            behind.trim_ascii()
        } else {
            rest
        };
        Frame::parse_trimmed(frame).filter(|frame| frame.address)
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
pub(super) struct SourceLine<'a> {
    /// Empty where unknown.
    pub file: &'a [u8],
    pub line: u32,
    pub inlined: bool,
}

impl<'a> SourceLine<'a> {
    /// `file:line`, `file:line (inlined)`, `??:0`, or `library[address]` where it is not known.
    pub(super) fn parse(line: &'a [u8]) -> Option<SourceLine<'a>> {
        let line = line.trim_ascii();
        let without = line.strip_suffix(b" (inlined)");
        let inlined = without.is_some();
        let place = without.unwrap_or(line);
        if let Some(before) = place.strip_suffix(b"]")
            && let Some(open) = memchr::memrchr(b'[', before).filter(|&open| open > 0)
            && before[open + 1..].iter().all(u8::is_ascii_hexdigit)
        {
            return Some(SourceLine {
                file: &[],
                line: 0,
                inlined,
            });
        }
        let colon = memchr::memrchr(b':', place)?;
        let number = document::index_of(&place[colon + 1..])?;
        Some(SourceLine {
            file: match &place[..colon] {
                b"??" => &[],
                file => file,
            },
            line: number,
            inlined,
        })
    }
}

/// Whether a line is the text of the program that `-F +srccode` prints behind source lines: `|17  code`.
pub(super) fn is_source_text(line: &[u8]) -> bool {
    line.starts_with(b"|") && line.get(1).is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_samples_are_taken_apart() {
        type Who<'a> = (&'a str, Option<i64>, Option<i64>, Option<u64>);
        let cases: &[(&str, Who<'_>, &str, &str)] = &[
            (
                "luafp 19400  3374.416761:    1003009 cpu-clock: ",
                ("luafp", None, Some(19400), None),
                "3374.416761",
                "",
            ),
            (
                "forks     9 [002] 203265.377019:    1001001 cpu-clock: ",
                ("forks", None, Some(9), Some(2)),
                "203265.377019",
                "",
            ),
            (
                "a 1/2     198791.127353: cpu-clock: ",
                ("a", Some(1), Some(2), None),
                "198791.127353",
                "",
            ),
            (
                "my prog 2 7 0.5: x:",
                ("my prog 2", None, Some(7), None),
                "0.5",
                "",
            ),
            (
                "swapper 0 [001] d..2. 1.25: sched:sched_switch: prev",
                ("swapper", None, Some(0), Some(1)),
                "1.25",
                "prev",
            ),
            (
                "node-v011 31912 cpu-clock: ",
                ("node-v011", None, Some(31912), None),
                "",
                "",
            ),
            (
                "n 3 [007] 12 cycles:u: ",
                ("n", None, Some(3), Some(7)),
                "",
                "",
            ),
            // Without chains of calls, the command is padded.
            (
                "         prog 25437 12829.246932:    1001001 cpu-clock:   7fed57 f+0x7 (/a b)",
                ("prog", None, Some(25437), None),
                "12829.246932",
                "7fed57 f+0x7 (/a b)",
            ),
            ("a b 1/1 2.5: ", ("a b", Some(1), Some(1), None), "2.5", ""),
            (
                "25437/25438 12829.246932: cpu-clock: ",
                ("", Some(25437), Some(25438), None),
                "12829.246932",
                "",
            ),
            (
                "prog 25437 U     12829.246932:    1001001 cpu-clock: ",
                ("prog", None, Some(25437), None),
                "12829.246932",
                "",
            ),
            (
                "[000] 13006.396480: ",
                ("", None, None, Some(0)),
                "13006.396480",
                "",
            ),
            (
                "cp 29700 [000] 13006.396480:      123456 main",
                ("cp", None, Some(29700), Some(0)),
                "13006.396480",
                "123456 main",
            ),
            (
                ":-1    -1 1.000000: x:",
                (":-1", None, Some(-1), None),
                "1.000000",
                "",
            ),
            ("prog 1.5: 10 x:", ("prog", None, None, None), "1.5", ""),
        ];
        for &(line, who, time, rest) in cases {
            let sample = Sample::parse(line.as_bytes()).expect(line);
            let command = std::str::from_utf8(sample.command).expect("text");
            let found = (command, sample.process, sample.thread, sample.processor);
            assert_eq!(found, who, "{line}");
            assert_eq!(sample.time.unwrap_or_default(), time.as_bytes(), "{line}");
            assert_eq!(sample.rest, rest.as_bytes(), "{line}");
            assert!(!sample.is_record(), "{line}");
        }
        for line in [
            "",
            " a 1 2: x:",
            "{\"a\": 1}",
            "main;f 17",
            "a b c",
            "a 1 b 2 c",
            "   1.5: x:",
            "\t  7f f (1.5:x)",
        ] {
            assert_eq!(Sample::parse(line.as_bytes()), None, "{line}");
        }
        let record =
            b"swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xff(0x12) @ 0xff]: x [k]_text";
        assert!(
            Sample::parse(record).is_some_and(|sample| sample.is_record() && !sample.is_loss())
        );
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
        for (rest, symbol) in [
            ("7fb2fb8ee4ba strcmp+0x1a (/a)", Some("strcmp")),
            ("0 7fb2fb8ee4ba strcmp+0x1a (/a)", Some("strcmp")),
            ("7fb2fb8ee4ba deadbeef", Some("deadbeef")),
            ("prev_comm=a prev_pid=1", None),
        ] {
            let frame = Frame::alone(rest.as_bytes());
            assert_eq!(
                frame.map(|frame| frame.symbol),
                symbol.map(str::as_bytes),
                "{rest}"
            );
        }
    }

    #[test]
    fn lines_of_source_are_taken_apart() {
        for (line, file, number, inlined) in [
            ("  dl-reloc.c:170", "dl-reloc.c", 170, false),
            ("  a.h:3 (inlined)", "a.h", 3, true),
            ("  ??:0", "", 0, false),
            ("  :0", "", 0, false),
            ("  [kernel.kallsyms][ffffffff81000e06]", "", 0, false),
        ] {
            let source = SourceLine::parse(line.as_bytes()).expect(line);
            let found = (source.file, source.line, source.inlined);
            assert_eq!(found, (file.as_bytes(), number, inlined), "{line}");
        }
        assert_eq!(SourceLine::parse(b"  [unknown]"), None);
        assert!(is_source_text(b"|17    code") && !is_source_text(b"|| 1"));
    }
}
