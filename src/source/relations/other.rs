//! Imports of languages that need few words: C#, Swift, Lua and shell scripts.

use tree_sitter::Node;

use super::file::ImportKind;
use super::found::{Before, Found, Visit};

pub(super) const CSHARP: &[(&str, Visit)] = &[
    ("using_directive", using),
    ("namespace_declaration", namespace),
    ("file_scoped_namespace_declaration", namespace),
    ("invocation_expression", invocation),
];

pub(super) const SWIFT: &[(&str, Visit)] = &[
    ("import_declaration", swift),
    ("call_expression", swift_call),
];

pub(super) const LUA: &[(&str, Visit)] = &[("function_call", lua)];

pub(super) const SHELL: &[(&str, Visit)] = &[("command", command)];

fn using(node: Node<'_>, found: &mut Found<'_>) {
    let text = found.text(node).trim().trim_end_matches(';');
    let mut path = text.strip_prefix("global ").unwrap_or(text).trim_start();
    for word in ["using ", "static ", "unsafe "] {
        path = path.strip_prefix(word).unwrap_or(path).trim_start();
    }
    let (alias, path) = path.split_once('=').unwrap_or(("", path));
    let path = path.trim().trim_start_matches("global::");
    found.import_as(node, ImportKind::Name, path, "", alias);
}

fn namespace(node: Node<'_>, found: &mut Found<'_>) {
    if found.package.is_empty() {
        found.package = found.field(node, "name").into();
    }
}

fn invocation(node: Node<'_>, found: &mut Found<'_>) {
    let text = found.field(node, "function");
    let text = text.split('<').next().unwrap_or_default();
    match text.rsplit_once('.') {
        Some((before, name)) => found.call(node, Before::Named(before), name, true),
        None => found.call(node, Before::Nothing, text, true),
    }
}

fn swift(node: Node<'_>, found: &mut Found<'_>) {
    let text = found.text(node);
    if let Some(name) = text.split_whitespace().last() {
        found.import(node, ImportKind::Name, name);
    }
}

fn swift_call(node: Node<'_>, found: &mut Found<'_>) {
    let Some(function) = node.named_child(0) else {
        return;
    };
    let text = found.text(function);
    match (function.kind(), text.rsplit_once('.')) {
        ("simple_identifier", _) => found.call(node, Before::Nothing, text, true),
        ("navigation_expression", Some((before, name))) => {
            found.call(node, Before::Named(before.trim()), name.trim(), true);
        }
        _ => {}
    }
}

fn lua(node: Node<'_>, found: &mut Found<'_>) {
    let name = found.field(node, "name");
    let kind = match name {
        "require" => Some(ImportKind::Name),
        "dofile" | "loadfile" => Some(ImportKind::Path),
        _ => None,
    };
    if let Some(kind) = kind {
        let arguments = node.child_by_field_name("arguments");
        // `require "a"` has no brackets.
        let first = arguments.map(|it| match it.kind() {
            "arguments" => it.named_child(0).unwrap_or(it),
            _ => it,
        });
        if let Some(path) = first.and_then(|first| found.literal(first)) {
            found.import(node, kind, path);
        }
        return;
    }
    match name.rsplit_once(['.', ':']) {
        Some((before, name)) => found.call(node, Before::Named(before), name, true),
        None => found.call(node, Before::Nothing, name, true),
    }
}

/// `source a.sh`; a directory that a variable gives is taken for that of the script.
fn command(node: Node<'_>, found: &mut Found<'_>) {
    let name = found.field(node, "name");
    if !matches!(name, "source" | ".") {
        return found.call(node, Before::Nothing, name, true);
    }
    let Some(argument) = node.child_by_field_name("argument") else {
        return;
    };
    let text = found.text(argument).replace(['"', '\''], "");
    let path = match text.rfind(['}', ')']) {
        Some(end) => text[end + 1..].trim_start_matches('/'),
        None => match text.strip_prefix('$') {
            Some(variable) => variable.split_once('/').map_or("", |(_, path)| path),
            None => &text,
        },
    };
    if !path.contains(['$', '`', '*']) {
        found.import(node, ImportKind::Path, path);
    }
}
