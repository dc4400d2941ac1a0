//! No files use each other, a view is known to its folder and the registry alone, and the documents speak of what is
//! there. That a floor uses only floors before it is for the compiler: each is a crate.

mod imports;
mod knots;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use imports::Imports;

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

/// The documents for people: those at the top, and those in `docs/`.
fn documents() -> Vec<PathBuf> {
    let folders = [repository().to_owned(), repository().join("docs")];
    let entries = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder of the repository"));
    let paths = entries.map(|entry| entry.expect("an entry of the repository").path());
    let mut documents: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "md"))
        .collect();
    documents.sort();
    documents
}

/// Folders with a knot that goes through their face, to be taken apart: 16 of them, with 67 files. A type moves from
/// `mod.rs` into a file of its own, and no file of the folder uses `mod.rs`. None is added.
const KNOTS: [&str; 2] = ["state/city", "views/memory"];

/// Files that name a view that is not their own: none. To add a view must not mean to change another file.
const VIEWS_NAMED: [&str; 0] = [];

/// The files below `src` that are source: their paths there, and their texts.
fn sources() -> Vec<(String, String)> {
    let src = repository().join("src");
    let mut files = Vec::new();
    files_below(&src, "rs", &mut files);
    files.sort();
    let read = |file: PathBuf| {
        let inside = file.strip_prefix(&src).expect("a file below src");
        let text = std::fs::read_to_string(&file).expect("a source file is text");
        (inside.to_string_lossy().replace('\\', "/"), text)
    };
    files.into_iter().map(read).collect()
}

fn imports() -> Imports {
    let sources = sources();
    Imports::of(sources.iter().map(|(path, text)| (&**path, &**text)))
}

/// Both what is there and not listed, and what is listed and there no more.
fn assert_listed(found: &BTreeSet<String>, listed: &[&str], what: &str) {
    let listed: BTreeSet<String> = listed.iter().map(|it| it.to_string()).collect();
    let new: Vec<&String> = found.difference(&listed).collect();
    let gone: Vec<&String> = listed.difference(found).collect();
    assert!(
        new.is_empty(),
        "{what} that is not listed, of which none is to be added:\n{new:#?}"
    );
    assert!(
        gone.is_empty(),
        "{what} that is listed and no longer there; take it off the list:\n{gone:#?}"
    );
}

#[test]
fn no_files_use_each_other() {
    let knots = knots::knots(&imports());
    let name = |knot: &Vec<String>| {
        let face = &knot[0];
        let is_inside = |file: &String| file.starts_with(&format!("{face}/"));
        match knot[1..].iter().all(is_inside) {
            true => face.clone(),
            false => knot.join(" "),
        }
    };
    let found = knots.iter().map(name).collect();
    assert_listed(&found, &KNOTS, "a knot of files");
}

#[test]
fn a_view_is_named_in_its_folder_and_in_the_registry_alone() {
    let mut views = Vec::new();
    for entry in std::fs::read_dir(repository().join("src/views")).expect("the views") {
        let entry = entry.expect("an entry of the views");
        // What several of them share has a folder too, and no entry.
        let files = std::fs::read_dir(entry.path())
            .into_iter()
            .flatten()
            .flatten();
        let mut texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
        if texts.any(|text| text.contains("pub static ENTRY: Entry")) {
            views.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    assert!(views.len() >= 5, "the views have a folder each");
    let found = views_named(&imports(), &views);
    assert_listed(&found, &VIEWS_NAMED, "a view that is named");
}

/// Each file with a view that it names and that is not its own.
fn views_named(imports: &Imports, views: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (file, paths) in imports.named() {
        for path in paths {
            let [folder, view, ..] = path.as_slice() else {
                continue;
            };
            let own = file.first() == Some(folder) && file.get(1).is_none_or(|own| own == view);
            if folder == "views" && views.contains(view) && !own {
                found.insert(format!("{} {view}", file.join("/")));
            }
        }
    }
    found
}

#[test]
fn a_view_named_elsewhere_is_found() {
    let files = [
        ("views/lib.rs", "pub mod mural; use mural::ENTRY;"),
        ("views/mural/mod.rs", "use super::mural::rows;"),
        ("views/mural/rows.rs", "use crate::mural::ENTRY;"),
        (
            "views/flame/mod.rs",
            "use super::mural::ENTRY; use super::rows;",
        ),
        ("app/pane.rs", "fn f() { callscape_views::mural::f() }"),
    ];
    let views = ["mural", "flame"].map(str::to_owned);
    let found = views_named(&Imports::of(files), &views);
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found, ["app/pane mural", "views/flame mural"]);
}

/// Every path in backquotes that starts with a folder of the repository must exist.
#[test]
fn every_path_that_the_documents_name_exists() {
    let folders = [
        "src/", "shaders/", "assets/", "scenes/", "tests/", "benches/", ".ci/", "docs/",
    ];
    let documents = documents();
    let mut missing = Vec::new();
    for path in &documents {
        let text = std::fs::read_to_string(path).expect("a document is text");
        let quoted = text.split('`').skip(1).step_by(2).filter(|name| {
            folders.iter().any(|folder| name.starts_with(folder))
                && !name.contains(['<', '*', ' ', '…'])
        });
        let links = text.split("](").skip(1);
        let linked = links
            .filter_map(|rest| rest.split([')', '#']).next())
            .filter(|name| !name.is_empty() && !name.contains("://"));
        let beside = path.parent().expect("a document lies in a folder");
        let named = quoted
            .map(|name| repository().join(name))
            .chain(linked.map(|name| beside.join(name)));
        for name in named.filter(|name| !name.exists()) {
            missing.push(format!("{}: {}", path.display(), name.display()));
        }
    }
    assert!(documents.len() >= 10, "all documents are found");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// A README that is read to its end; what it has no room for goes to `docs/`.
#[test]
fn the_readme_is_short_and_leads_to_the_other_documents() {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("the README");
    let words = readme.split_whitespace().count();
    assert!(words <= 1200, "{words} words");
    for document in documents() {
        let name = document.strip_prefix(repository()).expect("it is inside");
        let name = name.to_str().expect("names of documents are text");
        assert!(
            !name.starts_with("docs") || readme.contains(name),
            "the README does not lead to {name}"
        );
    }
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
