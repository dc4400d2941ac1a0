//! Boxes of a chart that the user takes hold of and puts elsewhere, by mouse or by keys.

use std::time::Duration;

use glam::Vec2;

use super::chart::{Chart, Spot, Way};
use super::geometry::Geometry;
use super::moved::{self, Held, Moved, Put};
use callscape_facts::hierarchy::Hierarchy;

impl Chart {
    /// Where the user put boxes.
    pub(crate) fn moved(&self) -> &Moved {
        &self.moved
    }

    /// Whether the user put boxes of the graph that is shown elsewhere.
    pub(crate) fn has_moved(&self, hierarchy: &Hierarchy) -> bool {
        let graph = self.laid.as_ref().map(|it| &it.graph);
        graph.is_some_and(|it| self.moved.has(&moved::name_of_graph(it, hierarchy)))
    }

    /// Puts boxes where they were put before, or are said to be; what is shown eases over.
    pub(crate) fn put(&mut self, moved: Moved, now: Duration, hierarchy: &Hierarchy) {
        self.held = None;
        self.moved = moved;
        if let Some(plain) = self.plain.clone() {
            let placed = self.placed(&plain, hierarchy);
            self.show(placed, now, hierarchy);
        }
    }

    /// All boxes of the graph go where the layout has them.
    pub(crate) fn put_back(&mut self, now: Duration, hierarchy: &Hierarchy) -> Option<Put> {
        let graph = moved::name_of_graph(&self.laid.as_ref()?.graph, hierarchy);
        let before = self.moved.clone();
        let mut after = before.clone();
        after.put_back(&graph);
        self.put(after.clone(), now, hierarchy);
        Some(Put {
            words: "Put boxes back".to_owned(),
            both: [before, after],
        })
    }

    /// Puts a box so far from where it is, in points of the sheet.
    pub(crate) fn nudge(
        &mut self,
        place: u32,
        by: Vec2,
        (now, hierarchy): (Duration, &Hierarchy),
    ) -> Option<Put> {
        let before = self.moved.clone();
        let at = self.middle(place)? + by / self.sight().zoom;
        let words = self.note_place(place, at, hierarchy)?;
        let after = self.moved.clone();
        self.put(after.clone(), now, hierarchy);
        Some(Put {
            words,
            both: [before, after],
        })
    }

    /// Where the middle of a box is.
    fn middle(&self, place: u32) -> Option<Vec2> {
        let rect = self.laid.as_ref()?.layout.nodes.get(place as usize)?;
        Some((rect.min + rect.max) * 0.5)
    }

    /// Notes where the middle of a box is to be; in words what that is.
    fn note_place(&mut self, place: u32, at: Vec2, hierarchy: &Hierarchy) -> Option<String> {
        let laid = self.laid.as_ref()?;
        let of = laid.graph.boxes.get(place as usize)?;
        let name = moved::name_of(of, hierarchy)?;
        let graph = moved::name_of_graph(&laid.graph, hierarchy);
        let words = format!("Moved {}", of.title);
        self.moved.put(graph, name, at);
        Some(words)
    }

    /// Takes hold of the box at a place of the sheet, in pixels, if there is one that can be put elsewhere.
    pub(crate) fn grab(&mut self, at: Vec2, hierarchy: &Hierarchy) {
        self.held = None;
        if let Some(Spot::Box(place)) = self.spot(at)
            && let Some(laid) = &self.laid
            && moved::name_of(&laid.graph.boxes[place as usize], hierarchy).is_some()
            && let Some(middle) = self.middle(place)
        {
            self.held = Some(Held {
                place,
                taken: at,
                middle,
                sight: self.sight(),
                before: self.moved.clone(),
            });
        }
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Moves the box that is held with the pointer, which is at this place of the sheet, in pixels: from where it took hold,
    /// since what it did before that was known to be a drag counts too.
    pub(crate) fn drag(&mut self, to: Vec2, hierarchy: &Hierarchy) {
        let (Some(held), Some(plain)) = (&self.held, self.plain.clone()) else {
            return;
        };
        let by = (to - held.taken) / (self.scale * held.sight.zoom);
        let (place, at) = (held.place, held.middle + by);
        self.note_place(place, at, hierarchy);
        let laid = self.placed(&plain, hierarchy);
        self.way = None;
        self.geometry = Geometry::of(&laid);
        self.laid = Some(laid);
        self.revision += 1;
    }

    /// Lets go of the box that is held.
    pub(crate) fn let_go(&mut self, now: Duration) -> Option<Put> {
        let held = self.held.take()?;
        let laid = self.laid.as_ref()?;
        // All of it comes into sight again.
        self.way = Some(Way {
            from: Geometry::of(laid),
            sight: held.sight,
            begun: now,
        });
        let of = laid.graph.boxes.get(held.place as usize)?;
        Some(Put {
            words: format!("Moved {}", of.title),
            both: [held.before, self.moved.clone()],
        })
    }
}
