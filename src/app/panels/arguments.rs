//! Small charts in the panel at the right: the numeric arguments of the selected function over time.

use egui::{Role, Sense, Ui};

use super::context::Context;
use callscape_analysis::arguments::{Column, Series};
use callscape_base::escape;
use callscape_base::units::{Time, TimeRange};
use callscape_views::style;
use callscape_views::text;
use callscape_views::widgets::tell;

/// More charts would push what follows out of sight.
const MOST: usize = 8;
/// Of a chart, in points.
const HEIGHT: f32 = 32.0;
const THINNEST: f32 = 2.0;

pub(super) fn show(ui: &mut Ui, context: &Context<'_>) {
    let state = &context.desk.state;
    let Some((range, found)) = state.work.arguments.series() else {
        return;
    };
    if found.is_empty() {
        return;
    }
    ui.add_space(8.0);
    ui.label(style::title("Arguments over time"));
    let accent = style::colors(state.settings.theme).accent;
    for series in found.iter().take(MOST) {
        chart(ui, series, range, accent);
    }
    let more = found.len().saturating_sub(MOST);
    if more > 0 {
        ui.label(style::weak(format!("and {more} more")));
    }
}

fn chart(ui: &mut Ui, series: &Series, range: TimeRange, accent: egui::Color32) {
    let name = escape::name(&series.name);
    let whole = series.whole;
    let bounds = match whole.least == whole.most {
        true => number(whole.most),
        false => format!("{} to {}", number(whole.least), number(whole.most)),
    };
    ui.horizontal(|ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(style::weak(&bounds).small());
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                ui.add(egui::Label::new(&*name).truncate());
            });
        });
    });
    let size = egui::vec2(ui.available_width(), HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    tell(&response, Role::Image, format_args!("{name}, {bounds}"));
    if !ui.is_rect_visible(rect) {
        return;
    }
    let painter = ui.painter();
    painter.rect_filled(rect, 3, ui.visuals().extreme_bg_color);
    let inside = rect.shrink2(egui::vec2(1.0, 3.0));
    let span = (whole.most - whole.least).max(f64::MIN_POSITIVE);
    let y = |value: f64| {
        let share = match whole.least == whole.most {
            true => 0.5,
            false => (value - whole.least) / span,
        };
        inside.bottom() - share as f32 * inside.height()
    };
    let width = inside.width() / series.columns.len().max(1) as f32;
    for (at, column) in series.columns.iter().enumerate() {
        if column.calls == 0 {
            continue;
        }
        let left = inside.left() + at as f32 * width;
        let bar = |bottom: f32, top: f32| {
            let middle = (bottom + top) / 2.0;
            let half = ((bottom - top) / 2.0).max(THINNEST / 2.0);
            egui::Rect::from_min_max(
                egui::pos2(left, middle - half),
                egui::pos2(left + width.max(1.0), middle + half),
            )
        };
        // From the least to the most, and the mean.
        painter.rect_filled(
            bar(y(column.least), y(column.most)),
            0,
            accent.gamma_multiply(0.4),
        );
        let mean = y(column.mean());
        painter.rect_filled(bar(mean, mean), 0, accent);
    }
    let pointed = response.hover_pos().and_then(|at| {
        let place = ((at.x - inside.left()) / width.max(0.1)).max(0.0) as usize;
        Some((place, series.columns.get(place)?))
    });
    if let Some((place, column)) = pointed {
        let said = about(column, place, series.columns.len(), range);
        response.on_hover_text(said);
    }
}

/// What a chart says of a part of the range.
fn about(column: &Column, place: usize, columns: usize, range: TimeRange) -> String {
    let length = u128::from(range.length().ns());
    let passed = length * place as u128 / columns.max(1) as u128;
    let from = Time::from_ns(range.start.ns().saturating_add(passed as u64));
    if column.calls == 0 {
        return format!("from {from}: no calls");
    }
    let calls = text::counted(column.calls, "call", "calls");
    let values = [column.least, column.mean(), column.most].map(number);
    let [least, mean, most] = values;
    format!("from {from}: {calls}, {least} to {most}, mean {mean}")
}

/// A number with at most three digits behind the point.
fn number(number: f64) -> String {
    ((number * 1000.0).round() / 1000.0).to_string()
}
