//! What a grammar misread: where the errors of a syntax tree are, and the conditionals that tear definitions apart there.

use std::ops::Range;
use std::path::{Path, PathBuf};

use tree_sitter::Tree;

use super::conditionals::{self, Conditional};
use super::languages::Preprocessor;

/// The conditionals of a text that stand where its tree has errors.
pub(crate) fn torn_conditionals(
    tree: &Tree,
    preprocessor: Option<Preprocessor>,
    source: &[u8],
) -> Vec<Conditional> {
    let preprocessor = match preprocessor {
        Some(preprocessor) if tree.root_node().has_error() && preprocessor.has_conditionals() => {
            preprocessor
        }
        _ => return Vec::new(),
    };
    let mut conditionals = conditionals::find(source, preprocessor);
    if conditionals.is_empty() {
        return conditionals;
    }
    let misread = lines(tree, source);
    conditionals.retain(|conditional| conditional.is_torn_in(&misread));
    conditionals
}

/// The lines around what a tree has misread, in order and apart: whole definitions with an error in them, and what
/// stands beside an error and is no definition.
pub(crate) fn lines(tree: &Tree, source: &[u8]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut last_line_end = 0;
    let mut add = |range: Range<usize>| {
        if range.end <= last_line_end {
            // On the last line of the one before: a line may be long, and have many.
            return;
        }
        // A line more on both sides: what is torn need not reach to the directive.
        let before = memchr::memrchr(b'\n', &source[..range.start]).unwrap_or(0);
        let start = memchr::memrchr(b'\n', &source[..before]).map_or(0, |at| at + 1);
        let line_end = |from: usize| {
            let length = memchr::memchr(b'\n', &source[from..]);
            length.map_or(source.len(), |length| from + length + 1)
        };
        last_line_end = line_end(range.end.min(source.len()));
        let end = line_end(last_line_end);
        match ranges.last_mut() {
            Some(last) if last.end >= start => last.end = last.end.max(end),
            _ => ranges.push(start..end),
        }
    };
    let mut cursor = tree.walk();
    // Where what is no definition begins, on the way to the node at hand.
    let mut loose: Option<usize> = None;
    let mut is_beside_error = false;
    loop {
        let node = cursor.node();
        let is_error = node.is_error() || node.is_missing();
        if node.has_error() && !is_error && holds_definitions(node.kind()) {
            if is_beside_error && let Some(start) = loose {
                add(start..node.start_byte());
            }
            (loose, is_beside_error) = (None, false);
            if cursor.goto_first_child() {
                continue;
            }
        }
        if is_error || node.has_error() || !is_definition(node.kind()) {
            loose.get_or_insert(node.start_byte());
            is_beside_error |= is_error || node.has_error();
        } else {
            if is_beside_error && let Some(start) = loose {
                add(start..node.start_byte());
            }
            (loose, is_beside_error) = (None, false);
        }
        while !cursor.goto_next_sibling() {
            let end = cursor.node().end_byte();
            if is_beside_error && let Some(start) = loose {
                add(start..end);
            }
            (loose, is_beside_error) = (None, false);
            if !cursor.goto_parent() {
                return ranges;
            }
        }
    }
}

/// Nodes whose children are definitions, of which one may be misread and all others not.
fn holds_definitions(kind: &str) -> bool {
    matches!(
        kind,
        "translation_unit"
            | "compilation_unit"
            | "linkage_specification"
            | "declaration_list"
            | "namespace_definition"
            | "namespace_declaration"
            | "class_specifier"
            | "struct_specifier"
            | "class_declaration"
            | "struct_declaration"
            | "field_declaration_list"
    ) || kind.starts_with("preproc_")
}

/// Nodes that an error before or behind them leaves as they are.
fn is_definition(kind: &str) -> bool {
    kind.ends_with("_definition")
        || kind.ends_with("_specifier")
        || kind.ends_with("declaration")
        || matches!(
            kind,
            "preproc_include" | "preproc_def" | "preproc_function_def"
        )
}

/// What a tree has misread in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    /// Relative to the tree's root.
    pub path: PathBuf,
    /// Of the first, from 1.
    pub line: usize,
    pub places: usize,
    /// On which nothing is found, for the grammar could not read them.
    pub lines: usize,
}

/// The errors of a tree, each the outermost node that is one; none of a tree without.
pub(crate) fn errors(tree: &Tree, path: &Path) -> Option<Errors> {
    let mut found: Option<Errors> = None;
    let mut cursor = tree.walk();
    // Below it all lines are counted.
    let mut counted = 0;
    loop {
        let node = cursor.node();
        let is_error = node.is_error();
        if is_error || node.is_missing() {
            let (first, last) = (node.start_position().row, node.end_position().row);
            let found = found.get_or_insert_with(|| Errors {
                path: path.to_owned(),
                line: first + 1,
                places: 0,
                lines: 0,
            });
            found.places += 1;
            if is_error {
                found.lines += (last + 1).saturating_sub(first.max(counted));
                counted = counted.max(last + 1);
            }
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Errors and missing tokens in a tree. Visits only what lies above one.
pub(crate) fn count_errors(tree: &Tree) -> usize {
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
