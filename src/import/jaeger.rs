//! Traces as Jaeger's user interface and its query service give them, JSON. Specification: `model/json/model.go`
//! of <https://github.com/jaegertracing/jaeger-idl> (`internal/uimodel` in Jaeger itself).
//!
//! Read are traces on their own or under `data`, and of every span its ids, operation, start and duration in
//! microseconds, the service of its process, its references, the tags `code.*` as OpenTelemetry
//! writes them, and `error` and `otel.status_code`, which say that it ended with an error. A span was called by its first `CHILD_OF` reference; the others are links. Logs are
//! counted (`event-not-shown`). Other tags are arguments. Not read are warnings and flags.

use std::collections::HashMap;

use super::decimal::Unit;
use super::document::{self, Document, Next};
use super::error::ImportError;
use super::input::Input;
use super::otlp::code::Code;
use super::spans::{ServiceId, Span, Spans};
use super::words::word;
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::hashing::BuildFast;
use callscape_facts::recording::Recording;
use callscape_facts::trace::{LinkKind, Value};

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "jaeger";

/// Whether a file that begins with `head` holds traces with spans, by Jaeger's spelling.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let known = [
        "data.traceID",
        "data.spans.traceID",
        "data.spans.spanID",
        "spans.traceID",
        "spans.spanID",
    ];
    let paths = document::paths(head);
    paths.iter().any(|path| known.contains(&path.as_str()))
}

/// Reads the spans. O(n log n), all spans in memory.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut spans = Spans::default();
    spans.file(input.display().to_string());
    let mut reader = Reader {
        spans,
        processes: HashMap::default(),
        trace: String::new(),
        texts: Texts::default(),
    };
    if document.object()? {
        while let Some(key) = document.member()? {
            if key != b"data" {
                let member = Member::new(key);
                reader.trace_member(member, &mut document)?;
            } else if document.next()? == Next::Array {
                document.array()?;
                while document.element()? {
                    reader.trace(&mut document)?;
                }
            } else {
                reader.trace(&mut document)?;
            }
        }
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

/// The members of a trace that matter.
enum Member {
    TraceId,
    Spans,
    Processes,
    Other,
}

impl Member {
    fn new(key: &[u8]) -> Member {
        match key {
            b"traceID" => Member::TraceId,
            b"spans" => Member::Spans,
            b"processes" => Member::Processes,
            _ => Member::Other,
        }
    }
}

struct Reader {
    spans: Spans,
    /// Of the trace at hand, by id; the name may come later.
    processes: HashMap<String, ServiceId, BuildFast>,
    trace: String,
    /// Those of a span while it is read, kept for their memory.
    texts: Texts,
}

#[derive(Default)]
struct Texts {
    trace: String,
    id: String,
    name: String,
    process: String,
    /// The trace and the span that it belongs to.
    parent: (String, String),
    links: Vec<(LinkKind, String, String)>,
    code: Code,
    tag: (String, String),
}

impl Reader {
    fn trace(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        self.processes.clear();
        self.trace.clear();
        if document.object()? {
            while let Some(member) = document.member()?.map(Member::new) {
                self.trace_member(member, document)?;
            }
        }
        Ok(())
    }

    fn trace_member(
        &mut self,
        member: Member,
        document: &mut Document<'_>,
    ) -> Result<(), ImportError> {
        match member {
            Member::TraceId => self.trace = document.text()?,
            Member::Spans => {
                if document.array()? {
                    while document.element()? {
                        let mut texts = std::mem::take(&mut self.texts);
                        self.span(document, &mut texts)?;
                        self.texts = texts;
                    }
                }
            }
            Member::Processes => {
                if document.object()? {
                    while let Some(id) = document.member()? {
                        let id = String::from_utf8_lossy(id).into_owned();
                        let service = self.process(&id);
                        self.name(service, document)?;
                    }
                }
            }
            Member::Other => document.skip()?,
        }
        Ok(())
    }

    fn process(&mut self, id: &str) -> ServiceId {
        if let Some(&known) = self.processes.get(id) {
            return known;
        }
        let service = self.spans.service();
        self.processes.insert(id.to_owned(), service);
        service
    }

    /// Names a service after the process that stands next.
    fn name(&mut self, service: ServiceId, document: &mut Document<'_>) -> Result<(), ImportError> {
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"serviceName" => {
                        let name = document.text()?;
                        self.spans.name_service(service, &name);
                    }
                    _ => document.skip()?,
                }
            }
        }
        Ok(())
    }

    fn span(&mut self, document: &mut Document<'_>, texts: &mut Texts) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        let offset = document.offset();
        let Texts {
            trace,
            id,
            name,
            process,
            parent,
            links,
            code,
            tag,
        } = texts;
        links.clear();
        for text in [&mut *trace, id, name, process, &mut parent.0, &mut parent.1] {
            text.clear();
        }
        code.clear();
        let (mut start, mut duration) = (None, None);
        let mut service = None;
        while let Some(key) = document.member()? {
            match key {
                b"traceID" => document.text_into(trace)?,
                b"spanID" => document.text_into(id)?,
                b"parentSpanID" => document.text_into(&mut parent.1)?,
                b"operationName" => document.text_into(name)?,
                b"startTime" => start = document.time(Unit::Microseconds)?,
                b"duration" => duration = document.time(Unit::Microseconds)?,
                b"processID" => {
                    document.text_into(process)?;
                    service = Some(self.process(process));
                }
                b"process" => {
                    let own = self.spans.service();
                    self.name(own, document)?;
                    service = Some(own);
                }
                b"references" => references(document, parent, links)?,
                b"tags" => tags(document, tag, code, &mut self.spans)?,
                b"logs" => document.pass_over("event-not-shown")?,
                _ => document.skip()?,
            }
        }
        if trace.is_empty() {
            trace.clone_from(&self.trace);
        }
        if parent.0.is_empty() {
            parent.0.clone_from(trace);
        }
        let (Some(start), Some(duration)) = (start, duration) else {
            document.warn("missing-time");
            self.spans.leave_out();
            return Ok(());
        };
        if duration < 0 {
            document.warn("negative-duration");
        }
        let service = match service {
            Some(service) => service,
            None => self.process(""),
        };
        let span = Span {
            service,
            id: self.spans.id(trace, id),
            parent: self.spans.id(&parent.0, &parent.1),
            name: &code.name().unwrap_or(name.as_str().into()),
            file: &code.file,
            line: code.line,
            start,
            end: start.saturating_add(duration.max(0)),
            is_failed: code.is_failed,
            arguments: self.spans.put_arguments_aside(offset),
            offset,
        };
        self.spans.push(span);
        for (kind, of, id) in links {
            let of = if of.is_empty() { &*trace } else { &*of };
            if let Some(from) = self.spans.id(of, id) {
                self.spans.link(*kind, from);
            }
        }
        Ok(())
    }
}

/// Takes the trace and span of the first `CHILD_OF` reference of the array that stands next, and what the others link to.
fn references(
    document: &mut Document<'_>,
    parent: &mut (String, String),
    links: &mut Vec<(LinkKind, String, String)>,
) -> Result<(), ImportError> {
    if !document.array()? {
        return Ok(());
    }
    let mut found = false;
    while document.element()? {
        let (mut kind, mut trace, mut span) = (String::new(), String::new(), String::new());
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"refType" => kind = document.text()?,
                    b"traceID" => trace = document.text()?,
                    b"spanID" => span = document.text()?,
                    _ => document.skip()?,
                }
            }
        }
        match kind.as_str() {
            "CHILD_OF" if !found => {
                found = true;
                *parent = (trace, span);
            }
            "CHILD_OF" => links.push((LinkKind::SpanParent, trace, span)),
            "FOLLOWS_FROM" => links.push((LinkKind::FollowsFrom, trace, span)),
            _ => document.warn("unknown-reference"),
        }
    }
    Ok(())
}

fn tags(
    document: &mut Document<'_>,
    (name, value): &mut (String, String),
    code: &mut Code,
    spans: &mut Spans,
) -> Result<(), ImportError> {
    if !document.array()? {
        return Ok(());
    }
    while document.element()? {
        name.clear();
        value.clear();
        let mut is_text = true;
        if document.object()? {
            while let Some(key) = document.member()? {
                match key {
                    b"key" => document.text_into(name)?,
                    b"value" => {
                        is_text = document.next()? == Next::Text;
                        document.text_into(value)?;
                    }
                    _ => document.skip()?,
                }
            }
        }
        code.attribute(name, value);
        if !Code::is_about(name) {
            match is_text || value.is_empty() {
                true => spans.argument(name, &Value::Text(value.as_str().into())),
                false => spans.argument(name, &word(value)),
            }
        }
    }
    Ok(())
}
