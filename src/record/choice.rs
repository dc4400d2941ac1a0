//! Which recorder a program is recorded by.

use super::chosen_files;
use super::elf::Elf;
use super::error::RecordError;
use super::place;
use super::program::{Kind, Program};
use super::python_words;
use super::recorder::{self, Recorder, State};
use super::run::Wish;

/// A recorder, and what the user should know about that it was taken.
#[derive(Clone, Debug)]
pub struct Choice {
    pub recorder: Recorder,
    pub notes: Vec<String>,
}

/// Chooses the recorder that was asked for, else the best that is there.
pub fn choose(program: &Program, wish: &Wish) -> Result<Choice, RecordError> {
    let wanted = match wish.with {
        Some(Recorder::Frida) if starts_others(program) => Choice {
            recorder: Recorder::Frida,
            notes: vec![format!(
                "recording the programs that {} starts, not its own functions",
                program.path.display()
            )],
        },
        Some(recorder) => {
            fits(program, recorder)?;
            Choice {
                recorder,
                notes: Vec::new(),
            }
        }
        None if wish.last.is_some() => Choice {
            recorder: Recorder::Perf,
            notes: vec![
                "recording samples with perf, which can keep only the most recent ones".to_owned(),
            ],
        },
        None if wants_frida(program, wish) => Choice {
            recorder: Recorder::Frida,
            notes: Vec::new(),
        },
        None => best(program)?,
    };
    let by = wanted.recorder;
    ensure_ready(by, &state(by, program))?;
    can(by, wish)?;
    Ok(wanted)
}

/// Whether Frida is there, and better at what is asked for: it costs nothing while it is off, and needs no trial run.
fn wants_frida(program: &Program, wish: &Wish) -> bool {
    let is_asked = wish.is_paused || wish.is_switchable || wish.max_frequency.is_some();
    is_asked
        && !wish.memory
        && fits(program, Recorder::Frida).is_ok()
        && matches!(Recorder::Frida.state(), State::Ready(_))
}

/// Fails where a recorder cannot do what is asked for, and names the one that can.
pub(crate) fn can(by: Recorder, wish: &Wish) -> Result<(), RecordError> {
    let by_calls = [Recorder::Uftrace, Recorder::Frida];
    let by_files = [Recorder::Uftrace, Recorder::Frida, Recorder::Viztracer];
    let can_choose = |names: &[String]| match names.iter().all(|it| chosen_files::is_path(it)) {
        true => &by_files[..],
        false => &by_calls,
    };
    let mut names = wish.only.iter().chain(&wish.without);
    let has_library = names.any(|it| chosen_files::is_library(it));
    let asked: [(bool, &str, &[Recorder]); 13] = [
        (has_library, "selecting a library", &[Recorder::Frida]),
        (wish.memory, "--memory", &[Recorder::Uftrace]),
        (
            wish.max_frequency.is_some(),
            "--max-frequency while recording",
            &by_calls,
        ),
        (
            !wish.without.is_empty(),
            "--without while recording",
            can_choose(&wish.without),
        ),
        (wish.is_paused, "--paused", &Recorder::SWITCHABLE),
        (wish.is_switchable, "--switchable", &Recorder::SWITCHABLE),
        (!wish.only.is_empty(), "--only", can_choose(&wish.only)),
        (wish.min_size.is_some(), "--min-size", &by_calls),
        (wish.max_depth.is_some(), "--max-depth", &by_files),
        (wish.only_while.is_some(), "--while", &by_calls),
        (
            wish.only_while.is_some() && wish.max_frequency.is_some(),
            "--while with --max-frequency",
            &[Recorder::Frida],
        ),
        (wish.keeps_massive, "--keep-massive", &[Recorder::Frida]),
        (wish.last.is_some(), "--last", &[Recorder::Perf]),
    ];
    let refused = asked
        .into_iter()
        .find(|(is_asked, _, can)| *is_asked && !can.contains(&by));
    match refused {
        Some((_, what, can)) => {
            let names: Vec<&str> = can.iter().map(|it| it.name()).collect();
            Err(RecordError::Recorder(format!(
                "{what} needs {}: {} does not support it",
                names.join(" or "),
                by.name()
            )))
        }
        None => Ok(()),
    }
}

/// A recorder as it can be chosen for a program.
#[derive(Clone, Debug)]
pub struct Offer {
    pub recorder: Recorder,
    /// Why it cannot be taken, with what installs or permits it.
    pub refused: Option<String>,
    /// Whether it would be taken where it were there.
    pub fits: bool,
}

/// All recorders as they can be chosen for a program, and what would be taken by itself. Asks each for its version: takes a
/// second.
pub fn offers(program: &Program) -> (Result<Choice, RecordError>, Vec<Offer>) {
    let all = Recorder::ALL.map(|recorder| {
        let fits = fits(program, recorder);
        let refused = match &fits {
            Ok(()) => ensure_ready(recorder, &state(recorder, program)).err(),
            Err(RecordError::Program { reason, .. }) => Some(RecordError::Recorder(reason.clone())),
            Err(error) => Some(RecordError::Recorder(error.to_string())),
        };
        Offer {
            recorder,
            refused: refused.map(|it| it.to_string()),
            fits: fits.is_ok(),
        }
    });
    (choose(program, &Wish::default()), all.to_vec())
}

/// The state of a recorder for this program.
fn state(recorder: Recorder, program: &Program) -> State {
    match recorder {
        Recorder::Viztracer => {
            // Its own options decide what it finds.
            let python = python_words::read(&program.words).interpreter;
            recorder::viztracer(&python, &program.environment)
        }
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
pub(crate) fn fits(program: &Program, recorder: Recorder) -> Result<(), RecordError> {
    let refuse = |why: &str| {
        Err(RecordError::program(
            &program.path,
            format!("{} cannot record it: {why}", recorder.name()),
        ))
    };
    match (recorder, program.kind) {
        (Recorder::Frida, Kind::Executable(elf)) => match obstacle_of_frida(&elf) {
            Some(why) => refuse(why),
            None => Ok(()),
        },
        (Recorder::Uftrace, Kind::Executable(elf)) => match obstacle(program, &elf) {
            Some(why) => refuse(&why),
            None => Ok(()),
        },
        (Recorder::Uftrace | Recorder::Frida, _) => {
            refuse("it is a script, and its interpreter would be recorded")
        }
        (Recorder::Perf, _)
        | (Recorder::Viztracer | Recorder::PySpy, Kind::Python)
        | (Recorder::Node, Kind::Node)
        | (Recorder::Jfr, Kind::Java | Kind::Shell) => Ok(()),
        (Recorder::Viztracer | Recorder::PySpy, _) => refuse("it is not run by Python"),
        (Recorder::Node, _) => refuse("it is not run by node"),
        (Recorder::Jfr, _) => refuse("it is not run by Java"),
    }
}

/// Whether Frida can follow a program to those that it starts, though it records none of its own functions.
fn starts_others(program: &Program) -> bool {
    match program.kind {
        Kind::Shell => true,
        Kind::Executable(elf) => {
            let named = Elf {
                has_symbols: true,
                ..elf
            };
            !elf.has_symbols && obstacle_of_frida(&named).is_none()
        }
        _ => false,
    }
}

/// Why Frida cannot record an executable.
fn obstacle_of_frida(elf: &Elf) -> Option<&'static str> {
    let reasons = [
        (
            !elf.is_64_bit,
            "our script for it does not support 32-bit programs",
        ),
        (
            elf.is_static,
            "our script for it needs a dynamically linked program",
        ),
        (
            !elf.can_be_patched,
            "our script for it does not support this machine",
        ),
        (elf.is_go, "it does not support Go's stacks"),
        (
            !elf.has_symbols,
            "it has no names of functions (it is stripped)",
        ),
    ];
    let found = reasons.into_iter().find(|(holds, _)| *holds);
    found.map(|(_, why)| why)
}

/// Why uftrace cannot record an executable.
fn obstacle(program: &Program, elf: &Elf) -> Option<String> {
    let path = std::fs::canonicalize(&program.path);
    let path = path.as_ref().unwrap_or(&program.path);
    let has_space = place::has_space(path);
    let reasons = [
        (!elf.is_64_bit, "uftrace cannot patch 32-bit programs"),
        (!elf.can_be_patched, "uftrace does not support this machine"),
        (elf.is_static, "uftrace needs a dynamically linked program"),
        (elf.is_go, "uftrace does not support Go's stacks"),
        (has_space, "uftrace does not support paths with spaces"),
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
        Kind::Shell if starts_java(program) && is_ready(Recorder::Jfr) => {
            taken(Recorder::Jfr, Vec::new())
        }
        Kind::Shell => {
            let note = "a shell script: perf samples the programs it runs";
            taken(Recorder::Perf, vec![note.to_owned()])
        }
        Kind::Other(language) => Err(RecordError::Language {
            program: program.path.clone(),
            language,
        }),
    }
}

/// Whether a script starts Java as those of Maven, Gradle, sbt and Tomcat do, which look for it where this variable says.
fn starts_java(program: &Program) -> bool {
    let text = std::fs::read(&program.path).unwrap_or_default();
    memchr::memmem::find(&text, b"JAVA_HOME").is_some()
}

fn of_executable(program: &Program, elf: &Elf) -> Choice {
    let mut notes = Vec::new();
    let by = |recorder, notes| Choice { recorder, notes };
    let has_frida =
        || obstacle_of_frida(elf).is_none() && matches!(Recorder::Frida.state(), State::Ready(_));
    if let Some(why) = obstacle(program, elf) {
        if has_frida() {
            notes.push(format!("recording with frida: {why}"));
            return by(Recorder::Frida, notes);
        }
        notes.push(format!("recording samples with perf: {why}"));
        return by(Recorder::Perf, notes);
    }
    let uftrace = Recorder::Uftrace.state();
    if !matches!(uftrace, State::Ready(_)) && has_frida() {
        return by(Recorder::Frida, notes);
    }
    if let Err(missing) = ensure_ready(Recorder::Uftrace, &uftrace)
        && matches!(Recorder::Perf.state(), State::Ready(_))
    {
        notes.push(format!(
            "recording samples with perf, because recording every call needs uftrace: {missing}"
        ));
        return by(Recorder::Perf, notes);
    }
    if !elf.has_symbols {
        notes.push(
            format!(
                "{} has no names of functions (it is stripped): of its own calls, only those into libraries are recorded",
                program.path.display()
            ),
        );
    }
    by(Recorder::Uftrace, notes)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn program(kind: Kind) -> Program {
        Program {
            kind,
            ..Program::at(Path::new("/bin/app"))
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
                "dynamically linked",
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
        // Frida, if it is there.
        let by = of_executable(&spaced, &PLAIN).recorder;
        assert_ne!(by, Recorder::Uftrace);
    }

    #[test]
    fn what_a_recorder_cannot_is_refused_with_the_name_of_one_that_can() {
        let paused = Wish {
            is_paused: true,
            ..Wish::default()
        };
        let last = Wish {
            last: Some(std::time::Duration::from_secs(1)),
            ..Wish::default()
        };
        let said = |by, wish| can(by, wish).expect_err("it cannot").to_string();
        assert_eq!(
            said(Recorder::Node, &paused),
            "--paused needs uftrace or frida or perf: node does not support it"
        );
        assert_eq!(
            said(Recorder::Uftrace, &last),
            "--last needs perf: uftrace does not support it"
        );
        let only = |name: &str| Wish {
            only: vec![name.to_owned()],
            ..Wish::default()
        };
        assert_eq!(
            said(Recorder::Viztracer, &only("parse")),
            "--only needs uftrace or frida: viztracer does not support it"
        );
        assert!(can(Recorder::Viztracer, &only("src/parser/")).is_ok());
        assert!(can(Recorder::Uftrace, &paused).is_ok() && can(Recorder::Perf, &paused).is_ok());
        assert!(can(Recorder::Perf, &last).is_ok());
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
