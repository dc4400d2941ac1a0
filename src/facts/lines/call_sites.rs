//! Calling contexts by call site: calls of one function from different places are different contexts, the variant of section
//! 2 in P. Moret, W. Binder, A. Villazón, D. Ansaloni, A. Heydarnoori, "Visualizing and exploring profiles with calling
//! context ring charts", 2010.
//!
//! They stand beside the contexts merged by path of functions, which are what they add up to. They stay rows until somebody
//! asks for them, for most never do.

use std::collections::HashMap;
use std::ops::Range;

use super::place_id::PlaceId;
use crate::contexts::{ContextColumns, Contexts};
use crate::hashing::BuildFast;
use crate::trace::storage::{Bytes, Table};
use callscape_base::units::{ContextId, FunctionId};

/// The place of a call that has no caller.
const NOWHERE: u32 = u32::MAX;

/// Contexts in preorder, as columns of equal length.
#[derive(Clone, Debug, Default)]
pub struct CallSites {
    functions: Table<u32>,
    /// [`ContextColumns::OUTERMOST`] of the outermost ones; less than the row itself.
    parents: Table<u32>,
    /// The number of the place that makes the call; [`NOWHERE`] of the outermost ones.
    sites: Table<u32>,
    /// Empty where calls are not known.
    calls: Table<u64>,
    /// By value, by context.
    weights: Table<i64>,
}

/// How many tables there are.
const TABLES: usize = 5;

impl CallSites {
    /// How many contexts there are.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The tree; none where the rows are none, as in a damaged index. O(contexts × values).
    pub fn contexts(&self) -> Option<Contexts> {
        let count = self.len();
        let columns = ContextColumns {
            functions: self.functions.iter().map(|&it| FunctionId(it)).collect(),
            parents: self.parents.to_vec(),
            calls: self.calls.to_vec(),
            weights: self
                .weights
                .chunks(count.max(1))
                .map(<[_]>::to_vec)
                .collect(),
        };
        if columns.places().is_some() {
            return None;
        }
        columns.finish().ok().map(|(contexts, _)| contexts)
    }

    /// The number of the place that makes the calls of a context; none of an outermost one.
    pub fn site(&self, context: ContextId) -> Option<usize> {
        let site = self.sites.get(context.index()).copied();
        site.filter(|&it| it != NOWHERE).map(|it| it as usize)
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.tables().iter().map(|it| it.len()).sum()
    }

    /// The tables as bytes, in the order in which [`of_tables`](Self::of_tables) takes them.
    pub(super) fn tables(&self) -> [&[u8]; TABLES] {
        [
            bytemuck::cast_slice(&self.functions),
            bytemuck::cast_slice(&self.parents),
            bytemuck::cast_slice(&self.sites),
            bytemuck::cast_slice(&self.calls),
            bytemuck::cast_slice(&self.weights),
        ]
    }

    /// The tables at these places of `bytes`.
    pub(super) fn of_tables(
        bytes: &Bytes,
        mut next: impl FnMut() -> Option<Range<usize>>,
    ) -> Option<CallSites> {
        Some(CallSites {
            functions: Table::part(bytes, next()?)?,
            parents: Table::part(bytes, next()?)?,
            sites: Table::part(bytes, next()?)?,
            calls: Table::part(bytes, next()?)?,
            weights: Table::part(bytes, next()?)?,
        })
    }

    /// Whether every number refers to what is there, of so many functions, places and values. O(n).
    pub(super) fn belongs_together(
        &self,
        (functions, places, values): (usize, usize, usize),
    ) -> bool {
        let count = self.len();
        let is_parent = |(row, &parent): (usize, &u32)| {
            parent == ContextColumns::OUTERMOST || (parent as usize) < row
        };
        self.parents.len() == count
            && self.sites.len() == count
            && [0, count].contains(&self.calls.len())
            && Some(self.weights.len()) == count.checked_mul(values)
            && self.functions.iter().all(|&it| (it as usize) < functions)
            && self.parents.iter().enumerate().all(is_parent)
            && (self.sites.iter()).all(|&it| it == NOWHERE || (it as usize) < places)
    }
}

/// Contexts by call site while they are built, callers before callees.
#[derive(Debug, Default)]
pub(super) struct CallSitesBuilder {
    /// By caller, function and site.
    ids: HashMap<(u32, u32, u32), u32, BuildFast>,
    columns: ContextColumns,
    sites: Vec<u32>,
}

impl CallSitesBuilder {
    pub(super) fn new(values: usize) -> CallSitesBuilder {
        CallSitesBuilder {
            columns: ContextColumns {
                weights: vec![Vec::new(); values],
                ..ContextColumns::default()
            },
            ..CallSitesBuilder::default()
        }
    }

    /// The row of the context of `function` that is called from `site` in the context in row `around`; of an outermost call
    /// there is no site, and the row is [`ContextColumns::OUTERMOST`]. O(1).
    pub(super) fn child(
        &mut self,
        around: u32,
        function: FunctionId,
        site: Option<PlaceId>,
    ) -> u32 {
        let site = site.map_or(NOWHERE, |it| it.index() as u32);
        let next = self.sites.len() as u32;
        let key = (around, function.0, site);
        let row = *self.ids.entry(key).or_insert(next);
        if row == next {
            self.columns.functions.push(function);
            self.columns.parents.push(around);
            self.columns.calls.push(0);
            for column in &mut self.columns.weights {
                column.push(0);
            }
            self.sites.push(site);
        }
        row
    }

    /// Adds what weighs in a context itself, by value, and how often it was called.
    pub(super) fn add(&mut self, row: u32, weights: impl IntoIterator<Item = i64>, calls: u64) {
        let row = row as usize;
        for (column, weight) in self.columns.weights.iter_mut().zip(weights) {
            column[row] = column[row].saturating_add(weight);
        }
        let sum = &mut self.columns.calls[row];
        *sum = sum.saturating_add(calls);
    }

    /// All of it, with places by their final `numbers`. O(contexts × values).
    pub(super) fn finish(self, numbers: &[u32], knows_calls: bool) -> CallSites {
        let (mut columns, ids) = (self.columns, self.ids);
        drop(ids);
        if !knows_calls {
            columns.calls = Vec::new();
        }
        let number = |site: u32| numbers.get(site as usize).copied().unwrap_or(NOWHERE);
        let sites: Vec<u32> = self.sites.into_iter().map(number).collect();
        let order = columns.places();
        let Ok((contexts, _)) = columns.finish() else {
            return CallSites::default();
        };
        let mut in_order = sites.clone();
        for (&place, &site) in order.iter().flatten().zip(&sites) {
            in_order[place as usize] = site;
        }
        let ids = || contexts.ids();
        let parent = |id| (contexts.parent(id)).map_or(ContextColumns::OUTERMOST, |it| it.0);
        let calls = ids().filter_map(|id| contexts.calls(id));
        let weights = (0..contexts.values())
            .flat_map(|value| ids().map(move |id| (value, id)))
            .map(|(value, id)| contexts.self_weight(value, id).weight());
        CallSites {
            functions: table(ids().map(|id| contexts.function(id).0)),
            parents: table(ids().map(parent)),
            sites: table(in_order.into_iter()),
            calls: table(calls),
            weights: table(weights),
        }
    }
}

fn table<T>(rows: impl Iterator<Item = T>) -> Table<T> {
    Table::Rows(rows.collect::<Vec<T>>().into())
}
