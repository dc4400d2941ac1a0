//! Whose objects are counted together: the rows of the table, as groups of cells.

use std::collections::HashMap;

use super::choice::{By, Column, Mode};
use callscape_analysis::namer;
use callscape_analysis::session::Session;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::functions::Functions;
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::memory::{CellTotals, Events, Memory, Outcome, StackId, SumRow};
use callscape_filter::cut::Cut;
use callscape_filter::selection::Pointed;

/// Of a cell that belongs to no group: what is hidden.
pub(super) const NONE: u32 = u32::MAX;

/// How many functions of a stack its name has, innermost first.
const NAMED: usize = 5;

/// Some cells, and what they are to the selection.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Group {
    pub name: String,
    pub pointed: Pointed,
}

/// Groups of the cells of a recording.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// By cell its group, or [`NONE`].
    pub of: Vec<u32>,
    pub all: Vec<Group>,
    /// The most objects that any of them creates in the whole run.
    pub most: u64,
    /// Where there is another run: by group the bytes that live at the peak of this one, and at that of the other.
    pub peaks: Option<Vec<(u64, u64)>>,
}

/// What groups are made from.
pub(super) struct Source<'a> {
    pub memory: &'a Memory,
    pub functions: &'a Functions,
    pub hierarchy: &'a Hierarchy,
    /// By function its module.
    pub modules: &'a [ModuleId],
    /// By cell the module that its objects belong to.
    pub owners: &'a [Option<ModuleId>],
    pub cut: &'a Cut,
    /// What names its functions, and the place of the recording in it; none for names as recorded.
    pub session: Option<(&'a Session, usize)>,
}

impl Groups {
    /// Groups cells. O(modules + cells × frames that are named).
    pub(super) fn new(source: &Source<'_>, by: By) -> Groups {
        let mut groups = match by {
            By::Module => by_module(source),
            By::Function => collect(
                source,
                |cell| source.memory.creator(cell),
                |function| Group {
                    name: function.map_or_else(String::new, |it| function_name(source, it)),
                    pointed: at_function(source, function),
                },
            ),
            By::Context => collect(
                source,
                |cell| cell.stack,
                |stack| Group {
                    name: stack_name(source, stack),
                    pointed: at_function(source, source.memory.stacks.function(stack)),
                },
            ),
            By::Type => by_type(source),
        };
        groups.name_addresses(source);
        for group in &mut groups.all {
            if group.name.is_empty() {
                "(not known)".clone_into(&mut group.name);
            }
        }
        groups.most = match source.memory.events() {
            Some(events) => {
                let end = add_up(events, &events.state(events.end()), &groups);
                let all = end.iter().map(|it| u64::from(it.allocations));
                all.max().unwrap_or_default()
            }
            None => 0,
        };
        groups
    }

    /// Adds who calls the code to names that only say where it is.
    fn name_addresses(&mut self, source: &Source<'_>) {
        // Contexts have their callers.
        let is_address = |name: &str| {
            let last = name.rsplit('/').next().unwrap_or_default();
            let first = last.split(' ').next().unwrap_or_default();
            !name.contains('←') && namer::is_address(first)
        };
        let mut left: Vec<bool> = self.all.iter().map(|it| is_address(&it.name)).collect();
        for (cell, &group) in source.memory.cells().iter().zip(&self.of) {
            let is_left = left.get_mut(group as usize);
            let Some(is_left) = is_left.filter(|it| **it) else {
                continue;
            };
            let mut stack = source.memory.stacks.functions(cell.stack);
            let is_named = |it: &FunctionId| {
                it.index() < source.functions.len()
                    && !namer::is_address(source.functions.get(*it).name)
            };
            if let Some(caller) = stack.find(is_named) {
                let name = &mut self.all[group as usize].name;
                name.push_str(" ← ");
                name.push_str(&function_name(source, caller));
                *is_left = false;
            }
        }
    }

    /// By cell whether it belongs to a group, to any for none.
    pub(super) fn holds(&self, group: Option<u32>) -> Vec<bool> {
        let is_in = |of: &u32| group.is_none_or(|group| group == *of);
        self.of.iter().map(is_in).collect()
    }
}

/// Cells with an equal key are a group; groups are in order of their first cell.
fn collect<K: Copy + Eq + std::hash::Hash>(
    source: &Source<'_>,
    key: impl Fn(callscape_facts::memory::Cell) -> K,
    name: impl Fn(K) -> Group,
) -> Groups {
    let mut groups = Groups::default();
    let mut known: HashMap<K, u32> = HashMap::new();
    for &cell in source.memory.cells() {
        let key = key(cell);
        let all = &mut groups.all;
        let group = *known.entry(key).or_insert_with(|| {
            all.push(name(key));
            all.len() as u32 - 1
        });
        groups.of.push(group);
    }
    groups
}

fn by_module(source: &Source<'_>) -> Groups {
    let hierarchy = source.hierarchy;
    let displayed = source.cut.displayed(hierarchy);
    let hidden: Vec<ModuleId> = source.cut.hidden().collect();
    let mut groups = Groups::default();
    let mut known: HashMap<Option<ModuleId>, u32> = HashMap::new();
    for (cell, _) in source.memory.cells().iter().enumerate() {
        let owner = source.owners.get(cell).copied().flatten();
        let owner = owner.filter(|it| it.index() < hierarchy.len());
        let is_hidden = |module: ModuleId| hidden.iter().any(|&it| hierarchy.contains(it, module));
        if owner.is_some_and(is_hidden) {
            groups.of.push(NONE);
            continue;
        }
        let module = owner.and_then(|it| displayed.get(it.index()).copied());
        let all = &mut groups.all;
        let group = *known.entry(module).or_insert_with(|| {
            all.push(Group {
                name: module.map_or_else(String::new, |it| hierarchy.path(it)),
                pointed: Pointed::at_module(module),
            });
            all.len() as u32 - 1
        });
        groups.of.push(group);
    }
    groups
}

/// A type is its class where all of its objects belong to one module.
fn by_type(source: &Source<'_>) -> Groups {
    let mut groups = collect(
        source,
        |cell| cell.kind,
        |kind| Group {
            name: source
                .memory
                .types
                .get(kind as usize)
                .cloned()
                .unwrap_or_default(),
            pointed: Pointed::default(),
        },
    );
    let mut modules: Vec<Option<Option<ModuleId>>> = vec![None; groups.all.len()];
    for (cell, &group) in groups.of.iter().enumerate() {
        let owner = source.owners.get(cell).copied().flatten();
        let known = &mut modules[group as usize];
        *known = match *known {
            None => Some(owner),
            Some(same) if same == owner => Some(same),
            Some(_) => Some(None),
        };
    }
    for (group, module) in groups.all.iter_mut().zip(modules) {
        group.pointed = Pointed::at_module(module.flatten());
    }
    groups
}

fn at_function(source: &Source<'_>, function: Option<FunctionId>) -> Pointed {
    let module = function.and_then(|it| source.modules.get(it.index()).copied());
    Pointed {
        function,
        module,
        ..Pointed::default()
    }
}

fn function_name(source: &Source<'_>, function: FunctionId) -> String {
    match (function.index() < source.functions.len(), source.session) {
        (true, Some((session, place))) => session.function_name(place, function).to_owned(),
        (true, None) => source.functions.get(function).name.to_owned(),
        (false, _) => String::new(),
    }
}

/// `inner ← caller ← …`.
fn stack_name(source: &Source<'_>, stack: StackId) -> String {
    let mut functions = source.memory.stacks.functions(stack);
    let named: Vec<String> = functions
        .by_ref()
        .take(NAMED)
        .map(|it| function_name(source, it))
        .collect();
    let mut name = named.join(" ← ");
    if functions.next().is_some() {
        name.push_str(" ← …");
    }
    name
}

/// The sums of groups. O(cells).
pub(super) fn add_up(
    events: &Events,
    state: &callscape_facts::memory::State,
    groups: &Groups,
) -> Vec<CellTotals> {
    let mut totals = vec![CellTotals::default(); groups.all.len()];
    events.add_up(state, &groups.of, &mut totals);
    totals
}

/// The numbers of a row; none is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amounts {
    pub live_bytes: Option<u64>,
    pub live: Option<u64>,
    pub allocated: Option<u64>,
    pub allocations: Option<u64>,
    pub releases: Option<u64>,
    pub temporary: Option<u64>,
    pub stay: Option<u64>,
    /// Live bytes of the other run.
    pub other: Option<u64>,
}

impl Amounts {
    pub(super) fn of(totals: &CellTotals) -> Amounts {
        Amounts {
            live_bytes: Some(totals.live_bytes()),
            live: Some(u64::from(totals.live())),
            allocated: Some(totals.allocated),
            allocations: Some(u64::from(totals.allocations)),
            releases: Some(u64::from(totals.releases)),
            ..Amounts::default()
        }
    }

    pub(super) fn of_sums(row: &SumRow) -> Amounts {
        let releases = row.allocations.zip(row.live);
        Amounts {
            live_bytes: row.live_bytes,
            live: row.live,
            allocated: row.allocated,
            allocations: row.allocations,
            releases: releases.map(|(allocations, live)| allocations.saturating_sub(live)),
            ..Amounts::default()
        }
    }

    /// How many more bytes live than in the other run.
    pub(super) fn delta(&self) -> Option<i128> {
        Some(i128::from(self.live_bytes?) - i128::from(self.other?))
    }

    pub(super) fn get(&self, column: Column) -> Option<u64> {
        match column {
            Column::Name => None,
            Column::LiveBytes => self.live_bytes,
            Column::Live => self.live,
            Column::Allocated => self.allocated,
            Column::Allocations => self.allocations,
            Column::Releases => self.releases,
            Column::Temporary => self.temporary,
            Column::Stay => self.stay,
            Column::Other => self.other,
            // By its size.
            Column::Delta => Some(self.live_bytes?.abs_diff(self.other?)),
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub group: u32,
    pub amounts: Amounts,
}

/// The rows at a position, by group; `temporary` by cell.
pub(super) fn rows_at(
    totals: &[CellTotals],
    groups: &Groups,
    temporary: Option<&[u32]>,
) -> Vec<Row> {
    let mut of_groups = vec![0_u64; groups.all.len()];
    for (&count, &group) in temporary.into_iter().flatten().zip(&groups.of) {
        if let Some(of) = of_groups.get_mut(group as usize) {
            *of += u64::from(count);
        }
    }
    let rows = (0..).zip(totals).zip(of_groups);
    rows.map(|((group, totals), count)| Row {
        group,
        amounts: Amounts {
            temporary: temporary.map(|_| count),
            ..Amounts::of(totals)
        },
    })
    .collect()
}

/// The rows of what was created in a range.
pub(super) fn rows_of_range(outcomes: &[Outcome], groups: &Groups) -> Vec<Row> {
    let mut sums = vec![Outcome::default(); groups.all.len()];
    for (outcome, &group) in outcomes.iter().zip(&groups.of) {
        if let Some(sum) = sums.get_mut(group as usize) {
            sum.add(outcome);
        }
    }
    let rows = (0..).zip(&sums).map(|(group, sum)| Row {
        group,
        amounts: Amounts {
            stay: Some(sum.stay),
            ..Amounts::of(&sum.within)
        },
    });
    rows.collect()
}

/// The rows at an instant for which sums are known.
pub(super) fn rows_of_sums(cells: &[SumRow], groups: &Groups) -> Vec<Row> {
    let mut sums = vec![SumRow::NOTHING; groups.all.len()];
    for (row, &group) in cells.iter().zip(&groups.of) {
        if let Some(sum) = sums.get_mut(group as usize) {
            *sum = sum.plus(*row);
        }
    }
    let rows = (0..).zip(&sums).map(|(group, sum)| Row {
        group,
        amounts: Amounts::of_sums(sum),
    });
    rows.collect()
}

/// Leaves out the rows that have nothing of what a mode shows, and sorts the others; equals stay in order of names.
pub(super) fn arrange(rows: &mut Vec<Row>, groups: &Groups, mode: Mode, sort: (Column, bool)) {
    rows.retain(|row| {
        let of = match mode {
            Mode::Live => row.amounts.allocations.or(row.amounts.live_bytes),
            Mode::Range => row.amounts.live,
            Mode::Temporary => row.amounts.temporary,
            Mode::Peaks => Some(
                row.amounts
                    .live_bytes
                    .max(row.amounts.other)
                    .unwrap_or_default(),
            ),
        };
        of.is_none_or(|of| of > 0)
    });
    let name = |row: &Row| {
        groups
            .all
            .get(row.group as usize)
            .map_or("", |it| it.name.as_str())
    };
    let (column, descending) = sort;
    rows.sort_by(|a, b| {
        let by_name = name(a).cmp(name(b)).then(a.group.cmp(&b.group));
        let order = match column {
            Column::Name => by_name,
            column => a.amounts.get(column).cmp(&b.amounts.get(column)),
        };
        let order = if descending { order.reverse() } else { order };
        order.then(by_name)
    });
}
