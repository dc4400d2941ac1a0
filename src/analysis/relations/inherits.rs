//! Which class inherits from which, by name: the class of the tree that the name of a base is likely to mean.
//!
//! No types are known, so all of this is inferred. A name counts where one class alone has it: in the file itself, else among
//! the files that it imports, else, in languages that need no import for it, among those of its package. Where several have
//! it, it is counted and nothing is guessed.

use std::collections::HashMap;

use super::found::{Globals, Inherits, Relations};
use super::paths::{self, FileId};
use super::tree::{STEP, Text, Tree};
use callscape_base::progress::{Cancelled, Progress};
use callscape_facts::hierarchy::ModuleKind;
use callscape_source::relations::{Base, Family, OUTSIDE};

/// A class: its file, and its index among the definitions.
type Class = (FileId, u32);

/// What a name of a base means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meant {
    Class(Class),
    /// Several classes have it.
    Several,
    /// None has it.
    Nothing,
}

/// Classes of a tree by their names.
struct Classes<'t> {
    texts: HashMap<FileId, &'t Text<'t>>,
    by_file: HashMap<(FileId, &'t str), Vec<u32>>,
    /// All of a family, for names that are imported and defined elsewhere.
    by_name: HashMap<(Family, &'t str), Vec<Class>>,
}

impl<'t> Classes<'t> {
    fn new(tree: &'t Tree<'t>) -> Classes<'t> {
        let mut classes = Classes {
            texts: tree.texts.iter().map(|it| (it.id, it)).collect(),
            by_file: HashMap::new(),
            by_name: HashMap::new(),
        };
        for text in &tree.texts {
            for (index, definition) in (0..).zip(&text.file.definitions) {
                if definition.kind == ModuleKind::Class {
                    let name = last_part(&definition.name);
                    let of_file = classes.by_file.entry((text.id, name)).or_default();
                    of_file.push(index);
                    let of_family = classes.by_name.entry((text.family, name)).or_default();
                    of_family.push((text.id, index));
                }
            }
        }
        classes
    }

    /// The classes of a file with this name, but for `own`.
    fn in_file<'s>(
        &'s self,
        file: FileId,
        name: &'s str,
        own: Class,
    ) -> impl Iterator<Item = Class> + 's {
        let found = self.by_file.get(&(file, name)).into_iter().flatten();
        let classes = found.map(move |&it| (file, it));
        classes.filter(move |it| *it != own)
    }

    /// What a base of a class in `text` means, whose imports lead to `imported`, by statement and file.
    fn meant(&self, text: &Text<'_>, base: &Base, imported: &[(u32, FileId)]) -> Meant {
        let (before, mut name) = match base.name.rfind(['.', ':', '\\']) {
            Some(at) => {
                let before = base.name[..at].trim_end_matches([':', '.', '\\']);
                (before, &base.name[at + 1..])
            }
            None => ("", &*base.name),
        };
        let own = (text.id, base.class);
        if matches!(before, "" | "self" | "Self" | "this") {
            let found = one(self.in_file(text.id, name, own));
            if found != Meant::Nothing {
                return found;
            }
        }
        // The statement that the name comes from, which may call it something else.
        let first = match before {
            "" => name,
            before => before.split(['.', ':', '\\']).next().unwrap_or_default(),
        };
        let mut imports = text.relations.imports.iter();
        let bound = imports.find(|it| match &*it.alias {
            "" => *it.name == *first || last_part(&it.path) == first,
            alias => alias == first,
        });
        if let Some(bound) = bound
            && before.is_empty()
            && *bound.alias == *name
        {
            name = match &*bound.name {
                "" => last_part(&bound.path),
                original => original,
            };
        }
        let by_statement = |line: u32| imported.iter().filter(move |it| it.0 == line);
        let in_imported = |it: &(u32, FileId)| self.in_file(it.1, name, own);
        let found = bound.map_or(Meant::Nothing, |bound| {
            one(by_statement(bound.line).flat_map(in_imported))
        });
        if found != Meant::Nothing {
            return found;
        }
        let mut files = imported.to_vec();
        files.sort_unstable_by_key(|it| it.1);
        files.dedup_by_key(|it| it.1);
        let found = one(files.iter().flat_map(in_imported));
        if found != Meant::Nothing {
            return found;
        }
        let all = self.by_name.get(&(text.family, name));
        let all = all.into_iter().flatten().copied().filter(|it| *it != own);
        // Handed on by a file of the tree that is imported.
        let is_from_tree = bound.is_some_and(|it| by_statement(it.line).next().is_some());
        match is_from_tree || needs_no_import(text.family) {
            true => one(all),
            false if has_packages(text.family) => one(all.filter(|it| self.is_near(text, it.0))),
            false => Meant::Nothing,
        }
    }

    /// Whether two files are of one package, so that neither imports the other.
    fn is_near(&self, text: &Text<'_>, other: FileId) -> bool {
        self.texts.get(&other).is_some_and(|other| {
            let same_folder = paths::folder(other.path) == paths::folder(text.path);
            let same_package = other.relations.package == text.relations.package;
            same_package
                && (same_folder || !text.relations.package.is_empty() && text.family != Family::Go)
        })
    }
}

/// Languages in which all classes of a program are known by their names.
fn needs_no_import(family: Family) -> bool {
    matches!(family, Family::Swift | Family::Ruby)
}

/// Languages in which those of a package are.
fn has_packages(family: Family) -> bool {
    matches!(
        family,
        Family::Jvm | Family::CSharp | Family::Go | Family::Php
    )
}

/// The only one; two definitions of one file are one class, such as its conditional variants.
fn one(classes: impl Iterator<Item = Class>) -> Meant {
    let mut found = Meant::Nothing;
    for class in classes {
        found = match found {
            Meant::Nothing => Meant::Class(class),
            Meant::Class(first) if first.0 == class.0 => Meant::Class(first),
            _ => return Meant::Several,
        };
    }
    found
}

/// `B` of `a::B` and of `a.B`.
fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '\\', '/']).next().unwrap_or(name)
}

/// Looks up the bases of all classes, whose files' imports are known, and takes the global variables. About linear in bases
/// times the files that one imports.
pub(super) fn find(
    tree: &Tree<'_>,
    relations: &mut Relations,
    progress: &Progress,
) -> Result<(), Cancelled> {
    progress.start("looking up base classes", tree.texts.len() as u64);
    let classes = Classes::new(tree);
    for (at, text) in tree.texts.iter().enumerate() {
        if at.is_multiple_of(STEP) {
            progress.set(at as u64)?;
        }
        let from = relations.imports.partition_point(|it| it.from < text.id);
        let imports = relations.imports[from..].iter();
        let imports = imports.take_while(|it| it.from == text.id);
        let imported: Vec<(u32, FileId)> = imports.map(|it| (it.line, it.to)).collect();
        for base in &text.relations.bases {
            let (to_file, to) = match classes.meant(text, base, &imported) {
                Meant::Class(class) => class,
                Meant::Several => {
                    relations.ambiguous_bases += 1;
                    continue;
                }
                Meant::Nothing => {
                    relations.outside_bases += 1;
                    continue;
                }
            };
            let class =
                |text: &Text<'_>, index: u32| text.file.definitions.get(index as usize).cloned();
            let of = classes.texts.get(&to_file).and_then(|it| class(it, to));
            if let (Some(class), Some(of)) = (class(text, base.class), of) {
                relations.inherits.push(Inherits {
                    from_file: text.id,
                    from: class.line,
                    class: class.name,
                    to_file,
                    to: of.line,
                    base: of.name,
                    line: base.line,
                });
            }
        }
        let owner = |owner: u32| text.file.definitions.get(owner as usize).map(|it| it.line);
        relations
            .globals
            .extend(text.relations.globals.iter().map(|it| Globals {
                file: text.id,
                owner: Some(it.owner).filter(|it| *it != OUTSIDE).and_then(owner),
                count: it.count,
            }));
    }
    relations.inherits.sort_unstable();
    relations.inherits.dedup();
    Ok(())
}
