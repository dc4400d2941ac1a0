//! `callscape functions`: The functions of a recording with calls, total and self cost

use std::cmp::Reverse;

use serde::Serialize;

use super::output::{self, Align, Table};
use crate::facts::trace::FunctionMetrics;
use crate::units::{Cost, FunctionId};

#[derive(Debug, clap::Args)]
#[command(about = "The functions of a recording with calls, total and self cost", after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    input: super::TraceArg,
    /// What stands first
    #[arg(long, value_enum, default_value_t = Sort::Total)]
    sort: Sort,
    /// Only the first N
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Example:\n  callscape functions trace.json --sort self --top 10";

/// The largest first.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Sort {
    /// Time during which at least one call of the function is open
    Total,
    /// Time in the function itself, without its subcalls
    #[value(name = "self")]
    SelfCost,
    /// Number of calls
    Calls,
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
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let session = output::open(&args.input)?;
    let resolved = output::recording(&session)?;
    let functions = &resolved.recording.functions;
    let metrics = resolved.recording.trace.function_metrics(None);
    let mut order: Vec<(FunctionId, FunctionMetrics)> = functions.ids().zip(metrics).collect();
    // Stable, so that equals stay in the order of their first appearance.
    order.sort_by_key(|(_, metrics)| {
        Reverse(match args.sort {
            Sort::Total => metrics.total.ns(),
            Sort::SelfCost => metrics.self_cost.ns(),
            Sort::Calls => metrics.calls,
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
            }
        })
        .collect();
    output::ensure_whole(&resolved.recording)?;
    if args.json {
        return output::print_json(&rows);
    }
    let mut table = Table::new(&[
        ("total", Align::Right),
        ("self", Align::Right),
        ("calls", Align::Right),
        ("function", Align::Left),
        ("module", Align::Left),
    ]);
    for row in rows {
        table.row([
            row.total_ns.to_string(),
            row.self_ns.to_string(),
            row.calls.to_string(),
            row.name.to_owned(),
            row.module,
        ]);
    }
    output::print(|out| table.write(out))
}
