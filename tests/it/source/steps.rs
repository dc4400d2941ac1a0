//! Scanning in steps, and what is kept from one scan to the next.

use std::fs;
use std::path::Path;
use std::time::Duration;

use callscape::analysis::session::{Inputs, Session};
use callscape::facts::hierarchy::{Hierarchy, ModuleKind};
use callscape::progress::Progress;
use callscape::source::Scan;
use callscape::units::ModuleId;

use super::Scratch;

fn modules(hierarchy: &Hierarchy) -> Vec<String> {
    let modules = hierarchy.modules();
    modules
        .map(|id| format!("{} {:?}", hierarchy.path(id), hierarchy.module(id)))
        .collect()
}

/// A tree that is large enough to be kept.
fn tree(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    for file in 0..6 {
        let functions = (0..5_000).map(|i| {
            let padding = "x".repeat(60);
            format!("// {padding}\nint f{i}_{file}(int a) {{ return a ? {i} : 2; }}\n")
        });
        scratch.write(&format!("src/f{file}.c"), functions.collect::<String>());
    }
    scratch.write("src/notes.md", "# Notes\n\ntext\n");
    scratch
}

fn scan(dir: &Path, folder: Option<&Path>) -> Scan {
    let progress = Progress::new();
    let mut scan = Scan::start_with_cache(dir, folder, &progress).expect("a tree");
    scan.finish(&progress).expect("a tree");
    scan
}

#[test]
fn lines_come_first_and_functions_follow() {
    let scratch = tree("steps");
    let progress = Progress::new();
    let mut scan = Scan::start_with_cache(&scratch.0, None, &progress).expect("a tree");
    assert_eq!(scan.state(), (7, 6));
    let first = scan.hierarchy();
    super::check(&first);
    let is_file = |h: &Hierarchy, id| h.kind(id) == ModuleKind::File;
    let mut last = first.len();
    let mut steps = 0;
    while !scan
        .read_on(Duration::from_millis(1), &progress)
        .expect("a tree")
    {
        let hierarchy = scan.hierarchy();
        super::check(&hierarchy);
        assert!(hierarchy.len() >= last);
        last = hierarchy.len();
        steps += 1;
    }
    let whole = scan.hierarchy();
    super::check(&whole);
    assert!(steps > 0);
    assert_eq!(scan.state(), (7, 0));
    assert_eq!(whole.module(ModuleId::ROOT).functions, 30_000);
    // What was known first is as it was: files have their place and size from the start.
    let files = |hierarchy: &Hierarchy| -> Vec<(String, u32)> {
        let files = hierarchy.modules().filter(|id| is_file(hierarchy, *id));
        files
            .map(|id| (hierarchy.path(id), hierarchy.module(id).loc))
            .collect()
    };
    assert_eq!(files(&first), files(&whole));
}

#[test]
fn what_was_kept_is_used_and_never_believed_when_it_is_wrong() {
    let scratch = tree("kept");
    let cache = Scratch::new("kept-cache");
    let folder = Some(cache.0.as_path());
    let first = modules(&scan(&scratch.0, None).hierarchy());
    assert_eq!(modules(&scan(&scratch.0, folder).hierarchy()), first);
    let kept: Vec<_> = fs::read_dir(&cache.0).expect("a folder").collect();
    assert_eq!(kept.len(), 1);
    let kept = kept[0].as_ref().expect("a file").path();
    // The second time nothing is parsed, whether stamps are trusted or contents compared.
    let progress = Progress::new();
    let again = Scan::start_with_cache(&scratch.0, folder, &progress).expect("a tree");
    assert_eq!(again.state(), (7, 0));
    assert_eq!(modules(&again.hierarchy()), first);
    // A file that moves is known by its content; one that changes is read.
    fs::rename(scratch.0.join("src/f0.c"), scratch.0.join("src/g0.c")).expect("writable");
    scratch.write("src/f1.c", "int changed(void) { return 1; }\n");
    let moved = Scan::start_with_cache(&scratch.0, folder, &progress).expect("a tree");
    assert_eq!(moved.state(), (7, 1));
    let expected = modules(&scan(&scratch.0, None).hierarchy());
    assert_eq!(modules(&scan(&scratch.0, folder).hierarchy()), expected);
    // Damage costs time and nothing else.
    let whole = fs::read(&kept).expect("a file");
    for (at, damage) in [
        (3, 1),
        (12, 1),
        (20, 0xff),
        (27, 1),
        (500, 0x80),
        (whole.len() - 1, 1),
    ] {
        let mut damaged = whole.clone();
        damaged[at] ^= damage;
        fs::write(&kept, damaged).expect("writable");
        assert_eq!(modules(&scan(&scratch.0, folder).hierarchy()), expected);
    }
    fs::write(&kept, &whole[..whole.len() / 2]).expect("writable");
    assert_eq!(modules(&scan(&scratch.0, folder).hierarchy()), expected);
    fs::remove_file(&kept).expect("writable");
    fs::create_dir(&kept).expect("writable");
    let scan = scan(&scratch.0, folder);
    assert_eq!(modules(&scan.hierarchy()), expected);
    let kinds: Vec<_> = scan.problems().iter().map(|problem| problem.kind).collect();
    assert_eq!(kinds, ["scan-not-kept"]);
}

#[test]
fn two_windows_may_scan_one_tree() {
    let scratch = tree("two");
    let cache = Scratch::new("two-cache");
    let expected = modules(&scan(&scratch.0, None).hierarchy());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let scan = scan(&scratch.0, Some(&cache.0));
                assert_eq!(modules(&scan.hierarchy()), expected);
            });
        }
    });
    let left: Vec<_> = fs::read_dir(&cache.0).expect("a folder").collect();
    assert_eq!(left.len(), 1);
}

#[test]
fn a_session_shows_files_first_and_then_what_is_in_them() {
    let scratch = tree("session");
    let functions = (0..30_000).map(|i| {
        let padding = "x".repeat(30);
        format!("int g{i}_{padding}(int a) {{ return a ? {i} : 2; }}\n")
    });
    scratch.write("large.c", functions.collect::<String>());
    let inputs = Inputs {
        source_dir: Some(scratch.0.clone()),
        recordings: Vec::new(),
        ..Inputs::default()
    };
    let progress = Progress::new();
    let (mut session, refinement) = Session::open_first(&inputs, &progress).expect("a tree");
    let refinement = refinement.expect("there is more to read");
    assert_eq!(session.hierarchy.module(ModuleId::ROOT).functions, 0);
    // Who changes their mind loses nothing.
    let cancelled = Progress::new();
    cancelled.cancel();
    assert!(session.refine(&refinement, &cancelled).is_err());
    loop {
        let (next, is_whole) = session.refine(&refinement, &progress).expect("a tree");
        super::check(&next.hierarchy);
        session = next;
        if is_whole {
            break;
        }
    }
    let whole = Session::open(&inputs, &progress).expect("a tree");
    assert_eq!(modules(&session.hierarchy), modules(&whole.hierarchy));
    assert_eq!(session.hierarchy.module(ModuleId::ROOT).functions, 60_000);
}
