//! The panels over the landscape: each a function that shows a part of the workbench and hands on what
//! the user asks for. They change nothing themselves.

mod arc_legend;
mod beside;
mod bookmarks;
mod calls;
mod crumbs;
mod details;
mod differences;
mod fading;
mod flying;
mod functions;
mod help;
mod jobs;
pub mod legend;
mod live;
mod mapping;
mod messages;
mod minimap;
mod neighbours;
mod notice;
mod pairs;
mod pane;
mod path;
mod picture;
mod playback;
mod reorder;
mod rows;
mod scene;
mod script;
mod search;
mod settings;
mod sheet;
mod stacks;
mod table;
mod text;
mod tooltip;
mod top;
mod versus;
mod welcome;
mod widgets;
mod words;

#[cfg(test)]
mod tests;

use egui::{Pos2, Rect, TextureId, Ui};

use super::ask::Asks;
use super::dock::Dock;
use super::pace::Detail;
use super::workbench::Workbench;
use crate::filter::selection::Pointed;
use crate::layout::labels::Covered;
use crate::render::renderer::Quality;
use crate::views::table::ViewId;

pub use fading::painted;
pub use functions::FIELD as FUNCTION_FIELD;
pub use scene::show as show_scene;
pub use search::FIELD as SEARCH_FIELD;

/// What a panel has to show things with.
struct Context<'a> {
    bench: &'a Workbench,
    /// What the user asked for in this frame.
    asks: &'a mut Asks,
    /// Where cards float, in points: over the landscape, else over what the panels leave.
    free: Rect,
    /// What the pointer is on in a view other than the landscape.
    pointed: Pointed,
    /// The open views.
    open: Vec<ViewId>,
    rows_seen: RowsSeen,
}

/// How many whole rows of each table there is room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowsSeen {
    pub functions: usize,
    pub calls: usize,
}

/// Where a view is in the window, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// What can be seen of it.
    pub seen: Rect,
    /// What is drawn: as far as the window goes, so that nothing moves when a panel opens over it.
    pub drawn: Rect,
}

/// What the panels made of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// None while it is not to be seen; of two that of A.
    pub landscape: Option<Place>,
    /// All that landscapes have of the window.
    pub covered: Option<Rect>,
    pub pointed: Pointed,
    pub under_pointer: Option<ViewId>,
    pub rows_seen: RowsSeen,
    /// Where the pointer is, in points.
    pub pointer: Option<Pos2>,
    /// Where two runs are to be drawn, if both are.
    pub split: Option<Split>,
    /// Where cards and captions lie over landscapes, in points.
    pub cards: Covered,
}

/// Two landscapes beside each other, or in one place, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Of A and of B, equally large.
    pub places: [Rect; 2],
    /// What can be seen of each.
    pub seen: [Rect; 2],
    /// To the right of it is B.
    pub at: f32,
}

/// What the views are drawn on.
pub struct Pictures {
    pub views: [(ViewId, TextureId); ViewId::ALL.len()],
    /// The landscape of a second run.
    pub second: TextureId,
    /// What goes over into the landscapes, and how much of it is still to be seen, 0 to 1.
    pub before: Before,
    pub before_strength: f32,
}

impl Pictures {
    /// Of the landscape, and of that of a second run.
    pub fn landscapes(&self) -> [TextureId; 2] {
        let own = self.views.iter().find(|(of, _)| *of == ViewId::Landscape);
        [own.map_or(self.second, |&(_, id)| id), self.second]
    }
}

/// Pictures of landscapes as they were painted.
pub type Before = [Option<Painted>; 2];

/// A part of a picture, and where in the window it was, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Painted {
    pub picture: TextureId,
    pub place: Rect,
    /// As shares of the picture.
    pub part: Rect,
}

/// Numbers about the frames drawn, for the readout of frame times.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    pub frames: u64,
    /// Milliseconds from one frame to the next, and of that on the CPU, smoothed.
    pub interval_ms: f32,
    pub cpu_ms: f32,
    /// How finely the landscape was drawn in the last frame.
    pub drawn: Detail,
    /// Milliseconds that the passes of a recent frame took on the device; empty where it cannot tell.
    pub passes: Vec<(&'static str, f32)>,
    pub adapter: String,
    /// What suits the device.
    pub quality: Quality,
}

/// In a window that leaves a lower landscape, in points, there is no legend below it.
const LEAST_WITH_LEGEND: f32 = 260.0;

/// Of the card with the times of a frame, in points, the least and the most; a card in a corner is half as wide.
const TIMINGS_WIDTHS: [f32; 2] = [180.0, 500.0];

/// Shows all panels and views, adds what the user asked for to `asks`, and says where the landscape
/// is to be drawn. `pictures` are what the views are drawn on.
pub fn show(
    ui: &mut Ui,
    bench: &Workbench,
    dock: &mut Dock,
    pictures: &Pictures,
    timings: &Timings,
    asks: &mut Asks,
) -> Layout {
    if let Some(live) = &bench.talk.live {
        return live::show(ui, bench, live, dock, pictures);
    }
    let window = ui.max_rect();
    let _ = widgets::take_cards(ui.ctx());
    let mut context = Context {
        bench,
        asks,
        free: window,
        pointed: Pointed::default(),
        open: dock.open_views(),
        rows_seen: RowsSeen::default(),
    };
    let is_shown = dock.is_visible(ViewId::Landscape);
    top::show(ui, &mut context);
    crumbs::show(ui, &mut context);
    versus::show(ui, &mut context);
    playback::show(ui, &mut context);
    // What is explained comes before what explains it.
    if is_shown && ui.available_height() >= LEAST_WITH_LEGEND {
        legend::show(ui, &mut context);
    }
    details::show(ui, &mut context);
    let room = ui.available_rect_before_wrap();
    let mut split = None;
    dock.show(ui, &mut |ui, view| {
        let places = (window, room);
        pane::show(ui, view, places, pictures, &mut split, &mut context);
    });
    let seen = dock.place(ViewId::Landscape);
    let landscape = pane::landscape(seen, (window, room), split.as_ref());
    let covered = dock.place(ViewId::Landscape);
    context.free = landscape.map_or(room, |place| place.seen);
    let ctx = ui.ctx().clone();
    if landscape.is_some() {
        // The corner is that of panels which one opens.
        if !bench.mapping.is_open && !bench.talk.is_open {
            stacks::show(&ctx, &mut context);
        }
        flying::show(&ctx, split.is_some(), &mut context);
    }
    if let Some(place) = landscape {
        minimap::show(&ctx, place, &mut context);
    }
    context.free = room;
    settings::show(&ctx, &mut context, timings.quality);
    mapping::show(&ctx, &mut context);
    bookmarks::show(&ctx, &mut context);
    picture::show(&ctx, &mut context);
    jobs::show(&ctx, &mut context);
    welcome::show(&ctx, &mut context);
    messages::show(&ctx, &mut context);
    search::show_results(&ctx, &mut context);
    help::show(&ctx, &mut context);
    tooltip::show(&ctx, &mut context);
    notice::show(&ctx, &context);
    if bench.shown.timings {
        let corner = egui::Align2::CENTER_TOP;
        // Between the cards in the corners.
        let [least, most] = TIMINGS_WIDTHS;
        let width = (context.free.width() - most).clamp(least, most);
        widgets::card(&ctx, "timings", corner, context.free, |ui| {
            // Otherwise lines that once had to be broken would be broken no wider ever after.
            ui.set_width(width);
            ui.label(text::timings(timings));
            ui.label(super::style::weak(text::passes(&timings.passes)));
        });
    }
    let pointer = ctx.pointer_hover_pos();
    Layout {
        landscape,
        covered,
        split,
        pointed: context.pointed,
        pointer,
        rows_seen: context.rows_seen,
        under_pointer: pointer.and_then(|at| dock.view_at(at)),
        cards: widgets::take_cards(&ctx),
    }
}

/// Shows what the presenter alone sees on all of `ui`.
pub fn show_notes(ui: &mut Ui, bench: &Workbench) {
    live::notes(ui, bench);
}

/// Shows the table of `view` alone: what the user asks for goes nowhere.
pub fn show_table(ui: &mut Ui, bench: &Workbench, view: ViewId) {
    let mut context = Context {
        bench,
        asks: &mut Asks::default(),
        free: ui.max_rect(),
        pointed: Pointed::default(),
        open: vec![view],
        rows_seen: RowsSeen::default(),
    };
    match view {
        ViewId::Calls => calls::show(ui, &mut context),
        ViewId::Differences => differences::show(ui, &mut context),
        _ => functions::show(ui, &mut context),
    }
}
