//! Which recorder a program is recorded by.

use super::elf::Elf;
use super::error::RecordError;
use super::program::{Kind, Program};
use super::recorder::{self, Recorder, State};
use super::run::Wish;
use crate::escape;

/// A recorder, and what the user should know about that it was taken.
#[derive(Clone, Debug)]
pub struct Choice {
    pub recorder: Recorder,
    pub notes: Vec<String>,
}

/// Chooses the recorder that was asked for, else the best that is there.
pub fn choose(program: &Program, wish: &Wish) -> Result<Choice, RecordError> {
    let wanted = match wish.with {
        Some(recorder) => {
            fits(program, recorder)?;
            Choice {
                recorder,
                notes: Vec::new(),
            }
        }
        None => best(program)?,
    };
    let by = wanted.recorder;
    ensure_ready(by, &state(by, program))?;
    let not_by = |what: &str| {
        Err(RecordError::Recorder(format!(
            "{what} is for uftrace: {} cannot",
            by.name()
        )))
    };
    if by != Recorder::Uftrace {
        if wish.memory {
            return not_by("--memory");
        }
        if wish.max_frequency.is_some() {
            return not_by("--max-frequency while recording");
        }
        if wish.is_paused {
            return not_by("--paused");
        }
    }
    Ok(wanted)
}

/// The state of a recorder for this program.
fn state(recorder: Recorder, program: &Program) -> State {
    match (recorder, program.words().first()) {
        (Recorder::Viztracer, Some(python)) => recorder::viztracer(python),
        _ => recorder.state(),
    }
}

/// Fails where a recorder is not there, and says what installs or permits it.
pub(super) fn ensure_ready(recorder: Recorder, state: &State) -> Result<(), RecordError> {
    let name = recorder.name();
    match state {
        State::Ready(_) => Ok(()),
        State::Missing(install) => Err(RecordError::Recorder(format!(
            "{name} is not installed: `{install}` installs it"
        ))),
        State::Unfit(why) => Err(RecordError::Recorder(format!("{name}: {why}"))),
    }
}

/// Fails where a recorder cannot record a program.
fn fits(program: &Program, recorder: Recorder) -> Result<(), RecordError> {
    let refuse = |why: &str| {
        Err(RecordError::program(
            &program.path,
            format!("{} cannot record it: {why}", recorder.name()),
        ))
    };
    match (recorder, program.kind) {
        (Recorder::Uftrace, Kind::Executable(elf)) => match obstacle(program, &elf) {
            Some(why) => refuse(&why),
            None => Ok(()),
        },
        (Recorder::Uftrace, _) => refuse("it is a script, and its interpreter would be recorded"),
        (Recorder::Perf, _)
        | (Recorder::Viztracer | Recorder::PySpy, Kind::Python)
        | (Recorder::Node, Kind::Node)
        | (Recorder::Jfr, Kind::Java | Kind::Shell) => Ok(()),
        (Recorder::Viztracer | Recorder::PySpy, _) => refuse("it is not run by Python"),
        (Recorder::Node, _) => refuse("it is not run by node"),
        (Recorder::Jfr, _) => refuse("it is not run by Java"),
    }
}

/// Why uftrace cannot record an executable.
fn obstacle(program: &Program, elf: &Elf) -> Option<String> {
    let path = std::fs::canonicalize(&program.path);
    let path = path.as_ref().unwrap_or(&program.path);
    let has_space = path
        .as_os_str()
        .as_encoded_bytes()
        .iter()
        .any(u8::is_ascii_whitespace);
    let reasons = [
        (!elf.is_64_bit, "uftrace patches no 32-bit programs"),
        (!elf.can_be_patched, "uftrace does not know this machine"),
        (
            elf.is_static,
            "uftrace needs a program that is not statically linked",
        ),
        (elf.is_go, "uftrace does not know the stacks of Go"),
        (
            has_space,
            "uftrace finds no program whose path has a space in it",
        ),
    ];
    let found = reasons.into_iter().find(|(holds, _)| *holds);
    found.map(|(_, why)| why.to_owned())
}

fn best(program: &Program) -> Result<Choice, RecordError> {
    let taken = |recorder, notes| Ok(Choice { recorder, notes });
    let is_ready = |it| matches!(state(it, program), State::Ready(_));
    match program.kind {
        Kind::Executable(elf) => Ok(of_executable(program, &elf)),
        Kind::Python if is_ready(Recorder::Viztracer) => taken(Recorder::Viztracer, Vec::new()),
        Kind::Python if is_ready(Recorder::PySpy) => {
            let better = Recorder::Viztracer.install();
            let note =
                format!("recording samples with py-spy; VizTracer records every call: `{better}`");
            taken(Recorder::PySpy, vec![note])
        }
        Kind::Python => taken(Recorder::Viztracer, Vec::new()),
        Kind::Node => taken(Recorder::Node, Vec::new()),
        Kind::Java => taken(Recorder::Jfr, Vec::new()),
        Kind::Shell => {
            let note = "a script of a shell: what it runs is recorded by perf, in samples";
            taken(Recorder::Perf, vec![note.to_owned()])
        }
        Kind::Other(language) => Err(RecordError::program(
            &program.path,
            format!(
                "no recorder is driven for {}; docs/formats.md says what records it. --with perf records its interpreter",
                escape::name(language)
            ),
        )),
    }
}

fn of_executable(program: &Program, elf: &Elf) -> Choice {
    let mut notes = Vec::new();
    let by = |recorder, notes| Choice { recorder, notes };
    if let Some(why) = obstacle(program, elf) {
        notes.push(format!("recording samples with perf: {why}"));
        return by(Recorder::Perf, notes);
    }
    let uftrace = Recorder::Uftrace.state();
    if let Err(missing) = ensure_ready(Recorder::Uftrace, &uftrace)
        && matches!(Recorder::Perf.state(), State::Ready(_))
    {
        notes.push(format!(
            "recording samples with perf, for every call would need uftrace: {missing}"
        ));
        return by(Recorder::Perf, notes);
    }
    if !elf.has_symbols {
        notes.push(
            "it is stripped of its functions' names: only calls into libraries are seen".to_owned(),
        );
    }
    by(Recorder::Uftrace, notes)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn program(kind: Kind) -> Program {
        Program {
            command: vec!["/bin/app".into()],
            path: PathBuf::from("/bin/app"),
            kind,
            interpreter: None,
        }
    }

    const PLAIN: Elf = Elf {
        is_64_bit: true,
        can_be_patched: true,
        is_static: false,
        has_symbols: true,
        has_lines: false,
        is_instrumented: false,
        has_room: false,
        is_go: false,
    };

    #[test]
    fn what_uftrace_cannot_record_goes_to_perf_and_is_said() {
        for (elf, why) in [
            (
                Elf {
                    is_64_bit: false,
                    ..PLAIN
                },
                "32-bit",
            ),
            (
                Elf {
                    is_static: true,
                    ..PLAIN
                },
                "statically linked",
            ),
            (
                Elf {
                    is_go: true,
                    ..PLAIN
                },
                "Go",
            ),
            (
                Elf {
                    can_be_patched: false,
                    ..PLAIN
                },
                "machine",
            ),
        ] {
            let program = program(Kind::Executable(elf));
            let choice = of_executable(&program, &elf);
            assert_eq!(choice.recorder, Recorder::Perf);
            assert!(choice.notes[0].contains(why), "{:?}", choice.notes);
            let refused = fits(&program, Recorder::Uftrace).expect_err("it cannot");
            assert!(refused.to_string().contains(why), "{refused}");
        }
        assert!(fits(&program(Kind::Executable(PLAIN)), Recorder::Uftrace).is_ok());
        let spaced = Program {
            path: PathBuf::from("/no such folder/app"),
            ..program(Kind::Executable(PLAIN))
        };
        assert_eq!(of_executable(&spaced, &PLAIN).recorder, Recorder::Perf);
    }

    #[test]
    fn a_recorder_of_another_language_is_refused() {
        let all = [
            Kind::Executable(PLAIN),
            Kind::Python,
            Kind::Node,
            Kind::Java,
            Kind::Other("ruby"),
        ];
        let fitting = |recorder| {
            let fit = all
                .iter()
                .filter(|&&kind| fits(&program(kind), recorder).is_ok());
            fit.count()
        };
        assert_eq!(fitting(Recorder::Perf), all.len());
        for recorder in Recorder::ALL.into_iter().filter(|it| *it != Recorder::Perf) {
            assert_eq!(fitting(recorder), 1, "{recorder:?}");
        }
        assert!(best(&program(Kind::Other("ruby"))).is_err());
    }
}
