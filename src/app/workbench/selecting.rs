//! What is chosen, the range and the filters that limit every view, and the way back.

use super::super::ask::{CallWalk, FilterAsk, PlayAsk, SelectAsk};
use super::super::details::{FunctionNeighbours, Neighbours};
use super::super::history::{History, Place};
use super::super::sheets::SheetAction;
use super::Workbench;
use crate::filter::filters::{FilterStep, Filters};
use crate::filter::selection::{CallOf, Pointed, Selection};
use crate::model::calls::CallsOf;
use crate::model::navigate;
use crate::units::{CallId, Cost, FunctionId, ModuleId, ThreadId, TimeRange};
use crate::views::table::ViewId;

/// The next call of a module is looked for among so many functions: more take longer than a frame may.
const MOST_SEARCHED: usize = 1_000;

impl Workbench {
    /// Chooses another call, moves the clock to its start and shows it.
    pub(super) fn go_to_call(&mut self, walk: CallWalk) {
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
        };
        let to = match (walk, from) {
            (CallWalk::NextOfFunction, Some(of)) => navigate::next_of_function(trace, of),
            (CallWalk::PreviousOfFunction, Some(of)) => navigate::previous_of_function(trace, of),
            (CallWalk::NextOfFunction, None) => of_function(true),
            (CallWalk::PreviousOfFunction, None) => of_function(false),
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
            CallWalk::Fit => self.act_on_sheet(ViewId::Flame, SheetAction::Fit(to)),
            CallWalk::Limit => {
                self.set_range(Some(TimeRange::new(call.start, call.end)));
                self.show_range();
            }
            _ => {
                self.execute(PlayAsk::Seek(call.start));
                self.act_on_sheet(ViewId::Flame, SheetAction::Reveal(to));
            }
        }
    }

    /// Chooses what `pointed` names, and remembers what was chosen before.
    pub(super) fn choose(&mut self, pointed: Pointed) {
        self.walks = false;
        self.choose_next(pointed);
    }

    /// The same; on a walk through rows only where it began is remembered.
    pub(super) fn choose_next(&mut self, pointed: Pointed) {
        let Some(document) = &mut self.document else {
            return;
        };
        let chosen = document.complete(pointed);
        let before = Place::of(&document.selection);
        if chosen != before.chosen {
            // The same at another time is no other place to go back to.
            let time = chosen.time;
            if chosen
                != (Pointed {
                    time,
                    ..before.chosen
                })
                && !self.walks
            {
                self.history.leave(before);
            }
            document.selection.chosen = chosen;
            self.list_of = CallsOf::chosen(&chosen);
            // The calls behind an arc are what one clicks it for.
            if chosen.relation.is_some() && document.can_show(ViewId::Calls) {
                self.dock.open(ViewId::Calls);
            }
            self.show_chosen();
        }
    }

    /// Limits every view to a range, and remembers what was shown before.
    pub(super) fn set_range(&mut self, range: Option<TimeRange>) {
        let before = self
            .document
            .as_ref()
            .map(|open| Place::of(&open.selection));
        if self.limit(range) {
            before
                .into_iter()
                .for_each(|place| self.history.leave(place));
        }
    }

    /// Shows all of the range, and nothing else, in the views along time.
    pub(super) fn show_range(&mut self) {
        for view in [ViewId::Mural, ViewId::Flame] {
            self.act_on_sheet(view, SheetAction::ShowAll);
        }
    }

    /// Limits every view to a range; whether it is another than before.
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
        let is_other = range != document.selection.range;
        if is_other {
            let filters = document.filters.clone();
            document.limit(range, filters);
            self.left_is_new = true;
            self.outdate_count();
            self.update_rows();
            self.show_chosen();
        }
        is_other
    }

    /// Changes what is left out.
    pub(super) fn filter(&mut self, change: impl FnOnce(&mut Filters)) {
        let Some(document) = &mut self.document else {
            return;
        };
        let mut filters = document.filters.clone();
        change(&mut filters);
        if filters != document.filters {
            document.limit(document.selection.range, filters);
            self.left_is_new = true;
            self.outdate_count();
            self.show_chosen();
        }
    }

    /// Leaves out what `filters` do, in place of what is left out.
    pub(in crate::app) fn leave_out_instead(&mut self, filters: &Filters) {
        self.filter(|own| *own = filters.clone());
    }

    pub(super) fn on_filter(&mut self, ask: FilterAsk) {
        match ask {
            FilterAsk::Add(step) => self.filter(|filters| filters.add(step)),
            FilterAsk::RemoveModule | FilterAsk::RemoveBelow | FilterAsk::HideThread => {
                self.leave_out(ask);
            }
            FilterAsk::Remove(index) => self.filter(|filters| filters.remove(index)),
            FilterAsk::Undo => self.filter(Filters::undo),
            FilterAsk::Redo => self.filter(Filters::redo),
        }
    }

    pub(super) fn on_select(&mut self, ask: SelectAsk) {
        match ask {
            SelectAsk::Choose(pointed) => self.choose(pointed),
            SelectAsk::Select(module) => self.choose(Pointed::at_module(module)),
            SelectAsk::SetRange(range) => self.set_range(range),
            SelectAsk::DragRange(range) => {
                if self.before_drag.is_none() {
                    let open = self.document.as_ref();
                    self.before_drag = open.map(|open| Place::of(&open.selection));
                }
                self.limit(Some(range));
            }
            SelectAsk::EndRangeDrag => {
                if let Some(place) = self.before_drag.take() {
                    self.history.leave(place);
                    self.update_rows();
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
        } = &document.selection;
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
    pub(super) fn go(&mut self, to: fn(&mut History, Place) -> Option<Place>) {
        let Some(document) = &mut self.document else {
            return;
        };
        let now = Place::of(&document.selection);
        if let Some(place) = to(&mut self.history, now) {
            document.selection.chosen = place.chosen;
            self.list_of = CallsOf::chosen(&place.chosen);
            self.limit(place.range);
            self.show_chosen();
        }
    }

    /// Brings up to date what is shown of the chosen.
    pub fn show_chosen(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let chosen = document.selection.chosen;
        self.row_to_show = self.chosen_row();
        self.show_call();
        let Some(document) = &self.document else {
            return;
        };
        let functions = document.resolved().map(|it| &it.recording.functions);
        self.function_neighbours = match chosen.function.zip(functions) {
            Some((function, functions)) => {
                let order = self.function_neighbours.order;
                document
                    .calls
                    .of_function(function, order, |it| functions.get(it).name)
            }
            None => FunctionNeighbours {
                order: self.function_neighbours.order,
                ..FunctionNeighbours::default()
            },
        };
        self.neighbours = match chosen.module {
            Some(module) => document
                .calls
                .neighbours(&document.session.hierarchy, module),
            None => Neighbours::default(),
        };
    }

    /// Past selections and results speak of modules that are others now.
    pub(in crate::app) fn forget_places(&mut self) {
        self.history = History::default();
        self.before_drag = None;
        self.search.results.clear();
        self.show_chosen();
    }
}
