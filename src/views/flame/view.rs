//! The view of the call stacks: what it is to the window.

use glam::Vec2;
use serde::{Deserialize, Serialize};

use super::FlameView;
use crate::parts::along_time::{self, AlongTime, Drawn};
use crate::parts::beside;
use crate::parts::kept;
use crate::parts::tip::Tip;
use crate::parts::{rows, style};
use crate::{Entry, Pane, Picture, SavedViews, Surface, View};
use callscape_base::units::{Time, TimeRange};
use callscape_filter::selection::{CallOf, Pointed};
use callscape_state::State;
use callscape_state::ask::{Asks, PaneAsk};
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
        side: Side::Below,
        kind: Kind::AlongTime,
        needs: Needs::Times,
        // The call stack view.
        offers: &[Function, Call, TimePoint, Range],
        answers: &[Function, Module, Call, CallRelation, TimePoint, Range],
        purposes: &[Purpose::GoingOn, Purpose::TimeGoes, Purpose::Phases],
        ..ViewLine::USUAL
    },
    keys: &[],
    open: || Box::new(Flame::default()),
};

/// What a session file keeps of the run.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// All of the recording is visible, however much it grows.
    stacks_all: bool,
    stacks_ns: Option<[u64; 2]>,
    /// The height of a row where it was chosen, and how far the view is scrolled.
    stacks_rows: Option<(Option<f32>, f32)>,
    collapsed_threads: Option<Vec<u32>>,
}

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

    along_time::of_model!();

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
        let own = ViewId::of(&ENTRY.line);
        let takes = |it: &mut FlameView| it.set_band(state.band()) | it.take_beside(own, state);
        if self.model.as_mut().is_some_and(takes) {
            self.drawn.revision += 1;
        }
    }
}

/// Offers the stacks of a profile in the place of calls along time.
fn offer_merged(ui: &mut egui::Ui, pane: &mut Pane<'_>) {
    rows::ground(ui);
    let panes = &pane.state.panes;
    let merged = panes
        .named("flame-graph")
        .filter(|&it| !panes.is_visible(it));
    let room = ui.available_height() * 0.5 - 30.0;
    ui.vertical_centered(|ui| {
        ui.add_space(room.max(0.0));
        ui.label(style::weak(along_time::NO_TIMES));
        ui.add_space(8.0);
        if let Some(view) = merged
            && ui.button("Open the flame graph").clicked()
        {
            pane.asks.push(PaneAsk::Toggle(view));
        }
    });
}

impl View for Flame {
    fn update(&mut self, state: &State, asks: &mut Asks) {
        let seen = [state.stamps().document, state.stamps().run];
        let before = std::mem::replace(&mut self.seen, seen);
        if before != seen {
            self.begin(state);
        }
        self.show_band(state);
        let shown = self.model.as_ref().map(FlameView::visible);
        beside::tell(ViewId::of(&ENTRY.line), shown, state, asks);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        let own = ViewId::of(&ENTRY.line);
        let profile = pane.state.document.as_ref().and_then(|it| it.profile());
        if self.model.is_none() && profile.is_some_and(|it| it.contexts().is_some()) {
            return offer_merged(ui, pane);
        }
        along_time::show(ui, own, self, pane);
    }

    along_time::view_of_model!();

    fn show_call(&mut self, call: CallOf, fits: bool, document: &Document) {
        let session = &document.session;
        self.change(|it| match fits {
            true => it.fit(session, call),
            false => it.reveal(session, call),
        });
    }

    fn is_waiting(&self) -> bool {
        self.model.as_ref().is_some_and(FlameView::is_waiting)
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        let model = self.model.as_ref();
        let visible = model.map(FlameView::visible);
        let kept = Kept {
            // All of what grows is more of it later.
            stacks_all: visible.is_some() && visible == self.whole,
            stacks_ns: visible.map(|it| [it.start.ns(), it.end.ns()]),
            stacks_rows: model.map(FlameView::rows),
            collapsed_threads: model.map(|it| it.collapsed().map(|thread| thread.0).collect()),
        };
        kept::put(&kept, &mut out.of_run);
    }

    fn restore(&mut self, from: &SavedViews, state: &State) -> usize {
        let (kept, lost) = kept::read::<Kept>(&from.of_run);
        if let Some(threads) = kept.collapsed_threads {
            self.change(|it| it.collapse(|thread| threads.contains(&thread.0)));
        }
        if let Some(rows) = kept.stacks_rows {
            self.change(|it| it.set_rows(rows));
        }
        let range = along_time::saved_range(kept.stacks_ns, state);
        if let Some(range) = range.filter(|_| !kept.stacks_all) {
            self.change(|it| it.set_visible(range));
        }
        lost
    }
}
