//! Recording a process that runs already.

use std::path::Path;
use std::time::Duration;

use super::choice::ensure_ready;
use super::ended::Ended;
use super::error::RecordError;
use super::place::{self, Place};
use super::program::{Kind, language};
use super::recorder::{Recorder, State};
use super::run::{Done, Plan};
use super::running::{self, Leaving, command};
use super::seen::Seen;
use super::{perf, run::Attached, whole};

/// Records the process `pid` until it ends or this one is interrupted: Python with py-spy where that is there, all else
/// with perf.
pub fn attach(
    pid: u32,
    with: Option<Recorder>,
    output: Option<&Path>,
    last: Option<Duration>,
    seen: &mut dyn FnMut(Seen),
) -> Result<Attached, RecordError> {
    let process = Path::new("/proc").join(pid.to_string());
    if !process.exists() {
        return Err(RecordError::Recorder(format!(
            "process {pid} does not exist"
        )));
    }
    let program = std::fs::read_link(process.join("exe")).unwrap_or_default();
    let name = program.file_name().unwrap_or_default().to_owned();
    let is_python = language(&name) == Some(Kind::Python);
    let is_ready = matches!(Recorder::PySpy.state(), State::Ready(_));
    let by = with.unwrap_or(match is_python && is_ready {
        true if last.is_none() => Recorder::PySpy,
        _ => Recorder::Perf,
    });
    if !matches!(by, Recorder::Perf | Recorder::PySpy) {
        return Err(RecordError::Recorder(format!(
            "{} cannot record a running process; perf and py-spy can",
            by.name()
        )));
    }
    if last.is_some() && by != Recorder::Perf {
        return Err(RecordError::Recorder(format!(
            "--last needs perf: {} does not support it",
            by.name()
        )));
    }
    ensure_ready(by, &by.state())?;
    let name = name.to_string_lossy();
    let place = Place::take(output, Path::new(""), &name, by)?;
    let mut done = match by {
        Recorder::PySpy => py_spy(&place, pid, seen)?,
        _ => perf::attach(&place, pid, last, seen)?,
    };
    let paths = whole::put(&mut done, &place)?;
    Ok(Attached {
        bytes: paths.iter().map(|path| place::bytes(path)).sum(),
        paths,
        by,
        elapsed: done.elapsed,
        program,
    })
}

fn py_spy(place: &Place, pid: u32, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
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
    let ran = running::run(&mut plan, None, seen)?;
    let leaving = Leaving {
        recorder: Recorder::PySpy,
        ending: ".json",
        hint: "",
    };
    running::collect_left(&leaving, &place.folder, (ran.elapsed, Ended::Unknown))
}
