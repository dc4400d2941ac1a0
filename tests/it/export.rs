//! Through the public interface: recordings written for other tools, and read again.

use callscape::analysis::resolve::resolve;
use callscape::escape;
use callscape::export::{self, ExportError, Format, Part};
use callscape::facts::hierarchy::HierarchyBuilder;
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::progress::Progress;
use callscape::units::{Cost, ThreadId, Time, TimeRange};

use super::common::{self, Random, Scratch, output as run, read};

/// What is exported of a recording: a range, a thread.
#[derive(Clone, Copy, Default)]
struct Cutting {
    range: Option<TimeRange>,
    thread: Option<ThreadId>,
}

fn exported(recording: &Recording, format: Format, cutting: Cutting) -> Vec<u8> {
    let source = HierarchyBuilder::new("").build().0;
    let (hierarchy, resolutions) = resolve(&source, &[&recording.functions]);
    let threads = cutting.thread.map(|thread| vec![thread]);
    let part = Part {
        recording,
        resolution: &resolutions[0],
        hierarchy: &hierarchy,
        range: cutting.range,
        threads: threads.as_deref(),
    };
    let mut out = Vec::new();
    export::write(&part, format, &mut out, &Progress::new()).expect("memory takes everything");
    out
}

/// A call with everything that is known of it: function with library and column, file and line, start, end, depth.
type Shown = (String, String, u32, u64, u64, u32);

fn calls(recording: &Recording, thread: ThreadId) -> Vec<Shown> {
    let trace = &recording.trace;
    let count = trace.threads()[thread.index()].calls as u32;
    let calls = trace.calls_numbered(thread, 0..count);
    calls
        .iter()
        .map(|call| {
            let function = recording.functions.get(call.function);
            let column = recording.functions.column(call.function);
            (
                format!("{} {} {column}", function.name, function.library),
                function.file.to_owned(),
                function.line,
                call.start.ns(),
                call.end.ns(),
                call.depth,
            )
        })
        .collect()
}

/// Threads without calls are not written.
fn threads_with_calls(recording: &Recording) -> Vec<ThreadId> {
    let trace = &recording.trace;
    let ids = trace.thread_ids();
    ids.filter(|id| trace.threads()[id.index()].calls > 0)
        .collect()
}

/// A trace of begins and ends in which calls take no time, start together and end together.
fn random_trace(seed: u64) -> String {
    let mut random = Random(seed);
    let names = [
        "a",
        "b",
        "c",
        "é\\\"\\\\ \\u0007;",
        "operator()(int, char)",
        "f (x.py:3)",
        " ",
        "日本",
    ];
    let places = [
        "",
        r#","args":{"file":"src/a \"b\".rs","line":12}"#,
        r#","args":{"file":"b.rs"}"#,
    ];
    let who = [
        r#""pid":1,"tid":1"#,
        r#""pid":1,"tid":2"#,
        r#""pid":"p","tid":"1""#,
    ];
    let mut events = Vec::new();
    for (thread, who) in who.iter().enumerate() {
        if random.below(2) == 0 {
            events.push(format!(
                r#"{{"ph":"M",{who},"name":"thread_name","args":{{"name":"worker {}"}}}}"#,
                random.below(3)
            ));
        }
        let mut time = random.below(3000);
        let mut open: Vec<(&str, &str)> = Vec::new();
        for _ in 0..random.below(40) + 2 * thread as u64 {
            time += random.below(3) * random.below(1500);
            let ts = format!("{}.{:03}", time / 1000, time % 1000);
            if open.len() < 6 && random.below(5) < 3 {
                let call = (
                    names[random.below(names.len() as u64) as usize],
                    places[random.below(3) as usize],
                );
                open.push(call);
                let (name, place) = call;
                events.push(format!(
                    r#"{{"ph":"B",{who},"ts":{ts},"name":"{name}"{place}}}"#
                ));
            } else if open.pop().is_some() {
                events.push(format!(r#"{{"ph":"E",{who},"ts":{ts}}}"#));
            }
        }
        let ts = format!("{}.{:03}", time / 1000, time % 1000);
        for _ in open {
            events.push(format!(r#"{{"ph":"E",{who},"ts":{ts}}}"#));
        }
    }
    format!("[{}]", events.join(",\n"))
}

/// Holds what is written in both formats of calls against what was read, calls by calls.
fn round_trip(recording: &Recording, scratch: &Scratch, what: &str) {
    let before = threads_with_calls(recording);
    for format in [Format::ChromeJson, Format::Speedscope] {
        let written = exported(recording, format, Cutting::default());
        let again = read(&scratch.write("again.json", &written));
        let (what, name) = (what, format.name());
        assert_eq!(again.format, name, "{what}");
        assert!(
            again.warnings.is_empty(),
            "{what}, {name}: {:?}",
            again.warnings
        );
        let after = threads_with_calls(&again);
        assert_eq!(after.len(), before.len(), "{what}, {name}");
        for (&before, &after) in before.iter().zip(&after) {
            let old = &recording.trace.threads()[before.index()];
            let new = &again.trace.threads()[after.index()];
            if format == Format::ChromeJson {
                assert_eq!(
                    (&old.process, &old.id),
                    (&new.process, &new.id),
                    "{what}, {name}"
                );
                assert_eq!(old.name, new.name, "{what}, {name}");
            } else {
                assert!(
                    new.name.starts_with(&old.name),
                    "{what}: {} and {}",
                    old.name,
                    new.name
                );
            }
            assert_eq!(
                calls(&again, after),
                calls(recording, before),
                "{what}, {name}"
            );
        }
        // Written once more, the same bytes, but for the name of the recording.
        if format == Format::ChromeJson {
            let lines = |bytes: &[u8]| -> Vec<u8> {
                let at = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0);
                bytes[at..].to_vec()
            };
            let second = exported(&again, format, Cutting::default());
            if recording
                .functions
                .ids()
                .all(|id| recording.functions.get(id).library.is_empty())
            {
                assert_eq!(lines(&second), lines(&written), "{what}");
            }
        }
    }
}

#[test]
fn what_was_exported_is_read_as_the_same_calls() {
    let scratch = Scratch::new("export-random");
    for seed in 0..60 {
        let trace = scratch.write("trace.json", random_trace(seed).as_bytes());
        round_trip(&read(&trace), &scratch, &format!("seed {seed}"));
    }
}

#[test]
fn real_traces_are_read_again_as_the_same_calls() {
    let scratch = Scratch::new("export-real");
    for name in [
        "tasks.uftrace",
        "toml-threads.viztracer.json",
        "syn-spans.tracing-chrome.json",
        "tinyxml2.ftime-trace.json",
        "perfetto/slices.perfetto-trace",
        "speedscope/evented.speedscope.json",
        "otlp/shop.jsonl",
    ] {
        let recording = read(&common::data("import").join(name));
        round_trip(&recording, &scratch, name);
    }
}

/// Minified code has many functions in a line, and libraries functions of one name.
#[test]
fn functions_of_one_name_and_place_stay_apart() {
    let scratch = Scratch::new("export-alike");
    let node = |id: u32, column: u32, children: &str| {
        format!(
            r#"{{"id":{id},"callFrame":{{"functionName":"","url":"file:///a.js","lineNumber":0,"columnNumber":{column}}},"children":[{children}]}}"#
        )
    };
    let nodes = [node(1, 3, "2,3"), node(2, 40, ""), node(3, 900, "")].join(",");
    let v8 = format!(r#"{{"nodes":[{nodes}],"samples":[1,2,3,2,1],"timeDeltas":[1,5,5,5,5]}}"#);
    let perf = "app 7 1.000001: x:\n\t 1 [unknown] (/lib/a.so)\n\t 2 main (/app)\n\n\
                app 7 1.000002: x:\n\t 1 [unknown] (/lib/b.so)\n\t 2 main (/app)\n\n";
    for (name, text) in [("a.cpuprofile", v8.as_str()), ("a.perf.txt", perf)] {
        let recording = read(&scratch.write(name, text.as_bytes()));
        assert_eq!(recording.functions.len(), 3);
        for format in [Format::Speedscope, Format::ChromeJson] {
            let written = exported(&recording, format, Cutting::default());
            let again = read(&scratch.write("again.json", &written));
            assert_eq!(again.functions.len(), 3, "{name} as {}", format.name());
            let calls_of = |recording| calls(recording, ThreadId(0));
            assert_eq!(calls_of(&again), calls_of(&recording), "{name}");
        }
    }
}

#[test]
fn a_sampled_recording_stays_sampled_in_speedscope() {
    let scratch = Scratch::new("export-sampled");
    for name in [
        "cpuprofile/words.cpuprofile",
        "firefox/lua-queens11.samply.json",
        "perf-script/plain.perf.txt",
        "speedscope/spin.speedscope.json",
        "jfr/spin.jfr.gz",
    ] {
        let recording = read(&common::data("import").join(name));
        assert_eq!(recording.kind, RecordingKind::Sampled);
        let written = exported(&recording, Format::Speedscope, Cutting::default());
        let again = read(&scratch.write("again.json", &written));
        assert_eq!(again.kind, RecordingKind::Sampled, "{name}");
        let (before, after) = (threads_with_calls(&recording), threads_with_calls(&again));
        assert_eq!(before.len(), after.len(), "{name}");
        // Allocations may come before the first sample, and are not written.
        let threads = recording.trace.threads().iter();
        let first = threads.map(|thread| thread.start.ns()).min().unwrap_or(0);
        for (before, after) in before.into_iter().zip(after) {
            let mut expected = calls(&recording, before);
            for call in &mut expected {
                (call.3, call.4) = (call.3 - first, call.4 - first);
            }
            assert_eq!(calls(&again, after), expected, "{name}");
        }
        let written = exported(&recording, Format::ChromeJson, Cutting::default());
        let text = String::from_utf8(written).expect("JSON is UTF-8");
        assert!(
            text.contains("process_labels") && text.contains("sampled"),
            "{name}"
        );
    }
}

/// The calls that a recording of the range alone would hold, by the definition.
fn cut(calls: &[Shown], range: TimeRange) -> Vec<Shown> {
    let (from, to) = (range.start.ns(), range.end.ns());
    // For each depth, whether the call around is in the range.
    let mut kept: Vec<bool> = Vec::new();
    let mut result = Vec::new();
    for (name, file, line, start, end, depth) in calls {
        let overlaps = *start < to && *end > from;
        let within = start == end && from <= *start && *end <= to;
        kept.truncate(*depth as usize);
        let depth = kept.iter().filter(|kept| **kept).count() as u32;
        kept.push(overlaps || within);
        if overlaps || within {
            let times = ((*start).max(from), (*end).min(to));
            result.push((name.clone(), file.clone(), *line, times.0, times.1, depth));
        }
    }
    result
}

#[test]
fn a_part_is_what_a_recording_of_the_range_alone_would_hold() {
    let scratch = Scratch::new("export-part");
    for seed in 0..60 {
        let recording = read(&scratch.write("trace.json", random_trace(seed).as_bytes()));
        let mut random = Random(seed ^ 0xf00d);
        let end = recording.trace.duration().ns() + 1;
        let time = |random: &mut Random| Time::from_ns(random.below(end));
        let range = match seed % 5 {
            // On an event, where it is decided what touches and what overlaps.
            0 | 1 if recording.trace.events() > 0 => {
                let mut event = || {
                    let number = random.below(recording.trace.events());
                    recording
                        .trace
                        .event(number)
                        .expect("less than there are")
                        .time
                };
                TimeRange::new(event(), event())
            }
            2 => recording.trace.range(),
            _ => TimeRange::new(time(&mut random), time(&mut random)),
        };
        let cutting = Cutting {
            range: Some(range),
            ..Cutting::default()
        };
        let mut expected: Vec<Vec<Shown>> = Vec::new();
        for thread in recording.trace.thread_ids() {
            expected.push(cut(&calls(&recording, thread), range));
        }
        expected.retain(|calls| !calls.is_empty());
        // A recording begins with its first event.
        let first = expected
            .iter()
            .filter_map(|calls| calls.first().map(|call| call.3));
        let first = first.min().unwrap_or(0);
        for call in expected.iter_mut().flatten() {
            call.3 -= first;
            call.4 -= first;
        }
        for format in [Format::ChromeJson, Format::Speedscope] {
            let written = exported(&recording, format, cutting);
            let again = read(&scratch.write("again.json", &written));
            let threads = threads_with_calls(&again);
            let found: Vec<Vec<Shown>> = threads.into_iter().map(|t| calls(&again, t)).collect();
            assert_eq!(found, expected, "seed {seed}, {range:?}, {}", format.name());
            assert!(
                again.warnings.is_empty(),
                "seed {seed}: {:?}",
                again.warnings
            );
            // The table of functions is that of such a recording.
            let metrics = |recording: &Recording| {
                let metrics = recording.trace.function_metrics(None);
                let rows = recording.functions.ids().zip(metrics);
                let mut rows: Vec<String> = rows
                    .filter(|(_, metrics)| metrics.calls > 0)
                    .map(|(id, metrics)| {
                        let function = recording.functions.get(id);
                        let (total, own) = (metrics.total.ns(), metrics.self_cost.ns());
                        let place = (function.name, function.file, function.line);
                        format!("{place:?} {} {total} {own}", metrics.calls)
                    })
                    .collect();
                rows.sort();
                rows
            };
            let table = table(&exported(&recording, Format::Csv, cutting));
            let mut table: Vec<String> = table
                .iter()
                .map(|row| {
                    let line: u32 = row[3].parse().expect("a line");
                    let name = escape::undata(&row[0], |_| false);
                    let place = (escape::uncell(&name), row[2].as_str(), line);
                    format!("{place:?} {} {} {}", row[5], row[6], row[7])
                })
                .collect();
            table.sort();
            assert_eq!(table, metrics(&again), "seed {seed}, {}", format.name());
        }
    }
}

/// The rows of a table in CSV, without its heading.
fn table(csv: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(csv);
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| row.iter().map(str::to_owned).collect())
        .collect()
}

#[test]
fn folded_stacks_and_table_agree_with_the_functions() {
    for name in [
        "tasks.uftrace",
        "toml-threads.viztracer.json",
        "jfr/spin.jfr.gz",
    ] {
        let recording = read(&common::data("import").join(name));
        let metrics = recording.function_metrics(None);
        let folded = exported(&recording, Format::Folded, Cutting::default());
        let folded = String::from_utf8(folded).expect("names are text");
        let mut own = std::collections::BTreeMap::<String, u64>::new();
        let mut within = std::collections::BTreeMap::<String, u64>::new();
        for line in folded.lines() {
            let (stack, weight) = line.rsplit_once(' ').expect("a stack and a weight");
            let weight: u64 = weight.parse().expect("a weight");
            let frames: Vec<&str> = stack.split(';').collect();
            *own.entry(frames[frames.len() - 1].to_owned()).or_default() += weight;
            let distinct: std::collections::BTreeSet<&str> = frames.into_iter().collect();
            for frame in distinct {
                *within.entry(frame.to_owned()).or_default() += weight;
            }
        }
        let name_of = |id| {
            let function = recording.functions.get(id);
            let all = recording.functions.ids();
            let same = all.filter(|&other| recording.functions.get(other).name == function.name);
            match same.count() {
                1 => function.name.to_owned(),
                _ if !function.file.is_empty() => {
                    format!("{} ({}:{})", function.name, function.file, function.line)
                }
                _ => format!("{} ({})", function.name, function.library),
            }
        };
        let rows = table(&exported(&recording, Format::Csv, Cutting::default()));
        assert_eq!(rows.len(), recording.functions.len(), "{name}");
        for (id, metrics) in recording.functions.ids().zip(metrics) {
            let shown = name_of(id);
            let sum = |sums: &std::collections::BTreeMap<String, u64>| {
                Cost::from_ns(sums.get(&shown).copied().unwrap_or(0))
            };
            assert_eq!(sum(&own), metrics.self_cost, "{name}: {shown}");
            assert_eq!(sum(&within), metrics.total, "{name}: {shown}");
            let function = recording.functions.get(id);
            let row = rows.iter().find(|row| {
                row[0] == function.name
                    && row[2] == function.file
                    && row[3] == function.line.to_string()
                    && row[4] == function.library
            });
            let row = row.expect("a row for each function");
            let numbers = [metrics.calls, metrics.total.ns(), metrics.self_cost.ns()];
            assert_eq!(
                row[5..],
                numbers.map(|number| number.to_string()),
                "{name}: {shown}"
            );
        }
    }
}

#[test]
fn a_thread_is_exported_alone() {
    let scratch = Scratch::new("export-thread");
    let recording = read(&common::data("import/toml-threads.viztracer.json"));
    for thread in recording.trace.thread_ids() {
        let cutting = Cutting {
            thread: Some(thread),
            ..Cutting::default()
        };
        let written = exported(&recording, Format::Speedscope, cutting);
        let again = read(&scratch.write("again.json", &written));
        assert_eq!(again.trace.threads().len(), 1);
        let mut expected = calls(&recording, thread);
        let first = expected[0].3;
        for call in &mut expected {
            call.3 -= first;
            call.4 -= first;
        }
        assert_eq!(calls(&again, ThreadId(0)), expected);
    }
}

#[test]
fn the_command_writes_files_whole_or_not_at_all() {
    let scratch = Scratch::new("export-command");
    let trace = common::data("import/toml-threads.viztracer.json");
    let trace = trace.to_str().expect("a path of text");
    let plain = run(&["export", trace, "--format", "folded"]);
    assert!(plain.status.success());
    assert!(
        plain.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&plain.stderr)
    );
    for end in ["folded", "folded.gz", "folded.zst"] {
        let path = scratch.0.join(format!("out.{end}"));
        let out = path.to_str().expect("a path of text");
        let output = run(&["export", trace, "--format", "folded", "-o", out]);
        assert!(output.status.success() && output.stdout.is_empty());
        let written = std::fs::read(&path).expect("the file");
        let written = match end.rsplit('.').next() {
            Some("gz") => {
                let mut bytes = Vec::new();
                let mut reader = flate2::read::GzDecoder::new(written.as_slice());
                std::io::Read::read_to_end(&mut reader, &mut bytes).expect("sound gzip");
                bytes
            }
            Some("zst") => zstd::decode_all(written.as_slice()).expect("sound zstd"),
            _ => written,
        };
        assert_eq!(written, plain.stdout, "{end}");
    }
    let left: Vec<_> = std::fs::read_dir(&scratch.0).expect("the folder").collect();
    assert_eq!(left.len(), 3, "nothing but the three files: {left:?}");

    let to_nowhere = scratch.0.join("none/out.json");
    let to_nowhere = to_nowhere.to_str().expect("a path of text");
    let output = run(&["export", trace, "--format", "csv", "-o", to_nowhere]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("out.json"));
    let output = run(&["export", trace, "--format", "xml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("speedscope"));
    let output = run(&["export", trace, "--format", "csv", "--thread", "nobody"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_export_can_be_cancelled() {
    let scratch = Scratch::new("export-cancelled");
    let recording = read(&common::data("import/tasks.uftrace"));
    let source = HierarchyBuilder::new("").build().0;
    let (hierarchy, resolutions) = resolve(&source, &[&recording.functions]);
    let part = Part {
        recording: &recording,
        resolution: &resolutions[0],
        hierarchy: &hierarchy,
        range: None,
        threads: None,
    };
    let progress = Progress::new();
    progress.cancel();
    for format in [Format::ChromeJson, Format::Speedscope, Format::Folded] {
        let path = scratch.write("old", b"what was there");
        let result = export::to_file(&part, format, &path, &progress);
        assert!(
            matches!(result, Err(ExportError::Cancelled(_))),
            "{}",
            format.name()
        );
        assert_eq!(std::fs::read(&path).expect("the file"), b"what was there");
    }
    let left = std::fs::read_dir(&scratch.0).expect("the folder").count();
    assert_eq!(left, 1);
}

#[test]
fn a_profile_is_written_as_stacks_with_weights() {
    for name in [
        "folded/markdown-render.folded.gz",
        "pprof/markdown-render.pb.gz",
    ] {
        let recording = read(&common::data("import").join(name));
        let profile = recording.profile.as_ref().expect("a profile");
        let written = exported(&recording, Format::Speedscope, Cutting::default());
        let document: serde_json::Value = serde_json::from_slice(&written).expect("JSON");
        let profiles = document["profiles"].as_array().expect("profiles");
        assert_eq!(profiles.len(), profile.values().len(), "{name}");
        let shown = &profiles[profile.shown()];
        let samples = shown["samples"].as_array().expect("samples");
        let weights = shown["weights"].as_array().expect("weights");
        assert_eq!(samples.len(), weights.len());
        // By frame, what it weighs itself and with all that it called.
        let frames = document["shared"]["frames"]
            .as_array()
            .expect("frames")
            .len();
        let (mut own, mut total) = (vec![0; frames], vec![0; frames]);
        for (sample, weight) in samples.iter().zip(weights) {
            let weight = weight.as_u64().expect("a whole number");
            let stack = sample.as_array().expect("a stack").iter();
            let stack: Vec<usize> = stack
                .map(|it| it.as_u64().expect("a frame") as usize)
                .collect();
            own[*stack.last().expect("a frame")] += weight;
            let distinct: std::collections::BTreeSet<usize> = stack.into_iter().collect();
            distinct
                .into_iter()
                .for_each(|frame| total[frame] += weight);
        }
        let metrics = profile.function_metrics();
        assert_eq!(metrics.len(), frames, "{name}");
        for (frame, metrics) in metrics.iter().enumerate() {
            assert_eq!(
                (own[frame], total[frame]),
                (metrics.self_cost.ns(), metrics.total.ns())
            );
        }
    }
}
