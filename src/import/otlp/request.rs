//! One request as it comes over HTTP: what it is written in, and whether all of it can be read.

use serde::de::IgnoredAny;

use super::{binary, json};
use crate::document::{Document, Next};
use crate::error::ImportError;
use crate::spans::Spans;
use crate::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;

pub use crate::spans::Counted;
pub use crate::stream::number_of_bytes;

/// How a request is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Json,
    Binary,
}

/// Repairs that an importer makes the best of, and that whoever sends can be told: the request is not what it says.
const REFUSED: [&str; 3] = ["damaged-message", "truncated-file", "unexpected-value"];

/// Reads a request as it will be read later, and keeps nothing of it; gives its bytes back, and how many spans it holds or why
/// it is refused. A request without spans is a good one; one that holds nothing but what is no span is not.
pub fn check(bytes: Vec<u8>, encoding: Encoding) -> (Vec<u8>, Result<Counted, String>) {
    if encoding == Encoding::Json
        // The importer passes over brackets without a look at them.
        && let Err(error) = serde_json::from_slice::<IgnoredAny>(&bytes)
    {
        return (bytes, Err(format!("expected JSON: {error}")));
    }
    let (reporter, progress) = (Reporter::new(), Progress::new());
    let mut spans = Spans::only_counting();
    let is_empty = bytes.is_empty();
    let window = Window::over(bytes, "the request", 0, &progress, &reporter);
    let (bytes, read) = read(window, encoding, &mut spans, &reporter);
    let counted = spans.counted();
    let repaired = reporter.warnings();
    let repaired = repaired.iter().find(|it| REFUSED.contains(&&*it.kind));
    let checked = match (read, repaired) {
        (Err(error), _) => Err(error.to_string()),
        (Ok(_), Some(warning)) => Err(format!("expected a whole request, found {warning}")),
        (Ok(false), None) if !(is_empty && encoding == Encoding::Binary) => {
            Err("expected a request with resourceSpans, found something else".to_owned())
        }
        (Ok(_), None) if counted.kept == 0 && counted.left_out > 0 => {
            Err("expected spans, found none with a time".to_owned())
        }
        (Ok(_), None) => Ok(counted),
    };
    (bytes, checked)
}

/// Reads the spans of the one request that the window is over; gives its bytes back, and whether it is a request.
pub(super) fn read(
    mut window: Window<'_>,
    encoding: Encoding,
    spans: &mut Spans,
    reporter: &Reporter,
) -> (Vec<u8>, Result<bool, ImportError>) {
    if encoding == Encoding::Binary {
        let read = binary::message(&mut window, spans, reporter);
        return (window.into_bytes(), read);
    }
    let mut document = Document::over(window, reporter);
    let read = match document.next() {
        Ok(Next::Object) => json::request(&mut document, spans),
        Ok(_) => Ok(false),
        Err(error) => Err(error),
    };
    (document.into_bytes(), read)
}
