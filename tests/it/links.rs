//! Links between threads, lanes and services, from files of each format to what commands say.

mod kept;
mod wakeups;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::common::{Random, Scratch, callscape, large_data};

fn run(arguments: &[&str]) -> Value {
    let output = callscape().args(arguments).output();
    let output = output.expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

type ByPair = BTreeMap<(String, String), u64>;

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

/// The calls or the links of relations.
fn relations(document: &Value, field: &str) -> ByPair {
    let rows = document["relations"].as_array().expect("relations");
    let rows = rows
        .iter()
        .filter(|row| row[field].as_u64().is_some_and(|it| it > 0));
    let of = |row: &Value| {
        let pair = (text(&row["from"]), text(&row["to"]));
        (pair, row[field].as_u64().expect("a number"))
    };
    rows.map(of).collect()
}

/// How often contexts were called from contexts.
fn contexts(document: &Value) -> ByPair {
    let rows = document["contexts"].as_array().expect("contexts");
    let mut found = ByPair::new();
    for row in rows {
        if let Some(parent) = row["parent"].as_u64() {
            let pair = (text(&rows[parent as usize]["name"]), text(&row["name"]));
            *found.entry(pair).or_default() += row["calls"].as_u64().expect("a number");
        }
    }
    found
}

fn kinds(document: &Value) -> BTreeMap<String, u64> {
    serde_json::from_value(document["links"].clone()).unwrap_or_default()
}

/// A span: its service, operation, parent, what it follows from, and its times.
struct Made {
    service: u64,
    name: String,
    parent: Option<usize>,
    follows: Vec<usize>,
    times: [u64; 2],
}

/// Spans that those before them started, or that go on with these; some parents are not there.
fn spans(random: &mut Random) -> Vec<Made> {
    let count = 1 + random.below(40) as usize;
    (0..count)
        .map(|number| {
            let service = random.below(3);
            let start = 1_000 + random.below(500);
            let before = number as u64;
            let any = |random: &mut Random| random.below(before.max(1)) as usize;
            let has_parent = number > 0 && random.below(4) > 0;
            let follows = if number > 0 { random.below(3) } else { 0 };
            Made {
                service,
                name: format!("s{service}.f{}", random.below(3)),
                parent: has_parent.then(|| any(random)),
                follows: (0..follows.saturating_sub(1))
                    .map(|_| any(random))
                    .collect(),
                times: [start, start + random.below(400)],
            }
        })
        .collect()
}

fn otlp(spans: &[Made]) -> Value {
    let id = |number: usize| format!("{:016x}", number + 1);
    let trace = format!("{:032x}", 7);
    let span = |(number, it): (usize, &Made)| {
        let links = it.follows.iter();
        let links: Vec<Value> = links
            .map(|&from| json!({"traceId": trace, "spanId": id(from)}))
            .collect();
        json!({"resource": {"attributes": [
                {"key": "service.name", "value": {"stringValue": format!("s{}", it.service)}}]},
            "scopeSpans": [{"spans": [{
                "traceId": trace, "spanId": id(number), "name": it.name, "links": links,
                "parentSpanId": it.parent.map_or(String::new(), id),
                "startTimeUnixNano": it.times[0].to_string(),
                "endTimeUnixNano": it.times[1].to_string()}]}]})
    };
    json!({"resourceSpans": spans.iter().enumerate().map(span).collect::<Vec<_>>()})
}

fn jaeger(spans: &[Made]) -> Value {
    let id = |number: usize| format!("{:016x}", number + 1);
    let reference =
        |kind: &str, from: usize| json!({"refType": kind, "traceID": "7", "spanID": id(from)});
    let span = |(number, it): (usize, &Made)| {
        let parent = it.parent.map(|from| reference("CHILD_OF", from));
        let follows = it
            .follows
            .iter()
            .map(|&from| reference("FOLLOWS_FROM", from));
        json!({"traceID": "7", "spanID": id(number), "operationName": it.name,
            "processID": format!("p{}", it.service),
            "references": follows.chain(parent).collect::<Vec<_>>(),
            "startTime": it.times[0], "duration": it.times[1] - it.times[0]})
    };
    let process = |it| (format!("p{it}"), json!({"serviceName": format!("s{it}")}));
    let processes: serde_json::Map<String, Value> = (0..3).map(process).collect();
    json!({"data": [{"traceID": "7", "processes": processes,
        "spans": spans.iter().enumerate().map(span).collect::<Vec<_>>()}]})
}

#[test]
fn each_parent_and_each_link_of_spans_is_a_call() {
    let scratch = Scratch::new("links-spans");
    for seed in 0..16 {
        let made = spans(&mut Random(seed));
        let (mut told, mut callers) = (ByPair::new(), ByPair::new());
        let (mut parents, mut follows) = (0, 0);
        for span in &made {
            let pair = |from: usize| (made[from].name.clone(), span.name.clone());
            for from in span.parent.into_iter().chain(span.follows.iter().copied()) {
                *told.entry(pair(from)).or_default() += 1;
            }
            parents += u64::from(span.parent.is_some());
            follows += span.follows.len() as u64;
            if let Some(from) = span.parent.or(span.follows.first().copied()) {
                *callers.entry(pair(from)).or_default() += 1;
            }
        }
        for document in [otlp(&made), jaeger(&made)] {
            let file = scratch.write("spans.json", document.to_string().as_bytes());
            let file = file.to_str().expect("text");
            let graph = run(&["graph", "--json", file]);
            assert_eq!(relations(&graph, "calls"), told, "seed {seed}");
            // Whatever leads from one service to another is a link; so is what does not lie in its parent.
            let links = relations(&graph, "links");
            for (pair, calls) in &told {
                let found = links.get(pair).copied().unwrap_or(0);
                let crosses = pair.0[..2] != pair.1[..2];
                assert!(
                    found <= *calls && (!crosses || found == *calls),
                    "seed {seed}: {pair:?}"
                );
            }
            let kinds = kinds(&run(&["info", "--json", file]));
            let count = |kind: &str| kinds.get(kind).copied().unwrap_or(0);
            assert_eq!(count("follows-from"), follows, "seed {seed}");
            let nested = told.values().sum::<u64>() - links.values().sum::<u64>();
            assert_eq!(count("span-parent") + nested, parents, "seed {seed}");
            assert_eq!(
                contexts(&run(&["contexts", "--json", file])),
                callers,
                "seed {seed}"
            );
        }
    }
}

#[test]
fn an_index_has_the_links_of_its_recording() {
    let scratch = Scratch::new("links-index");
    let file = scratch.write(
        "spans.json",
        otlp(&spans(&mut Random(3))).to_string().as_bytes(),
    );
    let index = scratch.0.join("index.callscape");
    let [file, index] = [&file, &index].map(|it| it.to_str().expect("text"));
    let built = callscape().args(["index", file, "-o", index]).output();
    assert!(built.expect("the program starts").status.success());
    for command in ["graph", "contexts"] {
        assert_eq!(
            run(&[command, "--json", index]),
            run(&[command, "--json", file])
        );
    }
    let [of_index, of_file] = [index, file].map(|it| kinds(&run(&["info", "--json", it])));
    assert!(!of_file.is_empty());
    assert_eq!(of_index, of_file);
}

#[test]
fn links_to_what_is_not_there_are_counted() {
    let scratch = Scratch::new("links-lost");
    let mut made = spans(&mut Random(5));
    made.truncate(1);
    let mut document = otlp(&made);
    let span = &mut document["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    span["parentSpanId"] = json!("00000000000000aa");
    span["links"] = json!([{"traceId": "1", "spanId": "00000000000000ab"}]);
    let file = scratch.write("spans.json", document.to_string().as_bytes());
    let info = run(&["info", "--json", file.to_str().expect("text")]);
    assert_eq!(info["warnings"][0]["kind"], "link-without-call");
    assert_eq!(info["warnings"][0]["count"], 2);
}

#[test]
fn clocks_of_services_are_put_right_unless_told_otherwise() {
    let scratch = Scratch::new("links-skew");
    let span = |service, parent, start, end| Made {
        service,
        name: format!("s{service}"),
        parent,
        follows: Vec::new(),
        times: [start, end],
    };
    let made = [span(0, None, 0, 1000), span(1, Some(0), 5000, 5600)];
    let file = scratch.write("spans.json", jaeger(&made).to_string().as_bytes());
    let file = file.to_str().expect("text");
    let info = run(&["info", "--json", file]);
    assert_eq!(info["duration_ns"], 1_000_000);
    assert_eq!(info["warnings"][0]["kind"], "clock-skew-corrected");
    let stack = run(&["stack", file, "--at", "500us", "--json"]);
    assert_eq!(stack[1]["frames"][0]["start_ns"], 200_000);
    assert_eq!(stack[1]["called_from"][0]["name"], "s0");
    let info = run(&["info", "--json", "--no-skew", file]);
    assert_eq!(info["duration_ns"], 5_600_000);
    assert_eq!(info["warnings"], json!([]));
}

#[test]
fn flows_and_asynchronous_events_of_chrome_are_links() {
    let scratch = Scratch::new("links-chrome");
    let event = |phase: &str, name: &str, tid: u32, ts: u32, more: &str| {
        format!(
            r#"{{"ph":"{phase}","name":"{name}","cat":"c","pid":1,"tid":{tid},"ts":{ts}{more}}}"#
        )
    };
    let events = [
        event("X", "post", 1, 0, r#","dur":10"#),
        event("X", "task", 2, 20, r#","dur":10"#),
        event("X", "inner", 2, 22, r#","dur":4"#),
        event("X", "next", 3, 40, r#","dur":5"#),
        event("s", "flow", 1, 5, r#","id":1"#),
        event("t", "flow", 2, 23, r#","id":1"#),
        event("f", "flow", 3, 39, r#","id":1"#),
        // Bound to what is around it.
        event("s", "other", 1, 6, r#","id":2"#),
        event("f", "other", 2, 28, r#","id":2,"bp":"e""#),
        // Of nothing, and to nothing.
        event("f", "alone", 2, 28, r#","id":3,"bp":"e""#),
        event("s", "alone", 1, 6, r#","id":4"#),
        // As members of calls.
        event(
            "X",
            "out",
            4,
            50,
            r#","dur":2,"bind_id":"0x9","flow_out":true"#,
        ),
        event(
            "X",
            "in",
            5,
            60,
            r#","dur":2,"bind_id":"0x9","flow_in":true"#,
        ),
    ];
    let file = scratch.write("trace", format!("[{}]", events.join(",")).as_bytes());
    let file = file.to_str().expect("text");
    let pair = |from: &str, to: &str| ((from.to_owned(), to.to_owned()), 1);
    let links = relations(&run(&["graph", "--json", file]), "links");
    let expected = [
        pair("inner", "next"),
        pair("out", "in"),
        pair("post", "inner"),
        pair("post", "task"),
    ];
    assert_eq!(links, expected.into());
    let info = run(&["info", "--json", file]);
    assert_eq!(kinds(&info), [("flow".to_owned(), 4)].into());
    let lost = info["warnings"].as_array().expect("warnings").iter();
    let lost: Vec<_> = lost
        .map(|it| (text(&it["kind"]), it["count"].clone()))
        .collect();
    assert_eq!(lost, [("link-without-call".to_owned(), json!(2))]);
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn field(number: u64, content: &[u8], out: &mut Vec<u8>) {
    varint(number << 3 | 2, out);
    varint(content.len() as u64, out);
    out.extend_from_slice(content);
}

#[test]
fn flows_of_perfetto_are_links() {
    let scratch = Scratch::new("links-perfetto");
    let mut trace = Vec::new();
    // Track, kind, time, name, field of the flow.
    for (track, kind, time, name, flow) in [
        (1u64, 1u64, 10u64, "sends", Some(47u64)),
        (1, 2, 20, "", None),
        (2, 1, 30, "takes", Some(48)),
        (2, 2, 40, "", None),
    ] {
        let mut event = Vec::new();
        for (number, value) in [(9, kind), (11, track)] {
            varint(number << 3, &mut event);
            varint(value, &mut event);
        }
        if !name.is_empty() {
            field(23, name.as_bytes(), &mut event);
        }
        if let Some(number) = flow {
            varint(number << 3 | 1, &mut event);
            event.extend_from_slice(&77u64.to_le_bytes());
        }
        let mut packet = Vec::new();
        for (number, value) in [(8, time), (10, 1)] {
            varint(number << 3, &mut packet);
            varint(value, &mut packet);
        }
        field(11, &event, &mut packet);
        field(1, &packet, &mut trace);
    }
    let file = scratch.write("trace.pftrace", &trace);
    let links = relations(
        &run(&["graph", "--json", file.to_str().expect("text")]),
        "links",
    );
    assert_eq!(
        links,
        [(("sends".to_owned(), "takes".to_owned()), 1)].into()
    );
}

#[test]
fn a_trace_of_many_services_shows_their_calls() {
    let Some(file) = large_data("jaeger/ui-genaiTestTrace.json") else {
        return;
    };
    let file = file.to_str().expect("text");
    let graph = run(&["graph", "--level", "1", "--json", file]);
    let [calls, links] = ["calls", "links"].map(|it| relations(&graph, it).values().sum::<u64>());
    assert_eq!((calls, links), (29, 29));
}
