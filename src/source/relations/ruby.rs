//! What Ruby requires and loads.

use tree_sitter::Node;

use super::file::ImportKind;
use super::found::{Before, Found, Visit};

pub(super) const VISITS: &[(&str, Visit)] = &[("call", call)];

fn call(node: Node<'_>, found: &mut Found<'_>) {
    let method = found.field(node, "method");
    let receiver = node.child_by_field_name("receiver");
    let arguments = node.child_by_field_name("arguments");
    let argument = |at: u32| arguments.and_then(|it| it.named_child(at));
    let literal = |found: &Found<'_>, at: u32| {
        let text = argument(at).and_then(|it| found.literal(it));
        text.map(str::to_owned)
    };
    if receiver.is_none() {
        let (kind, at) = match method {
            "require_relative" => (ImportKind::Path, 0),
            "require" | "load" => (ImportKind::Search, 0),
            "autoload" => (ImportKind::Search, 1),
            _ => return found.call(node, Before::Nothing, method, true),
        };
        if let Some(path) = literal(found, at) {
            found.import(node, kind, &path);
        }
        return;
    }
    let before = receiver.map_or(Before::Value, |it| Before::Named(found.text(it)));
    found.call(node, before, method, true);
}
