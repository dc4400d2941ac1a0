//! What widths and colours mean, and what is not seen.

use egui::epaint::Mesh;
use egui::{Align2, FontId, Rect, Shape, Ui, pos2, vec2};

use super::graph::FlameGraph;
use super::making::Made;
use super::painting;
use super::places::Rows;
use super::tip::only_in;
use crate::parts::context_chart::colors::Colors;
use crate::parts::context_chart::frame;
use crate::parts::{style, text};
use callscape_base::escape;
use callscape_model::theme::Theme;
use callscape_state::document::Document;

/// The size of a field of a colour.
const FIELD: egui::Vec2 = vec2(22.0, 10.0);

/// Draws the line below the bars.
pub(super) fn show(
    view: &FlameGraph,
    ui: &Ui,
    document: &Document,
    made: &Made,
    (line, rows, theme): (Rect, Rows, Theme),
    colors: &Colors<'_>,
) {
    let font = FontId::proportional(11.5);
    let painter = ui.painter().with_clip_rect(line);
    let right = scale(&painter, line, document, made, (theme, &font), colors);
    frame::say_below(ui, line, &said(view, document, made, rows), right);
}

/// How much there is, and what of it is not seen.
fn said(view: &FlameGraph, document: &Document, made: &Made, rows: Rows) -> Vec<String> {
    let forests = || made.sides.iter().map(|it| it.forest.len() as u64);
    let mut texts = vec![match made.focus {
        None => text::counted(forests().sum(), "stack", "stacks"),
        Some(key) => {
            let name = made.functions.title(key).into_owned();
            format!("callers and callees of {name}")
        }
    }];
    if made.shown.has_other() {
        texts.push(made.shown.total_text(document, None));
    }
    let too_small: u64 = view.sides.iter().map(|it| it.bars.too_small).sum();
    if too_small > 0 {
        let small = text::count(too_small);
        texts.push(format!("{small} narrower than a pixel, shaded"));
    }
    let hidden: usize = [0, 1]
        .into_iter()
        .map(|side| rows.hidden(side, &view.sides[side].bars))
        .sum();
    if hidden > 0 {
        texts.push(format!(
            "{} out of sight: scroll",
            text::counted(hidden as u64, "row", "rows")
        ));
    }
    if let Some(marked) = &document.selection.marked {
        texts.push(format!("framed: {}", escape::name(&marked.title)));
    }
    texts
}

/// What colours mean, at the right end of the line; where it begins.
fn scale(
    painter: &egui::Painter,
    line: Rect,
    document: &Document,
    made: &Made,
    (theme, font): (Theme, &FontId),
    colors: &Colors<'_>,
) -> f32 {
    let panel = style::colors(theme);
    let mut right = line.right();
    let write = |right: &mut f32, said: &str| {
        let at = pos2(*right, line.center().y);
        let place = painter.text(at, Align2::RIGHT_CENTER, said, font.clone(), panel.weak);
        *right = place.left() - 6.0;
    };
    if made.shown.has_other() {
        write(&mut right, &only_in(document));
        let rect = Rect::from_min_size(
            pos2(right, line.center().y) - vec2(FIELD.x, FIELD.y * 0.5),
            FIELD,
        );
        painter.rect_filled(rect, 0, panel.inset);
        let mut mesh = Mesh::default();
        painting::strokes(&mut mesh, rect, panel.text, 1.0);
        painter.add(Shape::mesh(mesh));
        right = rect.left() - 14.0;
    }
    colors.legend(painter, pos2(right, line.center().y), document)
}
