//! Numbers that other tools give of the modules of a source tree.

use std::collections::HashMap;

use super::result_sets::{Files, Spans};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
pub use callscape_import::results::Column;
use callscape_import::results::{self as results, MOST_COLUMNS, ResultSet};

/// What tables of numbers say of the modules of a source tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    /// At most [`MOST_COLUMNS`]; those of the first table first.
    pub columns: Vec<Column>,
    /// By column, the numbers of modules, in order of module; of several rows of one the sum.
    pub own: Vec<Vec<(ModuleId, f64)>>,
    /// Rows of files and functions that are not in the source tree, or that several may be meant by.
    pub unknown: u64,
    /// Columns beyond those that are kept.
    pub left_out: u64,
}

impl Numbers {
    /// None where no report has numbers. O(files + functions + rows log rows).
    pub fn new<'a>(
        reports: impl Iterator<Item = &'a ResultSet>,
        hierarchy: &Hierarchy,
    ) -> Option<Numbers> {
        let mut tables = reports.filter_map(|it| it.numbers.as_ref()).peekable();
        tables.peek()?;
        let files = Files::new(hierarchy);
        let mut numbers = Numbers::default();
        let mut found: HashMap<&str, Option<ModuleId>> = HashMap::new();
        for table in tables {
            let places: Vec<Option<usize>> =
                table.columns.iter().map(|it| numbers.column(it)).collect();
            for row in &table.rows {
                let file = *found
                    .entry(&row.file)
                    .or_insert_with(|| files.find(&row.file));
                let Some(module) = file.and_then(|it| within(hierarchy, it, row)) else {
                    numbers.unknown += 1;
                    continue;
                };
                let values = row.values.iter().zip(&places);
                for (&value, place) in values.filter(|(value, _)| !value.is_nan()) {
                    if let Some(place) = *place {
                        numbers.own[place].push((module, value));
                    }
                }
            }
        }
        for own in &mut numbers.own {
            own.sort_by_key(|it| it.0);
            own.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    kept.1 += next.1;
                }
                is_same
            });
        }
        Some(numbers)
    }

    fn column(&mut self, column: &Column) -> Option<usize> {
        if self.columns.len() >= MOST_COLUMNS {
            self.left_out += 1;
            return None;
        }
        self.columns.push(column.clone());
        self.own.push(Vec::new());
        Some(self.columns.len() - 1)
    }
}

/// The module of a row: its file, or the function in it that the row names.
fn within(hierarchy: &Hierarchy, file: ModuleId, row: &results::Row) -> Option<ModuleId> {
    if row.line > 0 {
        return Some(Spans::new(hierarchy, file).at(row.line).unwrap_or(file));
    }
    if row.function.is_empty() {
        return Some(file);
    }
    let inside = hierarchy.subtree(file).map(ModuleId);
    let is_meant = |&it: &ModuleId| {
        hierarchy.kind(it) == ModuleKind::Function && hierarchy.name(it) == row.function
    };
    let mut meant = inside.filter(is_meant);
    let first = meant.next();
    first.filter(|_| meant.next().is_none())
}
