//! What Apache SkyWalking answers about a trace, JSON. Specification: types `Trace` and `Span` of
//! <https://github.com/apache/skywalking-query-protocol/blob/master/trace.graphqls>, and `TraceV2` of `trace-v2.graphqls`
//! there.
//!
//! Read are lists of spans wherever they stand in the answer: of every span its segment and number there, which are its
//! id, endpoint, start and end in milliseconds, service, and whether it ended with an error. The parent of a span is
//! another of its segment, otherwise the first of its references; further references are links. Tags are arguments, and
//! so are `component`, `layer`, `peer` and `type`. Logs and attached events are counted (`event-not-shown`).

use std::collections::HashMap;

use super::decimal::Unit;
use super::document::{self, Document, Next};
use super::error::ImportError;
use super::input::Input;
use super::spans::{ServiceId, Span, Spans};
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::hashing::BuildFast;
use callscape_facts::recording::Recording;
use callscape_facts::trace::{LinkKind, Value};

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "skywalking";

/// Members around the list of spans: `data`, the query, and `traces` of the second version.
const AROUND: usize = 6;

/// Whether a file that begins with `head` holds spans of segments.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let is_list = |path: &String| path.rsplit('.').next() == Some("spans");
    let is_deep = |path: &String| path.starts_with("data.") && path.ends_with(".traces");
    let has = |text: &[u8]| memchr::memmem::find(head, text).is_some();
    let lists = paths.iter().any(|path| is_list(path) || is_deep(path));
    lists && has(b"\"segmentId\"") && has(b"\"parentSpanId\"") && !has(b"\"startTimeUnixNano\"")
}

/// Reads the spans. O(n log n), all spans in memory.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut spans = Spans::default();
    spans.file(input.display().to_string());
    let mut reader = Reader {
        spans,
        services: HashMap::default(),
    };
    reader.around(&mut document, 0)?;
    document.close()?;
    let mut builder = TraceBuilder::new(&reporter);
    let failed = reader.spans.build(&mut builder, &reporter);
    let calls = builder.finish(|| document.place());
    let warnings = reporter.warnings();
    Ok(Recording {
        failed,
        ..Recording::of_calls(input, FORMAT, None, calls, warnings)
    })
}

struct Reader {
    spans: Spans,
    services: HashMap<String, ServiceId, BuildFast>,
}

/// A reference to a span of another segment.
#[derive(Default)]
struct Reference {
    trace: String,
    segment: String,
    span: String,
}

impl Reader {
    /// The list of spans is somewhere in the value that stands next.
    fn around(&mut self, document: &mut Document<'_>, depth: usize) -> Result<(), ImportError> {
        match document.next()? {
            Next::Object if depth < AROUND => {
                document.object()?;
                while let Some(key) = document.member()? {
                    match key {
                        b"spans" => self.list(document)?,
                        _ => self.around(document, depth + 1)?,
                    }
                }
            }
            Next::Array if depth < AROUND => {
                document.array()?;
                while document.element()? {
                    self.around(document, depth + 1)?;
                }
            }
            _ => document.skip()?,
        }
        Ok(())
    }

    fn list(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if document.array()? {
            while document.element()? {
                self.span(document)?;
            }
        }
        Ok(())
    }

    fn service(&mut self, name: &str) -> ServiceId {
        if let Some(&known) = self.services.get(name) {
            return known;
        }
        let service = self.spans.service();
        self.spans.name_service(service, name);
        self.services.insert(name.to_owned(), service);
        service
    }

    fn span(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        let offset = document.offset();
        let [
            mut trace,
            mut segment,
            mut id,
            mut parent,
            mut name,
            mut service,
        ] = <[String; 6]>::default();
        let (mut start, mut end, mut is_failed) = (None, None, false);
        let mut references = Vec::new();
        while let Some(key) = document.member()? {
            let argument = match key {
                b"component" => Some("component"),
                b"layer" => Some("layer"),
                b"peer" => Some("peer"),
                b"type" => Some("type"),
                _ => None,
            };
            match key {
                b"traceId" => document.text_into(&mut trace)?,
                b"segmentId" => document.text_into(&mut segment)?,
                b"spanId" => document.text_into(&mut id)?,
                b"parentSpanId" => document.text_into(&mut parent)?,
                b"endpointName" => document.text_into(&mut name)?,
                b"serviceCode" => document.text_into(&mut service)?,
                b"startTime" => start = document.time(Unit::Milliseconds)?,
                b"endTime" => end = document.time(Unit::Milliseconds)?,
                b"isError" => is_failed = document.scalar()? == Some(b"true"),
                b"refs" => references = read_references(document)?,
                b"tags" => tags(document, &mut self.spans)?,
                b"logs" | b"attachedEvents" => document.pass_over("event-not-shown")?,
                _ => match argument {
                    Some(argument) => {
                        let text = document.text()?;
                        if !text.is_empty() {
                            self.spans.argument(argument, &Value::Text(text.into()));
                        }
                    }
                    None => document.skip()?,
                },
            }
        }
        let Some(start) = start else {
            document.warn("missing-time");
            self.spans.leave_out();
            return Ok(());
        };
        let end = end.unwrap_or_else(|| {
            document.warn("missing-time");
            start
        });
        if end < start {
            document.warn("end-before-start");
        }
        let of = |segment: &str, span: &str| match (segment, span) {
            ("", _) | (_, "" | "-1") => String::new(),
            (segment, span) => format!("{segment}/{span}"),
        };
        let mut references = references.iter();
        let mut far = |spans: &mut Spans| {
            let it: &Reference = references.next()?;
            let trace = if it.trace.is_empty() {
                &trace
            } else {
                &it.trace
            };
            Some(spans.id(trace, &of(&it.segment, &it.span)))
        };
        let near = self.spans.id(&trace, &of(&segment, &parent));
        let parent = near.or_else(|| far(&mut self.spans).flatten());
        let service = self.service(&service);
        let span = Span {
            service,
            id: self.spans.id(&trace, &of(&segment, &id)),
            parent,
            name: &name,
            file: "",
            line: 0,
            start,
            end,
            is_failed,
            arguments: self.spans.put_arguments_aside(offset),
            offset,
        };
        self.spans.push(span);
        while let Some(from) = far(&mut self.spans) {
            if let Some(from) = from {
                self.spans.link(LinkKind::SpanParent, from);
            }
        }
        Ok(())
    }
}

fn read_references(document: &mut Document<'_>) -> Result<Vec<Reference>, ImportError> {
    let mut references = Vec::new();
    if !document.array()? {
        return Ok(references);
    }
    while document.element()? {
        let mut reference = Reference::default();
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"traceId" => document.text_into(&mut reference.trace)?,
                    b"parentSegmentId" => document.text_into(&mut reference.segment)?,
                    b"parentSpanId" => document.text_into(&mut reference.span)?,
                    _ => document.skip()?,
                }
            }
        }
        references.push(reference);
    }
    Ok(references)
}

fn tags(document: &mut Document<'_>, spans: &mut Spans) -> Result<(), ImportError> {
    if !document.array()? {
        return Ok(());
    }
    while document.element()? {
        let (mut key, mut value) = (String::new(), String::new());
        if document.object()? {
            while let Some(member) = document.member()? {
                match member {
                    b"key" => document.text_into(&mut key)?,
                    b"value" => document.text_into(&mut value)?,
                    _ => document.skip()?,
                }
            }
        }
        spans.argument(&key, &Value::Text(value.into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;

    const ANSWER: &str = include_str!("../../tests/data/import/skywalking/shop.json");

    #[test]
    fn spans_of_segments_are_calls_and_references_are_links() {
        let recording = made::found(FORMAT, ANSWER.as_bytes());
        assert_eq!(
            made::linked_calls(&recording),
            [
                "front: /buy 0+50000000 ^0",
                "front: GET /pay 10000000+30000000 ^1",
                "pay: /pay 15000000+20000000 ^0 <GET /pay </buy",
            ]
        );
        assert_eq!(recording.failed.iter().map(|it| it.1).sum::<u64>(), 1);
        let kinds = made::kinds(&recording);
        assert_eq!(kinds, ["event-not-shown"]);
    }

    #[test]
    fn the_second_version_nests_lists_in_traces() {
        let list = ANSWER.replace(
            r#"{"trace":{"spans":"#,
            r#"{"queryTraces":{"traces":[{"spans":"#,
        );
        let list = list.replace(r#""tags":[]}]}}}"#, r#""tags":[]}]}]}}}"#);
        let recording = made::found(FORMAT, list.as_bytes());
        assert_eq!(made::linked_calls(&recording).len(), 3);
    }

    #[test]
    fn cut_and_damaged_answers_are_borne() {
        made::survives(import, ANSWER.as_bytes());
    }
}
