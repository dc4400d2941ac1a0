//! The widgets of the compacted call tree, what the pointer does in the fan, and what is said below it.

use egui::{PointerButton, Pos2, Rect, Response, Role, Sense, Ui, pos2, vec2};
use glam::Vec2;

use super::compacted::Compacted;
use super::differences;
use super::discs::Disc;
use super::painting::{self, Scale};
use super::view::{Fan, displayed};
use crate::Pane;
use crate::parts::context_chart::choice::Tint;
use crate::parts::context_chart::colors::Colors;
use crate::parts::context_chart::frame;
use crate::parts::contexts::of_both;
use crate::parts::widgets::{self, tell};
use crate::parts::{rows, style, text};
use callscape_analysis::compaction::{Direction, NodeId};
use callscape_base::escape;
use callscape_base::units::Cost;
use callscape_state::ask::SelectAsk;
use callscape_state::document::Document;

/// How long discs are on their way, in seconds.
const WAY: f64 = 0.4;

/// The height of the line below the fan, in points.
const LEGEND: f32 = 24.0;

/// This many points of the wheel double the size.
const WHEEL: f32 = 160.0;

/// The radius of the largest disc of a fan that has few, in points.
const LARGEST: f32 = 46.0;

/// Small discs are pointed at from so far, in points.
const NEAR: f32 = 5.0;

pub(super) fn show(view: &mut Fan, ui: &mut Ui, pane: &mut Pane<'_>) {
    let says = (view.counted.has_none(), "which modules call which");
    frame::show(ui, pane, says, frame::around(4), |ui, document, pane| {
        head(view, ui, document, pane);
        let Some(of) = view.compacted.take() else {
            return rows::hint(ui, "Counting the calling contexts …");
        };
        let acted = match view.discs.all.is_empty() {
            true => {
                rows::hint(ui, "Nothing here costs anything.");
                None
            }
            false => chart(view, &of, ui, document, pane),
        };
        view.compacted = Some(of);
        if let Some((node, direction)) = acted {
            view.change(node, direction, document);
        }
    });
}

fn head(view: &mut Fan, ui: &mut Ui, document: &Document, pane: &Pane<'_>) {
    ui.horizontal_wrapped(|ui| {
        let is_free = view.changing.is_none() && view.compacted.is_some();
        let mut button = |title: &str, about: &str| {
            let button = ui.add_enabled(is_free, egui::Button::new(title));
            button.on_hover_text(about).clicked()
        };
        let more = button("Expand all", "One level more: →");
        let less = button("Compact all", "One level less: ←");
        let whole = button("All in sight", "As large as fits");
        if more {
            view.change_all(Direction::Expand, pane.state, document);
        }
        if less {
            view.change_all(Direction::Compact, pane.state, document);
        }
        if whole {
            (view.zoom, view.pan) = (1.0, Vec2::ZERO);
        }
        if view
            .compacted
            .as_ref()
            .is_some_and(|it| it.shown.has_other())
        {
            let label = ("colour", "What the colour of a disc says");
            let tints = [Tint::Module, Tint::Difference];
            widgets::choice(ui, label, 84.0, &mut view.tint, tints);
        }
        ui.label(style::weak("click: expand · Shift + Enter: compact").small());
        frame::says_excluded(ui, document);
    });
    // Names in it were made fit to be shown.
    if let Some(said) = &view.said {
        let color = ui.visuals().warn_fg_color;
        ui.add(egui::Label::new(egui::RichText::new(said).color(color)).wrap());
    }
}

/// How large the fan is in `place`, and what lies in its middle.
fn scale(view: &Fan, place: Rect) -> Option<Scale> {
    let (min, max) = view.discs.bounds_now()?;
    // Names stand beside the outermost discs.
    let room = vec2(place.width() * 0.88, place.height() * 0.92);
    let size = (max - min).max(Vec2::splat(0.1));
    // Places go apart both ways until the fan fills the view; discs that are not on each other then stay so.
    let fitting = room / vec2(size.x, size.y);
    let largest = LARGEST * place.height().max(300.0) / 500.0;
    Some(Scale {
        middle: place.center(),
        at: (min + max) * 0.5 + view.pan,
        points: fitting * view.zoom,
        radius: fitting.min_elem().min(largest) * view.zoom,
    })
}

/// Shows the fan; what one does to a node of it.
fn chart(
    view: &mut Fan,
    of: &Compacted,
    ui: &mut Ui,
    document: &Document,
    pane: &mut Pane<'_>,
) -> Option<(NodeId, Direction)> {
    let whole = ui.available_rect_before_wrap();
    let mut place = whole;
    place.max.y -= LEGEND;
    let response = ui.interact(place, ui.scope_id().with("fan"), Sense::click_and_drag());
    tell(
        &response,
        Role::Image,
        "Compacted tree of calling contexts; the call tree says it in rows",
    );
    advance(view, ui);
    let scale = moved(view, ui, &response, scale(view, place)?);
    let theme = pane.state.settings.theme;
    let painter = ui.painter().with_clip_rect(place);
    let colors = painting::colors(view, of, document, theme);
    let unseen = painting::paint(view, of, document, &painter, scale, &colors);
    legend(view, of, ui, (whole, &colors), document, unseen);
    let at = response.hover_pos()?;
    let disc = view.discs.all[under(view, scale, at)?];
    let pointed = view.pointed_at(document, disc.node);
    pane.pointed = pointed;
    let (is_clicked, is_second) = (response.clicked(), response.secondary_clicked());
    response.on_hover_ui_at_pointer(|ui| tip(of, ui, document, disc));
    if is_clicked {
        view.focus = Some(disc.first);
        pane.asks.push(SelectAsk::Choose(pointed));
        return Some((disc.node, Direction::Expand));
    }
    if is_second {
        // What the menu offers is done with it.
        view.focus = Some(disc.first);
    }
    None
}

/// Brings discs further on their way.
fn advance(view: &mut Fan, ui: &Ui) {
    let discs = &mut view.discs;
    if !discs.is_moving {
        return;
    }
    let now = ui.input(|input| input.time);
    let begun = *discs.begun.get_or_insert(now);
    let t = ((now - begun) / WAY).clamp(0.0, 1.0) as f32;
    discs.share = t * t * (3.0 - 2.0 * t);
    if t >= 1.0 {
        discs.arrive();
    } else {
        ui.ctx().request_repaint();
    }
}

/// The scale after what the pointer has done: a drag moves, the wheel zooms about the pointer.
fn moved(view: &mut Fan, ui: &Ui, response: &Response, mut scale: Scale) -> Scale {
    if response.dragged_by(PointerButton::Primary) {
        let by = response.drag_delta() / scale.points;
        view.pan -= Vec2::new(by.x, by.y);
        scale.at -= Vec2::new(by.x, by.y);
    }
    let turned = ui.input(|input| input.smooth_scroll_delta.y);
    if turned != 0.0
        && let Some(at) = response.hover_pos()
    {
        let before = view.zoom;
        view.zoom_by((turned / WHEEL).exp2());
        let factor = view.zoom / before;
        // What is under the pointer stays there.
        let from = (at - scale.middle) / scale.points * (1.0 - 1.0 / factor);
        view.pan += Vec2::new(from.x, from.y);
        scale.at += Vec2::new(from.x, from.y);
        scale.points *= factor;
        scale.radius *= factor;
    }
    scale
}

/// The disc under the pointer: the nearest edge counts.
fn under(view: &Fan, scale: Scale, at: Pos2) -> Option<usize> {
    let discs = &view.discs;
    let away = |number: usize| {
        let (center, radius) = discs.now(&discs.all[number]);
        let radius = radius * scale.radius;
        scale.place(center).distance(at) - radius
    };
    let all = (0..discs.all.len()).map(|it| (away(it), it));
    let near = all.filter(|it| it.0 <= NEAR);
    near.min_by(|x, y| x.0.total_cmp(&y.0)).map(|it| it.1)
}

/// What is said of a node under the pointer.
fn tip(of: &Compacted, ui: &mut Ui, document: &Document, disc: Disc) {
    let node = disc.node;
    let (compaction, shown) = (&of.compaction, &of.shown);
    ui.set_max_width(380.0);
    ui.spacing_mut().item_spacing.y = 2.0;
    let name = displayed(document, &of.names, compaction.name(node));
    ui.add(egui::Label::new(style::title(name)).wrap());
    let marked = document.selection.marked.as_ref();
    if let Some(marked) = marked.filter(|_| disc.has_findings) {
        let line = format!("in it: {}", escape::name(&marked.title));
        ui.add(egui::Label::new(egui::RichText::new(line).small()).wrap());
    }
    let mut line = |line: String| {
        ui.add(egui::Label::new(style::weak(line).small()).wrap());
    };
    let total = compaction.weight(node);
    let below = compaction.children(Some(node));
    let below = below.fold(0_u64, |sum, it| sum.saturating_add(compaction.weight(it)));
    let cost = |it: u64| {
        let cost = Cost::from_ns(it);
        let share = text::percent(shown.share(cost));
        format!("{} ({share} %)", document.show_cost(cost))
    };
    line(format!("total {}", cost(total)));
    line(format!("in itself {}", cost(total.saturating_sub(below))));
    if document.counts_calls() {
        let calls = compaction.highest(node).map(|it| shown.calls(it));
        let calls = calls.fold(0_u64, u64::saturating_add);
        line(format!("called {}", text::counted(calls, "time", "times")));
    }
    if shown.has_other() {
        let other = differences::other_total(of, node);
        of_both(document, Cost::from_ns(total), other)
            .into_iter()
            .for_each(&mut line);
    }
    let contexts = u64::from(compaction.contexts(node));
    line(text::counted(
        contexts,
        "calling context",
        "calling contexts",
    ));
}

/// How much is shown of how much.
fn legend(
    view: &Fan,
    of: &Compacted,
    ui: &Ui,
    (whole, colors): (Rect, &Colors<'_>),
    document: &Document,
    unseen: usize,
) {
    let contexts = of.shown.contexts.len() as u64;
    let mut parts = vec![
        format!(
            "{} in {}",
            text::counted(contexts, "context", "contexts"),
            text::counted(of.compaction.len() as u64, "disc", "discs")
        ),
        format!("area: total of {}", of.shown.total_text(document, None)),
    ];
    let negative = view.discs.negative;
    if negative > 0 {
        let count = text::count(negative as u64);
        parts.push(format!("{count} negative, drawn as nothing"));
    }
    let too_small = (view.discs.left_out + unseen).saturating_sub(negative);
    if too_small > 0 {
        let count = text::count(too_small as u64);
        parts.push(format!("{count} too small to be drawn"));
    }
    if let Some(marked) = &document.selection.marked {
        parts.push(format!("ringed: {}", escape::name(&marked.title)));
    }
    let line = Rect::from_min_max(pos2(whole.min.x, whole.max.y - LEGEND), whole.max);
    let right = colors.legend(ui.painter(), line.right_center(), document);
    frame::say_below(ui, line, &parts, right);
}
