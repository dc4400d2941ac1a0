//! The binary form: `TracesData` or `ExportTraceServiceRequest`, which are the same on the wire. One message, or
//! several one behind the other, each with its length before it: in four bytes, the highest first, as the
//! Collector's file exporter writes them, or as a varint.

use std::borrow::Cow;

use super::code::{Code, named};
use super::pairs::{attribute, hexadecimal};
use super::value::{self, Found};
use crate::error::ImportError;
use crate::input::Input;
use crate::protobuf::{Fields, Value, varint};
use crate::spans::{ServiceId, Span, SpanId, Spans};
use crate::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::hashing::same;
use callscape_facts::trace::LinkKind;

/// How messages are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// There is one.
    None,
    FourBytes,
    Varint,
}

/// The key of the resource spans in a message: field 1, with a length.
const RESOURCE_SPANS: u8 = 0x0a;

/// Whether a file that begins with `head` is in this form.
pub(super) fn sniff(head: &[u8]) -> bool {
    framing(head).is_some()
}

fn framing(head: &[u8]) -> Option<Framing> {
    if holds_span(head) {
        return Some(Framing::None);
    }
    let (framing, length, rest) = match length(head, Framing::FourBytes) {
        Some((length, size)) if head.get(size) == Some(&RESOURCE_SPANS) => {
            (Framing::FourBytes, length, &head[size..])
        }
        _ => {
            let (length, size) = length(head, Framing::Varint)?;
            (Framing::Varint, length, head.get(size..)?)
        }
    };
    let message = &rest[..rest
        .len()
        .min(usize::try_from(length).unwrap_or(usize::MAX))];
    holds_span(message).then_some(framing)
}

/// The length before a message, and how many bytes it takes.
fn length(head: &[u8], framing: Framing) -> Option<(u64, usize)> {
    if framing == Framing::FourBytes {
        let bytes = *head.first_chunk::<4>()?;
        return Some((u32::from_be_bytes(bytes).into(), 4));
    }
    let mut at = 0;
    let length = varint(head, &mut at)?;
    Some((length, at))
}

/// Whether the first resource spans of a message, which may be cut, have a span with ids of the right lengths.
fn holds_span(message: &[u8]) -> bool {
    let found = (|| {
        let resource = cut_field(message, 1)?;
        let scope = cut_field(resource, 2)?;
        let span = cut_field(scope, 2)?;
        let ids = (cut_field(span, 1)?, cut_field(span, 2)?);
        Some(ids.0.len() == 16 && ids.1.len() == 8)
    })();
    found == Some(true)
}

/// The first field of this number, as much of it as is at hand; none where something stands before it that cannot
/// be passed.
fn cut_field(mut message: &[u8], wanted: u64) -> Option<&[u8]> {
    loop {
        let mut at = 0;
        let key = varint(message, &mut at)?;
        let length = match key & 7 {
            0 => {
                varint(message, &mut at)?;
                0
            }
            1 => 8,
            2 => varint(message, &mut at)?,
            5 => 4,
            _ => return None,
        };
        let content = message.get(at..)?;
        let length = usize::try_from(length).ok()?;
        if key >> 3 == wanted && key & 7 == 2 {
            return Some(&content[..length.min(content.len())]);
        }
        message = content.get(length..)?;
    }
}

/// Reads the spans; gives where the file ended.
pub(super) fn read(
    input: &Input,
    spans: &mut Spans,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<u64, ImportError> {
    let mut window = Window::open(input, progress, reporter)?;
    window.have(64 << 10)?;
    let framing = framing(window.data()).unwrap_or(Framing::None);
    messages(&mut window, framing, spans, reporter)?;
    Ok(window.offset())
}

/// Reads the spans of one message, which is all that the window holds; whether it has spans of resources.
pub(super) fn message(
    window: &mut Window<'_>,
    spans: &mut Spans,
    reporter: &Reporter,
) -> Result<bool, ImportError> {
    messages(window, Framing::None, spans, reporter)
}

fn messages(
    window: &mut Window<'_>,
    framing: Framing,
    spans: &mut Spans,
    reporter: &Reporter,
) -> Result<bool, ImportError> {
    let mut found = false;
    // Where the message at hand ends.
    let mut end = match framing {
        Framing::None => u64::MAX,
        _ => window.offset(),
    };
    let mut texts = Texts::default();
    /// A key and a length, or a length alone, take no more.
    const MOST: usize = 20;
    while window.have(MOST)? || !window.data().is_empty() {
        let offset = window.offset();
        if offset >= end {
            let Some((length, size)) = length(window.data(), framing) else {
                reporter.warn("truncated-file", || window.place(offset));
                break;
            };
            window.consume(size);
            end = window.offset().saturating_add(length);
            continue;
        }
        let mut at = 0;
        let key = varint(window.data(), &mut at);
        let length = key.and_then(|key| match key & 7 {
            0 => varint(window.data(), &mut at).map(|_| 0),
            1 => Some(8),
            2 => varint(window.data(), &mut at),
            5 => Some(4),
            _ => None,
        });
        let inside = |length: &u64| length.saturating_add(offset + at as u64) <= end;
        let (Some(key), Some(length)) = (key, length.filter(inside)) else {
            reporter.warn("damaged-message", || window.place(offset));
            if framing == Framing::None {
                break;
            }
            skip_to(window, end)?;
            continue;
        };
        window.consume(at);
        if key == u64::from(RESOURCE_SPANS) {
            found = true;
            let wanted = usize::try_from(length).unwrap_or(usize::MAX);
            let whole = window.have(wanted)?;
            let content = &window.data()[..wanted.min(window.data().len())];
            let at = window.offset();
            resource_spans(content, at, spans, &mut texts, reporter, window);
            if !whole {
                reporter.warn("truncated-file", || window.place(offset));
            }
        }
        skip_to(window, offset + at as u64 + length)?;
    }
    Ok(found)
}

/// Moves the window to `offset`, or to the end of the file.
fn skip_to(window: &mut Window<'_>, offset: u64) -> Result<(), ImportError> {
    while window.offset() < offset {
        if window.data().is_empty() && !window.more()? {
            break;
        }
        let left = usize::try_from(offset - window.offset()).unwrap_or(usize::MAX);
        window.consume(left.min(window.data().len()));
    }
    Ok(())
}

/// What the texts of a span are read into, kept for its memory.
#[derive(Default)]
struct Texts {
    code: Code,
    /// The name of an attribute and its values.
    name: String,
    found: Found,
    /// The trace of the span before, and its number.
    trace: Option<(Vec<u8>, u32)>,
}

impl Texts {
    /// The id of a span of a trace; none of an empty one.
    fn id(&mut self, trace: &[u8], span: &[u8], spans: &mut Spans) -> Option<SpanId> {
        let Ok(number) = <[u8; 8]>::try_from(span) else {
            return spans.id(&hexadecimal(trace), &hexadecimal(span));
        };
        let known = self.trace.as_ref().filter(|(last, _)| same(last, trace));
        let trace = match known {
            Some(&(_, number)) => number,
            None => {
                let number = spans.trace(&hexadecimal(trace));
                self.trace = Some((trace.to_vec(), number));
                number
            }
        };
        Some(spans.numbered(trace, u64::from_be_bytes(number)))
    }
}

/// Takes the spans of one resource, whose bytes stand at `offset`.
fn resource_spans(
    message: &[u8],
    offset: u64,
    spans: &mut Spans,
    texts: &mut Texts,
    reporter: &Reporter,
    window: &Window<'_>,
) {
    let service = spans.service();
    let mut fields = Fields::new(message);
    for (number, value) in &mut fields {
        match (number, value) {
            (1, Value::Bytes(resource)) => {
                for (_, value) in Fields::new(resource).filter(|(number, _)| *number == 1) {
                    if let Some(("service.name", name)) = attribute(value) {
                        spans.name_service(service, &text(name));
                    }
                }
            }
            // The second is the name that scopes had before 2022.
            (2 | 1000, Value::Bytes(scope)) => {
                let mut fields = Fields::new(scope);
                for (number, value) in &mut fields {
                    if let (2, Value::Bytes(bytes)) = (number, value) {
                        // All are parts of one slice.
                        let inside = bytes.as_ptr() as usize - message.as_ptr() as usize;
                        let offset = offset + inside as u64;
                        span(bytes, offset, service, spans, texts, reporter, window);
                    }
                }
                if !fields.rest().is_empty() {
                    reporter.warn("damaged-message", || window.place(offset));
                }
            }
            _ => {}
        }
    }
    if !fields.rest().is_empty() {
        reporter.warn("damaged-message", || window.place(offset));
    }
}

fn span(
    message: &[u8],
    offset: u64,
    service: ServiceId,
    spans: &mut Spans,
    texts: &mut Texts,
    reporter: &Reporter,
    window: &Window<'_>,
) {
    texts.code.clear();
    let (mut trace, mut id, mut parent) = (&[][..], &[][..], &[][..]);
    let (mut start, mut end) = (None, None);
    let mut name = Cow::Borrowed("");
    let mut links: Vec<SpanId> = Vec::new();
    let mut fields = Fields::new(message);
    for (number, value) in &mut fields {
        match (number, value) {
            (1, Value::Bytes(bytes)) => trace = bytes,
            (2, Value::Bytes(bytes)) => id = bytes,
            (4, Value::Bytes(bytes)) => parent = bytes,
            (5, Value::Bytes(bytes)) => {
                // Quicker than to look for what is wrong at once.
                name = std::str::from_utf8(bytes).map_or_else(
                    |_| {
                        reporter.warn("invalid-text", || window.place(offset));
                        String::from_utf8_lossy(bytes)
                    },
                    Cow::Borrowed,
                );
            }
            (7, Value::Number(time)) => start = Some(time),
            (8, Value::Number(time)) => end = Some(time),
            (13, Value::Bytes(link)) => {
                let of = |wanted| {
                    let mut fields = Fields::new(link);
                    let found = fields.find(|(number, _)| *number == wanted);
                    found.and_then(|(_, value)| value.bytes()).unwrap_or(&[])
                };
                links.extend(texts.id(of(1), of(2), spans));
            }
            (15, Value::Bytes(status)) => {
                let mut fields = Fields::new(status);
                texts.code.is_failed |= fields.any(|it| matches!(it, (3, Value::Number(2))));
            }
            (11, _) => reporter.warn("event-not-shown", || window.place(offset)),
            (9, value) => {
                let Some((key, value)) = attribute(value) else {
                    continue;
                };
                if Code::is_about(key) {
                    texts.code.attribute(key, &text(value));
                    continue;
                }
                let Texts { name, found, .. } = texts;
                found.clear();
                key.clone_into(name);
                value::take(value, name, 0, found);
                for (name, value) in found {
                    spans.argument(name, value);
                }
            }
            _ => {}
        }
    }
    if !fields.rest().is_empty() {
        reporter.warn("damaged-message", || window.place(offset));
    }
    let time = |time: Option<u64>| {
        // A time that is not known is left out or 0.
        let time = i64::try_from(time.filter(|&time| time > 0)?);
        if time.is_err() {
            reporter.warn("time-out-of-range", || window.place(offset));
        }
        time.ok()
    };
    let (start, end) = (time(start), time(end));
    let Some(start) = start else {
        reporter.warn("missing-time", || window.place(offset));
        spans.leave_out();
        return;
    };
    let end = end.unwrap_or_else(|| {
        reporter.warn("missing-time", || window.place(offset));
        start
    });
    if end < start {
        reporter.warn("end-before-start", || window.place(offset));
    }
    let span = Span {
        service,
        id: texts.id(trace, id, spans),
        parent: texts.id(trace, parent, spans),
        name: &named(&texts.code, &name),
        file: &texts.code.file,
        line: texts.code.line,
        start,
        end,
        is_failed: texts.code.is_failed,
        arguments: spans.put_arguments_aside(offset),
        offset,
    };
    spans.push(span);
    for from in links {
        spans.link(LinkKind::FollowsFrom, from);
    }
}

/// A value that is a text or a number.
fn text(any: &[u8]) -> Cow<'_, str> {
    let mut text = Cow::Borrowed("");
    for (number, value) in Fields::new(any) {
        match (number, value) {
            (1, Value::Bytes(bytes)) => text = String::from_utf8_lossy(bytes),
            (3, Value::Number(number)) => text = (number as i64).to_string().into(),
            _ => {}
        }
    }
    text
}
