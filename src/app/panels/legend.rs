//! The strip over the playback bar: what area, height, colour and arcs mean.

use egui::{Align2, Color32, FontId, Rect, Sense, Ui, Vec2, pos2, vec2};

use super::super::style;
use super::{Context, text};
use crate::render::theme::Theme;
use crate::views::landscape::{ArcMode, BARS, ColorScale, Surface, color_at, languages};
use crate::views::metrics::{Metric, Unit};

pub fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let bench = context.bench;
    let Some(document) = &bench.document else {
        return;
    };
    if !bench.shown.legend {
        return;
    }
    let settings = &bench.settings;
    let palette = settings.theme.palette();
    let frame =
        egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::symmetric(12, 5));
    let panel = egui::Panel::bottom("legend").frame(frame).resizable(false);
    panel.show(ui, |ui| {
        ui.spacing_mut().interact_size.y = 16.0;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(5.0, 3.0);
            entry(ui, "Area", &unit(settings.area));
            match settings.height {
                None => entry(ui, "Height", "level of the hierarchy"),
                Some(metric) => entry(ui, "Height", &format!("{}, square root", unit(metric))),
            }
            match settings.surface {
                Surface::Neutral => entry(ui, "Lightness", "level of the hierarchy"),
                Surface::District => entry(ui, "Colour", "district, as along time"),
                Surface::Language => {
                    ui.label(style::weak("Colour").small());
                    for (name, color) in languages(&document.session.hierarchy) {
                        swatch(ui, color);
                        ui.label(egui::RichText::new(name).small());
                    }
                    ui.add_space(14.0);
                }
                Surface::Metric(metric) => {
                    let scale = document.landscape.color_scale();
                    let meaning = format!("{}, {}", unit(metric), settings.scale.name());
                    ui.label(style::weak("Colour").small());
                    let title = ui.label(egui::RichText::new(meaning).small());
                    title.on_hover_text(metric.rule());
                    metric_scale(ui, settings.theme, scale);
                    ui.add_space(14.0);
                }
            }
            if document.resolved().is_none() {
                return;
            }
            if document.playback.is_some() {
                ramp(ui, palette.hot, palette.warm);
                entry(
                    ui,
                    "runs now, then fades:",
                    &format!("half in {}", settings.half_life),
                );
            }
            let wider = match document.counts_calls() {
                true => "wider for more calls",
                false => "wider for more weight",
            };
            if settings.arcs != ArcMode::None {
                ramp(ui, palette.caller, palette.callee);
                let left_out = document.landscape.arcs_left_out();
                let wider = if left_out == 0 {
                    wider.to_owned()
                } else {
                    let left_out = text::count(left_out as u64);
                    format!("{wider}, {left_out} thinnest left out")
                };
                entry(ui, "caller to callee,", &wider);
            }
        });
    });
}

fn unit(metric: Metric) -> String {
    let name = metric.title();
    match metric.unit() {
        Unit::Bytes => format!("{name} in bytes"),
        Unit::Time => format!("{name} in time"),
        Unit::Count | Unit::Day => name.to_owned(),
    }
}

/// The colours of a metric with the values that they stand for, and over them how many blocks have which.
fn metric_scale(ui: &mut Ui, theme: Theme, scale: &ColorScale) {
    if scale.is_empty() {
        ui.label(egui::RichText::new("nothing is known of it").small());
        return;
    }
    const WIDTH: f32 = 216.0;
    const BAR: f32 = 7.0;
    const PEAK: f32 = 18.0;
    let font = FontId::proportional(10.0);
    let ink = ui.visuals().weak_text_color();
    let (rect, response) = ui.allocate_exact_size(vec2(WIDTH, PEAK + BAR + 14.0), Sense::hover());
    let ramp = Rect::from_min_size(rect.left_top() + vec2(0.0, PEAK), vec2(WIDTH, BAR));
    let painter = ui.painter();
    let most = scale.bars.iter().copied().max().unwrap_or(1).max(1);
    for (bar, &count) in scale.bars.iter().enumerate() {
        let share = |edge: usize| edge as f32 / BARS as f32;
        let columns = ramp.left() + WIDTH * share(bar)..=ramp.left() + WIDTH * share(bar + 1);
        let (left, right) = (*columns.start(), *columns.end());
        let middle = (share(bar) + share(bar + 1)) * 0.5;
        let [r, g, b] = color_at(theme, middle);
        let color = Color32::from(egui::Rgba::from_rgb(r, g, b));
        painter.rect_filled(Rect::from_x_y_ranges(columns, ramp.y_range()), 0, color);
        if count > 0 {
            // The root, so that what is rare stays to be seen.
            let height = (PEAK - 2.0) * (count as f32 / most as f32).sqrt();
            let bar = Rect::from_min_max(
                pos2(left + 0.5, ramp.top() - 1.0 - height.max(1.0)),
                pos2(right - 0.5, ramp.top() - 1.0),
            );
            painter.rect_filled(bar, 0, ink);
        }
    }
    for (share, align) in [
        (0.0, Align2::LEFT_TOP),
        (0.5, Align2::CENTER_TOP),
        (1.0, Align2::RIGHT_TOP),
    ] {
        let at = pos2(ramp.left() + WIDTH * share, ramp.bottom() + 1.0);
        let text = scale.text(scale.value_at(share));
        painter.text(at, align, text, font.clone(), ink);
    }
    if let Some(at) = response.hover_pos() {
        let share = ((at.x - ramp.left()) / WIDTH).clamp(0.0, 1.0);
        let bar = ((share * BARS as f32) as usize).min(BARS - 1);
        let edge = |edge: usize| scale.text(scale.value_at(edge as f32 / BARS as f32));
        let mut said = format!(
            "{} to {}: {} blocks",
            edge(bar),
            edge(bar + 1),
            scale.bars[bar]
        );
        if scale.without > 0 {
            said += &format!("\n{} blocks without a value are neutral", scale.without);
        }
        response.on_hover_text(said);
    }
}

/// A small square in a linear colour.
fn swatch(ui: &mut Ui, [r, g, b]: [f32; 3]) {
    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 16.0), Sense::hover());
    let color = Color32::from(egui::Rgba::from_rgb(r, g, b));
    let square = Rect::from_center_size(rect.center(), vec2(9.0, 9.0));
    ui.painter().rect_filled(square, 2, color);
}

fn entry(ui: &mut Ui, what: &str, meaning: &str) {
    ui.label(style::weak(what).small());
    ui.label(egui::RichText::new(meaning).small());
    ui.add_space(14.0);
}

/// A short bar that runs from one linear colour to another.
fn ramp(ui: &mut Ui, from: [f32; 3], to: [f32; 3]) {
    let color = |[r, g, b]: [f32; 3]| Color32::from(egui::Rgba::from_rgb(r, g, b));
    let (from, to) = (color(from), color(to));
    let (rect, _) = ui.allocate_exact_size(Vec2::new(48.0, 16.0), Sense::hover());
    let bar = rect.shrink2(Vec2::new(0.0, 5.0));
    const STEPS: usize = 24;
    for step in 0..STEPS {
        let share = |step: usize| step as f32 / STEPS as f32;
        let x = |share: f32| bar.left() + bar.width() * share;
        let part = Rect::from_x_y_ranges(x(share(step))..=x(share(step + 1)), bar.y_range());
        let color = from.lerp_to_gamma(to, share(step));
        ui.painter().rect_filled(part, 0, color);
    }
}
