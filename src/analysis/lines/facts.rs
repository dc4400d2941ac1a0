//! What the lines of any file are made of, worked out once for a recording.

use std::collections::{BTreeMap, HashMap};

use super::infer::Inference;
use super::{Evidence, FileLines, FunctionInFile, Line, LineCalls, largest_first};
use crate::analysis::resolve;
use crate::analysis::session::Resolved;
use crate::facts::hierarchy::{Hierarchy, ModuleKind};
use crate::facts::lines::Lines;
use crate::facts::trace::{FunctionMetrics, Relation};
use crate::source::relations::sites::CallSite;
use crate::units::{Cost, FunctionId, ModuleId, TimeRange};

/// The functions of a recording by module, with what they cost and call in a range of time.
#[derive(Clone, Debug)]
pub struct LineFacts {
    /// In order.
    functions: Vec<(ModuleId, FunctionId)>,
    /// Places of lines in another file than that of their function: by file, in order.
    elsewhere: Vec<(ModuleId, usize)>,
    metrics: Vec<FunctionMetrics>,
    /// In order of caller; none where the recording knows from which line calls were made.
    relations: Vec<Relation>,
    is_range: bool,
}

impl LineFacts {
    /// All of a recording, or a range of its time. Takes as long as the recording's call relations do, which come from the
    /// summaries of the call store, and O(functions).
    pub fn new(hierarchy: &Hierarchy, resolved: &Resolved, range: Option<TimeRange>) -> LineFacts {
        let recording = &resolved.recording;
        let modules = &resolved.resolution.modules;
        let functions = recording.functions.ids();
        let functions = functions.filter_map(|id| Some((*modules.get(id.index())?, id)));
        let mut functions: Vec<(ModuleId, FunctionId)> = functions.collect();
        functions.sort_unstable();
        let knows_sites = recording.lines.as_ref().is_some_and(|it| it.knows().sites);
        LineFacts {
            functions,
            elsewhere: match &recording.lines {
                Some(lines) => elsewhere(hierarchy, resolved, lines),
                None => Vec::new(),
            },
            metrics: recording.function_metrics(range),
            relations: match knows_sites {
                true => Vec::new(),
                false => recording.relations(range),
            },
            is_range: range.is_some(),
        }
    }

    /// The lines of `file`, a module of the hierarchy. `sites` are the calls of its text, from which lines are inferred where
    /// the recording does not know them. O(the functions, places, call relations and call sites of the file, with the
    /// logarithm of all of them).
    pub fn file(
        &self,
        hierarchy: &Hierarchy,
        resolved: &Resolved,
        file: ModuleId,
        sites: Option<&[CallSite]>,
    ) -> FileLines {
        let recording = &resolved.recording;
        let known = recording.lines.as_ref();
        let knows_sites = known.is_some_and(|it| it.knows().sites);
        let mut reading = Reading {
            facts: self,
            hierarchy,
            resolved,
            value: recording.value(),
            lines: BTreeMap::new(),
            calls: BTreeMap::new(),
            call_costs: HashMap::new(),
            unplaced: BTreeMap::new(),
        };
        if let Some(lines) = known {
            reading.own_places(lines, file);
            reading.places_of_others(lines, file);
        }
        if !knows_sites {
            reading.infer(file, sites.unwrap_or_default());
        }
        FileLines {
            file,
            unit: recording.unit().clone(),
            knows_self: known.is_some(),
            knows_sites,
            is_of_whole: self.is_range && known.is_some(),
            functions: reading.functions(file),
            lines: reading.finish(),
        }
    }

    /// The recorded functions of the modules in `modules`, an interval of ids.
    fn functions_in(&self, modules: std::ops::Range<u32>) -> &[(ModuleId, FunctionId)] {
        let start = self
            .functions
            .partition_point(|(module, _)| module.0 < modules.start);
        let end = self
            .functions
            .partition_point(|(module, _)| module.0 < modules.end);
        &self.functions[start..end]
    }

    /// The call relations of a function with those that it calls.
    fn relations_of(&self, caller: FunctionId) -> &[Relation] {
        let start = self.relations.partition_point(|it| it.caller < caller);
        let end = self.relations.partition_point(|it| it.caller <= caller);
        &self.relations[start..end]
    }
}

/// The places in other files than those of their functions, as far as these files are modules.
fn elsewhere(hierarchy: &Hierarchy, resolved: &Resolved, lines: &Lines) -> Vec<(ModuleId, usize)> {
    let functions = &resolved.recording.functions;
    let mut files: HashMap<&str, Option<ModuleId>> = HashMap::new();
    let places = 0..lines.len();
    let named = places.filter_map(|at| Some((at, lines.other_file(lines.place(at))?)));
    let named: Vec<(usize, &str)> = named.collect();
    files.extend(named.iter().map(|&(_, name)| (name, None)));
    if files.is_empty() {
        return Vec::new();
    }
    // What is the file of a function too has its module.
    for (id, &module) in functions.ids().zip(&resolved.resolution.modules) {
        if let Some(found) = files.get_mut(functions.get(id).file)
            && found.is_none()
        {
            *found = file_around(hierarchy, module);
        }
    }
    let mut rest: Vec<&str> = files
        .iter()
        .filter(|(_, module)| module.is_none())
        .map(|(name, _)| *name)
        .collect();
    rest.sort_unstable();
    let found = resolve::files(hierarchy, &rest);
    let mut elsewhere: Vec<(ModuleId, usize)> = named
        .iter()
        .filter_map(|&(at, name)| {
            let module = files.get(name).copied().flatten();
            Some((module.or_else(|| found.get(name).copied())?, at))
        })
        .collect();
    elsewhere.sort_unstable();
    elsewhere
}

/// The outermost file that a module is in.
fn file_around(hierarchy: &Hierarchy, module: ModuleId) -> Option<ModuleId> {
    let around = hierarchy.ancestors(module);
    around
        .filter(|&id| hierarchy.kind(id) == ModuleKind::File)
        .last()
}

/// The lines of one file while they are put together.
struct Reading<'a> {
    facts: &'a LineFacts,
    hierarchy: &'a Hierarchy,
    resolved: &'a Resolved,
    value: usize,
    lines: BTreeMap<u32, Line>,
    /// By line, caller, callee and evidence.
    calls: BTreeMap<(u32, ModuleId, ModuleId, Evidence), LineCalls>,
    /// By caller, what its calls cost in lines that are known.
    call_costs: HashMap<ModuleId, Cost>,
    /// By caller and callee.
    unplaced: BTreeMap<(ModuleId, ModuleId), LineCalls>,
}

impl Reading<'_> {
    fn module(&self, function: FunctionId) -> ModuleId {
        let modules = &self.resolved.resolution.modules;
        modules
            .get(function.index())
            .copied()
            .unwrap_or(ModuleId::ROOT)
    }

    /// The lines of functions of the file, in their own file.
    fn own_places(&mut self, lines: &Lines, file: ModuleId) {
        let facts = self.facts;
        for &(_, function) in facts.functions_in(self.hierarchy.subtree(file)) {
            for at in lines.of_function(function) {
                if lines.other_file(lines.place(at)).is_none() {
                    self.place(lines, at);
                }
            }
            self.count_call_costs(lines, function);
        }
    }

    /// The lines of the file in functions of others, and in its own functions where the recording names the file another way.
    fn places_of_others(&mut self, lines: &Lines, file: ModuleId) {
        let facts = self.facts;
        let start = facts.elsewhere.partition_point(|&(it, _)| it < file);
        let of_file = facts.elsewhere[start..].iter();
        let mut callers: Vec<FunctionId> = Vec::new();
        for &(_, at) in of_file.take_while(|&&(it, _)| it == file) {
            self.place(lines, at);
            callers.push(lines.place(at).function());
        }
        callers.sort_unstable();
        callers.dedup();
        let subtree = self.hierarchy.subtree(file);
        for caller in callers {
            if !subtree.contains(&self.module(caller).0) {
                self.count_call_costs(lines, caller);
            }
        }
    }

    /// Adds what all calls of a function cost whose line is known, whatever file that is in.
    fn count_call_costs(&mut self, lines: &Lines, function: FunctionId) {
        let module = self.module(function);
        let places = lines.of_function(function);
        let known = places.filter(|&at| lines.place(at).line() > 0);
        let costs = known.flat_map(|at| lines.sites(self.value, at));
        let cost: Cost = costs.map(|site| site.cost).sum();
        *self.call_costs.entry(module).or_default() += cost;
    }

    fn place(&mut self, lines: &Lines, at: usize) {
        let place = lines.place(at);
        let caller = self.module(place.function());
        if place.line() > 0 {
            let line = self.lines.entry(place.line()).or_default();
            let own = lines.own(self.value, at);
            line.self_cost = Some(line.self_cost.unwrap_or_default() + own);
            if let Some(total) = lines.total(self.value, at) {
                line.total = Some(line.total.unwrap_or_default() + total);
            }
            if let Some(samples) = lines.samples(at) {
                line.samples = Some(line.samples.unwrap_or(0).saturating_add(samples));
            }
        }
        for site in lines.sites(self.value, at) {
            let calls = LineCalls {
                caller,
                callee: self.module(site.callee),
                function: site.callee,
                calls: site.calls.unwrap_or(0),
                cost: site.cost,
                evidence: Evidence::Recorded,
            };
            self.calls(place.line(), calls);
        }
    }

    /// Calls of a line, or with 0 of one that is not known.
    fn calls(&mut self, line: u32, calls: LineCalls) {
        let add = |sum: &mut LineCalls| {
            sum.calls = sum.calls.saturating_add(calls.calls);
            sum.cost += calls.cost;
        };
        if line == 0 {
            let key = (calls.caller, calls.callee);
            self.unplaced.entry(key).and_modify(add).or_insert(calls);
        } else {
            self.lines.entry(line).or_default();
            let key = (line, calls.caller, calls.callee, calls.evidence);
            self.calls.entry(key).and_modify(add).or_insert(calls);
        }
    }

    /// Calls of the functions of the file whose lines the recording does not know.
    fn infer(&mut self, file: ModuleId, sites: &[CallSite]) {
        let facts = self.facts;
        let inference = Inference::new(self.hierarchy, self.resolved, file, sites);
        for &(module, function) in facts.functions_in(self.hierarchy.subtree(file)) {
            let relations = facts.relations_of(function);
            for (line, calls) in inference.place(function, module, relations) {
                if line > 0 {
                    *self.call_costs.entry(module).or_default() += calls.cost;
                }
                self.calls(line, calls);
            }
        }
    }

    /// The functions of the file; to be asked for before the lines.
    fn functions(&self, file: ModuleId) -> Vec<FunctionInFile> {
        let hierarchy = self.hierarchy;
        let modules = hierarchy.subtree(file).map(ModuleId);
        let modules = modules.filter(|&id| hierarchy.kind(id) == ModuleKind::Function);
        let mut functions: Vec<FunctionInFile> = modules
            .map(|module| {
                let of = hierarchy.module(module);
                let metrics = self.facts.functions_in(module.0..module.0 + 1).iter();
                let metrics = metrics.filter_map(|(_, id)| self.facts.metrics.get(id.index()));
                let mut sum = FunctionMetrics::default();
                for one in metrics {
                    sum.calls = sum.calls.saturating_add(one.calls);
                    sum.self_cost += one.self_cost;
                    sum.total += one.total;
                }
                let ran_as_part = of.functions > 0 && self.ran_in(of.line, of.end_line);
                let unplaced = self.unplaced.range((module, ModuleId::ROOT)..);
                let unplaced = unplaced.take_while(|((caller, _), _)| *caller == module);
                let mut unplaced: Vec<LineCalls> = unplaced.map(|(_, calls)| *calls).collect();
                largest_first(&mut unplaced);
                FunctionInFile {
                    module,
                    lines: (of.line, of.end_line),
                    is_executed: sum.calls > 0 || sum.total > Cost::ZERO || ran_as_part,
                    calls: sum.calls,
                    self_cost: sum.self_cost,
                    total: sum.total,
                    call_costs: self.call_costs.get(&module).copied().unwrap_or_default(),
                    unplaced,
                }
            })
            .collect();
        functions.sort_by_key(|it| (it.lines.0, std::cmp::Reverse(it.lines.1), it.module));
        functions
    }

    /// Whether one of these lines ran itself: what is put into its callers is never called, and its lines run.
    fn ran_in(&self, first: u32, last: u32) -> bool {
        first > 0
            && first <= last
            && self
                .lines
                .range(first..=last)
                .any(|(_, line)| line.self_cost.is_some_and(|cost| cost > Cost::ZERO))
    }

    fn finish(mut self) -> Vec<Line> {
        for ((line, ..), calls) in std::mem::take(&mut self.calls) {
            if let Some(line) = self.lines.get_mut(&line) {
                line.calls = line.calls.saturating_add(calls.calls);
                line.cost += calls.cost;
                line.by_callee.push(calls);
            }
        }
        let call_costs = &self.call_costs;
        let lines = self.lines.into_iter().map(|(number, mut line)| {
            line.line = number;
            let mut callers: Vec<ModuleId> = line.by_callee.iter().map(|it| it.caller).collect();
            callers.sort_unstable();
            callers.dedup();
            let all = callers.iter().filter_map(|it| call_costs.get(it));
            let all: Cost = all.copied().sum();
            if all > Cost::ZERO {
                line.share = line.cost.ns() as f64 / all.ns() as f64;
            }
            largest_first(&mut line.by_callee);
            line
        });
        lines.filter(says_something).collect()
    }
}

fn says_something(line: &Line) -> bool {
    let costs = [line.self_cost, line.total].into_iter().flatten();
    costs.chain([line.cost]).any(|it| it > Cost::ZERO)
        || line.samples.is_some_and(|it| it > 0)
        || line.calls > 0
        || !line.by_callee.is_empty()
}
