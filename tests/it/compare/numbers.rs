//! `callscape compare` against direct evaluations of the definitions: tables, call trees, conditions, significance,
//! clocks.

use std::collections::BTreeMap;

use super::*;

/// The definitions of design section 1, evaluated directly.
fn sum(
    call: &Made,
    names: &[String],
    open: &mut Vec<usize>,
    functions: &mut Functions,
    relations: &mut Relations,
) {
    let cost = call.end - call.start;
    let below: u64 = call.below.iter().map(|it| it.end - it.start).sum();
    let sums = functions.entry(names[call.function].clone()).or_default();
    sums.calls += 1;
    sums.own += cost - below;
    if !open.contains(&call.function) {
        sums.total += cost;
    }
    if let Some(&caller) = open.last() {
        let pair = (names[caller].clone(), names[call.function].clone());
        let relation = relations.entry(pair).or_default();
        relation.0 += 1;
        relation.1 += cost;
    }
    open.push(call.function);
    for below in &call.below {
        sum(below, names, open, functions, relations);
    }
    open.pop();
}

#[test]
fn compare_agrees_with_the_definitions_on_random_traces() {
    for seed in 0..4 {
        let mut random = Random(seed + 1);
        let scratch = Scratch::new("compare-random");
        // Both have some functions, and each some of its own, of names that are nothing like each other.
        let names = |own: [&str; 3]| -> Vec<String> {
            let both = ["alpha", "beta", "gamma", "delta"];
            both.into_iter().chain(own).map(str::to_owned).collect()
        };
        let sides = [
            names(["umbra", "vertex", "yoke"]),
            names(["fjord", "glyph", "knack"]),
        ];
        let mut paths = Vec::new();
        let mut known = Vec::new();
        for (side, names) in sides.iter().enumerate() {
            let root = make(&mut random, names.len() as u64, 6, &mut 0);
            paths.push(write_trace(&scratch, &format!("{side}.json"), &root, names));
            let (mut functions, mut relations) = (Functions::new(), Relations::new());
            sum(
                &root,
                names,
                &mut Vec::new(),
                &mut functions,
                &mut relations,
            );
            known.push((functions, relations));
        }
        for measure in ["self", "total", "calls"] {
            let found = document(&[
                text(&paths[0]),
                text(&paths[1]),
                "--exact",
                "--sort",
                measure,
            ]);
            let rows = found["functions"].as_array().expect("a list");
            let mut seen = [Functions::new(), Functions::new()];
            let mut last = u64::MAX;
            for row in rows {
                let name = row["name"].as_str().expect("a name");
                let both = [side(&row["a"]), side(&row["b"])];
                for (seen, sums) in seen.iter_mut().zip(both) {
                    if sums.calls > 0 {
                        seen.insert(name.to_owned(), sums);
                    }
                }
                let of = |sums: &Sums| match measure {
                    "self" => sums.own,
                    "total" => sums.total,
                    _ => sums.calls,
                };
                let delta = of(&both[0]).abs_diff(of(&both[1]));
                assert!(delta <= last, "seed {seed}: {name} stands too late");
                last = delta;
            }
            assert_eq!(seen[0], known[0].0, "seed {seed}");
            assert_eq!(seen[1], known[1].0, "seed {seed}");
            for (letter, (_, relations)) in ["a", "b"].iter().zip(&known) {
                let mut seen = Relations::new();
                for row in found["relations"].as_array().expect("a list") {
                    let field = |name: &str| row[letter][name].as_u64().expect("a whole number");
                    let name = |name: &str| row[name].as_str().expect("a name").to_owned();
                    if field("calls") > 0 {
                        seen.insert(
                            (name("from"), name("to")),
                            (field("calls"), field("cost_ns")),
                        );
                    }
                }
                assert_eq!(seen, *relations, "seed {seed}");
            }
        }
        // Swapping mirrors.
        let there = document(&[text(&paths[0]), text(&paths[1])]);
        let back = document(&[text(&paths[1]), text(&paths[0])]);
        for table in ["functions", "relations", "modules"] {
            let mirrored: Vec<Value> = back[table]
                .as_array()
                .expect("a list")
                .iter()
                .map(|row| {
                    let mut row = row.clone();
                    let (a, b) = (row["a"].clone(), row["b"].clone());
                    row["a"] = b;
                    row["b"] = a;
                    row
                })
                .collect();
            for (row, mirrored) in there[table]
                .as_array()
                .expect("a list")
                .iter()
                .zip(mirrored)
            {
                for field in ["name", "module", "from", "to", "a", "b"] {
                    assert_eq!(row[field], mirrored[field], "seed {seed}, {table}");
                }
            }
        }
        // And nothing differs from itself.
        let answer = run(&[text(&paths[0]), text(&paths[0])]);
        assert!(answer.out.contains("no function differs"), "{}", answer.out);
        assert!(
            answer.out.contains("no call relation differs"),
            "{}",
            answer.out
        );
    }
}

/// Calls, total and self cost by calling context, the names on the way joined.
fn sum_contexts(call: &Made, names: &[String], path: &mut Vec<usize>, out: &mut Functions) {
    let cost = call.end - call.start;
    let below: u64 = call.below.iter().map(|it| it.end - it.start).sum();
    path.push(call.function);
    let on_the_way: Vec<&str> = path.iter().map(|&it| names[it].as_str()).collect();
    let sums = out.entry(on_the_way.join("/")).or_default();
    sums.calls += 1;
    sums.total += cost;
    sums.own += cost - below;
    for below in &call.below {
        sum_contexts(below, names, path, out);
    }
    path.pop();
}

#[test]
fn the_call_trees_of_both_are_merged_by_call_path() {
    for seed in 0..3 {
        let mut random = Random(seed + 40);
        let scratch = Scratch::new("compare-contexts");
        let names: Vec<String> = ["alpha", "beta", "gamma", "delta"]
            .map(str::to_owned)
            .into();
        let mut paths = Vec::new();
        let mut known = Vec::new();
        for side in ["a.json", "b.json"] {
            let root = make(&mut random, 4, 5, &mut 0);
            paths.push(write_trace(&scratch, side, &root, &names));
            let mut contexts = Functions::new();
            sum_contexts(&root, &names, &mut Vec::new(), &mut contexts);
            known.push(contexts);
        }
        let found = document(&[text(&paths[0]), text(&paths[1]), "--exact", "--contexts"]);
        let rows = found["contexts"].as_array().expect("a list");
        let mut seen = BTreeMap::new();
        let mut last = u64::MAX;
        for row in rows {
            let path = row["path"].as_array().expect("names").iter();
            let path: Vec<&str> = path.map(|it| it.as_str().expect("a name")).collect();
            let both = [side(&row["a"]), side(&row["b"])];
            let delta = both[0].own.abs_diff(both[1].own);
            assert!(delta <= last, "seed {seed}: {path:?} stands too late");
            last = delta;
            seen.insert(path.join("/"), both);
        }
        let mut expected = BTreeMap::new();
        for path in known[0].keys().chain(known[1].keys()) {
            let both = [0, 1].map(|side| known[side].get(path).copied().unwrap_or_default());
            if both[0] != both[1] {
                expected.insert(path.clone(), both);
            }
        }
        assert_eq!(seen, expected, "seed {seed}");
        // Swapping mirrors, ties included.
        let back = document(&[text(&paths[1]), text(&paths[0]), "--exact", "--contexts"]);
        let paths_of = |of: &Value| -> Vec<Value> {
            let rows = of["contexts"].as_array().expect("a list").iter();
            rows.map(|row| row["path"].clone()).collect()
        };
        assert_eq!(paths_of(&found), paths_of(&back), "seed {seed}");
        // What a page shows of it is not in the document unless it is asked for.
        let plain = document(&[text(&paths[0]), text(&paths[1])]);
        assert!(plain.get("contexts").is_none());
    }
}

#[test]
fn mapping_files_group_what_is_compared() {
    let scratch = Scratch::new("compare-map");
    let call = |name: &str| (name.to_owned(), 1u32);
    let trace = |file: &str, parses: usize| {
        let mut names = vec![
            call("org.eclipse.jdt.ui.Provider.update"),
            call("org.eclipse.jdt.core.Model.read"),
        ];
        names.extend((0..parses).map(|_| call("org.eclipse.jdt.internal.core.JavaProject.path")));
        let depth = |index: usize| index.min(2) as u64;
        let mut list = Vec::new();
        let end = 10 * names.len() as u64 + 10;
        for (index, (name, _)) in names.iter().enumerate() {
            let start = 10 * index as u64;
            let stop = if depth(index) < 2 {
                end - depth(index)
            } else {
                start + 5
            };
            list.push(json!({"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": start, "dur": stop - start}));
        }
        scratch.write(file, Value::Array(list).to_string().as_bytes())
    };
    let (a, b) = (trace("a.json", 51), trace("b.json", 23));
    let map = scratch.write(
        "map",
        b"category JavaProject class org.eclipse.jdt.internal.core.JavaProject\n\
          category JDT-CORE class org.eclipse.jdt.core.*\n\
          category JDT-UI class org.eclipse.jdt.ui.*\n",
    );
    let found = document(&[text(&a), text(&b), "--map", text(&map), "--sort", "calls"]);
    let first = &found["relations"][0];
    assert_eq!(
        (&first["from"], &first["to"]),
        (&json!("JDT-CORE"), &json!("JavaProject"))
    );
    assert_eq!(
        (&first["a"]["calls"], &first["b"]["calls"]),
        (&json!(51), &json!(23))
    );
    assert_eq!(found["modules"][0]["module"], "JavaProject");
}

#[test]
fn conditions_decide_the_exit_code() {
    let scratch = Scratch::new("compare-conditions");
    let a = flat(
        &scratch,
        "a.json",
        &[
            ("parse", "/app/p.py:1", 2, 50),
            ("sort", "/app/p.py:9", 1, 50),
        ],
    );
    let b = flat(
        &scratch,
        "b.json",
        &[
            ("parse", "/app/p.py:1", 2, 60),
            ("sort", "/app/p.py:9", 1, 20),
        ],
    );
    let (a, b) = (text(&a), text(&b));
    for (condition, code) in [
        ("total(parse) > 1.1x", 1),
        ("total(parse) > 1.2x", 0),
        ("total(parse) >= +20%", 1),
        ("total(p.py/parse) > +19us", 1),
        ("self(parse) > +20us", 0),
        ("calls(parse) > 2", 0),
        ("average(parse) >= 60us", 1),
        ("self(sort) > 1x", 0),
        ("self(*) > 1.1x", 1),
        ("duration > 2x", 0),
        ("total(nobody) > 1x", 1),
        ("total(parse) > lots", 2),
        ("parse", 2),
    ] {
        let answer = run(&[a, b, "--fail-if", condition]);
        assert_eq!(answer.code, Some(code), "{condition}: {}", answer.err);
        if code == 1 && !condition.contains("nobody") {
            assert!(answer.err.contains("holds"), "{condition}: {}", answer.err);
        }
    }
    // Wrong usage.
    assert_eq!(run(&[a]).code, Some(2));
    assert_eq!(run(&[a, b, a]).code, Some(2));
    assert_eq!(run(&[]).code, Some(2));
    assert_eq!(run(&["--a", a]).code, Some(2));
    assert_eq!(run(&[a, "/nowhere/to/be/found.json"]).code, Some(1));
}

#[test]
fn several_runs_tell_noise_from_what_differs() {
    let scratch = Scratch::new("compare-runs");
    let mut random = Random(7);
    // An index makes a query two hundred times as fast, whose runs differ by half on a busy machine; a function is gone.
    let queries = [
        [200_000, 81_000, 140_000, 110_000, 90_000],
        [900, 1000, 800, 950, 870],
    ];
    let steady: Vec<String> = (0..20).map(|number| format!("steady{number}")).collect();
    let mut side = |letter: char, sort: u32| -> Vec<String> {
        let of_b = usize::from(letter == 'b');
        let runs = (0..5).map(|run| {
            let mut noisy = |us: u32| us + random.below(u64::from(us) / 4) as u32;
            let mut calls = vec![
                ("sort", "/app/s.py:9", 2, noisy(sort)),
                ("query", "/app/db.py:1", 1, queries[of_b][run]),
            ];
            calls.extend(
                steady
                    .iter()
                    .map(|it| (it.as_str(), "/app/s.py:1", 3, noisy(2000))),
            );
            if letter == 'a' {
                calls.push(("scan", "/app/db.py:9", 1, noisy(3000)));
            }
            let path = flat(&scratch, &format!("{letter}{run}.json"), &calls);
            text(&path).to_owned()
        });
        runs.collect()
    };
    let (a, b) = (side('a', 1000), side('b', 400));
    let mut arguments = vec!["--a"];
    arguments.extend(a.iter().map(String::as_str));
    arguments.push("--b");
    arguments.extend(b.iter().map(String::as_str));
    let found = document(&arguments);
    assert_eq!(found["functions"][0]["name"], "query");
    for name in ["query", "sort", "scan"] {
        assert_eq!(row(&found, name)["noise"], false, "{name}");
    }
    assert_eq!(row(&found, "scan")["change"], "gone");
    let modules = found["modules"].as_array().expect("a list");
    assert!(modules.iter().all(|row| row["noise"].is_boolean()));
    let is_noise = |name: &&String| row(&found, name)["noise"] == true;
    let noise = steady.iter().filter(is_noise).count();
    assert!(noise >= 18, "{noise} of 20");
    assert_eq!(found["runs"]["a"].as_array().map(Vec::len), Some(5));
    let answer = run(&arguments);
    assert!(answer.out.contains("noise"), "{}", answer.out);
}

#[test]
fn clocks_are_linked_by_what_both_do() {
    let scratch = Scratch::new("compare-clocks");
    // Two phases; the first takes four times as long in A.
    let a = flat(
        &scratch,
        "a.json",
        &[("read", "", 4, 400), ("write", "", 3, 100)],
    );
    let b = flat(
        &scratch,
        "b.json",
        &[("read", "", 4, 100), ("write", "", 3, 100)],
    );
    let link = |more: &[&str]| {
        let found = document(&[&[text(&a), text(&b), "--align"], more].concat());
        let points = found["clocks"]["points"]
            .as_array()
            .expect("points")
            .clone();
        let at = |point: &Value, side: usize| point[side].as_u64().expect("nanoseconds");
        let points: Vec<[u64; 2]> = points.iter().map(|it| [at(it, 0), at(it, 1)]).collect();
        assert!(
            points
                .windows(2)
                .all(|it| it[0][0] <= it[1][0] && it[0][1] <= it[1][1])
        );
        points
    };
    let ends = [1_902_000, 702_000];
    assert_eq!(link(&["share"]), [[0, 0], ends]);
    for how in [&["calls"][..], &["calls", "--align-by", "write"]] {
        let points = link(how);
        assert!(
            points.contains(&[1_601_000, 401_000]),
            "{how:?}: {points:?}"
        );
        assert_eq!(points.last(), Some(&ends));
    }
    assert!(link(&["events"]).contains(&[1_601_000, 401_000]));
    assert_eq!(link(&["time"]).len(), 3);
}

#[test]
fn only_what_differs_can_be_asked_for() {
    let scratch = Scratch::new("compare-only");
    let calls = |sort: u32| [("keep", "", 2, 100), ("sort", "", 2, sort)];
    let a = flat(&scratch, "a.json", &calls(900));
    let b = flat(&scratch, "b.json", &calls(100));
    let found = document(&[text(&a), text(&b), "--only-differences"]);
    let names: Vec<&str> = found["functions"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| row["name"].as_str())
        .collect();
    assert_eq!(names, ["sort", "main"]);
    for height in ["a", "b", "difference"] {
        let path = scratch.0.join("heights.png");
        let mut arguments = vec![text(&a), text(&b), "-o", text(&path), "--size", "320x240"];
        arguments.extend(["--height", height, "--only-differences"]);
        assert_eq!(run(&arguments).code, Some(0), "{height}");
    }
}

#[test]
fn shares_of_runs_are_compared_where_that_is_asked_for() {
    let scratch = Scratch::new("compare-shares");
    // B does the same twice as often, and `parse` three times as often.
    let a = flat(
        &scratch,
        "a.json",
        &[("parse", "", 10, 30), ("read", "", 20, 35)],
    );
    let b = flat(
        &scratch,
        "b.json",
        &[("parse", "", 30, 30), ("read", "", 40, 35)],
    );
    let found = document(&[text(&a), text(&b), "--shares"]);
    assert_eq!(found["compared"], "shares");
    let compared = |name: &str, side: &str| {
        row(&found, name)["compared"][side]
            .as_f64()
            .expect("a share")
    };
    // `main` has two microseconds to itself.
    let (all_a, all_b) = (1_002.0, 2_302.0);
    for (name, in_a, in_b) in [("parse", 300.0, 900.0), ("read", 700.0, 1_400.0)] {
        assert!((compared(name, "a") - in_a / all_a).abs() < 1e-9, "{name}");
        assert!((compared(name, "b") - in_b / all_b).abs() < 1e-9, "{name}");
    }
    assert_eq!(side(&row(&found, "parse")["a"]).own, 300_000);
    let delta = |name: &str| compared(name, "b") - compared(name, "a");
    assert!(delta("parse") > 0.0 && delta("read") < 0.0);
    let wrong = run(&[text(&a), text(&b), "--shares", "--per", "read"]);
    assert_eq!(wrong.code, Some(2));
    let found = document(&[text(&a), text(&b), "--per", "read"]);
    let parse = &row(&found, "parse")["compared"];
    assert_eq!(parse["a"].as_f64().map(f64::round), Some(15_000.0));
    assert_eq!(parse["b"].as_f64().map(f64::round), Some(22_500.0));
}
