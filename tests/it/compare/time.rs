//! `callscape compare --time`: running time where both runs know when their threads wait.

use super::*;

/// A trace in which `main` calls `work` and `rest`: for how long each lasts and runs, in microseconds.
fn trace(scratch: &Scratch, name: &str, calls: [(u64, u64); 2], tells: bool) -> std::path::PathBuf {
    let (mut now, mut clock) = (1, 500);
    let mut list = Vec::new();
    let mut event = |ph: &str, name: &str, now: u64, clock: u64| {
        let mut event = json!({"ph": ph, "name": name, "pid": 1, "tid": 1, "ts": now});
        if tells {
            event["tts"] = json!(clock);
        }
        list.push(event);
    };
    event("B", "main", now, clock);
    for (function, (lasts, runs)) in ["work", "rest"].into_iter().zip(calls) {
        event("B", function, now, clock);
        (now, clock) = (now + lasts, clock + runs);
        event("E", function, now, clock);
    }
    event("E", "main", now, clock);
    scratch.write(name, Value::Array(list).to_string().as_bytes())
}

fn waiting(side: &Value) -> Option<(u64, u64)> {
    Some((
        side["waiting_ns"].as_u64()?,
        side["self_waiting_ns"].as_u64()?,
    ))
}

#[test]
fn waiting_is_left_out_where_both_know_it_and_stands_beside() {
    let scratch = Scratch::new("compare-time");
    // The second time the machine is busy: the same work lasts longer.
    let a = trace(&scratch, "a.json", [(100, 100), (200, 50)], true);
    let b = trace(&scratch, "b.json", [(400, 100), (250, 50)], true);
    let found = document(&[text(&a), text(&b)]);
    assert_eq!(found["time"], "running");
    for function in found["functions"].as_array().expect("rows") {
        assert_eq!(
            function["compared"]["a"], function["compared"]["b"],
            "{function}"
        );
    }
    // What was recorded is not changed.
    let work = row(&found, "work");
    assert_eq!(side(&work["a"]).total, 100_000);
    assert_eq!(side(&work["b"]).total, 400_000);
    assert_eq!(waiting(&work["a"]), Some((0, 0)));
    assert_eq!(waiting(&work["b"]), Some((300_000, 300_000)));
    let main = row(&found, "main");
    assert_eq!(waiting(&main["a"]), Some((150_000, 0)));
    assert_eq!(waiting(&main["b"]), Some((500_000, 0)));
    for relation in found["relations"].as_array().expect("rows") {
        assert_eq!(
            relation["compared"]["a"], relation["compared"]["b"],
            "{relation}"
        );
    }
    let whole = &found["modules"][0];
    assert_eq!(side(&whole["b"]).total, 650_000);
    let answer = run(&[text(&a), text(&b)]);
    assert!(
        answer.out.contains("running time is compared"),
        "{}",
        answer.out
    );
    assert!(
        answer.out.contains("150 µs in A, 500 µs in B"),
        "{}",
        answer.out
    );
    assert!(answer.out.contains("no function differs"), "{}", answer.out);

    let found = document(&[text(&a), text(&b), "--time", "elapsed", "--contexts"]);
    assert_eq!(found["time"], "elapsed");
    assert_eq!(found["functions"][0]["name"], "work");
    assert_eq!(found["functions"][0]["ratio"], 4.0);
    let contexts = found["contexts"].as_array().expect("contexts");
    let of_work = contexts
        .iter()
        .find(|it| it["path"] == json!(["main", "work"]));
    assert_eq!(
        waiting(&of_work.expect("main → work")["b"]),
        Some((300_000, 300_000))
    );
    let found = document(&[text(&a), text(&b), "--contexts"]);
    let contexts = found["contexts"].as_array().expect("contexts");
    assert!(contexts.is_empty(), "{contexts:?}");
}

#[test]
fn elapsed_time_is_compared_where_one_side_knows_no_waiting() {
    let scratch = Scratch::new("compare-time-unknown");
    let a = trace(&scratch, "a.json", [(100, 100), (200, 50)], true);
    let b = trace(&scratch, "b.json", [(400, 100), (250, 50)], false);
    let found = document(&[text(&a), text(&b)]);
    assert_eq!(found["time"], "elapsed");
    let work = row(&found, "work");
    assert_eq!(waiting(&work["a"]), Some((0, 0)));
    assert_eq!(waiting(&work["b"]), None);
    let answer = run(&[text(&a), text(&b), "--time", "running"]);
    assert_eq!(answer.code, Some(1));
    assert!(
        answer
            .err
            .contains("b.json does not record when its threads wait"),
        "{}",
        answer.err
    );
}

#[test]
fn a_report_says_which_time_is_compared() {
    let scratch = Scratch::new("compare-time-report");
    let a = trace(&scratch, "a.json", [(100, 100), (200, 50)], true);
    let b = trace(&scratch, "b.json", [(400, 120), (250, 50)], true);
    let page = scratch.0.join("report.html");
    let answer = run(&[text(&a), text(&b), "-o", text(&page)]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let page = std::fs::read_to_string(&page).expect("the report");
    assert!(page.contains("running time is compared"));
    assert!(page.contains("waiting B"));
}
