//! What other tools have found, as functions that ran: entry points into a recording.
//!
//! Source: Johannes Bohnet, *Visualization of Execution Traces and its Application to Software Maintenance* (doctoral thesis,
//! 2010), section 7.1: hit lines become hit functions, and those that are not active during the observed behaviour are dropped.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::session::Session;
use callscape_base::units::{Cost, ModuleId};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_import::results::ResultSet;

/// What a result set is in a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedSet {
    pub name: String,
    /// The functions that were hit and ran, and how many hits each has; of coverage, how many lines of it ran.
    pub functions: BTreeMap<ModuleId, u64>,
    /// Hits of functions that did not run.
    pub not_run: u64,
    /// Hits in no function, or without a line.
    pub outside: u64,
    /// Hits in files that are not in the source tree, or that several files may be meant by.
    pub unknown: u64,
}

impl NamedSet {
    /// Finds the functions of `set` in the first recording of a session. Of coverage those lines are hits that ran.
    /// O(files + hits log functions).
    pub fn new(set: &ResultSet, session: &Session) -> NamedSet {
        let hierarchy = &session.hierarchy;
        let files = Files::new(hierarchy);
        let ran = ran(session);
        let mut named = NamedSet {
            name: set.name.clone(),
            ..NamedSet::default()
        };
        let mut found: HashMap<&str, Option<ModuleId>> = HashMap::new();
        let mut spans: HashMap<ModuleId, Spans> = HashMap::new();
        for hit in set
            .hits
            .iter()
            .filter(|it| !set.is_coverage || it.count > 0)
        {
            let file = *found
                .entry(&hit.file)
                .or_insert_with(|| files.find(&hit.file));
            let Some(file) = file else {
                named.unknown += 1;
                continue;
            };
            let spans = spans
                .entry(file)
                .or_insert_with(|| Spans::new(hierarchy, file));
            match spans.at(hit.line) {
                Some(function) if ran.contains(&function) => {
                    *named.functions.entry(function).or_default() += 1;
                }
                Some(_) => named.not_run += 1,
                None => named.outside += 1,
            }
        }
        named
    }

    /// The functions that are in this set and in `other`, with the hits of both.
    pub fn and(mut self, other: &NamedSet) -> NamedSet {
        self.functions.retain(|it, hits| {
            let more = other.functions.get(it);
            *hits += more.copied().unwrap_or(0);
            more.is_some()
        });
        self.name = format!("{} and {}", self.name, other.name);
        self
    }
}

/// The modules of the functions that the first recording saw run.
fn ran(session: &Session) -> HashSet<ModuleId> {
    let Some(resolved) = session.recordings.first() else {
        return HashSet::new();
    };
    let metrics = resolved.recording.function_metrics(None);
    let all = resolved.resolution.modules.iter().zip(&metrics);
    let ran = all.filter(|(_, it)| it.calls > 0 || it.total > Cost::ZERO);
    ran.map(|(&module, _)| module).collect()
}

/// The files of a hierarchy by their own names.
pub(super) struct Files<'a> {
    hierarchy: &'a Hierarchy,
    by_name: HashMap<&'a str, Vec<ModuleId>>,
}

impl<'a> Files<'a> {
    pub(crate) fn new(hierarchy: &'a Hierarchy) -> Files<'a> {
        let mut by_name: HashMap<&str, Vec<ModuleId>> = HashMap::new();
        for file in hierarchy.outermost_files() {
            by_name.entry(hierarchy.name(file)).or_default().push(file);
        }
        Files { hierarchy, by_name }
    }

    /// The file whose path ends as `path` does, or that `path` ends as; of several the one with the most in common, none where
    /// that are several.
    pub(crate) fn find(&self, path: &str) -> Option<ModuleId> {
        let parts: Vec<&str> = path
            .split('/')
            .filter(|it| !it.is_empty() && *it != ".")
            .collect();
        let same_name = self.by_name.get(parts.last()?)?;
        let common = |file: ModuleId| {
            let names = self
                .hierarchy
                .ancestors(file)
                .map(|it| self.hierarchy.name(it));
            names
                .zip(parts.iter().rev())
                .take_while(|(a, b)| a == *b)
                .count()
        };
        let fits = |file: ModuleId, common: usize| {
            common == parts.len() || common >= usize::from(self.hierarchy.depth(file))
        };
        let mut fitting: Vec<(usize, ModuleId)> = Vec::new();
        for &file in same_name {
            let common = common(file);
            if fits(file, common) {
                fitting.push((common, file));
            }
        }
        fitting.sort_unstable();
        let &(most, file) = fitting.last()?;
        let is_alone = fitting.iter().filter(|(common, _)| *common == most).count() == 1;
        is_alone.then_some(file)
    }
}

/// The functions of a file by the lines that they span.
pub(super) struct Spans {
    /// First line, last line and function, by first line; inner ones behind those around them.
    functions: Vec<(u32, u32, ModuleId)>,
}

impl Spans {
    pub(crate) fn new(hierarchy: &Hierarchy, file: ModuleId) -> Spans {
        let all = hierarchy.subtree(file).map(ModuleId);
        let functions = all.filter(|&it| hierarchy.kind(it) == ModuleKind::Function);
        let spans = functions.map(|it| {
            let module = hierarchy.module(it);
            (module.line, module.end_line, it)
        });
        let mut functions: Vec<(u32, u32, ModuleId)> = spans.filter(|it| it.0 > 0).collect();
        functions.sort_by_key(|&(first, last, id)| (first, std::cmp::Reverse(last), id));
        Spans { functions }
    }

    /// The innermost function with a line.
    pub(crate) fn at(&self, line: u32) -> Option<ModuleId> {
        let before = self.functions.partition_point(|&(first, ..)| first <= line);
        let mut open = self.functions[..before].iter().rev();
        open.find(|(_, last, _)| line <= *last)
            .map(|&(.., function)| function)
    }
}
