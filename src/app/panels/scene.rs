//! What is shown of a scene: its views and its words, and nothing that one could click.

use egui::{Rect, Ui};

use super::context::{Context, Cues, Layout, Pictures};
use super::{fading, legend, panes, words};
use crate::desk::DeskRef;
use crate::dock::Dock;
use crate::open_views::Views;
use callscape_filter::selection::Pointed;
use callscape_state::ask::Asks;
use callscape_views::widgets::take_cards;

/// Shows the views of a scene and its words on all of `ui`, and says where the landscape is to be drawn.
pub(crate) fn show(
    ui: &mut Ui,
    desk: DeskRef<'_>,
    (views, dock): (&mut Views, &mut Dock),
    pictures: &Pictures,
) -> Layout {
    let picture = ui.max_rect();
    let mut asks = Asks::default();
    let _ = take_cards(ui.ctx());
    let mut context = Context {
        desk,
        cues: Cues::default(),
        asks: &mut asks,
        free: picture,
        pointed: Pointed::default(),
    };
    let scene = desk.show;
    if scene.is_some_and(|scene| scene.has_legend()) {
        legend::show(ui, &mut context, false);
    }
    let room = ui.available_rect_before_wrap();
    let mut layout = panes::show(ui, picture, true, (views, dock), pictures, &mut context);
    fading::show(ui, layout.covered, pictures);
    if let Some(scene) = scene {
        let free = layout.placed.map_or(room, |placed| match &placed.split {
            Some(split) => split.seen[0].union(split.seen[1]),
            None => placed.place.seen,
        });
        // Where the landscape is small, words need more.
        let is_large = free.height() > picture.height() * 0.4;
        let free: Rect = if is_large { free } else { room };
        words::show(ui.ctx(), scene, picture, free, desk.state.settings.theme);
    }
    layout.cards = take_cards(ui.ctx());
    layout
}
