//! Links within a page: a bookmark by its number, as `#3`, or a time and what is selected, as `#t=12.5ms&select=src/a.c`.

use std::fmt::Write;

use callscape_base::units::TimeSpec;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Link {
    /// A bookmark by its place, from 0.
    Bookmark(usize),
    Place {
        time: Option<TimeSpec>,
        /// The path of a module.
        select: Option<String>,
    },
}

/// What a link says, with or without its `#`; none where it says nothing that is known.
pub(crate) fn parse(text: &str) -> Option<Link> {
    let text = text.trim_start_matches('#');
    if let Ok(number) = text.parse::<usize>() {
        return number.checked_sub(1).map(Link::Bookmark);
    }
    let (mut time, mut select) = (None, None);
    for part in text.split('&') {
        match part.split_once('=') {
            Some(("t", spec)) => time = decoded(spec).and_then(|it| it.parse().ok()),
            Some(("select", path)) => select = decoded(path),
            _ => {}
        }
    }
    (time.is_some() || select.is_some()).then_some(Link::Place { time, select })
}

/// The link to a time in nanoseconds, and to a module by its path.
pub(crate) fn of(time: Option<u64>, select: Option<&str>) -> String {
    let time = time.map(|ns| format!("t={ns}"));
    let select = select.map(|path| format!("select={}", encoded(path)));
    let parts: Vec<String> = time.into_iter().chain(select).collect();
    format!("#{}", parts.join("&"))
}

/// Text with what means something else in a link as bytes, by section 2.1 of RFC 3986.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                encoded.push(byte.into());
            }
            _ => {
                // A string takes all.
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, others)) = rest.split_first() {
        rest = others;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, others) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = others;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::Time;

    #[test]
    fn a_link_leads_to_what_it_was_made_of() {
        for path in ["src/a.c", "a b/ü&=#%.rs", "operator<\"'>", ""] {
            let link = of(Some(12_500_000), Some(path));
            assert!(!link.contains(['<', '>', '"', '\'', ' ']), "{link}");
            let place = Link::Place {
                time: Some(TimeSpec::At(Time::from_ns(12_500_000))),
                select: Some(path.to_owned()),
            };
            assert_eq!(parse(&link), Some(place));
        }
    }

    #[test]
    fn what_says_nothing_leads_nowhere() {
        assert_eq!(parse("#3"), Some(Link::Bookmark(2)));
        for nothing in [
            "",
            "#",
            "#0",
            "#-1",
            "#x",
            "#t=soon",
            "#select=%",
            "#select=%ff",
        ] {
            assert_eq!(parse(nothing), None, "{nothing}");
        }
    }
}
