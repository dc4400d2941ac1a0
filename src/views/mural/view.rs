//! The view of the temporal overview: what it is to the window.

use glam::Vec2;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::choice::{RowsChoice, RowsOf};
use super::kept::MuralView;
use super::keys::{Does, KEYS};
use super::menu;
use crate::parts::along_time::{self, AlongTime, Drawn};
use crate::parts::beside;
use crate::parts::kept;
use crate::parts::tip::Tip;
use crate::{Entry, Pane, Picture, SavedViews, Surface, View};
use callscape_base::units::{Time, TimeRange};
use callscape_filter::selection::Pointed;
use callscape_model::rows::OverviewRows;
use callscape_state::State;
use callscape_state::ask::Asks;
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{
    Call, CallRelation, Function, Module, TimePoint, TimeRange as Range,
};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "mural",
        title: "Overview",
        key: '2',
        about: "which functions are active when, over the whole recording",
        help: "overview: what is active when",
        side: Side::Below,
        kind: Kind::AlongTime,
        needs: Needs::Times,
        // The temporal overview. What a row is can be chosen too.
        offers: &[Function, Module, TimePoint, Range],
        answers: &[Function, Module, Call, CallRelation, TimePoint, Range],
        purposes: &[Purpose::WhatRuns],
        ..ViewLine::USUAL
    },
    keys: KEYS,
    open: || Box::new(Mural::default()),
};

/// What a session file keeps of the run.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct OfRun {
    /// All of the recording is visible, however much it grows.
    overview_all: bool,
    overview_ns: Option<[u64; 2]>,
}

/// What it keeps for every run.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    rows: RowsChoice,
}

#[derive(Default)]
struct Mural {
    /// None where there is nothing to lay along time.
    model: Option<MuralView>,
    drawn: Drawn,
    /// What its rows are.
    choice: RowsChoice,
    /// What they were made for.
    rows_for: (OverviewRows, Option<TimeRange>),
    /// The stamps of the document and of the run that it shows.
    seen: [u64; 2],
    /// All of the recording, as it was then.
    whole: Option<TimeRange>,
}

impl AlongTime for Mural {
    fn pointed(&self, document: &Document, at: Vec2) -> Pointed {
        let model = self.model.as_ref();
        let pointed = model.map(|it| it.pointed(at)).unwrap_or_default();
        let of_function = || document.module_of(pointed.function?);
        Pointed {
            module: pointed.module.or_else(of_function),
            ..pointed
        }
    }

    along_time::of_model!();
}

impl Mural {
    fn change(&mut self, change: impl FnOnce(&mut MuralView)) {
        if let Some(model) = &mut self.model {
            change(model);
            self.drawn.revision += 1;
        }
    }

    /// Makes the rows anew where the choice, the cut or the range have changed. O(functions × log calls) then.
    fn update_rows(&mut self, document: &Document) {
        let range = document.selection.range.filter(|_| self.choice.in_range);
        let rows = self.choice.rows(document);
        if self.rows_for != (rows.clone(), range) {
            self.rows_for = (rows.clone(), range);
            self.change(|it| it.set_rows(&document.session, rows, range));
        }
    }
}

impl View for Mural {
    fn update(&mut self, state: &State, asks: &mut Asks) {
        let seen = [state.stamps().document, state.stamps().run];
        let before = std::mem::replace(&mut self.seen, seen);
        let document = state.document.as_ref().filter(|it| it.playback.is_some());
        if before != seen {
            let whole = document.and_then(|it| Some(it.resolved()?.recording.trace.range()));
            self.whole = whole;
            self.model = document.map(|it| MuralView::new(&it.session, it.recording()));
            self.rows_for = (OverviewRows::default(), None);
            self.drawn.revision += 1;
        }
        let own = ViewId::of(&ENTRY.line);
        let takes = |it: &mut MuralView| it.set_band(state.band()) | it.take_beside(own, state);
        if self.model.as_mut().is_some_and(takes) {
            self.drawn.revision += 1;
        }
        let shown = self.model.as_ref().map(MuralView::visible);
        beside::tell(own, shown, state, asks);
        // While a range is drawn rows would go away under the pointer.
        if let Some(document) = document.filter(|_| !state.draws_range()) {
            self.update_rows(document);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        let own = ViewId::of(&ENTRY.line);
        let rect = ui.max_rect();
        along_time::show(ui, own, self, pane);
        if let Some(model) = &self.model {
            let scale = ui.pixels_per_point();
            let points = |at: Vec2| rect.min + egui::vec2(at.x, at.y) / scale;
            let corner = model.corner();
            let corner = egui::Rect::from_min_max(points(corner.min), points(corner.max));
            if let Some(choice) = menu::show(ui, corner, self.choice) {
                self.choice = choice;
            }
        }
    }

    along_time::view_of_model!();

    fn by_modules(&mut self, _document: &Document) {
        self.choice = RowsChoice {
            of: RowsOf::Landscape,
            by_first_call: false,
            ..self.choice
        };
    }

    fn act(&mut self, own: Own, _state: &State, _asks: &mut Asks) {
        let Some(does) = own.action::<Does>() else {
            return;
        };
        match does {
            Does::OtherRows => self.choice = self.choice.next(),
        }
    }

    fn is_waiting(&self) -> bool {
        self.model.as_ref().is_some_and(MuralView::is_waiting)
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        let visible = self.model.as_ref().map(MuralView::visible);
        let of_run = OfRun {
            // All of what grows is more of it later.
            overview_all: visible.is_some() && visible == self.whole,
            overview_ns: visible.map(|it| [it.start.ns(), it.end.ns()]),
        };
        kept::put(&of_run, &mut out.of_run);
        let rows = self.choice;
        kept::put(&Kept { rows }, &mut out.shown);
    }

    fn restore(&mut self, from: &SavedViews, state: &State) -> usize {
        let (kept, lost) = kept::read::<Kept>(&from.shown);
        self.choice = kept.rows;
        if let Some(document) = &state.document {
            self.update_rows(document);
        }
        let (of_run, odd) = kept::read::<OfRun>(&from.of_run);
        let range = along_time::saved_range(of_run.overview_ns, state);
        if let Some(range) = range.filter(|_| !of_run.overview_all) {
            self.change(|it| it.set_visible(range));
        }
        lost + odd
    }

    fn log(&self, line: &mut Map<String, Value>) {
        line.insert("rows".to_owned(), self.choice.title().into());
    }
}
