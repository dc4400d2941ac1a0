//! Small inputs made to be expensive: none of a megabyte may take more than 256 MB of memory, or long.

use std::fmt::Write;

use callscape::import;
use callscape::progress::Progress;

use super::Scratch;
use crate::memory;

/// Bytes of each input, about.
const SIZE: usize = 1_000_000;
const MOST: usize = 256 << 20;

/// What is repeated up to the size, with its number in the place of `@`, between a beginning and an end.
fn repeated(begin: &str, piece: &str, end: &str) -> String {
    let mut text = begin.to_owned();
    let mut number = 0_u32;
    while text.len() + piece.len() + end.len() < SIZE {
        text.push_str(&piece.replace('@', &number.to_string()));
        number += 1;
    }
    text.truncate(text.trim_end_matches(',').len());
    text + end
}

/// A chain of nodes as deep as half the size allows, and samples that go up and down it in turn.
fn chain(begin: &str, node: &str, between: &str, samples: &[&str], end: &str) -> String {
    let mut text = begin.to_owned();
    let mut number = 0_u32;
    while text.len() < SIZE / 2 {
        let (this, next) = (number.to_string(), (number + 1).to_string());
        let below = number
            .checked_sub(1)
            .map_or("null".into(), |n| n.to_string());
        text += &node
            .replace("@b", &below)
            .replace("@n", &next)
            .replace('@', &this);
        number += 1;
    }
    text.truncate(text.trim_end_matches(',').len());
    text += between;
    let deepest = (number - 1).to_string();
    let mut sample = 0;
    while text.len() + end.len() + 16 < SIZE {
        text += &samples[sample % samples.len()].replace('@', &deepest);
        sample += 1;
    }
    text.truncate(text.trim_end_matches(',').len());
    text + end
}

/// Every input with the format that it is for.
fn inputs() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let mut inputs: Vec<(&str, &str, Vec<u8>)> = Vec::new();
    let mut add = |format, what, text: String| inputs.push((format, what, text.into_bytes()));
    let b = r#"{"ph":"B","name":"f","ts":@,"pid":1,"tid":1},"#;
    add("chrome-json", "deep", repeated("[", b, "]"));
    let threads = r#"{"ph":"B","name":"f","ts":1,"pid":1,"tid":@},"#;
    add("chrome-json", "threads", repeated("[", threads, "]"));
    let processes = r#"{"ph":"X","name":"f","ts":1,"pid":@},"#;
    add("chrome-json", "processes", repeated("[", processes, "]"));
    let names = r#"{"ph":"X","name":"name @","ts":@},"#;
    add("chrome-json", "names", repeated("[", names, "]"));
    let escapes = r#"{"ph":"X","name":"\u0001@","ts":@},"#;
    add("chrome-json", "escaped names", repeated("[", escapes, "]"));
    let files = r#"{"ph":"X","name":"f","file":"@","ts":@},"#;
    add("chrome-json", "files", repeated("[", files, "]"));
    let ends = r#"{"ph":"E","name":"f@","ts":2},"#;
    let open = r#"{"ph":"B","name":"f","ts":1},"#.repeat(10_000);
    add(
        "chrome-json",
        "unmatched ends",
        repeated(&format!("[{open}"), ends, "]"),
    );
    let around = r#"{"ph":"X","name":"f","ts":-@,"dur":1@1},"#;
    add("chrome-json", "inside out", repeated("[", around, "]"));
    let metadata = r#"{"ph":"M","name":"thread_name","pid":@,"args":{"name":"@"}},"#;
    add("chrome-json", "metadata", repeated("[", metadata, "]"));
    add(
        "chrome-json",
        "arguments",
        repeated(r#"[{"ph":"B","args":{"a":"#, "{\"a\":[", ""),
    );
    add(
        "chrome-json",
        "one name",
        repeated(r#"[{"ph":"X","ts":1,"name":""#, "n", "\"}]"),
    );
    add("chrome-json", "nested arrays", repeated("", "[", ""));
    add("chrome-json", "white space", repeated("[", " \n", "]"));
    add(
        "chrome-json",
        "broken events",
        repeated("[", "{\"ph\":]},", "]"),
    );
    add(
        "chrome-json",
        "shapes",
        repeated("[", r#"{"ph":"B","k@":1,"ts":@,"name":"f"},"#, "]"),
    );

    let lanes = r#"{"ph":"b","name":"f","ts":@,"id":@},"#;
    add("chrome-json", "lanes", repeated("[", lanes, "]"));
    let digits = "1234567890".repeat(500);
    let event = format!(r#"{{"ph":"X","name":"f","ts":{digits},"dur":1e{digits}}},"#);
    add("chrome-json", "long numbers", repeated("[", &event, "]"));
    let event = format!(r#"{{"ph":"X","name":"f","ts":0.{digits}e-@,"dur":-1e999999999}},"#);
    add("chrome-json", "long decimals", repeated("[", &event, "]"));
    let twice = r#""name":"\u0041\\\"@","ph":"X","ts":1,"#;
    add(
        "chrome-json",
        "keys again and again",
        repeated("[{", twice, "}]"),
    );
    let escaped = r#"{"\u0070h":"X","ph":"\u0058","name":"\ud83d\ude00\ud83d\"","ts":"\u0031"},"#;
    add("chrome-json", "escapes", repeated("[", escaped, "]"));

    let schema =
        r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":["#;
    let frames = |end: &str| repeated(schema, "{\"name\":\"f@\"},", end);
    let objects = r#"{"ph":"N","id":"@","name":"T@","ts":@,"pid":@,"tid":@},"#;
    add("chrome-json", "objects", repeated("[", objects, "]"));
    let counters = r#"{"ph":"C","name":"mem@","ts":@,"pid":@,"args":{"rss":1}},"#;
    add("chrome-json", "counters", repeated("[", counters, "]"));
    let series =
        r#"{"ph":"C","name":"mem","ts":1,"args":{@}},"#.replace('@', &"\"rss@\":1,".repeat(50));
    add("chrome-json", "series", repeated("[", &series, "]"));
    add("speedscope", "frames", frames("]},\"profiles\":[]}"));
    let evented = format!(
        "{schema}{{\"name\":\"f\"}}]}},\"profiles\":[{{\"type\":\"evented\",\"name\":\"\",\"unit\":\"none\",\"startValue\":0,\"endValue\":9,\"events\":["
    );
    add(
        "speedscope",
        "deep",
        repeated(&evented, "{\"type\":\"O\",\"frame\":0,\"at\":0},", "]}]}"),
    );
    let event = format!("{{\"type\":\"O\",\"frame\":0,\"at\":{digits}e-5000}},");
    add(
        "speedscope",
        "long numbers",
        repeated(&evented, &event, "]}]}"),
    );
    let unknown = "{\"type\":\"C\",\"frame\":1@,\"at\":@},";
    add(
        "speedscope",
        "unknown frames",
        repeated(&evented, unknown, "]}]}"),
    );
    let layouts = "{\"type\":\"O\",\"x@\":[[[]]],\"frame\":0,\"at\":@},";
    add("speedscope", "layouts", repeated(&evented, layouts, "]}]}"));
    let turns = "{\"type\":\"O\",\"frame\":0,\"at\":1},{\"frame\":0,\"type\":\"O\",\"at\":2},";
    add(
        "speedscope",
        "layouts in turn",
        repeated(&evented, turns, "]}]}"),
    );
    let sampled = format!(
        "{schema}{{\"name\":\"f\"}},{{\"name\":\"g\"}}]}},\"profiles\":[{{\"type\":\"sampled\",\"name\":\"\",\"unit\":\"none\",\"startValue\":0,\"endValue\":9,\"weights\":[],\"samples\":["
    );
    add(
        "speedscope",
        "one stack",
        repeated(&format!("{sampled}["), "0,", "]]}]}"),
    );
    let stack = |function: &str| format!("[{}],", [function; 500].join(","));
    add(
        "speedscope",
        "stacks in turn",
        repeated(&sampled, &format!("{}{}", stack("0"), stack("1")), "]}]}"),
    );
    let profile =
        r#"{"type":"evented","name":"@","unit":"none","startValue":0,"endValue":1,"events":[]},"#;
    add(
        "speedscope",
        "profiles",
        repeated(&format!("{schema}]}},\"profiles\":["), profile, "]}"),
    );

    add(
        "cpuprofile",
        "deep stacks in turn",
        chain(
            "{\"nodes\":[",
            r##"{"id":@,"callFrame":{"functionName":"f@"},"children":[@n]},"##,
            "],\"startTime\":0,\"endTime\":9,\"samples\":[",
            &["0,", "@,"],
            "]}",
        ),
    );
    let firefox = r#"{"meta":{"interval":1,"preprocessedProfileVersion":50,"version":30},"libs":[],"threads":[{"name":"","pid":"1","tid":1,"stringArray":["f"],"frameTable":{"func":[0]},"funcTable":{"name":[0],"resource":[-1]},"stackTable":{"frame":["#;
    let mut text = format!("{firefox}{}0],\"prefix\":[", "0,".repeat(99_999));
    text += "null";
    for below in 0..99_999 {
        let _ = write!(text, ",{below}");
    }
    text += "]},\"samples\":{\"stack\":[";
    while text.len() + 20 < SIZE {
        text += "99999,0,";
    }
    text += "0]}}]}";
    add("firefox", "deep stacks in turn", text);
    let thread = r#"{"name":"","pid":"1","tid":@,"samples":{"stack":[]}},"#;
    add(
        "firefox",
        "threads",
        repeated(
            r#"{"meta":{"interval":1,"version":30},"libs":[],"threads":["#,
            thread,
            "]}",
        ),
    );

    for (format, begin, end) in [
        ("cpuprofile", r#"{"nodes":["#, r#"],"samples":[1]}"#),
        (
            "firefox",
            r#"{"meta":{"interval":1,"version":30},"libs":[],"threads":["#,
            "]}",
        ),
        ("otlp", r#"{"resourceSpans":["#, "]}"),
        ("jaeger", r#"{"data":["#, "]}"),
        ("speedscope", schema, "]}}"),
        ("datadog", "[[", "]]"),
        ("skywalking", r#"{"data":{"trace":{"spans":["#, "]}}}"),
        ("xray", r#"{"Traces":[{"Segments":["#, "]}]}"),
        ("sentry", r#"{"profile":{"samples":["#, "]}}"),
        ("dart", r#"{"type":"CpuSamples","samples":["#, "]}"),
        ("heapsnapshot", r#"{"snapshot":{"meta":{}},"nodes":["#, "]}"),
        ("pyinstrument", r#"{"root_frame":{"children":["#, "]}}"),
        ("stackprof", r#"{"version":1.2,"frames":{},"raw":["#, "]}"),
        ("scalene", r#"{"files":{"a":{"lines":["#, "]}}}"),
    ] {
        add(format, "nested", repeated(begin, "[{\"a\":", end));
        let escapes = r#"{"name":"\u0041\\\"\ud800@","\u006eame":"\n"},"#;
        add(format, "escapes", repeated(begin, escapes, end));
        let long = format!(r#"{{"id":{digits},"line":-{digits}.{digits}E+{digits}}},"#);
        add(format, "long numbers", repeated(begin, &long, end));
        add(format, "empty", repeated(begin, "{},", end));
    }
    let nodes =
        r#"{"id":1,"id":@,"callFrame":{"functionName":"f@","lineNumber":1e400},"children":[@,@]},"#;
    add(
        "cpuprofile",
        "nodes",
        repeated(r#"{"nodes":["#, nodes, r#"],"samples":[1]}"#),
    );

    let sample = "p @ 1.@: 1 c:\n\t1 f@ (a)\n\n";
    add("perf-script", "samples", repeated("", sample, ""));
    add(
        "perf-script",
        "deep",
        repeated("p 1 1.0: 1 c:\n", "\t1 f (a)\n", "\n"),
    );
    let span = r#"{"traceId":"1","spanId":"@","parentSpanId":"1@","name":"@","startTimeUnixNano":"1","endTimeUnixNano":"9"},"#;
    add(
        "otlp",
        "spans",
        repeated(
            r#"{"resourceSpans":[{"scopeSpans":[{"spans":["#,
            span,
            "]}]}]}",
        ),
    );
    let span = r#"{"traceID":"1","spanID":"@","operationName":"f","startTime":1,"duration":@,"processID":"p@"},"#;
    add(
        "jaeger",
        "spans",
        repeated(r#"{"data":[{"traceID":"1","spans":["#, span, "]}]}"),
    );
    add("folded", "stacks", repeated("", "a@;b 1\n", ""));
    add("folded", "deep", repeated("a", ";a", " 1\n"));
    add("folded", "deep twice", repeated("a", ";b", " 1\nb;a 1\n"));
    add(
        "callgrind",
        "functions",
        repeated("events: Ir\n", "fn=f@\n@ 1\n", ""),
    );
    add(
        "callgrind",
        "calls",
        repeated("events: Ir\nfn=f\n", "cfn=f@\ncalls=1 1\n1 1\n", ""),
    );
    let traces = "TRACE @:\n\tf.g(h:1)\n";
    add(
        "hprof",
        "traces",
        repeated(
            "JAVA PROFILE 1.0.1, created x\n",
            traces,
            "CPU SAMPLES BEGIN (total = 1) x\nrank self accum count trace method\n1 1% 1% 1 1 f.g\nCPU SAMPLES END\n",
        ),
    );
    of_memory(&mut inputs);
    // Packets of a byte each, tracks of a few; a table of strings.
    inputs.push(("perfetto", "packets", [0x0a, 0].repeat(SIZE / 2)));
    inputs.push((
        "perfetto",
        "nested",
        (0..SIZE).map(|at| [0x0a, 0x7f][at % 2]).collect(),
    ));
    // A slice on each of as many tracks as there can be.
    let mut tracks = Vec::new();
    let mut track = 0_u32;
    while tracks.len() < SIZE {
        // Time 1; a begin on a track of three bytes.
        let id = [0, 7, 14].map(|shift| (track >> shift) as u8 & 0x7f);
        let id = [id[0] | 0x80, id[1] | 0x80, id[2]];
        tracks.extend([0x0a, 10, 0x40, 1, 0x5a, 6, 0x48, 1, 0x58]);
        tracks.extend(id);
        track += 1;
    }
    inputs.push(("perfetto", "tracks", tracks));
    inputs.push(("pprof", "strings", [0x32, 0].repeat(SIZE / 2)));
    inputs.push(("pprof", "samples", [0x12, 2, 8, 1].repeat(SIZE / 4)));
    inputs.push(("pprof", "locations", [0x22, 2, 8, 1].repeat(SIZE / 4)));
    let mut jfr = b"FLR\0\0\x02\0\x01".to_vec();
    jfr.resize(SIZE, 0xff);
    inputs.push(("jfr", "lengths", jfr));
    // What unpacks to far more.
    let mut zeros = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(
        std::io::Read::take(std::io::repeat(b' '), 600 << 20),
        flate2::Compression::fast(),
    );
    std::io::Read::read_to_end(&mut encoder, &mut zeros).expect("memory");
    let zstd = zstd::stream::encode_all(std::io::Read::take(std::io::repeat(b'['), 600 << 20), 1);
    for format in ["chrome-json", "folded", "perf-script"] {
        inputs.push((format, "gzip of spaces", zeros.clone()));
        inputs.push((
            format,
            "zstd of brackets",
            zstd.as_ref().expect("memory").clone(),
        ));
    }
    inputs
}

/// Those of the formats of memory.
fn of_memory(inputs: &mut Vec<(&'static str, &'static str, Vec<u8>)>) {
    let mut add = |format, what, text: String| inputs.push((format, what, text.into_bytes()));
    let heaptrack = "v 1 0\ns f\ni 1 0 1\nt 1 0\na 8 1\n";
    add("heaptrack", "events", repeated(heaptrack, "+ 0\n", ""));
    add("heaptrack", "sites", repeated(heaptrack, "a @ 1\n", ""));
    add("heaptrack", "strings", repeated(heaptrack, "s\n", ""));
    add(
        "heaptrack",
        "resident set",
        repeated(heaptrack, "R 1\n", ""),
    );
    // Stacks that each repeat the inlined frames of an instruction, one around the other.
    let inlined = format!("{heaptrack}i 1 0{}\n", " 1 0 0".repeat(50_000));
    let mut stacks = inlined;
    let mut number = 1;
    while stacks.len() < SIZE {
        let _ = writeln!(stacks, "t 2 {number:x}");
        number += 1;
    }
    add("heaptrack", "inlined frames", stacks);
    let dhat = r#"{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":false,"tu":"instrs","Mtu":"Minstr","cmd":"c","pid":1,"te":9,"tg":5,"pps":["#;
    let point = r#"{"tb":1,"tbk":1,"gb":1,"gbk":1,"eb":1,"ebk":1,"fs":[@,0]},"#;
    add(
        "dhat",
        "points",
        repeated(dhat, point, r#"],"ftbl":["[root]"]}"#),
    );
    let frames = format!("{dhat}{}], \"ftbl\":[", point.replace('@', "1"));
    add(
        "dhat",
        "frames",
        repeated(&frames, "\"0x@: f@ (a.c:1)\",", "]}"),
    );
    let snapshot =
        "snapshot=@\ntime=@\nmem_heap_B=1\nheap_tree=detailed\nn1: 1 all\n n0: 1 0x@: f@ (a.c:1)\n";
    add(
        "massif",
        "snapshots",
        repeated("desc: a\ncmd: b\ntime_unit: i\n", snapshot, ""),
    );
    let head = r#"{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0,"children":["#;
    let node = r#"{"callFrame":{"functionName":"f@"},"selfSize":1,"children":[]},"#;
    add("heapprofile", "nodes", repeated(head, node, "]}}"));
    let deep = r#"{"callFrame":{"functionName":"f@"},"selfSize":1,"children":["#;
    add("heapprofile", "deep", repeated(head, deep, ""));
}

#[test]
fn no_small_input_takes_much_memory() {
    let scratch = Scratch::new("greedy");
    for (format, what, input) in inputs() {
        let path = scratch.write("input", &input);
        let started = std::time::Instant::now();
        let (result, most) = memory::most_held(|| {
            let result = import::read_as(format, &path, &Progress::new()).expect("a format");
            result.map(|recording| recording.trace.calls())
        });
        println!(
            "{format}, {what}: {} kB, {:.1} s, {result:?}",
            most >> 10,
            started.elapsed().as_secs_f64()
        );
        assert!(most < MOST, "{format}, {what}: {most} bytes");
    }
}
