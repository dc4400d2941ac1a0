//! What a file tells and Callscape does not show is counted by kind, in every format; and what is less than nothing keeps
//! its sign or is counted.

use super::*;

const SPAN: &str = r#""traceId":"5b8aa5a2d2c872e8321cf37308d69df2","#;

#[test]
fn what_is_not_shown_is_counted_by_kind() {
    let scratch = Scratch::new("counted");
    let otlp = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{{SPAN}"spanId":"051581bf3cb55c13","name":"f",
        "startTimeUnixNano":"5","endTimeUnixNano":"9","events":[{{"name":"a"}},{{"name":"b"}}]}}]}}]}}]}}"#
    );
    let zipkin = r#"[{"traceId":"1","id":"2","name":"f","timestamp":5,"duration":4,"localEndpoint":{"serviceName":"s"},
        "annotations":[{"timestamp":6,"value":"cs"},{"timestamp":7,"value":"retry"}]}]"#;
    let jaeger = r#"{"data":[{"traceID":"1","spans":[{"traceID":"1","spanID":"2","operationName":"f","startTime":5,"duration":4,
        "processID":"p1","logs":[{"timestamp":6}],"references":[{"refType":"NEW","traceID":"1","spanID":"9"}]}],
        "processes":{"p1":{"serviceName":"s"}}}]}"#;
    let firefox = r#"{"meta":{"interval":1,"preprocessedProfileVersion":30,"version":2},"counters":[{"name":"m"}],
        "threads":[{"name":"t","pid":"1","tid":1,"stringArray":["f"],
        "markers":{"name":[0,0],"data":[null,{"type":"x"}],"startTime":[1,2],"endTime":[1,2],"length":2},
        "jsAllocations":{"time":[1],"className":["A"],"length":1},
        "funcTable":{"name":[0],"length":1},"frameTable":{"func":[0],"length":1},
        "stackTable":{"frame":[0],"prefix":[null],"length":1},
        "samples":{"stack":[0,0],"time":[1,2],"length":2}}]}"#;
    let gecko = r#"{"meta":{"interval":1,"version":27},"threads":[{"name":"t","tid":1,"stringTable":["f"],
        "markers":{"schema":{"name":0,"data":4},"data":[[0,1,2,0,{"a":[1]}],[0]]},
        "frameTable":{"schema":{"location":0},"data":[[0]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},
        "samples":{"schema":{"stack":0,"time":1},"data":[[0,1],[0,2]]}}]}"#;
    let hprof = "TRACE 300:\n\ta.b(A.java:3)\nCPU SAMPLES BEGIN (total = 6) x\nrank self accum count trace method\n1 100% 100% 6 300 a.b\n\
        CPU SAMPLES END\nTRACE 5:\n\ta.b(A.java:3)\nSITES BEGIN (ordered by live bytes) x\n1 5% 5% 3 4\nSITES END\n";
    let callgrind =
        "# callgrind format\nevents: Ir\nfl=a.c\nfn=f\n3 10\njump=5 7\n4\njcnd=1/2 9\n5\n";
    let perf = "swapper 0 0.000000: PERF_RECORD_COMM: a:1/1\na 1 1.000000: 1000000 cpu-clock: \n\t10 f (/a)\n\n\
        a 1 1.001000: -1000000 cpu-clock: \n\t10 f (/a)\n\n";
    let massif = "desc: a\ncmd: b\ntime_unit: i\n#-----\nsnapshot=0\n#-----\ntime=9\nmem_heap_B=8\nheap_tree=detailed\n\
        n0 8 broken\nwhat is this\n";
    let chrome = r#"{"stackFrames":{"1":{"name":"main"}},"systemTraceEvents":"x","traceEvents":[
        {"ph":"X","name":"g","pid":1,"tid":1,"ts":1,"dur":5},
        {"ph":"P","name":"s","pid":1,"tid":1,"ts":2,"sf":1},{"ph":"P","name":"s","pid":1,"tid":1,"ts":3,"sf":1},
        {"ph":"P","name":"s","pid":1,"tid":1,"ts":4}]}"#;
    for (name, text, expected) in [
        ("otlp.json", otlp.as_str(), &[("event-not-shown", 2)][..]),
        ("zipkin.json", zipkin, &[("event-not-shown", 1)]),
        (
            "jaeger.json",
            jaeger,
            &[("event-not-shown", 1), ("unknown-reference", 1)],
        ),
        (
            "firefox.json",
            firefox,
            &[
                ("allocation-not-shown", 1),
                ("counter-not-shown", 1),
                ("marker-not-shown", 2),
            ],
        ),
        ("gecko.json", gecko, &[("marker-not-shown", 2)]),
        ("a.hprof.txt", hprof, &[("table-not-shown", 1)]),
        ("callgrind.out.1", callgrind, &[("jump-not-shown", 2)]),
        (
            "a.perf.txt",
            perf,
            &[("negative-period", 1), ("record-not-shown", 1)],
        ),
        ("massif.out.1", massif, &[("malformed-line", 2)]),
        (
            "chrome.json",
            chrome,
            &[("sample-not-shown", 1), ("system-trace-not-shown", 1)],
        ),
    ] {
        let recording = read(&scratch.write(name, text.as_bytes()));
        let expected: BTreeMap<&str, u64> = expected.iter().copied().collect();
        assert_eq!(warnings(&recording), expected, "{name}");
        let is_there = |it: &callscape::warnings::Warning| it.first.at.is_some();
        assert!(recording.warnings.iter().all(is_there), "{name}");
    }
}

#[test]
fn hits_below_none_keep_their_sign() {
    let text = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"main"},"hitCount":5,"children":[2]},
        {"id":2,"callFrame":{"functionName":"work"},"hitCount":-3}],"startTime":0,"endTime":9}"#;
    let scratch = Scratch::new("counted-hits");
    let recording = read(&scratch.write("a.cpuprofile", text.as_bytes()));
    assert_eq!(
        warnings(&recording),
        BTreeMap::from([("negative-count", 1)])
    );
    let profile = recording.profile.as_ref().expect("a profile");
    assert_eq!((profile.weight().weight(), profile.negative(0)), (2, 1));
}

/// A sample of austin's is a line, whatever it weighs; one of speedscope's is a stack.
#[test]
fn samples_are_a_value_of_sampled_files() {
    let scratch = Scratch::new("counted-samples");
    let austin = "# austin: 3.6\n# interval: 100\n# mode: wall\nP1;T1;a.py:main:1 100\nP1;T1;a.py:main:2 250\n\n# duration: 350\n";
    let speedscope = r#"{"profiles":[{"type":"sampled","unit":"bytes","samples":[[0],[0]],"weights":[20,10]},
        {"type":"sampled","unit":"seconds","samples":[[0]],"weights":[2]}],"shared":{"frames":[{"name":"main"}]}}"#;
    for (name, text, first, weights) in [
        ("a.austin", austin, "wall time", [350_000, 2]),
        ("a.json", speedscope, "bytes", [30, 3]),
    ] {
        let mut recording = read(&scratch.write(name, text.as_bytes()));
        let profile = recording.profile.as_mut().expect("a profile");
        for (value, weight) in [first, "samples"].into_iter().zip(weights) {
            profile.show(value).expect("a value of this name");
            assert_eq!(profile.weight().ns(), weight, "{name}, {value}");
        }
    }
}
