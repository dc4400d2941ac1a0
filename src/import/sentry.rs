//! Sentry's profiles, JSON: the sample format, version 1 of a transaction and version 2 of continuous profiling, whose
//! chunks may follow each other. Specification: <https://develop.sentry.dev/sdk/telemetry/profiles/sample-format-v1/>,
//! <https://develop.sentry.dev/sdk/telemetry/profiles/sample-format-v2/>.
//!
//! Read are samples with their stacks, innermost frame first, thread and time, and the names of threads. Objects without
//! a profile, such as the headers of an envelope, are passed over. A frame's line is the one that ran: frames of one name
//! and file are one function, at the lowest line that was seen. JavaScript's lines are those of functions. Not read:
//! measurements, the transaction, and images, so that frames without a symbol are named after their address.

use std::collections::HashMap;

use super::decimal::Unit;
use super::document::{self, Document, Next};
use super::error::ImportError;
use super::gathered::{About, Gathered};
use super::input::Input;
use super::samples::{StackId, Stacks};
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;
use callscape_facts::recording::Recording;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "sentry";

/// Whether a file that begins with `head` holds samples of stacks, by Sentry's spelling.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |path: &str| paths.iter().any(|it| it == path);
    let has_text = |text: &[u8]| memchr::memmem::find(head, text).is_some();
    let is_profile = ["profile", "chunk.profile"].iter().any(|around| {
        let has = |member: &str| has(&format!("{around}.{member}"));
        has("frames") && (has("stacks") || has("samples")) || has("samples") && has("stacks")
    });
    let is_sample = has_text(b"\"stack_id\"") && has_text(b"\"thread_id\"");
    let is_deep = has("profile.frames.function") || has("profile.stacks") && has("profile.frames");
    // An envelope has its headers before.
    let is_envelope = has_text(b"\n{\"type\":\"profile") && is_sample;
    // Images may stand before the profile.
    let is_chunk = has("profiler_id") && has("chunk_id") || has("transaction.active_thread_id");
    is_profile && (is_sample || is_deep) || is_envelope || is_chunk
}

/// Reads the profiles. O(size), samples and frames in memory.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut reader = Reader::default();
    while !document.at_end()? {
        if document.next()? != Next::Array {
            reader.object(&mut document, 0)?;
        } else if document.array()? {
            while document.element()? {
                reader.object(&mut document, 0)?;
            }
        }
    }
    document.close()?;
    if reader.profiles == 0 {
        return Err(document.error("a member profile with samples", "none"));
    }
    let mut builder = TraceBuilder::new(&reporter);
    let mut stacks = Stacks::default();
    let gathered = reader.gather(&mut builder, &mut stacks, &document);
    let about = About {
        format: FORMAT,
        every: None,
        bytes: document.offset(),
    };
    Ok(gathered.recording(input, &about, &stacks, builder, &reporter))
}

#[derive(Default)]
struct Frame {
    name: String,
    module: String,
    file: String,
    path: String,
    package: String,
    address: String,
    line: u32,
}

/// A sample, by the numbers of its stack and thread in the reader.
struct Taken {
    stack: usize,
    thread: usize,
    time: i64,
}

/// What all profiles of a file hold.
#[derive(Default)]
struct Reader {
    profiles: usize,
    frames: Vec<Frame>,
    /// Where the frames of stacks end in `of_stacks`.
    stacks: Vec<usize>,
    /// Innermost first.
    of_stacks: Vec<usize>,
    taken: Vec<Taken>,
    threads: Vec<(String, String)>,
    by_thread: HashMap<String, usize>,
    /// Lines are those of functions.
    of_functions: bool,
    /// Functions are named within their class.
    in_classes: bool,
}

impl Reader {
    /// A profile, or what is around one.
    fn object(&mut self, document: &mut Document<'_>, depth: u32) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(key) = document.member()? {
            match key {
                b"profile" if depth < 2 => self.profile(document)?,
                b"chunk" if depth < 2 => self.object(document, depth + 1)?,
                b"platform" => {
                    let platform = document.scalar()?;
                    self.of_functions |= matches!(platform, Some(b"javascript" | b"node"));
                    self.in_classes |= matches!(platform, Some(b"java" | b"android"));
                }
                _ => document.skip()?,
            }
        }
        Ok(())
    }

    fn profile(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if document.next()? != Next::Object {
            return document.skip();
        }
        document.object()?;
        self.profiles += 1;
        // The numbers in a profile are its own.
        let (stacks, frames) = (self.stacks.len(), self.frames.len());
        while let Some(key) = document.member()? {
            match key {
                b"samples" => {
                    if document.array()? {
                        while document.element()? {
                            self.sample(stacks, document)?;
                        }
                    }
                }
                b"stacks" => {
                    if document.array()? {
                        while document.element()? {
                            self.stack(frames, document)?;
                        }
                    }
                }
                b"frames" => {
                    if document.array()? {
                        while document.element()? {
                            let frame = frame(document)?;
                            self.frames.push(frame);
                        }
                    }
                }
                b"thread_metadata" => self.names(document)?,
                _ => document.skip()?,
            }
        }
        Ok(())
    }

    fn thread(&mut self, id: &str) -> usize {
        if let Some(&known) = self.by_thread.get(id) {
            return known;
        }
        let number = self.threads.len();
        self.threads.push((id.to_owned(), String::new()));
        self.by_thread.insert(id.to_owned(), number);
        number
    }

    fn names(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(id) = document.member()? {
            let id = String::from_utf8_lossy(id).into_owned();
            let thread = self.thread(&id);
            if document.object()? {
                while let Some(key) = document.member()? {
                    match key {
                        b"name" => document.text_into(&mut self.threads[thread].1)?,
                        _ => document.skip()?,
                    }
                }
            }
        }
        Ok(())
    }

    fn sample(&mut self, stacks: usize, document: &mut Document<'_>) -> Result<(), ImportError> {
        let (mut stack, mut thread, mut time) = (None, String::new(), None);
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"stack_id" => stack = document.index()?,
                    b"thread_id" => document.text_into(&mut thread)?,
                    b"elapsed_since_start_ns" | b"relative_timestamp_ns" => {
                        time = document.time(Unit::Nanoseconds)?;
                    }
                    // As the first of version 2 called it.
                    b"timestamp_ms" => time = document.time(Unit::Milliseconds)?,
                    b"timestamp" => time = document.time(Unit::Seconds)?,
                    _ => document.skip()?,
                }
            }
        }
        let (Some(stack), Some(time)) = (stack, time) else {
            document.warn("incomplete-sample");
            return Ok(());
        };
        let thread = self.thread(&thread);
        self.taken.push(Taken {
            stack: stacks + stack as usize,
            thread,
            time,
        });
        Ok(())
    }

    fn stack(&mut self, frames: usize, document: &mut Document<'_>) -> Result<(), ImportError> {
        if document.array()? {
            while document.element()? {
                let frame = document.index()?.unwrap_or(u32::MAX);
                self.of_stacks.push(frames.saturating_add(frame as usize));
            }
        }
        self.stacks.push(self.of_stacks.len());
        Ok(())
    }

    /// By frame, its function and the line that ran.
    fn functions(&self, builder: &mut TraceBuilder<'_>) -> Vec<(FunctionId, u32)> {
        let file = |frame: &Frame| match frame.path.is_empty() {
            true => frame.file.clone(),
            false => frame.path.clone(),
        };
        let name = |frame: &Frame| match (frame.name.as_str(), frame.module.as_str()) {
            ("", _) if frame.address.is_empty() => "(unnamed)".to_owned(),
            ("", _) => frame.address.clone(),
            (name, "") => name.to_owned(),
            (name, module) if self.in_classes => format!("{module}.{name}"),
            (name, _) => name.to_owned(),
        };
        let named = self.frames.iter().map(|frame| (name(frame), file(frame)));
        let named: Vec<(String, String)> = named.collect();
        let mut lowest: HashMap<&(String, String), u32> = HashMap::new();
        if !self.of_functions {
            for (of, frame) in named.iter().zip(&self.frames) {
                let line = lowest.entry(of).or_insert(frame.line);
                *line = (*line).min(frame.line);
            }
        }
        let functions = named.iter().zip(&self.frames).map(|(of, frame)| {
            let first = lowest.get(of).copied();
            let function = builder.function(Function {
                name: &of.0,
                file: &of.1,
                line: first.unwrap_or(frame.line),
                library: &frame.package,
            });
            (function, first.map_or(0, |_| frame.line))
        });
        functions.collect()
    }

    /// The samples with their stacks as functions.
    fn gather(
        &self,
        builder: &mut TraceBuilder<'_>,
        stacks: &mut Stacks,
        document: &Document<'_>,
    ) -> Gathered {
        let functions = self.functions(builder);
        let ends = self.stacks.iter();
        let starts = std::iter::once(&0).chain(&self.stacks);
        let of_stack = starts.zip(ends).map(|(&start, &end)| {
            let frames = self.of_stacks[start..end].iter().rev();
            frames.fold(StackId::EMPTY, |below, &frame| match functions.get(frame) {
                Some(&(function, line)) => stacks.push_at(below, function, line),
                None => {
                    document.warn("unknown-frame");
                    below
                }
            })
        });
        let of_stack: Vec<StackId> = of_stack.collect();
        let threads = self.threads.iter().map(|(id, name)| {
            let thread = builder.thread("", id);
            if !name.is_empty() {
                builder.name_thread(thread, name);
            }
            thread
        });
        let threads: Vec<ThreadId> = threads.collect();
        let mut gathered = Gathered::default();
        for taken in &self.taken {
            match of_stack.get(taken.stack) {
                Some(&stack) => gathered.push(threads[taken.thread], taken.time, stack),
                None => document.warn("unknown-stack"),
            }
        }
        gathered
    }
}

fn frame(document: &mut Document<'_>) -> Result<Frame, ImportError> {
    let mut frame = Frame::default();
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"function" => document.text_into(&mut frame.name)?,
                b"module" => document.text_into(&mut frame.module)?,
                b"filename" => document.text_into(&mut frame.file)?,
                b"abs_path" => document.text_into(&mut frame.path)?,
                b"package" => document.text_into(&mut frame.package)?,
                b"instruction_addr" => document.text_into(&mut frame.address)?,
                b"lineno" => frame.line = document.index()?.unwrap_or(0),
                _ => document.skip()?,
            }
        }
    }
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;

    const FIRST: &str = include_str!("../../tests/data/import/sentry/transaction.json");

    #[test]
    fn samples_of_a_transaction_are_calls_and_lines_are_those_that_ran() {
        let recording = made::found(FORMAT, FIRST.as_bytes());
        assert_eq!(
            made::linked_calls(&recording),
            [
                "MainThread: main 0+3000 ^0",
                "MainThread: work 1000+2000 ^1",
                ": main 0+1000 ^0",
            ]
        );
        assert_eq!(recording.samples, 4);
        assert!(recording.lines.is_some());
        assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    }

    #[test]
    fn chunks_of_continuous_profiling_are_one_recording() {
        let chunk = |at: &str| {
            format!(
                r#"{{"chunk_id":"c","profiler_id":"p","platform":"node","version":"2","profile":{{"samples":[
{{"stack_id":0,"thread_id":"1","timestamp":{at}.5}},{{"stack_id":0,"thread_id":"1","timestamp":{at}.25}}],
"stacks":[[0]],"frames":[{{"function":"f{at}","filename":"a.js","lineno":3}}],"thread_metadata":{{}}}}}}"#
            )
        };
        let text = format!(
            "{{\"event_id\":\"x\"}}\n{{\"type\":\"profile_chunk\"}}\n{}\n{}",
            chunk("10"),
            chunk("11")
        );
        let recording = made::found(FORMAT, text.as_bytes());
        assert_eq!(
            made::linked_calls(&recording),
            [": f10 0+1000000000 ^0", ": f11 1000000000+500000000 ^0",]
        );
        assert_eq!(made::kinds(&recording), ["out-of-order"]);
    }

    #[test]
    fn cut_and_damaged_profiles_are_borne() {
        made::survives(import, FIRST.as_bytes());
    }
}
