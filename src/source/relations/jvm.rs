//! Imports of Java and Kotlin.

use tree_sitter::Node;

use super::file::ImportKind;
use super::found::{Before, Found, Visit};

pub(super) const VISITS: &[(&str, Visit)] = &[
    ("import_declaration", import),
    ("import", import),
    ("package_declaration", package),
    ("package_header", package),
    ("method_invocation", invocation),
    ("call_expression", call),
];

fn import(node: Node<'_>, found: &mut Found<'_>) {
    let text = found.text(node).trim().trim_end_matches(';');
    let Some(path) = text.strip_prefix("import").map(str::trim_start) else {
        return;
    };
    let path = path.strip_prefix("static ").unwrap_or(path);
    let (path, alias) = path.split_once(" as ").unwrap_or((path, ""));
    match path.trim().strip_suffix('*') {
        Some(path) => {
            let path = path.trim_end().trim_end_matches('.');
            found.import_as(node, ImportKind::Name, path, "*", "");
        }
        None => found.import_as(node, ImportKind::Name, path, "", alias),
    }
}

fn package(node: Node<'_>, found: &mut Found<'_>) {
    let text = found.text(node).trim().trim_end_matches(';');
    // Annotations may stand before it.
    if let Some((_, path)) = text.rsplit_once("package") {
        let path: String = path.split_whitespace().collect();
        found.package = path.into();
    }
}

fn invocation(node: Node<'_>, found: &mut Found<'_>) {
    let before = match node.child_by_field_name("object") {
        Some(object) => Before::Named(found.text(object)),
        None => Before::Nothing,
    };
    found.call(node, before, found.field(node, "name"), true);
}

fn call(node: Node<'_>, found: &mut Found<'_>) {
    let Some(function) = node.named_child(0) else {
        return;
    };
    match function.kind() {
        "identifier" | "simple_identifier" => {
            found.call(node, Before::Nothing, found.text(function), true);
        }
        "navigation_expression" => {
            let text = found.text(function);
            if let Some((before, name)) = text.rsplit_once('.') {
                found.call(node, Before::Named(before.trim()), name.trim(), true);
            }
        }
        _ => {}
    }
}
