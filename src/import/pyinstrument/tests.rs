//! Tests with the numbers that pyinstrument gives.

use super::*;
use crate::made;

const MAIN: &str = "go (/app/start.py:6);main (/app/jobs.py:19)";

#[test]
fn numbers_are_those_of_the_tree() {
    let recording = made::found(FORMAT, made::sample("pyinstrument/jobs-5.json"));
    assert_eq!(made::warnings(&recording), []);
    assert_eq!(recording.samples, 14);
    let run = format!("{MAIN};Job.run (/app/jobs.py:6)");
    let sleep = "wait (/app/jobs.py:15);sleep (/usr/lib/python3.11/asyncio/tasks.py:637)";
    let expected = [
        format!("{run} 10417000"),
        format!("{run};Job.step (/app/jobs.py:11) 15253000"),
        format!("{run};Job.step (/app/jobs.py:11);sum 42994000"),
        format!("{MAIN};{sleep};[await] 32676000"),
    ];
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(made::stacks(&recording, 0), expected);
    let profile = recording.profile.expect("a profile");
    assert_eq!(profile.values()[0].name, samplers::WALL_TIME);
    assert_eq!(profile.weight().weight(), 101_340_000);
}

#[test]
fn version_4_is_read() {
    let recording = made::found(FORMAT, made::sample("pyinstrument/jobs-4.json"));
    let functions = made::functions(&recording, 0);
    assert!(
        functions.contains(&"Job.step (/app/jobs.py:11) 0 15954000 68787000".to_owned()),
        "{functions:?}"
    );
    assert!(functions.contains(&"wait (/app/jobs.py:15) 0 395000 31999000".to_owned()));
}

#[test]
fn a_session_has_the_times_of_its_report() {
    let recording = made::found(FORMAT, made::sample("pyinstrument/jobs.pyisession"));
    assert_eq!(made::warnings(&recording), []);
    assert_eq!(recording.samples, 14);
    let report = made::read(import, &made::sample("pyinstrument/jobs-5.json")).expect("a report");
    let of = |recording: &Recording| {
        let functions = made::functions(recording, 0);
        let rounded = functions.into_iter().map(|line| {
            let parts: Vec<&str> = line.rsplitn(3, ' ').collect();
            let micros = |at: usize| parts[at].parse::<f64>().expect("a time") / 1000.0;
            (parts[2].to_owned(), micros(1), micros(0))
        });
        rounded.collect::<Vec<_>>()
    };
    let session = of(&recording);
    for (name, own, total) in of(&report) {
        let same = session
            .iter()
            .find(|it| it.0 == name)
            .expect("the function");
        assert!(
            (same.1 - own).abs() < 1.0 && (same.2 - total).abs() < 1.0,
            "{name}"
        );
    }
    let samples = made::stacks(&recording, 1);
    let sum = samples
        .iter()
        .find(|it| it.contains(";sum "))
        .expect("a stack");
    assert!(sum.ends_with("sum 9") && sum.starts_with("MainThread;<module> (/app/start.py:1)"));
}

#[test]
fn what_is_cut_or_damaged_is_repaired_or_refused() {
    for name in ["pyinstrument/jobs-5.json", "pyinstrument/jobs.pyisession"] {
        let sample = made::sample(name);
        let sample = &sample[..sample.len().min(2100)];
        assert!(made::cut(import, sample) > 500, "{name}");
        made::damage(import, &sample[..600]);
    }
    let more = br#"{"sample_count":1,"root_frame":{"function":"f","time":1,"children":[
        {"function":"g","time":2,"children":[]},{"function":"h","time":1e99,"children":null}]}}"#;
    let recording = made::found(FORMAT, more);
    let expected = [("total-below-self", 1), ("time-out-of-range", 1)];
    let mut found = made::warnings(&recording);
    found.sort_by_key(|it| std::cmp::Reverse(it.0));
    assert_eq!(found, expected);
    assert_eq!(made::stacks(&recording, 0), ["f;g 2000000000"]);
    // Depth costs no stack.
    let deep = r#"{"function":"f","time":1,"children":["#.repeat(100_000);
    let deep = format!(r#"{{"sample_count":1,"root_frame":{deep}"#);
    assert!(made::read(import, deep.as_bytes()).is_ok());
}
