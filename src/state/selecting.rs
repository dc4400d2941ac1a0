//! What is chosen, the range and the filters that limit every view, and the way back.

use std::sync::Arc;

use super::ask::{CallWalk, FilterAsk, PlayAsk, SelectAsk, ViewAsk};
use super::details::Neighbours;
use super::history::{History, Place};
use super::state::State;
use crate::panes::{Artifact, ViewId};
use callscape_base::units::{CallId, Cost, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use callscape_facts::trace::Trace;
use callscape_filter::filters::{FilterStep, Filters};
use callscape_filter::selection::{CallOf, Pointed, Selection};
use callscape_model::navigate;

/// The next call of a module is looked for among at most this many functions: more take longer than a frame may.
pub(super) const MOST_SEARCHED: usize = 1_000;

/// Why the calls of more functions are not stepped through.
const TOO_MANY: &str =
    "More than 1,000 functions are marked: finding the next call of any would take too long";

/// The call of one of these functions that starts next after a time, or last before it; none where they are too many to look.
fn next_of(trace: &Trace, functions: &[FunctionId], time: Time, next: bool) -> Option<CallOf> {
    if functions.len() > MOST_SEARCHED {
        return None;
    }
    let calls = functions.iter().filter_map(|&function| match next {
        true => trace.next_call(function, time),
        false => trace.previous_call(function, time),
    });
    let start = |&(thread, call): &(ThreadId, CallId)| trace.call(thread, call).start;
    let found = match next {
        true => calls.min_by_key(start),
        false => calls.max_by_key(start),
    };
    found.map(|(thread, call)| CallOf { thread, call })
}

impl State {
    /// Whether the calls of what is marked can be stepped through; an error says why not.
    pub fn marked_steps(&self) -> Result<(), &'static str> {
        let document = self.document.as_ref();
        let document = document.filter(|it| it.playback.is_some());
        let document = document.ok_or("The recording has no times of calls")?;
        let marked = document.selection.marked.as_ref();
        match marked.map_or(0, |it| it.functions.len()) {
            0 => Err("No marked function ran"),
            1..=MOST_SEARCHED => Ok(()),
            _ => Err(TOO_MANY),
        }
    }

    /// Chooses another call, moves the clock to its start and shows it; says why where what is marked cannot be stepped through.
    fn go_to_call(&mut self, walk: CallWalk) {
        if matches!(walk, CallWalk::NextMarked | CallWalk::PreviousMarked)
            && let Err(reason) = self.marked_steps()
        {
            self.tell_briefly(reason.to_owned());
            return;
        }
        let Some((document, resolved)) = self
            .document
            .as_ref()
            .and_then(|open| Some((open, open.resolved()?)))
        else {
            return;
        };
        let trace = &resolved.recording.trace;
        let (chosen, time) = (document.selection.chosen, document.selection.time);
        let from = chosen.call.filter(|&of| navigate::exists(trace, of));
        let of_function = |next: bool| {
            let functions: Vec<FunctionId> = match (chosen.function, chosen.module) {
                (Some(function), _) => vec![function],
                (None, Some(module)) => document.functions_in(module).collect(),
                (None, None) => Vec::new(),
            };
            next_of(trace, &functions, time, next)
        };
        let to = match (walk, from) {
            (CallWalk::NextOfFunction, Some(of)) => navigate::next_of_function(trace, of),
            (CallWalk::PreviousOfFunction, Some(of)) => navigate::previous_of_function(trace, of),
            (CallWalk::NextOfFunction, None) => of_function(true),
            (CallWalk::PreviousOfFunction, None) => of_function(false),
            (CallWalk::NextMarked | CallWalk::PreviousMarked, _) => {
                let marked = document.selection.marked.as_ref();
                let functions = marked.map_or(&[][..], |it| &it.functions);
                // From the call that is chosen, where that is one of them.
                let at = from.map(|of| trace.call(of.thread, of.call));
                let at = at.filter(|call| functions.binary_search(&call.function).is_ok());
                let at = at.map_or(time, |call| call.start);
                next_of(trace, functions, at, walk == CallWalk::NextMarked)
            }
            (CallWalk::Caller, Some(of)) => navigate::caller(trace, of),
            (CallWalk::FirstChild, Some(of)) => navigate::first_child(trace, of),
            (CallWalk::LongestChild, Some(of)) => navigate::longest_child(trace, of),
            (CallWalk::Fit | CallWalk::Limit, of) => {
                let pointed = document.selection.pointed.call;
                of.or(pointed.filter(|&of| navigate::exists(trace, of)))
            }
            (_, None) => None,
        };
        let Some(to) = to else {
            return;
        };
        let call = trace.call(to.thread, to.call);
        let pointed = Pointed {
            function: Some(call.function),
            call: Some(to),
            thread: Some(to.thread),
            time: Some(call.start),
            ..Pointed::default()
        };
        self.choose(pointed);
        match walk {
            CallWalk::Fit => self.ask_views(None, ViewAsk::Fit(to)),
            CallWalk::Limit => {
                self.set_range(Some(TimeRange::new(call.start, call.end)));
                self.show_range();
            }
            _ => {
                self.execute(PlayAsk::Seek(call.start));
                self.ask_views(None, ViewAsk::Reveal(to));
            }
        }
    }

    /// Chooses what `pointed` names, and remembers what was chosen before.
    pub fn choose(&mut self, pointed: Pointed) {
        self.choose_next(pointed, false);
    }

    /// Chooses something in the one calling context that rows of the comparison lead to, outermost first.
    pub(super) fn choose_in_context(&mut self, pointed: Pointed, way: Arc<[u32]>) {
        self.choose(pointed);
        if let Some(document) = &mut self.document {
            document.selection.go_way(way);
        }
    }

    /// The same; where that `walks` through rows only where it began is remembered.
    fn choose_next(&mut self, pointed: Pointed, walks: bool) {
        let Some(document) = &mut self.document else {
            return;
        };
        let chosen = document.complete(pointed);
        if !document.selection.choose(chosen, walks) {
            return;
        }
        if chosen.relation.is_some() {
            let has = |view: &ViewId| document.has(view.line().needs);
            let opens = self.panes.opens_for(Artifact::CallRelation);
            let opens: Vec<ViewId> = opens.filter(has).collect();
            opens.into_iter().for_each(|view| self.panes.open(view));
        }
        self.show_chosen();
    }

    /// Limits every view to a range, and remembers what was shown before.
    pub fn set_range(&mut self, range: Option<TimeRange>) {
        let before = self.document.as_ref();
        let before = before.map(|open| Place::of(&open.selection));
        if self.limit(range)
            && let (Some(place), Some(open)) = (before, &mut self.document)
        {
            open.selection.places.leave(place);
        }
    }

    /// Shows all of the range, and nothing else, in the views along time.
    pub fn show_range(&mut self) {
        self.ask_views(None, ViewAsk::ShowRange);
    }

    /// Limits every view to a range; whether that changes anything.
    pub(super) fn limit(&mut self, range: Option<TimeRange>) -> bool {
        let Some(document) = &mut self.document else {
            return false;
        };
        let whole = document.resolved().map(|it| it.recording.trace.range());
        // A range without length shows nothing, and one past the ends no more than the whole.
        let range = range.zip(whole).and_then(|(range, whole)| {
            let range = TimeRange::new(
                range.start.clamp(whole.start, whole.end),
                range.end.clamp(whole.start, whole.end),
            );
            (range.length() > Cost::ZERO && range != whole).then_some(range)
        });
        let has_changed = range != document.selection.range;
        if has_changed {
            let filters = document.filters.clone();
            document.limit(range, filters);
            self.work.outdate_count();
            self.show_chosen();
        }
        has_changed
    }

    /// Changes what is left out.
    pub fn filter(&mut self, change: impl FnOnce(&mut Filters)) {
        let Some(document) = &mut self.document else {
            return;
        };
        let mut filters = document.filters.clone();
        change(&mut filters);
        if filters != document.filters {
            document.limit(document.selection.range, filters);
            self.work.outdate_count();
            self.show_chosen();
        }
    }

    /// Leaves out what `filters` do, in place of what is left out.
    pub fn leave_out_instead(&mut self, filters: &Filters) {
        self.filter(|own| *own = filters.clone().knowing(own));
    }

    pub(super) fn on_filter(&mut self, ask: FilterAsk) {
        match ask {
            FilterAsk::Add(step) => self.filter(|filters| filters.add(step)),
            FilterAsk::RemoveModule | FilterAsk::RemoveBelow | FilterAsk::HideThread => {
                self.leave_out(ask);
            }
            FilterAsk::LimitFrequency(limit) => self.limit_frequency(limit),
            FilterAsk::Remove(index) => self.filter(|filters| filters.remove(index)),
        }
    }

    pub(super) fn on_select(&mut self, ask: SelectAsk) {
        match ask {
            SelectAsk::Choose(pointed) => self.choose(pointed),
            SelectAsk::Select(module) => self.choose(Pointed::at_module(module)),
            SelectAsk::Walk(pointed) => self.choose_next(pointed, true),
            SelectAsk::SetRange(range) => self.set_range(range),
            SelectAsk::DragRange(range) => {
                if let Some(open) = &mut self.document {
                    open.selection.begin_drag();
                }
                self.limit(Some(range));
            }
            SelectAsk::EndRangeDrag => {
                if let Some(open) = &mut self.document {
                    open.selection.end_drag();
                }
            }
            SelectAsk::StartRangeHere => self.move_range(true),
            SelectAsk::EndRangeHere => self.move_range(false),
            SelectAsk::Back => self.go(History::back),
            SelectAsk::Forward => self.go(History::forward),
            SelectAsk::GoToCall(walk) => self.go_to_call(walk),
        }
    }

    /// Leaves out what is chosen or pointed at. Not the root: nothing would be left.
    fn leave_out(&mut self, ask: FilterAsk) {
        let Some(document) = self.document.as_ref().filter(|it| it.resolved().is_some()) else {
            return;
        };
        let Selection {
            chosen, pointed, ..
        } = &*document.selection;
        let module = chosen.module.or(pointed.module);
        let module = module.filter(|&module| module != ModuleId::ROOT);
        let thread = pointed.thread.or(chosen.thread);
        let step = match ask {
            FilterAsk::RemoveModule => module.map(FilterStep::RemoveModule),
            FilterAsk::RemoveBelow => module.map(FilterStep::RemoveBelow),
            _ => thread.map(FilterStep::HideThread),
        };
        if let Some(step) = step {
            self.filter(|filters| filters.add(step));
        }
    }

    /// Moves an end of the range to the time shown; the other end stays, or is the recording's.
    fn move_range(&mut self, is_start: bool) {
        let Some((document, whole)) = self.document.as_ref().and_then(|document| {
            let whole = document.resolved()?.recording.trace.range();
            Some((document, whole))
        }) else {
            return;
        };
        let time = document.selection.time;
        let range = document.selection.range.unwrap_or(whole);
        let range = match is_start {
            true if time < range.end => TimeRange::new(time, range.end),
            true => TimeRange::new(time, whole.end),
            false if time > range.start => TimeRange::new(range.start, time),
            false => TimeRange::new(whole.start, time),
        };
        self.set_range(Some(range));
    }

    /// Goes to another place in the history.
    fn go(&mut self, to: fn(&mut History, Place) -> Option<Place>) {
        let Some(document) = &mut self.document else {
            return;
        };
        if let Some(place) = document.selection.go(to) {
            self.limit(place.range);
            self.show_chosen();
        }
    }

    /// Brings up to date what is shown of the chosen.
    pub fn show_chosen(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        let chosen = document.selection.chosen;
        document.neighbours = match chosen.module {
            Some(module) => {
                let session = &document.session;
                let found = document.calls.neighbours(&session.hierarchy, module);
                match &document.runs {
                    Some(runs) => found.of_both(session, module, runs),
                    None => found,
                }
            }
            None => Neighbours::default(),
        };
        self.outdate_lit();
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::Ask;
    use super::super::testing::{
        CALLS, RUNS, frame_at, function, micros, module, open, range, settle, tiny, trace,
    };
    use super::*;

    fn chosen(state: &State) -> Pointed {
        open(state).selection.chosen
    }

    /// Moves the clock, and shows a frame there.
    fn seek(state: &mut State, time: u64) {
        state.execute(PlayAsk::Seek(micros(time)));
        frame_at(state, 0);
    }

    /// The call with this number of the first thread.
    fn call(number: u32) -> CallOf {
        CallOf {
            thread: ThreadId(0),
            call: CallId(number),
        }
    }

    #[test]
    fn a_choice_says_all_that_it_means() {
        let mut state = tiny();
        let step = module(&state, "step");
        state.choose(Pointed {
            call: Some(call(1)),
            ..Pointed::default()
        });
        assert_eq!(chosen(&state).function, Some(function(&state, "step")));
        assert_eq!(chosen(&state).module, Some(step));
        state.choose(Pointed::at_module(Some(step)));
        assert_eq!(
            chosen(&state).function,
            Some(function(&state, "step")),
            "it is one alone"
        );
        let callers: Vec<ModuleId> = open(&state)
            .neighbours
            .callers
            .iter()
            .map(|it| it.module)
            .collect();
        assert_eq!(callers, [module(&state, "run"), module(&state, "work")]);
        state.choose(Pointed::default());
        assert_eq!(open(&state).neighbours, Neighbours::default());
    }

    #[test]
    fn back_and_forward_lead_through_choices_and_ranges() {
        let mut state = tiny();
        let [step, wait] = ["step", "wait"].map(|name| module(&state, name));
        state.execute(SelectAsk::Select(Some(step)));
        state.execute(SelectAsk::SetRange(Some(range(10, 50))));
        state.execute(SelectAsk::Select(Some(wait)));
        let now = |state: &State| (chosen(state).module, open(state).selection.range);
        let limited = Some(range(10, 50));
        assert_eq!(now(&state), (Some(wait), limited));
        for expected in [
            (Some(step), limited),
            (Some(step), None),
            (None, None),
            (None, None),
        ] {
            state.execute(SelectAsk::Back);
            assert_eq!(now(&state), expected);
        }
        for expected in [
            (Some(step), None),
            (Some(step), limited),
            (Some(wait), limited),
        ] {
            state.execute(SelectAsk::Forward);
            assert_eq!(now(&state), expected);
        }
    }

    #[test]
    fn a_walk_is_one_step_on_the_way_back() {
        let mut state = tiny();
        let [step, wait, run] = ["step", "wait", "run"].map(|name| module(&state, name));
        state.execute(SelectAsk::Select(Some(run)));
        for module in [step, wait, step, wait] {
            state.execute(SelectAsk::Walk(Pointed::at_module(Some(module))));
        }
        state.execute(SelectAsk::Back);
        assert_eq!(chosen(&state).module, Some(run));
    }

    #[test]
    fn a_range_that_is_drawn_is_one_step_on_the_way_back() {
        let mut state = tiny();
        for end in [20, 30, 40] {
            state.execute(SelectAsk::DragRange(range(10, end)));
            assert!(state.draws_range());
            assert_eq!(open(&state).selection.range, Some(range(10, end)));
        }
        state.execute(SelectAsk::EndRangeDrag);
        assert!(!state.draws_range());
        state.execute(SelectAsk::Back);
        assert_eq!(open(&state).selection.range, None);
        assert!(!open(&state).selection.places.can_go_back());
    }

    #[test]
    fn a_range_lies_within_the_recording_and_shows_something() {
        let mut state = tiny();
        let set = |state: &mut State, start, end| {
            state.execute(SelectAsk::SetRange(Some(range(start, end))));
            open(state).selection.range
        };
        assert_eq!(set(&mut state, 50, 900), Some(range(50, 100)));
        assert_eq!(set(&mut state, 50, 50), None, "nothing is in it");
        assert_eq!(set(&mut state, 0, 900), None, "it is all");
        seek(&mut state, 30);
        state.execute(SelectAsk::StartRangeHere);
        assert_eq!(open(&state).selection.range, Some(range(30, 100)));
        seek(&mut state, 60);
        state.execute(SelectAsk::EndRangeHere);
        assert_eq!(open(&state).selection.range, Some(range(30, 60)));
        // Moved past the other end, that end gives way.
        seek(&mut state, 60);
        state.execute(SelectAsk::StartRangeHere);
        assert_eq!(open(&state).selection.range, Some(range(60, 100)));
    }

    #[test]
    fn calls_are_walked_through() {
        let mut state = tiny();
        let go = |state: &mut State, walk| {
            state.errands.view_asks.clear();
            state.execute(SelectAsk::GoToCall(walk));
            chosen(state).call
        };
        state.execute(PlayAsk::ToStart);
        state.choose(Pointed {
            call: Some(call(0)),
            ..Pointed::default()
        });
        assert_eq!(go(&mut state, CallWalk::FirstChild), Some(call(1)));
        assert_eq!(state.errands.view_asks, [(None, ViewAsk::Reveal(call(1)))]);
        assert_eq!(
            open(&state).playback.as_ref().expect("it").time(),
            micros(10)
        );
        assert_eq!(go(&mut state, CallWalk::Caller), Some(call(0)));
        assert_eq!(go(&mut state, CallWalk::LongestChild), Some(call(3)));
        assert_eq!(go(&mut state, CallWalk::Fit), Some(call(3)));
        assert_eq!(state.errands.view_asks, [(None, ViewAsk::Fit(call(3)))]);
        assert_eq!(go(&mut state, CallWalk::Limit), Some(call(3)));
        assert_eq!(open(&state).selection.range, Some(range(60, 90)));
        state.set_range(None);
        // Without a call the next one of what is chosen, from the time shown.
        state.choose(Pointed::at_module(Some(module(&state, "step"))));
        seek(&mut state, 25);
        assert_eq!(go(&mut state, CallWalk::NextOfFunction), Some(call(2)));
        assert_eq!(trace(&state).call(ThreadId(0), CallId(2)).start, micros(30));
    }

    #[test]
    fn what_is_chosen_or_pointed_at_is_left_out() {
        let mut state = tiny();
        let step = module(&state, "step");
        let steps = |state: &State| open(state).filters.steps().to_vec();
        state.execute(FilterAsk::RemoveModule);
        assert_eq!(steps(&state), [], "nothing is meant");
        state.execute(SelectAsk::Select(Some(ModuleId::ROOT)));
        state.execute(FilterAsk::RemoveModule);
        assert_eq!(steps(&state), [], "nothing would be left");
        state.execute(SelectAsk::Select(Some(step)));
        state.execute(FilterAsk::RemoveBelow);
        assert_eq!(steps(&state), [FilterStep::RemoveBelow(step)]);
        state.choose(Pointed {
            call: Some(call(1)),
            thread: Some(ThreadId(0)),
            ..Pointed::default()
        });
        state.execute(FilterAsk::HideThread);
        let hides = FilterStep::HideThread(ThreadId(0));
        assert_eq!(steps(&state), [FilterStep::RemoveBelow(step), hides]);
        state.execute(FilterAsk::Remove(0));
        assert_eq!(steps(&state), [hides]);
        settle(&mut state);
    }

    #[test]
    fn a_call_relation_opens_what_lists_its_calls() {
        let mut state = tiny();
        let [run, step] = ["run", "step"].map(|name| module(&state, name));
        state.choose(Pointed {
            relation: Some((run, step)),
            ..Pointed::default()
        });
        assert!(state.panes.is_visible(CALLS));
        assert!(!state.panes.is_visible(RUNS), "it needs two runs");
        assert_eq!(chosen(&state).module, Some(step), "what is called");
    }

    #[test]
    fn asks_without_anything_open_do_nothing() {
        let mut state = super::super::testing::nothing_open();
        let asks: [Ask; 6] = [
            SelectAsk::Select(Some(ModuleId(3))).into(),
            SelectAsk::SetRange(Some(range(1, 2))).into(),
            SelectAsk::Back.into(),
            SelectAsk::GoToCall(CallWalk::Caller).into(),
            FilterAsk::Remove(0).into(),
            SelectAsk::EndRangeDrag.into(),
        ];
        for ask in asks {
            state.execute(ask);
        }
        assert!(state.document.is_none());
    }
}
