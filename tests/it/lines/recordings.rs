//! What importers take of lines.

use std::collections::{BTreeMap, HashMap};

use callscape::facts::lines::Knows;
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::import;
use callscape::progress::Progress;
use callscape::units::{Cost, FunctionId};

use super::{by_line, lines, open};
use crate::common::{Scratch, data, large_data};

/// Recordings that know lines, and whether they know call sites.
const RECORDINGS: [(&str, bool); 10] = [
    ("callgrind/lines.callgrind.out", true),
    ("cpuprofile/words.cpuprofile", false),
    ("hprof/figure1.hprof.txt", true),
    ("jfr/spin.jfr.gz", true),
    ("jfr/rest.jfr.gz", true),
    ("perf-script/inlined.perf.txt", true),
    ("perf-script/lines.perf.txt", true),
    ("pprof/markdown-render.pb.gz", true),
    ("speedscope/spin.speedscope.json", true),
    ("callgrind/fib.callgrind.out", true),
];

/// The same of the large set of test data.
const LARGE: [&str; 10] = [
    "callgrind/callgrind.lua-queens6.out",
    "callgrind/callgrind.lua-queens6.uncompressed.out",
    "cpuprofile/orders-unoptimized.cpuprofile",
    "cpuprofile/prettier-acorn.cpuprofile.gz",
    "cpuprofile/tsc-rxjs.cpuprofile.gz",
    "hprof/xfvrp.cpu-samples.hprof.txt",
    "jfr/wordgraph.jfr",
    "pprof/markdown-render.rust-pprof.pb",
    "firefox-profiler-samples/processed-1.json",
    "speedscope-samples/profiles/speedscope/0.6.0/two-sampled.speedscope.json",
];

/// By function what its places come to, and by caller and callee what their sites do.
fn assert_sums_agree(recording: &Recording) {
    let lines = lines(recording);
    let value = recording.value();
    let name = |id: FunctionId| recording.functions.get(id).name;
    let metrics = recording.function_metrics(None);
    for (id, metrics) in recording.functions.ids().zip(&metrics) {
        let places = lines.of_function(id);
        let own: Cost = places.clone().map(|at| lines.own(value, at)).sum();
        assert_eq!(own, metrics.self_cost, "{}", name(id));
        for total in places.filter_map(|at| lines.total(value, at)) {
            assert!(total <= metrics.total, "{}", name(id));
        }
    }
    if !lines.knows().sites {
        return;
    }
    let mut sums: HashMap<(FunctionId, FunctionId), (u64, Cost)> = HashMap::new();
    for at in 0..lines.len() {
        for site in lines.sites(value, at) {
            let of = sums.entry((lines.place(at).function(), site.callee));
            let (calls, cost) = of.or_default();
            *calls += site.calls.unwrap_or(0);
            *cost += site.cost;
        }
    }
    for relation in recording.relations(None) {
        let found = sums.remove(&(relation.caller, relation.callee));
        let (calls, cost) = found.unwrap_or_default();
        let of = (name(relation.caller), name(relation.callee));
        assert_eq!(cost, relation.cost, "{of:?}");
        if lines.knows().calls {
            assert_eq!(calls, relation.calls, "{of:?}");
        }
    }
    assert!(sums.values().all(|it| *it == (0, Cost::ZERO)), "{sums:?}");
}

#[test]
fn lines_add_up_to_their_functions_and_call_relations() {
    for (name, knows_sites) in RECORDINGS {
        let recording = open(&data("import").join(name));
        eprintln!("{name}");
        match recording.lines {
            Some(_) => assert_sums_agree(&recording),
            // A program without debug information.
            None => assert_eq!(name, "callgrind/fib.callgrind.out"),
        }
        let known = recording.lines.as_ref().map(|it| it.knows().sites);
        assert_eq!(known.unwrap_or(knows_sites), knows_sites, "{name}");
    }
}

#[test]
fn lines_of_large_recordings_add_up() {
    for name in LARGE {
        let Some(path) = large_data(name) else {
            return;
        };
        if path.exists() {
            eprintln!("{name}");
            let recording = open(&path);
            if recording.lines.is_some() {
                assert_sums_agree(&recording);
            }
        }
    }
}

/// Lines of a file with own cost, and with calls and their cost, as `callgrind_annotate` prints them.
fn annotated(file: &str) -> (BTreeMap<u32, u64>, BTreeMap<u32, (u64, u64)>) {
    let text = std::fs::read_to_string(data("import/callgrind/lines.annotate.txt"));
    let text = text.expect("what callgrind_annotate prints");
    let (mut own, mut calls) = (BTreeMap::new(), BTreeMap::<u32, (u64, u64)>::new());
    let (mut line, mut is_of_file) = (0, false);
    for text in text.lines() {
        if let Some(name) = text.strip_prefix("-- User-annotated source: ") {
            (line, is_of_file) = (0, name == file);
            continue;
        }
        if text.ends_with("events annotated") {
            break;
        }
        // The number stands in a column, then its share.
        let (number, rest) = text.trim_start().split_once(' ').unwrap_or((text, ""));
        let number: Option<u64> = match number {
            "." => Some(0),
            number => number.replace(',', "").parse().ok(),
        };
        let Some(number) = number.filter(|_| is_of_file) else {
            continue;
        };
        let rest = rest.split_once(')').map_or(rest, |(_, rest)| rest);
        match rest.trim_start().strip_prefix("=> ") {
            Some(callee) => {
                let (_, count) = callee.rsplit_once('(').expect("a number of calls");
                let count = count.trim_end_matches("x)").replace(',', "");
                let of = calls.entry(line).or_default();
                of.0 += count.parse::<u64>().expect("a number of calls");
                of.1 += number;
            }
            None => {
                line += 1;
                if number > 0 {
                    own.insert(line, number);
                }
            }
        }
    }
    (own, calls)
}

/// Lines 22 and 23 are where `deep'2` calls too, whose calls `callgrind_annotate` leaves out.
#[test]
fn lines_of_callgrind_are_those_that_its_own_tool_prints() {
    let path = data("import/callgrind/lines.callgrind.out");
    let recording = open(&path);
    let known = lines(&recording);
    for file in ["lines.c", "lines.h"] {
        let (mut own, mut calls) = (BTreeMap::new(), BTreeMap::<u32, (u64, u64)>::new());
        for at in 0..known.len() {
            let place = known.place(at);
            let own_file = recording.functions.get(place.function()).file;
            let of = known.other_file(place).unwrap_or(own_file);
            if place.line() == 0 || !of.ends_with(file) {
                continue;
            }
            let cost = known.own(0, at).ns();
            if cost > 0 {
                *own.entry(place.line()).or_default() += cost;
            }
            for site in known.sites(0, at) {
                let of = calls.entry(place.line()).or_default();
                of.0 += site.calls.expect("callgrind counts calls");
                of.1 += site.cost.ns();
            }
        }
        let (expected, mut expected_calls) = annotated(file);
        assert!(expected.len() >= 2, "{file}");
        assert_eq!(own, expected, "{file}");
        let recursive = [22, 23];
        for line in recursive {
            calls.remove(&line);
            expected_calls.remove(&line);
        }
        assert_eq!(calls, expected_calls, "{file}");
    }
}

#[test]
fn lines_of_perf_are_those_that_it_reports() {
    let recording = open(&data("import/perf-script/lines.perf.txt"));
    let samples = by_line(&recording, |lines, at| {
        let of = recording.functions.get(lines.place(at).function());
        match of.file {
            "lines.c" => lines.samples(at).unwrap_or(0),
            _ => 0,
        }
    });
    let mut found: BTreeMap<u32, u64> = BTreeMap::new();
    for ((_, line), samples) in samples {
        *found.entry(line).or_default() += samples;
    }
    let report = std::fs::read_to_string(data("import/perf-script/lines.report"));
    let report = report.expect("what perf reports");
    let mut expected: BTreeMap<u32, u64> = BTreeMap::new();
    for line in report.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [_, samples, place] = words.as_slice()
            && let Some(line) = place.strip_prefix("lines.c:")
        {
            let line = line.parse().expect("a line");
            expected.insert(line, samples.parse().expect("a number"));
        }
    }
    assert!(expected.len() > 3);
    assert_eq!(found, expected);
}

#[test]
fn lines_of_flight_recordings_are_those_that_the_jdk_prints() {
    let recording = open(&data("import/jfr/spin.jfr.gz"));
    let found = by_line(&recording, |lines, at| lines.samples(at).unwrap_or(0));
    let text = std::fs::read_to_string(data("import/jfr/spin.lines.txt"));
    let text = text.expect("what the JDK prints");
    let mut expected: BTreeMap<(String, u32), u64> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [method, line, samples] = words.as_slice() else {
            panic!("{line}");
        };
        // A line that is not known is -1.
        let line = line.parse().unwrap_or(0);
        let key = ((*method).to_owned(), line);
        expected.insert(key, samples.parse().expect("a number"));
    }
    assert_eq!(found, expected);
}

#[test]
fn ticks_of_v8_are_the_samples_of_lines() {
    let path = data("import/cpuprofile/words.cpuprofile");
    let recording = open(&path);
    let text = std::fs::read_to_string(&path).expect("a profile");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut expected: BTreeMap<(String, u32), u64> = BTreeMap::new();
    for node in document["nodes"].as_array().expect("nodes") {
        let name = node["callFrame"]["functionName"].as_str().expect("a name");
        let name = if name.is_empty() { "(anonymous)" } else { name };
        for tick in node["positionTicks"].as_array().into_iter().flatten() {
            let line = tick["line"].as_u64().expect("a line") as u32;
            let ticks = tick["ticks"].as_u64().expect("a number");
            *expected.entry((name.to_owned(), line)).or_default() += ticks;
        }
    }
    let mut found = by_line(&recording, |lines, at| lines.samples(at).unwrap_or(0));
    found.retain(|(_, line), _| *line > 0);
    assert!(expected.len() > 3);
    assert_eq!(found, expected);
}

/// The weights of py-spy's samples by the line on top, and of every line that stands in a stack, from the file itself.
#[test]
fn lines_of_py_spy_weigh_what_its_samples_do() {
    let path = data("import/speedscope/spin.speedscope.json");
    let recording = open(&path);
    let text = std::fs::read_to_string(&path).expect("a recording");
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let frames = document["shared"]["frames"].as_array().expect("frames");
    let frame = |index: &serde_json::Value| {
        let frame = &frames[index.as_u64().expect("an index") as usize];
        let name = frame["name"].as_str().expect("a name").to_owned();
        (name, frame["line"].as_u64().expect("a line") as u32)
    };
    let (mut own, mut totals) = (BTreeMap::new(), BTreeMap::new());
    for profile in document["profiles"].as_array().expect("profiles") {
        let samples = profile["samples"].as_array().expect("samples");
        let weights = profile["weights"].as_array().expect("weights");
        for (stack, weight) in samples.iter().zip(weights) {
            let ns = (weight.as_f64().expect("seconds") * 1e9).round() as u64;
            let stack = stack.as_array().expect("a stack").iter().map(frame);
            let mut stack: Vec<(String, u32)> = stack.collect();
            let top = stack.last().expect("no sample is empty").clone();
            *own.entry(top).or_default() += ns;
            stack.sort();
            stack.dedup();
            for place in stack {
                *totals.entry(place).or_default() += ns;
            }
        }
    }
    assert_eq!(by_line(&recording, |lines, at| lines.own(0, at).ns()), own);
    let found = by_line(&recording, |lines, at| {
        lines.total(0, at).unwrap_or_default().ns()
    });
    assert_eq!(found, totals);
}

/// Fields of a message, as far as they are needed.
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, &[u8])> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        while let Some((&byte, rest)) = bytes.split_first() {
            *bytes = rest;
            value |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                break;
            }
        }
        value
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        match key & 7 {
            0 => fields.push((key >> 3, varint(&mut bytes), &[][..])),
            2 => {
                let length = varint(&mut bytes) as usize;
                let (content, rest) = bytes.split_at(length);
                fields.push((key >> 3, 0, content));
                bytes = rest;
            }
            other => panic!("wire type {other}"),
        }
    }
    fields
}

fn packed(mut bytes: &[u8]) -> Vec<u64> {
    let mut numbers = Vec::new();
    while !bytes.is_empty() {
        let length = bytes.iter().position(|byte| *byte < 128).expect("it ends") + 1;
        let digits = bytes[..length].iter().rev();
        numbers.push(digits.fold(0, |sum, byte| sum << 7 | u64::from(byte & 127)));
        bytes = &bytes[length..];
    }
    numbers
}

/// What a profile of pprof weighs by line, read from its messages alone: flat and cum of pprof's list.
#[test]
fn lines_of_pprof_are_those_of_its_messages() {
    use std::io::Read;
    let path = data("import/pprof/markdown-render.pb.gz");
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&path).expect("a profile");
    flate2::read::GzDecoder::new(file)
        .read_to_end(&mut bytes)
        .expect("sound gzip");
    let mut strings: Vec<String> = Vec::new();
    let (mut functions, mut locations) = (HashMap::new(), HashMap::new());
    let mut samples: Vec<(Vec<u64>, Vec<u64>)> = Vec::new();
    for (number, _, message) in fields(&bytes) {
        let inner = || fields(message);
        let value = |wanted: u64| {
            inner()
                .iter()
                .find(|it| it.0 == wanted)
                .map_or(0, |it| it.1)
        };
        match number {
            2 => {
                let of = |wanted: u64| {
                    let fields = inner();
                    let found = fields.iter().filter(|it| it.0 == wanted);
                    found
                        .flat_map(|it| match it.2 {
                            [] => vec![it.1],
                            content => packed(content),
                        })
                        .collect()
                };
                samples.push((of(1), of(2)));
            }
            4 => {
                let lines = inner();
                let lines = lines.iter().filter(|it| it.0 == 4).map(|it| {
                    let line = fields(it.2);
                    let of =
                        |wanted: u64| line.iter().find(|it| it.0 == wanted).map_or(0, |it| it.1);
                    (of(1), of(2) as u32)
                });
                locations.insert(value(1), lines.collect::<Vec<_>>());
            }
            5 => drop(functions.insert(value(1), value(2))),
            6 => strings.push(String::from_utf8_lossy(message).into_owned()),
            _ => {}
        }
    }
    let (mut flat, mut cum) = (BTreeMap::new(), BTreeMap::new());
    for (stack, values) in &samples {
        let weight = *values.last().expect("a value");
        let lines = stack.iter().flat_map(|location| &locations[location]);
        let mut lines: Vec<(String, u32)> = lines
            .map(|(function, line)| (strings[functions[function] as usize].clone(), *line))
            .collect();
        *flat.entry(lines[0].clone()).or_default() += weight;
        lines.sort();
        lines.dedup();
        for line in lines {
            *cum.entry(line).or_default() += weight;
        }
    }
    let recording = open(&path);
    let value = recording.value();
    let own = by_line(&recording, |lines, at| lines.own(value, at).ns());
    assert!(flat.len() > 20);
    assert_eq!(own, flat);
    // Functions of one name are told apart by their files, so that sums of totals may count a sample twice.
    let totals = by_line(&recording, |lines, at| {
        lines.total(value, at).unwrap_or_default().ns()
    });
    for (line, total) in cum {
        assert!(totals[&line] >= total, "{line:?}");
    }
}

#[test]
fn writers_that_know_no_lines_of_calls_give_none() {
    let scratch = Scratch::new("lines-of-functions");
    let text = "version: 1\ncreator: yappi\nevents: Ticks\nfl=(1) a.py\nfn=(1) f\n3 5\ncfn=(2) g\n\
                calls=2 9\n3 7\nfn=(2)\n9 7\n";
    let recording = open(&scratch.write("yappi.callgrind", text.as_bytes()));
    assert!(recording.lines.is_none());
    // The same with a call from another line than the first.
    let text = text.replace("\n3 7\n", "\n4 7\n");
    let recording = open(&scratch.write("other.callgrind", text.as_bytes()));
    assert_sums_agree(&recording);
}

#[test]
fn py_spy_told_to_give_lines_of_functions_knows_none_that_ran() {
    let scratch = Scratch::new("py-spy-functions");
    let text = |first: u32| {
        format!(
            r#"{{"exporter":"py-spy@0.4.0","shared":{{"frames":[
                {{"name":"<module>","file":"a.py","line":{first}}},
                {{"name":"f","file":"a.py","line":3}}]}},
                "profiles":[{{"type":"sampled","name":"1","unit":"seconds","startValue":0,"endValue":1,
                "samples":[[0,1],[0]],"weights":[0.5,0.5]}}]}}"#
        )
    };
    let open = |name: &str, first: u32| super::open(&scratch.write(name, text(first).as_bytes()));
    assert!(open("functions.json", 1).lines.is_none());
    let recording = open("lines.json", 7);
    let own = by_line(&recording, |lines, at| lines.own(0, at).ns());
    let expected =
        [("<module>", 7), ("f", 3)].map(|(name, line)| ((name.to_owned(), line), 500_000_000));
    assert_eq!(own, BTreeMap::from(expected));
}

/// Parts of a profile as Chrome writes them, with the line of each sample.
#[test]
fn lines_of_samples_in_chrome_traces_are_read() {
    let scratch = Scratch::new("chrome-lines");
    let chunk = |nodes: &str, samples: &str, lines: &str| {
        format!(
            r#"{{"name":"ProfileChunk","ph":"P","id":"0x1","pid":1,"tid":2,"ts":2,"args":{{"data":{{
                "cpuProfile":{{"nodes":[{nodes}],"samples":[{samples}]}},"lines":[{lines}],"timeDeltas":[10,10]}}}}}}"#
        )
    };
    let node = |id: u32, parent: &str, name: &str| {
        format!(
            r#"{{"id":{id},{parent}"callFrame":{{"functionName":"{name}","url":"a.js","scriptId":1,"lineNumber":4}}}}"#
        )
    };
    let text = format!(
        r#"[{{"name":"Profile","ph":"P","id":"0x1","pid":1,"tid":1,"ts":1,"args":{{"data":{{"startTime":0}}}}}},{},{}]"#,
        chunk(
            &format!(
                "{},{}",
                node(1, "", "(root)"),
                node(2, r#""parent":1,"#, "f")
            ),
            "2,2",
            "7,8"
        ),
        chunk(&node(3, r#""parent":2,"#, "g"), "3,2", "12,8"),
    );
    let path = scratch.write("trace.json", text.as_bytes());
    let recording = open(&path);
    assert_eq!(recording.kind, RecordingKind::Sampled);
    let samples = by_line(&recording, |lines, at| lines.samples(at).unwrap_or(0));
    let expected = [("f", 7, 1), ("f", 8, 2), ("g", 12, 1)];
    let expected = expected.map(|(name, line, samples)| ((name.to_owned(), line), samples));
    assert_eq!(samples, BTreeMap::from(expected));
    assert_sums_agree(&recording);
}

/// Gecko's own format has the line in its frames.
#[test]
fn lines_of_frames_in_firefox_profiles_are_read() {
    let scratch = Scratch::new("firefox-lines");
    let text = r#"{"meta":{"version":24,"preprocessedProfileVersion":40,"interval":1,"product":"x"},"libs":[],
        "threads":[{"name":"a","pid":1,"tid":1,
        "stringArray":["main","work","a.js"],
        "funcTable":{"name":[0,1],"fileName":[2,2],"lineNumber":[1,20],"columnNumber":[1,1],"resource":[-1,-1],"length":2},
        "frameTable":{"func":[0,0,1,1],"line":[3,4,21,22],"length":4},
        "stackTable":{"prefix":[null,0,0,1],"frame":[0,2,3,3],"length":4},
        "resourceTable":{"lib":[],"name":[],"length":0},
        "samples":{"stack":[1,2,3,0],"time":[0,1,2,3],"length":4}}]}"#;
    // Stack 3 stands on stack 1, which is work on main: main, work, work.
    let recording = open(&scratch.write("profile.json", text.as_bytes()));
    assert_sums_agree(&recording);
    let own = by_line(&recording, |lines, at| lines.own(0, at).ns());
    let ms = 1_000_000;
    let expected = [("main", 3, ms), ("work", 21, ms), ("work", 22, 2 * ms)];
    let expected = expected.map(|(name, line, ns)| ((name.to_owned(), line), ns));
    assert_eq!(own, BTreeMap::from(expected));
    let totals = by_line(&recording, |lines, at| {
        lines.total(0, at).unwrap_or_default().ns()
    });
    assert_eq!(totals[&("work".to_owned(), 21)], 2 * ms);
}

/// An index keeps what is known of lines, and what samples weigh.
#[test]
fn lines_come_back_from_an_index() {
    let scratch = Scratch::new("lines-index");
    for name in ["jfr/spin.jfr.gz", "perf-script/lines.perf.txt"] {
        let path = data("import").join(name);
        let index = scratch.0.join("kept.callscape");
        import::index::build(&path, Some(&index), &Progress::new()).expect("an index");
        let (recording, back) = (open(&path), open(&index));
        let shown = |recording: &Recording| {
            let lines = lines(recording);
            let all = (0..lines.len()).map(|at| {
                let sites: Vec<_> = lines.sites(0, at).collect();
                let costs = (lines.own(0, at), lines.total(0, at), lines.samples(at));
                (lines.place(at), costs, sites)
            });
            all.collect::<Vec<_>>()
        };
        assert_eq!(shown(&recording), shown(&back), "{name}");
        let weights = |recording: &Recording| {
            let mut recording = recording.clone();
            let weighed = recording.weighed.as_ref().expect("weights");
            let known = (weighed.sampled().to_vec(), weighed.interval());
            let values = recording.values().to_vec();
            let metrics = values.iter().map(|value| {
                recording.show_value(&value.name).expect("it has it");
                recording.function_metrics(None)
            });
            let metrics: Vec<_> = metrics.collect();
            (values, known, metrics)
        };
        assert_eq!(weights(&recording), weights(&back), "{name}");
        assert_eq!(lines(&recording).knows(), lines(&back).knows());
    }
}

/// A trace has no lines of its own, and V8 says nothing of call sites.
#[test]
fn nothing_is_known_that_is_not_recorded() {
    for name in ["tasks.uftrace", "toml-threads.viztracer.json"] {
        assert!(open(&data("import").join(name)).lines.is_none(), "{name}");
    }
    let recording = open(&data("import/cpuprofile/words.cpuprofile"));
    let knows = Knows {
        samples: true,
        ..Knows::default()
    };
    assert_eq!(lines(&recording).knows(), knows);
}

/// Ticks share the time of their node, whatever line they name.
#[test]
fn ticks_share_the_time_of_their_node() {
    let scratch = Scratch::new("lines-ticks");
    let profile = |line: u32| {
        format!(
            r#"{{"nodes":[{{"id":1,"callFrame":{{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1}},"children":[2]}},
            {{"id":2,"callFrame":{{"functionName":"f","scriptId":"1","url":"file:///a.js","lineNumber":1,"columnNumber":0}},"positionTicks":[{{"line":{line},"ticks":2}}]}}],
            "startTime":1000000,"endTime":1000300,"samples":[2,2],"timeDeltas":[100,100]}}"#
        )
    };
    for (name, line) in [("a.cpuprofile", 3), ("b.cpuprofile", 4)] {
        let recording = open(&scratch.write(name, profile(line).as_bytes()));
        let samples = by_line(&recording, |lines, at| lines.samples(at).unwrap_or(0));
        assert_eq!(samples[&("f".to_owned(), line)], 2);
        assert_sums_agree(&recording);
    }
}
