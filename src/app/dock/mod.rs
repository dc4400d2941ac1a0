//! Draws the open views as tiles, arranged as the state says ([`Panes`]), and asks for what the user moves.

mod easing;
#[cfg(test)]
mod tests;

use egui::{Rect, Role, Ui};
use egui_tiles::{
    Behavior, Container, Linear, LinearDir, SimplificationOptions, TabState, Tile, TileId, Tiles,
    Tree, UiResponse,
};
use glam::Vec2;

use self::easing::Opening;
use callscape_state::State;
use callscape_state::ask::PaneAsk;
use callscape_state::panes::{Arrangement, Panes, ViewId};
use callscape_views::widgets::tell;
use callscape_views::{REGISTRY, named, style};

/// Between views, in points.
const GAP: f32 = 3.0;

/// The height of the line with a view's title.
const TITLE: f32 = 26.0;

/// The open views on the screen.
pub struct Dock {
    tree: Tree<ViewId>,
    /// The arrangement of the state for which the tiles were made.
    followed: Option<Arrangement>,
    /// Where views were shown in the last frame, in points.
    places: Vec<(ViewId, Rect)>,
    /// The room of all of them.
    room: Rect,
    /// The view to maximise, or to restore.
    asked: Option<ViewId>,
}

impl Default for Dock {
    fn default() -> Dock {
        Dock {
            tree: Tree::empty(egui::Id::unique("views")),
            followed: None,
            places: Vec::new(),
            room: Rect::NOTHING,
            asked: None,
        }
    }
}

impl Dock {
    /// Makes the tiles for the arrangement of the state. A view keeps its tile, and so its scroll position.
    fn follow(&mut self, panes: &Panes) {
        if self.followed.as_ref() == Some(panes.arrangement()) {
            return;
        }
        let mut tiles = Tiles::default();
        self.tree.root = add(&mut tiles, panes.arrangement());
        // Tabs that are added while the tree is made simple have numbers of their own.
        tiles.recompute_next_tile_id();
        self.tree.tiles = tiles;
        // Views in a row get their titles before their shares.
        self.tree.simplify(&simplification());
        self.followed = Some(panes.arrangement().clone());
    }

    fn described(&self) -> Option<Arrangement> {
        self.tree.root.and_then(|root| self.describe(root))
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

    /// Tells the state where views were shown, and asks for the arrangement to which the user moved them.
    pub fn tell(&mut self, state: &mut State) {
        // If the state has another arrangement since then, it wins.
        let follows = self.followed.as_ref() == Some(state.panes.arrangement());
        if let Some(moved) = self.described().filter(|_| follows)
            && moved != *state.panes.arrangement()
        {
            state.execute(PaneAsk::Move(moved.clone()));
            self.followed = Some(moved);
        }
        let corner = |at: egui::Pos2| Vec2::new(at.x, at.y);
        let places = self.places.iter();
        let places = places.map(|(view, it)| (*view, [corner(it.min), corner(it.max)]));
        let room = Vec2::new(self.room.width(), self.room.height());
        state.panes.shown(places.collect(), room);
    }

    /// The view that the user asked to maximise, or to restore.
    pub fn take_asked(&mut self) -> Option<ViewId> {
        self.asked.take()
    }

    /// Where `view` is shown in this frame, in points; none behind another tab.
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

    /// Shows the open views, each by `pane`; with `titles` also where they do not share a place.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        panes: &Panes,
        titles: bool,
        pane: &mut dyn FnMut(&mut Ui, ViewId),
    ) {
        self.follow(panes);
        self.room = ui.available_rect_before_wrap();
        self.places.clear();
        if let Some(view) = panes.maximised {
            if !titles {
                self.places.push((view, self.room));
                pane(ui, view);
                return;
            }
            self.show_alone(ui, view, pane);
            return;
        }
        let coming = panes.coming();
        let before = easing::squeeze(coming, &mut self.tree.tiles);
        let open = self.tree.tiles.tiles().filter(|tile| tile.is_pane());
        let open = open.count();
        let mut shelf = Shelf {
            places: &mut self.places,
            openings: easing::openings(coming, &self.tree.tiles, self.room, GAP),
            gap: GAP * easing::gap(coming, open),
            pane,
            titles,
            is_only: open <= 1,
            double_clicked: None,
        };
        self.tree.ui(&mut shelf, ui);
        let double_clicked = shelf.double_clicked;
        easing::restore(&mut self.tree.tiles, before);
        if let Some(tile) = double_clicked
            && let Some(Tile::Pane(view)) = self.tree.tiles.get(tile)
        {
            self.asked = Some(*view);
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
                self.asked = Some(view);
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

/// Adds the tiles of an arrangement. A view has the tile with its number in the registry.
fn add(tiles: &mut Tiles<ViewId>, arrangement: &Arrangement) -> Option<TileId> {
    let (shares, parts, direction) = match arrangement {
        Arrangement::View(id) => {
            let view = named(id)?;
            let mut all = REGISTRY.iter().zip(1..);
            let (_, number) = all.find(|(entry, _)| entry.line.id == view.id())?;
            let tile = TileId::from_u64(number);
            tiles.insert(tile, Tile::Pane(view));
            return Some(tile);
        }
        Arrangement::Tabs { active, parts } => {
            let parts: Vec<TileId> = parts.iter().filter_map(|it| add(tiles, it)).collect();
            let active = parts.get(*active).copied();
            let mut tabs = egui_tiles::Tabs::new(parts);
            if let Some(active) = active {
                tabs.set_active(active);
            }
            return Some(insert(tiles, tabs));
        }
        Arrangement::Row { shares, parts } => (shares, parts, LinearDir::Horizontal),
        Arrangement::Column { shares, parts } => (shares, parts, LinearDir::Vertical),
    };
    let mut linear = Linear::new(direction, Vec::new());
    for (part, share) in parts.iter().zip(shares) {
        if let Some(tile) = add(tiles, part) {
            linear.shares.set_share(tile, *share);
            linear.children.push(tile);
        }
    }
    Some(insert(tiles, linear))
}

/// Adds a container behind the numbers of the views.
fn insert(tiles: &mut Tiles<ViewId>, container: impl Into<Container>) -> TileId {
    let behind = REGISTRY.len() as u64 + 1;
    let mut free = (behind..).map(TileId::from_u64);
    let id = free.find(|&id| tiles.get(id).is_none());
    let id = id.unwrap_or_else(|| tiles.next_free_id());
    tiles.insert(id, Tile::Container(container.into()));
    id
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
