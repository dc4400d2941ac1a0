//! Trees of paths behind `use`, and the path that an attribute gives, as texts.

use super::file::{Import, ImportKind};
use super::found::Found;

/// Trees of paths nested deeper are not looked into.
const DEEPEST: usize = 100;

/// Adds all paths of a tree of paths: `a::{b, c::{self, d as e}, f::*}`.
pub(super) fn add_tree(text: &str, line: u32, scope: &str, found: &mut Found<'_>) {
    let mut paths = Vec::new();
    flatten(&without_comments(text), "", 0, &mut paths);
    for (path, alias) in paths {
        found.add(Import {
            line,
            kind: ImportKind::Name,
            path: path.into(),
            alias: alias.into(),
            scope: scope.into(),
            ..Import::default()
        });
    }
}

fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let line = rest.find("//");
        let block = rest.find("/*");
        let (at, end) = match (line, block) {
            (None, None) => break,
            (Some(at), block) if block.is_none_or(|block| at < block) => (at, "\n"),
            (_, block) => (block.unwrap_or(0), "*/"),
        };
        clean.push_str(&rest[..at]);
        clean.push(' ');
        rest = match rest[at..].find(end) {
            Some(length) => &rest[at + length + end.len()..],
            None => "",
        };
    }
    clean.push_str(rest);
    clean
}

/// Each path with its alias; `prefix` ends with `::` where it is not empty.
fn flatten(text: &str, prefix: &str, depth: usize, paths: &mut Vec<(String, String)>) {
    let text = text.trim();
    if depth > DEEPEST || text.is_empty() {
        return;
    }
    let Some(open) = text.find('{') else {
        let (path, alias) = text.split_once(" as ").unwrap_or((text, ""));
        let path: String = path.split_whitespace().collect();
        // A leading `::` names another crate, whatever is in sight.
        let path = match prefix.is_empty() {
            true => path,
            false => format!("{prefix}{}", path.trim_start_matches("::")),
        };
        let path = path.strip_suffix("::*").unwrap_or(&path);
        let path = match path.strip_suffix("::self") {
            Some(around) if depth > 0 => around,
            _ => path,
        };
        let path = path.replace("r#", "");
        if path != "*" && !path.is_empty() {
            paths.push((path, alias.trim().to_owned()));
        }
        return;
    };
    let inside = text[open + 1..]
        .strip_suffix('}')
        .unwrap_or(&text[open + 1..]);
    let head: String = text[..open].split_whitespace().collect();
    let prefix = format!("{prefix}{head}");
    // `use {a, b}` is of nothing.
    let (mut level, mut start) = (0usize, 0);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'{' => level += 1,
            b'}' => level = level.saturating_sub(1),
            b',' if level == 0 => {
                flatten(&inside[start..at], &prefix, depth + 1, paths);
                start = at + 1;
            }
            _ => {}
        }
    }
    flatten(&inside[start..], &prefix, depth + 1, paths);
    // `use a::{};` imports nothing, and names a all the same.
    if inside.trim().is_empty() && !head.is_empty() {
        let path = prefix.trim_end_matches("::");
        paths.push((path.replace("r#", ""), String::new()));
    }
}

/// `x.rs` in the text `#[path = "x.rs"]`.
pub(super) fn path_in(attribute: &str) -> Option<String> {
    let inside = attribute.strip_prefix("#[")?.trim_start();
    let value = inside.strip_prefix("path")?.trim_start();
    let value = value.strip_prefix('=')?.trim_start().strip_prefix('"')?;
    Some(value[..value.find('"')?].to_owned())
}
