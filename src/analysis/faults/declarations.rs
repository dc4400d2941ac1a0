//! Which functions that ran use what was changed outside of functions.
//!
//! A name is looked for in its own file and in those that import it: in C through everything that is included, in languages with
//! packages in the same directory too. It is a name alone: what shadows it is taken for it, which is why such functions are marked.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::Question;
use super::pieces::{Declaration, FileRead};
use super::places::Ran;
use crate::relations::{self, Relations};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_source::file_syntax::FileSyntax;
use callscape_source::text::TextTree;

/// Functions that use changed declarations.
#[derive(Default)]
pub(super) struct Users {
    /// By module its functions, and indices of declarations in rising order.
    pub by_place: BTreeMap<ModuleId, (Vec<FunctionId>, BTreeSet<usize>)>,
}

impl Users {
    fn add(&mut self, module: ModuleId, functions: &[FunctionId], declarations: &[usize]) {
        let place = self
            .by_place
            .entry(module)
            .or_insert_with(|| (functions.to_vec(), BTreeSet::new()));
        place.1.extend(declarations);
    }
}

/// The functions that ran and use one of `declared`.
pub(super) fn users(
    question: &Question<'_>,
    dir: &Path,
    files: &[FileRead],
    declared: &[Declaration],
    ran: &Ran<'_>,
    progress: &Progress,
) -> Result<Users, Cancelled> {
    let mut users = Users::default();
    if declared.is_empty() {
        return Ok(users);
    }
    let mut by_file: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, declaration) in declared.iter().enumerate() {
        by_file.entry(declaration.file).or_default().push(at);
    }
    let changed: HashMap<&str, usize> = paths(question);
    let relations = match question.scan {
        Some(scan) => relations::find(dir, scan.files(), progress)?,
        None => Relations::default(),
    };
    let reach = Reach::new(&relations);
    // By file that ran, the declarations that it can see.
    let mut seen: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (&file, declarations) in &by_file {
        let path = question.changes.files[file].path.as_str();
        let places = std::iter::once(path.to_owned()).chain(reach.from(path));
        for place in places {
            seen.entry(place).or_default().extend(declarations);
        }
    }
    let hierarchy = &question.session.hierarchy;
    let ran_in: HashMap<String, ModuleId> = ran
        .files()
        .into_iter()
        .map(|it| (hierarchy.path(it), it))
        .collect();
    let tree = TextTree::new(dir).ok();
    progress.start(
        "searching for uses of changed declarations",
        seen.len() as u64,
    );
    for (path, declarations) in seen {
        progress.add(1)?;
        let mut names: HashMap<&str, Vec<usize>> = HashMap::new();
        for &at in &declarations {
            names.entry(&declared[at].name).or_default().push(at);
        }
        let wanted: HashSet<&str> = names.keys().copied().collect();
        if let Some(&file) = changed.get(path.as_str()) {
            let Some(syntax) = files[file].after.as_ref() else {
                continue;
            };
            for (line, name) in syntax.uses(&wanted) {
                let function = syntax.function_at(line);
                let place = function.and_then(|it| ran.at(file, Some(it)));
                if let (Some(place), Some(of)) = (place, names.get(name)) {
                    users.add(place.module, &place.functions, of);
                }
            }
            continue;
        }
        let (Some(&file), Some(tree)) = (ran_in.get(&path), &tree) else {
            continue;
        };
        let Ok(text) = tree.read(Path::new(&path)) else {
            continue;
        };
        if !wanted
            .iter()
            .any(|name| has_word(text.text().as_bytes(), name.as_bytes()))
        {
            continue;
        }
        let Some(syntax) = FileSyntax::read(Path::new(&path), text.text().as_bytes(), progress)?
        else {
            continue;
        };
        for (line, name) in syntax.uses(&wanted) {
            let module = function_at(hierarchy, file, line);
            let functions = module.and_then(|it| Some((it, ran.of_module(it)?)));
            if let (Some((module, functions)), Some(of)) = (functions, names.get(name)) {
                users.add(module, functions, of);
            }
        }
    }
    Ok(users)
}

fn paths<'a>(question: &Question<'a>) -> HashMap<&'a str, usize> {
    let files = question.changes.files.iter().enumerate();
    files.map(|(at, it)| (it.path.as_str(), at)).collect()
}

/// The innermost function of a file with a line.
fn function_at(hierarchy: &Hierarchy, file: ModuleId, line: u32) -> Option<ModuleId> {
    let all = hierarchy.subtree(file).map(ModuleId);
    let around = all.filter(|&it| {
        let module = hierarchy.module(it);
        module.kind == ModuleKind::Function && module.line <= line && line <= module.end_line
    });
    around.min_by_key(|&it| {
        let module = hierarchy.module(it);
        (module.end_line - module.line, std::cmp::Reverse(it))
    })
}

fn has_word(text: &[u8], word: &[u8]) -> bool {
    let is_letter =
        |byte: Option<&u8>| byte.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
    memchr::memmem::find_iter(text, word).any(|at| {
        let before = at.checked_sub(1).and_then(|it| text.get(it));
        !is_letter(before) && !is_letter(text.get(at + word.len()))
    })
}

/// Which files can see the names of which.
struct Reach<'a> {
    paths: &'a [String],
    ids: HashMap<&'a str, u32>,
    /// By file those that import it.
    importers: HashMap<u32, Vec<u32>>,
}

/// Languages in which the files of a directory see each other.
const PACKAGES: [&str; 7] = ["go", "java", "kt", "kts", "cs", "swift", "scala"];
/// Languages in which what is included includes.
const INCLUDES: [&str; 11] = [
    "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "inc", "ipp",
];

impl<'a> Reach<'a> {
    fn new(relations: &'a Relations) -> Reach<'a> {
        let paths = relations.paths.as_slice();
        let mut importers: HashMap<u32, Vec<u32>> = HashMap::new();
        for import in &relations.imports {
            importers.entry(import.to).or_default().push(import.from);
        }
        Reach {
            paths,
            ids: (0..)
                .zip(paths)
                .map(|(id, path)| (path.as_str(), id))
                .collect(),
            importers,
        }
    }

    /// The files, but the one itself, that see its names.
    fn from(&self, path: &str) -> Vec<String> {
        let ending = path.rsplit('.').next().unwrap_or_default();
        let mut found: BTreeSet<u32> = BTreeSet::new();
        let mut open: Vec<u32> = self.ids.get(path).copied().into_iter().collect();
        while let Some(id) = open.pop() {
            for &importer in self.importers.get(&id).into_iter().flatten() {
                if found.insert(importer) && INCLUDES.contains(&ending) {
                    open.push(importer);
                }
            }
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut paths: Vec<String> = found
            .iter()
            .map(|&id| self.paths[id as usize].clone())
            .collect();
        if PACKAGES.contains(&ending) {
            let beside = self
                .paths
                .iter()
                .filter(|it| it.rsplit_once('/').map_or("", |(folder, _)| folder) == folder);
            paths.extend(beside.cloned());
        }
        paths.retain(|it| it != path);
        paths.sort();
        paths.dedup();
        paths
    }
}
