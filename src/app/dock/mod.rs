//! Which views are open and where: side by side, one above the other, in tabs, or one alone.

mod easing;
#[cfg(test)]
mod tests;

use egui::{Rect, Role, Ui};
use egui_tiles::{
    Behavior, Container, Linear, LinearDir, SimplificationOptions, TabState, Tile, TileId, Tiles,
    Tree, UiResponse,
};

use self::easing::{Easing, Opening};
use callscape_state::panes::{Arrangement, Pane, PaneWish, Panes, Side, ViewId};
use callscape_views::widgets::tell;
use callscape_views::{REGISTRY, main, named, style};

/// How much of the window a view that opens gets from those that are open.
const SHARE_BELOW: f32 = 0.34;
const SHARE_RIGHT: f32 = 0.42;

/// Where there is less room than this, in points, views share a place as tabs.
const ROOM: egui::Vec2 = egui::vec2(620.0, 420.0);

/// Between views, in points.
const GAP: f32 = 3.0;

/// The height of the line with a view's title.
const TITLE: f32 = 26.0;

/// The open views.
pub struct Dock {
    tree: Tree<ViewId>,
    /// Shown alone, over the others.
    maximised: Option<ViewId>,
    /// Where views were shown in the last frame, in points.
    places: Vec<(ViewId, Rect)>,
    /// The places that the state has been told last.
    told: Vec<(ViewId, Rect)>,
    /// What all of them had.
    room: Rect,
    easing: Easing,
}

/// All views, in the order of the registry.
fn all() -> impl Iterator<Item = ViewId> {
    REGISTRY.iter().map(|entry| ViewId::of(&entry.line))
}

impl Default for Dock {
    fn default() -> Dock {
        let mut tiles = Tiles::default();
        let root = tiles.insert_pane(main());
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
            told: Vec::new(),
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
        whole.unwrap_or_else(|| Arrangement::View(main().id().to_owned()))
    }

    fn describe(&self, tile: TileId) -> Option<Arrangement> {
        let container = match self.tree.tiles.get(tile)? {
            Tile::Pane(view) => return Some(Arrangement::View(view.id().to_owned())),
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
        all().filter(|&view| self.is_open(view)).collect()
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
        let beside = all().find(|&other| {
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
            None if no_room => self.tile(main()),
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

    /// Does what was asked of the dock, and tells what is open now.
    pub fn follow(&mut self, panes: &mut Panes) {
        if panes.wishes.is_empty() && self.told == self.places && panes.maximised == self.maximised
        {
            panes.is_moving = self.is_moving();
            return;
        }
        for wish in std::mem::take(&mut panes.wishes) {
            match wish {
                PaneWish::Open(view) => self.open(view),
                PaneWish::Close(view) => self.close(view),
                PaneWish::Maximise(view) => self.maximise(view),
                PaneWish::Arrange(arrangement) => (*self, _) = Dock::arranged(&arrangement),
                PaneWish::Reset => *self = Dock::default(),
                PaneWish::Ease(is_on) => self.set_easing(is_on),
                PaneWish::Arrive => self.arrive(),
            }
        }
        self.tell(panes);
    }

    /// Tells what is open, and where.
    pub fn tell(&mut self, panes: &mut Panes) {
        panes.open.clear();
        for view in all().filter(|&view| self.is_open(view)) {
            let corner = |at: egui::Pos2| glam::Vec2::new(at.x, at.y);
            panes.open.push(Pane {
                view,
                is_visible: self.is_visible(view),
                place: self.place(view).map(|it| [corner(it.min), corner(it.max)]),
            });
        }
        panes.maximised = self.maximised;
        panes.arrangement = Some(self.arrangement());
        panes.is_moving = self.is_moving();
        self.told.clone_from(&self.places);
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
                let Some(view) = named(id) else {
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
        tell(&response, Role::Tab, view.title());
        let line = view.line();
        response.on_hover_text(format!(
            "{} ({}). Drag to move, double-click to maximise (M)",
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
