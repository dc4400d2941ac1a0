//! The middle of the window while there is nothing to see, or something to wait for; and the welcome.

use std::path::Path;

use egui::{Align2, Context as Egui, Ui};

use super::context::Context;
use crate::command::{Chosen, Command, FileAsk, PairAsk, RecordAsk, TourAsk};
use crate::recent::{PICTURE, read_picture};
use callscape_base::escape;
use callscape_state::ask::{CardAsk, OpenAsk};
use callscape_state::loading::Loading;
use callscape_views::style;
use callscape_views::widgets::{Icon, begin_keys_here, icon_button, opened_card};

/// Of the welcome, in points.
const WIDTH: f32 = 690.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    match &context.desk.state.opening.loading {
        Some(loading) if loading.is_slow() => progress(ctx, loading, context),
        // What a crash left is asked about first, in the same place.
        None if context.desk.rescue.offered().is_some() => {}
        // A page has what it was made of, and nothing else to open.
        None if cfg!(target_arch = "wasm32") => {}
        None if context.desk.state.document.is_none() => welcome(ctx, context),
        None if context.desk.welcome.is_open => welcome(ctx, context),
        _ => {}
    }
}

fn progress(ctx: &Egui, loading: &Loading, context: &mut Context<'_>) {
    let (step, done, total) = loading.progress().state();
    opened_card(ctx, "progress", Align2::CENTER_CENTER, context.free, |ui| {
        ui.set_width(320.0f32.min(context.free.width() * 0.8).max(0.0));
        ui.label(style::title(format!(
            "Opening {}",
            escape::name(&loading.name)
        )));
        ui.label(style::weak(step));
        // An unknown total shows as a bar that moves without a number.
        let bar = if total > 0 {
            egui::ProgressBar::new((done as f64 / total as f64) as f32).show_percentage()
        } else {
            egui::ProgressBar::new(1.0).animate(true)
        };
        ui.add(bar.desired_height(14.0));
        ui.add_space(4.0);
        if ui.button("Cancel").on_hover_text("Escape").clicked() {
            context.asks.push(OpenAsk::CancelLoading);
        }
    });
}

/// What can be done, on one page.
fn welcome(ctx: &Egui, context: &mut Context<'_>) {
    // It would lie over the help.
    if context.desk.state.cards.help {
        return;
    }
    let welcome = context.desk.welcome;
    let room = context.free;
    opened_card(ctx, "welcome", Align2::CENTER_CENTER, room, |ui| {
        ui.set_width(WIDTH.min(room.width() * 0.9).max(0.0));
        egui::ScrollArea::vertical().show(ui, |ui| {
            heading(ui, context);
            last(ui, context);
            tiles(ui, context);
            ui.add_space(6.0);
            typed(ui, context);
            if welcome.recent.iter().next().is_some() {
                ui.add_space(8.0);
                ui.label(style::title("Recent"));
                recent(ui, context);
            }
        });
    });
}

fn heading(ui: &mut Ui, context: &mut Context<'_>) {
    ui.horizontal(|ui| {
        ui.label(egui::RichText::new("Callscape").heading());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let has_close = context.desk.state.document.is_some();
            if has_close && icon_button(ui, Icon::Close, false, "Close (Escape)").clicked() {
                context.asks.push(FileAsk::Welcome);
            }
            let help = ui.button("Help");
            if help.on_hover_text("Keys and mouse (F1)").clicked() {
                context.asks.push(CardAsk::ToggleHelp);
            }
        });
    });
    ui.label(style::weak(
        "Shows a source tree as a landscape, and plays recorded executions on it. Drop a folder, a recording or both \
         anywhere on this window.",
    ));
    ui.add_space(8.0);
}

/// What was open last.
fn last(ui: &mut Ui, context: &mut Context<'_>) {
    let Some(kept) = &context.desk.welcome.last else {
        return;
    };
    let title = format!("Continue with {}", escape::name(&kept.title));
    let button = egui::Button::new(title)
        .truncate()
        .min_size(egui::vec2(ui.available_width(), 34.0));
    let about = "Opens it again as it was when the window was closed";
    if ui.add(button).on_hover_text(about).clicked() {
        context.asks.push(FileAsk::Last);
    }
    ui.add_space(2.0);
}

/// The ways to begin.
fn tiles(ui: &mut Ui, context: &mut Context<'_>) {
    let tiles: [(&str, &str, Command); 6] = [
        (
            "Open a folder",
            "Source code of any size, in fifteen languages (Ctrl + O)",
            FileAsk::Choose(Chosen::Folder).into(),
        ),
        (
            "Open a recording",
            "A trace or profile (Ctrl + Shift + O)",
            FileAsk::Choose(Chosen::Recordings).into(),
        ),
        (
            "Compare two runs",
            "Why a run is slower, or does something else, than another",
            PairAsk::Toggle.into(),
        ),
        (
            "Record a program",
            "Record its calls with the best recorder on this machine",
            RecordAsk::Toggle.into(),
        ),
        (
            "See the demo",
            "Lua solving the eight queens, recorded by uftrace",
            FileAsk::Demo.into(),
        ),
        (
            "Take the tour",
            "Eleven things to do on the demo, in five minutes",
            TourAsk::Begin.into(),
        ),
    ];
    let gap = ui.spacing().item_spacing.x;
    let columns = if ui.available_width() > 420.0 { 2 } else { 1 };
    let width = (ui.available_width() - gap * (columns as f32 - 1.0)) / columns as f32;
    for row in tiles.chunks(columns) {
        ui.horizontal(|ui| {
            for (title, about, command) in row {
                let mut text = egui::text::LayoutJob::default();
                let body = egui::TextStyle::Body.resolve(ui.style());
                let small = egui::TextStyle::Small.resolve(ui.style());
                let visuals = ui.visuals();
                let (strong, weak) = (visuals.strong_text_color(), visuals.weak_text_color());
                text.append(title, 0.0, egui::TextFormat::simple(body, strong));
                text.append("\n", 0.0, egui::TextFormat::simple(small.clone(), weak));
                text.append(about, 0.0, egui::TextFormat::simple(small, weak));
                // What grows behind it has the text begin at the left.
                let button =
                    egui::Button::new((text, egui::Atom::grow())).min_size(egui::vec2(width, 54.0));
                let button = ui.add(button);
                if *title == tiles[0].0 {
                    begin_keys_here(&button);
                }
                if button.clicked() {
                    context.asks.push(command.clone());
                }
            }
        });
    }
}

/// A path by hand, and why where there is no dialog.
fn typed(ui: &mut Ui, context: &mut Context<'_>) {
    let welcome = context.desk.welcome;
    if let Some(reason) = welcome.no_dialog {
        ui.label(style::weak(reason));
    }
    ui.horizontal(|ui| {
        let mut path = welcome.path.clone();
        let edit = egui::TextEdit::singleline(&mut path)
            .hint_text("The path of a folder or a recording")
            .desired_width((ui.available_width() - 70.0).max(40.0));
        let response = ui.add(edit);
        if response.changed() {
            context.asks.push(FileAsk::Path(path));
        }
        let is_entered =
            response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if ui.button("Open").clicked() || is_entered {
            context.asks.push(FileAsk::OpenPath);
        }
    });
}

/// The three opened last, with their pictures.
fn recent(ui: &mut Ui, context: &mut Context<'_>) {
    let welcome = context.desk.welcome;
    let gap = ui.spacing().item_spacing.x;
    let width = (ui.available_width() - 2.0 * gap) / 3.0;
    let size = egui::vec2(width, width * PICTURE[1] as f32 / PICTURE[0] as f32);
    ui.horizontal_top(|ui| {
        for (number, of) in welcome.recent.iter().enumerate().take(3) {
            ui.vertical(|ui| {
                ui.set_width(width);
                let exists = of.exists();
                let texture = welcome
                    .recent
                    .picture(of)
                    .and_then(|path| texture(ui, &path));
                let response = match texture {
                    Some(texture) => {
                        let image = egui::Image::from_texture((texture, size));
                        ui.add_enabled(exists, egui::Button::image(image).frame(false))
                    }
                    None => ui.add_enabled(exists, egui::Button::new("").min_size(size)),
                };
                let paths = of.source_dir.iter().chain(&of.recordings);
                let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
                let paths = escape::lines(&paths.join("\n")).into_owned();
                let response = response
                    .on_hover_text(paths)
                    .on_disabled_hover_text("No longer exists");
                if response.clicked() {
                    context.asks.push(FileAsk::Recent(number));
                }
                response.context_menu(|ui| {
                    if ui.button("Open").clicked() {
                        context.asks.push(FileAsk::Recent(number));
                    }
                    let compare = ui.add_enabled(
                        !of.recordings.is_empty(),
                        egui::Button::new("Compare with…"),
                    );
                    let about = "Needs a recording";
                    if compare.on_disabled_hover_text(about).clicked() {
                        context.asks.push(PairAsk::With(of.recordings.clone()));
                    }
                });
                let title = escape::name(&of.title()).into_owned();
                ui.add(egui::Label::new(style::weak(title)).truncate());
            });
        }
    });
}

/// The picture at a path as it is drawn, read once.
fn texture(ui: &Ui, path: &Path) -> Option<egui::TextureId> {
    let id = egui::Id::unique(path);
    let known: Option<Option<egui::TextureHandle>> = ui.data(|data| data.get_temp(id));
    let texture = known.unwrap_or_else(|| {
        let read = read_picture(path);
        let texture = read.map(|image| {
            let size = [image.width as usize, image.height as usize];
            let image = egui::ColorImage::from_rgba_unmultiplied(size, &image.rgba);
            let name = path.display().to_string();
            ui.ctx()
                .load_texture(name, image, egui::TextureOptions::LINEAR)
        });
        ui.data_mut(|data| data.insert_temp(id, texture.clone()));
        texture
    });
    texture.map(|texture| texture.id())
}
