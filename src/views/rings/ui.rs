//! The widgets of the ring chart, and the chart.

use std::collections::HashMap;
use std::sync::Arc;

use egui::epaint::Mesh;
use egui::{Align2, Color32, FontId, Pos2, Rect, Role, Sense, Shape, Ui, pos2, vec2};

use super::drawing::{self, Arc as Part};
use super::lettering::{LETTERS, LINE, write};
use super::view::{LEAST, MOST_RINGS, Rings, Shade};
use crate::Pane;
use crate::parts::context_chart::amount::Amount;
use crate::parts::context_chart::choice::{MERGES, Tint};
use crate::parts::context_chart::colors::{Colors, difference};
use crate::parts::context_chart::frame;
use crate::parts::contexts::{ShownContexts, of_both, pointed_at};
use crate::parts::style::mix;
use crate::parts::widgets::{self, tell};
use crate::parts::{rows, style, text};
use callscape_base::escape;
use callscape_base::units::{ContextId, Cost};
use callscape_filter::marked::Marked;
use callscape_layout::rings::{Rings as Chart, Segment, Sizing};
use callscape_look::ink::Ink;
use callscape_model::theme::Theme;
use callscape_state::ask::SelectAsk;
use callscape_state::document::Document;

/// How long the way from one chart to the next takes, in seconds.
const WAY: f64 = 0.35;

/// The height of the legend below the chart, in points.
const LEGEND: f32 = 24.0;

/// Points of the wheel that are a ring.
const WHEEL: f32 = 40.0;

/// How many names are written.
const MOST_NAMES: usize = 500;

/// A frame so far inside of a segment, in points, says that something is known of its function from elsewhere.
const FRAME: f32 = 2.5;
/// How wide the edge of the functions of a chosen phase is, in points.
const EDGE: f32 = 3.0;

pub(super) fn show(view: &mut Rings, ui: &mut Ui, pane: &mut Pane<'_>) {
    let says = (view.counted.has_none(), "callees around their callers");
    frame::show(ui, pane, says, frame::around(4), |ui, document, pane| {
        head(view, ui, document);
        let Some(shown) = view.counted.shown().cloned() else {
            return rows::hint(ui, "Counting the calling contexts …");
        };
        chart(view, ui, document, &shown, pane);
    });
}

/// A choice of what the recording has, by its names; `now` is the one in effect.
fn choice(
    ui: &mut Ui,
    (label, about): (&str, &str),
    now: Option<String>,
    all: impl Iterator<Item = String>,
    chosen: &mut String,
) {
    ui.label(style::weak(label).small());
    let now = now.unwrap_or_else(|| chosen.clone());
    let shown = egui::ComboBox::from_id_salt(("choice", label))
        .selected_text(escape::name(&now))
        .width(84.0)
        .show_ui(ui, |ui| {
            let clicked = all.filter(|it| {
                let name = escape::name(it);
                ui.selectable_label(*it == now, name).clicked()
            });
            clicked.last()
        });
    if let Some(Some(of)) = shown.inner {
        *chosen = of;
    }
    shown.response.on_hover_text(about);
}

fn head(view: &mut Rings, ui: &mut Ui, document: &Document) {
    ui.horizontal_wrapped(|ui| {
        let shown = view.counted.shown().cloned();
        let shown = shown.as_deref();
        let all = || shown.map_or_else(Vec::new, Amount::all).into_iter();
        let title = |it: Amount| shown.map(|shown| it.title(shown).into_owned());
        let sizes = all().filter(|it| !matches!(it, Amount::Own(_)));
        let label = ("size", "What the size of a segment says");
        let now = shown.and_then(|it| title(view.size(it)));
        choice(ui, label, now, sizes.filter_map(title), &mut view.size);
        let about = "Whether all callees are as large as one another, or by their angle or area";
        widgets::choice(ui, ("sized", about), 84.0, &mut view.sizing, Sizing::ALL);
        let label = ("colour", "What the colour of a segment says");
        let fixed = [Tint::Module, Tint::Difference].into_iter();
        let fixed =
            fixed.filter(|it| *it == Tint::Module || shown.is_some_and(|it| it.has_other()));
        let fixed = fixed.map(|it| it.title().to_owned());
        let now = shown.and_then(|it| match view.shade(it) {
            Shade::Module => Some(Tint::Module.title().to_owned()),
            Shade::Difference => Some(Tint::Difference.title().to_owned()),
            Shade::Amount(of) => title(of),
        });
        choice(
            ui,
            label,
            now,
            fixed.chain(all().filter_map(title)),
            &mut view.colour,
        );
        let label = ("calls", "Which calls become one segment");
        widgets::choice(ui, label, 84.0, &mut view.merge, MERGES);
        ui.label(style::weak("rings").small());
        let mut rings = view.rings;
        ui.add(egui::DragValue::new(&mut rings).range(1..=MOST_RINGS))
            .on_hover_text("How many rings are shown (wheel)");
        let by = i64::from(rings) - i64::from(view.rings);
        if by != 0 {
            view.change_rings(by as i32);
        }
        let edit = egui::TextEdit::singleline(&mut view.query)
            .hint_text("Name, module, self > 5 %")
            .desired_width((ui.available_width()).clamp(100.0, 180.0));
        ui.add(edit);
        if let Some((.., count)) = &view.found {
            ui.label(style::weak(format!("{} found", text::count(*count as u64))));
        }
        frame::says_without_sites(ui, view.counted.shown().map(|it| &**it));
        frame::says_excluded(ui, document);
    });
}

/// A segment on its way from where it was.
fn part(view: &Rings, segment: &Segment, before: Option<&Before<'_>>) -> Part {
    let place = |chart: &callscape_layout::rings::Rings, of: &Segment| {
        let [inner, outer] = chart.ring(of.ring);
        Part {
            inner,
            outer,
            from: of.from,
            to: of.to,
        }
    };
    let now = place(&view.chart, segment);
    let Some(before) = before else {
        return now;
    };
    let mut old = now;
    match before.places.get(&segment.node) {
        Some(segment) => old = place(before.chart, segment),
        // It grows out of its middle.
        None => (old.from, old.to) = ((now.from + now.to) * 0.5, (now.from + now.to) * 0.5),
    }
    let mix = |old: f32, new: f32| old + (new - old) * before.share;
    Part {
        inner: mix(old.inner, now.inner),
        outer: mix(old.outer, now.outer),
        from: mix(old.from, now.from),
        to: mix(old.to, now.to),
    }
}

/// The chart that a way leads from.
struct Before<'a> {
    chart: &'a callscape_layout::rings::Rings,
    places: HashMap<u32, Segment>,
    /// How far the way is done, eased.
    share: f32,
}

fn chart(
    view: &mut Rings,
    ui: &mut Ui,
    document: &Document,
    shown: &Arc<ShownContexts>,
    pane: &mut Pane<'_>,
) {
    let mut place = ui.available_rect_before_wrap();
    place.max.y -= LEGEND;
    let radius = (place.size().min_elem() * 0.5 - 4.0).max(0.0);
    let center = place.center();
    let pixel = 1.0 / ui.pixels_per_point();
    let now = ui.input(|input| input.time);
    view.lay_out(shown, radius, LEAST * pixel, now);
    if view.before.as_ref().is_some_and(|it| now - it.1 >= WAY) {
        view.before = None;
    }
    let response = ui.interact(place, ui.scope_id().with("rings"), Sense::click());
    tell(
        &response,
        Role::Image,
        "Ring chart of calling contexts; the call tree says it in rows",
    );
    paint(view, ui, document, shown, (center, pixel, now), pane);
    legend(view, ui, document, shown, pane);
    if view.before.is_some() {
        ui.ctx().request_repaint();
    }
    let Some(at) = response.hover_pos() else {
        return;
    };
    let turned = ui.input(|input| input.smooth_scroll_delta.y);
    view.turned += turned / WHEEL;
    let rings = view.turned.trunc();
    if rings != 0.0 {
        view.turned -= rings;
        view.change_rings(rings as i32);
    }
    let (x, y) = (at.x - center.x, at.y - center.y);
    let is_middle = view.chart.radii.first().is_some_and(|it| x.hypot(y) < *it);
    let segment = view
        .chart
        .at(x, y)
        .and_then(|it| view.chart.segments.get(it));
    let context = match is_middle {
        true => view.root,
        false => segment.map(|it| ContextId(it.node)),
    };
    if is_middle && response.clicked() {
        view.step(true);
    }
    let Some(context) = context else {
        if is_middle {
            response.on_hover_ui_at_pointer(|ui| {
                let name = view.middle(shown).map(|it| document.function_name(it));
                ui.label(style::title(escape::name(name.unwrap_or("Everything"))));
                ui.label(style::weak(shown.total_text(document, None)).small());
            });
        }
        return;
    };
    let pointed = pointed_at(document, shown.contexts.function(context));
    pane.pointed = pointed;
    if !is_middle && response.clicked() {
        view.set_root(Some(context));
        pane.asks.push(SelectAsk::Choose(pointed));
    }
    if response.secondary_clicked() {
        view.menu_of = Some(context);
    }
    if view.stack.0 != Some(context) {
        view.stack = (Some(context), 0.0);
    }
    view.stack.1 -= ui.input(|input| input.smooth_scroll_delta.x);
    let scrolled = &mut view.stack.1;
    response.on_hover_ui_at_pointer(|ui| tip(ui, document, shown, context, scrolled));
}

/// The whole call stack of a context, and all that is known of it.
fn tip(
    ui: &mut Ui,
    document: &Document,
    shown: &ShownContexts,
    context: ContextId,
    scrolled: &mut f32,
) {
    ui.set_max_width(380.0);
    ui.spacing_mut().item_spacing.y = 2.0;
    let name = document.function_name(shown.contexts.function(context));
    ui.add(egui::Label::new(style::title(escape::name(name))).wrap());
    if let Some(module) = document.module_of(shown.contexts.function(context)) {
        let path = document.session.hierarchy.path(module);
        ui.add(egui::Label::new(style::weak(escape::name(&path)).small()).wrap());
    }
    if let Some((file, line)) = shown.site(context) {
        let site = format!("called at {}:{line}", escape::name(file));
        ui.add(egui::Label::new(style::weak(site).small()).wrap());
    }
    let function = shown.contexts.function(context);
    let marks = document.selection.marked.iter().chain(&document.lit);
    for marked in marks.filter(|it| it.has_function(function)) {
        let title = escape::name(&marked.title).into_owned();
        ui.add(egui::Label::new(egui::RichText::new(title).small()).wrap());
    }
    let line = |of: Amount| {
        let (own, whole) = (of.of(shown, context), of.whole(shown));
        let amount = of.show(shown, own);
        match of {
            Amount::Calls => text::counted(own.size(), "call", "calls"),
            _ => {
                let share = text::percent(own.weight() as f64 / whole.max(1) as f64);
                format!("{} {amount} ({share} %)", of.title(shown))
            }
        }
    };
    let is_known = |of: &Amount| *of != Amount::Calls || document.counts_calls();
    let mut lines: Vec<String> = Amount::all(shown)
        .into_iter()
        .filter(is_known)
        .map(line)
        .collect();
    if shown.has_other() {
        lines.extend(of_both(
            document,
            shown.total(context),
            shown.other_total(context),
        ));
    }
    ui.add(egui::Label::new(lines.join("\n")).wrap());
    stack(ui, document, shown, context, scrolled);
}

/// The callers of a context, innermost first, all of them: where there is no room for them they scroll.
pub(super) fn stack(
    ui: &mut Ui,
    document: &Document,
    shown: &ShownContexts,
    context: ContextId,
    scrolled: &mut f32,
) {
    /// More lines would cover the view.
    const SEEN: usize = 20;
    let mut way = shown.contexts.way(context);
    way.pop();
    way.reverse();
    if way.len() > SEEN {
        let callers = text::count(way.len() as u64);
        let said = format!("{callers} callers; Shift + wheel or Page down scrolls");
        ui.label(style::weak(said).small());
    }
    let height = ui.text_style_height(&egui::TextStyle::Small);
    let step = height + ui.spacing().item_spacing.y;
    let room = step * SEEN as f32;
    *scrolled = scrolled.clamp(0.0, (step * way.len() as f32 - room).max(0.0));
    egui::ScrollArea::vertical()
        .max_height(room)
        .vertical_scroll_offset(*scrolled)
        .show_rows(ui, height, way.len(), |ui, rows| {
            for &caller in &way[rows] {
                let line = format!("← {}", escape::name(document.function_name(caller)));
                ui.add(egui::Label::new(style::weak(line).small()).truncate());
            }
        });
}

/// Draws the chart.
fn paint(
    view: &Rings,
    ui: &Ui,
    document: &Document,
    shown: &ShownContexts,
    (center, pixel, now): (Pos2, f32, f64),
    pane: &Pane<'_>,
) {
    let theme = pane.state.settings.theme;
    let panel = style::colors(theme);
    let before = view.before.as_ref().map(|(chart, begun)| {
        let t = ((now - begun) / WAY).clamp(0.0, 1.0) as f32;
        Before {
            chart,
            places: chart.segments.iter().map(|it| (it.node, *it)).collect(),
            share: t * t * (3.0 - 2.0 * t),
        }
    });
    let (colors, shade) = (colors(view, document, shown, theme), view.shade(shown));
    let (mut fills, mut marks) = (Mesh::default(), Mesh::default());
    let mut names: Vec<(Part, ContextId, Color32)> = Vec::new();
    let gap = 1.0;
    let marked = document.selection.marked.as_ref();
    let has = |marked: Option<&Arc<Marked>>, context: ContextId| {
        let function = shown.contexts.function(context);
        marked.is_some_and(|it| it.has_function(function))
    };
    for segment in &view.chart.segments {
        let context = ContextId(segment.node);
        let part = part(view, segment, before.as_ref()).with_gap(gap);
        let module = document.module_of(shown.contexts.function(context));
        let mut color = colors.of(value(document, shown, shade, context), module);
        let found = view.found.as_ref();
        let is_found = found.map(|(_, _, found, _)| found[context.index()]);
        if is_found == Some(false) {
            color = mix(panel.panel, color, 0.25);
        }
        drawing::add(&mut fills, center, part, color, pixel);
        if is_found == Some(true) {
            drawing::outline(&mut marks, center, part, 1.5, panel.text, pixel);
        }
        if has(document.lit.as_ref(), context) {
            // The functions of a chosen phase have a dark or light edge outside.
            let inner = (part.outer - EDGE).max(part.inner);
            drawing::add(
                &mut fills,
                center,
                Part { inner, ..part },
                style::ink_on(color),
                pixel,
            );
        }
        let framed = part.inside(FRAME).filter(|_| has(marked, context));
        if let Some(inside) = framed {
            let ink = style::ink_on(color);
            drawing::outline(&mut marks, center, inside, 1.0, ink, pixel);
        }
        for (hits, color) in view.hits.iter().zip([panel.weak, panel.accent]) {
            if hits.holds(context) {
                drawing::outline(&mut marks, center, part, 2.0, color, pixel);
            } else if hits.within(shown.contexts.subtree(context)) {
                // Further out is one that is meant.
                let outer = (part.inner + 2.0).min(part.outer);
                let edge = Part { outer, ..part };
                drawing::add(&mut marks, center, edge, color, pixel);
            }
        }
        let has_room = part.length() >= LINE && part.outer - part.inner >= LINE;
        if has_room && names.len() < MOST_NAMES {
            // A name does not run across its frame.
            names.push((framed.unwrap_or(part), context, color));
        }
    }
    if before.is_none() {
        slivers(&view.chart, &mut fills, center, pixel, panel.line);
    }
    let middle = view.chart.radii.first().copied().unwrap_or_default();
    let disc = Part {
        inner: 0.0,
        outer: (middle - gap).max(0.0),
        from: 0.0,
        to: 1.0,
    };
    drawing::add(&mut fills, center, disc, panel.button, pixel);
    ui.painter().add(Shape::mesh(fills));
    for (part, context, color) in names {
        let function = shown.contexts.function(context);
        let name = document.function_name(function);
        write(ui, center, part, &escape::name(name), style::ink_on(color));
    }
    ui.painter().add(Shape::mesh(marks));
    middle_text(view, ui, document, shown, middle, (center, panel));
}

/// Draws what is too narrow for a segment of its own.
fn slivers(chart: &Chart, fills: &mut Mesh, center: Pos2, pixel: f32, color: Color32) {
    for sliver in &chart.slivers {
        let [inner, outer] = chart.ring(sliver.ring);
        let part = Part {
            inner,
            outer: inner + (outer - inner) * 0.6,
            from: sliver.from,
            // As wide as a pixel at least.
            to: sliver
                .to
                .max(sliver.from + pixel / (std::f32::consts::TAU * outer.max(1.0))),
        };
        drawing::add(fills, center, part, color, pixel);
    }
}

/// What is in the middle, and what it costs.
fn middle_text(
    view: &Rings,
    ui: &Ui,
    document: &Document,
    shown: &ShownContexts,
    middle: f32,
    (center, panel): (Pos2, style::Colors),
) {
    let title = match view.middle(shown).map(|it| document.function_name(it)) {
        Some(name) => escape::name(name).into_owned(),
        None => "all".to_owned(),
    };
    let letters = (middle * 1.7 / LETTERS * 1.8) as usize;
    let title = rows::shortened(&title, letters.max(3));
    let font = FontId::proportional(LETTERS + 1.0);
    let painter = ui.painter();
    painter.text(
        center - vec2(0.0, 1.0),
        Align2::CENTER_BOTTOM,
        title,
        font,
        panel.text,
    );
    let font = FontId::proportional(LETTERS);
    let cost = match (view.size(shown), view.root) {
        // A and B have a line each.
        (Amount::Total(value), root) if value == shown.value => {
            shown.total_text(document, root).replace(", ", "\n")
        }
        (size, root) => {
            let all = 0..shown.contexts.len() as u32;
            let range = root.map_or(all, |it| shown.contexts.subtree(it));
            let before = size.before(shown).0;
            let [from, to] = [range.start, range.end].map(|it| before[it as usize]);
            size.show(shown, Cost::from_ns(to - from))
        }
    };
    let galley = painter.layout_no_wrap(cost, font, panel.weak);
    // What is wider than the middle would lie over the first ring.
    if galley.size().x <= middle * 1.8 && galley.size().y <= middle * 0.9 {
        let corner = center + vec2(galley.size().x * -0.5, 1.0);
        painter.galley(corner, galley, panel.weak);
    }
}

/// What the colour of a context says.
fn value(document: &Document, shown: &ShownContexts, shade: Shade, context: ContextId) -> f64 {
    match shade {
        Shade::Module => 0.0,
        Shade::Amount(of) => of.of(shown, context).ns() as f64,
        Shade::Difference => {
            let both = [shown.total(context), shown.other_total(context)];
            difference(document, both.map(|it| it.ns() as f64))
        }
    }
}

/// The colours of the segments that are seen. O(segments).
fn colors<'a>(
    view: &'a Rings,
    document: &'a Document,
    shown: &ShownContexts,
    theme: Theme,
) -> Colors<'a> {
    let shade = view.shade(shown);
    let seen = view.chart.segments.iter();
    let values = seen.map(|it| value(document, shown, shade, ContextId(it.node)).abs());
    let most = values.fold(0.0, f64::max);
    Colors {
        tint: match shade {
            Shade::Module => Tint::Module,
            Shade::Difference => Tint::Difference,
            Shade::Amount(_) => Tint::Own,
        },
        theme,
        tones: Ink::of(theme).tones,
        hues: &view.hues,
        hierarchy: &document.session.hierarchy,
        most,
        of: match shade {
            Shade::Amount(of) => Some([
                format!("colour: {}", of.words(shown)),
                of.show(shown, Cost::from_ns(most as u64)),
            ]),
            _ => None,
        },
    }
}

/// What sizes and colours mean, and what is not seen.
fn legend(view: &Rings, ui: &mut Ui, document: &Document, shown: &ShownContexts, pane: &Pane<'_>) {
    let theme = pane.state.settings.theme;
    let whole = ui.available_rect_before_wrap();
    let line = Rect::from_min_max(pos2(whole.min.x, whole.max.y - LEGEND), whole.max);
    let chart = &view.chart;
    let count = shown.contexts.len() as u64;
    let size = match view.sizing {
        Sizing::Alike => "alike".to_owned(),
        _ => view.size(shown).words(shown),
    };
    let mut texts = vec![
        format!("size: {size}"),
        text::counted(count, "context", "contexts"),
    ];
    if chart.too_small > 0 {
        let lines = text::counted(chart.slivers.len() as u64, "line", "lines");
        let small = text::count(chart.too_small);
        texts.push(format!("{small} too small to be seen, in {lines}"));
    }
    if chart.negative > 0 {
        let negative = text::count(chart.negative);
        texts.push(format!("{negative} negative, drawn as nothing"));
    }
    if chart.too_deep > 0 {
        let deep = text::count(chart.too_deep);
        texts.push(format!("{deep} further out"));
    }
    if let Some(marked) = &document.selection.marked {
        texts.push(format!("framed: {}", escape::name(&marked.title)));
    }
    if let Some(lit) = &document.lit {
        texts.push(format!("edged: {}", escape::name(&lit.title)));
    }
    let colors = colors(view, document, shown, theme);
    let right = colors.legend(ui.painter(), line.right_center(), document);
    frame::say_below(ui, line, &texts, right);
}
