//! The widgets of the compacted call tree, and the fan.

use std::collections::HashSet;
use std::sync::Arc;

use egui::{Align2, Color32, FontId, PointerButton, Pos2, Rect, Sense, Stroke, Ui, pos2, vec2};
use glam::Vec2;

use super::{Disc, Fan};
use crate::escape;
use crate::filter::selection::Pointed;
use crate::layout::fan;
use crate::layout::hues::{Hues, Tones, encoded};
use crate::model::theme::Theme;
use crate::state::ask::SelectAsk;
use crate::state::document::Document;
use crate::units::{ContextId, Cost};
use crate::views::contexts::ShownContexts;
use crate::views::{Pane, rows, style, text};

/// How long discs are on their way, in seconds.
const WAY: f64 = 0.4;

/// The height of the line below the fan, in points.
const LEGEND: f32 = 24.0;

/// This many points of the wheel double the size.
const WHEEL: f32 = 160.0;

/// Names are written beside discs of at least this radius, in points, and not more than so many.
const NAMED: f32 = 5.0;
const MOST_NAMES: usize = 160;

pub fn show(view: &mut Fan, ui: &mut Ui, pane: &mut Pane<'_>) {
    ui.painter()
        .rect_filled(ui.max_rect(), 0, ui.visuals().panel_fill);
    let state = pane.state;
    let Some(document) = &state.document else {
        return;
    };
    if document.resolved().is_none() {
        return rows::hint(ui, "Open a recording to see which packages call which.");
    }
    if view.counted.has_none() {
        return rows::hint(
            ui,
            "This profile tells functions and call relations, but no call paths. Its functions are in the table of \
             functions.",
        );
    }
    let frame = egui::Frame::new().inner_margin(egui::Margin {
        left: 10,
        right: 10,
        top: 6,
        bottom: 4,
    });
    frame.show(ui, |ui| {
        head(view, ui, document);
        let shown = view.counted.shown().cloned();
        let Some(shown) = shown.filter(|_| view.compacted.is_some()) else {
            return rows::hint(ui, "Counting the calling contexts …");
        };
        chart(view, ui, document, &shown, pane);
    });
}

fn head(view: &mut Fan, ui: &mut Ui, document: &Document) {
    ui.horizontal_wrapped(|ui| {
        let more = ui.button("Expand all").on_hover_text("One level more: →");
        let less = ui.button("Compact all").on_hover_text("One level less: ←");
        if more.clicked() {
            view.change_all(document, true);
        }
        if less.clicked() {
            view.change_all(document, false);
        }
        if ui.button("All in sight").clicked() {
            (view.zoom, view.pan) = (1.0, Vec2::ZERO);
        }
        ui.label(style::weak("click: expand · right click: compact").small());
        if let Some(said) = &view.said {
            let color = ui.visuals().warn_fg_color;
            ui.add(egui::Label::new(egui::RichText::new(escape::name(said)).color(color)).wrap());
        }
        if !document.filters.is_empty() {
            ui.label(style::weak("with what is left out elsewhere"));
        }
    });
}

/// From units of the layout to points.
#[derive(Clone, Copy)]
struct Scale {
    middle: Pos2,
    /// What lies there.
    at: Vec2,
    points: f32,
}

impl Scale {
    fn place(self, at: Vec2) -> Pos2 {
        let by = (at - self.at) * self.points;
        self.middle + vec2(by.x, by.y)
    }
}

fn scale(view: &Fan, place: Rect) -> Option<Scale> {
    let places: Vec<fan::Place> = view.discs.iter().map(|it| it.place).collect();
    let (min, max) = fan::bounds(&places)?;
    // Names stand beside the outermost discs.
    let room = vec2(place.width() * 0.86, place.height() * 0.92);
    let size = (max - min).max(Vec2::splat(0.1));
    let fitting = (room.x / size.x).min(room.y / size.y);
    // A few discs need not fill the view.
    let points = fitting.min(70.0) * view.zoom;
    Some(Scale {
        middle: place.center(),
        at: (min + max) * 0.5 + view.pan,
        points,
    })
}

fn chart(
    view: &mut Fan,
    ui: &mut Ui,
    document: &Document,
    shown: &Arc<ShownContexts>,
    pane: &mut Pane<'_>,
) {
    let whole = ui.available_rect_before_wrap();
    let mut place = whole;
    place.max.y -= LEGEND;
    let response = ui.interact(place, ui.scope_id().with("fan"), Sense::click_and_drag());
    let Some(mut scale) = scale(view, place) else {
        return;
    };
    if response.dragged_by(PointerButton::Primary) {
        let by = response.drag_delta() / scale.points;
        view.pan -= Vec2::new(by.x, by.y);
        scale.at -= Vec2::new(by.x, by.y);
    }
    let turned = ui.input(|input| input.smooth_scroll_delta.y);
    if turned != 0.0
        && let Some(at) = response.hover_pos()
    {
        let zoom = (view.zoom * (turned / WHEEL).exp2()).clamp(0.1, 400.0);
        let factor = zoom / view.zoom;
        // What is under the pointer stays there.
        let from = at - scale.middle;
        let by = Vec2::new(from.x, from.y) * (1.0 / scale.points) * (1.0 - 1.0 / factor);
        view.zoom = zoom;
        view.pan += by;
        scale.at += by;
        scale.points *= factor;
    }
    let now = ui.input(|input| input.time);
    let begun = *view.begun.get_or_insert(now);
    let mut share = 1.0;
    if view.is_moving {
        let t = ((now - begun) / WAY).clamp(0.0, 1.0) as f32;
        share = t * t * (3.0 - 2.0 * t);
        view.is_moving = t < 1.0;
        ui.ctx().request_repaint();
    }
    paint(
        view,
        ui.painter().with_clip_rect(place),
        document,
        shown,
        (scale, share),
        pane,
    );
    legend(view, ui, whole, document, shown, pane);
    let Some(at) = response.hover_pos() else {
        return;
    };
    let is_under = |it: &&Disc| {
        let from = scale.place(it.place.at).distance(at);
        from <= (it.place.radius * scale.points).max(5.0)
    };
    let nearest = |it: &&Disc| (scale.place(it.place.at).distance(at) * 100.0) as u32;
    let Some(disc) = view
        .discs
        .iter()
        .filter(is_under)
        .min_by_key(nearest)
        .copied()
    else {
        return;
    };
    let Some(compacted) = &view.compacted else {
        return;
    };
    let node = compacted.compaction.node(disc.node);
    let pointed = document.complete(Pointed::at_module(Some(node.module)));
    pane.pointed = pointed;
    let (weight, contexts) = (Cost::from_ns(node.weight), node.contexts);
    let path = document.session.hierarchy.path(node.module);
    let is_clicked = response.clicked();
    let is_second = response.secondary_clicked();
    response.on_hover_ui_at_pointer(|ui| {
        ui.set_max_width(360.0);
        ui.add(egui::Label::new(style::title(escape::name(&path))).wrap());
        let share = 100.0 * weight.ns() as f64 / shown.whole.ns().max(1) as f64;
        let lines = format!(
            "{} ({share:.1} %), {}",
            document.show_cost(weight),
            text::counted(contexts.into(), "calling context", "calling contexts")
        );
        ui.add(egui::Label::new(lines).wrap());
    });
    if is_clicked {
        pane.asks.push(SelectAsk::Choose(pointed));
        view.change(document, disc.node, true);
    } else if is_second {
        view.change(document, disc.node, false);
    }
}

fn paint(
    view: &Fan,
    painter: egui::Painter,
    document: &Document,
    shown: &ShownContexts,
    (scale, share): (Scale, f32),
    pane: &Pane<'_>,
) {
    let theme = pane.state.settings.theme;
    let colors = style::colors(theme);
    let Some(compacted) = &view.compacted else {
        return;
    };
    let hierarchy = &document.session.hierarchy;
    let hues = Hues::new(hierarchy);
    let tones = match theme {
        Theme::Light => Tones::LIGHT,
        Theme::Dark => Tones {
            lightness: 0.55,
            chroma: 0.075,
            ..Tones::DARK
        },
    };
    let at = |it: &Disc| scale.place(it.from + (it.place.at - it.from) * share);
    let radius = |it: &Disc| {
        let now = it.was + (it.place.radius - it.was) * share;
        (now * scale.points).max(1.0)
    };
    // The nodes with a context that is meant.
    let meant = view.hits.each_ref().map(|hits| {
        let all = compacted.contexts.iter().zip(0..);
        let found = all.filter(|(context, _)| hits.holds(ContextId(**context)));
        let nodes = found.map(|(_, place)| compacted.compaction.node_of(place));
        nodes.collect::<HashSet<u32>>()
    });
    let whole = shown.whole.ns().max(1) as f32;
    for disc in &view.discs {
        let Some(parent) = disc.parent.and_then(|it| view.discs.get(it as usize)) else {
            continue;
        };
        let weight = compacted.compaction.node(disc.node).weight as f32 / whole;
        let width = 0.8 + 5.0 * weight.sqrt();
        painter.line_segment([at(parent), at(disc)], Stroke::new(width, colors.line));
    }
    for disc in &view.discs {
        let node = compacted.compaction.node(disc.node);
        let [r, g, b, _] = encoded(hues.color(hierarchy, node.module, &tones));
        painter.circle_filled(at(disc), radius(disc), Color32::from_rgb(r, g, b));
        for (hits, color) in meant.iter().zip([colors.weak, colors.accent]) {
            if hits.contains(&disc.node) {
                painter.circle_stroke(at(disc), radius(disc) + 2.0, Stroke::new(2.0, color));
            }
        }
    }
    // The largest are named first; names that would cover others are not written.
    let mut largest: Vec<&Disc> = view.discs.iter().filter(|it| radius(it) >= NAMED).collect();
    largest.sort_by(|x, y| {
        y.place
            .radius
            .total_cmp(&x.place.radius)
            .then(x.node.cmp(&y.node))
    });
    let mut taken: Vec<Rect> = Vec::new();
    for disc in largest.into_iter().take(MOST_NAMES) {
        let node = compacted.compaction.node(disc.node);
        let name = hierarchy.name(node.module);
        let name = rows::shortened(&escape::name(name), 34);
        let font = FontId::proportional(11.5);
        let galley = painter.layout_no_wrap(name, font, colors.text);
        let (center, r) = (at(disc), radius(disc));
        let place = match galley.size().x < 1.8 * r {
            true => Align2::CENTER_CENTER.anchor_size(center, galley.size()),
            false => {
                let corner = pos2(center.x, center.y + r + 1.0);
                Align2::CENTER_TOP.anchor_size(corner, galley.size())
            }
        };
        if taken.iter().any(|it| it.intersects(place)) {
            continue;
        }
        taken.push(place);
        painter.galley(place.min, galley, colors.text);
    }
}

/// What is shown of how much.
fn legend(
    view: &Fan,
    ui: &Ui,
    whole: Rect,
    document: &Document,
    shown: &ShownContexts,
    pane: &Pane<'_>,
) {
    let colors = style::colors(pane.state.settings.theme);
    let mut parts = vec![
        text::counted(shown.contexts.len() as u64, "context", "contexts"),
        format!(
            "in {}",
            text::counted(view.discs.len() as u64, "disc", "discs")
        ),
        format!("area: total of {}", document.show_cost(shown.whole)),
        "hue: district".to_owned(),
    ];
    if let Some(left_out) = view
        .compacted
        .as_ref()
        .map(|it| it.left_out)
        .filter(|it| *it > 0)
    {
        let count = text::count(left_out as u64);
        parts.push(format!("{count} with the least cost left out"));
    }
    let at = pos2(whole.min.x, whole.max.y - LEGEND * 0.5);
    let font = FontId::proportional(11.5);
    ui.painter().text(
        at,
        Align2::LEFT_CENTER,
        parts.join(" · "),
        font,
        colors.weak,
    );
}
