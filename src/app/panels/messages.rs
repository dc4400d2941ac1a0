//! What went wrong, was repaired or is to be known, until dismissed. What only is to be known stands in the bar at the
//! top and opens there, so that it covers nothing; all else on cards at the bottom right.

use egui::collapsing_header::CollapsingState;
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Align, Align2, Context as Egui, Layout, PopupCloseBehavior, Ui};

use super::context::Context;
use crate::command::Command;
use callscape_base::escape;
use callscape_state::ask::{Ask, Asks};
use callscape_state::message::Message;
use callscape_views::style;
use callscape_views::widgets::{Icon, MARGIN, add_card, icon_button};

/// More lines scroll.
const MAX_HEIGHT: f32 = 160.0;

/// The width of what opens from the bar at the top, and how high it is before it scrolls.
const WIDTH: f32 = 420.0;
const OPEN_HEIGHT: f32 = 320.0;

/// The notices in the bar at the top have so much room at most.
pub(super) const NOTICES: f32 = 290.0;

/// Whether a message stands in the bar at the top.
fn is_notice(message: &Message) -> bool {
    !message.is_error && !message.is_open
}

/// Whether there is anything for the bar at the top.
pub(super) fn has_notices(context: &Context<'_>) -> bool {
    context.desk.state.told.messages.iter().any(is_notice)
}

/// What is only to be known: its title, which opens the lines, and what takes it away. In `width` points at most.
pub(super) fn notices(ui: &mut Ui, width: f32, context: &mut Context<'_>) {
    let messages = &context.desk.state.told.messages;
    let notices = || messages.iter().enumerate().filter(|it| is_notice(it.1));
    let Some((first, message)) = notices().next() else {
        return;
    };
    let title = match notices().count() {
        1 => escape::name(&message.title).into_owned(),
        many => format!("{many} notices"),
    };
    let colors = style::colors(context.desk.state.settings.theme);
    ui.spacing_mut().item_spacing.x = 2.0;
    ui.allocate_ui_with_layout(
        egui::vec2((width - 30.0).max(40.0), ui.available_height()),
        Layout::left_to_right(Align::Center),
        |ui| {
            let text = egui::RichText::new(&title).small();
            let button = egui::Button::new(text)
                .fill(colors.accent.gamma_multiply(0.16))
                .truncate();
            // What it says can be selected and copied.
            let stays = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
            let (response, _) = MenuButton::from_button(button).config(stays).ui(ui, |ui| {
                let window = ui.ctx().content_rect();
                ui.set_width(WIDTH.min(window.width() - 40.0).max(0.0));
                // What is opened from a bar would stretch its lines from edge to edge.
                ui.with_layout(Layout::top_down(Align::Min), |ui| {
                    egui::ScrollArea::vertical()
                        .max_height(OPEN_HEIGHT.min(window.height() - 80.0))
                        .show(ui, |ui| {
                            for (index, message) in notices() {
                                opened(ui, index, message, context.asks);
                            }
                        });
                });
            });
            response.on_hover_text(format!("{title}: click to read"));
        },
    );
    if icon_button(ui, Icon::Close, false, "Dismiss").clicked() {
        context.asks.push(Ask::Dismiss(first));
    }
}

/// All of a notice.
fn opened(ui: &mut Ui, index: usize, message: &Message, asks: &mut Asks<Command>) {
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if icon_button(ui, Icon::Close, false, "Dismiss").clicked() {
                asks.push(Ask::Dismiss(index));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(egui::Label::new(style::title(escape::name(&message.title))).truncate());
            });
        });
    });
    lines(ui, message);
}

fn lines(ui: &mut Ui, message: &Message) {
    for line in &message.lines {
        ui.add(
            egui::Label::new(escape::lines(line))
                .selectable(true)
                .wrap(),
        );
    }
}

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let messages = &context.desk.state.told.messages;
    if messages.iter().all(is_notice) {
        return;
    }
    let within = context.free.shrink(MARGIN);
    let shown = egui::Area::new(egui::Id::unique("messages"))
        .fixed_pos(within.right_bottom())
        .pivot(Align2::RIGHT_BOTTOM)
        .constrain(false)
        .show(ctx, |ui| {
            ui.spacing_mut().item_spacing.y = 8.0;
            let cards = messages.iter().enumerate().filter(|it| !is_notice(it.1));
            for (index, message) in cards {
                egui::Frame::popup(ui.style())
                    .inner_margin(10)
                    .show(ui, |ui| {
                        ui.set_width(320.0f32.min(within.width() - 20.0).max(0.0));
                        card(ui, index, message, context.asks);
                    });
            }
        });
    add_card(ctx, shown.response.rect);
}

/// A message in full, or as its title, which opens.
fn card(ui: &mut Ui, index: usize, message: &Message, asks: &mut Asks<Command>) {
    let mut title = style::title(&message.title);
    if message.is_error {
        title = title.color(ui.visuals().error_fg_color);
    }
    let id = ui.make_persistent_id((&message.title, "message"));
    let header = CollapsingState::load_with_default_open(ui.ctx(), id, message.is_open);
    let (_, header, _) = header
        .show_header(ui, |ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Dismiss").clicked() {
                    asks.push(Ask::Dismiss(index));
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    ui.add(egui::Label::new(title).truncate());
                });
            });
        })
        .body_unindented(|ui| {
            egui::ScrollArea::vertical()
                .max_height(MAX_HEIGHT)
                .show(ui, |ui| lines(ui, message));
        });
    header.response.on_hover_text(escape::name(&message.title));
}
