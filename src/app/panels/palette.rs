//! The palette: a field, and below it what it finds.

use egui::{Align2, Context as Egui, Id, Ui};

use super::context::Context;
use crate::command::PaletteAsk;
use crate::palette::Row;
use callscape_base::escape;
use callscape_filter::selection::Pointed;
use callscape_views::style;
use callscape_views::widgets::add_card;

/// The field's id: keys go to it while it has the focus.
pub(crate) const FIELD: &str = "palette field";

const WIDTH: f32 = 520.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let palette = context.desk.palette;
    if !palette.is_open {
        return;
    }
    let room = ctx.content_rect();
    let width = WIDTH.min(room.width() - 40.0).max(0.0);
    let top = egui::pos2(
        room.center().x,
        room.top() + (room.height() * 0.12).min(90.0),
    );
    let shown = egui::Area::new(Id::unique("palette"))
        .order(egui::Order::Foreground)
        .fixed_pos(top)
        .pivot(Align2::CENTER_TOP)
        .constrain_to(room.shrink(8.0))
        .show(ctx, |ui| {
            egui::Frame::popup(ui.style())
                .inner_margin(10)
                .show(ui, |ui| {
                    ui.set_width(width);
                    field(ui, context);
                    ui.add_space(6.0);
                    if palette.rows.is_empty() {
                        ui.label(style::weak("No matches."));
                        return;
                    }
                    egui::ScrollArea::vertical()
                        .max_height((room.height() * 0.6).min(460.0))
                        .auto_shrink([false, true])
                        .show(ui, |ui| {
                            ui.spacing_mut().item_spacing.y = 1.0;
                            for number in 0..palette.rows.len() {
                                row(ui, number, context);
                            }
                        });
                });
        });
    let rect = shown.response.rect;
    add_card(ctx, rect);
    let clicked = ctx.input(|input| {
        input
            .pointer
            .any_click()
            .then(|| input.pointer.interact_pos())
    });
    if let Some(Some(at)) = clicked
        && !rect.contains(at)
        && !context.cues.palette.focus
    {
        context.asks.push(PaletteAsk::Toggle);
    }
}

fn field(ui: &mut Ui, context: &mut Context<'_>) {
    let palette = context.desk.palette;
    let mut query = palette.query.clone();
    let edit = egui::TextEdit::singleline(&mut query)
        .id(Id::unique(FIELD))
        .hint_text("Type an action, view or module")
        .desired_width(f32::INFINITY);
    let response = ui.add(edit);
    if context.cues.palette.focus || !response.has_focus() {
        response.request_focus();
    }
    if response.changed() {
        context.asks.push(PaletteAsk::Query(query));
    }
}

fn row(ui: &mut Ui, number: usize, context: &mut Context<'_>) {
    let desk = context.desk;
    let palette = desk.palette;
    let is_marked = number == palette.marked;
    let Some(&row) = palette.rows.get(number) else {
        return;
    };
    let response = match row {
        Row::Action(action) => {
            let can = action.command(desk.state).is_some();
            let button = egui::Button::selectable(is_marked, action.title)
                .shortcut_text(
                    format!("{}   {}", action.page, action.keys())
                        .trim_end()
                        .to_owned(),
                )
                .min_size(egui::vec2(ui.available_width(), 0.0));
            ui.add_enabled(can, button)
                .on_hover_text(action.about)
                .on_disabled_hover_text(format!("{} Not available now.", action.about))
        }
        Row::Module(module) => {
            let Some(document) = &desk.state.document else {
                return;
            };
            let Some(module) = module.into(document.generation()) else {
                return;
            };
            let hierarchy = &document.session.hierarchy;
            let facts = hierarchy.module(module);
            let parent = hierarchy.parent(module);
            let path = parent.map_or(String::new(), |parent| hierarchy.path(parent));
            let name = escape::name(document.module_name(module)).into_owned();
            let button = egui::Button::selectable(is_marked, name)
                .shortcut_text(facts.kind.name())
                .truncate()
                .min_size(egui::vec2(ui.available_width(), 0.0));
            let response = ui
                .add(button)
                .on_hover_text(escape::name(&path).into_owned());
            if response.hovered() {
                context.pointed = Pointed::at_module(Some(module));
            }
            response
        }
    };
    if is_marked && context.cues.palette.reveal {
        response.scroll_to_me(None);
    }
    if response.clicked() {
        context.asks.push(PaletteAsk::Take(Some(number)));
    }
}
