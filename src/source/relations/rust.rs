//! Imports of Rust: <https://doc.rust-lang.org/reference/items/use-declarations.html>

use tree_sitter::Node;

use super::file::{Import, ImportKind};
use super::found::{Before, Found, Visit, line_of};
use super::rust_macros;
use super::rust_paths::{add_tree, path_in};

pub(super) const VISITS: &[(&str, Visit)] = &[
    ("use_declaration", uses),
    ("mod_item", module),
    ("extern_crate_declaration", extern_crate),
    ("call_expression", call),
    ("macro_invocation", in_macro),
];

fn uses(node: Node<'_>, found: &mut Found<'_>) {
    if let Some(argument) = node.child_by_field_name("argument") {
        let scope = scope(node, found);
        let text = found.text(argument);
        add_tree(text, line_of(node), &scope, found);
    }
}

/// The modules of the file around a node, as a path.
pub(super) fn scope(node: Node<'_>, found: &Found<'_>) -> String {
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
