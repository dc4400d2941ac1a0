//! JavaScript: the profiler of node itself. <https://nodejs.org/api/cli.html#--cpu-prof>
//!
//! Versions up to 22 refuse the option in `NODE_OPTIONS`, so it stands before the script; what the script runs in other
//! processes is not recorded.

use std::ffi::OsString;
use std::fs;

use super::error::RecordError;
use super::recorder::Recorder;
use super::run::{Done, Run};
use super::running::{self, Leaving};
use super::seen::Seen;

/// Between two samples: node's own choice.
pub(super) const MICROSECONDS: u32 = 1000;

/// node writes no profile when a signal ends it. So a script that does not listen to the signal itself is ended by
/// `process.exit`. Only the main thread is told of signals.
const AT_SIGNALS: &str = "'use strict';
if (require('worker_threads').isMainThread) {
  for (const [name, number] of [['SIGINT', 2], ['SIGTERM', 15]]) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + number);
    });
  }
}
";

pub(crate) fn run(run: &Run<'_>, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
    let Some((node, rest)) = run.program.words.split_first() else {
        return Err(RecordError::program(
            &run.program.path,
            "expected a program",
        ));
    };
    let folder = &run.place.folder;
    let mut into = OsString::from("--cpu-prof-dir=");
    into.push(folder);
    let at_signals = folder.join("signals.cjs");
    fs::write(&at_signals, AT_SIGNALS).map_err(|error| RecordError::io(&at_signals, error))?;
    let mut command = std::process::Command::new(node);
    let interval = format!("--cpu-prof-interval={MICROSECONDS}");
    command.arg("--cpu-prof").arg(interval).arg(into);
    command.arg("-r").arg(at_signals).args(rest);
    let leaving = Leaving {
        recorder: Recorder::Node,
        ending: ".cpuprofile",
        hint: ". node writes it if the program exits normally or through process.exit, Ctrl + C or signal 15, but not \
               if another signal ends it",
    };
    running::run_and_collect(command, &leaving, run, seen)
}
