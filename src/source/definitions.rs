//! The functions, classes and namespaces of one file, found in its syntax tree and nested by their spans.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use tree_sitter::{
    Node, ParseOptions, Parser, QueryCursor, QueryCursorOptions, QueryMatch, StreamingIterator,
    Tree,
};

use super::code_lines::CodeLines;
use super::languages::{Compiled, Language};
use super::nesting;
use super::qualified;
use crate::facts::hierarchy::ModuleKind;
use crate::progress::Progress;

/// A definition as the syntax tree has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
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
}

/// A module of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub kind: ModuleKind,
    pub name: String,
    /// From 1.
    pub line: u32,
    /// From 1, included.
    pub end_line: u32,
    pub loc: u32,
    /// Index of a definition that stands before this one; none for those directly in the file.
    pub parent: Option<usize>,
}

/// How long the syntax of one file may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a file's definitions are unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unparsed {
    Cancelled,
    TookTooLong,
    /// A grammar and its query do not fit together.
    NoGrammar,
}

/// Reads syntax; one for each thread, reused from file to file.
pub struct Reader {
    parser: Parser,
    cursor: QueryCursor,
}

impl Default for Reader {
    fn default() -> Reader {
        Reader {
            parser: Parser::new(),
            cursor: QueryCursor::new(),
        }
    }
}

/// A syntax tree and the language that it is of.
struct Parsed {
    language: &'static Language,
    compiled: &'static Compiled,
    tree: Tree,
}

impl Reader {
    /// The definitions in `source`, parents before children, none with more than `file_loc` lines of code.
    ///
    /// Where several languages are given, as for a header that may be C or C++, the one that reads it with
    /// the fewest errors counts.
    pub fn read(
        &mut self,
        languages: &[&'static Language],
        source: &[u8],
        file_loc: u32,
        progress: &Progress,
    ) -> Result<Vec<Definition>, Unparsed> {
        let started = Instant::now();
        let give_up = || progress.check().is_err() || started.elapsed() > PATIENCE;
        let mut best: Option<(usize, Parsed)> = None;
        for language in languages {
            let parsed = self.parse(language, source, &give_up);
            let parsed = parsed.map_err(|error| because(error, progress))?;
            let errors = count_errors(&parsed.tree);
            if best.as_ref().is_none_or(|(fewest, _)| errors < *fewest) {
                best = Some((errors, parsed));
            }
            if errors == 0 {
                break;
            }
        }
        let (_, parsed) = best.ok_or(Unparsed::NoGrammar)?;
        let (found, lines) = self
            .query(&parsed, source, &give_up)
            .ok_or_else(|| because(Unparsed::TookTooLong, progress))?;
        Ok(nesting::nest(
            found,
            parsed.language.nested,
            &lines,
            file_loc,
        ))
    }

    fn parse(
        &mut self,
        language: &'static Language,
        source: &[u8],
        give_up: &impl Fn() -> bool,
    ) -> Result<Parsed, Unparsed> {
        let compiled = language.compiled().ok_or(Unparsed::NoGrammar)?;
        self.parser
            .set_language(&compiled.grammar)
            .map_err(|_| Unparsed::NoGrammar)?;
        // A parse that was given up before would be resumed without this.
        self.parser.reset();
        let mut watch = |_: &tree_sitter::ParseState| stop_if(give_up());
        let options = ParseOptions::new().progress_callback(&mut watch);
        let mut prepared = Cow::Borrowed(source);
        if let Some(prepare) = language.prepare {
            prepare(prepared.to_mut());
        }
        let mut read = |at: usize, _| prepared.get(at..).unwrap_or_default();
        let tree = self
            .parser
            .parse_with_options(&mut read, None, Some(options))
            .ok_or(Unparsed::TookTooLong)?;
        Ok(Parsed {
            language,
            compiled,
            tree,
        })
    }

    /// Runs the language's query over the tree; none when it was given up.
    fn query(
        &mut self,
        parsed: &Parsed,
        source: &[u8],
        give_up: &impl Fn() -> bool,
    ) -> Option<(Vec<Found>, CodeLines)> {
        let captures = &parsed.compiled.captures;
        let mut found: Vec<Found> = Vec::new();
        let mut comments: Vec<Range<usize>> = Vec::new();
        let mut texts: Vec<Range<usize>> = Vec::new();
        let mut watch = |_: &tree_sitter::QueryCursorState| stop_if(give_up());
        let options = QueryCursorOptions::new().progress_callback(&mut watch);
        let root = parsed.tree.root_node();
        let query = &parsed.compiled.query;
        let mut matches = self
            .cursor
            .matches_with_options(query, root, source, options);
        while let Some(matched) = matches.next() {
            let node = |capture: Option<u32>| capture_node(matched, capture);
            if let Some(comment) = node(captures.comment) {
                comments.push(comment.byte_range());
            } else if let Some(text) = node(captures.text) {
                let (first, last) = (text.start_position().row, text.end_position().row);
                if first != last {
                    texts.push(first..last + 1);
                }
            } else {
                let kinds = [
                    (captures.function, ModuleKind::Function),
                    (captures.class, ModuleKind::Class),
                    (captures.namespace, ModuleKind::Namespace),
                ];
                let defined = kinds
                    .iter()
                    .find_map(|&(capture, kind)| Some((node(capture)?, kind)));
                let name = match node(captures.declarator) {
                    Some(declarator) => function_name(declarator, source),
                    None => node(captures.name),
                };
                if let (Some((node, kind)), Some(name)) = (defined, name) {
                    let pattern = matched.pattern_index;
                    found.extend(
                        definition(kind, node, name, source)
                            .map(|found| Found { pattern, ..found }),
                    );
                }
            }
        }
        drop(matches);
        if give_up() {
            return None;
        }
        comments.sort_by_key(|comment| comment.start);
        Some((found, CodeLines::new(source, &comments, &texts)))
    }
}

fn because(error: Unparsed, progress: &Progress) -> Unparsed {
    match error {
        Unparsed::TookTooLong if progress.check().is_err() => Unparsed::Cancelled,
        error => error,
    }
}

fn stop_if(stop: bool) -> ControlFlow<()> {
    if stop {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}

fn capture_node<'tree>(
    matched: &QueryMatch<'_, 'tree>,
    capture: Option<u32>,
) -> Option<Node<'tree>> {
    let capture = capture?;
    let captures = matched.captures().iter();
    captures
        .filter(|found| found.index == capture)
        .map(|found| found.node)
        .next()
}

/// Errors and missing tokens in a tree. Visits only what lies above one.
fn count_errors(tree: &Tree) -> usize {
    let mut cursor = tree.walk();
    let mut errors = 0;
    loop {
        let node = cursor.node();
        errors += usize::from(node.is_error() || node.is_missing());
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return errors;
            }
        }
    }
}

/// The name below the nested declarators of C and C++: `*(*f)(int)` has the name `f`. None where what is
/// declared is not a function.
fn function_name<'tree>(declarator: Node<'tree>, source: &[u8]) -> Option<Node<'tree>> {
    if declarator.kind() == "parenthesized_declarator" {
        // A macro before a block, `dispatch (opcode(i)) { … }`.
        return None;
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

/// Longer names are cut: they are generated, or not names at all.
const LONGEST_NAME: usize = 200;

fn definition(kind: ModuleKind, node: Node<'_>, name: Node<'_>, source: &[u8]) -> Option<Found> {
    let text = source.get(name.byte_range())?;
    let text = &text[..text.len().min(LONGEST_NAME)];
    let text = String::from_utf8_lossy(text);
    let text = match text.find('(') {
        Some(parameters) if is_conversion(name) => &text[..parameters],
        _ => &text,
    };
    let text: Vec<&str> = text.split_whitespace().collect();
    let mut scope = scoped_name(kind, name.kind(), &text.join(" "));
    let name = scope.pop()?;
    let (start, end) = (node.start_position(), node.end_position());
    // A node that ends with a line break ends at the first column of the line after it.
    let last = if end.column == 0 && end.row > start.row {
        end.row - 1
    } else {
        end.row
    };
    Some(Found {
        kind,
        scope,
        name,
        pattern: 0,
        span: node.byte_range(),
        line: line_number(start.row),
        end_line: line_number(last),
    })
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
        "string" => vec![text.trim_matches(['"', '\'']).to_owned()],
        "computed_property_name" => vec![text.to_owned()],
        _ if kind == ModuleKind::Namespace => vec![text.to_owned()],
        _ => {
            // `operator T *` and the like are names with spaces; a type's references and lifetimes are not
            // part of the name of its class.
            let mut parts = qualified::parts(text.trim_start_matches(['&', '*']));
            if kind == ModuleKind::Class && node != "qualified_identifier" {
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
