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
use super::graph::chart::Chart;
use super::graph::laid::Laid;
use super::graph::marks::{Marked, marked, on_stacks};
use super::graph::model::{By, Of as Box_};
use super::graph::relations::Given;
use super::graph::walk;
use super::{Entry, Pane, Picture, SavedViews, Surface, View};
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ModuleId, ThreadId, Time};
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Asks, GraphKey, SelectAsk, ViewAsk};
use callscape_state::document::Document;
use callscape_state::job::Job;
use callscape_state::panes::Artifact::{
    Call, CallRelation, Function, Module, Neighbours as OfNeighbours, TimePoint, TimeRange,
};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub static ENTRY: Entry = Entry {
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

/// Functions that are shown unless the user asks for more, and how many more each time.
const MOST: u32 = 50;
const STEP: u32 = 25;
const MOST_OF_ALL: u32 = 500;

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
    chart: Chart,
    job: Option<Job<Arc<Laid>>>,
    wanted: Option<Wanted>,
    seen: Option<Seen>,
    revision: u64,
    middle: Option<FunctionId>,
    /// Nobody chose it.
    is_by_itself: bool,
    /// What was chosen when it was last looked at, and what was chosen here: that does not move the middle.
    chosen: u64,
    chosen_here: Option<Pointed>,
    steps: u32,
    further: BTreeSet<(Of, FunctionId)>,
    by: By,
    most: u32,
    focus: Option<u64>,
    running: Running,
    is_counting: bool,
    /// Of what the functions are.
    run: u64,
    /// The path and name of the function in the middle from a session file.
    restored: Option<[String; 2]>,
}

impl Default for Neighbourhood {
    fn default() -> Neighbourhood {
        Neighbourhood {
            chart: Chart::default(),
            job: None,
            wanted: None,
            seen: None,
            revision: 0,
            middle: None,
            is_by_itself: false,
            chosen: 0,
            chosen_here: None,
            steps: 1,
            further: BTreeSet::new(),
            by: By::Cost,
            most: MOST,
            focus: None,
            running: Running::default(),
            is_counting: false,
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
        self.focus = None;
        self.chart.show_all();
        self.revision += 1;
    }

    fn function_at(&self, place: u32) -> Option<FunctionId> {
        self.chart
            .laid()?
            .graph
            .boxes
            .get(place as usize)?
            .of
            .function()
    }

    /// Shows who calls a function of the callers, too, or whom one of the callees calls; or no longer.
    fn go_on(&mut self, place: u32, is_more: Option<bool>) {
        let laid = self.chart.laid();
        let of = laid.and_then(|it| it.graph.boxes.get(place as usize));
        let Some((key, function, sign)) =
            of.and_then(|it| Some((it.key, it.of.function()?, it.sign)))
        else {
            return;
        };
        let Some(side) = side_of(key) else {
            return;
        };
        let is_more = is_more.unwrap_or(sign == Some(super::graph::model::Sign::More));
        match is_more {
            true => self.further.insert((side, function)),
            false => self.further.remove(&(side, function)),
        };
        self.chart.hold(key);
        self.revision += 1;
    }

    fn change_steps(&mut self, by: i32) {
        self.steps = self.steps.saturating_add_signed(by).clamp(1, MOST_STEPS);
        self.revision += 1;
    }

    fn show_more(&mut self) {
        self.most = (self.most + STEP).min(MOST_OF_ALL);
        self.revision += 1;
    }

    fn pointed_at_box(&self, document: &Document, place: u32) -> Pointed {
        let laid = self.chart.laid();
        let of = laid
            .and_then(|it| it.graph.boxes.get(place as usize))
            .map(|it| it.of);
        let pointed = Pointed {
            function: of.and_then(Box_::function),
            ..Pointed::at_module(of.and_then(Box_::module))
        };
        document.complete(pointed)
    }

    /// What is meant by a line: the call relation in all other views.
    fn pointed_at_line(&self, document: &Document, place: u32) -> Pointed {
        let Some(laid) = self.chart.laid() else {
            return Pointed::default();
        };
        let Some(line) = laid.graph.lines.get(place as usize) else {
            return Pointed::default();
        };
        let of = |place: u32| laid.graph.boxes.get(place as usize).map(|it| it.of);
        let [from, to] = [line.from, line.to].map(of);
        let module = |of: Option<Box_>| of.and_then(Box_::module);
        document.complete(Pointed {
            relation: module(from).zip(module(to)),
            function: to.and_then(Box_::function),
            module: module(to),
            ..Pointed::default()
        })
    }

    fn focused(&self, document: &Document) -> Option<u32> {
        let laid = self.chart.laid()?;
        let marked = marked(document, &laid.graph, &document.selection.chosen);
        let own = self
            .focus
            .and_then(|key| laid.graph.boxes.iter().position(|it| it.key == key));
        let own = own
            .map(|it| it as u32)
            .filter(|it| marked.boxes.contains(it));
        own.or(marked.boxes.first().copied())
    }

    /// Chooses a box without moving the middle.
    fn choose(&mut self, pointed: Pointed, walks: bool, asks: &mut Asks) {
        self.chosen_here = Some(pointed);
        asks.push(match walks {
            true => SelectAsk::Walk(pointed),
            false => SelectAsk::Choose(pointed),
        });
    }

    fn walk(&mut self, key: GraphKey, document: &Document, asks: &mut Asks) {
        let from = self.focused(document);
        let Some(laid) = self.chart.laid().cloned() else {
            return;
        };
        let Some(to) = walk::next(&laid, from, key) else {
            return;
        };
        self.focus = laid.graph.boxes.get(to as usize).map(|it| it.key);
        self.chart.reveal(to);
        let pointed = self.pointed_at_box(document, to);
        if pointed != Pointed::default() {
            self.choose(pointed, true, asks);
        }
    }

    /// Goes on from the box that keys act on.
    fn press(&mut self, key: GraphKey, document: &Document) {
        let Some(place) = self.focused(document) else {
            return;
        };
        match key {
            GraphKey::More => self.go_on(place, Some(true)),
            GraphKey::Less => self.go_on(place, Some(false)),
            _ => {
                if let Some(function) = self.function_at(place) {
                    self.set_middle(function);
                }
            }
        }
    }

    /// What is on the call stacks at the time pointed at, else at that of all views.
    fn find_running(&mut self, state: &State) {
        let (Some(document), Some(laid)) = (&state.document, self.chart.laid()) else {
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
            return "What is left out is not counted: this is as it was before.";
        }
        match self.chart.laid() {
            None if self.middle.is_none() && !self.is_waiting() => {
                "No call of one function by another is left here: widen the range, or bring something back."
            }
            None if self.is_waiting() => "Counting callers and callees …",
            None => "Choose a function to see who calls it and whom it calls.",
            Some(_) if self.is_counting => "Counting what is left …",
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
        if let Some(done) = self.job.as_ref().and_then(Job::poll) {
            self.job = None;
            if let (Ok(laid), Some(document)) = (done, &state.document) {
                self.chart
                    .take(laid, state.now(), &document.session.hierarchy);
            }
        }
        let stamps = state.stamps();
        let counting = state.work.is_under_way();
        let chosen = state.document.as_ref();
        let chosen = chosen.map_or(0, |it| it.selection.chosen_stamp());
        let seen = Seen {
            stamps: [stamps.document, stamps.run, stamps.left, chosen],
            revision: self.revision,
            is_counting: counting,
        };
        if self.seen == Some(seen) {
            return;
        }
        self.seen = Some(seen);
        let Some(document) = &state.document else {
            self.chart.clear();
            return;
        };
        self.is_counting = counting && document.is_limited();
        if self.is_counting {
            return;
        }
        if std::mem::replace(&mut self.run, stamps.run) != stamps.run {
            // Functions have other numbers.
            self.middle = None;
            self.further.clear();
            self.chosen = 0;
            self.chart.forget();
        }
        self.follow(document);
        let (Some(given), Some(middle)) = (Given::of(document), self.middle) else {
            self.chart.clear();
            self.wanted = None;
            return;
        };
        let wanted = Wanted {
            given,
            middle,
            steps: self.steps,
            further: self.further.clone(),
            by: self.by,
            most: self.most,
            is_by_itself: self.is_by_itself,
            has_times: document.playback.is_some(),
        };
        if self.wanted.as_ref() == Some(&wanted) {
            return;
        }
        self.wanted = Some(wanted.clone());
        let known = self.chart.known();
        self.job = Some(Job::named("neighbours", state.waker(), move |progress| {
            making::make(&wanted, known, progress)
        }));
    }

    fn picture(&mut self, state: &State, surface: Surface) -> Picture<'_> {
        let words = self.words(state);
        self.find_running(state);
        let document = state.document.as_ref();
        let running = self.running.marked.clone();
        self.chart.picture(state, document, surface, words, running)
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn on(&mut self, ask: ViewAsk, state: &State, asks: &mut Asks) {
        let Some(document) = &state.document else {
            return;
        };
        match ask {
            ViewAsk::ShowAll => self.chart.show_all(),
            ViewAsk::Graph(key) => match key {
                GraphKey::More | GraphKey::Less | GraphKey::Toggle => self.press(key, document),
                GraphKey::AllMore => self.change_steps(1),
                GraphKey::AllLess => self.change_steps(-1),
                GraphKey::Width => {
                    self.by = match self.by {
                        By::Cost => By::Calls,
                        By::Calls => By::Cost,
                    };
                    self.revision += 1;
                }
                GraphKey::Rest => self.show_more(),
                GraphKey::Nearer => self.chart.zoom_in_the_middle(1.25),
                GraphKey::Farther => self.chart.zoom_in_the_middle(0.8),
                GraphKey::Left | GraphKey::Right | GraphKey::Up | GraphKey::Down => {
                    self.walk(key, document, asks);
                }
            },
            _ => {}
        }
    }

    fn says_called_often(&self) -> bool {
        true
    }

    fn is_waiting(&self) -> bool {
        self.job.is_some() || self.is_counting
    }

    fn progress(&self) -> Option<&Progress> {
        self.job.as_ref().and_then(Job::slow)
    }

    fn cancel(&mut self) {
        self.job = None;
    }

    fn save(&self, state: &State, out: &mut SavedViews) {
        saved::save(self, state, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(laid) = self.chart.laid() else {
            return;
        };
        let middle = laid.graph.boxes.iter().find(|it| it.is_middle);
        let log = serde_json::json!({
            "middle": middle.map(|it| it.title.as_str()),
            "functions": laid.graph.boxes.len(),
            "relations": laid.graph.lines.len(),
            "steps": self.steps,
            "moves": self.chart.is_moving(),
        });
        line.insert("neighbours".to_owned(), log);
    }
}
