//! Numbers that other tools give of the modules of a source tree.

use std::collections::HashMap;

use super::result_sets::{Files, Spans};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
pub use callscape_import::results::Column;
use callscape_import::results::{self as results, MOST_COLUMNS, ResultSet};

/// Numbers of modules, in order of module.
pub type Own = Vec<(ModuleId, f64)>;

/// What tables of numbers say of the modules of a source tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    /// At most [`MOST_COLUMNS`]; those of the first table first.
    pub columns: Vec<Column>,
    /// By column, the numbers of modules, in order of module; of several rows of one the sum.
    pub own: Vec<Own>,
    /// By column, the numbers at each of its dates, the latest last, which is that of `own`; empty without dates.
    pub dated: Vec<Vec<Own>>,
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
                let mut values = row.values.iter();
                for (column, place) in table.columns.iter().zip(&places) {
                    let of_column = values.by_ref().take(column.width());
                    for (date, &value) in of_column.enumerate().filter(|it| !it.1.is_nan()) {
                        let Some(place) = *place else { continue };
                        match numbers.dated[place].get_mut(date) {
                            Some(own) => own.push((module, value)),
                            None => numbers.own[place].push((module, value)),
                        }
                    }
                }
            }
        }
        let all = numbers
            .own
            .iter_mut()
            .chain(numbers.dated.iter_mut().flatten());
        all.for_each(add_up);
        for (own, dated) in numbers.own.iter_mut().zip(&numbers.dated) {
            if let Some(latest) = dated.last() {
                own.clone_from(latest);
            }
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
        self.dated.push(vec![Vec::new(); column.dates.len()]);
        Some(self.columns.len() - 1)
    }
}

/// Makes one of the numbers of each module.
fn add_up(own: &mut Own) {
    own.sort_by_key(|it| it.0);
    own.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
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
