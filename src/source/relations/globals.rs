//! Variables that live as long as the program: those outside of functions, and static ones of classes.
//!
//! What a text declares to be a constant where the language has a word for it alone (`const` of Rust, Go and C#) is none, nor
//! is a name for a function. A name counts once in its file or class, however often it is assigned.

use tree_sitter::Node;

use super::file::Family;
use super::found::{Found, Visit};

impl Family {
    /// The kinds of nodes that declare variables.
    pub(super) fn globals(self) -> &'static [(&'static str, Visit)] {
        match self {
            Family::C => &[("declaration", c), ("field_declaration", c_member)],
            Family::Rust => &[("static_item", rust)],
            Family::Python => &[("assignment", python)],
            Family::JavaScript => &[
                ("variable_declarator", javascript),
                ("field_definition", static_field),
                ("public_field_definition", static_field),
            ],
            Family::Jvm => &[
                ("field_declaration", java),
                ("constant_declaration", java),
                ("property_declaration", kotlin),
            ],
            Family::CSharp => &[("field_declaration", csharp)],
            Family::Go => &[("var_spec", go)],
            Family::Ruby => &[("assignment", ruby)],
            Family::Php => &[
                ("assignment_expression", php),
                ("property_declaration", php_property),
            ],
            Family::Swift => &[("property_declaration", swift)],
            Family::Lua => &[("assignment_statement", lua)],
            Family::Shell => &[("variable_assignment", shell)],
        }
    }
}

/// Whether all around a node, up to the whole text, is of these kinds.
fn is_outermost(node: Node<'_>, through: impl Fn(&str) -> bool) -> bool {
    let mut around = std::iter::successors(node.parent(), |it| it.parent());
    around.all(|it| it.parent().is_none() || through(it.kind()))
}

fn has_child(node: Node<'_>, is_it: impl Fn(Node<'_>) -> bool) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(is_it)
}

/// Whether a modifier of a declaration, or of the list of them before it, is this word.
fn has_word(node: Node<'_>, found: &Found<'_>, word: &str) -> bool {
    let is_word = |it: Node<'_>| found.text(it) == word;
    has_child(node, |it| {
        is_word(it) || it.kind() == "modifiers" && has_child(it, is_word)
    })
}

/// Takes the names in a pattern: `a` and `b` of `[a, {b}]`.
fn names(pattern: Node<'_>, found: &mut Found<'_>) {
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier"
            | "simple_identifier"
            | "shorthand_property_identifier_pattern"
            | "global_variable"
            | "class_variable"
            | "variable_name" => found.global(node, found.text(node)),
            // Their names are those of values that are there already.
            "attribute" | "subscript" | "member_expression" | "call" | "type_annotation" => {}
            "assignment_pattern" | "object_assignment_pattern" => {
                open.extend(node.child_by_field_name("left"));
            }
            "pair_pattern" => open.extend(node.child_by_field_name("value")),
            _ => {
                let mut cursor = node.walk();
                open.extend(node.named_children(&mut cursor));
            }
        }
    }
}

/// Whether a value is a function or a class, whose name is no variable.
fn is_definition(value: Option<Node<'_>>) -> bool {
    value.is_some_and(|it| {
        matches!(
            it.kind(),
            "lambda"
                | "arrow_function"
                | "function_expression"
                | "generator_function"
                | "function_definition"
                | "class"
        )
    })
}

fn c(node: Node<'_>, found: &mut Found<'_>) {
    let is_outer = is_outermost(node, |kind| {
        kind.starts_with("preproc_")
            || matches!(
                kind,
                "linkage_specification" | "declaration_list" | "namespace_definition"
            )
    });
    if is_outer {
        c_names(node, found, has_word(node, found, "extern"));
    }
}

/// A static member of a class.
fn c_member(node: Node<'_>, found: &mut Found<'_>) {
    if has_word(node, found, "static") {
        c_names(node, found, false);
    }
}

/// The variables among what is declared; with `is_elsewhere` only those that are defined here.
fn c_names(node: Node<'_>, found: &mut Found<'_>, is_elsewhere: bool) {
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        if is_elsewhere && declarator.kind() != "init_declarator" {
            continue;
        }
        if let Some(name) = variable(declarator) {
            match node.kind() {
                "field_declaration" => found.global(name, found.text(name)),
                _ => found.global_of_no_class(name, found.text(name)),
            }
        }
    }
}

/// The name that a declarator of C gives to a variable; none of a function, and of a member that its class declares.
fn variable(declarator: Node<'_>) -> Option<Node<'_>> {
    let mut node = declarator;
    let mut last = "";
    loop {
        if matches!(node.kind(), "identifier" | "field_identifier") {
            // What is directly before the parameters is a function; behind a pointer in parentheses it is a variable.
            return (last != "function_declarator").then_some(node);
        }
        last = match node.kind() {
            "parenthesized_declarator" if last == "function_declarator" => last,
            kind => kind,
        };
        let inner = node.child_by_field_name("declarator");
        node = inner.or_else(|| {
            let wraps = [
                "parenthesized_declarator",
                "reference_declarator",
                "attributed_declarator",
            ];
            wraps
                .contains(&node.kind())
                .then(|| node.named_child(0))
                .flatten()
        })?;
    }
}

fn rust(node: Node<'_>, found: &mut Found<'_>) {
    if is_outermost(node, |kind| {
        !matches!(kind, "function_item" | "closure_expression")
    }) {
        found.global(node, found.field(node, "name"));
    }
}

fn python(node: Node<'_>, found: &mut Found<'_>) {
    let is_outer = is_outermost(node, |kind| {
        !matches!(kind, "function_definition" | "class_definition" | "lambda")
    });
    let value = node.child_by_field_name("right");
    if is_outer
        && value.is_some()
        && !is_definition(value)
        && let Some(left) = node.child_by_field_name("left")
    {
        names(left, found);
    }
}

fn javascript(node: Node<'_>, found: &mut Found<'_>) {
    let is_outer = is_outermost(node, |kind| {
        matches!(
            kind,
            "lexical_declaration"
                | "variable_declaration"
                | "export_statement"
                | "ambient_declaration"
        )
    });
    let value = node.child_by_field_name("value");
    let is_import = value.is_some_and(|it| found.field(it, "function") == "require");
    if is_outer
        && !is_import
        && !is_definition(value)
        && let Some(name) = node.child_by_field_name("name")
    {
        names(name, found);
    }
}

fn static_field(node: Node<'_>, found: &mut Found<'_>) {
    let is_static = has_child(node, |it| it.kind() == "static");
    if is_static && !is_definition(node.child_by_field_name("value")) {
        let name = node.child_by_field_name("property");
        if let Some(name) = name.or_else(|| node.child_by_field_name("name")) {
            found.global(name, found.text(name));
        }
    }
}

/// Static fields; those of an interface are static unsaid.
fn java(node: Node<'_>, found: &mut Found<'_>) {
    if node.kind() == "constant_declaration" || has_word(node, found, "static") {
        declarators(node, found);
    }
}

fn csharp(node: Node<'_>, found: &mut Found<'_>) {
    let mut cursor = node.walk();
    let all = node.named_children(&mut cursor);
    let declaration = all.filter(|it| it.kind() == "variable_declaration").last();
    if let Some(declaration) = declaration.filter(|_| has_word(node, found, "static")) {
        declarators(declaration, found);
    }
}

fn declarators(node: Node<'_>, found: &mut Found<'_>) {
    let mut cursor = node.walk();
    for declarator in node.named_children(&mut cursor) {
        if declarator.kind() == "variable_declarator" {
            found.global(declarator, found.field(declarator, "name"));
        }
    }
}

/// Properties outside of classes, and those of objects, of which there is one.
fn kotlin(node: Node<'_>, found: &mut Found<'_>) {
    let mut around = std::iter::successors(node.parent(), |it| it.parent());
    let owner = around.find(|it| it.kind() != "class_body");
    let is_one = owner.is_some_and(|it| {
        matches!(
            it.kind(),
            "source_file" | "companion_object" | "object_declaration"
        )
    });
    let is_computed = has_child(node, |it| it.kind() == "getter");
    if is_one && !is_computed && !has_word(node, found, "const") {
        let mut cursor = node.walk();
        for declaration in node.named_children(&mut cursor) {
            if let ("variable_declaration", Some(name)) =
                (declaration.kind(), declaration.named_child(0))
            {
                found.global(name, found.text(name));
            }
        }
    }
}

fn go(node: Node<'_>, found: &mut Found<'_>) {
    if is_outermost(node, |kind| {
        matches!(kind, "var_declaration" | "var_spec_list")
    }) {
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            match found.text(name) {
                "_" => {}
                text => found.global(name, text),
            }
        }
    }
}

/// `$a` wherever it is assigned, and `@@a` of a class.
fn ruby(node: Node<'_>, found: &mut Found<'_>) {
    let left = node.child_by_field_name("left");
    let is_one = |it: &Node<'_>| matches!(it.kind(), "global_variable" | "class_variable");
    if let Some(left) = left.filter(is_one) {
        found.global(left, found.text(left));
    }
}

fn php(node: Node<'_>, found: &mut Found<'_>) {
    let is_outer = is_outermost(node, |kind| kind == "expression_statement");
    let left = node.child_by_field_name("left");
    if let Some(left) = left.filter(|it| is_outer && it.kind() == "variable_name") {
        found.global(left, found.text(left));
    }
}

fn php_property(node: Node<'_>, found: &mut Found<'_>) {
    if has_child(node, |it| it.kind() == "static_modifier") {
        let mut cursor = node.walk();
        for element in node.named_children(&mut cursor) {
            if element.kind() == "property_element" {
                found.global(element, found.field(element, "name"));
            }
        }
    }
}

fn swift(node: Node<'_>, found: &mut Found<'_>) {
    let is_outer = is_outermost(node, |_| false) || has_word(node, found, "static");
    let is_computed = node.child_by_field_name("computed_value").is_some();
    if is_outer && !is_computed {
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            names(name, found);
        }
    }
}

/// Variables of the chunk, local to it or not.
fn lua(node: Node<'_>, found: &mut Found<'_>) {
    let is_outer = is_outermost(node, |kind| kind == "variable_declaration");
    let mut cursor = node.walk();
    let mut values: Option<Node<'_>> = None;
    let mut variables: Option<Node<'_>> = None;
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "expression_list" => values = Some(child),
            "variable_list" => variables = Some(child),
            _ => {}
        }
    }
    let (Some(values), Some(variables), true) = (values, variables, is_outer) else {
        return;
    };
    for at in 0..variables.named_child_count() as u32 {
        let value = values.named_child(at);
        let is_import = value.is_some_and(|it| found.field(it, "name") == "require");
        if let Some(name) = variables.named_child(at)
            && name.kind() == "identifier"
            && !is_import
            && !is_definition(value)
        {
            found.global(name, found.text(name));
        }
    }
}

fn shell(node: Node<'_>, found: &mut Found<'_>) {
    // `A=1 command` is for the command alone.
    let is_outer = is_outermost(node, |kind| {
        !matches!(
            kind,
            "function_definition" | "subshell" | "command" | "command_substitution"
        )
    });
    if is_outer {
        found.global(node, found.field(node, "name"));
    }
}
