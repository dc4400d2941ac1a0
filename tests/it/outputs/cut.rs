//! An index that becomes shorter while it is read.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{Random, Scratch, common, recording, text};

/// How many times: quick here; `CALLSCAPE_TIMES=300` asks for more by hand.
pub fn times(usual: u64) -> u64 {
    let asked = std::env::var("CALLSCAPE_TIMES").ok();
    asked.and_then(|it| it.parse().ok()).unwrap_or(usual)
}

#[test]
fn an_index_that_is_cut_gives_its_answer_or_an_error() {
    let scratch = Scratch::new("outputs-cut");
    let source = recording(&scratch, "run.json", 100_000);
    let whole = scratch.0.join("whole.callscape");
    let made = common::callscape()
        .args(["index", text(&source), "-o"])
        .arg(&whole)
        .status();
    assert!(made.expect("it runs").success());
    let bytes = fs::read(&whole).expect("it was written");
    let index = scratch.0.join("cut.callscape");
    let commands: [&[&str]; 4] = [
        &["functions", text(&index), "--json"],
        &["export", text(&index), "--format", "csv"],
        &["stack", text(&index), "--at", "90%"],
        &["phases", text(&index)],
    ];
    let command = |arguments: &[&str]| -> Command {
        let mut command = common::callscape();
        command.args(arguments);
        command
    };
    fs::write(&index, &bytes).expect("there is room");
    let answers = commands.map(|arguments| {
        let started = Instant::now();
        let output = command(arguments).output().expect("it runs");
        assert!(output.status.success());
        (output.stdout, started.elapsed())
    });
    let mut random = Random(43);
    let mut refused = 0;
    for round in 0..times(24) {
        let number = round as usize % commands.len();
        let (answer, lasts) = &answers[number];
        fs::write(&index, &bytes).expect("there is room");
        let child = command(commands[number])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let lasts = u64::try_from(lasts.as_micros()).unwrap_or(1).max(1);
        std::thread::sleep(Duration::from_micros(random.below(lasts)));
        let file = File::options()
            .write(true)
            .open(&index)
            .expect("it is there");
        file.set_len(random.below(bytes.len() as u64))
            .expect("it can be cut");
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), None, "round {round}: {said}");
        match output.status.code() {
            Some(0) => assert!(output.stdout == *answer, "round {round}: another answer"),
            code => {
                refused += 1;
                assert_eq!(code, Some(1), "round {round}: {said}");
                assert!(said.contains("cut"), "round {round}: {said}");
            }
        }
    }
    eprintln!("{refused} were told of the cut");
}
