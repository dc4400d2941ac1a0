//! What is done in a view of its own, for the list of changes: told to it, and brought back by it.

use callscape_state::State;
use callscape_state::ask::{Ask, Asks};
use callscape_state::own_view::OwnView;
use callscape_state::panes::ViewId;

#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// The view, once it was brought up to date.
    view: Option<ViewId>,
    /// After what was done last, or brought back.
    now: Option<OwnView>,
    /// The list of changes does not have it yet.
    is_asked: bool,
}

impl Noted {
    /// Notes what was done in words, from what the view showed before it and after it; nothing if that is the same.
    pub(crate) fn note(&mut self, words: String, [before, after]: [Vec<u32>; 2], asks: &mut Asks) {
        if before != after
            && let Some(view) = self.view
        {
            let both = [
                OwnView::new(String::new(), before),
                OwnView::new(words, after),
            ];
            (self.now, self.is_asked) = (Some(both[1].clone()), true);
            asks.push(Ask::Noted(view, both));
        }
    }

    /// What the list of changes has brought the view to, if it shows something else; only once.
    pub(crate) fn brought(&mut self, view: ViewId, state: &State) -> Option<OwnView> {
        self.view = Some(view);
        let known = state.steps.own.get(&view);
        if known == self.now.as_ref() {
            self.is_asked = false;
            return None;
        }
        if self.is_asked {
            return None;
        }
        self.now = known.cloned();
        self.now.clone()
    }
}
