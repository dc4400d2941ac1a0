//! The JSON form: requests one behind the other, or in arrays.

use super::code::{Code, named};
use super::value::{self, Found};
use crate::decimal::Unit;
use crate::document::{Document, Next};
use crate::error::ImportError;
use crate::input::Input;
use crate::spans::{ServiceId, Span, SpanId, Spans};
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::trace::{LinkKind, Value};

/// Reads the spans of a file; gives where it ended.
pub(super) fn read(
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

/// Reads a request; whether it is one: has spans of resources, or nothing at all.
pub(super) fn request(document: &mut Document<'_>, spans: &mut Spans) -> Result<bool, ImportError> {
    if !document.object()? {
        return Ok(false);
    }
    let (mut known, mut counted, mut others) = (false, false, false);
    // Tempo's answer may lie in a member of its own.
    let mut is_inside = false;
    loop {
        let Some(key) = document.member()? else {
            if !std::mem::take(&mut is_inside) {
                break;
            }
            continue;
        };
        let not_shown = match key {
            b"resourceLogs" | b"resource_logs" => Some("logs-not-shown"),
            b"resourceMetrics" | b"resource_metrics" => Some("metrics-not-shown"),
            _ => None,
        };
        match key {
            b"trace" if !is_inside => is_inside = document.object()?,
            b"resourceSpans" | b"resource_spans" | b"batches" => {
                known = true;
                if document.array()? {
                    while document.element()? {
                        resource_spans(document, spans)?;
                    }
                }
            }
            _ => {
                others = true;
                if let Some(kind) = not_shown {
                    document.warn(kind);
                    counted = true;
                }
                document.skip()?;
            }
        }
    }
    if others && !known && !counted {
        document.warn("not-a-request");
    }
    Ok(known || !others)
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
                                    if let ("service.name", Value::Text(name)) = (key, value) {
                                        spans.name_service(service, name);
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
    attribute: (String, Found),
    links: Vec<SpanId>,
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
        links,
    } = texts;
    links.clear();
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
            b"attributes" => attributes(document, attribute, |key, value| {
                if let Value::Text(_) | Value::Integer(_) = value {
                    code.attribute(key, &value.to_string());
                }
                if !Code::is_about(key) {
                    spans.argument(key, value);
                }
            })?,
            b"links" => read_links(document, spans, links)?,
            b"status" => code.is_failed |= is_error(document)?,
            b"events" => document.pass_over("event-not-shown")?,
            _ => document.skip()?,
        }
    }
    let Some(start) = start else {
        document.warn("missing-time");
        spans.leave_out();
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
        is_failed: code.is_failed,
        arguments: spans.put_arguments_aside(offset),
        offset,
    };
    spans.push(span);
    for from in links {
        spans.link(LinkKind::FollowsFrom, *from);
    }
    Ok(())
}

/// Whether the status that stands next is an error.
fn is_error(document: &mut Document<'_>) -> Result<bool, ImportError> {
    let mut is_error = false;
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"code" => {
                    let code = document.scalar()?;
                    is_error = matches!(code, Some(b"2" | b"STATUS_CODE_ERROR"));
                }
                _ => document.skip()?,
            }
        }
    }
    Ok(is_error)
}

/// Takes the spans that the links of the array that stands next lead to.
fn read_links(
    document: &mut Document<'_>,
    spans: &mut Spans,
    links: &mut Vec<SpanId>,
) -> Result<(), ImportError> {
    if !document.array()? {
        return Ok(());
    }
    while document.element()? {
        let (mut trace, mut span) = (String::new(), String::new());
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"traceId" | b"trace_id" => document.text_into(&mut trace)?,
                    b"spanId" | b"span_id" => document.text_into(&mut span)?,
                    _ => document.skip()?,
                }
            }
        }
        links.extend(spans.id(&trace, &span));
    }
    Ok(())
}

/// Hands on the attributes of the array that stands next; what is nested in one has a name of its own.
fn attributes(
    document: &mut Document<'_>,
    (name, found): &mut (String, Found),
    mut take: impl FnMut(&str, &Value<'_>),
) -> Result<(), ImportError> {
    if !document.array()? {
        return Ok(());
    }
    while document.element()? {
        name.clear();
        found.clear();
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"key" => document.text_into(name)?,
                    b"value" => value::read(document, &mut String::new(), 0, found)?,
                    _ => document.skip()?,
                }
            }
        }
        let length = name.len();
        for (behind, value) in found.iter() {
            name.push_str(behind);
            take(name, value);
            name.truncate(length);
        }
    }
    Ok(())
}
