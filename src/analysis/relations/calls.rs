//! Calls by name: which function of a file that is imported, or of the file itself, a call is likely to mean.
//!
//! No types are known, so all of this is inferred. A name counts where one file alone among those that the caller's file
//! imports defines a function of that name; a method of a value that the text does not name only where no other function of
//! the tree has its name.

use std::collections::{BTreeMap, HashMap};

use super::found::{CallsByName, FunctionCalls, Relations};
use super::paths::{self, FileId};
use super::tree::{STEP, Text, Tree};
use callscape_base::progress::{Cancelled, Progress};
use callscape_facts::hierarchy::ModuleKind;
use callscape_source::relations::{CallByName, Family, METHOD, OUTSIDE, PLAIN};

/// Functions of a tree by their names.
struct Functions<'t> {
    /// By file and last part of the name, the functions in order.
    by_file: HashMap<(FileId, &'t str), Vec<u32>>,
    /// How many functions of a family have this name.
    count: HashMap<(Family, &'t str), u32>,
    /// Files of C and C++ by directory-free stem: a header's functions are defined beside it.
    by_stem: HashMap<&'t str, Vec<FileId>>,
}

/// `f` of `A::f` and of `A.f`.
fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '\\']).next().unwrap_or(name)
}

impl<'t> Functions<'t> {
    fn new(tree: &Tree<'t>) -> Functions<'t> {
        let mut functions = Functions {
            by_file: HashMap::new(),
            count: HashMap::new(),
            by_stem: HashMap::new(),
        };
        for text in &tree.texts {
            for (index, definition) in (0..).zip(&text.file.definitions) {
                if definition.kind == ModuleKind::Function {
                    let name = last_part(&definition.name);
                    let of_file = functions.by_file.entry((text.id, name)).or_default();
                    of_file.push(index);
                    *functions.count.entry((text.family, name)).or_default() += 1;
                }
            }
            if text.family == Family::C {
                let same = functions.by_stem.entry(paths::stem(text.path)).or_default();
                same.push(text.id);
            }
        }
        functions
    }

    fn in_file<'s>(&'s self, file: FileId, name: &'s str) -> &'s [u32] {
        self.by_file.get(&(file, name)).map_or(&[], Vec::as_slice)
    }
}

/// Looks up the calls of all files. About linear in calls times the files that one imports which define the name.
pub(super) fn find(
    tree: &Tree<'_>,
    relations: &mut Relations,
    progress: &Progress,
) -> Result<(), Cancelled> {
    progress.start("looking up calls by name", tree.texts.len() as u64);
    let functions = Functions::new(tree);
    let texts: HashMap<FileId, &Text<'_>> = tree.texts.iter().map(|it| (it.id, it)).collect();
    let mut between: BTreeMap<(FileId, FileId), u64> = BTreeMap::new();
    let mut all: Vec<FunctionCalls> = Vec::new();
    for (at, text) in tree.texts.iter().enumerate() {
        if at.is_multiple_of(STEP) {
            progress.set(at as u64)?;
        }
        let from = relations.imports.partition_point(|it| it.from < text.id);
        let imports = relations.imports[from..].iter();
        let imports = imports.take_while(|it| it.from == text.id);
        let mut imported: Vec<FileId> = imports.map(|it| it.to).collect();
        imported.dedup();
        if text.family == Family::C {
            add_definers(tree, &functions, text, &mut imported);
        }
        let caller = Caller {
            text,
            imported: &imported,
            functions: &functions,
            texts: &texts,
        };
        for call in text.relations.calls.iter().filter(|call| call.count > 0) {
            if let Some((to_file, to)) = caller.means(call) {
                let count = u64::from(call.count);
                if to_file != text.id {
                    *between.entry((text.id, to_file)).or_default() += count;
                }
                let from = (call.caller != OUTSIDE).then(|| line(text, call.caller));
                all.push(FunctionCalls {
                    from_file: text.id,
                    from: from.flatten(),
                    to_file,
                    to: texts.get(&to_file).and_then(|of| line(of, to)).unwrap_or(1),
                    count,
                });
            }
        }
    }
    let between = between.into_iter();
    relations.calls = between
        .map(|((from, to), count)| CallsByName { from, to, count })
        .collect();
    relations.function_calls = summed(all);
    Ok(())
}

/// The line at which a definition begins.
fn line(text: &Text<'_>, definition: u32) -> Option<u32> {
    let definition = text.file.definitions.get(definition as usize);
    definition.map(|it| it.line)
}

/// One for each pair.
fn summed(mut calls: Vec<FunctionCalls>) -> Vec<FunctionCalls> {
    calls.sort_unstable();
    calls.dedup_by(|later, first| {
        let pair = |it: &FunctionCalls| (it.from_file, it.from, it.to_file, it.to);
        let is_same = pair(later) == pair(first);
        if is_same {
            first.count += later.count;
        }
        is_same
    });
    calls
}

/// Adds the files in which what a header declares is defined: the nearest of the same name.
fn add_definers(
    tree: &Tree<'_>,
    functions: &Functions<'_>,
    text: &Text<'_>,
    imported: &mut Vec<FileId>,
) {
    let mut more = Vec::new();
    for &header in imported.iter() {
        let path = tree.paths.path(header);
        let same = functions.by_stem.get(paths::stem(path));
        let others = same.into_iter().flatten().copied();
        let others = others.filter(|&it| it != header && it != text.id);
        more.extend(tree.paths.nearest(path, others));
    }
    imported.extend(more);
    imported.sort_unstable();
    imported.dedup();
}

struct Caller<'a, 't> {
    text: &'a Text<'t>,
    imported: &'a [FileId],
    functions: &'a Functions<'t>,
    texts: &'a HashMap<FileId, &'a Text<'t>>,
}

impl Caller<'_, '_> {
    /// The file and the function that a call means; none where that cannot be told.
    fn means(&self, call: &CallByName) -> Option<(FileId, u32)> {
        let names = &self.text.relations.names;
        let name = names.get(call.name as usize)?;
        let (own, is_own) = (self.text.id, |it: &u32| *it != call.caller);
        match call.qualifier {
            PLAIN => {
                let own_functions = self.functions.in_file(own, name);
                // A function that calls itself is meant where it has no namesake.
                let other = own_functions.iter().find(|it| is_own(it));
                if let Some(&function) = other.or(own_functions.first()) {
                    return Some((own, function));
                }
                self.only(name, |_| true)
            }
            METHOD => self.method(name),
            qualifier => {
                let before = names.get(qualifier as usize)?;
                self.qualified(before, name)
            }
        }
    }

    /// The one file that is imported, and taken by `takes`, which defines a function of this name.
    fn only(&self, name: &str, takes: impl Fn(&Text<'_>) -> bool) -> Option<(FileId, u32)> {
        let mut found = None;
        for &file in self.imported {
            let functions = self.functions.in_file(file, name);
            let (Some(&function), Some(text)) = (functions.first(), self.texts.get(&file)) else {
                continue;
            };
            if text.family == self.text.family && takes(text) {
                if found.is_some() {
                    return None;
                }
                found = Some((file, function));
            }
        }
        found
    }

    /// A method of some value: only one that is alone in the tree with its name.
    fn method(&self, name: &str) -> Option<(FileId, u32)> {
        if self.functions.count.get(&(self.text.family, name)) != Some(&1) {
            return None;
        }
        let own = self.functions.in_file(self.text.id, name).first();
        match own {
            Some(&function) => Some((self.text.id, function)),
            None => self.only(name, |_| true),
        }
    }

    /// `before.name`: of the file itself, of a file or of a class that is imported under this name, or of some value.
    fn qualified(&self, before: &str, name: &str) -> Option<(FileId, u32)> {
        let last = last_part(before.trim_end_matches([':', '.']));
        if matches!(
            before,
            "self" | "Self" | "this" | "cls" | "$this" | "static"
        ) {
            let own = self.functions.in_file(self.text.id, name).first();
            return own.map(|&function| (self.text.id, function));
        }
        let imports = self.text.relations.imports.iter();
        let mut bound = imports.filter(|it| &*it.alias == last);
        let meant = bound.next().map_or(last, |it| match &*it.name {
            "" => last_part(&it.path),
            name => name,
        });
        let is_named = |text: &Text<'_>| {
            let stem = paths::stem(text.path);
            let is_module = match stem {
                "mod" | "__init__" | "index" | "lib" | "init" => {
                    paths::name(paths::folder(text.path)) == meant
                }
                stem => stem == meant,
            };
            let mut definitions = text.file.definitions.iter();
            is_module
                || text.family == Family::Go && &*text.relations.package == meant
                || definitions.any(|it| it.kind != ModuleKind::Function && it.name == meant)
        };
        if is_named(self.text)
            && let Some(&own) = self.functions.in_file(self.text.id, name).first()
        {
            return Some((self.text.id, own));
        }
        self.only(name, is_named).or_else(|| self.method(name))
    }
}
