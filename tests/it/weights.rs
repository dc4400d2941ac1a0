//! What samples weigh, through the program: as the tools that took them count them.

use serde_json::Value;

use super::common::{Scratch, callscape, data};

fn run(arguments: &[&str]) -> Result<Value, String> {
    let output = callscape()
        .args(arguments)
        .arg("--json")
        .output()
        .expect("the program starts");
    match output.status.success() {
        true => Ok(serde_json::from_slice(&output.stdout).expect("JSON")),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// A thread that sleeps for ten seconds between two bursts, by a clock, and misses of its cache.
const SLEEPS: &str = "\
app 7/7 10.000000: 250000 cpu-clock:u: \n\t 1 busy (/app)\n\t 2 main (/app)\n
app 7/7 10.000250: 250000 cpu-clock:u: \n\t 1 busy (/app)\n\t 2 main (/app)\n
app 7/7 10.000300: 4000 cache-misses:u: \n\t 3 other (/app)\n\t 2 main (/app)\n
app 7/7 20.000000: 250000 cpu-clock:u: \n\t 3 other (/app)\n\t 2 main (/app)\n
app 7/7 20.000250: 250000 cpu-clock:u: \n\t 1 busy (/app)\n\t 2 main (/app)\n
app 7/7 20.000290: 1000 cache-misses:u: \n\t 1 busy (/app)\n\t 2 main (/app)\n
";

/// Self and total of a function in an answer of `functions`.
fn of(answer: &Value, name: &str) -> (u64, u64) {
    let rows = answer.as_array().expect("rows");
    let row = rows.iter().find(|row| row["name"] == name).expect(name);
    let number = |field: &str| row[field].as_u64().expect(field);
    (number("self_ns"), number("total_ns"))
}

#[test]
fn a_sleep_is_not_counted_and_each_event_is_a_value() {
    let scratch = Scratch::new("weights-sleep");
    let path = scratch.write("sleeps.perf.txt", SLEEPS.as_bytes());
    let path = path.to_str().expect("a path");
    let functions = |value: &str| run(&["functions", path, "--value", value]).expect("an answer");
    for (value, busy, other, main) in [
        ("processor time", 750_000, 250_000, 1_000_000),
        ("time", 750_000, 250_000, 1_000_000),
        ("samples", 4, 2, 6),
        ("cache-misses:u", 1000, 4000, 5000),
    ] {
        let answer = functions(value);
        assert_eq!(of(&answer, "busy"), (busy, busy), "{value}");
        assert_eq!(of(&answer, "other"), (other, other), "{value}");
        assert_eq!(of(&answer, "main"), (0, main), "{value}");
    }
    assert_eq!(
        run(&["functions", path]).expect("an answer"),
        functions("time")
    );
    let wrong = run(&["functions", path, "--value", "instructions"]).expect_err("not there");
    assert!(wrong.contains("cache-misses:u"), "{wrong}");
    // Contexts, lines and relations are the same sums.
    for (value, sum) in [("time", 1_000_000), ("cache-misses:u", 5000)] {
        let contexts = run(&["contexts", path, "--value", value]).expect("an answer");
        let rows = contexts["contexts"].as_array().expect("rows");
        let own = rows.iter().filter_map(|row| row["self"].as_u64());
        assert_eq!(own.sum::<u64>(), sum, "{value}");
        let graph = run(&["graph", path, "--value", value]).expect("an answer");
        let relations = graph["relations"].as_array().expect("relations");
        let own = relations
            .iter()
            .filter_map(|row| row["self_cost_ns"].as_u64());
        assert_eq!(own.sum::<u64>(), sum, "{value}");
    }
}

#[test]
fn no_call_is_open_while_a_thread_is_not_sampled() {
    let scratch = Scratch::new("weights-gap");
    let path = scratch.write("sleeps.perf.txt", SLEEPS.as_bytes());
    let path = path.to_str().expect("a path");
    let info = run(&["info", path]).expect("an answer");
    assert_eq!(info["threads"][0]["sampled_ns"], 1_000_000);
    assert_eq!(info["duration_ns"], 10_000_500_000_u64);
    assert_eq!(info["sampler"]["sees"], "running threads");
    assert_eq!(info["sampler"]["interval_ns"], 250_000);
    let names = |at: &str| {
        let answer = run(&["stack", path, "--at", at]).expect("an answer");
        let frames = answer[0]["frames"].as_array().cloned();
        let names = frames.unwrap_or_default();
        let names = names.iter().filter_map(|it| it["name"].as_str());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    // The first sample reaches 250 µs back, to the start.
    assert_eq!(names("100us"), ["main", "busy"]);
    assert_eq!(names("490us"), ["main", "busy"]);
    assert!(names("501us").is_empty() && names("5s").is_empty());
    assert_eq!(names("10000100us"), ["main", "other"]);
    assert_eq!(names("10000400us"), ["main", "busy"]);
}

/// 61 samples, as `jfr summary` counts them.
#[test]
fn samples_of_java_weigh_one_interval_each() {
    let path = data("import/jfr/spin.jfr.gz");
    let path = path.to_str().expect("a path");
    let info = run(&["info", path]).expect("an answer");
    let samples = info["samples"].as_u64().expect("samples");
    let interval = info["sampler"]["interval_ns"].as_u64().expect("told");
    let values = info["values"].as_array().expect("values");
    let total = |name: &str| {
        let value = values.iter().find(|it| it["name"] == name);
        value.and_then(|it| it["total"].as_u64())
    };
    assert_eq!((samples, total("samples")), (61, Some(61)));
    assert_eq!(total("processor time"), Some(samples * interval));
    let threads = info["threads"].as_array().expect("threads");
    for thread in threads {
        let number = |field: &str| thread[field].as_u64().expect(field);
        assert!(number("sampled_ns") <= number("end_ns") - number("start_ns"));
    }
}
