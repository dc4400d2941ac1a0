//! Resolving: which module of the hierarchy each function of a recording is.

use std::collections::HashMap;

use callscape_base::units::ModuleId;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, ModuleKind, NodeId};

mod directories;
pub(super) mod names;
mod packages;
mod placing;
pub(super) mod readings;
mod source_files;
mod source_index;

use placing::Placing;
use readings::Reading;
use source_files::{RecordedFile, SourceFiles};
use source_index::SourceIndex;

/// Which rule resolved a function: the rules in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The recording's file is in the source and defines a function of that name, of several the one whose
    /// scopes agree, then the one around the line, then the nearest.
    FileAndName,
    /// The recording's file is in the source, and the function, which has no name of its own, is what stands
    /// around its line.
    FileAndLine,
    /// The recording's file is in the source and does not define the function (`<module>`, what a macro makes):
    /// it becomes a module of that file.
    InFile,
    /// No file is recorded, and the name with the scopes in it is that of one function of the source.
    QualifiedName,
    /// No file is recorded, and the name is that of only one function of the source.
    UniqueName,
    /// Nothing in the source: the function stands in the external district, or, where there is no source at
    /// all, where its name and file put it.
    External,
}

impl Rule {
    pub const ALL: [Rule; 6] = [
        Rule::FileAndName,
        Rule::FileAndLine,
        Rule::InFile,
        Rule::QualifiedName,
        Rule::UniqueName,
        Rule::External,
    ];

    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Rule::FileAndName => "file_and_name",
            Rule::FileAndLine => "file_and_line",
            Rule::InFile => "in_file",
            Rule::QualifiedName => "qualified_name",
            Rule::UniqueName => "unique_name",
            Rule::External => "external",
        }
    }
}

/// Why a function was not found in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no source.
    NoSource,
    /// The recording gives an address and no name.
    Address,
    /// It is of a shared library that the source is not that of, or of the kernel.
    SharedLibrary,
    /// Its file belongs to an installed package or a runtime.
    Installed,
    /// Its name is one that comes with a language or a system.
    Runtime,
    /// No file of the source has the recorded path, or the one that has does not define what is recorded there.
    FileNotFound,
    /// No function of the source has the name.
    NotDefined,
    /// Several functions of the source have the name, and nothing tells which is meant. Some of them.
    Ambiguous(Vec<ModuleId>),
}

impl Reason {
    /// As documents name it.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::NoSource => "no_source",
            Reason::Address => "address_only",
            Reason::SharedLibrary => "shared_library",
            Reason::Installed => "installed_package",
            Reason::Runtime => "runtime",
            Reason::FileNotFound => "file_not_found",
            Reason::NotDefined => "not_defined",
            Reason::Ambiguous(_) => "ambiguous",
        }
    }
}

/// A recording's functions as modules of the (extended) hierarchy.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// By function; none where rules are only counted.
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
/// The rules are those of [`Rule`], in that order, for each of the readings that a name has (`readings`). What has a
/// file elsewhere is never resolved by name. Near linear in modules and functions.
pub fn resolve(source: &Hierarchy, recordings: &[&Functions]) -> (Hierarchy, Vec<Resolution>) {
    let index = SourceIndex::new(source);
    let files = find_files(source, &index, recordings);
    let outside = recordings.iter().map(|functions| {
        let is_outside = |function: &Function<'_>| !files.contains_key(function.file);
        all(functions).filter(is_outside)
    });
    let builder = HierarchyBuilder::from_hierarchy(source);
    let mut placing = Placing::new(builder, source.len() == 1, outside);
    let mut finder = Finder::new(source, &index, &files);
    let mut resolved: Vec<Vec<(NodeId, Rule)>> = Vec::new();
    for functions in recordings {
        let own = own_libraries(&index, functions);
        let resolve_one = |function: Function<'_>| match finder.find(&own, function) {
            Ok((module, Rule::InFile)) => (placing.in_source(module, function), Rule::InFile),
            Ok((module, rule)) => (NodeId::of(module), rule),
            Err(_) => (placing.outside(function), Rule::External),
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

/// The rules by which [`resolve`] resolves the functions of several recordings, for those who count them: without the
/// modules, whose places take longer to find than all else.
pub fn rules(source: &Hierarchy, recordings: &[&Functions]) -> Vec<Vec<Rule>> {
    if source.len() == 1 {
        let external = |functions: &&Functions| vec![Rule::External; functions.len()];
        return recordings.iter().map(external).collect();
    }
    let index = SourceIndex::new(source);
    let files = find_files(source, &index, recordings);
    let mut finder = Finder::new(source, &index, &files);
    let of_recording = |functions: &&Functions| {
        let own = own_libraries(&index, functions);
        let rule = |function| {
            let found = finder.find(&own, function);
            found.map_or(Rule::External, |(_, rule)| rule)
        };
        all(functions).map(rule).collect()
    };
    recordings.iter().map(of_recording).collect()
}

/// Why each function of a recording is not in the source; none for those that are. The modules of an answer are
/// those of `source`.
pub fn explain(source: &Hierarchy, functions: &Functions) -> Vec<Option<Reason>> {
    let index = SourceIndex::new(source);
    let files = find_files(source, &index, &[functions]);
    let own = own_libraries(&index, functions);
    let mut finder = Finder::new(source, &index, &files);
    let explain_one = |function| finder.find(&own, function).err();
    all(functions).map(explain_one).collect()
}

/// Finds functions in the source.
struct Finder<'a> {
    source: &'a Hierarchy,
    index: &'a SourceIndex<'a>,
    files: &'a HashMap<String, ModuleId>,
    around: Around<'a>,
}

impl<'a> Finder<'a> {
    fn new(
        source: &'a Hierarchy,
        index: &'a SourceIndex<'a>,
        files: &'a HashMap<String, ModuleId>,
    ) -> Finder<'a> {
        Finder {
            source,
            index,
            files,
            around: Around {
                source,
                by_line: HashMap::new(),
            },
        }
    }

    /// The module of a function, or the one that it is to be made in, by the rule that applies. `own` says
    /// by library whether it may be looked up by name.
    fn find(
        &mut self,
        own: &HashMap<&str, bool>,
        function: Function<'_>,
    ) -> Result<(ModuleId, Rule), Reason> {
        if self.source.len() == 1 {
            return Err(Reason::NoSource);
        }
        let readings = readings::of(function.name);
        if let Some(&file) = self.files.get(function.file) {
            return Ok(self.in_file(file, function, &readings));
        }
        if has_file(function) {
            let is_installed = packages::package(function.file).is_some();
            return Err(if is_installed {
                Reason::Installed
            } else {
                Reason::FileNotFound
            });
        }
        if is_address(function.name) {
            return Err(Reason::Address);
        }
        if own.get(function.library) == Some(&false) {
            return Err(Reason::SharedLibrary);
        }
        let mut reason = Reason::NotDefined;
        for reading in &readings {
            match by_name(self.source, self.index, &reading.name) {
                Ok(found) => return Ok(found),
                Err(because) if reason == Reason::NotDefined => reason = because,
                Err(_) => {}
            }
        }
        Err(reason)
    }

    /// A function whose file is known: by its name there, else the module of that file around its line.
    fn in_file(
        &mut self,
        file: ModuleId,
        function: Function<'_>,
        readings: &[Reading<'_>],
    ) -> (ModuleId, Rule) {
        if is_the_file(function) {
            return (file, Rule::FileAndName);
        }
        for reading in readings {
            if let Some(module) = self.named_in(file, function.line, &reading.name) {
                return (module, Rule::FileAndName);
            }
        }
        // It begins on the first line, as a function may.
        let around = match function.name {
            "<module>" => file,
            _ => self.around.innermost(file, function.line),
        };
        // What has no name of its own, a lambda or a generator, is part of the function around it. What has one is
        // not, even when an older or newer version of the file has another function on that line.
        let has_own_name = readings
            .first()
            .is_some_and(|reading| reading.is_own && names::has_own_name(&reading.name));
        if self.source.kind(around) != ModuleKind::Function {
            (around, Rule::InFile)
        } else if has_own_name {
            (self.source.parent(around).unwrap_or(file), Rule::InFile)
        } else {
            (around, Rule::FileAndLine)
        }
    }

    /// Of several of that name: the one whose scopes agree, then the one around the line, then the nearest.
    fn named_in(&self, file: ModuleId, line: u32, name: &str) -> Option<ModuleId> {
        let parts = names::parts(name);
        let named = self.index.in_file(file, parts.last()?);
        let rank = |id: &ModuleId| {
            let module = self.source.module(*id);
            let is_around = (module.line..=module.end_line).contains(&line);
            let distance = module.line.abs_diff(line);
            let agreement = self.index.agreement(*id, &parts);
            (
                std::cmp::Reverse(agreement),
                std::cmp::Reverse(is_around),
                distance,
                *id,
            )
        };
        named.iter().min_by_key(|id| rank(id)).copied()
    }
}

/// Whether a function stands for its file as a whole, as in the history of a tree.
fn is_the_file(function: Function<'_>) -> bool {
    function.line == 0
        && !function.name.is_empty()
        && function.file.rsplit('/').next() == Some(function.name)
}

/// Whether a name is nothing but an address.
fn is_address(name: &str) -> bool {
    let digits = name.strip_prefix("0x").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()) || name == "[unknown]"
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
    let mut files: Vec<(&str, RecordedFile)> = Vec::new();
    for function in recordings.iter().flat_map(|functions| all(functions)) {
        if !has_file(function) {
            continue;
        }
        let place = *places.entry(function.file).or_insert_with(|| {
            files.push((function.file, RecordedFile::default()));
            files.len() - 1
        });
        if is_the_file(function) {
            continue;
        }
        let reading = readings::of(function.name).swap_remove(0);
        let own_name = source_index::own_name(&reading.name).map(str::to_owned);
        files[place].1.functions.extend(own_name);
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
            let reading = readings::of(function.name).swap_remove(0);
            let name = source_index::own_name(&reading.name);
            *known += usize::from(name.is_some_and(|name| !index.named(name).is_empty()));
            *of += 1;
        }
    }
    let is_own = |(library, (known, of)): (&'a str, (usize, usize))| (library, known * 3 > of);
    counts.into_iter().map(is_own).collect()
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

/// No more candidates than this are named where a name is ambiguous.
const MOST_CANDIDATES: usize = 8;

/// The source function that a name means, without a file to help.
fn by_name(
    source: &Hierarchy,
    index: &SourceIndex<'_>,
    name: &str,
) -> Result<(ModuleId, Rule), Reason> {
    let parts = names::parts(name);
    let Some((own_name, scopes)) = parts.split_last() else {
        return Err(Reason::NotDefined);
    };
    let Some(scope) = scopes.last() else {
        let module = the_one(source, index.named(own_name).iter().copied())?;
        return Ok((module, Rule::UniqueName));
    };
    let candidates = index.scoped(scope, own_name);
    let agreement = |id: &ModuleId| index.agreement(*id, &parts);
    let is_runtime = packages::is_runtime(parts[0]);
    let unknown = if is_runtime {
        Reason::Runtime
    } else {
        Reason::NotDefined
    };
    let best = candidates
        .clone()
        .map(|id| agreement(&id))
        .max()
        .unwrap_or(0);
    let rule = if best > 1 {
        Rule::QualifiedName
    } else if best == 1 && name.contains("::") && !is_runtime {
        // The crate or the outermost namespace has another name than the directory. With dots that would be
        // too daring: `dict.get`, of a built-in type, has nothing to do with a function `get`.
        Rule::UniqueName
    } else {
        return Err(unknown);
    };
    let with_best = candidates.filter(|id| agreement(id) == best);
    Ok((the_one(source, with_best)?, rule))
}

/// The only one of `functions`, or the first of several that are variants of each other: same name, same
/// parent, as under `#ifdef`.
fn the_one(
    source: &Hierarchy,
    functions: impl Iterator<Item = ModuleId> + Clone,
) -> Result<ModuleId, Reason> {
    let mut others = functions.clone();
    let Some(first) = others.next() else {
        return Err(Reason::NotDefined);
    };
    let is_variant = |id: ModuleId| {
        source.parent(id) == source.parent(first) && source.name(id) == source.name(first)
    };
    if others.all(is_variant) {
        Ok(first)
    } else {
        Err(Reason::Ambiguous(functions.take(MOST_CANDIDATES).collect()))
    }
}
