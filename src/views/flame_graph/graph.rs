//! A flame graph: what is shown of it, and how that changes.

use super::choice::Choice;
use super::laid_out::Side;
use super::making::{At, Made, Making};
use super::marks::Marks;
use super::places::Rows;
use super::searching::Search;
use crate::parts::contexts::Counted;
use crate::parts::hits::Hits;
use callscape_filter::selection::Pointed;
use callscape_layout::stacks::{Bar, Shade};
use callscape_state::ask::{Asks, SelectAsk};
use callscape_state::document::Document;

/// What is shown once there are stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Restored {
    pub function: Option<(u32, usize)>,
    pub seen: Option<([Option<[f64; 2]>; 2], usize)>,
}

/// What is seen of both sides, and the function in their middle.
pub(super) type Shown = (Option<u32>, [Option<[f64; 2]>; 2]);

/// Zooms that Backspace goes back to.
const MOST_ZOOMS: usize = 200;

#[derive(Default)]
pub(super) struct FlameGraph {
    pub counted: Counted,
    pub making: Making,
    pub choice: Choice,
    /// The function whose callers and callees are shown.
    pub focus: Option<u32>,
    pub sides: [Side; 2],
    pub before: Vec<Shown>,
    /// How far what is seen is moved from where it is at first, in points.
    pub scroll: f32,
    /// The bar that keys start from, and the one that the menu was last opened on.
    pub cursor: Option<At>,
    pub menu_of: Option<At>,
    /// Whether what is chosen is to come into sight.
    pub reveals: bool,
    pub query: String,
    pub search: Option<Search>,
    /// What is chosen.
    pub chosen: Marks,
    pub hits: Hits,
    /// The width of the chart in the last frame in points, and the window's time then; and where rows were.
    pub last: (f32, f64),
    pub rows: Option<Rows>,
    /// What a session file has, until there are stacks.
    pub restored: Restored,
}

impl FlameGraph {
    /// What a session file keeps of what is seen; none without stacks.
    pub(super) fn now(&self) -> Option<Restored> {
        let made = self.making.made()?;
        let of = made.shown.contexts.len();
        let seen = [0, 1].map(|side: usize| self.sides[side].range());
        Some(Restored {
            function: self.focus.map(|it| (it, made.functions.len())),
            seen: (seen != [None; 2]).then_some((seen, of)),
        })
    }

    fn remember(&mut self) {
        let ranges = [0, 1].map(|side: usize| self.sides[side].range());
        self.before.push((self.focus, ranges));
        if self.before.len() > MOST_ZOOMS {
            self.before.remove(0);
        }
    }

    /// Makes what is too narrow to be seen as wide as the picture.
    pub(super) fn zoom_to_shade(&mut self, side: usize, shade: &Shade) {
        let Some(made) = self.making.made() else {
            return;
        };
        let [from, to] = made.sides[side].forest.place_of(shade);
        if from < to {
            self.remember();
            let range = Some([from as f64, to as f64]);
            if let Some(made) = self.making.made() {
                self.sides[side].go(&made.sides[side], range, self.last.1);
            }
        }
    }

    /// Makes a bar as wide as the picture.
    pub(super) fn zoom_to(&mut self, (side, node): At) {
        let now = self.last.1;
        let Some(made) = self.making.made() else {
            return;
        };
        let stacks = &made.sides[side];
        let [from, to] = stacks.forest.place(node);
        let is_all = stacks.forest.total(node) == stacks.forest.whole();
        let range = (!is_all).then_some([from as f64, to as f64]);
        let is_root = made.focus.is_some() && stacks.forest.parent(node).is_none();
        let is_same = self.sides[side].range() == range;
        if is_same && !(is_root && self.sides[1 - side].is_part()) || from == to {
            return;
        }
        self.remember();
        // The function in the middle is that of both sides.
        let wanted = [(side, Some(range)), (1 - side, is_root.then_some(None))];
        for (side, range) in wanted {
            if let (Some(range), Some(made)) = (range, self.making.made()) {
                self.sides[side].go(&made.sides[side], range, now);
            }
        }
    }

    /// Shows the callers and callees of a function, or everything.
    pub(super) fn set_focus(&mut self, focus: Option<u32>) {
        if self.focus != focus {
            self.remember();
            self.focus = focus;
            self.sides.iter_mut().for_each(|it| it.set(None));
            (self.scroll, self.cursor) = (0.0, None);
        }
    }

    /// Shows all bars of what is shown.
    pub(super) fn show_whole(&mut self) {
        let now = self.last.1;
        if self.sides.iter().any(Side::is_part) {
            self.remember();
        }
        if let Some(made) = self.making.made() {
            for (side, stacks) in self.sides.iter_mut().zip(&made.sides) {
                side.go(stacks, None, now);
            }
        }
        self.scroll = 0.0;
    }

    /// Shows what was shown before.
    pub(super) fn back(&mut self) {
        let Some((focus, ranges)) = self.before.pop() else {
            return;
        };
        let now = self.last.1;
        let is_other = self.focus != focus;
        self.focus = focus;
        let made = self.making.made();
        for ((place, side), range) in self.sides.iter_mut().enumerate().zip(ranges) {
            match made.filter(|_| !is_other) {
                Some(made) => side.go(&made.sides[place], range, now),
                None => side.set(range),
            }
        }
        if is_other {
            (self.scroll, self.cursor) = (0.0, None);
        }
    }

    pub(super) fn zoom(&mut self, side: usize, at: f32, factor: f64) {
        if let Some(made) = self.making.made() {
            self.sides[side].zoom(&made.sides[side], (at, self.last.0), factor);
        }
    }

    pub(super) fn pan(&mut self, side: usize, by: f32) {
        if let Some(made) = self.making.made().filter(|_| by != 0.0) {
            self.sides[side].pan(&made.sides[side], by, self.last.0);
        }
    }

    /// What is meant by a bar.
    pub(super) fn pointed_at(made: &Made, (side, node): At) -> Pointed {
        let key = made.sides[side].key(node);
        Pointed {
            module: made.functions.module(key),
            function: made.functions.shown(key),
            ..Pointed::default()
        }
    }

    /// The bar of the keys, or the widest one that is chosen, or the widest of all.
    pub(super) fn cursor(&self) -> Option<At> {
        let is_seen = |(side, node): &At| {
            let stacks = &self.making.made()?.sides[*side];
            (*node < stacks.forest.len() as u32).then_some(())
        };
        let widest = |bars: &mut dyn Iterator<Item = (usize, &Bar)>| {
            let most = bars.max_by(|a, b| (a.1.to - a.1.from).total_cmp(&(b.1.to - b.1.from)))?;
            Some((most.0, most.1.node))
        };
        let all = || {
            let sides = self.sides.iter().enumerate();
            sides.flat_map(|(side, it)| it.bars.bars.iter().map(move |bar| (side, bar)))
        };
        let cursor = self.cursor.filter(|it| is_seen(it).is_some());
        let mut chosen = all().filter(|(side, bar)| self.chosen.holds(*side, bar.node));
        let mut first = all().filter(|(side, bar)| *side == 0 && bar.row == 0);
        cursor
            .or_else(|| widest(&mut chosen))
            .or_else(|| widest(&mut first))
    }

    /// Moves the bar of the keys outwards (−1) or inwards (1) along the stacks, or beside it.
    pub(super) fn step(&mut self, along: i32, beside: i32, asks: &mut Asks) {
        let Some((side, node)) = self.cursor() else {
            return;
        };
        let Some(made) = self.making.made() else {
            return;
        };
        let is_first = self.cursor.is_none();
        let stacks = &made.sides[side];
        // Callers lie on the other side of the function in the middle.
        let is_middle = made.focus.is_some() && stacks.forest.parent(node).is_none();
        let (side, inwards) = match (is_middle, along) {
            (true, -1) => (1, true),
            (true, _) => (0, along > 0),
            (false, _) => (side, (along > 0) == (side == 0)),
        };
        let stacks = &made.sides[side];
        let node = if is_middle { 0 } else { node };
        let forest = &stacks.forest;
        let widest = |nodes: &[u32]| {
            nodes
                .iter()
                .copied()
                .max_by_key(|&it| (forest.total(it), std::cmp::Reverse(it)))
        };
        let to = match (along, beside) {
            _ if is_first => Some(node),
            (0, 0) => None,
            (0, beside) => {
                let row = stacks.path(node).len() - 1;
                let (bars, _) = self.sides[side].bars.row(row);
                let place = bars.iter().position(|it| it.node == node);
                let next = place.and_then(|it| it.checked_add_signed(beside as isize));
                next.and_then(|it| bars.get(it)).map(|it| it.node)
            }
            _ if inwards => widest(forest.children(Some(node))).filter(|&it| forest.total(it) > 0),
            _ => forest.parent(node),
        };
        if let Some(to) = to {
            let pointed = FlameGraph::pointed_at(made, (side, to));
            self.cursor = Some((side, to));
            self.reveals = true;
            asks.push(SelectAsk::Choose(pointed));
        }
    }

    /// Brings the one context that was chosen elsewhere into sight: in a part of which it is no small share.
    pub(super) fn follow(&mut self, document: &Document) {
        /// As share of what is seen.
        const SEEN: u64 = 50;
        let way = document.chosen_way();
        let Some(made) = self.making.made() else {
            return;
        };
        self.reveals = true;
        let context = way.and_then(|_| self.hits.largest(&made.shown));
        let node = context.and_then(|it| made.sides[0].node_of(it.0));
        let Some(node) = node.filter(|_| made.focus.is_none()) else {
            return;
        };
        let stacks = &made.sides[0];
        let forest = &stacks.forest;
        self.cursor = Some((0, node));
        let [from, to] = forest.place(node);
        let [left, right] = self.sides[0]
            .range()
            .unwrap_or([0.0, forest.whole() as f64]);
        let is_in = left <= from as f64 && to as f64 <= right;
        let enough = forest.total(node).saturating_mul(SEEN);
        if from == to || is_in && enough as f64 >= right - left {
            return;
        }
        let path = stacks.path(node);
        let around = path.iter().find(|&&it| enough >= forest.total(it));
        self.zoom_to((0, around.copied().unwrap_or(node)));
    }

    /// Shows what a session file has, now that there are stacks.
    pub(super) fn take_restored(&mut self) {
        let Some(made) = self.making.made() else {
            return;
        };
        let Restored { function, seen } = self.restored;
        let function = function.filter(|it| it.1 == made.functions.len() && (it.0 as usize) < it.1);
        let function = function.map(|it| it.0);
        if function.is_some() && made.focus != function {
            self.focus = function;
            return;
        }
        self.restored = Restored::default();
        let of = made.shown.contexts.len();
        let Some((seen, _)) = seen.filter(|it| it.1 == of) else {
            return;
        };
        for ((side, stacks), range) in self.sides.iter_mut().zip(&made.sides).zip(seen) {
            let whole = stacks.forest.whole() as f64;
            side.set(range.filter(|[from, to]| 0.0 <= *from && from < to && *to <= whole));
        }
    }

    /// Takes stacks that were made.
    pub(super) fn take_made(&mut self, is_new: bool) {
        if is_new {
            (self.search, self.cursor, self.menu_of) = (None, None, None);
            self.chosen = Marks::default();
        }
    }
}
