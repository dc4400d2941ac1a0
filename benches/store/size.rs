//! How many bytes a call an index takes: of real recordings, and of calls that hardly repeat; and how long it takes to
//! say what is in one.

use std::path::Path;
use std::process::{Command, Stdio};

use callscape::facts::index;
use callscape::facts::recording::Recording;
use callscape::import;
use callscape::progress::Progress;

use super::measure::cpu_of;
use super::walk::walk;
use callscape_testing::common::Scratch;
use callscape_testing::measured::{Measured, amount};

/// Recordings of fewer calls are small whatever a call takes.
const COUNTED: u64 = 50_000;
/// Formats that many recordings are there of, by the folder they lie in.
const GROUPS: [&str; 7] = [
    "uftrace",
    "chrome",
    "causes",
    "cpuprofile",
    "firefox",
    "jfr",
    "speedscope-samples",
];

/// The calls of the recording at `path` and the bytes of its index; none of what has no index.
fn indexed(path: &Path, folder: &Scratch) -> Option<(u64, u64)> {
    let place = folder.0.join("index");
    import::index::build(path, Some(&place), &Progress::new()).ok()?;
    let calls = index::open(&place, false).ok()?.trace.calls();
    Some((calls, place.metadata().ok()?.len()))
}

/// Prints, of each group of the recordings that `CALLSCAPE_TEST_DATA` names, the one whose index is largest by the
/// call.
pub fn of_recordings(folder: &Scratch) {
    let Some(data) = std::env::var_os("CALLSCAPE_TEST_DATA") else {
        println!("size of real recordings: left out, needs CALLSCAPE_TEST_DATA");
        return;
    };
    for group in GROUPS {
        let mut paths = vec![Path::new(&data).join(group)];
        let mut most = (0.0, String::new());
        while let Some(path) = paths.pop() {
            if let Some((calls, bytes)) = indexed(&path, folder) {
                let by_call = bytes as f64 / calls.max(1) as f64;
                if calls >= COUNTED {
                    println!(
                        "{}: {calls} calls, {by_call:.2} bytes a call",
                        path.display()
                    );
                    if by_call > most.0 {
                        let name = path.file_name().unwrap_or_default();
                        most = (by_call, name.to_string_lossy().into_owned());
                    }
                }
            } else if let Ok(entries) = path.read_dir() {
                paths.extend(entries.flatten().map(|entry| entry.path()));
            }
        }
        if most.0 > 0.0 {
            println!("largest of {group}: {}", most.1);
            size(
                &format!("store: size, real recordings in {group}, the largest"),
                most.0,
                "≤ 8",
            );
        }
    }
}

fn size(target: &str, value: f64, aim: &str) {
    Measured {
        target,
        value,
        unit: "bytes a call",
        peer: Some(("records of uftrace", 32.0)),
        aim: &format!("{aim} bytes a call"),
        ..Measured::default()
    }
    .print();
}

/// Prints the size of a random walk's index, and how long `callscape info` works on it.
pub fn of_walk(folder: &Scratch, calls: u64) -> anyhow::Result<()> {
    let place = folder.0.join("walk.callscape");
    let recording = Recording::of_calls(&place, "uftrace", None, walk(calls), Vec::new());
    import::index::save(&recording, &place)?;
    let bytes = place.metadata()?.len();
    let by_call = bytes as f64 / calls as f64;
    println!("size of a random walk: {by_call:.2} bytes a call");
    size(
        &format!(
            "store: size, a random walk of deep stacks, {} calls",
            amount(calls)
        ),
        by_call,
        "≤ 16",
    );
    let info = cpu_of(|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callscape"));
        let status = command
            .arg("info")
            .arg(&place)
            .stdout(Stdio::null())
            .status();
        assert!(status.is_ok_and(|status| status.success()));
    });
    let info = info.as_secs_f64() * 1e3;
    println!("callscape info of its index: {info:.1} ms of processor");
    Measured {
        target: &format!(
            "store: info of an index of a random walk, {} calls",
            amount(calls)
        ),
        value: info,
        unit: "ms of processor",
        aim: "≤ 4 ms of processor",
        ..Measured::default()
    }
    .print();
    Ok(())
}
