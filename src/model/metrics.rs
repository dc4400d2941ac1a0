//! Numbers by module: what the source tree, its history and the recordings say about it and all that lies below.

use std::sync::Arc;

use crate::coverage_columns::CoverageColumns;
use crate::difference::{Difference, Which};
use crate::history_columns::{HistoryColumns, hotspots, parts_of_files};
use crate::imports::Imports;
use crate::measure::Measure;
use crate::memory_columns::MemoryColumns;
use crate::metric::{Metric, Origin};
use crate::number_columns::NumberColumns;
use callscape_analysis::comparison::amounts::Measure as Amounts;
use callscape_analysis::coverage::Coverage;
use callscape_analysis::session::Session;
use callscape_base::units::{self, Cost, ModuleId};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::history::Played;
use callscape_source::history::History;

/// What a details panel says about a module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModuleFacts<'a> {
    pub name: &'a str,
    pub kind: ModuleKind,
    pub language: &'a str,
    /// Lines of code of the subtree.
    pub loc: u32,
    /// Modules below it.
    pub modules: u32,
    /// Calls of all functions in the subtree.
    pub calls: u64,
    /// The total cost of a function; none for a module of several functions, whose calls nest.
    pub total: Option<Cost>,
    /// Time spent in the code of the subtree itself.
    pub self_cost: Cost,
    /// Lines that reports of coverage count, and how many of them ran; none where they count none.
    pub covered: Option<(u64, u64)>,
}

/// The metrics of one structure and one recording of it, over the whole recording.
#[derive(Clone, Debug, Default)]
pub struct ModuleMetrics {
    /// Sums over all modules before one: entry *i* for the modules 0 … *i* - 1.
    calls: Vec<u64>,
    self_cost: Vec<i64>,
    self_waiting: Vec<u64>,
    /// Of the module's own functions.
    total: Vec<Cost>,
    /// Of the subtree, as a whole.
    fan_in: Vec<u32>,
    fan_out: Vec<u32>,
    has_recording: bool,
    imports: Option<Arc<Imports>>,
    /// Global variables by module; empty where they are not known.
    globals: Vec<u32>,
    knows_waiting: bool,
    /// What costs count.
    cost_unit: units::Unit,
    pub(crate) history: Option<HistoryColumns>,
    /// What the recording is made of, where that is the history of a tree.
    pub(crate) played: Option<Arc<Played>>,
    memory: Option<MemoryColumns>,
    coverage: Option<CoverageColumns>,
    pub(crate) numbers: Option<NumberColumns>,
    difference: Option<Difference>,
}

impl ModuleMetrics {
    /// The metrics of the recording at `recording`, of none when there is no such. Linear in the calls:
    /// compute it once for a session.
    pub fn new(session: &Session, recording: usize) -> ModuleMetrics {
        let hierarchy = &session.hierarchy;
        let modules = hierarchy.len();
        let mut metrics = ModuleMetrics {
            calls: vec![0; modules + 1],
            self_cost: vec![0; modules + 1],
            self_waiting: vec![0; modules + 1],
            total: vec![Cost::ZERO; modules],
            fan_in: Vec::new(),
            fan_out: Vec::new(),
            has_recording: false,
            imports: None,
            globals: Vec::new(),
            knows_waiting: false,
            cost_unit: units::Unit::default(),
            history: None,
            played: None,
            memory: None,
            coverage: None,
            numbers: None,
            difference: None,
        };
        if let Some(resolved) = session.recordings.get(recording) {
            metrics.has_recording = true;
            let memory = resolved.recording.memory.as_ref();
            metrics.memory = memory.map(|memory| MemoryColumns::new(session, resolved, memory));
            metrics.knows_waiting = resolved.recording.trace.knows_waiting();
            metrics.cost_unit = resolved.recording.unit().clone();
            let of_functions = resolved.recording.function_metrics(None);
            let modules_of = &resolved.resolution.modules;
            for (function, module) in of_functions.iter().zip(modules_of) {
                let index = module.index();
                if index < modules {
                    metrics.calls[index + 1] += function.calls;
                    let own = &mut metrics.self_cost[index + 1];
                    *own = own.saturating_add(function.self_cost.weight());
                    metrics.self_waiting[index + 1] += function.self_waiting.ns();
                    metrics.total[index] += function.total;
                }
            }
            let module = |function: callscape_base::units::FunctionId| {
                modules_of.get(function.index()).copied()
            };
            metrics.played = resolved.recording.played.clone();
            if let Some(played) = &metrics.played {
                let history = History::of(&played.timeline);
                metrics.set_history(hierarchy, &history, |id| hierarchy.path(id));
            }
            let relations = resolved.recording.relations(None);
            let pairs = relations.iter();
            let pairs = pairs.filter_map(|it| Some((module(it.caller)?, module(it.callee)?)));
            (metrics.fan_in, metrics.fan_out) = fans(hierarchy, pairs);
        }
        for sums in [&mut metrics.calls, &mut metrics.self_waiting] {
            for index in 1..sums.len() {
                sums[index] = sums[index].saturating_add(sums[index - 1]);
            }
        }
        let sums = &mut metrics.self_cost;
        for index in 1..sums.len() {
            sums[index] = sums[index].saturating_add(sums[index - 1]);
        }
        metrics
    }

    /// The same of another recording of the session; history, coverage, numbers and difference stay.
    pub fn of_other(&self, session: &Session, recording: usize) -> ModuleMetrics {
        ModuleMetrics {
            history: self.history.clone(),
            coverage: self.coverage.clone(),
            numbers: self.numbers.clone(),
            globals: self.globals.clone(),
            difference: self.difference.clone(),
            ..ModuleMetrics::new(session, recording)
        }
    }

    /// Takes which file imports which, for fan-in and fan-out of a tree without a recording; a recording's calls go
    /// before them. What stands in a file has the values of the file. Global variables are taken with any recording.
    pub fn set_imports(&mut self, hierarchy: &Hierarchy, imports: Arc<Imports>) {
        self.globals = imports.globals().to_vec();
        let is_known = self.globals.len() == hierarchy.len();
        for (id, file) in parts_of_files(hierarchy).filter(|_| is_known) {
            self.globals[id.index()] = self.globals[file.index()];
        }
        if self.has_recording {
            return;
        }
        (self.fan_in, self.fan_out) = fans(hierarchy, imports.pairs().iter().copied());
        self.imports = Some(imports);
        for (id, file) in parts_of_files(hierarchy) {
            self.fan_in[id.index()] = self.fan_in[file.index()];
            self.fan_out[id.index()] = self.fan_out[file.index()];
        }
    }

    /// Which file imports which, where that is known and no recording goes before it.
    pub fn imports(&self) -> Option<&Arc<Imports>> {
        self.imports.as_ref()
    }

    /// Takes what reports of coverage say, or that there are none; `origin` gives what a module is in the structure that they
    /// were looked up in.
    pub fn set_coverage(
        &mut self,
        hierarchy: &Hierarchy,
        coverage: Option<&Arc<Coverage>>,
        origin: impl Fn(ModuleId) -> ModuleId,
    ) {
        self.coverage = coverage.map(|it| CoverageColumns::new(hierarchy, it, origin));
    }

    /// What reports of coverage say, where there are any.
    pub fn coverage(&self) -> Option<&Arc<Coverage>> {
        self.coverage.as_ref().map(|it| &it.of)
    }

    /// How many lines of a subtree reports of coverage count, and how many of them ran; none where they count none. O(1).
    pub fn covered(&self, hierarchy: &Hierarchy, module: ModuleId) -> Option<(u64, u64)> {
        (self.coverage.as_ref()?).of(&hierarchy.subtree(module))
    }

    /// Takes what differs between two runs.
    pub fn set_difference(&mut self, difference: Difference) {
        self.difference = Some(difference);
    }

    /// What differs between two runs, where two are compared.
    pub fn difference(&self) -> Option<&Difference> {
        self.difference.as_ref()
    }

    /// Whether there are values of a metric.
    pub fn has(&self, metric: Metric) -> bool {
        match metric.origin() {
            _ if metric == Metric::Waiting => self.knows_waiting,
            _ if metric == Metric::ImportCycle => self.imports.is_some(),
            _ if metric == Metric::Globals => !self.globals.is_empty(),
            Origin::Relations => self.has_recording || self.imports.is_some(),
            Origin::Source => true,
            Origin::History => self.history.is_some(),
            Origin::Memory => self.memory.as_ref().is_some_and(|it| it.knows(metric)),
            Origin::Recording => self.has_recording,
            Origin::Coverage => self.coverage().is_some_and(|it| it.all.counted > 0),
            Origin::Numbers => self.numbers().is_some_and(|numbers| match metric {
                Metric::Own(column) => usize::from(column) < numbers.columns.len(),
                _ => false,
            }),
            Origin::Comparison => self.difference.is_some(),
        }
    }

    /// What the values count.
    pub fn measure(&self) -> Measure {
        Measure {
            first_day: self.history.as_ref().map_or(0, |history| history.first_day),
            cost: self.cost_unit.clone(),
            compared: self
                .difference
                .as_ref()
                .map(|difference| difference.amount.clone()),
            own: self
                .numbers()
                .map(|it| it.columns.clone())
                .unwrap_or_default(),
        }
    }

    /// A metric of the whole structure, where it adds up to one.
    pub fn sum_of_all(&self, hierarchy: &Hierarchy, metric: Metric) -> Option<f64> {
        let root = hierarchy.module(ModuleId::ROOT);
        let history = self.history.as_ref();
        let sum = match metric {
            Metric::LinesOfCode => f64::from(root.loc),
            Metric::CommentLines => f64::from(root.comment_lines),
            Metric::Functions => f64::from(root.functions),
            Metric::Bytes => root.bytes as f64,
            Metric::Complexity => f64::from(root.complexity),
            Metric::Calls => self.calls(hierarchy, ModuleId::ROOT) as f64,
            Metric::SelfCost => self.self_cost(hierarchy, ModuleId::ROOT).ns() as f64,
            Metric::Waiting => self.waiting(hierarchy, ModuleId::ROOT).ns() as f64,
            Metric::Globals => f64::from(*self.globals.first()?),
            Metric::LastLines => f64::from(*history?.lines.first()?),
            Metric::Changes => f64::from(*history?.changes.first()?),
            Metric::RecentChanges => f64::from(*history?.recent_changes.first()?),
            Metric::Fixes => f64::from(*history?.fixes.first()?),
            Metric::ChangedLines => f64::from(*history?.recent_lines.first()?),
            Metric::Hotspots => *hotspots(hierarchy, Some(history?)).first()?,
            Metric::NeverRun => *self.never_run(hierarchy).first()?,
            Metric::LiveBytes | Metric::LiveObjects | Metric::Allocations | Metric::Churn => {
                self.memory_of(metric, hierarchy.subtree(ModuleId::ROOT))
            }
            Metric::Uncovered => {
                let (counted, ran) = self.covered(hierarchy, ModuleId::ROOT)?;
                (counted - ran) as f64
            }
            Metric::Own(column) => self.number(column, ModuleId::ROOT)?,
            Metric::LastChange
            | Metric::Authors
            | Metric::Coupled
            | Metric::Coverage
            | Metric::Total
            | Metric::FanIn
            | Metric::FanOut
            | Metric::ImportCycle
            | Metric::InA
            | Metric::InB
            | Metric::Difference => return None,
        };
        (sum > 0.0).then_some(sum)
    }

    /// Whether what lives in memory is known at every time.
    pub fn plays_memory(&self) -> bool {
        let memory = self.memory.as_ref();
        memory.is_some_and(|memory| memory.plays())
    }

    /// What a subtree has of a metric of memory; zero where nothing is known.
    fn memory_of(&self, metric: Metric, subtree: std::ops::Range<u32>) -> f64 {
        let sums = self.memory.as_ref().and_then(|memory| memory.of(metric));
        sums.map_or(0.0, |sums| ModuleMetrics::sum(sums, subtree) as f64)
    }

    fn sum(sums: &[u64], subtree: std::ops::Range<u32>) -> u64 {
        let at = |index: u32| sums.get(index as usize).copied().unwrap_or(0);
        at(subtree.end).saturating_sub(at(subtree.start))
    }

    /// Calls of all functions in the subtree of `module`.
    pub fn calls(&self, hierarchy: &Hierarchy, module: ModuleId) -> u64 {
        ModuleMetrics::sum(&self.calls, hierarchy.subtree(module))
    }

    pub fn self_cost(&self, hierarchy: &Hierarchy, module: ModuleId) -> Cost {
        let sum = |at: u32| self.self_cost.get(at as usize).copied().unwrap_or(0);
        let modules = hierarchy.subtree(module);
        Cost::signed(sum(modules.end).saturating_sub(sum(modules.start)))
    }

    /// The part of the self cost in which threads waited; zero where that is not known.
    pub fn waiting(&self, hierarchy: &Hierarchy, module: ModuleId) -> Cost {
        Cost::from_ns(ModuleMetrics::sum(
            &self.self_waiting,
            hierarchy.subtree(module),
        ))
    }

    pub fn facts<'a>(&self, hierarchy: &'a Hierarchy, module: ModuleId) -> ModuleFacts<'a> {
        let of = hierarchy.module(module);
        let subtree = hierarchy.subtree(module);
        let is_function = of.kind == ModuleKind::Function || hierarchy.is_leaf(module);
        ModuleFacts {
            name: of.name,
            kind: of.kind,
            language: of.language,
            loc: of.loc,
            modules: subtree.end - subtree.start - 1,
            calls: self.calls(hierarchy, module),
            total: is_function.then(|| self.total.get(module.index()).copied().unwrap_or_default()),
            self_cost: self.self_cost(hierarchy, module),
            covered: self.covered(hierarchy, module),
        }
    }

    /// One metric of one module, as [`values`](Self::values) has it. O(1) for most, O(modules) for what needs a pass over all.
    pub fn value(&self, hierarchy: &Hierarchy, metric: Metric, id: ModuleId) -> f64 {
        let value = self.value_at_once(hierarchy, metric, id);
        value.unwrap_or_else(|| {
            let all = self.values(hierarchy, metric);
            all.get(id.index()).copied().unwrap_or_default()
        })
    }

    /// The same where it is known without the other modules.
    fn value_at_once(&self, hierarchy: &Hierarchy, metric: Metric, id: ModuleId) -> Option<f64> {
        let module = hierarchy.module(id);
        let column = |column: Option<&Vec<u32>>| {
            let column = column.filter(|it| it.len() == hierarchy.len());
            column.map_or(0.0, |it| f64::from(it[id.index()]))
        };
        let history = self.history.as_ref();
        Some(match metric {
            Metric::LinesOfCode => f64::from(module.loc),
            Metric::CommentLines => f64::from(module.comment_lines),
            Metric::Functions => f64::from(module.functions),
            Metric::Complexity => f64::from(module.complexity) / f64::from(module.functions.max(1)),
            Metric::Bytes => module.bytes as f64,
            Metric::Calls => self.calls(hierarchy, id) as f64,
            Metric::SelfCost => self.self_cost(hierarchy, id).ns() as f64,
            Metric::Waiting => self.waiting(hierarchy, id).ns() as f64,
            Metric::Coverage | Metric::Uncovered => {
                let of = self.covered(hierarchy, id);
                of.map_or(f64::NAN, |(counted, ran)| match metric {
                    Metric::Coverage => 100.0 * ran as f64 / counted as f64,
                    _ => (counted - ran) as f64,
                })
            }
            Metric::Own(column) => self.number(column, id).unwrap_or(f64::NAN),
            Metric::FanIn => column(Some(&self.fan_in)),
            Metric::FanOut => column(Some(&self.fan_out)),
            Metric::Globals => column(Some(&self.globals)),
            Metric::LiveBytes | Metric::LiveObjects | Metric::Allocations | Metric::Churn => {
                self.memory_of(metric, hierarchy.subtree(id))
            }
            Metric::LastLines => column(history.map(|it| &it.lines)),
            Metric::Changes => column(history.map(|it| &it.changes)),
            Metric::RecentChanges => column(history.map(|it| &it.recent_changes)),
            Metric::LastChange => column(history.map(|it| &it.last_change)),
            Metric::Authors => column(history.map(|it| &it.authors)),
            Metric::Fixes => column(history.map(|it| &it.fixes)),
            Metric::ChangedLines => column(history.map(|it| &it.recent_lines)),
            _ => return None,
        })
    }

    /// One metric for every module, of its whole subtree by the metric's rule; where nothing is known zero, or no
    /// number where zero says something.
    pub fn values(&self, hierarchy: &Hierarchy, metric: Metric) -> Vec<f64> {
        match metric {
            Metric::Total => {
                let of = |id: ModuleId| self.total.get(id.index()).map_or(0, |total| total.ns());
                let mut values: Vec<f64> = hierarchy.modules().map(|id| of(id) as f64).collect();
                for id in (0..hierarchy.len() as u32).rev().map(ModuleId) {
                    if let Some(parent) = hierarchy.parent(id) {
                        values[parent.index()] = values[parent.index()].max(values[id.index()]);
                    }
                }
                values
            }
            Metric::NeverRun => self.never_run(hierarchy),
            Metric::ImportCycle => self.import_cycles(hierarchy),
            Metric::Hotspots => hotspots(hierarchy, self.history.as_ref()),
            Metric::Coupled => self.coupled(hierarchy),
            Metric::InA => self.compared(hierarchy, Which::A),
            Metric::InB => self.compared(hierarchy, Which::B),
            Metric::Difference => self.compared(hierarchy, Which::Difference),
            _ => {
                let of = |id| {
                    self.value_at_once(hierarchy, metric, id)
                        .unwrap_or_default()
                };
                hierarchy.modules().map(of).collect()
            }
        }
    }

    /// Of files and what is in them the files of their import cycle; of what holds files the most of any.
    fn import_cycles(&self, hierarchy: &Hierarchy) -> Vec<f64> {
        let mut values = vec![0.0; hierarchy.len()];
        let cycles = self.imports.iter().flat_map(|imports| imports.cycles());
        for cycle in cycles {
            let size = cycle.len() as f64;
            for &file in cycle.iter().filter(|file| file.index() < hierarchy.len()) {
                let inside = hierarchy.subtree(file);
                values[inside.start as usize..inside.end as usize].fill(size);
                for around in hierarchy.ancestors(file).skip(1) {
                    values[around.index()] = values[around.index()].max(size);
                }
            }
        }
        values
    }

    /// Lines of the functions that are never called, added up.
    fn never_run(&self, hierarchy: &Hierarchy) -> Vec<f64> {
        let mut values = vec![0.0; hierarchy.len()];
        if !self.has_recording {
            return values;
        }
        for id in (0..hierarchy.len() as u32).rev().map(ModuleId) {
            let module = hierarchy.module(id);
            if module.kind == ModuleKind::Function && self.calls(hierarchy, id) == 0 {
                // It counts its own lines alone: functions in it stand beside it.
                values[id.index()] = f64::from(module.loc);
            }
            if let Some(parent) = hierarchy.parent(id) {
                values[parent.index()] += values[id.index()];
            }
        }
        values
    }

    fn compared(&self, hierarchy: &Hierarchy, which: Which) -> Vec<f64> {
        let values = self.difference.as_ref().map(|it| it.values(which));
        values
            .filter(|values| values.len() == hierarchy.len())
            .unwrap_or_else(|| vec![0.0; hierarchy.len()])
    }

    /// The larger amounts of two runs at the leaves, so that footprints are the same in both; none where nothing is
    /// compared, or neither has any of it.
    fn larger(&self, hierarchy: &Hierarchy, metric: Metric) -> Option<Vec<f64>> {
        let measure = match metric {
            Metric::Calls => Amounts::Calls,
            Metric::SelfCost => Amounts::SelfCost,
            Metric::Total => Amounts::Total,
            _ => return None,
        };
        let mut values = self.difference.as_ref()?.larger(measure);
        if values.len() != hierarchy.len() || values.iter().all(|&value| value <= 0.0) {
            return None;
        }
        for id in (0..hierarchy.len() as u32).rev().map(ModuleId) {
            if !hierarchy.is_leaf(id) {
                values[id.index()] = hierarchy.children(id).map(|it| values[it.index()]).sum();
            }
        }
        Some(values)
    }

    /// One metric for every module as a footprint: amounts that add up from the leaves. What a file has as a whole
    /// its functions share by their lines.
    pub fn areas(&self, hierarchy: &Hierarchy, metric: Metric) -> Vec<f64> {
        if let Some(larger) = self.larger(hierarchy, metric) {
            return larger;
        }
        let mut values = self.values(hierarchy, metric);
        match metric {
            Metric::LinesOfCode
            | Metric::CommentLines
            | Metric::Functions
            | Metric::Calls
            | Metric::SelfCost
            | Metric::Waiting
            | Metric::NeverRun
            | Metric::LiveBytes
            | Metric::LiveObjects
            | Metric::Allocations
            | Metric::Churn
            | Metric::Hotspots => return values,
            // What is not known is nothing.
            Metric::Uncovered => return values.iter().map(|it| it.max(0.0)).collect(),
            Metric::Own(column) => {
                values.iter_mut().for_each(|it| *it = it.max(0.0));
                let numbers = self.numbers.as_ref();
                if numbers.is_some_and(|it| it.is_of_functions(column.into())) {
                    return values;
                }
            }
            Metric::Complexity => {
                let modules = hierarchy.modules();
                return modules
                    .map(|id| f64::from(hierarchy.module(id).complexity))
                    .collect();
            }
            _ => {}
        }
        let loc = |id: ModuleId| f64::from(hierarchy.module(id).loc);
        let is_of_files =
            matches!(metric, Metric::FanIn | Metric::FanOut) && self.imports.is_some();
        let has_file_values = matches!(metric.origin(), Origin::History | Origin::Numbers)
            || metric == Metric::Bytes
            || is_of_files;
        let mut file: Option<(u32, f64)> = None;
        for id in hierarchy.modules() {
            if file.is_some_and(|(end, _)| end <= id.0) {
                file = None;
            }
            let index = id.index();
            if hierarchy.kind(id) == ModuleKind::File && has_file_values {
                file = Some((hierarchy.subtree(id).end, values[index] / loc(id).max(1.0)));
                if hierarchy.is_leaf(id) {
                    continue;
                }
            }
            values[index] = match file {
                Some((_, density)) if hierarchy.is_leaf(id) => loc(id) * density,
                None if hierarchy.is_leaf(id) => values[index],
                // By its leaves.
                _ => 0.0,
            };
        }
        values
    }
}

/// For every module how many others call into it from outside, and are called by it.
fn fans(
    hierarchy: &Hierarchy,
    pairs: impl Iterator<Item = (ModuleId, ModuleId)>,
) -> (Vec<u32>, Vec<u32>) {
    let mut callers: Vec<(ModuleId, ModuleId)> = Vec::new();
    let mut callees: Vec<(ModuleId, ModuleId)> = Vec::new();
    for (caller, callee) in pairs {
        // Into everything around the callee that does not hold the caller too.
        let into = hierarchy.ancestors(callee);
        let into = into.take_while(|&id| !hierarchy.contains(id, caller));
        callers.extend(into.map(|id| (id, caller)));
        let out_of = hierarchy.ancestors(caller);
        let out_of = out_of.take_while(|&id| !hierarchy.contains(id, callee));
        callees.extend(out_of.map(|id| (id, callee)));
    }
    let count = |mut pairs: Vec<(ModuleId, ModuleId)>| {
        pairs.sort_unstable();
        pairs.dedup();
        let mut counts = vec![0u32; hierarchy.len()];
        for (module, _) in pairs {
            counts[module.index()] += 1;
        }
        counts
    };
    (count(callers), count(callees))
}
