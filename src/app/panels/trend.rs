//! A number of a module over the dates of a table, as a small line in the details.

use egui::{Pos2, Rect, Role, Sense, Stroke, Ui, pos2, vec2};

use callscape_views::style;
use callscape_views::widgets::tell;

const SIZE: egui::Vec2 = vec2(112.0, 28.0);
/// Around dots, which the ends of the line have.
const MARGIN: f32 = 3.0;

/// Adds a row to the facts: `values` by their dates, of which there are as many; `show` makes a text of one. Dates are as far apart as
/// they follow each other: tables have one a week, a month or a release.
pub(super) fn trend(
    ui: &mut Ui,
    name: &str,
    (dates, values): (&[String], &[f64]),
    show: impl Fn(f64) -> String,
) {
    let since = dates.first().map_or("", |date| date);
    ui.label(style::weak(format!("since {since}")));
    let (rect, response) = ui.allocate_exact_size(SIZE, Sense::hover());
    ui.end_row();
    let plot = rect.shrink(MARGIN);
    let points = points(plot, values);
    let said = |at: usize| format!("{}: {}", dates[at], show(values[at]));
    let ends = points.first().zip(points.last());
    let label = match ends {
        Some((first, last)) => format!("{name}, {} to {}", said(first.0), said(last.0)),
        None => name.to_owned(),
    };
    tell(&response, Role::Image, format_args!("{label}"));
    let visuals = ui.visuals();
    let ink = visuals.text_color();
    let painter = ui.painter();
    painter.hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        visuals.widgets.noninteractive.bg_stroke,
    );
    // A gap where there is no number.
    for pair in points.windows(2).filter(|it| it[1].0 == it[0].0 + 1) {
        painter.line_segment([pair[0].1, pair[1].1], Stroke::new(1.5, ink));
    }
    let pointed = response.hover_pos().and_then(|at| {
        let distance = |it: &&(usize, Pos2)| (it.1.x - at.x).abs();
        points
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
    });
    let dots = ends.map(|(first, last)| [first, last]);
    for (_, at) in dots.into_iter().flatten().chain(pointed) {
        painter.circle_filled(*at, 2.5, ink);
    }
    let label = pointed.map_or(label, |it| said(it.0));
    response.on_hover_text_at_pointer(label);
}

/// Where the numbers are, each with the index of its date: zero at the foot.
fn points(plot: Rect, values: &[f64]) -> Vec<(usize, Pos2)> {
    let known = || {
        values
            .iter()
            .copied()
            .enumerate()
            .filter(|it| it.1.is_finite())
    };
    let most = known().fold(0.0, |most, it| it.1.max(most));
    let steps = values.len().saturating_sub(1).max(1);
    let points = known().map(|(at, value)| {
        let share = if most > 0.0 { value / most } else { 0.0 };
        let x = plot.left() + plot.width() * at as f32 / steps as f32;
        (at, pos2(x, plot.bottom() - plot.height() * share as f32))
    });
    points.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_placed_by_date_and_size() {
        let plot = Rect::from_min_max(pos2(0.0, 0.0), pos2(20.0, 10.0));
        let found = points(plot, &[5.0, f64::NAN, 10.0]);
        assert_eq!(found, [(0, pos2(0.0, 5.0)), (2, pos2(20.0, 0.0))]);
        assert_eq!(points(plot, &[0.0]), [(0, pos2(0.0, 10.0))]);
        assert_eq!(points(plot, &[f64::NAN]), []);
    }
}
