//! Numbers by module: what the recordings say about it and all that lies below it.

use crate::analysis::session::Session;
use crate::facts::hierarchy::{Hierarchy, ModuleKind};
use crate::units::{Cost, ModuleId};

/// A number that every module has, and that a view can map to area, height or colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    LinesOfCode,
    Bytes,
    Calls,
    SelfCost,
}

impl Metric {
    pub const ALL: [Metric; 4] = [
        Metric::LinesOfCode,
        Metric::Bytes,
        Metric::Calls,
        Metric::SelfCost,
    ];

    /// As the command line and the settings panel name it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::LinesOfCode => "loc",
            Metric::Bytes => "bytes",
            Metric::Calls => "calls",
            Metric::SelfCost => "self",
        }
    }
}

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
}

/// Calls and costs of one recording by module, over the whole recording.
#[derive(Clone, Debug, Default)]
pub struct ModuleMetrics {
    /// Sums over all modules before one: entry *i* for the modules 0 … *i* - 1.
    calls: Vec<u64>,
    self_cost: Vec<u64>,
    /// Of the module's own functions.
    total: Vec<Cost>,
}

impl ModuleMetrics {
    /// The metrics of the recording at `recording`, of none when there is no such. Linear in the calls:
    /// compute it once for a session.
    pub fn new(session: &Session, recording: usize) -> ModuleMetrics {
        let modules = session.hierarchy.len();
        let mut metrics = ModuleMetrics {
            calls: vec![0; modules + 1],
            self_cost: vec![0; modules + 1],
            total: vec![Cost::ZERO; modules],
        };
        let Some(resolved) = session.recordings.get(recording) else {
            return metrics;
        };
        let of_functions = resolved.recording.function_metrics(None);
        for (function, module) in of_functions.iter().zip(&resolved.resolution.modules) {
            let index = module.index();
            if index < modules {
                metrics.calls[index + 1] += function.calls;
                metrics.self_cost[index + 1] += function.self_cost.ns();
                metrics.total[index] += function.total;
            }
        }
        for sums in [&mut metrics.calls, &mut metrics.self_cost] {
            for index in 1..sums.len() {
                sums[index] = sums[index].saturating_add(sums[index - 1]);
            }
        }
        metrics
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
        Cost::from_ns(ModuleMetrics::sum(
            &self.self_cost,
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
        }
    }

    /// One metric for every module, of its whole subtree.
    pub fn values(&self, hierarchy: &Hierarchy, metric: Metric) -> Vec<f64> {
        let value = |id| match metric {
            Metric::LinesOfCode => f64::from(hierarchy.module(id).loc),
            Metric::Bytes => hierarchy.module(id).bytes as f64,
            Metric::Calls => self.calls(hierarchy, id) as f64,
            Metric::SelfCost => self.self_cost(hierarchy, id).ns() as f64,
        };
        hierarchy.modules().map(value).collect()
    }
}
