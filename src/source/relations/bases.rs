//! What classes inherit from: the classes, interfaces and traits that the text names, without their arguments.

use tree_sitter::Node;

use super::file::Family;
use super::found::{Found, Visit};

impl Family {
    /// The kinds of nodes that are classes.
    pub(super) fn bases(self) -> &'static [(&'static str, Visit)] {
        match self {
            Family::C => &[("class_specifier", lists), ("struct_specifier", lists)],
            Family::Rust => &[("impl_item", implementation), ("trait_item", lists)],
            Family::Python => &[("class_definition", python)],
            Family::JavaScript => &[
                ("class_declaration", lists),
                ("abstract_class_declaration", lists),
                ("class", lists),
                ("interface_declaration", lists),
            ],
            Family::Jvm => &[
                ("class_declaration", lists),
                ("interface_declaration", lists),
                ("enum_declaration", lists),
                ("record_declaration", lists),
                ("object_declaration", lists),
                ("companion_object", lists),
            ],
            Family::CSharp => &[
                ("class_declaration", lists),
                ("struct_declaration", lists),
                ("record_declaration", lists),
                ("interface_declaration", lists),
            ],
            Family::Go => &[("type_spec", go)],
            Family::Ruby => &[("class", lists)],
            Family::Php => &[
                ("class_declaration", lists),
                ("interface_declaration", lists),
                ("enum_declaration", lists),
            ],
            Family::Swift => &[
                ("class_declaration", lists),
                ("protocol_declaration", lists),
            ],
            Family::Lua | Family::Shell => &[],
        }
    }
}

/// Nodes that list bases, and what they consist of besides.
const LISTS: [&str; 19] = [
    "base_class_clause",
    "trait_bounds",
    "class_heritage",
    "extends_clause",
    "implements_clause",
    "extends_type_clause",
    "superclass",
    "super_interfaces",
    "extends_interfaces",
    "type_list",
    "delegation_specifiers",
    "delegation_specifier",
    "constructor_invocation",
    "explicit_delegation",
    "base_list",
    "primary_constructor_base_type",
    "base_clause",
    "class_interface_clause",
    "inheritance_specifier",
];

/// What a type may be made of that names it.
const NAMES: [&str; 20] = [
    "identifier",
    "type_identifier",
    "constant",
    "name",
    "qualified_name",
    "qualified_identifier",
    "relative_name",
    "scoped_type_identifier",
    "scoped_identifier",
    "scope_resolution",
    "nested_type_identifier",
    "nested_identifier",
    "member_expression",
    "attribute",
    "generic_type",
    "generic_name",
    "template_type",
    "user_type",
    "qualified_type",
    "alias_qualified_name",
];

/// The lists and names directly in a node.
fn parts<'tree>(node: Node<'tree>) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor);
    let is_one = |it: &Node<'_>| LISTS.contains(&it.kind()) || NAMES.contains(&it.kind());
    children.filter(is_one).collect()
}

/// All that lists of bases directly in a class name.
fn lists(class: Node<'_>, found: &mut Found<'_>) {
    let mut open = parts(class);
    open.retain(|it| LISTS.contains(&it.kind()));
    // In their order, as the first that is open is taken last.
    open.reverse();
    while let Some(node) = open.pop() {
        match LISTS.contains(&node.kind()) {
            true => open.extend(parts(node).into_iter().rev()),
            false => found.base(class, found.text(node)),
        }
    }
}

fn python(class: Node<'_>, found: &mut Found<'_>) {
    let Some(bases) = class.child_by_field_name("superclasses") else {
        return;
    };
    let mut cursor = bases.walk();
    for base in bases.named_children(&mut cursor) {
        match base.kind() {
            "identifier" | "attribute" => found.base(class, found.text(base)),
            // `Generic[T]`
            "subscript" => found.base(class, found.field(base, "value")),
            _ => {}
        }
    }
}

/// `impl Trait for Type`.
fn implementation(node: Node<'_>, found: &mut Found<'_>) {
    let base = found.field(node, "trait");
    if !base.is_empty() {
        found.base(node, base);
    }
}

/// Types that a struct or an interface embeds.
fn go(node: Node<'_>, found: &mut Found<'_>) {
    let Some(of) = node.child_by_field_name("type") else {
        return;
    };
    let mut cursor = of.walk();
    for child in of.named_children(&mut cursor) {
        match child.kind() {
            "field_declaration_list" => {
                let mut cursor = child.walk();
                for field in child.named_children(&mut cursor) {
                    if field.child_by_field_name("name").is_none() {
                        let base = found.field(field, "type");
                        found.base(node, base.trim_start_matches('*'));
                    }
                }
            }
            // Unions of types are no interfaces.
            "type_elem" if child.named_child_count() == 1 => found.base(node, found.text(child)),
            _ => {}
        }
    }
}
