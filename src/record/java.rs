//! Java: the flight recorder of the virtual machine. <https://docs.oracle.com/en/java/javase/17/docs/specs/man/java.html>

use std::ffi::OsString;
use std::path::Path;

use super::error::RecordError;
use super::program::Kind;
use super::recorder::Recorder;
use super::run::{Done, Run};
use super::running::{self, Leaving};
use super::seen::Seen;

/// Where virtual machines look for further options, whoever starts them.
const VARIABLE: &str = "JAVA_TOOL_OPTIONS";

pub(crate) fn run(run: &Run<'_>, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
    // It names the files in it: a program may start several virtual machines.
    let folder = &run.place.folder;
    ensure_plain(folder)?;
    // A comma would end the name, and a space the option.
    let mut option =
        OsString::from("-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=\"");
    option.push(folder);
    option.push("\"");
    let Some((program, rest)) = run.program.words.split_first() else {
        return Err(RecordError::program(
            &run.program.path,
            "expected a program",
        ));
    };
    let mut command = std::process::Command::new(program);
    // What the recorder says of its own would stand on the program's standard output.
    let quiet = "-Xlog:jfr+startup=off";
    if run.program.kind == Kind::Java {
        command.arg(option).arg(quiet).args(rest);
    } else {
        let mut all = std::env::var_os(VARIABLE).unwrap_or_default();
        if !all.is_empty() {
            all.push(" ");
        }
        all.push("'");
        all.push(option);
        all.push(format!("' {quiet}"));
        command.env(VARIABLE, all).args(rest);
    }
    let leaving = Leaving {
        recorder: Recorder::Jfr,
        ending: ".jfr",
        hint: "",
    };
    running::run_and_collect(command, &leaving, run, seen)
}

/// Fails where the flight recorder cannot be told a path.
pub(super) fn ensure_plain(file: &Path) -> Result<(), RecordError> {
    let bytes = file.as_os_str().as_encoded_bytes();
    if bytes.iter().any(|it| b"\"'\n".contains(it)) {
        let reason =
            "the flight recorder does not support paths with quotes: set another path with -o";
        return Err(RecordError::program(file, reason));
    }
    Ok(())
}
