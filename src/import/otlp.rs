//! OpenTelemetry spans in OTLP's JSON and binary forms. Specification: `opentelemetry/proto/trace/v1/trace.proto` of
//! <https://github.com/open-telemetry/opentelemetry-proto>, in the JSON mapping of
//! <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>; attributes by the semantic conventions,
//! <https://opentelemetry.io/docs/specs/semconv/registry/attributes/code/>.
//!
//! Read are, of every span, its ids, links, name and times, the service of its resource, and the attributes that say
//! which code it is: `code.function.name`, `code.file.path`, `code.line.number`, and `code.function`,
//! `code.namespace`, `code.filepath`, `code.lineno` as they were called before. A file may hold several
//! requests, one behind the other, as the Collector's file exporter writes them, or in an array. Names of members may be
//! those of the `.proto` files too, which the JSON mapping of protocol buffers allows. `callscape --listen` keeps
//! requests of both forms in one file, each with its checksum ([`kept`]). What Tempo answers is read, which calls the spans
//! of resources `batches`. Logs and metrics between the requests are counted, and so are the events of spans
//! (`event-not-shown`). Spans whose status is an error are counted by function; kind and other attributes are
//! not read.

use std::path::Path;

use super::document;
use super::error::ImportError;
use super::input::Input;
use super::spans::Spans;
use super::stream;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::TraceBuilder;
use callscape_facts::recording::Recording;

mod binary;
pub mod code;
mod json;
pub mod kept;
mod pairs;
pub mod request;
mod value;

/// The identifier of the format in `info`.
pub const FORMAT: &str = "otlp";

/// Whether a file that begins with `head` holds spans of resources.
pub fn sniff(head: &[u8]) -> bool {
    if kept::sniff(head) {
        return true;
    }
    let paths = document::paths(head);
    let is_request = |path: &String| {
        matches!(
            path.as_str(),
            "resourceSpans"
                | "resource_spans"
                // Requests of other kinds, which may stand before those with spans.
                | "resourceLogs"
                | "resource_logs"
                | "resourceMetrics"
                | "resource_metrics"
                // What Tempo answers.
                | "batches.resource"
                | "batches.scopeSpans"
                | "batches.instrumentationLibrarySpans"
                | "trace.resourceSpans"
                | "trace.batches"
        )
    };
    let is_later = || memchr::memmem::find(head, b"\n{\"resourceSpans\"").is_some();
    let is_json = head.first() == Some(&b'{');
    paths.iter().any(is_request) || is_json && is_later() || binary::sniff(head)
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
    let failed = spans.build(&mut builder, &reporter);
    let calls = builder.finish(|| end.clone());
    let path = inputs.first().map_or(Path::new(""), |input| input);
    let warnings = reporter.warnings();
    Ok(Recording {
        failed,
        ..Recording::of_calls(path, FORMAT, None, calls, warnings)
    })
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
    let head = stream::head(input, progress)?;
    if kept::sniff(&head) {
        kept::read(input, spans, progress, reporter)
    } else if binary::sniff(&head) {
        binary::read(input, spans, progress, reporter)
    } else {
        json::read(input, spans, progress, reporter)
    }
}
