//! Profiles of pyinstrument, versions 3 to 5. Source: what writes them,
//! <https://github.com/joerick/pyinstrument/blob/main/pyinstrument/renderers/jsonrenderer.py> (`-r json`) and
//! <https://github.com/joerick/pyinstrument/blob/main/pyinstrument/session.py> (`-r session`, `.pyisession`).
//!
//! Read from the report: the tree of frames, each with its time in all; its own time is what is left of it without the
//! frames below, and with those called `[self]`. What pyinstrument has pruned is in the own time of the caller. Read from
//! the session: each sample's stack and the time since the sample before. A function is told by its name, file and line, and
//! shown with the class of its first call; `[await]` is a function. Not read: lines that ran.

use std::collections::HashMap;

use super::decimal::Unit;
use super::document::{self, Document};
use super::error::ImportError;
use super::input::Input;
use super::json;
use super::samplers;
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::Reporter;
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::{Function, Functions, NO_FRAMES};
use callscape_facts::hashing::BuildFast;
use callscape_facts::profile::{Profile, Weights};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "pyinstrument";

/// What pyinstrument calls the time of a frame itself.
const SELF: &str = "[self]";
/// Of a session, between the parts of a frame, and before each of its attributes.
const BETWEEN_PARTS: char = '\0';
const BEFORE_ATTRIBUTE: char = '\u{1}';
/// Times are written in whole microseconds: those below a frame may be more than its own by as much for each.
const ROUNDING: i64 = 1_000;

/// Whether it has a tree of frames or their records, and says when and how often it sampled.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |wanted: &str| paths.iter().any(|path| path == wanted);
    has("sample_count") && (has("root_frame") || has("frame_records") || has("start_call_stack"))
}

/// A frame of the tree, and the one that it is called from.
#[derive(Default)]
struct Frame {
    name: String,
    file: String,
    class: String,
    line: u32,
    time: i64,
    below: i64,
    children: i64,
    around: Option<usize>,
}

/// What is open while the tree is read.
enum Open {
    Frame(usize),
    Children(usize),
}

/// Reads the report or the session. O(size), whatever its depth.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut reader = Reader {
        builder: ContextsBuilder::new(1, &reporter),
        functions: Functions::default(),
        known: HashMap::default(),
        spellings: HashMap::default(),
        samples: 0,
        is_session: false,
    };
    let mut samples = 0;
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"sample_count" => samples = document.size()?,
                b"root_frame" => {
                    let frames = tree(&mut document)?;
                    reader.take(&frames, &document);
                }
                b"frame_records" => reader.records(&mut document)?,
                _ => document.skip()?,
            }
        }
    }
    document.close()?;
    if reader.functions.is_empty() {
        return Err(document.error("frames with their times", "none"));
    }
    let mut values = vec![samplers::in_format(FORMAT, "").time()];
    if reader.is_session {
        values.push(samplers::samples());
        samples = reader.samples;
    }
    let weights = Weights::Contexts(reader.builder.finish());
    let profile = Profile::new(values, 0, weights, reader.functions.len());
    let profile = (reader.functions, profile);
    Ok(Recording::of_profile(
        input,
        FORMAT,
        samples,
        profile,
        reporter.warnings(),
    ))
}

/// The frames of the tree that stands next, those around before those in them.
fn tree(document: &mut Document<'_>) -> Result<Vec<Frame>, ImportError> {
    let mut frames = Vec::new();
    if !document.object()? {
        return Ok(frames);
    }
    frames.push(Frame::default());
    let mut open = vec![Open::Frame(0)];
    while let Some(innermost) = open.last() {
        match *innermost {
            Open::Frame(at) => {
                let frame = &mut frames[at];
                match document.member()? {
                    None => {
                        open.pop();
                    }
                    Some(b"function") => document.text_into(&mut frame.name)?,
                    Some(b"file_path") => document.text_into(&mut frame.file)?,
                    Some(b"class_name") => document.text_into(&mut frame.class)?,
                    Some(b"line_no") => frame.line = document.index()?.unwrap_or(0),
                    Some(b"time") => frame.time = document.time(Unit::Seconds)?.unwrap_or(0),
                    Some(b"children") => {
                        if document.array()? {
                            open.push(Open::Children(at));
                        }
                    }
                    Some(_) => document.skip()?,
                }
            }
            Open::Children(around) => {
                if !document.element()? {
                    open.pop();
                } else if document.object()? {
                    open.push(Open::Frame(frames.len()));
                    frames.push(Frame {
                        around: Some(around),
                        ..Frame::default()
                    });
                }
            }
        }
    }
    for at in 1..frames.len() {
        if let Some(around) = frames[at].around {
            let time = frames[at].time;
            let around = &mut frames[around];
            around.below = around.below.saturating_add(time);
            around.children += 1;
        }
    }
    Ok(frames)
}

/// A function by its name, file and line.
type Known = (Box<str>, Box<str>, u32);

struct Reader<'r> {
    builder: ContextsBuilder<'r>,
    functions: Functions,
    known: HashMap<Known, FunctionId, BuildFast>,
    /// By frame of a session as it is spelled.
    spellings: HashMap<Box<[u8]>, FunctionId, BuildFast>,
    samples: u64,
    is_session: bool,
}

impl Reader<'_> {
    fn take(&mut self, frames: &[Frame], document: &Document<'_>) {
        let mut nodes: Vec<NodeId> = Vec::with_capacity(frames.len());
        let place = || document.place();
        for frame in frames {
            let around = frame.around.and_then(|it| nodes.get(it)).copied();
            let around = around.unwrap_or(NodeId::ROOT);
            let node = match (frame.name == SELF, frame.name.is_empty()) {
                (true, _) if around != NodeId::ROOT => around,
                (_, true) => self
                    .builder
                    .child(around, self.functions.intern(NO_FRAMES), place),
                _ => {
                    let function =
                        self.function(&frame.name, &frame.file, frame.line, &frame.class);
                    self.builder.child(around, function, place)
                }
            };
            nodes.push(node);
            let own = frame.time.saturating_sub(frame.below);
            if own < 0 && own < -ROUNDING.saturating_mul(frame.children + 1) {
                document.warn("total-below-self");
            }
            self.builder.add(node, 0, own.max(0), place);
        }
    }

    /// The records of a session: a list of frames, outermost first, and a time.
    fn records(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !self.is_session {
            self.builder.add_value();
            self.is_session = true;
        }
        if !document.array()? {
            return Ok(());
        }
        while document.element()? {
            if !document.array()? {
                continue;
            }
            let mut node = NodeId::ROOT;
            if document.element()? && document.array()? {
                while document.element()? {
                    let Some(function) = self.frame(document)? else {
                        continue;
                    };
                    node = self.builder.child(node, function, || document.place());
                }
            }
            if !document.element()? {
                document.warn("sample-without-time");
                continue;
            }
            let time = document.time(Unit::Seconds)?.unwrap_or(0);
            if node == NodeId::ROOT {
                document.warn("empty-stack");
                let function = self.functions.intern(NO_FRAMES);
                node = self.builder.child(node, function, || document.place());
            }
            self.builder.add(node, 0, time, || document.place());
            self.builder.add(node, 1, 1, || document.place());
            self.samples += 1;
            while document.element()? {
                document.skip()?;
            }
        }
        Ok(())
    }

    /// The function of the frame of a session that stands next; none of a time of the caller itself.
    fn frame(&mut self, document: &mut Document<'_>) -> Result<Option<FunctionId>, ImportError> {
        let Some(spelling) = document.scalar()? else {
            return Ok(None);
        };
        if let Some(&known) = self.spellings.get(spelling) {
            return Ok(Some(known));
        }
        let (frame, is_changed) = json::unescape(spelling);
        if frame == SELF {
            return Ok(None);
        }
        let function = self.of_record(&frame);
        self.spellings.insert(spelling.into(), function);
        if is_changed {
            document.warn("invalid-text");
        }
        Ok(Some(function))
    }

    /// The function of its name, file and line, and attributes.
    fn of_record(&mut self, frame: &str) -> FunctionId {
        let mut parts = frame.split(BEFORE_ATTRIBUTE);
        let mut identifier = parts.next().unwrap_or_default().split(BETWEEN_PARTS);
        let class = parts
            .find_map(|it| it.strip_prefix('c'))
            .unwrap_or_default();
        let name = identifier.next().unwrap_or_default();
        let file = identifier.next().unwrap_or_default();
        let line = identifier.next().and_then(|it| it.parse().ok());
        self.function(name, file, line.unwrap_or(0), class)
    }

    fn function(&mut self, name: &str, file: &str, line: u32, class: &str) -> FunctionId {
        // Threads and what is no Python have no file.
        let file = match file {
            "<thread>" | "<built-in>" => "",
            file => file,
        };
        let key: Known = (name.into(), file.into(), line);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let full = match class {
            "" => name.to_owned(),
            class => format!("{class}.{name}"),
        };
        let function = self.functions.intern(Function {
            name: &full,
            file,
            line,
            library: "",
        });
        self.known.insert(key, function);
        function
    }
}

#[cfg(test)]
mod tests;
