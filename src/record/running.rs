//! Runs a program under its recorder, and learns how it ended.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use super::control::Control;
use super::ended::Ended;
use super::error::RecordError;
use super::place;
use super::program;
use super::recorder::Recorder;
use super::room::Room;
use super::run::{Done, Plan, Run};
use super::seen::Seen;
use super::signals::{self, Forwarding, Orphan, adopt};
use callscape_base::files;

#[cfg(unix)]
fn of_exit(status: ExitStatus) -> Ended {
    use std::os::unix::process::ExitStatusExt;

    Ended::of_status(status.into_raw())
}

#[cfg(not(unix))]
fn of_exit(status: ExitStatus) -> Ended {
    status.code().map_or(Ended::Unknown, Ended::Code)
}

/// How a run under a recorder went.
pub(crate) struct Ran {
    /// How the program ended, as far as that can be learned from outside.
    pub program: Ended,
    /// How the recorder ended that ran it.
    pub recorder: Ended,
    pub elapsed: Duration,
    /// The recorder was stopped because the disk was nearly full.
    pub ran_short: bool,
}

/// A recorder that leaves its recording in a folder.
pub(crate) struct Leaving {
    pub recorder: Recorder,
    /// Of the files that it leaves.
    pub ending: &'static str,
    /// What is said where it leaves none, behind how the program ended.
    pub hint: &'static str,
}

/// Runs a program under such a recorder, and finds what that leaves in the private folder.
pub(crate) fn run_and_collect(
    command: Command,
    leaving: &Leaving,
    of: &Run<'_>,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    // py-spy stands around the program, and does not tell how that ended.
    let wraps = leaving.recorder == Recorder::PySpy;
    let mut plan = Plan {
        wraps,
        ..Plan::new(command, &of.place.folder)
    };
    plan.run_as(of.program, of.wish);
    let ran = run(&mut plan, None, seen)?;
    let ended = match (wraps, ran.recorder) {
        (false, _) => ran.program,
        // However the program ended.
        (true, Ended::Code(0)) => Ended::Unknown,
        (true, ended) => ended,
    };
    collect_left(leaving, &of.place.folder, (ran.elapsed, ended))
}

/// Finds what a recorder has left in its folder, of a program that ran so long and ended so.
pub(crate) fn collect_left(
    leaving: &Leaving,
    folder: &Path,
    (elapsed, ended): (Duration, Ended),
) -> Result<Done, RecordError> {
    let paths = place::left(folder, leaving.ending)?;
    if paths.is_empty() {
        let how = match ended {
            Ended::Unknown => String::new(),
            ended => format!("; the program ended with {}", ended.code()),
        };
        return Err(RecordError::Failed {
            recorder: leaving.recorder.name(),
            said: format!("it wrote no recording{how}{}", leaving.hint),
            ended,
        });
    }
    Ok(Done {
        notes: Vec::new(),
        paths,
        by: leaving.recorder,
        ended,
        elapsed,
        left_out: None,
    })
}

/// How often it is looked whether the program has ended.
const LOOK: Duration = Duration::from_millis(5);
/// How often it is told how far the recording is.
const TELL: Duration = Duration::from_millis(250);

/// What is limited in time may take this much longer before the program itself has begun.
const START: Duration = Duration::from_secs(60);

/// Runs a plan until program and recorder have ended; the program is told to end when it has run for `limit`.
pub(crate) fn run(
    plan: &mut Plan,
    limit: Option<Duration>,
    seen: &mut dyn FnMut(Seen),
) -> Result<Ran, RecordError> {
    // Of a window, signals and children are its own business.
    let control = plan.control.clone();
    let forwarding = control.is_none().then(Forwarding::begin);
    match &control {
        Some(_) => Control::prepare(&mut plan.command),
        None => adopt(),
    }
    files::start_with_limit(&mut plan.command);
    let begin = Instant::now();
    let named = PathBuf::from(plan.command.get_program());
    let mut child = plan
        .command
        .spawn()
        .map_err(|error| RecordError::io(&named, error))?;
    if let Some(control) = &control {
        control.listen(&mut child);
    }
    let mut told = begin;
    let mut inner = None;
    let mut asked_to_end = 0;
    let mut begun = plan.has_begun.is_none().then_some(begin);
    let room = Room::around(&plan.folder).filter(|_| plan.leaves_off);
    let mut ran_short = false;
    let recorder = loop {
        let ended = child
            .try_wait()
            .map_err(|error| RecordError::io(&named, error))?;
        if let Some(status) = ended {
            break of_exit(status);
        }
        if plan.wraps {
            inner = children(child.id()).first().copied().or(inner);
        }
        if let Some((act, wish)) = &plan.meanwhile {
            act(&plan.folder, wish);
        }
        let program = inner.unwrap_or(child.id());
        if let Some(forwarding) = &forwarding {
            forwarding.hand_on(program);
        }
        if let Some(control) = control.as_ref().filter(|_| inner.is_some() || !plan.wraps) {
            control.runs(Some(program));
        }
        let had_begun = begun.is_some();
        let has_begun = || plan.has_begun.is_some_and(|it| it(&plan.folder));
        begun = begun.or_else(|| has_begun().then(Instant::now));
        if let Some(limit) = limit {
            let (since, limit) = begun.map_or((begin, limit + START), |begun| (begun, limit));
            asked_to_end = end(program, since.elapsed(), limit, asked_to_end);
        }
        if !ran_short && inner.is_some() && room.as_ref().is_some_and(Room::is_short) {
            ran_short = signals::send(child.id(), signals::INTERRUPT);
        }
        if told.elapsed() >= TELL || begun.is_some() && !had_begun {
            told = Instant::now();
            seen(Seen {
                elapsed: begin.elapsed(),
                bytes: place::bytes(&plan.folder),
                calls: plan.calls.map(|calls| calls(&plan.folder)),
                program: begun.and(inner.or((!plan.wraps).then_some(child.id()))),
            });
        }
        std::thread::sleep(LOOK);
    };
    let mut ran = Ran {
        program: if plan.wraps { Ended::Unknown } else { recorder },
        recorder,
        elapsed: begin.elapsed(),
        ran_short,
    };
    // An interrupt ends a recorder at once, and its program when that wants to.
    if let Some(orphan) = inner.filter(|pid| is_there(*pid)).map(Orphan) {
        ran.program = loop {
            // A window adopts nobody: whoever does learns how it ends.
            match orphan.ended() {
                Some(_) if control.is_some() && is_running(orphan.0) => {}
                Some(ended) => break ended,
                None => {}
            }
            if let Some(forwarding) = &forwarding {
                forwarding.hand_on(orphan.0);
            }
            std::thread::sleep(LOOK);
        };
    }
    if let Some(control) = &control {
        control.runs(None);
    }
    Ok(ran)
}

/// Asks a program to end that has run for long enough, and makes it end where it does not; how often it was asked.
fn end(program: u32, elapsed: Duration, limit: Duration, asked: u32) -> u32 {
    let patience = Duration::from_secs(2);
    match asked {
        0 if elapsed >= limit => {
            signals::send(program, signals::TERMINATE);
            1
        }
        1 if elapsed >= limit + patience => {
            signals::send(program, signals::KILL);
            2
        }
        asked => asked,
    }
}

/// The processes that a process has begun, the first one first.
fn children(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let mut all = Vec::new();
    for list in lists {
        all.extend(
            list.split_whitespace()
                .filter_map(|it| it.parse::<u32>().ok()),
        );
    }
    all
}

/// Whether a process is there, if only as what is left of one that ended and that nobody has asked about yet.
fn is_there(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Whether a process is there and has not ended.
fn is_running(pid: u32) -> bool {
    state(pid).is_some_and(|state| !b"ZX".contains(&state))
}

/// Whether a signal has stopped a process.
pub(crate) fn is_stopped(pid: u32) -> bool {
    state(pid) == Some(b'T')
}

/// The process that traces a process, such as a debugger.
pub(crate) fn tracer(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("TracerPid:"));
    line?.trim().parse().ok().filter(|it| *it != 0)
}

/// The letter that stands for what a process does.
fn state(pid: u32) -> Option<u8> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything, parentheses too.
    let state = stat.rsplit(|&byte| byte == b')').next();
    state.and_then(|it| it.trim_ascii_start().first().copied())
}

/// What a recorder has said, for an error message: the last lines, without what is usual.
pub(crate) fn said(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    let last = lines.len().saturating_sub(6);
    match lines.is_empty() {
        true => "it printed nothing".to_owned(),
        false => lines[last..].join("; "),
    }
}

/// A command that runs `name` of PATH.
pub(crate) fn command(name: &str) -> std::process::Command {
    match program::find(std::ffi::OsStr::new(name)) {
        Ok(path) => std::process::Command::new(path),
        Err(_) => std::process::Command::new(name),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_runs_no_more_though_nobody_has_asked_about_it() {
        let mut child = Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("it starts");
        assert!(is_running(child.id()));
        drop(child.stdin.take());
        while is_running(child.id()) {
            std::thread::yield_now();
        }
        assert!(is_there(child.id()));
        child.wait().expect("it has ended");
        assert!(!is_there(child.id()) && !is_running(child.id()));
        assert!(is_running(std::process::id()));
    }
}
