//! What stands beside something else in a file is shown too: asynchronous events and samples beside calls, spans behind
//! logs, profiles in different units.

use super::*;
use callscape::facts::recording::RecordingKind;
use callscape::units::Unit;

/// The calls of all threads, `thread: name start+cost` in order.
fn all(recording: &Recording) -> Vec<String> {
    let threads = recording.trace.threads();
    let of = |thread: usize| {
        let name = match threads[thread].name.as_str() {
            "" => threads[thread].id.clone(),
            name => name.to_owned(),
        };
        let calls = calls(recording, thread).into_iter();
        calls.map(move |it| format!("{name}: {} {}+{}", it.name, it.start, it.end - it.start))
    };
    (0..threads.len()).flat_map(of).collect()
}

/// Self cost, total and calls of the functions of a name.
fn of_function(recording: &Recording, name: &str) -> (u64, u64, u64) {
    let metrics = recording.function_metrics(None);
    let named = recording.functions.ids().zip(metrics.iter());
    let named = named.filter(|(id, _)| recording.functions.get(*id).name == name);
    named.fold((0, 0, 0), |sum, (_, it)| {
        let (own, total) = (it.self_cost.ns(), it.total.ns());
        (sum.0 + own, sum.1 + total, sum.2 + it.calls)
    })
}

#[test]
fn asynchronous_events_beside_complete_ones_have_lanes() {
    let scratch = Scratch::new("beside-async");
    let path = scratch.write(
        "clang.json",
        br#"{"traceEvents":[
        {"pid":1,"tid":1,"ph":"M","name":"thread_name","args":{"name":"main"}},
        {"pid":1,"tid":1,"ph":"X","ts":0,"dur":100,"name":"Compile"},
        {"pid":1,"tid":1,"ph":"b","id":0,"cat":"Source","ts":10,"name":"Source"},
        {"pid":1,"tid":1,"ph":"b","id":0,"cat":"Source","ts":20,"name":"Source"},
        {"pid":1,"tid":1,"ph":"n","id":0,"cat":"Source","ts":25,"name":"mark"},
        {"pid":1,"tid":1,"ph":"e","id":0,"cat":"Source","ts":30,"name":"Source"},
        {"pid":1,"tid":1,"ph":"e","id":0,"cat":"Source","ts":50,"name":"Source"},
        {"pid":1,"tid":1,"ph":"b","id":1,"cat":"Other","ts":40,"name":"open"},
        {"pid":1,"tid":1,"ph":"e","id":2,"cat":"Other","ts":45,"name":"never"}]}"#,
    );
    let recording = read(&path);
    assert_eq!(
        all(&recording),
        [
            "main: Compile 0+100000",
            "async Source: Source 10000+40000",
            "async Source: Source 20000+10000",
            // It is not known when it ended.
            "async Other: open 40000+0",
        ]
    );
    let expected = [
        ("async-event-not-shown", 1),
        ("end-without-begin", 1),
        ("open-at-end", 1),
    ];
    assert_eq!(warnings(&recording), BTreeMap::from(expected));
    assert_eq!(of_function(&recording, "Source").1, 40_000);
}

#[test]
fn sampled_javascript_stands_beside_the_tasks_of_its_thread() {
    let scratch = Scratch::new("beside-samples");
    for phase in ["P", "I"] {
        let text = r#"{"traceEvents":[
        {"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"Main"}},
        {"name":"RunTask","ph":"X","pid":1,"tid":2,"ts":1000,"dur":9000},
        {"name":"Profile","ph":"PHASE","id":"0x1","pid":1,"tid":2,"ts":1000,"args":{"data":{"startTime":1000}}},
        {"name":"ProfileChunk","ph":"PHASE","id":"0x1","pid":1,"tid":3,"ts":9000,"args":{"data":{"cpuProfile":{"nodes":[
          {"id":1,"callFrame":{"functionName":"(root)"}},
          {"id":2,"parent":1,"callFrame":{"functionName":"onClick"}},
          {"id":3,"parent":2,"callFrame":{"functionName":"sort"}}],
          "samples":[2,3,3,3,2]},"timeDeltas":[200,1000,1000,1000,1000]}}},
        {"name":"paint","ph":"I","pid":1,"tid":2,"ts":9000}]}"#;
        let text = text.replace("PHASE", phase);
        let recording = read(&scratch.write("devtools.json", text.as_bytes()));
        assert_eq!(
            (recording.kind, recording.samples),
            (RecordingKind::Sampled, 5)
        );
        let threads: Vec<&str> = recording
            .trace
            .threads()
            .iter()
            .map(|it| &*it.name)
            .collect();
        assert_eq!(threads, ["Main", "Main, samples"]);
        assert_eq!(
            of_function(&recording, "RunTask"),
            (9_000_000, 9_000_000, 1)
        );
        assert_eq!(of_function(&recording, "sort").0, 3_000_000);
        let expected = BTreeMap::from([("instant-not-shown", 1)]);
        assert_eq!(warnings(&recording), expected, "{phase}");
    }
}

#[test]
fn profiles_in_different_units_are_values_and_not_added() {
    let scratch = Scratch::new("beside-units");
    let profile = |unit: &str, weights: &str| {
        format!(
            r#"{{"type":"sampled","name":"{unit}","unit":"{unit}","startValue":0,"endValue":9,"samples":[[0],[0,1]],"weights":[{weights}]}}"#
        )
    };
    let profiles = [
        profile("bytes", "2000,1000"),
        profile("microseconds", "100,200"),
        profile("milliseconds", "1,2"),
        r#"{"type":"evented","name":"e","unit":"none","startValue":0,"endValue":9,"events":[{"type":"O","frame":0,"at":1},{"type":"O","frame":1,"at":3},{"type":"C","frame":1,"at":4},{"type":"C","frame":0,"at":9}]}"#.to_owned(),
    ];
    let text = format!(
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[{}],"shared":{{"frames":[{{"name":"main"}},{{"name":"work"}}]}}}}"#,
        profiles.join(",")
    );
    let mut recording = read(&scratch.write("two.json", text.as_bytes()));
    assert_eq!(
        (recording.kind, recording.samples),
        (RecordingKind::Profile, 6)
    );
    // Both profiles of time together, in nanoseconds.
    assert_eq!(of_function(&recording, "main"), (1_100_000, 3_300_000, 0));
    assert_eq!(of_function(&recording, "work"), (2_200_000, 2_200_000, 0));
    for (value, unit, main) in [
        ("bytes", Unit::Bytes, (2000, 3000, 0)),
        ("weight", Unit::Things("units".to_owned()), (7, 8, 0)),
    ] {
        let profile = recording.profile.as_mut().expect("a profile");
        profile.show(value).expect("a value of this name");
        assert_eq!(profile.unit(), &unit);
        assert_eq!(of_function(&recording, "main"), main, "{value}");
    }
}

#[test]
fn logs_and_metrics_before_spans_are_counted() {
    let span = r#"{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"1","name":"root","startTimeUnixNano":"5","endTimeUnixNano":"12"}]}]}"#;
    let scratch = Scratch::new("beside-logs");
    let lines = [
        r#"{"resourceLogs":[{"scopeLogs":[]}]}"#.to_owned(),
        r#"{"resourceMetrics":[]}"#.to_owned(),
        format!(r#"{{"resourceSpans":[{span}]}}"#),
    ];
    let recording = read(&scratch.write("all.jsonl", lines.join("\n").as_bytes()));
    assert_eq!(
        all(&recording),
        [": root 0+7".trim_start_matches(": ")].map(|it| format!("1: {it}"))
    );
    let expected = BTreeMap::from([("logs-not-shown", 1), ("metrics-not-shown", 1)]);
    assert_eq!(warnings(&recording), expected);
    let error = open(&scratch.write("logs.jsonl", lines[..2].join("\n").as_bytes()));
    let error = error.expect_err("no spans").to_string();
    assert!(error.contains("found none; logs not shown: 1"), "{error}");
    // Lines of another program's log.
    let log = format!("{{\"level\":\"info\"}}\n{}\n", lines[2]);
    let recording = read(&scratch.write("log.jsonl", log.as_bytes()));
    assert_eq!((recording.format, recording.trace.calls()), ("otlp", 1));
    let expected = BTreeMap::from([("not-a-request", 1)]);
    assert_eq!(warnings(&recording), expected);
    // What Tempo answers, by its first and its second interface.
    for text in [
        format!(r#"{{"batches":[{span}]}}"#),
        format!(r#"{{"trace":{{"resourceSpans":[{span}]}}}}"#),
    ] {
        let recording = read(&scratch.write("tempo.json", text.as_bytes()));
        assert_eq!((recording.format, recording.trace.calls()), ("otlp", 1));
        assert_eq!(warnings(&recording), BTreeMap::new());
    }
}

#[test]
fn both_sides_of_a_span_of_zipkin_are_calls_of_their_services() {
    let recording = read(&crate::common::data("import/zipkin/shop.json"));
    let expected = BTreeMap::from([("missing-time", 1)]);
    assert_eq!(warnings(&recording), expected);
    assert_eq!(
        all(&recording),
        [
            "shop: get /cart 0+1000000000",
            "shop: price 100000000+300000000",
            "shop: stock 500000000+200000000",
            "store: stock 520000000+150000000",
            "store: select 530000000+80000000",
            "mailer: old 2000000000+50000000",
        ]
    );
}

#[test]
fn marks_of_programs_in_traces_of_the_kernel_are_calls() {
    let expected = [
        "my-app: onCreate 0+300000",
        "my-app: inflate 100000+100000",
        "async 1: load 150000+120000",
        "worker: decode 160000+100000",
    ];
    let path = crate::common::data("import/systrace/marks.systrace");
    let recording = read(&path);
    assert_eq!(all(&recording), expected);
    assert_eq!(
        warnings(&recording),
        BTreeMap::from([("event-not-shown", 1)])
    );
    // The page that systrace makes of it.
    let text = std::fs::read_to_string(path).expect("the sample");
    let page = format!(
        "<!DOCTYPE html>\n<html>\n<title>Android System Trace</title>\n<script>a [0] b: c</script>\n\
         <script class=\"trace-data\" type=\"application/text\">\n{text}</script>\n</html>\n"
    );
    let scratch = Scratch::new("beside-page");
    let page = read(&scratch.write("trace.html", page.as_bytes()));
    assert_eq!(
        (page.format, all(&page)),
        ("systrace", expected.map(str::to_owned).to_vec())
    );
    // And Perfetto's trace of the same, with the events of one processor after those of another.
    let kernel = |prints: &[(u64, u64, &str)]| {
        let event = |&(time, thread, text): &(u64, u64, &str)| {
            let print = [number(1, 1), bytes(2, text.as_bytes())].concat();
            bytes(
                2,
                &[number(1, time), number(2, thread), bytes(3, &print)].concat(),
            )
        };
        let bundle: Vec<u8> = prints.iter().flat_map(event).collect();
        bytes(
            1,
            &[bytes(1, &[number(1, 0), bundle].concat()), number(10, 1)].concat(),
        )
    };
    let (main, worker) = (12, 13);
    let first = kernel(&[
        (100_000, main, "B|10|onCreate"),
        (200_000, main, "B|10|inflate"),
        (260_000, worker, "B|10|decode\n"),
        (360_000, worker, "E|10\n"),
        (370_000, worker, "F|10|load|7"),
    ]);
    let second = kernel(&[
        (250_000, main, "S|10|load|7"),
        (300_000, main, "E|10"),
        (400_000, main, "E|10"),
        (410_000, main, "C|10|views|3"),
    ]);
    let names = [(12, "my-app"), (13, "worker")].map(|(id, name)| {
        bytes(
            2,
            &[number(1, id), bytes(2, name.as_bytes()), number(3, 10)].concat(),
        )
    });
    let tree = bytes(1, &[bytes(2, &names.concat()), number(10, 1)].concat());
    let trace = scratch.write("trace.pftrace", &[tree, second, first].concat());
    let recording = read(&trace);
    let mut found = all(&recording);
    found.sort();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(
        (recording.format, found),
        (
            "perfetto",
            expected.into_iter().map(str::to_owned).collect()
        )
    );
    assert_eq!(warnings(&recording).get("event-not-shown"), Some(&1));
}

#[test]
fn packets_and_events_of_the_kernel_that_are_not_shown_are_counted() {
    let event =
        |time: u64, says: Vec<u8>| bytes(2, &[number(1, time), number(2, 12), says].concat());
    let print = |text: &str| bytes(3, &bytes(2, text.as_bytes()));
    let events = [
        event(100, print("B|10|f")),
        // An interrupt.
        event(150, bytes(36, &number(1, 7))),
        event(200, print("E|10")),
    ];
    let bundle = bytes(1, &[number(1, 0), events.concat()].concat());
    let packets = [
        [bundle, number(10, 1)].concat(),
        // Counters of processes, and the configuration; a packet before it was lost, for two reasons.
        [bytes(9, &number(1, 3)), number(10, 1), number(42, 5)].concat(),
        bytes(33, &number(1, 3)),
    ];
    let trace: Vec<u8> = packets.iter().flat_map(|it| bytes(1, it)).collect();
    let recording = read(&Scratch::new("beside-packets").write("a.pftrace", &trace));
    assert_eq!(recording.trace.calls(), 1);
    let expected = [
        ("event-not-shown", 1),
        ("packet-dropped", 1),
        ("packet-not-shown", 1),
    ];
    assert_eq!(warnings(&recording), BTreeMap::from(expected));
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, content: &[u8]) -> Vec<u8> {
    [
        varint(field << 3 | 2),
        varint(content.len() as u64),
        content.to_vec(),
    ]
    .concat()
}

/// Tasks of a page, the events of a user, a picture, and a script with an inline map: its function `b` was `add` in `x.ts`.
fn devtools() -> String {
    let map =
        "eyJzb3VyY2VzIjpbInNyYy94LnRzIl0sIm5hbWVzIjpbImFkZCJdLCJtYXBwaW5ncyI6IkFBRUEsU0FBU0EifQ==";
    let timing = |id: &str, kind: &str, number: u32, start: u32| {
        let begin = format!(
            r#"{{"name":"EventTiming","cat":"devtools.timeline","ph":"b","id2":{{"local":"{id}"}},"pid":1,"tid":2,"ts":{start},"args":{{"data":{{"type":"{kind}","interactionId":{number},"duration":40}}}}}}"#
        );
        let end = format!(
            r#"{{"name":"EventTiming","cat":"devtools.timeline","ph":"e","id2":{{"local":"{id}"}},"pid":1,"tid":2,"ts":{},"args":{{}}}}"#,
            start + 40_000
        );
        format!("{begin},\n{end}")
    };
    let frame = |name: &str, column: u32| {
        format!(
            r#"{{"functionName":"{name}","scriptId":7,"url":"http://h/x.js","lineNumber":0,"columnNumber":{column}}}"#
        )
    };
    let events = [
        r#"{"name":"thread_name","ph":"M","pid":1,"tid":2,"args":{"name":"CrRendererMain"}}"#.to_owned(),
        r#"{"name":"RunTask","cat":"disabled-by-default-devtools.timeline","ph":"X","pid":1,"tid":2,"ts":1000,"dur":50000,"args":{}}"#.to_owned(),
        r#"{"name":"RunTask","cat":"disabled-by-default-devtools.timeline","ph":"X","pid":1,"tid":2,"ts":60000,"dur":50001,"args":{}}"#.to_owned(),
        r#"{"name":"RunTask","cat":"mine","ph":"X","pid":1,"tid":2,"ts":200000,"dur":90000,"args":{}}"#.to_owned(),
        timing("0x1", "click", 12, 2_000),
        timing("0x2", "pointermove", 0, 70_000),
        format!(
            r#"{{"name":"ScriptCatchup","cat":"disabled-by-default-devtools.v8-source-rundown","ph":"I","pid":1,"tid":2,"ts":1,"args":{{"data":{{"isolate":"1","scriptId":7,"url":"http://h/x.js","sourceMapUrl":"data:application/json;base64,{map}"}}}}}}"#
        ),
        r#"{"name":"Screenshot","cat":"disabled-by-default-devtools.screenshot","ph":"O","id":"0x1","pid":1,"tid":2,"ts":3,"args":{"snapshot":"/9j/4A"}}"#.to_owned(),
        r#"{"name":"Profile","cat":"v8","ph":"P","id":"0x9","pid":1,"tid":2,"ts":1000,"args":{"data":{"startTime":1000}}}"#.to_owned(),
        format!(
            r#"{{"name":"ProfileChunk","cat":"v8","ph":"P","id":"0x9","pid":1,"tid":3,"ts":9000,"args":{{"data":{{"cpuProfile":{{"nodes":[{{"id":1,"callFrame":{}}},{{"id":2,"parent":1,"callFrame":{}}}],"samples":[2,2,1]}},"lines":[1,1,1],"timeDeltas":[200,1000,1000]}}}}}}"#,
            frame("b", 10),
            frame("", 20)
        ),
    ];
    format!("{{\"traceEvents\":[\n{}\n]}}\n", events.join(",\n"))
}

#[test]
fn recordings_of_devtools_have_interactions_long_tasks_and_sources() {
    let scratch = Scratch::new("beside-devtools");
    let recording = read(&scratch.write("devtools.json", devtools().as_bytes()));
    let long = of_function(&recording, "RunTask (over 50 ms)");
    assert_eq!(long, (50_001_000, 50_001_000, 1));
    assert_eq!(of_function(&recording, "RunTask").2, 2);
    assert_eq!(
        of_function(&recording, "click"),
        (40_000_000, 40_000_000, 1)
    );
    assert_eq!(of_function(&recording, "EventTiming").2, 1);
    let threads = recording.trace.threads().iter();
    let threads = threads.map(|it| (&*it.id, &*it.name));
    let expected = [
        ("2", "CrRendererMain"),
        ("async interactions", ""),
        ("async devtools.timeline", ""),
        ("2, samples", "CrRendererMain, samples"),
    ];
    assert_eq!(threads.collect::<Vec<_>>(), expected);
    let place = |name| {
        let mut functions = recording
            .functions
            .ids()
            .map(|id| recording.functions.get(id));
        let found = functions.find(|it| it.name == name);
        found.map(|it| (it.file.to_owned(), it.line))
    };
    let source = "http://h/src/x.ts".to_owned();
    assert_eq!(place("add"), Some((source.clone(), 3)));
    assert_eq!(place("(anonymous)"), Some((source, 3)));
    assert_eq!(place("b"), None);
    assert!(recording.lines.is_none());
    let expected = [("instant-not-shown", 1), ("screenshot-not-shown", 1)];
    assert_eq!(warnings(&recording), BTreeMap::from(expected));
}

#[test]
fn a_recording_of_devtools_has_what_a_direct_count_finds() {
    // By `tests/data/import/devtools/count.py`. Of 34 ms, a task is inside another one.
    let recording = read(&crate::common::data("import/devtools/page.json.gz"));
    let calls = |name| of_function(&recording, name).2;
    assert_eq!(calls("RunTask") + calls("RunTask (over 50 ms)"), 284);
    assert_eq!(calls("RunTask (over 50 ms)"), 1);
    assert_eq!(calls("Layout"), 6);
    assert_eq!(calls("MinorGC"), 2);
    assert_eq!(calls("EventDispatch"), 19);
    assert_eq!(recording.samples, 3415);
    for (name, us) in [
        ("(program)", 202_413),
        ("CompileFunction", 5_225),
        ("CompileIgnition", 4_986),
        ("FunctionCallback", 4_819),
        ("(garbage collector)", 3_356),
    ] {
        assert_eq!(of_function(&recording, name).0, us * 1000, "{name}");
    }
    assert_eq!(warnings(&recording)["screenshot-not-shown"], 2);
}
