//! What the view knows, and what it does with that.

use super::compacted::{Compacted, tree};
use super::differences::Differences;
use super::discs::{Disc, Discs};
use crate::parts::contexts::Counted;
use crate::parts::hits::Hits;
use crate::parts::kept::choices;
use crate::parts::noted::Noted;
use callscape_analysis::compaction::{Blocked, Compaction, Direction, Name, Names, NodeId};
use callscape_base::escape;
use callscape_base::units::ContextId;
use callscape_filter::selection::Pointed;
use callscape_layout::hues::Hues;
use callscape_state::ask::{Asks, SelectAsk};
use callscape_state::document::Document;
use callscape_state::job::Job;
use glam::Vec2;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Of more contexts, all are expanded or compacted on another thread.
pub(super) const AT_ONCE: usize = 50_000;

/// How much nearer and farther the fan can be shown than all of it.
pub(super) const ZOOM: [f32; 2] = [0.2, 400.0];

choices! {
    /// What discs are coloured by.
    #[derive(Default)]
    pub(super) enum Colour {
        /// Each package has a hue, and those in it have hues near it.
        #[default]
        Package = "package";
        /// The hue of the district, as in other views.
        Module = "module";
        Difference = "difference of the runs";
    }
}

/// All of it expanded or compacted on another thread.
pub(super) struct Changing {
    pub(super) job: Job<Result<Compaction, Blocked>>,
    pub(super) direction: Direction,
}

/// What discs were last marked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MarkedFor {
    /// What is meant, and of that what is chosen, as stamps.
    pub(super) meant: u64,
    pub(super) chosen: u64,
    pub(super) revision: u64,
}

#[derive(Default)]
pub(crate) struct Fan {
    pub(super) counted: Counted,
    pub(super) compacted: Option<Compacted>,
    pub(super) making: Option<Job<Compacted>>,
    pub(super) changing: Option<Changing>,
    pub(super) discs: Discs,
    pub(super) hues: Hues,
    pub(super) colour: Colour,
    pub(super) differences: Differences,
    pub(super) noted: Noted,
    /// The button has been held down for the menu, and is not a click any more.
    pub(super) is_held: bool,
    /// Why the last action was blocked.
    pub(super) said: Option<String>,
    /// Times the size at which all is seen; 0 before anything is.
    pub(super) zoom: f32,
    /// What lies in the middle, from the middle of all.
    pub(super) pan: Vec2,
    pub(super) hits: [Hits; 2],
    pub(super) marked_for: MarkedFor,
    /// The first context of the disc chosen here: it may be one of several that stand for what is chosen.
    pub(super) focus: Option<ContextId>,
    /// The branches collapsed in a session file, until there is such a tree.
    pub(super) collapsed: BTreeSet<ContextId>,
    /// Runs of levels from a session file, until there is a tree that they are of.
    pub(super) restored: Option<Vec<(u16, u32)>>,
}

impl Fan {
    /// Shows one disc in more or less detail.
    pub(super) fn change(&mut self, node: NodeId, direction: Direction, document: &Document) {
        let Some(of) = &mut self.compacted else {
            return;
        };
        if self.changing.is_some() {
            return;
        }
        let name = of.compaction.name(node);
        let tree = tree(&of.shown, &of.names);
        let done = Arc::make_mut(&mut of.compaction).change(tree, node, direction);
        match done {
            Ok(change) => {
                self.said = None;
                self.discs.follow(&of.compaction, tree, &change);
            }
            Err(reason) => {
                let name = displayed(document, &of.names, name);
                self.said = Some(said(&name, direction, reason, document, &of.names));
            }
        }
    }

    /// What discs are coloured by: there may be no other run.
    pub(super) fn colour(&self, of: &Compacted) -> Colour {
        match self.colour {
            Colour::Difference if !of.shown.has_other() => Colour::default(),
            colour => colour,
        }
    }

    /// Collapses the branch below a disc, or opens it again.
    pub(super) fn toggle(&mut self, disc: &Disc) {
        if let Some(of) = self.compacted.as_ref().filter(|_| disc.has_callees) {
            self.focus = Some(disc.first);
            self.discs.toggle(&of.compaction, disc.first);
        }
    }

    pub(super) fn show_changed(
        &mut self,
        done: Result<Compaction, Blocked>,
        direction: Direction,
        document: &Document,
    ) {
        let Some(of) = &mut self.compacted else {
            return;
        };
        match done {
            Ok(compaction) => {
                self.said = None;
                let before = std::mem::replace(&mut of.compaction, Arc::new(compaction));
                let tree = tree(&of.shown, &of.names);
                self.discs.follow_all(&before, &of.compaction, tree);
            }
            Err(reason) => {
                self.said = Some(said("All of it", direction, reason, document, &of.names));
            }
        }
    }

    /// Finds which discs hold what is pointed at and what is chosen.
    pub(super) fn mark(&mut self, document: &Document) {
        let Some(of) = &self.compacted else {
            return;
        };
        let selection = &document.selection;
        Hits::find_both(&mut self.hits, document, &of.shown);
        let marked_for = MarkedFor {
            meant: selection.meant_stamp(),
            chosen: selection.chosen_stamp(),
            revision: self.discs.revision,
        };
        let is_new = self.marked_for != marked_for;
        if document.chosen_way().is_some() && self.marked_for.chosen != marked_for.chosen {
            self.focus = None;
        }
        self.marked_for = marked_for;
        if is_new {
            self.discs.negative = of.negative();
            self.discs.mark(&of.compaction, of.tree(), &self.hits);
            let findings = selection.marked.as_deref();
            self.discs
                .mark_findings(&of.compaction, of.tree(), findings);
        }
    }

    /// The disc that keys act on: the one chosen here, else the largest of what is chosen.
    pub(super) fn chosen_disc(&self) -> Option<usize> {
        let own = self.focus.and_then(|it| self.discs.of_first(it));
        own.filter(|&it| self.discs.all[it].is_marked[1])
            .or_else(|| self.discs.largest_chosen())
    }

    /// Chooses the disc so many places further on.
    pub(super) fn walk(&mut self, by: isize, document: &Document, asks: &mut Asks) {
        let Some(last) = self.discs.all.len().checked_sub(1) else {
            return;
        };
        let to = match self.chosen_disc() {
            Some(at) => at.saturating_add_signed(by).min(last),
            None => 0,
        };
        let disc = &self.discs.all[to];
        self.focus = Some(disc.first);
        let of = self.compacted.as_ref();
        asks.extend(of.map(|of| SelectAsk::Walk(pointed_at(of, document, disc.node))));
    }

    pub(super) fn zoom_by(&mut self, factor: f32) {
        self.zoom = (self.zoom * factor).clamp(ZOOM[0], ZOOM[1]);
    }
}

/// What is meant by a disc.
pub(super) fn pointed_at(of: &Compacted, document: &Document, node: NodeId) -> Pointed {
    let name = of.compaction.name(node);
    document.complete(Pointed {
        module: Some(of.names.module(name)),
        function: of.names.function(name),
        ..Pointed::default()
    })
}

/// A name as people may see it, its elements joined by dots.
pub(super) fn displayed(document: &Document, names: &Names, name: Name) -> String {
    let hierarchy = &document.session.hierarchy;
    let own = names.function(name).map(|it| document.function_name(it));
    let path = names.path(hierarchy, name);
    escape::name(&match own {
        Some(own) if path.is_empty() => own.to_owned(),
        Some(own) => format!("{path}: {own}"),
        None => path,
    })
    .into_owned()
}

/// Why something cannot be done.
pub(super) fn said(
    what: &str,
    direction: Direction,
    reason: Blocked,
    document: &Document,
    names: &Names,
) -> String {
    let name = |it: Name| displayed(document, names, it);
    let done = match direction {
        Direction::Expand => "expanded",
        Direction::Compact => "compacted",
    };
    let why = match reason {
        Blocked::Expanded => "every function in it is shown already".to_owned(),
        Blocked::Compacted => "it is as compact as it can be".to_owned(),
        Blocked::BelowParent { node, parent } => format!(
            "{} would be less detailed than {}, which calls it; compact that first",
            name(node),
            name(parent)
        ),
        Blocked::AcrossLevels { outer, inner } => format!(
            "{} would take over {} across more than one level; compact that first",
            name(outer),
            name(inner)
        ),
    };
    format!("{what} cannot be {done}: {why}")
}
