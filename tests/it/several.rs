//! Through the public interface: files of processes that are one recording, and those that are runs of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use callscape::facts::recording::Recording;
use callscape::import;
use callscape::progress::Progress;

use super::common::{Scratch, callscape, data};

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

/// A minute after the machine has started, in microseconds.
const MINUTE: u64 = 60_000_000;

fn open(paths: &[&Path]) -> Vec<Arc<Recording>> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.to_path_buf()).collect();
    import::open_all(&paths, &Progress::new()).unwrap_or_else(|error| panic!("{error}"))
}

/// The processes of each recording.
fn processes(recordings: &[Arc<Recording>]) -> Vec<Vec<String>> {
    let of = |recording: &Arc<Recording>| {
        let threads = recording.trace.threads().iter();
        threads.map(|thread| thread.process.clone()).collect()
    };
    recordings.iter().map(of).collect()
}

#[test]
fn processes_that_ran_at_one_time_are_one_recording() {
    let scratch = Scratch::new("processes");
    let parent = scratch.write("result_100.json", trace(100, MINUTE, 1000).as_bytes());
    let child = scratch.write("result_101.json", trace(101, MINUTE + 100, 200).as_bytes());
    let later = scratch.write("result_102.json", trace(102, MINUTE + 500, 200).as_bytes());
    let next_run = scratch.write(
        "result_200.json",
        trace(200, MINUTE + 5000, 1000).as_bytes(),
    );
    let all = open(&[&parent, &child, &later, &next_run]);
    assert_eq!(processes(&all), [vec!["100", "101", "102"], vec!["200"]]);
    // On one clock, with all calls.
    let joined = &all[0].trace;
    assert_eq!((joined.calls(), joined.duration().ns()), (6, 1_000_000));
    let starts: Vec<u64> = joined.threads().iter().map(|it| it.start.ns()).collect();
    assert_eq!(starts, [0, 100_000, 500_000]);
    assert_eq!(joined.max_depth(), 2);
    assert_eq!(all[0].functions.len(), 2);
    assert!(all[0].warnings.is_empty());
    // A whole folder, in which nothing else lies.
    std::fs::remove_file(&next_run).expect("a file");
    let folder = open(&[&scratch.0]);
    assert_eq!(processes(&folder), [["100", "101", "102"]]);
    assert_eq!(folder[0].path, scratch.0);
}

#[test]
fn files_that_do_not_say_so_are_runs_of_their_own() {
    let scratch = Scratch::new("runs");
    let two = |a: &Path, b: &Path| assert_eq!(open(&[a, b]).len(), 2, "{}", a.display());
    // Times from each file's own start, as a compiler writes them.
    let a = scratch.write("a-100.json", trace(100, 0, 1000).as_bytes());
    let b = scratch.write("a-101.json", trace(101, 5, 1000).as_bytes());
    two(&a, &b);
    // Names without the processes.
    let a = scratch.write("left.json", trace(100, MINUTE, 1000).as_bytes());
    let b = scratch.write("right.json", trace(101, MINUTE, 1000).as_bytes());
    two(&a, &b);
    let a = scratch.write("run1.json", trace(100, MINUTE, 1000).as_bytes());
    let b = scratch.write("run2.json", trace(101, MINUTE, 1000).as_bytes());
    two(&a, &b);
    // Names of other series.
    let a = scratch.write("slow_100.json", trace(100, MINUTE, 1000).as_bytes());
    let b = scratch.write("fast_101.json", trace(101, MINUTE, 1000).as_bytes());
    two(&a, &b);
    // One behind the other.
    let a = scratch.write("r100.json", trace(100, MINUTE, 1000).as_bytes());
    let b = scratch.write("r101.json", trace(101, MINUTE + 1000, 1000).as_bytes());
    two(&a, &b);
}

#[test]
fn the_index_of_a_part_keeps_its_clock() {
    let scratch = Scratch::new("clock");
    let parts = [100, 101].map(|process| {
        let name = format!("p{process}.json");
        scratch.write(
            &name,
            trace(process, MINUTE + u64::from(process), 1000).as_bytes(),
        )
    });
    for part in &parts {
        import::index::build(part, None, &Progress::new()).expect("an index");
    }
    let joined = open(&[&parts[0], &parts[1]]);
    assert_eq!(processes(&joined), [["100", "101"]]);
    assert_eq!(joined[0].trace.duration().ns(), 1_001_000);
}

/// A profile of a thread, as callgrind writes it: `main` costs 3, `work` that it calls 40.
fn costs(process: u32, thread: u32) -> String {
    format!(
        "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: {process}\ncmd:  ./app\npart: 1\nthread: {thread}\n\n\
         positions: line\nevents: Ir\nsummary: 43\n\nfl=(1) a.c\nfn=(1) main\n1 3\ncfn=(2) work{thread}\ncalls=2 7\n1 40\n\n\
         fn=(2)\n7 40\n\ntotals: 43\n"
    )
}

#[test]
fn threads_that_callgrind_tells_apart_are_one_profile() {
    let scratch = Scratch::new("callgrind-threads");
    scratch.write("callgrind.out.7", b"");
    let first = scratch.write("callgrind.out.7-01", costs(7, 1).as_bytes());
    let second = scratch.write("callgrind.out.7-02", costs(7, 2).as_bytes());
    for opened in [open(&[&first, &second]), open(&[&scratch.0])] {
        assert_eq!(opened.len(), 1);
        assert!(opened[0].warnings.is_empty(), "{:?}", opened[0].warnings);
        let profile = opened[0].profile.as_ref().expect("a profile");
        assert_eq!(profile.weight().ns(), 86);
        let functions = &opened[0].functions;
        let metrics = functions.ids().zip(profile.function_metrics());
        let rows: Vec<_> = metrics
            .map(|(id, it)| {
                (
                    functions.get(id).name,
                    it.calls,
                    it.total.ns(),
                    it.self_cost.ns(),
                )
            })
            .collect();
        let expected = [
            ("main", 0, 86, 6),
            ("work1", 2, 40, 40),
            ("work2", 2, 40, 40),
        ];
        assert_eq!(rows, expected);
    }
    // Another process, and the same thread twice.
    let other = scratch.write("callgrind.out.8-01", costs(8, 1).as_bytes());
    assert_eq!(open(&[&first, &second, &other]).len(), 2);
    let again = scratch.write("again.7-01", costs(7, 1).as_bytes());
    assert_eq!(open(&[&first, &again]).len(), 2);
}

/// Without line breaks, code is many statements with a semicolon behind each, as folded stacks have it.
#[test]
fn minified_code_in_a_folder_is_a_source_tree() {
    let code: String = (0..20_000)
        .map(|it| format!("function f{it}(a){{return a*{it}}};"))
        .collect();
    let scratch = Scratch::new("minified");
    scratch.write("app.min.js", format!("{code} 3").as_bytes());
    assert!(!import::is_recording(&scratch.0));
    let stacks = Scratch::new("stacks");
    stacks.write("run.folded", b"main;f 3\nmain 1\n");
    assert!(import::is_recording(&stacks.0));
}

#[test]
fn a_folder_of_many_kinds_is_listed() {
    let scratch = Scratch::new("mixed-folder");
    let profile = data("import/callgrind/lines.callgrind.out");
    std::fs::copy(&profile, scratch.0.join("b.out")).expect("there is room");
    scratch.write("a.json", trace(1, MINUTE, 100).as_bytes());
    scratch.write("notes.txt", b"nothing of the kind\n");
    scratch.write(".hidden", b"x");
    std::fs::create_dir(scratch.0.join("sub")).expect("there is room");
    // Parts of one run, as callgrind numbers them.
    let text = std::fs::read_to_string(&profile).expect("it is there");
    for part in ["1", "2"] {
        let text = text.replacen(
            "version: 1\n",
            &format!("version: 1\npid: 9\npart: {part}\n"),
            1,
        );
        scratch.write(&format!("c.out.{part}"), text.as_bytes());
    }
    let listed = |json: &[&str]| {
        let mut command = callscape();
        let output = command.arg("info").arg(&scratch.0).args(json).output();
        let output = output.expect("the program");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let json: serde_json::Value = serde_json::from_str(&listed(&["--json"])).expect("JSON");
    let files = json["files"].as_array().expect("a list");
    let told: Vec<(&str, Option<&str>)> = files
        .iter()
        .map(|it| (it["file"].as_str().unwrap_or(""), it["format"].as_str()))
        .collect();
    let expected = [
        ("a.json", Some("chrome-json")),
        ("b.out", Some("callgrind")),
        ("c.out.1", Some("callgrind")),
        ("c.out.2", Some("callgrind")),
        ("notes.txt", None),
        ("sub", None),
    ];
    assert_eq!(told, expected);
    let text = listed(&[]);
    assert!(
        text.contains("notes.txt: a text that begins with"),
        "{text}"
    );
    assert!(text.contains("sub: a folder"), "{text}");
    // Each can be opened, as it says.
    for file in expected.iter().filter(|it| it.1.is_some()) {
        open(&[&scratch.0.join(file.0)]);
    }
}
