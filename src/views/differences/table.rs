//! The table of what two runs have more and less: functions, modules and call relations, the largest difference first.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use callscape_analysis::comparison::amounts::{Amounts, Change, Measure};
use callscape_analysis::comparison::contexts::ContextTree;
use callscape_analysis::comparison::tables::RelationChange;
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_model::difference::{Amount, Difference};
use callscape_model::differences::{By, Choice, Of};

/// A function, a module or a call relation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub module: ModuleId,
    /// Of a call relation, what is called.
    pub callee: Option<ModuleId>,
    pub name: String,
    pub change: Change,
}

/// The rows in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct DifferenceTable {
    pub rows: Vec<Row>,
    /// How many differ, found or not.
    pub differing: usize,
    pub amount: Amount,
}

/// What is compared, by row of the comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared<'a> {
    pub session: &'a Session,
    /// Where something is collapsed, by module the one that stands for it: then relations are between these.
    pub displayed: Option<&'a [ModuleId]>,
    /// By row, its module.
    pub modules: &'a [ModuleId],
    pub functions: &'a [Change],
    pub relations: &'a [RelationChange<u32>],
    pub difference: &'a Difference,
}

impl DifferenceTable {
    /// The rows that differ and that the query finds. O(n log n).
    pub(crate) fn new<'a>(
        compared: &Compared<'a>,
        choice: &Choice,
        name_of: impl Fn(u32) -> &'a str,
    ) -> DifferenceTable {
        let hierarchy = &compared.session.hierarchy;
        let amount = compared.difference.amount.clone();
        let measure = amount.measure;
        let of_row = |row: u32| compared.modules.get(row as usize).copied();
        let mut rows: Vec<Row> = match choice.of {
            Of::Functions => (0u32..)
                .zip(compared.functions)
                .filter(|(_, change)| change.differs(measure))
                .map(|(row, change)| Row {
                    module: of_row(row).unwrap_or(ModuleId::ROOT),
                    callee: None,
                    name: name_of(row).to_owned(),
                    change: *change,
                })
                .collect(),
            Of::Modules => hierarchy
                .modules()
                .filter(|&id| !hierarchy.is_leaf(id))
                .map(|id| (id, compared.difference.change(id)))
                .filter(|(_, change)| change.differs(measure))
                .map(|(module, change)| Row {
                    module,
                    callee: None,
                    name: hierarchy.path(module),
                    change,
                })
                .collect(),
            Of::Pairs | Of::Contexts | Of::Causes => Vec::new(),
            Of::Relations if compared.displayed.is_some() => between_displayed(compared),
            Of::Relations => compared
                .relations
                .iter()
                .filter(|relation| relation.change.differs(measure))
                .filter_map(|relation| {
                    Some(Row {
                        module: of_row(relation.from)?,
                        callee: Some(of_row(relation.to)?),
                        name: format!("{} → {}", name_of(relation.from), name_of(relation.to)),
                        change: relation.change,
                    })
                })
                .collect(),
        };
        let differing = rows.len();
        if !choice.query.is_empty() {
            let query = choice.query.to_lowercase();
            rows.retain(|row| is_found(hierarchy, row, &query));
        }
        rows.sort_by(|x, y| {
            let order = compare(x, y, choice.by, amount.measure);
            let order = match choice.is_reversed {
                true => order.reverse(),
                false => order,
            };
            order.then_with(|| (&x.name, x.module, x.callee).cmp(&(&y.name, y.module, y.callee)))
        });
        DifferenceTable {
            rows,
            differing,
            amount,
        }
    }
}

/// Contexts of which is known what differs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contexts<'a> {
    pub tree: &'a ContextTree,
    /// A is what the tree has as B.
    pub is_swapped: bool,
    /// By row of the comparison, its module and its name.
    pub modules: &'a [ModuleId],
    pub names: &'a [&'a str],
}

/// More rows than these nobody reads.
const MOST_CONTEXTS: usize = 5_000;

/// How many of the functions around one are named.
const MOST_AROUND: usize = 40;

impl DifferenceTable {
    /// The calling contexts that differ and whose function the query finds, as its name and those of the functions around
    /// it; not more than anyone reads. O(n log n) in the contexts, for a worker thread.
    pub(crate) fn of_contexts(
        of: &Contexts<'_>,
        amount: Amount,
        choice: &Choice,
    ) -> DifferenceTable {
        let measure = amount.measure;
        let Contexts { tree, modules, .. } = *of;
        let name = |row: u32| of.names.get(row as usize).copied().unwrap_or_default();
        let query = choice.query.to_lowercase();
        let is_found = |row: u32| query.is_empty() || name(row).to_lowercase().contains(&query);
        let found: Vec<bool> = (0..of.names.len() as u32).map(is_found).collect();
        let change = |number: u32| {
            let change = tree.contexts[number as usize].change;
            match of.is_swapped {
                true => Change {
                    a: change.b,
                    b: change.a,
                    ..change
                },
                false => change,
            }
        };
        let mut order: Vec<u32> = (0..tree.contexts.len() as u32).collect();
        order.retain(|&number| change(number).differs(measure));
        let differing = order.len();
        let is_found = |row: u32| found.get(row as usize).copied().unwrap_or_default();
        order.retain(|&number| is_found(tree.contexts[number as usize].row));
        let way = |number: u32| tree.path(number).into_iter().map(name);
        order.sort_by(|&x, &y| {
            let by = match choice.by {
                By::Name => {
                    let [x, y] = [x, y].map(|it| name(tree.contexts[it as usize].row));
                    x.cmp(y)
                }
                by => compare_changes(&change(x), &change(y), by, measure),
            };
            let by = if choice.is_reversed { by.reverse() } else { by };
            by.then_with(|| way(x).cmp(way(y)))
        });
        let row = |&number: &u32| {
            let path = tree.path(number);
            let mut names: Vec<&str> = path
                .iter()
                .rev()
                .take(MOST_AROUND)
                .map(|&row| name(row))
                .collect();
            if path.len() > MOST_AROUND {
                names.push("…");
            }
            let row = tree.contexts[number as usize].row;
            Row {
                module: modules.get(row as usize).copied().unwrap_or(ModuleId::ROOT),
                callee: None,
                name: names.join(" ← "),
                change: change(number),
            }
        };
        DifferenceTable {
            rows: order.iter().take(MOST_CONTEXTS).map(row).collect(),
            differing,
            amount,
        }
    }
}

/// The call relations between the modules that stand for others, those within one left out.
fn between_displayed(compared: &Compared<'_>) -> Vec<Row> {
    let hierarchy = &compared.session.hierarchy;
    let shown = |row: u32| {
        let module = compared.modules.get(row as usize)?;
        compared.displayed?.get(module.index()).copied()
    };
    let mut sums: BTreeMap<(ModuleId, ModuleId), [Amounts; 2]> = BTreeMap::new();
    for relation in compared.relations {
        if let (Some(from), Some(to)) = (shown(relation.from), shown(relation.to))
            && from != to
        {
            let [a, b] = sums.entry((from, to)).or_default();
            a.add(&relation.change.a);
            b.add(&relation.change.b);
        }
    }
    let rows = sums.into_iter().map(|((from, to), [a, b])| Row {
        module: from,
        callee: Some(to),
        name: format!("{} → {}", hierarchy.path(from), hierarchy.path(to)),
        change: Change::new(a, b),
    });
    rows.filter(|row| row.change.differs(compared.difference.measure))
        .collect()
}

fn is_found(hierarchy: &Hierarchy, row: &Row, query: &str) -> bool {
    row.name.to_lowercase().contains(query)
        || hierarchy.path(row.module).to_lowercase().contains(query)
}

/// The order of two rows: the largest first, names from A on.
fn compare(x: &Row, y: &Row, by: By, measure: Measure) -> Ordering {
    match by {
        By::Name => x.name.cmp(&y.name),
        by => compare_changes(&x.change, &y.change, by, measure),
    }
}

/// The same by what differs; equal by name.
fn compare_changes(x: &Change, y: &Change, by: By, measure: Measure) -> Ordering {
    let falling = |value: &dyn Fn(&Change) -> f64| value(y).total_cmp(&value(x));
    match by {
        By::Delta => x.order(y, measure),
        // What is in B alone is more than any ratio.
        By::Ratio => falling(&|of: &Change| of.ratio(measure).unwrap_or(f64::INFINITY)),
        By::A => falling(&|of: &Change| of.a.of(measure)),
        By::B => falling(&|of: &Change| of.b.of(measure)),
        By::Name => Ordering::Equal,
    }
}
