//! The tables of calling contexts and of their other values, and that of call relations.

use super::file::Ask;
use super::functions::{FunctionTable, Numbering};
use super::rows::Rows;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, Unit};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{ContextColumns, NoTree};
use callscape_facts::profile::Value;
use callscape_facts::trace::Relation;

/// More values than any profiler weighs; each costs memory for every context.
const MOST_VALUES: usize = 32;

/// What the waiting of contexts is called as a value of a profile.
const WAITING_VALUE: &str = "waiting";

/// The contexts of a recording as rows, parents by row, with what they weigh.
pub(super) struct ContextTable {
    pub columns: ContextColumns,
    /// Its values, the first of them that of `self`.
    pub values: Vec<Value>,
    numbering: Numbering,
    place: Place,
}

impl ContextTable {
    /// Reads the contexts, whose costs are of `value`. O(rows): about thirty bytes each.
    pub(super) fn read(
        files: Vec<Input>,
        value: Value,
        table: &mut FunctionTable,
        progress: &Progress,
        reporter: &Reporter,
    ) -> Result<ContextTable, ImportError> {
        let asks = vec![
            Ask::number("context"),
            Ask::number("parent"),
            Ask::number("function"),
            Ask::number("calls").or_none(),
            Ask::number("self"),
            Ask::number("self_waiting").or_none(),
        ];
        let mut rows = Rows::new(files, "contexts", asks, progress, reporter);
        let mut numbering = Numbering::default();
        let mut columns = ContextColumns::default();
        // Rows with the numbers of their parents, which have not come yet.
        let mut to_come: Vec<(usize, u64)> = Vec::new();
        let (mut own, mut waiting) = (Vec::new(), Vec::new());
        let (mut counts, mut knows_waiting) = (false, false);
        while rows.next()? > 0 {
            for row in 0..rows.len() {
                let at = columns.functions.len();
                let number = rows.number(0, row).unwrap_or(u64::MAX);
                let fits = u32::try_from(at).is_ok_and(|at| at < ContextColumns::OUTERMOST);
                if !fits || !numbering.insert(number, at as u32) {
                    let expected = "a column 'context' with a number of its own in each row";
                    let found = format!("{number} again in row {at}");
                    return Err(ImportError::malformed(rows.place(), expected, found));
                }
                columns.parents.push(match rows.number(1, row) {
                    None => ContextColumns::OUTERMOST,
                    Some(parent) => numbering.get(parent).unwrap_or_else(|| {
                        to_come.push((at, parent));
                        ContextColumns::OUTERMOST
                    }),
                });
                let function = table.get(rows.number(2, row), &rows);
                columns.functions.push(function);
                let calls = rows.number(3, row);
                counts |= calls.is_some();
                columns.calls.push(calls.unwrap_or_default());
                own.push(rows.weight(4, row).unwrap_or_default());
                let waited = rows.weight(5, row);
                knows_waiting |= waited.is_some();
                if knows_waiting {
                    waiting.resize(at, 0);
                    waiting.push(waited.unwrap_or_default());
                }
            }
        }
        if !counts {
            columns.calls = Vec::new();
        }
        let place = rows.place();
        for (row, parent) in to_come {
            columns.parents[row] = numbering.get(parent).ok_or_else(|| {
                let expected = "parents that are contexts of the table";
                let found = format!("parent {parent} in row {row}");
                ImportError::malformed(place.clone(), expected, found)
            })?;
        }
        columns.weights.push(own);
        let mut values = vec![value];
        if knows_waiting {
            columns.weights.push(waiting);
            values.push(Value {
                name: WAITING_VALUE.to_owned(),
                unit: Unit::Nanoseconds,
            });
        }
        Ok(ContextTable {
            columns,
            values,
            numbering,
            place,
        })
    }

    /// Reads what contexts weigh of other values, which then stand in the order of that table; gives back which one is
    /// that of `self`. O(rows).
    pub(super) fn read_samples(
        &mut self,
        files: Vec<Input>,
        progress: &Progress,
        reporter: &Reporter,
    ) -> Result<usize, ImportError> {
        let asks = vec![
            Ask::number("context"),
            Ask::text("value"),
            Ask::text("unit").or_none(),
            Ask::number("weight"),
        ];
        let count = self.columns.functions.len();
        let shown = self.values[0].name.clone();
        let mut rows = Rows::new(files, "samples", asks, progress, reporter);
        let mut values: Vec<Value> = Vec::new();
        let mut weights: Vec<Vec<i64>> = Vec::new();
        let mut at = 0;
        while rows.next()? > 0 {
            for row in 0..rows.len() {
                let name = rows.text(1, row);
                if values.get(at).is_none_or(|value| value.name != name) {
                    let known = values.iter().position(|value| value.name == name);
                    at = known.unwrap_or(values.len());
                    if known.is_none() {
                        if values.len() >= MOST_VALUES {
                            let expected = format!("no more than {MOST_VALUES} values");
                            let found = "more of them";
                            return Err(ImportError::malformed(rows.place(), expected, found));
                        }
                        values.push(Value {
                            name: name.to_string(),
                            unit: unit_named(&rows.text(2, row)),
                        });
                        weights.push(match name == shown {
                            true => Vec::new(),
                            false => vec![0; count],
                        });
                    }
                }
                let context = rows.number(0, row);
                match context.and_then(|context| self.numbering.get(context)) {
                    Some(context) => {
                        if let Some(of) = weights[at].get_mut(context as usize) {
                            let weight = rows.weight(3, row).unwrap_or_default();
                            *of = of.checked_add(weight).unwrap_or_else(|| {
                                reporter.warn("weight-out-of-range", || rows.place());
                                i64::MAX
                            });
                        }
                    }
                    None => reporter.warn("context-unknown", || rows.place()),
                }
            }
        }
        let own = std::mem::take(&mut self.columns.weights);
        let of_own = std::mem::take(&mut self.values);
        let place = values.iter().position(|value| value.name == shown);
        let mut own = of_own.into_iter().zip(own);
        if let Some(place) = place
            && let Some((_, weight)) = own.next()
        {
            weights[place] = weight;
        }
        // Where the table does not have it, all of it is 0, or it is of other values.
        let place = place.unwrap_or(values.len());
        self.values = values;
        self.columns.weights = weights;
        for (value, weight) in own {
            self.values.push(value);
            self.columns.weights.push(weight);
        }
        Ok(place)
    }

    /// What is wrong with parents.
    pub(super) fn no_tree(&self, error: NoTree) -> ImportError {
        let (expected, found) = match error {
            NoTree::NoParent(row) => (
                "parents that are contexts of the table",
                format!("another one in row {row}"),
            ),
            NoTree::Cycle(row) => (
                "contexts that form a tree",
                format!("a cycle: the context of row {row} is among its own parents"),
            ),
        };
        ImportError::malformed(self.place.clone(), expected, found)
    }

    pub(super) fn place(&self) -> &Place {
        &self.place
    }
}

/// The unit that a table names.
pub(super) fn unit_named(name: &str) -> Unit {
    match (name, name.strip_prefix("1/1000 ")) {
        ("nanoseconds", _) => Unit::Nanoseconds,
        ("bytes", _) => Unit::Bytes,
        (_, Some(things)) => Unit::Thousandths(things.to_owned()),
        (name, None) => Unit::Things(name.to_owned()),
    }
}

/// Reads the call relations of a recording, and whether calls are counted. O(rows).
pub(super) fn relations(
    files: Vec<Input>,
    table: &mut FunctionTable,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<Vec<Relation>, ImportError> {
    let mut asks = vec![Ask::number("caller"), Ask::number("callee")];
    let sums = ["calls", "total", "self", "waiting", "self_waiting"];
    asks.extend(sums.map(|name| Ask::number(name).or_none()));
    let mut rows = Rows::new(files, "relations", asks, progress, reporter);
    let mut relations = Vec::new();
    while rows.next()? > 0 {
        for row in 0..rows.len() {
            let cost = |column| Cost::from_ns(rows.number(column, row).unwrap_or_default());
            relations.push(Relation {
                caller: table.get(rows.number(0, row), &rows),
                callee: table.get(rows.number(1, row), &rows),
                calls: rows.number(2, row).unwrap_or_default(),
                cost: cost(3),
                self_cost: cost(4),
                waiting: cost(5),
                self_waiting: cost(6),
                ..Relation::NOTHING
            });
        }
    }
    Ok(relations)
}
