//! The scene that is edited: its file, its shots in their order, and what one says of the shot that is chosen.

use egui::{Button, DragValue, Label, ScrollArea, Sense, TextEdit, Ui};

use super::context::Context;
use super::reorder;
use crate::command::{FileAsk, LiveAsk, ScriptAsk};
use crate::presenting::script::with_words;
use callscape_presentation::scene::Shot;
use callscape_presentation::timeline::Timeline;
use callscape_views::style;

pub(super) fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let desk = context.desk;
    let script = &desk.talk.script;
    let mut asks = Vec::new();
    ui.horizontal(|ui| {
        let is_recording = desk.talk.recorder.is_some();
        let record = Button::new(if is_recording {
            "End recording"
        } else {
            "Record"
        });
        let record = ui.add(record.selected(is_recording));
        let about = "Record your actions as shots (F9)";
        if record.on_hover_text(about).clicked() {
            asks.push(ScriptAsk::Record);
        }
        let present = ui
            .button("Present")
            .on_hover_text("From the first shot (F5)");
        if present.clicked() {
            context.asks.push(LiveAsk::Begin(0));
        }
        if let Some(chosen) = script.chosen {
            let here = ui
                .button("From here")
                .on_hover_text("From the selected shot (Shift + F5)");
            if here.clicked() {
                context.asks.push(LiveAsk::Begin(chosen));
            }
        }
        // A browser writes no films.
        if !cfg!(target_arch = "wasm32")
            && ui
                .button("Film…")
                .on_hover_text("Makes a film: a file that plays everywhere")
                .clicked()
        {
            context.asks.push(FileAsk::Film);
        }
        let clear = ui.add_enabled(!script.scene.shots.is_empty(), Button::new("Clear"));
        if clear.on_hover_text("Removes all shots").clicked() {
            asks.push(ScriptAsk::Clear);
        }
    });
    shots(ui, context, &mut asks);
    if let Some(index) = script.chosen
        && let Some(shot) = script.scene.shots.get(index)
    {
        ui.separator();
        editor(ui, index, shot, &mut asks);
    }
    file(ui, context, &mut asks);
    scenes(ui, context);
    let asks = asks.into_iter();
    context.asks.extend(asks);
}

fn shots(ui: &mut Ui, context: &mut Context<'_>, asks: &mut Vec<ScriptAsk>) {
    let desk = context.desk;
    let script = &desk.talk.script;
    let shots = &script.scene.shots;
    if shots.is_empty() {
        let hint = match desk.talk.bookmarks.is_empty() {
            true => "Record a scene, or add bookmarks: each becomes a shot.",
            false => "No shots yet: Present shows the bookmarks one by one.",
        };
        ui.label(style::weak(hint));
        return;
    }
    let playback = desk.state.document.as_ref().and_then(|it| it.resolved());
    let duration = playback.map(|it| it.recording.trace.duration());
    let (timeline, _) = Timeline::new(&script.scene, duration);
    let is_edited = script.chosen.is_some();
    let taken = if is_edited { 430.0 } else { 230.0 };
    let room = (context.free.height() - taken).clamp(60.0, 420.0);
    ScrollArea::vertical()
        .id_salt("shots")
        .max_height(room)
        .show(ui, |ui| {
            let moved = reorder::rows(ui, "shots", shots.len(), |ui, index| {
                let (Some(shot), Some(timed)) = (shots.get(index), timeline.shots.get(index))
                else {
                    return;
                };
                reorder::number(ui, index);
                let width = (ui.available_width() - 62.0).max(0.0);
                let left = egui::Layout::left_to_right(egui::Align::Center);
                let size = [width, ui.spacing().interact_size.y];
                let label = ui.allocate_ui_with_layout(size.into(), left, |ui| {
                    ui.set_min_width(width);
                    let name = match &*shot.name {
                        "" => style::weak("without a name"),
                        name => style::name(name),
                    };
                    let is_chosen = script.chosen == Some(index);
                    let name = if is_chosen { name.strong() } else { name };
                    ui.add(Label::new(name).truncate().sense(Sense::click()))
                });
                if label.inner.on_hover_text(style::name(&shot.name)).clicked() {
                    let other = script.chosen != Some(index);
                    asks.push(ScriptAsk::Choose(other.then_some(index)));
                }
                ui.label(style::weak(format!("{:.1} s", timed.length)));
            });
            asks.extend(moved.map(|(from, to)| ScriptAsk::Move(from, to)));
        });
    let total = timeline.total();
    let (minutes, seconds) = (total as u64 / 60, total as u64 % 60);
    ui.label(style::weak(format!("{minutes}:{seconds:02} in all")));
}

fn editor(ui: &mut Ui, index: usize, shot: &Shot, asks: &mut Vec<ScriptAsk>) {
    let mut new = shot.clone();
    egui::Grid::new("shot").num_columns(2).show(ui, |ui| {
        ui.label(style::weak("Name"));
        ui.add(TextEdit::singleline(&mut new.name).desired_width(f32::INFINITY));
        ui.end_row();
        ui.label(style::weak("Caption"));
        let mut words = shot
            .caption
            .as_ref()
            .map_or(String::new(), |it| it.text.clone());
        let field = TextEdit::singleline(&mut words)
            .hint_text("Text at the edge of the picture")
            .desired_width(f32::INFINITY);
        if ui.add(field).changed() {
            new.caption = with_words(new.caption.take(), words);
        }
        ui.end_row();
        ui.label(style::weak("Title"));
        let mut words = shot
            .title
            .as_ref()
            .map_or(String::new(), |it| it.text.clone());
        let field = TextEdit::singleline(&mut words)
            .hint_text("Large text over the picture")
            .desired_width(f32::INFINITY);
        if ui.add(field).changed() {
            new.title = with_words(new.title.take(), words);
        }
        ui.end_row();
        ui.label(style::weak("Notes"));
        let field = TextEdit::multiline(&mut new.notes)
            .hint_text("Only visible to you")
            .desired_rows(2)
            .desired_width(f32::INFINITY);
        ui.add(field);
        ui.end_row();
        ui.label(style::weak("Length"));
        ui.horizontal(|ui| {
            let mut is_set = new.seconds.is_some();
            ui.checkbox(&mut is_set, "");
            let mut seconds = new.seconds.unwrap_or(3.0);
            let field = DragValue::new(&mut seconds)
                .range(0.0..=3600.0)
                .speed(0.1)
                .suffix(" s");
            ui.add_enabled(is_set, field);
            new.seconds = is_set.then_some(seconds);
            if !is_set {
                ui.label(style::weak("as long as it needs"));
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.button("Delete").clicked() {
                    asks.push(ScriptAsk::Remove(index));
                }
            });
        });
        ui.end_row();
    });
    if new != *shot {
        asks.push(ScriptAsk::Edit(index, Box::new(new)));
    }
}

/// Where the scene is written to, and read from.
fn file(ui: &mut Ui, context: &mut Context<'_>, asks: &mut Vec<ScriptAsk>) {
    let script = &context.desk.talk.script;
    ui.horizontal(|ui| {
        let mut name = script.file.clone();
        let field = TextEdit::singleline(&mut name)
            .hint_text("File, such as talk.toml")
            .desired_width((ui.available_width() - 118.0).max(0.0));
        if ui.add(field).changed() {
            asks.push(ScriptAsk::Name(name));
        }
        let is_named = !script.file.trim().is_empty();
        let can_write = is_named && !script.scene.shots.is_empty();
        let write = ui.add_enabled(can_write, Button::new("Save"));
        if write.on_hover_text("Writes the scene").clicked() {
            asks.push(ScriptAsk::Write);
        }
        let read = ui.add_enabled(is_named, Button::new("Open"));
        if read.on_hover_text("Reads the shots of a scene").clicked() {
            asks.push(ScriptAsk::Read);
        }
    });
}

/// The scenes of the pack that is open.
fn scenes(ui: &mut Ui, context: &mut Context<'_>) {
    let scenes = &context.desk.talk.scenes;
    if scenes.is_empty() {
        return;
    }
    ui.label(style::weak("In the pack"));
    for scene in scenes {
        let name = scene.file_name().unwrap_or_default().to_string_lossy();
        ui.horizontal(|ui| {
            if ui.button("Present").clicked() {
                let open = LiveAsk::Open(scene.clone());
                context.asks.push(open);
            }
            ui.add(Label::new(name).truncate());
        });
    }
}
