//! The way back through past selections.

use callscape_base::units::TimeRange;
use callscape_filter::selection::{Pointed, Selection};

/// Longer ways are forgotten from their start.
const LONGEST: usize = 200;

/// What was selected at one time: what was chosen, and the range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    pub chosen: Pointed,
    pub range: Option<TimeRange>,
}

impl Place {
    pub fn of(selection: &Selection) -> Place {
        Place {
            chosen: selection.chosen,
            range: selection.range,
        }
    }
}

/// Past selections, and those gone back from.
#[derive(Clone, Debug, Default)]
pub struct History {
    past: Vec<Place>,
    future: Vec<Place>,
}

impl History {
    /// The selection goes from `from` to another by a new choice.
    pub fn leave(&mut self, from: Place) {
        if self.past.last() != Some(&from) {
            self.past.push(from);
        }
        if self.past.len() > LONGEST {
            self.past.remove(0);
        }
        self.future.clear();
    }

    /// The selection before `now`.
    pub fn back(&mut self, now: Place) -> Option<Place> {
        let place = self.past.pop()?;
        self.future.push(now);
        Some(place)
    }

    /// The selection after `now`, of those gone back from.
    pub fn forward(&mut self, now: Place) -> Option<Place> {
        let place = self.future.pop()?;
        self.past.push(now);
        Some(place)
    }

    pub fn can_go_back(&self) -> bool {
        !self.past.is_empty()
    }

    pub fn can_go_forward(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::ModuleId;

    #[test]
    fn back_and_forward_lead_through_the_same_places() {
        let at = |module| Place {
            chosen: Pointed::at_module(Some(ModuleId(module))),
            range: None,
        };
        let mut history = History::default();
        history.leave(at(1));
        history.leave(at(2));
        assert_eq!(history.back(at(3)), Some(at(2)));
        assert_eq!(history.back(at(2)), Some(at(1)));
        assert_eq!(history.back(at(1)), None);
        assert_eq!(history.forward(at(1)), Some(at(2)));
        history.leave(at(2));
        assert!(!history.can_go_forward());
        assert_eq!(history.back(at(4)), Some(at(2)));
    }
}
