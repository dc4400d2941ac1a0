//! Zipkin's spans, JSON of its versions 2 and 1. Specification: <https://zipkin.io/zipkin-api/zipkin2-api.yaml> and
//! <https://zipkin.io/zipkin-api/zipkin-api.yaml>.
//!
//! Read are lists of spans, lists of traces, and spans one a line: of every span its ids, name, start and duration in
//! microseconds, and the service of its local end; that of its annotations in version 1. A server's side of a span that it
//! shares with its client has the client's side around it. Other annotations are
//! counted (`event-not-shown`). The tag `error`, unless it is `false`, says that a span ended with an error.
//! Tags are arguments, but for those of version 1. Not read is the remote end.

use std::collections::HashMap;

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
    hand_on(&sides, &mut spans);
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
            b"tags" => {
                if document.object()? {
                    while let Some(key) = document.member()? {
                        let is_error = key == b"error";
                        let name = unescape(key).0;
                        let is_text = document.next()? == Next::Text;
                        let value = document.text()?;
                        let is_null = !is_text && value.is_empty();
                        side.is_failed |= is_error && !is_null && value != "false";
                        match is_text {
                            true => spans.argument(&name, &Value::Text(value.into())),
                            false if is_null => {}
                            false => spans.argument(&name, &word(&value)),
                        }
                    }
                }
            }
            b"annotations" | b"binaryAnnotations" => {
                let is_event = key == b"annotations";
                if document.array()? {
                    while document.element()? {
                        side.is_failed |= annotation(document, is_event, &mut side.service)?;
                    }
                }
            }
            _ => document.skip()?,
        }
    }
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
    sides.push(side);
    Ok(())
}

/// Annotations that say when client and server sent and received, as spans do.
const OF_SPANS: [&str; 8] = ["cs", "cr", "ss", "sr", "ms", "mr", "ws", "wr"];

/// Takes the service of an annotation, where none is known; events beside the span are counted. Whether it says that the
/// span ended with an error.
fn annotation(
    document: &mut Document<'_>,
    is_event: bool,
    service: &mut String,
) -> Result<bool, ImportError> {
    let mut is_error = false;
    if !document.object()? {
        return Ok(is_error);
    }
    let mut value = String::new();
    while let Some(key) = document.member()? {
        match key {
            b"endpoint" if service.is_empty() => endpoint(document, service)?,
            b"value" if is_event => document.text_into(&mut value)?,
            b"key" => is_error = document.scalar()? == Some(b"error"),
            _ => document.skip()?,
        }
    }
    if is_event && !OF_SPANS.contains(&value.as_str()) {
        document.warn("event-not-shown");
    }
    Ok(is_error && !is_event)
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
fn hand_on(sides: &[Side], spans: &mut Spans) {
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
