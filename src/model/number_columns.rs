//! What tables of other tools say, by module.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use callscape_analysis::numbers::{Column, Numbers, Own};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// The values of each column.
#[derive(Clone, Debug)]
pub(crate) struct NumberColumns {
    pub of: Arc<Numbers>,
    columns: Vec<Values>,
    /// By column, the numbers of modules at its dates, if it says anything of them or of modules in them.
    trends: Vec<HashMap<ModuleId, Vec<f64>>>,
}

#[derive(Clone, Debug)]
struct Values {
    /// By module; not a number if the table says nothing of it.
    of: Vec<f64>,
    /// Whether functions have numbers of their own.
    is_of_functions: bool,
}

/// What modules below one add up to.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: f64,
    /// How many numbers of the table it is made of.
    count: u32,
}

impl NumberColumns {
    /// A module has the number that the table gives it; otherwise the sum of those of the modules in it, or of shares their
    /// mean; otherwise the number of the innermost module around it that has one. `origin` gives what a module is in the
    /// structure that `numbers` are of. If the same module is in several places, its number counts at the first. O(modules
    /// log numbers).
    pub(crate) fn new(
        hierarchy: &Hierarchy,
        numbers: &Arc<Numbers>,
        origin: impl Fn(ModuleId) -> ModuleId,
    ) -> NumberColumns {
        let values = |own: &Own, column: &Column, inherits| {
            let told = |id: ModuleId| {
                let at = own.binary_search_by_key(&origin(id), |it| it.0);
                at.ok().map(|at| own[at].1)
            };
            Values::new(hierarchy, (column.unit == "%", inherits), told, &origin)
        };
        let columns = numbers.own.iter().zip(&numbers.columns);
        let trends = numbers.dated.iter().zip(&numbers.columns);
        let trends = trends.map(|(dated, column)| {
            let mut of: HashMap<ModuleId, Vec<f64>> = HashMap::new();
            for (date, own) in dated.iter().enumerate() {
                let at_date = values(own, column, false);
                let known = hierarchy.modules().zip(at_date.of);
                for (module, value) in known.filter(|it| !it.1.is_nan()) {
                    let trend = of.entry(module);
                    trend.or_insert_with(|| vec![f64::NAN; dated.len()])[date] = value;
                }
            }
            of
        });
        NumberColumns {
            trends: trends.collect(),
            columns: columns
                .map(|(own, column)| values(own, column, true))
                .collect(),
            of: Arc::clone(numbers),
        }
    }

    /// The dates of a column with the number of a module at each; not a number where there is none. None where the column
    /// has no dates, or says nothing of the module itself. O(1).
    pub(crate) fn trend(&self, column: usize, module: ModuleId) -> Option<(&[String], &[f64])> {
        let values = self.trends.get(column)?.get(&module)?;
        Some((&self.of.columns[column].dates, values))
    }

    /// Whether functions have numbers in a column, not files alone.
    pub(crate) fn is_of_functions(&self, column: usize) -> bool {
        let column = self.columns.get(column);
        column.is_some_and(|it| it.is_of_functions)
    }

    /// The number of a module. O(1).
    pub(crate) fn of(&self, column: usize, module: ModuleId) -> Option<f64> {
        let value = *self.columns.get(column)?.of.get(module.index())?;
        (!value.is_nan()).then_some(value)
    }
}

impl Values {
    fn new(
        hierarchy: &Hierarchy,
        (is_share, inherits): (bool, bool),
        told: impl Fn(ModuleId) -> Option<f64>,
        origin: impl Fn(ModuleId) -> ModuleId,
    ) -> Values {
        let mut seen: HashSet<ModuleId> = HashSet::new();
        let is_first: Vec<bool> = hierarchy
            .modules()
            .map(|id| told(id).is_some() && seen.insert(origin(id)))
            .collect();
        let mut sums = vec![Sum::default(); hierarchy.len()];
        // Those in a module come after it.
        for id in (0..hierarchy.len() as u32).rev().map(ModuleId) {
            let index = id.index();
            let sum = match (told(id), is_first[index]) {
                (Some(value), true) => Sum { value, count: 1 },
                (Some(_), false) => Sum::default(),
                (None, _) => sums[index],
            };
            if let Some(parent) = hierarchy.parent(id) {
                let of = &mut sums[parent.index()];
                of.value += sum.value;
                of.count += sum.count;
            }
        }
        let mut values = Values {
            of: Vec::with_capacity(hierarchy.len()),
            is_of_functions: false,
        };
        // The modules around the next one that the table gives a number, with their ends.
        let mut around: Vec<(u32, f64)> = Vec::new();
        for id in hierarchy.modules() {
            while around.pop_if(|(end, _)| *end <= id.0).is_some() {}
            let sum = sums[id.index()];
            let value = match (told(id), sum.count) {
                (Some(value), _) => {
                    around.push((hierarchy.subtree(id).end, value));
                    values.is_of_functions |= hierarchy.kind(id) != ModuleKind::File;
                    value
                }
                (None, 0) if !inherits => f64::NAN,
                (None, 0) => around.last().map_or(f64::NAN, |it| it.1),
                (None, count) if is_share => sum.value / f64::from(count),
                (None, _) => sum.value,
            };
            values.of.push(value);
        }
        values
    }
}
