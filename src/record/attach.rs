//! Recording a process that runs already.

use std::ffi::OsStr;
use std::path::Path;

use super::choice::{Offer, can, ensure_ready, fits};
use super::ended::Ended;
use super::error::RecordError;
use super::place::{self, Place};
use super::program::{self, Kind, Program, language};
use super::recorder::{Recorder, State};
use super::run::{Done, Plan, Wish};
use super::running::{self, Leaving, command};
use super::seen::Seen;
use super::{beside, frida, massive, perf, run::Attached, whole};

/// Records the process `pid` until it ends or this one is interrupted. Where every call is wished for: Python with VizTracer,
/// all else with Frida. Otherwise samples: Python with py-spy, JavaScript and Java with their own profilers where these
/// are there, and all else with perf.
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
    if by == Recorder::Uftrace {
        return Err(RecordError::Recorder(
            "uftrace cannot record a running process; all other recorders can".to_owned(),
        ));
    }
    if wish.calls && !matches!(by, Recorder::Frida | Recorder::Viztracer) {
        return Err(RecordError::Recorder(format!(
            "--calls needs frida, or viztracer for Python: {} takes samples",
            by.name()
        )));
    }
    if by == Recorder::Frida && running::is_stopped(pid) {
        return Err(RecordError::Recorder(format!(
            "process {pid} is stopped: `kill -CONT {pid}` continues it"
        )));
    }
    if let (Recorder::Frida, Some(tracer)) = (by, running::tracer(pid)) {
        return Err(RecordError::Recorder(format!(
            "process {pid} is being debugged by process {tracer}: start recording before the debugger"
        )));
    }
    can(by, wish)?;
    let kind = language(&name);
    let is_of = match by {
        Recorder::Viztracer | Recorder::PySpy => kind == Some(Kind::Python),
        Recorder::Node => kind == Some(Kind::Node),
        Recorder::Jfr => kind == Some(Kind::Java),
        _ => true,
    };
    if !is_of {
        return Err(RecordError::Recorder(format!(
            "{} cannot record process {pid}, which runs {}",
            by.name(),
            program.display()
        )));
    }
    ensure_ready(by, &by.state())?;
    let name = name.to_string_lossy();
    let folder = wish.folder.as_deref().unwrap_or(Path::new(""));
    let place = Place::take(wish.output.as_deref(), folder, &name, by)?;
    let mut done = match by {
        Recorder::PySpy => py_spy(&place, pid, wish, seen)?,
        Recorder::Frida => frida::attach(&place, pid, wish, &process.join("exe"), seen)?,
        Recorder::Viztracer | Recorder::Node | Recorder::Jfr => {
            beside::attach(by, &place, pid, wish, seen)?
        }
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
    let offers = Recorder::ALL.map(|recorder| {
        let why = match recorder {
            Recorder::Perf => Ok(()),
            Recorder::Frida => fits(&program.clone().itself(), recorder),
            Recorder::Uftrace => Err(RecordError::Recorder(
                "it cannot record a running process".to_owned(),
            )),
            _ => fits(program, recorder),
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
    let of_functions = !wish.without.is_empty() || !wish.only.is_empty() || wish.min_size.is_some();
    let is_frida =
        of_functions || wish.is_paused || wish.max_frequency.is_some() || wish.only_while.is_some();
    let is_ready = |it: Recorder| matches!(it.state(), State::Ready(_));
    let of_its_own = match language(name) {
        _ if is_frida || wish.last.is_some() => None,
        Some(Kind::Python) if wish.calls => Some(Recorder::Viztracer),
        _ if wish.calls => None,
        Some(Kind::Python) => Some(Recorder::PySpy),
        Some(Kind::Node) => Some(Recorder::Node),
        Some(Kind::Java) if program::find(OsStr::new("jcmd")).is_ok() => Some(Recorder::Jfr),
        _ => None,
    };
    match of_its_own.filter(|it| wish.calls || is_ready(*it)) {
        Some(recorder) => recorder,
        None if is_frida || wish.calls => Recorder::Frida,
        None => Recorder::Perf,
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
