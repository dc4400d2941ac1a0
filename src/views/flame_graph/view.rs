//! The flame graph: what it is to the window.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::choice::{Callees, Choice, Order};
use super::keys::{Does, KEYS};
use super::laid_out::Side;
use super::making::{Made, Making};
use super::marks::{Marks, meant};
use super::painting::Rows;
use super::saved::{self, Restored};
use super::searching::Search;
use super::ui;
use crate::parts::context_query::Query;
use crate::parts::contexts::{Counted, Hits};
use crate::parts::kept;
use crate::{Entry, Pane, SavedViews, View};
use callscape_base::progress::Progress;
use callscape_filter::selection::Pointed;
use callscape_layout::stacks::{Bar, Shade};
use callscape_state::State;
use callscape_state::ask::{Asks, SelectAsk};
use callscape_state::document::Document;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{CallRelation, Function, Module, TimeRange};
use callscape_state::panes::{Kind, Needs, Purpose, Side as Place, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "flame-graph",
        title: "Flame graph",
        key: '!',
        about: "merged stacks of calling contexts, as wide as what they cost",
        help: "flame graph: merged stacks",
        in_scenes: "",
        side: Place::Below,
        kind: Kind::Chart,
        needs: Needs::Recording,
        offers: &[Function],
        answers: &[Function, Module, CallRelation, TimeRange],
        opens_for: &[],
        purposes: &[Purpose::Memory],
    },
    keys: KEYS,
    open: || Box::new(FlameGraph::default()),
};

/// A bar: the side that it is on, and its node.
pub(super) type At = (usize, u32);

/// What is seen of both sides, and the function in their middle.
type Shown = (Option<u32>, [Option<[f64; 2]>; 2]);

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
    before: Vec<Shown>,
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
    hits: Hits,
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
    fn back(&mut self) {
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
    fn step(&mut self, along: i32, beside: i32, asks: &mut Asks) {
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
    fn follow(&mut self, document: &Document) {
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
    fn take_restored(&mut self) {
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
    fn take_made(&mut self, is_new: bool) {
        if is_new {
            (self.search, self.cursor, self.menu_of) = (None, None, None);
            self.chosen = Marks::default();
        }
    }
}

impl View for FlameGraph {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        let is_other = self.counted.update(state, self.choice.merge);
        let (Some(document), Some(shown)) = (&state.document, self.counted.shown().cloned()) else {
            self.making.clear();
            return;
        };
        if is_other {
            self.before.clear();
            self.sides.iter_mut().for_each(|it| it.set(None));
            let functions = super::functions::Functions::new(document);
            let made = self.making.made();
            if made.is_some_and(|it| !it.functions.is_alike(&functions)) {
                self.focus = None;
                self.making.clear();
            }
        }
        let is_new = self
            .making
            .update(state, document, &shown, &self.choice, self.focus);
        self.take_made(is_new);
        if is_new && !self.making.is_waiting() {
            self.take_restored();
        }
        let Some(made) = self.making.made() else {
            return;
        };
        let chosen = &document.selection.chosen;
        let way = document.chosen_way();
        if !self.chosen.is_of(made, chosen, way) {
            let context = way.and_then(|_| {
                self.hits.find(document, &made.shown, chosen, way);
                (self.hits.count() == 1).then(|| self.hits.largest(&made.shown))?
            });
            self.chosen = Marks::new(made, (chosen, way), |side, node| {
                match context.filter(|_| made.focus.is_none()) {
                    Some(context) => made.context(side, node) == Some(context),
                    None => meant(made, chosen, (side, node)),
                }
            });
            let is_chosen = |at: At| self.chosen.holds(at.0, at.1);
            self.cursor = self.cursor.filter(|it| is_chosen(*it));
            self.follow(document);
        }
        let query = Query::new(&self.query);
        let Some(made) = self.making.made() else {
            return;
        };
        if query.is_empty() {
            self.search = None;
        } else if !self
            .search
            .as_ref()
            .is_some_and(|it| it.is_of(made, &query))
        {
            self.search = Some(Search::new(made, query));
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn act(&mut self, own: Own, _state: &State, asks: &mut Asks) {
        let Some(does) = own.action::<Does>() else {
            return;
        };
        let outwards = match self.choice.callees {
            Callees::Below => -1,
            Callees::Above => 1,
        };
        let of = self.menu_of.take().or_else(|| self.cursor());
        match does {
            Does::Up => self.step(outwards, 0, asks),
            Does::Down => self.step(-outwards, 0, asks),
            Does::Left => self.step(0, -1, asks),
            Does::Right => self.step(0, 1, asks),
            Does::Zoom => of.into_iter().for_each(|of| self.zoom_to(of)),
            Does::Back => self.back(),
            Does::Larger => self.zoom(0, self.last.0 * 0.5, 1.5),
            Does::Smaller => self.zoom(0, self.last.0 * 0.5, 1.0 / 1.5),
            Does::Around => {
                let made = self.making.made();
                let key = of
                    .zip(made)
                    .map(|((side, node), made)| made.sides[side].key(node));
                self.set_focus(key.filter(|_| self.focus != key));
            }
            Does::Everything => self.set_focus(None),
            Does::Order => self.choice.order = kept::next::<Order>(self.choice.order),
            Does::Turn => self.choice.callees = kept::next::<Callees>(self.choice.callees),
        }
    }

    fn show_all(&mut self, _document: &Document) {
        self.show_whole();
        self.set_focus(None);
    }

    fn is_waiting(&self) -> bool {
        self.counted.is_waiting() || self.making.is_waiting()
    }

    fn progress(&self) -> Option<&Progress> {
        self.counted.progress().or(self.making.progress())
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        saved::save(self, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        saved::restore(self, from)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let Some(made) = self.making.made() else {
            return;
        };
        let bars = || self.sides.iter().map(|it| &it.bars);
        let name = |key: u32| made.functions.name(key).to_owned();
        let cursor = self
            .cursor
            .map(|(side, node)| name(made.sides[side].key(node)));
        let log = serde_json::json!({
            "contexts": made.shown.contexts.len(),
            "stacks": made.sides[0].forest.len(),
            "bars": bars().map(|it| it.bars.len()).sum::<usize>(),
            "too_small": bars().map(|it| it.too_small).sum::<u64>(),
            "seen": self.sides[0].range(),
            "function": made.focus.map(name),
            "cursor": cursor,
            "found": self.search.as_ref().map(Search::count),
            "chosen": self.chosen.count(),
            "order": self.choice.order.title(),
            "callees": self.choice.callees.title(),
        });
        line.insert(ENTRY.line.id.to_owned(), log);
    }
}

/// The rows of the comparison on the way to a context.
pub(super) type Way = Arc<[u32]>;
