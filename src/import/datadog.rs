//! Datadog's spans, JSON: what its libraries send to the agent, and the trace that its page downloads. Specification: the
//! traces of <https://docs.datadoghq.com/tracing/guide/send_traces_to_agent_by_api/>; type `Span` of
//! <https://github.com/DataDog/datadog-agent/blob/main/pkg/proto/datadog/trace/span.proto>.
//!
//! Read are lists of traces, which are lists of spans; lists of spans; and `spans`, a list or an object by id, in objects
//! `trace`, `traces` and `chunks`. Of every span its ids, service, start and duration are read, whether it ended with an
//! error, and its resource, otherwise its name, as the function. Times are in nanoseconds; in files with fractions of a
//! second since 1970 they are in seconds. `meta` and `metrics` are arguments, and the name is `operation`. Links of spans
//! (`span_links`) are links. Not read: `meta_struct`.

use std::collections::HashMap;

use super::decimal::{self, Unit};
use super::document::{self, Document, Next};
use super::error::ImportError;
use super::input::Input;
use super::members::{self, Members};
use super::spans::{ServiceId, Span, Spans};
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::hashing::BuildFast;
use callscape_facts::recording::Recording;
use callscape_facts::trace::{LinkKind, Value};

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "datadog";

/// Objects and arrays around a span.
const AROUND: usize = 6;

/// Seconds since 1970 are less, nanoseconds more.
const SECONDS: f64 = 1e11;

/// Whether a file that begins with `head` holds spans, by Datadog's spelling.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |path: &str| paths.iter().any(|it| it == path);
    let has_text = |text: &[u8]| memchr::memmem::find(head, text).is_some();
    let around = ["", "spans.", "traces.", "trace.spans.", "chunks.spans."];
    let has_spans = around.iter().any(|around| {
        let has = |member: &str| has(&format!("{around}{member}"));
        has("span_id") && has("trace_id") && has("start") && has("duration") && has("service")
    });
    // Members of those by id are deeper than paths show.
    has_spans
        || ["trace.spans", "traces.spans"].into_iter().any(has)
            && has_text(b"\"span_id\"")
            && has_text(b"\"resource\"")
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
    // Payloads may follow each other.
    while !document.at_end()? {
        reader.value(&mut document, 0)?;
    }
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

/// A span while it is read.
#[derive(Default)]
struct Texts {
    trace: String,
    id: String,
    parent: String,
    service: String,
    name: String,
    resource: String,
    start: String,
    duration: String,
    is_failed: bool,
    members: Members,
    links: Vec<(String, String)>,
}

impl Reader {
    /// A span, or what is around spans.
    fn value(&mut self, document: &mut Document<'_>, depth: usize) -> Result<(), ImportError> {
        match document.next()? {
            Next::Array if depth < AROUND => {
                document.array()?;
                while document.element()? {
                    self.value(document, depth + 1)?;
                }
            }
            Next::Object if depth < AROUND => self.object(document, depth)?,
            _ => document.skip()?,
        }
        Ok(())
    }

    fn object(&mut self, document: &mut Document<'_>, depth: usize) -> Result<(), ImportError> {
        document.object()?;
        let offset = document.offset();
        let mut texts = Texts::default();
        let mut is_around = false;
        while let Some(key) = document.member()? {
            match key {
                b"trace" | b"traces" | b"chunks" => {
                    is_around = true;
                    self.value(document, depth + 1)?;
                }
                b"spans" => {
                    is_around = true;
                    if document.next()? != Next::Object {
                        self.value(document, depth + 1)?;
                    } else if document.object()? {
                        while document.member()?.is_some() {
                            self.value(document, depth + 1)?;
                        }
                    }
                }
                b"trace_id" => document.text_into(&mut texts.trace)?,
                b"span_id" => document.text_into(&mut texts.id)?,
                b"parent_id" => document.text_into(&mut texts.parent)?,
                b"service" => document.text_into(&mut texts.service)?,
                b"name" => document.text_into(&mut texts.name)?,
                b"resource" => document.text_into(&mut texts.resource)?,
                b"start" => document.text_into(&mut texts.start)?,
                b"duration" => document.text_into(&mut texts.duration)?,
                b"error" => {
                    let error = document.scalar()?;
                    texts.is_failed = !matches!(error, None | Some(b"0" | b"false"));
                }
                b"meta" | b"metrics" => members::take(document, "", &mut texts.members)?,
                b"span_links" => links(document, &mut texts.links)?,
                _ => document.skip()?,
            }
        }
        if !is_around {
            self.span(&texts, offset, document);
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

    fn span(&mut self, texts: &Texts, offset: u64, document: &Document<'_>) {
        let number = |text: &str| text.parse::<f64>().ok();
        let is_fraction = |text: &str| text.contains(['.', 'e', 'E']);
        let is_small = number(&texts.start).is_some_and(|start| start < SECONDS);
        let unit = match is_small && (is_fraction(&texts.start) || is_fraction(&texts.duration)) {
            true => Unit::Seconds,
            false => Unit::Nanoseconds,
        };
        let time = |text: &str| match text {
            "" => None,
            text => {
                let time = decimal::nanoseconds(text.as_bytes(), unit);
                time.map_err(|why| document.warn(why.kind())).ok()
            }
        };
        let Some(start) = time(&texts.start) else {
            document.warn("missing-time");
            self.spans.leave_out();
            return;
        };
        let duration = time(&texts.duration).unwrap_or_else(|| {
            document.warn("missing-duration");
            0
        });
        if duration < 0 {
            document.warn("negative-duration");
        }
        for (name, value) in &texts.members {
            self.spans.argument(name, value);
        }
        let mut name = texts.name.as_str();
        if !texts.resource.is_empty() {
            if !name.is_empty() && name != texts.resource {
                self.spans.argument("operation", &Value::Text(name.into()));
            }
            name = &texts.resource;
        }
        // Those that nothing started have the parent 0.
        let parent = Some(texts.parent.as_str()).filter(|it| *it != "0");
        let service = self.service(&texts.service);
        let span = Span {
            service,
            id: self.spans.id(&texts.trace, &texts.id),
            parent: self.spans.id(&texts.trace, parent.unwrap_or_default()),
            name,
            file: "",
            line: 0,
            start,
            end: start.saturating_add(duration.max(0)),
            is_failed: texts.is_failed,
            arguments: self.spans.put_arguments_aside(offset),
            offset,
        };
        self.spans.push(span);
        for (trace, id) in &texts.links {
            if let Some(from) = self.spans.id(trace, id) {
                self.spans.link(LinkKind::FollowsFrom, from);
            }
        }
    }
}

/// The traces and ids of the spans that the links of the array that stands next lead to.
fn links(
    document: &mut Document<'_>,
    links: &mut Vec<(String, String)>,
) -> Result<(), ImportError> {
    if !document.array()? {
        return Ok(());
    }
    while document.element()? {
        let (mut trace, mut span) = (String::new(), String::new());
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"trace_id" => document.text_into(&mut trace)?,
                    b"span_id" => document.text_into(&mut span)?,
                    _ => document.skip()?,
                }
            }
        }
        links.push((trace, span));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;

    const PAYLOAD: &str = include_str!("../../tests/data/import/datadog/payload.json");

    const EXPECTED: [&str; 3] = [
        "web: GET / 0+17000 ^0",
        "web: template 1000+3000 ^1",
        "db: SELECT ? 1500+2000 ^0 <template <GET /",
    ];

    #[test]
    fn payloads_of_the_agent_are_calls() {
        let recording = made::found(FORMAT, PAYLOAD.as_bytes());
        assert_eq!(made::linked_calls(&recording), EXPECTED);
        assert_eq!(recording.failed.iter().map(|it| it.1).sum::<u64>(), 1);
        assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    }

    #[test]
    fn the_trace_of_the_page_is_by_id_and_in_seconds() {
        let page = r#"{"trace":{"root_id":"1","spans":{
"1":{"trace_id":"9","span_id":"1","parent_id":"0","service":"web","name":"web.request","resource":"GET /","start":1573821349.25,"duration":0.5,"error":0},
"2":{"trace_id":"9","span_id":"2","parent_id":"1","service":"db","name":"sql","resource":"SELECT ?","start":1573821349.5,"duration":0.125,"error":0}}},"orphaned":[]}"#;
        let recording = made::found(FORMAT, page.as_bytes());
        assert_eq!(
            made::linked_calls(&recording),
            [
                "web: GET / 0+500000000 ^0",
                "db: SELECT ? 250000000+125000000 ^0 <GET /",
            ]
        );
    }

    #[test]
    fn cut_and_damaged_payloads_are_borne() {
        made::survives(import, PAYLOAD.as_bytes());
    }
}
