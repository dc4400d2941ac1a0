//! The architecture is a line: a file uses only what stands before it, and the documents speak of what is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The line of design, first to last. A folder may use itself and what stands before it.
const PIPELINE: [&str; 18] = [
    "units",
    "warnings",
    "progress",
    "files",
    "facts",
    "source",
    "import",
    "analysis",
    "export",
    "filter",
    "model",
    "layout",
    "render",
    "state",
    "views",
    "presentation",
    "app",
    "cli",
];

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder of the repository");
    for entry in entries {
        let path = entry.expect("an entry of the repository").path();
        if path.is_dir() {
            files_below(&path, extension, files);
        } else if path.extension().is_some_and(|found| found == extension) {
            files.push(path);
        }
    }
}

/// The first path segments behind `crate::`, those of `use crate::{a::…, b::…}` included.
fn used(text: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        let letters = text.chars();
        letters
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let mut used = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            used.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut start = true;
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                c if start && c.is_alphabetic() => {
                    used.insert(word(&group[i..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    used
}

#[test]
fn a_file_uses_only_what_stands_before_it_in_the_pipeline() {
    let place = |name: &str| PIPELINE.iter().position(|&known| known == name);
    let src = repository().join("src");
    let mut files = Vec::new();
    files_below(&src, "rs", &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&src).expect("a file below src");
        let first = inside
            .iter()
            .next()
            .expect("a file has a name")
            .to_string_lossy();
        let folder = first.trim_end_matches(".rs");
        if folder == "lib" || folder == "main" {
            continue;
        }
        let Some(own) = place(folder) else {
            wrong.push(format!("src/{folder} has no place in the pipeline"));
            continue;
        };
        let text = std::fs::read_to_string(&file).expect("a source file is text");
        for name in used(&text) {
            match place(&name) {
                Some(other) if other <= own => {}
                Some(_) => wrong.push(format!(
                    "{} uses {name}, which comes later",
                    inside.display()
                )),
                None => wrong.push(format!(
                    "{} uses {name}, which has no place",
                    inside.display()
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_uses_sees_through_groups() {
    let text = "use crate::{facts::{names, trace}, units::Time};\nlet a = crate::app::x();";
    let found: Vec<String> = used(text).into_iter().collect();
    assert_eq!(found, ["app", "facts", "units"]);
}

/// Every path in backquotes that starts with a folder of the repository must exist.
#[test]
fn every_path_that_the_documents_name_exists() {
    let folders = [
        "src/", "shaders/", "assets/", "scenes/", "tests/", "benches/", ".ci/", "docs/",
    ];
    let mut missing = Vec::new();
    let mut documents = 0;
    for entry in std::fs::read_dir(repository()).expect("the repository") {
        let path = entry.expect("an entry of the repository").path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        documents += 1;
        let text = std::fs::read_to_string(&path).expect("a document is text");
        let quoted = text.split('`').skip(1).step_by(2);
        let links = text.split("](").skip(1);
        let linked = links.filter_map(|rest| rest.split([')', '#']).next());
        for name in quoted.chain(linked) {
            let is_path = folders.iter().any(|folder| name.starts_with(folder))
                && !name.contains(['<', '*', ' ', '…']);
            if is_path && !repository().join(name).exists() {
                missing.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(
        documents >= 3,
        "README, ARCHITECTURE and CHANGELOG are there"
    );
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The window's F1 page and the README must not drift apart on which sub-commands there are.
#[test]
fn the_readme_names_every_sub_command() {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("the README");
    let help = super::common::callscape()
        .arg("--help")
        .output()
        .expect("the program runs");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let commands = help
        .split("Commands:\n")
        .nth(1)
        .expect("the help lists commands");
    for line in commands.lines().take_while(|line| !line.is_empty()) {
        let command = line.split_whitespace().next().unwrap_or_default();
        if command != "help" && line.starts_with("  ") && !line.starts_with("   ") {
            assert!(
                readme.contains(&format!("callscape {command}")),
                "{command}"
            );
        }
    }
}
