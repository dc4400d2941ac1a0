//! Recording a program: what kind of program a command runs, which recorder suits it and is there, and running the one
//! under the other. There is no tracer of our own: recorders that others keep are driven.
//!
//! Nothing goes through a shell. The program keeps its standard streams, its arguments and its environment, but for what a
//! recorder needs; signals reach it, and how it ended is told.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]
// No program is recorded in a browser.
#![cfg_attr(
    target_arch = "wasm32",
    allow(dead_code, unreachable_pub, clippy::drop_non_drop)
)]

mod attach;
mod beside;
mod called;
pub mod choice;
mod chosen_files;
mod chosen_sets;
pub mod control;
mod driver;
mod elf;
mod ended;
mod error;
mod excluded;
mod frida;
mod java;
mod keep;
pub mod listen;
mod massive;
mod node;
mod others;
mod perf;
pub mod place;
mod private;
pub mod processes;
pub mod program;
mod python;
mod python_words;
mod rates;
pub mod recorder;
mod rename;
mod retry;
mod room;
mod run;
mod running;
mod seen;
mod shebang;
mod shim;
mod signals;
mod source;
mod sweep;
mod switching;
mod symbols;
mod taken_out;
mod uftrace;
mod whole;

pub use attach::{attach, offers_of_process};
use std::path::Path;

use choice::Choice;
pub use ended::Ended;
pub use error::RecordError;
pub use keep::keep;
pub use massive::PROBE;
use place::Place;
use program::{Kind, Program};
pub use rates::Rate;
use recorder::Recorder;
pub use run::{Attached, Recorded, Wish};
use run::{Done, Run};
pub use seen::Seen;
pub use signals::{Switch, TERMINATE};
pub use source::find as find_source;
pub use switching::{ANSWER, switch};

/// Runs a program and records it. `say` is told what the user should know, line by line; `seen` how far it is, several
/// times a second.
pub fn record(
    wish: &Wish,
    say: &mut dyn FnMut(&str),
    seen: &mut dyn FnMut(Seen),
) -> Result<Recorded, RecordError> {
    let mut program = Program::look(&wish.command, wish.folder.as_deref())?;
    let is_native = matches!(wish.with, Some(Recorder::Uftrace | Recorder::Frida));
    if is_native && !matches!(program.kind, Kind::Executable(_)) {
        program = program.itself();
        if matches!(program.kind, Kind::Executable(_)) {
            say("the interpreter itself is recorded, not the script");
        }
    }
    for note in &program.notes {
        say(note);
    }
    let Choice { recorder, notes } = choice::choose(&program, wish)?;
    for note in notes {
        say(&note);
    }
    let folder = wish.folder.as_deref().unwrap_or(Path::new(""));
    let place = Place::take(wish.output.as_deref(), folder, &program.name(), recorder)?;
    let mut massive = None;
    if let Some(limit) = wish.max_frequency.filter(|_| recorder != Recorder::Frida) {
        massive = Some(massive::probe(
            wish,
            &program,
            (recorder, &place),
            limit,
            say,
        )?);
    }
    let without = massive.as_ref();
    let without = without.map(|it| (it.without.clone(), it.untraced.clone()));
    let (mut without, untraced) = without.unwrap_or_default();
    if !wish.without.is_empty() && recorder != Recorder::Viztracer {
        let excluded = excluded::symbols(&program.path, "--without", &wish.without, wish)?;
        if recorder == Recorder::Uftrace {
            uftrace::check_length(&program.path, &excluded)?;
        }
        if !excluded.is_empty() {
            say(&excluded::said(&excluded));
        }
        without.extend(excluded);
        without.sort_unstable();
        without.dedup();
    }
    let run = Run {
        wish,
        program: &program,
        place: &place,
        without,
        untraced,
    };
    let done = run.by(recorder, seen);
    let mut done = done.map_err(|error| whole::explained(error, &place))?;
    if recorder == Recorder::Uftrace && done.ended.is_crash() {
        done = retry::after_crash(&run, done, say, seen)?;
    }
    let left_out = done.left_out.take().or(massive.map(|it| it.left_out));
    if let Some(left_out) = &left_out
        && let Err(error) = massive::keep(&done.paths, left_out)
    {
        done.notes.push(format!(
            "the recording does not list excluded functions: {error}"
        ));
    }
    let paths = whole::put(&mut done, &place)?;
    for note in &done.notes {
        say(note);
    }
    let bytes = paths.iter().map(|path| place::bytes(path)).sum();
    Ok(Recorded {
        paths,
        by: done.by,
        ended: done.ended,
        bytes,
        elapsed: done.elapsed,
        left_out,
        program,
    })
}

impl Run<'_> {
    pub(crate) fn by(
        &self,
        recorder: Recorder,
        seen: &mut dyn FnMut(Seen),
    ) -> Result<Done, RecordError> {
        match recorder {
            Recorder::Uftrace => uftrace::run(self, seen),
            Recorder::Frida => frida::run(self, seen),
            Recorder::Perf => perf::run(self, seen),
            Recorder::Viztracer | Recorder::PySpy => python::run(self, recorder, seen),
            Recorder::Node => node::run(self, seen),
            Recorder::Jfr => java::run(self, seen),
        }
    }
}
