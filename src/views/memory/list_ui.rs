//! The widgets of the list of objects.

use std::sync::Arc;

use egui::{Align, Id, Layout, Ui};
use egui_extras::Column as Width;

use super::MemoryView;
use super::listing::{Column, MOST, ObjectList, stack_text, type_name};
use crate::Pane;
use crate::parts::rows::{self, ROW};
use crate::parts::{style, text};
use callscape_analysis::session::Resolved;
use callscape_base::escape;
use callscape_facts::memory::{Memory, Object};
use callscape_state::document::Document;

/// Shows the list in what is left of the room.
pub fn show(view: &mut MemoryView, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let Some(query) = view.query.clone() else {
        return;
    };
    let list = view.list.last().map(|(_, list)| Arc::clone(list));
    let is_running = view.list.is_running();
    let mut wants = Wants::default();
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            wants.close = ui.button("Close").clicked();
            let can_export = list.as_ref().is_some_and(|it| !it.objects.is_empty()) && !is_running;
            wants.export = ui
                .add_enabled(can_export, egui::Button::new("Export"))
                .on_hover_text("Write the list as comma-separated values")
                .clicked();
            let edit = egui::TextEdit::singleline(&mut view.filter)
                .id(Id::unique(super::FIELD))
                .hint_text("Type or function")
                .desired_width(130.0);
            ui.add(edit);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let counted = list.as_ref().map_or(0, |it| it.counted);
                let title = format!(
                    "{} {}",
                    text::counted(counted, "object", "objects"),
                    escape::name(&query.title)
                );
                ui.add(egui::Label::new(style::title(title)).truncate());
            });
        });
    });
    if let Some(progress) = view.list.progress()
        && rows::progress(ui, progress)
    {
        view.list.stop();
    }
    if wants.close {
        view.query = None;
        view.list.forget();
        return;
    }
    if wants.export {
        view.export(pane.state, document);
    }
    let (Some(list), Some(resolved)) = (list, document.resolved()) else {
        return;
    };
    if list.left_out() > 0 {
        let kept = match view.list_sort.0 {
            Column::Size => "largest",
            Column::Age => "oldest",
            _ => "first",
        };
        let line = format!(
            "The {} {kept} are listed, {} others are left out.",
            text::count(MOST as u64),
            text::count(list.left_out())
        );
        ui.label(style::weak(line).small());
    }
    if let Some(memory) = &resolved.recording.memory {
        rows_of(view, ui, document, (resolved, memory), &list, pane);
    }
}

#[derive(Default)]
struct Wants {
    close: bool,
    export: bool,
}

/// The columns for which there is room.
fn columns(width: f32, memory: &Memory) -> Vec<Column> {
    let has_types = memory.types.len() > 1;
    let all = Column::ALL.into_iter().filter(|&it| match it {
        Column::Type => has_types && width > 560.0,
        Column::Released => width > 420.0,
        Column::Size => memory.sizes_known,
        _ => true,
    });
    all.collect()
}

fn rows_of(
    view: &mut MemoryView,
    ui: &mut Ui,
    document: &Document,
    (resolved, memory): (&Resolved, &Memory),
    list: &ObjectList,
    pane: &mut Pane<'_>,
) {
    let columns = columns(ui.available_width(), memory);
    let duration = resolved.recording.trace.duration();
    let mut builder = rows::table(ui, "objects", None);
    for column in &columns {
        builder = builder.column(match column {
            Column::Created | Column::Released => Width::exact(112.0),
            Column::Age | Column::Size => Width::exact(76.0),
            Column::Type => Width::exact(130.0).clip(true),
            Column::Stack => Width::remainder().at_least(60.0).clip(true),
        });
    }
    let headings = columns.iter().map(|&column| rows::Heading {
        column,
        title: column.title(),
        about: "",
        is_number: column.is_number(),
    });
    let (table, sorted) = rows::headings(builder, headings, view.list_sort);
    let cell = |ui: &mut Ui, column: Column, object: &Object| match column {
        Column::Created => rows::number(ui, text::exact(object.creation, duration)),
        Column::Released => match object.release {
            Some(release) => rows::number(ui, text::exact(release, duration)),
            None => rows::number(ui, style::weak("live")),
        },
        Column::Age => rows::number(ui, object.age(list.end).to_string()),
        Column::Size => rows::number(ui, text::bytes(object.size)),
        Column::Type => rows::name(ui, type_name(memory, object)),
        Column::Stack => rows::name(ui, &stack_text(resolved, memory, object, " ← ")),
    };
    let chosen = document.selection.chosen;
    table.body(|body| {
        body.rows(ROW, list.objects.len(), |mut line| {
            let Some(object) = list.objects.get(line.index()) else {
                return;
            };
            let is_chosen = chosen.time == Some(object.creation)
                && chosen.function.is_some()
                && chosen.function == memory.stacks.function(object.stack);
            line.set_selected(is_chosen);
            for column in &columns {
                line.col(|ui| cell(ui, *column, object));
            }
            let response = line.response();
            if response.hovered() {
                pane.pointed = view.created_by(document, object);
            }
            if response.clicked() {
                view.go_to(document, object, pane.asks);
            }
        });
    });
    if let Some(column) = sorted {
        view.list_sort = match view.list_sort {
            (same, descending) if same == column => (column, !descending),
            _ => (column, matches!(column, Column::Size | Column::Age)),
        };
    }
}
