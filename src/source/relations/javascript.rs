//! Imports of JavaScript and TypeScript: ES modules and CommonJS.

use tree_sitter::Node;

use super::file::ImportKind;
use super::found::{Before, Found, Visit};

pub(super) const VISITS: &[(&str, Visit)] = &[
    ("import_statement", module),
    ("export_statement", module),
    ("call_expression", call),
];

fn module(node: Node<'_>, found: &mut Found<'_>) {
    let mut source = node.child_by_field_name("source");
    if source.is_none() {
        // `import a = require("b")`
        let mut cursor = node.walk();
        let clause = node
            .named_children(&mut cursor)
            .find(|child| child.kind() == "import_require_clause");
        source = clause.and_then(|clause| clause.child_by_field_name("source"));
    }
    if let Some(path) = source.and_then(|source| found.literal(source)) {
        found.import(node, ImportKind::Path, path);
    }
}

fn call(node: Node<'_>, found: &mut Found<'_>) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    match function.kind() {
        "import" => required(node, found),
        "identifier" => match found.text(function) {
            "require" => required(node, found),
            name => found.call(node, Before::Nothing, name, true),
        },
        "member_expression" => {
            let before = Before::Named(found.field(function, "object"));
            found.call(node, before, found.field(function, "property"), true);
        }
        _ => {}
    }
}

fn required(node: Node<'_>, found: &mut Found<'_>) {
    let arguments = node.child_by_field_name("arguments");
    let first = arguments.and_then(|arguments| arguments.named_child(0));
    if let Some(path) = first.and_then(|first| found.literal(first)) {
        found.import(node, ImportKind::Path, path);
    }
}
