//! Imports of PHP: names of other namespaces, and files that are included.

use tree_sitter::Node;

use super::file::ImportKind;
use super::found::{Before, Found, Visit};

pub(super) const VISITS: &[(&str, Visit)] = &[
    ("namespace_definition", namespace),
    ("namespace_use_declaration", uses),
    ("require_expression", include),
    ("require_once_expression", include),
    ("include_expression", include),
    ("include_once_expression", include),
    ("function_call_expression", call),
    ("member_call_expression", method),
    ("scoped_call_expression", scoped),
];

fn namespace(node: Node<'_>, found: &mut Found<'_>) {
    if found.package.is_empty() {
        found.package = found.field(node, "name").replace('\\', ".").into();
    }
}

fn uses(node: Node<'_>, found: &mut Found<'_>) {
    let text = found.text(node).trim().trim_end_matches(';');
    let Some(text) = text.strip_prefix("use").map(str::trim) else {
        return;
    };
    let without_kind = |text: &str| {
        let rest = ["function ", "const "]
            .iter()
            .find_map(|kind| text.strip_prefix(kind));
        rest.unwrap_or(text).trim().to_owned()
    };
    let text = without_kind(text);
    let (prefix, names) = match text.split_once('{') {
        Some((prefix, names)) => (
            prefix.trim().to_owned(),
            names.trim_end_matches('}').to_owned(),
        ),
        None => (String::new(), text),
    };
    for name in names.split(',') {
        let name = without_kind(name.trim());
        let (name, alias) = name.split_once(" as ").unwrap_or((&name, ""));
        if !name.trim().is_empty() {
            let path = format!("{prefix}{}", name.trim()).replace('\\', ".");
            let path = path.trim_start_matches('.');
            found.import_as(node, ImportKind::Name, path, "", alias);
        }
    }
}

/// The path in quotes, from the file's own directory where `__DIR__` says so and where it is not said.
fn include(node: Node<'_>, found: &mut Found<'_>) {
    let text = found.text(node);
    let Some(end) = text.rfind(['"', '\'']) else {
        return;
    };
    let quote = text.as_bytes()[end] as char;
    let Some(start) = text[..end].rfind(quote) else {
        return;
    };
    let path = &text[start + 1..end];
    let before = &text[..start];
    let is_own = before.contains("__DIR__") || before.contains("__FILE__");
    let levels = before.matches("dirname").count();
    let levels = levels.saturating_sub(usize::from(before.contains("__FILE__")));
    let is_known = is_own || !before.contains(['.', '$']);
    if is_known && !path.contains('$') {
        let path = match is_own {
            true => format!("{}{}", "../".repeat(levels), path.trim_start_matches('/')),
            false => path.to_owned(),
        };
        found.import(node, ImportKind::Path, &path);
    }
}

fn call(node: Node<'_>, found: &mut Found<'_>) {
    let name = found.field(node, "function");
    match name.rsplit_once('\\') {
        Some((before, name)) => found.call(node, Before::Named(before), name, true),
        None if name.starts_with(['$', '(']) => {}
        None => found.call(node, Before::Nothing, name, true),
    }
}

fn method(node: Node<'_>, found: &mut Found<'_>) {
    let before = match found.field(node, "object") {
        "$this" => Before::Named("this"),
        _ => Before::Value,
    };
    found.call(node, before, found.field(node, "name"), true);
}

fn scoped(node: Node<'_>, found: &mut Found<'_>) {
    let before = Before::Named(found.field(node, "scope"));
    found.call(node, before, found.field(node, "name"), true);
}
