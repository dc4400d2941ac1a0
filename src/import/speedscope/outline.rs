//! What the profiles of a file refer to: its frames, who wrote it, and their units.

use std::collections::HashMap;

use crate::decimal::Unit;
use crate::document::Document;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "speedscope";

/// A shared frame.
pub(super) struct Frame {
    name: String,
    file: String,
    line: u32,
    column: u32,
    /// What it belongs to, as Callscape writes it.
    library: String,
}

/// What the profiles refer to, wherever it stands.
#[derive(Default)]
pub(super) struct Outline {
    pub frames: Option<Vec<Frame>>,
    pub exporter: String,
    /// By profile.
    pub units: Vec<String>,
}

impl Outline {
    /// Reads the file at `path` for what the profiles refer to, and passes over the rest.
    pub(super) fn read(input: &Input, progress: &Progress) -> Result<Outline, ImportError> {
        // What is wrong is counted when the profiles themselves are read.
        let reporter = Reporter::new();
        let mut document = Document::open(input, progress, &reporter)?;
        let mut outline = Outline::default();
        if !document.object()? {
            return Ok(outline);
        }
        while let Some(key) = document.member()? {
            match key {
                b"shared" => outline.shared(&mut document)?,
                b"exporter" => outline.exporter = document.text()?,
                b"profiles" => {
                    if document.array()? {
                        while document.element()? {
                            let mut unit = String::new();
                            if document.object()? {
                                while let Some(key) = document.member()? {
                                    match key {
                                        b"unit" => unit = document.text()?,
                                        _ => document.skip()?,
                                    }
                                }
                            }
                            outline.units.push(unit);
                        }
                    }
                }
                _ => document.skip()?,
            }
        }
        Ok(outline)
    }

    pub(super) fn shared(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(key) = document.member()? {
            match key {
                b"frames" => self.frames = Some(frames(document)?),
                _ => document.skip()?,
            }
        }
        Ok(())
    }
}

fn frames(document: &mut Document<'_>) -> Result<Vec<Frame>, ImportError> {
    let mut frames = Vec::new();
    if !document.array()? {
        return Ok(frames);
    }
    while document.element()? {
        let mut frame = Frame {
            name: String::new(),
            file: String::new(),
            line: 0,
            column: 0,
            library: String::new(),
        };
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"name" => frame.name = document.text()?,
                    b"file" => frame.file = document.text()?,
                    b"line" => frame.line = document.index()?.unwrap_or(0),
                    b"col" => frame.column = document.index()?.unwrap_or(0),
                    b"library" => frame.library = document.text()?,
                    _ => document.skip()?,
                }
            }
        }
        frames.push(frame);
    }
    Ok(frames)
}

/// The functions of the frames, one for each, and the line that ran in it; 0 where that is not known.
pub(super) fn functions(
    frames: &[Frame],
    exporter: &str,
    builder: &mut TraceBuilder<'_>,
) -> Vec<(FunctionId, u32)> {
    let line_runs = ["py-spy", "rbspy", "austin"]
        .iter()
        .any(|writer| exporter.starts_with(writer));
    let mut of_files = frames.iter().filter(|frame| frame.name == "<module>");
    let begins = of_files.clone().next().is_some() && of_files.all(|frame| frame.line <= 1);
    let is_running = line_runs && !begins;
    // TraceEvent of .NET writes `module!method`.
    let module_in_name = exporter.starts_with("Microsoft.Diagnostics");
    // Of others a column may be the one that was running.
    let own = exporter.starts_with("callscape");
    let mut lowest: HashMap<(&str, &str), u32> = HashMap::new();
    if line_runs {
        for frame in frames {
            let line = lowest
                .entry((&frame.name, &frame.file))
                .or_insert(frame.line);
            if *line == 0 || (frame.line != 0 && frame.line < *line) {
                *line = frame.line;
            }
        }
    }
    let functions = frames.iter().map(|frame| {
        let (library, name) = match frame.name.split_once('!') {
            Some((library, name)) if module_in_name && !name.is_empty() => (library, name),
            _ if own => (frame.library.as_str(), frame.name.as_str()),
            _ => ("", frame.name.as_str()),
        };
        let line = lowest.get(&(frame.name.as_str(), frame.file.as_str()));
        let function = Function {
            name: if name.is_empty() { "(unnamed)" } else { name },
            file: &frame.file,
            line: line.copied().unwrap_or(frame.line),
            library,
        };
        let function = builder.function_at(function, if own { frame.column } else { 0 });
        (function, if is_running { frame.line } else { 0 })
    });
    functions.collect()
}

/// The unit of time with this name.
pub(super) fn time_unit(name: &str) -> Option<Unit> {
    match name {
        "nanoseconds" => Some(Unit::Nanoseconds),
        "microseconds" => Some(Unit::Microseconds),
        "milliseconds" => Some(Unit::Milliseconds),
        "seconds" => Some(Unit::Seconds),
        _ => None,
    }
}
