//! Which views are open and seen, as state knows them: the dock of the window keeps their places.

use std::cmp::Ordering;
use std::fmt;

use glam::Vec2;
use serde::{Deserialize, Serialize};

pub use super::purpose::Purpose;

/// What can be selected: the columns of tables 6.3 and 6.4 of Bohnet's thesis, section 6.5, and what another program can ask
/// to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Artifact {
    Function,
    Module,
    Call,
    CallRelation,
    TimePoint,
    TimeRange,
    /// A line of a source file; no column of the tables.
    Line,
    /// What calls a module and what it calls; no column of the tables.
    Neighbours,
}

/// Where a view opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// In the middle.
    Centre,
    /// Below, as wide as the window: for what runs along time.
    Below,
    /// At the right: for tables.
    Right,
}

/// What a view needs to show something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    Recording,
    /// A recording with times: a profile has none.
    Times,
    /// A recording that knows something of memory.
    Memory,
    /// Two runs.
    TwoRuns,
    /// Two runs with times.
    TwoRunsWithTimes,
}

/// What the keys mean while the pointer is over a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What they mean anywhere.
    Plain,
    /// What lies along time.
    AlongTime,
    Table,
    /// A chart of calling contexts.
    Chart,
    /// A graph of who calls whom.
    Graph,
}

/// What the rest of the program knows of a view.
#[derive(Debug)]
pub struct ViewLine {
    /// In session files and on the command line.
    pub id: &'static str,
    pub title: &'static str,
    /// Opens and closes it.
    pub key: char,
    pub about: &'static str,
    /// Beside its key on the help page.
    pub help: &'static str,
    /// Beside its id in the schema of scene files; empty where the id says enough.
    pub in_scenes: &'static str,
    pub side: Side,
    pub kind: Kind,
    /// Without this there is nothing to see in it.
    pub needs: Needs,
    /// What can be selected in it: table 6.3.
    pub offers: &'static [Artifact],
    /// What it shows of a selection made elsewhere: table 6.4.
    pub answers: &'static [Artifact],
    /// What it is opened for together with others.
    pub purposes: &'static [Purpose],
    /// It opens by itself when such a thing is chosen: it has what that is chosen for.
    pub opens_for: &'static [Artifact],
}

impl ViewLine {
    /// Whether what it shows depends on the time that all views show, so that its pictures may follow one another.
    pub fn plays(&self) -> bool {
        let is_graph_of_time =
            self.kind == Kind::Graph && self.answers.contains(&Artifact::TimePoint);
        self.kind == Kind::AlongTime || self.needs == Needs::Memory || is_graph_of_time
    }
}

/// A view, known by its line. In the order of their keys.
#[derive(Clone, Copy)]
pub struct ViewId(&'static ViewLine);

impl ViewId {
    pub const fn of(line: &'static ViewLine) -> ViewId {
        ViewId(line)
    }

    pub const fn line(self) -> &'static ViewLine {
        self.0
    }

    pub const fn id(self) -> &'static str {
        self.0.id
    }

    pub const fn title(self) -> &'static str {
        self.0.title
    }
}

impl PartialEq for ViewId {
    fn eq(&self, other: &ViewId) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for ViewId {}

impl PartialOrd for ViewId {
    fn partial_cmp(&self, other: &ViewId) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ViewId {
    fn cmp(&self, other: &ViewId) -> Ordering {
        // As on a keyboard: 0 stands behind 9, and what is no digit behind that.
        let place = |key: char| match key {
            '0' => (1, key),
            '1'..='9' => (0, key),
            _ => (2, key),
        };
        (place(self.0.key), self.0.id).cmp(&(place(other.0.key), other.0.id))
    }
}

impl fmt::Debug for ViewId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.0.id)
    }
}

/// An arrangement as files keep it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrangement {
    /// The id of a view.
    View(String),
    Tabs {
        active: usize,
        parts: Vec<Arrangement>,
    },
    /// From left to right, with the share of each.
    Row {
        shares: Vec<f32>,
        parts: Vec<Arrangement>,
    },
    /// From top to bottom.
    Column {
        shares: Vec<f32>,
        parts: Vec<Arrangement>,
    },
}

/// What is asked of the dock; it follows before the next frame is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum PaneWish {
    Open(ViewId),
    Close(ViewId),
    /// Shows a view alone, or all again.
    Maximise(ViewId),
    Arrange(Arrangement),
    /// As at first.
    Reset,
    /// From now on views come and go in the course of a moment, or at once.
    Ease(bool),
    /// Views on their way are where they lead.
    Arrive,
}

/// A view in the dock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pane {
    pub view: ViewId,
    /// Not behind another tab.
    pub is_visible: bool,
    /// Where it was shown in the last frame, in points: the corners at the top left and the bottom right.
    pub place: Option<[Vec2; 2]>,
}

/// The open views.
#[derive(Clone, Debug)]
pub struct Panes {
    /// All that there are; the first is the one that the camera moves in.
    all: Vec<ViewId>,
    /// In the order of their keys; none on its way out.
    pub open: Vec<Pane>,
    /// Shown alone, over the others.
    pub maximised: Option<ViewId>,
    /// How all of them stand.
    pub arrangement: Option<Arrangement>,
    /// Views come or go.
    pub is_moving: bool,
    /// The view under the pointer in the last frame, and where the pointer was in it, in physical pixels; the middle of the
    /// view that has the keys, if one has.
    pub under_pointer: Option<(ViewId, Vec2)>,
    /// The view that takes keys wherever the pointer is: since the pointer moved it was opened, or reached with keys.
    pub with_keys: Option<ViewId>,
    /// What the dock has not followed yet.
    pub wishes: Vec<PaneWish>,
}

fn first_alone(all: &[ViewId]) -> Vec<Pane> {
    let first = all.iter().take(1);
    let first = first.map(|&view| Pane {
        view,
        is_visible: true,
        place: None,
    });
    first.collect()
}

/// Parts from top to bottom; one alone as it is.
fn column(shares: Vec<f32>, mut parts: Vec<Arrangement>) -> Arrangement {
    match parts.len() {
        1 => parts.remove(0),
        _ => Arrangement::Column { shares, parts },
    }
}

impl Panes {
    /// The first of `all` views alone, the one that the camera moves in.
    pub fn new(all: Vec<ViewId>) -> Panes {
        Panes {
            open: first_alone(&all),
            all,
            maximised: None,
            arrangement: None,
            is_moving: false,
            under_pointer: None,
            with_keys: None,
            wishes: Vec::new(),
        }
    }

    /// All views that there are.
    pub fn all(&self) -> &[ViewId] {
        &self.all
    }

    /// The view with this id.
    pub fn named(&self, id: &str) -> Option<ViewId> {
        self.all.iter().copied().find(|view| view.id() == id)
    }

    /// The views that open by themselves for such a thing.
    pub(super) fn opens_for(&self, artifact: Artifact) -> impl Iterator<Item = ViewId> {
        let all = self.all.iter().copied();
        all.filter(move |view| view.line().opens_for.contains(&artifact))
    }

    /// Whether the view that the camera moves in can be seen.
    pub fn is_main_visible(&self) -> bool {
        self.all.first().is_some_and(|&main| self.is_visible(main))
    }

    /// Opens the view that the camera moves in.
    pub fn open_main(&mut self) {
        if let Some(&main) = self.all.first() {
            self.open(main);
        }
    }

    /// The view of this kind under the pointer.
    pub fn under_pointer(&self, kind: Kind) -> Option<ViewId> {
        let (view, _) = self.under_pointer?;
        (view.line().kind == kind).then_some(view)
    }

    fn pane(&self, view: ViewId) -> Option<&Pane> {
        self.open.iter().find(|pane| pane.view == view)
    }

    /// Whether a view is open, and not on its way out.
    pub fn is_open(&self, view: ViewId) -> bool {
        self.pane(view).is_some()
    }

    /// Whether a view is open and not behind another tab.
    pub fn is_visible(&self, view: ViewId) -> bool {
        match self.maximised {
            Some(alone) => alone == view,
            None => self.pane(view).is_some_and(|pane| pane.is_visible),
        }
    }

    /// The size that a view had in the last frame, in points.
    pub fn size(&self, view: ViewId) -> Option<Vec2> {
        let [min, max] = self.pane(view)?.place?;
        Some(max - min)
    }

    /// Opens a view, or shows it when it is open.
    pub fn open(&mut self, view: ViewId) {
        if self.maximised.is_some_and(|of| of != view) {
            self.maximised = None;
        }
        match self.open.iter_mut().find(|pane| pane.view == view) {
            Some(pane) => pane.is_visible = true,
            None => {
                self.open.push(Pane {
                    view,
                    is_visible: true,
                    place: None,
                });
                self.open.sort_by_key(|pane| pane.view);
            }
        }
        self.wishes.push(PaneWish::Open(view));
    }

    /// Closes a view unless it is the only one.
    pub fn close(&mut self, view: ViewId) {
        if self.maximised == Some(view) {
            self.maximised = None;
        }
        if self.open.len() > 1 {
            self.open.retain(|pane| pane.view != view);
        }
        self.wishes.push(PaneWish::Close(view));
    }

    /// Opens a view that is not seen, closes one that is.
    pub fn toggle(&mut self, view: ViewId) {
        if self.is_visible(view) {
            self.close(view);
        } else {
            self.open(view);
            self.with_keys = Some(view);
        }
    }

    /// Gives the keys to the view that stands behind the one which has them, in the order of the views' own keys, or before
    /// it. None that is behind another tab.
    pub fn give_keys(&mut self, is_back: bool) {
        let seen = self.open.iter().map(|pane| pane.view);
        let seen: Vec<ViewId> = seen.filter(|&view| self.is_visible(view)).collect();
        let at = self
            .under_pointer
            .and_then(|(over, _)| seen.iter().position(|&view| view == over));
        let step = if is_back { seen.len().max(1) - 1 } else { 1 };
        let next = at.map_or(0, |at| (at + step) % seen.len());
        self.with_keys = seen.get(next).copied();
    }

    /// Notes over which view the pointer is, and where in it; `has_moved` takes the keys back from the view that has them.
    /// `points` are physical pixels a point.
    pub fn note_pointer(&mut self, over: Option<(ViewId, Vec2)>, has_moved: bool, points: f32) {
        let keys = self
            .with_keys
            .filter(|&view| !has_moved && self.is_visible(view));
        self.with_keys = keys;
        let middle = |view| (view, self.size(view).unwrap_or_default() * points * 0.5);
        self.under_pointer = match keys {
            Some(view) if over.is_none_or(|(of, _)| of != view) => Some(middle(view)),
            _ => over,
        };
    }

    /// Opens the views of an arrangement in place of those that are open; names that mean none are left out, and without
    /// any view the first one stands alone.
    pub fn arrange(&mut self, arrangement: &Arrangement) {
        let mut open = Vec::new();
        self.find(arrangement, true, &mut open);
        open.sort_by_key(|pane| pane.view);
        open.dedup_by_key(|pane| pane.view);
        self.open = match open.is_empty() {
            true => first_alone(&self.all),
            false => open,
        };
        self.maximised = None;
        self.wishes.push(PaneWish::Arrange(arrangement.clone()));
    }

    /// The first view with those for a purpose that have what they need: below it what runs along time, beside it the others.
    /// Nothing where no other view could show anything.
    pub fn arrangement_for(
        &self,
        purpose: Purpose,
        has: impl Fn(Needs) -> bool,
    ) -> Option<Arrangement> {
        let (main, others) = self.all.split_first()?;
        let others = others.iter().map(|view| view.line());
        let fits = others.filter(|line| line.purposes.contains(&purpose) && has(line.needs));
        let (below, beside): (Vec<&ViewLine>, Vec<&ViewLine>) =
            fits.partition(|line| line.side == Side::Below);
        if below.is_empty() && beside.is_empty() {
            return None;
        }
        let view = |line: &ViewLine| Arrangement::View(line.id.to_owned());
        let main = Arrangement::View(main.id().to_owned());
        // Charts of equal rank stand one over the other as long as each has room, else behind one another.
        let stack = |lines: &[&ViewLine]| {
            let parts: Vec<Arrangement> = lines.iter().map(|&line| view(line)).collect();
            match parts.len() {
                0..=2 => column(vec![0.5; parts.len()], parts),
                _ => Arrangement::Tabs { active: 0, parts },
            }
        };
        let left = match below.is_empty() {
            true => main,
            false => column(vec![0.58, 0.42], vec![main, stack(&below)]),
        };
        Some(match beside.is_empty() {
            true => left,
            false => Arrangement::Row {
                shares: vec![0.6, 0.4],
                parts: vec![left, stack(&beside)],
            },
        })
    }

    /// The views of a part of an arrangement; `is_visible` unless that is behind another tab.
    fn find(&self, part: &Arrangement, is_visible: bool, found: &mut Vec<Pane>) {
        match part {
            Arrangement::View(id) => found.extend(self.named(id).map(|view| Pane {
                view,
                is_visible,
                place: None,
            })),
            Arrangement::Tabs { active, parts } => {
                for (number, part) in parts.iter().enumerate() {
                    self.find(part, is_visible && number == *active, found);
                }
            }
            Arrangement::Row { parts, .. } | Arrangement::Column { parts, .. } => {
                for part in parts {
                    self.find(part, is_visible, found);
                }
            }
        }
    }

    /// Shows a view alone, or all again.
    pub fn maximise(&mut self, view: ViewId) {
        self.maximised = match self.maximised {
            None if self.is_open(view) && self.open.len() > 1 => Some(view),
            _ => None,
        };
        self.wishes.push(PaneWish::Maximise(view));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{CALLS, CITY, STACKS};
    use super::*;

    fn panes() -> Panes {
        Panes::new(vec![CITY, STACKS, CALLS])
    }

    #[test]
    fn the_view_that_the_camera_moves_in_is_open_at_first() {
        let panes = panes();
        assert!(panes.is_main_visible() && panes.is_open(CITY));
        assert!(!panes.is_open(STACKS));
        assert_eq!(panes.named("stacks"), Some(STACKS));
        assert_eq!(panes.named("nothing"), None);
        assert!(!Panes::new(Vec::new()).is_main_visible());
    }

    #[test]
    fn views_open_and_close_and_the_dock_is_told() {
        let mut panes = panes();
        panes.toggle(CALLS);
        panes.toggle(STACKS);
        let open: Vec<ViewId> = panes.open.iter().map(|pane| pane.view).collect();
        assert_eq!(open, [CITY, STACKS, CALLS], "in the order of their keys");
        panes.toggle(CITY);
        assert!(!panes.is_open(CITY));
        panes.open_main();
        assert!(panes.is_main_visible());
        let wishes = [
            PaneWish::Open(CALLS),
            PaneWish::Open(STACKS),
            PaneWish::Close(CITY),
            PaneWish::Open(CITY),
        ];
        assert_eq!(panes.wishes, wishes);
    }

    #[test]
    fn the_last_view_stays_open() {
        let mut panes = panes();
        panes.close(CITY);
        assert!(panes.is_open(CITY));
    }

    #[test]
    fn a_view_behind_a_tab_is_brought_to_the_front() {
        let mut panes = panes();
        panes.open(STACKS);
        panes.open[1].is_visible = false;
        assert!(panes.is_open(STACKS) && !panes.is_visible(STACKS));
        panes.toggle(STACKS);
        assert!(panes.is_visible(STACKS));
        assert_eq!(panes.open.len(), 2);
    }

    #[test]
    fn keys_are_for_the_view_that_was_opened_or_gone_to_until_the_pointer_moves() {
        let mut panes = panes();
        let over = Some((CITY, Vec2::new(3.0, 4.0)));
        panes.note_pointer(over, true, 2.0);
        assert_eq!(panes.under_pointer, over);
        panes.toggle(CALLS);
        panes.open[1].place = Some([Vec2::ZERO, Vec2::new(100.0, 60.0)]);
        panes.note_pointer(over, false, 2.0);
        let middle = Some((CALLS, Vec2::new(100.0, 60.0)));
        assert_eq!(panes.under_pointer, middle, "its middle in pixels");
        // Over it the pointer is where it is.
        let within = Some((CALLS, Vec2::ONE));
        panes.note_pointer(within, false, 2.0);
        assert_eq!(panes.under_pointer, within);
        panes.note_pointer(over, true, 2.0);
        assert_eq!((panes.under_pointer, panes.with_keys), (over, None));
        // From view to view and round, past what is behind a tab.
        panes.open(STACKS);
        panes.open[1].is_visible = false;
        let mut walked = Vec::new();
        for is_back in [false, false, true] {
            panes.give_keys(is_back);
            panes.note_pointer(over, false, 1.0);
            walked.extend(panes.under_pointer.map(|(view, _)| view));
        }
        assert_eq!(walked, [CALLS, CITY, CALLS]);
        // One that is closed has none.
        panes.toggle(CALLS);
        panes.note_pointer(None, false, 1.0);
        assert_eq!((panes.under_pointer, panes.with_keys), (None, None));
        Panes::new(Vec::new()).give_keys(true);
    }

    #[test]
    fn a_view_shown_alone_hides_the_others() {
        let mut panes = panes();
        panes.maximise(CITY);
        assert_eq!(panes.maximised, None, "it is the only one");
        panes.open(STACKS);
        panes.maximise(STACKS);
        assert!(panes.is_visible(STACKS) && !panes.is_visible(CITY));
        panes.open(CALLS);
        assert_eq!(panes.maximised, None, "another one is to be seen");
        panes.maximise(STACKS);
        panes.close(STACKS);
        assert_eq!(panes.maximised, None);
        assert!(panes.is_visible(CITY));
    }

    #[test]
    fn sizes_and_kinds_are_those_of_the_view() {
        let mut panes = panes();
        assert_eq!(panes.size(CITY), None, "it was not shown yet");
        panes.open[0].place = Some([Vec2::new(10.0, 20.0), Vec2::new(110.0, 70.0)]);
        assert_eq!(panes.size(CITY), Some(Vec2::new(100.0, 50.0)));
        panes.under_pointer = Some((STACKS, Vec2::ZERO));
        assert_eq!(panes.under_pointer(Kind::AlongTime), Some(STACKS));
        assert_eq!(panes.under_pointer(Kind::Table), None);
    }
}
