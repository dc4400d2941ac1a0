//! The tour in the window: it is begun and left, and what was open before it is opened again.

use super::Card;
use super::seen::Outside;
use crate::command::{ReplaceAsk, TourAsk};
use crate::desk::Desk;
use callscape_analysis::session::Inputs;

impl Desk {
    pub(crate) fn on_tour(&mut self, ask: TourAsk) {
        match ask {
            TourAsk::Begin => {
                let open = self.state.document.as_ref();
                if open.is_some_and(|it| it.inputs != Inputs::default()) {
                    self.keep_replaced();
                    self.tour.comes_back = true;
                }
                self.tour.begin();
                self.state.cards.help = false;
                self.open_demo();
            }
            TourAsk::Go => {
                let document = self.state.document.as_ref();
                let step = document.map(|it| self.tour.step(it, &self.state));
                let step = step.unwrap_or_default();
                if step.is_empty() {
                    self.tour.skip();
                }
                step.into_iter().for_each(|command| self.execute(command));
            }
            TourAsk::Skip => self.tour.skip(),
            TourAsk::Leave => {
                self.tour.leave();
            }
        }
    }

    /// Looks at what was done at a stop; opens again what was open before the tour, once that is over.
    pub(crate) fn go_through_tour(&mut self) {
        let outside = Outside {
            compares: self.pair.is_open,
            bookmarks: self.talk.bookmarks.len(),
        };
        let before = self.tour.card();
        self.tour.note(&mut self.state, outside);
        let goes_on = matches!(before, Some(Card::At(_, true))) && self.tour.card() != before;
        // Of the demo nothing was chosen in it.
        self.pair.is_open &= !goes_on || self.pair.can_compare();
        if self.tour.comes_back && self.tour.card().is_none() {
            self.tour.comes_back = false;
            let open = self.state.document.as_ref();
            if open.is_some_and(|it| it.inputs == Inputs::default()) {
                self.execute(ReplaceAsk::Reopen);
            }
        }
    }
}
