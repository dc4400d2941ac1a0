//! Recordings of austin for Python: its binary form, MOJO, and its text with several values a line (`--full`).
//! Specification: <https://github.com/P403n1x87/austin/wiki/The-MOJO-file-format>, and
//! <https://github.com/P403n1x87/austin#full-metrics>. Its text with one value a line is [folded stacks](super::folded).
//!
//! Each stack is a context below its process and thread, as in austin's text. Values are those of austin's mode: wall or
//! processor time, or memory; with all of them, processor time is that of samples which are not idle, and memory that was
//! taken and given back are two values. A collection of garbage and a stack that could not be read are frames, `:GC:` and
//! `:INVALID:`. Not read: lines and columns, and the tasks of asyncio, which are counted (`task-not-shown`).

mod mojo;
mod stacks;

use std::collections::HashMap;

pub(crate) use stacks::FORMAT;
use stacks::{Stacks, Weight};

use super::error::ImportError;
use super::input::Input;
use super::lines::Lines;
use super::text;
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::functions::Function;
use callscape_facts::hashing::BuildFast;
use callscape_facts::recording::Recording;

/// Whether it is binary, or the text with all values.
pub(crate) fn sniff(head: &[u8]) -> bool {
    is_binary(head) || is_full(head)
}

/// The mark and a version that fits in a byte.
fn is_binary(head: &[u8]) -> bool {
    head.strip_prefix(b"MOJ")
        .and_then(<[u8]>::first)
        .is_some_and(|version| (1..0x40).contains(version))
}

fn is_full(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let is_austin = lines
        .next()
        .is_some_and(|line| line.starts_with(b"# austin: "));
    let mut notes = lines.take_while(|line| line.starts_with(b"# "));
    is_austin && notes.any(|line| line == b"# mode: full")
}

/// Reads the recording. O(size); memory for contexts and names.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut stacks = Stacks::new(&reporter);
    let head = super::stream::head(input, progress)?;
    match is_binary(&head) {
        true => mojo::read(input, progress, &mut stacks)?,
        false => read_text(input, progress, &mut stacks)?,
    }
    if stacks.samples == 0 {
        let place = Place::file(input.display().to_string());
        return Err(ImportError::malformed(place, "samples", "none"));
    }
    Ok(stacks.finish(input))
}

/// Reads stacks as text: frames with `;` between them behind the process and the thread, and the values.
fn read_text(
    input: &Input,
    progress: &Progress,
    stacks: &mut Stacks<'_>,
) -> Result<(), ImportError> {
    let reporter = stacks.reporter;
    let mut lines = Lines::open(input, progress, reporter)?;
    let mut known: HashMap<Box<[u8]>, FunctionId, BuildFast> = HashMap::default();
    let file = input.display().to_string();
    let (mut number, mut frames) = (0, Vec::new());
    while let Some(line) = lines.next()? {
        number += 1;
        let place = || Place::line(&file, number);
        let line = line.trim_ascii();
        if let Some(note) = line.strip_prefix(b"# ") {
            if let Some((key, value)) = String::from_utf8_lossy(note).split_once(": ") {
                stacks.note(key, value);
            }
            continue;
        }
        if line.is_empty() {
            continue;
        }
        let at = memchr::memrchr(b' ', line).unwrap_or(0);
        let Some(weight) = weight(&line[at..]).filter(|_| at > 0) else {
            reporter.warn("missing-count", place);
            continue;
        };
        frames.clear();
        for frame in line[..at]
            .split(|&byte| byte == b';')
            .filter(|it| !it.is_empty())
        {
            let function = known.get(frame).copied().unwrap_or_else(|| {
                let (text, is_sound) = text::checked(frame);
                if !is_sound {
                    reporter.warn("invalid-text", place);
                }
                let function = stacks.functions.intern(function(&text));
                known.insert(frame.into(), function);
                function
            });
            frames.push(function);
        }
        stacks.add(frames.iter().copied(), weight, place);
    }
    Ok(())
}

/// `time,idle,memory`.
fn weight(values: &[u8]) -> Option<Weight> {
    let mut values = std::str::from_utf8(values).ok()?.trim().split(',');
    let mut next = || values.next()?.parse::<i64>().ok();
    let weight = Weight {
        time: next()?,
        is_idle: next()? != 0,
        memory: next()?,
    };
    values.next().is_none().then_some(weight)
}

/// A frame as `file:function:line`; a process, a thread, or what austin says of a stack is a name.
fn function(frame: &str) -> Function<'_> {
    let parts = frame.rsplit_once(':').and_then(|(place, line)| {
        line.parse::<u32>().ok()?;
        place.rsplit_once(':')
    });
    match parts {
        Some((file, name)) if !file.is_empty() && !name.is_empty() => Function {
            name,
            file,
            ..Function::default()
        },
        _ => Function {
            name: frame,
            ..Function::default()
        },
    }
}

#[cfg(test)]
mod tests;
