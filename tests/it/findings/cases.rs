//! Slow runs whose cause is known.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::super::common::{Scratch, large_data};
use super::listed;

/// A recording of the folder of cases, unpacked where it is an archive of a directory.
fn prepared(folder: &Path, name: &str, scratch: &Scratch) -> PathBuf {
    let path = folder.join(name);
    let Some(stem) = name.strip_suffix(".tar.gz") else {
        return path;
    };
    let place = scratch.0.join(stem.replace('/', "-"));
    std::fs::create_dir_all(&place).expect("a folder");
    let unpacked = Command::new("tar")
        .arg("xzf")
        .arg(&path)
        .arg("-C")
        .arg(&place)
        .status();
    assert!(unpacked.is_ok_and(|it| it.success()), "{name}");
    let inside = place.read_dir().expect("a folder").flatten().next();
    inside.expect("a recording").path()
}

fn is_named(finding: &Value, names: &[&str]) -> bool {
    let last = |name: &str| name.rsplit('.').next().map(str::to_owned);
    let list = |field: &str| finding[field].as_array().expect("names").clone();
    let path = list("path");
    let path = &path[path.len().saturating_sub(3)..];
    let found = [path, &list("functions")].concat();
    let mut found = found.iter().filter_map(Value::as_str);
    found.any(|found| {
        names
            .iter()
            .any(|it| *it == found || last(it) == last(found))
    })
}

#[test]
fn the_cause_of_a_slow_run_is_among_its_first_findings() {
    let Some(folder) = large_data("causes") else {
        return;
    };
    let cases = std::fs::read_to_string(folder.join("cases.json")).expect("the cases");
    let cases: Vec<Value> = serde_json::from_str(&cases).expect("JSON");
    let scratch = Scratch::new("findings-cases");
    let (mut count, mut first, mut three, mut missed) = (0, 0, 0, Vec::new());
    for case in cases.iter().filter(|it| it["expect"].is_array()) {
        let name = case["name"].as_str().expect("a name");
        let slow = case["slow"].as_str().unwrap_or("before");
        let file = case[slow].as_str().expect("a file");
        let found = listed(&prepared(&folder, file, &scratch));
        let wanted = case["expect"].as_array().expect("causes").iter();
        let wanted: Vec<&str> = wanted
            .flat_map(|it| it["names"].as_array().expect("names"))
            .filter_map(Value::as_str)
            .collect();
        let rank = found.iter().position(|it| is_named(it, &wanted));
        count += 1;
        first += u32::from(rank == Some(0));
        three += u32::from(rank.is_some_and(|it| it < 3));
        if rank.is_none_or(|it| it > 2) {
            missed.push(name);
        }
    }
    assert!(
        count >= 10 && three == count && 3 * first >= 2 * count,
        "{first} and {three} of {count}, not {missed:?}"
    );
}
