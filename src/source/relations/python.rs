//! Imports of Python: <https://docs.python.org/3/reference/simple_stmts.html#the-import-statement>

use tree_sitter::Node;

use super::file::ImportKind;
use super::found::{Before, Found, Visit};

pub(super) const VISITS: &[(&str, Visit)] = &[
    ("import_statement", import),
    ("import_from_statement", from),
    ("future_import_statement", future),
    ("call", call),
];

/// Calls `name` with the name and the alias of all that a statement imports.
fn each<'a>(node: Node<'_>, found: &Found<'a>) -> Vec<(&'a str, &'a str)> {
    let mut cursor = node.walk();
    let named = node.children_by_field_name("name", &mut cursor);
    let parts = named.map(|part| match part.kind() {
        "aliased_import" => (found.field(part, "name"), found.field(part, "alias")),
        _ => (found.text(part), ""),
    });
    parts.collect()
}

fn import(node: Node<'_>, found: &mut Found<'_>) {
    for (name, alias) in each(node, found) {
        found.import_as(node, ImportKind::Name, name, "", alias);
    }
}

fn from(node: Node<'_>, found: &mut Found<'_>) {
    let path = found.field(node, "module_name");
    let names = each(node, found);
    for (name, alias) in &names {
        found.import_as(node, ImportKind::From, path, name, alias);
    }
    if names.is_empty() {
        found.import_as(node, ImportKind::From, path, "*", "");
    }
}

fn future(node: Node<'_>, found: &mut Found<'_>) {
    found.import(node, ImportKind::Name, "__future__");
}

fn call(node: Node<'_>, found: &mut Found<'_>) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    match function.kind() {
        "identifier" => found.call(node, Before::Nothing, found.text(function), true),
        "attribute" => {
            let before = Before::Named(found.field(function, "object"));
            found.call(node, before, found.field(function, "attribute"), true);
        }
        _ => {}
    }
}
