//! Which views are open and where: side by side, one above the other, in tabs, or one alone.

mod easing;

use egui::{Rect, Ui};
use egui_tiles::{
    Behavior, Container, Linear, LinearDir, SimplificationOptions, TabState, Tile, TileId, Tiles,
    Tree, UiResponse,
};
use serde::{Deserialize, Serialize};

use self::easing::{Easing, Opening};
use super::style;
use crate::views::table::{Side, ViewId};

/// How much of the window a view that opens gets from those that are open.
const SHARE_BELOW: f32 = 0.34;
const SHARE_RIGHT: f32 = 0.42;

/// Where there is less room than this, in points, views share a place as tabs.
const ROOM: egui::Vec2 = egui::vec2(620.0, 420.0);

/// Between views, in points.
const GAP: f32 = 3.0;

/// The height of the line with a view's title.
const TITLE: f32 = 26.0;

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

/// The open views.
pub struct Dock {
    tree: Tree<ViewId>,
    /// Shown alone, over the others.
    maximised: Option<ViewId>,
    /// Where views were shown in the last frame, in points.
    places: Vec<(ViewId, Rect)>,
    /// What all of them had.
    room: Rect,
    easing: Easing,
}

impl Default for Dock {
    fn default() -> Dock {
        let mut tiles = Tiles::default();
        let root = tiles.insert_pane(ViewId::Landscape);
        Dock::of(Some(root), tiles)
    }
}

impl Dock {
    fn of(root: Option<TileId>, tiles: Tiles<ViewId>) -> Dock {
        let mut tree = Tree::empty(egui::Id::unique("views"));
        (tree.root, tree.tiles) = (root, tiles);
        Dock {
            tree,
            maximised: None,
            places: Vec::new(),
            room: Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 720.0)),
            easing: Easing::default(),
        }
    }

    /// The dock that `arrangement` describes, and what of it is not known. Without any view it is the
    /// default one.
    pub fn arranged(arrangement: &Arrangement) -> (Dock, Vec<String>) {
        let mut builder = Builder {
            tiles: Tiles::default(),
            seen: Vec::new(),
            unknown: Vec::new(),
        };
        let root = builder.add(arrangement);
        let mut dock = match root {
            Some(_) => Dock::of(root, builder.tiles),
            None => Dock::default(),
        };
        dock.tidy();
        (dock, builder.unknown)
    }

    /// What files keep of it.
    pub fn arrangement(&self) -> Arrangement {
        let whole = self.tree.root.and_then(|root| self.describe(root));
        whole.unwrap_or_else(|| Arrangement::View(ViewId::Landscape.line().id.to_owned()))
    }

    fn describe(&self, tile: TileId) -> Option<Arrangement> {
        let container = match self.tree.tiles.get(tile)? {
            Tile::Pane(view) => return Some(Arrangement::View(view.line().id.to_owned())),
            Tile::Container(container) => container,
        };
        let children = container.children().copied();
        let parts: Vec<(TileId, Arrangement)> = children
            .filter_map(|child| Some((child, self.describe(child)?)))
            .collect();
        if let [(_, only)] = &parts[..] {
            return Some(only.clone());
        }
        let share = |linear: &Linear| {
            parts
                .iter()
                .map(|&(child, _)| linear.shares[child])
                .collect()
        };
        let described = match container {
            Container::Tabs(tabs) => Arrangement::Tabs {
                active: parts
                    .iter()
                    .position(|&(child, _)| Some(child) == tabs.active)
                    .unwrap_or(0),
                parts: parts.into_iter().map(|(_, part)| part).collect(),
            },
            Container::Linear(linear) if linear.dir == LinearDir::Vertical => Arrangement::Column {
                shares: share(linear),
                parts: parts.into_iter().map(|(_, part)| part).collect(),
            },
            Container::Linear(linear) => Arrangement::Row {
                shares: share(linear),
                parts: parts.into_iter().map(|(_, part)| part).collect(),
            },
            Container::Grid(_) => Arrangement::Row {
                shares: vec![1.0; parts.len()],
                parts: parts.into_iter().map(|(_, part)| part).collect(),
            },
        };
        Some(described)
    }

    /// Removes containers that hold nothing and gives each view a title to be dragged by.
    fn tidy(&mut self) {
        self.tree.simplify(&simplification());
    }

    fn tile(&self, view: ViewId) -> Option<TileId> {
        let mut tiles = self.tree.tiles.iter();
        let found = tiles.find(|(_, tile)| matches!(tile, Tile::Pane(of) if *of == view));
        found.map(|(&id, _)| id)
    }

    /// Whether a view is open, and not on its way out.
    pub fn is_open(&self, view: ViewId) -> bool {
        self.tile(view).is_some() && !self.easing.goes(view)
    }

    /// From now on views come and go in the course of a moment, or at once.
    pub fn set_easing(&mut self, is_on: bool) {
        self.easing.is_on = is_on;
    }

    /// Whether views come or go.
    pub fn is_moving(&self) -> bool {
        self.easing.is_moving()
    }

    /// Views on their way move on.
    pub fn advance(&mut self, seconds: f32) {
        for view in self.easing.advance(seconds) {
            self.remove(view);
        }
    }

    /// Views on their way are where they lead.
    pub fn arrive(&mut self) {
        self.advance(f32::MAX);
    }

    /// In the order of the table.
    pub fn open_views(&self) -> Vec<ViewId> {
        let all = ViewId::ALL.into_iter();
        all.filter(|&view| self.is_open(view)).collect()
    }

    /// Where `view` was shown in the last frame, in points; none behind another tab.
    pub fn place(&self, view: ViewId) -> Option<Rect> {
        let mut places = self.places.iter();
        places.find(|(of, _)| *of == view).map(|&(_, rect)| rect)
    }

    /// The view shown at a place, in points.
    pub fn view_at(&self, at: egui::Pos2) -> Option<ViewId> {
        let mut places = self.places.iter();
        places
            .find(|(_, rect)| rect.contains(at))
            .map(|&(view, _)| view)
    }

    /// Whether a view is open and not behind another tab.
    pub fn is_visible(&self, view: ViewId) -> bool {
        match (self.maximised, self.tile(view)) {
            (Some(alone), _) => alone == view,
            (None, Some(tile)) => self.tree.active_tiles().contains(&tile),
            (None, None) => false,
        }
    }

    pub fn maximised(&self) -> Option<ViewId> {
        self.maximised
    }

    /// Opens a view, or shows it when it is open.
    pub fn open(&mut self, view: ViewId) {
        if self.maximised.is_some_and(|of| of != view) {
            self.maximised = None;
        }
        if self.easing.goes(view) {
            self.easing.come(view, 0.0);
            return;
        }
        if self.is_open(view) {
            self.tree
                .make_active(|_, tile| matches!(tile, Tile::Pane(of) if *of == view));
            return;
        }
        let tile = self.tree.tiles.insert_pane(view);
        let Some(root) = self.tree.root else {
            self.tree.root = Some(tile);
            return;
        };
        let side = view.line().side;
        let room = self.room.size();
        let beside = ViewId::ALL.into_iter().find(|&other| {
            let shares_place = match side {
                Side::Centre => false,
                Side::Right => true,
                Side::Below => room.y < ROOM.y,
            };
            other != view && other.line().side == side && shares_place && self.is_open(other)
        });
        let no_room = match side {
            Side::Centre => false,
            Side::Below => room.y < ROOM.y * 0.6,
            Side::Right => room.x < ROOM.x,
        };
        let tabbed = match beside {
            Some(other) => self.tile(other),
            None if no_room => self.tile(ViewId::Landscape),
            None => None,
        };
        if let Some(other) = tabbed {
            self.add_tab(other, tile);
            return;
        }
        let (direction, share) = match side {
            Side::Below => (LinearDir::Vertical, SHARE_BELOW),
            Side::Right => (LinearDir::Horizontal, SHARE_RIGHT),
            Side::Centre => (LinearDir::Horizontal, 0.6),
        };
        if self.easing.is_on {
            self.easing.come(view, share);
        }
        let sum = match self.tree.tiles.get(root) {
            Some(Tile::Container(Container::Linear(linear))) => {
                easing::staying(&self.tree.tiles, &self.easing, linear)
            }
            _ => 1.0,
        };
        if let Some(Tile::Container(Container::Linear(linear))) = self.tree.tiles.get_mut(root)
            && linear.dir == direction
        {
            linear.shares.set_share(tile, sum * share / (1.0 - share));
            linear.children.push(tile);
            return;
        }
        let children = match side {
            Side::Centre => [tile, root],
            _ => [root, tile],
        };
        let fraction = if side == Side::Centre {
            share
        } else {
            1.0 - share
        };
        let linear = Linear::new_binary(direction, children, fraction);
        let root = self.tree.tiles.insert_container(linear);
        self.tree.root = Some(root);
    }

    /// Adds `tile` to the tabs in which `other` is, and shows it.
    fn add_tab(&mut self, other: TileId, tile: TileId) {
        let parent = self.tree.tiles.parent_of(other);
        if let Some(parent) = parent
            && let Some(Tile::Container(Container::Tabs(tabs))) = self.tree.tiles.get_mut(parent)
        {
            tabs.add_child(tile);
            tabs.set_active(tile);
            return;
        }
        let tabs = self.tree.tiles.insert_tab_tile(vec![other, tile]);
        if let Some(Tile::Container(Container::Tabs(tabs))) = self.tree.tiles.get_mut(tabs) {
            tabs.set_active(tile);
        }
        match parent.and_then(|parent| self.tree.tiles.get_mut(parent)) {
            Some(Tile::Container(container)) => {
                let _ = container.replace_child(other, tabs);
            }
            _ => self.tree.root = Some(tabs),
        }
    }

    /// Closes a view unless it is the only one.
    pub fn close(&mut self, view: ViewId) {
        if self.maximised == Some(view) {
            self.maximised = None;
        }
        if !self.is_open(view) || self.open_views().len() <= 1 {
            return;
        }
        let share = easing::share(&self.tree.tiles, &self.easing, view);
        match share.filter(|_| self.easing.is_on) {
            Some(share) => self.easing.go(view, share),
            None => self.remove(view),
        }
    }

    fn remove(&mut self, view: ViewId) {
        if let Some(tile) = self.tile(view) {
            self.tree.remove_recursively(tile);
            self.tidy();
        }
    }

    /// Opens a view that is not seen, closes one that is.
    pub fn toggle(&mut self, view: ViewId) {
        if self.is_visible(view) {
            self.close(view);
        } else {
            self.open(view);
        }
    }

    /// Shows a view alone, or all again.
    pub fn maximise(&mut self, view: ViewId) {
        self.maximised = match self.maximised {
            None if self.is_open(view) && self.open_views().len() > 1 => Some(view),
            _ => None,
        };
    }

    /// Shows the open views, each by `pane`.
    pub fn show(&mut self, ui: &mut Ui, pane: &mut dyn FnMut(&mut Ui, ViewId)) {
        self.show_with(ui, true, pane);
    }

    /// The same without titles, where views do not share a place.
    pub fn show_bare(&mut self, ui: &mut Ui, pane: &mut dyn FnMut(&mut Ui, ViewId)) {
        self.show_with(ui, false, pane);
    }

    fn show_with(&mut self, ui: &mut Ui, titles: bool, pane: &mut dyn FnMut(&mut Ui, ViewId)) {
        self.room = ui.available_rect_before_wrap();
        self.places.clear();
        if let Some(view) = self.maximised {
            if !titles {
                self.places.push((view, self.room));
                pane(ui, view);
                return;
            }
            self.show_alone(ui, view, pane);
            return;
        }
        if self.easing.is_moving() {
            // What stands in a row has its title before it gets its share.
            self.tidy();
        }
        let before = self.easing.squeeze(&mut self.tree.tiles);
        let panes = self.tree.tiles.tiles().filter(|tile| tile.is_pane());
        let gap = GAP * self.easing.gap(panes.count());
        let mut shelf = Shelf {
            places: &mut self.places,
            openings: self.easing.openings(&self.tree.tiles, self.room, GAP),
            gap,
            pane,
            titles,
            is_only: self
                .tree
                .tiles
                .tiles()
                .filter(|tile| tile.is_pane())
                .count()
                <= 1,
            double_clicked: None,
        };
        self.tree.ui(&mut shelf, ui);
        let double_clicked = shelf.double_clicked;
        easing::restore(&mut self.tree.tiles, before);
        if let Some(tile) = double_clicked
            && let Some(Tile::Pane(view)) = self.tree.tiles.get(tile)
        {
            self.maximise(*view);
        }
        if self.tree.root.is_none() {
            *self = Dock::default();
        }
    }

    fn show_alone(&mut self, ui: &mut Ui, view: ViewId, pane: &mut dyn FnMut(&mut Ui, ViewId)) {
        let (title, rest) = self.room.split_top_bottom_at_y(self.room.top() + TITLE);
        ui.painter()
            .rect_filled(title, 0, ui.visuals().extreme_bg_color);
        let mut row =
            ui.new_child(egui::UiBuilder::new().max_rect(title.shrink2(egui::vec2(10.0, 1.0))));
        row.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().interact_size.y = 22.0;
            ui.spacing_mut().button_padding.y = 2.0;
            let button = ui
                .button("All views")
                .on_hover_text("Show all views again (M)");
            if button.clicked() {
                self.maximised = None;
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                ui.label(style::title(view.title()));
            });
        });
        self.places.push((view, rest));
        let mut ui = ui.new_child(egui::UiBuilder::new().max_rect(rest));
        ui.set_clip_rect(rest);
        pane(&mut ui, view);
    }
}

fn simplification() -> SimplificationOptions {
    SimplificationOptions {
        all_panes_must_have_tabs: true,
        ..SimplificationOptions::default()
    }
}

/// Makes tiles of an arrangement.
struct Builder {
    tiles: Tiles<ViewId>,
    seen: Vec<ViewId>,
    unknown: Vec<String>,
}

impl Builder {
    fn add(&mut self, arrangement: &Arrangement) -> Option<TileId> {
        let (shares, parts, direction) = match arrangement {
            Arrangement::View(id) => {
                let Some(view) = ViewId::from_id(id) else {
                    self.unknown.push(id.clone());
                    return None;
                };
                if self.seen.contains(&view) {
                    return None;
                }
                self.seen.push(view);
                return Some(self.tiles.insert_pane(view));
            }
            Arrangement::Tabs { active, parts } => {
                let parts: Vec<Option<TileId>> = parts.iter().map(|part| self.add(part)).collect();
                let active = parts.get(*active).copied().flatten();
                let parts: Vec<TileId> = parts.into_iter().flatten().collect();
                if parts.is_empty() {
                    return None;
                }
                let mut tabs = egui_tiles::Tabs::new(parts);
                if let Some(active) = active {
                    tabs.set_active(active);
                }
                return Some(self.tiles.insert_container(tabs));
            }
            Arrangement::Row { shares, parts } => (shares, parts, LinearDir::Horizontal),
            Arrangement::Column { shares, parts } => (shares, parts, LinearDir::Vertical),
        };
        let mut linear = Linear::new(direction, Vec::new());
        for (index, part) in parts.iter().enumerate() {
            if let Some(tile) = self.add(part) {
                let share = shares.get(index).copied().unwrap_or(1.0);
                let share = if share.is_finite() {
                    share.clamp(0.01, 100.0)
                } else {
                    1.0
                };
                linear.shares.set_share(tile, share);
                linear.children.push(tile);
            }
        }
        (!linear.children.is_empty()).then(|| self.tiles.insert_container(linear))
    }
}

/// Shows the tiles of one frame.
struct Shelf<'a> {
    places: &'a mut Vec<(ViewId, Rect)>,
    /// Of views on their way.
    openings: Vec<Opening>,
    /// Between views, in points.
    gap: f32,
    pane: &'a mut dyn FnMut(&mut Ui, ViewId),
    is_only: bool,
    /// Views have titles also where they do not share a place.
    titles: bool,
    double_clicked: Option<TileId>,
}

impl Behavior<ViewId> for Shelf<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, view: &mut ViewId) -> UiResponse {
        let seen = ui.max_rect();
        let opening = self.openings.iter().find(|it| it.view == *view);
        let rect = opening.map_or(seen, |it| it.whole(seen));
        self.places.push((*view, rect));
        let mut ui = ui.new_child(egui::UiBuilder::new().max_rect(rect));
        ui.set_clip_rect(seen.intersect(ui.clip_rect()));
        (self.pane)(&mut ui, *view);
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, view: &ViewId) -> egui::WidgetText {
        view.title().into()
    }

    fn is_tab_closable(&self, _: &Tiles<ViewId>, _: TileId) -> bool {
        !self.is_only && self.titles
    }

    fn is_tab_bar_visible(&self, _: TileId, tabs: &egui_tiles::Tabs) -> bool {
        !self.is_only && (self.titles || tabs.children.len() > 1)
    }

    fn on_tab_button(
        &mut self,
        tiles: &mut Tiles<ViewId>,
        tile: TileId,
        response: egui::Response,
    ) -> egui::Response {
        if response.double_clicked() {
            self.double_clicked = Some(tile);
        }
        let Some(Tile::Pane(view)) = tiles.get(tile) else {
            return response;
        };
        let line = view.line();
        response.on_hover_text(format!(
            "{} ({}). Drag to move it, double-click to see it alone (M)",
            line.about, line.key
        ))
    }

    fn simplification_options(&self) -> SimplificationOptions {
        simplification()
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        TITLE
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        self.gap
    }

    fn min_size(&self) -> f32 {
        64.0
    }

    fn close_button_outer_size(&self) -> f32 {
        14.0
    }

    fn tab_title_spacing(&self, _: &egui::Visuals) -> f32 {
        10.0
    }

    fn tab_bar_color(&self, visuals: &egui::Visuals) -> egui::Color32 {
        visuals.extreme_bg_color
    }

    fn tab_outline_stroke(
        &self,
        _: &egui::Visuals,
        _: &Tiles<ViewId>,
        _: TileId,
        _: &TabState,
    ) -> egui::Stroke {
        egui::Stroke::NONE
    }

    fn tab_text_color(
        &self,
        visuals: &egui::Visuals,
        _: &Tiles<ViewId>,
        _: TileId,
        state: &TabState,
    ) -> egui::Color32 {
        if state.active {
            visuals.text_color()
        } else {
            visuals.weak_text_color()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(id: &str) -> Arrangement {
        Arrangement::View(id.to_owned())
    }

    #[test]
    fn views_open_once_and_the_last_one_stays() {
        for seed in 0..200u64 {
            let mut dock = Dock::default();
            let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
            for _ in 0..40 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let at = (state >> 33) as usize;
                let of = ViewId::ALL[at % ViewId::ALL.len()];
                let before = dock.open_views();
                if at.is_multiple_of(7) {
                    dock.maximise(of);
                } else {
                    dock.toggle(of);
                }
                let panes = dock.tree.tiles.tiles().filter(|tile| tile.is_pane());
                let after = dock.open_views();
                assert_eq!(panes.count(), after.len(), "seed {seed}");
                assert!(!after.is_empty() && before.len().abs_diff(after.len()) <= 1);
                assert!(
                    after.iter().any(|&view| dock.is_visible(view)),
                    "seed {seed}"
                );
                let (again, unknown) = Dock::arranged(&dock.arrangement());
                assert!(unknown.is_empty());
                assert_eq!(again.arrangement(), dock.arrangement(), "seed {seed}");
            }
        }
    }

    /// What is shown after a frame: each view, where it is laid out, and what of that is seen.
    fn shown(dock: &mut Dock) -> Vec<(ViewId, Rect, Rect)> {
        let ctx = egui::Context::default();
        let mut seen = Vec::new();
        let screen = Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1200.0, 900.0));
        let input = egui::RawInput {
            screen_rect: Some(screen),
            ..egui::RawInput::default()
        };
        // The first frame of a context finds out sizes.
        for _ in 0..2 {
            seen.clear();
            let mut output = ctx.run_ui(input.clone(), |ui| {
                dock.show_bare(ui, &mut |ui, view| {
                    let whole = ui.max_rect();
                    seen.push((view, whole, ui.clip_rect().intersect(whole)));
                });
            });
            output.textures_delta.clear();
        }
        seen
    }

    #[test]
    fn views_of_scenes_come_and_go_step_by_step_and_end_where_they_would_at_once() {
        let mut at_once = Dock::default();
        at_once.open(ViewId::Mural);
        let wanted = shown(&mut at_once);
        let mut eased = Dock::default();
        shown(&mut eased);
        eased.set_easing(true);
        eased.open(ViewId::Mural);
        assert!(eased.is_open(ViewId::Mural) && eased.is_moving());
        let mut last = shown(&mut eased)[0].2.height();
        assert!(last > 897.0, "{last}");
        for _ in 0..14 {
            eased.advance(1.0 / 30.0);
            let now = shown(&mut eased);
            let height = now[0].2.height();
            assert!(height < last && last - height < 60.0, "{last} {height}");
            last = height;
            // It is laid out as large as it will be.
            let whole = now[1].1.height() - wanted[1].1.height();
            assert!(whole.abs() < 3.0, "{whole}");
        }
        eased.advance(0.1);
        assert!(!eased.is_moving());
        assert_eq!(shown(&mut eased), wanted);
        // One goes while another comes; the one that goes is no longer open.
        eased.close(ViewId::Mural);
        eased.open(ViewId::Flame);
        assert_eq!(eased.open_views(), [ViewId::Landscape, ViewId::Flame]);
        let height = shown(&mut eased)[0].2.height();
        for _ in 0..20 {
            eased.advance(1.0 / 30.0);
            let now = shown(&mut eased)[0].2.height();
            assert!((now - height).abs() < 4.0, "{now} {height}");
        }
        assert_eq!(eased.open_views(), [ViewId::Landscape, ViewId::Flame]);
        assert_eq!(shown(&mut eased)[1].1, wanted[1].1);
        // Back before it is gone.
        eased.close(ViewId::Flame);
        eased.advance(0.2);
        eased.open(ViewId::Flame);
        eased.arrive();
        assert_eq!(shown(&mut eased)[1].1, wanted[1].1);
        eased.close(ViewId::Flame);
        eased.arrive();
        assert_eq!(shown(&mut eased).len(), 1);
    }

    #[test]
    fn an_arrangement_with_faults_is_mended() {
        let faulty = Arrangement::Row {
            shares: vec![f32::NAN, -3.0],
            parts: vec![
                view("landscape"),
                Arrangement::Tabs {
                    active: 9,
                    parts: vec![view("functions"), view("landscape"), view("nonsense")],
                },
                Arrangement::Column {
                    shares: Vec::new(),
                    parts: Vec::new(),
                },
            ],
        };
        let (dock, unknown) = Dock::arranged(&faulty);
        assert_eq!(unknown, ["nonsense"]);
        assert_eq!(dock.open_views(), [ViewId::Landscape, ViewId::Functions]);
        let (dock, unknown) = Dock::arranged(&view("nonsense"));
        assert_eq!(unknown, ["nonsense"]);
        assert_eq!(dock.open_views(), [ViewId::Landscape]);
    }
}
