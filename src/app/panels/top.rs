//! The bar at the top: what is open, the search field, and what opens the other panels.

use egui::{Align, Layout, Ui};

use super::super::camera::Mode;
use super::super::command::Command;
use super::super::style;
use super::widgets::{Icon, icon_button};
use super::{Context, search};

pub fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let bench = context.bench;
    let frame =
        egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::symmetric(10, 6));
    let panel = egui::Panel::top("top").frame(frame).resizable(false);
    panel.show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let shown = bench.shown;
                toggle(
                    ui,
                    context,
                    shown.help,
                    "Help",
                    Command::ToggleHelp,
                    "All keys (F1)",
                );
                toggle(
                    ui,
                    context,
                    shown.settings,
                    "Settings",
                    Command::ToggleSettings,
                    "Theme, area, height, colour, arcs (O)",
                );
                let fly = bench.camera.mode() == Mode::Fly;
                let tooltip = "Fly with W A S D Q E and the mouse, or orbit (Tab)";
                toggle(ui, context, fly, "Fly", Command::OrbitOrFly, tooltip);
                if icon_button(ui, Icon::Home, false, "Show everything (Home)").clicked() {
                    context.commands.push(Command::FlyHome);
                }
                search::show_field(ui, context);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let name = match &bench.document {
                        Some(document) => document.name(),
                        None => "Callscape".to_owned(),
                    };
                    ui.add(egui::Label::new(style::title(name)).truncate());
                });
            });
        });
    });
}

fn toggle(
    ui: &mut Ui,
    context: &mut Context<'_>,
    is_on: bool,
    label: &str,
    command: Command,
    tooltip: &str,
) {
    let button = egui::Button::new(label).selected(is_on);
    if ui.add(button).on_hover_text(tooltip).clicked() {
        context.commands.push(command);
    }
}
