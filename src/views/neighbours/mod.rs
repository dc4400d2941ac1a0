//! The call neighbourhood of a function: who calls it at its left, whom it calls at its right, in their modules (thesis,
//! section 6.3.3).

mod making;
mod saved;
#[cfg(test)]
mod tests;
mod ui;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use self::making::{Side as Of, Wanted, side_of};
use super::{Entry, Pane, Picture, SavedViews, Surface, View};
use crate::parts::graph::laid::Laid;
use crate::parts::graph::marks::{Marked, on_stacks};
use crate::parts::graph::relations::Given;
use crate::parts::graph::view::GraphView;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ModuleId, ThreadId, Time};
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Asks, GraphKey, SelectAsk};
use callscape_state::document::Document;
use callscape_state::panes::Artifact::{
    Call, CallRelation, Function, Module, Neighbours as OfNeighbours, TimePoint, TimeRange,
};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "neighbours",
        title: "Call neighbourhood",
        key: '&',
        about: "a function with its callers and callees in their modules",
        help: "call neighbourhood: callers and callees of a function",
        in_scenes: "",
        side: Side::Right,
        kind: Kind::Graph,
        needs: Needs::Recording,
        // The call neighbourhood view.
        offers: &[Function, Module, CallRelation],
        answers: &[Function, Module, Call, CallRelation, TimePoint, TimeRange],
        opens_for: &[OfNeighbours],
        purposes: &[Purpose::WhoCalls],
    },
    keys: &[],
    open: || Box::new(Neighbourhood::default()),
};

/// Farther out everything is connected with everything.
const MOST_STEPS: u32 = 6;

/// What the graph is made of, as stamps: with the same there is nothing to do.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    stamps: [u64; 4],
    revision: u64,
    is_counting: bool,
}

/// What was last found on the call stacks, and for what.
#[derive(Default)]
struct Running {
    of: Option<(Time, Option<ThreadId>, usize, usize)>,
    marked: Marked,
}

struct Neighbourhood {
    base: GraphView<Wanted, Arc<Laid>>,
    seen: Option<Seen>,
    middle: Option<FunctionId>,
    /// Nobody chose it.
    is_by_itself: bool,
    /// What was chosen when it was last looked at, and what was chosen here: that does not move the middle.
    chosen: u64,
    chosen_here: Option<Pointed>,
    steps: u32,
    further: BTreeSet<(Of, FunctionId)>,
    running: Running,
    /// Of what the functions are.
    run: u64,
    /// The path and name of the function in the middle from a session file.
    restored: Option<[String; 2]>,
}

impl Default for Neighbourhood {
    fn default() -> Neighbourhood {
        Neighbourhood {
            base: GraphView::default(),
            seen: None,
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
fn costliest(document: &Document, is_in: impl Fn(ModuleId) -> bool) -> Option<FunctionId> {
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
    fn follow(&mut self, document: &Document) {
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

    fn set_middle(&mut self, function: FunctionId) {
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
    fn go_on(&mut self, place: u32, is_more: Option<bool>) {
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

    fn change_steps(&mut self, by: i32) {
        self.steps = self.steps.saturating_add_signed(by).clamp(1, MOST_STEPS);
        self.base.revision += 1;
    }

    /// Chooses a box without moving the middle.
    fn choose(&mut self, pointed: Pointed, walks: bool, asks: &mut Asks) {
        self.chosen_here = Some(pointed);
        asks.push(match walks {
            true => SelectAsk::Walk(pointed),
            false => SelectAsk::Choose(pointed),
        });
    }

    /// Goes on from the box that keys act on.
    fn press(&mut self, key: GraphKey, document: &Document) {
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
    fn find_running(&mut self, state: &State) {
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
    fn words(&self, state: &State) -> &'static str {
        let Some(document) = &state.document else {
            return "";
        };
        if document.resolved().is_none() {
            return "Open a recording to see who calls a function and whom it calls.";
        }
        if state.work.counting_is_stopped && !document.filters.is_empty() {
            return "Excluded calls are not counted yet: this is the previous result.";
        }
        match self.base.chart.laid() {
            None if self.middle.is_none() && !self.is_waiting() => {
                "No calls between functions remain here: widen the range, or include something again."
            }
            None if self.is_waiting() => "Counting callers and callees …",
            None => "Select a function to see its callers and callees.",
            Some(_) if self.base.is_counting => "Counting the remaining calls …",
            Some(laid) if laid.graph.lines.is_empty() => {
                "Nobody calls it here, and it calls nobody."
            }
            Some(_) => "",
        }
    }
}

impl View for Neighbourhood {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        if let (Some(laid), Some(document)) = (self.base.take(), &state.document) {
            let hierarchy = &document.session.hierarchy;
            self.base.chart.take(laid, state.now(), hierarchy);
        }
        let stamps = state.stamps();
        let counting = state.work.is_under_way();
        let chosen = state.document.as_ref();
        let chosen = chosen.map_or(0, |it| it.selection.chosen_stamp());
        let seen = Seen {
            stamps: [stamps.document, stamps.run, stamps.left, chosen],
            revision: self.base.revision,
            is_counting: counting,
        };
        if self.seen == Some(seen) {
            return;
        }
        self.seen = Some(seen);
        let Some(document) = &state.document else {
            self.base.chart.clear();
            return;
        };
        self.base.is_counting = counting && document.is_limited();
        if self.base.is_counting {
            return;
        }
        if std::mem::replace(&mut self.run, stamps.run) != stamps.run {
            // Functions have other numbers.
            self.middle = None;
            self.further.clear();
            self.chosen = 0;
            self.base.chart.forget();
        }
        self.follow(document);
        let (Some(given), Some(middle)) = (Given::of(document), self.middle) else {
            self.base.clear();
            return;
        };
        let wanted = Wanted {
            given,
            middle,
            steps: self.steps,
            further: self.further.clone(),
            by: self.base.by,
            most: self.base.most,
            is_by_itself: self.is_by_itself,
            has_times: document.playback.is_some(),
        };
        self.base.want(wanted, ("neighbours", state), making::make);
    }

    fn picture(&mut self, state: &State, surface: Surface) -> Picture<'_> {
        let words = self.words(state);
        self.find_running(state);
        let document = state.document.as_ref();
        let running = self.running.marked.clone();
        self.base
            .chart
            .picture(state, document, surface, words, running)
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn show_all(&mut self, _document: &Document) {
        self.base.chart.show_all();
    }

    fn graph_key(&mut self, key: GraphKey, document: &Document, asks: &mut Asks) {
        match key {
            GraphKey::More | GraphKey::Less | GraphKey::Toggle => self.press(key, document),
            GraphKey::AllMore => self.change_steps(1),
            GraphKey::AllLess => self.change_steps(-1),
            GraphKey::Width => self.base.change_width(),
            GraphKey::Rest => self.base.show_more(),
            GraphKey::Nearer => self.base.chart.zoom_in_the_middle(1.25),
            GraphKey::Farther => self.base.chart.zoom_in_the_middle(0.8),
            GraphKey::Left | GraphKey::Right | GraphKey::Up | GraphKey::Down => {
                if let Some(pointed) = self.base.walk(key, document) {
                    self.choose(pointed, true, asks);
                }
            }
        }
    }

    fn says_called_often(&self) -> bool {
        true
    }

    fn is_waiting(&self) -> bool {
        self.base.is_waiting()
    }

    fn progress(&self) -> Option<&Progress> {
        self.base.progress()
    }

    fn cancel(&mut self) {
        self.base.cancel();
    }

    fn save(&self, state: &State, out: &mut SavedViews) {
        saved::save(self, state, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(laid) = self.base.chart.laid() else {
            return;
        };
        let middle = laid.graph.boxes.iter().find(|it| it.is_middle);
        let log = serde_json::json!({
            "middle": middle.map(|it| it.title.as_str()),
            "functions": laid.graph.boxes.len(),
            "relations": laid.graph.lines.len(),
            "steps": self.steps,
            "moves": self.base.chart.is_moving(),
        });
        line.insert("neighbours".to_owned(), log);
    }
}
