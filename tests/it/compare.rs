//! `callscape compare` against direct evaluations of the definitions, and on what it must not stumble over.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::common::{Random, Scratch, callscape, data, large_data};

struct Answer {
    code: Option<i32>,
    out: String,
    err: String,
}

fn run(arguments: &[&str]) -> Answer {
    let output = callscape().arg("compare").args(arguments).output();
    let output = output.expect("the program runs");
    Answer {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of letters")
}

fn document(arguments: &[&str]) -> Value {
    let answer = run(&[arguments, &["--json"]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    serde_json::from_str(&answer.out).expect("one JSON document")
}

/// A call as the tests make them: function, start and end in nanoseconds, subcalls.
struct Made {
    function: usize,
    start: u64,
    end: u64,
    below: Vec<Made>,
}

/// A random call tree whose times are whole microseconds.
fn make(random: &mut Random, functions: u64, depth: u32, now: &mut u64) -> Made {
    let start = *now;
    *now += 1000 * random.below(4);
    let mut below = Vec::new();
    if depth > 0 {
        for _ in 0..random.below(4) {
            below.push(make(random, functions, depth - 1, now));
            *now += 1000 * random.below(3);
        }
    }
    *now += 1000 * (1 + random.below(5));
    Made {
        function: random.below(functions) as usize,
        start,
        end: *now,
        below,
    }
}

fn events(call: &Made, names: &[String], out: &mut Vec<Value>) {
    out.push(json!({"ph": "B", "name": names[call.function], "pid": 1, "tid": 1, "ts": call.start as f64 / 1000.0}));
    for below in &call.below {
        events(below, names, out);
    }
    out.push(json!({"ph": "E", "name": names[call.function], "pid": 1, "tid": 1, "ts": call.end as f64 / 1000.0}));
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    calls: u64,
    total: u64,
    own: u64,
}

type Functions = BTreeMap<String, Sums>;
type Relations = BTreeMap<(String, String), (u64, u64)>;

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

fn write_trace(scratch: &Scratch, name: &str, call: &Made, names: &[String]) -> std::path::PathBuf {
    let mut list = Vec::new();
    events(call, names, &mut list);
    scratch.write(name, Value::Array(list).to_string().as_bytes())
}

fn side(value: &Value) -> Sums {
    let field = |name: &str| value[name].as_u64().expect("a whole number");
    Sums {
        calls: field("calls"),
        total: field("total_ns"),
        own: field("self_ns"),
    }
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

/// A trace in which `main` calls each function so many times in a row, each taking so many microseconds; functions
/// may have a file and line.
fn flat(scratch: &Scratch, name: &str, calls: &[(&str, &str, u32, u32)]) -> std::path::PathBuf {
    let mut now = 1;
    let mut list = Vec::new();
    for &(function, file, count, us) in calls {
        for _ in 0..count {
            let location = match file {
                "" => function.to_owned(),
                file => format!("{function} ({file})"),
            };
            list.push(
                json!({"ph": "X", "name": location, "pid": 1, "tid": 1, "ts": now, "dur": us}),
            );
            now += us;
        }
    }
    list.insert(0, json!({"ph": "X", "name": "main (/app/main.py:1)", "pid": 1, "tid": 1, "ts": 0, "dur": now + 1}));
    let document = json!({"traceEvents": list, "viztracer_metadata": {"version": "1.0"}});
    scratch.write(name, document.to_string().as_bytes())
}

fn row<'a>(document: &'a Value, name: &str) -> &'a Value {
    let rows = document["functions"].as_array().expect("a list");
    let found = rows.iter().find(|row| row["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is in {document}"))
}

#[test]
fn compare_finds_functions_again_that_moved_or_were_renamed() {
    let scratch = Scratch::new("compare-pairs");
    let a = flat(
        &scratch,
        "a.json",
        &[
            ("keep", "/app/v1/one.py:3", 2, 5),
            ("Parser.parse_tokens", "/app/v1/one.py:9", 4, 50),
            ("walk", "/app/v1/two.py:1", 1, 5),
            ("tree", "/app/v1/two.py:10", 1, 5),
            ("lost", "/app/v1/two.py:20", 3, 5),
        ],
    );
    let b = flat(
        &scratch,
        "b.json",
        &[
            ("keep", "/app/v2/one.py:5", 2, 5),
            ("Parser.parse_all_tokens", "/app/v2/one.py:11", 4, 10),
            ("walk", "/app/v2/sub/two.py:1", 1, 5),
            ("tree", "/app/v2/sub/two.py:10", 1, 5),
            ("brand_new", "/app/v2/sub/two.py:30", 2, 5),
        ],
    );
    let found = document(&[text(&a), text(&b)]);
    let renamed = row(&found, "Parser.parse_all_tokens");
    assert_eq!(renamed["before"]["how"], "renamed");
    assert_eq!(renamed["before"]["name"], "Parser.parse_tokens");
    assert_eq!(side(&renamed["a"]).own, 200_000);
    assert_eq!(side(&renamed["b"]).own, 40_000);
    assert_eq!(found["functions"][0]["name"], "Parser.parse_all_tokens");
    for name in ["keep", "walk", "tree"] {
        assert_eq!(row(&found, name)["change"], "both", "{name}");
    }
    assert_eq!(row(&found, "lost")["change"], "gone");
    assert_eq!(row(&found, "brand_new")["change"], "added");
    assert_eq!(found["paired"]["only_a"], 1);
    assert_eq!(found["paired"]["only_b"], 1);

    // Corrected by the user: nothing is guessed, the lost one is the new one.
    let found = document(&[text(&a), text(&b), "--exact", "--pair", "lost=brand_new"]);
    assert_eq!(row(&found, "Parser.parse_tokens")["change"], "gone");
    assert_eq!(row(&found, "brand_new")["before"]["how"], "given");
    let pairs = scratch.write(
        "pairs",
        b"# what we know\nParser.parse_tokens =\nlost = brand_new\n",
    );
    let found = document(&[text(&a), text(&b), "--pairs", text(&pairs)]);
    assert_eq!(row(&found, "Parser.parse_tokens")["change"], "gone");
    assert_eq!(row(&found, "brand_new")["before"]["name"], "lost");
    let answer = run(&[text(&a), text(&b), "--pair", "nobody=keep"]);
    assert!(
        answer.err.contains("nobody: A has no function"),
        "{}",
        answer.err
    );

    // A function renamed into one that existed is not taken for it.
    let c = flat(&scratch, "c.json", &[("walk", "/app/v1/two.py:1", 6, 5)]);
    let found = document(&[text(&a), text(&c)]);
    assert_eq!(side(&row(&found, "walk")["a"]).calls, 1);
    assert_eq!(side(&row(&found, "walk")["b"]).calls, 6);
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
    let mut side = |letter: char, sort: u32| -> Vec<String> {
        let runs = (0..5).map(|run| {
            let mut noisy = |us: u32| us + random.below(u64::from(us) / 4) as u32;
            let calls = [
                ("steady", "/app/s.py:1", 3, noisy(2000)),
                ("sort", "/app/s.py:9", 2, noisy(sort)),
            ];
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
    assert_eq!(found["functions"][0]["name"], "sort");
    assert_eq!(row(&found, "sort")["noise"], false);
    assert_eq!(row(&found, "steady")["noise"], true);
    assert_eq!(found["runs"]["a"].as_array().map(Vec::len), Some(5));
    let answer = run(&arguments);
    assert!(answer.out.contains("noise"), "{}", answer.out);
}

#[test]
fn unlike_recordings_are_compared_as_far_as_they_can_be() {
    let scratch = Scratch::new("compare-unlike");
    let trace = flat(
        &scratch,
        "a.json",
        &[("hot", "", 3, 50), ("cold", "", 1, 50)],
    );
    let folded = scratch.write("b.folded", b"main;hot 60\nmain;cold 20\nmain 20\n");
    let found = document(&[text(&trace), text(&folded), "--sort", "self"]);
    assert_eq!(found["compared"], "shares");
    let said = found["warnings"].to_string();
    assert!(said.contains("shares") && said.contains("folded"), "{said}");
    let hot = row(&found, "hot");
    assert!(
        (hot["compared"]["b"].as_f64().expect("a share") - 0.6).abs() < 1e-9,
        "{hot}"
    );
    assert_eq!(side(&hot["a"]).own, 150_000);
    // A limit in times means nothing there, a ratio does.
    let (a, b) = (text(&trace), text(&folded));
    assert_eq!(run(&[a, b, "--fail-if", "self(hot) > 5ms"]).code, Some(1));
    assert_eq!(run(&[a, b, "--fail-if", "self(hot) > 5x"]).code, Some(0));

    let empty = scratch.write("empty.json", b"[]");
    let found = document(&[text(&trace), text(&empty)]);
    assert!(found["warnings"].to_string().contains("no calls"));
    assert_eq!(row(&found, "hot")["change"], "gone");
    let found = document(&[text(&empty), text(&empty)]);
    assert_eq!(found["functions"].as_array().map(Vec::len), Some(0));

    let other = flat(
        &scratch,
        "c.json",
        &[
            ("unlike", "/x/y.rb:1", 3, 50),
            ("anything", "/x/y.rb:7", 1, 5),
        ],
    );
    let third = flat(
        &scratch,
        "d.json",
        &[
            ("else", "/z/q.go:1", 3, 50),
            ("whatever", "/z/q.go:7", 1, 5),
            ("so", "/z/q.go:9", 1, 5),
            ("on", "/z/q.go:19", 1, 5),
        ],
    );
    let said = document(&[text(&other), text(&third)])["warnings"].to_string();
    // `main` is the only one in both, of three.
    assert!(!said.contains("Formats"), "{said}");

    // Thousands on one side only, and a name that breaks tables.
    let many: Vec<String> = (0..4000).map(|i| format!("f{i}")).collect();
    let many: Vec<(&str, &str, u32, u32)> = many.iter().map(|it| (it.as_str(), "", 1, 1)).collect();
    let many = flat(&scratch, "many.json", &many);
    let found = document(&[text(&trace), text(&many)]);
    assert_eq!(found["paired"]["only_b"], 4000);

    let truncated = std::fs::read(&trace).expect("the trace");
    let truncated = scratch.write("cut.json", &truncated[..truncated.len() * 2 / 3]);
    let answer = run(&[text(&trace), text(&truncated), "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.err.contains("repair"), "{}", answer.err);
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

/// The pairs of the large set, against what uftrace and facts.py found in them.
#[test]
fn known_differences_of_real_pairs_stand_first() {
    let Some(folder) = large_data("uftrace") else {
        return;
    };
    let path = |name: &str| folder.join(name);
    let (a, b) = (
        path("sqlite-join-unoptimized"),
        path("sqlite-join-optimized"),
    );
    let found = document(&[text(&a), text(&b)]);
    assert_eq!(found["functions"][0]["name"], "sqlite3VdbeExec");
    let main = row(&found, "main");
    assert_eq!(side(&main["a"]).total, 146_456_714);
    assert_eq!(side(&main["b"]).total, 28_638_167);
    let memcpy = row(&found, "memcpy");
    assert_eq!(
        (side(&memcpy["a"]).calls, side(&memcpy["b"]).calls),
        (37_106, 5_537)
    );
}

#[test]
fn small_real_recordings_do_not_differ_from_themselves() {
    for name in ["uftrace", "speedscope", "callgrind", "pprof", "folded"] {
        let folder = data("import").join(name);
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let mut files: Vec<_> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
        files.sort();
        let Some(file) = files.first() else {
            continue;
        };
        let answer = run(&[text(file), text(file)]);
        if answer.code == Some(0) {
            assert!(
                answer.out.contains("no function differs"),
                "{name}: {}",
                answer.out
            );
        }
    }
}

/// The colours of a picture.
fn pixels(path: &Path) -> Vec<[u8; 3]> {
    let file = std::fs::File::open(path).expect("the picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file))
        .read_info()
        .expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("pixels");
    bytes
        .chunks_exact(4)
        .map(|it| [it[0], it[1], it[2]])
        .collect()
}

/// How many pixels are clearly blue, and clearly orange.
fn blue_and_orange(path: &Path) -> [usize; 2] {
    let all = pixels(path);
    // Below the captions and above the legend.
    let inside = &all[all.len() / 8..all.len() * 7 / 8];
    let count = |is: &dyn Fn(i32, i32, i32) -> bool| {
        let seen = inside
            .iter()
            .filter(|[r, g, b]| is(i32::from(*r), i32::from(*g), i32::from(*b)));
        seen.count()
    };
    [count(&|r, _, b| b > r + 60), count(&|r, _, b| r > b + 60)]
}

#[test]
fn pictures_show_less_in_blue_and_more_in_orange_and_mirror() {
    let scratch = Scratch::new("compare-pictures");
    let calls = |sort: u32, parse: u32| {
        [
            ("sort", "/app/p.py:1", 2, sort),
            ("parse", "/app/p.py:9", 2, parse),
            ("keep", "/app/q.py:1", 1, 100),
        ]
    };
    let a = flat(&scratch, "a.json", &calls(900, 100));
    let b = flat(&scratch, "b.json", &calls(100, 100));
    let picture = |a: &Path, b: &Path, name: &str| {
        let path = scratch.0.join(name);
        let answer = run(&[
            text(a),
            text(b),
            "-o",
            text(&path),
            "--size",
            "640x480",
            "--no-arcs",
        ]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        assert!(answer.out.is_empty(), "{}", answer.out);
        path
    };
    let [blue, orange] = blue_and_orange(&picture(&a, &b, "less.png"));
    assert!(blue > 500 && orange == 0, "{blue} {orange}");
    let [blue, orange] = blue_and_orange(&picture(&b, &a, "more.png"));
    assert!(blue == 0 && orange > 500, "{blue} {orange}");
    let [blue, orange] = blue_and_orange(&picture(&a, &a, "same.png"));
    assert_eq!([blue, orange], [0, 0]);

    // A report holds both pictures and all tables, and nothing of a name is taken for markup.
    let wild = flat(
        &scratch,
        "wild.json",
        &[
            ("<script>alert('x')</script>", "", 3, 50),
            ("sort", "/app/p.py:1", 2, 500),
        ],
    );
    let report = scratch.0.join("report.html");
    let answer = run(&[
        text(&a),
        text(&wild),
        "-o",
        text(&report),
        "--size",
        "320x240",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let page = std::fs::read_to_string(&report).expect("the report");
    assert_eq!(page.matches("data:image/png;base64,").count(), 3);
    assert!(page.contains("Call tree") && page.contains("<details"));
    assert_eq!(
        page.matches("<details").count(),
        page.matches("</details>").count()
    );
    assert!(page.contains("&lt;script&gt;alert") && !page.contains("<script"));
    assert!(page.contains("Call relations") && page.contains("callscape compare"));
    assert!(!page.contains("src=\"http") && !page.contains("href="));
    assert_eq!(
        run(&[text(&a), text(&b), "-o", "/nowhere/x.png"]).code,
        Some(1)
    );
    assert_eq!(run(&[text(&a), text(&b), "-o", "x.gif"]).code, Some(1));
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
fn both_runs_are_drawn_along_one_time_axis() {
    let scratch = Scratch::new("compare-along");
    let calls = |sort: u32| {
        [
            ("keep", "/app/q.py:1", 1, 100),
            ("sort", "/app/p.py:1", 2, sort),
            ("parse", "/app/p.py:9", 2, 100),
        ]
    };
    let a = flat(&scratch, "a.json", &calls(900));
    let b = flat(&scratch, "b.json", &calls(100));
    for view in ["flame", "mural"] {
        for align in ["share", "time", "events", "calls"] {
            let picture = |a: &Path, b: &Path, name: &str| {
                let path = scratch.0.join(name);
                let mut arguments = vec![text(a), text(b), "-o", text(&path), "--view", view];
                arguments.extend(["--align", align, "--size", "640x400"]);
                let answer = run(&arguments);
                assert_eq!(answer.code, Some(0), "{}", answer.err);
                // The band between them says by how much B is slower or faster.
                let colors = pixels(&path);
                let plots = [40 * 640..150 * 640, 260 * 640..360 * 640];
                plots.map(|plot| {
                    let count = |is: &dyn Fn(i32, i32) -> bool| {
                        let seen = colors[plot.clone()].iter();
                        seen.filter(|it| is(i32::from(it[0]), i32::from(it[2])))
                            .count()
                    };
                    [count(&|r, b| b > r + 40), count(&|r, b| r > b + 40)]
                })
            };
            let less = picture(&a, &b, "less.png");
            let more = picture(&b, &a, "more.png");
            let said = format!("{view} {align}: {less:?} {more:?}");
            assert!(less[0][0] > 400 && more[0][1] + more[1][1] > 400, "{said}");
            assert!(more[0][0] + more[1][0] == 0, "{said}");
            assert!(less[0][1] + less[1][1] == 0, "{said}");
        }
    }
    // A profile has no times to lay along an axis.
    let folded = scratch.write("c.folded", b"main;sort 60\nmain 20\n");
    let out = scratch.0.join("no.png");
    let answer = run(&[text(&a), text(&folded), "-o", text(&out), "--view", "flame"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.err.contains("need times"), "{}", answer.err);
    // A page of the two holds what can be drawn.
    let page = scratch.0.join("page.html");
    let answer = run(&[
        text(&a),
        text(&folded),
        "-o",
        text(&page),
        "--size",
        "320x240",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let page = std::fs::read_to_string(&page).expect("the report");
    assert_eq!(page.matches("data:image/png;base64,").count(), 2);
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
fn two_files_of_one_distributed_trace_are_compared_when_that_is_asked_for() {
    let scratch = Scratch::new("compare-otlp");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/import/otlp/shop.jsonl");
    let bytes = std::fs::read(&file).expect("the spans");
    let [a, b] = ["a.jsonl", "b.jsonl"].map(|name| scratch.write(name, &bytes));
    let found = document(&[text(&a), text(&b)]);
    assert_eq!(found["runs"]["a"].as_array().map(Vec::len), Some(1));
    assert_eq!(found["runs"]["b"].as_array().map(Vec::len), Some(1));
    let answer = run(&[text(&a), text(&b)]);
    assert!(answer.out.contains("no function differs"), "{}", answer.out);
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
