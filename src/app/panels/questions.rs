//! The questions that the map answers: their menu, and beside the map the one that is asked with what stands out.

use egui::{Align2, Role, Sense, Ui};

use super::context::Context;
use super::own;
use crate::command::{FileAsk, OwnList};
use callscape_base::escape;
use callscape_base::units::{ModuleId, date};
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::selection::Pointed;
use callscape_model::presets::{PRESETS, Preset, StandsOut};
use callscape_state::ask::{CameraAsk, LookAsk, SelectAsk};
use callscape_state::document::Document;
use callscape_state::question::Missing;
use callscape_views::style;
use callscape_views::widgets::{Icon, icon_button, tell};

/// How wide the panel is, in points.
const WIDTH: f32 = 240.0;

/// In a window with less room than this, in points, it would leave too little for what it is about.
const LEAST_ROOM: egui::Vec2 = egui::vec2(720.0, 330.0);

/// The room of the button that closes it, in points.
const CLOSE: f32 = 32.0;

/// How wide entries of the menu are, in points.
const ENTRY: f32 = 230.0;

/// The menu of questions, and of looks that the user has kept.
pub(super) fn menu(ui: &mut Ui, context: &mut Context<'_>) {
    let desk = context.desk;
    if desk.state.document.is_none() {
        return;
    }
    let menu = ui.menu_button("Questions", |ui| {
        ui.set_min_width(ENTRY);
        let asked = desk.state.look.question.asked();
        for preset in &PRESETS {
            let is_asked = asked.is_some_and(|it| it.id == preset.id);
            let button = egui::Button::new(preset.title)
                .selected(is_asked)
                .min_size(egui::vec2(ENTRY, 0.0));
            let missing = desk.state.missing_for(preset);
            let response = ui
                .add_enabled(missing.is_none(), button)
                .on_hover_text(preset.sentence)
                .on_disabled_hover_text(match missing {
                    Some(Missing::Recording) => "Needs a recording as well as a source tree",
                    Some(Missing::Imports) => "Imports are read only if no recording is open",
                    _ => "Needs a source tree",
                });
            if response.clicked() {
                context.asks.push(LookAsk::Question(preset.id));
            }
        }
        ui.separator();
        let names = own::names(context.desk.own_looks);
        own::list(ui, (OwnList::Looks, &names), ENTRY, context);
    });
    menu.response
        .on_hover_text("Meaning of the colours, and the files that stand out (Shift + Q)");
}

/// Plays the history of the source tree, or goes back to the tree.
pub(super) fn history(ui: &mut Ui, context: &mut Context<'_>) {
    let Some(document) = &context.desk.state.document else {
        return;
    };
    if document.session.source_dir.is_none() {
        let hint = "Open the source tree that this is the history of";
        let is_history = document.city.metrics().played().is_some();
        if !is_history {
            return;
        }
        ui.menu_button("Source tree", |ui| {
            if ui.button("Today").on_hover_text(hint).clicked() {
                context.asks.push(FileAsk::Tree);
                ui.close();
            }
            let hint = "Open it as it was at the displayed date, with its functions";
            if ui.button("At this date").on_hover_text(hint).clicked() {
                context.asks.push(FileAsk::TreeThen);
                ui.close();
            }
        });
        return;
    }
    let hint = "Play who changed what when, from the git repository of the source tree";
    if ui.button("History").on_hover_text(hint).clicked() {
        context.asks.push(FileAsk::History);
    }
}

/// The panel at the left: the question, a sentence, and what stands out.
pub(super) fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let desk = context.desk;
    let room = ui.available_size();
    let question = &desk.state.look.question;
    let has_room = room.x >= LEAST_ROOM.x && room.y >= LEAST_ROOM.y;
    let shown = has_room && question.is_open && desk.state.panes.is_main_visible();
    let (Some(document), Some(preset)) = (&desk.state.document, question.asked().filter(|_| shown))
    else {
        return;
    };
    let frame = egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::same(12));
    let panel = egui::Panel::left("question")
        .frame(frame)
        .default_size(WIDTH)
        .size_range(WIDTH * 0.75..=WIDTH * 2.0)
        .resizable(true);
    panel.show(ui, |ui| {
        ui.horizontal(|ui| {
            let room = egui::vec2(ui.available_width() - CLOSE, 0.0);
            ui.allocate_ui(room, |ui| {
                ui.add(egui::Label::new(style::title(preset.title)).wrap());
            });
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Close (Shift + Q)").clicked() {
                    context.asks.push(LookAsk::ToggleQuestion);
                }
            });
        });
        ui.add(egui::Label::new(style::weak(preset.sentence).small()).wrap());
        let played = document.city.metrics().played();
        if let Some((played, commits)) = played.zip(question.commits()) {
            let last = commits.saturating_sub(1) as usize;
            if let Some(&time) = played.timeline.clock.get(last) {
                ui.label(
                    style::weak(format!(
                        "At the commit of {}",
                        date(time.div_euclid(86_400))
                    ))
                    .small(),
                );
            }
        }
        ui.add_space(4.0);
        let modules = question.modules();
        if modules.is_empty() {
            ui.label(style::weak(nothing(desk.state.work.jobs.is_any())));
            return;
        }
        let most = modules.first().map_or(1.0, |first| first.value);
        for one in modules {
            row(ui, document, preset, one, most, context);
        }
        ui.label(style::weak(preset.unit).small());
    });
}

fn nothing(is_reading: bool) -> &'static str {
    match is_reading {
        true => "Still loading…",
        false => "Nothing stands out.",
    }
}

/// A module that stands out: its name, its folder, its value with a bar.
fn row(
    ui: &mut Ui,
    document: &Document,
    preset: &Preset,
    one: &StandsOut,
    most: f64,
    context: &mut Context<'_>,
) {
    let hierarchy = &document.session.hierarchy;
    let value = document
        .city
        .metrics()
        .measure()
        .text(preset.metric, one.value);
    let height = ui.text_style_height(&egui::TextStyle::Body) + 5.0;
    let size = egui::vec2(ui.available_width(), height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let of = name_of(hierarchy, one.module);
    tell(
        &response,
        Role::ListBoxOption,
        format_args!("{of}, {value}"),
    );
    let colors = style::colors(context.desk.state.settings.theme);
    let mut bar = rect;
    bar.set_width(rect.width() * (one.value / most).clamp(0.0, 1.0) as f32);
    let strength = if response.hovered() { 0.45 } else { 0.22 };
    let painter = ui.painter();
    painter.rect_filled(bar, 2.0, colors.accent.gamma_multiply(strength));
    let font = egui::TextStyle::Body.resolve(ui.style());
    let value = painter.text(
        rect.right_center() - egui::vec2(4.0, 0.0),
        Align2::RIGHT_CENTER,
        value,
        font.clone(),
        ui.visuals().weak_text_color(),
    );
    let mut name = rect.shrink2(egui::vec2(4.0, 0.0));
    name.max.x = value.min.x - 6.0;
    let mut job = egui::text::LayoutJob::single_section(
        of,
        egui::TextFormat::simple(font, ui.visuals().text_color()),
    );
    job.wrap = egui::text::TextWrapping::truncate_at_width(name.width().max(0.0));
    let text = painter.layout_job(job);
    let at = egui::pos2(name.min.x, rect.center().y - text.size().y * 0.5);
    painter.galley(at, text, ui.visuals().text_color());
    if response.hovered() {
        context.pointed = Pointed::at_module(Some(one.module));
    }
    let path = escape::name(&hierarchy.path(one.module)).into_owned();
    if response.on_hover_text(path).clicked() {
        context.asks.push(SelectAsk::Select(Some(one.module)));
        context
            .asks
            .push(CameraAsk::FlyTo(seen_with(document, preset, one.module)));
    }
}

/// What is to be seen of a module that stands out: itself, or all of its import cycle.
fn seen_with(document: &Document, preset: &Preset, module: ModuleId) -> ModuleId {
    let imports = document.city.metrics().imports();
    let cycle = imports.filter(|_| preset.needs_imports());
    let cycle = cycle.and_then(|imports| imports.cycle_of(module));
    let hierarchy = &document.session.hierarchy;
    let mut around = hierarchy.ancestors(module);
    let holds_all = |&around: &ModuleId| {
        let mut files = cycle.unwrap_or_default().iter();
        files.all(|&file| hierarchy.contains(around, file))
    };
    around.find(holds_all).unwrap_or(module)
}

/// The name that tells a file apart, and its own behind it where that is another.
fn name_of(hierarchy: &Hierarchy, module: ModuleId) -> String {
    let (telling, name) = (hierarchy.telling_name(module), hierarchy.name(module));
    let name = match telling == name {
        true => escape::name(name).into_owned(),
        false => format!("{}/{}", escape::name(telling), escape::name(name)),
    };
    match hierarchy.parent(module).filter(|&it| it != ModuleId::ROOT) {
        Some(folder) if telling == hierarchy.name(module) => {
            format!("{name}  {}", escape::name(hierarchy.name(folder)))
        }
        _ => name,
    }
}
