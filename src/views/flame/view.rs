//! The view of the call stacks: what it is to the window.

use glam::Vec2;
use serde_json::Value;

use super::FlameView;
use crate::along_time::{self, AlongTime, Drawn};
use crate::tip::Tip;
use crate::{Entry, Pane, Picture, SavedViews, Surface, View};
use callscape_base::units::{ThreadId, Time, TimeRange};
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Asks, ViewAsk};
use callscape_state::document::Document;
use callscape_state::panes::Artifact::{
    Call, CallRelation, Function, Module, TimePoint, TimeRange as Range,
};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "flame",
        title: "Call stacks",
        key: '3',
        about: "every call of every thread along time",
        help: "call stacks of every thread",
        in_scenes: "",
        side: Side::Below,
        kind: Kind::AlongTime,
        needs: Needs::Times,
        // The call stack view.
        offers: &[Function, Call, TimePoint, Range],
        answers: &[Function, Module, Call, CallRelation, TimePoint, Range],
        opens_for: &[],
        purposes: &[Purpose::TimeGoes, Purpose::Phases],
    },
    keys: &[],
    open: || Box::new(Flame::default()),
};

/// In the session file.
/// All of the recording is visible, however much it grows.
const ALL: &str = "stacks_all";
const VISIBLE: &str = "stacks_ns";
const COLLAPSED: &str = "collapsed_threads";
/// How high rows are, and how far they are scrolled.
const ROWS: &str = "stacks_rows";

#[derive(Default)]
struct Flame {
    /// None where there is nothing to lay along time.
    model: Option<FlameView>,
    drawn: Drawn,
    /// The stamps of the document and of the run that it shows.
    seen: [u64; 2],
    /// All of the recording, as it was then.
    whole: Option<TimeRange>,
}

impl AlongTime for Flame {
    fn pointed(&self, _document: &Document, at: Vec2) -> Pointed {
        self.model
            .as_ref()
            .map(|it| it.pointed(at))
            .unwrap_or_default()
    }

    fn tip(&self, document: &Document, at: Vec2) -> Option<Tip> {
        self.model.as_ref()?.tip(&document.session, at)
    }

    fn time_at(&self, _document: &Document, x: f32) -> Option<Time> {
        Some(self.model.as_ref()?.time_at(x))
    }

    fn range_at(&self, at: Vec2) -> Option<TimeRange> {
        self.model.as_ref()?.range_at(at)
    }

    fn zoom(&mut self, at: Vec2, factor: Vec2) {
        self.change(|model| model.zoom(at, factor));
    }

    fn pan(&mut self, by: Vec2) {
        self.change(|model| model.pan(by));
    }

    fn click(&mut self, at: Vec2) -> bool {
        let thread = self.model.as_ref().and_then(|it| it.heading_at(at));
        if let Some(thread) = thread {
            self.change(|model| model.toggle_thread(thread));
        }
        thread.is_some()
    }

    /// Shows all of the call.
    fn double_click(&mut self, pointed: Pointed, pane: &mut Pane<'_>) {
        if let (Some(call), Some(document)) = (pointed.call, &pane.state.document) {
            self.change(|model| model.fit(&document.session, call));
        }
    }
}

impl Flame {
    fn change(&mut self, change: impl FnOnce(&mut FlameView)) {
        if let Some(model) = &mut self.model {
            change(model);
            self.drawn.revision += 1;
        }
    }

    /// Shows what is open now.
    fn begin(&mut self, state: &State) {
        let document = state.document.as_ref().filter(|it| it.playback.is_some());
        self.whole = document.and_then(|it| Some(it.resolved()?.recording.trace.range()));
        self.model = document.map(|it| FlameView::new(&it.session, it.recording()));
        self.drawn.revision += 1;
    }

    /// Shows the band that stands over all views along time.
    fn show_band(&mut self, state: &State) {
        let model = self.model.as_mut();
        if model.is_some_and(|it| it.set_band(state.band())) {
            self.drawn.revision += 1;
        }
    }
}

impl View for Flame {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        let seen = [state.stamps().document, state.stamps().run];
        let before = std::mem::replace(&mut self.seen, seen);
        if before != seen {
            self.begin(state);
        }
        self.show_band(state);
    }

    fn picture(&mut self, state: &State, surface: Surface) -> Picture<'_> {
        let (Some(model), Some(document)) = (&mut self.model, &state.document) else {
            return Picture::Nothing;
        };
        let scope = along_time::scope(state, document, surface);
        let selection = &document.selection;
        match self
            .drawn
            .is_other(&scope, selection, surface, model.is_waiting())
        {
            true => Picture::Sheet(model.show(&scope)),
            false => Picture::Same,
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        let own = ViewId::of(&ENTRY.line);
        along_time::show(ui, own, self, pane);
    }

    fn on(&mut self, ask: ViewAsk, state: &State, _asks: &mut Asks) {
        let Some(document) = &state.document else {
            return;
        };
        match ask {
            ViewAsk::Reveal(call) => self.change(|it| it.reveal(&document.session, call)),
            ViewAsk::Fit(call) => self.change(|it| it.fit(&document.session, call)),
            ViewAsk::ShowAll | ViewAsk::ShowRange => {
                if let Some(whole) = along_time::whole(document) {
                    self.change(|it| it.set_visible(whole));
                }
            }
            ask => along_time::on(self, ViewId::of(&ENTRY.line), ask, state),
        }
    }

    fn is_waiting(&self) -> bool {
        self.model.as_ref().is_some_and(FlameView::is_waiting)
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        let model = self.model.as_ref();
        // All of what grows is more of it later.
        let visible = model.map(FlameView::visible);
        let is_all = visible.is_some() && visible == self.whole;
        out.of_run.insert(ALL.to_owned(), is_all.into());
        let visible = visible.map(|it| [it.start.ns(), it.end.ns()].to_vec());
        out.of_run.insert(VISIBLE.to_owned(), visible.into());
        let rows = serde_json::to_value(model.map(FlameView::rows));
        out.of_run.insert(ROWS.to_owned(), rows.unwrap_or_default());
        let threads = model.map(|it| it.collapsed().map(|thread| thread.0).collect::<Vec<_>>());
        out.of_run.insert(COLLAPSED.to_owned(), threads.into());
    }

    fn restore(&mut self, from: &SavedViews, state: &State) -> usize {
        if let Some(Value::Array(threads)) = from.of_run.get(COLLAPSED) {
            let numbers = threads.iter().filter_map(Value::as_u64);
            let threads: Vec<ThreadId> = numbers
                .filter_map(|it| u32::try_from(it).ok().map(ThreadId))
                .collect();
            self.change(|it| it.collapse(|thread| threads.contains(&thread)));
        }
        let rows = from.of_run.get(ROWS).cloned();
        if let Some(rows) = rows.and_then(|it| serde_json::from_value(it).ok()) {
            self.change(|it| it.set_rows(rows));
        }
        let is_all = from.of_run.get(ALL) == Some(&Value::Bool(true));
        let range = along_time::saved_range(from.of_run.get(VISIBLE), state);
        if let Some(range) = range.filter(|_| !is_all) {
            self.change(|it| it.set_visible(range));
        }
        0
    }
}
