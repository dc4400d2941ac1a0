//! The call relations that a graph is made of: those of the run that is shown, in the range and with what filters leave,
//! or those of two runs with what each has.

use std::sync::Arc;

use super::model::{Line, Sum};
use callscape_analysis::comparison::amounts::Measure;
use callscape_analysis::comparison::tables::RelationChange;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, FunctionId, ModuleId};
use callscape_facts::trace::Relation;
use callscape_model::difference::Amount;
use callscape_model::functions::FunctionNumbers;
use callscape_state::document::Document;
use callscape_state::moments::Limited;
use callscape_state::runs::Runs;

/// What is given, cheap to hand to another thread.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub session: Arc<Session>,
    pub recording: usize,
    of: Of,
    limited: Option<Limited>,
}

#[derive(Clone, Debug)]
enum Of {
    One(Arc<[Relation]>, Arc<FunctionNumbers>),
    Two(Arc<Runs>, Arc<[RelationChange<u32>]>),
}

impl PartialEq for Given {
    fn eq(&self, other: &Given) -> bool {
        let is_same = match (&self.of, &other.of) {
            (Of::One(own, numbers), Of::One(other, others)) => {
                Arc::ptr_eq(own, other) && Arc::ptr_eq(numbers, others)
            }
            (Of::Two(a, own), Of::Two(b, other)) => {
                Arc::ptr_eq(own, other) && a.revision() == b.revision()
            }
            _ => false,
        };
        is_same
            && Arc::ptr_eq(&self.session, &other.session)
            && (self.recording, &self.limited) == (other.recording, &other.limited)
    }
}

impl Given {
    /// What is shown now; none without a recording.
    pub(crate) fn of(document: &Document) -> Option<Given> {
        let numbers = document.functions.as_ref()?;
        Some(Given {
            session: Arc::clone(&document.session),
            recording: document.recording(),
            limited: Limited::of(document),
            of: match &document.runs {
                Some(runs) => Of::Two(Arc::clone(runs), Arc::clone(&runs.relations)),
                None => Of::One(
                    Arc::clone(document.calls.of_functions()),
                    Arc::clone(numbers),
                ),
            },
        })
    }

    /// The run that is shown.
    pub(crate) fn resolved(&self) -> Option<&Resolved> {
        self.session.recordings.get(self.recording)
    }

    /// Gives lines the moments that their calls go on; `place_of` says what stands for an end of relations, and `places` that
    /// at both ends of each line. For a worker thread: as slow as
    /// [`Between::moments`](callscape_analysis::moments::Between::moments).
    pub(crate) fn add_moments(
        &self,
        lines: &mut [Line],
        places: impl Fn(&Line) -> Option<(u32, u32)>,
        place_of: &dyn Fn(u32) -> Option<u32>,
        progress: &Progress,
    ) -> Result<(), Cancelled> {
        let Some(limited) = &self.limited else {
            return Ok(());
        };
        // Two lines may stand for one relation.
        let mut pairs: Vec<(u32, u32)> = lines.iter().filter_map(&places).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let of = |side: usize, function: FunctionId| match &self.of {
            Of::One(..) => place_of(function.0),
            Of::Two(runs, _) => place_of(runs.row_of(side, function)?),
        };
        let found = limited.moments(&pairs, &of, progress)?;
        for line in lines {
            let pair = places(line).and_then(|it| pairs.binary_search(&it).ok());
            line.moments = pair.map_or_else(Vec::new, |at| found[at].clone());
        }
        Ok(())
    }
}

/// A function as an end of relations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct End<'a> {
    pub name: &'a str,
    pub module: ModuleId,
    /// Of the run that is shown.
    pub function: Option<FunctionId>,
    /// Its self cost, whoever calls it, of two runs that in A and B.
    pub own: [f64; 2],
}

/// Calls from one function to another, as places among the ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Between {
    pub from: u32,
    pub to: u32,
    pub sum: Sum,
}

/// Functions and the relations between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relations<'a> {
    pub ends: Vec<End<'a>>,
    /// Sorted by caller, then callee.
    pub all: Vec<Between>,
    pub amount: Option<Amount>,
}

impl<'a> Relations<'a> {
    /// O(functions + relations).
    pub(crate) fn new(given: &'a Given) -> Relations<'a> {
        let Some(resolved) = given.session.recordings.get(given.recording) else {
            return Relations::default();
        };
        let functions = &resolved.recording.functions;
        let modules = &resolved.resolution.modules;
        let module = |of: FunctionId| modules.get(of.index()).copied();
        match &given.of {
            Of::One(relations, numbers) => {
                let ends = functions.ids().map(|function| End {
                    name: given.session.function_name(given.recording, function),
                    module: module(function).unwrap_or(ModuleId::ROOT),
                    function: Some(function),
                    own: [0.0; 2],
                });
                let mut ends: Vec<End<'_>> = ends.collect();
                for row in numbers.rows() {
                    if let Some(end) = ends.get_mut(row.function.index()) {
                        end.own[0] = row.metrics.self_cost.weight() as f64;
                    }
                }
                let all = relations.iter().map(|it| Between {
                    from: it.caller.0,
                    to: it.callee.0,
                    sum: Sum::of(it.calls, it.cost, it.self_cost),
                });
                Relations {
                    ends,
                    all: all.collect(),
                    amount: None,
                }
            }
            Of::Two(runs, relations) => {
                let names = runs.names_of_rows(&given.session);
                let places = runs.modules(&given.session);
                let ends = names.into_iter().zip(places).zip(runs.functions.iter());
                let ends = ends.map(|((name, module), change)| End {
                    name,
                    module,
                    function: None,
                    own: [change.a.self_cost, change.b.self_cost],
                });
                let mut ends: Vec<End<'_>> = ends.collect();
                for function in functions.ids() {
                    let row = runs
                        .row(function)
                        .and_then(|row| ends.get_mut(row as usize));
                    if let Some(end) = row {
                        // Of several in one row the first stands for all.
                        end.function = end.function.or(Some(function));
                        end.name = given.session.function_name(given.recording, function);
                    }
                }
                let all = relations.iter().map(|relation| Between {
                    from: relation.from,
                    to: relation.to,
                    sum: Sum::of_both(relation.change),
                });
                Relations {
                    ends,
                    all: all.collect(),
                    amount: Some(runs.difference.amount.clone()),
                }
            }
        }
    }

    /// Self costs with their unit, of two runs both.
    pub(crate) fn own_text(&self, given: &Given, own: [f64; 2]) -> String {
        match &self.amount {
            Some(amount) => {
                let amount = amount.by(Measure::SelfCost);
                let [a, b] = own.map(|it| amount.text(it));
                format!("A {a}, B {b}")
            }
            None => {
                let resolved = given.session.recordings.get(given.recording);
                let cost = Cost::signed(own[0].round() as i64);
                resolved.map_or_else(String::new, |it| it.recording.unit().show(cost))
            }
        }
    }

    /// The end that a function of the run that is shown is. O(ends) of two runs.
    pub(crate) fn end_of(&self, function: FunctionId) -> Option<u32> {
        let is_it = |at: usize| self.ends.get(at).and_then(|it| it.function) == Some(function);
        if is_it(function.index()) {
            return Some(function.0);
        }
        let mut all = 0..self.ends.len();
        all.find(|&at| is_it(at)).map(|at| at as u32)
    }
}
