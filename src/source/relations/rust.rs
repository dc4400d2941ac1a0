//! Imports of Rust: <https://doc.rust-lang.org/reference/items/use-declarations.html>

use tree_sitter::Node;

use super::rust_macros;
use super::{Before, Found, Import, ImportKind, Visit, line_of};

pub const VISITS: &[(&str, Visit)] = &[
    ("use_declaration", uses),
    ("mod_item", module),
    ("extern_crate_declaration", extern_crate),
    ("call_expression", call),
    ("macro_invocation", in_macro),
];

/// Trees of paths nested deeper are not looked into.
const DEEPEST: usize = 100;

fn uses(node: Node<'_>, found: &mut Found<'_>) {
    if let Some(argument) = node.child_by_field_name("argument") {
        let scope = scope(node, found);
        let text = found.text(argument);
        add_tree(text, line_of(node), &scope, found);
    }
}

/// Adds all paths of a tree of paths: `a::{b, c::{self, d as e}, f::*}`.
pub fn add_tree(text: &str, line: u32, scope: &str, found: &mut Found<'_>) {
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

/// The modules of the file around a node, as a path.
pub fn scope(node: Node<'_>, found: &Found<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut at = node.parent();
    while let Some(around) = at {
        if around.kind() == "mod_item" {
            names.push(found.field(around, "name"));
        }
        at = around.parent();
    }
    names.reverse();
    names.join("::").replace("r#", "")
}

fn module(node: Node<'_>, found: &mut Found<'_>) {
    if node.child_by_field_name("body").is_some() {
        return;
    }
    let import = Import {
        line: line_of(node),
        kind: ImportKind::Module,
        path: found.field(node, "name").trim_start_matches("r#").into(),
        name: path_attribute(node, found).unwrap_or_default().into(),
        scope: scope(node, found).into(),
        ..Import::default()
    };
    found.add(import);
}

/// `x.rs` of `#[path = "x.rs"]` before a node.
fn path_attribute(node: Node<'_>, found: &Found<'_>) -> Option<String> {
    let before = std::iter::successors(node.prev_sibling(), |it| it.prev_sibling());
    let attributes = before.take_while(|it| it.kind().ends_with("attribute_item") || it.is_extra());
    attributes.map(|it| found.text(it)).find_map(path_in)
}

/// `x.rs` in the text `#[path = "x.rs"]`.
pub fn path_in(attribute: &str) -> Option<String> {
    let inside = attribute.strip_prefix("#[")?.trim_start();
    let value = inside.strip_prefix("path")?.trim_start();
    let value = value.strip_prefix('=')?.trim_start().strip_prefix('"')?;
    Some(value[..value.find('"')?].to_owned())
}

fn extern_crate(node: Node<'_>, found: &mut Found<'_>) {
    let (name, alias) = (found.field(node, "name"), found.field(node, "alias"));
    // A leading `::` names another crate, whatever is in sight.
    let path = match name {
        "self" => "crate".to_owned(),
        name => format!("::{}", name.trim_start_matches("r#")),
    };
    let scope = scope(node, found);
    found.add(Import {
        line: line_of(node),
        path: path.into(),
        alias: alias.into(),
        scope: scope.into(),
        ..Import::default()
    });
}

fn call(node: Node<'_>, found: &mut Found<'_>) {
    let mut function = node.child_by_field_name("function");
    if let Some(generic) = function.filter(|it| it.kind() == "generic_function") {
        function = generic.child_by_field_name("function");
    }
    let Some(function) = function else { return };
    match function.kind() {
        "identifier" => found.call(node, Before::Nothing, found.text(function), true),
        "scoped_identifier" => {
            let before = Before::Named(found.field(function, "path"));
            found.call(node, before, found.field(function, "name"), true);
        }
        "field_expression" => {
            let before = match found.field(function, "value") {
                "self" => Before::Named("self"),
                _ => Before::Value,
            };
            found.call(node, before, found.field(function, "field"), true);
        }
        _ => {}
    }
}

/// Modules and imports in a macro that stands where items do, as `cfg_if!` has them.
fn in_macro(node: Node<'_>, found: &mut Found<'_>) {
    let mut around = node.parent();
    if around.is_some_and(|it| it.kind() == "expression_statement") {
        around = around.and_then(|it| it.parent());
    }
    let is_item = around.is_some_and(|it| match it.kind() {
        "source_file" => true,
        "declaration_list" => it.parent().is_some_and(|it| it.kind() == "mod_item"),
        _ => false,
    });
    if is_item {
        let scope = scope(node, found);
        rust_macros::read(node, &scope, found);
    }
}
