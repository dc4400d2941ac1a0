//! Switching recording of a program that runs on and off: by a signal under uftrace, under perf and Frida by a word in a fifo,
//! which is answered in another one. `--control` in <https://man7.org/linux/man-pages/man1/perf-record.1.html>

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::driver;
use super::error::RecordError;
use super::private;
use super::signals::{self, Switch};
use callscape_import::switches::{FILE, Switched, Switches};

/// In the environment of a program that perf records and that can be switched: the folder of the fifos.
pub(crate) const CONTROL: &str = "CALLSCAPE_CONTROL";

/// The fifos.
const WORDS: &str = "words";
const ANSWERS: &str = "answers";

/// What Frida's driver answers where a debugger keeps it from patching the program.
const HELD: &[u8] = b"held\n";

/// perf answers by then, unless it is stopped.
pub const ANSWER: Duration = Duration::from_secs(2);

/// Most often it has answered by then. A window does not wait for longer.
pub(crate) const SOON: Duration = Duration::from_millis(80);

/// All processes that one perf records are switched together, and noted as this one.
const ALL: u32 = 0;

/// Makes the fifos in a folder, and gives the option by which perf uses them, while the file with it is open.
pub(crate) fn create(folder: &Path) -> Result<(File, String), RecordError> {
    for name in [WORDS, ANSWERS] {
        let path = folder.join(name);
        signals::make_fifo(&path).map_err(|error| RecordError::io(&path, error))?;
    }
    let opened = File::open(folder).map_err(|error| RecordError::io(folder, error))?;
    // In the option a comma divides the names: there may be one in that of the folder.
    let path = signals::path_of_open(&opened);
    let option = format!("--control=fifo:{path}/{WORDS},{path}/{ANSWERS}");
    Ok((opened, option))
}

/// Switches recording of the process `pid` on or off, and notes when. An error where it is not recorded, or so that it cannot
/// be switched, or where perf has not answered by `patience`.
pub fn switch(pid: u32, to: Switch, patience: Duration) -> Result<(), RecordError> {
    let process = Path::new("/proc").join(pid.to_string());
    if let Some(folder) = signals::path_in_environment(&process, CONTROL) {
        return ask(pid, &folder, (&folder, ALL), to, patience);
    }
    match driver::folder_of(pid) {
        Some(folder) => ask(
            pid,
            &folder,
            (&driver::recording(&folder), pid),
            to,
            patience,
        ),
        None => signals::switch(pid, to),
    }
}

/// Asks a recorder by the fifos in its folder; when is noted in another one, of a process.
fn ask(
    pid: u32,
    folder: &Path,
    (noted, process): (&Path, u32),
    to: Switch,
    patience: Duration,
) -> Result<(), RecordError> {
    let failed = |why: &str| Err(RecordError::Recorder(format!("process {pid}: {why}")));
    if folder.exists() && !private::is_held(folder) {
        return failed("its recorder was killed, and its recording is lost");
    }
    let log = noted.join(FILE);
    let file = fs::OpenOptions::new().create(true).append(true).open(&log);
    let mut file = match file {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return failed("its recording has ended");
        }
        file => file.map_err(|error| RecordError::io(&log, error))?,
    };
    // Answers are of one who asks at a time.
    file.lock().map_err(|error| RecordError::io(&log, error))?;
    let open = |name: &str, writes: bool| signals::open_fifo(&folder.join(name), writes);
    let (Ok(mut words), Ok(mut answers)) = (open(WORDS, true), open(ANSWERS, false)) else {
        return failed("its recorder has ended and no longer records it");
    };
    let mut answer = [0; 64];
    // What came too late for one who asked before.
    while answers.read(&mut answer).is_ok_and(|length| length > 0) {}
    let switched = Switched {
        is_on: to == Switch::On,
        process,
        time: signals::monotonic(),
    };
    // Samples tell when recording was off for certain: from the last one before it went on.
    writeln!(file, "{switched}").map_err(|error| RecordError::io(&log, error))?;
    let word = match to {
        Switch::On => "enable\n",
        Switch::Off => "disable\n",
    };
    let asked = words.write_all(word.as_bytes());
    asked.map_err(|error| RecordError::io(&folder.join(WORDS), error))?;
    let begin = Instant::now();
    let answered = loop {
        if let Ok(length @ 1..) = answers.read(&mut answer) {
            break answer.get(..length).unwrap_or_default();
        }
        if begin.elapsed() >= patience {
            return failed("its recorder has not responded yet, and may switch recording later");
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    if answered == HELD {
        // It stays off.
        let switched = Switched {
            is_on: false,
            time: signals::monotonic(),
            ..switched
        };
        writeln!(file, "{switched}").map_err(|error| RecordError::io(&log, error))?;
        return failed(
            "a debugger is attached to it: recording must be on when the debugger attaches, then it can be switched",
        );
    }
    Ok(())
}

/// From when until when recording was off, in nanoseconds of the monotonic clock and in order, as noted in a folder.
pub(crate) fn gaps(folder: &Path) -> Vec<(u64, u64)> {
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let all = text.lines().filter_map(|it| it.parse().ok()).collect();
    Switches::of_all(all).off(ALL).0.to_vec()
}
