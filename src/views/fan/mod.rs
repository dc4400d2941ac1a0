//! The compacted call tree: packages, classes and functions as discs of a fan, each as detailed as is asked for.

mod compacted;
mod differences;
mod discs;
mod keys;
mod painting;
mod saved;
#[cfg(test)]
mod tests;
mod ui;

use std::sync::Arc;

use glam::Vec2;
use serde_json::{Map, Value};

use self::keys::{Does, KEYS};
use super::{Entry, Pane, SavedViews, View};
use crate::parts::contexts::{Counted, Hits, ShownContexts};
use crate::parts::kept::choices;
use callscape_analysis::compaction::{Blocked, Compaction, Direction, Name, Names, NodeId};
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_base::units::{ContextId, ModuleId};
use callscape_facts::contexts::Merge;
use callscape_filter::selection::Pointed;
use callscape_layout::hues::Hues;
use callscape_state::State;
use callscape_state::ask::{Asks, SelectAsk};
use callscape_state::document::Document;
use callscape_state::job::Job;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{Call, CallRelation, Function, Module, TimeRange};
use callscape_state::panes::{Kind, Needs, Side, ViewId, ViewLine};
use compacted::{Compacted, tree};
use differences::Differences;
use discs::Discs;

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "fan",
        title: "Compacted call tree",
        key: '#',
        about: "the call tree between packages, classes or functions, each expanded in place",
        help: "compacted call tree: packages, classes or functions, expanded in place",
        in_scenes: "",
        side: Side::Right,
        kind: Kind::Chart,
        needs: Needs::Recording,
        offers: &[Function, Module],
        answers: &[Function, Module, Call, CallRelation, TimeRange],
        opens_for: &[],
        purposes: &[],
    },
    keys: KEYS,
    open: || Box::new(Fan::default()),
};

choices! {
    /// What discs are coloured by.
    #[derive(Default)]
    pub(crate) enum Tint {
        /// The hue of the module.
        #[default]
        Module = "module";
        /// The difference of two runs.
        Difference = "difference of the runs";
    }
}

/// Of more contexts, all are expanded or compacted on another thread.
const AT_ONCE: usize = 50_000;

/// How much nearer and farther the fan can be shown than all of it.
const ZOOM: [f32; 2] = [0.2, 400.0];

/// All of it expanded or compacted on another thread.
struct Changing {
    job: Job<Result<Compaction, Blocked>>,
    direction: Direction,
}

/// What discs were last marked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct MarkedFor {
    /// What is meant, and of that what is chosen, as stamps.
    meant: u64,
    chosen: u64,
    revision: u64,
}

#[derive(Default)]
pub(crate) struct Fan {
    counted: Counted,
    compacted: Option<Compacted>,
    making: Option<Job<Compacted>>,
    changing: Option<Changing>,
    discs: Discs,
    hues: Hues,
    tint: Tint,
    differences: Differences,
    /// Why the last action was blocked.
    said: Option<String>,
    /// Times the size at which all is seen; 0 before anything is.
    zoom: f32,
    /// What lies in the middle, from the middle of all.
    pan: Vec2,
    hits: [Hits; 2],
    marked_for: MarkedFor,
    /// The first context of the disc chosen here: it may be one of several that stand for what is chosen.
    focus: Option<ContextId>,
    /// Runs of levels from a session file, until there is a tree that they are of.
    restored: Option<Vec<(u16, u32)>>,
}

impl Fan {
    /// Begins to compact what was counted.
    fn begin(&mut self, state: &State, document: &Document, shown: &Arc<ShownContexts>) {
        let shown = Arc::clone(shown);
        let session = Arc::clone(&document.session);
        let recording = document.recording();
        let levels = self
            .restored
            .take()
            .and_then(|runs| saved::levels(&runs, shown.contexts.len()));
        self.hues = Hues::new(&session.hierarchy);
        self.changing = None;
        self.making = Some(Job::named("compaction", state.waker(), move |progress| {
            progress.start("compacting the call tree", 0);
            let resolved = session.recordings.get(recording);
            let modules = resolved.map_or(&[][..], |it| &it.resolution.modules);
            let names = Names::new(&session.hierarchy, modules);
            progress.check()?;
            let of = tree(&shown, &names);
            // The paper's tool starts fully compacted.
            let compaction = match levels {
                Some(levels) => Compaction::with(of, levels),
                None => Compaction::new(of, 1),
            };
            progress.check()?;
            Ok(Compacted {
                compaction: Arc::new(compaction),
                names: Arc::new(names),
                shown,
            })
        }));
    }

    /// Shows one disc in more or less detail.
    fn change(&mut self, node: NodeId, direction: Direction, document: &Document) {
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

    fn change_all(&mut self, direction: Direction, state: &State, document: &Document) {
        let Some(of) = &self.compacted else {
            return;
        };
        if self.changing.is_some() {
            return;
        }
        if of.shown.contexts.len() <= AT_ONCE {
            let done = of.compaction.all_changed(of.tree(), direction);
            self.take_all(done, direction, document);
            return;
        }
        let (shown, names) = (Arc::clone(&of.shown), Arc::clone(&of.names));
        let compaction = Arc::clone(&of.compaction);
        let job = Job::named("compaction", state.waker(), move |progress| {
            progress.start("compacting the call tree", 0);
            let done = compaction.all_changed(tree(&shown, &names), direction);
            progress.check()?;
            Ok(done)
        });
        self.changing = Some(Changing { job, direction });
    }

    fn take_all(
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
    fn mark(&mut self, document: &Document) {
        let Some(of) = &self.compacted else {
            return;
        };
        let selection = &document.selection;
        let meant = [&selection.pointed, &selection.chosen];
        let way = document.chosen_way();
        let ways = [None, way];
        for ((hits, of_hits), way) in self.hits.iter_mut().zip(meant).zip(ways) {
            hits.find(document, &of.shown, of_hits, way);
        }
        let marked_for = MarkedFor {
            meant: selection.meant_stamp(),
            chosen: selection.chosen_stamp(),
            revision: self.discs.revision,
        };
        let is_new = self.marked_for != marked_for;
        if way.is_some() && self.marked_for.chosen != marked_for.chosen {
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
    fn chosen_disc(&self) -> Option<usize> {
        let own = self.focus.and_then(|it| self.discs.of_first(it));
        own.filter(|&it| self.discs.all[it].is_marked[1])
            .or_else(|| self.discs.largest_chosen())
    }

    /// What is meant by a disc.
    fn pointed_at(&self, document: &Document, node: NodeId) -> Pointed {
        let Some(of) = &self.compacted else {
            return Pointed::default();
        };
        let name = of.compaction.name(node);
        document.complete(Pointed {
            module: Some(of.names.module(name)),
            function: of.names.function(name),
            ..Pointed::default()
        })
    }

    /// Chooses the disc so many places further on.
    fn walk(&mut self, by: isize, document: &Document, asks: &mut Asks) {
        let Some(last) = self.discs.all.len().checked_sub(1) else {
            return;
        };
        let to = match self.chosen_disc() {
            Some(at) => at.saturating_add_signed(by).min(last),
            None => 0,
        };
        let disc = &self.discs.all[to];
        self.focus = Some(disc.first);
        asks.push(SelectAsk::Walk(self.pointed_at(document, disc.node)));
    }

    fn zoom_by(&mut self, factor: f32) {
        self.zoom = (self.zoom * factor).clamp(ZOOM[0], ZOOM[1]);
    }
}

/// A name as people may see it, its elements joined by dots.
fn displayed(document: &Document, names: &Names, name: Name) -> String {
    let hierarchy = &document.session.hierarchy;
    let module = names.module(name);
    let own = names.function(name).map(|it| document.function_name(it));
    let path = match module {
        ModuleId::ROOT => String::new(),
        _ => hierarchy.path(module).replace('/', "."),
    };
    escape::name(&match own {
        Some(own) if path.is_empty() => own.to_owned(),
        Some(own) => format!("{path}: {own}"),
        None => path,
    })
    .into_owned()
}

/// Why something cannot be done.
fn said(
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

impl View for Fan {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        if self.zoom == 0.0 {
            self.zoom = 1.0;
        }
        let is_new = self.counted.update(state, Merge::Paths);
        let (Some(document), Some(shown)) = (&state.document, self.counted.shown().cloned()) else {
            (self.compacted, self.making, self.changing) = (None, None, None);
            return;
        };
        let is_asked = self.restored.is_some() && self.making.is_none();
        if is_new || is_asked {
            self.begin(state, document, &shown);
        }
        if let Some(done) = self.making.as_ref().and_then(Job::poll) {
            self.making = None;
            if let Ok(compacted) = done {
                self.said = None;
                self.discs = Discs::new(&compacted.compaction, self.discs.revision);
                self.compacted = Some(compacted);
            }
        }
        if let Some(changing) = &self.changing
            && let Some(done) = changing.job.poll()
        {
            let direction = changing.direction;
            self.changing = None;
            if let Ok(done) = done {
                self.take_all(done, direction, document);
            }
        }
        if let Some(of) = self
            .compacted
            .as_ref()
            .filter(|_| self.tint == Tint::Difference)
        {
            self.differences.find(of, &self.discs);
        }
        self.mark(document);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn act(&mut self, own: Own, state: &State, asks: &mut Asks) {
        let (Some(does), Some(document)) = (own.action::<Does>(), &state.document) else {
            return;
        };
        let mut change_one = |direction: Direction| {
            if let Some(at) = self.chosen_disc() {
                let disc = &self.discs.all[at];
                let (node, first) = (disc.node, disc.first);
                self.focus = Some(first);
                self.change(node, direction, document);
            }
        };
        match does {
            Does::MoreOfOne => change_one(Direction::Expand),
            Does::LessOfOne => change_one(Direction::Compact),
            Does::More => self.change_all(Direction::Expand, state, document),
            Does::Less => self.change_all(Direction::Compact, state, document),
            Does::Next => self.walk(1, document, asks),
            Does::Previous => self.walk(-1, document, asks),
            Does::Nearer => self.zoom_by(1.25),
            Does::Farther => self.zoom_by(1.0 / 1.25),
        }
    }

    fn show_all(&mut self, _document: &Document) {
        (self.zoom, self.pan) = (1.0, Vec2::ZERO);
    }

    fn is_waiting(&self) -> bool {
        self.counted.is_waiting() || self.making.is_some() || self.changing.is_some()
    }

    fn progress(&self) -> Option<&Progress> {
        let making = self.making.as_ref().and_then(Job::slow);
        let changing = self.changing.as_ref().and_then(|it| it.job.slow());
        self.counted.progress().or(making).or(changing)
    }

    fn cancel(&mut self) {
        self.changing = None;
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        saved::save(self, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        if self.compacted.is_none() {
            return;
        }
        let marked = self.discs.all.iter().filter(|it| it.is_marked[1]);
        let log = serde_json::json!({
            "discs": self.discs.all.len(),
            "zoom": self.zoom,
            "colour": self.tint.title(),
            "chosen": marked.count(),
            "said": self.said,
        });
        line.insert("fan".to_owned(), log);
    }
}
