//! What stands below a graph: how wide lines are for how much, what their colours mean, and what was left out.

use glam::Vec2;

use super::laid::{THICKEST, line_width};
use super::model::{By, Graph, Tint};
use super::painting::Colors;
use callscape_base::escape;
use callscape_base::units::{Cost, grouped};
use callscape_layout::curves::Pen;
use callscape_layout::geometry::Color;
use callscape_layout::labels::text::{shorten, width};
use callscape_layout::sheet::{Rect, Sheet};
use callscape_look::ink::diverging;
use callscape_model::called_often;
use callscape_state::document::Document;

/// How high it is, in points.
pub(crate) const HEIGHT: f32 = 26.0;

const LETTERS: f32 = 11.5;

/// Widths are shown of these shares of the most.
const SHARES: [f64; 3] = [0.01, 0.25, 1.0];

/// What all else beside the amounts of [`SHARES`] takes where there is room for it, with some words at the left, in points.
const REST: f32 = 480.0;

/// An amount of a line, with its unit.
pub(crate) fn amount(document: &Document, graph: &Graph, by: By, value: f64) -> String {
    match (&graph.amount, by) {
        (Some(amount), by) => amount.by(by.measure()).text(value),
        (None, By::Cost) => document.show_cost(Cost::from_ns(value.max(0.0).round() as u64)),
        (None, By::Calls) => grouped(value.max(0.0).round() as u64),
    }
}

/// Draws the legend along the lower edge of `rect`, in pixels; `scale` is how many of these are a point.
pub(crate) fn draw(
    pen: &mut Pen,
    sheet: &mut Sheet,
    (document, graph, tint): (&Document, &Graph, Tint),
    rect: Rect,
    scale: f32,
    colors: &Colors,
) {
    let em = LETTERS * scale;
    let middle = (rect.min.y + rect.max.y) * 0.5;
    let weak = colors.ink.weak;
    let mut right = rect.max.x - 10.0 * scale;
    let write = |sheet: &mut Sheet, text: &str, right: &mut f32| {
        *right -= width(text) * em;
        sheet.write(text, Vec2::new(*right, middle), em, weak, rect);
    };
    if !graph.lines.is_empty() {
        let most = graph.most();
        let text_of = |share: f64| amount(document, graph, graph.by, most * share);
        // Amounts are as long as their unit. With less room one is shown, and no direction.
        let amounts: f32 = SHARES.iter().map(|&share| width(&text_of(share))).sum();
        let is_wide = rect.size().x > amounts * em + REST * scale;
        let count = if is_wide { SHARES.len() } else { 1 };
        for &share in SHARES.iter().rev().take(count) {
            write(sheet, &text_of(share), &mut right);
            right -= 5.0 * scale;
            let thick = line_width(most * share, most) * scale;
            let ends = [
                Vec2::new(right - 20.0 * scale, middle),
                Vec2::new(right, middle),
            ];
            pen.line(&mut sheet.mesh, &ends, thick, line_colors(tint, colors));
            right -= 30.0 * scale;
        }
        let title = match graph.by {
            By::Cost => "width: sum of cost",
            By::Calls => "width: calls",
        };
        right += 2.0 * scale;
        write(sheet, title, &mut right);
        right -= 16.0 * scale;
        if is_wide {
            let text = match tint {
                Tint::Direction => "caller to callee",
                Tint::Difference => "less and more in B",
            };
            write(sheet, text, &mut right);
            right -= 5.0 * scale;
            let ends = [
                Vec2::new(right - 28.0 * scale, middle),
                Vec2::new(right, middle),
            ];
            let both = match tint {
                Tint::Direction => colors.ends,
                Tint::Difference => [-1.0, 1.0].map(|it| {
                    let [r, g, b] = diverging(colors.theme, it);
                    [r, g, b, 1.0]
                }),
            };
            pen.line(&mut sheet.mesh, &ends, THICKEST * 0.4 * scale, both);
            if tint == Tint::Direction {
                let tip = Vec2::new(right + 2.0 * scale, middle);
                pen.head(&mut sheet.mesh, tip, Vec2::X, 9.0 * scale, both[1]);
            }
            right -= 44.0 * scale;
        }
    }
    let left = rect.min.x + 10.0 * scale;
    let mut short = String::new();
    let often = document
        .resolved()
        .and_then(|of| called_often::left_out(&of.recording, &document.filters));
    let lit = document.lit.as_ref();
    let lit = lit.map(|it| format!("underlined: {}", escape::name(&it.title)));
    let notes: Vec<&str> = lit
        .iter()
        .chain(&often)
        .chain(&graph.notes)
        .map(String::as_str)
        .collect();
    if right > left && shorten(&notes.join(" · "), (right - left) / em, &mut short) {
        sheet.write(&short, Vec2::new(left, middle), em, weak, rect);
    }
}

fn line_colors(tint: Tint, colors: &Colors) -> [Color; 2] {
    match tint {
        Tint::Direction => colors.ends,
        Tint::Difference => [colors.ink.weak; 2],
    }
}
