//! Includes of C and C++: <https://en.cppreference.com/w/c/preprocessor/include>

use tree_sitter::Node;

use super::file::ImportKind;
use super::found::{Before, Found, Visit};

pub(super) const VISITS: &[(&str, Visit)] =
    &[("preproc_include", include), ("call_expression", call)];

fn include(node: Node<'_>, found: &mut Found<'_>) {
    let path = found.field(node, "path").trim();
    let quoted = path.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let angled = path.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
    match (quoted, angled) {
        (Some(path), _) => found.import(node, ImportKind::Path, path),
        (_, Some(path)) => found.import(node, ImportKind::Search, path),
        // A macro gives the path.
        _ => {}
    }
}

fn call(node: Node<'_>, found: &mut Found<'_>) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    match function.kind() {
        "identifier" => found.call(node, Before::Nothing, found.text(function), true),
        "template_function" => {
            found.call(node, Before::Nothing, found.field(function, "name"), true);
        }
        "field_expression" => {
            let before = match found.field(function, "argument") {
                "this" => Before::Named("this"),
                _ => Before::Value,
            };
            found.call(node, before, found.field(function, "field"), true);
        }
        "qualified_identifier" => {
            let text = found.text(function);
            if let Some((before, name)) = text.rsplit_once("::") {
                found.call(node, Before::Named(before), name, true);
            }
        }
        _ => {}
    }
}
