//! The panels over the landscape: each a function that shows a part of what is open and hands on what the user asks
//! for. They change nothing themselves.

mod arguments;
mod bookmarks;
mod causes;
mod changes;
pub(crate) mod context;
mod crumbs;
mod details;
mod fading;
mod flying;
mod frequency;
mod help;
mod jobs;
pub(crate) mod legend;
mod live;
mod mapping;
mod menu;
mod messages;
mod minimap;
mod naming;
mod notice;
mod own;
mod pair;
mod palette;
mod panes;
mod path;
mod picture;
mod playback;
mod question;
mod questions;
mod record;
mod remarks;
mod reorder;
mod rescue;
mod revisions;
mod ring;
mod runs;
mod scene;
mod script;
mod search;
mod settings;
mod stacks;
mod steps;
mod timeline;
mod timings;
mod tooltip;
mod top;
mod tour;
mod trend;
mod welcome;
mod words;

#[cfg(test)]
mod tests;

use egui::{Rect, Ui};

use self::context::{Context, Cues, Layout, Pictures, Timings};
use super::command::Command;
use super::desk::{Desk, DeskRef};
use super::open_views::Views;
use callscape_filter::selection::Pointed;
use callscape_state::ask::Asks;
use callscape_state::panes::ViewId;
use callscape_views::{Pane, style, widgets};

pub(crate) use fading::painted;
pub(crate) use palette::FIELD as PALETTE_FIELD;
#[cfg(test)]
pub(crate) use ring::place as ring_place;
pub(crate) use scene::show as show_scene;
pub(crate) use search::FIELD as SEARCH_FIELD;

/// In a window that leaves a lower landscape, in points, there is no legend below it.
const LEAST_WITH_LEGEND: f32 = 260.0;

/// Of the card with the times of a frame, in points, the least and the most; a card in a corner is half as wide.
const TIMINGS_WIDTHS: [f32; 2] = [180.0, 500.0];

/// Shows all panels and views, adds what the user asked for to `asks`, and says where everything is drawn. `pictures` are
/// what the views are drawn on.
pub(crate) fn show(
    ui: &mut Ui,
    desk: &mut Desk,
    cues: Cues,
    (pictures, timings): (&Pictures, &Timings),
    asks: &mut Asks<Command>,
) -> Layout {
    let (desk, views, dock) = desk.parts();
    if let Some(live) = &desk.talk.live {
        return live::show(ui, desk, live, (views, dock), pictures);
    }
    let window = ui.max_rect();
    let _ = widgets::take_cards(ui.ctx());
    let mut context = Context {
        desk,
        cues,
        asks,
        free: window,
        pointed: Pointed::default(),
    };
    top::show(ui, &mut context);
    crumbs::show(ui, &mut context);
    runs::show(ui, views, &mut context);
    playback::show(ui, &mut context);
    // What is explained comes before what explains it.
    if desk.state.panes.is_main_visible() && ui.available_height() >= LEAST_WITH_LEGEND {
        legend::show(ui, &mut context, true);
    }
    questions::show(ui, &mut context);
    details::show(ui, &mut context);
    let room = ui.available_rect_before_wrap();
    let mut layout = panes::show(ui, window, false, (views, dock), pictures, &mut context);
    let ctx = ui.ctx().clone();
    layout.pointer = ctx.pointer_hover_pos();
    layout.under_pointer = layout.pointer.and_then(|at| dock.view_at(at));
    cards(&ctx, room, &layout, (views, timings), &mut context);
    layout.pointed = context.pointed;
    layout.cards = widgets::take_cards(&ctx);
    layout
}

/// What floats over the views, which have `room`.
fn cards(
    ctx: &egui::Context,
    room: Rect,
    layout: &Layout,
    (views, timings): (&Views, &Timings),
    context: &mut Context<'_>,
) {
    let desk = context.desk;
    if let Some(placed) = layout.placed {
        context.free = placed.place.seen;
        // The corner is that of panels which one opens.
        let is_free = !desk.state.mapping.is_open && !desk.talk.is_open && !desk.state.cards.steps;
        if is_free && !causes::show(ctx, context) && !remarks::show(ctx, context) {
            stacks::show(ctx, context);
        }
        flying::show(ctx, placed.split.is_some(), context);
        minimap::show(ctx, placed.place, context);
    }
    context.free = room;
    settings::show(ctx, context, timings.quality);
    frequency::show(ctx, context);
    mapping::show(ctx, context);
    bookmarks::show(ctx, context);
    steps::show(ctx, context);
    picture::show(ctx, context);
    jobs::show(ctx, views, context);
    tour::show(ctx, context);
    rescue::show(ctx, context);
    welcome::show(ctx, context);
    pair::show(ctx, context);
    revisions::show(ctx, context);
    record::show(ctx, context);
    question::show(ctx, context);
    naming::show(ctx, context);
    messages::show(ctx, context);
    search::show_results(ctx, context);
    palette::show(ctx, context);
    menu::show(ctx, layout, context);
    help::show(ctx, context);
    tooltip::show(ctx, context);
    notice::show(ctx, context);
    if desk.state.cards.timings {
        let corner = egui::Align2::CENTER_TOP;
        // Between the cards in the corners.
        let [least, most] = TIMINGS_WIDTHS;
        let width = (context.free.width() - most).clamp(least, most);
        widgets::card(ctx, "timings", corner, context.free, |ui| {
            // Otherwise lines that once had to be broken would be broken no wider ever after.
            ui.set_width(width);
            ui.label(timings::timings(timings));
            ui.label(style::weak(timings::passes(&timings.passes)));
        });
    }
}

/// Shows what the presenter alone sees on all of `ui`.
pub(crate) fn show_notes(ui: &mut Ui, desk: DeskRef<'_>) {
    live::notes(ui, desk);
}

/// Shows a view alone: what the user asks for goes nowhere.
pub(crate) fn show_alone(ui: &mut Ui, desk: &mut Desk, view: ViewId) {
    let (desk, views, _) = desk.parts();
    let window = ui.max_rect();
    let mut pane = Pane {
        state: desk.state,
        asks: &mut Asks::default(),
        pictures: [None; 2],
        window,
        room: window,
        pointed: Pointed::default(),
        offer: Default::default(),
        placed: None,
    };
    if let Some(view) = views.get_mut(view, desk.state) {
        view.ui(ui, &mut pane);
    }
}
