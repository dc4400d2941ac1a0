//! Spans that end with an error, as the formats of spans say it.

use serde_json::json;

use super::super::common::{self, Scratch, run, text};

/// A field of a protocol buffer with a length.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len() as u64;
    let digit = |shift: u32| (length >> shift) as u8;
    match length {
        0..=127 => [&[number << 3 | 2, digit(0)], content].concat(),
        _ => [&[number << 3 | 2, digit(0) | 128, digit(7)], content].concat(),
    }
}

/// A span of OTLP's binary form, with a status.
fn binary(id: u8, status: u8) -> Vec<u8> {
    let time = |number: u8, ns: u64| [&[number << 3 | 1][..], &ns.to_le_bytes()].concat();
    let start = 1_000_000 * u64::from(id);
    let parts = [
        field(1, &[7; 16]),
        field(2, &[id; 8]),
        field(5, b"charge"),
        time(7, start),
        time(8, start + 1000),
        field(15, &[3 << 3, status]),
    ];
    field(2, &parts.concat())
}

/// Three spans in each format, of which one or two ended with an error.
fn files() -> [(&'static str, Vec<u8>, u64); 4] {
    let otlp = |id: u32, status: serde_json::Value| {
        json!({"traceId": "5b8efff798038103d269b633813fc60c", "spanId": format!("{id:016x}"), "name": "charge",
            "startTimeUnixNano": format!("{id}000000"), "endTimeUnixNano": format!("{id}001000"), "status": status})
    };
    let statuses = [
        json!({"code": 2}),
        json!({"code": "STATUS_CODE_ERROR"}),
        json!({"code": 1}),
    ];
    let spans: Vec<_> = (1..).zip(statuses).map(|(id, it)| otlp(id, it)).collect();
    let otlp = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]});
    let jaeger = |id: u32, tags: serde_json::Value| {
        json!({"traceID": "7", "spanID": id.to_string(), "operationName": "charge", "processID": "p",
            "startTime": id * 1000, "duration": 10, "tags": tags})
    };
    let tag =
        |key: &str, value: serde_json::Value| json!([{"key": key, "type": "bool", "value": value}]);
    let jaeger = json!({"data": [{"traceID": "7", "processes": {"p": {"serviceName": "shop"}}, "spans": [
        jaeger(1, tag("error", json!(true))), jaeger(2, tag("error", json!(false))), jaeger(3, json!([]))]}]});
    let zipkin = |id: u32, tags: serde_json::Value| {
        json!({"traceId": "7", "id": id.to_string(), "name": "charge", "timestamp": id * 1000, "duration": 10,
            "localEndpoint": {"serviceName": "shop"}, "tags": tags})
    };
    let zipkin = json!([
        zipkin(1, json!({"error": "out of money"})),
        zipkin(2, json!({"error": "false"})),
        zipkin(3, json!({}))
    ]);
    let message = [binary(1, 2), binary(2, 1), binary(3, 0)].concat();
    [
        ("otlp.json", otlp.to_string().into_bytes(), 2),
        ("otlp.pb", field(1, &field(2, &message)), 1),
        ("jaeger.json", jaeger.to_string().into_bytes(), 1),
        ("zipkin.json", zipkin.to_string().into_bytes(), 1),
    ]
}

#[test]
fn spans_with_errors_are_counted_in_every_format_and_in_an_index() {
    let scratch = Scratch::new("failed-spans");
    for (name, bytes, failed) in files() {
        let file = scratch.write(name, &bytes);
        let index = scratch.0.join(format!("{name}.callscape-index"));
        let made = run(&["index", text(&file), "-o", text(&index)]);
        assert_eq!(made.0, Some(0), "{}", made.2);
        for recording in [&file, &index] {
            let functions = common::json(&["functions", text(recording), "--json"]);
            assert_eq!(functions[0]["failed"], failed, "{name}: {functions}");
            let (_, found, _) = run(&["findings", text(recording)]);
            let words = format!("{failed} of 3 calls of charge end with an error");
            assert!(found.contains(&words), "{name}: {found}");
        }
    }
}
