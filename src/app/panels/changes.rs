//! The changes in time of the file of what is chosen, beside its calls in the recording.

use egui::{Sense, Ui, vec2};

use super::context::Context;
use callscape_base::escape;
use callscape_base::units::{ModuleId, date};
use callscape_model::imports::file_of;
use callscape_state::document::Document;
use callscape_views::style;
use callscape_views::text;

/// In points.
const HEIGHT: f32 = 22.0;
/// In seconds.
const DAY: i64 = 86_400;

/// Shows a line of time with a stroke for each commit, the days at its ends, the people and the last commit; nothing where no
/// commit is known.
pub(super) fn show(ui: &mut Ui, document: &Document, module: ModuleId, context: &Context<'_>) {
    let hierarchy = &document.base.hierarchy;
    let module = document.without_map(module);
    if module.index() >= hierarchy.len() {
        return;
    }
    let file = file_of(hierarchy, module);
    let known = context.desk.remarks.changes.file(&hierarchy.path(file));
    let Some(known) = known else {
        return;
    };
    let (Some(&first), Some(&last)) = (known.times.first(), known.times.last()) else {
        return;
    };
    ui.add_space(6.0);
    let commits = text::counted(known.times.len() as u64, "commit", "commits");
    let people = text::counted(known.people as u64, "person", "people");
    ui.label(style::title("Changes of the file"));
    ui.label(format!("{commits} by {people}"));
    let (rect, line) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let color = ui.visuals().text_color();
    let axis = egui::Stroke::new(1.0, color.gamma_multiply(0.35));
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 1.0, axis);
    let span = (last - first).max(1) as f32;
    // Where commits are close, strokes lie over one another and are darker.
    let stroke = egui::Stroke::new(1.5, color.gamma_multiply(0.45));
    let inside = rect.shrink2(vec2(1.0, 0.0));
    for time in &known.times {
        let x = inside.left() + (time - first) as f32 / span * inside.width();
        ui.painter()
            .vline(x, rect.top()..=rect.bottom() - 1.0, stroke);
    }
    let day = |time: i64| date(time.div_euclid(DAY));
    ui.horizontal(|ui| {
        ui.label(style::weak(day(first)).small());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(style::weak(day(last)).small());
        });
    });
    let summary = escape::name(&known.last).into_owned();
    line.on_hover_text("One stroke for each commit, from the first to the last");
    let told = style::weak(format!("Last: {summary}")).small();
    ui.add(egui::Label::new(told).truncate());
    ui.add_space(4.0);
}
