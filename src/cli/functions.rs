//! `callscape functions`: List the functions of a recording with calls, total and self cost

use std::cmp::Reverse;
use std::path::PathBuf;

use serde::Serialize;

use super::output::{self, Align, Table};
use super::progress::with_progress;
use super::range::RangeArgs;
use callscape_analysis::result_sets::NamedSet;
use callscape_analysis::session::Session;
use callscape_base::units::{Cost, FunctionId, Unit, grouped};
use callscape_facts::trace::FunctionMetrics;
use callscape_import::results;
use callscape_views::text::counted;

#[derive(Debug, clap::Args)]
#[command(about = "List the functions of a recording with calls, total and self cost", after_help = EXAMPLES)]
pub(crate) struct FunctionsArgs {
    #[command(flatten)]
    input: super::trace_arg::TraceArg,
    #[command(flatten)]
    range: RangeArgs,
    /// Sort order, the largest first; negative costs by size
    #[arg(long, value_enum, default_value_t = Sort::Total)]
    sort: Sort,
    /// Only the first N
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Name modules by the entities of this mapping file; functions that match no entry are excluded
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Only functions with results of another tool: SARIF, lcov, Cobertura, ripgrep's JSON, file:line or a stack trace,
    /// - for standard input; with several files, functions that are in all of them
    #[arg(long, value_name = "FILE", requires = "source")]
    results: Vec<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  callscape functions trace.json --sort self --top 10
  callscape functions trace.json --from 10% --to 20% --enclosing none
  callscape functions heap.pb.gz --value alloc_space
  callscape functions trace.json --source src --results clippy.sarif
  rg --json 'unwrap' src | callscape functions trace.json --source src --results -

For a profile whose weights are not times, total_ns and self_ns in the JSON document are in the unit given by the \
field \"unit\". Calls are 0 if a profile does not count them. If the recording knows when its threads were off-CPU, \
waiting_ns and self_waiting_ns are the parts of total_ns and self_ns in which they waited. If the recording contains spans with an \
error, failed is their number, unless a range is given.";

/// The largest first.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Sort {
    /// Time, or another weight of a profile, while at least one call of the function is open
    Total,
    /// The same without the calls it makes
    #[value(name = "self")]
    SelfCost,
    /// Number of calls
    Calls,
    /// Waiting time in the total, if recorded
    Waiting,
}

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    module: String,
    file: &'a str,
    line: u32,
    library: &'a str,
    calls: u64,
    total_ns: Cost,
    self_ns: Cost,
    /// Waiting time in both costs, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_ns: Option<Cost>,
    #[serde(skip_serializing_if = "Option::is_none")]
    self_waiting_ns: Option<Cost>,
    /// Calls that ended with an error, if the recording contains errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<u64>,
    /// How often the results name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hits: Option<u64>,
    /// Unit of the two fields above, if it is not time.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'a Unit>,
}

pub(crate) fn run(args: FunctionsArgs) -> anyhow::Result<()> {
    let mut session = output::open(&args.input)?;
    let mut left_out = None;
    if let Some(map) = &args.map {
        let mapped = super::mapping::apply(&session, map)?;
        left_out = mapped.left_out;
        session = mapped.session;
    }
    let results = hit(&args.results, &session)?;
    let resolved = output::recording(&session)?;
    let functions = &resolved.recording.functions;
    let unit = resolved.recording.unit();
    let within = args.range.of_weights(&resolved.recording)?;
    let metrics = resolved.recording.function_metrics(within);
    let knows_waiting = resolved.recording.trace.knows_waiting();
    let has_failed = within.range.is_none() && !resolved.recording.failed.is_empty();
    let mut order: Vec<(FunctionId, FunctionMetrics)> = functions.ids().zip(metrics).collect();
    order.retain(|(id, _)| {
        let module = resolved.resolution.modules.get(id.index());
        let is_left_out =
            |&module| left_out.is_some_and(|district| session.hierarchy.contains(district, module));
        !module.is_some_and(is_left_out)
    });
    // What is called too often has no calls any more.
    let left_out_frequent = resolved.recording.left_out.is_some();
    let may_be_uncalled = !left_out_frequent && within.range.is_none();
    let is_there = |of: &FunctionMetrics| of.calls > 0 || of.total != Cost::ZERO;
    order.retain(|(_, metrics)| is_there(metrics) || may_be_uncalled);
    let hits = |id: FunctionId| {
        let module = resolved.resolution.modules.get(id.index())?;
        results.as_ref()?.functions.get(module).copied()
    };
    order.retain(|(id, _)| results.is_none() || hits(*id).is_some());
    // Stable, so that equals stay in the order of their first appearance.
    order.sort_by_key(|(_, metrics)| {
        Reverse(match args.sort {
            Sort::Total => metrics.total.size(),
            Sort::SelfCost => metrics.self_cost.size(),
            Sort::Calls => metrics.calls,
            Sort::Waiting => metrics.waiting.ns(),
        })
    });
    order.truncate(args.top.unwrap_or(usize::MAX));
    let rows: Vec<Row<'_>> = order
        .iter()
        .map(|&(id, metrics)| {
            let function = functions.get(id);
            let module = resolved.resolution.modules.get(id.index());
            Row {
                name: function.name,
                module: module
                    .map(|&module| session.hierarchy.path(module))
                    .unwrap_or_default(),
                file: function.file,
                line: function.line,
                library: function.library,
                calls: metrics.calls,
                total_ns: metrics.total,
                self_ns: metrics.self_cost,
                waiting_ns: knows_waiting.then_some(metrics.waiting),
                self_waiting_ns: knows_waiting.then_some(metrics.self_waiting),
                failed: has_failed.then(|| resolved.recording.failed(id)),
                hits: hits(id),
                unit: (!unit.is_time()).then_some(unit),
            }
        })
        .collect();
    output::ensure_whole(&resolved.recording)?;
    if args.json {
        return output::print_json(&rows);
    }
    let counts_calls = resolved.recording.counts_calls();
    let columns = (knows_waiting, has_failed, counts_calls);
    let table = table(rows, unit, columns);
    output::print(|out| table.write(out))
}

/// The rows as text, with the columns that the recording has: waiting and errors; and whether it counts calls.
fn table(
    rows: Vec<Row<'_>>,
    unit: &Unit,
    (knows_waiting, has_failed, counts_calls): (bool, bool, bool),
) -> Table {
    let waiting = [("waiting", Align::Right), ("self waiting", Align::Right)];
    let mut headings = vec![("total", Align::Right), ("self", Align::Right)];
    headings.extend(waiting.iter().filter(|_| knows_waiting));
    headings.extend(has_failed.then_some(("errors", Align::Right)));
    headings.extend([
        ("calls", Align::Right),
        ("function", Align::Left),
        ("module", Align::Left),
    ]);
    let mut table = Table::new(&headings);
    for row in rows {
        let mut cells = vec![unit.show(row.total_ns), unit.show(row.self_ns)];
        let waiting = [row.waiting_ns, row.self_waiting_ns];
        cells.extend(
            waiting
                .into_iter()
                .flatten()
                .map(|waiting| unit.show(waiting)),
        );
        cells.extend(row.failed.map(grouped));
        cells.extend([
            output::calls(row.calls, counts_calls),
            row.name.to_owned(),
            row.module,
        ]);
        table.row(cells);
    }
    table
}

/// Functions in all result sets; `None` without sets. Reports dropped results.
fn hit(paths: &[PathBuf], session: &Session) -> anyhow::Result<Option<NamedSet>> {
    let mut all: Option<NamedSet> = None;
    for path in paths {
        let set = with_progress(|progress| results::read(path, progress))??;
        let named = NamedSet::new(&set, session);
        let cut = if set.is_cut {
            "; the file ends in the middle"
        } else {
            ""
        };
        say!(
            "callscape: {}: {}; {} with some of them ran; dropped: {} in functions that did not run, {} outside \
             functions, {} in files outside the source, {} without a file{cut}",
            set.name,
            counted(set.hits.len() as u64, "place", "places"),
            counted(named.functions.len() as u64, "function", "functions"),
            named.not_run,
            named.outside,
            named.unknown,
            set.left_out
        );
        all = Some(match all {
            None => named,
            Some(before) => before.and(&named),
        });
    }
    Ok(all)
}
