//! Recording a running process by what its interpreter or virtual machine itself offers for that: a script of ours has it
//! begin, waits until the process ends or this one is interrupted, and has it end.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ended::Ended;
use super::error::RecordError;
use super::node;
use super::place::Place;
use super::python;
use super::recorder::Recorder;
use super::run::{Done, Plan, Wish};
use super::running::{self, Leaving, command, said};
use super::seen::Seen;

const PYTHON: &str = include_str!("attached.py");
const NODE: &str = include_str!("attached.js");
const JAVA: &str = include_str!("attached.sh");
/// What Python answers that VizTracer runs in: its version.
const ANSWER: &str = "answer";
const LOG: &str = "log";
/// From this on, VizTracer sees threads that ran before it: <https://docs.python.org/3/library/sys.monitoring.html>.
const SEES_ALL: (u32, u32) = (3, 12);
/// The oldest node that has what the script needs: `WebSocket`, from 22 on without an option.
const OLDEST: (u32, u32) = (20, 10);

/// Every call of a Python process, or samples of a node or Java.
pub(crate) fn attach(
    by: Recorder,
    place: &Place,
    pid: u32,
    wish: &Wish,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    let folder = &place.folder;
    let threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    let (mut begin, ending) = match by {
        Recorder::Viztracer => (python(folder, pid, wish)?, ".json"),
        Recorder::Node => (node(folder, pid)?, ".cpuprofile"),
        _ => (java(folder, pid)?, ".jfr"),
    };
    let path = folder.join(LOG);
    let log = File::create(&path).map_err(|error| RecordError::io(&path, error))?;
    let both = log
        .try_clone()
        .map_err(|error| RecordError::io(&path, error))?;
    begin.stdout(log).stderr(both);
    let mut plan = Plan {
        leaves_off: true,
        ..Plan::new(begin, folder)
    };
    plan.attach(pid, wish);
    let ran = running::run(&mut plan, None, seen)?;
    if ran.recorder != Ended::Code(0) {
        return Err(RecordError::Failed {
            recorder: by.name(),
            said: said(&path),
            ended: Ended::Unknown,
        });
    }
    let leaving = Leaving {
        recorder: by,
        ending,
        hint: ". The process may have been ended by a signal",
    };
    let mut done = running::collect_left(&leaving, folder, (ran.elapsed, Ended::Unknown))?;
    let version = fs::read_to_string(folder.join(ANSWER)).unwrap_or_default();
    if threads > 1 && numbers(&version).is_some_and(|it| it < SEES_ALL) {
        done.notes.push(format!(
            "not recorded: threads that Python {version} had started before; Python 3.12 and later record them too"
        ));
    }
    Ok(done)
}

/// Writes a script into the folder.
fn script(folder: &Path, name: &str, text: &str) -> Result<PathBuf, RecordError> {
    let path = folder.join(name);
    fs::write(&path, text).map_err(|error| RecordError::io(&path, error))?;
    Ok(path)
}

fn python(folder: &Path, pid: u32, wish: &Wish) -> Result<Command, RecordError> {
    let mut begin = command("python3");
    begin.arg(script(folder, "attached.py", PYTHON)?);
    begin
        .arg(pid.to_string())
        .arg(folder.join("recording.json"));
    begin.arg(python::ENTRIES);
    begin.arg(python::files(wish)?.to_string());
    Ok(begin)
}

/// The process' own node runs the script, which its inspector understands.
fn node(folder: &Path, pid: u32) -> Result<Command, RecordError> {
    let own = format!("/proc/{pid}/exe");
    let asked = Command::new(&own).arg("--version").output();
    let version = asked
        .map_err(|error| RecordError::io(Path::new(&own), error))?
        .stdout;
    let version = String::from_utf8_lossy(&version);
    let found = numbers(version.trim().trim_start_matches('v'));
    let Some(found) = found.filter(|it| *it >= OLDEST) else {
        return Err(RecordError::Recorder(format!(
            "node: expected version {}.{} or later, found {}; --with perf takes samples of any",
            OLDEST.0,
            OLDEST.1,
            version.trim()
        )));
    };
    let mut begin = Command::new(own);
    if found < (22, 0) {
        begin.arg("--experimental-websocket");
    }
    begin.arg(script(folder, "attached.js", NODE)?);
    begin
        .arg(pid.to_string())
        .arg(folder.join("recording.cpuprofile"));
    begin.arg(node::MICROSECONDS.to_string());
    // Options for the process are none for the script.
    begin.env_remove("NODE_OPTIONS");
    Ok(begin)
}

/// The first two numbers of a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn java(folder: &Path, pid: u32) -> Result<Command, RecordError> {
    let file = folder.join("recording.jfr");
    super::java::ensure_plain(&file)?;
    let own = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    let beside = own.with_file_name("jcmd");
    let mut begin = Command::new("sh");
    begin.arg(script(folder, "attached.sh", JAVA)?);
    begin.arg(if beside.is_file() {
        beside
    } else {
        PathBuf::from("jcmd")
    });
    begin.arg(pid.to_string()).arg(file);
    Ok(begin)
}
