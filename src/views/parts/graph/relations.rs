//! The call relations that a graph is made of: those of the run that is shown, in the range and with what filters leave,
//! or those of two runs with what each has.

use std::sync::Arc;

use super::model::{Line, Sum};
use callscape_analysis::comparison::tables::RelationChange;
use callscape_analysis::moments;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{FunctionId, ModuleId, TimeRange};
use callscape_facts::trace::Relation;
use callscape_model::difference::Amount;
use callscape_state::document::Document;
use callscape_state::runs::Runs;

/// What is given, cheap to hand to another thread.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub session: Arc<Session>,
    pub recording: usize,
    of: Of,
    /// The range that limits it; none where filters leave only a part, of which moments are not known.
    range: Option<Option<TimeRange>>,
}

#[derive(Clone, Debug)]
enum Of {
    One(Arc<[Relation]>),
    Two(Arc<Runs>, Arc<[RelationChange<u32>]>),
}

impl PartialEq for Given {
    fn eq(&self, other: &Given) -> bool {
        let is_same = match (&self.of, &other.of) {
            (Of::One(own), Of::One(other)) => Arc::ptr_eq(own, other),
            (Of::Two(a, own), Of::Two(b, other)) => {
                Arc::ptr_eq(own, other) && a.revision() == b.revision()
            }
            _ => false,
        };
        is_same
            && Arc::ptr_eq(&self.session, &other.session)
            && (self.recording, self.range) == (other.recording, other.range)
    }
}

impl Given {
    /// What is shown now; none without a recording.
    pub(crate) fn of(document: &Document) -> Option<Given> {
        document.resolved()?;
        Some(Given {
            session: Arc::clone(&document.session),
            recording: document.recording(),
            range: document
                .filters
                .is_empty()
                .then_some(document.selection.range),
            of: match &document.runs {
                Some(runs) => Of::Two(Arc::clone(runs), Arc::clone(&runs.relations)),
                None => Of::One(Arc::clone(document.calls.of_functions())),
            },
        })
    }

    /// The run that is shown.
    pub(crate) fn resolved(&self) -> Option<&Resolved> {
        self.session.recordings.get(self.recording)
    }

    /// Gives lines of one run the moments that their calls go on; `of` says which end a function of the run is, as `ends` has
    /// it for each line. For a worker thread: as slow as [`moments::Between::moments`].
    pub(crate) fn add_moments(
        &self,
        lines: &mut [Line],
        ends: impl Fn(&Line) -> Option<(u32, u32)>,
        of: &dyn Fn(FunctionId) -> Option<u32>,
        progress: &Progress,
    ) -> Result<(), Cancelled> {
        let (Of::One(_), Some(resolved), Some(range)) = (&self.of, self.resolved(), self.range)
        else {
            return Ok(());
        };
        // Two lines may stand for one relation.
        let mut pairs: Vec<(u32, u32)> = lines.iter().filter_map(&ends).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let between = moments::Between::new(pairs.iter().copied(), of);
        let Some(found) = between.moments(&resolved.recording, range.into(), progress)? else {
            return Ok(());
        };
        for line in lines {
            let pair = ends(line).and_then(|it| pairs.binary_search(&it).ok());
            line.moments = pair.map(|at| found[at]);
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
            Of::One(relations) => Relations {
                ends: functions
                    .ids()
                    .map(|function| End {
                        name: given.session.function_name(given.recording, function),
                        module: module(function).unwrap_or(ModuleId::ROOT),
                        function: Some(function),
                    })
                    .collect(),
                all: relations.iter().map(between).collect(),
                amount: None,
            },
            Of::Two(runs, relations) => {
                let names = runs.names_of_rows(&given.session);
                let places = runs.modules(&given.session);
                let ends = names.into_iter().zip(places);
                let ends = ends.map(|(name, module)| End {
                    name,
                    module,
                    function: None,
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

fn between(of: &Relation) -> Between {
    Between {
        from: of.caller.0,
        to: of.callee.0,
        sum: Sum {
            calls: of.calls as f64,
            cost: of.cost.ns() as f64,
            own: of.self_cost.ns() as f64,
            change: None,
        },
    }
}
