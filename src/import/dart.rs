//! Samples of the Dart VM, JSON: `CpuSamples` as its service answers them, and what Flutter's DevTools save. Specification:
//! types `CpuSamples`, `ProfileFunction` and `CpuSample` of
//! <https://github.com/dart-lang/sdk/blob/main/runtime/vm/service/service.md>; the members that DevTools write stand in
//! <https://github.com/flutter/devtools/blob/master/packages/devtools_app/lib/src/screens/profiler/cpu_profile_model.dart>.
//!
//! Read are samples with their times in microseconds, threads, and stacks: innermost first by the numbers of functions
//! (`CpuSamples`), or events `P` at a frame of `stackFrames`, each of which names the frame around it. They may be inside
//! of `result` or `cpu-profiler`. A sample stands for `samplePeriod`. Not read: tags, and which
//! lines ran.

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
pub(crate) const FORMAT: &str = "dart";

/// The frame around those that DevTools save, which is no function.
const ROOT: &str = "cpuProfileRoot";

/// Whether a file that begins with `head` says that it is one.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |path: &str| paths.iter().any(|it| it == path);
    ["", "result.", "cpu-profiler."].iter().any(|around| {
        let has = |member: &str| has(&format!("{around}{member}"));
        let is_saved = has("stackFrames") || has("traceEvents");
        has("samplePeriod") && (has("timeOriginMicros") || has("functions") || is_saved)
    })
}

/// Reads the samples. O(size), samples and frames in memory.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut reader = Reader::default();
    reader.object(&mut document, 0)?;
    document.close()?;
    let mut builder = TraceBuilder::new(&reporter);
    let mut stacks = Stacks::default();
    let gathered = reader.gather(&mut builder, &mut stacks, &document);
    let about = About {
        format: FORMAT,
        every: reader.period,
        bytes: document.offset(),
    };
    Ok(gathered.recording(input, &about, &stacks, builder, &reporter))
}

/// A function of the service.
#[derive(Default)]
struct Named {
    name: String,
    /// The class, if it is of one.
    class: String,
    file: String,
    line: u32,
}

/// A frame that DevTools have saved.
#[derive(Default)]
struct Frame {
    of: Named,
    parent: String,
}

enum At {
    /// Where its numbers of functions are in the list of all.
    Functions(usize, usize),
    Frame(String),
}

struct Taken {
    thread: String,
    time: i64,
    at: At,
}

#[derive(Default)]
struct Reader {
    /// In nanoseconds.
    period: Option<i64>,
    functions: Vec<Named>,
    /// Numbers of functions, innermost first.
    of_samples: Vec<u32>,
    frames: Vec<Frame>,
    by_id: HashMap<String, usize>,
    taken: Vec<Taken>,
}

impl Reader {
    fn object(&mut self, document: &mut Document<'_>, depth: u32) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(key) = document.member()? {
            match key {
                b"result" | b"cpu-profiler" if depth == 0 => {
                    if document.next()? == Next::Object {
                        self.object(document, 1)?;
                    } else {
                        document.skip()?;
                    }
                }
                b"samplePeriod" => self.period = document.time(Unit::Microseconds)?,
                b"functions" => {
                    if document.array()? {
                        while document.element()? {
                            let function = function(document)?;
                            self.functions.push(function);
                        }
                    }
                }
                b"samples" => self.each(document, Reader::sample)?,
                b"traceEvents" => self.each(document, Reader::event)?,
                b"stackFrames" => self.stack_frames(document)?,
                _ => document.skip()?,
            }
        }
        Ok(())
    }

    fn each(
        &mut self,
        document: &mut Document<'_>,
        read: fn(&mut Reader, &mut Document<'_>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        if document.array()? {
            while document.element()? {
                read(self, document)?;
            }
        }
        Ok(())
    }

    /// A sample of the service.
    fn sample(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        let (mut thread, mut time) = (String::new(), None);
        let start = self.of_samples.len();
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"tid" => document.text_into(&mut thread)?,
                    b"timestamp" => time = document.time(Unit::Microseconds)?,
                    b"stack" => {
                        if document.array()? {
                            while document.element()? {
                                let function = document.index()?.unwrap_or(u32::MAX);
                                self.of_samples.push(function);
                            }
                        }
                    }
                    _ => document.skip()?,
                }
            }
        }
        let at = At::Functions(start, self.of_samples.len());
        self.take(thread, time, at, document);
        Ok(())
    }

    /// A sample as DevTools save it.
    fn event(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        let (mut thread, mut frame, mut time) = (String::new(), String::new(), None);
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"tid" => document.text_into(&mut thread)?,
                    b"ts" => time = document.time(Unit::Microseconds)?,
                    b"sf" => document.text_into(&mut frame)?,
                    _ => document.skip()?,
                }
            }
        }
        self.take(thread, time, At::Frame(frame), document);
        Ok(())
    }

    fn take(&mut self, thread: String, time: Option<i64>, at: At, document: &Document<'_>) {
        match time {
            Some(time) => self.taken.push(Taken { thread, time, at }),
            None => document.warn("incomplete-sample"),
        }
    }

    fn stack_frames(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(id) = document.member()? {
            let id = String::from_utf8_lossy(id).into_owned();
            let mut frame = Frame::default();
            if document.object()? {
                while let Some(key) = document.member()? {
                    match key {
                        b"name" => document.text_into(&mut frame.of.name)?,
                        b"parent" => document.text_into(&mut frame.parent)?,
                        b"resolvedUrl" => document.text_into(&mut frame.of.file)?,
                        b"sourceLine" => frame.of.line = document.index()?.unwrap_or(0),
                        _ => document.skip()?,
                    }
                }
            }
            self.by_id.insert(id, self.frames.len());
            self.frames.push(frame);
        }
        Ok(())
    }

    fn gather(
        &self,
        builder: &mut TraceBuilder<'_>,
        stacks: &mut Stacks,
        document: &Document<'_>,
    ) -> Gathered {
        let functions = self.functions.iter().map(|of| of.function(builder));
        let functions: Vec<FunctionId> = functions.collect();
        let of_frame = self.of_frames(builder, stacks, document);
        let mut threads: HashMap<&str, ThreadId> = HashMap::new();
        let mut gathered = Gathered::default();
        for taken in &self.taken {
            let stack = match &taken.at {
                At::Functions(start, end) => {
                    let mut stack = StackId::EMPTY;
                    for &function in self.of_samples[*start..*end].iter().rev() {
                        match functions.get(function as usize) {
                            Some(&function) => stack = stacks.push(stack, function),
                            None => document.warn("unknown-function"),
                        }
                    }
                    stack
                }
                At::Frame(id) if id == ROOT => StackId::EMPTY,
                At::Frame(id) => match self.by_id.get(id) {
                    Some(&frame) => of_frame[frame],
                    None => {
                        document.warn("unknown-frame");
                        continue;
                    }
                },
            };
            let thread = threads.entry(&taken.thread);
            let thread = *thread.or_insert_with(|| builder.thread("", &taken.thread));
            gathered.push(thread, taken.time, stack);
        }
        gathered
    }

    /// The stack of each frame; a circle of frames is cut. O(frames).
    fn of_frames(
        &self,
        builder: &mut TraceBuilder<'_>,
        stacks: &mut Stacks,
        document: &Document<'_>,
    ) -> Vec<StackId> {
        let mut of_frame: Vec<Option<StackId>> = vec![None; self.frames.len()];
        let mut on_way = vec![false; self.frames.len()];
        let mut way = Vec::new();
        for frame in 0..self.frames.len() {
            // Outwards to a frame whose stack is known, then back.
            let mut at = Some(frame);
            let mut stack = StackId::EMPTY;
            while let Some(index) = at {
                if let Some(known) = of_frame[index] {
                    stack = known;
                    break;
                }
                if std::mem::replace(&mut on_way[index], true) {
                    document.warn("cycle");
                    break;
                }
                way.push(index);
                let parent = self.frames[index].parent.as_str();
                at = self.by_id.get(parent).copied();
                if at.is_none() && !matches!(parent, "" | ROOT) {
                    document.warn("unknown-frame");
                }
            }
            while let Some(index) = way.pop() {
                stack = stacks.push(stack, self.frames[index].of.function(builder));
                of_frame[index] = Some(stack);
            }
        }
        let of_frame = of_frame.into_iter();
        of_frame
            .map(|stack| stack.unwrap_or(StackId::EMPTY))
            .collect()
    }
}

impl Named {
    fn function(&self, builder: &mut TraceBuilder<'_>) -> FunctionId {
        let name = match (self.class.as_str(), self.name.as_str()) {
            (_, "") => "(unnamed)".to_owned(),
            ("", name) => name.to_owned(),
            (class, name) => format!("{class}.{name}"),
        };
        let file = self.file.strip_prefix("file://").unwrap_or(&self.file);
        builder.function(Function {
            name: &name,
            file,
            line: self.line,
            ..Function::default()
        })
    }
}

/// A function of the list that samples refer to.
fn function(document: &mut Document<'_>) -> Result<Named, ImportError> {
    let mut named = Named::default();
    if !document.object()? {
        return Ok(named);
    }
    while let Some(key) = document.member()? {
        match key {
            b"resolvedUrl" => document.text_into(&mut named.file)?,
            b"function" => {
                if document.object()? {
                    while let Some(key) = document.member()? {
                        match key {
                            b"name" => document.text_into(&mut named.name)?,
                            b"owner" => owner(document, &mut named)?,
                            b"location" => named.line = line(document)?,
                            _ => document.skip()?,
                        }
                    }
                }
            }
            _ => document.skip()?,
        }
    }
    Ok(named)
}

/// The line of the location that stands next; 0 where it is not told.
fn line(document: &mut Document<'_>) -> Result<u32, ImportError> {
    let mut line = 0;
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"line" => line = document.index()?.unwrap_or(0),
                _ => document.skip()?,
            }
        }
    }
    Ok(line)
}

/// The class that a function is of.
fn owner(document: &mut Document<'_>, named: &mut Named) -> Result<(), ImportError> {
    if document.next()? != Next::Object {
        return document.skip();
    }
    document.object()?;
    let (mut name, mut is_class) = (String::new(), false);
    while let Some(key) = document.member()? {
        match key {
            b"name" => document.text_into(&mut name)?,
            b"type" => is_class = matches!(document.scalar()?, Some(b"@Class" | b"Class")),
            _ => document.skip()?,
        }
    }
    if is_class {
        named.class = name;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;

    const SERVICE: &str = include_str!("../../tests/data/import/dart/samples.json");

    const SAVED: &str = include_str!("../../tests/data/import/dart/devtools.json");

    #[test]
    fn both_forms_say_the_same() {
        for (text, kinds) in [(SERVICE, &[][..]), (SAVED, &["out-of-order"])] {
            let recording = made::found(FORMAT, text.as_bytes());
            assert_eq!(
                made::linked_calls(&recording),
                [
                    ": main 0+2000000 ^0",
                    ": Job.run 0+1000000 ^1",
                    ": main 7000000+1000000 ^0",
                    ": Job.run 7000000+1000000 ^1",
                ]
            );
            assert_eq!(recording.samples, 3);
            assert_eq!(made::kinds(&recording), kinds);
            let functions = recording.functions.ids();
            let lines = functions.map(|it| recording.functions.get(it).line);
            assert_eq!(lines.max(), Some(7));
            assert_eq!(made::kinds(&recording), kinds);
        }
    }

    #[test]
    fn a_circle_of_frames_is_cut() {
        let circle = SAVED.replace("cpuProfileRoot", "1-2");
        let recording = made::found(FORMAT, circle.as_bytes());
        assert!(made::kinds(&recording).contains(&"cycle"));
    }

    #[test]
    fn cut_and_damaged_files_are_borne() {
        made::survives(import, SERVICE.as_bytes());
        made::survives(import, SAVED.as_bytes());
    }
}
