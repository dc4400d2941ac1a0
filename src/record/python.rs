//! Python: every call with VizTracer, or samples with py-spy.
//! <https://viztracer.readthedocs.io/>, <https://github.com/benfred/py-spy>

use std::ffi::OsString;

use super::error::RecordError;
use super::place::Workplace;
use super::recorder::Recorder;
use super::run::{Done, Run};
use super::running::{self, Leaving, command};
use super::seen::Seen;

/// Calls and other events that VizTracer keeps: the last so many. A call takes a hundred bytes.
const ENTRIES: &str = "10000000";

/// Options of Python that take the next word.
const WITH_WORD: [&str; 3] = ["-W", "-X", "--check-hash-based-pycs"];

/// The interpreter with its own options, and what it runs: a file, `-m` or `-c` and what belongs to it.
fn parts(words: &[OsString]) -> (Vec<OsString>, Vec<OsString>) {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = word.to_string_lossy();
        let is_option = text.starts_with('-') && text.len() > 1;
        if !is_option || text == "-m" || text == "-c" {
            break;
        }
        at += if WITH_WORD.contains(&&*text) { 2 } else { 1 };
    }
    let at = at.min(words.len());
    (words[..at].to_vec(), words[at..].to_vec())
}

pub fn run(run: &Run<'_>, by: Recorder, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
    let place = Workplace::beside(run.output)?;
    let words = run.program.words();
    let written = place.0.join("recording.json");
    let command = match by {
        Recorder::PySpy => {
            let mut command = command("py-spy");
            command.args(["record", "--format", "speedscope", "--subprocesses", "-o"]);
            command.arg(&written).arg("--").args(words);
            command
        }
        _ => {
            let (python, program) = parts(&words);
            if program.is_empty() {
                let reason =
                    "expected a file, -m or -c behind the interpreter, found nothing to record";
                return Err(RecordError::program(&run.program.path, reason));
            }
            let mut command = std::process::Command::new(&python[0]);
            command.args(&python[1..]);
            command.args(["-m", "viztracer", "--quiet", "--tracer_entries", ENTRIES]);
            command.arg("--output_file").arg(&written);
            let is_file = !program[0].to_string_lossy().starts_with('-');
            if is_file {
                command.arg("--");
            }
            command.args(program);
            command
        }
    };
    let leaving = Leaving {
        recorder: by,
        ending: ".json",
        hint: "",
    };
    running::run_and_collect(command, &leaving, (&place, run), seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_interpreter_stand_before_what_it_runs() {
        for (words, own) in [
            (&["python3", "app.py", "-x"][..], 1),
            (&["python3", "-u", "-W", "error", "app.py"], 4),
            (&["python3", "-m", "json.tool"], 1),
            (&["python3", "-Xdev", "-c", "print(1)"], 2),
            (&["python3"], 1),
            (&["python3", "-W"], 2),
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let (python, program) = parts(&words);
            assert_eq!(python, words[..own], "{words:?}");
            assert_eq!(program, words[own..], "{words:?}");
        }
    }
}
