//! Imports of Go, and which names of a package a file uses: a package is a directory, and the names lead to its files.

use tree_sitter::Node;

use super::file::ImportKind;
use super::found::{Before, Found, Visit};

pub(super) const VISITS: &[(&str, Visit)] = &[
    ("import_spec", import),
    ("package_clause", package),
    ("call_expression", call),
    ("selector_expression", selector),
    ("qualified_type", qualified),
];

fn import(node: Node<'_>, found: &mut Found<'_>) {
    let path = node.child_by_field_name("path");
    if let Some(path) = path.and_then(|path| found.literal(path)) {
        let alias = found.field(node, "name");
        found.import_as(node, ImportKind::Name, path, "", alias);
    }
}

fn package(node: Node<'_>, found: &mut Found<'_>) {
    if let Some(name) = node.named_child(0) {
        found.package = found.text(name).into();
    }
}

fn call(node: Node<'_>, found: &mut Found<'_>) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    match function.kind() {
        "identifier" => found.call(node, Before::Nothing, found.text(function), true),
        "selector_expression" => {
            let before = Before::Named(found.field(function, "operand"));
            found.call(node, before, found.field(function, "field"), true);
        }
        _ => {}
    }
}

fn selector(node: Node<'_>, found: &mut Found<'_>) {
    let operand = node.child_by_field_name("operand");
    if operand.is_some_and(|operand| operand.kind() == "identifier") {
        let before = Before::Named(found.field(node, "operand"));
        found.call(node, before, found.field(node, "field"), false);
    }
}

fn qualified(node: Node<'_>, found: &mut Found<'_>) {
    let before = Before::Named(found.field(node, "package"));
    found.call(node, before, found.field(node, "name"), false);
}
