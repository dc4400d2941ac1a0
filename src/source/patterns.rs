//! The patterns of a language's query file, matched at one node of a syntax tree at a time.
//!
//! The files are written as tree-sitter's queries are. Its own matcher works out beforehand how each pattern lies in all
//! states of the grammar, which takes 20 ms for C, 0.1 s for C++ and Ruby and 1 s for Swift before the first file is
//! read; here a pattern is held against a node and its children as it stands, and nothing is prepared.
//!
//! Of the language of queries this reads what the files use: kinds, `_`, tokens, fields, absent fields, alternatives,
//! anchors, captures and `#any-of?`.

use tree_sitter::{Language, Node, TreeCursor};

/// What a part of a pattern is called by `@`, in order of appearance in the file.
pub(crate) type Capture = u8;

/// The nodes that one match captures.
pub(crate) type Captured<'tree> = Vec<(Capture, Node<'tree>)>;

/// All patterns of a file.
#[derive(Debug)]
pub(crate) struct Patterns<'text> {
    pub patterns: Vec<Pattern<'text>>,
    pub captures: Vec<&'text str>,
}

#[derive(Debug)]
pub(crate) struct Pattern<'text> {
    /// As the file has it, captures and all.
    pub text: &'text str,
    root: Part,
    /// Captures whose text has to be one of these.
    any_of: Vec<(Capture, Vec<&'text str>)>,
}

/// What one node has to be, and what it is captured as.
#[derive(Debug)]
struct Part {
    what: What,
    captures: Vec<Capture>,
}

#[derive(Debug)]
enum What {
    Node(Shape),
    OneOf(Vec<Part>),
}

#[derive(Debug)]
struct Shape {
    kind: Kind,
    /// In order, others may stand between them.
    children: Vec<Child>,
    /// Fields that no child may have.
    absent: Vec<u16>,
    /// Whether no named node may stand behind the last of the children.
    ends: bool,
}

#[derive(Debug)]
enum Kind {
    /// `_`
    Any,
    /// `(_)`
    Named,
    Id(u16),
}

#[derive(Debug)]
struct Child {
    field: Option<u16>,
    /// Whether no named node may stand before it and behind the one before.
    is_next: bool,
    part: Part,
}

/// More ways than this to match one pattern at one node are dropped: a definition needs a handful.
const MOST_WAYS: usize = 256;

impl<'text> Patterns<'text> {
    /// The patterns of `text`; none where it is not written as this file understands it, or names what the grammar does
    /// not have.
    pub(crate) fn parse(grammar: &Language, text: &'text str) -> Option<Patterns<'text>> {
        let mut parser = Parser {
            grammar,
            text,
            at: 0,
            captures: Vec::new(),
            any_of: Vec::new(),
        };
        let mut patterns = Vec::new();
        while parser.next().is_some() {
            let start = parser.at;
            let root = parser.part()?;
            patterns.push(Pattern {
                text: text.get(start..parser.at)?,
                root,
                any_of: std::mem::take(&mut parser.any_of),
            });
        }
        Some(Patterns {
            patterns,
            captures: parser.captures,
        })
    }
}

impl Pattern<'_> {
    /// The kinds of the nodes that it may begin at; none where that may be any.
    pub(crate) fn first_kinds(&self) -> Option<Vec<u16>> {
        fn kinds(part: &Part, into: &mut Vec<u16>) -> Option<()> {
            match &part.what {
                What::Node(Shape {
                    kind: Kind::Id(id), ..
                }) => into.push(*id),
                What::Node(_) => return None,
                What::OneOf(parts) => parts.iter().try_for_each(|part| kinds(part, into))?,
            }
            Some(())
        }
        let mut found = Vec::new();
        kinds(&self.root, &mut found)?;
        Some(found)
    }

    /// Calls `found` for each way in which the pattern fits `node`, no two of which capture the same. `cursor` is of the same
    /// tree, wherever it stands.
    pub(crate) fn find<'tree>(
        &self,
        node: Node<'tree>,
        source: &[u8],
        cursor: &mut TreeCursor<'tree>,
        mut found: impl FnMut(&Captured<'tree>),
    ) {
        let mut ways: Vec<Captured<'tree>> = Vec::new();
        self.root.ways(node, cursor, &mut ways);
        for at in 0..ways.len() {
            let (before, way) = (&ways[..at], &ways[at]);
            let fits = self.any_of.iter().all(|(capture, texts)| {
                let captured = way.iter().filter(|(of, _)| of == capture);
                let mut captured = captured.filter_map(|(_, node)| source.get(node.byte_range()));
                captured.all(|text| texts.iter().any(|one| one.as_bytes() == text))
            });
            if fits && !before.contains(way) {
                found(way);
            }
        }
    }
}

impl Part {
    /// Whether the node itself may be this, whatever its children are.
    fn may_be(&self, node: Node<'_>) -> bool {
        match &self.what {
            What::Node(shape) => match shape.kind {
                Kind::Id(id) => node.kind_id() == id,
                Kind::Named => node.is_named() && !node.is_error(),
                Kind::Any => !node.is_error(),
            },
            What::OneOf(parts) => parts.iter().any(|part| part.may_be(node)),
        }
    }

    fn ways<'tree>(
        &self,
        node: Node<'tree>,
        cursor: &mut TreeCursor<'tree>,
        ways: &mut Vec<Captured<'tree>>,
    ) {
        if !self.may_be(node) {
            return;
        }
        let first = ways.len();
        match &self.what {
            What::Node(shape) => shape.ways(node, cursor, ways),
            What::OneOf(parts) => {
                for part in parts {
                    part.ways(node, cursor, ways);
                }
            }
        }
        for way in &mut ways[first..] {
            way.extend(self.captures.iter().map(|&capture| (capture, node)));
        }
    }
}

/// A node among those beside it.
struct Sibling<'tree> {
    node: Node<'tree>,
    field: Option<u16>,
    is_named: bool,
}

impl Shape {
    /// The ways of its children; the node itself is right.
    fn ways<'tree>(
        &self,
        node: Node<'tree>,
        cursor: &mut TreeCursor<'tree>,
        ways: &mut Vec<Captured<'tree>>,
    ) {
        if self.children.is_empty() && self.absent.is_empty() {
            ways.push(Vec::new());
            return;
        }
        let siblings = siblings(node, cursor);
        let has = |field: &u16| siblings.iter().any(|sibling| sibling.field == Some(*field));
        let may_be = |child: &Child, sibling: &Sibling<'_>| {
            (child.field.is_none() || child.field == sibling.field)
                && child.part.may_be(sibling.node)
        };
        let is_there = |child: &Child| siblings.iter().any(|sibling| may_be(child, sibling));
        if self.absent.iter().any(has) || !self.children.iter().all(is_there) {
            return;
        }
        // For each way so far, where the next child may stand.
        let mut so_far: Vec<(usize, Captured<'tree>)> = vec![(0, Vec::new())];
        let mut of_child = Vec::new();
        for (at, child) in self.children.iter().enumerate() {
            let is_end = self.ends && at + 1 == self.children.len();
            for (from, before) in std::mem::take(&mut so_far) {
                for (place, sibling) in siblings.iter().enumerate().skip(from) {
                    let is_last = || !siblings[place + 1..].iter().any(|later| later.is_named);
                    if may_be(child, sibling) && (!is_end || is_last()) {
                        child.part.ways(sibling.node, cursor, &mut of_child);
                        for way in of_child.drain(..) {
                            so_far.push((place + 1, [before.as_slice(), &way].concat()));
                        }
                    }
                    if child.is_next && sibling.is_named || so_far.len() >= MOST_WAYS {
                        break;
                    }
                }
            }
        }
        ways.extend(so_far.into_iter().map(|(_, way)| way));
    }
}

fn siblings<'tree>(node: Node<'tree>, cursor: &mut TreeCursor<'tree>) -> Vec<Sibling<'tree>> {
    let mut siblings = Vec::with_capacity(node.child_count() as usize);
    cursor.reset(node);
    let mut is_more = cursor.goto_first_child();
    while is_more {
        let node = cursor.node();
        siblings.push(Sibling {
            node,
            field: cursor.field_id().map(u16::from),
            is_named: node.is_named(),
        });
        is_more = cursor.goto_next_sibling();
    }
    siblings
}

struct Parser<'a, 'text> {
    grammar: &'a Language,
    text: &'text str,
    at: usize,
    captures: Vec<&'text str>,
    any_of: Vec<(Capture, Vec<&'text str>)>,
}

impl<'text> Parser<'_, 'text> {
    /// The next byte that is neither white space nor in a comment.
    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            if byte == b';' {
                let rest = &self.text[self.at..];
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if byte.is_ascii_whitespace() {
                self.at += 1;
            } else {
                return Some(byte);
            }
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let before = self.at;
        let takes = self.next() == Some(byte);
        self.at = if takes { self.at + 1 } else { before };
        takes
    }

    fn word(&mut self) -> Option<&'text str> {
        self.next()?;
        let rest = &self.text[self.at..];
        let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '?');
        let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| &rest[..end])
    }

    /// What stands between quotes; the files escape nothing.
    fn quoted(&mut self) -> Option<&'text str> {
        let rest = self.takes(b'"').then(|| &self.text[self.at..])?;
        let end = rest.find('"')?;
        self.at += end + 1;
        (!rest[..end].contains('\\')).then(|| &rest[..end])
    }

    fn capture(&mut self) -> Option<Capture> {
        let name = self.word()?;
        let known = self.captures.iter().position(|&known| known == name);
        let index = known.unwrap_or_else(|| {
            self.captures.push(name);
            self.captures.len() - 1
        });
        Capture::try_from(index).ok()
    }

    fn field(&self, name: &str) -> Option<u16> {
        self.grammar.field_id_for_name(name).map(u16::from)
    }

    fn kind(&self, name: &str, is_named: bool) -> Option<Kind> {
        let id = self.grammar.id_for_node_kind(name, is_named);
        (id != 0).then_some(Kind::Id(id))
    }

    fn part(&mut self) -> Option<Part> {
        let leaf = |kind| {
            What::Node(Shape {
                kind,
                children: Vec::new(),
                absent: Vec::new(),
                ends: false,
            })
        };
        let what = match self.next()? {
            b'(' => What::Node(self.shape()?),
            b'[' => {
                self.at += 1;
                let mut parts = Vec::new();
                while !self.takes(b']') {
                    parts.push(self.part()?);
                }
                What::OneOf(parts)
            }
            b'"' => {
                let token = self.quoted()?;
                leaf(self.kind(token, false)?)
            }
            b'_' => {
                (self.word()? == "_").then_some(())?;
                leaf(Kind::Any)
            }
            _ => return None,
        };
        let mut captures = Vec::new();
        while self.takes(b'@') {
            captures.push(self.capture()?);
        }
        Some(Part { what, captures })
    }

    fn shape(&mut self) -> Option<Shape> {
        self.at += 1;
        let name = self.word()?;
        let mut shape = Shape {
            kind: match name {
                "_" => Kind::Named,
                _ => self.kind(name, true)?,
            },
            children: Vec::new(),
            absent: Vec::new(),
            ends: false,
        };
        let mut is_next = false;
        loop {
            match self.next()? {
                b')' => {
                    self.at += 1;
                    shape.ends = is_next;
                    return Some(shape);
                }
                b'.' => {
                    self.at += 1;
                    is_next = true;
                }
                b'!' => {
                    self.at += 1;
                    let name = self.word()?;
                    shape.absent.push(self.field(name)?);
                }
                b'(' if self.text[self.at + 1..].starts_with('#') => self.predicate()?,
                byte => {
                    let mut field = None;
                    if byte.is_ascii_alphabetic() {
                        let name = self.word()?;
                        field = Some(self.field(name)?);
                        self.takes(b':').then_some(())?;
                    }
                    let part = self.part()?;
                    shape.children.push(Child {
                        field,
                        is_next: std::mem::take(&mut is_next),
                        part,
                    });
                }
            }
        }
    }

    /// `(#any-of? @name "a" "b")`
    fn predicate(&mut self) -> Option<()> {
        self.at += 2;
        (self.word()? == "any-of?" && self.takes(b'@')).then_some(())?;
        let capture = self.capture()?;
        let mut texts = Vec::new();
        while !self.takes(b')') {
            texts.push(self.quoted()?);
        }
        self.any_of.push((capture, texts));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tree_sitter::{Query, QueryCursor, StreamingIterator};

    use super::*;
    use crate::languages;

    /// What a match captures: names and places.
    type Found = BTreeSet<(String, usize, usize)>;

    fn of_tree_sitter(query: &Query, node: Node<'_>, source: &[u8]) -> BTreeSet<(usize, Found)> {
        let mut cursor = QueryCursor::new();
        cursor.set_max_start_depth(Some(0));
        let mut found = BTreeSet::new();
        let mut matches = cursor.matches(query, node, source);
        while let Some(matched) = matches.next() {
            let captures = matched.captures().iter().map(|capture| {
                let name = query.capture_names()[capture.index as usize];
                (
                    name.to_owned(),
                    capture.node.start_byte(),
                    capture.node.end_byte(),
                )
            });
            found.insert((matched.pattern_index, captures.collect()));
        }
        found
    }

    fn of_ours(patterns: &Patterns<'_>, node: Node<'_>, source: &[u8]) -> BTreeSet<(usize, Found)> {
        let mut found = BTreeSet::new();
        let mut cursor = node.walk();
        for (at, pattern) in patterns.patterns.iter().enumerate() {
            pattern.find(node, source, &mut cursor, |captured| {
                let captures = captured.iter().map(|(capture, node)| {
                    let name = patterns.captures[usize::from(*capture)];
                    (name.to_owned(), node.start_byte(), node.end_byte())
                });
                found.insert((at, captures.collect()));
            });
        }
        found
    }

    /// The samples of every language, each read as every language, so that many trees have errors.
    #[test]
    fn every_pattern_matches_what_tree_sitter_matches() {
        let samples = include_str!("../../tests/it/source/languages.rs");
        let samples: Vec<&str> = samples.split("r#\"").skip(1).collect();
        let (mut parser, mut count) = (tree_sitter::Parser::new(), 0);
        for language in &languages::LANGUAGES {
            let (grammar, text) = language.parts();
            let query = Query::new(&grammar, text).expect("fits");
            let patterns = Patterns::parse(&grammar, text).expect("fits");
            assert_eq!(patterns.patterns.len(), query.pattern_count());
            parser.set_language(&grammar).expect("fits");
            for sample in &samples {
                let source = sample.split("\"#").next().unwrap_or_default().as_bytes();
                let tree = parser.parse(source, None).expect("a tree");
                let mut nodes = vec![tree.root_node()];
                while let Some(node) = nodes.pop() {
                    let theirs = of_tree_sitter(&query, node, source);
                    let ours = of_ours(&patterns, node, source);
                    count += ours.len();
                    assert_eq!(
                        ours,
                        theirs,
                        "{:?}: {node:?} {}",
                        language.counted_as,
                        node.to_sexp()
                    );
                    nodes.extend(node.children(&mut node.walk()));
                }
            }
        }
        assert!(count > 500, "{count}");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let grammar: Language = tree_sitter_c::LANGUAGE.into();
        for text in [
            "(no_such_node)",
            "(comment",
            "(comment)+",
            "(identifier nofield: (_))",
            "(#eq? @a \"b\")",
            "\"a\\\"b\"",
        ] {
            assert!(Patterns::parse(&grammar, text).is_none(), "{text}");
        }
        let patterns =
            Patterns::parse(&grammar, "; a\n(comment) @b ; c\n[\"&&\" \"||\"] @d").expect("fits");
        let texts: Vec<&str> = patterns
            .patterns
            .iter()
            .map(|pattern| pattern.text)
            .collect();
        assert_eq!(texts, ["(comment) @b", "[\"&&\" \"||\"] @d"]);
        assert_eq!(patterns.captures, ["b", "d"]);
    }
}
