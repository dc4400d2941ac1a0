//! `callscape objects` and what `info` says of memory, held against what other tools print of the same recordings.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::common::{Scratch, data, json as json_of, run};

fn refused(arguments: &[&str]) -> String {
    let (code, _, error) = run(arguments);
    assert_ne!(code, Some(0), "{arguments:?}");
    error
}

/// Allocations of `hoard.jfr.gz` as the JDK prints them: nanoseconds, class, bytes, and the stack, innermost method first.
fn allocations() -> Vec<(u64, String, u64, Vec<String>)> {
    let text = std::fs::read_to_string(data("import/jfr/hoard.memory.txt"));
    let text = text.expect("what the JDK prints");
    let lines = text.lines().map(|line| line.split('\t').collect());
    lines
        .filter(|fields: &Vec<&str>| fields[1] == "ObjectAllocationSample")
        .map(|fields| {
            let stack = fields[5].rsplit(';').map(str::to_owned).collect();
            let time = fields[0].parse().expect("a time");
            let bytes = fields[4].parse().expect("a weight");
            (time, fields[3].to_owned(), bytes, stack)
        })
        .collect()
}

/// By the names of entries, allocations and bytes allocated, where there are any.
fn entries(document: &Value) -> BTreeMap<String, (u64, u64)> {
    let entries = document["entries"].as_array().expect("a list").iter();
    let amount = |entry: &Value, field: &str| entry[field].as_u64().expect("a number");
    entries
        .map(|entry| {
            let name = entry["name"].as_str().expect("a name").to_owned();
            let sums = ["allocations", "bytes_allocated"].map(|it| amount(entry, it));
            (name, (sums[0], sums[1]))
        })
        .filter(|(_, (allocations, _))| *allocations > 0)
        .collect()
}

#[test]
fn allocations_without_releases_say_what_was_allocated_and_refuse_what_lives() {
    let path = data("import/jfr/hoard.jfr.gz");
    let path = path.to_str().expect("a name");
    let all = allocations();
    let whole = json_of(&["objects", path, "--by", "type", "--json"]);
    assert_eq!(whole["detail"], "samples");
    assert_eq!(whole["allocations"], all.len());
    let bytes: u64 = all.iter().map(|it| it.2).sum();
    assert_eq!(whole["bytes_allocated"], bytes);
    assert_eq!(
        (&whole["live"], &whole["live_bytes"]),
        (&json!(51), &Value::Null)
    );
    assert_eq!(whole["peak_bytes"], Value::Null);
    let by_type = |from: u64, to: u64| {
        let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for (time, class, bytes, _) in &all {
            if (from..=to).contains(time) {
                let sum = sums.entry(class.clone()).or_default();
                *sum = (sum.0 + 1, sum.1 + bytes);
            }
        }
        sums
    };
    assert_eq!(entries(&whole), by_type(0, u64::MAX));
    for (from, to) in [
        (0, 100_000_000),
        (50_000_000, 300_000_000),
        (300_000_000, 700_000_000),
    ] {
        let [start, end] = [from, to].map(|it: u64| it.to_string());
        let range = ["--from", &start, "--to", &end];
        let command = [&["objects", path, "--by", "type", "--json"][..], &range].concat();
        let part = json_of(&command);
        assert_eq!(entries(&part), by_type(from, to), "{range:?}");
        assert_eq!(part["live"], Value::Null);
    }
    let reason = refused(&["objects", path, "--at", "50%"]);
    assert!(
        reason.contains("without releases") && reason.contains("--from and --to"),
        "{reason}"
    );
    // That what lived was looked for at the end, it says too.
    let at = whole["at_ns"].as_u64().expect("a time").to_string();
    assert!(reason.contains(&at), "{reason}");
    assert_eq!(
        json_of(&["objects", path, "--at", &at, "--by", "type", "--json"]),
        whole
    );
    let info = json_of(&["info", path, "--json"]);
    assert_eq!(info["memory"]["detail"], "samples");
    assert_eq!(info["memory"]["releases_known"], false);
    assert_eq!(info["memory"]["counters"], json!(["heap used"]));
    let (_, text, _) = run(&["info", path]);
    assert!(
        text.contains("samples of allocations: 48, no releases"),
        "{text}"
    );
}

#[test]
fn an_object_belongs_to_the_entity_of_its_class_or_of_its_creator() {
    let scratch = Scratch::new("objects-map");
    let map = "category PAGES class Hoard$Page\n\
               category TEXT package java.lang\n\
               category HOARD class Hoard\n\
               category NOTHING class org.none.*\n";
    let map = scratch.write("parts.map", map.as_bytes());
    let map = map.to_str().expect("a name");
    let path = data("import/jfr/hoard.jfr.gz");
    let path = path.to_str().expect("a name");
    // The definition: the first entry that matches a qualified class.
    let entity = |class: &str| match class {
        "Hoard$Page" => Some("PAGES"),
        "Hoard" => Some("HOARD"),
        class if class.starts_with("java.lang.") => Some("TEXT"),
        _ => None,
    };
    let of_function = |name: &String| entity(name.rsplit_once('.').map_or("", |it| it.0));
    let mut expected: [BTreeMap<String, (u64, u64)>; 2] = Default::default();
    for (_, class, bytes, stack) in allocations() {
        let of_creator = stack.iter().find_map(of_function);
        let owners = [entity(&class).or(of_creator), of_creator];
        for (sums, owner) in expected.iter_mut().zip(owners) {
            let sum = sums
                .entry(owner.expect("all end in Hoard").to_owned())
                .or_default();
            *sum = (sum.0 + 1, sum.1 + bytes);
        }
    }
    assert_ne!(expected[0], expected[1]);
    for (owner, expected) in ["class", "creator"].into_iter().zip(expected) {
        let found = json_of(&["objects", path, "--map", map, "--owner", owner, "--json"]);
        assert_eq!(entries(&found), expected, "{owner}");
    }
    let (_, _, said) = run(&["objects", path, "--map", map]);
    assert!(
        said.contains("line 4: matches no function and no class"),
        "{said}"
    );
    // What no entry takes is left out, named, and still part of the whole.
    let few = scratch.write("few.map", b"category PAGES class Hoard$Page\n");
    let few = few.to_str().expect("a name");
    let (_, text, said) = run(&[
        "objects", path, "--map", few, "--owner", "creator", "--json",
    ]);
    assert!(
        said.contains("excluded, as no entry matches: objects of"),
        "{said}"
    );
    let found: Value = serde_json::from_str(&text).expect("one document");
    assert_eq!(found["allocations"], 48);
    assert_eq!(entries(&found).len(), 1);
    // An allocator is no class: a catch-all leaves its objects to who called it.
    let catch = scratch.write(
        "catch.map",
        b"category XZ package xz\ncategory REST class *\n",
    );
    let catch = catch.to_str().expect("a name");
    let dhat = data("import/dhat/xz.dhat.json.gz");
    let dhat = dhat.to_str().expect("a name");
    let [by_class, by_creator] = ["class", "creator"]
        .map(|owner| json_of(&["objects", dhat, "--map", catch, "--owner", owner, "--json"]));
    assert_eq!(by_class, by_creator);
}

#[test]
fn objects_without_sizes_are_counted_and_weigh_nothing() {
    let path = data("import/orders.viztracer.json");
    let path = path.to_str().expect("a name");
    let found = json_of(&["objects", path, "--by", "type", "--json"]);
    let expected = json!({"name": "Order", "module": "", "allocations": 12, "bytes_allocated": null,
                          "live": 3, "live_bytes": null});
    assert_eq!(found["entries"][0], expected);
    assert_eq!(
        (&found["peak_bytes"], &found["peak_live"]),
        (&Value::Null, &json!(8))
    );
    assert_eq!(found["bytes_allocated"], Value::Null);
    let (_, text, _) = run(&["info", path]);
    assert!(
        text.contains("every event: 48, sizes not recorded"),
        "{text}"
    );
    assert!(text.contains("measured   memory: rss"), "{text}");
    let earlier = json_of(&["objects", path, "--at", "50%", "--json"]);
    assert!(earlier["live"].as_u64() < found["live"].as_u64());
}

#[test]
fn counters_alone_are_no_objects() {
    let scratch = Scratch::new("objects-counters");
    let trace = r#"[{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":9},
                    {"ph":"C","name":"RSS","pid":1,"ts":3,"args":{"RSS":4096}}]"#;
    let path = scratch.write("trace.json", trace.as_bytes());
    let path = path.to_str().expect("a name");
    let reason = refused(&["objects", path]);
    assert!(
        reason.contains("no allocations") && reason.contains("RSS"),
        "{reason}"
    );
    let info = json_of(&["info", path, "--json"]);
    assert_eq!(info["memory"]["detail"], "counters");
    assert_eq!(info["memory"].get("events"), None);
}

#[test]
fn what_is_known_of_memory_comes_back_from_an_index() {
    let scratch = Scratch::new("objects-index");
    for name in [
        "import/orders.viztracer.json",
        "import/jfr/hoard.jfr.gz",
        "import/jfr/tlab.jfr.gz",
    ] {
        let path = data(name);
        let path = path.to_str().expect("a name");
        let index = scratch.0.join("it.callscape");
        let index = index.to_str().expect("a name");
        let (code, _, error) = run(&["index", path, "-o", index]);
        assert_eq!(code, Some(0), "{error}");
        for by in ["function", "type", "context"] {
            let [first, second] =
                [path, index].map(|it| json_of(&["objects", it, "--by", by, "--json"]));
            assert_eq!(first, second, "{name} by {by}");
        }
        let [first, second] =
            [path, index].map(|it| json_of(&["info", it, "--json"])["memory"].clone());
        assert_eq!(first, second, "{name}");
    }
}

#[test]
fn a_picture_of_what_is_not_told_is_refused() {
    let scratch = Scratch::new("objects-picture");
    let out = scratch.0.join("picture.png");
    let out = out.to_str().expect("a name");
    let [hoard, orders] = ["import/jfr/hoard.jfr.gz", "import/orders.viztracer.json"].map(data);
    for (path, metric, is_told) in [
        (&hoard, "live-bytes", false),
        (&hoard, "churn", false),
        (&hoard, "live-objects", true),
        (&hoard, "allocations", true),
        (&orders, "live-bytes", false),
        (&orders, "live-objects", true),
        (&orders, "churn", true),
    ] {
        let path = path.to_str().expect("a name");
        let arguments = [
            "render", path, "-o", out, "--height", metric, "--size", "640x480",
        ];
        let (code, _, said) = run(&arguments);
        assert_eq!(code == Some(0), is_told, "{path} {metric}: {said}");
        assert!(
            is_told || said.contains("needs a recording with that data"),
            "{said}"
        );
    }
}

/// Calls, objects created in `store.make`, and a thread in which nothing is called, as a Chrome trace.
const MOVING: &str = r#"[
{"ph":"X","name":"app.main","pid":1,"tid":1,"ts":0,"dur":1000},
{"ph":"X","name":"store.make","pid":1,"tid":1,"ts":10,"dur":20},
{"ph":"N","name":"Page","id":"1","pid":1,"tid":1,"ts":12},
{"ph":"N","name":"Page","id":"2","pid":1,"tid":1,"ts":13},
{"ph":"N","name":"Page","id":"3","pid":1,"tid":1,"ts":14},
{"ph":"N","name":"Page","id":"4","pid":1,"tid":1,"ts":15},
{"ph":"N","name":"Page","id":"5","pid":1,"tid":1,"ts":16},
{"ph":"D","name":"Page","id":"1","pid":1,"tid":1,"ts":18},
{"ph":"X","name":"cache.drop","pid":1,"tid":1,"ts":40,"dur":20},
{"ph":"X","name":"free","pid":1,"tid":1,"ts":42,"dur":2},
{"ph":"D","name":"Page","id":"2","pid":1,"tid":1,"ts":43},
{"ph":"D","name":"Page","id":"3","pid":1,"tid":1,"ts":50},
{"ph":"D","name":"Page","id":"4","pid":1,"tid":2,"ts":70},
{"ph":"X","name":"app.main","pid":1,"tid":2,"ts":2000,"dur":1}
]"#;

/// Creator, releaser and objects of each row, in order of names.
fn moves(document: &Value) -> Vec<(String, String, u64)> {
    let rows = document["released"]["elsewhere"].as_array().expect("rows");
    let rows = rows.iter().map(|row| {
        let [creator, releaser] =
            ["creator", "releaser"].map(|it| row[it].as_str().expect("a name").to_owned());
        (
            creator,
            releaser,
            row["objects"].as_u64().expect("a number"),
        )
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort();
    rows
}

#[test]
fn objects_released_by_another_module_are_rows_and_unknown_ones_are_counted() {
    let scratch = Scratch::new("objects-moves");
    let path = scratch.write("moving.json", MOVING.as_bytes());
    let path = path.to_str().expect("a name");
    let map = scratch.write(
        "parts.map",
        b"category APP method app.*\ncategory STORE method store.*\ncategory CACHE method cache.*\n",
    );
    let map = map.to_str().expect("a name");
    let of_map = [
        "objects",
        path,
        "--map",
        map,
        "--owner",
        "creator",
        "--released-elsewhere",
    ];
    let with = |more: &[&str]| json_of(&[&of_map[..], more, &["--json"]].concat());
    let whole = with(&[]);
    let row =
        |creator: &str, releaser: &str, objects| (creator.to_owned(), releaser.to_owned(), objects);
    assert_eq!(moves(&whole), [row("STORE", "CACHE", 2)]);
    let counts = |of: &Value| ["at_home", "unknown"].map(|it| of["released"][it].clone());
    assert_eq!(counts(&whole), [json!(1), json!(1)]);
    assert_eq!(whole["released"]["elsewhere"][0]["bytes"], Value::Null);
    // Before that.
    let early = with(&["--at", "45us"]);
    assert_eq!(moves(&early), [row("STORE", "CACHE", 1)]);
    assert_eq!(counts(&early), [json!(1), json!(0)]);
    let late = with(&["--from", "13500"]);
    assert_eq!(moves(&late), [row("STORE", "CACHE", 1)]);
    assert_eq!(counts(&late), [json!(0), json!(1)]);
    let (_, text, _) = run(&of_map);
    let expected =
        "released   2 elsewhere, 1 by the module that created them, 1 by unknown modules";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("STORE") && text.contains("CACHE"), "{text}");
    // What released is left to the definition in the tests of the analysis; here it is by modules.
    let modules = json_of(&["objects", path, "--released-elsewhere", "--json"]);
    assert_eq!(counts(&modules)[1], json!(1));
    let heap = data("import/heaptrack/python-start.heaptrack.zst");
    let heap = heap.to_str().expect("a name");
    let bare = json_of(&["objects", heap, "--released-elsewhere", "--json"]);
    assert_eq!(bare["released"]["releasers_known"], false);
    assert_eq!(bare["released"]["elsewhere"], json!([]));
    let gone = ["allocations", "live"].map(|it| bare[it].as_u64().expect("a number"));
    assert_eq!(bare["released"]["unknown"], gone[0] - gone[1]);
    let (_, text, _) = run(&["objects", heap, "--released-elsewhere"]);
    assert!(text.contains("has no calls at releases"), "{text}");
    let samples = data("import/jfr/hoard.jfr.gz");
    let samples = samples.to_str().expect("a name");
    let reason = refused(&["objects", samples, "--released-elsewhere"]);
    assert!(reason.contains("contains no releases"), "{reason}");
}
