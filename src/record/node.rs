//! JavaScript: the profiler of node itself. <https://nodejs.org/api/cli.html#--cpu-prof>
//!
//! Versions up to 22 refuse the option in `NODE_OPTIONS`, so it stands before the script; what the script runs in other
//! processes is not recorded.

use std::ffi::OsString;

use super::error::RecordError;
use super::place::Workplace;
use super::recorder::Recorder;
use super::run::{Done, Run};
use super::running::{self, Leaving};
use super::seen::Seen;

/// Microseconds between two samples: node's own choice.
const INTERVAL: &str = "--cpu-prof-interval=1000";

pub fn run(run: &Run<'_>, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
    let place = Workplace::beside(run.output)?;
    let words = run.program.words();
    let Some((node, rest)) = words.split_first() else {
        return Err(RecordError::program(
            &run.program.path,
            "expected a program",
        ));
    };
    // The script may change the folder it is in.
    let folder = std::path::absolute(&place.0).map_err(|error| RecordError::io(&place.0, error))?;
    let mut into = OsString::from("--cpu-prof-dir=");
    into.push(&folder);
    let mut command = std::process::Command::new(node);
    command.arg("--cpu-prof").arg(INTERVAL).arg(into).args(rest);
    let leaving = Leaving {
        recorder: Recorder::Node,
        ending: ".cpuprofile",
        hint: ". node writes it when the program ends by itself or by process.exit, not when a signal ends it",
    };
    running::run_and_collect(command, &leaving, (&place, run), seen)
}
