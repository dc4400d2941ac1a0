//! The views of the registry, opened: they follow the state and are asked for what they show.
//!
//! A view is of one document. With another it is made anew, so that nothing in it, and no work that it has begun, speaks
//! of the one before; what it shows of the same inputs goes on by name, as in a session file. Until then it is out of
//! reach.

use serde_json::{Map, Value};

use callscape_base::progress::Progress;
use callscape_state::State;
use callscape_state::ask::Asks;
use callscape_state::document::Document;
use callscape_state::made::Generation;
use callscape_state::panes::ViewId;
use callscape_views::{Picture, REGISTRY, SavedViews, Surface, View};

/// A view that asks for something each time it is told of a change would never end.
const MOST_ROUNDS: usize = 8;

/// One of each line of the registry, in its order.
pub struct Views {
    all: Vec<(ViewId, Box<dyn View>)>,
    /// The document that the views are of; none while nothing is open.
    of: Option<Generation>,
    /// The inputs of that: [`callscape_state::Stamps::opened`].
    opened: u64,
    /// The run of these: [`callscape_state::Stamps::run`].
    run: u64,
}

impl Default for Views {
    fn default() -> Views {
        let open = REGISTRY
            .iter()
            .map(|entry| (ViewId::of(&entry.line), (entry.open)()));
        Views {
            all: open.collect(),
            of: None,
            opened: 0,
            run: 0,
        }
    }
}

impl Views {
    pub fn ids(&self) -> impl Iterator<Item = ViewId> {
        self.all.iter().map(|(id, _)| *id)
    }

    /// Whether the views are of the document that is shown.
    fn are_of(&self, state: &State) -> bool {
        self.of == state.document.as_ref().map(Document::generation)
    }

    /// A view of what `state` shows.
    pub fn get_mut(&mut self, view: ViewId, state: &State) -> Option<&mut dyn View> {
        if !self.are_of(state) {
            return None;
        }
        let found = self.all.iter_mut().find(|(id, _)| *id == view);
        found.map(|(_, view)| &mut **view as &mut dyn View)
    }

    /// Brings all views up to date with the state, hands them what was asked of them, and carries out what they ask
    /// for, until there is nothing more.
    pub fn update(&mut self, state: &mut State) {
        let mut asks = Asks::default();
        self.follow(state, &mut asks);
        for _ in 0..MOST_ROUNDS {
            for (_, view) in &mut self.all {
                view.update(state, &mut asks);
            }
            let asked = std::mem::take(&mut state.errands.view_asks);
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

    /// Makes the views anew where another document is shown.
    fn follow(&mut self, state: &mut State, asks: &mut Asks) {
        if self.are_of(state) {
            return;
        }
        let is_same = self.opened == state.stamps().opened;
        let saved = match state.with_replaced(self.of, |state| self.saved(state)) {
            Some(saved) if is_same && self.run == state.stamps().run => saved,
            Some(saved) if is_same => SavedViews {
                of_run: Map::new(),
                ..saved
            },
            _ => self.habits(),
        };
        for (entry, (_, view)) in REGISTRY.iter().zip(&mut self.all) {
            *view = (entry.open)();
        }
        self.of = state.document.as_ref().map(Document::generation);
        (self.opened, self.run) = (state.stamps().opened, state.stamps().run);
        // What is kept of a table wants the table to be there.
        for (_, view) in &mut self.all {
            view.update(state, asks);
        }
        self.restore(&saved, state);
    }

    /// How the user likes the views, whatever they show.
    fn habits(&self) -> SavedViews {
        let mut saved = SavedViews::default();
        for (_, view) in &self.all {
            view.save_habits(&mut saved);
        }
        saved
    }

    /// What a view draws on `surface`.
    pub fn picture(&mut self, view: ViewId, state: &State, surface: Surface) -> Picture<'_> {
        match self.get_mut(view, state) {
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
        match self.are_of(state) {
            true => self.saved(state),
            false => self.habits(),
        }
    }

    pub(crate) fn saved(&self, state: &State) -> SavedViews {
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
    pub fn log(&self, state: &State, line: &mut Map<String, Value>) {
        if !self.are_of(state) {
            return;
        }
        for (_, view) in &self.all {
            view.log(line);
        }
    }
}
