//! What has been found in a file while its tree is walked.

use std::collections::HashMap;

use tree_sitter::Node;

use super::file::{
    Base, CallByName, FileRelations, Globals, Import, ImportKind, METHOD, OUTSIDE, PLAIN,
};
use crate::definitions::Definition;
use callscape_facts::hierarchy::ModuleKind;

/// More imports or names of one file are not kept: it was generated.
const MOST: usize = 100_000;

/// Longer paths and names lead nowhere.
const LONGEST: usize = 1000;

/// Reads one node.
pub(super) type Visit = fn(Node<'_>, &mut Found<'_>);

/// What has been found in a file so far.
pub(super) struct Found<'a> {
    pub source: &'a [u8],
    pub imports: Vec<Import>,
    pub calls: Vec<FoundCall>,
    pub names: HashMap<Box<str>, u32>,
    pub package: Box<str>,
    /// Where global variables are declared, whether they may be a class's, and their names.
    globals: Vec<(usize, bool, &'a str)>,
    /// Where classes have their names, and what they inherit from.
    bases: Vec<(usize, Box<str>)>,
}

/// A call, or a use, of a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FoundCall {
    /// Where it begins, which says what function it is in.
    pub row: usize,
    pub qualifier: u32,
    pub name: u32,
    pub is_call: bool,
    /// Where its arguments begin, which is behind its name: of `a⏎.f()` the second row.
    pub arguments: usize,
}

/// What a name stands behind.
pub(super) enum Before<'a> {
    Nothing,
    Value,
    Named(&'a str),
}

impl<'a> Found<'a> {
    /// The text of a node; empty where it is none.
    pub(super) fn text(&self, node: Node<'_>) -> &'a str {
        let bytes = self.source.get(node.byte_range()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub(super) fn field(&self, node: Node<'_>, name: &str) -> &'a str {
        node.child_by_field_name(name)
            .map_or("", |node| self.text(node))
    }

    /// The text of a literal without its quotes; none where parts of it are worked out.
    pub(super) fn literal(&self, node: Node<'_>) -> Option<&'a str> {
        let text = self.text(node).trim();
        let quote = text.chars().next().filter(|it| "\"'`".contains(*it))?;
        let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
        let is_worked_out = quote != '\'' && (inside.contains("${") || inside.contains("#{"));
        (!is_worked_out && !inside.contains('\n')).then_some(inside)
    }

    pub(super) fn import(&mut self, node: Node<'_>, kind: ImportKind, path: &str) {
        self.import_as(node, kind, path, "", "");
    }

    pub(super) fn import_as(
        &mut self,
        node: Node<'_>,
        kind: ImportKind,
        path: &str,
        name: &str,
        alias: &str,
    ) {
        let path: String = path.split_whitespace().collect();
        self.add(Import {
            line: line_of(node),
            kind,
            path: path.into(),
            name: name.trim().into(),
            alias: alias.trim().into(),
            scope: Box::default(),
        });
    }

    pub(super) fn add(&mut self, import: Import) {
        let is_kept = !import.path.is_empty() && import.path.len() <= LONGEST;
        if is_kept && self.imports.len() < MOST {
            self.imports.push(import);
        }
    }

    /// A call, or with `is_call` false a use, of `name`.
    pub(super) fn call(&mut self, node: Node<'_>, before: Before<'_>, name: &str, is_call: bool) {
        if name.is_empty() || name.len() > LONGEST || self.names.len() >= MOST {
            return;
        }
        let qualifier = match before {
            Before::Nothing => PLAIN,
            Before::Named(text) if is_path(text) => self.name(text),
            Before::Named(_) | Before::Value => METHOD,
        };
        let name = self.name(name);
        self.calls.push(FoundCall {
            row: node.start_position().row,
            qualifier,
            name,
            is_call,
            arguments: row_of_arguments(node),
        });
    }

    /// A call of what has no name.
    pub(super) fn nameless(&mut self, node: Node<'_>) {
        let name = self.name("");
        self.calls.push(FoundCall {
            row: node.start_position().row,
            qualifier: METHOD,
            name,
            is_call: true,
            arguments: row_of_arguments(node),
        });
    }

    /// A global variable.
    pub(super) fn global(&mut self, node: Node<'_>, name: &'a str) {
        self.variable(node, true, name);
    }

    /// One that is in no class, though it may be declared with one: `struct A { … } a;`.
    pub(super) fn global_of_no_class(&mut self, node: Node<'_>, name: &'a str) {
        self.variable(node, false, name);
    }

    fn variable(&mut self, node: Node<'_>, may_be_of_class: bool, name: &'a str) {
        if !name.is_empty() && self.globals.len() < MOST {
            let row = node.start_position().row;
            self.globals.push((row, may_be_of_class, name));
        }
    }

    /// A class inherits from what `name` names.
    pub(super) fn base(&mut self, class: Node<'_>, name: &str) {
        let name = name.split(['<', '[', '(']).next().unwrap_or_default();
        let name: String = name.split_whitespace().collect();
        if !name.is_empty() && name.len() <= LONGEST && self.bases.len() < MOST {
            let at = class.child_by_field_name("name").unwrap_or(class);
            self.bases.push((at.start_position().row, name.into()));
        }
    }

    pub(super) fn name(&mut self, name: &str) -> u32 {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        let next = self.names.len() as u32;
        self.names.insert(name.into(), next);
        next
    }
}

/// Whether a text is nothing but names with points, colons, arrows and backslashes between them.
fn is_path(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_.:$\\@".contains(c);
    text.len() <= 200 && !text.is_empty() && text.chars().all(is_part)
}

fn row_of_arguments(node: Node<'_>) -> usize {
    let arguments = node.child_by_field_name("arguments");
    // Grammars without the field have them last.
    let arguments = arguments.or_else(|| node.child(node.child_count().saturating_sub(1)));
    arguments.unwrap_or(node).start_position().row
}

pub(super) fn line_of(node: Node<'_>) -> u32 {
    line_at(node.start_position().row)
}

/// From 1, of a row from 0.
fn line_at(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX - 1) + 1
}

impl<'a> Found<'a> {
    pub(super) fn new(source: &'a [u8]) -> Found<'a> {
        Found {
            source,
            imports: Vec::new(),
            calls: Vec::new(),
            names: HashMap::new(),
            package: Box::default(),
            globals: Vec::new(),
            bases: Vec::new(),
        }
    }
}

impl Found<'_> {
    pub(super) fn finish(mut self, definitions: &[Definition]) -> FileRelations {
        self.calls.sort_unstable();
        let callers = Around::new(definitions, |kind| kind == ModuleKind::Function);
        let owners = Around::new(definitions, |kind| kind != ModuleKind::Function);
        let namespaces = Around::new(definitions, |kind| kind == ModuleKind::Namespace);
        let classes = Around::new(definitions, |kind| kind == ModuleKind::Class);
        let mut calls: HashMap<(u32, u32, u32), u32> = HashMap::new();
        for call in self.calls {
            let caller = callers.at(call.row as u32 + 1);
            let key = (caller, call.qualifier, call.name);
            *calls.entry(key).or_default() += u32::from(call.is_call);
        }
        let calls = calls.into_iter();
        let mut calls: Vec<CallByName> = calls
            .map(|((caller, qualifier, name), count)| CallByName {
                caller,
                qualifier,
                name,
                count,
            })
            .collect();
        calls.sort_unstable();
        let mut names: Vec<(u32, Box<str>)> = self
            .names
            .into_iter()
            .map(|(name, index)| (index, name))
            .collect();
        names.sort_unstable();
        let named = self.globals.into_iter();
        let mut globals: Vec<(u32, &str)> = named
            .map(|(row, may_be_of_class, name)| match may_be_of_class {
                true => (owners.at(line_at(row)), name),
                false => (namespaces.at(line_at(row)), name),
            })
            .collect();
        globals.sort_unstable();
        globals.dedup();
        let globals = globals.chunk_by(|a, b| a.0 == b.0).map(|same| Globals {
            owner: same[0].0,
            count: same.len() as u32,
        });
        let bases = self.bases.into_iter().map(|(row, name)| Base {
            class: classes.at(line_at(row)),
            line: line_at(row),
            name,
        });
        FileRelations {
            globals: globals.collect(),
            bases: bases.filter(|it| it.class != OUTSIDE).collect(),
            imports: self.imports,
            calls,
            names: names.into_iter().map(|(_, name)| name).collect(),
            package: self.package,
        }
    }
}

/// Which definition of some kinds a line is in.
struct Around {
    /// First line, last line and index, by first line; inner ones behind those around them.
    functions: Vec<(u32, u32, u32)>,
    /// By place in `functions`, the place of the one around it.
    around: Vec<Option<usize>>,
}

impl Around {
    fn new(definitions: &[Definition], is_one: impl Fn(ModuleKind) -> bool) -> Around {
        let all = definitions.iter().zip(0u32..);
        let all = all.filter(|(definition, _)| is_one(definition.kind));
        let mut functions: Vec<(u32, u32, u32)> = all
            .map(|(definition, index)| (definition.line, definition.end_line, index))
            .collect();
        functions.sort_by_key(|&(first, last, index)| (first, std::cmp::Reverse(last), index));
        let mut around = Vec::with_capacity(functions.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, &(first, ..)) in functions.iter().enumerate() {
            while open.pop_if(|open| functions[*open].1 < first).is_some() {}
            around.push(open.last().copied());
            open.push(at);
        }
        Around { functions, around }
    }

    /// The innermost one with this line.
    fn at(&self, line: u32) -> u32 {
        let after = self.functions.partition_point(|&(first, ..)| first <= line);
        let mut at = after.checked_sub(1);
        while let Some(one) = at {
            if self.functions[one].1 >= line {
                return self.functions[one].2;
            }
            at = self.around[one];
        }
        OUTSIDE
    }
}
