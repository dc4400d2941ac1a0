//! Folded stacks, one a line. Specification: <https://github.com/brendangregg/FlameGraph#2-fold-stacks>.
//!
//! Read: stacks as frames with `;` between them, outermost first, and behind a blank their count. Stacks of
//! the same frames are one context. Two counts on every line (`difffolded.pl`) are two values, `before` and
//! `after`, the second shown. Counts with decimals, or with an exponent (`1e3`), are kept to thousandths, and counted where they have more. Lines that begin with `#` or `//`
//! and have no count are comments, and so is `# key: value`, as austin writes it before and behind its stacks
//! (<https://github.com/P403n1x87/austin#austin-format>): its counts are microseconds, or bytes, and its frames `file:function:line`.
//!
//! Frames are names; of these dialects they are taken apart: `name (file:line)` of py-spy; ``module`name`` of
//! DTrace; `name_[k]` of a function of the kernel; `name_[j]`, `_[i]`, `_[0]`, `_[1]` of perf and async-profiler,
//! which tell how a function was compiled, not which it is.
//!
//! Not read: what the counts count, which the format does not say: they are called samples.

mod other_text;

use std::borrow::Cow;
use std::collections::HashMap;

use super::chrome::split_name;
use super::decimal;
use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::samplers::{self, Sampler};
use super::{stream, text};
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, Unit};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::{Function, Functions, NO_FRAMES};
use callscape_facts::hashing::BuildFast;
use callscape_facts::profile::{Profile, Value, Weights};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "folded";

/// How many lines tell whether a file is one, and of which kind.
const LINES_SNIFFED: usize = 64;

/// A line that the first bytes do not hold as a whole is one when it has at least so many frames.
const FRAMES_SNIFFED: usize = 16;

/// What counts with decimals are kept to: thousandths.
const SCALE: u64 = 1000;

/// Whether most of the first lines have a count. To be asked last: the format has no mark of its own. Without stacks of
/// several frames lines are of names and not of words; with them they are none of a log, of code, or of a document.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let (is_one, has_stacks) = looked_at(head);
    is_one && (has_stacks || !is_prose(head)) && !other_text::is_one(outermost(head))
}

/// The outermost frames of the first stacks.
fn outermost(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let stacks = first_lines(head).filter_map(|(line, _)| split_count(line));
    stacks.map(|(stack, _)| {
        let end = memchr::memchr(b';', stack).unwrap_or(stack.len());
        &stack[..end]
    })
}

/// Whether it is one, and has stacks of several frames.
pub(crate) fn has_stacks(head: &[u8]) -> bool {
    looked_at(head) == (true, true)
}

/// Whether words stand before most of the counts: blanks that are not within brackets, as those of parameters are; or a
/// label, which ends with a colon. Or a blank behind a semicolon somewhere.
fn is_prose(head: &[u8]) -> bool {
    let (mut names, mut phrases, mut has_sentence) = (0, 0, false);
    for (name, _) in first_lines(head).filter_map(|(line, _)| split_count(line)) {
        let mut depth = 0_i32;
        let has_blank = name.iter().any(|byte| {
            depth += i32::from(b"([{<".contains(byte)) - i32::from(b")]}>".contains(byte));
            depth <= 0 && byte.is_ascii_whitespace()
        });
        names += 1;
        phrases += usize::from(has_blank || name.ends_with(b":"));
        has_sentence |= memchr::memmem::find(name, b"; ").is_some();
    }
    has_sentence || phrases * 2 > names
}

fn looked_at(head: &[u8]) -> (bool, bool) {
    if is_json(head) {
        return (false, false);
    }
    let is_text = |line: &[u8]| line.iter().all(|&byte| byte >= b' ' || byte == b'\t');
    let (mut all, mut counted, mut stacks) = (0, 0, false);
    for (line, cut) in first_lines(head) {
        let frames = memchr::memchr_iter(b';', line).count();
        if cut && split_count(line).is_none() {
            // Minified code has as many semicolons, and bodies of functions.
            let bodies = memchr::memmem::find_iter(line, b"){").count();
            let is_stack = frames >= FRAMES_SNIFFED && bodies * 10 < frames;
            let is_one = all == 0 && is_stack && is_text(line);
            return (is_one, is_one);
        }
        let is_counted = split_count(line).is_some();
        all += 1;
        counted += usize::from(is_counted);
        // Sentences have blanks behind their semicolons.
        let is_sentence = memchr::memmem::find(line, b"; ").is_some();
        stacks |= is_counted && frames > 0 && !is_sentence;
    }
    let is_one = counted > 0 && (counted == all || (stacks && counted * 2 > all));
    (is_one, stacks)
}

/// Whether it begins as JSON does: `[unknown]` and `{main}` are frames.
fn is_json(head: &[u8]) -> bool {
    let mut rest = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    match rest.next() {
        Some(b'{') => rest.next().is_none_or(|next| b"\"}".contains(next)),
        Some(b'[') => rest
            .next()
            .is_none_or(|next| b"[{]\"-".contains(next) || next.is_ascii_digit()),
        _ => false,
    }
}

/// The first lines that are neither empty nor comments, and whether their end may be missing.
fn first_lines(head: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    let end = memchr::memrchr(b'\n', head).filter(|&end| end + 1 < head.len());
    let (lines, cut) = match end {
        Some(end) => (&head[..end], false),
        None => (head, !head.ends_with(b"\n")),
    };
    let lines = lines.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let lines = lines.filter(|line| !line.is_empty() && !is_comment(line));
    lines.take(LINES_SNIFFED).map(move |line| (line, cut))
}

fn is_comment(line: &[u8]) -> bool {
    let begins = line.starts_with(b"#") || line.starts_with(b"//");
    begins && (split_count(line).is_none() || note(line).is_some())
}

/// The key and the value of `# key: value`.
fn note(line: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(line.strip_prefix(b"# ")?).ok()?;
    let (key, value) = text.split_once(": ")?;
    let is_word = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_word && !value.contains(';')).then_some((key, value.trim()))
}

/// A line as its stack and the text of its count.
fn split_count(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_end();
    // Counts are short, names of functions may have a blank anywhere: the last counts.
    let at = line
        .iter()
        .rposition(|&byte| byte == b' ' || byte == b'\t')?;
    let count = &line[at + 1..];
    let digits = count.strip_prefix(b"-").unwrap_or(count);
    let digits = split_exponent(digits).map_or(digits, |(digits, _)| digits);
    let is_plain = digits
        .iter()
        .all(|&byte| byte.is_ascii_digit() || byte == b'.')
        && memchr::memchr_iter(b'.', digits).count() <= 1;
    let is_number = digits.first().is_some_and(u8::is_ascii_digit)
        && (is_plain || in_other_locale(digits).is_some());
    is_number.then(|| (line[..at].trim_ascii_end(), count))
}

/// A number with a decimal comma, or with signs between its thousands, as others write it.
fn in_other_locale(number: &[u8]) -> Option<String> {
    decimal::plain(std::str::from_utf8(number).ok()?, true)
}

/// A number as what stands before its exponent, and the exponent; none of one without.
fn split_exponent(number: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = number.iter().position(|&byte| byte | 0x20 == b'e')?;
    let exponent = &number[at + 1..];
    let digits = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-"));
    let digits = digits.unwrap_or(exponent);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    is_number.then_some((&number[..at], exponent))
}

/// The same number without an exponent; none where it takes too many digits.
fn plain_number(number: &[u8], exponent: &[u8]) -> Option<Vec<u8>> {
    /// Of counts that fit, and of decimals that matter.
    const MOST: i64 = 40;
    let exponent: i64 = std::str::from_utf8(exponent).ok()?.parse().ok()?;
    let point = memchr::memchr(b'.', number);
    let digits: Vec<u8> = number.iter().copied().filter(|&it| it != b'.').collect();
    if digits.iter().all(|&digit| digit == b'0') {
        return Some(b"0".to_vec());
    }
    let whole = i64::try_from(point.unwrap_or(number.len())).ok()?;
    let whole = whole.checked_add(exponent)?;
    if whole < -MOST {
        // More decimals than are kept, and none of those.
        return Some(b"0.0001".to_vec());
    }
    if whole > MOST {
        return None;
    }
    let mut plain = Vec::new();
    for place in whole.min(0)..whole.max(digits.len() as i64) {
        if place == whole {
            plain.push(b'.');
        }
        let digit = usize::try_from(place).ok();
        plain.push(*digit.and_then(|it| digits.get(it)).unwrap_or(&b'0'));
    }
    Some(plain)
}

/// Reads the stacks. O(size); memory for contexts and names alone.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let head = stream::head(input, progress)?;
    let pairs = has_pairs(&head);
    let mut lines = Lines::open(input, progress, &reporter)?;
    let mut reader = Reader {
        reporter: &reporter,
        file: input.display().to_string(),
        line: 0,
        builder: ContextsBuilder::new(if pairs { 2 } else { 1 }, &reporter),
        functions: Functions::default(),
        spellings: HashMap::default(),
        stack: Vec::new(),
        frames: Vec::new(),
        pairs,
        scale: 1,
        stacks: 0,
        is_austin: false,
        mode: String::new(),
        of_austin: None,
    };
    while let Some(line) = lines.next()? {
        reader.line += 1;
        reader.read(line);
    }
    if reader.stacks == 0 {
        let found = "no line with both";
        return Err(ImportError::malformed(
            Place::file(reader.file),
            "stacks and their counts",
            found,
        ));
    }
    Ok(reader.finish(input))
}

/// Whether every stack has two counts.
fn has_pairs(head: &[u8]) -> bool {
    let mut lines = first_lines(head).filter_map(|(line, _)| split_count(line));
    let is_pair =
        |(stack, _): (&[u8], &[u8])| split_count(stack).is_some_and(|(stack, _)| !stack.is_empty());
    lines.next().is_some_and(is_pair) && lines.all(is_pair)
}

struct Reader<'r> {
    reporter: &'r Reporter,
    file: String,
    /// The number of the line at hand, from 1.
    line: u64,
    builder: ContextsBuilder<'r>,
    functions: Functions,
    /// By frame as it is spelled.
    spellings: HashMap<Box<[u8]>, FunctionId, BuildFast>,
    /// The stack read last, and for each of its frames where it ends and its context.
    stack: Vec<u8>,
    frames: Vec<(usize, NodeId)>,
    /// Two counts a line.
    pairs: bool,
    /// What one is counted as: [`SCALE`] once a count has had decimals.
    scale: u64,
    /// How many stacks were taken.
    stacks: u64,
    /// Austin has written it, in this mode.
    is_austin: bool,
    mode: String,
    /// What austin counts, from the first stack on; the other value is how many samples there are.
    of_austin: Option<Value>,
}

impl Reader<'_> {
    fn warn(&self, kind: &'static str) {
        self.reporter
            .warn(kind, || Place::line(&self.file, self.line));
    }

    fn read(&mut self, line: &[u8]) {
        if line.is_empty() {
            return;
        }
        if let Some((key, value)) = note(line) {
            self.is_austin |= key == "austin";
            if key == "mode" {
                value.clone_into(&mut self.mode);
            }
            return;
        }
        let Some((mut stack, count)) = split_count(line) else {
            let line = line.trim_ascii();
            if !line.is_empty() && !is_comment(line) {
                self.warn("missing-count");
            }
            return;
        };
        let mut counts = [count, b"0"];
        if self.pairs {
            let Some((rest, before)) = split_count(stack) else {
                self.warn("missing-count");
                return;
            };
            stack = rest;
            counts = [before, count];
        }
        if self.stacks == 0 && self.of_austin.is_none() {
            self.of_austin = self.value_of_austin();
            if self.of_austin.is_some() {
                self.builder.add_value();
            }
        }
        let mut weights = [0; 2];
        for (weight, count) in weights.iter_mut().zip(counts) {
            match self.weight(count) {
                Ok(value) => *weight = value,
                Err(kind) => return self.warn(kind),
            }
        }
        if self.of_austin.is_some() {
            weights[1] = 1;
        }
        let context = self.context(stack).unwrap_or_else(|| {
            self.warn("empty-stack");
            let function = self.functions.intern(NO_FRAMES);
            let place = || Place::line(&self.file, self.line);
            self.builder.child(NodeId::ROOT, function, place)
        });
        self.stacks += 1;
        for (value, &weight) in weights.iter().enumerate().take(self.builder.values()) {
            let place = || Place::line(&self.file, self.line);
            self.builder.add(context, value, weight, place);
        }
    }

    /// A count in units of the scale, which a count with decimals may change.
    fn weight(&mut self, count: &[u8]) -> Result<i64, &'static str> {
        if let Some(size) = count.strip_prefix(b"-") {
            let size = self.weight(size)?;
            self.warn("negative-count");
            return Ok(-size);
        }
        const OUT_OF_RANGE: &str = "count-out-of-range";
        if let Some((number, exponent)) = split_exponent(count) {
            let plain = plain_number(number, exponent).ok_or(OUT_OF_RANGE)?;
            return self.weight(&plain);
        }
        if !count
            .iter()
            .all(|&byte| byte.is_ascii_digit() || byte == b'.')
        {
            let plain = in_other_locale(count).ok_or(OUT_OF_RANGE)?;
            return self.weight(plain.as_bytes());
        }
        let (whole, decimals) = match memchr::memchr(b'.', count) {
            Some(point) => (&count[..point], &count[point + 1..]),
            None => (count, &b""[..]),
        };
        let mut value = 0_i64;
        for digit in whole {
            let digit = i64::from(digit - b'0');
            let next = value.checked_mul(10).and_then(|it| it.checked_add(digit));
            value = next.ok_or(OUT_OF_RANGE)?;
        }
        let mut fraction = 0;
        for place in 0..3 {
            let digit = decimals.get(place).map_or(0, |digit| digit - b'0');
            fraction = fraction * 10 + i64::from(digit);
        }
        // Half a thousandth is rounded up.
        fraction += i64::from(decimals.get(3).is_some_and(|&digit| digit >= b'5'));
        if decimals.iter().skip(3).any(|&digit| digit != b'0') {
            self.warn("decimals-left-out");
        }
        if fraction > 0 && self.scale == 1 {
            let values = 0..self.builder.values();
            let fits = |value| self.builder.size(value) <= i64::MAX as u64 / SCALE;
            if self.of_austin.is_none() && values.clone().all(fits) {
                for value in values {
                    self.builder.scale(value, SCALE);
                }
                self.scale = SCALE;
            } else {
                self.warn("decimals-left-out");
            }
        }
        if self.scale == 1 {
            return Ok(value);
        }
        let scaled = value.checked_mul(SCALE as i64);
        scaled
            .and_then(|it| it.checked_add(fraction))
            .ok_or(OUT_OF_RANGE)
    }

    /// The context of a stack: frames that it shares with the stack before it, byte by byte, are not read
    /// again. None of a stack without frames.
    fn context(&mut self, stack: &[u8]) -> Option<NodeId> {
        let common = common_prefix(&self.stack, stack);
        let ends_there = common == stack.len() || stack[common] == b';';
        while let Some(&(end, _)) = self.frames.last()
            && (end > common || (end == common && !ends_there))
        {
            self.frames.pop();
        }
        self.stack.truncate(common);
        self.stack.extend_from_slice(&stack[common..]);
        let mut context = match self.frames.last() {
            Some(&(_, context)) => context,
            None => NodeId::ROOT,
        };
        let mut start = self.frames.last().map_or(0, |&(end, _)| end + 1);
        while start <= stack.len() {
            let rest = &stack[start..];
            let end = start + memchr::memchr(b';', rest).unwrap_or(rest.len());
            let frame = stack[start..end].trim_ascii();
            if frame.is_empty() {
                if !stack.is_empty() {
                    self.warn("empty-frame");
                }
            } else {
                let function = self.function(frame);
                let place = || Place::line(&self.file, self.line);
                context = self.builder.child(context, function, place);
            }
            self.frames.push((end, context));
            start = end + 1;
        }
        (context != NodeId::ROOT).then_some(context)
    }

    fn text<'t>(&self, bytes: &'t [u8]) -> Cow<'t, str> {
        let (text, is_sound) = text::checked(bytes);
        if !is_sound {
            self.warn("invalid-text");
        }
        text
    }

    fn function(&mut self, frame: &[u8]) -> FunctionId {
        if let Some(&known) = self.spellings.get(frame) {
            return known;
        }
        let text = self.text(frame);
        let function = match self.is_austin {
            true => of_austin(&text).unwrap_or_else(|| function(&text)),
            false => function(&text),
        };
        let [name, file, library] = [function.name, function.file, function.library]
            .map(|it| escape::undata(it, |c| c == ';'));
        let function = self.functions.intern(Function {
            name: &name,
            file: &file,
            library: &library,
            ..function
        });
        self.spellings.insert(frame.into(), function);
        function
    }

    /// The value of what austin counts; none of other files.
    fn value_of_austin(&self) -> Option<Value> {
        if !self.is_austin || self.scale != 1 || self.pairs {
            return None;
        }
        if self.mode == "memory" {
            return Some(Value {
                name: "memory".to_owned(),
                unit: Unit::Bytes,
            });
        }
        samplers::of(FORMAT, &self.mode).map(Sampler::time)
    }

    fn finish(mut self, input: &Input) -> Recording {
        const NS_A_MICROSECOND: u64 = 1000;
        let unit = match self.scale {
            1 => Unit::Things("samples".to_owned()),
            _ => Unit::Thousandths("samples".to_owned()),
        };
        let named = |name: &str| Value {
            name: name.to_owned(),
            unit: unit.clone(),
        };
        let (mut values, shown) = match self.pairs {
            true => (vec![named("before"), named("after")], 1),
            false => (vec![named("samples")], 0),
        };
        let mut samples = self.builder.size(shown) / self.scale;
        if let Some(value) = self.of_austin {
            samples = self.stacks;
            let fits = !value.unit.is_time() || self.builder.scale(0, NS_A_MICROSECOND);
            let unscaled = || Value {
                name: "microseconds".to_owned(),
                unit: Unit::Things("microseconds".to_owned()),
            };
            values.insert(0, if fits { value } else { unscaled() });
        }
        let weights = Weights::Contexts(self.builder.finish());
        let profile = Profile::new(values, shown, weights, self.functions.len());
        let (profile, warnings) = ((self.functions, profile), self.reporter.warnings());
        Recording::of_profile(input, FORMAT, samples, profile, warnings)
    }
}

/// How many bytes two texts have in common from the start.
#[inline]
fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const WORD: usize = size_of::<u64>();
    let words = a.chunks_exact(WORD).zip(b.chunks_exact(WORD));
    let mut at = WORD * words.take_while(|(a, b)| a == b).count();
    let rest = a[at..].iter().zip(&b[at..]);
    at += rest.take_while(|(a, b)| a == b).count();
    at
}

/// A frame of austin's, whose line is the one that ran.
fn of_austin(frame: &str) -> Option<Function<'_>> {
    let (place, line) = frame.rsplit_once(':')?;
    line.parse::<u32>().ok()?;
    let (file, name) = place.rsplit_once(':')?;
    (!file.is_empty() && !name.is_empty()).then_some(Function {
        name,
        file,
        ..Function::default()
    })
}

/// What a frame says.
fn function(frame: &str) -> Function<'_> {
    let (name, library) = match frame.strip_suffix("_[k]") {
        Some(name) => (name, "[kernel]"),
        None => {
            let compiled = ["_[j]", "_[i]", "_[0]", "_[1]"];
            let name = compiled.iter().find_map(|how| frame.strip_suffix(how));
            (name.unwrap_or(frame), "")
        }
    };
    if name.is_empty() {
        return Function {
            name: frame,
            ..Function::default()
        };
    }
    let (name, file, line) = split_name(name);
    let (name, library) = match name.split_once('`') {
        Some((module, name)) if !module.is_empty() && !name.is_empty() && !name.contains('`') => {
            (name, module)
        }
        _ => (name, library),
    };
    Function {
        name,
        file,
        line,
        library,
    }
}

#[cfg(test)]
mod tests;
