//! The open views, each in its place in the dock.

use egui::{Rect, Role, Ui};

use super::context::{Context, Layout, Pictures};
use crate::dock::Dock;
use crate::open_views::Views;
use crate::snapshot;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{Ask, Asks, EditAsk, PaneAsk, SelectAsk};
use callscape_views::widgets::tell;
use callscape_views::{Offer, Pane, style};

/// Shows the views in `ui`, of a `window`; without their titles where views `are_bare`. Gives where the view that the
/// camera moves in is drawn, and what the pointer is on.
pub(super) fn show(
    ui: &mut Ui,
    window: Rect,
    are_bare: bool,
    (views, dock): (&mut Views, &mut Dock),
    pictures: &Pictures,
    context: &mut Context<'_>,
) -> Layout {
    let room = ui.available_rect_before_wrap();
    let state = context.desk.state;
    let mut asks = Asks::default();
    let mut layout = Layout::default();
    let mut pointed = Pointed::default();
    let mut offer = Offer::default();
    let main = views.ids().next();
    let pictured = context.cues.pictured;
    let mut pane = |ui: &mut Ui, of| {
        let is_main = Some(of) == main;
        let Some(view) = views.get_mut(of, state) else {
            return;
        };
        let mut pane = Pane {
            state,
            asks: &mut asks,
            pictures: [pictures.of(of), is_main.then_some(pictures.second)],
            window,
            room,
            pointed: Pointed::default(),
            offer: Default::default(),
            placed: None,
        };
        tell(&ui.response(), Role::Pane, of.title());
        let place = ui.max_rect();
        let is_pictured = pictured == Some(of) && !is_main;
        let first = is_pictured.then(|| ui.painter().add(egui::Shape::Noop));
        view.ui(ui, &mut pane);
        if let Some(first) = first {
            snapshot::keep(ui, of, first);
        }
        if state.panes.with_keys == Some(of) {
            let color = style::colors(state.settings.theme).accent;
            let line = Rect::from_min_size(place.min, egui::vec2(place.width(), 2.0));
            ui.painter().rect_filled(line, 0, color);
        }
        if is_main {
            layout.placed = pane.placed;
        }
        if pane.pointed != Pointed::default() {
            pointed = pane.pointed;
        }
        if !pane.offer.on.is_empty() || pane.offer.has_menu || pane.offer.opens_menu {
            offer = pane.offer;
        }
    };
    dock.show(ui, &state.panes, !are_bare, &mut pane);
    let alone = dock.take_asked();
    context
        .asks
        .extend(alone.map(|view| PaneAsk::Maximise(Some(view))));
    layout.offer = offer;
    layout.covered = main.and_then(|main| dock.place(main));
    let asks = asks.take();
    // What is clicked with Ctrl held is opened in the editor, in whatever view.
    if ui.input(|input| input.modifiers.command) {
        let chosen = asks.iter().filter_map(|ask| match ask {
            Ask::Select(SelectAsk::Choose(of)) => Some(EditAsk::Meant(*of)),
            _ => None,
        });
        context.asks.extend(chosen);
    }
    context.asks.extend(asks);
    if pointed != Pointed::default() {
        context.pointed = pointed;
    }
    layout
}
