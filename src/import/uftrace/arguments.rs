//! Arguments and return values of calls, where they were recorded (`-A`, `-R` or `-a`).
//!
//! `info` has the specifications that the recorder was given and those that it has for functions of libraries, files of
//! debugging information those of the program (`doc/uftrace-record.md`, "ARGUMENTS", and `utils/argspec.c`). They say which
//! values stand behind the records of a function, of what type and how long: each is padded to four bytes. The records are
//! read in a pass of their own, so that recordings without arguments cost nothing. Arguments have numbers in place of names,
//! and what a call returns is called `return`. Bytes that are not as long as their specification says are counted
//! (`arguments-not-decoded`), and so are those of functions without one (`arguments-without-type`).

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::ControlFlow;

use regex::Regex;

use super::records::{RecordKind, visit};
use super::symbols::Symbols;
use super::tasks::{Tasks, timestamp};
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::trace::{Told, Value};

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    /// A number of which uftrace knows no type.
    Auto,
    Signed,
    Unsigned,
    Hexadecimal,
    Text,
    Character,
    Float,
    /// A structure, whose members are not known.
    Structure,
}

/// A value behind a record.
#[derive(Clone, Debug, PartialEq)]
struct Spec {
    name: String,
    format: Format,
    /// In bytes; texts say so themselves.
    size: usize,
}

/// The values of a function, behind its entry or its exit.
type Values = Vec<Spec>;

/// `arg1/i32`, `fparg1/32`, `retval/s`, `arg2/x64%RDI`.
fn spec(text: &str) -> Option<Spec> {
    let (text, _) = text.split_once('%').unwrap_or((text, ""));
    let (name, format) = text.split_once('/').unwrap_or((text, ""));
    let is_float = name.starts_with("fparg");
    let number = |text: &str| text.bytes().all(|it| it.is_ascii_digit()) && !text.is_empty();
    let is_named = name == "retval"
        || name.strip_prefix("fparg").is_some_and(number)
        || name.strip_prefix("arg").is_some_and(number);
    if !is_named {
        return None;
    }
    let letter = format.chars().next().filter(|it| !it.is_ascii_digit());
    let rest = letter.map_or(format, |it| &format[it.len_utf8()..]);
    let (format, usual) = match letter {
        _ if is_float => (Format::Float, 8),
        None | Some('d') => (Format::Auto, 8),
        // Enumerations are as long as machine words, and their constants are numbers here.
        Some('e') => (Format::Auto, 8),
        Some('i') => (Format::Signed, 8),
        Some('u') => (Format::Unsigned, 8),
        Some('x' | 'p' | 'o') => (Format::Hexadecimal, 8),
        Some('s' | 'S') => (Format::Text, 0),
        Some('c') => (Format::Character, 1),
        Some('f') => (Format::Float, 8),
        Some('t') => (Format::Structure, 0),
        Some(_) => return None,
    };
    let digits = rest.split(|it: char| !it.is_ascii_digit()).next();
    let digits = digits.and_then(|digits| digits.parse::<usize>().ok());
    let size = match (format, digits) {
        // Of these in bytes.
        (Format::Structure, size) => size.filter(|&size| size <= 1 << 16)?,
        (_, Some(bits @ (8 | 16 | 32 | 64 | 80))) => bits / 8,
        (_, Some(_)) => return None,
        (_, None) => usual,
    };
    let name = match name {
        "retval" => "return",
        name => name,
    };
    Some(Spec {
        name: name.to_owned(),
        format,
        size,
    })
}

/// `arg1/s,arg2`; none when one of them is not known, since then nobody knows where the others are.
fn values(list: &str) -> Option<Values> {
    list.split(',').map(spec).collect()
}

/// An extended double of x86, whose mantissa has no hidden bit.
fn extended(bytes: [u8; 10]) -> f64 {
    let mantissa = bytes.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
    let exponent = u16::from_le_bytes([bytes[8], bytes[9]]);
    let sign = if exponent >> 15 == 1 { -1.0 } else { 1.0 };
    match i32::from(exponent & 0x7fff) {
        0x7fff if mantissa << 1 == 0 => sign * f64::INFINITY,
        0x7fff => f64::NAN,
        // In two steps: neither is out of range where the result is not.
        exponent => {
            let half = (exponent - 16383 - 63) / 2;
            let rest = exponent - 16383 - 63 - half;
            sign * mantissa as f64 * 2f64.powi(half) * 2f64.powi(rest)
        }
    }
}

/// The value at the start of `bytes`, and how many it takes.
fn value<'a>(spec: &Spec, bytes: &'a [u8]) -> Option<(Option<Value<'a>>, usize)> {
    if spec.format == Format::Text {
        let length = usize::from(u16::from_le_bytes(*bytes.first_chunk::<2>()?));
        let text = bytes.get(2..2 + length)?;
        let end = text.iter().position(|&it| it == 0).unwrap_or(length);
        let text = match text {
            [0xff, 0xff, 0xff, 0xff] => Cow::Borrowed("NULL"),
            text => crate::text::decode(&text[..end]).0,
        };
        return Some((Some(Value::Text(text)), 2 + length));
    }
    let raw = bytes.get(..spec.size)?;
    let mut word = [0; 8];
    let length = raw.len().min(8);
    word[..length].copy_from_slice(&raw[..length]);
    let unsigned = u64::from_le_bytes(word);
    // The sign is that of the highest byte.
    let unused = 64 - 8 * length as u32;
    let signed = (unsigned << unused.min(63)) as i64 >> unused.min(63);
    let value = match spec.format {
        // As uftrace shows it: a negative number of 32 bits in a register of 64.
        Format::Auto if (0xffff_0000..=0xffff_ffff).contains(&unsigned) => {
            Value::Integer((unsigned as u32 as i32).into())
        }
        Format::Auto | Format::Signed => Value::Integer(signed.into()),
        Format::Unsigned => Value::Integer(unsigned.into()),
        Format::Hexadecimal => Value::Address(unsigned),
        Format::Character => match char::from(word[0]) {
            letter @ ' '..='~' => Value::Text(letter.to_string().into()),
            _ => Value::Integer(word[0].into()),
        },
        Format::Float => match raw.len() {
            // As many digits as it has.
            4 => Value::Real(
                f32::from_le_bytes(*raw.first_chunk()?)
                    .to_string()
                    .parse()
                    .ok()?,
            ),
            8 => Value::Real(f64::from_le_bytes(word)),
            10 => Value::Real(extended(*raw.first_chunk()?)),
            _ => return Some((None, spec.size)),
        },
        Format::Structure | Format::Text => return Some((None, spec.size)),
    };
    Some((Some(value), spec.size))
}

/// Tells the values that `bytes` are, padding included; false when they are not as long as these.
fn tell(values: &[Spec], bytes: &[u8], told: &mut Told) -> bool {
    const ALIGNMENT: usize = 4;
    let mut found = Vec::with_capacity(values.len());
    let mut at = 0;
    for spec in values {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some((value, length)) = value(spec, rest) else {
            return false;
        };
        found.extend(value.map(|value| (spec.name.as_str(), value)));
        at += length.next_multiple_of(ALIGNMENT);
    }
    // All of them are padded to eight bytes.
    if at > bytes.len() || bytes.len() - at >= 8 {
        return false;
    }
    found.iter().for_each(|(name, value)| told.add(name, value));
    true
}

/// Specifications by the name of their function, or by a pattern of names.
#[derive(Debug, Default)]
struct Specs {
    /// Of the user, in order; then those of the debugging information, and those that are usual.
    patterns: Vec<(Regex, Option<Values>)>,
    /// None of those that cannot be told apart.
    names: HashMap<String, Option<Values>>,
}

impl Specs {
    /// `malloc@arg1/u64;free@arg1/x64`.
    fn add_list(&mut self, list: &str, are_patterns: bool) {
        /// What makes a name a pattern (`utils/filter.c`).
        const SIGNS: &[char] = &[
            '.', '?', '*', '+', '-', '^', '$', '|', '(', ')', '[', ']', '{', '}',
        ];
        for one in list.split(';') {
            let Some((name, list)) = one.split_once('@') else {
                continue;
            };
            let values = values(list);
            let pattern = regex::RegexBuilder::new(name).size_limit(1 << 20).build();
            match pattern {
                Ok(pattern) if are_patterns && name.contains(SIGNS) => {
                    self.patterns.push((pattern, values));
                }
                _ => drop(self.names.entry(name.to_owned()).or_insert(values)),
            }
        }
    }

    /// The values of a function: those of its name, of its name without parameters, or of the first pattern that matches.
    fn find(&self, name: &str) -> Option<&Values> {
        let short = name.split('(').next().unwrap_or(name);
        let found = [name, short, super::memory::symbol(name)];
        let found = found.iter().find_map(|it| self.names.get(*it));
        let found = found.or_else(|| {
            let mut patterns = self.patterns.iter();
            let found = patterns.find(|(pattern, _)| pattern.is_match(short));
            found.map(|(_, values)| values)
        });
        found?.as_ref()
    }
}

/// What is behind the records of a function.
#[derive(Clone, Debug, Default)]
struct Known {
    arguments: Option<Values>,
    returned: Option<Values>,
}

/// A call that is open, and what stands behind its entry.
struct Open {
    depth: usize,
    time: u64,
    function: FunctionId,
    offset: u64,
    arguments: Vec<u8>,
}

/// Reads the arguments of all tasks.
pub(super) struct Reading<'a> {
    arguments: Specs,
    returned: Specs,
    known: HashMap<FunctionId, Known>,
    reporter: &'a Reporter,
}

impl<'a> Reading<'a> {
    /// None where the recording has no arguments.
    pub(super) fn begin(dir: &Input, reporter: &'a Reporter) -> Option<Reading<'a>> {
        let info = dir.join("info").read().ok()?;
        let info = String::from_utf8_lossy(&info);
        let mut reading = Reading {
            arguments: Specs::default(),
            returned: Specs::default(),
            known: HashMap::new(),
            reporter,
        };
        let lists = |wanted: &'static str| {
            let lines = info.lines();
            lines.filter_map(move |line| line.strip_prefix(wanted)?.strip_prefix(':'))
        };
        lists("argspec").for_each(|it| reading.arguments.add_list(it, true));
        lists("retspec").for_each(|it| reading.returned.add_list(it, true));
        if lists("auto-args").any(|it| it == "1") {
            reading.learn_types(dir);
        }
        lists("argauto").for_each(|it| reading.arguments.add_list(it, false));
        lists("retauto").for_each(|it| reading.returned.add_list(it, false));
        let is_empty = |specs: &Specs| specs.patterns.is_empty() && specs.names.is_empty();
        let has_none = is_empty(&reading.arguments) && is_empty(&reading.returned);
        (!has_none).then_some(reading)
    }

    /// Reads the types that debugging information says: behind each function (`F:`) those of its arguments (`A:`) and of what
    /// it returns (`R:`).
    fn learn_types(&mut self, dir: &Input) {
        let given: [Vec<String>; 2] =
            [&self.arguments, &self.returned].map(|it| it.names.keys().cloned().collect());
        for entry in dir.entries().unwrap_or_default() {
            let is_one = entry
                .file_name()
                .is_some_and(|it| it.to_string_lossy().ends_with(".dbg"));
            let Some(bytes) = is_one.then(|| entry.read().ok()).flatten() else {
                continue;
            };
            let mut function = String::new();
            for line in String::from_utf8_lossy(&bytes).lines() {
                if let Some(of) = line.strip_prefix("F: ") {
                    let name = of.split_once(' ').map_or("", |(_, name)| name);
                    name.clone_into(&mut function);
                    continue;
                }
                for (specs, given, sign) in [
                    (&mut self.arguments, &given[0], "A: @"),
                    (&mut self.returned, &given[1], "R: @"),
                ] {
                    let Some(list) = line.strip_prefix(sign) else {
                        continue;
                    };
                    let values = values(list);
                    if given.contains(&function) {
                        continue;
                    }
                    let known = specs.names.entry(function.clone());
                    let known = known.or_insert_with(|| values.clone());
                    if *known != values {
                        // Two functions of one name.
                        *known = None;
                    }
                }
            }
        }
    }

    /// Reads a task's records once more, for what is behind them.
    pub(super) fn read(
        &mut self,
        (file, tid): (&Input, u32),
        tasks: &Tasks,
        symbols: &mut Symbols<'_>,
        trace: &mut TraceBuilder<'_>,
        progress: &Progress,
    ) -> Result<(), ImportError> {
        let thread = trace.thread(&tasks.process(tid).to_string(), &tid.to_string());
        let sessions = tasks.sessions_of(tid);
        let mut open: Vec<Open> = Vec::new();
        let (resumed, _) = tasks.switches_of(tid);
        let mut passed = resumed.iter().copied().peekable();
        let mut last = 0;
        let mut read = 0u64;
        visit((file, resumed), progress, |record, bytes, place| {
            read += 1;
            let started = sessions.partition_point(|&(start, _)| start <= record.time);
            let session = started.checked_sub(1).map(|at| sessions[at].1);
            // What was open before recording stopped has ended, as far as is known, with the last record before.
            while passed.next_if(|&it| it <= record.time).is_some() {
                while let Some(call) = open.pop() {
                    self.end(thread, call, (last, &[]), trace, place);
                }
            }
            match record.kind {
                RecordKind::Entry => {
                    while let Some(left) = open.pop_if(|it| it.depth >= record.depth) {
                        self.end(thread, left, (record.time, &[]), trace, place);
                    }
                    let function =
                        symbols.function(session, record.address, record.time, trace, place);
                    open.push(Open {
                        depth: record.depth,
                        time: record.time,
                        function,
                        offset: read,
                        arguments: bytes.to_vec(),
                    });
                }
                RecordKind::Exit => {
                    while let Some(left) = open.pop_if(|it| it.depth > record.depth) {
                        self.end(thread, left, (record.time, &[]), trace, place);
                    }
                    if let Some(call) = open.pop_if(|it| it.depth == record.depth) {
                        self.end(thread, call, (record.time, bytes), trace, place);
                    }
                }
                RecordKind::Other => {}
            }
            last = record.time;
            ControlFlow::Continue(())
        })?;
        let place = || Place::file(file.display().to_string());
        while let Some(call) = open.pop() {
            self.end(thread, call, (last, &[]), trace, &place);
        }
        Ok(())
    }

    /// A call has ended: tells what stood behind its entry and its exit.
    fn end(
        &mut self,
        thread: ThreadId,
        call: Open,
        (time, returned): (u64, &[u8]),
        trace: &mut TraceBuilder<'_>,
        place: &dyn Fn() -> Place,
    ) {
        if call.arguments.is_empty() && returned.is_empty() {
            return;
        }
        let known = self.known.entry(call.function).or_insert_with(|| {
            let name = trace.function_name(call.function);
            Known {
                arguments: self.arguments.find(name).cloned(),
                returned: self.returned.find(name).cloned(),
            }
        });
        let told = trace.arguments();
        for (bytes, values) in [
            (call.arguments.as_slice(), &known.arguments),
            (returned, &known.returned),
        ] {
            match values {
                _ if bytes.is_empty() => {}
                None => self.reporter.warn("arguments-without-type", place),
                Some(values) if !tell(values, bytes, told) => {
                    self.reporter.warn("arguments-not-decoded", place);
                }
                Some(_) => {}
            }
        }
        let times = (timestamp(call.time), Some(timestamp(time)));
        told.of_begun((thread, call.function), times.0, times.1, call.offset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_are_read_as_uftrace_writes_them() {
        let of = |text: &str| spec(text).map(|it| (it.name, it.format, it.size));
        for (text, name, format, size) in [
            ("arg1", "arg1", Format::Auto, 8),
            ("arg2/d32", "arg2", Format::Auto, 4),
            ("arg3/i8", "arg3", Format::Signed, 1),
            ("arg1/u16%RDI", "arg1", Format::Unsigned, 2),
            ("arg2/x", "arg2", Format::Hexadecimal, 8),
            ("arg1/c", "arg1", Format::Character, 1),
            ("arg1/e:colour", "arg1", Format::Auto, 8),
            ("arg1/t16:point%RDI+RSI", "arg1", Format::Structure, 16),
            ("fparg1/32", "fparg1", Format::Float, 4),
            ("fparg2", "fparg2", Format::Float, 8),
            ("retval/f80", "return", Format::Float, 10),
            ("retval/s", "return", Format::Text, 0),
        ] {
            assert_eq!(of(text), Some((name.to_owned(), format, size)), "{text}");
        }
        for text in ["", "arg", "argx", "arg1/q", "arg1/i7", "ret", "fparg/64"] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn values_of_every_type_are_read_and_lengths_are_checked() {
        let one = |text: &str, bytes: &[u8]| {
            let spec = spec(text).expect("a specification");
            value(&spec, bytes).and_then(|(value, _)| value.map(Value::into_owned))
        };
        let eight = |number: u64| number.to_le_bytes();
        assert_eq!(one("arg1", &eight(0xffff_fff6)), Some(Value::Integer(-10)));
        assert_eq!(one("arg1", &eight(u64::MAX)), Some(Value::Integer(-1)));
        assert_eq!(one("arg1/i8", &[0x80]), Some(Value::Integer(-128)));
        assert_eq!(one("arg1/u8", &[0x80]), Some(Value::Integer(128)));
        assert_eq!(one("arg1/x", &eight(255)), Some(Value::Address(255)));
        assert_eq!(one("arg1/c", b"x"), Some(Value::Text("x".into())));
        assert_eq!(one("arg1/s", b"\x03\0abc"), Some(Value::Text("abc".into())));
        assert_eq!(
            one("arg1/f32", &0.1f32.to_le_bytes()),
            Some(Value::Real(0.1))
        );
        // 1.5 has the bits 1.1 and the exponent 0.
        let extended = [0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x3f];
        assert_eq!(one("fparg1/80", &extended), Some(Value::Real(1.5)));
        assert_eq!(one("arg1/i32", &[1, 2]), None);
        let list = values("arg1/s,arg2/u32").expect("two values");
        let mut told = Told::default();
        assert!(tell(&list, b"\x01\0a\0\x07\0\0\0", &mut told));
        assert!(!tell(
            &list,
            b"\x01\0a\0\x07\0\0\0\0\0\0\0\0\0\0\0",
            &mut told
        ));
        assert!(!tell(&list, b"\x09\0a\0\x07\0\0\0", &mut told));
    }
}
