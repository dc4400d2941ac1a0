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

/// Samples of a thread whose weights are more than the time between them, and one of another thread.
const BURSTS: &str = "\
app 7/7 10.001000: 1000000 cpu-clock: \n\t 1 busy (/app)\n\t 2 main (/app)\n
app 7/7 10.001100: 1000000 cpu-clock: \n\t 3 other (/app)\n\t 2 main (/app)\n
app 7/7 10.001150: 700 faults: \n\t 3 other (/app)\n\t 2 main (/app)\n
app 7/8 10.001200: 1000000 cpu-clock: \n\t 1 busy (/app)\n\t 4 second (/app)\n
app 7/7 10.002100: 1000000 cpu-clock: \n\t 3 other (/app)\n\t 2 main (/app)\n
app 7/7 10.003100: 1000000 cpu-clock: \n\t 1 busy (/app)\n\t 2 main (/app)\n
";

/// Times are microseconds after the start, 10 s. Each sample is taken at the end of the time that it covers, and no value
/// of a range is a share of the whole.
#[test]
fn a_range_and_a_thread_have_the_weights_of_their_samples() {
    let scratch = Scratch::new("weights-range");
    let path = scratch.write("bursts.perf.txt", BURSTS.as_bytes());
    let path = path.to_str().expect("a path");
    let own = |rows: &Value, field: &str| -> u64 {
        let rows = rows.as_array().expect("rows");
        rows.iter().filter_map(|row| row[field].as_u64()).sum()
    };
    let ms = 1_000_000;
    for (value, from, to, busy, other) in [
        ("time", "0", "4ms", 3 * ms, 2 * ms),
        ("samples", "0", "4ms", 3, 3),
        ("faults", "0", "4ms", 0, 700),
        // Half of the first sample, all of the second, and a part of the other thread's.
        ("time", "500us", "1100us", ms / 2 + 6 * ms / 10, ms),
        ("samples", "500us", "1100us", 1, 1),
        ("time", "1100us", "1200us", ms / 10, ms / 10),
        ("samples", "1100us", "1200us", 1, 1),
        ("faults", "1100us", "1149us", 0, 0),
        ("faults", "1149us", "1150us", 0, 700),
        ("time", "2100us", "3100us", ms, 0),
    ] {
        let range = ["--value", value, "--from", from, "--to", to];
        let about = format!("{value}, {from} to {to}");
        let ask = |command| run(&[&[command, path], &range[..]].concat()).expect(&about);
        let functions = ask("functions");
        let has = |name: &str| {
            functions
                .as_array()
                .expect("rows")
                .iter()
                .any(|it| it["name"] == name)
        };
        let found = ["busy", "other"].map(|it| if has(it) { of(&functions, it).0 } else { 0 });
        assert_eq!(found, [busy, other], "{about}");
        assert_eq!(
            own(&ask("contexts")["contexts"], "self"),
            busy + other,
            "{about}"
        );
        let relations = &ask("graph")["relations"];
        assert_eq!(own(relations, "self_cost_ns"), busy + other, "{about}");
        assert_eq!(own(relations, "moments_ns"), busy + other, "{about}");
    }
    for (value, first, second) in [("time", 4 * ms, ms), ("samples", 5, 1), ("faults", 700, 0)] {
        for (thread, sum) in [("7", first), ("8", second)] {
            let of_thread = ["contexts", path, "--value", value, "--thread", thread];
            let answer = run(&of_thread).expect("an answer");
            assert_eq!(own(&answer["contexts"], "self"), sum, "{value}, {thread}");
        }
    }
    let whole = [
        "functions",
        path,
        "--value",
        "samples",
        "--to",
        "1ms",
        "--enclosing",
        "whole",
    ];
    assert!(run(&whole).is_err_and(|it| it.contains("--enclosing")));
}

/// A counter with a frequency starts with small periods at small distances. Its time is that of the thread, shared by
/// periods.
#[test]
fn the_time_of_a_counter_is_the_time_that_its_samples_cover() {
    use std::fmt::Write;
    let scratch = Scratch::new("weights-counter");
    for has_periods in [true, false] {
        let mut text = String::new();
        let mut samples = vec![(0_u64, 1_u64, "start")];
        // The first distances are the commonest.
        for _ in 0..30 {
            let (last, ..) = samples[samples.len() - 1];
            samples.push((last + 4_000, 12_000, "start"));
        }
        for number in 0..28 {
            let (last, ..) = samples[samples.len() - 1];
            let sleep = if number == 14 { 500_000_000 } else { 0 };
            let distance = 1_000_000 + number % 5 * 20_000;
            samples.push((last + distance + sleep, distance * 3, "work"));
        }
        for (time, period, name) in &samples {
            let period = if has_periods {
                period.to_string()
            } else {
                String::new()
            };
            let time = 5_000_000_000 + time;
            let (s, ns) = (time / 1_000_000_000, time % 1_000_000_000);
            writeln!(
                text,
                "app 7/7 {s}.{ns:09}: {period} cycles:u: \n\t 1 {name} (/app)\n"
            )
            .expect("a string takes it");
        }
        let path = scratch.write("counter.perf.txt", text.as_bytes());
        let path = path.to_str().expect("a path");
        let answer = run(&["functions", path]).expect("an answer");
        let (start, work) = (of(&answer, "start").0, of(&answer, "work").0);
        // It ran for 30 distances of 4 us and 28 of 1.04 ms.
        let ran = 30 * 4_000 + 28 * 1_040_000;
        assert!(
            (start + work).abs_diff(ran) < ran / 20,
            "{start} and {work} of {ran}"
        );
        let info = run(&["info", path]).expect("an answer");
        assert_eq!(info["threads"][0]["sampled_ns"], start + work);
        match has_periods {
            true => assert!(start < work / 100, "{start} and {work}"),
            false => assert!((start / 31).abs_diff(work / 28) < 2, "{start} and {work}"),
        }
    }
}

/// Decimals behind commas, and thousands with what stands between them elsewhere.
#[test]
fn numbers_of_other_countries_are_the_same() {
    let scratch = Scratch::new("weights-locales");
    let plain = "app 7/7 10.001000: 1000000 cpu-clock: \n\t 1 busy (/app)\n\n\
                 app 7/7 10.002000: 3000000 cpu-clock: \n\t 2 other (/app)\n\n";
    let other = plain
        .replace("10.00", "10,00")
        .replace("000000 ", ",000,000 ");
    let trace = "# tracer: nop\n#\n  app-7 ( 7) [000] .... 10.001000: tracing_mark_write: B|7|on\n\
                 app-7 ( 7) [000] .... 10.003500: tracing_mark_write: E|7\n";
    let other_trace = trace.replace("10.00", "10,00");
    for (name, plain, other) in [
        ("a.perf.txt", plain, &other),
        ("a.systrace.txt", trace, &other_trace),
    ] {
        let rows = |text: &str| {
            let path = scratch.write(name, text.as_bytes());
            let path = path.to_str().expect("a path").to_owned();
            let answer = run(&["functions", &path]).expect("an answer");
            let info = run(&["info", &path]).expect("an answer");
            assert_eq!(info["warnings"].as_array().map(Vec::len), Some(0), "{info}");
            (answer, info["duration_ns"].clone())
        };
        assert_eq!(rows(plain), rows(other), "{name}");
    }
    let massif = "desc: a\ncmd: b\ntime_unit: i\nsnapshot=0\ntime=9\nmem_heap_B=1,100\n\
                  mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\n\
                  n1: 1,100 (heap allocation functions) malloc\n n0: 1,100 0x1: Größe (a.c:3)\n";
    let massif: Vec<u8> = massif.chars().map(|it| it as u8).collect();
    let path = scratch.write("a.massif", &massif);
    let path = path.to_str().expect("a path");
    let answer = run(&["functions", path, "--value", "live"]).expect("an answer");
    assert_eq!(of(&answer, "Größe").0, 1100);
}
