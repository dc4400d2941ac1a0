//! Scanning a source tree in its steps, each beside its peer or floor on the same tree in the same run.
//!
//! - the lines of all files, with which there is a landscape; beside tokei, which counts lines and nothing else
//! - the functions in them; beside a bare parse of the same files with the same grammars on as many threads
//! - the same with imports and calls by name, looked up in the tree; beside the scan without them
//! - opening the tree again, from what was kept; beside `git ls-files` and one `stat` a file
//!
//! The tree is the one that `CALLSCAPE_BENCH_TREE` names; without it the sources of this program's dependencies,
//! where Cargo keeps them, or else this repository. `ROUNDS` says how often each is measured (3); the least counts.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use callscape::analysis::relations::find;
use callscape::facts::hierarchy::Hierarchy;
use callscape::progress::Progress;
use callscape::source::Scan;
use callscape::units::ModuleId;

use callscape_testing::measured::Measured;
use callscape_testing::timing::cpu_time;

fn main() {
    let tree = tree();
    let rounds: usize = std::env::var("ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(3);
    let progress = Progress::new();
    let start = |folder: Option<&Path>| Scan::start_with_cache(&tree, folder, &progress);

    let mut code = 0;
    let mut first: Option<Hierarchy> = None;
    let (mut tokei, mut lines) = (Took::NEVER, Took::NEVER);
    for _ in 0..rounds.max(1) {
        tokei = tokei.min(time(|| {
            let mut languages = tokei::Languages::new();
            languages.get_statistics(&[&tree], &[], &tokei::Config::default());
            code = languages.values().map(|language| language.code).sum();
        }));
        lines = lines.min(time(|| {
            first = start(None).ok().map(|scan| scan.hierarchy());
        }));
    }
    let Some(first) = first else {
        println!("scan: {} is no source tree", tree.display());
        return;
    };
    let loc = first.module(ModuleId::ROOT).loc;
    let name = tree.file_name().unwrap_or_default().to_string_lossy();
    let of = |what: &str| format!("{what} of {name}");
    let what = of("first landscape by lines");
    ratio(&what, lines, "tokei", tokei, "≤ 1.2 (0.8) ×");
    println!(
        "  {} modules, {loc} lines of code; tokei counts {code}",
        first.len()
    );

    let folder = std::env::temp_dir().join(format!("callscape-bench-scan-{}", std::process::id()));
    let (mut parsed, mut bytes, mut files) = (Took::NEVER, 0, Vec::new());
    let (mut read, mut whole) = (Took::NEVER, None);
    for _ in 0..rounds.max(1) {
        files = parsable(&tree);
        parsed = parsed.min(time(|| bytes = parse_all(&files)));
        // What is kept by the last round is there for the next part.
        std::fs::remove_dir_all(&folder).ok();
        if let Ok(mut scan) = start(Some(&folder)) {
            read = read.min(time(|| drop(scan.finish(&progress))));
            whole = Some(scan.hierarchy());
        }
    }
    let what = of("functions");
    ratio(&what, read, "bare parse", parsed, "≤ 1.5 (1.2) ×");
    let functions = whole.map_or(0, |whole| whole.module(ModuleId::ROOT).functions);
    println!(
        "  {functions} functions; {} files of {} MB parsed",
        files.len(),
        bytes / 1_000_000
    );

    relations(&tree, rounds, &of("relations"));

    let (mut again, mut floor) = (Took::NEVER, Took::NEVER);
    let index = git_index(&tree);
    for _ in 0..rounds.max(1) {
        again = again.min(time(|| {
            drop(start(Some(&folder)).map(|scan| scan.hierarchy()))
        }));
        if let Some(index) = &index {
            floor = floor.min(time(|| list_and_stat(&tree, index)));
        }
    }
    match &index {
        Some(_) => {
            let what = of("second opening");
            ratio(&what, again, "git ls-files and stat", floor, "≤ 2 (0.7) s");
        }
        None => println!("second opening: {:.0} ms", again.wall * 1e3),
    }
    for folder in index.iter().chain([&folder]) {
        std::fs::remove_dir_all(folder).ok();
    }
}

/// All of a scan with what files say of one another, beside the same scan without.
fn relations(tree: &Path, rounds: usize, what: &str) {
    let progress = Progress::new();
    let start = || Scan::start_with_cache(tree, None, &progress);
    let (mut with, mut without) = (Took::NEVER, Took::NEVER);
    let mut found = None;
    for _ in 0..rounds.max(1) {
        without = without.min(time(|| {
            if let Ok(mut scan) = start() {
                drop(scan.finish(&progress));
            }
        }));
        with = with.min(time(|| {
            if let Ok(mut scan) = start() {
                scan.read_relations();
                drop(scan.finish(&progress));
                found = find(tree, scan.files(), &progress).ok();
            }
        }));
    }
    ratio(what, with, "scan without them", without, "≤ 1.5 ×");
    if let Some(found) = found {
        println!(
            "  {} imports between files, {:.1} % of those meant for the tree; {} outside; {} pairs of files by calls",
            found.imports.len(),
            100.0 * found.share_resolved(),
            found.outside,
            found.calls.len(),
        );
    }
}

fn tree() -> PathBuf {
    if let Some(tree) = std::env::var_os("CALLSCAPE_BENCH_TREE") {
        return PathBuf::from(tree);
    }
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(dirs::home_dir()?.join(".cargo")));
    let dependencies = cargo.map(|cargo| cargo.join("registry/src"));
    dependencies
        .filter(|tree| tree.is_dir())
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")))
}

/// How long work took: on the clock, and of all processors together, in seconds.
#[derive(Clone, Copy)]
struct Took {
    wall: f64,
    cpu: f64,
}

impl Took {
    const NEVER: Took = Took {
        wall: f64::INFINITY,
        cpu: f64::INFINITY,
    };

    fn min(self, other: Took) -> Took {
        Took {
            wall: self.wall.min(other.wall),
            cpu: self.cpu.min(other.cpu),
        }
    }
}

fn time(work: impl FnOnce()) -> Took {
    let (start, cpu) = (Instant::now(), cpu_time());
    work();
    Took {
        wall: start.elapsed().as_secs_f64(),
        cpu: (cpu_time() - cpu).as_secs_f64(),
    }
}

fn ratio(what: &str, took: Took, peer: &str, peer_took: Took, aim: &str) {
    println!(
        "{what}: {:.2} × {peer} ({:.0} ms against {:.0} ms); of CPU time {:.2} × ({:.2} s against {:.2} s)",
        took.wall / peer_took.wall,
        took.wall * 1e3,
        peer_took.wall * 1e3,
        took.cpu / peer_took.cpu,
        took.cpu,
        peer_took.cpu,
    );
    Measured {
        target: &format!("scan: {what}"),
        value: took.wall,
        unit: "s",
        peer: Some((peer, peer_took.wall)),
        aim,
        ..Measured::default()
    }
    .print();
}

/// The grammar that reads files with this extension.
fn grammar(extension: &str) -> Option<tree_sitter::Language> {
    Some(match extension {
        "c" | "h" => tree_sitter_c::LANGUAGE.into(),
        "cc" | "cpp" | "cxx" | "c++" | "hh" | "hpp" | "hxx" => tree_sitter_cpp::LANGUAGE.into(),
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "py" => tree_sitter_python::LANGUAGE.into(),
        "js" | "jsx" | "mjs" | "cjs" => tree_sitter_javascript::LANGUAGE.into(),
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "rb" => tree_sitter_ruby::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP.into(),
        "lua" => tree_sitter_lua::LANGUAGE.into(),
        "sh" | "bash" => tree_sitter_bash::LANGUAGE.into(),
        _ => return None,
    })
}

fn parsable(tree: &Path) -> Vec<(PathBuf, tree_sitter::Language)> {
    let entries = ignore::WalkBuilder::new(tree).build().flatten();
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let mut files: Vec<_> = files
        .filter_map(|entry| {
            let bytes = entry.metadata().ok()?.len();
            let grammar = grammar(entry.path().extension()?.to_str()?)?;
            (bytes <= 16 << 20).then(|| (bytes, entry.into_path(), grammar))
        })
        .collect();
    // The largest first, so that no thread is left alone at the end.
    files.sort_by_key(|(bytes, ..)| std::cmp::Reverse(*bytes));
    files
        .into_iter()
        .map(|(_, path, grammar)| (path, grammar))
        .collect()
}

/// Parses the files and looks at nothing; how many bytes they have.
fn parse_all(files: &[(PathBuf, tree_sitter::Language)]) -> u64 {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, bytes) = (AtomicUsize::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut parser = tree_sitter::Parser::new();
                while let Some((path, grammar)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Ok(source) = std::fs::read(path)
                        && parser.set_language(grammar).is_ok()
                    {
                        bytes.fetch_add(source.len() as u64, Ordering::Relaxed);
                        std::hint::black_box(parser.parse(&source, None));
                    }
                }
            });
        }
    });
    bytes.into_inner()
}

fn git(index: &Path, tree: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("--git-dir").arg(index).arg("--work-tree").arg(tree);
    git
}

/// A git index of the tree, kept elsewhere.
fn git_index(tree: &Path) -> Option<PathBuf> {
    let index = std::env::temp_dir().join(format!("callscape-bench-git-{}", std::process::id()));
    let init = Command::new("git")
        .args(["init", "-q", "--bare"])
        .arg(&index)
        .status();
    init.ok()?.success().then_some(())?;
    let add = git(&index, tree)
        .current_dir(tree)
        .args(["add", "-N", "."])
        .status();
    add.ok()?.success().then_some(index)
}

fn list_and_stat(tree: &Path, index: &Path) {
    let listed = git(index, tree)
        .current_dir(tree)
        .args(["ls-files", "-z"])
        .stdout(Stdio::piped())
        .output();
    let listed = listed.map(|output| output.stdout).unwrap_or_default();
    for path in listed.split(|&byte| byte == 0) {
        let path = tree.join(String::from_utf8_lossy(path).as_ref());
        std::hint::black_box(std::fs::symlink_metadata(path).ok());
    }
}
