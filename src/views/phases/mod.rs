//! The view of the phases: a run as a table of contents (thesis, section 6.2.3).
//!
//! A layer for each depth: below the phases of depth 1 those of the one that is unfolded, and so on. Repetitions stand in
//! grey frames, of which one instance is shown.

mod band;
mod boxes;
mod finding;
mod keys;
mod layers;
mod meaning;
mod other_run;
mod pair;
mod sliders;
#[cfg(test)]
mod tests;
mod tip;
mod two;
mod ui;
mod view;

use serde_json::{Map, Value};

use self::finding::Settings;
use self::keys::{Does, KEYS};
use self::layers::Layer;
pub use self::view::PhasesView;
use self::view::SAVED;
use super::{Entry, Pane, SavedViews, View};
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, ThreadId};
use callscape_filter::selection::CallOf;
use callscape_layout::hues::Hues;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks};
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{
    Call, CallRelation, Function, Module, TimePoint, TimeRange as Range,
};
use callscape_state::panes::{Kind, Needs, Purpose, ViewId, ViewLine};

pub static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "phases",
        title: "Phases",
        key: '8',
        about: "a run as a table of contents: its phases, repetitions folded",
        help: "phases: what a run does, from the top",
        kind: Kind::Plain,
        needs: Needs::Times,
        // The phases view.
        offers: &[Function, Call, TimePoint, Range],
        answers: &[Function, Module, Call, CallRelation, TimePoint, Range],
        purposes: &[Purpose::Phases],
        ..ViewLine::USUAL
    },
    keys: KEYS,
    open: || Box::new(PhasesView::default()),
};

impl View for PhasesView {
    fn update(&mut self, state: &State, asks: &mut Asks) {
        let document = state.document.as_ref().filter(|it| it.playback.is_some());
        let is_visible = state.panes.is_visible(ViewId::of(&ENTRY.line));
        let Some(document) = document.filter(|_| is_visible) else {
            if self.lit.take().is_some() {
                asks.push(Ask::Light(None));
            }
            if state.band().is_some() {
                asks.push(Ask::Band(None));
            }
            return;
        };
        if std::mem::replace(&mut self.seen_document, state.stamps().document)
            != state.stamps().document
            || self.hues.is_none()
        {
            self.hues = Some(Hues::new(&document.session.hierarchy));
            if self.lit.take().is_some() {
                // Modules may have other numbers now.
                asks.push(Ask::Light(None));
            }
            self.wanted = None;
            self.meaning.forget();
        }
        if let Some(of) = self.wanted(document) {
            if self.finding.begin(of, state) {
                self.found = None;
                self.path.clear();
                self.instances.clear();
                self.compared = None;
                self.revision += 1;
            }
            if let Some(found) = self.finding.poll() {
                self.take(found);
            }
        }
        if let Some(found) = self.found.clone().filter(|_| self.is_of_two_runs()) {
            self.other.update(document, &found, state);
        }
        if self.laid_out != Some(self.revision) {
            self.lay_out();
        }
        self.show_band(state, asks);
        self.follow_chosen(document, asks);
        if self.laid_out != Some(self.revision) {
            self.lay_out();
        }
        if let Some(found) = &self.found {
            let shown = self.layers.iter().flat_map(Layer::phases);
            self.meaning
                .update(document, found, shown, self.revision, state);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn act(&mut self, own: Own, _state: &State, _asks: &mut Asks) {
        let Some(does) = own.action::<Does>() else {
            return;
        };
        match does {
            Does::Next => self.step_instance(1),
            Does::Previous => self.step_instance(-1),
            Does::Compare => self.compared = self.menu_of.or(self.compared),
        }
    }

    fn show_call(&mut self, of: CallOf, _fits: bool, _document: &Document) {
        let phases = self.found.as_ref().map(|it| &it.phases);
        if let Some(phase) = phases.and_then(|it| it.around(of.thread, of.call)) {
            self.reveal(phase);
        }
    }

    fn is_waiting(&self) -> bool {
        self.finding.is_running() || self.meaning.is_running() || self.other.is_running()
    }

    fn progress(&self) -> Option<&Progress> {
        self.finding.slow()
    }

    fn cancel(&mut self) {
        self.finding.cancel();
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        let settings = self.finding.settings;
        let is_seen = self.found.is_some() || self.finding.to_unfold.is_some();
        if !is_seen && settings == Settings::default() {
            return;
        }
        let call = |index: &u32| {
            let phase = self.phase(*index)?;
            Some([phase.thread.0, phase.call.0])
        };
        // Not unfolded yet, for the phases are not found.
        let wanted = self.finding.to_unfold.iter();
        let wanted = wanted.map(|of| [of.thread.0, of.call.0]);
        let path = self.path.iter().filter_map(call).chain(wanted);
        let path: Vec<[u32; 2]> = path.collect();
        let mut saved = Map::new();
        settings.save(&mut saved);
        saved.insert("unfolded".to_owned(), serde_json::json!(path));
        out.shown.insert(SAVED.to_owned(), saved.into());
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        let Some(Value::Object(saved)) = from.shown.get(SAVED) else {
            return 0;
        };
        let (settings, lost) = Settings::restore(saved);
        self.finding.change(settings);
        let unfolded = saved.get("unfolded").and_then(Value::as_array);
        let mut calls = unfolded.into_iter().flatten().filter_map(|pair| {
            let number = |at: usize| u32::try_from(pair.get(at)?.as_u64()?).ok();
            Some(CallOf {
                thread: ThreadId(number(0)?),
                call: CallId(number(1)?),
            })
        });
        self.finding.to_unfold = calls.next_back();
        lost
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(found) = &self.found else { return };
        let shown: usize = self.layers.iter().map(|layer| layer.boxes.len()).sum();
        let chosen = self.path.last().and_then(|&index| self.phase(index));
        let labels = &found.labels;
        let log = serde_json::json!({
            "phases": found.phases.phases.len(),
            "rows": found.phases.rows(),
            "layers": self.layers.len(),
            "boxes": shown,
            "unfolded": self.path.last().zip(chosen).map(|(&index, it)| labels.phase(index, it)),
            "instances": self.layers.iter().flat_map(|it| &it.frames).map(|it| it.shown).collect::<Vec<_>>(),
        });
        line.insert(SAVED.to_owned(), log);
    }
}
