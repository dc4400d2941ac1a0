//! JavaScript: the profiler of node itself. <https://nodejs.org/api/cli.html#--cpu-prof>
//!
//! Versions up to 22 refuse the option in `NODE_OPTIONS`, so it stands before the script; what the script runs in other
//! processes is not recorded.

use std::ffi::OsString;

use super::error::RecordError;
use super::place::{Workplace, collect};
use super::run::{Done, Plan, Run};
use super::running::{self, Seen};

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
    let mut plan = Plan {
        command,
        wraps: false,
        folder: place.0.clone(),
        log: None,
    };
    let ran = running::run(&mut plan, None, seen)?;
    let paths = collect(&place.0, ".cpuprofile", run.output)?;
    if paths.is_empty() {
        let said = format!(
            "it left no profile; the program ended with {}. node writes it when the program ends by itself or by \
             process.exit, not when a signal ends it",
            ran.program.code()
        );
        return Err(RecordError::Failed {
            recorder: "node",
            said,
            ended: ran.program,
        });
    }
    Ok(Done {
        paths,
        ended: ran.program,
        elapsed: ran.elapsed,
    })
}
