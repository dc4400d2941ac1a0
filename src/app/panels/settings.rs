//! The settings: theme, what maps to area, height and colour, arcs, glow.

use egui::{Align2, Context as Egui, Ui};

use super::context::Context;
use crate::command::EditorAsk;
use callscape_base::units::Cost;
use callscape_facts::kinds::{Purpose, Purposes};
use callscape_look::quality::Quality;
use callscape_model::arcs::{ARCS_AT_MOST, ArcMeasure, ArcMode};
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metric::{Metric, Origin};
use callscape_model::surface::{Scale, Surface};
use callscape_model::theme::Theme;
use callscape_model::tiling::Tiling;
use callscape_state::ask::{CardAsk, LookAsk};
use callscape_state::document::Document;
use callscape_views::widgets::{Icon, icon_button, opened_card, small_slider};
use callscape_views::{style, text};

/// `suited` is the quality that suits the device.
pub(super) fn show(ctx: &Egui, context: &mut Context<'_>, suited: Quality) {
    if !context.desk.state.cards.settings {
        return;
    }
    let old = context.desk.state.settings;
    let mut new = old;
    let old_quality = context.desk.state.look.quality.unwrap_or(suited);
    let mut quality = old_quality;
    let look = &context.desk.state.look;
    let old_theme = Some(old.theme).filter(|_| !look.follows_system);
    let mut theme = old_theme;
    let document = context.desk.state.document.as_ref();
    let has_recording = document.is_some_and(|document| document.resolved().is_some());
    opened_card(ctx, "settings", Align2::RIGHT_TOP, context.free, |ui| {
        ui.set_width(268.0);
        ui.horizontal(|ui| {
            ui.label(style::title("Settings"));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Close (Escape)").clicked() {
                    context.asks.push(CardAsk::ToggleSettings);
                }
            });
        });
        egui::Grid::new("settings")
            .num_columns(2)
            .spacing([14.0, 8.0])
            .show(ui, |ui| {
                let themes = [
                    (None, "as the system"),
                    (Some(Theme::Light), "light"),
                    (Some(Theme::Dark), "dark"),
                ];
                choice(ui, "Theme", &mut theme, &themes);
                finely(ui, &mut quality);
                blocks(ui, document, &mut new);
                if has_recording {
                    recorded(ui, document, &mut new);
                }
                editor(ui, context);
            });
    });
    if new != old {
        context.asks.push(LookAsk::Configure(new));
    }
    if theme != old_theme {
        context.asks.push(LookAsk::Theme(theme));
    }
    if quality != old_quality {
        context.asks.push(LookAsk::SetQuality(quality));
    }
}

/// What source files are opened with.
fn editor(ui: &mut Ui, context: &mut Context<'_>) {
    ui.label(style::weak("Editor")).on_hover_text(
        "Command that opens source files, such as code -g {file}:{line}. The default is VISUAL or EDITOR, otherwise \
         the first editor found",
    );
    let mut command = context.desk.editors.command.clone();
    let field = egui::TextEdit::singleline(&mut command)
        .id(egui::Id::unique("editor command"))
        .hint_text("$VISUAL, $EDITOR")
        .char_limit(1000)
        .desired_width(172.0);
    let response = ui.add(field);
    if response.changed() {
        context.asks.push(EditorAsk::Command(command));
    }
    if response.lost_focus() {
        context.asks.push(EditorAsk::Keep);
    }
    ui.end_row();
}

/// How finely the landscape is drawn.
fn finely(ui: &mut Ui, quality: &mut Quality) {
    // The shadow is chosen by itself.
    let with_shadow = |of: Quality| Quality {
        shadow: quality.shadow,
        ..of
    };
    let qualities = [
        (with_shadow(Quality::LOW), "low, for weak devices"),
        (with_shadow(Quality::MEDIUM), "medium"),
        (with_shadow(Quality::HIGH), "high"),
    ];
    choice(ui, "Quality", quality, &qualities);
    let shadows = [(true, "soft"), (false, "none")];
    choice(ui, "Shadow", &mut quality.shadow, &shadows);
}

/// What area, height and colour of blocks say, and how they are laid out.
fn blocks(ui: &mut Ui, document: Option<&Document>, new: &mut LandscapeSettings) {
    // Calls and costs, or the history, can be chosen only where there are some.
    let known = document.map(|document| document.city.metrics());
    let is_known = |metric: &Metric| known.is_none_or(|known| known.has(*metric));
    let offered = Metric::ALL.into_iter().filter(is_known);
    let measure = known.map(|known| known.measure());
    let titles = |metric: Metric| match (metric.origin(), &measure) {
        // What those are is known of the table alone.
        (Origin::Numbers, Some(measure)) => measure.title(metric),
        _ => metric.title().to_owned(),
    };
    let offered: Vec<(Metric, String)> = offered.map(|it| (it, titles(it))).collect();
    let named = || {
        offered
            .iter()
            .map(|(metric, title)| (*metric, title.as_str()))
    };
    let areas: Vec<_> = named().filter(|(metric, _)| metric.is_amount()).collect();
    choice(ui, "Area", &mut new.area, &areas);
    let sizes = [(false, "at most a tenth"), (true, "full size")];
    choice(ui, "Not by hand", &mut new.full_size, &sizes);
    left_out(ui, document, &mut new.without);
    let mut heights = vec![(None, "even")];
    heights.extend(named().map(|(metric, title)| (Some(metric), title)));
    choice(ui, "Height", &mut new.height, &heights);
    if new.height.is_some() {
        let mut scales = vec![(None, "square root")];
        scales.extend(Scale::ALL.map(|scale| (Some(scale), scale.name())));
        choice(ui, "Height's scale", &mut new.height_scale, &scales);
    }
    let mut surfaces = vec![
        (Surface::Neutral, "level of the hierarchy"),
        (Surface::District, "district"),
        (Surface::Language, "language"),
        (Surface::Purpose, "purpose of files"),
    ];
    if known.is_some_and(|it| !it.people().is_empty()) {
        surfaces.push((Surface::Person, "main author"));
    }
    if document.is_some_and(|it| it.runs.is_some()) {
        surfaces.push((Surface::Difference, "difference of two runs"));
    }
    surfaces.extend(named().map(|(metric, title)| (Surface::Metric(metric), title)));
    choice(ui, "Colour", &mut new.surface, &surfaces);
    if matches!(new.surface, Surface::Metric(_)) {
        let scales = Scale::ALL.map(|it| (it, it.name()));
        choice(ui, "Scale", &mut new.scale, &scales);
    }
    let tilings = Tiling::ALL.map(|tiling| (tiling, tiling.name()));
    choice(ui, "Layout", &mut new.tiling, &tilings);
}

/// Which files are not shown, by what they are for; nothing to choose where all are for one purpose.
fn left_out(ui: &mut Ui, document: Option<&Document>, without: &mut Purposes) {
    let Some(city) = document.map(|document| &document.city) else {
        return;
    };
    let there = Purpose::ALL.into_iter();
    let there: Vec<Purpose> = there.filter(|&it| city.of_purpose(it) > 0).collect();
    if there.len() < 2 && without.is_empty() {
        return;
    }
    ui.label("Files shown");
    ui.vertical(|ui| {
        for purpose in there {
            let mut is_shown = !without.contains(purpose);
            let files = text::counted(city.of_purpose(purpose) as u64, "file", "files");
            let label = format!("{}, {files}", purpose.plural());
            if ui.checkbox(&mut is_shown, label).changed() {
                *without = without.toggled(purpose);
            }
        }
    });
    ui.end_row();
}

/// What arcs and glow say of a recording.
fn recorded(ui: &mut Ui, document: Option<&Document>, new: &mut LandscapeSettings) {
    let mut arcs = vec![
        (ArcMode::All, "all up to the time shown"),
        (ArcMode::Selection, "of the selected module"),
        (ArcMode::Step, "of the last step"),
        (ArcMode::Whole, "of the whole recording"),
        (ArcMode::None, "none"),
    ];
    if document.is_some_and(|it| it.runs.is_some()) {
        arcs.insert(2, (ArcMode::Difference, "difference of two runs"));
    }
    if document.is_some_and(|it| it.city.metrics().has(Metric::Coupled)) {
        let together = (ArcMode::Together, "files that change together");
        arcs.insert(arcs.len() - 1, together);
    }
    choice(ui, "Arcs", &mut new.arcs, &arcs);
    if new.arcs != ArcMode::None {
        let widths = [
            (ArcMeasure::Calls, "number of calls"),
            (ArcMeasure::Cost, "cost"),
        ];
        choice(ui, "Width", &mut new.arc_measure, &widths);
        bundling(ui, &mut new.bundling);
        most_arcs(ui, &mut new.most_arcs);
    }
    half_life(ui, &mut new.half_life);
}

fn choice<T: PartialEq + Copy>(ui: &mut Ui, label: &str, value: &mut T, choices: &[(T, &str)]) {
    let named = ui.label(style::weak(label));
    let chosen = choices.iter().find(|(choice, _)| choice == value);
    egui::ComboBox::from_id_salt(label)
        .width(172.0)
        .selected_text(chosen.map_or("", |&(_, name)| name))
        .show_ui(ui, |ui| {
            for &(choice, name) in choices {
                ui.selectable_value(value, choice, name);
            }
        })
        .response
        .labelled_by(named.id);
    ui.end_row();
}

fn bundling(ui: &mut Ui, bundling: &mut f32) {
    let named = ui
        .label(style::weak("Bundling"))
        .on_hover_text("Strength with which arcs follow the districts they cross: 0 is straight");
    ui.horizontal(|ui| {
        ui.spacing_mut().slider_width = 90.0;
        let slider = egui::Slider::new(bundling, 0.0..=1.0).show_value(false);
        small_slider(ui, slider).labelled_by(named.id);
        let field = egui::DragValue::new(bundling)
            .range(0.0..=1.0)
            .speed(0.005)
            .fixed_decimals(2);
        ui.add(field).on_hover_text("Drag, or click and type 0.85");
    });
    ui.end_row();
}

fn most_arcs(ui: &mut Ui, most: &mut usize) {
    let named = ui
        .label(style::weak("Maximum arcs"))
        .on_hover_text("Only the most important arcs are drawn; the legend counts the others");
    ui.horizontal(|ui| {
        ui.spacing_mut().slider_width = 90.0;
        let slider = egui::Slider::new(most, 10..=ARCS_AT_MOST)
            .logarithmic(true)
            .show_value(false);
        small_slider(ui, slider).labelled_by(named.id);
        let speed = (*most as f64 * 0.01).max(1.0);
        let field = egui::DragValue::new(most)
            .range(0..=ARCS_AT_MOST)
            .speed(speed)
            .update_while_editing(false);
        ui.add(field)
            .on_hover_text("Drag, or click and type a number");
    });
    ui.end_row();
}

fn half_life(ui: &mut Ui, half_life: &mut Cost) {
    let named = ui
        .label(style::weak("Glow halves in"))
        .on_hover_text("Time in which past activity fades by half, in recorded time");
    let mut ns = half_life.ns() as f64;
    ui.horizontal(|ui| {
        ui.spacing_mut().slider_width = 90.0;
        let slider = egui::Slider::new(&mut ns, 100.0..=10e9)
            .logarithmic(true)
            .show_value(false);
        let slider = small_slider(ui, slider).labelled_by(named.id);
        if slider.changed() {
            *half_life = Cost::from_ns(ns as u64);
        }
        let mut typed = half_life.ns();
        let field = egui::DragValue::new(&mut typed)
            .range(1..=u64::MAX / 2)
            .speed((ns * 0.01).max(1.0))
            .update_while_editing(false)
            .custom_formatter(|ns, _| Cost::from_ns(ns as u64).to_string())
            .custom_parser(super::playback::parse_span);
        let field = ui.add(field).on_hover_text("Drag, or click and type 5ms");
        if field.changed() {
            *half_life = Cost::from_ns(typed);
        }
    });
    ui.end_row();
}
