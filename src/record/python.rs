//! Python: every call with VizTracer, or samples with py-spy.
//! <https://viztracer.readthedocs.io/>, <https://github.com/benfred/py-spy>

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Map, Value};

use super::chosen_files;
use super::error::RecordError;
use super::python_words::{self, Runs};
use super::recorder::Recorder;
use super::run::{Done, Run, Wish};
use super::running::{self, Leaving, command};
use super::seen::Seen;

/// Calls and other events that VizTracer keeps: the last so many. A call takes a hundred bytes.
pub(super) const ENTRIES: &str = "10000000";

/// Runs the program: VizTracer's own command would take some of the program's arguments for its own.
const TRACED: &str = include_str!("traced.py");

pub(crate) fn run(
    run: &Run<'_>,
    by: Recorder,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    let words = &run.program.words;
    let written = run.place.folder.join("recording.json");
    let command = match by {
        Recorder::PySpy => {
            let mut command = command("py-spy");
            command.args(["record", "--format", "speedscope", "--subprocesses", "-o"]);
            command.arg(&written).arg("--").args(words);
            command
        }
        _ => traced(run)?,
    };
    let leaving = Leaving {
        recorder: by,
        ending: ".json",
        hint: "",
    };
    running::run_and_collect(command, &leaving, run, seen)
}

fn traced(run: &Run<'_>) -> Result<Command, RecordError> {
    let read = python_words::read(&run.program.words);
    let refuse = |found: &str| {
        let reason = format!(
            "expected a file, -m, -c or a script on standard input after the interpreter, found {found}"
        );
        Err(RecordError::program(&run.program.path, reason))
    };
    let is_typed = run.wish.control.is_none() && io::stdin().is_terminal();
    let (kind, what) = match read.runs {
        Runs::File(file) => ("file", file),
        Runs::Module(module) => ("module", module),
        Runs::Code(code) => ("code", code),
        Runs::Input { .. } if is_typed => return refuse("a terminal"),
        Runs::Input { is_named: true } => ("named input", OsString::new()),
        Runs::Input { is_named: false } => ("input", OsString::new()),
        Runs::Nothing => return refuse("nothing to record"),
    };
    let folder = &run.place.folder;
    let runner = folder.join("traced.py");
    fs::write(&runner, TRACED).map_err(|error| RecordError::io(&runner, error))?;
    let mut words = read.interpreter.into_iter();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).arg(runner);
    command
        .arg(folder.join("recording.json"))
        .args([ENTRIES, kind]);
    command.arg(if read.skips_first_line {
        "skips"
    } else {
        "whole"
    });
    command.arg(files(run.wish)?.to_string());
    command.arg(what).args(read.arguments);
    Ok(command)
}

/// The files and folders that VizTracer records, or leaves out, and how deep, by its names of these options.
pub(super) fn files(wish: &Wish) -> Result<Value, RecordError> {
    let wrong = RecordError::Recorder;
    if !wish.only.is_empty() && !wish.without.is_empty() {
        let reason = "viztracer: expected --only or --without, found both".to_owned();
        return Err(wrong(reason));
    }
    let mut files = Map::new();
    if let Some(depth) = wish.max_depth {
        files.insert("max_stack_depth".to_owned(), depth.into());
    }
    for (option, paths) in [
        ("include_files", &wish.only),
        ("exclude_files", &wish.without),
    ] {
        let places = paths.iter().map(|path| chosen_files::place(path, wish));
        let places: Result<Vec<PathBuf>, String> = places.collect();
        let places = places.map_err(wrong)?;
        if !places.is_empty() {
            let places = places.iter().map(|it| it.to_string_lossy());
            files.insert(option.to_owned(), places.collect());
        }
    }
    Ok(Value::Object(files))
}
