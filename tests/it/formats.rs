//! Through the public interface: what holds for every format of recordings, on its samples under
//! `tests/data/import/<format>/`, and what each sample holds.

use std::path::{Path, PathBuf};

use callscape::facts::recording::{Recording, RecordingKind};
use callscape::import;
use callscape::progress::Progress;
use callscape::units::{CallId, Cost, ThreadId, Time};

use super::common::{self, Random, Scratch, gzip, read};

fn open(path: &Path) -> Result<Recording, import::ImportError> {
    import::open(path, &Progress::new())
}

/// The sample files of a format.
fn samples(format: &str) -> Vec<PathBuf> {
    let folder = common::data("import").join(format);
    let entries = std::fs::read_dir(folder).expect("the samples of a format");
    let paths = entries.map(|entry| entry.expect("a sample").path());
    let own_source = ["md", "js", "py", "c", "report"];
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

/// Calls are in order of start, nest, and no time lies outside its parent's. What is known of lines adds up to the functions.
fn assert_sound(recording: &Recording) {
    let trace = &recording.trace;
    if let Some(lines) = &recording.lines {
        let metrics = recording.function_metrics(None);
        for (id, metrics) in recording.functions.ids().zip(metrics) {
            let own = lines.of_function(id);
            let own = own.map(|at| lines.own(recording.value(), at));
            assert_eq!(own.sum::<Cost>(), metrics.self_cost);
        }
    }
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

        let gzip = scratch.write("gzip", &gzip(&content));
        assert_eq!(shown(&read(&gzip)), plain, "compressed with gzip");
        let zstd = zstd::encode_all(content.as_slice(), 1).expect("in memory");
        let zstd = scratch.write("zstd", &zstd);
        assert_eq!(shown(&read(&zstd)), plain, "compressed with zstd");

        // Never a panic, and what is read is sound. Short samples are cut at every byte.
        for length in (0..content.len()).step_by(content.len() / 600 + 1) {
            let cut = scratch.write("cut", &content[..length]);
            if let Ok(recording) = open(&cut) {
                assert_sound(&recording);
            }
        }
        for seed in 0..200 {
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

fn warnings(recording: &Recording) -> Vec<(&str, u64)> {
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
    let metrics = recording.function_metrics(None);
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
    // Cut before its samples: what the nodes say of their hits is a profile.
    let Some(cut) = large("corrupt/cpuprofile-truncated.cpuprofile") else {
        return;
    };
    assert_eq!(warnings(&cut), [("truncated-file", 1), ("unknown-node", 4)]);
    assert!(cut.profile.is_some());
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

#[test]
fn firefox_profiles_are_read() {
    holds_for("firefox");
}

#[test]
fn firefox_agrees_with_an_independent_reading() {
    let Some(recording) = large("firefox/lua-queens11.samply.symbolicated.json.gz") else {
        return;
    };
    assert_eq!(recording.kind, RecordingKind::Sampled);
    assert_eq!((recording.samples, recording.trace.max_depth()), (828, 17));
    let threads = recording.trace.threads().iter();
    let threads: Vec<&str> = threads.map(|thread| thread.name.as_str()).collect();
    assert_eq!(threads, ["perf-exec", "luafp"]);
    // The same recording as that of perf. It tells how long the threads ran, to a millisecond or two in all.
    let mut recording = recording;
    recording
        .show_value("processor time")
        .expect("what it tells");
    let Some(perf) = large("perf/lua-queens11.perf.txt") else {
        return;
    };
    for name in ["main", "luaV_execute", "luaV_equalobj", "luaD_precall"] {
        let (a, b) = (total(&recording, name), total(&perf, name));
        assert!(a.abs_diff(b) < 2_000_000, "{name}: {a} and {b}");
    }
    let main = recording
        .functions
        .ids()
        .map(|id| recording.functions.get(id));
    let main: Vec<&str> = main
        .filter(|f| f.name == "main")
        .map(|f| f.library)
        .collect();
    assert_eq!(main, ["luafp"]);
}

#[test]
fn firefox_tables_are_shared_from_version_60_on() {
    let scratch = Scratch::new("firefox-shared");
    let path = scratch.write(
        "shared",
        br#"{"meta": {"interval": 1, "preprocessedProfileVersion": 70, "version": 36, "sampleUnits": {"time": "ms"}},
        "libs": [{"name": "libm.so", "path": "/lib/libm.so"}],
        "threads": [
        {"name": "one", "pid": "5", "tid": "5", "samples": {"stack": [1, 2, null, 0], "timeDeltas": [1, 1, 1, 1]}},
        {"name": "two", "pid": "5", "tid": 6, "samples": {"stack": [0], "time": [2.5]}}],
        "shared": {"stringArray": ["f", "g", "a.js"],
        "stackTable": {"prefixOffset": [0, 1, 1], "frame": [0, 1, 2]},
        "frameTable": {"func": [0, 1, 1], "line": [4, null, 9], "lib": [0, -1, -1]},
        "funcTable": {"name": [0, 1], "resource": [-1, -1], "source": [null, 0], "lineNumber": [null, 3]},
        "sources": {"filename": [2]}}}"#,
    );
    let recording = read(&path);
    assert_eq!(warnings(&recording), []);
    let expected = "Sampled 5
thread 5 5 one
f :4 libm.so 0+2000000
 g a.js:3  0+2000000
  g a.js:3  1000000+1000000
f :4 libm.so 3000000+1000000
thread 5 6 two
f :4 libm.so 1500000+1000000
";
    assert_eq!(shown(&recording), expected);
}

#[test]
fn firefox_rows_may_stand_before_their_schema() {
    let scratch = Scratch::new("firefox-gecko");
    let path = scratch.write(
        "gecko",
        br#"{"meta": {"version": 30, "interval": 1, "startTime": 1000}, "libs": [], "threads": [
        {"name": "GeckoMain", "pid": 1, "tid": 1, "stringTable": ["(root)", "f (http://a/b.js:12:3)"],
        "samples": {"data": [[0, 1.5], [1, 2.5]], "schema": {"time": 1, "stack": 0}},
        "stackTable": {"schema": {"frame": 1, "prefix": 0}, "data": [[null, 0], [0, 1]]},
        "frameTable": {"schema": {"location": 0}, "data": [[0], [1]]}}],
        "processes": [{"meta": {"version": 30, "interval": 1, "startTime": 1010}, "threads": [
        {"name": "Content", "pid": 2, "tid": 2, "stringTable": ["h"],
        "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 0]]},
        "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[null, 0]]},
        "frameTable": {"schema": {"location": 0}, "data": [[0]]}}]}]}"#,
    );
    let recording = read(&path);
    assert_eq!(warnings(&recording), []);
    let expected = "Sampled 3
thread 1 1 GeckoMain
(root) :0  0+2000000
 f http://a/b.js:12  1000000+1000000
thread 2 2 Content
h :0  8500000+1000000
";
    assert_eq!(shown(&recording), expected);
}

#[test]
fn perf_script_output_is_read() {
    holds_for("perf-script");
}

#[test]
fn perf_script_agrees_with_an_independent_reading() {
    for file in ["lua-queens11.perf.txt", "lua-queens11.header.perf.txt"] {
        let Some(recording) = large(&format!("perf/{file}")) else {
            return;
        };
        assert_eq!(warnings(&recording), []);
        assert_eq!((recording.samples, recording.trace.max_depth()), (828, 17));
        assert_eq!(recording.functions.len(), 42);
        // Of 828 samples of 1003009 ns 825 found it, as `grep` counts them: no time between them is its own.
        assert_eq!(total(&recording, "main"), 825 * 1_003_009);
        let weighed = recording.weighed.as_ref().expect("weights");
        assert_eq!(weighed.weight_of(0).ns(), 828 * 1_003_009);
        let covered: u64 = weighed.sampled().iter().map(|it| it.ns()).sum();
        assert!(covered <= recording.trace.duration().ns(), "{covered}");
    }
}

/// By file: samples, threads, depth, and a function with the number of samples in it.
#[test]
fn perf_script_is_read_whatever_fields_were_asked_for() {
    for (file, samples, threads, deepest, function) in [
        // `-F comm,pid,tid,cpu,time,event,ip,sym,dso`
        ("processor.perf.txt", 7, ["29821/29821"], 17, "main"),
        // Recorded without -g: a frame behind the event.
        ("no-chains.perf.txt", 13, ["/25597"], 1, "app::fib"),
        // `-F +misc --show-task-events --show-mmap-events`
        ("records.perf.txt", 5, ["/25437"], 3, "main"),
        // `-F comm,ip,sym`
        ("command.perf.txt", 4, ["/workcpp"], 3, "main"),
    ] {
        let recording = read(&common::data("import/perf-script").join(file));
        assert_eq!(recording.kind, RecordingKind::Sampled, "{file}");
        assert_eq!(recording.samples, samples, "{file}");
        let known = recording.trace.threads().iter();
        let known: Vec<String> = known
            .map(|thread| format!("{}/{}", thread.process, thread.id))
            .collect();
        assert_eq!(known, threads, "{file}");
        assert_eq!(recording.trace.max_depth(), deepest, "{file}");
        let mut names = recording
            .functions
            .ids()
            .map(|id| recording.functions.get(id).name);
        assert!(names.any(|name| name == function), "{file}");
    }
}

/// Long arrays of whole numbers are read at once where they are written without blanks.
#[test]
fn long_arrays_are_read_however_they_are_written() {
    let scratch = Scratch::new("arrays");
    let mut random = Random(3);
    let names = ["(root)", "f", "g", "h"];
    let nodes: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let parent = if at > 0 {
                format!(r#","parent":{at}"#)
            } else {
                String::new()
            };
            format!(
                r#"{{"id":{},"callFrame":{{"functionName":"{name}"}}{parent}}}"#,
                at + 1
            )
        })
        .collect();
    let (mut ids, mut deltas) = (Vec::new(), Vec::new());
    for _ in 0..30_000 {
        // A few that no node has, and a few that go back.
        ids.push(1 + random.below(5));
        deltas.push(random.below(2_000_000) as i64 - 20);
    }
    let write = |name: &str, separator: &str| {
        let join = |numbers: Vec<String>| numbers.join(separator);
        let ids = join(ids.iter().map(u64::to_string).collect());
        let deltas = join(deltas.iter().map(i64::to_string).collect());
        let text = format!(
            r#"{{"nodes":[{}],"startTime":5,"samples":[{ids}],"timeDeltas":[{deltas}]}}"#,
            nodes.join(","),
        );
        shown(&read(&scratch.write(name, text.as_bytes())))
    };
    let plain = write("plain.cpuprofile", ",");
    assert!(plain.lines().count() > 1000);
    assert_eq!(write("blank.cpuprofile", ", "), plain);
    assert_eq!(write("lines.cpuprofile", "\n,"), plain);
}

#[test]
fn samples_of_many_commands_share_threads() {
    let scratch = Scratch::new("commands");
    let text: String = (0..6000)
        .map(|at| format!("command{at} 1.{at:06}: \n\t  7f f (a)\n\n"))
        .collect();
    let recording = read(&scratch.write("commands.perf.txt", text.as_bytes()));
    assert_eq!((recording.samples, recording.trace.calls()), (6000, 4097));
    assert_eq!(recording.trace.threads().len(), 4097);
}

#[test]
fn hit_counts_of_v8_are_a_profile_where_there_are_no_samples() {
    let scratch = Scratch::new("hits");
    let node = |id: u32, name: &str, column: u32, hits: u32, children: &str| {
        format!(
            r#"{{"id":{id},"callFrame":{{"functionName":"{name}","url":"file:///a.js","lineNumber":0,"columnNumber":{column}}},"hitCount":{hits},"children":[{children}]}}"#
        )
    };
    let nodes = [
        node(1, "(root)", 0, 0, "2,3"),
        node(2, "f", 5, 3, ""),
        // Another function of the same name in the same line.
        node(3, "f", 90, 4, "4"),
        node(4, "f", 5, 2, ""),
    ];
    let text = format!(
        r#"{{"nodes":[{}],"startTime":1,"endTime":9}}"#,
        nodes.join(",")
    );
    let recording = read(&scratch.write("hits.cpuprofile", text.as_bytes()));
    assert_eq!(recording.kind, RecordingKind::Profile);
    assert_eq!((recording.samples, recording.functions.len()), (9, 3));
    let profile = recording.profile.as_ref().expect("a profile");
    let metrics = profile.function_metrics();
    let totals: Vec<u64> = metrics.iter().map(|it| it.total.ns()).collect();
    assert_eq!(totals, [9, 5, 6]);
}

#[test]
fn perf_script_inlined_functions_are_calls_in_the_library_around_them() {
    for (file, place) in [
        ("inlined.perf.txt", ("spin.c", 2)),
        ("plain.perf.txt", ("", 0)),
    ] {
        let recording = read(&common::data("import/perf-script").join(file));
        assert_eq!(warnings(&recording), []);
        assert_eq!(recording.samples, 36);
        let step = recording
            .functions
            .ids()
            .map(|id| recording.functions.get(id));
        let step: Vec<_> = step.filter(|function| function.name == "step").collect();
        assert_eq!(step.len(), 1);
        assert_eq!(
            (step[0].file, step[0].line, step[0].library),
            (place.0, place.1, "spin")
        );
    }
}

#[test]
fn otlp_files_are_read() {
    holds_for("otlp");
}

#[test]
fn otlp_spans_become_calls_of_their_service() {
    let recording = read(&common::data("import/otlp/shop.jsonl"));
    assert_eq!(warnings(&recording), [("concurrent-span", 1)]);
    let expected = "Trace 0
thread shop 1 shop
shop.cart.show /src/shop/cart.py:17 shop 0+1000000000
 price :0 shop 100000000+300000000
thread shop 1, lane 2 shop, lane 2
stock :0 shop 200000001+100000001
thread store 1 store
SELECT :0 store 210000000+80000000
";
    assert_eq!(shown(&recording), expected);
}

#[test]
fn jaeger_files_are_read() {
    holds_for("jaeger");
}

#[test]
fn jaeger_spans_become_calls_of_their_service() {
    let recording = read(&common::data("import/jaeger/shop.json"));
    assert_eq!(warnings(&recording), []);
    let expected = "Trace 0
thread shop 1 shop
GET /cart cart.py:17 shop 0+1000000000
 price :0 shop 100000000+300000000
thread mailer 1 mailer
mail :0 mailer 200000000+50000
";
    assert_eq!(shown(&recording), expected);
}

#[test]
fn zipkin_and_systrace_files_are_read() {
    holds_for("zipkin");
    holds_for("systrace");
}

#[test]
fn spans_of_public_traces_are_all_there() {
    for (file, format, spans) in [
        ("otlp/trace.json", "otlp", 1),
        ("otlp/otlp2jaeger-in.json", "otlp", 2),
        ("otlp/otlp2jaeger-multi-in-combined.json", "otlp", 4),
        ("jaeger/otlp2jaeger-out.json", "jaeger", 2),
        ("jaeger/ui-genaiTestTrace.json", "jaeger", 57),
        (
            "jaeger/ui-spanAmongEachOtherGroupedAndSpans.json",
            "jaeger",
            17,
        ),
    ] {
        let Some(recording) = large(file) else {
            return;
        };
        assert_eq!(
            (recording.format, recording.trace.calls()),
            (format, spans),
            "{file}"
        );
        assert_sound(&recording);
    }
}

#[test]
fn perfetto_files_are_read() {
    holds_for("perfetto");
}

#[test]
fn perfetto_slices_become_calls() {
    let recording = read(&common::data("import/perfetto/slices.perfetto-trace"));
    assert_eq!(
        warnings(&recording),
        [("event-not-shown", 1), ("out-of-order", 1)]
    );
    let expected = "Trace 0
thread 4 5 main
serve serve.cc:12  0+23000
 parse :0  2000+5000
 serve serve.cc:12  9000+4000
thread 4 track c requests
earlier :0  10000+10000
request :0  30000+10000
";
    assert_eq!(shown(&recording), expected);
}
