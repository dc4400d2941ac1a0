//! What the text of a file says of other files: what it imports, and what it calls by which name.
//!
//! Read from the syntax tree that is there anyhow, one walk over all of its nodes. `Family` says how a language writes
//! imports; one file here reads those of each family. Where an import leads is for `analysis::relations` to find out.

mod c;
mod go;
mod javascript;
mod jvm;
pub mod manifests;
mod other;
mod php;
mod python;
mod ruby;
mod rust;
mod rust_macros;
mod rust_paths;
pub mod sites;

use std::collections::HashMap;

use tokei::LanguageType;
use tree_sitter::{Language, Node, Tree};

use super::definitions::Definition;
use callscape_facts::hierarchy::ModuleKind;

/// More imports or names of one file are not kept: it was generated.
const MOST: usize = 100_000;
/// Longer paths and names lead nowhere.
const LONGEST: usize = 1000;

/// What the text of one file says of other files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRelations {
    /// In order of the text.
    pub imports: Vec<Import>,
    /// In order of caller, qualifier and name.
    pub calls: Vec<CallByName>,
    /// What qualifiers and names in `calls` stand for.
    pub names: Vec<Box<str>>,
    /// What it says that it belongs to, with points: `a.b`; empty where it says nothing.
    pub package: Box<str>,
}

/// One path that one statement imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// Of the statement's beginning, from 1.
    pub line: u32,
    pub kind: ImportKind,
    /// As the language writes it, without quotes, white space and aliases.
    pub path: Box<str>,
    /// What is imported of it, where that is told apart: `b` of `from a import b`, `*` for all.
    pub name: Box<str>,
    /// What it is called in the file, where that is neither `name` nor the end of `path`.
    pub alias: Box<str>,
    /// The modules of the same file around it, outermost first: `a::b`. Rust alone has them.
    pub scope: Box<str>,
}

/// How a path is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum ImportKind {
    /// A name: `a.b`, `a::b`, `a/b` of a package.
    #[default]
    Name,
    /// A file, from the directory of the file itself.
    Path,
    /// A file or a library, from directories that the text does not know.
    Search,
    /// `from path import name`.
    From,
    /// `mod a;` of Rust; its `name` is the path that an attribute gives.
    Module,
}

impl ImportKind {
    pub const ALL: [ImportKind; 5] = [
        ImportKind::Name,
        ImportKind::Path,
        ImportKind::Search,
        ImportKind::From,
        ImportKind::Module,
    ];
}

/// Calls of one name in one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallByName {
    /// Index of the function among the file's definitions; [`OUTSIDE`] for code in none.
    pub caller: u32,
    /// What stands before the name, as an index: `a::b` of `a::b::f()`. [`PLAIN`] and [`METHOD`] are no indices.
    pub qualifier: u32,
    pub name: u32,
    /// 0 where a name is only used.
    pub count: u32,
}

/// Code that stands in no function.
pub const OUTSIDE: u32 = u32::MAX;
/// A name without a qualifier.
pub const PLAIN: u32 = u32::MAX;
/// The name of a method of some value that the text does not name.
pub const METHOD: u32 = u32::MAX - 1;

/// Languages that import in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Family {
    C,
    Rust,
    Python,
    JavaScript,
    Jvm,
    CSharp,
    Go,
    Ruby,
    Php,
    Swift,
    Lua,
    Shell,
}

impl Family {
    /// None for languages without a grammar.
    pub fn of(language: LanguageType) -> Option<Family> {
        use LanguageType as L;
        Some(match language {
            L::C | L::CHeader | L::Cpp | L::CppHeader | L::CppModule => Family::C,
            L::Rust => Family::Rust,
            L::Python => Family::Python,
            L::JavaScript | L::Jsx | L::TypeScript | L::Tsx => Family::JavaScript,
            L::Java | L::Kotlin => Family::Jvm,
            L::CSharp => Family::CSharp,
            L::Go => Family::Go,
            L::Ruby | L::Rakefile => Family::Ruby,
            L::Php => Family::Php,
            L::Swift => Family::Swift,
            L::Lua => Family::Lua,
            L::Sh | L::Bash | L::Ksh => Family::Shell,
            _ => return None,
        })
    }

    /// The kinds of nodes that say something of other files, and what to do at them.
    fn visits(self) -> &'static [(&'static str, Visit)] {
        match self {
            Family::C => c::VISITS,
            Family::Rust => rust::VISITS,
            Family::Python => python::VISITS,
            Family::JavaScript => javascript::VISITS,
            Family::Jvm => jvm::VISITS,
            Family::CSharp => other::CSHARP,
            Family::Go => go::VISITS,
            Family::Ruby => ruby::VISITS,
            Family::Php => php::VISITS,
            Family::Swift => other::SWIFT,
            Family::Lua => other::LUA,
            Family::Shell => other::SHELL,
        }
    }
}

/// Reads one node.
type Visit = fn(Node<'_>, &mut Found<'_>);

/// What has been found in a file so far.
struct Found<'a> {
    source: &'a [u8],
    imports: Vec<Import>,
    calls: Vec<FoundCall>,
    names: HashMap<Box<str>, u32>,
    package: Box<str>,
}

/// A call, or a use, of a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FoundCall {
    /// Where it begins, which says what function it is in.
    row: usize,
    qualifier: u32,
    name: u32,
    is_call: bool,
    /// Where its arguments begin, which is behind its name: of `a⏎.f()` the second row.
    arguments: usize,
}

/// What a name stands behind.
enum Before<'a> {
    Nothing,
    Value,
    Named(&'a str),
}

impl<'a> Found<'a> {
    /// The text of a node; empty where it is none.
    fn text(&self, node: Node<'_>) -> &'a str {
        let bytes = self.source.get(node.byte_range()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    fn field(&self, node: Node<'_>, name: &str) -> &'a str {
        node.child_by_field_name(name)
            .map_or("", |node| self.text(node))
    }

    /// The text of a literal without its quotes; none where parts of it are worked out.
    fn literal(&self, node: Node<'_>) -> Option<&'a str> {
        let text = self.text(node).trim();
        let quote = text.chars().next().filter(|it| "\"'`".contains(*it))?;
        let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
        let is_worked_out = quote != '\'' && (inside.contains("${") || inside.contains("#{"));
        (!is_worked_out && !inside.contains('\n')).then_some(inside)
    }

    fn import(&mut self, node: Node<'_>, kind: ImportKind, path: &str) {
        self.import_as(node, kind, path, "", "");
    }

    fn import_as(&mut self, node: Node<'_>, kind: ImportKind, path: &str, name: &str, alias: &str) {
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

    fn add(&mut self, import: Import) {
        let is_kept = !import.path.is_empty() && import.path.len() <= LONGEST;
        if is_kept && self.imports.len() < MOST {
            self.imports.push(import);
        }
    }

    /// A call, or with `is_call` false a use, of `name`.
    fn call(&mut self, node: Node<'_>, before: Before<'_>, name: &str, is_call: bool) {
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
    fn nameless(&mut self, node: Node<'_>) {
        let name = self.name("");
        self.calls.push(FoundCall {
            row: node.start_position().row,
            qualifier: METHOD,
            name,
            is_call: true,
            arguments: row_of_arguments(node),
        });
    }

    fn name(&mut self, name: &str) -> u32 {
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

fn line_of(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row).unwrap_or(u32::MAX - 1) + 1
}

/// What to do at each kind of node of one grammar.
pub struct Visits(Vec<Option<Visit>>);

impl Visits {
    pub fn new(grammar: &Language, family: Family) -> Visits {
        Visits::with(grammar, family.visits().iter().copied())
    }

    fn with(grammar: &Language, kinds: impl Iterator<Item = (&'static str, Visit)>) -> Visits {
        let mut visits: Vec<Option<Visit>> = vec![None; grammar.node_kind_count()];
        for (kind, visit) in kinds {
            // Grammars have aliases: one name, several numbers.
            for id in 0..visits.len() as u16 {
                if grammar.node_kind_is_named(id) && grammar.node_kind_for_id(id) == Some(kind) {
                    visits[usize::from(id)] = Some(visit);
                }
            }
        }
        Visits(visits)
    }

    /// What `tree`, of `source`, says of other files; none where `give_up` says so meanwhile. Linear in the nodes.
    pub fn read(
        &self,
        tree: &Tree,
        source: &[u8],
        definitions: &[Definition],
        give_up: &impl Fn() -> bool,
    ) -> Option<FileRelations> {
        let mut found = Found::new(source);
        self.walk(
            tree,
            &mut found,
            |node, visit, found| visit(node, found),
            give_up,
        )?;
        Some(found.finish(definitions))
    }

    /// Hands each node that says something to `take`, with what to do at it; none where `give_up` says so meanwhile.
    fn walk<'a>(
        &self,
        tree: &Tree,
        found: &mut Found<'a>,
        take: impl Fn(Node<'_>, Visit, &mut Found<'a>),
        give_up: &impl Fn() -> bool,
    ) -> Option<()> {
        let mut cursor = tree.walk();
        let mut steps = 0u32;
        loop {
            let node = cursor.node();
            if let Some(Some(visit)) = self.0.get(usize::from(node.kind_id())) {
                take(node, *visit, found);
            }
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(1 << 14) && give_up() {
                return None;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Some(());
                }
            }
        }
    }
}

impl<'a> Found<'a> {
    fn new(source: &'a [u8]) -> Found<'a> {
        Found {
            source,
            imports: Vec::new(),
            calls: Vec::new(),
            names: HashMap::new(),
            package: Box::default(),
        }
    }
}

impl Found<'_> {
    fn finish(mut self, definitions: &[Definition]) -> FileRelations {
        self.calls.sort_unstable();
        let callers = Callers::new(definitions);
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
        FileRelations {
            imports: self.imports,
            calls,
            names: names.into_iter().map(|(_, name)| name).collect(),
            package: self.package,
        }
    }
}

/// Which function a line is in.
struct Callers {
    /// First line, last line and index, by first line; inner ones behind those around them.
    functions: Vec<(u32, u32, u32)>,
    /// By place in `functions`, the place of the one around it.
    around: Vec<Option<usize>>,
}

impl Callers {
    fn new(definitions: &[Definition]) -> Callers {
        let all = definitions.iter().zip(0u32..);
        let all = all.filter(|(definition, _)| definition.kind == ModuleKind::Function);
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
        Callers { functions, around }
    }

    /// The innermost function with this line.
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

#[cfg(test)]
mod tests;
