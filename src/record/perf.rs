//! perf: samples of any program, with their stacks. <https://perf.wiki.kernel.org/>

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use super::ended::Ended;
use super::error::RecordError;
use super::keep::{KEEP, Keeper, parts};
use super::place::Place;
use super::program::{Kind, Program};
use super::recorder::Recorder;
use super::run::{Done, Plan, Run, Wish};
use super::running::{self, command, said};
use super::seen::Seen;
use super::switching::{self, CONTROL};
use callscape_import::perf_script::{self, gap::Gap};

/// Samples a second: a prime, so that nothing periodic keeps step with it.
const FREQUENCY: &str = "997";

/// Bytes of a stack that are kept with each sample: programs are built without frame pointers.
const STACKS: &str = "dwarf,16384";

/// Of 32-bit programs perf finds stacks by frame pointers alone: without these they end early. Go keeps frame pointers, and
/// stacks that perf does not copy whole.
const STACKS_BY_FRAMES: &str = "fp";

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

pub(crate) fn run(run: &Run<'_>, seen: &mut dyn FnMut(Seen)) -> Result<Done, RecordError> {
    let last = run.wish.last;
    of(run.place, Some((run.program, run.wish)), None, last, seen)
}

/// Samples a process that runs, until it ends or this process is interrupted; keeps all, or the `last` of it.
pub(crate) fn attach(
    place: &Place,
    pid: u32,
    wish: &Wish,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    of(place, None, Some((pid, wish)), wish.last, seen)
}

fn of(
    place: &Place,
    program: Option<(&Program, &Wish)>,
    process: Option<(u32, &Wish)>,
    last: Option<Duration>,
    seen: &mut dyn FnMut(Seen),
) -> Result<Done, RecordError> {
    let folder = &place.folder;
    let data = folder.join("perf.data");
    let mut record = command("perf");
    let stacks = match program.map(|(program, _)| program.kind) {
        Some(Kind::Executable(elf)) if !elf.is_64_bit || elf.is_go => STACKS_BY_FRAMES,
        _ => STACKS,
    };
    record.args(["record", "--quiet", "-F", FREQUENCY, "--call-graph", stacks]);
    record.args(["-e", event(), "-o"]).arg(&data);
    let wish = program.map(|(_, wish)| wish);
    let mut control = None;
    if let Some(wish) = wish.filter(|it| it.is_paused || it.is_switchable) {
        let (opened, option) = switching::create(folder)?;
        record.arg(option);
        control = Some(opened);
        // By the clock that tells when it is switched.
        record.args(["-k", "mono"]).env(CONTROL, folder);
        if wish.is_paused {
            record.args(["-D", "-1"]);
        }
    }
    if let Some(last) = last {
        // A file for each such time, of which two are kept: the last one may have only just begun.
        let milliseconds = last.as_millis().max(1);
        record.arg(format!("--switch-output={}s", milliseconds.div_ceil(1000)));
        // By the clock that tells when something is asked for.
        record.args(["--switch-max-files=2", "-k", "mono"]);
    }
    if let Some((pid, _)) = process {
        record.args(["-p", &pid.to_string()]);
    }
    if let Some((program, _)) = program {
        record.arg("--").args(&program.words);
    }
    let mut plan = Plan {
        wraps: program.is_some(),
        leaves_off: true,
        ..Plan::new(record, folder)
    };
    if let Some((program, wish)) = program {
        plan.run_as(program, wish);
    }
    if let Some((pid, wish)) = process {
        plan.attach(pid, wish);
    }
    if program.is_some() && last.is_some() {
        plan.command.env(KEEP, folder);
    }
    let mut keeper = Keeper::new(folder);
    let mut look = |it: Seen| {
        keeper.look();
        seen(it);
    };
    let ran = running::run(&mut plan, None, &mut look)?;
    drop(control);
    // perf ends as its program does.
    let ended = match ran.program {
        Ended::Unknown => ran.recorder,
        ended => ended,
    };
    let kept = keeper.kept()?;
    let until = kept.as_ref().map(|it| it.1);
    let files = match (kept, last) {
        (Some((files, _)), _) => files,
        (None, Some(_)) => parts(folder)?,
        (None, None) => vec![data.clone()],
    };
    let text = folder.join("recording.txt");
    let written = match last {
        Some(last) => as_text_of_last(&files, (last, until), &text),
        None => as_text_with_gaps(&data, &switching::gaps(folder), &text),
    };
    if let Err(reason) = written {
        // Its room may be needed.
        let _ = std::fs::remove_file(&text);
        return Err(failure(reason, &files, place, ended));
    }
    let is_asked = |_| "the samples taken before --keep are saved".to_owned();
    let mut notes: Vec<String> = until.map(is_asked).into_iter().collect();
    notes.extend(ran.ran_short.then(|| {
        "the disk is nearly full: perf was stopped and ended the program; the recording up to that point is kept"
            .to_owned()
    }));
    Ok(Done {
        notes,
        paths: vec![text],
        by: Recorder::Perf,
        ended,
        elapsed: ran.elapsed,
        left_out: None,
    })
}

/// Why there is no text of samples.
enum NoText {
    /// perf left no data.
    NoData,
    NoSample,
    /// perf could not read its own data, and said this.
    Unreadable(String),
    Other(RecordError),
}

impl From<RecordError> for NoText {
    fn from(error: RecordError) -> NoText {
        NoText::Other(error)
    }
}

/// What is told where there is no text; data that are there are kept beside the recording that was to be.
fn failure(reason: NoText, files: &[PathBuf], place: &Place, ended: Ended) -> RecordError {
    let keep = |said: String| {
        let kept = files.iter().filter_map(|it| place.put_data(it).ok());
        let kept: Vec<String> = kept.map(|it| it.display().to_string()).collect();
        match kept.is_empty() {
            true => said,
            false => format!(
                "{said}; its recording is kept in {}, for `perf script -i`",
                kept.join(", ")
            ),
        }
    };
    let said = match reason {
        NoText::NoData => "it wrote no data; see its standard error output".to_owned(),
        NoText::NoSample => {
            format!(
                "it took no samples: the program ran too briefly for {FREQUENCY} per second, or recording was off"
            )
        }
        NoText::Unreadable(said) => keep(said),
        NoText::Other(error) => keep(error.to_string()),
    };
    RecordError::Failed {
        recorder: "perf",
        said,
        ended,
    }
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> RecordError {
    let path = path.to_path_buf();
    move |error| RecordError::io(&path, error)
}

/// Writes the samples of a file as text, which is what is read of perf. It goes through this process: perf does not say that
/// a disk is full.
fn as_text(data: &Path, output: &Path) -> Result<(), NoText> {
    if data.metadata().map_or(0, |it| it.len()) == 0 {
        return Err(NoText::NoData);
    }
    let log = data.with_file_name("log");
    let mut text = File::create_new(output).map_err(io(output))?;
    let says = File::create(&log).map_err(io(&log))?;
    let mut script = command("perf");
    script.args(["script", "--no-inline", "-i"]).arg(data);
    let script = script.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut script = script.stderr(says).spawn().map_err(io(Path::new("perf")))?;
    let mut from = script.stdout.take();
    let copied = from.as_mut().map(|from| std::io::copy(from, &mut text));
    // Its reader gone, perf ends.
    drop(from);
    let status = script.wait().map_err(io(Path::new("perf")))?;
    let length = copied.transpose().map_err(io(output))?.unwrap_or_default();
    if status.success() && length > 0 {
        return Ok(());
    }
    match status.success() {
        true => Err(NoText::NoSample),
        false => Err(NoText::Unreadable(said(&log))),
    }
}

/// The same, with a comment for each time in which recording was off: from when it was asked for or from the last sample
/// before it went on, whichever is later.
fn as_text_with_gaps(data: &Path, gaps: &[(u64, u64)], output: &Path) -> Result<(), NoText> {
    if gaps.is_empty() {
        return as_text(data, output);
    }
    let text = data.with_file_name("all.txt");
    as_text(data, &text)?;
    let marked = File::create_new(output).map_err(io(output))?;
    let mut marked = BufWriter::new(marked);
    let ns = |time: Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    let mut gaps = gaps.iter().peekable();
    let mut last = None;
    for line in lines(&text).map_err(io(&text))? {
        let line = line.map_err(io(&text))?;
        if let Some(time) = time_of(&line) {
            while let Some((off, on)) = gaps.next_if(|it| Duration::from_nanos(it.1) <= time) {
                let [off, end] = [off, on].map(|it| ns(Duration::from_nanos(*it)));
                let start = off.max(last.unwrap_or(off));
                if last.is_some() && start < end {
                    writeln!(marked, "{}", Gap { start, end }).map_err(io(output))?;
                }
            }
            last = Some(ns(time));
        }
        marked.write_all(&line).map_err(io(output))?;
        marked.write_all(b"\n").map_err(io(output))?;
    }
    Ok(marked.flush().map_err(io(output))?)
}

/// The same of several files in order of time, but only samples until `until` that are not older than `last` when the last of
/// these was taken.
fn as_text_of_last(
    files: &[PathBuf],
    (last, until): (Duration, Option<Duration>),
    output: &Path,
) -> Result<(), NoText> {
    let is_early = |time: &Duration| until.is_none_or(|until| *time <= until);
    let mut texts = Vec::new();
    for (number, data) in files.iter().enumerate() {
        let text = data.with_file_name(format!("{number}.txt"));
        match as_text(data, &text) {
            Ok(()) => texts.push(text),
            // The last one may have only just begun.
            Err(NoText::NoData | NoText::NoSample) => {}
            Err(error) => return Err(error),
        }
    }
    let mut end = None;
    for text in &texts {
        for line in lines(text).map_err(io(text))? {
            end = end.max(time_of(&line.map_err(io(text))?).filter(is_early));
        }
    }
    let none = match files.is_empty() {
        true => NoText::NoData,
        false => NoText::NoSample,
    };
    let from = end.ok_or(none)?.saturating_sub(last);
    let kept = File::create_new(output).map_err(io(output))?;
    let mut kept = BufWriter::new(kept);
    for text in &texts {
        let mut is_kept = false;
        for line in lines(text).map_err(io(text))? {
            let line = line.map_err(io(text))?;
            if let Some(time) = time_of(&line) {
                is_kept = time >= from && is_early(&time);
            }
            if is_kept {
                kept.write_all(&line).map_err(io(output))?;
                kept.write_all(b"\n").map_err(io(output))?;
            }
        }
    }
    Ok(kept.flush().map_err(io(output))?)
}

fn lines(text: &Path) -> std::io::Result<impl Iterator<Item = std::io::Result<Vec<u8>>>> {
    Ok(BufReader::new(File::open(text)?).split(b'\n'))
}

/// The time in the line that begins a sample, such as `app 8714 25997.477380: 1003009 cpu-clock:u:`; none of other lines.
fn time_of(line: &[u8]) -> Option<Duration> {
    if line.first().is_none_or(u8::is_ascii_whitespace) {
        return None;
    }
    let time = perf_script::time_of_sample(line)?;
    Some(Duration::from_nanos(u64::try_from(time).ok()?))
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

    #[test]
    fn data_that_perf_cannot_read_are_kept_beside_the_recording_and_named() {
        let folder = std::env::temp_dir().join(format!("callscape-perf-{}", std::process::id()));
        let place = folder.join("place");
        std::fs::create_dir_all(&place).expect("a folder");
        let files = ["perf.data.1", "perf.data.2"].map(|it| place.join(it));
        for file in &files {
            std::fs::write(file, "data").expect("it can be written");
        }
        let taken = folder.join("app.perf.data");
        std::fs::write(&taken, "of somebody").expect("it can be written");
        let output = folder.join("app.perf.txt");
        let place = Place::take(Some(&output), &folder, "app", Recorder::Perf).expect("it is free");
        let unreadable = NoText::Unreadable("it broke".to_owned());
        let said = failure(unreadable, &files, &place, Ended::Code(3)).to_string();
        for name in ["it broke", "app.perf-2.data", "app.perf-3.data"] {
            assert!(said.contains(name), "{said}");
        }
        let text = std::fs::read_to_string(folder.join("app.perf-3.data"));
        assert_eq!(text.ok().as_deref(), Some("data"));
        let text = std::fs::read_to_string(&taken);
        assert_eq!(text.ok().as_deref(), Some("of somebody"));
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }

    #[test]
    fn only_what_has_no_sample_is_passed_over() {
        let folder = std::env::temp_dir().join(format!("callscape-last-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let files = ["perf.data.1", "perf.data.2"].map(|it| folder.join(it));
        std::fs::write(&files[0], "").expect("it can be written");
        std::fs::write(&files[1], "no data of perf").expect("it can be written");
        let output = folder.join("out");
        let last = Duration::from_secs(1);
        let of = |files: &[PathBuf]| as_text_of_last(files, (last, None), &output);
        assert!(matches!(of(&[]), Err(NoText::NoData)));
        assert!(matches!(of(&files[..1]), Err(NoText::NoSample)));
        // perf refuses it, or is not installed.
        assert!(matches!(
            of(&files),
            Err(NoText::Unreadable(_) | NoText::Other(_))
        ));
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }
}
