//! What the view knows, and what it does with that.

use super::making::{Side as Of, Wanted, side_of};
use crate::parts::graph::laid::Laid;
use crate::parts::graph::marks::{Marked, on_stacks};
use crate::parts::graph::view::GraphView;
use callscape_base::units::{FunctionId, ModuleId, ThreadId, Time};
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Asks, GraphKey, SelectAsk};
use callscape_state::document::Document;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the list of changes calls the graph.
pub(super) const NAME: &str = "call neighbourhood";

/// Farther out everything is connected with everything.
pub(super) const MOST_STEPS: u32 = 6;

/// What was last found on the call stacks, and for what.
#[derive(Default)]
pub(super) struct Running {
    pub(super) of: Option<(Time, Option<ThreadId>, usize, usize)>,
    pub(super) marked: Marked,
}

pub(super) struct Neighbourhood {
    pub(super) base: GraphView<Wanted, Arc<Laid>>,
    pub(super) middle: Option<FunctionId>,
    /// Nobody chose it.
    pub(super) is_by_itself: bool,
    /// What was chosen when it was last looked at, and what was chosen here: that does not move the middle.
    pub(super) chosen: u64,
    pub(super) chosen_here: Option<Pointed>,
    pub(super) steps: u32,
    pub(super) further: BTreeSet<(Of, FunctionId)>,
    pub(super) running: Running,
    /// Of what the functions are.
    pub(super) run: u64,
    /// The path and name of the function in the middle from a session file.
    pub(super) restored: Option<[String; 2]>,
}

impl Default for Neighbourhood {
    fn default() -> Neighbourhood {
        Neighbourhood {
            base: GraphView::default(),
            middle: None,
            is_by_itself: false,
            chosen: 0,
            chosen_here: None,
            steps: 1,
            further: BTreeSet::new(),
            running: Running::default(),
            run: 0,
            restored: None,
        }
    }
}

/// Of the functions that `is_in` takes the one that costs most itself, of those with callers and callees where there are
/// such. O(functions + relations).
pub(super) fn costliest(
    document: &Document,
    is_in: impl Fn(ModuleId) -> bool,
) -> Option<FunctionId> {
    let functions = document.resolved()?.recording.functions.len();
    // By function what it costs itself, and how many call it and are called by it.
    let mut costs = vec![(0_u64, [0_u32; 2]); functions];
    for relation in document.calls.of_functions().iter() {
        if relation.caller == relation.callee {
            continue;
        }
        if let Some(of) = costs.get_mut(relation.callee.index()) {
            of.0 = of.0.saturating_add(relation.self_cost.ns());
            of.1[0] += 1;
        }
        if let Some(of) = costs.get_mut(relation.caller.index()) {
            of.1[1] += 1;
        }
    }
    let all = (0..functions as u32).map(FunctionId);
    let inside = all.filter(|&it| costs[it.index()].1 != [0, 0]);
    let inside = inside.filter(|&it| document.module_of(it).is_some_and(&is_in));
    inside.max_by_key(|it| {
        let (cost, [callers, callees]) = costs[it.index()];
        let says_much = callers > 0 && callees > 1;
        (says_much, cost, std::cmp::Reverse(*it))
    })
}

impl Neighbourhood {
    /// Puts the function that is chosen in the middle.
    pub(super) fn follow(&mut self, document: &Document) {
        let hierarchy = &document.session.hierarchy;
        let is_there = |it: FunctionId| document.module_of(it).is_some();
        self.middle = self.middle.filter(|&it| is_there(it));
        if let Some([path, name]) = self.restored.take() {
            let resolved = document.resolved();
            let found = resolved.and_then(|resolved| {
                let functions = &resolved.recording.functions;
                functions.ids().find(|&it| {
                    let is_named = functions.get(it).name == name;
                    is_named
                        && document
                            .module_of(it)
                            .is_some_and(|it| hierarchy.path(it) == path)
                })
            });
            self.middle = found.or(self.middle);
            self.chosen = document.selection.chosen_stamp();
        }
        let chosen = document.selection.chosen;
        let stamp = document.selection.chosen_stamp();
        let is_new = std::mem::replace(&mut self.chosen, stamp) != stamp;
        let is_own = self.chosen_here == Some(chosen);
        if is_new && !is_own {
            self.chosen_here = None;
            let of_module = || {
                let module = chosen.module.filter(|it| it.index() < hierarchy.len())?;
                costliest(document, |it| hierarchy.contains(module, it))
            };
            if let Some(function) = chosen.function.or_else(of_module) {
                self.set_middle(function);
            }
        }
        if self.middle.is_none() {
            self.middle = costliest(document, |_| true);
            self.is_by_itself = self.middle.is_some();
        }
    }

    pub(super) fn set_middle(&mut self, function: FunctionId) {
        if self.middle == Some(function) && !self.is_by_itself {
            return;
        }
        self.middle = Some(function);
        self.is_by_itself = false;
        self.steps = 1;
        self.further.clear();
        self.base.focus = None;
        self.base.chart.show_all();
        self.base.revision += 1;
    }

    /// Shows who calls a function of the callers, too, or whom one of the callees calls; or no longer.
    pub(super) fn go_on(&mut self, place: u32, is_more: Option<bool>) {
        let laid = self.base.chart.laid();
        let of = laid.and_then(|it| it.graph.boxes.get(place as usize));
        let Some((key, function, sign)) =
            of.and_then(|it| Some((it.key, it.of.function()?, it.sign)))
        else {
            return;
        };
        let Some(side) = side_of(key) else {
            return;
        };
        let is_more = is_more.unwrap_or(sign == Some(crate::parts::graph::model::Sign::More));
        match is_more {
            true => self.further.insert((side, function)),
            false => self.further.remove(&(side, function)),
        };
        self.base.chart.hold(key);
        self.base.revision += 1;
    }

    pub(super) fn change_steps(&mut self, by: i32) {
        self.steps = self.steps.saturating_add_signed(by).clamp(1, MOST_STEPS);
        self.base.revision += 1;
    }

    /// Chooses a box without moving the middle.
    pub(super) fn choose(&mut self, pointed: Pointed, walks: bool, asks: &mut Asks) {
        self.chosen_here = Some(pointed);
        asks.push(match walks {
            true => SelectAsk::Walk(pointed),
            false => SelectAsk::Choose(pointed),
        });
    }

    /// Goes on from the box that keys act on.
    pub(super) fn press(&mut self, key: GraphKey, document: &Document) {
        let Some(place) = self.base.focused(document) else {
            return;
        };
        match key {
            GraphKey::More => self.go_on(place, Some(true)),
            GraphKey::Less => self.go_on(place, Some(false)),
            _ => {
                if let Some(function) = self.base.function_at(place) {
                    self.set_middle(function);
                }
            }
        }
    }

    /// What is on the call stacks at the time pointed at, else at that of all views.
    pub(super) fn find_running(&mut self, state: &State) {
        let (Some(document), Some(laid)) = (&state.document, self.base.chart.laid()) else {
            self.running = Running::default();
            return;
        };
        let selection = &document.selection;
        let pointed = selection.pointed.time;
        let time = pointed.unwrap_or(selection.time);
        let thread = pointed.and(selection.pointed.thread);
        let of = (
            time,
            thread,
            Arc::as_ptr(laid) as usize,
            document.filters.steps().len(),
        );
        if self.running.of != Some(of) {
            let (marked, _) = on_stacks(document, &laid.graph, time, thread);
            self.running = Running {
                of: Some(of),
                marked,
            };
        }
    }

    /// What stands in place of the graph, or over it.
    pub(super) fn words(&self, state: &State) -> &'static str {
        let words = [
            "Open a recording to see who calls a function and whom it calls.",
            "Counting callers and callees …",
        ];
        self.base.words(state, words, |_, graph| match graph {
            None if self.middle.is_none() => {
                "No calls between functions remain here: widen the range, or include something again."
            }
            None => "Select a function to see its callers and callees.",
            Some(graph) if graph.lines.is_empty() => "Nobody calls it here, and it calls nobody.",
            Some(_) => "",
        })
    }
}
