//! Costs in a range: what `functions`, `graph`, `contexts`, `phases` and `lines` say against the definition evaluated call
//! by call, and against each other on real recordings.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::common::{self, Random, Scratch, data, large_data};

fn json(arguments: &[&str]) -> Value {
    let (code, out, error) = common::run(&[arguments, &["--json"]].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {error}");
    serde_json::from_str(&out).expect("JSON")
}

/// A call with the numbers of those around it, outermost first.
struct Made {
    thread: u64,
    function: u64,
    start: u64,
    end: u64,
    around: Vec<usize>,
}

fn make(random: &mut Random, all: &mut Vec<Made>, thread: u64, around: &[usize], span: [u64; 2]) {
    let mut at = span[0];
    while around.len() < 6 && at + 2 < span[1] && random.below(5) > 0 {
        let start = at + random.below((span[1] - at).div_ceil(3));
        let end = start + 1 + random.below(span[1] - start);
        let function = random.below(4);
        let inner = [around, &[all.len()]].concat();
        all.push(Made {
            thread,
            function,
            start,
            end,
            around: around.to_vec(),
        });
        make(random, all, thread, &inner, [start, end]);
        at = end;
    }
}

/// What of each call counts, by the definition of each way.
fn parts(all: &[Made], [from, to]: [u64; 2], way: &str) -> Vec<Option<[u64; 2]>> {
    let in_time = |it: &Made| from < it.start && it.end < to;
    let part = |(number, call): (usize, &Made)| match way {
        "parts" => {
            (call.start < to && from < call.end).then_some([call.start.max(from), call.end.min(to)])
        }
        "none" => (from <= call.start && call.end <= to).then_some([call.start, call.end]),
        _ => {
            let mut inner = all.iter().filter(|it| it.around.contains(&number));
            (in_time(call) || inner.any(in_time)).then_some([call.start, call.end])
        }
    };
    all.iter().enumerate().map(part).collect()
}

/// Calls, cost or total, and self cost by function, by relation, and by path of functions.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    functions: BTreeMap<String, [u64; 3]>,
    /// The last is the moments.
    relations: BTreeMap<[String; 2], [u64; 4]>,
    contexts: BTreeMap<Vec<String>, [u64; 2]>,
}

fn direct(all: &[Made], parts: &[Option<[u64; 2]>]) -> Sums {
    let mut sums = Sums::default();
    let name = |number: usize| format!("f{}", all[number].function);
    for (number, call) in all.iter().enumerate() {
        let Some(part) = parts[number] else { continue };
        let length = |from: u64, to: u64| to.min(part[1]).saturating_sub(from.max(part[0]));
        let cost = part[1] - part[0];
        let below = all.iter().filter(|it| it.around.last() == Some(&number));
        let own = cost - below.map(|it| length(it.start, it.end)).sum::<u64>();
        let counted = || call.around.iter().filter(|it| parts[**it].is_some());
        let is_nested = counted().any(|it| name(*it) == name(number));
        let of = sums.functions.entry(name(number)).or_default();
        of[0] += 1;
        of[1] += if is_nested { 0 } else { cost };
        of[2] += own;
        if let Some(&caller) = call.around.last() {
            let pair = [name(caller), name(number)];
            let is_again = counted().any(|it| {
                let around = all[*it].around.last();
                around.is_some_and(|around| [name(*around), name(*it)] == pair)
            });
            let of = sums.relations.entry(pair).or_default();
            of[0] += 1;
            of[1] += cost;
            of[2] += own;
            of[3] += if is_again { 0 } else { cost };
        }
        let path = call.around.iter().chain([&number]).map(|it| name(*it));
        let of = sums.contexts.entry(path.collect()).or_default();
        of[0] += 1;
        of[1] += own;
    }
    sums
}

fn number(row: &Value, field: &str) -> u64 {
    row[field].as_u64().expect("a number")
}

fn text(row: &Value, field: &str) -> String {
    row[field].as_str().expect("a text").to_owned()
}

/// The same as the program says it. Contexts without calls are only around others.
fn told(recording: &str, range: &[&str]) -> Sums {
    let of = |command: &str| json(&[&[command, recording], range].concat());
    let mut sums = Sums::default();
    for row in of("functions").as_array().expect("rows") {
        let amounts = ["calls", "total_ns", "self_ns"].map(|it| number(row, it));
        let name = text(row, "name") + &named(&text(row, "module"));
        let sum = sums.functions.entry(name).or_default();
        sum.iter_mut().zip(amounts).for_each(|(sum, it)| *sum += it);
    }
    for row in of("graph")["relations"].as_array().expect("rows") {
        let fields = ["calls", "cost_ns", "self_cost_ns", "moments_ns"];
        let ends = ["from", "to"].map(|it| {
            let module = text(row, &format!("{it}_module"));
            text(row, it) + &named(&module)
        });
        let sum = sums.relations.entry(ends).or_default();
        let amounts = fields.map(|it| number(row, it));
        sum.iter_mut().zip(amounts).for_each(|(sum, it)| *sum += it);
    }
    let mut paths: Vec<Vec<String>> = Vec::new();
    for row in of("contexts")["contexts"].as_array().expect("rows") {
        let parent = row["parent"].as_u64();
        let mut path = parent.map_or(Vec::new(), |it| paths[it as usize].clone());
        path.push(text(row, "name") + &named(&text(row, "module")));
        if number(row, "calls") > 0 {
            let of = sums.contexts.entry(path.clone()).or_default();
            of[0] += number(row, "calls");
            of[1] += number(row, "self");
        }
        paths.push(path);
    }
    sums
}

/// The same as `compare` says it of a side; it knows no moments.
fn compared([a, b]: [&str; 2], side: &str, range: &[&str]) -> Sums {
    let of = json(&[&["compare", a, b, "--contexts"], range].concat());
    assert_eq!(of["enclosing"].as_str(), range.last().copied());
    let sides = |row: &Value, fields: [&str; 3]| fields.map(|it| number(&row[side], it));
    let rows = |field: &str| of[field].as_array().expect("rows").clone();
    let mut sums = Sums::default();
    for row in rows("functions") {
        let amounts = sides(&row, ["calls", "total_ns", "self_ns"]);
        if amounts[0] > 0 {
            sums.functions.insert(text(&row, "name"), amounts);
        }
    }
    for row in rows("relations") {
        let [calls, cost, own] = sides(&row, ["calls", "cost_ns", "self_cost_ns"]);
        let ends = ["from", "to"].map(|it| text(&row, it));
        sums.relations.insert(ends, [calls, cost, own, 0]);
    }
    for row in rows("contexts") {
        let [calls, _, own] = sides(&row, ["calls", "total_ns", "self_ns"]);
        let path = row["path"].as_array().expect("a path").iter();
        let path = path.map(|it| it.as_str().expect("a name").to_owned());
        if calls > 0 {
            sums.contexts.insert(path.collect(), [calls, own]);
        }
    }
    sums
}

/// Modules tell functions of one name apart; those made here need none.
fn named(module: &str) -> String {
    match module.contains('/') {
        true => format!(" in {module}"),
        false => String::new(),
    }
}

#[test]
fn every_command_counts_what_the_definition_says() {
    for seed in 0..5 {
        let (mut random, mut all) = (Random(seed), Vec::new());
        for thread in 1..4 {
            make(&mut random, &mut all, thread, &[], [thread, 4000]);
        }
        let mut events =
            vec![r#"{"ph":"X","name":"first","pid":1,"tid":9,"ts":0,"dur":1}"#.to_owned()];
        events.extend(all.iter().map(|it| {
            let (start, length) = (it.start, it.end - it.start);
            format!(
                r#"{{"ph":"X","name":"f{}","pid":1,"tid":{},"ts":{start},"dur":{length}}}"#,
                it.function, it.thread
            )
        }));
        let scratch = Scratch::new("ranges");
        let made = format!("[{}]", events.join(",\n"));
        let path = scratch.write("made.json", made.as_bytes());
        let path = path.to_str().expect("a path");
        let first = format!("[{}]", events[0]);
        let empty = scratch.write("empty.json", first.as_bytes());
        let empty = empty.to_str().expect("a path");
        for it in &mut all {
            (it.start, it.end) = (it.start * 1000, it.end * 1000);
        }
        // Some ranges begin with a call.
        let any = all.get(random.below(all.len().max(1) as u64) as usize);
        let from = any.map_or(1_000_000, |it| it.start.max(2_000));
        let to = from + 1 + random.below(2_000_000);
        let [from_text, to_text] = [from, to].map(|it| it.to_string());
        for way in ["parts", "whole", "none"] {
            let range = ["--from", &from_text, "--to", &to_text, "--enclosing", way];
            let mut found = told(path, &range);
            let strip = |name: &str| name.split(" in ").next().unwrap_or_default().to_owned();
            found.functions = std::mem::take(&mut found.functions)
                .into_iter()
                .map(|(name, it)| (strip(&name), it))
                .collect();
            found.relations = std::mem::take(&mut found.relations)
                .into_iter()
                .map(|(ends, it)| (ends.map(|it| strip(&it)), it))
                .collect();
            found.contexts = std::mem::take(&mut found.contexts)
                .into_iter()
                .map(|(path, it)| (path.iter().map(|it| strip(it)).collect(), it))
                .collect();
            let parts = parts(&all, [from, to], way);
            assert_eq!(
                found,
                direct(&all, &parts),
                "seed {seed}, {from} to {to}, {way}"
            );
            // Only differences are listed: beside a run without these calls, all of them.
            for (side, both) in [("a", [path, empty]), ("b", [empty, path])] {
                let compared = compared(both, side, &range);
                let (of, same) = (&compared.functions, &found.functions);
                assert_eq!(of, same, "seed {seed}, {way}");
                let (of, same) = (&compared.contexts, &found.contexts);
                assert_eq!(of, same, "seed {seed}, {way}");
                let listed = found.relations.iter();
                let listed = listed.map(|(ends, it)| (ends.clone(), [it[0], it[1], it[2], 0]));
                let same: BTreeMap<_, _> = listed.collect();
                assert_eq!(compared.relations, same, "seed {seed}, {way}");
            }
            let phases = json(&[&["phases", path], &range[..]].concat());
            let counted = parts.iter().flatten().count() as u64;
            assert_eq!(number(&phases, "calls"), counted, "seed {seed}, {way}");
        }
    }
}

/// A line that is entered again counts each moment once, so it never costs more than its function.
#[test]
fn lines_last_no_longer_than_their_function() {
    let names = ["f0", "f1", "f2", "f3"];
    let text = names.map(|name| format!("def {name}():\n    f0(); f1()\n    f2()\n    f3()\n\n"));
    let mut is_entered_again = false;
    for seed in 0..6 {
        let (mut random, mut all) = (Random(seed + 40), Vec::new());
        make(&mut random, &mut all, 1, &[], [1, 4000]);
        let events: Vec<String> = all
            .iter()
            .map(|it| {
                let (name, line) = (names[it.function as usize], 5 * it.function + 1);
                let (start, length) = (it.start, it.end - it.start);
                format!(
                    r#"{{"ph":"X","name":"{name} (src/a.py:{line})","pid":1,"tid":1,"ts":{start},"dur":{length}}}"#
                )
            })
            .collect();
        if events.is_empty() {
            continue;
        }
        let scratch = Scratch::new("range-lines");
        std::fs::create_dir_all(scratch.0.join("src")).expect("a folder");
        scratch.write("src/a.py", text.concat().as_bytes());
        let made = format!("[{}]", events.join(",\n"));
        let path = scratch.write("made.json", made.as_bytes());
        let folder = scratch.0.join("src");
        let [path, folder] = [&path, &folder].map(|it| it.to_str().expect("a path"));
        let whole: Vec<_> = all.iter().map(|it| Some([it.start, it.end])).collect();
        let expected = direct(&all, &whole);
        let document = json(&["lines", path, folder, "--file", "a.py"]);
        for line in document["lines"].as_array().expect("lines") {
            let [at, sum, total] = ["line", "cost", "total"].map(|it| number(line, it));
            let caller = names[at as usize / 5].to_owned();
            let most = expected.functions[&caller][1] * 1000;
            assert!(total <= most && total <= sum, "seed {seed}, line {at}");
            is_entered_again |= total < sum;
            // The third and fourth line of a function have one call each.
            let callee = at % 5;
            if callee > 2 {
                let pair = [caller, format!("f{}", callee - 1)];
                let moments = expected.relations[&pair][3] * 1000;
                assert_eq!(total, moments, "seed {seed}, line {at}");
            }
        }
    }
    assert!(is_entered_again);
}

fn agree(recording: &Path) {
    let path = recording.to_str().expect("a path");
    let info = json(&["info", path]);
    let duration = number(&info, "duration_ns");
    let threads = info["threads"].as_array().expect("threads").len() as u64;
    let from = duration / 2;
    let to = from + (duration / 50).min(1_000_000);
    let [from_text, to_text] = [from, to].map(|it| it.to_string());
    for way in ["parts", "whole", "none"] {
        let range = ["--from", &from_text, "--to", &to_text, "--enclosing", way];
        let found = told(path, &range);
        let mut functions: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
        let mut relations: BTreeMap<[&str; 2], [u64; 2]> = BTreeMap::new();
        for (path, amounts) in &found.contexts {
            let [.., last] = &path[..] else { continue };
            let of = functions.entry(last).or_default();
            (of[0], of[1]) = (of[0] + amounts[0], of[1] + amounts[1]);
            if let [.., around, last] = &path[..] {
                let of = relations.entry([around, last]).or_default();
                (of[0], of[1]) = (of[0] + amounts[0], of[1] + amounts[1]);
            }
        }
        let of_functions = found.functions.iter();
        let of_functions = of_functions.map(|(name, it)| (name.as_str(), [it[0], it[2]]));
        assert_eq!(functions, of_functions.collect(), "{path} {way}");
        let of_relations = found.relations.iter();
        let of_relations =
            of_relations.map(|(it, sums)| ([it[0].as_str(), &it[1]], [sums[0], sums[2]]));
        assert_eq!(relations, of_relations.collect(), "{path} {way}");
        let phases = json(&[&["phases", path], &range[..]].concat());
        let calls: u64 = found.functions.values().map(|it| it[0]).sum();
        assert_eq!(number(&phases, "calls"), calls, "{path} {way}");
        if way == "parts" {
            let own: u64 = found.functions.values().map(|it| it[2]).sum();
            assert!(
                own <= (to - from) * threads,
                "{path}: {own} in {from}..{to}"
            );
            assert!(
                found
                    .relations
                    .values()
                    .all(|it| it[3] <= (to - from) * threads)
            );
        }
    }
}

#[test]
fn commands_agree_on_a_range_of_real_recordings() {
    agree(&data("import/orders.viztracer.json"));
    agree(&data("import/toml-threads.viztracer.json"));
    for name in [
        "chrome/packaging-26.3.viztracer.json.gz",
        "chrome/syn-spans.tracing-chrome.json",
    ] {
        if let Some(path) = large_data(name) {
            agree(&path);
        }
    }
}
