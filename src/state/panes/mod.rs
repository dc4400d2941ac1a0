//! Which views are open, and how they are arranged. The dock draws them and asks for what the user moves.

mod arrangement;
mod coming;
mod line;
#[cfg(test)]
mod tests;

use glam::Vec2;

pub use self::arrangement::Arrangement;
pub use self::coming::Coming;
pub use self::line::{Artifact, Kind, Needs, Side, ViewId, ViewLine};
use super::ask::PaneAsk;
pub use super::purpose::Purpose;

/// How much of the window a view that opens gets from those that are open.
const SHARE_BELOW: f32 = 0.34;
const SHARE_RIGHT: f32 = 0.42;
const SHARE_LEFT: f32 = 0.6;

/// Where there is less room than this, in points, views share a place as tabs.
const ROOM: Vec2 = Vec2::new(620.0, 420.0);

/// A view that is open.
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
    /// How the open ones are arranged, and those on their way out.
    arrangement: Arrangement,
    /// Views on their way in or out.
    coming: Vec<Coming>,
    /// Whether views open and close gradually.
    eases: bool,
    /// Shown alone, over the others.
    pub maximised: Option<ViewId>,
    /// Where views were shown in the last frame, in points, and the size of the room that all of them had.
    places: Vec<(ViewId, [Vec2; 2])>,
    room: Vec2,
    /// The view under the pointer in the last frame, and where the pointer was in it, in physical pixels; the middle of the
    /// view that has the keys, if one has.
    pub under_pointer: Option<(ViewId, Vec2)>,
    /// The view that takes keys wherever the pointer is: since the pointer moved it was opened, or reached with keys.
    pub with_keys: Option<ViewId>,
}

fn first_alone(all: &[ViewId]) -> Arrangement {
    let first = all.first().map(|&view| Arrangement::of(view));
    first.unwrap_or(Arrangement::View(String::new()))
}

impl Panes {
    /// The first of `all` views alone, the one that the camera moves in.
    pub fn new(all: Vec<ViewId>) -> Panes {
        Panes {
            arrangement: first_alone(&all),
            all,
            coming: Vec::new(),
            eases: false,
            maximised: None,
            places: Vec::new(),
            room: Vec2::new(1280.0, 720.0),
            under_pointer: None,
            with_keys: None,
        }
    }

    /// Does what is asked; `has` says whether what is open has what a view needs, none while nothing is open.
    pub(super) fn on(&mut self, ask: PaneAsk, has: Option<impl Fn(Needs) -> bool>) {
        match ask {
            PaneAsk::Toggle(view) => {
                // What is open can be closed whatever it needs.
                let can_show = has.is_none_or(|has| has(view.line().needs));
                if can_show || self.is_visible(view) {
                    self.toggle(view);
                }
            }
            PaneAsk::Maximise(view) => {
                let pointed = self.under_pointer.map(|(view, _)| view);
                let view = view.or(self.maximised).or(pointed);
                if let Some(view) = view.or(self.all.first().copied()) {
                    self.maximise(view);
                }
            }
            PaneAsk::GiveKeys { is_back } => self.give_keys(is_back),
            PaneAsk::Reset => self.arrange_tidy(first_alone(&self.all)),
            PaneAsk::For(purpose) => {
                if let Some(arrangement) = has.and_then(|has| self.arrangement_for(purpose, has)) {
                    self.arrange(&arrangement);
                }
            }
            PaneAsk::Arrange(arrangement) => {
                self.arrange(&arrangement);
            }
            PaneAsk::Move(arrangement) => self.arrangement = arrangement,
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

    /// The arrangement of the open views, and of those on their way out.
    pub fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// The open views in the order of their keys; none on its way out.
    pub fn open_panes(&self) -> Vec<Pane> {
        let views = self.arrangement.views().into_iter();
        let open = views.filter_map(|(id, is_visible)| {
            let view = self.named(id).filter(|&view| !self.goes(view))?;
            Some(Pane {
                view,
                is_visible,
                place: self.place(view),
            })
        });
        let mut open: Vec<Pane> = open.collect();
        open.sort_by_key(|pane| pane.view);
        open
    }

    /// The open views without their places, in the order of their keys.
    pub fn open_views(&self) -> Vec<ViewId> {
        self.open_panes().iter().map(|pane| pane.view).collect()
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
    pub(crate) fn open_main(&mut self) {
        if let Some(&main) = self.all.first() {
            self.open(main);
        }
    }

    /// The view of this kind under the pointer.
    pub fn under_pointer(&self, kind: Kind) -> Option<ViewId> {
        let (view, _) = self.under_pointer?;
        (view.line().kind == kind).then_some(view)
    }

    fn goes(&self, view: ViewId) -> bool {
        self.coming.iter().any(|it| it.view == view && it.goes)
    }

    /// Whether a view is open, and not on its way out.
    pub fn is_open(&self, view: ViewId) -> bool {
        self.arrangement.holds(view) && !self.goes(view)
    }

    /// Whether a view is open and not behind another tab.
    pub fn is_visible(&self, view: ViewId) -> bool {
        match self.maximised {
            Some(alone) => alone == view,
            None => !self.goes(view) && self.arrangement.shows(view),
        }
    }

    /// Where a view was in the last frame, in points.
    pub fn place(&self, view: ViewId) -> Option<[Vec2; 2]> {
        let mut places = self.places.iter();
        places.find(|(of, _)| *of == view).map(|&(_, place)| place)
    }

    /// The size that a view had in the last frame, in points.
    pub fn size(&self, view: ViewId) -> Option<Vec2> {
        let [min, max] = self.place(view).filter(|_| self.is_open(view))?;
        Some(max - min)
    }

    /// Notes where views were shown, and the size of the room of all of them, in points.
    pub fn shown(&mut self, places: Vec<(ViewId, [Vec2; 2])>, room: Vec2) {
        (self.places, self.room) = (places, room);
    }

    /// Opens a view, or shows it when it is open.
    pub fn open(&mut self, view: ViewId) {
        if self.maximised.is_some_and(|of| of != view) {
            self.maximised = None;
        }
        let mut coming = self.coming.iter_mut();
        if let Some(coming) = coming.find(|it| it.view == view && it.goes) {
            coming.goes = false;
        } else if self.is_open(view) {
            self.arrangement.activate(view);
        } else {
            self.add(view);
        }
    }

    /// Adds a view on its side, or in tabs if there is no room for another place.
    fn add(&mut self, view: ViewId) {
        let (side, room) = (view.line().side, self.room);
        let shares_place = match side {
            Side::Centre => false,
            Side::Right => true,
            Side::Below => room.y < ROOM.y,
        };
        let no_room = match side {
            Side::Centre => false,
            Side::Below => room.y < ROOM.y * 0.6,
            Side::Right => room.x < ROOM.x,
        };
        let is_beside = |other: ViewId| {
            shares_place && other != view && other.line().side == side && self.is_open(other)
        };
        let beside = self.all.iter().copied().find(|&it| is_beside(it));
        let main = self.all.first().copied().filter(|_| no_room);
        if let Some(other) = beside.or(main).filter(|&it| self.arrangement.holds(it)) {
            return self.arrangement.add_tab(other, view);
        }
        let share = match side {
            Side::Below => SHARE_BELOW,
            // No more than half, as wide as what it shows.
            Side::Right => SHARE_RIGHT.max((view.line().wide / room.x.max(1.0)).min(0.5)),
            Side::Centre => SHARE_LEFT,
        };
        let whole = std::mem::replace(&mut self.arrangement, Arrangement::of(view));
        if whole.views().iter().all(|(id, _)| self.named(id).is_none()) {
            return;
        }
        let is_row = matches!(whole, Arrangement::Row { .. });
        self.arrangement = match side {
            Side::Centre if !is_row => whole.add_before(view, share),
            _ => whole.add_after(view, share, side == Side::Below, |part| self.is_going(part)),
        };
        if self.eases {
            self.coming.push(Coming::new(view, share, false));
        }
    }

    /// Whether a part is a view on its way out.
    fn is_going(&self, part: &Arrangement) -> bool {
        let goes = self.coming.iter().filter(|it| it.goes);
        goes.into_iter().any(|it| *part == Arrangement::of(it.view))
    }

    /// Closes a view unless it is the only one.
    pub fn close(&mut self, view: ViewId) {
        if self.maximised == Some(view) {
            self.maximised = None;
        }
        if !self.is_open(view) || self.open_views().len() <= 1 {
            return;
        }
        let share = self.arrangement.share(view, &|part| self.is_going(part));
        let Some(share) = share.filter(|_| self.eases) else {
            return self.remove(view);
        };
        match self.coming.iter_mut().find(|it| it.view == view) {
            Some(coming) => coming.goes = true,
            None => self.coming.push(Coming::new(view, share, true)),
        }
    }

    fn remove(&mut self, view: ViewId) {
        self.coming.retain(|it| it.view != view);
        self.tidy(&mut |id| id != view.id());
    }

    fn tidy(&mut self, keeps: &mut dyn FnMut(&str) -> bool) {
        let left = self.arrangement.clone().tidied(keeps);
        self.arrangement = left.unwrap_or_else(|| first_alone(&self.all));
    }

    /// The views on their way.
    pub fn coming(&self) -> &[Coming] {
        &self.coming
    }

    /// Makes views come and go gradually, or at once.
    pub fn ease(&mut self, eases: bool) {
        self.eases = eases;
    }

    /// Whether views are on their way.
    pub fn is_moving(&self) -> bool {
        !self.coming.is_empty()
    }

    /// Moves views on their way by `seconds`.
    pub fn advance(&mut self, seconds: f32) {
        let mut gone = Vec::new();
        self.coming.retain_mut(|it| {
            let is_on_its_way = it.advance(seconds);
            gone.extend((it.goes && !is_on_its_way).then_some(it.view));
            is_on_its_way
        });
        gone.into_iter().for_each(|view| self.remove(view));
    }

    /// Moves views on their way to their ends.
    pub fn arrive(&mut self) {
        self.advance(f32::MAX);
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
    fn give_keys(&mut self, is_back: bool) {
        let mut seen = self.open_views();
        seen.retain(|&view| self.is_visible(view));
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

    /// Opens the views of an arrangement in place of those that are open, all at once; without any view the first one
    /// stands alone. The names that mean no view.
    pub fn arrange(&mut self, arrangement: &Arrangement) -> Vec<String> {
        let (mut seen, mut unknown) = (Vec::new(), Vec::new());
        let tidy = arrangement.clone().tidied(&mut |id| {
            let is_known = self.named(id).is_some();
            if !is_known {
                unknown.push(id.to_owned());
            }
            let is_first = !seen.iter().any(|it| it == id);
            seen.push(id.to_owned());
            is_known && is_first
        });
        self.arrange_tidy(tidy.unwrap_or_else(|| first_alone(&self.all)));
        unknown
    }

    fn arrange_tidy(&mut self, arrangement: Arrangement) {
        self.arrangement = arrangement;
        self.coming.clear();
        (self.eases, self.maximised) = (false, None);
    }

    /// The first view with those for a purpose that have what they need: below it what runs along time, beside it the others.
    /// Nothing where no other view could show anything.
    pub(super) fn arrangement_for(
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
        let main = Arrangement::of(*main);
        // Charts of equal rank stand one over the other as long as each has room, else behind one another.
        let stack = |lines: &[&ViewLine]| {
            let parts: Vec<Arrangement> = lines.iter().map(|&line| view(line)).collect();
            match parts.len() {
                0..=2 => Arrangement::column(vec![0.5; parts.len()], parts),
                _ => Arrangement::Tabs { active: 0, parts },
            }
        };
        let left = match below.is_empty() {
            true => main,
            false => Arrangement::column(vec![0.58, 0.42], vec![main, stack(&below)]),
        };
        Some(match beside.is_empty() {
            true => left,
            false => Arrangement::Row {
                shares: vec![0.6, 0.4],
                parts: vec![left, stack(&beside)],
            },
        })
    }

    /// Shows a view alone, or all again.
    pub fn maximise(&mut self, view: ViewId) {
        self.maximised = match self.maximised {
            None if self.is_open(view) && self.open_views().len() > 1 => Some(view),
            _ => None,
        };
    }
}
