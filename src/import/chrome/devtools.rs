//! What recordings of DevTools' panel Performance have besides tasks and samples: interactions, tasks that are too long,
//! pictures of the page, and the source maps of scripts. Specification:
//! <https://github.com/ChromeDevTools/devtools-frontend/tree/main/front_end/models/trace/handlers>, and
//! <https://web.dev/articles/optimize-long-tasks> for how long a task may be.

use super::events::Event;
use crate::document::{Document, Next};
use crate::error::ImportError;
use crate::input::Input;
use crate::json::{Cursor, Stop, Value};
use crate::source_map::SourceMaps;
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;

/// A task that takes more nanoseconds delays what the user does.
const LONG: i64 = 50_000_000;

/// The function of such a task.
pub(super) const LONG_TASK: &[u8] = b"RunTask (over 50 ms)";

/// The category, and so the lane, of interactions.
const INTERACTIONS: &[u8] = b"interactions";

fn has(text: Option<&[u8]>, part: &[u8]) -> bool {
    text.is_some_and(|text| memchr::memmem::find(text, part).is_some())
}

/// Whether a call of this cost takes too long, if it is a task of a page: most events are read without their category.
#[inline]
pub(super) fn may_be_long(event: &Event<'_>, cost: i64) -> bool {
    cost > LONG && event.name == Some(b"RunTask")
}

/// Whether an event of which this is all is a task of a page.
pub(super) fn is_task(event: &[u8]) -> bool {
    has(Some(event), b"devtools.timeline")
}

/// Whether an event is a picture of the page.
pub(super) fn is_screenshot(event: &Event<'_>) -> bool {
    event.name == Some(b"Screenshot") && has(event.category, b"devtools.screenshot")
}

/// Whether an event of this name tells of a script.
pub(super) fn is_script(name: Option<&[u8]>) -> bool {
    name == Some(b"ScriptCatchup")
}

/// The begin of an interaction as an event of the lane of interactions, named after what the user did; none of other
/// events. Events that belong to no interaction, such as of a moving pointer, have the id 0.
pub(super) fn interaction<'a>(event: &Event<'a>) -> Option<Event<'a>> {
    let (mut what, mut is_one) = (None, false);
    let args = event.args.filter(|_| is_timing(event))?;
    let read = data(&mut Cursor::new(args, 0), |key, value| match key {
        b"type" => what = value.bytes(),
        b"interactionId" => is_one = value.bytes().is_some_and(|id| id != b"0"),
        _ => {}
    });
    let name = what.filter(|_| read.is_ok() && is_one);
    name.map(|_| Event {
        name,
        ..timed(event)
    })
}

/// The end of what may be an interaction as an event of the lane of interactions.
pub(super) fn timed<'a>(event: &Event<'a>) -> Event<'a> {
    Event {
        category: Some(INTERACTIONS),
        ..*event
    }
}

/// Whether an event says how long the page took for an event of the user.
pub(super) fn is_timing(event: &Event<'_>) -> bool {
    event.name == Some(b"EventTiming")
}

/// Hands on the members of `data` in the `args` at the cursor.
fn data<'a>(
    cursor: &mut Cursor<'a>,
    mut take: impl FnMut(&'a [u8], Value<'a>),
) -> Result<(), Stop> {
    cursor.expect(b'{')?;
    while cursor.next(b'}')? {
        let is_data = cursor.text()? == b"data";
        cursor.expect(b':')?;
        if !is_data || cursor.peek()? != b'{' {
            cursor.value()?;
            continue;
        }
        cursor.expect(b'{')?;
        while cursor.next(b'}')? {
            let key = cursor.text()?;
            cursor.expect(b':')?;
            cursor.peek()?;
            take(key, cursor.value()?);
        }
    }
    Ok(())
}

/// The source maps that a recording holds: in its metadata, and in the URLs that scripts name them by. Those that cannot
/// be read are counted.
pub(super) fn source_maps(
    input: &Input,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<SourceMaps, ImportError> {
    // What is wrong with the document itself is counted by who reads its events.
    let unheard = Reporter::new();
    let mut document = Document::open(input, progress, &unheard)?;
    let mut maps = SourceMaps::default();
    let mut wrong = 0;
    if document.next()? == Next::Array {
        wrong += scripts(&mut document, &mut maps)?;
    } else if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"traceEvents" => wrong += scripts(&mut document, &mut maps)?,
                b"metadata" => wrong += metadata(&mut document, &mut maps)?,
                _ => document.skip()?,
            }
        }
    }
    reporter.warn_many("source-map-not-read", wrong, || document.place());
    Ok(maps)
}

/// Takes the maps of the events that stand next; how many cannot be read.
fn scripts(document: &mut Document<'_>, maps: &mut SourceMaps) -> Result<u64, ImportError> {
    let mut wrong = 0;
    if !document.array()? {
        return Ok(wrong);
    }
    while document.element()? {
        let (mut name, mut url, mut map) = (String::new(), String::new(), String::new());
        if !document.object()? {
            continue;
        }
        while let Some(key) = document.member()? {
            match key {
                b"name" => document.text_into(&mut name)?,
                b"args" => script(document, (&mut url, &mut map), 1)?,
                _ => document.skip()?,
            }
        }
        if is_script(Some(name.as_bytes())) {
            wrong += u64::from(maps.add_inline(&url, &map) == Some(false));
        }
    }
    Ok(wrong)
}

/// The URL of a script and that of its map, from `data` in the `args` that stand next.
fn script(
    document: &mut Document<'_>,
    (url, map): (&mut String, &mut String),
    around: u32,
) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    while let Some(key) = document.member()? {
        match key {
            b"data" if around > 0 => script(document, (&mut *url, &mut *map), around - 1)?,
            b"url" => document.text_into(url)?,
            b"sourceMapUrl" => document.text_into(map)?,
            _ => document.skip()?,
        }
    }
    Ok(())
}

/// Takes the maps of `sourceMaps`; how many cannot be read.
fn metadata(document: &mut Document<'_>, maps: &mut SourceMaps) -> Result<u64, ImportError> {
    let mut wrong = 0;
    if !document.object()? {
        return Ok(wrong);
    }
    while let Some(key) = document.member()? {
        if key != b"sourceMaps" || document.next()? != Next::Array {
            document.skip()?;
            continue;
        }
        document.array()?;
        while document.element()? {
            let (mut url, mut map) = (String::new(), Vec::new());
            if !document.object()? {
                continue;
            }
            while let Some(key) = document.member()? {
                match key {
                    b"url" => document.text_into(&mut url)?,
                    b"sourceMap" => {
                        document.whole(|cursor| cursor.value().map(drop))?;
                        map = document.passed().to_vec();
                    }
                    _ => document.skip()?,
                }
            }
            wrong += u64::from(!map.is_empty() && !maps.add(&url, &map));
        }
    }
    Ok(wrong)
}
