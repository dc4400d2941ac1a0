//! Nesting: what the syntax tree defines, as modules in which functions are leaves.

use std::ops::Range;

use super::code_lines::CodeLines;
use super::definitions::{Definition, Found, Seen};
use super::macros;
use callscape_facts::hierarchy::ModuleKind;

/// A definition that is open while those after it are looked at.
struct Open {
    /// Where its text ends, in bytes.
    end: usize,
    module: usize,
    is_function: bool,
}

/// Deeper nested functions than this many bytes of qualified name keep only their own name.
const LONGEST_PREFIX: usize = 400;

/// Nests definitions by their spans. Parents stand before children.
///
/// A function is a leaf: what is defined inside it becomes its sibling under a qualified name, `f.<locals>.g`
/// with `nested` being `.<locals>.`, and its lines and decision points count there and not for the outer function.
/// Neighbours of one name that are classes or namespaces become one: a Rust type and its implementations, the
/// methods of a class that a C++ file defines. No module has more lines of code or of comments than the one around
/// it, nor than `file_loc` and `file_comments`. O(n log n).
pub(crate) fn nest(
    seen: Seen,
    nested: &str,
    lines: &CodeLines,
    file_loc: u32,
    file_comments: u32,
) -> Vec<Definition> {
    let mut found = seen.found;
    found.sort_by(|a, b| {
        let key = |found: &Found| {
            let end = std::cmp::Reverse(found.span.end);
            (found.span.start, end, found.pattern)
        };
        key(a).cmp(&key(b))
    });
    found.dedup_by(|later, first| later.span == first.span && later.kind == first.kind);
    extend_rests(&mut found, lines);

    let mut modules = Modules::default();
    let mut open: Vec<Open> = Vec::new();
    let mut functions: Vec<(Range<usize>, usize)> = Vec::new();
    for found in found {
        while open.pop_if(|open| open.end <= found.span.start).is_some() {}
        if found.kind == ModuleKind::Function
            && open.last().is_some_and(|around| around.is_function)
            && macros::is_capitals(found.name.as_bytes())
        {
            // A macro before a block, `FOR_EACH(x) { … }`, is no function.
            continue;
        }
        let (parent, name) = match open.last() {
            None => (None, found.name),
            Some(around) if !around.is_function => (Some(around.module), found.name),
            Some(around) => {
                let outer = &mut modules.definitions[around.module];
                (outer.parent, take_out(outer, &found, nested, lines))
            }
        };
        let mut definition = Definition {
            kind: ModuleKind::Class,
            name: String::new(),
            line: found.line,
            end_line: found.end_line,
            loc: 0,
            comment_lines: 0,
            functions: 0,
            complexity: 0,
            parent,
        };
        for class in found.scope {
            definition.name = class;
            definition.parent = Some(modules.join_or_add(definition.clone()));
        }
        definition.kind = found.kind;
        definition.name = name;
        let is_function = found.kind == ModuleKind::Function;
        let module = if is_function {
            definition.loc = lines.count(found.line, found.end_line);
            definition.comment_lines = lines.comments(found.line, found.end_line);
            (definition.functions, definition.complexity) = (1, 1);
            let module = modules.add(definition);
            functions.push((found.span.clone(), module));
            module
        } else {
            modules.join_or_add(definition)
        };
        open.push(Open {
            end: found.span.end,
            module,
            is_function,
        });
    }
    count_branches(&seen.branches, &functions, &mut modules.definitions);
    modules.finish(lines, file_loc, file_comments)
}

/// Takes the lines of what is defined inside a function away from that function; its qualified name.
fn take_out(outer: &mut Definition, inner: &Found, nested: &str, lines: &CodeLines) -> String {
    let loc = lines.count(inner.line, inner.end_line);
    outer.loc = outer.loc.saturating_sub(loc);
    let comments = lines.comments(inner.line, inner.end_line);
    outer.comment_lines = outer.comment_lines.saturating_sub(comments);
    if outer.name.len() > LONGEST_PREFIX {
        inner.name.clone()
    } else {
        [&outer.name, nested, &inner.name].concat()
    }
}

/// Lets each namespace without braces reach to the next one or to the end of the file.
fn extend_rests(found: &mut [Found], lines: &CodeLines) {
    let mut end = (usize::MAX, lines.last_line());
    for found in found.iter_mut().rev().filter(|found| found.is_rest) {
        found.span.end = end.0;
        found.end_line = end.1.max(found.end_line);
        end = (found.span.start, found.line.saturating_sub(1));
    }
}

/// Adds each decision point to the innermost function around it. Both are in order of start. O(n).
fn count_branches(
    branches: &[Range<usize>],
    functions: &[(Range<usize>, usize)],
    definitions: &mut [Definition],
) {
    let mut functions = functions.iter().peekable();
    let mut open: Vec<&(Range<usize>, usize)> = Vec::new();
    for branch in branches {
        while let Some(function) = functions.next_if(|(span, _)| span.start <= branch.start) {
            while open
                .pop_if(|(span, _)| span.end <= function.0.start)
                .is_some()
            {}
            open.push(function);
        }
        while open.pop_if(|(span, _)| span.end <= branch.start).is_some() {}
        if let Some((_, module)) = open.last() {
            let complexity = &mut definitions[*module].complexity;
            *complexity = complexity.saturating_add(1);
        }
    }
}

#[derive(Default)]
struct Modules {
    definitions: Vec<Definition>,
    /// By definition, the last of its children; the last entry of `last_in_file` is that of the file.
    last_child: Vec<Option<usize>>,
    last_in_file: Option<usize>,
}

impl Modules {
    fn last_child(&mut self, parent: Option<usize>) -> &mut Option<usize> {
        match parent {
            Some(parent) => &mut self.last_child[parent],
            None => &mut self.last_in_file,
        }
    }

    fn add(&mut self, definition: Definition) -> usize {
        let module = self.definitions.len();
        *self.last_child(definition.parent) = Some(module);
        self.definitions.push(definition);
        self.last_child.push(None);
        module
    }

    /// Adds a class or namespace, or widens the neighbour before it when that has the same name.
    fn join_or_add(&mut self, definition: Definition) -> usize {
        if let Some(last) = *self.last_child(definition.parent) {
            let before = &mut self.definitions[last];
            if before.kind != ModuleKind::Function && before.name == definition.name {
                before.end_line = before.end_line.max(definition.end_line);
                return last;
            }
        }
        self.add(definition)
    }

    fn finish(mut self, lines: &CodeLines, file_loc: u32, file_comments: u32) -> Vec<Definition> {
        for module in 0..self.definitions.len() {
            let parent = self.definitions[module].parent;
            let (most, most_comments) = match parent {
                Some(parent) => {
                    let parent = &self.definitions[parent];
                    (parent.loc, parent.comment_lines)
                }
                None => (file_loc, file_comments),
            };
            let definition = &mut self.definitions[module];
            let whole = lines.count(definition.line, definition.end_line);
            if definition.kind == ModuleKind::Function {
                // A function that shares all its lines with others still has one.
                definition.loc = definition.loc.max(whole.min(1)).min(most);
            } else {
                definition.loc = whole.min(most);
                definition.comment_lines = lines.comments(definition.line, definition.end_line);
            }
            definition.comment_lines = definition.comment_lines.min(most_comments);
        }
        for module in (0..self.definitions.len()).rev() {
            let Definition {
                functions,
                complexity,
                parent,
                ..
            } = self.definitions[module];
            if let Some(parent) = parent {
                let parent = &mut self.definitions[parent];
                parent.functions = parent.functions.saturating_add(functions);
                parent.complexity = parent.complexity.saturating_add(complexity);
            }
        }
        self.definitions
    }
}
