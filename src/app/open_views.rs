//! The views of the registry, opened: they follow the state and are asked for what they show.

use serde_json::{Map, Value};

use crate::progress::Progress;
use crate::state::State;
use crate::state::ask::Asks;
use crate::state::panes::ViewId;
use crate::views::{Picture, REGISTRY, SavedViews, Surface, View};

/// A view that asks for something each time it is told of a change would never end.
const MOST_ROUNDS: usize = 8;

/// One of each line of the registry, in its order.
pub struct Views {
    all: Vec<(ViewId, Box<dyn View>)>,
    /// The inputs that the views are of: [`crate::state::Stamps::opened`].
    opened: u64,
}

impl Default for Views {
    fn default() -> Views {
        let open = REGISTRY
            .iter()
            .map(|entry| (ViewId::of(&entry.line), (entry.open)()));
        Views {
            all: open.collect(),
            opened: 0,
        }
    }
}

impl Views {
    pub fn ids(&self) -> impl Iterator<Item = ViewId> {
        self.all.iter().map(|(id, _)| *id)
    }

    pub fn get_mut(&mut self, view: ViewId) -> Option<&mut dyn View> {
        let found = self.all.iter_mut().find(|(id, _)| *id == view);
        found.map(|(_, view)| &mut **view as &mut dyn View)
    }

    /// Brings all views up to date with the state, hands them what was asked of them, and carries out what they ask
    /// for, until there is nothing more.
    pub fn update(&mut self, state: &mut State) {
        if std::mem::replace(&mut self.opened, state.stamps.opened) != state.stamps.opened {
            self.all.iter_mut().for_each(|(_, view)| view.reset());
        }
        let mut asks = Asks::default();
        for _ in 0..MOST_ROUNDS {
            for (_, view) in &mut self.all {
                view.update(state, &mut asks);
            }
            let asked = std::mem::take(&mut state.view_asks);
            let is_quiet = asked.is_empty();
            for (of, ask) in asked {
                let mut meant = self.all.iter_mut();
                let meant = meant
                    .by_ref()
                    .filter(|(id, _)| of.is_none_or(|of| of == *id));
                meant.for_each(|(_, view)| view.on(ask, state, &mut asks));
            }
            if asks.is_empty() && is_quiet {
                break;
            }
            for ask in asks.take() {
                state.execute(ask);
            }
        }
        let counts = self.all.iter().filter(|(_, view)| view.wants_counts());
        state.work.is_asked = counts
            .into_iter()
            .any(|(id, _)| state.panes.is_visible(*id));
    }

    /// What a view draws on `surface`.
    pub fn picture(&mut self, view: ViewId, state: &State, surface: Surface) -> Picture<'_> {
        match self.get_mut(view) {
            Some(view) => view.picture(state, surface),
            None => Picture::Nothing,
        }
    }

    /// Whether a view says itself what is left out because it is called too often.
    pub fn says_called_often(&self, view: ViewId) -> bool {
        let mut all = self.all.iter();
        all.any(|(id, it)| *id == view && it.says_called_often())
    }

    /// The views that can be seen and will show more without anything being done.
    pub fn waiting(&self, state: &State) -> impl Iterator<Item = ViewId> {
        let waiting = self.all.iter().filter(|(_, view)| view.is_waiting());
        let waiting = waiting.map(|(id, _)| *id);
        waiting.filter(|id| state.panes.is_visible(*id))
    }

    /// How far the work of views is that takes long enough to be shown.
    pub fn slow(&self) -> impl Iterator<Item = &Progress> {
        self.all.iter().filter_map(|(_, view)| view.progress())
    }

    /// Stops that work.
    pub fn cancel(&mut self) {
        self.all.iter_mut().for_each(|(_, view)| view.cancel());
    }

    /// The views that have a field for text, with the field's id.
    pub fn fields(&self) -> impl Iterator<Item = (ViewId, &'static str)> {
        self.all
            .iter()
            .filter_map(|(id, view)| Some((*id, view.field()?)))
    }

    /// What a session file keeps of all views.
    pub fn save(&self, state: &State) -> SavedViews {
        let mut saved = SavedViews::default();
        for (_, view) in &self.all {
            view.save(state, &mut saved);
        }
        saved
    }

    /// Brings all views to where a session file has them; how many names mean nothing.
    pub fn restore(&mut self, saved: &SavedViews, state: &State) -> usize {
        let lost = self
            .all
            .iter_mut()
            .map(|(_, view)| view.restore(saved, state));
        lost.sum()
    }

    /// What the record of frames says of the views.
    pub fn log(&self, line: &mut Map<String, Value>) {
        for (_, view) in &self.all {
            view.log(line);
        }
    }
}
