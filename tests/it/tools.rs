//! Results of other tools are read as these wrote them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use callscape::import::results::{ResultSet, read};
use callscape::progress::Progress;

fn results(name: &str) -> ResultSet {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/results");
    let set = read(&path.join(name), &Progress::new()).expect("a tool has written it");
    assert!(!set.is_cut && set.left_out == 0, "{name}: {set:?}");
    set
}

/// By line how often it ran, or how often it is named; all are of one file.
fn lines(name: &str, file: &str) -> BTreeMap<u32, u64> {
    let mut lines = BTreeMap::new();
    for hit in results(name).hits.iter().filter(|it| it.line > 0) {
        assert!(hit.file.ends_with(file), "{name}: {}", hit.file);
        *lines.entry(hit.line).or_default() += hit.count;
    }
    lines
}

#[test]
fn messages_of_gcc_and_lines_of_grep_are_places() {
    assert_eq!(lines("gcc.txt", "src/shapes.c"), [(6, 1), (22, 1)].into());
    let found = [(4, 1), (11, 1), (16, 1)];
    assert_eq!(lines("grep.txt", "src/names.py"), found.into());
}

#[test]
fn what_ruff_says_is_where_it_says_and_not_where_it_would_mend() {
    assert_eq!(lines("ruff.sarif", "src/names.py"), [(1, 1), (5, 1)].into());
}

#[test]
fn matches_of_ripgrep_are_places_in_both_files() {
    let found = results("rg.json").hits;
    let mut found: Vec<(&str, u32)> = found.iter().map(|it| (&*it.file, it.line)).collect();
    found.sort_unstable();
    let names = [4, 11, 16].map(|line| ("src/names.py", line));
    let shapes = [4, 26].map(|line| ("src/shapes.c", line));
    assert_eq!(found, [&names[..], &shapes].concat());
}

#[test]
fn two_tools_tell_the_same_coverage() {
    let of_lcov = lines("shapes.info", "src/shapes.c");
    assert_eq!(of_lcov, lines("shapes.gcovr.xml", "src/shapes.c"));
    assert_eq!(of_lcov.len(), 16);
    let never: Vec<u32> = of_lcov
        .iter()
        .filter(|it| *it.1 == 0)
        .map(|it| *it.0)
        .collect();
    assert_eq!(never, [10, 12, 28]);
    let of_names = lines("names.info", "src/names.py");
    assert_eq!(of_names, lines("names.coverage.xml", "src/names.py"));
    let never: Vec<u32> = of_names
        .iter()
        .filter(|it| *it.1 == 0)
        .map(|it| *it.0)
        .collect();
    assert_eq!(never, [6, 11]);
    for name in [
        "shapes.info",
        "shapes.gcovr.xml",
        "names.info",
        "names.coverage.xml",
    ] {
        assert!(results(name).is_coverage, "{name}");
    }
}
