//! rbspy's own recordings, `raw.gz`, versions 0 to 2. Source, which describes them:
//! <https://github.com/rbspy/rbspy/blob/main/src/storage/mod.rs>, and `StackTrace` in `src/core/types.rs`.
//!
//! Behind a mark with the version come documents in JSON, one for each sample: its stack, innermost first. Each stack is a
//! context with its samples, as `rbspy report -f collapsed` counts them. Functions are told apart by name and file. Not
//! read: lines, processes, threads and times.

use super::document::{Document, Next};
use super::error::ImportError;
use super::input::Input;
use super::samplers;
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::Reporter;
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::{Function, Functions, NO_FRAMES};
use callscape_facts::profile::{Profile, Weights};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "rbspy";

/// What stands before the first document: this, two digits of the version, and the end of the line.
const MARK: &[u8] = b"rbspy";
const MARK_LENGTH: usize = MARK.len() + 3;

/// Whether it begins with the mark.
pub(crate) fn sniff(head: &[u8]) -> bool {
    matches!(
        head.strip_prefix(MARK),
        Some([b'0'..=b'9', b'0'..=b'9', b'\n', ..])
    )
}

/// Reads the samples. O(size); memory for contexts and names.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut window = Window::open(input, progress, &reporter)?;
    window.have(MARK_LENGTH)?;
    let version = window
        .data()
        .get(MARK.len()..MARK_LENGTH)
        .unwrap_or_default();
    if !matches!(version, b"00\n" | b"01\n" | b"02\n") {
        let found = String::from_utf8_lossy(version.trim_ascii()).into_owned();
        let place = window.place(MARK.len() as u64);
        let found = format!("version {found}");
        return Err(ImportError::malformed(
            place,
            "rbspy's format of version 0 to 2",
            found,
        ));
    }
    window.consume(MARK_LENGTH);
    let mut document = Document::over(window, &reporter);
    let mut functions = Functions::default();
    let mut builder = ContextsBuilder::new(1, &reporter);
    let (mut samples, mut stack) = (0, Vec::new());
    while !document.at_end()? {
        stack.clear();
        let is_sample = sample(&mut document, &mut functions, &mut stack)?;
        if !is_sample {
            continue;
        }
        if stack.is_empty() {
            document.warn("empty-stack");
            stack.push(functions.intern(NO_FRAMES));
        }
        let place = || document.place();
        let mut node = NodeId::ROOT;
        for &function in stack.iter().rev() {
            node = builder.child(node, function, place);
        }
        builder.add(node, 0, 1, place);
        samples += 1;
    }
    document.close()?;
    if samples == 0 {
        return Err(document.error("samples", "none"));
    }
    let weights = Weights::Contexts(builder.finish());
    let profile = Profile::new(vec![samplers::samples()], 0, weights, functions.len());
    let profile = (functions, profile);
    Ok(Recording::of_profile(
        input,
        FORMAT,
        samples,
        profile,
        reporter.warnings(),
    ))
}

/// Reads the document that stands next; whether it is a sample. Another is what rbspy says of the recording.
fn sample(
    document: &mut Document<'_>,
    functions: &mut Functions,
    stack: &mut Vec<FunctionId>,
) -> Result<bool, ImportError> {
    if document.next()? == Next::Array {
        frames(document, functions, stack)?;
        return Ok(true);
    }
    let mut is_sample = false;
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"trace" => {
                    is_sample = true;
                    frames(document, functions, stack)?;
                }
                _ => document.skip()?,
            }
        }
    }
    Ok(is_sample)
}

fn frames(
    document: &mut Document<'_>,
    functions: &mut Functions,
    stack: &mut Vec<FunctionId>,
) -> Result<(), ImportError> {
    if !document.array()? {
        return Ok(());
    }
    let (mut name, mut near, mut file) = (String::new(), String::new(), String::new());
    while document.element()? {
        if !document.object()? {
            continue;
        }
        for text in [&mut name, &mut near, &mut file] {
            text.clear();
        }
        while let Some(key) = document.member()? {
            match key {
                b"name" => document.text_into(&mut name)?,
                b"relative_path" => document.text_into(&mut near)?,
                b"absolute_path" => document.text_into(&mut file)?,
                _ => document.skip()?,
            }
        }
        let file = match (file.as_str(), near.as_str()) {
            ("", "(unknown)") => "",
            ("", near) => near,
            (file, _) => file,
        };
        stack.push(functions.intern(Function {
            name: &name,
            file,
            ..Function::default()
        }));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
