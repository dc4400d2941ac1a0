//! The view of two runs along one time axis: what it is to the window.

use std::sync::Arc;

use glam::Vec2;
use serde::{Deserialize, Serialize};

use crate::parts::along_time::{self, AlongTime, Drawn};
use crate::parts::both_along_time::BothAlongTime;
use crate::parts::kept::{self, Named, named};
use crate::parts::tip::Tip;
use crate::{Entry, Pane, Picture, SavedViews, Surface, View};
use callscape_base::units::{self, Time};
use callscape_filter::selection::Pointed;
use callscape_model::linked::{Along, LinkedRuns};
use callscape_state::State;
use callscape_state::ask::Asks;
use callscape_state::document::Document;
use callscape_state::panes::Artifact::{
    Call, CallRelation, Function, Module, TimePoint, TimeRange,
};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};
use callscape_state::runs::Runs;

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "timelines",
        title: "Both along time",
        key: '7',
        about: "two runs along one time axis, one over the other",
        help: "both along one time axis",
        in_scenes: "Two recordings along one time axis.",
        side: Side::Below,
        kind: Kind::AlongTime,
        needs: Needs::TwoRunsWithTimes,
        offers: &[Function, Module, Call, TimePoint, TimeRange],
        // Of a call relation, what is called.
        answers: &[Function, Module, Call, CallRelation, TimePoint, TimeRange],
        purposes: &[Purpose::Slower],
        ..ViewLine::USUAL
    },
    keys: &[],
    open: || Box::new(Timelines::default()),
};

named! {
    Along: [Along::Stacks, Along::Overview], |it| match it {
        Along::Stacks => "stacks",
        Along::Overview => "overview",
    };
}

/// What a session file keeps of both runs.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct OfRuns {
    along: Named<Along>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    along_ns: Option<[u64; 2]>,
}

#[derive(Default)]
struct Timelines {
    /// None where there are no two runs with times.
    model: Option<BothAlongTime>,
    /// Those runs.
    runs: Option<Arc<Runs>>,
    drawn: Drawn,
    /// The stamp of the document that it shows.
    seen: u64,
}

impl Timelines {
    fn change(&mut self, change: impl FnOnce(&mut BothAlongTime)) {
        if let Some(model) = &mut self.model {
            change(model);
            self.drawn.revision += 1;
        }
    }

    fn in_both<T>(
        &self,
        ask: impl FnOnce(&BothAlongTime, usize, &LinkedRuns<'_>) -> T,
    ) -> Option<T> {
        let (model, runs) = (self.model.as_ref()?, self.runs.as_ref()?);
        Some(ask(model, runs.side(), &runs.pair()?))
    }
}

impl AlongTime for Timelines {
    fn pointed(&self, document: &Document, at: Vec2) -> Pointed {
        let found = self.in_both(|it, side, pair| it.pointed(&document.session, pair, side, at));
        found.unwrap_or_default()
    }

    fn tip(&self, document: &Document, at: Vec2) -> Option<Tip> {
        self.in_both(|it, _, pair| it.tip(&document.session, pair, at))?
    }

    fn time_at(&self, document: &Document, x: f32) -> Option<Time> {
        self.in_both(|it, side, pair| it.time_at(&document.session, pair, side, x))
    }

    fn zoom(&mut self, at: Vec2, factor: Vec2) {
        self.change(|model| model.zoom(at, factor));
    }

    fn pan(&mut self, by: Vec2) {
        self.change(|model| model.pan(by));
    }
}

impl View for Timelines {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        let document = state.document.as_ref();
        let runs = document.and_then(|it| it.runs.as_ref());
        let is_same = match (runs, &self.runs) {
            (Some(new), Some(old)) => Arc::ptr_eq(new, old),
            (None, None) => true,
            _ => false,
        };
        let is_seen = std::mem::replace(&mut self.seen, state.stamps().document) == self.seen;
        if is_same && is_seen {
            return;
        }
        self.runs = runs.cloned();
        self.drawn.revision += 1;
        let Some((document, pair)) = document.zip(runs.and_then(|it| it.pair())) else {
            self.model = None;
            return;
        };
        // What is visible of both stays.
        if self.model.is_none() {
            let along = Along::default();
            self.model = Some(BothAlongTime::new(&document.session, &pair, along));
        }
    }

    fn picture(&mut self, state: &State, surface: Surface) -> Picture<'_> {
        let (Some(model), Some(document)) = (&mut self.model, &state.document) else {
            return Picture::Nothing;
        };
        let Some(pair) = self.runs.as_ref().and_then(|it| it.pair()) else {
            return Picture::Nothing;
        };
        let scope = along_time::scope(state, document, surface);
        let selection = &document.selection;
        match self.drawn.is_other(&scope, selection, surface, false) {
            true => Picture::Sheet(model.show(&scope, &pair)),
            false => Picture::Same,
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        along_time::show(ui, ViewId::of(&ENTRY.line), self, pane);
    }

    /// Timeline view used for both runs.
    fn strip(&mut self, ui: &mut egui::Ui, _state: &State) {
        let now = self
            .model
            .as_ref()
            .map_or(Along::default(), |it| it.along());
        ui.add_space(6.0);
        for (along, title) in [
            (Along::Stacks, "Call stacks"),
            (Along::Overview, "Functions"),
        ] {
            let button = egui::Button::new(title).selected(now == along);
            let about = "Timeline view used for both runs";
            if ui.add(button).on_hover_text(about).clicked() {
                self.change(|it| it.set_along(along));
            }
        }
    }

    fn along_time(&mut self) -> Option<&mut dyn AlongTime> {
        Some(self)
    }

    fn show_all(&mut self, document: &Document) {
        if let (Some(runs), Some(all)) = (self.runs.clone(), along_time::whole(document))
            && let Some(pair) = runs.pair()
        {
            let side = runs.side();
            self.change(|it| it.show_range(&document.session, &pair, side, all));
        }
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        if let Some(model) = &self.model {
            let along = Named(model.along());
            kept::put(&OfRuns { along }, &mut out.runs);
        }
        let visible = self.model.as_ref().map(BothAlongTime::visible);
        let along_ns = visible.map(|it| [it.start.ns(), it.end.ns()]);
        kept::put(&Kept { along_ns }, &mut out.shown);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        let (kept, lost) = kept::read::<Kept>(&from.shown);
        if let Some([start, end]) = kept.along_ns.filter(|it| it[0] < it[1]) {
            let range = units::TimeRange::new(Time::from_ns(start), Time::from_ns(end));
            self.change(|it| it.set_visible(range));
        }
        let (of_runs, odd) = kept::read::<OfRuns>(&from.runs);
        if from.runs.contains_key("along") {
            self.change(|it| it.set_along(of_runs.along.0));
        }
        lost + odd
    }
}
