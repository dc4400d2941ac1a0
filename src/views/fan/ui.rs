//! The widgets of the compacted call tree, what the pointer does in the fan, and what is said below it.

use egui::{PointerButton, Pos2, Rect, Response, Role, Sense, Ui, pos2, vec2};
use glam::Vec2;

use super::compacted::Compacted;
use super::differences;
use super::discs::Disc;
use super::painting::{self, Scale};
use super::view::{Colour, Fan, displayed, pointed_at};
use crate::Pane;
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

/// So long a button is held down for the menu, in seconds.
const HELD: f64 = 0.5;

/// So near to a triangle it is clicked, in points.
const MARK: f32 = 9.0;

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
        match acted {
            Some(Acted::Change(node, direction)) => {
                view.change_noted(node, direction, document, pane.asks);
            }
            Some(Acted::Toggle(disc)) => view.toggle_noted(&disc, document, pane.asks),
            None => {}
        }
    });
}

fn head(view: &mut Fan, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
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
            view.change_all(Direction::Expand, pane.state, document, pane.asks);
        }
        if less {
            view.change_all(Direction::Compact, pane.state, document, pane.asks);
        }
        if whole {
            (view.zoom, view.pan) = (1.0, Vec2::ZERO);
        }
        let both = view
            .compacted
            .as_ref()
            .is_some_and(|it| it.shown.has_other());
        let label = ("colour", "What the colour of a disc says");
        let colours = Colour::ALL.into_iter().take(2 + usize::from(both));
        widgets::choice(ui, label, 84.0, &mut view.colour, colours);
        ui.label(style::weak("click: expand · right-click: compact · hold: menu").small());
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

/// What one does to a disc.
enum Acted {
    Change(NodeId, Direction),
    Toggle(Disc),
}

/// Shows the fan; what one does to a disc of it.
fn chart(
    view: &mut Fan,
    of: &Compacted,
    ui: &mut Ui,
    document: &Document,
    pane: &mut Pane<'_>,
) -> Option<Acted> {
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
    let pointed = pointed_at(of, document, disc.node);
    pane.pointed = pointed;
    pane.offer.has_menu = true;
    let (center, radius) = view.discs.now(&disc);
    let circle = (scale.place(center), radius * scale.radius);
    let mark = painting::mark_of(&disc, circle);
    if response.clicked() && mark.is_some_and(|it| it.distance(at) <= MARK) {
        return Some(Acted::Toggle(disc));
    }
    let is_held = held(view, ui, &response);
    let direction = match (response.clicked(), response.secondary_clicked()) {
        (true, _) if !view.is_held => Some(Direction::Expand),
        (_, true) => Some(Direction::Compact),
        _ => None,
    };
    response.on_hover_ui_at_pointer(|ui| tip(of, ui, document, disc));
    if is_held || direction.is_some() {
        // What the menu offers is done with it.
        view.focus = Some(disc.first);
        pane.offer.opens_menu = is_held;
        pane.asks.push(SelectAsk::Choose(pointed));
    }
    direction.map(|it| Acted::Change(disc.node, it))
}

/// Whether the button has just been held down long enough for the menu. Then letting go of it is no click.
fn held(view: &mut Fan, ui: &Ui, response: &Response) -> bool {
    let since = ui.input(|input| {
        let begun = input
            .pointer
            .press_start_time()
            .filter(|_| input.pointer.primary_down());
        begun.map(|it| input.time - it)
    });
    let is_still = response.is_pointer_button_down_on() && !response.dragged();
    match since.filter(|_| is_still) {
        Some(since) if since < HELD => {
            let rest = std::time::Duration::from_secs_f64(HELD - since);
            ui.ctx().request_repaint_after(rest);
            view.is_held = false;
        }
        Some(_) => return !std::mem::replace(&mut view.is_held, true),
        None if !response.clicked() => view.is_held = false,
        None => {}
    }
    false
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
    if disc.hidden > 0 {
        let hidden = text::counted(disc.hidden.into(), "disc", "discs");
        line(format!("collapsed: {hidden} hidden below it"));
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
    let hidden: u64 = view.discs.all.iter().map(|it| u64::from(it.hidden)).sum();
    if hidden > 0 {
        parts.push(format!("{} in collapsed branches", text::count(hidden)));
    }
    if let Some(marked) = &document.selection.marked {
        parts.push(format!("ringed: {}", escape::name(&marked.title)));
    }
    let line = Rect::from_min_max(pos2(whole.min.x, whole.max.y - LEGEND), whole.max);
    let right = colors.legend(ui.painter(), line.right_center(), document);
    frame::say_below(ui, line, &parts, right);
}
