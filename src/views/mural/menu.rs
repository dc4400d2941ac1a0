//! In the corner of the overview: what its rows are.

use egui::{Rect, Ui};

use super::choice::{DEEPEST, RowsChoice, RowsOf};

/// Shows it at the right of `corner`, in points; what was chosen instead.
pub(super) fn show(ui: &mut Ui, corner: Rect, choice: RowsChoice) -> Option<RowsChoice> {
    if corner.width() < 40.0 || corner.height() < 10.0 {
        return None;
    }
    let mut chosen = None;
    let place = egui::UiBuilder::new()
        .max_rect(corner)
        .layout(egui::Layout::right_to_left(egui::Align::Center));
    let mut ui = ui.new_child(place);
    ui.spacing_mut().interact_size.y = corner.height().min(20.0);
    ui.spacing_mut().button_padding = egui::vec2(6.0, 1.0);
    let text = egui::RichText::new(format!("{}     ", choice.title())).small();
    let menu = ui.menu_button(text, |ui| {
        ui.spacing_mut().interact_size.y = 22.0;
        ui.set_min_width(230.0);
        let mut entry = |ui: &mut Ui, is_on: bool, enabled: bool, title: &str, to: RowsChoice| {
            let button = egui::Button::new(title)
                .selected(is_on)
                .min_size(egui::vec2(230.0, 0.0));
            if ui.add_enabled(enabled, button).clicked() {
                chosen = Some(to);
            }
        };
        let mut of = |ui: &mut Ui, title: &str, of: RowsOf| {
            let to = RowsChoice { of, ..choice };
            entry(ui, choice.of == of, true, title, to);
        };
        of(ui, "Functions", RowsOf::Functions);
        of(ui, "Modules as in the landscape", RowsOf::Landscape);
        for level in 1..=DEEPEST {
            let title = format!("Modules of level {level}");
            of(ui, &title, RowsOf::Level(level));
        }
        ui.separator();
        let is_modules = choice.of != RowsOf::Functions;
        let to = RowsChoice {
            by_first_call: !choice.by_first_call,
            ..choice
        };
        let is_on = choice.by_first_call || !is_modules;
        entry(ui, is_on, is_modules, "In order of the first call", to);
        let to = RowsChoice {
            in_range: !choice.in_range,
            ..choice
        };
        entry(
            ui,
            choice.in_range,
            true,
            "Only code that runs in the range",
            to,
        );
    });
    let button = menu.response.rect;
    let at = button.right_center() - egui::vec2(9.0, 0.0);
    let triangle = [(-3.5, -2.0), (3.5, -2.0), (0.0, 2.5)];
    let triangle = triangle.map(|(x, y)| at + egui::vec2(x, y)).to_vec();
    let color = ui.visuals().weak_text_color();
    ui.painter().add(egui::Shape::convex_polygon(
        triangle,
        color,
        egui::Stroke::NONE,
    ));
    menu.response.on_hover_text("What the rows are (P)");
    chosen
}
