//! `callscape graph`: List the call relations of a recording or of a range of it

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::ensure;
use serde::Serialize;

use super::output::{self, Align, Table};
use super::progress::with_progress;
use super::range::RangeArgs;
use callscape_analysis::call_graph::collapse;
use callscape_analysis::mapping::Mapping;
use callscape_analysis::moments::{self, Between};
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{Cost, FunctionId, ModuleId, Time, TimeRange, TimeSpec, Unit};
use callscape_facts::trace::{Relation, Within};
use callscape_filter::cut::Cut;

#[derive(Debug, clap::Args)]
#[command(about = "List the call relations of a recording or of a range of it", after_help = EXAMPLES)]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    #[command(flatten)]
    range: RangeArgs,
    /// Counts at this time, as the landscape shows them: all calls that started by then, with the costs of open calls
    /// up to then
    #[arg(long, value_name = "TIME", conflicts_with_all = ["from", "to"])]
    at: Option<TimeSpec>,
    /// With --at: also count the calls that started after this time
    #[arg(long, value_name = "TIME", requires = "at")]
    since: Option<TimeSpec>,
    /// Group by the modules at this depth of the hierarchy; the root has depth 0
    #[arg(long, value_name = "N", conflicts_with = "map")]
    level: Option<u16>,
    /// Group by the entities of this mapping file
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// How many functions that no entry matches are named.
const LISTED: usize = 10;

const EXAMPLES: &str = "Examples:
  callscape graph trace.json --from 10% --to 20% --json
  callscape graph trace.json --at 12.5ms --since 12ms --level 2
  callscape graph heap.pb.gz --value alloc_space --level 1

cost_ns is the sum of the costs of all calls: a call inside another of the same relation counts in both. moments_ns counts \
each moment once: it is the time in which at least one of the calls is open, on each thread.

For a profile whose weights are not times, cost_ns and self_cost_ns in the JSON document are in the unit given by the \
field \"unit\". Calls are 0 if a profile does not count them. Callgrind does not record self costs by caller: if a \
function has several callers, self_cost_ns is 0. If the recording knows when its threads were off-CPU, waiting_ns and \
self_waiting_ns are the parts of cost_ns and self_cost_ns in which they waited; they are absent for relations that \
consist of links.

Calls that another thread, lane or service caused are links: parents of spans, flows, asynchronous operations, wake-ups. They count \
among the calls of a relation; links is the number of these calls.";

#[derive(Serialize)]
struct Graph {
    /// Unit of the costs, if it is not time.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<Unit>,
    modules: Vec<String>,
    relations: Vec<NamedRelation>,
}

#[derive(Serialize)]
struct NamedRelation {
    from: String,
    to: String,
    calls: u64,
    /// How many of the calls are links.
    links: u64,
    cost_ns: Cost,
    self_cost_ns: Cost,
    /// The time in which at least one of the calls is open on a thread, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    moments_ns: Option<Cost>,
    /// Waiting time in both costs, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_ns: Option<Cost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    self_waiting_ns: Option<Cost>,
    /// Calls that started since the given time.
    #[serde(skip_serializing_if = "Option::is_none")]
    step_calls: Option<u64>,
    /// Paths of the functions in the hierarchy, as names may be ambiguous.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_module: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_module: Option<String>,
}

pub(crate) fn run(args: GraphArgs) -> anyhow::Result<()> {
    let session = output::open(&args.input)?;
    let resolved = output::recording(&session)?;
    let recording = &resolved.recording;
    let within = args.range.of_weights(recording)?;
    if args.at.is_some() {
        output::ensure_times(recording, "no time can be selected")?;
    }
    let trace = &recording.trace;
    let resolve = |spec: TimeSpec| spec.resolve(trace.duration());
    let (at, since) = (args.at.map(resolve), args.since.map(resolve));
    if let (Some(at), Some(since)) = (at, since) {
        ensure!(
            since <= at,
            "expected --since before --at, found {since} and {at}"
        );
    }
    let path = args.map.as_deref();
    let entities = path.map(|path| Entities::open(path, &session, resolved));
    let entities = entities.transpose()?;
    let between = |relations: &[Relation], within: Option<Within>| {
        let of = Of {
            session: &session,
            resolved,
            within,
        };
        match (args.level, &entities) {
            (Some(level), _) => of.between_modules(level, relations),
            (_, Some(entities)) => of.between_entities(entities, relations),
            (None, None) => of.between_functions(relations),
        }
    };
    let mut graph = match at {
        Some(at) => {
            let until = TimeRange::new(Time::ZERO, at);
            between(&trace.running(at), Some(until.into()))?
        }
        None => between(&recording.relations(within), Some(within))?,
    };
    if let Some(since) = since {
        graph.count_since(&between(&trace.running(since), None)?);
    }
    output::ensure_whole(recording)?;
    let knows_waiting = trace.knows_waiting();
    graph.forget_waiting(knows_waiting);
    let unit = recording.unit();
    if args.json {
        graph.unit = (!unit.is_time()).then(|| unit.clone());
        return output::print_json(&graph);
    }
    let counts_calls = recording.counts_calls();
    let has_links = trace.has_links();
    let mut headings = vec![("calls", Align::Right)];
    headings.extend(has_links.then_some(("links", Align::Right)));
    headings.extend([
        ("sum of cost", Align::Right),
        ("moments", Align::Right),
        ("self cost", Align::Right),
    ]);
    let waiting = [("waiting", Align::Right), ("self waiting", Align::Right)];
    headings.extend(waiting.iter().filter(|_| knows_waiting));
    headings.extend([("from", Align::Left), ("to", Align::Left)]);
    let mut table = Table::new(&headings);
    for relation in graph.relations {
        let mut cells = vec![match relation.step_calls {
            Some(step) => format!("{} +{step}", relation.calls),
            None => output::calls(relation.calls, counts_calls),
        }];
        cells.extend(has_links.then(|| relation.links.to_string()));
        cells.extend([
            unit.show(relation.cost_ns),
            relation
                .moments_ns
                .map_or_else(String::new, |it| unit.show(it)),
            unit.show(relation.self_cost_ns),
        ]);
        let waiting = [relation.waiting_ns, relation.self_waiting_ns];
        let waiting = waiting.map(|it| it.map_or(String::new(), |it| unit.show(it)));
        cells.extend(waiting.into_iter().filter(|_| knows_waiting));
        cells.extend([relation.from, relation.to]);
        table.row(cells);
    }
    output::print(|out| table.write(out))
}

/// The recording whose relations are listed.
struct Of<'a> {
    session: &'a Session,
    resolved: &'a Resolved,
    /// Of what moments are asked for; `None` if of nothing.
    within: Option<Within>,
}

impl Of<'_> {
    /// Relations between functions: display names, with the modules that distinguish functions of the same name.
    fn between_functions(&self, relations: &[Relation]) -> anyhow::Result<Graph> {
        let functions = &self.resolved.recording.functions;
        let name = |id| functions.get(id).name.to_owned();
        let module = |id: FunctionId| {
            let module = self.resolved.resolution.modules.get(id.index());
            module.map(|&module| self.session.hierarchy.path(module))
        };
        let moments = match self.within {
            Some(within) => with_progress(|progress| {
                moments::of_functions(&self.resolved.recording, within, relations, progress)
            })??,
            None => None,
        };
        let relations = relations
            .iter()
            .enumerate()
            .map(|(at, relation)| NamedRelation {
                from: name(relation.caller),
                to: name(relation.callee),
                calls: relation.calls,
                links: relation.links,
                cost_ns: relation.cost,
                self_cost_ns: relation.self_cost,
                moments_ns: moments.as_ref().map(|it| it[at]),
                waiting_ns: Some(relation.waiting),
                self_waiting_ns: Some(relation.self_waiting),
                step_calls: None,
                from_module: module(relation.caller),
                to_module: module(relation.callee),
            });
        let relations = relations.collect();
        Ok(Graph::new(functions.ids().map(name).collect(), relations))
    }

    /// Relations between the modules at one depth of the hierarchy, named by their paths; a function above that depth
    /// counts as a module.
    fn between_modules(&self, level: u16, relations: &[Relation]) -> anyhow::Result<Graph> {
        let hierarchy = &self.session.hierarchy;
        let displayed = Cut::at_level(hierarchy, level).displayed(hierarchy);
        let modules = &self.resolved.resolution.modules;
        let module_of: Vec<Option<ModuleId>> = modules
            .iter()
            .map(|module| displayed.get(module.index()).copied())
            .collect();
        let relations = self.collapsed(relations, &module_of, |it| hierarchy.path(it))?;
        let modules: BTreeSet<ModuleId> = module_of.iter().copied().flatten().collect();
        let modules = modules.into_iter().map(|module| hierarchy.path(module));
        Ok(Graph::new(modules.collect(), relations))
    }

    fn between_entities(
        &self,
        entities: &Entities,
        relations: &[Relation],
    ) -> anyhow::Result<Graph> {
        let names = entities.mapping.entities();
        let name = |it: ModuleId| names.get(it.index()).cloned().unwrap_or_default();
        let relations = self.collapsed(relations, &entities.of, name)?;
        Ok(Graph::new(names.to_vec(), relations))
    }

    /// Relations between what stands for functions.
    fn collapsed(
        &self,
        relations: &[Relation],
        stands_for: &[Option<ModuleId>],
        name: impl Fn(ModuleId) -> String,
    ) -> anyhow::Result<Vec<NamedRelation>> {
        let relations = collapse(relations, stands_for);
        let moments = match self.within {
            Some(within) => with_progress(|progress| {
                let of = |it: FunctionId| Some(stands_for.get(it.index()).copied()??.0);
                let pairs = relations.iter().map(|it| (it.from.0, it.to.0));
                let between = Between::new(pairs, &of);
                between.moments(&self.resolved.recording, within, progress)
            })??,
            None => None,
        };
        let relations = relations.iter().enumerate();
        let relations = relations.map(|(at, relation)| NamedRelation {
            from: name(relation.from),
            to: name(relation.to),
            calls: relation.calls,
            links: relation.links,
            cost_ns: relation.cost,
            self_cost_ns: relation.self_cost,
            moments_ns: moments.as_ref().map(|it| it[at]),
            waiting_ns: Some(relation.waiting),
            self_waiting_ns: Some(relation.self_waiting),
            step_calls: None,
            from_module: None,
            to_module: None,
        });
        Ok(relations.collect())
    }
}

/// The entities of a mapping file.
struct Entities {
    mapping: Mapping,
    /// By function. An entity takes the place of a module: the collapsing is the same.
    of: Vec<Option<ModuleId>>,
}

impl Entities {
    /// Lists functions that match no entry, and entries that match nothing, on standard error.
    fn open(path: &Path, session: &Session, resolved: &Resolved) -> anyhow::Result<Entities> {
        let file = path.display().to_string();
        let mapping = Mapping::open(path)?;
        let functions = &resolved.recording.functions;
        let mapped = mapping.apply(functions, &session.hierarchy, &resolved.resolution.modules);
        if !mapped.unmatched.is_empty() {
            let names: Vec<&str> = mapped
                .unmatched
                .iter()
                .take(LISTED)
                .map(|&id| functions.get(id).name)
                .collect();
            let more = mapped.unmatched.len() - names.len();
            let more = match more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            say!("{file}: no entry matches {}{more}", names.join(", "));
        }
        for (line, entry) in &mapped.unused {
            say!("{file}, line {line}: matches no function: {entry}");
        }
        let of = mapped
            .entities
            .iter()
            .map(|entity| entity.map(|entity| ModuleId(entity as u32)))
            .collect();
        Ok(Entities { mapping, of })
    }
}

impl Graph {
    fn new(mut modules: Vec<String>, mut relations: Vec<NamedRelation>) -> Graph {
        modules.sort();
        // Stable: relations that names do not tell apart stay in the order of their modules.
        relations.sort_by(|a, b| (&a.from, &a.to).cmp(&(&b.from, &b.to)));
        Graph {
            unit: None,
            modules,
            relations,
        }
    }

    /// Removes the waiting times if the recording has none, and those of relations that consist of links.
    fn forget_waiting(&mut self, is_known: bool) {
        let relations = self.relations.iter_mut();
        for relation in relations.filter(|it| !is_known || (it.links > 0 && it.links == it.calls)) {
            (relation.waiting_ns, relation.self_waiting_ns) = (None, None);
        }
    }

    /// Subtracts `before`, the counts at an earlier time.
    fn count_since(&mut self, before: &Graph) {
        fn ends(of: &NamedRelation) -> [Option<&str>; 4] {
            let modules = [&of.from_module, &of.to_module].map(|it| it.as_deref());
            [Some(&of.from), Some(&of.to), modules[0], modules[1]]
        }
        let mut known: BTreeMap<_, u64> = BTreeMap::new();
        for relation in &before.relations {
            *known.entry(ends(relation)).or_default() += relation.calls;
        }
        let steps = self.relations.iter().map(|relation| {
            // Two of the same names and modules share what there was before.
            let known = known.get_mut(&ends(relation));
            relation.calls
                - known.map_or(0, |known| {
                    let of_this = relation.calls.min(*known);
                    *known -= of_this;
                    of_this
                })
        });
        let steps: Vec<u64> = steps.collect();
        for (relation, step) in self.relations.iter_mut().zip(steps) {
            relation.step_calls = Some(step);
        }
    }
}
