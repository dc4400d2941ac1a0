//! The card in which one chooses two revisions to compare.

use egui::{Align, Align2, Context as Egui, Layout, ScrollArea, TextEdit, Ui};

use super::context::Context;
use crate::command::PairAsk;
use crate::pair::RevisionsCard;
use callscape_base::escape;
use callscape_base::units::date;
use callscape_source::history::change::Named;
use callscape_views::style;
use callscape_views::widgets::{Icon, icon_button, is_new, opened_card};

/// In points.
const WIDTH: f32 = 520.0;
const ROW: f32 = 24.0;
/// In seconds.
const DAY: i64 = 86_400;
/// So many rows are seen at once.
const ROWS: f32 = 9.0;

const TITLES: [&str; 2] = ["A, before", "B, after"];

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let desk = context.desk;
    let Some(card) = &desk.pair.revisions else {
        return;
    };
    let is_new = is_new(ctx, "revisions");
    let room = context.free;
    // It grows downwards alone, so that nothing moves away below the pointer.
    let below = room.with_min_y(room.top() + room.height() * 0.08);
    opened_card(ctx, "revisions", Align2::CENTER_TOP, below, |ui| {
        ui.set_width(WIDTH.min(room.width() * 0.9).max(0.0));
        ui.horizontal(|ui| {
            ui.label(style::title("Compare two revisions"));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Close (Escape)").clicked() {
                    context.asks.push(PairAsk::Revisions);
                }
            });
        });
        ui.label(style::weak(
            "Type two tags, branches or commits, or click one for A, then one for B.",
        ));
        ui.add_space(4.0);
        let fields = [0, 1].map(|side| field(ui, card, side, context));
        if is_new {
            fields[0].request_focus();
        }
        let entered = |of: &egui::Response| {
            of.lost_focus() && of.ctx.input(|it| it.key_pressed(egui::Key::Enter))
        };
        let (goes_on, mut is_sent) = (entered(&fields[0]), entered(&fields[1]));
        if goes_on {
            fields[1].request_focus();
        }
        ui.add_space(4.0);
        match &card.offered {
            Some(offered) => list(ui, card, offered, context),
            None if card.failure.is_none() => {
                ui.label(style::weak("Looking for tags, branches and commits…"));
            }
            None => {}
        }
        if let Some(reason) = &card.failure {
            let color = ui.visuals().error_fg_color;
            let reason = escape::lines(reason).into_owned();
            ui.add(egui::Label::new(style::weak(reason).color(color)).wrap());
        }
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let compare = egui::Button::new("Compare");
                let compare = ui.add_enabled(card.can_compare(), compare);
                let compare = compare.on_disabled_hover_text("Name two different revisions");
                is_sent |= compare.clicked();
                if card.is_writing() {
                    ui.label(style::weak("Reading both…"));
                }
            });
        });
        if is_sent {
            context.asks.push(PairAsk::CompareRevisions);
        }
    });
}

fn field(
    ui: &mut Ui,
    card: &RevisionsCard,
    side: usize,
    context: &mut Context<'_>,
) -> egui::Response {
    let mut name = card.names[side].clone();
    let shown = ui.horizontal(|ui| {
        let title = egui::Button::selectable(card.side == side, TITLES[side]);
        let title = ui.add_sized([80.0, ROW], title);
        if title
            .on_hover_text("A click in the list names this one")
            .clicked()
        {
            context.asks.push(PairAsk::Fill(side));
        }
        let edit = TextEdit::singleline(&mut name)
            .hint_text("HEAD, the checked-out commit")
            .desired_width(f32::INFINITY);
        ui.add(edit)
    });
    let field = shown.inner;
    if field.changed() {
        context.asks.push(PairAsk::Name(side, name));
    } else if field.gained_focus() {
        context.asks.push(PairAsk::Fill(side));
    }
    field
}

/// Tags, branches and the last commits, those first that what is typed is part of; a click takes one.
fn list(ui: &mut Ui, card: &RevisionsCard, offered: &[Named], context: &mut Context<'_>) {
    let typed = card.names[card.side].trim().to_lowercase();
    let is_whole = offered.iter().any(|it| it.name == card.names[card.side]);
    let is_meant = |it: &&Named| {
        let has = |text: &str| text.to_lowercase().contains(&typed);
        is_whole || has(&it.name) || has(&it.commit.summary)
    };
    let mut found: Vec<&Named> = offered.iter().filter(is_meant).collect();
    if found.is_empty() {
        found = offered.iter().collect();
    }
    ScrollArea::vertical()
        .id_salt("revisions")
        .max_height(ROWS * ROW)
        .auto_shrink([false, true])
        .show_rows(ui, ROW, found.len(), |ui, range| {
            for it in found.get(range).unwrap_or_default() {
                let day = date(it.commit.time.div_euclid(DAY));
                let summary = escape::name(&it.commit.summary);
                let text = format!("{}   {day}  {summary}", escape::name(&it.name));
                let is_chosen = card.names.contains(&it.name);
                let button = egui::Button::selectable(is_chosen, text)
                    .truncate()
                    .min_size(egui::vec2(ui.available_width(), ROW));
                if ui.add(button).clicked() {
                    context.asks.push(PairAsk::Take(it.name.clone()));
                }
            }
        });
}
