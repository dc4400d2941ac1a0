//! `callscape contexts` against direct evaluations: of traces made here, and of what other sub-commands say.

use std::collections::BTreeMap;

use serde_json::Value;

use super::common::{self, Random, Scratch, callscape, data, large_data};

fn run(arguments: &[&str]) -> Result<Value, String> {
    let (code, out, error) = common::run(arguments);
    match code {
        Some(0) => Ok(serde_json::from_str(&out).expect("JSON")),
        _ => Err(error),
    }
}

/// Calls, self and total of a path of names.
type ByPath = BTreeMap<Vec<String>, [u64; 3]>;

/// What a document says, by path; it stands in preorder.
fn by_path(document: &Value) -> ByPath {
    let mut paths: Vec<Vec<String>> = Vec::new();
    let mut open: Vec<u64> = Vec::new();
    let mut found = ByPath::new();
    for (place, row) in document["contexts"]
        .as_array()
        .expect("contexts")
        .iter()
        .enumerate()
    {
        assert_eq!(row["id"], place);
        let parent = row["parent"].as_u64();
        while !open.is_empty() && open.last().copied() != parent {
            open.pop();
        }
        assert_eq!(open.last().copied(), parent, "preorder");
        open.push(place as u64);
        let mut path = parent.map_or(Vec::new(), |it| paths[it as usize].clone());
        path.push(row["name"].as_str().expect("a name").to_owned());
        paths.push(path.clone());
        let amounts = ["calls", "self", "total"].map(|it| row[it].as_u64().expect("a number"));
        let sums = found.entry(path).or_default();
        for (sum, amount) in sums.iter_mut().zip(amounts) {
            *sum += amount;
        }
    }
    found
}

/// A call as the trace is made of: thread, function, start, end.
struct Made {
    thread: u64,
    function: u64,
    start: u64,
    end: u64,
    below: Vec<Made>,
}

fn make(random: &mut Random, thread: u64, depth: u64, from: u64, to: u64) -> Vec<Made> {
    let mut calls = Vec::new();
    let mut at = from;
    while depth > 0 && at + 2 < to && random.below(5) > 0 {
        let start = at + random.below((to - at).div_ceil(3));
        let end = start + 1 + random.below(to - start);
        calls.push(Made {
            thread,
            function: random.below(4),
            start,
            end,
            below: make(random, thread, depth - 1, start, end),
        });
        at = end;
    }
    calls
}

fn write(calls: &[Made], out: &mut Vec<String>) {
    for call in calls {
        out.push(format!(
            r#"{{"ph":"X","name":"f{}","pid":1,"tid":{},"ts":{},"dur":{}}}"#,
            call.function,
            call.thread,
            call.start,
            call.end - call.start
        ));
        write(&call.below, out);
    }
}

/// Adds calls by path, within a range of nanoseconds; without recursion where that is asked for.
fn add(calls: &[Made], around: &[String], merges: bool, within: [u64; 2], sums: &mut ByPath) {
    for call in calls {
        let name = format!("f{}", call.function);
        let mut path = around.to_vec();
        match path.iter().position(|it| *it == name) {
            Some(place) if merges => path.truncate(place + 1),
            _ => path.push(name),
        }
        let [start, end] = [call.start, call.end].map(|it| it * 1000);
        let cut = |from: u64, to: u64| to.min(within[1]).saturating_sub(from.max(within[0]));
        let is_there = start < within[1] && within[0] < end;
        let below = call.below.iter();
        let below: u64 = below.map(|it| cut(it.start * 1000, it.end * 1000)).sum();
        if is_there {
            let own = cut(start, end) - below;
            let of = sums.entry(path.clone()).or_default();
            of[0] += 1;
            of[1] += own;
        }
        add(&call.below, &path, merges, within, sums);
    }
}

/// The totals, from what contexts cost themselves.
fn with_totals(mut sums: ByPath) -> ByPath {
    let own: Vec<(Vec<String>, u64)> = sums.iter().map(|it| (it.0.clone(), it.1[1])).collect();
    for (path, own) in own {
        for end in 1..=path.len() {
            sums.get_mut(&path[..end]).expect("what is around is there")[2] += own;
        }
    }
    sums
}

#[test]
fn contexts_are_the_calls_of_all_threads_by_path() {
    for seed in 0..6 {
        let mut random = Random(seed);
        let scratch = Scratch::new("contexts");
        let threads: Vec<Vec<Made>> = (1..4)
            .map(|thread| make(&mut random, thread, 6, thread, 4000))
            .collect();
        let mut events =
            vec![r#"{"ph":"X","name":"first","pid":1,"tid":9,"ts":0,"dur":1}"#.to_owned()];
        threads.iter().for_each(|it| write(it, &mut events));
        let text = format!("[{}]", events.join(",\n"));
        let path = scratch.write("made.json", text.as_bytes());
        let path = path.to_str().expect("a path");
        let expected = |merges: bool, within: [u64; 2], of: &[Vec<Made>]| {
            let mut sums = ByPath::new();
            of.iter()
                .for_each(|it| add(it, &[], merges, within, &mut sums));
            with_totals(sums)
        };
        let whole = [0, u64::MAX];
        let found = |arguments: &[&str]| {
            let all = [&["contexts", path, "--json"], arguments].concat();
            let document = run(&all).expect("contexts");
            assert_eq!(document["unit"], "ns");
            let mut found = by_path(&document);
            found.remove(&vec!["first".to_owned()]);
            found
        };
        assert_eq!(found(&[]), expected(false, whole, &threads), "seed {seed}");
        let merged = expected(true, whole, &threads);
        assert_eq!(found(&["--merge-recursion"]), merged, "seed {seed}");
        let part = ["--from", "1000500", "--to", "2000500"];
        let within = [1_000_500, 2_000_500];
        assert_eq!(
            found(&part),
            expected(false, within, &threads),
            "seed {seed}"
        );
        let one = expected(false, whole, &threads[1..2]);
        // A thread without calls is none.
        if !threads[1].is_empty() {
            assert_eq!(found(&["--thread", "2"]), one, "seed {seed}");
        }
        for (path, [calls, own, total]) in found(&["--by-function"]) {
            let all = expected(false, whole, &threads);
            let of = all.iter().filter(|it| it.0.last() == path.last());
            let sums = of.fold([0, 0], |sums, it| [sums[0] + it.1[0], sums[1] + it.1[1]]);
            assert_eq!(([calls, own], total), (sums, own), "seed {seed}");
            assert_eq!(path.len(), 1);
        }
    }
}

/// What one value of a profile weighs, and in which unit; callgrind has no contexts.
#[test]
fn profiles_have_the_contexts_that_their_format_tells() {
    let folded = data("import/folded/markdown-render.folded.gz");
    let folded = folded.to_str().expect("a path");
    let document = run(&["contexts", folded, "--json"]).expect("contexts");
    let outermost = by_path(&document).into_iter().filter(|it| it.0.len() == 1);
    let total: u64 = outermost.map(|it| it.1[2]).sum();
    let functions = run(&["functions", folded, "--json"]).expect("functions");
    let own = functions.as_array().expect("rows").iter();
    let own: u64 = own
        .map(|it| it["self_ns"].as_u64().expect("a number"))
        .sum();
    assert_eq!(total, own);
    assert_eq!(document["unit"], "samples");
    let scratch = Scratch::new("contexts-callgrind");
    let text =
        b"# callgrind format\nevents: Ir\nfn=main\n1 100\ncfn=f\ncalls=3 1\n2 50\nfn=f\n1 50\n";
    let path = scratch.write("callgrind.out.1", text);
    let error = run(&["contexts", path.to_str().expect("a path"), "--json"]);
    let error = error.expect_err("no contexts");
    assert!(
        error.contains("no call paths") && error.contains("callscape functions"),
        "{error}"
    );
    let error = run(&["contexts", folded, "--json", "--thread", "1"]).expect_err("no threads");
    assert!(error.contains("without times"), "{error}");
}

/// A text for people: the hottest first, deep calls by a number.
#[test]
fn the_table_shows_the_hottest_first() {
    let scratch = Scratch::new("contexts-table");
    let deep: Vec<String> = (0..60).map(|it| format!("d{it}")).collect();
    let text = format!("a;b 30\na;c 60\n{} 10\nx 0\n", deep.join(";"));
    let path = scratch.write("made.folded", text.as_bytes());
    let output = callscape()
        .arg("contexts")
        .arg(&path)
        .output()
        .expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let names: Vec<&str> = text
        .lines()
        .skip(1)
        .filter_map(|it| it.split_whitespace().last())
        .collect();
    assert_eq!(names[..4], ["a", "c", "b", "d0"], "{text}");
    assert!(text.contains("[50] d50"), "{text}");
    let shallow = callscape()
        .arg("contexts")
        .arg(&path)
        .args(["--depth", "1"])
        .output();
    let text = String::from_utf8(shallow.expect("the program starts").stdout).expect("text");
    assert_eq!(text.lines().count(), 3, "{text}");
}

/// On real recordings: what all contexts of a function have is what the table of functions says.
#[test]
fn contexts_of_real_recordings_are_those_of_their_functions() {
    for name in [
        "uftrace/sqlite-join-optimized",
        "chrome/toml-threads.viztracer.json.gz",
        "cpuprofile/prettier-acorn.cpuprofile.gz",
        "folded/markdown.py-spy.folded",
    ] {
        let Some(path) = large_data(name) else {
            return;
        };
        let path = path.to_str().expect("a path");
        let functions = run(&["functions", path, "--json"]).expect("functions");
        let mut expected: BTreeMap<(String, String), [u64; 2]> = BTreeMap::new();
        let key =
            |it: &Value| ["name", "module"].map(|of| it[of].as_str().expect("a text").to_owned());
        for row in functions.as_array().expect("rows") {
            let [name, module] = key(row);
            let sums = expected.entry((name, module)).or_default();
            sums[0] += row["calls"].as_u64().expect("a number");
            sums[1] += row["self_ns"].as_u64().expect("a number");
        }
        for arguments in [&[][..], &["--merge-recursion"], &["--by-function"]] {
            let document = run(&[&["contexts", path, "--json"], arguments].concat());
            let document = document.expect("contexts");
            by_path(&document);
            let mut found: BTreeMap<(String, String), [u64; 2]> = BTreeMap::new();
            for row in document["contexts"].as_array().expect("contexts") {
                let [name, module] = key(row);
                let sums = found.entry((name, module)).or_default();
                sums[0] += row["calls"].as_u64().expect("a number");
                sums[1] += row["self"].as_u64().expect("a number");
            }
            expected.retain(|key, sums| *sums != [0, 0] || found.contains_key(key));
            assert_eq!(found, expected, "{name} {arguments:?}");
        }
    }
}

#[test]
fn call_sites_are_refused_with_the_reason() {
    let refused = |file: &str, more: &[&str], why: &str| {
        let file = data(file);
        let mut arguments = vec!["contexts", file.to_str().expect("a path"), "--call-sites"];
        arguments.extend(more);
        let said = run(&arguments).expect_err("nothing is listed");
        let is_said = said.contains("--call-sites") && said.contains(why);
        assert!(is_said, "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    };
    let trace = "import/syn-spans.tracing-chrome.json";
    refused(trace, &[], "has no lines of calls");
    refused(
        "import/cpuprofile/words.cpuprofile",
        &[],
        "not those of calls",
    );
    refused("import/callgrind/lines.callgrind.out", &[], "no call paths");
    let sampled = "import/speedscope/spin.speedscope.json";
    refused(sampled, &["--from", "50%"], "no range or thread");
}

/// Recordings that have the lines of calls by call path.
const WITH_CALL_SITES: [&str; 7] = [
    "import/hprof/figure1.hprof.txt",
    "import/jfr/spin.jfr.gz",
    "import/jfr/rest.jfr.gz",
    "import/perf-script/inlined.perf.txt",
    "import/perf-script/lines.perf.txt",
    "import/pprof/markdown-render.pb.gz",
    "import/speedscope/spin.speedscope.json",
];

/// Contexts by call site add up to the contexts merged by path of functions, in each value, and no two siblings are one; the
/// index gives the same.
#[test]
fn contexts_by_call_site_add_up_to_those_by_path() {
    let mut more = 0;
    for name in WITH_CALL_SITES {
        let path = data(name);
        let path = path.to_str().expect("a path");
        let info = run(&["info", path, "--json"]).expect("it is read");
        let values = info["values"].as_array().expect("values");
        for value in values {
            let value = value["name"].as_str().expect("a name");
            let of = |more: &[&str]| {
                let mut arguments = vec!["contexts", path, "--value", value, "--json"];
                arguments.extend(more);
                run(&arguments).expect("it has contexts")
            };
            let (merged, by_site) = (of(&[]), of(&["--call-sites"]));
            let mut expected = by_path(&merged);
            let found = by_path(&by_site);
            expected.retain(|path, sums| found.contains_key(path) || *sums != [0; 3]);
            assert_eq!(found, expected, "{name} {value}");
            let rows = by_site["contexts"].as_array().expect("contexts");
            let key = |row: &Value| {
                let fields = ["parent", "name", "module", "call_file", "call_line"];
                fields.map(|it| row[it].to_string())
            };
            let mut keys: Vec<_> = rows.iter().map(key).collect();
            let sited = |row: &&Value| row["call_line"].as_u64().is_some_and(|it| it > 0);
            assert!(rows.iter().filter(sited).count() > 0, "{name}");
            let outermost = rows.iter().filter(|it| it["parent"].is_null());
            assert!(outermost.clone().all(|it| it["call_line"].is_null()));
            more += rows.len() - found.len();
            keys.sort();
            keys.dedup();
            assert_eq!(keys.len(), rows.len(), "{name} {value}");
        }
    }
    assert!(more > 0, "no function is called from two lines");
}

/// `--root` has what the whole tree has below it; by function, that added up.
#[test]
fn a_root_has_what_is_below_it_whatever_is_merged() {
    let scratch = Scratch::new("contexts-root");
    let text = b"main;a;b 1\nmain;a;b;a;c 20\nmain;b 300\nmain;b;c 4000\nother;c 50000\n";
    let path = scratch.write("made.folded", text);
    let path = path.to_str().expect("a path");
    let found = |arguments: &[&str]| {
        let document = run(&[&["contexts", path, "--json"], arguments].concat());
        let found = by_path(&document.expect("contexts")).into_iter();
        let found = found.map(|(path, [_, own, total])| (path.join(" "), own, total));
        found.collect::<Vec<_>>()
    };
    let expected = |of: &[(&str, u64, u64)]| {
        let of = of.iter().map(|it| (it.0.to_owned(), it.1, it.2));
        of.collect::<Vec<_>>()
    };
    // Of several, the most expensive; with callers, that one.
    let largest = expected(&[("b", 300, 4300), ("b c", 4000, 4000)]);
    assert_eq!(found(&["--root", "b"]), largest);
    assert_eq!(found(&["--root", "main -> b"]), largest);
    let inner = [("b", 1, 21), ("b a", 0, 20), ("b a c", 20, 20)];
    assert_eq!(found(&["--root", "a -> b"]), expected(&inner));
    let main = [
        ("a", 0, 0),
        ("b", 301, 301),
        ("c", 4020, 4020),
        ("main", 0, 0),
    ];
    assert_eq!(found(&["--root", "main", "--by-function"]), expected(&main));
    let inner = [("a", 0, 0), ("b", 1, 1), ("c", 20, 20)];
    assert_eq!(
        found(&["--root", "a -> b", "--by-function"]),
        expected(&inner)
    );
    let without = [("a", 0, 21), ("a b", 1, 1), ("a c", 20, 20)];
    assert_eq!(
        found(&["--root", "a", "--merge-recursion"]),
        expected(&without)
    );
    for absent in ["d", "b -> main", ""] {
        let said = run(&["contexts", path, "--root", absent]).expect_err("no such context");
        assert!(
            said.contains("--root") && said.contains("callscape contexts"),
            "{said}"
        );
    }
}
