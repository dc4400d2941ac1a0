//! Through the public interface: recordings as other programs, consoles and people store them. Each says the same as
//! the recording that it was made of.

use std::fmt::Write as _;

use callscape::facts::recording::{Recording, RecordingKind};
use callscape::import;
use callscape::progress::Progress;
use callscape::units::CallId;

use super::common::{self, Random, Scratch, read};
use callscape_testing::wire::{bytes, number};

/// The calls of all threads as text, without what the threads are called.
fn calls(recording: &Recording) -> String {
    let mut text = format!("{:?} {}\n", recording.kind, recording.samples);
    let trace = &recording.trace;
    for (thread, id) in trace.threads().iter().zip(trace.thread_ids()) {
        for call in 0..thread.calls as u32 {
            let call = trace.call(id, CallId(call));
            let function = recording.functions.get(call.function);
            let (start, cost) = (call.start.ns(), call.cost().ns());
            let (name, file, line) = (function.name, function.file, function.line);
            let _ = writeln!(text, "{} {name} {file}:{line} {start}+{cost}", call.depth);
        }
    }
    text
}

fn kinds(recording: &Recording) -> Vec<(&str, u64)> {
    let warnings = recording.warnings.iter();
    warnings
        .map(|warning| (warning.kind.as_ref(), warning.count))
        .collect()
}

fn utf16(text: &str, low_first: bool) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    let bytes = units.flat_map(|unit| match low_first {
        true => unit.to_le_bytes(),
        false => unit.to_be_bytes(),
    });
    bytes.collect()
}

#[test]
fn text_in_utf16_says_the_same() {
    let scratch = Scratch::new("utf16");
    let path = common::data("import/perf-script/plain.perf.txt");
    let text = std::fs::read_to_string(&path).expect("the sample");
    for low_first in [true, false] {
        let name = format!("wide-{low_first}.txt");
        let wide = scratch.write(&name, &utf16(&text.replace('\n', "\r\n"), low_first));
        let wide = read(&wide);
        assert_eq!(wide.format, "perf-script");
        assert_eq!(calls(&wide), calls(&read(&path)));
        let name = format!("folded-{low_first}.txt");
        let folded = scratch.write(&name, &utf16("größe;f 3\r\ngröße;日本 4\r\n", low_first));
        let folded = read(&folded);
        assert_eq!((folded.format, folded.samples), ("folded", 7));
        assert_eq!(kinds(&folded), []);
        let functions = folded.functions.ids();
        let names: Vec<&str> = functions.map(|id| folded.functions.get(id).name).collect();
        assert_eq!(names, ["größe", "f", "日本"]);
    }
    let mark_alone = import::open(&scratch.write("mark.txt", &[0xff, 0xfe]), &Progress::new());
    let error = mark_alone.expect_err("nothing in it").to_string();
    assert!(error.contains("mark.txt"), "{error}");
}

#[test]
fn counts_may_have_decimals_and_exponents() {
    let scratch = Scratch::new("counts");
    for (count, samples, repairs) in [
        ("1e3", 1000, 0),
        ("1.5e3", 1500, 0),
        ("2E+2", 200, 0),
        ("12000e-3", 12, 0),
        ("0e999999999999", 0, 0),
        ("0e9", 0, 0),
        ("1.25", 1, 0),
        ("1e-2", 0, 0),
        ("1e-30", 0, 1),
        ("1e-300", 0, 1),
        ("1e30", 0, 1),
        ("1e99999999999999999999", 0, 1),
        ("-1e3", 1000, 1),
        ("0.00100e5", 100, 0),
    ] {
        let text = format!("main;f {count}\nmain;g 1\n");
        let recording = read(&scratch.write("counts.folded", text.as_bytes()));
        let found: u64 = recording.warnings.iter().map(|it| it.count).sum();
        assert_eq!(
            (recording.samples, found),
            (samples + 1, repairs),
            "{count}"
        );
    }
    for no_count in ["1e", "e3", "1e3.5", "1ee3", "NaN", "inf"] {
        let text = format!("main;f {no_count}\nmain;g 1\nmain;h 1\n");
        let recording = read(&scratch.write("counts.folded", text.as_bytes()));
        assert_eq!(recording.samples, 2, "{no_count}");
        assert_eq!(kinds(&recording), [("missing-count", 1)], "{no_count}");
    }
}

#[test]
fn chrome_events_may_stand_in_no_array() {
    let scratch = Scratch::new("lines");
    let events = [
        r#"{"pid":1,"tid":1,"ts":1,"dur":5,"ph":"X","name":"f"}"#,
        r#"{"pid":1,"tid":1,"ts":2,"dur":2,"ph":"X","name":"g"}"#,
        r#"{"pid":1,"tid":1,"ts":9,"dur":1,"ph":"X","name":"f"}"#,
    ];
    for between in ["\n", ",\n", "\r\n", ""] {
        let text = format!("{}\n", events.join(between));
        let recording = read(&scratch.write("events.json", text.as_bytes()));
        assert_eq!(recording.trace.calls(), 3, "{between:?}");
        assert_eq!(kinds(&recording), [("unterminated-array", 1)]);
    }
}

#[test]
fn profiles_of_v8_may_lie_in_other_objects() {
    let scratch = Scratch::new("wrapped");
    let path = common::data("import/cpuprofile/words.cpuprofile");
    let text = std::fs::read_to_string(&path).expect("the sample");
    let expected = calls(&read(&path));
    for (before, after) in [
        ("{\"profile\":", "}"),
        ("{\"cpuProfile\": ", ", \"title\": \"a\"}"),
        ("{\"id\":7,\"result\":{\"profile\":", "}}"),
    ] {
        let wrapped = format!("{before}{text}{after}");
        let wrapped = read(&scratch.write("wrapped.json", wrapped.as_bytes()));
        assert_eq!(wrapped.format, "cpuprofile");
        assert_eq!(calls(&wrapped), expected, "{before}");
    }
}

/// A profile of V8 as DevTools saves it among the events of a trace: cut into chunks at random places.
#[test]
fn profiles_of_v8_in_chunks_say_the_same() {
    let scratch = Scratch::new("chunks");
    let path = common::data("import/cpuprofile/words.cpuprofile");
    let text = std::fs::read_to_string(&path).expect("the sample");
    let profile: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let list = |name: &str| profile[name].as_array().expect("an array").clone();
    let (mut nodes, samples, deltas) = (list("nodes"), list("samples"), list("timeDeltas"));
    // In chunks the nodes name those around them.
    for at in 0..nodes.len() {
        let id = nodes[at]["id"].clone();
        let children = nodes[at]["children"].as_array().cloned();
        for child in children.unwrap_or_default() {
            let found = nodes.iter_mut().find(|node| node["id"] == child);
            found.expect("a node")["parent"] = id.clone();
        }
        nodes[at]
            .as_object_mut()
            .expect("a node")
            .remove("children");
    }
    let expected = calls(&read(&path));
    let mut random = Random(5);
    for round in 0..20 {
        let head = serde_json::json!({"args": {"data": {"startTime": profile["startTime"]}},
            "cat": "disabled-by-default-v8.cpu_profiler", "id": "0x1", "name": "Profile", "ph": "P",
            "pid": 7, "tid": 8, "ts": 1});
        let name = serde_json::json!({"args": {"name": "CrRendererMain"}, "cat": "__metadata",
            "name": "thread_name", "ph": "M", "pid": 7, "tid": 8, "ts": 0});
        let mut events = vec![head, name];
        let (mut node, mut sample) = (0, 0);
        while node < nodes.len() || sample < samples.len() {
            let mut step = |from: usize, all: usize| {
                let left = (all - from) as u64;
                from + random.below(left + 1).max(left.min(1)) as usize
            };
            let last_node = step(node, nodes.len());
            let last_sample = step(sample, samples.len());
            let mut data = serde_json::json!({
                "cpuProfile": {"nodes": nodes[node..last_node], "samples": samples[sample..last_sample]},
                "timeDeltas": deltas[sample..last_sample], "lines": []});
            if last_node == nodes.len() && last_sample == samples.len() {
                data["endTime"] = profile["endTime"].clone();
            }
            events.push(serde_json::json!({"args": {"data": data}, "id": "0x1",
                "name": "ProfileChunk", "ph": "P", "pid": 7, "tid": 9, "ts": 2}));
            (node, sample) = (last_node, last_sample);
        }
        let trace = match round % 2 {
            0 => serde_json::json!({"metadata": {"source": "DevTools"}, "traceEvents": events}),
            _ => serde_json::json!(events),
        };
        let chunked = read(&scratch.write("Trace.json", trace.to_string().as_bytes()));
        assert_eq!(chunked.format, "chrome-json");
        assert_eq!(chunked.kind, RecordingKind::Sampled);
        assert_eq!(calls(&chunked), expected, "round {round}");
        let thread = &chunked.trace.threads()[0];
        let named = (&*thread.process, &*thread.id, &*thread.name);
        assert_eq!(named, ("7", "8", "CrRendererMain"));
        // Beside calls they have a thread of their own.
        let call = r#"{"name":"f","ph":"X","ts":1,"dur":2,"pid":7,"tid":8}"#;
        events.push(serde_json::from_str(call).expect("JSON"));
        let text = serde_json::json!(events).to_string();
        let traced = read(&scratch.write("Calls.json", text.as_bytes()));
        assert_eq!(traced.trace.calls(), chunked.trace.calls() + 1);
        assert_eq!(
            (traced.samples, kinds(&traced)),
            (chunked.samples, kinds(&chunked))
        );
        let threads = traced.trace.threads().iter();
        let threads: Vec<&str> = threads.map(|it| it.name.as_str()).collect();
        assert_eq!(threads, ["CrRendererMain", "CrRendererMain, samples"]);
    }
}

#[test]
fn samples_of_stack_frames_become_calls() {
    let scratch = Scratch::new("frames");
    let text = r#"{"traceEvents": [{"name": "thread_name", "ph": "M", "pid": 1, "tid": "2", "args": {"name": "js"}}],
        "samples": [{"pid": 1, "tid": "2", "ts": "100", "sf": 2, "weight": "1"}, {"pid": 1, "tid": "2", "ts": "110", "sf": "3"},
            {"pid": 1, "tid": "2", "ts": "120", "sf": 1}, {"pid": 1, "tid": "2", "ts": "130", "sf": 9}, {"sf": 1}],
        "stackFrames": {"1": {"name": "[root]"}, "2": {"name": "f(http://a/b.js:7:1)", "parent": 1},
            "3": {"name": "g", "parent": "2"}, "8": {"name": "h", "parent": 8}}}"#;
    let recording = read(&scratch.write("hermes.json", text.as_bytes()));
    let expected =
        "Sampled 4\n0 [root] :0 0+30000\n1 f http://a/b.js:7 0+20000\n2 g :0 10000+10000\n";
    assert_eq!(calls(&recording), expected);
    assert_eq!(recording.trace.threads()[0].name, "js");
    assert_eq!(
        kinds(&recording),
        [("missing-time", 1), ("unknown-frame", 1)]
    );
    let circle = text.replace("\"sf\": 9", "\"sf\": 8");
    let recording = read(&scratch.write("circle.json", circle.as_bytes()));
    assert_eq!(kinds(&recording), [("cycle", 1), ("missing-time", 1)]);
}

#[test]
fn times_of_perf_relative_to_the_sample_before_are_summed() {
    let scratch = Scratch::new("deltas");
    let mut random = Random(11);
    let write = |times: &[u64]| {
        let lines = times.iter().enumerate().map(|(at, time)| {
            let (seconds, ns) = (time / 1_000_000_000, time % 1_000_000_000);
            let thread = 10 + at % 3;
            let function = ["f", "g"][at / 2 % 2];
            format!("app {thread} {seconds}.{ns:09}: 1 cpu-clock: \n\t 7f {function} (/a)\n\t 8f main (/a)\n\n")
        });
        lines.collect::<String>()
    };
    for count in [5, 63, 64, 65, 400] {
        let mut time = 0;
        let times: Vec<u64> = (0..count)
            .map(|at| {
                time += if at == 0 { 0 } else { random.below(4_000_000) };
                time
            })
            .collect();
        let before = std::iter::once(&0).chain(&times);
        let deltas: Vec<u64> = times
            .iter()
            .zip(before)
            .map(|(now, last)| now - last)
            .collect();
        let expected = read(&scratch.write("times.txt", write(&times).as_bytes()));
        let summed = read(&scratch.write("deltas.txt", write(&deltas).as_bytes()));
        assert_eq!(kinds(&expected), []);
        assert_eq!(kinds(&summed), [], "{count}");
        assert_eq!(calls(&summed), calls(&expected), "{count}");
    }
    // Two recordings of `--reltime` one behind the other are no such.
    let mut times: Vec<u64> = (0..40).map(|at| at * 1_000_000).collect();
    times.extend(times.clone());
    let joined = read(&scratch.write("joined.txt", write(&times).as_bytes()));
    assert!(joined.trace.duration().ns() < 41_000_000);
}

/// The slices of two threads, whose packets may be in order or not, with the tracks described before, behind or not
/// at all.
#[test]
fn slices_of_perfetto_are_the_same_in_whatever_order_they_stand() {
    let scratch = Scratch::new("slices");
    let mut random = Random(17);
    for round in 0..30 {
        let mut packets: Vec<(u64, u64, Option<u32>)> = Vec::new();
        for track in [5, 9] {
            let (mut time, mut depth) = (1000 + track, 1);
            packets.push((time, track, Some(0)));
            for _ in 0..200 {
                time += 1 + random.below(50);
                if depth > 0 && random.below(2) == 0 {
                    depth -= 1;
                    packets.push((time, track, None));
                } else {
                    depth += 1;
                    packets.push((time, track, Some(random.below(6) as u32)));
                }
            }
            for _ in 0..depth {
                time += 1;
                packets.push((time, track, None));
            }
        }
        packets.sort();
        let descriptors = |out: &mut Vec<u8>| {
            for track in [5, 9] {
                let (mut thread, mut descriptor, mut packet) = (Vec::new(), Vec::new(), Vec::new());
                number(1, 77, &mut thread);
                number(2, 70 + track, &mut thread);
                bytes(5, format!("worker {track}").as_bytes(), &mut thread);
                number(1, track, &mut descriptor);
                bytes(4, &thread, &mut descriptor);
                bytes(60, &descriptor, &mut packet);
                bytes(1, &packet, out);
            }
        };
        let write = |packets: &[(u64, u64, Option<u32>)], before: bool, behind: bool| {
            let mut out = Vec::new();
            if before {
                descriptors(&mut out);
            }
            for &(time, track, begin) in packets {
                let (mut event, mut packet) = (Vec::new(), Vec::new());
                number(9, if begin.is_some() { 1 } else { 2 }, &mut event);
                number(11, track, &mut event);
                if let Some(function) = begin {
                    bytes(23, format!("f{function}").as_bytes(), &mut event);
                }
                number(8, time, &mut packet);
                number(10, track, &mut packet);
                bytes(11, &event, &mut packet);
                bytes(1, &packet, &mut out);
            }
            if behind {
                descriptors(&mut out);
            }
            out
        };
        let threads = |recording: &Recording| -> Vec<String> {
            let threads = recording.trace.threads().iter();
            let named = threads.map(|it| format!("{} {} {}", it.process, it.id, it.name));
            named.collect()
        };
        let expected = read(&scratch.write("a.pftrace", &write(&packets, true, false)));
        assert_eq!(kinds(&expected), []);
        assert_eq!(threads(&expected), ["77 75 worker 5", "77 79 worker 9"]);
        assert_eq!(
            expected.trace.calls(),
            packets.iter().filter(|it| it.2.is_some()).count() as u64
        );
        let behind = read(&scratch.write("b.pftrace", &write(&packets, false, true)));
        assert_eq!(
            (calls(&behind), threads(&behind)),
            (calls(&expected), threads(&expected))
        );
        let nameless = read(&scratch.write("c.pftrace", &write(&packets, false, false)));
        assert_eq!(calls(&nameless), calls(&expected));
        assert_eq!(threads(&nameless), [" track 5 ", " track 9 "]);
        let mut mixed = packets.clone();
        for at in (1..mixed.len() - 30).rev() {
            mixed.swap(at, at + random.below(30) as usize);
        }
        // The threads stay in order of their first events.
        let first = mixed.iter().position(|it| it.1 == 5).expect("an event");
        mixed[..=first].rotate_right(1);
        let mixed = read(&scratch.write("d.pftrace", &write(&mixed, true, false)));
        assert_eq!(calls(&mixed), calls(&expected), "round {round}");
        assert_eq!(kinds(&mixed)[0].0, "out-of-order");
    }
}

#[test]
fn formats_that_are_not_read_are_called_by_name() {
    let scratch = Scratch::new("unread");
    for (content, said) in [
        (
            &b"heap profile:      1:      2 [     3:      4] @ heapprofile\n"[..],
            "go tool pprof -proto",
        ),
        (
            b"--- contentionz 1 ---\ncycles/second = 1\n",
            "go tool pprof -proto",
        ),
        (b"JAVA PROFILE 1.0.2\0\0\0\0\x08", "format=a"),
        (b"\x7fELF\x02\x01\x01\0", "a program"),
        (b"\x14\0\0\0!FastSerialization.1", "PerfView"),
        (b"sample.interval=20000\n\"f\" \"g\" \n", "proftools"),
        (b"Version: 3.1.0\nFile format: 4\n", "xdebug.mode"),
    ] {
        let error = import::open(&scratch.write("unread.bin", content), &Progress::new());
        let error = error.expect_err("not read");
        let error = error.to_string();
        assert!(
            error.contains("unread.bin") && error.contains(said),
            "{error}"
        );
    }
}
