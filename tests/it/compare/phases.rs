//! Phases of two runs beside each other.

use std::collections::BTreeMap;

use super::*;

/// `main` that loads, works in so many rounds and saves; saving takes so many microseconds a call.
fn program(scratch: &Scratch, name: &str, rounds: usize, save_us: u64, has_warm: bool) -> String {
    let names = [
        "main", "load", "get", "round", "step", "save", "put", "warm",
    ];
    let mut now = 0;
    let mut phase = |function: usize, inner: usize, count: usize, us: u64| {
        let start = now;
        let mut below = Vec::new();
        for _ in 0..count {
            now += 1000;
            let start = now;
            now += us * 1000;
            below.push(Made {
                function: inner,
                start,
                end: now,
                below: Vec::new(),
            });
        }
        now += 1000;
        Made {
            function,
            start,
            end: now,
            below,
        }
    };
    let mut below = Vec::new();
    if has_warm {
        below.push(phase(7, 2, 60, 2));
    }
    below.push(phase(1, 2, 60, 2));
    below.extend((0..rounds).map(|_| phase(3, 4, 40, 3)));
    below.push(phase(5, 6, 50, save_us));
    let root = Made {
        function: 0,
        start: 0,
        end: now + 1000,
        below,
    };
    let names = names.map(str::to_owned);
    text(&write_trace(scratch, name, &root, &names)).to_owned()
}

#[test]
fn phases_are_paired_by_callee_and_order_and_the_rest_is_null() {
    let scratch = Scratch::new("compare-phases");
    let a = program(&scratch, "a.json", 12, 4, false);
    let b = program(&scratch, "b.json", 10, 20, true);
    let found = document(&[&a, &b]);
    let rows = found["phases"].as_array().expect("phases");
    let mut counts: BTreeMap<&str, [u32; 3]> = BTreeMap::new();
    for row in rows {
        let sides = [row["a"].is_object(), row["b"].is_object()];
        let which = match sides {
            [true, true] => 0,
            [true, false] => 1,
            [false, true] => 2,
            [false, false] => panic!("{row}"),
        };
        counts
            .entry(row["name"].as_str().expect("a name"))
            .or_default()[which] += 1;
        assert!(row["a"].is_object() || row["a"].is_null());
    }
    assert_eq!(counts["load"], [1, 0, 0], "{counts:?}");
    assert_eq!(counts["save"], [1, 0, 0]);
    assert_eq!(counts["warm"], [0, 0, 1]);
    assert_eq!(counts["round"], [10, 2, 0]);
    let save = rows.iter().find(|row| row["name"] == "save").expect("save");
    assert_eq!(save["a"], json!({"calls": 50, "cost_ns": 50 * 5000 + 1000}));
    assert_eq!(
        save["b"],
        json!({"calls": 50, "cost_ns": 50 * 21_000 + 1000})
    );
    // The largest difference stands first.
    let cost = |side: &Value| side["cost_ns"].as_i64().unwrap_or(0);
    let differences: Vec<i64> = rows
        .iter()
        .map(|row| (cost(&row["b"]) - cost(&row["a"])).abs())
        .collect();
    assert!(differences.is_sorted_by(|x, y| x >= y), "{differences:?}");
    // Swapped, both sides are.
    let swapped = document(&[&b, &a]);
    let sides = |of: &Value, [a, b]: [&str; 2]| -> Vec<String> {
        let rows = of["phases"].as_array().expect("phases").iter();
        let row = |row: &Value| format!("{} {} {}", row["name"], row[a], row[b]);
        let mut rows: Vec<String> = rows.map(row).collect();
        rows.sort_unstable();
        rows
    };
    assert_eq!(sides(&found, ["a", "b"]), sides(&swapped, ["b", "a"]));
}

#[test]
fn a_run_beside_itself_has_no_phase_that_differs() {
    let scratch = Scratch::new("compare-phases-same");
    let a = program(&scratch, "a.json", 12, 4, false);
    let rows = document(&[&a, &a]);
    let rows = rows["phases"].as_array().expect("phases");
    assert!(rows.len() > 10 && rows.iter().all(|row| row["a"] == row["b"]));
    assert!(run(&[&a, &a]).out.contains("\nno phase differs\n"));
    let b = program(&scratch, "b.json", 12, 20, false);
    let out = run(&[&a, &b]).out;
    let table = out.split("\n\n").last().expect("tables");
    let mut lines = table.lines();
    assert!(
        lines
            .next()
            .is_some_and(|it| it.trim_end().ends_with("phase")),
        "{out}"
    );
    assert!(lines.any(|it| it.trim_end().ends_with("  save")), "{out}");
    let one = document(&[&a, &b, "--search", "SAV", "--top", "5"]);
    assert_eq!(one["phases"].as_array().expect("phases").len(), 1);
}

#[test]
fn profiles_have_no_phases() {
    let scratch = Scratch::new("compare-phases-profiles");
    let [a, b] = [("a.folded", "main;work 5\n"), ("b.folded", "main;work 9\n")]
        .map(|(name, stacks)| scratch.write(name, stacks.as_bytes()));
    assert!(document(&[text(&a), text(&b)]).get("phases").is_none());
    assert!(!run(&[text(&a), text(&b)]).out.contains("phase"));
}
