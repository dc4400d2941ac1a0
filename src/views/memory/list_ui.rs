//! The widgets of the list of objects.

use std::sync::Arc;

use egui::{Align, Id, Layout, Ui};

use super::listing::{Column, MOST, ObjectList, stack_text, type_name};
use super::view::MemoryView;
use crate::Pane;
use crate::parts::list::{self, Rows};
use crate::parts::{rows, style, text};
use callscape_analysis::session::Resolved;
use callscape_base::escape;
use callscape_facts::memory::{Memory, Object};
use callscape_filter::selection::Pointed;
use callscape_state::document::Document;

/// Shows the list in what is left of the room.
pub(super) fn show(view: &mut MemoryView, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
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

/// The objects, and what they are shown by.
struct Listed<'a> {
    view: &'a MemoryView,
    list: &'a ObjectList,
    document: &'a Document,
    resolved: &'a Resolved,
    memory: &'a Memory,
}

impl<'a> Rows for Listed<'a> {
    type Row = &'a Object;
    type By = Column;
    const NAME: &'static str = "objects";
    const HAS_TIP: bool = false;

    fn len(&self) -> usize {
        self.list.objects.len()
    }

    fn row(&self, at: usize) -> Option<&'a Object> {
        self.list.objects.get(at)
    }

    fn columns(&mut self, width: f32) -> Vec<list::Column<Column>> {
        let columns = columns(width, self.memory).into_iter();
        let columns = columns.map(|it| {
            let column = match it {
                Column::Created | Column::Released => {
                    list::Column::number(it, it.title(), "", 112.0)
                }
                Column::Age | Column::Size => list::Column::number(it, it.title(), "", 76.0),
                Column::Type => list::Column::text(it, it.title(), "", 130.0),
                Column::Stack => list::Column::rest(it, it.title(), "", 60.0),
            };
            let is_number = it.is_number();
            list::Column {
                is_number,
                ..column
            }
        });
        columns.collect()
    }

    fn sort(&self) -> Option<(Column, bool)> {
        Some(self.view.list_sort)
    }

    fn marks(&self, object: &'a Object) -> [bool; 2] {
        let chosen = self.document.selection.chosen;
        let is_chosen = chosen.time == Some(object.creation)
            && chosen.function.is_some()
            && chosen.function == self.memory.stacks.function(object.stack);
        [false, is_chosen]
    }

    fn ruled(&self, _row: &'a Object) -> [bool; 2] {
        [false; 2]
    }

    fn cell(&mut self, ui: &mut Ui, object: &'a Object, column: Column) {
        let (resolved, memory) = (self.resolved, self.memory);
        let duration = resolved.recording.trace.duration();
        match column {
            Column::Created => rows::number(ui, text::exact(object.creation, duration)),
            Column::Released => match object.release {
                Some(release) => rows::number(ui, text::exact(release, duration)),
                None => rows::number(ui, style::weak("live")),
            },
            Column::Age => rows::number(ui, object.age(self.list.end).to_string()),
            Column::Size => rows::number(ui, text::bytes(object.size)),
            Column::Type => rows::name(ui, type_name(memory, object)),
            Column::Stack => rows::name(ui, &stack_text(resolved, memory, object, " ← ")),
        }
    }

    fn pointed(&self, object: &'a Object) -> Option<Pointed> {
        Some(self.view.created_by(self.document, object))
    }
}

fn rows_of(
    view: &mut MemoryView,
    ui: &mut Ui,
    document: &Document,
    (resolved, memory): (&Resolved, &Memory),
    list: &ObjectList,
    pane: &mut Pane<'_>,
) {
    let mut at = view.list_at;
    let mut rows = Listed {
        view,
        list,
        document,
        resolved,
        memory,
    };
    let done = list::show(&mut rows, ui, &mut at, pane);
    let sorted = done.sorted;
    if let Some(object) = done.clicked.copied() {
        view.go_to(document, &object, pane.asks);
    }
    view.list_at = at;
    if let Some(column) = sorted {
        let falls = matches!(column, Column::Size | Column::Age);
        view.list_sort = list::turned(view.list_sort, column, falls);
    }
}
