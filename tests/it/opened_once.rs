//! Through the public interface: nothing reads a recording twice, counted by how often its importer is entered.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use callscape::analysis::comparison::{self, Comparison, Settings};
use callscape::analysis::faults::opening::{self, Opened};
use callscape::analysis::session::{Inputs, Session, Sides};
use callscape::import;
use callscape::model::landscape::LandscapeSettings;
use callscape::progress::Progress;
use callscape::state::document::Document;

use super::common::Scratch;

/// A Chrome trace of a process: a call of `main` from `start` for `length` microseconds, with `f` in it.
fn trace(process: u32, start: u64, length: u64) -> String {
    let call = |name: &str, start: u64, length: u64| {
        format!(
            r#"{{"ph":"X","pid":{process},"tid":{process},"ts":{start},"dur":{length},"name":"{name}"}}"#
        )
    };
    let f = call("f", start + 10, length - 20);
    format!(r#"{{"traceEvents":[{f},{}]}}"#, call("main", start, length))
}

fn inputs(recordings: &[&Path]) -> Inputs {
    Inputs {
        recordings: recordings.iter().map(|it| it.to_path_buf()).collect(),
        ..Inputs::default()
    }
}

fn document(inputs: &Inputs) -> Document {
    Document::open(
        inputs,
        None,
        &LandscapeSettings::default(),
        &Progress::new(),
    )
    .expect("sound recordings")
}

#[test]
fn both_sides_of_a_comparison_share_what_both_name() {
    let scratch = Scratch::new("compared-once");
    let stacks = b"main;parse;read 60\nmain;sort 30\nmain 10\n";
    let [a, b] = ["a.folded", "b.folded"].map(|name| scratch.write(name, stacks));
    for value in [None, Some("samples".to_owned())] {
        let before = [&a, &b].map(|it| import::reads(it));
        let sides = comparison::Inputs {
            recordings: [vec![a.clone()], vec![b.clone(), a.clone(), b.clone()]],
            source_dirs: Vec::new(),
        };
        let settings = Settings {
            value,
            ..Settings::default()
        };
        let compared = Comparison::open(&sides, &settings, &Progress::new());
        let compared = compared.expect("sound recordings");
        assert_eq!(compared.session.recordings.len(), 4);
        assert_eq!(
            before.map(|it| it + 1),
            [&a, &b].map(|it| import::reads(it))
        );
    }
}

#[test]
fn what_is_open_is_shared_until_it_changes_or_is_closed() {
    let scratch = Scratch::new("shared");
    let path = scratch.write("a.json", trace(1, 0, 90).as_bytes());
    let open = || Session::open(&inputs(&[&path]), &Progress::new()).expect("a recording");
    let (first, again) = (open(), open());
    assert_eq!(import::reads(&path), 1);
    let [first_of, again_of] = [&first, &again].map(|it| &it.recordings[0].recording);
    assert!(Arc::ptr_eq(first_of, again_of));
    drop(again);
    scratch.write("a.json", trace(1, 0, 80_000).as_bytes());
    let changed = open();
    assert_eq!(import::reads(&path), 2);
    let lasts = |of: &Session| of.recordings[0].recording.trace.duration().ns();
    assert_eq!((lasts(&first), lasts(&changed)), (90_000, 80_000_000));
    drop((first, changed));
    open();
    assert_eq!(import::reads(&path), 3);
}

#[test]
fn a_recording_is_read_once_for_its_check_its_sources_and_its_window() {
    let scratch = Scratch::new("recorded-once");
    let path = scratch.write("a.json", trace(1, 0, 90).as_bytes());
    // The check.
    import::read_ahead(&path, &Progress::new()).expect("a recording");
    // The sources, after which nobody has it.
    import::hold(&import::open_shared(&path, &Progress::new()).expect("a recording"));
    // The window.
    let document = document(&inputs(&[&path]));
    assert_eq!(import::reads(&path), 1);
    // Nothing keeps it once that is closed.
    drop(document);
    import::open(&path, &Progress::new()).expect("a recording");
    assert_eq!(import::reads(&path), 2);
}

#[test]
fn two_processes_of_one_run_are_read_once_though_they_could_be_compared() {
    let minute = 60_000_000;
    let scratch = Scratch::new("processes-once");
    let parent = scratch.write("r_100.json", trace(100, minute, 1000).as_bytes());
    let child = scratch.write("r_101.json", trace(101, minute + 100, 200).as_bytes());
    let document = document(&inputs(&[&parent, &child]));
    assert!(document.runs.is_none());
    assert_eq!([&parent, &child].map(|it| import::reads(it)), [1, 1]);
}

#[test]
fn pairs_of_a_comparison_and_its_source_are_changed_without_reading() {
    let scratch = Scratch::new("paired-once");
    let paths = ["a.json", "b.json"].map(|name| scratch.write(name, trace(1, 0, 90).as_bytes()));
    let inputs = Inputs {
        sides: Sides {
            runs_of_a: 1,
            ..Sides::default()
        },
        ..inputs(&paths.each_ref().map(PathBuf::as_path))
    };
    let document = document(&inputs);
    let runs = document.runs.as_ref().expect("two runs");
    let again = runs.again(&inputs, Vec::new(), &Progress::new());
    assert!(again.expect("sound recordings").is_some());
    let with_source = Inputs {
        source_dir: Some(scratch.0.clone()),
        ..inputs.clone()
    };
    self::document(&with_source);
    assert_eq!(paths.each_ref().map(|it| import::reads(it)), [1, 1]);
}

#[test]
fn faults_read_a_recording_once_that_is_compared_with_itself() {
    let scratch = Scratch::new("faults-once");
    let path = scratch.write("a.json", trace(1, 0, 90).as_bytes());
    std::fs::create_dir(scratch.0.join("src")).expect("a folder");
    scratch.write("src/a.c", b"int f(void) { return 1; }\n");
    let scan = opening::scan(&scratch.0.join("src"), &Progress::new()).expect("a tree");
    let opened = Opened::over(scan, &path, Some(&path), &Progress::new()).expect("a recording");
    assert!(opened.against.is_some());
    assert_eq!(import::reads(&path), 1);
}
