//! Which arcs stand out and which step back: those of what is pointed at, and of what is chosen.

use std::ops::Range;

use super::geometry::Arc;

/// What is left of an arc that steps back; as in `shaders/arcs.wgsl`.
const GHOST: f32 = 0.05;

/// Arcs fainter than this are not found under the pointer: they are the grain of a bundle.
const FAINTEST_PICKED: f32 = 0.28;

/// The arcs from and to the blocks of a subtree, and how opaque they are at least; of no blocks for no emphasis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Emphasis {
    pub blocks: Range<u32>,
    pub opacity: f32,
}

impl Emphasis {
    pub fn touches(&self, arc: &Arc) -> bool {
        arc.ends.iter().any(|end| self.blocks.contains(end))
    }

    /// The opacity of an arc when only those of the subtree are shown.
    fn alone(&self, arc: &Arc) -> f32 {
        if self.blocks.is_empty() {
            arc.opacity
        } else if self.touches(arc) {
            arc.opacity.max(self.opacity)
        } else {
            arc.opacity * GHOST
        }
    }
}

/// What arcs are of. While it changes it eases from what was hovered before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Focus {
    /// Displayed alone.
    pub hovered: Emphasis,
    pub before: Emphasis,
    /// How far it is from `before` to `hovered`, 0 to 1.
    pub share: f32,
    /// Stands out.
    pub chosen: Emphasis,
}

impl Focus {
    /// How opaque an arc is; as `shaders/arcs.wgsl` has it. Hyperarcs and what is outlined stay as they are.
    pub fn opacity(&self, arc: &Arc) -> f32 {
        if arc.outlined {
            return arc.opacity;
        }
        let before = self.before.alone(arc);
        let now = self.hovered.alone(arc);
        let shown = before + (now - before) * self.share;
        match self.chosen.touches(arc) {
            true => shown.max(self.chosen.opacity),
            false => shown,
        }
    }

    /// Whether an arc is none of those that are shown alone, once it has eased to that.
    pub fn steps_back(&self, arc: &Arc) -> bool {
        let is_alone = !self.hovered.blocks.is_empty() && !arc.outlined;
        is_alone && !self.hovered.touches(arc) && !self.chosen.touches(arc)
    }

    /// Whether an arc is clear enough to be found under the pointer.
    pub fn is_picked(&self, arc: &Arc) -> bool {
        self.opacity(arc) >= FAINTEST_PICKED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(from: u32, to: u32) -> Arc {
        Arc {
            ends: [from, to],
            opacity: 0.2,
            ..Arc::default()
        }
    }

    fn of(blocks: Range<u32>) -> Emphasis {
        Emphasis {
            blocks,
            opacity: 0.8,
        }
    }

    #[test]
    fn arcs_of_what_is_hovered_stand_alone_and_those_of_what_is_chosen_stay() {
        let (ours, theirs) = (arc(3, 9), arc(8, 9));
        let mut focus = Focus::default();
        assert_eq!(focus.opacity(&ours), 0.2);
        assert!(!focus.is_picked(&ours));
        focus.hovered = of(2..5);
        focus.share = 1.0;
        assert_eq!(focus.opacity(&ours), 0.8);
        assert!(focus.opacity(&theirs) < 0.02);
        assert!(focus.is_picked(&ours) && !focus.is_picked(&theirs));
        assert!(!focus.steps_back(&ours) && focus.steps_back(&theirs));
        focus.chosen = of(8..9);
        assert_eq!(focus.opacity(&theirs), 0.8);
        assert!(!focus.steps_back(&theirs));
        // Half way from nothing.
        focus.chosen = Emphasis::default();
        focus.share = 0.5;
        assert_eq!(focus.opacity(&ours), 0.5);
        let hyperarc = Arc {
            outlined: true,
            opacity: 1.0,
            ..theirs
        };
        assert_eq!(focus.opacity(&hyperarc), 1.0);
        focus.hovered = of(2..5);
        assert!(!focus.steps_back(&hyperarc));
    }
}
