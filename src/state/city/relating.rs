//! Which arcs are drawn: of a moment, of imports, of what changes together, or of what differs between two runs.

use super::{City, motion, relations};
use callscape_analysis::session::Session;
use callscape_base::units::Time;
use callscape_layout::bundles::Ground;
use callscape_model::arcs::ArcMode;
use callscape_model::difference::RelationDifference;
use callscape_model::moment::Moment;

impl City {
    /// Draws the arcs of a moment between the blocks where they are now.
    pub(super) fn relate(&mut self, session: &Session, moment: Option<Moment>) {
        self.has_moved = false;
        self.marked.clear();
        let moving = self.motion.as_ref();
        let is_moving = moving.is_some();
        // Also once more when they have arrived.
        if is_moving || self.were_moving {
            self.relations.forget_paths();
        }
        self.were_moving = is_moving;
        let wanted = self.arc_blocks();
        let ends = self.ends.of(&self.block_of, wanted[1].clone());
        let moving = self.motion.as_ref();
        let ground = Ground {
            blocks: moving.map_or(&self.blocks, motion::Motion::blocks),
            parents: &self.parents,
        };
        if let Some(difference) = self.metrics.difference()
            && self.settings.arcs == ArcMode::Difference
        {
            // They count calls or weigh costs whatever the moment.
            self.weighs = None;
            let relations = difference.relations();
            let of = (relations, &*self.causes);
            self.relations
                .show_differences(of, &self.settings, ground, &ends);
            return self.find_focus();
        }
        if self.settings.joins_what_changes_together() {
            let range = moment.and_then(|moment| moment.range);
            let played = self.metrics.played().zip(range);
            let commits = played.map(|(of, range)| {
                let start = range.start.ns().checked_sub(1).map(Time::from_ns);
                start.map_or(0, |it| of.commits_at(it))..of.commits_at(range.end)
            });
            let chosen = (&session.hierarchy, self.focused[1]);
            let (metrics, settings) = (&self.metrics, &self.settings);
            let relations = &mut self.relations;
            if relations.show_together(metrics, commits, settings, ground, chosen, &self.block_of) {
                self.weighs = None;
                return self.find_focus();
            }
        }
        if moment.is_none()
            && let Some(imports) = self.metrics.imports()
        {
            let chosen = (&session.hierarchy, self.focused[1]);
            self.relations
                .show_imports(imports, &self.settings, ground, chosen, &self.block_of);
            return self.find_focus();
        }
        self.relations.show(
            moment,
            relations::ArcScene {
                session,
                settings: &self.settings,
                ground,
                ends,
                left: &self.left,
                wanted: &wanted,
                is_moving,
            },
        );
        self.find_focus();
    }

    /// Shows in place of a moment what differs between two runs: call relations between functions' modules, by
    /// how many calls B has more than A, or by how much cost where calls are not counted. O(r log r).
    pub fn show_differences(&mut self, session: &Session, relations: &[RelationDifference]) {
        self.show(session, None);
        self.shown = None;
        self.weighs = None;
        let ground = Ground {
            blocks: &self.blocks,
            parents: &self.parents,
        };
        let ends = self.ends.of(&self.block_of, 0..0);
        let of = (relations, &*self.causes);
        self.relations
            .show_differences(of, &self.settings, ground, &ends);
        self.marked.clear();
        self.find_focus();
    }
}
