//! Through the public interface: OpenTelemetry spans in binary form, and in several files.

use std::path::{Path, PathBuf};

use callscape::analysis::session::{Inputs, Session};
use callscape::facts::recording::Recording;
use callscape::import;
use callscape::progress::Progress;
use serde_json::Value;

use super::common::{self, Random, Scratch, read};
use callscape_testing::wire::{bytes, varint};

fn fixed(field: u64, number: u64, out: &mut Vec<u8>) {
    varint(field << 3 | 1, out);
    out.extend_from_slice(&number.to_le_bytes());
}

/// The text of a JSON text or number.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn identifier(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap_or_default().as_bytes();
    let pairs = digits.chunks_exact(2);
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).expect("digits");
        u8::from_str_radix(pair, 16).expect("hexadecimal digits")
    };
    pairs.map(byte).collect()
}

fn attributes(field: u64, list: &Value, out: &mut Vec<u8>) {
    for attribute in list.as_array().into_iter().flatten() {
        let (mut pair, mut any) = (Vec::new(), Vec::new());
        bytes(1, text(&attribute["key"]).as_bytes(), &mut pair);
        let value = &attribute["value"];
        if let Some(text) = value["stringValue"].as_str() {
            bytes(1, text.as_bytes(), &mut any);
        } else if !value["intValue"].is_null() {
            let number: i64 = text(&value["intValue"]).parse().expect("a number");
            varint(3 << 3, &mut any);
            varint(number as u64, &mut any);
        } else if let Some(number) = value["doubleValue"].as_f64() {
            fixed(4, number.to_bits(), &mut any);
        } else if let Some(truth) = value["boolValue"].as_bool() {
            varint(2 << 3, &mut any);
            varint(truth.into(), &mut any);
        }
        bytes(2, &any, &mut pair);
        bytes(field, &pair, out);
    }
}

/// A request of the JSON form in the binary form.
pub fn binary(request: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    for resource_spans in request["resourceSpans"].as_array().into_iter().flatten() {
        let mut message = Vec::new();
        let mut resource = Vec::new();
        attributes(1, &resource_spans["resource"]["attributes"], &mut resource);
        bytes(1, &resource, &mut message);
        for scope_spans in resource_spans["scopeSpans"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let mut scope = Vec::new();
            bytes(1, b"", &mut scope);
            for span in scope_spans["spans"].as_array().into_iter().flatten() {
                let mut encoded = Vec::new();
                bytes(1, &identifier(&span["traceId"]), &mut encoded);
                bytes(2, &identifier(&span["spanId"]), &mut encoded);
                bytes(4, &identifier(&span["parentSpanId"]), &mut encoded);
                bytes(5, text(&span["name"]).as_bytes(), &mut encoded);
                varint(6 << 3, &mut encoded);
                varint(2, &mut encoded);
                for (field, key) in [(7, "startTimeUnixNano"), (8, "endTimeUnixNano")] {
                    let time = text(&span[key]).parse().expect("a time");
                    fixed(field, time, &mut encoded);
                }
                attributes(9, &span["attributes"], &mut encoded);
                // A flag that this program does not know.
                varint(16 << 3 | 5, &mut encoded);
                encoded.extend_from_slice(&[1, 0, 0, 0]);
                bytes(2, &encoded, &mut scope);
            }
            bytes(2, &scope, &mut message);
        }
        bytes(1, &message, &mut out);
    }
    out
}

/// The requests of a file, one behind the other.
fn requests(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("a file of text");
    let values = serde_json::Deserializer::from_str(&text).into_iter();
    values.map(|value| value.expect("JSON")).collect()
}

/// Every call with its thread, functions by name, place and service.
fn shown(recording: &Recording) -> Vec<String> {
    let trace = &recording.trace;
    let mut rows = Vec::new();
    for (thread, id) in trace.threads().iter().zip(trace.thread_ids()) {
        for call in trace.calls_numbered(id, 0..u32::MAX) {
            let function = recording.functions.get(call.function);
            rows.push(format!(
                "{} {}: {function:?} {call:?}",
                thread.process, thread.name
            ));
        }
    }
    rows
}

/// The messages of a file, framed as the parameter says.
fn framed(requests: &[Value], framing: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for request in requests {
        let message = binary(request);
        match framing {
            "four bytes" => out.extend_from_slice(&(message.len() as u32).to_be_bytes()),
            "varint" => varint(message.len() as u64, &mut out),
            _ => {}
        }
        out.extend_from_slice(&message);
    }
    out
}

const FRAMINGS: [&str; 3] = ["none", "four bytes", "varint"];

#[test]
fn the_binary_form_says_the_same_as_the_json_form() {
    let scratch = Scratch::new("otlp-binary");
    let mut files = vec![common::data("import/otlp/shop.jsonl")];
    for name in [
        "trace.json",
        "otlp2jaeger-in.json",
        "otlp2jaeger-multi-in-combined.json",
    ] {
        files.extend(common::large_data(&format!("otlp/{name}")));
    }
    for file in files {
        let requests = requests(&file);
        let expected = read(&file);
        assert!(!shown(&expected).is_empty());
        for framing in FRAMINGS {
            let path = scratch.write("twin", &framed(&requests, framing));
            let twin = read(&path);
            let what = format!("{}, framing: {framing}", file.display());
            assert_eq!(twin.format, "otlp");
            assert_eq!(shown(&twin), shown(&expected), "{what}");
            let kinds = |recording: &Recording| -> Vec<(String, u64)> {
                let warnings = recording.warnings.iter();
                warnings.map(|it| (it.kind.to_string(), it.count)).collect()
            };
            assert_eq!(kinds(&twin), kinds(&expected), "{what}");
        }
    }
}

#[test]
fn damage_in_the_binary_form_is_counted_or_told() {
    let scratch = Scratch::new("otlp-damaged");
    let requests = requests(&common::data("import/otlp/shop.jsonl"));
    let mut random = Random(3);
    for framing in FRAMINGS {
        let bytes = framed(&requests, framing);
        let whole = read(&scratch.write("whole", &bytes)).trace.calls();
        for round in 0..200 {
            let mut damaged = bytes.clone();
            let at = random.below(bytes.len() as u64) as usize;
            if round % 2 == 0 {
                damaged.truncate(at);
            } else {
                damaged[at] = random.next() as u8;
            }
            let path = scratch.write("damaged", &damaged);
            match import::open(&path, &Progress::new()) {
                Ok(recording) => assert!(recording.trace.calls() <= whole, "{framing}, {round}"),
                Err(error) => assert!(error.to_string().contains("damaged"), "{error}"),
            }
        }
    }
}

/// A request with one span.
fn request(service: &str, trace: u8, span: u8, parent: u8, start: u64) -> String {
    let id = |number: u8, digits: usize| format!("{number:0digits$x}");
    let parent = if parent == 0 {
        String::new()
    } else {
        id(parent, 16)
    };
    format!(
        r#"{{"resourceSpans":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{service}"}}}}]}},"scopeSpans":[{{"spans":[{{"traceId":"{}","spanId":"{}","parentSpanId":"{parent}","name":"{service}{span}","startTimeUnixNano":"{start}","endTimeUnixNano":"{}"}}]}}]}}]}}"#,
        id(trace, 32),
        id(span, 16),
        // What was started by another ends before it.
        start + if parent.is_empty() { 100 } else { 4 },
    )
}

#[test]
fn files_that_share_a_trace_are_one_recording() {
    let scratch = Scratch::new("otlp-several");
    let folder = scratch.0.join("traces");
    std::fs::create_dir(&folder).expect("a folder");
    let write = |name: &str, text: String| scratch.write(name, text.as_bytes());
    let files = [
        write("traces/a.json", request("a", 1, 1, 0, 1000)),
        write("traces/b.json", request("b", 1, 2, 1, 1002)),
        // Joins the two before by their trace, and the next by its other one.
        write(
            "traces/c.json",
            request("a", 1, 3, 1, 1004) + &request("c", 2, 4, 0, 2000),
        ),
        write("traces/d.json", request("d", 2, 5, 4, 2001)),
    ];
    let open = |paths: &[&Path]| {
        let inputs = Inputs {
            source_dir: None,
            recordings: paths.iter().map(|path| path.to_path_buf()).collect(),
            ..Inputs::default()
        };
        let session = Session::open(&inputs, &Progress::new());
        session.unwrap_or_else(|error| panic!("{error}")).recordings
    };
    let whole = open(&[&folder]);
    assert_eq!(whole.len(), 1);
    assert_eq!(whole[0].recording.path, folder);
    assert_eq!(whole[0].recording.trace.calls(), 5);
    assert!(import::is_recording(&folder));
    // The span of a.json that c.json goes on with is around the one there.
    let inner = shown(&whole[0].recording)
        .into_iter()
        .find(|row| row.contains("\"a3\""));
    assert!(inner.is_some_and(|row| row.contains("depth: 1")));
    // As arguments, in any order; the first two share nothing with the last without the third.
    let all: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    assert_eq!(open(&all).len(), 1);
    assert_eq!(open(&[all[3], all[0], all[2], all[1]]).len(), 1);
    let two = open(&[all[0], all[3], all[1]]);
    assert_eq!(two.len(), 2);
    assert_eq!(
        (
            two[0].recording.trace.calls(),
            two[1].recording.trace.calls()
        ),
        (2, 1)
    );
    // Traces of other formats are runs of their own.
    let other = common::data("import/toml-threads.viztracer.json");
    assert_eq!(open(&[&other, &other]).len(), 2);
    // One that is not the only thing there is no recording.
    scratch.write("traces/notes.txt", b"what was done");
    assert!(!import::is_recording(&folder));
}

#[test]
fn a_folder_of_runs_is_told_where_one_recording_is_wanted() {
    let scratch = Scratch::new("otlp-runs");
    for (name, trace) in [("a.json", 1), ("b.json", 2)] {
        scratch.write(name, request("a", trace, 1, 0, 1000).as_bytes());
    }
    let mut command = common::callscape();
    let output = command
        .arg("info")
        .arg(&scratch.0)
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        error.contains("a.json") && error.contains("b.json"),
        "{error}"
    );
}
