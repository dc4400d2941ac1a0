//! AWS X-Ray's segment documents, JSON: on their own, in lists, one a line, and in what `BatchGetTraces` answers, where
//! each is a text. Specification: <https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html>,
//! <https://docs.aws.amazon.com/xray/latest/api/API_BatchGetTraces.html>.
//!
//! Read are segments and the subsegments in them: ids, name, start and end in seconds, and `error` and `fault`, which say
//! that they ended with an error. The segment's name is the service of all that is in it; a subsegment sent on its own is
//! of its segment's service if that is in the file. What a segment's `parent_id` names has started it. Annotations are
//! arguments, and so are `http`, `aws` and `sql`, with their names before the members. Not read: metadata, causes, links
//! to other traces.

use std::collections::HashMap;

use super::decimal::Unit;
use super::document::{self, Document, Next};
use super::error::ImportError;
use super::input::Input;
use super::members::{self, Members};
use super::spans::{ServiceId, Span, Spans};
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::recording::Recording;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "xray";

/// Whether a file that begins with `head` holds segments.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |path: &str| paths.iter().any(|it| it == path);
    let has_text = |text: &[u8]| memchr::memmem::find(head, text).is_some();
    let is_segment = has("start_time") && has("name") && has("id") && has_text(b"\"1-");
    is_segment && (has("trace_id") || has("subsegments"))
        || has("Traces.Segments") && has_text(b"\"Document\"")
}

/// Reads the segments. O(n log n), all in memory.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut reader = Reader {
        progress,
        reporter: &reporter,
        segments: Vec::new(),
    };
    while !document.at_end()? {
        reader.value(&mut document)?;
    }
    document.close()?;
    let mut spans = Spans::default();
    spans.file(input.display().to_string());
    hand_on(&reader.segments, &mut spans, &document);
    let mut builder = TraceBuilder::new(&reporter);
    let failed = spans.build(&mut builder, &reporter);
    let calls = builder.finish(|| document.place());
    let warnings = reporter.warnings();
    Ok(Recording {
        failed,
        ..Recording::of_calls(input, FORMAT, None, calls, warnings)
    })
}

/// A segment or subsegment.
#[derive(Default)]
struct Segment {
    /// That of the segment around it, in the list of all.
    around: Option<usize>,
    trace: String,
    id: String,
    parent: String,
    name: String,
    start: Option<i64>,
    end: Option<i64>,
    is_failed: bool,
    is_subsegment: bool,
    members: Members,
    offset: u64,
}

/// What is open while a document is read.
enum Open {
    Segment(usize),
    Subsegments(usize),
}

struct Reader<'a> {
    progress: &'a Progress,
    reporter: &'a Reporter,
    /// Each before those in it.
    segments: Vec<Segment>,
}

impl Reader<'_> {
    fn value(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        match document.next()? {
            Next::Array => {
                document.array()?;
                while document.element()? {
                    match document.next()? {
                        Next::Object => self.segment(document)?,
                        Next::Text => self.text(document)?,
                        _ => document.skip()?,
                    }
                }
            }
            Next::Object => self.segment(document)?,
            _ => document.skip()?,
        }
        Ok(())
    }

    /// What `BatchGetTraces` answers: traces with their segments.
    fn traces(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.array()? {
            return Ok(());
        }
        while document.element()? {
            if !document.object()? {
                continue;
            }
            while let Some(key) = document.member()? {
                if key != b"Segments" {
                    document.skip()?;
                    continue;
                }
                if !document.array()? {
                    continue;
                }
                while document.element()? {
                    if document.object()? {
                        while let Some(key) = document.member()? {
                            match key {
                                b"Document" => self.text(document)?,
                                _ => document.skip()?,
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// A document that is a text in this one. If it is damaged, the others stay.
    fn text(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        let text = document.text()?;
        let file = document.place().file;
        let (offset, known) = (document.offset(), self.segments.len());
        let window = Window::over(
            text.into_bytes(),
            &file,
            offset,
            self.progress,
            self.reporter,
        );
        let mut inner = Document::over(window, self.reporter);
        match self.segment(&mut inner) {
            Err(ImportError::Malformed { .. }) => {
                self.segments.truncate(known);
                document.warn("damaged-segment");
            }
            other => other?,
        }
        for segment in &mut self.segments[known..] {
            segment.offset = offset;
        }
        Ok(())
    }

    /// A segment with all in it, or an object around traces.
    fn segment(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        let mut open = Vec::new();
        self.begin(None, document, &mut open)?;
        while let Some(innermost) = open.last() {
            match *innermost {
                Open::Subsegments(around) => match document.element()? {
                    true => self.begin(Some(around), document, &mut open)?,
                    false => {
                        open.pop();
                    }
                },
                Open::Segment(number) => {
                    let Some(key) = document.member()? else {
                        open.pop();
                        continue;
                    };
                    if key == b"Traces" && number + 1 == self.segments.len() {
                        self.traces(document)?;
                    } else if key == b"subsegments" {
                        if document.array()? {
                            open.push(Open::Subsegments(number));
                        }
                    } else {
                        let key = key.to_vec();
                        member(&key, &mut self.segments[number], document)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn begin(
        &mut self,
        around: Option<usize>,
        document: &mut Document<'_>,
        open: &mut Vec<Open>,
    ) -> Result<(), ImportError> {
        if document.object()? {
            self.segments.push(Segment {
                around,
                offset: document.offset(),
                ..Segment::default()
            });
            open.push(Open::Segment(self.segments.len() - 1));
        }
        Ok(())
    }
}

fn member(
    key: &[u8],
    segment: &mut Segment,
    document: &mut Document<'_>,
) -> Result<(), ImportError> {
    match key {
        b"trace_id" => document.text_into(&mut segment.trace),
        b"id" => document.text_into(&mut segment.id),
        b"parent_id" => document.text_into(&mut segment.parent),
        b"name" => document.text_into(&mut segment.name),
        b"start_time" => document
            .time(Unit::Seconds)
            .map(|time| segment.start = time),
        b"end_time" => document.time(Unit::Seconds).map(|time| segment.end = time),
        b"error" | b"fault" => document
            .scalar()
            .map(|value| segment.is_failed |= value == Some(b"true")),
        b"type" => document
            .scalar()
            .map(|value| segment.is_subsegment = value == Some(b"subsegment")),
        b"annotations" => members::take(document, "", &mut segment.members),
        b"http" => members::take(document, "http", &mut segment.members),
        b"aws" => members::take(document, "aws", &mut segment.members),
        b"sql" => members::take(document, "sql", &mut segment.members),
        _ => document.skip(),
    }
}

/// Hands the segments on, and gives those inside of others the trace and the service of these.
fn hand_on(segments: &[Segment], spans: &mut Spans, document: &Document<'_>) {
    // By trace and id, what a subsegment that was sent on its own may lie in.
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    let mut outermost: Vec<usize> = Vec::with_capacity(segments.len());
    for (number, segment) in segments.iter().enumerate() {
        let of = segment.around.map_or(number, |it| outermost[it]);
        outermost.push(of);
        known
            .entry((&segments[of].trace, &segment.id))
            .or_insert(number);
    }
    /// Subsegments on their own may lie in each other, so many deep.
    const DEEPEST: usize = 64;
    // By segment, whose service it is of.
    let owner = |number: usize| {
        let mut at = outermost[number];
        for _ in 0..DEEPEST {
            let segment = &segments[at];
            let around = known.get(&(segment.trace.as_str(), segment.parent.as_str()));
            match around.filter(|_| segment.is_subsegment) {
                Some(&around) if outermost[around] != at => at = outermost[around],
                _ => break,
            }
        }
        at
    };
    let mut owners: Vec<Option<usize>> = vec![None; segments.len()];
    let mut services: HashMap<&str, ServiceId> = HashMap::new();
    for (number, segment) in segments.iter().enumerate() {
        let of = outermost[number];
        let owner = *owners[of].get_or_insert_with(|| owner(of));
        let trace = &segments[of].trace;
        let Some(start) = segment.start else {
            // What is around traces is no segment.
            if !segment.name.is_empty() || !segment.id.is_empty() {
                document.warn("missing-time");
                spans.leave_out();
            }
            continue;
        };
        // In progress when it was sent.
        let end = segment.end.unwrap_or_else(|| {
            document.warn("missing-time");
            start
        });
        if end < start {
            document.warn("end-before-start");
        }
        let parent = match segment.around {
            Some(around) => &segments[around].id,
            None => &segment.parent,
        };
        let service = segments[owner].name.as_str();
        let service = *services.entry(service).or_insert_with(|| {
            let new = spans.service();
            spans.name_service(new, service);
            new
        });
        for (name, value) in &segment.members {
            spans.argument(name, value);
        }
        let span = Span {
            service,
            id: spans.id(trace, &segment.id),
            parent: spans.id(trace, parent),
            name: &segment.name,
            file: "",
            line: 0,
            start,
            end,
            is_failed: segment.is_failed,
            arguments: spans.put_arguments_aside(segment.offset),
            offset: segment.offset,
        };
        spans.push(span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;

    const FRONT: &str = include_str!("../../tests/data/import/xray/front.json");

    const BACK: &str = r#"{"id":"194fcc8747581230","name":"back","parent_id":"53995c3f42cd8ad8","trace_id":"1-581cf771-a006649127e371903a2de979",
 "start_time":1478293361.75,"in_progress":true}"#;

    const EXPECTED: [&str; 4] = [
        "front: front 0+1250000000 ^0",
        "front: api 250000000+750000000 ^1",
        "front: inner 250000000+500000000 ^2",
        "back: back 500000000+0 ^0 <api",
    ];

    #[test]
    fn segments_on_their_own_and_in_answers_are_the_same() {
        let quoted = [FRONT, BACK].map(|it| serde_json::to_string(it).expect("text"));
        let answer = format!(
            r#"{{"Traces":[{{"Id":"1-581cf771","Duration":1.25,"Segments":[{{"Id":"a","Document":{}}},{{"Id":"b","Document":{}}}]}}],"UnprocessedTraceIds":[]}}"#,
            quoted[0], quoted[1]
        );
        let lines = format!("{}\n{}\n", FRONT.replace('\n', ""), BACK.replace('\n', ""));
        for text in [answer, lines, format!("[{FRONT},{BACK}]")] {
            let recording = made::found(FORMAT, text.as_bytes());
            assert_eq!(made::linked_calls(&recording), EXPECTED);
            assert_eq!(recording.failed.iter().map(|it| it.1).sum::<u64>(), 1);
            let kinds = made::kinds(&recording);
            assert_eq!(kinds, ["missing-time"]);
        }
    }

    #[test]
    fn subsegments_on_their_own_are_of_their_segments_service() {
        let own = r#"{"id":"2222222222222222","name":"late","type":"subsegment","parent_id":"53995c3f42cd8ad8",
 "trace_id":"1-581cf771-a006649127e371903a2de979","start_time":1478293362.0,"end_time":1478293362.25}"#;
        let recording = made::read(import, format!("[{own},{FRONT}]").as_bytes());
        let calls = made::linked_calls(&recording.expect("a recording"));
        assert_eq!(calls[3], "front: late 750000000+250000000 ^2");
    }

    #[test]
    fn a_damaged_document_leaves_the_others() {
        let text = format!(
            r#"{{"Traces":[{{"Segments":[{{"Document":"{{:"}},{{"Document":{}}}]}}]}}"#,
            serde_json::to_string(FRONT).expect("text")
        );
        let recording = made::found(FORMAT, text.as_bytes());
        assert_eq!(made::linked_calls(&recording), EXPECTED[..3]);
        let kinds = made::kinds(&recording);
        assert_eq!(kinds, ["damaged-segment"]);
    }

    #[test]
    fn cut_and_damaged_segments_are_borne() {
        made::survives(import, FRONT.as_bytes());
    }
}
