//! The table of functions, and what numbers stand for.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::file::Ask;
use super::rows::Rows;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hashing::BuildFast;
use callscape_facts::trace::FunctionMetrics;

/// What numbers of a table stand for: rows in order as a rule, in any order where another engine has written them.
#[derive(Default)]
pub(super) struct Numbering {
    /// Numbers below it stand for themselves.
    themselves: u32,
    /// What those from there on stand for.
    in_order: Vec<u32>,
    others: HashMap<u64, u32, BuildFast>,
}

impl Numbering {
    /// From now on `number` stands for `what`; whether it stood for nothing before.
    pub(super) fn insert(&mut self, number: u64, what: u32) -> bool {
        let next = u64::from(self.themselves) + self.in_order.len() as u64;
        if number == next && self.others.is_empty() {
            match self.in_order.is_empty() && number == u64::from(what) && what < u32::MAX {
                true => self.themselves += 1,
                false => self.in_order.push(what),
            }
            return true;
        }
        if self.get(number).is_some() {
            return false;
        }
        match self.others.entry(number) {
            Entry::Occupied(_) => false,
            Entry::Vacant(free) => {
                free.insert(what);
                true
            }
        }
    }

    #[inline]
    pub(super) fn get(&self, number: u64) -> Option<u32> {
        let Some(behind) = number.checked_sub(u64::from(self.themselves)) else {
            return Some(number as u32);
        };
        let in_order = usize::try_from(behind).ok();
        let in_order = in_order.and_then(|at| self.in_order.get(at));
        in_order.or_else(|| self.others.get(&number)).copied()
    }
}

/// Where the call of a function goes whose number the table does not have.
pub(super) const UNKNOWN: Function<'static> = Function {
    name: "[unknown]",
    file: "",
    line: 0,
    library: "",
};

/// The columns, in the order of [`asks`].
const NUMBER: usize = 0;
const NAME: usize = 1;
const FILE: usize = 2;
const LINE: usize = 3;
const COLUMN: usize = 4;
const LIBRARY: usize = 5;
const CALLS: usize = 6;
const TOTAL: usize = 7;
const OWN: usize = 8;
const WAITING: usize = 9;
const OWN_WAITING: usize = 10;
const MODULE: usize = 11;

fn asks() -> Vec<Ask> {
    let mut asks = vec![
        Ask::number("function"),
        Ask::text("name"),
        Ask::text("file").or_none(),
        Ask::number("line").or_none(),
        Ask::number("line_column").or_none(),
        Ask::text("library").or_none(),
    ];
    let sums = ["calls", "total", "self", "waiting", "self_waiting"];
    asks.extend(sums.map(|name| Ask::number(name).or_none()));
    asks.push(Ask::text("module").or_none());
    asks
}

/// The functions of a recording with their sums.
#[derive(Default)]
pub(super) struct FunctionTable {
    pub functions: Functions,
    pub numbering: Numbering,
    /// By function.
    pub metrics: Vec<FunctionMetrics>,
    /// Whether calls are counted.
    pub counts_calls: bool,
}

impl FunctionTable {
    /// Reads the functions of a recording. O(rows).
    pub(super) fn read(
        files: Vec<Input>,
        progress: &Progress,
        reporter: &Reporter,
    ) -> Result<FunctionTable, ImportError> {
        let mut table = FunctionTable::default();
        each(files, progress, reporter, |row| {
            let id = table.functions.intern_at(row.function, row.column);
            table.add(id, row.metrics, reporter, row.place);
            table.counts_calls |= row.counts_calls;
            Ok(table.numbering.insert(row.number, id.0))
        })?;
        Ok(table)
    }

    /// Adds to the sums of a function, up to the largest number, which is counted.
    pub(super) fn add(
        &mut self,
        id: FunctionId,
        more: FunctionMetrics,
        reporter: &Reporter,
        place: impl Fn() -> Place,
    ) {
        if self.metrics.len() <= id.index() {
            let last = FunctionMetrics::default();
            self.metrics.resize(id.index() + 1, last);
        }
        let of = &mut self.metrics[id.index()];
        of.calls = of.calls.checked_add(more.calls).unwrap_or_else(|| {
            reporter.warn("calls-out-of-range", &place);
            u64::MAX
        });
        if of.self_cost.ns().checked_add(more.self_cost.ns()).is_none() {
            reporter.warn("weight-out-of-range", &place);
        }
        of.total += more.total;
        of.self_cost += more.self_cost;
        of.waiting += more.waiting;
        of.self_waiting += more.self_waiting;
    }

    /// The function with a number of the table; one for all that the table does not have (`function-unknown`).
    #[inline]
    pub(super) fn get(&mut self, number: Option<u64>, rows: &Rows<'_>) -> FunctionId {
        match number.and_then(|number| self.numbering.get(number)) {
            Some(id) => FunctionId(id),
            None => {
                rows.reporter().warn("function-unknown", || rows.place());
                self.functions.intern(UNKNOWN)
            }
        }
    }
}

/// A row of the table.
pub(super) struct Row<'a> {
    pub number: u64,
    pub function: Function<'a>,
    pub column: u32,
    /// The path of its module; empty where the table does not say.
    pub module: &'a str,
    pub metrics: FunctionMetrics,
    pub counts_calls: bool,
    pub place: &'a dyn Fn() -> Place,
}

/// Hands each row to `take`, which says whether its number is one that was not there before.
pub(super) fn each(
    files: Vec<Input>,
    progress: &Progress,
    reporter: &Reporter,
    mut take: impl FnMut(Row<'_>) -> Result<bool, ImportError>,
) -> Result<(), ImportError> {
    let mut rows = Rows::new(files, "functions", asks(), progress, reporter);
    let mut at = 0_u64;
    while rows.next()? > 0 {
        for row in 0..rows.len() {
            let cost = |column| Cost::signed(rows.weight(column, row).unwrap_or_default());
            let number = rows.number(NUMBER, row);
            let [name, file, library, module] =
                [NAME, FILE, LIBRARY, MODULE].map(|column| rows.text(column, row));
            let is_new = match number {
                None => false,
                Some(number) => take(Row {
                    number,
                    function: Function {
                        name: &name,
                        file: &file,
                        line: rows.small(LINE, row).unwrap_or_default(),
                        library: &library,
                    },
                    column: rows.small(COLUMN, row).unwrap_or_default(),
                    module: &module,
                    metrics: FunctionMetrics {
                        calls: rows.number(CALLS, row).unwrap_or_default(),
                        total: cost(TOTAL),
                        self_cost: cost(OWN),
                        waiting: cost(WAITING),
                        self_waiting: cost(OWN_WAITING),
                    },
                    counts_calls: rows.number(CALLS, row).is_some(),
                    place: &|| rows.place(),
                })?,
            };
            if !is_new {
                let found = match number {
                    Some(number) => format!("{number} again in row {at}"),
                    None => format!("null in row {at}"),
                };
                let expected = "a column 'function' with a number of its own in each row";
                return Err(ImportError::malformed(rows.place(), expected, found));
            }
            at += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::memory::random::Random;

    #[test]
    fn numbers_in_any_order_stand_for_what_they_were_given_first() {
        for seed in 1..300 {
            let mut random = Random(seed);
            let (mut numbering, mut expected) = (Numbering::default(), HashMap::new());
            // In order and for themselves at first, then for others, then in any order.
            let [themselves, in_order] = [0, 1].map(|_| random.below(4));
            for at in 0..20 {
                let number = match at < themselves + in_order {
                    true => at,
                    false => random.below(30),
                };
                let what = match at < themselves {
                    true => number as u32,
                    false => random.below(9) as u32,
                };
                let is_new = !expected.contains_key(&number);
                assert_eq!(numbering.insert(number, what), is_new, "seed {seed}");
                expected.entry(number).or_insert(what);
                for number in 0..32 {
                    assert_eq!(numbering.get(number), expected.get(&number).copied());
                }
            }
        }
    }
}
