//! The list of bookmarks: where one goes, in all sections or one, and what one makes of them.

use egui::{Align2, Context as Egui, Label, ScrollArea, Sense, TextEdit, Ui};

use super::context::Context;
use super::reorder;
use crate::command::{BookmarkAsk, FileAsk, TalkAsk};
use callscape_base::escape;
use callscape_base::units::date;
use callscape_presentation::scene::{Bookmark, Section};
use callscape_state::ask::PlayAsk;
use callscape_views::style;
use callscape_views::widgets::{Icon, icon_button, opened_card};

/// Bookmarks that a key goes to.
const KEYS: usize = 9;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let desk = context.desk;
    if !desk.talk.is_open || desk.state.document.is_none() {
        return;
    }
    opened_card(ctx, "bookmarks", Align2::LEFT_TOP, context.free, |ui| {
        ui.set_width(320.0f32.min(context.free.width() * 0.8).max(0.0));
        ui.horizontal(|ui| {
            let talk = &desk.talk;
            for (shows, title) in [(false, "Bookmarks"), (true, "Scene")] {
                let tab =
                    egui::Button::new(style::title(title)).selected(talk.shows_script == shows);
                if ui.add(tab).clicked() {
                    context.asks.push(TalkAsk::ShowScript(shows));
                }
            }
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Close (F4, Escape)").clicked() {
                    context.asks.push(TalkAsk::Toggle);
                }
                if talk.shows_script {
                    return;
                }
                let take = ui
                    .button("Add")
                    .on_hover_text("Bookmark the current view (F2)");
                if take.clicked() {
                    context.asks.push(BookmarkAsk::Add);
                }
            });
        });
        if desk.talk.shows_script {
            super::script::show(ui, context);
        } else {
            list(ui, context);
            tags(ui, context);
            file(ui, context);
        }
        share(ui, context);
    });
}

fn share(ui: &mut Ui, context: &mut Context<'_>) {
    let inputs = context.desk.state.document.as_ref().map(|it| &it.inputs);
    let is_demo = inputs.is_none_or(|it| it.source_dir.is_none() && it.recordings.is_empty());
    // The demo is everywhere already, and a page has been shared.
    if is_demo || cfg!(target_arch = "wasm32") {
        return;
    }
    let is_idle = context.desk.jobs.packing.is_none();
    ui.horizontal(|ui| {
        let button = ui.add_enabled(is_idle, egui::Button::new("Share"));
        let about = "Bundles the structure (without text), the recordings, the session with its bookmarks and the \
                     scene into one file next to the open inputs, for another machine";
        if button.on_hover_text(about).clicked() {
            context.asks.push(FileAsk::Share);
        }
        if context.desk.can_write_pages {
            let button = ui.add_enabled(is_idle, egui::Button::new("Share as a page…"));
            let about = "One file that plays in a browser, without Callscape and without a network";
            if button.on_hover_text(about).clicked() {
                context.asks.push(FileAsk::SharePage);
            }
        }
    });
}

fn list(ui: &mut Ui, context: &mut Context<'_>) {
    let bookmarks = &context.desk.talk.bookmarks;
    if bookmarks.is_empty() {
        ui.label(style::weak(
            "A bookmark stores camera, expanded modules, look, filters, selection, time and views.",
        ));
        return;
    }
    let room = (context.free.height() - 190.0).clamp(60.0, 420.0);
    ScrollArea::vertical()
        .id_salt("bookmarks")
        .max_height(room)
        .show(ui, |ui| {
            let mut asks = Vec::new();
            let moved = reorder::rows(ui, "bookmarks", bookmarks.len(), |ui, index| {
                if let Some(bookmark) = bookmarks.get(index) {
                    row(ui, index, bookmark, &mut asks);
                }
            });
            asks.extend(moved.map(|(from, to)| BookmarkAsk::Move(from, to)));
            context.asks.extend(asks);
        });
}

/// The tags of a history, each as a bookmark of its time.
fn tags(ui: &mut Ui, context: &mut Context<'_>) {
    let document = context.desk.state.document.as_ref();
    let played = document.and_then(|it| it.city.metrics().played());
    let Some(played) = played.filter(|it| !it.timeline.tags.is_empty()) else {
        return;
    };
    let count = played.timeline.tags.len();
    ui.collapsing(format!("Tags ({count})"), |ui| {
        let height = ui.spacing().interact_size.y;
        let area = ScrollArea::vertical().id_salt("tags").max_height(160.0);
        area.show_rows(ui, height, count, |ui, rows| {
            // The newest first.
            for at in rows.map(|row| count - 1 - row) {
                let Some((time, name)) = played.tag(at) else {
                    continue;
                };
                let day = date(played.seconds_at(time).div_euclid(86_400));
                let text = format!("{}  {day}", escape::name(name));
                let label = Label::new(text).truncate().sense(Sense::click());
                if ui.add(label).on_hover_text("Go there").clicked() {
                    context.asks.push(PlayAsk::Seek(time));
                }
            }
        });
    });
}

fn row(ui: &mut Ui, index: usize, bookmark: &Bookmark, asks: &mut Vec<BookmarkAsk>) {
    let key = (index < KEYS).then(|| format!("{}", index + 1));
    reorder::number(ui, index);
    // The name as it is being typed; none while nobody does.
    let id = ui.make_persistent_id(("bookmark name", index));
    let typed = ui
        .data(|data| data.get_temp::<Option<String>>(id))
        .flatten();
    let width = (ui.available_width() - 40.0).max(8.0);
    match typed {
        Some(mut name) => {
            let field = ui.add(TextEdit::singleline(&mut name).desired_width(width - 8.0));
            let field = field.on_hover_text("Name of the bookmark: Enter saves it");
            let is_done = field.lost_focus();
            if !field.has_focus() && !is_done {
                field.request_focus();
            }
            let keep = (!is_done).then(|| name.clone());
            ui.data_mut(|data| data.insert_temp(id, keep));
            if is_done {
                asks.push(BookmarkAsk::Rename(index, name.trim().to_owned()));
            }
        }
        None => {
            let label = Label::new(style::name(&bookmark.name))
                .truncate()
                .sense(Sense::click());
            let size = [width, ui.spacing().interact_size.y];
            let left = egui::Layout::left_to_right(egui::Align::Center);
            let shown = ui.allocate_ui_with_layout(size.into(), left, |ui| {
                ui.set_min_width(width);
                ui.add(label)
            });
            let hint = match key {
                Some(key) => format!("Go there (Alt + {key}); double-click to rename"),
                None => "Go there; double-click to rename".to_owned(),
            };
            let label = shown.inner.on_hover_text(hint);
            if label.double_clicked() {
                let name = Some(bookmark.name.clone());
                ui.data_mut(|data| data.insert_temp(id, name));
            } else if label.clicked() {
                asks.push(BookmarkAsk::GoTo(index, None));
            }
        }
    }
    ui.menu_button("…", |ui| {
        ui.label(style::weak("Go there in one section"));
        for section in Section::ALL {
            let has = has(bookmark, section);
            if ui
                .add_enabled(has, egui::Button::new(section.name()))
                .clicked()
            {
                asks.push(BookmarkAsk::GoTo(index, Some(section)));
            }
        }
        ui.separator();
        if ui.button("Rename").clicked() {
            let name = Some(bookmark.name.clone());
            ui.data_mut(|data| data.insert_temp(id, name));
        }
        if ui.button("Add to the scene as a shot").clicked() {
            asks.push(BookmarkAsk::AddShot(index));
        }
        if ui.button("Update to the current view").clicked() {
            asks.push(BookmarkAsk::Renew(index));
        }
        if ui.button("Delete").clicked() {
            asks.push(BookmarkAsk::Remove(index));
        }
    });
}

/// Whether a bookmark says something of a section.
fn has(bookmark: &Bookmark, section: Section) -> bool {
    match section {
        Section::Camera => bookmark.camera.is_some(),
        Section::Cut => bookmark.collapsed.is_some(),
        Section::Look => bookmark.look.is_some(),
        Section::Mapping => bookmark.mapping.is_some(),
        Section::Filters => bookmark.left_out.is_some() || bookmark.marked.is_some(),
        Section::Selection => bookmark.module.is_some(),
        Section::Time => bookmark.time.is_some(),
        Section::Range => bookmark.range.is_some(),
        Section::Views => bookmark.views.is_some(),
    }
}

/// Where bookmarks are written to, and read from.
fn file(ui: &mut Ui, context: &mut Context<'_>) {
    let talk = &context.desk.talk;
    ui.horizontal(|ui| {
        let mut file = talk.file.clone();
        let field = TextEdit::singleline(&mut file)
            .hint_text("File, such as talk.toml")
            .desired_width((ui.available_width() - 128.0).max(0.0));
        if ui.add(field).changed() {
            context.asks.push(TalkAsk::Name(file));
        }
        let is_named = !talk.file.trim().is_empty();
        let export = ui.add_enabled(
            is_named && !talk.bookmarks.is_empty(),
            egui::Button::new("Export"),
        );
        let export = export.on_hover_text("Writes the bookmarks to a scene file");
        if export.clicked() {
            context.asks.push(TalkAsk::Export);
        }
        let import = ui.add_enabled(is_named, egui::Button::new("Import"));
        let import = import.on_hover_text("Adds the bookmarks of a scene file");
        if import.clicked() {
            context.asks.push(TalkAsk::Import);
        }
    });
}
