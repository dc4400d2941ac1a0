//! The strip over the playback bar: what area, height, colour and arcs mean.

use egui::{Color32, Rect, Sense, Ui, Vec2};

use super::super::style;
use super::settings::metric_name;
use super::{Context, text};
use crate::views::landscape::{ArcMode, Surface};
use crate::views::metrics::Metric;

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
                Some(metric) => entry(ui, "Height", &unit(metric)),
            }
            match settings.surface {
                Surface::Neutral => entry(ui, "Lightness", "level of the hierarchy"),
                Surface::Language => entry(ui, "Colour", "language"),
                Surface::Metric(metric) => {
                    entry(ui, "Colour", &format!("{}, logarithmic", unit(metric)));
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
    let name = metric_name(metric);
    match metric {
        Metric::Bytes => format!("{name} in bytes"),
        Metric::SelfCost => format!("{name} in time"),
        Metric::LinesOfCode | Metric::Calls => name.to_owned(),
    }
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
