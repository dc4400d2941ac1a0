//! The bars of a flame graph, drawn.

use egui::epaint::Mesh;
use egui::{Color32, FontId, Painter, Rect, Shape, pos2, vec2};

use super::graph::FlameGraph;
use super::making::{At, Made};
use super::marks::meant;
use super::places::Rows;
use crate::parts::context_chart::choice::Tint;
use crate::parts::context_chart::colors::{Colors, difference};
use crate::parts::style::mix;
use crate::parts::{rows, style};
use callscape_look::ink::Ink;
use callscape_model::theme::Theme;
use callscape_state::document::Document;

/// The size of names on bars in points, and the room at each end of them.
const LETTERS: f32 = 12.0;
const PADDING: f32 = 4.0;

/// A name is not written where there is less room, in points.
const LEAST_ROOM: f32 = 26.0;

/// Of a name that is cut at least so many letters are written.
const LEAST_LETTERS: usize = 6;

/// The distance of the strokes over what only the other run has, in points.
const STROKES: f32 = 7.0;

/// What the colour of a bar says; of two runs what B has more.
fn value(made: &Made, document: &Document, tint: Tint, (side, node): At) -> f64 {
    let stacks = &made.sides[side];
    match tint {
        Tint::Module => 0.0,
        Tint::Own => stacks.own(node).ns() as f64,
        Tint::Calls => stacks.calls(node) as f64,
        Tint::Difference => difference(document, stacks.totals(node).map(|it| it.weight() as f64)),
    }
}

/// The colours of the bars that are seen. O(bars).
pub(super) fn colors<'a>(
    view: &FlameGraph,
    made: &'a Made,
    document: &Document,
    theme: Theme,
) -> Colors<'a> {
    let tint = view.choice.tint(made.shown.has_other());
    let sides = view.sides.iter().enumerate();
    let all = sides.flat_map(|(side, it)| it.bars.bars.iter().map(move |it| (side, it.node)));
    let values = all.map(|at| value(made, document, tint, at).abs());
    Colors {
        tint,
        theme,
        tones: Ink::of(theme).tones,
        hues: &made.hues,
        hierarchy: &made.functions.session().hierarchy,
        most: values.fold(0.0, f64::max),
        of: None,
    }
}

/// What is drawn over bars.
#[derive(Default)]
struct Marked {
    strokes: Mesh,
    frames: Vec<(Rect, f32, Color32)>,
    names: Vec<(Rect, At, Color32)>,
}

/// Draws the rows that can be seen. O(bars and shades in them).
pub(super) fn paint(
    view: &FlameGraph,
    made: &Made,
    document: &Document,
    painter: &Painter,
    rows: Rows,
    colors: &Colors<'_>,
) {
    let panel = style::colors(colors.theme);
    let pixel = 1.0 / painter.pixels_per_point();
    let mut fills = Mesh::default();
    let mut marked = Marked::default();
    for side in 0..2 {
        let bars = &view.sides[side].bars;
        for row in rows.seen(side, bars.rows()) {
            let (of_row, shades) = bars.row(row);
            for shade in shades {
                let nodes = shade.node..shade.end;
                let is_found = view
                    .search
                    .as_ref()
                    .map(|it| it.within(side, nodes.clone()));
                let strong = is_found == Some(true) || view.chosen.within(side, nodes);
                let color = if strong { panel.text } else { panel.weak };
                let wide = shade.to.max(shade.from + pixel);
                let rect = rows.rect((side, row), shade.from, wide);
                let share = if is_found == Some(false) { 0.15 } else { 0.45 };
                fills.add_colored_rect(rect, mix(panel.panel, color, share));
            }
            for bar in of_row {
                let at = (side, bar.node);
                let full = rows.rect((side, row), bar.from, bar.to);
                // Neighbours are told apart where there is room between them.
                let gap = if full.width() > 4.0 * pixel {
                    pixel
                } else {
                    0.0
                };
                let rect = full.with_max_x(full.max.x - gap);
                let value = value(made, document, colors.tint, at);
                let module = made.functions.module(made.sides[side].key(bar.node));
                let mut color = colors.of(value, module);
                let node = bar.node..bar.node + 1;
                let is_found = view.search.as_ref().map(|it| it.within(side, node));
                if is_found == Some(false) {
                    color = mix(panel.panel, color, 0.25);
                }
                fills.add_colored_rect(rect, color);
                let is_gone = made.shown.has_other() && made.sides[side].is_gone(bar.node);
                if is_gone {
                    strokes(&mut marked.strokes, rect, style::ink_on(color), pixel);
                }
                mark(
                    view,
                    made,
                    document,
                    at,
                    (rect, is_found),
                    &mut marked,
                    panel,
                );
                if rect.width() >= LEAST_ROOM + 2.0 * PADDING {
                    marked.names.push((rect, at, color));
                }
            }
        }
    }
    painter.add(Shape::mesh(fills));
    painter.add(Shape::mesh(marked.strokes));
    for (rect, (side, node), color) in marked.names {
        let key = made.sides[side].key(node);
        let is_gone = made.shown.has_other() && made.sides[side].is_gone(node);
        let behind = is_gone.then_some(color);
        write(
            painter,
            rect,
            &made.functions.title(key),
            (style::ink_on(color), behind),
        );
    }
    for (rect, width, color) in marked.frames {
        let inside = egui::StrokeKind::Inside;
        painter.rect_stroke(rect, 0, egui::Stroke::new(width, color), inside);
    }
}

/// Frames a bar that is meant, found, marked, or that the keys start from.
fn mark(
    view: &FlameGraph,
    made: &Made,
    document: &Document,
    at: At,
    (rect, is_found): (Rect, Option<bool>),
    marked: &mut Marked,
    panel: style::Colors,
) {
    let mut frame = |inside: f32, width: f32, color: Color32| {
        let rect = rect.shrink(inside);
        if rect.is_positive() {
            marked.frames.push((rect, width, color));
        }
    };
    if is_found == Some(true) {
        frame(0.0, 1.0, panel.text);
    }
    let known = document.selection.marked.as_ref();
    let function = made.functions.shown(made.sides[at.0].key(at.1));
    if known
        .zip(function)
        .is_some_and(|(it, of)| it.functions.binary_search(&of).is_ok())
    {
        frame(2.0, 1.0, panel.text);
    }
    if meant(made, &document.selection.pointed, at) {
        frame(0.0, 1.5, panel.weak);
    }
    if view.chosen.holds(at.0, at.1) {
        frame(0.0, 2.0, panel.accent);
    }
    if view.cursor == Some(at) {
        frame(0.0, 2.5, panel.text);
    }
}

/// Slanted strokes over a part, which go on over its neighbours.
pub(super) fn strokes(mesh: &mut Mesh, rect: Rect, ink: Color32, pixel: f32) {
    let color = ink.gamma_multiply(0.4);
    let (min, max) = (
        glam::Vec2::new(rect.min.x, rect.min.y),
        glam::Vec2::new(rect.max.x, rect.max.y),
    );
    let part = callscape_layout::sheet::Rect::new(min, max);
    crate::hatching::slanted(part, STROKES, |[from, to]| {
        let [from, to] = [from, to].map(|it| pos2(it.x, it.y));
        let wide = vec2(pixel.max(1.0) * 0.7, 0.0);
        let first = mesh.vertices.len() as u32;
        for corner in [from - wide, from + wide, to + wide, to - wide] {
            mesh.colored_vertex(corner, color);
        }
        mesh.add_triangle(first, first + 1, first + 2);
        mesh.add_triangle(first, first + 2, first + 3);
    });
}

/// Writes a name into a bar, cut in its middle where there is no room for all of it; nothing where there is room for hardly
/// any. What is `behind` it is drawn over strokes.
fn write(painter: &Painter, rect: Rect, name: &str, (ink, behind): (Color32, Option<Color32>)) {
    let room = rect.width() - 2.0 * PADDING;
    let font = FontId::proportional(LETTERS);
    let lay_out = |name: String| painter.layout_no_wrap(name, font.clone(), ink);
    let mut galley = lay_out(name.to_owned());
    let mut letters = name.chars().count();
    while galley.size().x > room {
        // Letters differ in width: what was tried says how many there is room for.
        let fitting = (letters as f32 * room / galley.size().x) as usize;
        letters = fitting.min(letters - 1);
        if letters < LEAST_LETTERS {
            return;
        }
        galley = lay_out(rows::shortened(name, letters));
    }
    let corner = pos2(
        rect.left() + PADDING,
        rect.center().y - galley.size().y * 0.5,
    );
    if let Some(color) = behind {
        let text = Rect::from_min_size(corner, galley.size()).expand2(vec2(2.0, -1.0));
        painter.rect_filled(text, 0, color);
    }
    painter.galley(corner, galley, ink);
}
