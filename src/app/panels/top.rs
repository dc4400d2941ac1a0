//! The bar at the top: what is open, the search field, and what opens the other panels.

use egui::{Align, Layout, Ui};

use super::context::Context;
use super::{menu, messages, own, path, questions, ring, search, steps};
use crate::command::{Command, OwnList, PairAsk, ScriptAsk};
use crate::keys;
use callscape_base::escape;
use callscape_state::ask::{CameraAsk, CardAsk, CutAsk, MappingAsk, PaneAsk, SelectAsk};
use callscape_state::camera::Mode;
use callscape_state::panes::{Needs, Purpose, ViewId};
use callscape_views::style;
use callscape_views::widgets::{Icon, icon_button, paint};

/// The share of the room that the title has beside a path.
const WITH_PATH: f32 = 0.45;

/// In a bar with less room than this, in points, flying and settings are in the menu alone.
const NARROW: f32 = 700.0;

/// Undo and redo stand in the bar where there is so much room beside the menu, in points.
const LEAST_WITH_UNDO: f32 = 130.0;

pub(super) fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let desk = context.desk;
    let frame =
        egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::symmetric(10, 6));
    let panel = egui::Panel::top("top").frame(frame).resizable(false);
    panel.show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let shown = desk.state.cards;
                let is_narrow = ui.available_width() < NARROW;
                toggle(
                    ui,
                    context,
                    shown.help,
                    "Help",
                    CardAsk::ToggleHelp,
                    "All keys (F1)",
                );
                if !is_narrow {
                    toggle(
                        ui,
                        context,
                        shown.settings,
                        "Settings",
                        CardAsk::ToggleSettings,
                        "Theme, area, height, colour, arcs (O)",
                    );
                    let fly = desk.state.moving.camera.mode() == Mode::Fly;
                    let tooltip = "Fly with W A S D Q E and the mouse, or orbit (Tab)";
                    toggle(ui, context, fly, "Fly", CameraAsk::OrbitOrFly, tooltip);
                }
                views(ui, context);
                structure(ui, context);
                questions::menu(ui, context);
                questions::history(ui, context);
                if desk.talk.recorder.is_some() {
                    toggle(
                        ui,
                        context,
                        true,
                        "End recording",
                        ScriptAsk::Record,
                        "Record your actions as shots of a scene (F9)",
                    );
                }
                #[cfg(target_arch = "wasm32")]
                if let Some(link) = crate::window::browser::seen(context.desk)
                    && ui
                        .button("Copy link")
                        .on_hover_text("Copies the address of this page at this time and selection")
                        .clicked()
                {
                    ui.ctx().copy_text(link);
                }
                if icon_button(ui, Icon::Home, false, "Show everything (Home)").clicked() {
                    context.asks.push(CameraAsk::FlyHome);
                }
                search::show_field(ui, context);
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| left(ui, context));
            });
        });
    });
}

/// What stands at the left: the way back, what is open, the path to what fills the pane, the range, messages.
fn left(ui: &mut Ui, context: &mut Context<'_>) {
    let name = match &context.desk.state.document {
        Some(document) => escape::name(&document.name()).into_owned(),
        None => "Callscape".to_owned(),
    };
    let chip = range_text(context);
    let needed = if chip.is_some() { 190.0 } else { 0.0 };
    let told = match messages::has_notices(context) {
        true => messages::NOTICES.min(ui.available_width() * 0.45),
        false => 0.0,
    };
    let width = (ui.available_width() - needed - told).max(40.0);
    ui.allocate_ui_with_layout(
        egui::vec2(width, ui.available_height()),
        Layout::left_to_right(Align::Center),
        |ui| {
            menu::all(ui, context);
            // Where there is no room for them the menu has them.
            if context.desk.state.steps.all().len() > 0 && ui.available_width() >= LEAST_WITH_UNDO {
                ui.spacing_mut().item_spacing.x = 4.0;
                steps::both(ui, context);
            }
            history(ui, context);
            let title = egui::Label::new(style::title(name)).truncate();
            let share = if context.desk.state.filling().is_some() {
                WITH_PATH
            } else {
                1.0
            };
            ui.scope(|ui| {
                ui.set_max_width(share * ui.available_width());
                ui.add(title);
            });
            path::show(ui, context);
        },
    );
    if let Some(text) = chip {
        range(ui, &text, context);
    }
    if told > 0.0 {
        messages::notices(ui, told, context);
    }
}

/// The menu of views.
fn views(ui: &mut Ui, context: &mut Context<'_>) {
    let menu = ui.menu_button("Views", |ui| {
        ui.set_min_width(210.0);
        for &view in context.desk.state.panes.all() {
            toggle_view(ui, view, context);
        }
        compare(ui, context);
        ui.separator();
        ui.menu_button("Views for a question", |ui| arrangements(ui, context));
        let first = ui.button("Default arrangement");
        let about = "Show only the landscape; Undo reopens the other views";
        if first.on_hover_text(about).clicked() {
            context.asks.push(PaneAsk::Reset);
        }
    });
    ring::mark(&menu.response, "views");
    menu.response.on_hover_text("Open and close views");
}

/// What makes the views of two runs possible, where they are not.
fn compare(ui: &mut Ui, context: &mut Context<'_>) {
    let document = context.desk.state.document.as_ref();
    if document.is_some_and(|it| it.runs.is_some()) {
        return;
    }
    let button = egui::Button::new("Compare with…").min_size(egui::vec2(210.0, 0.0));
    let about = "Add a second run (B), for the views of two runs";
    if ui.add(button).on_hover_text(about).clicked() {
        context.asks.push(PairAsk::Toggle);
        ui.close();
    }
}

/// The menu of arrangements: those for a purpose, and the user's own.
fn arrangements(ui: &mut Ui, context: &mut Context<'_>) {
    const WIDTH: f32 = 250.0;
    ui.set_min_width(WIDTH);
    for purpose in Purpose::ALL {
        let can = context.desk.state.arrangement_for(purpose).is_some();
        let button = egui::Button::new(purpose.title()).min_size(egui::vec2(WIDTH, 0.0));
        let response = ui.add_enabled(can, button).on_disabled_hover_text(
            "Needs one recording with the relevant data, or two recordings",
        );
        if response.clicked() {
            context.asks.push(PaneAsk::For(purpose));
            ui.close();
        }
    }
    ui.separator();
    let names = own::names(context.desk.own_views);
    own::list(ui, (OwnList::Views, &names), WIDTH, context);
}

/// The entry of a menu that opens and closes a view.
fn toggle_view(ui: &mut Ui, view: ViewId, context: &mut Context<'_>) {
    let line = view.line();
    let is_open = context.desk.state.panes.is_open(view);
    let button = egui::Button::new(line.title)
        .selected(is_open)
        .shortcut_text(line.key.to_string())
        .min_size(egui::vec2(210.0, 0.0));
    let open = context.desk.state.document.as_ref();
    let enabled = is_open || open.is_none_or(|open| open.has(view.line().needs));
    if ui
        .add_enabled(enabled, button)
        .on_hover_text(line.about)
        .on_disabled_hover_text(match line.needs {
            Needs::TwoRuns | Needs::TwoRunsWithTimes => {
                "Needs two recordings, A and B: Compare with… adds the second"
            }
            Needs::Memory => "Needs a memory recording",
            _ => "Needs a recording with times",
        })
        .clicked()
    {
        context.asks.push(PaneAsk::Toggle(view));
    }
}

/// The entry of a menu `width` points wide: whether it is on, its title, the id of the action whose keys and sentence it
/// has, what it asks for.
fn entry(
    ui: &mut Ui,
    context: &mut Context<'_>,
    width: f32,
    (is_on, title, id, ask): (bool, &str, &str, Command),
) {
    let action = keys::listed().find(|it| it.id == id);
    let button = egui::Button::new(title)
        .selected(is_on)
        .shortcut_text(action.map_or(String::new(), |it| it.keys()))
        .min_size(egui::vec2(width, 0.0));
    let mut response = ui.add(button);
    if let Some(action) = action {
        response = response.on_hover_text(action.about);
    }
    if response.clicked() {
        context.asks.push(ask);
    }
}

/// The menu of what is collapsed, and of the mapping.
fn structure(ui: &mut Ui, context: &mut Context<'_>) {
    let desk = context.desk;
    let Some(document) = &desk.state.document else {
        return;
    };
    let menu = ui.menu_button("Structure", |ui| {
        ui.set_min_width(230.0);
        let mut entry = |ui: &mut Ui, is_on, title: &str, id, ask| {
            entry(ui, context, 230.0, (is_on, title, id, ask));
        };
        let chosen = "Collapse or expand the module";
        entry(
            ui,
            false,
            chosen,
            "cut.toggle",
            CutAsk::CollapseOrExpand(None).into(),
        );
        entry(
            ui,
            false,
            "Expand it completely",
            "cut.expand",
            CutAsk::ExpandWhole(None).into(),
        );
        entry(
            ui,
            false,
            "One level less",
            "cut.less",
            CutAsk::ChangeLevel(-1).into(),
        );
        entry(
            ui,
            false,
            "One level more",
            "cut.more",
            CutAsk::ChangeLevel(1).into(),
        );
        let level = document.cut.level(&document.session.hierarchy);
        for depth in 1..=4u16 {
            let title = format!("Down to level {depth}");
            entry(
                ui,
                level == Some(depth),
                &title,
                "",
                CutAsk::SetLevel(depth).into(),
            );
        }
        entry(
            ui,
            level.is_none(),
            "Expand everything",
            "",
            CutAsk::ExpandAll.into(),
        );
        let by_size = "Collapse modules that are small on the screen";
        entry(
            ui,
            desk.state.look.detail_by_size,
            by_size,
            "cut.by-size",
            CutAsk::ToggleDetailBySize.into(),
        );
        ui.separator();
        entry(
            ui,
            desk.state.mapping.is_open,
            "Mapping…",
            "card.mapping",
            MappingAsk::Toggle.into(),
        );
    });
    menu.response
        .on_hover_text("Collapse, expand, and see the structure through a mapping");
}

/// Back and forward through past selections.
fn history(ui: &mut Ui, context: &mut Context<'_>) {
    let Some(document) = &context.desk.state.document else {
        return;
    };
    let history = &document.selection.places;
    if !history.can_go_back() && !history.can_go_forward() {
        return;
    }
    let steps = [
        (
            Icon::Back,
            history.can_go_back(),
            SelectAsk::Back,
            "Back (Alt + ←)",
        ),
        (
            Icon::Forward,
            history.can_go_forward(),
            SelectAsk::Forward,
            "Forward (Alt + →)",
        ),
    ];
    ui.spacing_mut().item_spacing.x = 4.0;
    for (icon, enabled, command, tooltip) in steps {
        ui.add_enabled_ui(enabled, |ui| {
            if icon_button(ui, icon, false, tooltip).clicked() {
                context.asks.push(command);
            }
        });
    }
    ui.add_space(4.0);
}

/// The range that limits every view.
fn range_text(context: &Context<'_>) -> Option<String> {
    let range = context.desk.state.document.as_ref()?.selection.range?;
    let [start, end] = [range.start, range.end].map(|time| time.to_string());
    // Of a short range far from the start both times read the same: then its length tells more.
    Some(if start == end {
        format!("{start} + {}", range.end.since(range.start))
    } else {
        format!("{start} – {end}")
    })
}

/// The range as a chip that takes it away.
fn range(ui: &mut Ui, text: &str, context: &mut Context<'_>) {
    let tooltip = "Every view shows only this range. Click to show everything again (Escape)";
    let colors = style::colors(context.desk.state.settings.theme);
    let chip = egui::Button::new(format!("{text}    "))
        .fill(colors.accent.gamma_multiply(0.25))
        .truncate();
    let response = ui.add(chip);
    let mut cross = response.rect;
    cross.min.x = cross.max.x - cross.height();
    paint(
        ui,
        Icon::Close,
        cross.shrink(4.0),
        ui.visuals().text_color(),
    );
    if response.on_hover_text(tooltip).clicked() {
        context.asks.push(SelectAsk::SetRange(None));
    }
}

fn toggle(
    ui: &mut Ui,
    context: &mut Context<'_>,
    is_on: bool,
    label: &str,
    command: impl Into<Command>,
    tooltip: &str,
) {
    let button = ui.add(egui::Button::new(label).selected(is_on));
    ring::mark(&button, label);
    if button.on_hover_text(tooltip).clicked() {
        context.asks.push(command);
    }
}
