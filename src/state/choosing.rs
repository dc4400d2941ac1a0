//! What is chosen and pointed at in a document, and the way back through past selections.
//!
//! Whoever shows it compares numbers, not selections: each change is counted here, whatever makes it.

use std::ops::Deref;
use std::sync::Arc;

use super::history::{History, Place};
use callscape_filter::marked::Marked;
use callscape_filter::selection::{Pointed, Selection};

/// The selection of a document; to be read as a [`Selection`].
#[derive(Debug, Default)]
pub struct Choosing {
    selection: Selection,
    stamp: u64,
    meant: u64,
    chosen: u64,
    /// What was last chosen in one calling context alone, and the rows of the comparison on the way to it.
    way: Option<(Pointed, Arc<[u32]>)>,
    /// Past selections.
    pub places: History,
    /// What was selected when the pointer began to draw a range.
    before_drag: Option<Place>,
    /// Rows of a table are being stepped through: together they are one step on the way back.
    walks: bool,
}

impl Deref for Choosing {
    type Target = Selection;

    fn deref(&self) -> &Selection {
        &self.selection
    }
}

/// What is pointed at or chosen, whatever its time.
fn meant(of: &Selection) -> ([Pointed; 2], Option<*const Marked>) {
    let timeless = |it: Pointed| Pointed { time: None, ..it };
    let marked = of.marked.as_ref().map(Arc::as_ptr);
    ([of.pointed, of.chosen].map(timeless), marked)
}

impl Choosing {
    /// Counts all changes, also those of the time.
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Counts the changes of what is pointed at, chosen and marked: of what [`Meant`](callscape_filter::selection::Meant)
    /// holds.
    pub fn meant_stamp(&self) -> u64 {
        self.meant
    }

    /// Counts the changes of what is chosen; 0 while nothing has been.
    pub fn chosen_stamp(&self) -> u64 {
        self.chosen
    }

    /// Changes the selection, whatever was chosen before; whether that makes it another.
    pub fn change(&mut self, change: impl FnOnce(&mut Selection)) -> bool {
        let before = self.selection.clone();
        change(&mut self.selection);
        let now = &self.selection;
        let is_meant = meant(&before) != meant(now);
        let rest = |of: &Selection| (of.pointed, of.chosen, of.time, of.range);
        let is_other = is_meant || rest(&before) != rest(now);
        self.stamp += u64::from(is_other);
        self.meant += u64::from(is_meant);
        self.chosen += u64::from(before.chosen != now.chosen);
        is_other
    }

    /// Chooses something and remembers what was chosen before: on a walk through rows only where that began. Whether
    /// that is something else.
    pub(super) fn choose(&mut self, chosen: Pointed, walks: bool) -> bool {
        let goes_on = std::mem::replace(&mut self.walks, walks) && walks;
        let before = Place::of(&self.selection);
        // The same at another time is no other place to go back to.
        let time = chosen.time;
        let is_elsewhere = chosen
            != Pointed {
                time,
                ..before.chosen
            };
        if is_elsewhere && !goes_on {
            self.places.leave(before);
        }
        self.change(|it| it.chosen = chosen)
    }

    /// What is chosen is chosen in the one calling context that these rows lead to, outermost first.
    pub(super) fn go_way(&mut self, way: Arc<[u32]>) {
        self.way = Some((self.selection.chosen, way));
        self.stamp += 1;
        self.meant += 1;
        self.chosen += 1;
    }

    /// The rows that lead to what is chosen; none where all contexts of it are.
    pub(super) fn way(&self) -> Option<&Arc<[u32]>> {
        let way = self.way.as_ref();
        let way = way.filter(|(of, _)| *of == self.selection.chosen);
        way.map(|(_, way)| way)
    }

    pub(super) fn walks(&self) -> bool {
        self.walks
    }

    /// Whether the pointer is drawing a range.
    pub(super) fn is_dragged(&self) -> bool {
        self.before_drag.is_some()
    }

    pub(super) fn begin_drag(&mut self) {
        let before = Place::of(&self.selection);
        self.before_drag.get_or_insert(before);
    }

    pub(super) fn end_drag(&mut self) {
        if let Some(place) = self.before_drag.take() {
            self.places.leave(place);
        }
    }

    /// Chooses what was chosen at another place in the history; the range of that place, if there is such a place.
    pub(super) fn go(&mut self, to: fn(&mut History, Place) -> Option<Place>) -> Option<Place> {
        let now = Place::of(&self.selection);
        let place = to(&mut self.places, now)?;
        self.change(|it| it.chosen = place.chosen);
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::{ModuleId, Time};

    #[test]
    fn each_stamp_counts_what_it_stands_for() {
        let mut of = Choosing::default();
        let mut moved = |change: &dyn Fn(&mut Selection)| {
            let stamps = |of: &Choosing| [of.stamp(), of.meant_stamp(), of.chosen_stamp()];
            let before = stamps(&of);
            let is_other = of.change(change);
            let now = stamps(&of);
            assert_eq!(is_other, now[0] > before[0]);
            [0, 1, 2].map(|it| now[it] - before[it])
        };
        let (one, later) = (Pointed::at_module(Some(ModuleId(1))), Time::from_ns(5));
        let at_later = Pointed {
            time: Some(later),
            ..one
        };
        assert_eq!(moved(&|it| it.pointed = one), [1, 1, 0]);
        assert_eq!(moved(&|it| it.pointed = one), [0, 0, 0]);
        assert_eq!(moved(&|it| it.pointed = at_later), [1, 0, 0]);
        assert_eq!(moved(&|it| it.chosen = one), [1, 1, 1]);
        assert_eq!(moved(&|it| it.chosen = at_later), [1, 0, 1]);
        assert_eq!(moved(&|it| it.time = later), [1, 0, 0]);
        let marked = || {
            Some(Arc::new(Marked::new(
                String::new(),
                [].into(),
                [].into(),
                Vec::new(),
            )))
        };
        assert_eq!(moved(&|it| it.marked = marked()), [1, 1, 0]);
        // One calling context of what is chosen is another choice, though nothing else differs.
        let before = of.chosen_stamp();
        of.go_way([3, 4].into());
        assert_eq!(of.way().map(|it| it.len()), Some(2));
        assert!(of.chosen_stamp() > before);
    }
}
