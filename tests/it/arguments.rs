//! Through the public interface: the arguments of calls, held against what the files themselves say.

use std::collections::BTreeMap;
use std::path::Path;

use callscape::facts::recording::Recording;
use callscape_facts::trace::{Argument, Value as Found};
use serde_json::{Value, json};

use super::common::{self, Scratch, read};
use callscape_testing::wire::{bytes, number, varint};

/// The calls in order of thread and start, each with its function's name and its arguments as JSON has them.
fn calls(recording: &Recording) -> Vec<(String, BTreeMap<String, Value>)> {
    let trace = &recording.trace;
    let mut calls = Vec::new();
    for thread in trace.thread_ids() {
        trace.calls_in(thread, trace.range(), u32::MAX, |id, call| {
            let list = trace.arguments(thread, id).into_iter();
            let list = list.map(|Argument { name, value }| {
                let value = serde_json::to_value(value).expect("plain data");
                (name.into_owned(), value)
            });
            let name = recording.functions.get(call.function).name.to_owned();
            calls.push((name, list.collect()));
        });
    }
    calls
}

/// Those that have any, in order of what they are.
fn with_arguments(recording: &Recording) -> Vec<(String, BTreeMap<String, Value>)> {
    let mut calls = calls(recording);
    calls.retain(|(_, list)| !list.is_empty());
    calls.sort_by_key(|call| format!("{call:?}"));
    assert_eq!(calls.len() as u64, recording.trace.calls_with_arguments());
    calls
}

fn of(name: &str, arguments: Value) -> (String, BTreeMap<String, Value>) {
    let arguments = serde_json::from_value(arguments).expect("an object");
    (name.to_owned(), arguments)
}

fn kinds(recording: &Recording) -> Vec<(&str, u64)> {
    let warnings = recording.warnings.iter();
    warnings.map(|it| (&*it.kind, it.count)).collect()
}

/// A value as uftrace shows it, as a text that is the same for the same number.
fn shown_by_uftrace(text: &str) -> String {
    let text = text.trim();
    if let Some(digits) = text.strip_prefix("0x")
        && let Ok(number) = u64::from_str_radix(digits, 16)
    {
        return number.to_string();
    }
    match text.parse::<f64>() {
        Ok(number) => number.to_string(),
        Err(_) => text.trim_matches(['"', '\'']).to_owned(),
    }
}

/// The same of a value of ours.
fn shown(value: &Found<'_>) -> String {
    match value {
        Found::Text(text) => text.replace('\n', "\\n"),
        other => other
            .number()
            .map_or_else(String::new, |it| it.real().to_string()),
    }
}

/// What `uftrace replay` shows of the arguments of each call in order of start, and what it returned.
fn replayed(text: &str) -> Vec<(String, Vec<String>, Option<String>)> {
    let mut calls: Vec<(String, Vec<String>, Option<String>)> = Vec::new();
    let mut open = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if let Some(end) = line.strip_prefix('}') {
            let ended: usize = open.pop().expect("a call is open");
            let returned = end.trim_end_matches(';').trim().strip_prefix('=');
            calls[ended].2 = returned.map(shown_by_uftrace);
            continue;
        }
        let (name, rest) = line.split_once('(').expect("a call");
        let (list, behind) = rest.rsplit_once(')').expect("a call");
        let list = list.split(", ").filter(|it| !it.is_empty());
        if behind.trim() == "{" {
            open.push(calls.len());
        }
        let returned = behind.trim_end_matches(';').trim().strip_prefix('=');
        calls.push((
            name.to_owned(),
            list.map(shown_by_uftrace).collect(),
            returned.map(shown_by_uftrace),
        ));
    }
    calls
}

#[test]
fn arguments_of_uftrace_are_those_that_it_shows() {
    for name in ["sizes", "sizes-auto"] {
        let replay = common::data(&format!("import/{name}.replay.txt"));
        let replay = std::fs::read_to_string(replay).expect("it is there");
        let recording = read(&common::data(&format!("import/{name}.uftrace")));
        let trace = &recording.trace;
        let thread = trace.thread_ids().next().expect("a thread");
        let mut found = Vec::new();
        trace.calls_in(thread, trace.range(), u32::MAX, |id, call| {
            let name = recording.functions.get(call.function).name.to_owned();
            let list = trace.arguments(thread, id);
            let (returned, list): (Vec<_>, Vec<_>) =
                list.into_iter().partition(|it| it.name == "return");
            let list = list.iter().map(|it| shown(&it.value));
            let returned = returned.first().map(|it| shown(&it.value));
            found.push((name, list.collect::<Vec<_>>(), returned));
        });
        let mut expected = replayed(&replay);
        assert!(expected.iter().filter(|it| !it.1.is_empty()).count() > 20);
        if name == "sizes-auto" {
            // It shows the names of constants, which are numbers behind the records.
            for call in expected.iter_mut().filter(|it| it.0 == "choose") {
                call.1[0] = match call.1[0].as_str() {
                    "GREEN" => "5",
                    "BLUE" => "6",
                    other => other,
                }
                .to_owned();
            }
        }
        assert_eq!(found, expected, "{name}");
        let unknown = kinds(&recording);
        assert!(
            !unknown.iter().any(|it| it.0.contains("argument")),
            "{unknown:?}"
        );
    }
    // Those of the older recording, in a program with threads.
    let recording = read(&common::data("import/tasks.uftrace"));
    let calls = with_arguments(&recording);
    let outermost = of("weigh", json!({"arg1": "left", "arg2": 4, "return": 32}));
    assert_eq!(calls.iter().filter(|it| **it == outermost).count(), 1);
}

/// The arguments that a Chrome trace has, found by a JSON parser.
fn in_chrome(file: &Path) -> Vec<(String, BTreeMap<String, Value>)> {
    let bytes = std::fs::read(file).expect("it is there");
    let document: Value = serde_json::from_slice(&bytes).expect("JSON");
    let events = document.get("traceEvents").unwrap_or(&document);
    let events = events.as_array().expect("events").iter();
    let calls = events.filter(|it| matches!(it["ph"].as_str(), Some("X" | "B" | "b")));
    let mut found: Vec<_> = calls
        .filter_map(|it| {
            let args = it["args"].as_object()?.iter();
            let about = [
                "file", ".file", "src_file", "line", ".line", "lineno", "src_line",
            ];
            let args = args.filter(|(name, _)| !about.contains(&name.as_str()));
            let args: BTreeMap<String, Value> = args
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let name = it["name"].as_str()?.to_owned();
            (!args.is_empty()).then_some((name, args))
        })
        .collect();
    found.sort_by_key(|call| format!("{call:?}"));
    found
}

#[test]
fn args_of_chrome_traces_are_those_of_their_events() {
    for (name, least) in [
        ("syn-spans.tracing-chrome.json", 10),
        ("tinyxml2.ftime-trace.json", 10),
        ("toml-threads.viztracer.json", 0),
    ] {
        let file = common::data(&format!("import/{name}"));
        let expected = in_chrome(&file);
        assert!(expected.len() >= least, "{name}: {}", expected.len());
        let found = with_arguments(&read(&file));
        let lists = |calls: &[(String, BTreeMap<String, Value>)]| {
            let mut lists: Vec<_> = calls.iter().map(|it| format!("{:?}", it.1)).collect();
            lists.sort();
            lists
        };
        // Names of functions are shown without their places.
        assert_eq!(lists(&found), lists(&expected), "{name}");
    }
}

/// A Chrome trace of VizTracer's kind, with nested values, and begins and ends.
fn chrome() -> String {
    let event = |fields: Value| fields.to_string();
    let mut events = vec![
        event(
            json!({"ph": "X", "name": "f (a.py:3)", "pid": 1, "tid": 1, "ts": 10, "dur": 90,
            "args": {"func_args": {"size": "1000", "name": "'left'"}, "return_value": "None"}}),
        ),
        event(
            json!({"ph": "X", "name": "g (a.py:9)", "pid": 1, "tid": 1, "ts": 20, "dur": 5,
            "args": {"size": 1001, "deep": {"a": {"b": [true, 1.5, {"c": null}]}}}}),
        ),
        // The same function at the same time: ends tell which is which.
        event(
            json!({"ph": "X", "name": "g (a.py:9)", "pid": 1, "tid": 1, "ts": 30, "dur": 5,
            "args": {"size": -1}}),
        ),
        event(json!({"ph": "X", "name": "g (a.py:9)", "pid": 1, "tid": 1, "ts": 30, "dur": 9})),
        event(json!({"ph": "B", "name": "h", "pid": 1, "tid": 2, "ts": 40,
            "args": {"size": 18446744073709551615u64, "text": "a\n\"b\""}})),
        event(json!({"ph": "E", "name": "h", "pid": 1, "tid": 2, "ts": 50, "args": {"size": 1}})),
    ];
    // Many of one shape, which are read in another way.
    for at in 0..100 {
        events.push(event(json!({"ph": "X", "name": "k", "pid": 1, "tid": 3,
            "ts": 100 + 10 * at, "dur": 5, "args": {"at": at, "of": (["x", "y"][at % 2])}})));
    }
    format!("[{}]", events.join(",\n"))
}

/// The members of `args` are read whatever events before it had in its place.
#[test]
fn args_that_are_no_object_hide_no_later_ones() {
    for other in ["null", "\"text\"", "7", "[1, 2]"] {
        let event = |at: usize, args: &str| {
            format!(r#"{{"name":"f","ph":"X","ts":{at}0,"dur":5,"pid":1,"tid":1,"args":{args}}}"#)
        };
        let events = (0..8).map(|at| match at {
            0 | 1 | 5 => event(at, other),
            _ => event(at, &format!("{{\"size\":{at}}}")),
        });
        let events: Vec<String> = events.collect();
        let scratch = Scratch::new("args-of-other-kinds");
        let path = scratch.write("a.json", format!("[{}]", events.join(",\n")).as_bytes());
        let expected: Vec<_> = [2, 3, 4, 6, 7]
            .map(|at| of("f", json!({"size": at})))
            .into();
        assert_eq!(with_arguments(&read(&path)), expected, "{other}");
    }
}

#[test]
fn nested_args_have_joined_names_and_ends_tell_calls_apart() {
    let scratch = Scratch::new("nested-args");
    let recording = read(&scratch.write("trace.json", chrome().as_bytes()));
    let found = calls(&recording);
    let deep = json!({"size": 1001, "deep.a.b.0": true, "deep.a.b.1": 1.5, "deep.a.b.2.c": "null"});
    let expected = [
        of(
            "f",
            json!({"size": "1000", "name": "'left'", "return": "None"}),
        ),
        of("g", deep),
        of("g", json!({})),
        of("g", json!({"size": -1})),
        of(
            "h",
            json!({"size": 18446744073709551615u64, "text": "a\n\"b\""}),
        ),
    ];
    assert_eq!(found[..5], expected);
    let many = (0..100).map(|at| of("k", json!({"at": at, "of": (["x", "y"][at % 2])})));
    assert_eq!(found[5..], many.collect::<Vec<_>>());
    assert_eq!(kinds(&recording), [("arguments-of-end-not-shown", 1)]);
}

#[test]
fn attributes_of_spans_are_arguments_in_every_format() {
    let scratch = Scratch::new("attributes");
    let attribute = |key: &str, value: Value| json!({"key": key, "value": value});
    let attributes = [
        attribute("http.route", json!({"stringValue": "/cart"})),
        attribute("size", json!({"intValue": "9007199254740993"})),
        attribute("share", json!({"doubleValue": 0.25})),
        attribute("cached", json!({"boolValue": true})),
        attribute("raw", json!({"bytesValue": "AP8="})),
        attribute(
            "list",
            json!({"arrayValue": {"values": [{"intValue": 3}, {"stringValue": "x"}]}}),
        ),
        attribute("code.function.name", json!({"stringValue": "cart.get"})),
    ];
    let request = json!({"resourceSpans": [{"scopeSpans": [{"spans": [{
        "traceId": "0102030405060708090a0b0c0d0e0f10", "spanId": "0102030405060708", "name": "GET",
        "startTimeUnixNano": "1000", "endTimeUnixNano": "5000", "attributes": attributes,
    }]}]}]});
    let expected = [of(
        "cart.get",
        json!({"http.route": "/cart", "size": 9007199254740993u64, "share": 0.25, "cached": true,
            "raw": "00ff", "list.0": 3, "list.1": "x"}),
    )];
    let found = read(&scratch.write("spans.json", request.to_string().as_bytes()));
    assert_eq!(with_arguments(&found), expected);
    // The same in binary, with the list written by hand.
    let mut span = Vec::new();
    bytes(1, &(1..=16).collect::<Vec<u8>>(), &mut span);
    bytes(2, &(1..=8).collect::<Vec<u8>>(), &mut span);
    bytes(5, b"GET", &mut span);
    for (field, time) in [(7u64, 1000u64), (8, 5000)] {
        varint(field << 3 | 1, &mut span);
        span.extend_from_slice(&time.to_le_bytes());
    }
    let text = |text: &str| {
        let mut any = Vec::new();
        bytes(1, text.as_bytes(), &mut any);
        any
    };
    let integer = |value: u64| {
        let mut any = Vec::new();
        number(3, value, &mut any);
        any
    };
    let mut share = Vec::new();
    varint(4 << 3 | 1, &mut share);
    share.extend_from_slice(&0.25f64.to_le_bytes());
    let mut cached = Vec::new();
    number(2, 1, &mut cached);
    let mut raw = Vec::new();
    bytes(7, &[0, 255], &mut raw);
    let (mut values, mut list) = (Vec::new(), Vec::new());
    bytes(1, &integer(3), &mut values);
    bytes(1, &text("x"), &mut values);
    bytes(5, &values, &mut list);
    for (key, any) in [
        ("http.route", text("/cart")),
        ("size", integer(9007199254740993)),
        ("share", share),
        ("cached", cached),
        ("raw", raw),
        ("list", list),
        ("code.function.name", text("cart.get")),
    ] {
        let mut pair = Vec::new();
        bytes(1, key.as_bytes(), &mut pair);
        bytes(2, &any, &mut pair);
        bytes(9, &pair, &mut span);
    }
    let [mut scope, mut resource, mut request] = [const { Vec::new() }; 3];
    bytes(2, &span, &mut scope);
    bytes(2, &scope, &mut resource);
    bytes(1, &resource, &mut request);
    let found = read(&scratch.write("spans.binpb", &request));
    assert_eq!(with_arguments(&found), expected);
    let jaeger = json!({"data": [{"traceID": "1", "processes": {"p": {"serviceName": "shop"}}, "spans": [{
        "traceID": "1", "spanID": "2", "operationName": "GET", "startTime": 1, "duration": 4, "processID": "p",
        "tags": [{"key": "size", "type": "int64", "value": 7}, {"key": "error", "type": "bool", "value": true},
            {"key": "route", "type": "string", "value": "/cart"}, {"key": "code.function", "value": "get"}],
    }]}]});
    let found = read(&scratch.write("jaeger.json", jaeger.to_string().as_bytes()));
    let tags = json!({"size": 7, "error": true, "route": "/cart"});
    assert_eq!(with_arguments(&found), [of("get", tags)]);
    let found = read(&common::data("import/zipkin/shop.json"));
    let path = of("stock", json!({"http.path": "/stock"}));
    assert_eq!(with_arguments(&found), [path]);
}

#[test]
fn annotations_of_perfetto_slices_are_arguments_in_whatever_order() {
    let field = |of: u64, value: u64| {
        let mut out = Vec::new();
        number(of, value, &mut out);
        out
    };
    let content = |of: u64, value: &[u8]| {
        let mut out = Vec::new();
        bytes(of, value, &mut out);
        out
    };
    let packet = |packet: Vec<u8>| content(1, &packet);
    let interned = |of: u64, id: u64, text: &str| {
        content(of, &[field(1, id), content(2, text.as_bytes())].concat())
    };
    let known = [interned(3, 1, "size"), interned(29, 5, "a text")].concat();
    let slice = |time: u64, size: u64| {
        let inner = [content(10, b"inner"), field(4, (-3i64) as u64)].concat();
        let event = [
            field(9, 1),
            field(11, 77),
            content(23, b"f"),
            content(4, &[field(1, 1), field(3, size)].concat()),
            content(4, &[content(10, b"text"), field(17, 5)].concat()),
            content(4, &[content(10, b"at"), field(7, 255)].concat()),
            content(4, &[content(10, b"of"), content(11, &inner)].concat()),
        ];
        packet([field(8, time), field(10, 1), content(11, &event.concat())].concat())
    };
    let end = |time: u64| {
        let event = [field(9, 2), field(11, 77)].concat();
        packet([field(8, time), field(10, 1), content(11, &event)].concat())
    };
    let descriptor = content(4, &[field(1, 4), field(2, 5)].concat());
    let descriptor = content(60, &[field(1, 77), descriptor].concat());
    let first = [field(10, 1), field(13, 1), content(12, &known), descriptor].concat();
    let list = |size: u64| json!({"size": size, "text": "a text", "at": "0xff", "of.inner": -3});
    let expected = [of("f", list(1)), of("f", list(u64::MAX))];
    let scratch = Scratch::new("annotations");
    for times in [[1000, 2000, 3000, 4000], [3000, 4000, 1000, 2000]] {
        let sizes = [1, u64::MAX];
        let trace = [
            packet(first.clone()),
            slice(times[0], sizes[0]),
            end(times[1]),
            slice(times[2], sizes[1]),
            end(times[3]),
        ];
        let found = read(&scratch.write("slices.perfetto", &trace.concat()));
        let mut found = calls(&found);
        if times[0] > times[2] {
            found.reverse();
        }
        assert_eq!(found, expected, "{times:?}");
    }
}

#[test]
fn calls_are_found_by_their_arguments_also_from_an_index() {
    let scratch = Scratch::new("find-calls");
    let trace = scratch.write("trace.json", chrome().as_bytes());
    let index = scratch.0.join("trace.callscape");
    let made = common::run(&["index", common::text(&trace), "-o", common::text(&index)]);
    assert_eq!(made.0, Some(0), "{}", made.2);
    for file in [&trace, &index] {
        let file = common::text(file);
        let found = common::json(&["calls", file, "--where", "size > 1000", "--json"]);
        assert_eq!(found["matches"], 2);
        assert_eq!(found["calls_with_arguments"], 104);
        let names = found["calls"].as_array().expect("a list").iter();
        let names: Vec<&str> = names.filter_map(|it| it["name"].as_str()).collect();
        assert_eq!(names, ["g", "h"]);
        assert_eq!(found["calls"][0]["arguments"]["deep.a.b.1"], 1.5);
        assert_eq!(found["calls"][0]["start_ns"], 10_000);
        // A text that is a number is compared as one.
        let one = common::json(&["calls", file, "--where", "size = 1000", "--json"]);
        assert_eq!(one["matches"], 1);
        let arguments = [
            "calls",
            file,
            "--function",
            "k",
            "--where",
            "at >= 40",
            "--where",
            "of = x",
            "--limit",
            "3",
            "--over-time",
            "4",
            "--json",
        ];
        let found = common::json(&arguments);
        assert_eq!(found["matches"], 30);
        assert_eq!(found["calls"].as_array().map(Vec::len), Some(3));
        let over_time = &found["over_time"][0];
        assert_eq!(
            (&over_time["name"], &over_time["calls"]),
            (&json!("at"), &json!(100))
        );
        let columns = over_time["columns"].as_array().expect("a list");
        let counted: u64 = columns.iter().filter_map(|it| it["calls"].as_u64()).sum();
        assert_eq!((columns.len(), counted), (4, 100));
        assert_eq!(
            (&columns[0]["min"], &columns[3]["max"]),
            (&json!(0.0), &json!(99.0))
        );
        assert_eq!(found["over_time"][1]["not_numbers"], 100);
        let stack = common::json(&["stack", file, "--at", "12us", "--json"]);
        let frames = &stack[0]["frames"];
        assert_eq!(frames[0]["arguments"]["name"], "'left'");
        assert_eq!(frames[1]["arguments"]["size"], 1001);
        let (_, text, _) = common::run(&["stack", file, "--at", "12us"]);
        for part in ["f(", "size=\"1000\"", "name=\"'left'\"", ") = \"None\""] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    let file = common::text(&trace);
    let (code, _, error) = common::run(&["calls", file, "--where", "length > 3"]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("no call has the argument 'length'; there are: name, size"),
        "{error}"
    );
    let (code, _, error) = common::run(&["calls", file, "--where", "size >"]);
    assert_eq!(code, Some(2), "{error}");
    let none = common::data("import/toml-threads.viztracer.json");
    let (code, _, error) = common::run(&["calls", common::text(&none)]);
    assert_eq!(code, Some(1));
    assert!(error.contains("contains no arguments of calls"), "{error}");
}

/// A run in which `totals` calls `query` many times.
fn queries(argument: impl Fn(usize) -> Value) -> String {
    let mut events =
        vec![json!({"ph": "X", "name": "totals", "pid": 1, "tid": 1, "ts": 0, "dur": 1000})];
    for at in 0..40 {
        events.push(
            json!({"ph": "X", "name": "query", "pid": 1, "tid": 1, "ts": 20 * at + 10, "dur": 18,
            "args": argument(at)}),
        );
    }
    Value::from(events).to_string()
}

#[test]
fn repeated_work_with_the_same_arguments_is_told() {
    let scratch = Scratch::new("same-arguments");
    let said = |trace: String| {
        let file = scratch.write("trace.json", trace.as_bytes());
        let found = common::json(&["findings", common::text(&file), "--json"]);
        let all = found["findings"].as_array().expect("a list").iter();
        let mut repeated = all.filter(|it| it["kind"] == "repeated");
        let first = repeated.next().expect("the calls are repeated");
        first["text"].as_str().expect("a text").to_owned()
    };
    let same = said(queries(|_| json!({"user": 7, "return_value": 1})));
    assert!(same.contains(", always with the same arguments"), "{same}");
    let some = said(queries(|at| json!({"user": at % 10})));
    assert!(
        some.contains(", 30 times with the same arguments as before"),
        "{some}"
    );
    for other in [
        said(queries(|at| json!({"user": at}))),
        said(queries(|at| {
            if at == 3 {
                json!({})
            } else {
                json!({"user": 7})
            }
        })),
    ] {
        assert!(!other.contains("arguments"), "{other}");
    }
}
