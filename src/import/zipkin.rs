//! Zipkin's spans, JSON of its versions 2 and 1. Specification: <https://zipkin.io/zipkin-api/zipkin2-api.yaml> and
//! <https://zipkin.io/zipkin-api/zipkin-api.yaml>.
//!
//! Read are lists of spans, lists of traces, and spans one a line: of every span its ids, name, start and duration in
//! microseconds, and the service of its local end. In version 1, annotations say when client and server sent and received
//! (`cs`, `cr`, `sr`, `ss`), and in which services: each of both is a side of the span. A server's side of a span that it
//! shares with its client has the client's side around it. Other annotations are
//! counted (`event-not-shown`). The tag `error`, unless it is `false`, says that a span ended with an error.
//! Tags are arguments. Not read is the remote end.

use std::collections::{HashMap, HashSet};

use super::decimal::Unit;
use super::document::{self, Document, Next};
use super::error::ImportError;
use super::input::Input;
use super::json::unescape;
use super::spans::{Span, Spans};
use super::words::word;
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::recording::Recording;
use callscape_facts::trace::{PutAside, Value};

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "zipkin";

/// Whether a file that begins with `head` holds spans, by Zipkin's spelling.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |wanted: &str| paths.iter().any(|path| path == wanted);
    let says = [
        "localEndpoint",
        "timestamp",
        "duration",
        "annotations",
        "kind",
    ];
    has("traceId") && has("id") && !has("ph") && says.into_iter().any(has)
}

/// Reads the spans. O(n log n), all spans in memory.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut sides = Vec::new();
    let mut spans = Spans::default();
    spans.file(input.display().to_string());
    while !document.at_end()? {
        match document.next()? {
            Next::Array => list(&mut document, &mut sides, &mut spans)?,
            _ => span(&mut document, &mut sides, &mut spans)?,
        }
    }
    document.close()?;
    hand_on(&mut sides, &mut spans);
    let mut builder = TraceBuilder::new(&reporter);
    let failed = spans.build(&mut builder, &reporter);
    let calls = builder.finish(|| document.place());
    let warnings = reporter.warnings();
    Ok(Recording {
        failed,
        ..Recording::of_calls(input, FORMAT, None, calls, warnings)
    })
}

/// A span as one of its sides has seen it.
#[derive(Default)]
struct Side {
    trace: String,
    id: String,
    parent: String,
    name: String,
    service: String,
    start: i64,
    end: i64,
    /// The server's side of a span that the client began.
    is_shared: bool,
    /// A server's side by its annotations, perhaps of a span that a client began.
    is_server: bool,
    /// It has a tag `error`.
    is_failed: bool,
    arguments: Option<PutAside>,
    offset: u64,
}

/// Spans, or traces, which are lists of spans.
fn list(
    document: &mut Document<'_>,
    sides: &mut Vec<Side>,
    spans: &mut Spans,
) -> Result<(), ImportError> {
    document.array()?;
    while document.element()? {
        if document.next()? != Next::Array {
            span(document, sides, spans)?;
        } else if document.array()? {
            while document.element()? {
                span(document, sides, spans)?;
            }
        }
    }
    Ok(())
}

fn span(
    document: &mut Document<'_>,
    sides: &mut Vec<Side>,
    spans: &mut Spans,
) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    let mut side = Side {
        offset: document.offset(),
        ..Side::default()
    };
    let (mut start, mut duration) = (None, None);
    let mut core = Core::default();
    while let Some(key) = document.member()? {
        match key {
            b"traceId" => document.text_into(&mut side.trace)?,
            b"id" => document.text_into(&mut side.id)?,
            b"parentId" => document.text_into(&mut side.parent)?,
            b"name" => document.text_into(&mut side.name)?,
            b"timestamp" => start = document.time(Unit::Microseconds)?,
            b"duration" => duration = document.time(Unit::Microseconds)?,
            b"shared" => side.is_shared = document.scalar()? == Some(b"true"),
            b"localEndpoint" => endpoint(document, &mut side.service)?,
            b"tags" => side.is_failed |= tags(document, spans)?,
            b"annotations" => {
                if document.array()? {
                    while document.element()? {
                        annotation(document, &mut side.service, &mut core)?;
                    }
                }
            }
            b"binaryAnnotations" => {
                if document.array()? {
                    while document.element()? {
                        side.is_failed |= tag(document, &mut side.service, spans)?;
                    }
                }
            }
            _ => document.skip()?,
        }
    }
    let [client, server] = core.sides;
    let own = if client.is_known() { &client } else { &server };
    let start = start.or(own.start());
    let duration = duration.or_else(|| own.end?.checked_sub(start?));
    let Some(start) = start else {
        document.warn("missing-time");
        spans.leave_out();
        return Ok(());
    };
    if duration.is_none() {
        document.warn("missing-duration");
    }
    let duration = duration.unwrap_or(0);
    if duration < 0 {
        document.warn("negative-duration");
    }
    side.arguments = spans.put_arguments_aside(side.offset);
    side.start = start;
    side.end = start.saturating_add(duration.max(0));
    side.is_server = server.is_known() && !client.is_known();
    let server = (client.is_known() && server.is_known()).then(|| Side {
        trace: side.trace.clone(),
        id: side.id.clone(),
        parent: side.parent.clone(),
        name: side.name.clone(),
        start: server.start().unwrap_or(side.start),
        end: server.end.unwrap_or(side.end),
        service: server.service,
        is_shared: true,
        offset: side.offset,
        ..Side::default()
    });
    if client.is_known() && !client.service.is_empty() {
        side.service = client.service;
    }
    sides.push(side);
    sides.extend(server);
    Ok(())
}

/// Takes the tags of version 2. Whether one says that the span ended with an error.
fn tags(document: &mut Document<'_>, spans: &mut Spans) -> Result<bool, ImportError> {
    let mut is_failed = false;
    if !document.object()? {
        return Ok(is_failed);
    }
    while let Some(key) = document.member()? {
        let is_error = key == b"error";
        let name = unescape(key).0;
        let is_text = document.next()? == Next::Text;
        let value = document.text()?;
        let is_null = !is_text && value.is_empty();
        is_failed |= is_error && !is_null && value != "false";
        match is_text {
            true => spans.argument(&name, &Value::Text(value.into())),
            false if is_null => {}
            false => spans.argument(&name, &word(&value)),
        }
    }
    Ok(is_failed)
}

/// Annotations of what spans do themselves, as messages do, beside those of [`Core`].
const OF_SPANS: [&str; 4] = ["ms", "mr", "ws", "wr"];

/// When a client or a server began and ended, and its service.
#[derive(Default)]
struct Seen {
    start: Option<i64>,
    end: Option<i64>,
    service: String,
}

impl Seen {
    fn is_known(&self) -> bool {
        self.start().is_some()
    }

    /// The end where it did not say when it began.
    fn start(&self) -> Option<i64> {
        self.start.or(self.end)
    }
}

/// What annotations say of the client and the server.
#[derive(Default)]
struct Core {
    sides: [Seen; 2],
}

/// Takes the service of an annotation, where none is known, and when its side of the span began or ended; events beside
/// the span are counted.
fn annotation(
    document: &mut Document<'_>,
    service: &mut String,
    core: &mut Core,
) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    let (mut value, mut time, mut own) = (String::new(), None, String::new());
    while let Some(key) = document.member()? {
        match key {
            b"endpoint" => endpoint(document, &mut own)?,
            b"timestamp" => time = document.time(Unit::Microseconds)?,
            b"value" => document.text_into(&mut value)?,
            _ => document.skip()?,
        }
    }
    if service.is_empty() {
        service.clone_from(&own);
    }
    let [client, server] = &mut core.sides;
    let (side, at_end) = match value.as_str() {
        "cs" => (client, false),
        "cr" => (client, true),
        "sr" => (server, false),
        "ss" => (server, true),
        other => {
            if !OF_SPANS.contains(&other) {
                document.warn("event-not-shown");
            }
            return Ok(());
        }
    };
    match at_end {
        false => side.start = time.or(side.start),
        true => side.end = time.or(side.end),
    }
    if side.service.is_empty() {
        side.service = own;
    }
    Ok(())
}

/// Addresses of the other end, which are written like tags.
const ADDRESSES: [&str; 3] = ["ca", "sa", "ma"];

/// Takes a tag of version 1, and its service where none is known. Whether it says that the span ended with an error.
fn tag(
    document: &mut Document<'_>,
    service: &mut String,
    spans: &mut Spans,
) -> Result<bool, ImportError> {
    if !document.object()? {
        return Ok(false);
    }
    let (mut name, mut value, mut own) = (String::new(), String::new(), String::new());
    let mut is_text = false;
    while let Some(key) = document.member()? {
        match key {
            b"endpoint" => endpoint(document, &mut own)?,
            b"key" => document.text_into(&mut name)?,
            b"value" => {
                is_text = document.next()? == Next::Text;
                document.text_into(&mut value)?;
            }
            _ => document.skip()?,
        }
    }
    // What the other end is called says nothing of this one.
    if ADDRESSES.contains(&name.as_str()) {
        return Ok(false);
    }
    if service.is_empty() {
        *service = own;
    }
    match is_text {
        true => spans.argument(&name, &Value::Text(value.as_str().into())),
        false if value.is_empty() => {}
        false => spans.argument(&name, &word(&value)),
    }
    Ok(name == "error" && value != "false")
}

/// Takes the name of the service at the end of a connection.
fn endpoint(document: &mut Document<'_>, service: &mut String) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    while let Some(key) = document.member()? {
        match key {
            b"serviceName" => document.text_into(service)?,
            _ => document.skip()?,
        }
    }
    Ok(())
}

/// Hands the spans on. Both sides of a shared span have one id: the server's gets one of its own, which is that of what
/// its service has begun in it.
fn hand_on(sides: &mut [Side], spans: &mut Spans) {
    let others = sides.iter().filter(|it| !it.is_server && !it.is_shared);
    let others: HashSet<(String, String)> = others
        .map(|side| (side.trace.clone(), side.id.clone()))
        .collect();
    for side in sides.iter_mut().filter(|it| it.is_server) {
        side.is_shared |= others.contains(&(side.trace.clone(), side.id.clone()));
    }
    let sides = &*sides;
    let shared = sides.iter().filter(|side| side.is_shared);
    let shared: HashMap<(&str, &str), &str> = shared
        .map(|side| ((&*side.trace, &*side.id), &*side.service))
        .collect();
    for side in sides {
        let service = spans.service();
        spans.name_service(service, &side.service);
        let of_server = |id: &str| format!("{id} shared");
        let is_in_server = |id: &str| shared.get(&(&*side.trace, id)) == Some(&&*side.service);
        let (id, parent) = match (side.is_shared, is_in_server(&side.parent)) {
            (true, _) => (of_server(&side.id), side.id.clone()),
            (false, true) => (side.id.clone(), of_server(&side.parent)),
            (false, false) => (side.id.clone(), side.parent.clone()),
        };
        let span = Span {
            service,
            id: spans.id(&side.trace, &id),
            parent: spans.id(&side.trace, &parent),
            name: &side.name,
            file: "",
            line: 0,
            start: side.start,
            end: side.end,
            is_failed: side.is_failed,
            arguments: side.arguments,
            offset: side.offset,
        };
        spans.push(span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;

    /// Of each span, its annotations: value, time in microseconds, service.
    fn span(id: &str, parent: &str, annotations: &[(&str, u32, &str)]) -> String {
        let annotations = annotations.iter().map(|(value, time, service)| {
            format!(
                r#"{{"value":"{value}","timestamp":{time},"endpoint":{{"serviceName":"{service}"}}}}"#
            )
        });
        let annotations: Vec<String> = annotations.collect();
        format!(
            r#"{{"traceId":"1","id":"{id}","parentId":"{parent}","name":"{id}","annotations":[{}],
"binaryAnnotations":[{{"key":"http.path","value":"/","endpoint":{{"serviceName":"front"}}}},{{"key":"sa","value":true,"endpoint":{{"serviceName":"far"}}}}]}}"#,
            annotations.join(",")
        )
    }

    #[test]
    fn annotations_of_version_1_say_when_client_and_server_ran() {
        let front = span("a", "", &[("sr", 1000, "front"), ("ss", 1900, "front")]);
        let inner = span("c", "b", &[("lc", 1300, "back")]);
        let inner = inner.replace(r#""name""#, r#""timestamp":1300,"duration":50,"name""#);
        let both = [
            ("cs", 1100, "front"),
            ("sr", 1200, "back"),
            ("ss", 1500, "back"),
            ("cr", 1600, "front"),
        ];
        let apart = [
            span("b", "a", &[both[0], both[3]]),
            span("b", "a", &[both[1], both[2]]),
        ];
        for call in [span("b", "a", &both), apart.join(",")] {
            let text = format!("[{front},{call},{inner}]");
            let recording = made::found(FORMAT, text.as_bytes());
            assert_eq!(
                made::linked_calls(&recording),
                [
                    "front: a 0+900000 ^0",
                    "front: b 100000+500000 ^1",
                    "back: b 200000+300000 ^0 <b",
                    "back: c 300000+50000 ^1",
                ]
            );
            assert_eq!(made::kinds(&recording), ["event-not-shown"]);
        }
    }

    #[test]
    fn cut_and_damaged_spans_are_borne() {
        let text = format!(
            "[{}]",
            span("a", "", &[("sr", 1000, "front"), ("cs", 1900, "front")])
        );
        made::survives(import, text.as_bytes());
    }
}
