//! Numbers of other tools, by module.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::progress::with_progress;
use callscape_analysis::numbers::Numbers;
use callscape_base::escape;
use callscape_base::units::{ModuleId, counted};
use callscape_facts::hierarchy::Hierarchy;
use callscape_import::results;
use callscape_model::metrics::ModuleMetrics;

/// The numbers of the modules of a tree, as tables have them; none without tables.
pub(super) fn read(
    paths: &[PathBuf],
    hierarchy: &Hierarchy,
) -> anyhow::Result<Option<ModuleMetrics>> {
    let mut tables = Vec::new();
    for path in paths {
        let table = with_progress(|progress| results::read(path, progress))??;
        if table.numbers.is_none() {
            let name = escape::name(&path.display().to_string()).into_owned();
            anyhow::bail!(
                "{name}: expected numbers of files or functions, found {}",
                table.format
            );
        }
        tables.push(table);
    }
    let Some(numbers) = Numbers::new(tables.iter(), hierarchy) else {
        return Ok(None);
    };
    if numbers.unknown > 0 {
        let rows = counted(numbers.unknown, "row is", "rows are");
        say!("callscape: {rows} of files or functions that are not in the source");
    }
    let mut metrics = ModuleMetrics::default();
    metrics.set_numbers(hierarchy, Some(&Arc::new(numbers)), |id| id);
    Ok(Some(metrics))
}

/// The member `numbers` of a module, with a comma behind it.
pub(super) fn write(metrics: &ModuleMetrics, id: ModuleId, out: &mut dyn Write) -> io::Result<()> {
    let columns = metrics.numbers().map_or(&[][..], |it| &it.columns);
    let numbers = columns.iter().zip(0..).map(|(column, index)| {
        let mut number = json!({
            "name": column.name,
            "unit": column.unit,
            "value": metrics.number(index, id),
        });
        if let Some((dates, values)) = metrics.trend(index, id) {
            let at_dates = dates.iter().zip(values);
            let known = at_dates.filter(|(_, value)| !value.is_nan());
            let trend = known.map(|(date, value)| json!({"date": date, "value": value}));
            number["trend"] = trend.collect();
        }
        number
    });
    write!(out, "\"numbers\":{},", Value::from_iter(numbers))
}
