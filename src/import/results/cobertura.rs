//! Cobertura's XML: of each class its file, and of the lines that can run how often they did. The document is read tag by tag;
//! entities of its own are not followed, and nothing it refers to is opened.

use std::io::{BufRead, Read};

use super::set::{Failed, LONGEST, ResultSet};
use callscape_base::progress::Progress;

pub(super) fn read(
    mut from: impl BufRead,
    set: &mut ResultSet,
    progress: &Progress,
) -> Result<(), Failed> {
    set.format = "cobertura";
    set.is_coverage = true;
    let mut file = String::new();
    let mut is_open = false;
    // Lines of methods stand a second time in their class.
    let mut methods = 0_u32;
    let mut tag: Vec<u8> = Vec::new();
    loop {
        tag.clear();
        let passed = skip_to_tag(&mut from)?;
        if !passed {
            break;
        }
        progress.check()?;
        from.by_ref()
            .take(LONGEST as u64)
            .read_until(b'>', &mut tag)?;
        if !tag.ends_with(b">") {
            set.is_cut = true;
            break;
        }
        let text = String::from_utf8_lossy(&tag);
        let name: String = text
            .chars()
            .take_while(|c| !c.is_whitespace() && *c != '>')
            .collect();
        match name.as_str() {
            "coverage" => is_open = true,
            "/coverage" => is_open = false,
            "class" => file = attribute(&text, "filename").unwrap_or_default(),
            "methods" => methods += 1,
            "/methods" => methods = methods.saturating_sub(1),
            "line" if methods == 0 => {
                let number = attribute(&text, "number").and_then(|it| it.parse().ok());
                let count = attribute(&text, "hits").and_then(|it| it.parse().ok());
                match (number, count) {
                    (Some(number), Some(count)) => set.add(&file, number, count),
                    _ => set.left_out += 1,
                }
            }
            _ => {}
        }
    }
    set.is_cut |= is_open;
    match set.hits.is_empty() && !is_open && set.left_out == 0 {
        true => Err(Failed::Form("XML without lines that ran".to_owned())),
        false => Ok(()),
    }
}

/// Goes behind the next `<`; whether there is one.
fn skip_to_tag(from: &mut impl BufRead) -> Result<bool, Failed> {
    loop {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            return Ok(false);
        }
        let found = memchr::memchr(b'<', buffer);
        let used = found.map_or(buffer.len(), |it| it + 1);
        from.consume(used);
        if found.is_some() {
            return Ok(true);
        }
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag
        .find(&format!(" {name}="))
        .or_else(|| tag.find(&format!("\n{name}=")))?;
    let value = &tag[start + name.len() + 2..];
    let quote = value.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let value = &value[1..];
    let value = &value[..value.find(quote)?];
    let meant = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    Some(
        meant
            .iter()
            .fold(value.to_owned(), |text, (from, to)| text.replace(from, to)),
    )
}
