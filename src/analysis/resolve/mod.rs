//! Resolving: which module of the hierarchy each function of a recording is.

use std::collections::HashMap;

use crate::facts::functions::{Function, Functions};
use crate::facts::hierarchy::{Hierarchy, HierarchyBuilder, ModuleKind, NodeId};
use crate::units::ModuleId;

mod directories;
mod names;
mod packages;
mod placing;
mod source_files;
mod source_index;

use placing::Placing;
use source_files::{RecordedFile, SourceFiles};
use source_index::SourceIndex;

/// Which rule resolved a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The recording's file is in the source, and the function by its name or its line.
    FileAndLine,
    QualifiedName,
    UniqueName,
    /// Nothing in the source: the function stands in the external district, or, where there is no source at
    /// all, where its name and file put it.
    External,
}

/// A recording's functions as modules of the (extended) hierarchy.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// By function.
    pub modules: Vec<ModuleId>,
    /// By function.
    pub rules: Vec<Rule>,
}

impl Resolution {
    /// How many functions were found in the source.
    pub fn found(&self) -> usize {
        let rules = self.rules.iter();
        rules.filter(|&&rule| rule != Rule::External).count()
    }
}

/// Resolves the functions of several recordings against one source hierarchy (just a root when there is no
/// source), and gives the hierarchy back extended by the external district and by what only the
/// recordings know. Every function gets a module; functions of one name in one place are one module.
///
/// In this order: by file and line; by qualified name; by name where it is unique in the source. A function
/// of a file of the source that is not defined there (`<module>`, what a macro makes) becomes a module of
/// that file. What has a file elsewhere is never resolved by name. Near linear in modules and functions.
pub fn resolve(source: &Hierarchy, recordings: &[&Functions]) -> (Hierarchy, Vec<Resolution>) {
    let index = SourceIndex::new(source);
    let files = find_files(source, &index, recordings);
    let everything = recordings.iter().flat_map(|functions| all(functions));
    let outside = everything.filter(|function| !files.contains_key(function.file));
    let builder = HierarchyBuilder::from_hierarchy(source);
    let mut placing = Placing::new(builder, source.len() == 1, outside);
    let mut around = Around {
        source,
        by_line: HashMap::new(),
    };
    let mut resolved: Vec<Vec<(NodeId, Rule)>> = Vec::new();
    for functions in recordings {
        let own = own_libraries(&index, functions);
        let resolve_one = |function: Function<'_>| -> (NodeId, Rule) {
            let is_own = |function: &Function<'_>| *own.get(function.library).unwrap_or(&true);
            if let Some(&file) = files.get(function.file) {
                match in_file(source, &index, &mut around, file, function) {
                    Ok(module) => (NodeId::of(module), Rule::FileAndLine),
                    Err(around) => (placing.in_source(around, function), Rule::FileAndLine),
                }
            } else if !has_file(function) && is_own(&function) {
                match by_name(source, &index, function.name) {
                    Some((module, rule)) => (NodeId::of(module), rule),
                    None => (placing.outside(function), Rule::External),
                }
            } else {
                (placing.outside(function), Rule::External)
            }
        };
        resolved.push(all(functions).map(resolve_one).collect());
    }
    let (hierarchy, modules) = placing.build();
    let resolutions = resolved
        .into_iter()
        .map(|resolved| Resolution {
            modules: resolved
                .iter()
                .map(|(node, _)| modules[node.index()])
                .collect(),
            rules: resolved.into_iter().map(|(_, rule)| rule).collect(),
        })
        .collect();
    (hierarchy, resolutions)
}

/// The functions of a recording, without what stands for an unknown file: debug information writes `??`.
fn all(functions: &Functions) -> impl Iterator<Item = Function<'_>> {
    functions.ids().map(|id| {
        let function = functions.get(id);
        let is_unknown = matches!(
            function.file,
            "??" | "unknown" | "[unknown]" | "(unknown)" | "<unknown>"
        );
        let file = if is_unknown { "" } else { function.file };
        Function { file, ..function }
    })
}

/// Whether the recording knows the file of a function: debug information writes `??` where it does not.
fn has_file(function: Function<'_>) -> bool {
    !matches!(
        function.file,
        "" | "??" | "unknown" | "[unknown]" | "(unknown)"
    )
}

/// The files of the recordings that are in the source.
fn find_files(
    source: &Hierarchy,
    index: &SourceIndex<'_>,
    recordings: &[&Functions],
) -> HashMap<String, ModuleId> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut files: Vec<(&str, RecordedFile<'_>)> = Vec::new();
    for function in recordings.iter().flat_map(|functions| all(functions)) {
        if !has_file(function) {
            continue;
        }
        let place = *places.entry(function.file).or_insert_with(|| {
            files.push((function.file, RecordedFile::default()));
            files.len() - 1
        });
        files[place]
            .1
            .functions
            .extend(source_index::own_name(function.name));
    }
    SourceFiles::new(source, index).find(&files)
}

/// By library, whether its functions may be looked up by name: shared libraries only when a third of their
/// names without file are in the source, for `exit` of the C library is not the program's.
fn own_libraries<'a>(index: &SourceIndex<'_>, functions: &'a Functions) -> HashMap<&'a str, bool> {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for function in all(functions).filter(|function| !has_file(*function)) {
        if packages::is_shared_library(function.library) {
            let (known, of) = counts.entry(function.library).or_default();
            let name = source_index::own_name(function.name);
            *known += usize::from(name.is_some_and(|name| !index.named(name).is_empty()));
            *of += 1;
        }
    }
    let is_own = |(library, (known, of)): (&'a str, (usize, usize))| (library, known * 3 > of);
    counts.into_iter().map(is_own).collect()
}

/// The module of a function whose file is known; else the module of that file around its line.
fn in_file(
    source: &Hierarchy,
    index: &SourceIndex<'_>,
    around: &mut Around<'_>,
    file: ModuleId,
    function: Function<'_>,
) -> Result<ModuleId, ModuleId> {
    let parts = names::parts(function.name);
    let named = match parts.last() {
        Some(name) => index.in_file(file, name),
        None => &[],
    };
    // Of several with that name: the one whose scopes agree, then the one around the line, then the nearest.
    let rank = |id: &ModuleId| {
        let module = source.module(*id);
        let is_around = (module.line..=module.end_line).contains(&function.line);
        let distance = module.line.abs_diff(function.line);
        let agreement = index.agreement(*id, &parts);
        (
            std::cmp::Reverse(agreement),
            std::cmp::Reverse(is_around),
            distance,
            *id,
        )
    };
    if let Some(&best) = named.iter().min_by_key(|id| rank(id)) {
        return Ok(best);
    }
    // What has no name of its own, a lambda or a generator, is part of the function around it. What has one is
    // not, even when an older or newer version of the file has another function on that line.
    let has_own_name = parts
        .last()
        .is_some_and(|last| function.name.ends_with(last));
    let around = around.innermost(file, function.line);
    if source.kind(around) != ModuleKind::Function {
        Err(around)
    } else if has_own_name {
        Err(source.parent(around).unwrap_or(file))
    } else {
        Ok(around)
    }
}

/// The innermost modules around lines, found once for each file that is asked for.
struct Around<'a> {
    source: &'a Hierarchy,
    /// By file and line.
    by_line: HashMap<ModuleId, Vec<ModuleId>>,
}

/// No file that is read for its definitions has more lines.
const MOST_LINES: u32 = 1 << 24;

impl Around<'_> {
    /// The module of a file whose lines hold `line` and that lies deepest; the file itself when none does.
    fn innermost(&mut self, file: ModuleId, line: u32) -> ModuleId {
        let source = self.source;
        let lines = self.by_line.entry(file).or_insert_with(|| {
            let last = source.module(file).end_line.min(MOST_LINES) as usize;
            let mut lines = vec![file; last + 1];
            // What lies inside comes later: a class after its namespace, a nested function after the outer one.
            for id in source.subtree(file).skip(1).map(ModuleId) {
                let module = source.module(id);
                let end = (module.end_line as usize).min(last);
                if let Some(lines) = lines.get_mut(module.line as usize..=end) {
                    lines.fill(id);
                }
            }
            lines
        });
        lines.get(line as usize).copied().unwrap_or(file)
    }
}

/// The source function that a name means, without a file to help.
fn by_name(source: &Hierarchy, index: &SourceIndex<'_>, name: &str) -> Option<(ModuleId, Rule)> {
    let parts = names::parts(name);
    let (own_name, scopes) = parts.split_last()?;
    let Some(scope) = scopes.last() else {
        let module = the_one(source, index.named(own_name).iter().copied())?;
        return Some((module, Rule::UniqueName));
    };
    let candidates = index.scoped(scope, own_name);
    let agreement = |id: &ModuleId| index.agreement(*id, &parts);
    let best = candidates.clone().map(|id| agreement(&id)).max()?;
    let rule = if best > 1 {
        Rule::QualifiedName
    } else if best == 1 && name.contains("::") && !packages::is_runtime(parts[0]) {
        // The crate or the outermost namespace has another name than the directory. With dots that would be
        // too daring: `dict.get`, of a built-in type, has nothing to do with a function `get`.
        Rule::UniqueName
    } else {
        return None;
    };
    let with_best = candidates.filter(|id| agreement(id) == best);
    Some((the_one(source, with_best)?, rule))
}

/// The only one of `functions`, or the first of several that are variants of each other: same name, same
/// parent, as under `#ifdef`.
fn the_one(source: &Hierarchy, mut functions: impl Iterator<Item = ModuleId>) -> Option<ModuleId> {
    let first = functions.next()?;
    let is_variant = |id: ModuleId| {
        source.parent(id) == source.parent(first) && source.name(id) == source.name(first)
    };
    functions.all(is_variant).then_some(first)
}
