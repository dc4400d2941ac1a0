//! OpenTelemetry spans in OTLP's JSON and binary forms. Specification: `opentelemetry/proto/trace/v1/trace.proto` of
//! <https://github.com/open-telemetry/opentelemetry-proto>, in the JSON mapping of
//! <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>; attributes by the semantic conventions,
//! <https://opentelemetry.io/docs/specs/semconv/registry/attributes/code/>.
//!
//! Read are, of every span, its ids, name and times, the service of its resource, and the attributes that say
//! which code it is: `code.function.name`, `code.file.path`, `code.line.number`, and `code.function`,
//! `code.namespace`, `code.filepath`, `code.lineno` as they were called before. A file may hold several
//! requests, one behind the other, as the Collector's file exporter writes them, or in an array. Names of members may be
//! those of the `.proto` files too, which the JSON mapping of protocol buffers allows. Not read are events, links,
//! status, kind and other attributes.

use std::path::Path;

use super::decimal::Unit;
use super::document::{self, Document, Next};
use super::error::ImportError;
use super::input::Input;
use super::spans::{ServiceId, Span, Spans};
use super::stream;
use crate::facts::builder::TraceBuilder;
use crate::facts::recording::Recording;
use crate::progress::Progress;
use crate::warnings::{Place, Reporter};
use code::{Code, named};

mod binary;
pub mod code;

/// The identifier of the format in `info`.
pub const FORMAT: &str = "otlp";

/// Whether a file that begins with `head` holds spans of resources.
pub fn sniff(head: &[u8]) -> bool {
    let json = document::paths(head);
    let is_request = |path: &String| matches!(path.as_str(), "resourceSpans" | "resource_spans");
    json.iter().any(is_request) || binary::sniff(head)
}

/// Reads the spans. O(n log n), all spans in memory.
pub fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    join(std::slice::from_ref(input), progress)
}

/// Reads the spans of several files as those of one.
pub fn join(inputs: &[Input], progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut spans = Spans::default();
    let mut end = Place::file("");
    for input in inputs {
        let offset = read(input, &mut spans, progress, &reporter)?;
        end = Place::offset(input.display().to_string(), offset);
    }
    let mut builder = TraceBuilder::new(&reporter);
    spans.build(&mut builder, &reporter);
    let calls = builder.finish(|| end.clone());
    let path = inputs.first().map_or(Path::new(""), |input| input);
    let warnings = reporter.warnings();
    Ok(Recording::of_calls(path, FORMAT, None, calls, warnings))
}

/// The ids of the traces that a file has spans of.
pub fn traces(input: &Input, progress: &Progress) -> Result<Vec<Vec<u8>>, ImportError> {
    let mut spans = Spans::default();
    // What is wrong is counted when the file is read for good.
    read(input, &mut spans, progress, &Reporter::new())?;
    Ok(spans.traces().into_iter().map(<[u8]>::to_vec).collect())
}

/// Reads the spans of a file; gives where it ended.
fn read(
    input: &Input,
    spans: &mut Spans,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<u64, ImportError> {
    spans.file(input.display().to_string());
    if binary::sniff(&stream::head(input, progress)?) {
        binary::read(input, spans, progress, reporter)
    } else {
        read_json(input, spans, progress, reporter)
    }
}

/// Reads the spans of the JSON form; gives where the file ended.
fn read_json(
    input: &Input,
    spans: &mut Spans,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<u64, ImportError> {
    let mut document = Document::open(input, progress, reporter)?;
    while !document.at_end()? {
        if document.next()? != Next::Array {
            request(&mut document, spans)?;
        } else if document.array()? {
            while document.element()? {
                request(&mut document, spans)?;
            }
        }
    }
    Ok(document.offset())
}

fn request(document: &mut Document<'_>, spans: &mut Spans) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    while let Some(key) = document.member()? {
        match key {
            b"resourceSpans" | b"resource_spans" => {
                if document.array()? {
                    while document.element()? {
                        resource_spans(document, spans)?;
                    }
                }
            }
            _ => document.skip()?,
        }
    }
    Ok(())
}

fn resource_spans(document: &mut Document<'_>, spans: &mut Spans) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    let service = spans.service();
    while let Some(key) = document.member()? {
        match key {
            b"resource" => {
                if document.object()? {
                    while let Some(key) = document.member()? {
                        match key {
                            b"attributes" => {
                                attributes(document, &mut Default::default(), |key, value| {
                                    if key == "service.name" {
                                        spans.name_service(service, value);
                                    }
                                })?
                            }
                            _ => document.skip()?,
                        }
                    }
                }
            }
            b"scopeSpans"
            | b"scope_spans"
            | b"instrumentationLibrarySpans"
            | b"instrumentation_library_spans" => {
                if document.array()? {
                    while document.element()? {
                        scope_spans(document, service, spans)?;
                    }
                }
            }
            _ => document.skip()?,
        }
    }
    Ok(())
}

fn scope_spans(
    document: &mut Document<'_>,
    service: ServiceId,
    spans: &mut Spans,
) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    while let Some(key) = document.member()? {
        match key {
            b"spans" => {
                if document.array()? {
                    let mut texts = Texts::default();
                    while document.element()? {
                        span(document, service, spans, &mut texts)?;
                    }
                }
            }
            _ => document.skip()?,
        }
    }
    Ok(())
}

/// The texts of a span while it is read, kept for their memory.
#[derive(Default)]
struct Texts {
    trace: String,
    id: String,
    parent: String,
    name: String,
    code: Code,
    attribute: (String, String),
}

fn span(
    document: &mut Document<'_>,
    service: ServiceId,
    spans: &mut Spans,
    texts: &mut Texts,
) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    let offset = document.offset();
    let Texts {
        trace,
        id,
        parent,
        name,
        code,
        attribute,
    } = texts;
    for text in [&mut *trace, id, parent, name] {
        text.clear();
    }
    code.clear();
    let (mut start, mut end) = (None, None);
    while let Some(key) = document.member()? {
        match key {
            b"traceId" | b"trace_id" => document.text_into(trace)?,
            b"spanId" | b"span_id" => document.text_into(id)?,
            b"parentSpanId" | b"parent_span_id" => document.text_into(parent)?,
            b"name" => document.text_into(name)?,
            b"startTimeUnixNano" | b"start_time_unix_nano" => {
                start = document.time(Unit::Nanoseconds)?
            }
            b"endTimeUnixNano" | b"end_time_unix_nano" => end = document.time(Unit::Nanoseconds)?,
            b"attributes" => {
                attributes(document, attribute, |key, value| code.attribute(key, value))?
            }
            _ => document.skip()?,
        }
    }
    let Some(start) = start else {
        document.warn("missing-time");
        return Ok(());
    };
    let end = end.unwrap_or_else(|| {
        document.warn("missing-time");
        start
    });
    if end < start {
        document.warn("end-before-start");
    }
    let span = Span {
        service,
        id: spans.id(trace, id),
        parent: spans.id(trace, parent),
        name: &named(code, name),
        file: &code.file,
        line: code.line,
        start,
        end,
        offset,
    };
    spans.push(span);
    Ok(())
}

/// Hands on the attributes with a plain value of the array that stands next.
fn attributes(
    document: &mut Document<'_>,
    (name, value): &mut (String, String),
    mut take: impl FnMut(&str, &str),
) -> Result<(), ImportError> {
    if !document.array()? {
        return Ok(());
    }
    while document.element()? {
        name.clear();
        value.clear();
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"key" => document.text_into(name)?,
                    b"value" => {
                        if document.object()? {
                            while let Some(key) = document.member()? {
                                match key {
                                    b"stringValue" | b"string_value" | b"intValue"
                                    | b"int_value" => document.text_into(value)?,
                                    _ => document.skip()?,
                                }
                            }
                        }
                    }
                    _ => document.skip()?,
                }
            }
        }
        take(name, value);
    }
    Ok(())
}
