//! Which file of the floors uses which: read from `use` declarations and from paths that begin with `crate`, the crate
//! of a floor, `super`, `self` or the name of a child, tests left out.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::{Node, Parser};

/// The segments of a path: the floor, then the path in its crate.
pub type Segments = Vec<String>;

/// How the crate of a floor begins.
const CRATE: &str = "callscape_";

/// What the files of the floors use.
#[derive(Default)]
pub struct Imports {
    files: BTreeMap<Segments, Uses>,
}

#[derive(Default)]
struct Uses {
    /// Items and modules, as they are named: not followed to where they are defined.
    paths: BTreeSet<Segments>,
    /// By the name that a `pub use` gives it.
    reexports: BTreeMap<String, Segments>,
}

impl Imports {
    /// Of files below `src`: their paths there, with `/`, and their texts.
    pub fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Imports {
        let files: BTreeMap<Segments, &str> = files
            .into_iter()
            .map(|(path, text)| (module_of(path), text))
            .filter(|(module, _)| !module.iter().any(|name| is_of_tests(name)))
            .collect();
        let mut imports = Imports::default();
        for module in files.keys() {
            imports.files.insert(module.clone(), Uses::default());
        }
        for (module, text) in &files {
            let tokens = tokens(text);
            let uses = Reader {
                files: &imports,
                module,
                uses: Uses::default(),
            };
            let uses = uses.read(&tokens);
            imports.files.insert(module.clone(), uses);
        }
        imports
    }

    /// The files, as modules, with all that they name, what they only hand on included.
    pub fn named(&self) -> impl Iterator<Item = (&Segments, impl Iterator<Item = &Segments>)> {
        self.files.iter().map(|(module, uses)| {
            let named = uses.paths.iter().chain(uses.reexports.values());
            (module, named)
        })
    }

    /// By file, the other files whose items it uses, those that are named where they are re-exported included.
    pub fn edges(&self) -> BTreeMap<Segments, BTreeSet<Segments>> {
        let edges = self.files.iter().map(|(module, uses)| {
            let files = uses.paths.iter().filter_map(|path| self.file_of(path, 0));
            let others = files.filter(|file| file != module);
            (module.clone(), others.collect())
        });
        edges.collect()
    }

    /// The file in which `path` is defined.
    fn file_of(&self, path: &[String], followed: usize) -> Option<Segments> {
        /// Re-exports of re-exports, as long as they lead somewhere.
        const MOST_FOLLOWED: usize = 10;
        let mut lengths = (0..=path.len()).rev();
        let length = lengths.find(|&length| self.files.contains_key(&path[..length]))?;
        let (module, rest) = path.split_at(length);
        let reexports = &self.files.get(module)?.reexports;
        if let Some((name, rest)) = rest.split_first()
            && let Some(origin) = reexports.get(name)
            && followed < MOST_FOLLOWED
        {
            return self.file_of(&[origin, rest].concat(), followed + 1);
        }
        Some(module.to_vec())
    }
}

/// Files that hold tests alone.
fn is_of_tests(name: &str) -> bool {
    name == "tests" || name == "testing" || name.ends_with("_tests")
}

/// `a/b.rs` and `a/b/mod.rs` are `a::b`.
fn module_of(path: &str) -> Segments {
    let path = path.trim_end_matches(".rs");
    let path = path.trim_end_matches("/mod");
    let names = path.split('/').filter(|&name| name != "lib");
    names.map(str::to_owned).collect()
}

/// The words and signs of a text, without comments, without what is in quotes and without items behind `#[cfg(test)]`.
fn tokens(text: &str) -> Vec<&str> {
    let mut parser = Parser::new();
    let language = tree_sitter_rust::LANGUAGE.into();
    parser
        .set_language(&language)
        .expect("a grammar of this version");
    let tree = parser.parse(text, None).expect("no limit of time");
    let mut tokens = Vec::new();
    collect(tree.root_node(), text, &mut tokens);
    tokens
}

fn collect<'a>(node: Node<'_>, text: &'a str, tokens: &mut Vec<&'a str>) {
    if node.kind().ends_with("_comment") || node.kind().ends_with("_literal") {
        return;
    }
    if node.child_count() == 0 {
        tokens.push(&text[node.byte_range()]);
    }
    let mut is_test = false;
    for child in node.children(&mut node.walk()) {
        let said = &text[child.byte_range()];
        if ["#[cfg(test)", "#[cfg(all(test,"]
            .iter()
            .any(|it| said.starts_with(it))
        {
            is_test = true;
        } else if !is_test || child.kind() == "attribute_item" {
            collect(child, text, tokens);
        } else {
            is_test = child.kind().ends_with("_comment");
        }
    }
}

struct Reader<'a> {
    files: &'a Imports,
    module: &'a Segments,
    uses: Uses,
}

impl Reader<'_> {
    fn read(mut self, tokens: &[&str]) -> Uses {
        let text = |i: usize| tokens.get(i).copied().unwrap_or_default();
        // Modules within the file that are open, with the depth of their braces.
        let mut open: Vec<(usize, String)> = Vec::new();
        let mut depth = 0;
        let mut is_public = false;
        let mut i = 0;
        while i < tokens.len() {
            let scope: Segments = open.iter().map(|(_, name)| name.clone()).collect();
            match text(i) {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    open.pop_if(|(of, _)| *of == depth);
                }
                "mod" if text(i + 2) == "{" => {
                    open.push((depth, text(i + 1).to_owned()));
                }
                "pub" => {
                    is_public = true;
                    if text(i + 1) == "(" {
                        // What stands in them says who sees it, and uses nothing.
                        i += tokens[i..].iter().take_while(|it| **it != ")").count();
                    }
                    i += 1;
                    continue;
                }
                "use" if text(i + 1) != "<" => {
                    let end = i + tokens[i..].iter().take_while(|it| **it != ";").count();
                    self.add_tree(&tokens[i + 1..end], &scope, is_public);
                    i = end;
                }
                _ if text(i + 1) == "::" && text(i.wrapping_sub(1)) != "::" => {
                    let mut path = vec![tokens[i].to_owned()];
                    while text(i + 1) == "::"
                        && text(i + 2).starts_with(|c: char| c.is_alphabetic())
                    {
                        path.push(tokens[i + 2].to_owned());
                        i += 2;
                    }
                    self.uses.paths.extend(self.absolute(&path, &scope));
                }
                _ => {}
            }
            is_public = false;
            i += 1;
        }
        self.uses
    }

    /// Adds what a `use` declaration names, groups taken apart.
    fn add_tree(&mut self, tokens: &[&str], scope: &[String], is_public: bool) {
        let mut stack: Vec<Segments> = vec![Vec::new()];
        let mut path: Segments = Vec::new();
        let mut alias: Option<String> = None;
        let mut i = 0;
        // A comma ends the last path, too.
        while i <= tokens.len() {
            match tokens.get(i).copied().unwrap_or(",") {
                "::" => {}
                "{" => stack.push(std::mem::take(&mut path)),
                "as" => {
                    i += 1;
                    alias = tokens.get(i).map(|it| (*it).to_owned());
                }
                end @ ("," | "}") => {
                    if !path.is_empty() {
                        let whole = [stack.concat(), std::mem::take(&mut path)].concat();
                        self.add(whole, alias.take(), scope, is_public);
                    }
                    if end == "}" {
                        stack.pop();
                    }
                }
                word => path.push(word.to_owned()),
            }
            i += 1;
        }
    }

    fn add(
        &mut self,
        mut path: Segments,
        alias: Option<String>,
        scope: &[String],
        is_public: bool,
    ) {
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = alias.or_else(|| path.last().cloned()).unwrap_or_default();
        let Some(path) = self.absolute(&path, scope) else {
            return;
        };
        if is_public && scope.is_empty() {
            self.uses.reexports.insert(name, path);
        } else {
            self.uses.paths.insert(path);
        }
    }

    /// The path from the floors; none of what is in a crate from elsewhere.
    fn absolute(&self, path: &[String], scope: &[String]) -> Option<Segments> {
        let here = [self.module, scope].concat();
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some([self.module.get(..1)?, rest].concat()),
            floor if floor.starts_with(CRATE) => {
                let floor = floor[CRATE.len()..].to_owned();
                Some([&[floor], rest].concat())
            }
            "self" => Some([&here, rest].concat()),
            "super" => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                let base = here.get(..here.len().checked_sub(ups)?)?;
                Some([base, &path[ups..]].concat())
            }
            child => {
                let base = [self.module.as_slice(), &[child.to_owned()]].concat();
                let is_child = self.files.files.contains_key(&base);
                is_child.then(|| [&base, rest].concat())
            }
        }
    }
}
