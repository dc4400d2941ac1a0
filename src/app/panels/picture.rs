//! The card in which one asks for a picture of a view, or a model of the landscape.

use egui::{Align2, Context as Egui, DragValue, TextEdit};

use super::context::Context;
use crate::command::PictureAsk;
use crate::headless::MAX_SIDE;
use crate::picture;
use callscape_views::style;
use callscape_views::widgets::{Icon, icon_button, is_new, opened_card};

/// Widths to choose from, in pixels.
const WIDTHS: [u32; 4] = [1920, 3840, 7680, MAX_SIDE];

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let desk = context.desk;
    if !desk.picture.is_open || desk.state.document.is_none() {
        return;
    }
    // Who opens the card has a name to type, or Enter to press.
    let is_new = is_new(ctx, "picture");
    let is_main = desk.picture.view == callscape_views::main();
    let old = &desk.picture.wish;
    let mut new = old.clone();
    opened_card(ctx, "picture", Align2::LEFT_BOTTOM, context.free, |ui| {
        ui.set_width(300.0f32.min(context.free.width() * 0.8).max(0.0));
        ui.horizontal(|ui| {
            let of = match is_main {
                true => "Save a picture".to_owned(),
                false => format!("Save a picture: {}", desk.picture.view.title()),
            };
            ui.label(style::title(of));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Close (Escape)").clicked() {
                    context.asks.push(PictureAsk::Toggle);
                }
            });
        });
        let field = TextEdit::singleline(&mut new.file)
            .hint_text(match is_main {
                true => "File, a .png, or a .glb for a model",
                false => "File, a .png or an .svg",
            })
            .desired_width(f32::INFINITY);
        let field = ui.add(field);
        if is_new {
            field.request_focus();
        }
        let is_entered =
            field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if !is_main {
            ui.label(style::weak(
                "As it is in the window; an .svg has text as text.",
            ));
        } else if new.is_model() {
            ui.label(style::weak(
                "A glTF model with the current colours, for other programs.",
            ));
        } else {
            let [_, height] = new.size(picture::aspect(desk.state));
            ui.horizontal(|ui| {
                let width = DragValue::new(&mut new.width)
                    .range(64..=MAX_SIDE)
                    .speed(16.0);
                ui.add(width).on_hover_text("Drag, or click and type");
                ui.label(style::weak(format!("× {height} pixels")));
            });
            ui.horizontal_wrapped(|ui| {
                for width in WIDTHS {
                    ui.selectable_value(&mut new.width, width, width.to_string());
                }
            });
            ui.horizontal_wrapped(|ui| {
                ui.checkbox(&mut new.labels, "names");
                ui.checkbox(&mut new.legend, "legend");
                ui.checkbox(&mut new.transparent, "transparent");
            });
        }
        ui.horizontal(|ui| {
            if ui.button("Save").clicked() || is_entered {
                context.asks.push(PictureAsk::Edit(new.clone()));
                context.asks.push(PictureAsk::Save);
            }
            let copy = ui.button("Copy the picture");
            if copy.on_hover_text("To the clipboard (Ctrl + C)").clicked() {
                context.asks.push(PictureAsk::Copy(Some(desk.picture.view)));
            }
        });
    });
    if new != *old {
        context.asks.push(PictureAsk::Edit(new));
    }
}
