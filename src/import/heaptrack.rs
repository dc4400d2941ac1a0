//! heaptrack's recordings as they are stored. Specification: what writes and reads them,
//! <https://github.com/KDE/heaptrack/blob/master/src/analyze/accumulatedtracedata.cpp>.
//!
//! Lines of a letter and hexadecimal numbers, versions 0 to 3. Read are `v` the version, `s` a string (by number from 1;
//! with its length before it from version 3), `i` an instruction (address, module, then function, file and line of each
//! inlined frame, innermost first), `t` a stack (instruction, stack around it, both from 1), `a` what allocations have in
//! common (size, stack), `+` and `-` events by the number of that (by address in version 0), `c` the time in
//! milliseconds, `R` pages of the resident set, `I` the size of a page, `A` that recording began in a running program, before
//! which nothing counts. Not read: the command (`X`), and which leaks are to be kept quiet about (`S`).
//!
//! An event has the time of the last stamp before it. From version 1 a release names stack and size of its object, not
//! the object: the youngest of those is taken, which is what heaptrack's count of temporary allocations implies.

use std::collections::HashMap;

use super::demangle::demangle;
use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId, Time};
use callscape_base::warnings::Reporter;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hashing::BuildFast;
use callscape_facts::memory::{Detail, Live, MemoryBuilder, StackId};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "heaptrack";

/// The latest version known.
const LATEST: u64 = 3;
/// Before any event, and where no other is known.
const PAGE: u64 = 4096;
/// How many frames of inlined functions all stacks may have, and how many more for each: a small file can name an
/// instruction with many of them in stack after stack.
const FREE_FRAMES: usize = 1 << 20;
const FRAMES_A_STACK: usize = 8;
/// heaptrack tells no threads.
const THREAD: ThreadId = ThreadId(0);

/// Whether it begins with a version, and goes on with what stands behind one.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n');
    let version = lines.next().and_then(|line| line.strip_prefix(b"v "));
    let is_version = version.is_some_and(|rest| {
        let mut numbers = Numbers(rest.trim_ascii_end());
        numbers.next().is_some()
            && (numbers.0.is_empty() || numbers.next().is_some_and(|it| it <= 0xff))
    });
    let second = lines.next().unwrap_or_default();
    is_version
        && (second.is_empty()
            || (b"XIsSRAtiac#".contains(&second[0])
                && second
                    .get(1)
                    .is_none_or(|&it| it == b' ' || second[0] == b'#')))
}

/// Hexadecimal numbers with a blank between them.
struct Numbers<'a>(&'a [u8]);

impl Iterator for Numbers<'_> {
    type Item = u64;

    /// None at the end, and from what is no number on.
    #[inline]
    fn next(&mut self) -> Option<u64> {
        let (mut value, mut digits) = (0_u64, 0);
        for &byte in self.0 {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                b' ' if digits > 0 => break,
                _ => return None,
            };
            value = value << 4 | u64::from(digit);
            digits += 1;
        }
        self.0 = self.0.get(digits + 1..).unwrap_or_default();
        (1..=16).contains(&digits).then_some(value)
    }
}

/// The number that fills the rest of a line, of at most seven digits, and how many these are; none where that is anything else,
/// or may go on. All digits at once and without a branch on any, since a processor cannot foresee them.
#[inline]
fn number_in_line(rest: &[u8]) -> Option<(u32, usize)> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let text = u64::from_le_bytes(*rest.first_chunk()?);
    // The first byte that is a line's end has its highest bit set.
    let differs = text ^ (ONES * u64::from(b'\n'));
    let ends = differs.wrapping_sub(ONES) & !differs & HIGH;
    let digits = (ends.trailing_zeros() / 8) as usize;
    if !(1..8).contains(&digits) {
        return None;
    }
    // The last digit is in the last byte.
    let text = text << (64 - 8 * digits);
    let is_digit = ONES << (64 - 8 * digits);
    // A letter is one of `a` to `f` where it comes back from its value, and so are `0` to `9`.
    let letter = text >> 6 & is_digit;
    let values = (text & (is_digit * 0xf)) + letter * 9;
    let above_nine = (values + is_digit * 6) >> 4 & is_digit;
    if values & !(is_digit * 0xf) != 0
        || values + is_digit * u64::from(b'0') + above_nine * u64::from(b'a' - b'0' - 10) != text
    {
        return None;
    }
    let values = values.swap_bytes();
    let pairs = (values | values >> 4) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    Some(((fours | fours >> 16) as u32, digits))
}

/// Reads the events. O(size); memory for the columns of events.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader::new(&reporter);
    // Places cost a text; they are made only of what is counted.
    let mut number = 0;
    while let Some(line) = lines.next_whole()? {
        number += 1;
        let read = reader.read(line);
        if number == 1 && reader.version > LATEST {
            let expected = format!("a version of heaptrack's format up to {LATEST}");
            let found = format!("version {}", reader.version);
            return Err(ImportError::malformed(lines.place(), expected, found));
        }
        if let Some(kind) = read {
            lines.warn(kind);
        }
        let (count, bytes) = reader.events(lines.at_hand());
        lines.pass(count, bytes);
        number += count;
    }
    let Reader {
        builder,
        functions,
        now,
        ..
    } = reader;
    let memory = builder.finish(Detail::Events, Time::from_ns(now));
    Ok(Recording::of_memory(
        input,
        FORMAT,
        functions,
        memory,
        reporter.warnings(),
    ))
}

/// Events that are read before any is taken.
const BATCH: usize = 32;

/// An event, and where its line ends behind the start of its batch.
#[derive(Clone, Copy, Default)]
struct Event {
    site: u32,
    end: usize,
    is_release: bool,
}

/// A frame of an instruction, outermost first.
type Frames = Vec<FunctionId>;

struct Reader<'r> {
    version: u64,
    strings: Vec<String>,
    instructions: Vec<Frames>,
    stacks: Vec<StackId>,
    /// How many more frames of inlined functions there may be.
    spare_frames: usize,
    /// By number, the site; none of one that means nothing.
    sites: Vec<Option<u32>>,
    /// Where releases name addresses, the objects at them.
    by_address: HashMap<u64, Live, BuildFast>,
    functions: Functions,
    builder: MemoryBuilder,
    /// Nanoseconds.
    now: u64,
    page: u64,
    reporter: &'r Reporter,
}

impl<'r> Reader<'r> {
    fn new(reporter: &'r Reporter) -> Reader<'r> {
        Reader {
            version: 0,
            strings: Vec::new(),
            instructions: Vec::new(),
            stacks: Vec::new(),
            spare_frames: FREE_FRAMES,
            sites: Vec::new(),
            by_address: HashMap::default(),
            functions: Functions::default(),
            builder: MemoryBuilder::new(),
            now: 0,
            page: PAGE,
            reporter,
        }
    }

    /// Reads a line. What is wrong with it, where something is.
    fn read(&mut self, line: &[u8]) -> Option<&'static str> {
        let (&letter, rest) = line.split_first()?;
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let mut numbers = Numbers(rest);
        let read = match letter {
            b'+' => return self.allocate(numbers),
            b'-' => return self.release(numbers),
            b'a' => self.site(numbers),
            b't' => self.stack(numbers),
            b'i' => self.instruction(numbers),
            b's' => {
                self.string(rest);
                Some(())
            }
            b'c' => return self.stamp(numbers),
            b'R' => numbers.next().map(|pages| {
                let bytes = pages.saturating_mul(self.page);
                self.builder
                    .counter("resident set", Time::from_ns(self.now), bytes);
            }),
            b'I' => numbers.next().map(|page| self.page = page),
            b'v' => numbers.next().map(|_| self.set_version(numbers.next())),
            b'A' => {
                self.builder.start_anew();
                self.by_address.clear();
                Some(())
            }
            b'X' | b'S' | b'#' => Some(()),
            _ => return Some("unknown-line"),
        };
        match read {
            Some(()) => None,
            None => Some("malformed-line"),
        }
    }

    /// Takes the events that `data` begins with, up to the first line that is anything else, or wrong in any way, which is
    /// left for [`read`](Self::read). How many they were, and the bytes of their lines.
    fn events(&mut self, data: &[u8]) -> (u64, usize) {
        let (mut count, mut at) = (0, 0);
        // Before version 1 events have more numbers.
        if self.version == 0 {
            return (count, at);
        }
        let mut batch = [Event::default(); BATCH];
        loop {
            let read = self.batch(&data[at..], &mut batch);
            let taken = self.take(&batch[..read]);
            count += taken as u64;
            at += batch[..taken].last().map_or(0, |event| event.end);
            if taken < BATCH {
                return (count, at);
            }
        }
    }

    /// Reads the events that `data` begins with into `batch`; how many there are.
    fn batch(&self, data: &[u8], batch: &mut [Event; BATCH]) -> usize {
        let (mut read, mut at) = (0, 0);
        for event in batch {
            let Some([sign @ (b'+' | b'-'), b' ', rest @ ..]) = data.get(at..) else {
                break;
            };
            let Some((number, digits)) = number_in_line(rest) else {
                break;
            };
            let Some(&Some(site)) = self.sites.get(number as usize) else {
                break;
            };
            at += 2 + digits + 1;
            *event = Event {
                site,
                end: at,
                is_release: *sign == b'-',
            };
            read += 1;
        }
        read
    }

    /// Hands events to the builder up to the first that it refuses: that changes nothing, and is refused again where it is
    /// counted. How many were taken.
    fn take(&mut self, batch: &[Event]) -> usize {
        self.builder.fetch(batch.iter().map(|event| event.site));
        let time = Time::from_ns(self.now);
        let mut is_refused = false;
        batch
            .iter()
            .take_while(|event| {
                let refuse = |_| is_refused = true;
                match event.is_release {
                    true => (self.builder).release_youngest(time, THREAD, event.site, refuse),
                    false => {
                        self.builder.allocate(time, THREAD, event.site, refuse);
                    }
                }
                !is_refused
            })
            .count()
    }

    fn set_version(&mut self, version: Option<u64>) {
        self.version = version.unwrap_or(0);
        if self.version > 0 {
            self.builder.like_heaptrack();
        }
    }

    fn stamp(&mut self, mut numbers: Numbers<'_>) -> Option<&'static str> {
        let Some(ms) = numbers.next() else {
            return Some("malformed-line");
        };
        let time = ms.saturating_mul(1_000_000);
        let goes_back = time < self.now;
        self.now = self.now.max(time);
        goes_back.then_some("time-goes-back")
    }

    #[inline]
    fn allocate(&mut self, mut numbers: Numbers<'_>) -> Option<&'static str> {
        let Some(first) = numbers.next() else {
            return Some("malformed-line");
        };
        let at = Time::from_ns(self.now);
        let mut refused = None;
        if self.version == 0 {
            let (Some(stack), Some(address)) = (numbers.next(), numbers.next()) else {
                return Some("malformed-line");
            };
            let stack = self.stack_of(stack).unwrap_or_default();
            let site = self.builder.site(first, stack, 0);
            let live = self
                .builder
                .allocate(at, THREAD, site, |kind| refused = Some(kind));
            if let Some(live) = live
                && self.by_address.insert(address, live).is_some()
            {
                return Some("address-reused");
            }
            return refused;
        }
        let site = self.sites.get(first as usize).copied().flatten();
        let Some(site) = site else {
            return Some("unknown-allocation");
        };
        self.builder
            .allocate(at, THREAD, site, |kind| refused = Some(kind));
        refused
    }

    #[inline]
    fn release(&mut self, mut numbers: Numbers<'_>) -> Option<&'static str> {
        let Some(first) = numbers.next() else {
            return Some("malformed-line");
        };
        let at = Time::from_ns(self.now);
        let mut refused = None;
        if self.version == 0 {
            let Some(live) = self.by_address.remove(&first) else {
                return Some("free-without-allocation");
            };
            self.builder
                .release(at, THREAD, live, |kind| refused = Some(kind));
            return refused;
        }
        let site = self.sites.get(first as usize).copied().flatten();
        let Some(site) = site else {
            return Some("unknown-allocation");
        };
        self.builder
            .release_youngest(at, THREAD, site, |kind| refused = Some(kind));
        refused
    }

    /// The stack with a number; 0 is the empty one.
    fn stack_of(&self, number: u64) -> Option<StackId> {
        match usize::try_from(number).ok()?.checked_sub(1) {
            None => Some(StackId::EMPTY),
            Some(at) => self.stacks.get(at).copied(),
        }
    }

    fn site(&mut self, mut numbers: Numbers<'_>) -> Option<()> {
        let read = (|| {
            let size = numbers.next()?;
            let stack = self.stack_of(numbers.next()?)?;
            Some(self.builder.site_apart(size, stack, 0))
        })();
        // It has its number all the same.
        self.sites.push(read);
        read.map(|_| ())
    }

    fn stack(&mut self, mut numbers: Numbers<'_>) -> Option<()> {
        let read = (|| {
            let instruction = usize::try_from(numbers.next()?).ok()?;
            let around = self.stack_of(numbers.next()?)?;
            let none = Frames::new();
            let frames = match instruction.checked_sub(1) {
                Some(at) => self.instructions.get(at)?,
                None => &none,
            };
            let kept = frames.len().min(1 + self.spare_frames);
            self.spare_frames += FRAMES_A_STACK;
            self.spare_frames -= kept.saturating_sub(1).min(self.spare_frames);
            if kept < frames.len() {
                let place = || callscape_base::warnings::Place::file("stacks");
                self.reporter.warn("too-many-frames", place);
            }
            let builder = &mut self.builder;
            let push = |stack, &function: &FunctionId| builder.stack(stack, function);
            Some(frames.iter().take(kept).fold(around, push))
        })();
        self.stacks.push(read.unwrap_or_default());
        read.map(|_| ())
    }

    fn instruction(&mut self, mut numbers: Numbers<'_>) -> Option<()> {
        let Some(address) = numbers.next() else {
            self.instructions.push(Frames::new());
            return None;
        };
        let module = numbers.next().unwrap_or(0);
        let text = |number: u64| {
            let at = usize::try_from(number)
                .ok()
                .and_then(|it| it.checked_sub(1));
            at.and_then(|at| self.strings.get(at))
                .map_or("", String::as_str)
        };
        let library = text(module);
        let mut frames = Frames::new();
        while let Some(name) = numbers.next() {
            let file = numbers.next().map_or("", text);
            // The line of the call, not of the function.
            let _line = numbers.next();
            let name = match text(name) {
                "" => format!("{address:#x}"),
                name => demangle(name),
            };
            frames.push(self.functions.intern(Function {
                name: &name,
                file,
                line: 0,
                library,
            }));
        }
        if frames.is_empty() {
            frames.push(self.functions.intern(Function {
                name: &format!("{address:#x}"),
                file: "",
                line: 0,
                library,
            }));
        }
        frames.reverse();
        self.instructions.push(frames);
        numbers.0.is_empty().then_some(())
    }

    fn string(&mut self, rest: &[u8]) {
        let text = match self.version {
            0..3 => rest,
            _ => {
                // Its length, which the line gives too.
                let blank = memchr::memchr(b' ', rest).unwrap_or(rest.len());
                rest.get(blank + 1..).unwrap_or_default()
            }
        };
        if std::str::from_utf8(text).is_err() {
            self.reporter.warn("invalid-utf8", || {
                callscape_base::warnings::Place::file("strings")
            });
        }
        self.strings.push(crate::text::decode(text).0.into_owned());
    }
}

#[cfg(test)]
mod tests;
