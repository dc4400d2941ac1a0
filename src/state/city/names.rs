//! The names and counts that were chosen, and what they were chosen for.

use glam::Vec3;

use super::lettering::Lettering;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_layout::labels::screen::Subject;
use callscape_look::camera::Camera;

/// While names are held, they are chosen anew after this many seconds.
const HELD: f32 = 0.6;

/// Names of what runs, and counts, that stay for a moment while it plays: what changes with every frame cannot be read.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub is_on: bool,
    /// Seconds since they were chosen.
    pub since: f32,
    pub running: Vec<ModuleId>,
    /// Those of the cel.
    pub counts: Vec<Subject>,
}

impl Held {
    pub(super) fn pass(&mut self, seconds: f32) {
        self.since += seconds;
    }

    /// Whether they are to be chosen anew now.
    pub(super) fn is_due(&self) -> bool {
        !self.is_on || self.since >= HELD || self.running.is_empty()
    }
}

/// What names were chosen for: for the same they stay.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Blocks, looks or arcs have changed since.
    pub(crate) is_old: bool,
    pub by: Option<(Camera, Lettering, [Pointed; 2])>,
    found: Vec<ModuleId>,
}

impl Named {
    /// Takes what names are to be chosen for, and whether the names of what runs are due; whether any have to be
    /// chosen anew.
    pub(super) fn take(
        &mut self,
        by: (Camera, Lettering, [Pointed; 2]),
        found: &[ModuleId],
        is_due: bool,
    ) -> bool {
        let is_same = self.by.replace(by) == Some(by) && self.found == found;
        self.found.clear();
        self.found.extend_from_slice(found);
        std::mem::take(&mut self.is_old) | is_due | !is_same
    }
}

/// A count that stands at an arc.
#[derive(Debug)]
pub(super) struct ArcCount {
    pub of: Subject,
    pub text: String,
    pub at: Vec3,
}

/// The counts at arcs, and what was pointed at and chosen when they were found; none once arcs have changed.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub of: Option<[Pointed; 2]>,
    /// Those shown, then spare ones whose texts keep their memory.
    all: Vec<ArcCount>,
    shown: usize,
}

impl Counts {
    /// The arcs have changed.
    pub(crate) fn outdate(&mut self) {
        self.of = None;
    }

    pub(super) fn shown(&self) -> &[ArcCount] {
        &self.all[..self.shown]
    }

    /// Takes all away.
    pub(super) fn clear(&mut self) {
        self.shown = 0;
    }

    /// One more, with an empty text.
    pub(super) fn add(&mut self, of: Subject) -> &mut ArcCount {
        if self.shown == self.all.len() {
            self.all.push(ArcCount {
                of,
                text: String::new(),
                at: Vec3::ZERO,
            });
        }
        let count = &mut self.all[self.shown];
        self.shown += 1;
        count.of = of;
        count.text.clear();
        count
    }
}
