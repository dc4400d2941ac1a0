//! The functions, classes and namespaces of one file, found in its syntax tree.

use std::ops::Range;

use tree_sitter::Node;

use super::macros::is_capitals;
use super::qualified;
use callscape_facts::hierarchy::ModuleKind;

/// A definition as the syntax tree has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Namespace, class or function.
    pub kind: ModuleKind,
    /// The names of classes around it that stand in its name and not around its text: `A` of `A::f`.
    pub scope: Vec<String>,
    pub name: String,
    /// Which pattern of the query found it: where several match one node, the first counts.
    pub pattern: usize,
    /// Bytes in the file.
    pub span: Range<usize>,
    /// From 1.
    pub line: u32,
    /// From 1, included.
    pub end_line: u32,
    /// Whether it reaches to the next such definition, or the end of the file.
    pub is_rest: bool,
}

/// A module of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Also a file: one that a generator has put into this one.
    pub kind: ModuleKind,
    pub name: String,
    /// From 1.
    pub line: u32,
    /// From 1, included.
    pub end_line: u32,
    pub loc: u32,
    pub comment_lines: u32,
    /// Functions in it; 1 for a function.
    pub functions: u32,
    /// Of all functions in it together.
    pub complexity: u32,
    /// Index of a definition that stands before this one; none for those directly in the file.
    pub parent: Option<usize>,
}

/// Longer names are cut: they are generated, or not names at all.
const LONGEST_NAME: usize = 200;

/// The definition at `node`, called what `name` says, of the class that `scope` names where it does not stand
/// around it. None where the name is empty.
pub(crate) fn definition(
    kind: ModuleKind,
    node: Node<'_>,
    name: Node<'_>,
    scope: Option<Node<'_>>,
    source: &[u8],
) -> Option<Found> {
    let text = source.get(name.byte_range())?;
    let text = &text[..text.len().min(LONGEST_NAME)];
    let text = String::from_utf8_lossy(text);
    let text = match text.find('(') {
        Some(parameters) if is_conversion(name) => &text[..parameters],
        _ => &text,
    };
    let (mut scopes, own_name) = match text.strip_prefix('`') {
        // Between backticks stands a name as it is, blanks, points and all.
        Some(quoted) => (Vec::new(), quoted.trim_end_matches('`').to_owned()),
        None => {
            let words: Vec<&str> = text.split_whitespace().collect();
            let mut scopes = scoped_name(kind, name.kind(), &words.join(" "));
            let name = in_full(node, name, without_macros(name, scopes.pop()?));
            (scopes, name)
        }
    };
    if node.kind() == "local_function_statement" && is_keyword(own_name.as_bytes()) {
        // `else if (…) { … }` of C# behind a torn conditional.
        return None;
    }
    if let Some(text) = scope.and_then(|scope| source.get(scope.byte_range())) {
        let text = String::from_utf8_lossy(&text[..text.len().min(LONGEST_NAME)]);
        // The parameters of a generic type are not part of its name.
        let class = text.split(['[', '<']).next().unwrap_or_default().trim();
        scopes.insert(0, class.to_owned());
    }
    let own_name = match class_of_test(name, &own_name, source) {
        Some(class) => {
            scopes.push(class);
            "TestBody".to_owned()
        }
        None => own_name,
    };
    let (start, end) = (node.start_position(), node.end_position());
    // A node that ends with a line break ends at the first column of the line after it.
    let last = if end.column == 0 && end.row > start.row {
        end.row - 1
    } else {
        end.row
    };
    Some(Found {
        kind,
        scope: scopes,
        name: own_name,
        pattern: 0,
        span: node.byte_range(),
        line: line_number(start.row),
        end_line: line_number(last),
        is_rest: false,
    })
}

/// The name with what does not stand in the node that holds it: the operators and destructors of C#, the
/// companion of a class in Kotlin.
fn in_full(node: Node<'_>, name: Node<'_>, own_name: String) -> String {
    match node.kind() {
        "destructor_declaration" => format!("~{own_name}"),
        "operator_declaration" | "conversion_operator_declaration" => {
            format!("operator {own_name}")
        }
        "companion_object" if name.kind() == "companion" => "Companion".to_owned(),
        _ => own_name,
    }
}

/// The class whose `TestBody` the body behind `TEST(Suite, Name)` is, as GoogleTest's macros make it.
fn class_of_test(name: Node<'_>, own_name: &str, source: &[u8]) -> Option<String> {
    const MACROS: [&str; 5] = ["TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"];
    if !MACROS.contains(&own_name) {
        return None;
    }
    let parameters = name.next_named_sibling()?;
    let text = |at: u32| {
        let parameter = source.get(parameters.named_child(at)?.byte_range())?;
        let is_name = parameter
            .iter()
            .all(|&it| it.is_ascii_alphanumeric() || it == b'_');
        is_name.then(|| String::from_utf8_lossy(parameter).into_owned())
    };
    let is_pair = parameters.kind() == "parameter_list" && parameters.named_child_count() == 2;
    is_pair.then(|| Some(format!("{}_{}_Test", text(0)?, text(1)?)))?
}

/// The name without what a macro has put before it: of `CONSTEXPR pair<A> f`, where the grammar takes all for one
/// name, `f`.
fn without_macros(node: Node<'_>, name: String) -> String {
    let kinds = ["qualified_identifier", "template_function", "identifier"];
    if !kinds.contains(&node.kind()) || name.starts_with("operator") {
        return name;
    }
    match name.rsplit_once(' ') {
        Some((_, last)) if !last.is_empty() => last.to_owned(),
        _ => name,
    }
}

/// The function that a macro makes, where it is called with one name and followed by a body:
/// `TEST_BEGIN(test_x) { … }` makes `test_x`.
fn made_by_macro<'tree>(declarator: Node<'tree>, source: &[u8]) -> Option<Node<'tree>> {
    let name = declarator.child_by_field_name("declarator")?;
    let parameters = declarator.child_by_field_name("parameters")?;
    if !is_capitals(source.get(name.byte_range())?) || parameters.named_child_count() != 1 {
        return None;
    }
    let parameter = parameters.named_child(0)?;
    let made = parameter.child_by_field_name("type")?;
    let is_name = made.kind() == "type_identifier" && made.byte_range() == parameter.byte_range();
    (is_name && !is_capitals(source.get(made.byte_range())?)).then_some(made)
}

/// The name below the nested declarators of C and C++: `*(*f)(int)` has the name `f`. None where what is
/// declared is not a function.
pub(crate) fn function_name<'tree>(declarator: Node<'tree>, source: &[u8]) -> Option<Node<'tree>> {
    if declarator.kind() == "parenthesized_declarator" {
        return without_type(declarator, source);
    }
    if let Some(made) = made_by_macro(declarator, source) {
        return Some(made);
    }
    let mut node = declarator;
    let mut is_function = false;
    loop {
        is_function |= node.kind() == "function_declarator";
        if is_conversion(node) {
            return Some(node);
        }
        let inner = node.child_by_field_name("declarator").or_else(|| {
            let wraps = matches!(
                node.kind(),
                "parenthesized_declarator" | "reference_declarator" | "attributed_declarator"
            );
            wraps.then(|| node.named_child(0)).flatten()
        });
        match inner {
            Some(inner) => node = inner,
            None if is_function && !is_keyword(source.get(node.byte_range())?) => {
                return Some(last_before_parameters(node));
            }
            None => return None,
        }
    }
}

/// A definition without a type, which the grammar takes for a type and a name in parentheses: `main(void) { … }` of
/// old C, and a macro with one name. None inside a function, where it is a macro before a block,
/// `dispatch (opcode(i)) { … }`.
fn without_type<'tree>(declarator: Node<'tree>, source: &[u8]) -> Option<Node<'tree>> {
    let definition = declarator.parent()?;
    let around = definition.parent()?.kind();
    if around != "translation_unit" && !around.starts_with("preproc_") {
        return None;
    }
    let first = definition.child_by_field_name("type")?;
    let inner = declarator.named_child(0)?;
    let is_plain = declarator.named_child_count() == 1 && inner.kind() == "identifier";
    let (name, argument) = (
        source.get(first.byte_range())?,
        source.get(inner.byte_range())?,
    );
    if !is_plain || first.kind() != "type_identifier" || is_keyword(name) {
        return None;
    }
    match is_capitals(name) {
        true => (!is_capitals(argument)).then_some(inner),
        false => Some(first),
    }
}

/// Whether this is `operator bool() const` or `A::operator bool() const`.
fn is_conversion(node: Node<'_>) -> bool {
    let name = node.child_by_field_name("name");
    node.kind() == "operator_cast" || name.is_some_and(|name| name.kind() == "operator_cast")
}

/// The grammar knows no macros, and takes `lua_Integer` in `LUALIB_API lua_Integer luaL_len (lua_State *L)` for
/// the name and `luaL_len` for an error: the name is what stands directly before the parameters.
fn last_before_parameters(name: Node<'_>) -> Node<'_> {
    let error = name.next_sibling().filter(Node::is_error);
    let names = error.and_then(|error| {
        let last = error.named_child_count().checked_sub(1)?;
        error.named_child(u32::try_from(last).ok()?)
    });
    names
        .filter(|last| last.kind().ends_with("identifier"))
        .unwrap_or(name)
}

/// The scope in a name and, last, the name itself.
fn scoped_name(kind: ModuleKind, node: &str, text: &str) -> Vec<String> {
    match node {
        // `Type.prototype.f = function …` defines a method; what a file exports is known by its own name.
        "member_expression" => {
            let outer = ["module", "exports", "this", "self", "window", "globalThis"];
            let mut names: Vec<&str> = text.split('.').map(str::trim).collect();
            let known = names.iter().take(names.len() - 1);
            let known = known.take_while(|name| outer.contains(name)).count();
            names.drain(..known);
            match names.iter().position(|&name| name == "prototype") {
                Some(at) if at > 0 && at + 1 < names.len() => {
                    vec![names[..at].join("."), names[at + 1..].join(".")]
                }
                _ => vec![names.join(".")],
            }
        }
        // `function Table.f()` and `function Table:f()` of Lua.
        "dot_index_expression" | "method_index_expression" => match text.rfind(['.', ':']) {
            Some(at) => vec![text[..at].replace(':', "."), text[at + 1..].to_owned()],
            None => vec![text.to_owned()],
        },
        "string" => vec![text.trim_matches(['"', '\'']).to_owned()],
        "simple_symbol" => vec![text.trim_start_matches(':').to_owned()],
        "computed_property_name" | "operator" | "setter" => vec![text.to_owned()],
        _ if kind == ModuleKind::Namespace => vec![text.to_owned()],
        _ => {
            // `operator T *` and the like are names with spaces; a type's references and lifetimes are not
            // part of the name of its class.
            let mut parts = qualified::parts(text.trim_start_matches(['&', '*']));
            if parts.is_empty() && !text.is_empty() {
                // An operator of its own: `<`, `[]`.
                parts.push(text.to_owned());
            }
            let is_whole = matches!(node, "qualified_identifier" | "scope_resolution");
            if kind == ModuleKind::Class && !is_whole {
                // `impl super::Type` does not stand inside of `super`.
                parts.drain(..parts.len().saturating_sub(1));
            }
            parts
        }
    }
}

/// Statements that a grammar takes for functions where a macro has confused it.
fn is_keyword(name: &[u8]) -> bool {
    let keywords: [&[u8]; 8] = [
        b"if", b"else", b"for", b"while", b"do", b"switch", b"return", b"catch",
    ];
    keywords.contains(&name)
}

fn line_number(row: usize) -> u32 {
    u32::try_from(row).map_or(u32::MAX, |row| row.saturating_add(1))
}

/// What a syntax tree shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub found: Vec<Found>,
    /// Bytes; in order of start.
    pub comments: Vec<Range<usize>>,
    /// Lines, from 0, of strings that span lines.
    pub texts: Vec<Range<usize>>,
    /// Decision points: bytes, in order of start.
    pub branches: Vec<Range<usize>>,
}
