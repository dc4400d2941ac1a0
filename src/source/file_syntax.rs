//! The syntax of one version of a file, asked line by line: what its lines define, declare and use, and whether two stretches
//! of two versions say the same.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use tree_sitter::{Node, Tree};

use super::count::{self, LARGEST_SYNTAX};
use super::definitions::Definition;
use super::reader::{Reader, Unparsed};
use super::scan::candidates;
use callscape_base::progress::{Cancelled, Progress};
use callscape_facts::hierarchy::ModuleKind;

/// One version of a file.
pub struct FileSyntax {
    pub definitions: Vec<Definition>,
    tree: Tree,
    source: Vec<u8>,
    /// Blocks are told by how far lines are indented.
    is_indented: bool,
}

/// What lines outside of functions declare.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Declared {
    /// A variable, constant, field, type or import.
    Name(String),
    Macro(String),
    /// An included file, whose names are not known.
    Include(String),
}

impl FileSyntax {
    /// None where no grammar reads the text of the file at `path`, or it is too large to be read. Takes a second for 8 MB.
    pub fn read(
        path: &Path,
        text: &[u8],
        progress: &Progress,
    ) -> Result<Option<FileSyntax>, Cancelled> {
        progress.check()?;
        let language = count::language(path).ok();
        let Some(language) = language.filter(|_| text.len() as u64 <= LARGEST_SYNTAX) else {
            return Ok(None);
        };
        let languages = candidates(language, text);
        let read = Reader::default().definitions_and_tree(&languages, text, progress);
        match read {
            Ok((definitions, tree)) => Ok(Some(FileSyntax {
                definitions,
                tree,
                source: text.to_vec(),
                is_indented: language == tokei::LanguageType::Python,
            })),
            Err(Unparsed::Cancelled) => Err(Cancelled),
            Err(_) => {
                progress.check()?;
                Ok(None)
            }
        }
    }

    /// The innermost function with a line, as an index into the definitions.
    pub fn function_at(&self, line: u32) -> Option<usize> {
        let all = self.definitions.iter().enumerate();
        let around = all.filter(|(_, it)| {
            it.kind == ModuleKind::Function && it.line <= line && line <= it.end_line
        });
        let innermost =
            around.min_by_key(|(at, it)| (it.end_line - it.line, std::cmp::Reverse(*at)));
        innermost.map(|(at, _)| at)
    }

    /// The names of a definition and those around it, outermost first.
    pub fn names_of(&self, definition: usize) -> Vec<&str> {
        let mut names = Vec::new();
        let mut at = Some(definition);
        while let Some(it) = at.and_then(|at| self.definitions.get(at)) {
            names.push(it.name.as_str());
            at = it.parent;
        }
        names.reverse();
        names
    }

    /// The words of these lines, from 1, without comments and white space. Two stretches with the same words say the same.
    pub fn words(&self, lines: &Range<u32>) -> Vec<(u32, &[u8])> {
        let mut words = Vec::new();
        let bytes = self.line_start(lines.start)..self.line_start(lines.end);
        self.leaves(lines, &mut |node, depth| {
            let start = node.start_byte().max(bytes.start);
            let end = node.end_byte().min(bytes.end);
            let text = self.source.get(start..end).unwrap_or_default().trim_ascii();
            if !text.is_empty() {
                words.push((if self.is_indented { depth } else { 0 }, text));
            }
        });
        words
    }

    /// Which of these lines, from 1, have more than comments and white space on them.
    pub fn lines_with_code(&self, lines: &Range<u32>) -> HashSet<u32> {
        let mut found = HashSet::new();
        self.leaves(lines, &mut |node, _| {
            let (first, last) = rows(node);
            found.extend(first.max(lines.start)..=last.min(lines.end.saturating_sub(1)));
        });
        found
    }

    /// Where a line, from 1, begins; the end of the text past the last.
    fn line_start(&self, line: u32) -> usize {
        let before = line.saturating_sub(1) as usize;
        match before {
            0 => 0,
            before => {
                let mut breaks = memchr::memchr_iter(b'\n', &self.source);
                breaks
                    .nth(before - 1)
                    .map_or(self.source.len(), |at| at + 1)
            }
        }
    }

    /// Hands the tokens of these lines to `visit`, those of comments and documentation left out, with the number of blocks
    /// around each.
    fn leaves(&self, lines: &Range<u32>, visit: &mut impl FnMut(Node<'_>, u32)) {
        if lines.is_empty() {
            return;
        }
        let mut cursor = self.tree.walk();
        let mut blocks = 0;
        let mut open: Vec<bool> = Vec::new();
        loop {
            let node = cursor.node();
            let (first, last) = rows(node);
            let is_inside = first < lines.end && lines.start <= last;
            if is_inside && !is_comment(node) {
                let is_block = node.kind() == "block";
                if cursor.goto_first_child() {
                    blocks += u32::from(is_block);
                    open.push(is_block);
                    continue;
                }
                if node.end_byte() > node.start_byte() {
                    visit(node, blocks);
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                blocks -= u32::from(open.pop().unwrap_or(false));
            }
        }
    }

    /// What a line, from 1, outside of functions declares: of nested declarations the innermost.
    pub fn declared(&self, line: u32) -> Vec<Declared> {
        let mut best: Option<(u32, Vec<Declared>)> = None;
        let mut cursor = self.tree.walk();
        loop {
            let node = cursor.node();
            let (first, last) = rows(node);
            let is_around = first <= line && line <= last;
            if is_around && node.is_named() && !is_comment(node) {
                let names = self.declares(node);
                if !names.is_empty() {
                    let size = last - first;
                    match &mut best {
                        Some((least, known)) if *least == size => known.extend(names),
                        Some((least, _)) if *least < size => {}
                        best => *best = Some((size, names)),
                    }
                }
            }
            if is_around && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    let mut names = best.map(|(_, names)| names).unwrap_or_default();
                    names.sort();
                    names.dedup();
                    return names;
                }
            }
        }
    }

    /// What a node declares itself.
    fn declares(&self, node: Node<'_>) -> Vec<Declared> {
        let kind = node.kind();
        let text = |node: Node<'_>| self.text(node).to_owned();
        let name = node.child_by_field_name("name");
        match kind {
            "preproc_def" | "preproc_function_def" | "macro_definition" => {
                return name
                    .map(|name| Declared::Macro(text(name)))
                    .into_iter()
                    .collect();
            }
            "preproc_include" => {
                let path = node.child_by_field_name("path");
                return path
                    .map(|path| Declared::Include(text(path)))
                    .into_iter()
                    .collect();
            }
            "call" | "argument" | "keyword_argument" | "attribute" | "method_invocation"
            | "parameter" => {
                return Vec::new();
            }
            // A type by its name is used, with a body it is declared.
            kind if kind.ends_with("_specifier")
                && node.child_by_field_name("body").is_none()
                && kind.starts_with(['s', 'u', 'e', 'c']) =>
            {
                return Vec::new();
            }
            kind if ["_expression", "_type", "_operator"]
                .iter()
                .any(|it| kind.ends_with(it))
                && !kind.contains("assignment") =>
            {
                return Vec::new();
            }
            _ => {}
        }
        let is_import = ["import", "use_declaration", "using"]
            .iter()
            .any(|it| kind.contains(it));
        let mut names = Vec::new();
        if is_import {
            self.identifiers(node, &mut names);
        } else {
            for field in ["name", "declarator", "left", "pattern"] {
                let mut cursor = node.walk();
                for named in node.children_by_field_name(field, &mut cursor) {
                    self.declared_in(named, &mut names);
                }
            }
        }
        names.into_iter().map(Declared::Name).collect()
    }

    /// The names below nested declarators and patterns.
    fn declared_in(&self, node: Node<'_>, names: &mut Vec<String>) {
        for field in ["declarator", "name", "left"] {
            if let Some(inner) = node.child_by_field_name(field) {
                return self.declared_in(inner, names);
            }
        }
        if node.kind() == "attribute" || node.kind() == "subscript" {
            return;
        }
        self.identifiers(node, names);
    }

    fn identifiers(&self, node: Node<'_>, names: &mut Vec<String>) {
        let mut cursor = node.walk();
        loop {
            let at = cursor.node();
            if at.child_count() == 0 && is_identifier(at) {
                let text = self.text(at);
                if is_name(text) {
                    names.push(text.to_owned());
                }
            }
            if cursor.goto_first_child() {
                continue;
            }
            loop {
                if cursor.node() == node {
                    return;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Where the text uses one of `names`: line, from 1, and name, in order; comments and strings left out. Linear in the
    /// nodes.
    pub fn uses<'n>(&self, names: &HashSet<&'n str>) -> Vec<(u32, &'n str)> {
        let mut uses = Vec::new();
        let end = u32::MAX;
        self.leaves(&(1..end), &mut |node, _| {
            if is_identifier(node)
                && let Some(&name) = names.get(self.text(node))
            {
                uses.push((rows(node).0, name));
            }
        });
        uses
    }

    fn text(&self, node: Node<'_>) -> &str {
        let bytes = self.source.get(node.byte_range()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

/// First and last line of a node, from 1.
fn rows(node: Node<'_>) -> (u32, u32) {
    let (start, end) = (node.start_position(), node.end_position());
    let last = match end.column == 0 && end.row > start.row {
        true => end.row - 1,
        false => end.row,
    };
    let line = |row: usize| u32::try_from(row).unwrap_or(u32::MAX - 1) + 1;
    (line(start.row), line(last))
}

/// A comment, or a string that stands for itself, as documentation in Python does.
fn is_comment(node: Node<'_>) -> bool {
    if node.kind().contains("comment") {
        return true;
    }
    let is_statement = node.kind() == "expression_statement" && node.named_child_count() == 1;
    let inner = node.named_child(0).filter(|_| is_statement);
    inner.is_some_and(|inner| inner.kind() == "string")
}

fn is_identifier(node: Node<'_>) -> bool {
    let kind = node.kind();
    let kinds = ["identifier", "constant", "name", "word"];
    node.is_named() && !kind.contains("string") && kinds.iter().any(|it| kind.contains(it))
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let is_start = letters
        .next()
        .is_some_and(|c| c.is_alphabetic() || "_$@".contains(c));
    is_start && letters.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, text: &str) -> FileSyntax {
        let read = FileSyntax::read(Path::new(path), text.as_bytes(), &Progress::new());
        read.expect("not cancelled").expect("a grammar")
    }

    fn names(path: &str, text: &str, line: u32) -> Vec<String> {
        let declared = read(path, text).declared(line).into_iter();
        let names = declared.map(|it| match it {
            Declared::Name(name) => name,
            Declared::Macro(name) => format!("macro {name}"),
            Declared::Include(path) => format!("include {path}"),
        });
        names.collect()
    }

    #[test]
    fn what_lines_outside_of_functions_declare_is_told_by_the_innermost() {
        let python = "import os as system\nLIMIT = {\n  'a': 3,\n}\nclass A(Base):\n    x = 1\n    def f(self):\n        pass\n";
        assert_eq!(names("a.py", python, 3), ["LIMIT"]);
        assert_eq!(names("a.py", python, 5), ["A"]);
        assert_eq!(names("a.py", python, 6), ["x"]);
        let typed = "class A:\n    x: tuple[int, str] | None\n    y: int = z + 3\n";
        assert_eq!(names("a.py", typed, 2), ["x"]);
        assert_eq!(names("a.py", typed, 3), ["y"]);
        assert_eq!(
            names("a.c", "struct s {\n  struct t *next;\n};\n", 2),
            ["next"]
        );
        assert!(names("a.py", python, 1).contains(&"system".to_owned()));
        let c = "#include \"b.h\"\n#define SIZE 3\nstatic int *limit = 3, other;\nstruct s {\n  int field;\n  char *name;\n};\n";
        assert_eq!(names("a.c", c, 1), ["include \"b.h\""]);
        assert_eq!(names("a.c", c, 2), ["macro SIZE"]);
        assert_eq!(names("a.c", c, 3), ["limit", "other"]);
        assert_eq!(names("a.c", c, 4), ["s"]);
        assert_eq!(names("a.c", c, 5), ["field"]);
        assert_eq!(names("a.c", c, 6), ["name"]);
        let rust =
            "use a::b;\nconst MOST: u32 = 3;\nstruct S {\n    field: u32,\n}\nenum E { A, B }\n";
        assert_eq!(names("a.rs", rust, 2), ["MOST"]);
        assert_eq!(names("a.rs", rust, 4), ["field"]);
        assert!(names("a.rs", rust, 1).contains(&"b".to_owned()));
        let java = "class A {\n  private int limit = 3;\n}\n";
        assert_eq!(names("A.java", java, 2), ["limit"]);
        let go = "package a\nconst limit = 3\nvar x, y int\ntype T struct {\n  field int\n}\n";
        assert_eq!(names("a.go", go, 2), ["limit"]);
        assert_eq!(names("a.go", go, 3), ["x", "y"]);
        assert_eq!(names("a.go", go, 5), ["field"]);
        let ts = "export const limit: number = 3;\nenum E {\n  A = 1,\n}\n";
        assert_eq!(names("a.ts", ts, 1), ["limit"]);
    }

    #[test]
    fn comments_and_white_space_say_nothing_but_the_blocks_of_python() {
        let a = read("a.c", "int f(void) {\n  return 1; // one\n}\n");
        let b = read("a.c", "int f(void)\n{\n  /* other */\n  return 1;\n}\n");
        assert_eq!(a.words(&(1..4)), b.words(&(1..6)));
        assert_eq!(b.lines_with_code(&(1..6)), HashSet::from([1, 2, 4, 5]));
        let a = read(
            "a.py",
            "def f(x):\n    'says what'\n    if x:\n        g()\n        h()\n",
        );
        let b = read(
            "a.py",
            "def f(x):\n    'says more'\n    if x:\n        g()\n    h()\n",
        );
        assert_eq!(a.words(&(1..5)), b.words(&(1..5)));
        assert_ne!(a.words(&(1..6)), b.words(&(1..6)));
    }

    #[test]
    fn uses_are_of_whole_names_outside_of_comments_and_strings() {
        let text = "int f(struct s *p) {\n  // limit\n  puts(\"limit\");\n  return p->limit + limits;\n}\n";
        let syntax = read("a.c", text);
        assert_eq!(syntax.uses(&HashSet::from(["limit"])), [(4, "limit")]);
        let at = syntax.function_at(4).expect("a function");
        assert_eq!(syntax.names_of(at), ["f"]);
        assert_eq!(syntax.function_at(6), None);
    }
}
