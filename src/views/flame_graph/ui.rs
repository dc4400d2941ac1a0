//! The widgets of the flame graph, and what the pointer does in it.

use egui::{Rect, Response, Role, Sense, Ui};

use super::choice::{Callees, Order};
use super::graph::FlameGraph;
use super::laid_out::Side;
use super::making::Made;
use super::painting;
use super::places::Rows;
use super::{legend, tip};
use crate::Pane;
use crate::parts::context_chart::choice::{Known, MERGES};
use crate::parts::context_chart::frame;
use crate::parts::widgets::{self, tell};
use crate::parts::{rows, style, text};
use callscape_state::ask::SelectAsk;
use callscape_state::document::Document;

/// The height of the legend below the bars, in points.
const LEGEND: f32 = 22.0;

/// The least and the greatest height of a row, in points.
const ROW: [f32; 2] = [16.0, 24.0];

pub(super) fn show(view: &mut FlameGraph, ui: &mut Ui, pane: &mut Pane<'_>) {
    let says = (view.counted.has_none(), "its merged stacks");
    frame::show(ui, pane, says, frame::around(2), |ui, document, pane| {
        head(view, ui, document);
        match view.making.made().map(Made::is_empty) {
            None => rows::hint(ui, "Merging the stacks …"),
            Some(true) => rows::hint(ui, "Nothing here costs anything."),
            Some(false) => chart(view, ui, document, pane),
        }
    });
}

/// What there is to choose, and the search.
fn head(view: &mut FlameGraph, ui: &mut Ui, document: &Document) {
    ui.horizontal_wrapped(|ui| {
        choices(view, ui, document);
        let edit = egui::TextEdit::singleline(&mut view.query)
            .hint_text("Name, module, self > 5 %")
            .desired_width(ui.available_width().clamp(100.0, 180.0));
        ui.add(edit);
        if let Some((search, made)) = view.search.as_ref().zip(view.making.made()) {
            let share = |side| text::percent(search.share(made, side));
            let stacks = text::counted(search.count(), "stack", "stacks");
            let said = match made.focus {
                None => format!("{} % of the whole in {stacks}", share(0)),
                Some(_) => format!("{} % of callees, {} % of callers", share(0), share(1)),
            };
            ui.label(style::weak(said));
        }
        let is_part = view.sides.iter().any(Side::is_part);
        if view.focus.is_some() && ui.button("All stacks").on_hover_text("Shift + C").clicked() {
            view.set_focus(None);
        }
        if is_part
            && ui
                .button("Whole width")
                .on_hover_text("Shows all bars")
                .clicked()
        {
            view.show_whole();
        }
        frame::says_excluded(ui, document);
    });
}

fn choices(view: &mut FlameGraph, ui: &mut Ui, document: &Document) {
    let shown = view.counted.shown();
    let known = Known::of(document, shown.map(|it| &**it));
    let has_other = shown.is_some_and(|it| it.has_other());
    let choice = &mut view.choice;
    if known.metrics().count() > 1 {
        let label = ("width", "What bars are as wide as");
        widgets::choice(ui, label, 70.0, &mut choice.metric, known.metrics());
    }
    let before = choice.tint(has_other);
    let mut tint = before;
    let label = ("colour", "What bars are coloured by");
    widgets::choice(ui, label, 84.0, &mut tint, known.tints());
    if tint != before {
        choice.tint = Some(tint);
    }
    let label = ("order", "The order of the callees of one function");
    widgets::choice(ui, label, 84.0, &mut choice.order, Order::ALL);
    let label = ("callees", "Callees below their callers, or above");
    widgets::choice(ui, label, 60.0, &mut choice.callees, Callees::ALL);
    let label = ("calls", "Which calls become one bar");
    widgets::choice(
        ui,
        label,
        100.0,
        &mut choice.merge,
        MERGES.into_iter().take(2),
    );
}

/// Where rows are in `place`.
fn rows_in(view: &mut FlameGraph, place: Rect) -> Rows {
    let [callees, callers] = [0, 1].map(|side: usize| view.sides[side].bars.rows() as f32);
    // The function in the middle stands among its callees.
    let callers = (callers - 1.0).max(0.0);
    let all = (callees + callers).max(1.0);
    let height = (place.height() / all).floor().clamp(ROW[0], ROW[1]);
    let room = place.height();
    // Callers get as much as their callees leave, or half.
    let outwards = match all * height <= room {
        true => callers * height,
        false => (callers * height).min((room - callees * height).max(room * 0.5)),
    };
    let outwards = (outwards / height).floor() * height;
    let most = [
        (callers * height - outwards).max(0.0),
        (callees * height - (room - outwards)).max(0.0),
    ];
    let is_below = view.choice.callees == Callees::Below;
    let [down, up] = if is_below { most } else { [most[1], most[0]] };
    view.scroll = view.scroll.clamp(-up, down);
    Rows {
        place,
        origin: view.scroll
            + match is_below {
                true => place.top() + outwards,
                false => place.bottom() - outwards,
            },
        height,
        callees: view.choice.callees,
    }
}

fn chart(view: &mut FlameGraph, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let whole = ui.available_rect_before_wrap();
    let place = whole.with_max_y((whole.max.y - LEGEND).max(whole.min.y));
    let line = whole.with_min_y(place.max.y);
    let now = ui.input(|input| input.time);
    let size = (place.width(), 1.0 / ui.pixels_per_point(), now);
    view.last = (place.width(), now);
    let response = ui.interact(
        place,
        ui.scope_id().with("flame graph"),
        Sense::click_and_drag(),
    );
    tell(
        &response,
        Role::Image,
        "Flame graph of merged stacks; the call tree says it in rows",
    );
    moved(view, ui, &response, place);
    let Some(made) = view.making.made() else {
        return;
    };
    let mut goes = false;
    for (side, stacks) in view.sides.iter_mut().zip(&made.sides) {
        goes |= side.lay_out(stacks, made.stamp, size);
    }
    if goes {
        ui.ctx().request_repaint();
    }
    let rows = rows_in(view, place);
    let rows = revealed(view, rows);
    view.rows = Some(rows);
    let Some(made) = view.making.made() else {
        return;
    };
    let theme = pane.state.settings.theme;
    let colors = painting::colors(view, made, document, theme);
    let painter = ui.painter().with_clip_rect(place);
    painting::paint(view, made, document, &painter, rows, &colors);
    legend::show(view, ui, document, made, (line, rows, theme), &colors);
    point(view, &response, document, rows, pane);
}

/// The rows once what is to be seen is in sight.
fn revealed(view: &mut FlameGraph, rows: Rows) -> Rows {
    if !std::mem::take(&mut view.reveals) {
        return rows;
    }
    let Some((side, node)) = view.cursor() else {
        return rows;
    };
    let bars = &view.sides[side].bars.bars;
    let row = bars.iter().find(|it| it.node == node).map(|it| it.row);
    let missing = row.map_or(0.0, |it| rows.missing(side, it as usize));
    if missing == 0.0 {
        return rows;
    }
    view.scroll += missing;
    rows_in(view, rows.place)
}

/// The wheel moves through rows, or zooms; dragging moves what is seen.
fn moved(view: &mut FlameGraph, ui: &Ui, response: &Response, place: Rect) {
    let dragged = response.drag_delta();
    // As rows were in the last frame.
    let rows = view.rows;
    let side = |y: f32| rows.map_or(0, |it| it.at(y).0);
    if dragged != egui::Vec2::ZERO
        && let Some(at) = response.interact_pointer_pos()
    {
        view.pan(side(at.y), dragged.x);
        view.scroll += dragged.y;
    }
    let Some(at) = response.hover_pos() else {
        return;
    };
    let (wheel, zoom) = ui.input(|input| (input.smooth_scroll_delta, input.zoom_delta()));
    let side = side(at.y);
    if zoom != 1.0 {
        view.zoom(side, at.x - place.left(), f64::from(zoom));
    } else {
        view.scroll += wheel.y;
        view.pan(side, wheel.x);
    }
}

/// What the pointer is on, and what a click there does.
fn point(
    view: &mut FlameGraph,
    response: &Response,
    document: &Document,
    rows: Rows,
    pane: &mut Pane<'_>,
) {
    let (Some(at), Some(made)) = (response.hover_pos(), view.making.made()) else {
        return;
    };
    let (side, row) = rows.at(at.y);
    let x = at.x - rows.place.left();
    let bars = &view.sides[side].bars;
    let Some(bar) = bars.at(row, x) else {
        if let Some(shade) = bars.shade_at(row, x) {
            let shade = *shade;
            response
                .clone()
                .on_hover_ui_at_pointer(|ui| tip::of_shade(ui, &shade));
            if response.clicked() {
                view.zoom_to_shade(side, &shade);
            }
        }
        return;
    };
    let at = (side, bar.node);
    let pointed = FlameGraph::pointed_at(made, at);
    pane.pointed = pointed;
    response
        .clone()
        .on_hover_ui_at_pointer(|ui| tip::of_bar(view, ui, document, made, at));
    if response.clicked() {
        view.cursor = Some(at);
        view.zoom_to(at);
        pane.asks.push(SelectAsk::Choose(pointed));
    } else if response.secondary_clicked() {
        view.menu_of = Some(at);
    }
}
