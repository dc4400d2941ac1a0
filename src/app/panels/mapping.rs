//! The editor of the mapping file: while one types it shows which functions each entry takes, which entries never
//! match, what is wrong where, and what is left out.

use egui::{
    Align2, Color32, Context as Egui, FontId, RichText, ScrollArea, TextEdit, Ui, pos2, vec2,
};

use super::super::command::Command;
use super::super::mapping::MappingEditor;
use super::super::style;
use super::widgets::{Icon, card, icon_button};
use super::{Context, text};

/// Functions left out that are listed.
const LISTED: usize = 200;

/// The width of the column of counts, in points.
const GUTTER: f32 = 58.0;

pub fn show(ctx: &Egui, context: &mut Context<'_>) {
    let bench = context.bench;
    let editor = &bench.mapping;
    if !editor.is_open || bench.document.is_none() {
        return;
    }
    card(ctx, "mapping", Align2::LEFT_TOP, context.free, |ui| {
        let width = 470.0f32.min(context.free.width() * 0.9);
        ui.set_width(width);
        ui.horizontal(|ui| {
            ui.label(style::title("Mapping"));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Close (Escape)").clicked() {
                    context.commands.push(Command::ToggleMapping);
                }
            });
        });
        ui.label(style::weak(
            "category NAME class|method|file|package PATTERN — the first entry that matches takes a function; \
             * is any run of characters, ~ begins a regular expression.",
        ));
        file(ui, editor, context);
        let room = (context.free.height() - 330.0).clamp(90.0, 420.0);
        ScrollArea::vertical()
            .id_salt("mapping text")
            .max_height(room)
            .show(ui, |ui| entries(ui, editor, context));
        summary(ui, editor, context);
    });
}

fn file(ui: &mut Ui, editor: &MappingEditor, context: &mut Context<'_>) {
    ui.horizontal(|ui| {
        let mut file = editor.file.clone();
        let field = TextEdit::singleline(&mut file)
            .hint_text("File, such as architecture.map")
            .desired_width(ui.available_width() - 190.0);
        if ui.add(field).changed() {
            context.commands.push(Command::NameMapping(file));
        }
        let can_save = editor.errors.is_empty() && !editor.text.trim().is_empty();
        let save = ui.add_enabled(can_save, egui::Button::new("Save and show"));
        let save =
            save.on_hover_text("Writes the file and shows the landscape through it (Ctrl + S)");
        if save.clicked() {
            context.commands.push(Command::SaveMapping);
        }
        let is_mapped = context
            .bench
            .document
            .as_ref()
            .is_some_and(|open| open.map.is_some());
        let off = ui.add_enabled(is_mapped, egui::Button::new("Off"));
        if off.on_hover_text("Shows the structure as it is").clicked() {
            context.commands.push(Command::UseNoMapping);
        }
    });
    if let Some(failure) = &editor.failure {
        ui.colored_label(ui.visuals().error_fg_color, failure);
    }
}

/// The text, beside each entry how many functions it takes.
fn entries(ui: &mut Ui, editor: &MappingEditor, context: &mut Context<'_>) {
    let mut edited = editor.text.clone();
    let ink = ui.visuals().weak_text_color();
    let (error, warn) = (ui.visuals().error_fg_color, ui.visuals().warn_fg_color);
    ui.horizontal_top(|ui| {
        let (gutter, _) = ui.allocate_exact_size(vec2(GUTTER, 1.0), egui::Sense::hover());
        let output = TextEdit::multiline(&mut edited)
            .id(egui::Id::unique("mapping"))
            .desired_rows(8)
            .desired_width(f32::INFINITY)
            .lock_focus(true)
            .hint_text("category CORE class org.eclipse.core.*")
            .show(ui);
        // A line that is too long for the panel takes several rows.
        let mut line = 1;
        let mut is_first_row = true;
        for row in &output.galley.rows {
            let top = output.galley_pos.y + row.rect().top();
            if is_first_row && let Some((said, color)) = note(editor, line, ink, error, warn) {
                let at = pos2(gutter.right() - 4.0, top + row.rect().height() * 0.5);
                let font = FontId::proportional(11.0);
                ui.painter()
                    .text(at, Align2::RIGHT_CENTER, said, font, color);
            }
            is_first_row = row.ends_with_newline;
            line += u64::from(row.ends_with_newline);
        }
    });
    if edited != editor.text {
        context.commands.push(Command::EditMapping(edited));
    }
}

/// What stands beside a line.
fn note(
    editor: &MappingEditor,
    line: u64,
    ink: Color32,
    error: Color32,
    warn: Color32,
) -> Option<(String, Color32)> {
    if editor.errors.iter().any(|wrong| wrong.line == line) {
        return Some(("error".to_owned(), error));
    }
    let entries = editor.mapping.entries();
    let entry = entries.iter().position(|entry| entry.line == line)?;
    match editor.assignment.as_ref()?.taken.get(entry)? {
        0 => Some(("none".to_owned(), warn)),
        taken => Some((text::count(*taken), ink)),
    }
}

/// What is wrong, what never matches, and what is left out.
fn summary(ui: &mut Ui, editor: &MappingEditor, context: &mut Context<'_>) {
    for wrong in editor.errors.iter().take(4) {
        let said = format!(
            "Line {}, column {}: expected {}, found {}",
            wrong.line, wrong.column, wrong.expected, wrong.found
        );
        ui.colored_label(ui.visuals().error_fg_color, said);
    }
    let Some(document) = &context.bench.document else {
        return;
    };
    let Some(assignment) = &editor.assignment else {
        ui.label(style::weak("Looking which functions each entry takes…"));
        return;
    };
    let taken: u64 = assignment.taken.iter().sum();
    let unused = assignment.taken.iter().filter(|taken| **taken == 0).count();
    let mut said = format!(
        "{} functions taken, {} left out",
        text::count(taken),
        text::count(assignment.unmatched.len() as u64)
    );
    if unused > 0 {
        said += &format!("; {unused} entries match nothing");
    }
    if editor.is_finding_out() {
        said += " …";
    }
    ui.label(said);
    if assignment.unmatched.is_empty() {
        return;
    }
    let hierarchy = &document.base.hierarchy;
    let of = assignment.unmatched.iter().zip(&assignment.is_recorded);
    let mut unmatched: Vec<_> = of
        .map(|(&module, &is_recorded)| (!is_recorded, module))
        .collect();
    // Those that have run first.
    unmatched.sort_unstable();
    egui::CollapsingHeader::new(RichText::new("Left out").small())
        .id_salt("left out")
        .default_open(true)
        .show(ui, |ui| {
            ScrollArea::vertical()
                .id_salt("left out")
                .max_height(110.0)
                .auto_shrink([false, true])
                .show(ui, |ui| {
                    for &(is_unrecorded, module) in unmatched.iter().take(LISTED) {
                        if module.index() >= hierarchy.len() {
                            continue;
                        }
                        let path = RichText::new(hierarchy.path(module)).small();
                        let path = if is_unrecorded { path.weak() } else { path };
                        ui.add(egui::Label::new(path).truncate());
                    }
                    let more = unmatched.len().saturating_sub(LISTED);
                    if more > 0 {
                        ui.label(style::weak(format!(
                            "and {} more",
                            text::count(more as u64)
                        )));
                    }
                });
        });
}
