//! Phases as a JSON document.

use serde::Serialize;

use super::report::Report;
use callscape_analysis::phases::folding::{Instance, instances};
use callscape_analysis::phases::{Gathered, Phase};
use callscape_base::units::{Cost, FunctionId, ThreadId, Time};
use callscape_facts::functions::Function;

#[derive(Serialize)]
pub(super) struct Document<'a> {
    /// Calls in the threads and the range.
    calls: u64,
    /// Calls that are not phases.
    pruned_calls: u64,
    explained: f64,
    parameters: Parameters,
    /// Calls were reconstructed from samples.
    sampled: bool,
    phases: Vec<PhaseRow<'a>>,
    gathered: Vec<GatheredRow<'a>>,
}

#[derive(Serialize)]
struct Parameters {
    min_calls: u64,
    min_cost_ns: Cost,
    /// What calls cost: running or elapsed.
    cost: &'static str,
    /// What makes phases alike: functions or calls.
    alike: &'static str,
    similarity: f64,
    /// Cost of a typical short call, if the minimum cost is derived from it.
    short_ns: Option<Cost>,
    /// Whether the number of calls was chosen, and the cost.
    automatic_calls: bool,
    automatic_cost: bool,
    from_ns: Option<Time>,
    to_ns: Option<Time>,
}

#[derive(Serialize)]
struct PhaseRow<'a> {
    depth: u32,
    name: &'a str,
    /// The name, with a suffix that distinguishes it from its neighbours.
    label: &'a str,
    start_ns: Time,
    end_ns: Time,
    cost_ns: Cost,
    kind: &'static str,
    calls: u64,
    functions: usize,
    max_depth: u32,
    group: u32,
    outlier: bool,
    /// The enclosing phase, by its index.
    parent: Option<u32>,
    instance_of: Option<u32>,
    /// Which of the instances, from 1, and of how many.
    instance: Option<u32>,
    instances: Option<u32>,
    #[serde(flatten)]
    thread: ThreadName<'a>,
    #[serde(flatten)]
    place: Place<'a>,
}

#[derive(Serialize)]
struct GatheredRow<'a> {
    #[serde(rename = "in")]
    phase: Option<u32>,
    name: &'a str,
    label: &'a str,
    of: u64,
    calls: u64,
    cost_ns: Cost,
    #[serde(flatten)]
    thread: ThreadName<'a>,
    #[serde(flatten)]
    place: Place<'a>,
}

#[derive(Serialize)]
struct ThreadName<'a> {
    thread: &'a str,
    process: &'a str,
}

/// Place of a function.
#[derive(Serialize)]
struct Place<'a> {
    module: String,
    file: &'a str,
    line: u32,
}

impl<'a> Document<'a> {
    pub(super) fn new(report: &Report<'a>) -> Document<'a> {
        let phases = report.phases;
        let trace = &report.resolved.recording.trace;
        let times: Vec<(Time, Time)> = phases
            .phases
            .iter()
            .map(|phase| {
                let call = trace.call(phase.thread, phase.call);
                (call.start, call.end)
            })
            .collect();
        // Stable: what starts together stays outermost first.
        let mut order: Vec<u32> = (0..phases.phases.len() as u32).collect();
        order.sort_by_key(|&index| times[index as usize].0);
        let mut places = vec![0u32; order.len()];
        for (place, &index) in (0..).zip(&order) {
            places[index as usize] = place;
        }
        let place_of = |phase: Option<u32>| phase.map(|phase| places[phase as usize]);
        let instances = instances(phases);
        let rows = order.iter().map(|&index| {
            let phase = &phases.phases[index as usize];
            let instance = instances[index as usize];
            let parent = place_of(phase.parent);
            report.phase_row(index, phase, times[index as usize], parent, instance)
        });
        let mut gathered: Vec<GatheredRow<'a>> = phases
            .gathered
            .iter()
            .map(|row| report.gathered_row(row, place_of(row.phase)))
            .collect();
        gathered.sort_by_key(|row| row.phase);
        Document {
            calls: phases.calls(),
            pruned_calls: phases.calls() - phases.phases.len() as u64,
            explained: phases.explained(),
            parameters: report.parameters(),
            sampled: report.is_sampled,
            phases: rows.collect(),
            gathered,
        }
    }
}

impl<'a> Report<'a> {
    fn parameters(&self) -> Parameters {
        let parameters = self.phases.parameters;
        Parameters {
            min_calls: parameters.heavy.triggered,
            min_cost_ns: parameters.heavy.cost,
            cost: self.costs.name(),
            alike: parameters.alike.name(),
            similarity: parameters.similarity,
            short_ns: parameters.short,
            automatic_calls: parameters.chose_calls,
            automatic_cost: parameters.chose_cost,
            from_ns: self.range.map(|range| range.start),
            to_ns: self
                .range
                .map(|range| range.end)
                .filter(|&end| end < Time::MAX),
        }
    }

    fn phase_row(
        &self,
        index: u32,
        phase: &Phase,
        (start_ns, end_ns): (Time, Time),
        parent: Option<u32>,
        instance: Option<Instance>,
    ) -> PhaseRow<'a> {
        PhaseRow {
            depth: phase.depth,
            name: self.function(phase.function).name,
            label: self.labels.phase(index, phase),
            start_ns,
            end_ns,
            cost_ns: phase.cost,
            kind: phase.kind.name(),
            calls: phase.calls,
            functions: self.phases.functions(phase).len(),
            max_depth: phase.levels,
            group: phase.class,
            outlier: phase.is_outlier,
            parent,
            instance_of: instance.map(|it| it.pattern),
            instance: instance.map(|it| it.number + 1),
            instances: instance.map(|it| it.of),
            thread: self.thread(phase.thread),
            place: self.place(phase.function),
        }
    }

    fn gathered_row(&self, row: &Gathered, phase: Option<u32>) -> GatheredRow<'a> {
        GatheredRow {
            phase,
            name: self.function(row.function).name,
            label: self.labels.function(row.function),
            of: row.of,
            calls: row.calls,
            cost_ns: row.cost,
            thread: self.thread(row.thread),
            place: self.place(row.function),
        }
    }

    fn function(&self, id: FunctionId) -> Function<'a> {
        self.resolved.recording.functions.get(id)
    }

    fn thread(&self, id: ThreadId) -> ThreadName<'a> {
        let thread = &self.resolved.recording.trace.threads()[id.index()];
        ThreadName {
            thread: &thread.id,
            process: &thread.process,
        }
    }

    fn place(&self, id: FunctionId) -> Place<'a> {
        let module = self.resolved.resolution.modules.get(id.index());
        let function = self.function(id);
        Place {
            module: module
                .map(|&module| self.session.hierarchy.path(module))
                .unwrap_or_default(),
            file: function.file,
            line: function.line,
        }
    }
}
