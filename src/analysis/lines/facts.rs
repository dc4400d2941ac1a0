//! What the lines of any file are made of, worked out once for a recording.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::elsewhere;
use super::infer::Inference;
use super::{Evidence, FileLines, FunctionInFile, Line, LineCalls, largest_first};
use crate::moments;
use crate::session::Resolved;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId, ModuleId};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::lines::Lines;
use callscape_facts::trace::{FunctionMetrics, Relation, Within};
use callscape_source::relations::sites::CallSite;

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
    /// The same with their moments as costs.
    lasting: Vec<Relation>,
    knows_sites: bool,
    is_range: bool,
}

impl LineFacts {
    /// All of a recording, or a range of its time. O(functions), and O(calls) for moments where lines of calls are inferred.
    pub fn new(hierarchy: &Hierarchy, resolved: &Resolved, within: impl Into<Within>) -> LineFacts {
        let within = within.into();
        let recording = &resolved.recording;
        let modules = &resolved.resolution.modules;
        let functions = recording.functions.ids();
        let functions = functions.filter_map(|id| Some((*modules.get(id.index())?, id)));
        let mut functions: Vec<(ModuleId, FunctionId)> = functions.collect();
        functions.sort_unstable();
        let knows_sites = recording.lines.as_ref().is_some_and(|it| it.knows().sites);
        let relations = match knows_sites {
            true => Vec::new(),
            false => recording.relations(within),
        };
        let moments = moments::of_functions(recording, within, &relations, &Progress::new());
        let moments = moments.ok().flatten().unwrap_or_default();
        let lasting = relations.iter().zip(moments);
        let lasting = lasting.map(|(&it, cost)| Relation { cost, ..it }).collect();
        LineFacts {
            functions,
            elsewhere: match &recording.lines {
                Some(lines) => elsewhere::places(hierarchy, resolved, lines),
                None => Vec::new(),
            },
            metrics: recording.function_metrics(within),
            relations,
            lasting,
            knows_sites,
            is_range: within.range.is_some(),
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
        let mut reading = Reading::new(self, hierarchy, resolved);
        let known = resolved.recording.lines.as_ref();
        if let Some(lines) = known {
            reading.own_places(lines, file);
            reading.places_of_others(lines, file);
        }
        if !self.knows_sites {
            let inference = Inference::new(hierarchy, resolved, file, sites.unwrap_or_default());
            reading.infer(file, &inference);
        }
        reading.finish(file, &[file])
    }

    /// The lines of a file that is no module, by its path in the recording. Lines of its calls are known only as far as they
    /// are recorded. O(functions + places).
    pub fn recorded_file(
        &self,
        hierarchy: &Hierarchy,
        resolved: &Resolved,
        path: &str,
    ) -> FileLines {
        let mut reading = Reading::new(self, hierarchy, resolved);
        let file_of = |function: FunctionId| resolved.recording.functions.get(function).file;
        if let Some(lines) = &resolved.recording.lines {
            let file_at = |at: &usize| {
                let place = lines.place(*at);
                let other = lines.other_file(place);
                other.unwrap_or_else(|| file_of(place.function())) == path
            };
            let places: Vec<usize> = (0..lines.len()).filter(file_at).collect();
            places.iter().for_each(|&at| reading.place(lines, at));
            let callers = places.iter().map(|&at| lines.place(at).function());
            for caller in callers.collect::<BTreeSet<_>>() {
                reading.count_call_costs(lines, caller);
            }
        }
        let functions = self.functions.iter().filter(|it| file_of(it.1) == path);
        let mut modules: Vec<ModuleId> = functions.map(|it| it.0).collect();
        modules.dedup();
        if !self.knows_sites {
            for &module in &modules {
                reading.infer(module, &Inference::new(hierarchy, resolved, module, &[]));
            }
        }
        reading.finish(ModuleId::ROOT, &modules)
    }

    /// The lines of some functions of `file` alone: what they themselves do in the file's own text. The rest as in
    /// [`file`](Self::file).
    pub fn functions(
        &self,
        hierarchy: &Hierarchy,
        resolved: &Resolved,
        (file, functions): (ModuleId, &[ModuleId]),
        sites: Option<&[CallSite]>,
    ) -> FileLines {
        let mut reading = Reading::new(self, hierarchy, resolved);
        let sites = sites.filter(|_| !self.knows_sites).unwrap_or_default();
        let inference = Inference::new(hierarchy, resolved, file, sites);
        for &function in functions {
            if let Some(lines) = &resolved.recording.lines {
                reading.own_places(lines, function);
            }
            if !self.knows_sites {
                reading.infer(function, &inference);
            }
        }
        reading.finish(file, functions)
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

    /// The call relations of a function with those that it calls, with costs and with moments; the latter may be missing.
    fn relations_of(&self, caller: FunctionId) -> [&[Relation]; 2] {
        [&self.relations, &self.lasting].map(|all| {
            let start = all.partition_point(|it| it.caller < caller);
            let end = all.partition_point(|it| it.caller <= caller);
            &all[start..end]
        })
    }
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

impl<'a> Reading<'a> {
    fn new(facts: &'a LineFacts, hierarchy: &'a Hierarchy, resolved: &'a Resolved) -> Reading<'a> {
        Reading {
            facts,
            hierarchy,
            resolved,
            value: resolved.recording.value(),
            lines: BTreeMap::new(),
            calls: BTreeMap::new(),
            call_costs: HashMap::new(),
            unplaced: BTreeMap::new(),
        }
    }

    fn module(&self, function: FunctionId) -> ModuleId {
        let modules = &self.resolved.resolution.modules;
        modules
            .get(function.index())
            .copied()
            .unwrap_or(ModuleId::ROOT)
    }

    /// The lines of functions in a module, in their own file.
    fn own_places(&mut self, lines: &Lines, of: ModuleId) {
        let facts = self.facts;
        for &(_, function) in facts.functions_in(self.hierarchy.subtree(of)) {
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

    /// Calls of the functions in a module, whose lines the recording does not know.
    fn infer(&mut self, of: ModuleId, inference: &Inference<'_>) {
        let facts = self.facts;
        for &(module, function) in facts.functions_in(self.hierarchy.subtree(of)) {
            let [relations, lasting] = facts.relations_of(function);
            self.lasting(function, inference.place(function, module, lasting));
            for (line, calls) in inference.place(function, module, relations) {
                if line > 0 {
                    *self.call_costs.entry(module).or_default() += calls.cost;
                }
                self.calls(line, calls);
            }
        }
    }

    /// Adds how long the calls of a function last that are made in lines, which is no longer than the function.
    fn lasting(&mut self, caller: FunctionId, calls: Vec<(u32, LineCalls)>) {
        let mut moments: BTreeMap<u32, Cost> = BTreeMap::new();
        for (line, calls) in calls {
            *moments.entry(line).or_default() += calls.cost;
        }
        let most = self.facts.metrics.get(caller.index()).map(|it| it.total);
        for (line, moments) in moments.split_off(&1) {
            let line = self.lines.entry(line).or_default();
            // Where the recording knows the line's own cost, it knows this too.
            if line.self_cost.is_none() {
                let moments = moments.min(most.unwrap_or_default());
                line.total = Some(line.total.unwrap_or_default() + moments);
            }
        }
    }

    /// The functions in modules.
    fn functions(&self, parts: &[ModuleId]) -> Vec<FunctionInFile> {
        let hierarchy = self.hierarchy;
        let modules = parts.iter().flat_map(|&part| hierarchy.subtree(part));
        let modules = modules.map(ModuleId);
        let functions = modules.filter(|&id| hierarchy.kind(id) == ModuleKind::Function);
        let mut functions: Vec<FunctionInFile> =
            functions.map(|module| self.function(module)).collect();
        functions.sort_by_key(|it| (it.lines.0, std::cmp::Reverse(it.lines.1), it.module));
        functions
    }

    fn function(&self, module: ModuleId) -> FunctionInFile {
        let of = self.hierarchy.module(module);
        let metrics = self.facts.functions_in(module.0..module.0 + 1).iter();
        let metrics = metrics.filter_map(|(_, id)| self.facts.metrics.get(id.index()));
        let mut sum = FunctionMetrics::default();
        for one in metrics {
            sum.calls = sum.calls.saturating_add(one.calls);
            sum.self_cost += one.self_cost;
            sum.total += one.total;
        }
        let ran_as_part = of.functions > 0 && self.ran_in(of.line, of.end_line, module);
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
    }

    /// Whether one of these lines, which are those of a function, ran itself or as a part of another function: what is put
    /// into its callers is never called, and its lines run.
    fn ran_in(&self, first: u32, last: u32, function: ModuleId) -> bool {
        if first == 0 || first > last {
            return false;
        }
        let has_cost = |line: &Line| line.self_cost.is_some_and(|cost| cost > Cost::ZERO);
        let mut lines = self.lines.range(first..=last);
        let lowest = (first, ModuleId::ROOT, ModuleId::ROOT, Evidence::Recorded);
        let calls = self.calls.range(lowest..);
        let mut calls = calls.take_while(|((line, ..), _)| *line <= last);
        lines.any(|(_, line)| has_cost(line))
            || calls.any(|((_, caller, ..), _)| *caller != function)
    }

    fn finish(mut self, file: ModuleId, parts: &[ModuleId]) -> FileLines {
        let functions = self.functions(parts);
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
        let recording = &self.resolved.recording;
        FileLines {
            file,
            unit: recording.unit().clone(),
            lines: lines.filter(says_something).collect(),
            functions,
            knows_self: recording.lines.is_some(),
            knows_sites: self.facts.knows_sites,
            is_of_whole: self.facts.is_range && recording.lines.is_some(),
            whole: self.facts.metrics.iter().map(|it| it.self_cost).sum(),
        }
    }
}

fn says_something(line: &Line) -> bool {
    let costs = [line.self_cost, line.total].into_iter().flatten();
    costs.chain([line.cost]).any(|it| it != Cost::ZERO)
        || line.samples.is_some_and(|it| it > 0)
        || line.calls > 0
        || !line.by_callee.is_empty()
}
