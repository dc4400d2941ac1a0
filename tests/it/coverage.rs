//! Coverage of modules, held against its definition: of the lines that reports count, the share that ran in any of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use callscape::analysis::coverage::Coverage;
use callscape::analysis::numbers::Numbers;
use callscape::analysis::session::{Inputs, Session};
use callscape::facts::hierarchy::{Hierarchy, ModuleKind};
use callscape::import::results::{Hit, ResultSet, read};
use callscape::model::metric::Metric;
use callscape::model::metrics::ModuleMetrics;
use callscape::progress::Progress;
use callscape::units::ModuleId;

use crate::common::{Random, Scratch, callscape, data};

/// A source tree alone, with the functions of its files.
fn tree(dir: &Path) -> Session {
    let inputs = Inputs {
        source_dir: Some(dir.to_owned()),
        ..Inputs::default()
    };
    Session::open(&inputs, &Progress::new()).expect("a source tree")
}

fn metrics(session: &Session, reports: &[ResultSet]) -> ModuleMetrics {
    let mut metrics = ModuleMetrics::new(session, 0);
    let coverage = Coverage::new(reports.iter(), &session.hierarchy).map(Arc::new);
    metrics.set_coverage(&session.hierarchy, coverage.as_ref(), |id| id);
    metrics
}

fn report(name: &str) -> ResultSet {
    let path = data("results").join(name);
    read(&path, &Progress::new()).expect("a tool has written it")
}

/// The lines of a module that are counted, and those that ran, of reports that name files as the tree does below its root: those
/// of which the innermost function around them, else the file, is the module or lies in it.
fn defined(
    hierarchy: &Hierarchy,
    module: ModuleId,
    reports: &[ResultSet],
) -> [BTreeSet<(String, u32)>; 2] {
    let around = |hit: &Hit| {
        let file = hierarchy
            .modules()
            .find(|&it| hierarchy.path(it) == *hit.file)?;
        let inside = hierarchy.subtree(file).map(ModuleId);
        let length = |it: ModuleId| hierarchy.module(it).end_line - hierarchy.module(it).line;
        let holds = |it: &ModuleId| {
            let of = hierarchy.module(*it);
            of.kind == ModuleKind::Function && (of.line..=of.end_line).contains(&hit.line)
        };
        Some(
            inside
                .filter(holds)
                .min_by_key(|&it| length(it))
                .unwrap_or(file),
        )
    };
    let is_in = |hit: &&Hit| around(hit).is_some_and(|it| hierarchy.contains(module, it));
    let (mut counted, mut ran) = (BTreeSet::new(), BTreeSet::new());
    for hit in reports.iter().flat_map(|it| &it.hits).filter(is_in) {
        counted.insert((hit.file.to_string(), hit.line));
        if hit.count > 0 {
            ran.insert((hit.file.to_string(), hit.line));
        }
    }
    [counted, ran]
}

/// Every module has what its definition says; how many have anything.
fn as_defined(session: &Session, reports: &[ResultSet]) -> usize {
    let hierarchy = &session.hierarchy;
    let metrics = metrics(session, reports);
    let shares = metrics.values(hierarchy, Metric::Coverage);
    let missed = metrics.values(hierarchy, Metric::Uncovered);
    let areas = metrics.areas(hierarchy, Metric::Uncovered);
    let mut known = 0;
    for module in hierarchy.modules() {
        let [counted, ran] = defined(hierarchy, module, reports).map(|it| it.len());
        let (path, at) = (hierarchy.path(module), module.index());
        if counted == 0 {
            assert!(
                shares[at].is_nan() && missed[at].is_nan(),
                "{path}: {} %",
                shares[at]
            );
            assert_eq!(areas[at], 0.0, "{path}");
            continue;
        }
        known += 1;
        let share = 100.0 * ran as f64 / counted as f64;
        assert!((shares[at] - share).abs() < 1e-9, "{path}: {}", shares[at]);
        assert_eq!(missed[at], (counted - ran) as f64, "{path}");
        assert_eq!(areas[at], missed[at], "{path}");
    }
    known
}

#[test]
fn reports_of_real_tools_say_of_each_function_what_they_say_of_its_lines() {
    let session = tree(&data("results"));
    let hierarchy = &session.hierarchy;
    let find = |path: &str| {
        let mut all = hierarchy.modules();
        all.find(|&it| hierarchy.path(it) == path).expect("there")
    };
    for name in ["names.info", "names.coverage.xml"] {
        let metrics = metrics(&session, &[report(name)]);
        let shares = metrics.values(hierarchy, Metric::Coverage);
        let share = |path: &str| shares[find(path).index()];
        // Of greet three lines of four ran, of shout one of two, the file has two more outside of functions.
        assert_eq!(share("src/names.py/greet"), 75.0, "{name}");
        assert_eq!(share("src/names.py/shout"), 50.0, "{name}");
        assert_eq!(share("src/names.py/main"), 100.0, "{name}");
        assert_eq!(share("src/names.py"), 900.0 / 11.0, "{name}");
        assert!(share("src/shapes.c").is_nan(), "{name}");
        let all = metrics.covered(hierarchy, ModuleId::ROOT);
        assert_eq!(all, Some((11, 9)), "{name}");
    }
    for name in ["shapes.info", "shapes.gcovr.xml"] {
        let metrics = metrics(&session, &[report(name)]);
        let never = find("src/shapes.c/never");
        let shares = metrics.values(hierarchy, Metric::Coverage);
        assert_eq!(shares[never.index()], 0.0, "{name}");
        assert!(metrics.has(Metric::Coverage));
    }
    // Of both by lines, 22 of 27; the mean of the shares of the files would be another.
    let both = [report("names.info"), report("shapes.gcovr.xml")];
    let all = metrics(&session, &both).covered(hierarchy, ModuleId::ROOT);
    assert_eq!(all, Some((27, 22)));
    // What is no report of coverage says nothing of it.
    let none = metrics(&session, &[report("rg.json")]);
    assert!(!none.has(Metric::Coverage) && none.coverage().is_none());
}

#[test]
fn counts_of_lines_are_added_whatever_is_counted() {
    let scratch = Scratch::new("coverage");
    let mut random = Random(34);
    let mut names = Vec::new();
    for (dir, count) in [("a", 3), ("a/b", 2), ("c", 1)] {
        for file in 0..count {
            let name = format!("{dir}/f{file}.py");
            let mut text = "import os\n\n".to_owned();
            for function in 0..1 + random.below(4) {
                text += &format!("def f{function}(x):\n    def inner(y):\n        return y\n");
                text += &"    x += 1\n".repeat(random.below(4) as usize);
                text += "    return inner(x)\n\n";
            }
            let path = scratch.0.join("tree").join(&name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("there is room");
            std::fs::write(path, text).expect("there is room");
            names.push(name);
        }
    }
    let session = tree(&scratch.0.join("tree"));
    for round in 0..40 {
        let reports: Vec<ResultSet> = (0..1 + random.below(3))
            .map(|_| {
                let hits = (0..random.below(60)).map(|_| Hit {
                    file: names[random.below(names.len() as u64) as usize]
                        .clone()
                        .into(),
                    line: 1 + random.below(25) as u32,
                    count: random.below(3),
                });
                ResultSet {
                    is_coverage: true,
                    hits: hits.collect(),
                    ..ResultSet::default()
                }
            })
            .collect();
        let known = as_defined(&session, &reports);
        let has_lines = reports.iter().any(|it| !it.hits.is_empty());
        assert_eq!(known > 0, has_lines, "round {round}");
    }
}

/// What `render` says of the tree of programs, and whether it has made a picture.
fn rendered(scratch: &Scratch, args: &[&str]) -> (bool, String) {
    let picture = scratch.0.join("picture.png");
    let output = callscape()
        .arg("render")
        .arg(data("results"))
        .args(args)
        .args(["--size", "320x180", "--quality", "low", "-o"])
        .arg(&picture)
        .output()
        .expect("the program");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success() && picture.exists(), said)
}

#[test]
fn a_picture_of_coverage_needs_a_report_and_says_what_is_not_of_the_tree() {
    let scratch = Scratch::new("coverage-picture");
    let (is_made, said) = rendered(&scratch, &["--color", "coverage"]);
    assert!(
        !is_made && said.contains("name one with --results"),
        "{said}"
    );
    let path = |name: &str| data("results").join(name).display().to_string();
    let (info, rg) = (path("names.info"), path("rg.json"));
    let args = ["--color", "coverage", "--height", "uncovered", "--results"];
    let (is_made, said) = rendered(&scratch, &[&args[..], &[&info]].concat());
    assert!(is_made, "{said}");
    let expected = ["9 of 11 lines ran", "colour: coverage, linear, 0 % to 50 %"];
    assert!(expected.iter().all(|it| said.contains(it)), "{said}");
    let (is_made, said) = rendered(&scratch, &[&args[..], &[&rg]].concat());
    assert!(!is_made && said.contains("no recording is open"), "{said}");
    let other = scratch.write(
        "other.info",
        b"SF:other/x.rs\nDA:1,0\nDA:2,3\nend_of_record\n",
    );
    let other = other.display().to_string();
    let (is_made, said) = rendered(&scratch, &[&args[..], &[&other]].concat());
    assert!(is_made, "{said}");
    let expected = [
        "none of 2 counted lines is in the source",
        "coverage, which has no data",
    ];
    assert!(expected.iter().all(|it| said.contains(it)), "{said}");
}

#[test]
fn numbers_of_other_tools_are_metrics() {
    let scratch = Scratch::new("own-numbers");
    let session = tree(&data("results"));
    let hierarchy = &session.hierarchy;
    // By hand: each file has the length of its path, and one function 3 more.
    let files: Vec<ModuleId> = hierarchy.outermost_files().collect();
    let function = hierarchy
        .modules()
        .find(|&it| hierarchy.kind(it) == ModuleKind::Function)
        .expect("a function");
    let of_function = hierarchy.ancestors(function).find(|it| files.contains(it));
    let mut table = "path,function,length (letters),share (%)\n".to_owned();
    for &file in &files {
        let path = hierarchy.path(file);
        table += &format!("{path},,{},50\n", path.len());
    }
    let path = hierarchy.path(of_function.expect("a file"));
    table += &format!("{path},{},3,80\nno/such.c,,9,9\n", hierarchy.name(function));
    let table = scratch.write("own.csv", table.as_bytes());
    let read = [read(&table, &Progress::new()).expect("a table")];
    let numbers = Numbers::new(read.iter(), hierarchy).expect("numbers");
    assert_eq!(numbers.unknown, 1);
    let mut metrics = ModuleMetrics::new(&session, 0);
    metrics.set_numbers(hierarchy, Some(&Arc::new(numbers)), |id| id);
    let [lengths, shares] = [0, 1].map(|it| metrics.values(hierarchy, Metric::Own(it)));
    for module in hierarchy.modules() {
        let with = |it: &ModuleId| files.contains(it) || *it == function;
        let length = |it: ModuleId| match it == function {
            true => 3.0,
            false => hierarchy.path(it).len() as f64,
        };
        let share = |it: ModuleId| if it == function { 80.0 } else { 50.0 };
        let at = module.index();
        // What the table says of a module counts before what it says of those in it or around it.
        if let Some(told) = hierarchy.ancestors(module).find(with) {
            assert_eq!((lengths[at], shares[at]), (length(told), share(told)));
            continue;
        }
        let inside = files
            .iter()
            .filter(|it| hierarchy.subtree(module).contains(&it.0));
        let inside: Vec<ModuleId> = inside.copied().collect();
        if inside.is_empty() {
            assert!(lengths[at].is_nan() && shares[at].is_nan());
            continue;
        }
        assert_eq!(
            lengths[at],
            inside.iter().map(|&it| length(it)).sum::<f64>()
        );
        assert!((shares[at] - 50.0).abs() < 1e-9);
    }
    let (is_made, said) = rendered(&scratch, &["--color", "own"]);
    assert!(!is_made && said.contains("--metric"), "{said}");
    let table = table.display().to_string();
    let args = ["--color", "own", "--height", "own-2", "--metric", &table];
    let (is_made, said) = rendered(&scratch, &args);
    assert!(is_made, "{said}");
    let expected = ["own: length of", "1 row is of files", "own-2: share of"];
    assert!(expected.iter().all(|it| said.contains(it)), "{said}");
}

#[test]
fn numbers_with_dates_are_a_trend() {
    let scratch = Scratch::new("own-trends");
    let session = tree(&data("results"));
    let hierarchy = &session.hierarchy;
    let files: Vec<ModuleId> = hierarchy.outermost_files().collect();
    assert!(files.len() > 1);
    // Dates in another order, and one file without a number at the first.
    let mut table = "path,debt 2026-02-28 (min),size,debt 2026-01-31 (min)\n".to_owned();
    for (at, &file) in files.iter().enumerate() {
        let first = if at == 0 { "" } else { "1" };
        table += &format!("{},{},7,{first}\n", hierarchy.path(file), at + 2);
    }
    let table = scratch.write("dated.csv", table.as_bytes());
    let read = [read(&table, &Progress::new()).expect("a table")];
    let numbers = Arc::new(Numbers::new(read.iter(), hierarchy).expect("numbers"));
    let columns: Vec<_> = numbers
        .columns
        .iter()
        .map(|it| (&*it.name, &*it.unit))
        .collect();
    assert_eq!(columns, [("debt", "min"), ("size", "")]);
    let mut metrics = ModuleMetrics::new(&session, 0);
    metrics.set_numbers(hierarchy, Some(&numbers), |id| id);
    let count = files.len() as f64;
    let latest = count * (count + 1.0) / 2.0 + count;
    let (dates, values) = metrics.trend(0, ModuleId::ROOT).expect("a trend");
    assert_eq!(dates, ["2026-01-31", "2026-02-28"]);
    assert_eq!(values, [count - 1.0, latest]);
    assert_eq!(metrics.number(0, ModuleId::ROOT), Some(latest));
    let (_, values) = metrics.trend(0, files[0]).expect("a trend");
    assert!(values[0].is_nan() && values[1] == 2.0);
    assert_eq!(metrics.trend(1, files[0]), None);
    // A function has the number of its file, but no trend of its own.
    let is_function = |it: &ModuleId| hierarchy.kind(*it) == ModuleKind::Function;
    let function = hierarchy.modules().find(is_function).expect("a function");
    let number = metrics.number(0, function);
    assert!(number.is_some_and(|it| it >= 2.0), "{number:?}");
    assert_eq!(metrics.trend(0, function), None);
    let output = callscape()
        .arg("tree")
        .arg(data("results"))
        .args(["--json", "--depth", "0", "--metric"])
        .arg(&table)
        .output();
    let printed: serde_json::Value =
        serde_json::from_slice(&output.expect("the program").stdout).expect("JSON");
    let trend = serde_json::json!([
        {"date": "2026-01-31", "value": count - 1.0},
        {"date": "2026-02-28", "value": latest},
    ]);
    assert_eq!(printed["numbers"][0]["trend"], trend);
    assert_eq!(printed["numbers"][1]["value"], 7.0 * count);
}
