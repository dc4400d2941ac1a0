//! Which of the functions of changed files ran.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Fault;
use super::pieces::FileRead;
use crate::resolve::{Rule, resolve};
use crate::session::{Resolved, Session};
use callscape_base::units::{Cost, FunctionId, ModuleId, ThreadId, Time};
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape_facts::trace::FunctionMetrics;
use callscape_source::file_syntax::FileSyntax;
use callscape_source::history::change::Changes;

/// A function of the source that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// In the session's structure.
    pub module: ModuleId,
    /// As the recording has it.
    pub functions: Vec<FunctionId>,
}

/// What ran.
pub(super) struct Ran<'a> {
    session: &'a Session,
    resolved: &'a Resolved,
    metrics: Vec<FunctionMetrics>,
    first: Vec<Option<(Time, ThreadId)>>,
    /// By changed file and definition; none for the code of a file that is in no function.
    places: BTreeMap<(usize, Option<usize>), Place>,
    /// By module of the session, the functions that ran.
    by_module: HashMap<ModuleId, Vec<FunctionId>>,
}

impl<'a> Ran<'a> {
    pub(super) fn new(
        session: &'a Session,
        resolved: &'a Resolved,
        changes: &Changes,
        files: &[FileRead],
    ) -> Ran<'a> {
        let recording = &resolved.recording;
        let metrics = recording.function_metrics(None);
        let first = match recording.profile {
            Some(_) => Vec::new(),
            None => {
                let calls = recording.trace.first_calls().into_iter();
                calls
                    .map(|it| it.map(|(time, thread, _)| (time, thread)))
                    .collect()
            }
        };
        let mut ran = Ran {
            session,
            resolved,
            metrics,
            first,
            places: BTreeMap::new(),
            by_module: HashMap::new(),
        };
        let all = recording.functions.ids();
        let executed: Vec<FunctionId> = all.filter(|&it| ran.has_run(it)).collect();
        for function in executed {
            let module = resolved.resolution.modules.get(function.index());
            if let Some(&module) = module {
                ran.by_module.entry(module).or_default().push(function);
            }
        }
        match &changes.bad {
            None => ran.place(
                &session.hierarchy,
                &resolved.resolution.modules,
                &resolved.resolution.rules,
                changes,
                files,
            ),
            Some(_) => {
                let earlier = structure(changes, files);
                let (hierarchy, resolutions) = resolve(&earlier, &[&recording.functions]);
                if let Some(found) = resolutions.first() {
                    let rules = ran.trusted(&hierarchy, &found.modules, &found.rules);
                    ran.place(&hierarchy, &found.modules, &rules, changes, files);
                }
            }
        }
        ran
    }

    /// Whether the recording saw a function run. A profile may not count calls.
    pub(super) fn has_run(&self, function: FunctionId) -> bool {
        let metrics = self.metrics.get(function.index());
        metrics.is_some_and(|it| it.calls > 0 || it.total > Cost::ZERO)
    }

    /// The rules by which functions were found in a structure that has only the functions of changed files. One that was found
    /// by its name alone counts where the whole structure has it in a file of that path.
    fn trusted(&self, hierarchy: &Hierarchy, modules: &[ModuleId], rules: &[Rule]) -> Vec<Rule> {
        let file_of = |hierarchy: &Hierarchy, module: ModuleId| {
            let mut around = hierarchy.ancestors(module);
            around
                .find(|&it| hierarchy.kind(it) == ModuleKind::File)
                .map(|it| hierarchy.path(it))
        };
        let of_session = &self.resolved.resolution.modules;
        let rules = rules.iter().enumerate().map(|(at, &rule)| match rule {
            Rule::QualifiedName | Rule::UniqueName => {
                let here = modules.get(at).and_then(|&it| file_of(hierarchy, it));
                let there = of_session
                    .get(at)
                    .and_then(|&it| file_of(&self.session.hierarchy, it));
                match here.is_some() && here == there {
                    true => rule,
                    false => Rule::External,
                }
            }
            rule => rule,
        });
        rules.collect()
    }

    fn place(
        &mut self,
        hierarchy: &Hierarchy,
        modules: &[ModuleId],
        rules: &[Rule],
        changes: &Changes,
        files: &[FileRead],
    ) {
        let paths: HashMap<&str, usize> = changes
            .files
            .iter()
            .enumerate()
            .map(|(at, it)| (it.path.as_str(), at))
            .collect();
        let of_files = hierarchy.outermost_files().filter_map(|id| {
            let file = *paths.get(hierarchy.path(id).as_str())?;
            Some((hierarchy.subtree(id), file))
        });
        let mut of_files: Vec<(std::ops::Range<u32>, usize)> = of_files.collect();
        of_files.sort_by_key(|(subtree, _)| subtree.start);
        for function in self.resolved.recording.functions.ids() {
            let (Some(&module), Some(&rule)) =
                (modules.get(function.index()), rules.get(function.index()))
            else {
                continue;
            };
            if rule == Rule::External || !self.has_run(function) {
                continue;
            }
            let before = of_files.partition_point(|(subtree, _)| subtree.start <= module.0);
            let around = before.checked_sub(1).and_then(|at| of_files.get(at));
            let Some((_, file)) = around.filter(|(subtree, _)| subtree.contains(&module.0)) else {
                continue;
            };
            let Some(syntax) = files.get(*file).and_then(|it| it.after.as_ref()) else {
                continue;
            };
            let definition = definition_of(hierarchy, module, syntax);
            let of_session = self.resolved.resolution.modules.get(function.index());
            let place = self
                .places
                .entry((*file, definition))
                .or_insert_with(|| Place {
                    module: of_session.copied().unwrap_or(module),
                    functions: Vec::new(),
                });
            place.functions.push(function);
        }
    }

    /// The function of a changed file, or the file's own code, if it ran.
    pub(super) fn at(&self, file: usize, definition: Option<usize>) -> Option<&Place> {
        self.places.get(&(file, definition))
    }

    /// The functions of a module of the session that ran.
    pub(super) fn of_module(&self, module: ModuleId) -> Option<&[FunctionId]> {
        self.by_module.get(&module).map(Vec::as_slice)
    }

    /// The files of the session's structure in which something ran, in order.
    pub(super) fn files(&self) -> Vec<ModuleId> {
        let hierarchy = &self.session.hierarchy;
        let outermost = |module: ModuleId| {
            let files = hierarchy.ancestors(module);
            files
                .filter(|&it| hierarchy.kind(it) == ModuleKind::File)
                .last()
        };
        let files: HashSet<ModuleId> = self
            .by_module
            .keys()
            .filter_map(|&it| outermost(it))
            .collect();
        let mut files: Vec<ModuleId> = files.into_iter().collect();
        files.sort_unstable();
        files
    }

    /// How many functions of the recording ran and are in the source.
    pub(super) fn executed(&self) -> u64 {
        let rules = self.resolved.resolution.rules.iter();
        let ids = self.resolved.recording.functions.ids();
        let found = ids
            .zip(rules)
            .filter(|(id, rule)| **rule != Rule::External && self.has_run(*id));
        found.count() as u64
    }

    /// Fills in what the recording says of a function.
    pub(super) fn measure(&self, fault: &mut Fault) {
        let is_part = |id: &&FunctionId| {
            self.resolved.resolution.rules.get(id.index()) == Some(&Rule::FileAndLine)
        };
        // Where the recording has the function itself, what stands in it and has no name is a part of it.
        let has_whole = !fault.functions.iter().all(|id| is_part(&id));
        for id in &fault.functions {
            let Some(metrics) = self.metrics.get(id.index()) else {
                continue;
            };
            fault.self_cost += metrics.self_cost;
            if has_whole && is_part(&id) {
                continue;
            }
            fault.calls = fault.calls.saturating_add(metrics.calls);
            fault.total += metrics.total;
            let first = self.first.get(id.index()).copied().flatten();
            fault.first = match (fault.first, first) {
                (Some(known), Some(first)) => Some(known.min(first)),
                (known, first) => known.or(first),
            };
        }
    }
}

/// The definition that a module of a file is; none for the file's own code, and for what a macro has made.
fn definition_of(hierarchy: &Hierarchy, module: ModuleId, syntax: &FileSyntax) -> Option<usize> {
    let of = hierarchy.module(module);
    if of.kind != ModuleKind::Function {
        return None;
    }
    let all = syntax.definitions.iter().enumerate();
    let same = all.filter(|(_, it)| it.kind == ModuleKind::Function && it.name == of.name);
    let nearest = same.min_by_key(|(_, it)| it.line.abs_diff(of.line));
    nearest.map(|(at, _)| at).or_else(|| match of.line {
        0 | 1 => None,
        line => syntax.function_at(line),
    })
}

/// The files of the later revision, those that changed with their functions.
fn structure(changes: &Changes, files: &[FileRead]) -> Hierarchy {
    let mut builder = HierarchyBuilder::new("");
    let mut folders: HashMap<String, NodeId> = HashMap::from([(String::new(), NodeId::ROOT)]);
    let changed: HashMap<&str, usize> = changes
        .files
        .iter()
        .enumerate()
        .map(|(at, it)| (it.path.as_str(), at))
        .collect();
    let mut paths: Vec<&str> = changes.paths.iter().map(String::as_str).collect();
    paths.sort_by(|a, b| a.split('/').cmp(b.split('/')));
    for path in paths {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut parent = NodeId::ROOT;
        let mut at = 0;
        for part in folder.split('/').filter(|it| !it.is_empty()) {
            at += part.len() + usize::from(at > 0);
            let whole = &folder[..at.min(folder.len())];
            parent = match folders.get(whole) {
                Some(&known) => known,
                None => {
                    let node = builder.add(parent, Module::named(ModuleKind::Directory, part));
                    folders.insert(whole.to_owned(), node);
                    node
                }
            };
        }
        let file = builder.add(parent, Module::named(ModuleKind::File, name));
        let syntax = changed
            .get(path)
            .and_then(|&at| files.get(at)?.after.as_ref());
        let mut nodes: Vec<NodeId> = Vec::new();
        for definition in syntax.map_or(&[][..], |it| it.definitions.as_slice()) {
            let parent = definition
                .parent
                .and_then(|parent| nodes.get(parent))
                .copied();
            let module = Module {
                line: definition.line,
                end_line: definition.end_line,
                functions: definition.functions,
                ..Module::named(definition.kind, &definition.name)
            };
            nodes.push(builder.add(parent.unwrap_or(file), module));
        }
    }
    builder.build().0
}
