//! Recording a process that runs already.

use std::ffi::OsStr;
use std::path::Path;

use super::choice::{Offer, can, ensure_ready, fits};
use super::ended::Ended;
use super::error::RecordError;
use super::place::{self, Place};
use super::program::{Kind, Program, language};
use super::recorder::{Recorder, State};
use super::run::{Done, Plan, Wish};
use super::running::{self, Leaving, command};
use super::seen::Seen;
use super::{frida, massive, perf, run::Attached, whole};

/// Records the process `pid` until it ends or this one is interrupted: every call with Frida where that is wished, else
/// Python with py-spy where that is there, and all else with perf.
pub fn attach(pid: u32, wish: &Wish, seen: &mut dyn FnMut(Seen)) -> Result<Attached, RecordError> {
    let process = Path::new("/proc").join(pid.to_string());
    if !process.exists() {
        return Err(RecordError::Recorder(format!(
            "process {pid} does not exist"
        )));
    }
    let program = std::fs::read_link(process.join("exe")).unwrap_or_default();
    let name = program.file_name().unwrap_or_default().to_owned();
    let by = wish.with.unwrap_or_else(|| best(&name, wish));
    if !matches!(by, Recorder::Perf | Recorder::PySpy | Recorder::Frida) {
        return Err(RecordError::Recorder(format!(
            "{} cannot record a running process; frida, perf and py-spy can",
            by.name()
        )));
    }
    if wish.calls && by != Recorder::Frida {
        return Err(RecordError::Recorder(format!(
            "--calls needs frida: {} takes samples",
            by.name()
        )));
    }
    can(by, wish)?;
    ensure_ready(by, &by.state())?;
    let name = name.to_string_lossy();
    let folder = wish.folder.as_deref().unwrap_or(Path::new(""));
    let place = Place::take(wish.output.as_deref(), folder, &name, by)?;
    let mut done = match by {
        Recorder::PySpy => py_spy(&place, pid, wish, seen)?,
        Recorder::Frida => frida::attach(&place, pid, wish, &process.join("exe"), seen)?,
        _ => perf::attach(&place, pid, wish, seen)?,
    };
    let left_out = done.left_out.take();
    if let Some(left_out) = &left_out {
        massive::keep(&done.paths, left_out)?;
    }
    let paths = whole::put(&mut done, &place)?;
    Ok(Attached {
        notes: done.notes,
        bytes: paths.iter().map(|path| place::bytes(path)).sum(),
        paths,
        by,
        elapsed: done.elapsed,
        program,
    })
}

/// All recorders as they can be chosen for a process, and what would be taken by itself.
pub fn offers_of_process(program: &Program) -> (Recorder, Vec<Offer>) {
    let is_python = program.kind == Kind::Python;
    let offers = Recorder::ALL.map(|recorder| {
        let why = match recorder {
            Recorder::Perf => Ok(()),
            Recorder::Frida => fits(&program.clone().itself(), recorder),
            Recorder::PySpy if is_python => Ok(()),
            _ => Err(RecordError::Recorder(
                "it cannot record a running process".to_owned(),
            )),
        };
        let fits = why.is_ok();
        let refused = why.and_then(|()| ensure_ready(recorder, &recorder.state()));
        Offer {
            recorder,
            refused: refused.err().map(|it| it.to_string()),
            fits,
        }
    });
    let name = program.path.file_name().unwrap_or_default();
    (best(name, &Wish::default()), offers.to_vec())
}

/// The recorder of a running program of this name.
fn best(name: &OsStr, wish: &Wish) -> Recorder {
    let of_calls = wish.calls || wish.is_paused || wish.max_frequency.is_some();
    let of_functions = !wish.without.is_empty() || !wish.only.is_empty();
    let is_python = language(name) == Some(Kind::Python);
    let is_ready = || matches!(Recorder::PySpy.state(), State::Ready(_));
    match of_calls || of_functions || wish.only_while.is_some() {
        true => Recorder::Frida,
        false if is_python && wish.last.is_none() && is_ready() => Recorder::PySpy,
        false => Recorder::Perf,
    }
}

fn py_spy(
    place: &Place,
    pid: u32,
    wish: &Wish,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    let written = place.folder.join("recording.json");
    let mut record = command("py-spy");
    record.args([
        "record",
        "--format",
        "speedscope",
        "--pid",
        &pid.to_string(),
    ]);
    record.arg("-o").arg(&written);
    let mut plan = Plan::new(record, &place.folder);
    plan.attach(pid, wish);
    let ran = running::run(&mut plan, None, seen)?;
    let leaving = Leaving {
        recorder: Recorder::PySpy,
        ending: ".json",
        hint: "",
    };
    running::collect_left(&leaving, &place.folder, (ran.elapsed, Ended::Unknown))
}
