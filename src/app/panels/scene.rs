//! What is shown of a scene: its views and its words, and nothing that one could click.

use egui::{Rect, Ui};

use super::super::ask::Asks;
use super::super::dock::Dock;
use super::super::workbench::Workbench;
use super::widgets::take_cards;
use super::{Context, Layout, Pictures, RowsSeen, fading, legend, pane, words};
use crate::filter::selection::Pointed;
use crate::views::table::ViewId;

/// Shows the views of a scene and its words on all of `ui`, and says where the landscape is to be drawn.
pub fn show(ui: &mut Ui, bench: &Workbench, dock: &mut Dock, pictures: &Pictures) -> Layout {
    let picture = ui.max_rect();
    let mut asks = Asks::default();
    let _ = take_cards(ui.ctx());
    let mut context = Context {
        bench,
        asks: &mut asks,
        free: picture,
        pointed: Pointed::default(),
        open: dock.open_views(),
        rows_seen: RowsSeen::default(),
    };
    let scene = bench.show.as_ref();
    if scene.is_some_and(|scene| scene.has_legend()) {
        legend::show(ui, &mut context);
    }
    let room = ui.available_rect_before_wrap();
    let mut split = None;
    dock.show_bare(ui, &mut |ui, view| {
        let places = (picture, room);
        pane::show(ui, view, places, pictures, &mut split, &mut context);
    });
    let covered = dock.place(ViewId::Landscape);
    fading::show(ui, covered, pictures);
    let landscape = pane::landscape(covered, (picture, room), split.as_ref());
    if let Some(scene) = scene {
        let free = landscape.map_or(room, |place| match &split {
            Some(split) => split.seen[0].union(split.seen[1]),
            None => place.seen,
        });
        // Where the landscape is small, words need more.
        let is_large = free.height() > picture.height() * 0.4;
        let free: Rect = if is_large { free } else { room };
        words::show(ui.ctx(), scene, picture, free, bench.settings.theme);
    }
    Layout {
        landscape,
        covered,
        split,
        rows_seen: context.rows_seen,
        cards: take_cards(ui.ctx()),
        ..Layout::default()
    }
}
