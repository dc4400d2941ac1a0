//! Nesting: what the syntax tree defines, as modules in which functions are leaves.

use super::code_lines::CodeLines;
use super::definitions::{Definition, Found};
use super::macros;
use crate::facts::hierarchy::ModuleKind;

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
/// with `nested` being `.<locals>.`, and its lines count there and not for the outer function. Neighbours
/// of one name that are classes or namespaces become one: a Rust type and its implementations, the methods of
/// a class that a C++ file defines. No module has more lines of code than the one around it, nor than
/// `file_loc`. O(n log n).
pub fn nest(
    mut found: Vec<Found>,
    nested: &str,
    lines: &CodeLines,
    file_loc: u32,
) -> Vec<Definition> {
    found.sort_by(|a, b| {
        let key = |found: &Found| {
            let end = std::cmp::Reverse(found.span.end);
            (found.span.start, end, found.pattern)
        };
        key(a).cmp(&key(b))
    });
    found.dedup_by(|later, first| later.span == first.span && later.kind == first.kind);

    let mut modules = Modules::default();
    let mut open: Vec<Open> = Vec::new();
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
                let inner = lines.count(found.line, found.end_line);
                outer.loc = outer.loc.saturating_sub(inner);
                let name = if outer.name.len() > LONGEST_PREFIX {
                    found.name
                } else {
                    [&outer.name, nested, &found.name].concat()
                };
                (outer.parent, name)
            }
        };
        let mut definition = Definition {
            kind: ModuleKind::Class,
            name: String::new(),
            line: found.line,
            end_line: found.end_line,
            loc: 0,
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
            modules.add(definition)
        } else {
            modules.join_or_add(definition)
        };
        open.push(Open {
            end: found.span.end,
            module,
            is_function,
        });
    }
    modules.finish(lines, file_loc)
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

    fn finish(mut self, lines: &CodeLines, file_loc: u32) -> Vec<Definition> {
        for module in 0..self.definitions.len() {
            let parent = self.definitions[module].parent;
            let most = parent.map_or(file_loc, |parent| self.definitions[parent].loc);
            let definition = &mut self.definitions[module];
            let whole = lines.count(definition.line, definition.end_line);
            definition.loc = if definition.kind == ModuleKind::Function {
                // A function that shares all its lines with others still has one.
                definition.loc.max(whole.min(1)).min(most)
            } else {
                whole.min(most)
            };
        }
        self.definitions
    }
}
