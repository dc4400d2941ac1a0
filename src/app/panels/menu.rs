//! The menu of everything, and that of what is pointed at.

use egui::{Align2, Context as Egui, Id, Order, Pos2, Ui};

use super::context::{Context, Layout};
use super::ring;
use crate::command::PaletteAsk;
use crate::keys::{self, Listed};
use crate::palette::Entry;
use callscape_base::escape;
use callscape_filter::selection::Pointed;
use callscape_views::style;
use callscape_views::widgets::add_card;

const WIDTH: f32 = 300.0;

/// What opens a second run.
const COMPARE: &str = "runs.compare";

/// Actions that stand in the menu itself, and not only in a group.
const FIRST: [&str; 5] = ["step.undo", "step.redo", "step.list", COMPARE, "tour.begin"];

/// Why actions about two runs are not available.
const NEEDS_SECOND: &str = "Needs a second run: Compare with… adds one.";

/// All actions, in the groups of the help.
pub(super) fn all(ui: &mut Ui, context: &mut Context<'_>) {
    let menu = ui.menu_button("Menu", |ui| {
        ui.set_min_width(190.0);
        let palette = egui::Button::new("Palette…").shortcut_text("Ctrl + P");
        if ui.add(palette).clicked() {
            context.asks.push(PaletteAsk::Toggle);
            ui.close();
        }
        let listed: Vec<Listed> = keys::listed()
            .filter(|it| it.id != "palette.open")
            .collect();
        for action in listed.iter().filter(|it| FIRST.contains(&it.id)) {
            of_action(ui, action, context);
        }
        let groups: Vec<&[Listed]> = listed.chunk_by(|a, b| a.page == b.page).collect();
        // Files are looked for at the top.
        let (files, others): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| group[0].page == keys::FILES);
        for group in files {
            of_group(ui, group, context);
        }
        ui.separator();
        for group in others {
            of_group(ui, group, context);
        }
    });
    ring::mark(&menu.response, "menu");
    menu.response
        .on_hover_text("All actions and their shortcuts (or press Ctrl + P and type)");
}

fn of_group(ui: &mut Ui, group: &[Listed], context: &mut Context<'_>) {
    ui.menu_button(group[0].page, |ui| {
        ui.set_min_width(WIDTH);
        egui::ScrollArea::vertical().show(ui, |ui| {
            if needs_second(group[0].page, context) {
                ui.label(style::weak(NEEDS_SECOND));
                let compare = keys::listed().find(|it| it.id == COMPARE);
                if let Some(compare) = &compare {
                    of_action(ui, compare, context);
                }
            }
            for action in group {
                of_action(ui, action, context);
            }
        });
    });
}

/// Whether a page is about two runs, which are not open.
fn needs_second(page: &str, context: &Context<'_>) -> bool {
    let document = context.desk.state.document.as_ref();
    page == keys::TWO_RUNS && document.is_none_or(|it| it.runs.is_none())
}

fn of_action(ui: &mut Ui, action: &Listed, context: &mut Context<'_>) {
    let state = &context.desk.state;
    let command = action.command(state);
    let button = egui::Button::new(action.title)
        .selected(action.is_on(state))
        .shortcut_text(action.keys())
        .min_size(egui::vec2(WIDTH, 0.0));
    let why = match needs_second(action.page, context) {
        true => NEEDS_SECOND,
        false => "Not available now.",
    };
    let response = ui
        .add_enabled(command.is_some(), button)
        .on_hover_text(action.about)
        .on_disabled_hover_text(format!("{} {why}", action.about));
    if let Some(command) = command.filter(|_| response.clicked()) {
        context.asks.push(command);
        ui.close();
    }
}

/// What it is about, in words.
fn title(of: Pointed, context: &Context<'_>) -> Option<(String, String)> {
    let document = context.desk.state.document.as_ref()?;
    let hierarchy = &document.session.hierarchy;
    let name = |module| escape::name(document.module_name(module)).into_owned();
    if let Some((caller, callee)) = of.relation {
        return Some((
            format!("{} → {}", name(caller), name(callee)),
            String::new(),
        ));
    }
    let module = document.complete(of).module?;
    Some((name(module), hierarchy.path(module)))
}

/// The menu of what is pointed at; opens it on a click with the right button over a view, or as the view asks.
pub(super) fn show(ctx: &Egui, layout: &Layout, context: &mut Context<'_>) {
    let clicked = ctx.input(|input| {
        let at = input.pointer.interact_pos();
        at.filter(|_| input.pointer.secondary_clicked() || layout.offer.opens_menu)
    });
    // Cards float over views.
    let is_bare = |at: &Pos2| {
        let layer = ctx.layer_id_at(*at);
        layer.is_none_or(|layer| layer.order == Order::Background)
    };
    if let Some(at) = clicked.filter(is_bare)
        && layout.under_pointer.is_some()
        && (layout.offer.opens_menu || !layout.offer.has_menu)
    {
        let on = layout.offer.on;
        context.asks.push(PaletteAsk::Menu(Some(at), on));
        return;
    }
    let menu = context.desk.palette.menu.as_ref();
    let Some(menu) = menu else { return };
    let room = ctx.content_rect().shrink(6.0);
    let (at, pivot) = match menu.at {
        Some(at) => (at, Align2::LEFT_TOP),
        None => (room.center(), Align2::CENTER_CENTER),
    };
    let entries = menu.entries(context.desk.state);
    let shown = egui::Area::new(Id::unique("context menu"))
        .order(egui::Order::Foreground)
        .fixed_pos(at)
        .pivot(pivot)
        .constrain_to(room)
        .show(ctx, |ui| {
            egui::Frame::menu(ui.style()).show(ui, |ui| {
                ui.set_width(WIDTH);
                let path = heading(ui, menu.of(context.desk.state), context);
                for (number, entry) in entries.iter().enumerate() {
                    of_entry(ui, (number, entry), menu.marked, context);
                }
                let copy = egui::Button::selectable(false, "Copy the path")
                    .min_size(egui::vec2(ui.available_width(), 0.0));
                if let Some(path) = path
                    && ui.add(copy).on_hover_text(path.as_str()).clicked()
                {
                    ui.ctx().copy_text(path);
                    context.asks.push(PaletteAsk::CloseMenu);
                }
                if entries.is_empty() {
                    ui.label(style::weak("No actions are available now."));
                }
            });
        });
    add_card(ctx, shown.response.rect);
    let pressed = ctx.input(|input| {
        input
            .pointer
            .any_pressed()
            .then(|| input.pointer.interact_pos())
    });
    if let Some(Some(at)) = pressed
        && !shown.response.rect.contains(at)
    {
        context.asks.push(PaletteAsk::CloseMenu);
    }
}

/// What the menu is about; its path where it is a module.
fn heading(ui: &mut Ui, of: Pointed, context: &Context<'_>) -> Option<String> {
    let (name, path) = title(of, context)?;
    ui.add(egui::Label::new(style::title(name)).truncate());
    ui.separator();
    (!path.is_empty()).then_some(path)
}

fn of_entry(
    ui: &mut Ui,
    (number, entry): (usize, &Entry),
    marked: Option<usize>,
    context: &mut Context<'_>,
) {
    let button = egui::Button::selectable(marked == Some(number), entry.title.as_str())
        .shortcut_text(entry.keys.as_str())
        .min_size(egui::vec2(ui.available_width(), 0.0));
    if ui.add(button).on_hover_text(entry.about).clicked() {
        context.asks.push(PaletteAsk::Take(Some(number)));
    }
}
