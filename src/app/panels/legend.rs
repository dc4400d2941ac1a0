//! The card at the bottom left: what area, height, colour and arcs mean.

use egui::{Align2, Color32, Context as Egui, Rect, Sense, Ui, Vec2};

use super::super::style;
use super::Context;
use super::settings::metric_name;
use super::widgets::card;
use crate::render::theme::Palette;
use crate::views::landscape::{ArcMode, Surface};
use crate::views::metrics::Metric;

pub fn show(ctx: &Egui, context: &mut Context<'_>) {
    let bench = context.bench;
    let Some(document) = &bench.document else {
        return;
    };
    if !bench.shown.legend || context.free.width() < 420.0 || context.free.height() < 260.0 {
        return;
    }
    let settings = &bench.settings;
    let palette = settings.theme.palette();
    card(ctx, "legend", Align2::LEFT_BOTTOM, context.free, |ui| {
        ui.set_width(200.0f32.min(context.free.width() * 0.3));
        ui.spacing_mut().item_spacing.y = 3.0;
        ui.label(style::title("Legend")).on_hover_text("L hides it");
        line(ui, "Area", &unit(settings.area));
        match settings.height {
            None => line(ui, "Height", "level of the hierarchy"),
            Some(metric) => line(ui, "Height", &unit(metric)),
        }
        match settings.surface {
            Surface::Neutral => line(ui, "Lightness", "level of the hierarchy"),
            Surface::Language => line(ui, "Colour", "language"),
            Surface::Metric(metric) => {
                line(ui, "Colour", &format!("{}, logarithmic", unit(metric)));
            }
        }
        if document.playback.is_none() {
            return;
        }
        ui.add_space(2.0);
        let glow = format!("ran before, halved every {}", settings.half_life);
        scale(
            ui,
            palette_color(&palette, Part::Hot),
            palette_color(&palette, Part::Warm),
            "runs now",
            &glow,
        );
        if settings.arcs != ArcMode::None {
            let caller = palette_color(&palette, Part::Caller);
            let callee = palette_color(&palette, Part::Callee);
            scale(ui, caller, callee, "caller → callee", "wider: more calls");
        }
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

fn line(ui: &mut Ui, what: &str, meaning: &str) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        ui.label(style::weak(what).small());
        ui.label(egui::RichText::new(meaning).small());
    });
}

enum Part {
    Hot,
    Warm,
    Caller,
    Callee,
}

fn palette_color(palette: &Palette, part: Part) -> Color32 {
    let [r, g, b] = match part {
        Part::Hot => palette.hot,
        Part::Warm => palette.warm,
        Part::Caller => palette.caller,
        Part::Callee => palette.callee,
    };
    egui::Rgba::from_rgb(r, g, b).into()
}

/// A bar that runs from one colour to another, and what both ends mean.
fn scale(ui: &mut Ui, from: Color32, to: Color32, label: &str, note: &str) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(ui.available_width(), 6.0), Sense::hover());
    const STEPS: usize = 24;
    for step in 0..STEPS {
        let share = |step: usize| step as f32 / STEPS as f32;
        let x = |share: f32| rect.left() + rect.width() * share;
        let part = Rect::from_x_y_ranges(x(share(step))..=x(share(step + 1)), rect.y_range());
        let color = from.lerp_to_gamma(to, share(step));
        ui.painter().rect_filled(part, 0, color);
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        ui.label(egui::RichText::new(label).small());
        ui.label(style::weak(note).small());
    });
}
