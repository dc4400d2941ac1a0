//! perf: samples of any program, with their stacks. <https://perf.wiki.kernel.org/>

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::Stdio;

use super::ended::Ended;
use super::error::RecordError;
use super::place::Workplace;
use super::run::{Done, Plan, Run};
use super::running::{self, Seen, command, said};

/// Samples a second: a prime, so that nothing periodic keeps step with it.
const FREQUENCY: &str = "997";

/// Bytes of a stack that are kept with each sample: programs are built without frame pointers.
const STACKS: &str = "dwarf,16384";

/// Where the system lists the processor's own counters.
const COUNTERS: [&str; 2] = [
    "/sys/bus/event_source/devices/cpu",
    "/sys/bus/event_source/devices/cpu_core",
];

/// What is counted: time of the processor by its own counter where there is one.
fn event() -> &'static str {
    match COUNTERS.iter().any(|it| Path::new(it).exists()) {
        true => "cycles:u",
        false => "cpu-clock:u",
    }
}

pub fn run(run: &Run<'_>, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
    let words = run.program.words();
    of(run.output, Some(&words), None, seen)
}

/// Samples a process that runs, until it ends or this process is interrupted.
pub fn attach(output: &Path, pid: u32, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
    of(output, None, Some(pid), seen)
}

fn of(
    output: &Path,
    words: Option<&[OsString]>,
    pid: Option<u32>,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    let place = Workplace::beside(output)?;
    let (data, log) = (place.0.join("perf.data"), place.0.join("log"));
    let mut record = command("perf");
    record.args(["record", "--quiet", "-F", FREQUENCY, "--call-graph", STACKS]);
    record.args(["-e", event(), "-o"]).arg(&data);
    if let Some(pid) = pid {
        record.args(["-p", &pid.to_string()]);
    }
    if let Some(words) = words {
        record.arg("--").args(words);
    }
    let mut plan = Plan {
        command: record,
        wraps: words.is_some(),
        folder: place.0.clone(),
        log: Some(log.clone()),
    };
    let ran = running::run(&mut plan, None, seen)?;
    // perf ends as its program does.
    let ended = match ran.program {
        Ended::Unknown => ran.recorder,
        ended => ended,
    };
    as_text(&data, output, &log, ended)?;
    Ok(Done {
        paths: vec![output.to_path_buf()],
        ended,
        elapsed: ran.elapsed,
    })
}

/// Writes the samples as text, which is what is read of perf.
fn as_text(data: &Path, output: &Path, log: &Path, ended: Ended) -> Result<(), RecordError> {
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |error| RecordError::io(&path, error)
    };
    let failed = || RecordError::Failed {
        recorder: "perf",
        said: said(Some(log)),
        ended,
    };
    if data.metadata().map_or(0, |it| it.len()) == 0 {
        return Err(failed());
    }
    let text = File::create_new(output).map_err(io(output))?;
    let says = File::create(log).map_err(io(log))?;
    let mut script = command("perf");
    script.args(["script", "--no-inline", "-i"]).arg(data);
    let script = script.stdin(Stdio::null()).stdout(text).stderr(says);
    let status = script.status().map_err(io(Path::new("perf")))?;
    let is_empty = output.metadata().map_or(0, |it| it.len()) == 0;
    if status.success() && !is_empty {
        return Ok(());
    }
    // Nothing is in it that could be opened.
    let _ = std::fs::remove_file(output);
    match status.success() {
        true => Err(RecordError::Failed {
            recorder: "perf",
            said: format!(
                "the program ran for too short a time: {FREQUENCY} samples a second found none"
            ),
            ended,
        }),
        false => Err(failed()),
    }
}
