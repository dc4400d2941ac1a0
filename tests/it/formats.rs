//! Through the public interface: what holds for every format of recordings, on its samples under
//! `tests/data/import/<format>/`, and what each sample holds.

use std::path::{Path, PathBuf};

use callscape::facts::recording::{Recording, RecordingKind};
use callscape::import;
use callscape::progress::Progress;
use callscape::units::{CallId, ThreadId, Time};

use super::common::{self, Random};

fn open(path: &Path) -> Result<Recording, import::ImportError> {
    import::open(path, &Progress::new())
}

fn read(path: &Path) -> Recording {
    open(path).unwrap_or_else(|error| panic!("{error}"))
}

/// The sample files of a format.
fn samples(format: &str) -> Vec<PathBuf> {
    let folder = common::data("import").join(format);
    let entries = std::fs::read_dir(folder).expect("the samples of a format");
    let paths = entries.map(|entry| entry.expect("a sample").path());
    let own_source = ["md", "js", "py", "c"];
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| {
            let extension = path.extension().unwrap_or_default();
            own_source.iter().all(|other| extension != *other)
        })
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{format} has a sample");
    paths
}

/// A folder for the files of one test, removed with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Scratch {
        let name = format!("callscape-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        Scratch(folder)
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("a temporary file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Every call of a recording in one text: thread, function, times, depth.
fn shown(recording: &Recording) -> String {
    let mut text = format!("{:?} {}\n", recording.kind, recording.samples);
    let trace = &recording.trace;
    for (thread, id) in trace.threads().iter().zip(trace.thread_ids()) {
        text += &format!("thread {} {} {}\n", thread.process, thread.id, thread.name);
        for call in 0..thread.calls as u32 {
            let call = trace.call(id, CallId(call));
            let function = recording.functions.get(call.function);
            let (start, cost) = (call.start.ns(), call.cost().ns());
            text += &format!(
                "{}{} {}:{} {} {start}+{cost}\n",
                " ".repeat(call.depth as usize % 100),
                function.name,
                function.file,
                function.line,
                function.library,
            );
        }
    }
    text
}

/// Calls are in order of start, nest, and no time lies outside its parent's.
fn assert_sound(recording: &Recording) {
    let trace = &recording.trace;
    for (thread, id) in trace.threads().iter().zip(trace.thread_ids()) {
        let mut open: Vec<(Time, Time)> = Vec::new();
        let mut last = Time::ZERO;
        for call in 0..thread.calls as u32 {
            let call = trace.call(id, CallId(call));
            assert!((call.function.index()) < recording.functions.len());
            let (start, end) = (call.start, call.start + call.cost());
            assert!(last <= start);
            assert!(call.depth as usize <= open.len());
            open.truncate(call.depth as usize);
            if let Some(&(parent_start, parent_end)) = open.last() {
                assert!(parent_start <= start && end <= parent_end);
            }
            open.push((start, end));
            last = start;
        }
    }
}

/// The checks that hold for every format, on its samples.
fn holds_for(format: &str) {
    let scratch = Scratch::new(format);
    for path in samples(format) {
        let content = std::fs::read(&path).expect("a sample");
        let plain = read(&path);
        assert_eq!(plain.format, format, "{}", path.display());
        assert!(plain.trace.calls() > 0);
        assert_sound(&plain);
        let plain = shown(&plain);

        let unnamed = scratch.write("unnamed", &content);
        assert_eq!(shown(&read(&unnamed)), plain, "recognised without its name");

        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, &content).expect("in memory");
        let gzip = scratch.write("gzip", &gzip.finish().expect("in memory"));
        assert_eq!(shown(&read(&gzip)), plain, "compressed with gzip");
        let zstd = zstd::encode_all(content.as_slice(), 1).expect("in memory");
        let zstd = scratch.write("zstd", &zstd);
        assert_eq!(shown(&read(&zstd)), plain, "compressed with zstd");

        // Never a panic, and what is read is sound. Short samples at every byte.
        for length in (0..content.len()).step_by(content.len() / 2000 + 1) {
            let cut = scratch.write("cut", &content[..length]);
            if let Ok(recording) = open(&cut) {
                assert_sound(&recording);
            }
        }
        for seed in 0..500 {
            let mut random = Random(seed);
            let mut content = content.clone();
            for _ in 0..=random.below(8) {
                let at = random.below(content.len() as u64) as usize;
                match random.below(4) {
                    0 => content[at] = random.next() as u8,
                    1 => content[at] ^= 1 << random.below(8),
                    2 => content[at] = b"0123456789-,:{}[]\"\n ()"[random.below(22) as usize],
                    _ => {
                        let end = (at + 1 + random.below(20) as usize).min(content.len());
                        content.drain(at..end);
                    }
                }
                if content.is_empty() {
                    break;
                }
            }
            let damaged = scratch.write("damaged", &content);
            // The seed is printed by the panic of a check, or by this when the import itself panics.
            let result = std::panic::catch_unwind(|| open(&damaged));
            match result {
                Ok(Ok(recording)) => assert_sound(&recording),
                Ok(Err(_)) => {}
                Err(_) => panic!("{} panics with seed {seed}", path.display()),
            }
        }
    }
}

fn warnings(recording: &Recording) -> Vec<(&'static str, u64)> {
    let warnings = recording.warnings.iter();
    warnings
        .map(|warning| (warning.kind.as_ref(), warning.count))
        .collect()
}

/// A recording of the large set of test data.
fn large(relative: &str) -> Option<Recording> {
    common::large_data(relative).map(|path| read(&path))
}

/// Total time of all functions of this name, in nanoseconds; functions of one name must not call each other.
fn total(recording: &Recording, name: &str) -> u64 {
    let metrics = recording.trace.function_metrics(None);
    let ids = recording.functions.ids();
    let named = ids.filter(|&id| recording.functions.get(id).name == name);
    named.map(|id| metrics[id.index()].total.ns()).sum()
}

#[test]
fn speedscope_files_are_read() {
    holds_for("speedscope");
}

#[test]
fn speedscope_events_become_calls() {
    let recording = read(&common::data("import/speedscope/evented.speedscope.json"));
    assert_eq!(recording.kind, RecordingKind::Trace);
    assert_eq!(warnings(&recording), []);
    let expected = "Trace 0
thread  1 first
main main.c:3  0+98500
 parse \"all\" parse.c:10  8500+10250
 fäc fac.c:7  28500+10000
  fäc fac.c:7  29500+1000
thread  2 second
parse \"all\" parse.c:10  2500+1000
";
    assert_eq!(shown(&recording), expected);
}

#[test]
fn speedscope_members_may_stand_in_any_order() {
    let scratch = Scratch::new("speedscope-order");
    let path = scratch.write(
        "order",
        br#"{"profiles": [{"events": [{"at": 1, "type": "O", "frame": 0}, {"at": 3, "frame": 0, "type": "C"}],
        "unit": "milliseconds", "type": "evented"},
        {"weights": [1, 2], "samples": [[0], [0, 0]], "unit": "seconds", "startValue": 0, "type": "sampled"}],
        "shared": {"frames": [{"name": "f"}]}, "$schema": "https://www.speedscope.app/file-format-schema.json"}"#,
    );
    let recording = read(&path);
    assert_eq!(warnings(&recording), []);
    let expected = "Sampled 2
thread  1 
f :0  1000000+2000000
thread  2 
f :0  0+3000000000
 f :0  1000000000+2000000000
";
    assert_eq!(shown(&recording), expected);
}

#[test]
fn speedscope_repairs_are_counted() {
    let scratch = Scratch::new("speedscope-repairs");
    let path = scratch.write(
        "repairs",
        br#"{"shared": {"frames": [{"name": "f"}, {"name": "g"}]}, "profiles": [{"type": "evented", "unit": "none",
        "startValue": 0, "endValue": 90, "events": [
        {"type": "O", "frame": 0, "at": 10}, {"type": "O", "frame": 1, "at": 20},
        {"type": "C", "frame": 0, "at": 30}, {"type": "C", "frame": 1, "at": 40},
        {"type": "O", "frame": 7, "at": 35}, {"type": "O", "frame": 0}, 17]}]}"#,
    );
    let recording = read(&path);
    let expected = "Trace 0
thread  1 
f :0  0+20
 g :0  10+10
frame 7 :0  25+55
";
    assert_eq!(shown(&recording), expected);
    let expected = [
        ("end-without-begin", 1),
        ("missing-end", 1),
        ("missing-field", 1),
        ("not-an-event", 1),
        ("open-at-end", 1),
        ("unit-is-not-time", 1),
        ("unknown-frame", 1),
    ];
    assert_eq!(warnings(&recording), expected);
}

#[test]
fn speedscope_agrees_with_an_independent_reading_of_py_spy() {
    let Some(recording) = large("folded/markdown.py-spy.speedscope.json") else {
        return;
    };
    assert_eq!(recording.kind, RecordingKind::Sampled);
    assert_eq!(recording.samples, 1227);
    // Samples of 5 ms with the function in them, counted in Python; lines of one function are one function.
    for (name, samples) in [("MarkdownIt.render", 1036), ("MarkdownIt.parse", 967)] {
        assert_eq!(total(&recording, name), samples * 5_000_000, "{name}");
    }
}

#[test]
fn cpuprofile_files_are_read() {
    holds_for("cpuprofile");
}

#[test]
fn cpuprofile_agrees_with_an_independent_reading() {
    for (file, samples, depth, name, nanoseconds) in [
        (
            "orders-optimized.cpuprofile",
            64,
            34,
            "executeUserEntryPoint",
            69_152_000,
        ),
        (
            "orders-unoptimized.cpuprofile",
            1216,
            35,
            "executeUserEntryPoint",
            3_183_914_000,
        ),
        (
            "prettier-acorn.cpuprofile.gz",
            1620,
            244,
            "printAstToDoc",
            3_645_553_000,
        ),
        (
            "tsc-rxjs.cpuprofile.gz",
            6226,
            193,
            "executeUserEntryPoint",
            22_740_414_000,
        ),
    ] {
        let Some(recording) = large(&format!("cpuprofile/{file}")) else {
            return;
        };
        assert_eq!(recording.kind, RecordingKind::Sampled);
        assert_eq!(recording.samples, samples, "{file}");
        assert_eq!(recording.trace.max_depth(), depth, "{file}");
        assert_eq!(total(&recording, name), nanoseconds, "{file}");
        assert_sound(&recording);
    }
}

#[test]
fn cpuprofile_repairs_are_counted() {
    for (file, expected) in [
        ("cycle", vec![("cycle", 1), ("out-of-order", 1)]),
        (
            "duplicate-ids",
            vec![
                ("duplicate-id", 1),
                ("out-of-order", 1),
                ("unknown-node", 1),
            ],
        ),
        (
            "end-before-start",
            vec![("end-before-start", 1), ("out-of-order", 1)],
        ),
        ("fewer-deltas", vec![("missing-time", 1206)]),
        ("negative-delta", vec![("out-of-order", 1)]),
        (
            "sample-unknown-node",
            vec![("out-of-order", 1), ("unknown-node", 1)],
        ),
    ] {
        let Some(recording) = large(&format!("corrupt/cpuprofile-{file}.cpuprofile")) else {
            return;
        };
        assert_eq!(warnings(&recording), expected, "{file}");
        assert_sound(&recording);
    }
    let Some(cut) = common::large_data("corrupt/cpuprofile-truncated.cpuprofile") else {
        return;
    };
    let error = open(&cut).expect_err("cut before its samples").to_string();
    assert!(
        error.contains("samples") && error.contains("byte 30000"),
        "{error}"
    );
}

#[test]
fn cpuprofile_nodes_of_before_2016_are_nested() {
    let scratch = Scratch::new("cpuprofile-nested");
    let path = scratch.write(
        "nested",
        br#"{"head": {"functionName": "(root)", "url": "", "lineNumber": -1, "id": 1, "children": [
        {"functionName": "", "url": "file:///a%20b.js", "lineNumber": 4, "id": 2, "children": [
        {"functionName": "g", "url": "node:fs", "lineNumber": 0, "id": 3, "children": []}]}]},
        "startTime": 1.5, "endTime": 2.5, "samples": [1, 3, 2], "timestamps": [100, 200, 250]}"#,
    );
    let recording = read(&path);
    assert_eq!(warnings(&recording), []);
    let expected = "Sampled 3
thread  1 
(root) :0  0+200000
 (anonymous) /a b.js:5  100000+100000
  g node:fs:1 node 100000+50000
";
    assert_eq!(shown(&recording), expected);
    assert_eq!(recording.trace.threads()[ThreadId(0).index()].max_depth, 3);
}
