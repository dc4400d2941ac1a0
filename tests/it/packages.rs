//! What the program is built from: licences, packages that are there in several versions, and dependencies that nothing
//! uses. What cargo knows of them is on the machine, once the tests are built.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Licences under which a package may be part of the program: each asks for no more than to be named.
const LICENCES: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "NCSA",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages under another one, and why they may be there all the same.
const EXCEPTIONS: [(&str, &str); 2] = [
    (
        "colored",
        "MPL-2.0: unchanged, its source is public; of tokei",
    ),
    (
        "option-ext",
        "MPL-2.0: unchanged, its source is public; of dirs",
    ),
];

/// Packages of the program that are there in several versions, each with the package that is behind the others.
const SEVERAL: [(&str, &str); 23] = [
    ("bitflags", "defmt"),
    ("defmt", "faster-hex"),
    ("foldhash", "hashbrown 0.15"),
    ("font-types", "glyphon"),
    ("getrandom", "ahash"),
    ("harfrust", "glyphon"),
    ("hashbrown", "dashmap, petgraph, clru"),
    ("itertools", "table_formatter, rav1e"),
    ("linux-raw-sys", "winit"),
    ("miniz_oxide", "png"),
    ("num-bigint", "rav1e"),
    ("pollster", "rfd"),
    ("read-fonts", "glyphon"),
    ("rustc-hash", "naga"),
    ("rustix", "winit"),
    ("skrifa", "glyphon"),
    ("smol_str", "winit"),
    ("syn", "procedural macros"),
    ("thiserror", "winit, table_formatter"),
    ("thiserror-impl", "thiserror 1"),
    ("toml", "tokei"),
    ("toml_datetime", "tokei"),
    ("winnow", "tokei"),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What cargo says of all packages, and how they depend on each other on this system.
fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let version = Command::new(&cargo).args(["-vV"]).output();
    let version = String::from_utf8(version.expect("cargo starts").stdout).expect("text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let output = Command::new(&cargo)
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .args(["--features", "manual,webm"])
        .args(["--filter-platform", host.expect("cargo names its system")])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn text<'a>(of: &'a Value, field: &str) -> &'a str {
    of[field].as_str().unwrap_or_default()
}

fn list(of: &Value) -> impl Iterator<Item = &Value> {
    of.as_array().into_iter().flatten()
}

/// Whether a licence of the Software Package Data Exchange leaves a choice that is allowed.
fn is_allowed(licence: &str) -> bool {
    let licence = licence.trim();
    // The binding is: WITH, then AND, then OR; a slash is an old way to write OR.
    for (word, all) in [(" OR ", false), ("/", false), (" AND ", true)] {
        let parts = apart(licence, word);
        if parts.len() > 1 {
            let mut parts = parts.into_iter();
            return match all {
                true => parts.all(is_allowed),
                false => parts.any(is_allowed),
            };
        }
    }
    match licence
        .strip_prefix('(')
        .and_then(|it| it.strip_suffix(')'))
    {
        Some(inner) => is_allowed(inner),
        None => LICENCES.contains(&licence),
    }
}

/// What stands between the `word`s that no brackets hold.
fn apart<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth == 0 && at >= from && text[at..].starts_with(word) {
            parts.push(&text[from..at]);
            from = at + word.len();
        }
    }
    parts.push(&text[from..]);
    parts
}

#[test]
fn licences_are_read_as_they_are_meant() {
    for allowed in [
        "MIT",
        "MIT OR GPL-2.0-only",
        "Unlicense/MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
        "GPL-3.0-only OR (MIT AND (ISC OR GPL-2.0-only))",
    ] {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in [
        "",
        "GPL-3.0-only",
        "MIT AND GPL-2.0-only",
        "(MIT OR ISC) AND MPL-2.0",
        "GPL-2.0-only OR MPL-2.0",
    ] {
        assert!(!is_allowed(refused), "{refused}");
    }
}

#[test]
fn every_package_has_a_licence_that_is_allowed() {
    let metadata = metadata();
    let refused = list(&metadata["packages"])
        .filter(|package| !is_allowed(text(package, "license")))
        .map(|package| (text(package, "name"), text(package, "license")));
    let refused: BTreeMap<&str, &str> = refused.collect();
    let known: BTreeSet<&str> = EXCEPTIONS.iter().map(|(name, _)| *name).collect();
    let new: Vec<_> = refused
        .iter()
        .filter(|(name, _)| !known.contains(*name))
        .collect();
    assert!(new.is_empty(), "licences that are not allowed: {new:?}");
}

/// The ids of the packages that are part of the program, not only of its build.
fn part_of_the_program(metadata: &Value) -> BTreeSet<&str> {
    let nodes = list(&metadata["resolve"]["nodes"]);
    let nodes: BTreeMap<&str, &Value> = nodes.map(|node| (text(node, "id"), node)).collect();
    let mut found = BTreeSet::new();
    let mut next = vec![text(&metadata["resolve"], "root")];
    while let Some(id) = next.pop() {
        if !found.insert(id) {
            continue;
        }
        let dependencies = nodes
            .get(id)
            .into_iter()
            .flat_map(|node| list(&node["deps"]));
        let normal =
            dependencies.filter(|of| list(&of["dep_kinds"]).any(|kind| kind["kind"].is_null()));
        next.extend(normal.map(|of| text(of, "pkg")));
    }
    found
}

#[test]
fn no_package_comes_in_another_version_unnoticed() {
    let metadata = metadata();
    let program = part_of_the_program(&metadata);
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in list(&metadata["packages"]).filter(|it| program.contains(text(it, "id"))) {
        let known = versions.entry(text(package, "name")).or_default();
        known.insert(text(package, "version"));
    }
    assert!(versions.len() > 100, "{versions:?}");
    versions.retain(|_, versions| versions.len() > 1);
    let known: BTreeSet<&str> = SEVERAL.iter().map(|(name, _)| *name).collect();
    let new: Vec<_> = versions
        .iter()
        .filter(|(name, _)| !known.contains(*name))
        .collect();
    assert!(new.is_empty(), "in several versions: {new:?}");
    let gone: Vec<_> = known
        .iter()
        .filter(|name| !versions.contains_key(*name))
        .collect();
    assert!(gone.is_empty(), "in one version by now: {gone:?}");
}

/// All Rust code under some folders and in some files.
fn code(places: &[&str]) -> String {
    fn add(path: &Path, code: &mut String) {
        if let Ok(entries) = path.read_dir() {
            entries.flatten().for_each(|entry| add(&entry.path(), code));
        } else if path.extension().is_some_and(|it| it == "rs") {
            *code += &std::fs::read_to_string(path).expect("code is text");
        }
    }
    let mut code = String::new();
    for place in places {
        let path = root().join(place);
        assert!(path.exists(), "{place}");
        add(&path, &mut code);
    }
    code
}

/// The dependencies of a manifest by name, those for some systems among them, with what is said of each.
fn dependencies(manifest: &toml::Table, section: &str) -> BTreeMap<String, toml::Value> {
    let systems = manifest.get("target").and_then(toml::Value::as_table);
    let tables = systems
        .into_iter()
        .flat_map(|it| it.values())
        .filter_map(toml::Value::as_table);
    let tables = std::iter::once(manifest).chain(tables);
    let found = tables.filter_map(|table| table.get(section)?.as_table());
    found
        .flatten()
        .map(|(name, of)| (name.clone(), of.clone()))
        .collect()
}

fn manifest(path: &str) -> toml::Table {
    let text = std::fs::read_to_string(root().join(path)).expect("a manifest");
    text.parse().expect("a manifest is TOML")
}

/// Whether code names a package. Packages of another name than their library are not among the dependencies.
fn names(code: &str, package: &str) -> bool {
    let library = package.replace('-', "_");
    code.match_indices(&library).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + library.len()..].chars().next();
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        !before.is_some_and(is_inside) && !after.is_some_and(is_inside)
    })
}

#[test]
fn every_dependency_is_used() {
    let mut manifests = vec![
        (
            String::new(),
            "dependencies",
            vec!["src/main.rs", "src/lib.rs"],
        ),
        (String::new(), "dev-dependencies", vec!["tests", "benches"]),
        (
            "fuzz/".to_owned(),
            "dependencies",
            vec!["fuzz/src", "fuzz/fuzz_targets"],
        ),
    ];
    let floors: Vec<String> = std::fs::read_dir(root().join("src"))
        .expect("the floors")
        .flatten()
        .filter(|it| it.path().join("Cargo.toml").is_file())
        .map(|it| format!("src/{}", it.file_name().to_string_lossy()))
        .collect();
    assert!(floors.len() > 10, "{floors:?}");
    for floor in &floors {
        for section in ["dependencies", "dev-dependencies"] {
            manifests.push((format!("{floor}/"), section, vec![floor]));
        }
    }
    for (folder, section, places) in manifests {
        let code = code(&places);
        let all = dependencies(&manifest(&format!("{folder}Cargo.toml")), section);
        let is_program = section == "dependencies" && folder != "fuzz/";
        assert!(
            !(is_program && all.contains_key("callscape-testing")),
            "{folder}Cargo.toml: callscape-testing is for tests"
        );
        let unused: Vec<_> = all.keys().filter(|name| !names(&code, name)).collect();
        assert!(
            unused.is_empty(),
            "{folder}Cargo.toml: {section} that nothing in {places:?} uses: {unused:?}"
        );
    }
}
