//! The functions of a recording as a table in CSV (RFC 4180): the fields that `callscape functions` has, the
//! largest total cost first. Costs are nanoseconds, of a profile what it weighs. No spreadsheet takes a name for a
//! formula.

use std::cmp::Reverse;
use std::io::{self, Write};

use super::part::{ExportError, Part};
use super::walk::{self, Step};
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId, Time};
use callscape_facts::trace::FunctionMetrics;

/// What the format is called on the command line.
pub(crate) const NAME: &str = "csv";

pub(crate) fn write(
    part: &Part<'_>,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<(), ExportError> {
    let functions = &part.recording.functions;
    let metrics = if part.is_whole() {
        part.recording.function_metrics(None)
    } else {
        metrics(part, progress)?
    };
    let mut order: Vec<(FunctionId, FunctionMetrics)> = functions.ids().zip(metrics).collect();
    if !part.is_whole() {
        order.retain(|(_, metrics)| metrics.calls > 0);
    }
    // Stable, so that equals stay in the order of their first appearance.
    order.sort_by_key(|(_, metrics)| Reverse(metrics.total));
    let mut table = csv::Writer::from_writer(out);
    let heading = [
        "name", "module", "file", "line", "library", "calls", "total_ns", "self_ns",
    ];
    table.write_record(heading).map_err(io::Error::from)?;
    for (id, metrics) in order {
        let function = functions.get(id);
        let module = part.resolution.modules.get(id.index());
        let module = module.map(|&module| part.hierarchy.path(module));
        let module = module.unwrap_or_default();
        let row = [
            &*escape::cell(function.name),
            &escape::cell(&module),
            &escape::cell(function.file),
            &function.line.to_string(),
            &escape::cell(function.library),
            &metrics.calls.to_string(),
            &metrics.total.weight().to_string(),
            &metrics.self_cost.weight().to_string(),
        ];
        table.write_record(row).map_err(io::Error::from)?;
    }
    table.flush()?;
    Ok(())
}

/// Calls, total and self cost of each function in a part.
fn metrics(part: &Part<'_>, progress: &Progress) -> Result<Vec<FunctionMetrics>, ExportError> {
    walk::start(part, 1, progress);
    let mut metrics = vec![FunctionMetrics::default(); part.recording.functions.len()];
    // By function, how many calls of it are open, and since when.
    let mut active = vec![(0u32, Time::ZERO); metrics.len()];
    for thread in part.threads() {
        let mut open: Vec<FunctionId> = Vec::new();
        let mut since = Time::ZERO;
        walk::walk(part, thread, progress, |step| {
            let (Step::Enter(_, time, _) | Step::Exit(_, time)) = step;
            if let Some(running) = open.last() {
                metrics[running.index()].self_cost += time.since(since);
            }
            since = time;
            match step {
                Step::Enter(function, ..) => {
                    open.push(function);
                    metrics[function.index()].calls += 1;
                    let (count, start) = &mut active[function.index()];
                    if *count == 0 {
                        *start = time;
                    }
                    *count += 1;
                }
                Step::Exit(function, _) => {
                    open.pop();
                    let (count, start) = &mut active[function.index()];
                    *count -= 1;
                    let total: Cost = time.since(*start);
                    if *count == 0 {
                        metrics[function.index()].total += total;
                    }
                }
            }
            Ok(())
        })?;
    }
    Ok(metrics)
}
