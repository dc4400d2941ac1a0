//! Frida: every call of native programs, and of those that run already, by a script of ours that it loads into them. Where
//! recording is off, the code of the program is as it was. <https://frida.re/docs/javascript-api/> Programs that it starts or
//! becomes are recorded too.
//!
//! What is recorded is in the format of uftrace, in files that the program itself maps, so that it is kept however the
//! program, the script or this process ends.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::driver::{self, DRIVER, ENDED, LOG, PROCESS, RECORDING, SCRIPTS};
use super::ended::Ended;
use super::error::RecordError;
use super::place::Place;
use super::program::Kind;
use super::recorder::Recorder;
use super::run::{Done, Plan, Run, Wish};
use super::running::{self, command, said};
use super::seen::Seen;
use super::{chosen_files, elf, excluded, others, switching, taken_out, uftrace};
use callscape_base::units::counted;
use callscape_facts::frequency::LeftOut;

/// In a recording: symbols of functions that could not be hooked, with the reason.
const UNRECORDED: &str = "unrecorded.txt";

/// So many functions are named.
const NAMED: usize = 5;

/// What is recorded: a program that is started, or a process that runs.
enum Of<'a> {
    Program(&'a Run<'a>),
    Process(u32),
}

pub(crate) fn run(run: &Run<'_>, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
    of(
        &Of::Program(run),
        run.place,
        run.wish,
        (&run.without, &run.program.path),
        seen,
    )
}

/// Records a process that runs, until it ends or this process is interrupted.
pub(crate) fn attach(
    place: &Place,
    pid: u32,
    wish: &Wish,
    program: &Path,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    if driver::folder_of(pid).is_some() {
        let reason = format!("process {pid}: it is being recorded by frida already");
        return Err(RecordError::Recorder(reason));
    }
    let without = match wish.without.is_empty() {
        true => Vec::new(),
        false => excluded::symbols(program, "--without", &wish.without, wish)?,
    };
    of(&Of::Process(pid), place, wish, (&without, program), seen)
}

fn of(
    of: &Of<'_>,
    place: &Place,
    wish: &Wish,
    (without, program): (&[String], &Path),
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    let folder = &place.folder;
    prepare(of, folder, wish, (without, program))?;
    let mut loader = command("python3");
    loader.arg(folder.join(DRIVER)).arg(folder);
    if let Of::Program(run) = of {
        loader.arg(&run.program.path);
        // The system finds the interpreter of a script.
        loader.args(match run.program.kind {
            Kind::Shell => &run.wish.command,
            _ => &run.program.words,
        });
    }
    let recording = folder.join(RECORDING);
    let mut plan = Plan {
        wraps: matches!(of, Of::Program(_)),
        leaves_off: true,
        calls: Some(calls),
        meanwhile: Some((meanwhile, wish.clone())),
        has_begun: Some(|recording| recording.with_file_name(PROCESS).exists()),
        ..Plan::new(loader, &recording)
    };
    match of {
        Of::Program(run) => plan.run_as(run.program, wish),
        Of::Process(pid) => plan.attach(*pid, wish),
    }
    let ran = running::run(&mut plan, None, seen)?;
    if !recording.join("info").exists() {
        driver::finish(folder);
    }
    // Attaching to the program and patching it takes time too, in which it does not run.
    let (ended, elapsed) = status(folder).unwrap_or((ran.program, ran.elapsed));
    let folders = others::folders(&recording);
    let (lost, has_lost) = taken_out::lost(&folders);
    let others = match (others::unrecorded(folder), has_lost) {
        (None, true) => Some(OTHERS.to_owned()),
        (others, _) => others,
    };
    let has_begun = folder.join(PROCESS).exists() && recording.join("info").exists();
    if !has_begun || folders.iter().all(|it| uftrace::records(it) == 0) {
        return Err(RecordError::Failed {
            recorder: "frida",
            said: match has_begun {
                true => nothing(elapsed, others),
                false => explained(&said(&folder.join(LOG))),
            },
            ended,
        });
    }
    let left_out = match wish.max_frequency {
        Some(limit) => taken_out::take(&folders, limit, wish.keeps_massive)?,
        None => None,
    };
    let _ = fs::remove_file(recording.join(taken_out::FOUND));
    others::merge(&recording).map_err(|error| RecordError::io(&recording, error))?;
    Ok(Done {
        notes: notes(&recording, lost, others, left_out.as_ref()),
        paths: vec![recording],
        by: Recorder::Frida,
        ended,
        elapsed,
        left_out,
    })
}

/// Writes what the driver reads.
fn prepare(
    of: &Of<'_>,
    folder: &Path,
    wish: &Wish,
    (without, program): (&[String], &Path),
) -> Result<(), RecordError> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| RecordError::io(&path, error))
    };
    for (name, text) in SCRIPTS {
        write(name, text)?;
    }
    let file = fs::File::open(program).ok();
    let has_names = file
        .and_then(|mut it| elf::functions(&mut it))
        .is_some_and(|it| !it.is_empty());
    let gate = wish.only_while.as_slice();
    let [only, gates] = match has_names {
        true => [("--only", &*wish.only), ("--while", gate)]
            .map(|(option, names)| excluded::symbols(program, option, names, wish)),
        // It may start others that have some.
        false => [Ok(Vec::new()), Ok(Vec::new())],
    };
    let limit = wish.max_frequency;
    let asked = serde_json::json!({
        "parent": std::process::id(),
        "pid": match of { Of::Process(pid) => Some(pid), Of::Program(_) => None },
        "only": (!wish.only.is_empty()).then_some(only?),
        "without": without,
        "gates": gates?,
        "libraries": libraries(&wish.only),
        "notLibraries": libraries(&wish.without),
        "leastSize": wish.min_size.unwrap_or(0),
        "deepest": wish.max_depth.unwrap_or(0),
        "hasGate": wish.only_while.is_some(),
        "hasNames": has_names,
        "asks": asks(wish),
        "most": limit.map_or(0, |it| u32::try_from(it.most).unwrap_or(u32::MAX).max(1)),
        "within": limit.map_or(0, |it| it.window.ns()),
        "paused": wish.is_paused,
    });
    write("wish.json", &asked.to_string())?;
    switching::create(folder)?;
    Ok(())
}

/// How the program ended, as the driver learnt it, and how long it ran.
fn status(folder: &Path) -> Option<(Ended, Duration)> {
    let text = fs::read_to_string(folder.join(ENDED)).ok()?;
    let (status, nanoseconds) = text.trim().split_once(' ')?;
    let elapsed = Duration::from_nanos(nanoseconds.parse().ok()?);
    Some((Ended::of_status(status.parse().ok()?), elapsed))
}

/// About how many calls of all programs are recorded.
fn calls(recording: &Path) -> u64 {
    let folders = others::folders(recording);
    folders.iter().map(|it| uftrace::calls(it)).sum()
}

/// What the driver asks for, and what it gets: the functions of another program that are recorded.
const ASKED: &str = "asked";
const ANSWERED: &str = "answered";

fn libraries(names: &[String]) -> Vec<&String> {
    let names = names.iter();
    names.filter(|it| chosen_files::is_library(it)).collect()
}

/// Whether functions are chosen by their names, which each program has its own of.
fn asks(wish: &Wish) -> bool {
    !(wish.only.is_empty() && wish.without.is_empty() && wish.only_while.is_none())
}

/// What is done again and again while it records.
fn meanwhile(recording: &Path, wish: &Wish) {
    choose(recording, wish);
    if let Some(control) = &wish.control {
        control.count(recording);
    }
}

/// Selects the functions of another program if the driver asks for them.
fn choose(recording: &Path, wish: &Wish) {
    let (asked, answered) = (
        recording.with_file_name(ASKED),
        recording.with_file_name(ANSWERED),
    );
    let Ok(program) = fs::read_to_string(&asked) else {
        return;
    };
    let program = Path::new(&program);
    let chosen = |names: &[String]| excluded::found(program, names, wish);
    let answer = serde_json::json!({
        "only": (!wish.only.is_empty()).then(|| chosen(&wish.only)),
        "without": chosen(&wish.without),
        "gates": chosen(wish.only_while.as_slice()),
    });
    let _ = fs::remove_file(&asked);
    // It is there as a whole.
    let new = answered.with_extension("new");
    let _ = fs::write(&new, answer.to_string()).and_then(|()| fs::rename(&new, &answered));
}

/// What is said where Frida could not follow programs, and does not know which.
const OTHERS: &str = "programs run by fexecve, after recording had ended, or without rights for it";

/// What is said of a run in which no function that is recorded was called.
fn nothing(elapsed: Duration, others: Option<String>) -> String {
    let seconds = elapsed.as_secs_f64();
    let others = match others {
        Some(others) => format!(". Not recorded: {others}"),
        None => String::new(),
    };
    format!("it called no function while recording was on, and ran for {seconds:.3} s{others}")
}

/// What the driver said, with what helps.
fn explained(said: &str) -> String {
    let level = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let help = match level.trim() {
        "1" | "2" if said.contains("ermission") || said.contains("not allowed") => {
            "; `sudo sysctl kernel.yama.ptrace_scope=0` permits it until the next reboot"
        }
        _ if said.contains("ermission") => "; it needs the rights of the user of the process",
        _ => "",
    };
    format!("{said}{help}")
}

/// What the user should know: functions that could not be hooked, and those that were taken out.
fn notes(
    recording: &Path,
    lost: u64,
    others: Option<String>,
    left_out: Option<&LeftOut>,
) -> Vec<String> {
    let text = fs::read_to_string(recording.join(UNRECORDED)).unwrap_or_default();
    let mut notes = Vec::new();
    let all: Vec<&str> = text.lines().collect();
    if let Some(said) = excluded::named(all.iter().filter_map(|it| it.split('\t').next()), NAMED) {
        let functions = counted(all.len() as u64, "function", "functions");
        notes.push(format!(
            "not recorded, because they are too short or cannot be patched: {functions}: {said}; {UNRECORDED} in the \
             recording lists all with the reason"
        ));
    } else {
        let _ = fs::remove_file(recording.join(UNRECORDED));
    }
    if lost > 0 {
        let calls = counted(
            lost,
            "start or end of a call was",
            "starts and ends of calls were",
        );
        notes.push(format!(
            "{calls} lost: the disk is full, the program's own limits or rights allow it no more files, or more than \
             262,144 calls were open in a thread"
        ));
    }
    notes.extend(others.map(|it| format!("not recorded: {it}")));
    notes.extend(left_out.map(|it| match it.has_first_calls {
        true => it.to_string(),
        false => format!("not recorded: {it}"),
    }));
    notes
}
