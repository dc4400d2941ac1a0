//! perf: samples of any program, with their stacks. <https://perf.wiki.kernel.org/>

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::ended::Ended;
use super::error::RecordError;
use super::place::Workplace;
use super::program::{Kind, Program};
use super::run::{Done, Plan, Run, Wish};
use super::running::{self, command, said};
use super::seen::Seen;

/// Samples a second: a prime, so that nothing periodic keeps step with it.
const FREQUENCY: &str = "997";

/// Bytes of a stack that are kept with each sample: programs are built without frame pointers.
const STACKS: &str = "dwarf,16384";

/// Of 32-bit programs perf finds stacks by frame pointers alone: without these they end early.
const STACKS_OF_32_BIT: &str = "fp";

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
    let last = run.wish.last;
    of(run.output, Some((run.program, run.wish)), None, last, seen)
}

/// Samples a process that runs, until it ends or this process is interrupted; keeps all, or the `last` of it.
pub fn attach(
    output: &Path,
    pid: u32,
    last: Option<Duration>,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    of(output, None, Some(pid), last, seen)
}

fn of(
    output: &Path,
    program: Option<(&Program, &Wish)>,
    pid: Option<u32>,
    last: Option<Duration>,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    let place = Workplace::beside(output)?;
    let (data, log) = (place.0.join("perf.data"), place.0.join("log"));
    let mut record = command("perf");
    let stacks = match program.map(|(program, _)| program.kind) {
        Some(Kind::Executable(elf)) if !elf.is_64_bit => STACKS_OF_32_BIT,
        _ => STACKS,
    };
    record.args(["record", "--quiet", "-F", FREQUENCY, "--call-graph", stacks]);
    record.args(["-e", event(), "-o"]).arg(&data);
    if let Some(last) = last {
        // A file for each such time, of which two are kept: the last one may have only just begun.
        let milliseconds = last.as_millis().max(1);
        record.arg(format!("--switch-output={}s", milliseconds.div_ceil(1000)));
        record.arg("--switch-max-files=2");
    }
    if let Some(pid) = pid {
        record.args(["-p", &pid.to_string()]);
    }
    if let Some((program, _)) = program {
        record.arg("--").args(program.words());
    }
    let mut plan = Plan {
        command: record,
        wraps: program.is_some(),
        leaves_off: false,
        folder: place.0.clone(),
        log: Some(log.clone()),
        calls: None,
        has_begun: None,
        control: None,
    };
    if let Some((_, wish)) = program {
        plan.run_as(wish);
    }
    let ran = running::run(&mut plan, None, seen)?;
    // perf ends as its program does.
    let ended = match ran.program {
        Ended::Unknown => ran.recorder,
        ended => ended,
    };
    match last {
        Some(last) => as_text_of_last(&place.0, last, output, &log, ended)?,
        None => as_text(&data, output, &log, ended)?,
    }
    Ok(Done {
        ran_short: ran.ran_short,
        paths: vec![output.to_path_buf()],
        ended,
        elapsed: ran.elapsed,
    })
}

/// Writes the samples of a file as text, which is what is read of perf.
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
        true => Err(none_found(ended)),
        false => Err(failed()),
    }
}

fn none_found(ended: Ended) -> RecordError {
    RecordError::Failed {
        recorder: "perf",
        said: format!(
            "the program ran for too short a time: {FREQUENCY} samples a second found none"
        ),
        ended,
    }
}

/// The same of the files that `perf record --switch-output` left in `folder`, but only what is not older than `last` when
/// the last sample was taken.
fn as_text_of_last(
    folder: &Path,
    last: Duration,
    output: &Path,
    log: &Path,
    ended: Ended,
) -> Result<(), RecordError> {
    let io = |path: &Path| {
        let path = path.to_path_buf();
        move |error| RecordError::io(&path, error)
    };
    let entries = std::fs::read_dir(folder).map_err(io(folder))?.flatten();
    let names = entries.map(|it| it.path());
    let mut files: Vec<PathBuf> = names
        .filter(|it| it.file_stem().is_some_and(|it| it == "perf.data"))
        .collect();
    // Their names end with the time.
    files.sort();
    let mut texts = Vec::new();
    for (number, data) in files.iter().enumerate() {
        let text = folder.join(format!("{number}.txt"));
        // In one of them there may be no sample.
        match as_text(data, &text, log, ended) {
            Ok(()) => texts.push(text),
            Err(_) if number + 1 < files.len() || !texts.is_empty() => {}
            Err(error) => return Err(error),
        }
    }
    let mut end = None;
    for text in &texts {
        for line in lines(text).map_err(io(text))? {
            end = end.max(time_of(&line.map_err(io(text))?));
        }
    }
    let from = end.ok_or_else(|| none_found(ended))?.saturating_sub(last);
    let kept = File::create_new(output).map_err(io(output))?;
    let mut kept = BufWriter::new(kept);
    for text in &texts {
        let mut is_late = false;
        for line in lines(text).map_err(io(text))? {
            let line = line.map_err(io(text))?;
            if let Some(time) = time_of(&line) {
                is_late = time >= from;
            }
            if is_late {
                kept.write_all(&line).map_err(io(output))?;
                kept.write_all(b"\n").map_err(io(output))?;
            }
        }
    }
    kept.flush().map_err(io(output))
}

fn lines(text: &Path) -> std::io::Result<impl Iterator<Item = std::io::Result<Vec<u8>>>> {
    Ok(BufReader::new(File::open(text)?).split(b'\n'))
}

/// The time in the line that begins a sample, such as `app 8714 25997.477380: 1003009 cpu-clock:u:`; none of other lines.
fn time_of(line: &[u8]) -> Option<Duration> {
    if line.first().is_none_or(u8::is_ascii_whitespace) {
        return None;
    }
    let words = line.split(u8::is_ascii_whitespace);
    let mut times = words.filter_map(|word| {
        let (seconds, rest) = str::from_utf8(word.strip_suffix(b":")?)
            .ok()?
            .split_once('.')?;
        let digits = rest.bytes().all(|it| it.is_ascii_digit()) && (1..=9).contains(&rest.len());
        let nanoseconds: u32 = format!("{rest:0<9}").parse().ok().filter(|_| digits)?;
        Some(Duration::new(seconds.parse().ok()?, nanoseconds))
    });
    times.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_sample_is_read() {
        let time = |line: &str| time_of(line.as_bytes());
        let expected = Some(Duration::new(25_997, 477_380_000));
        assert_eq!(
            time("app  8714 25997.477380:    1003009 cpu-clock:u: "),
            expected
        );
        assert_eq!(
            time("two words 8714/8715 25997.477380: cycles:u:"),
            expected
        );
        assert_eq!(time("a 1 25997.477380000: x:"), expected);
        for other in [
            "",
            "\t   1238 leaf+0x8 (/tmp/1.5: x)",
            "# 1.x:",
            "app 1 12: x:",
        ] {
            assert_eq!(time(other), None, "{other}");
        }
    }
}
