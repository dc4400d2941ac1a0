//! Tests with the numbers of a profile.

use super::*;
use crate::made;

#[test]
fn shares_are_times_of_the_elapsed_time() {
    let recording = made::found(FORMAT, made::sample("scalene/jobs.scalene.json"));
    assert_eq!(made::warnings(&recording), []);
    // 100 × weight ÷ elapsed time, which is 2.608956575 s, in thousandths.
    let shares = |value| -> Vec<String> {
        let functions = made::functions(&recording, value).into_iter();
        let share = |line: String| {
            let (rest, _) = line.rsplit_once(' ').expect("a total");
            let (name, weight) = rest.rsplit_once(' ').expect("a weight");
            let weight: f64 = weight.parse().expect("a number");
            format!("{name} {:.3}", weight / 26_089_565.75)
        };
        functions.map(share).collect()
    };
    let expected = [
        "<module> (/app/jobs.py) 0 34.108",
        "Store.grow (/app/jobs.py:5) 0 2.672",
        "busy (/app/jobs.py:12) 0 2.734",
    ];
    assert_eq!(shares(1), expected);
    let expected = [
        "<module> (/app/jobs.py) 0 12.240",
        "Store.grow (/app/jobs.py:5) 0 6.051",
        "busy (/app/jobs.py:12) 0 20.787",
    ];
    assert_eq!(shares(2), expected);
    // Megabytes of 2²⁰ bytes: 22.001855850219727.
    let memory = made::functions(&recording, MEMORY);
    assert!(
        memory.contains(&"Store.grow (/app/jobs.py:5) 0 23070618 23070618".to_owned()),
        "{memory:?}"
    );
    let profile = recording.profile.expect("a profile");
    // All lines have all of the time, but for rounding.
    assert!((profile.weight().weight() - 2_608_956_575).abs() < 20);
    let lines = recording.lines.expect("lines");
    assert_eq!(lines.len(), 4);
}

#[test]
fn what_is_cut_or_damaged_is_repaired_or_refused() {
    let sample = made::sample("scalene/jobs.scalene.json");
    assert!(made::cut(import, &sample[..3000]) > 2000);
    made::damage(import, &sample[..400]);
    let text = br#"{"alloc_samples":0,"args":[],"files":{"a.py":{"lines":[{"lineno":3,"start_function_line":2,
        "n_cpu_percent_c":50},{"lineno":9,"n_sys_percent":"x"}]}},"elapsed_time_sec":2}"#;
    let recording = made::found(FORMAT, text);
    let mut found = made::warnings(&recording);
    found.sort();
    assert_eq!(found, [("not-a-number", 1), ("unknown-function", 1)]);
    let expected = ["<unknown> (a.py:2) 0 1000000000 1000000000"];
    assert_eq!(made::functions(&recording, 0), expected);
    assert!(made::read(import, br#"{"alloc_samples":0,"args":[],"files":{}}"#).is_err());
}
