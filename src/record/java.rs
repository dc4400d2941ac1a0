//! Java: the flight recorder of the virtual machine. <https://docs.oracle.com/en/java/javase/17/docs/specs/man/java.html>

use std::ffi::OsString;

use super::error::RecordError;
use super::place::{Workplace, collect};
use super::program::Kind;
use super::run::{Done, Plan, Run};
use super::running::{self, Seen};

/// Where virtual machines look for further options, whoever starts them.
const VARIABLE: &str = "JAVA_TOOL_OPTIONS";

pub fn run(run: &Run<'_>, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
    let place = Workplace::beside(run.output)?;
    let folder = std::path::absolute(&place.0).map_err(|error| RecordError::io(&place.0, error))?;
    let file = folder.join("recording.jfr");
    let has_space = file
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .any(u8::is_ascii_whitespace);
    let mut option =
        OsString::from("-XX:StartFlightRecording=settings=profile,dumponexit=true,filename=");
    option.push(&file);
    let words = run.program.words();
    let Some((program, rest)) = words.split_first() else {
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
        if has_space {
            let reason =
                "the flight recorder takes no file whose path has a space in it, here: say -o";
            return Err(RecordError::program(&file, reason));
        }
        let mut all = std::env::var_os(VARIABLE).unwrap_or_default();
        for option in [option, OsString::from(quiet)] {
            if !all.is_empty() {
                all.push(" ");
            }
            all.push(option);
        }
        command.env(VARIABLE, all).args(rest);
    }
    let mut plan = Plan {
        command,
        wraps: false,
        folder: place.0.clone(),
        log: None,
    };
    let ran = running::run(&mut plan, None, seen)?;
    let paths = collect(&place.0, ".jfr", run.output)?;
    if paths.is_empty() {
        let code = ran.program.code();
        return Err(RecordError::Failed {
            recorder: "jfr",
            said: format!("it left no recording; the program ended with {code}"),
            ended: ran.program,
        });
    }
    Ok(Done {
        paths,
        ended: ran.program,
        elapsed: ran.elapsed,
    })
}
