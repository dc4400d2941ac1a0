//! The editor of the mapping file: while one types it shows which functions each entry takes, which entries never
//! match, what is wrong where, and what is left out.

use egui::{
    Align2, Color32, Context as Egui, FontId, RichText, ScrollArea, TextEdit, Ui, pos2, vec2,
};

use super::context::Context;
use callscape_analysis::mapping::regroup::LISTED;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_state::ask::MappingAsk;
use callscape_state::mapping::MappingEditor;
use callscape_views::style;
use callscape_views::text;
use callscape_views::widgets::{Icon, icon_button, opened_card};

/// The width of the column of counts, in points.
const GUTTER: f32 = 58.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let desk = context.desk;
    let editor = &desk.state.mapping;
    if !editor.is_open || desk.state.document.is_none() {
        return;
    }
    opened_card(ctx, "mapping", Align2::LEFT_TOP, context.free, |ui| {
        let width = 470.0f32.min(context.free.width() * 0.9);
        ui.set_width(width.max(0.0));
        ui.horizontal(|ui| {
            ui.label(style::title("Mapping"));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if icon_button(ui, Icon::Close, false, "Close (Escape)").clicked() {
                    context.asks.push(MappingAsk::Toggle);
                }
            });
        });
        ui.label(style::weak(
            "category NAME class|method|file|package PATTERN — a function belongs to the first entry that matches it; \
             * matches any text, ~ starts a regular expression.",
        ));
        file(ui, editor, context);
        let room = (context.free.height() - 420.0).clamp(90.0, 420.0);
        let line = ScrollArea::vertical()
            .id_salt("mapping text")
            .max_height(room)
            .show(ui, |ui| entries(ui, editor, context));
        summary(ui, editor, context, line.inner);
    });
}

fn file(ui: &mut Ui, editor: &MappingEditor, context: &mut Context<'_>) {
    ui.horizontal(|ui| {
        let mut file = editor.file.clone();
        let field = TextEdit::singleline(&mut file)
            .hint_text("File, such as architecture.map")
            .desired_width((ui.available_width() - 190.0).max(0.0));
        if ui.add(field).changed() {
            context.asks.push(MappingAsk::Name(file));
        }
        let can_save = editor.errors.is_empty() && !editor.text.trim().is_empty();
        let save = ui.add_enabled(can_save, egui::Button::new("Save and show"));
        let save =
            save.on_hover_text("Writes the file and shows the landscape through it (Ctrl + S)");
        if save.clicked() {
            context.asks.push(MappingAsk::Save);
        }
        let is_mapped = context
            .desk
            .state
            .document
            .as_ref()
            .is_some_and(|open| open.map.is_some());
        let off = ui.add_enabled(is_mapped, egui::Button::new("Off"));
        if off.on_hover_text("Shows the original structure").clicked() {
            context.asks.push(MappingAsk::UseNone);
        }
    });
    if let Some(failure) = &editor.failure {
        ui.colored_label(ui.visuals().error_fg_color, failure);
    }
}

/// The text, beside each entry how many functions it takes; the line that the cursor is in.
fn entries(ui: &mut Ui, editor: &MappingEditor, context: &mut Context<'_>) -> Option<u64> {
    let mut edited = editor.text.clone();
    let ink = ui.visuals().weak_text_color();
    let (error, warn) = (ui.visuals().error_fg_color, ui.visuals().warn_fg_color);
    let cursor = ui.horizontal_top(|ui| {
        let (gutter, _) = ui.allocate_exact_size(vec2(GUTTER, 1.0), egui::Sense::hover());
        let output = TextEdit::multiline(&mut edited)
            // Not the name of the panel: what had the same one would never get the keyboard.
            .id(egui::Id::unique("mapping entries"))
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
        output.state.cursor.char_range()
    });
    let before = cursor.inner.map(|cursor| cursor.primary.index.0);
    let line = before.map(|before| {
        let breaks = edited.chars().take(before).filter(|&it| it == '\n');
        1 + breaks.count() as u64
    });
    if edited != editor.text {
        context.asks.push(MappingAsk::Edit(edited));
    }
    line
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
fn summary(ui: &mut Ui, editor: &MappingEditor, context: &mut Context<'_>, line: Option<u64>) {
    for wrong in editor.errors.iter().take(4) {
        let said = format!(
            "Line {}, column {}: expected {}, found {}",
            wrong.line, wrong.column, wrong.expected, wrong.found
        );
        ui.colored_label(ui.visuals().error_fg_color, said);
    }
    let Some(document) = &context.desk.state.document else {
        return;
    };
    let Some(assignment) = &editor.assignment else {
        ui.label(style::weak("Matching functions to entries…"));
        return;
    };
    let taken: u64 = assignment.taken.iter().sum();
    let unused = assignment.taken.iter().filter(|taken| **taken == 0).count();
    let mut said = format!(
        "{} functions mapped, {} excluded",
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
    let hierarchy = &document.base.hierarchy;
    let at_cursor = editor.mapping.entries().iter();
    let at_cursor = line.and_then(|line| at_cursor.clone().position(|entry| entry.line == line));
    if let Some(entry) = at_cursor
        && let (Some(&taken), Some(listed)) =
            (assignment.taken.get(entry), assignment.listed.get(entry))
        && taken > 0
    {
        let title = format!("Line {} maps", line.unwrap_or_default());
        let paths = listed.iter().map(|&module| (false, module));
        list(ui, "taken", &title, hierarchy, paths, taken);
    }
    let of = assignment.unmatched.iter().zip(&assignment.is_recorded);
    let mut unmatched: Vec<_> = of
        .map(|(&module, &is_recorded)| (!is_recorded, module))
        .collect();
    if unmatched.is_empty() {
        return;
    }
    // Those that have run first.
    unmatched.sort_unstable();
    let all = unmatched.len() as u64;
    let shown = unmatched.into_iter().take(LISTED);
    list(ui, "left out", "Excluded", hierarchy, shown, all);
}

/// The paths of some of `all` functions, those marked in the weak colour.
fn list(
    ui: &mut Ui,
    id: &str,
    title: &str,
    hierarchy: &Hierarchy,
    functions: impl ExactSizeIterator<Item = (bool, ModuleId)>,
    all: u64,
) {
    egui::CollapsingHeader::new(RichText::new(title).small())
        .id_salt(id)
        .default_open(true)
        .show(ui, |ui| {
            ScrollArea::vertical()
                .id_salt(id)
                .max_height(110.0)
                .auto_shrink([false, true])
                .show(ui, |ui| {
                    ui.spacing_mut().item_spacing.y = 2.0;
                    let more = all.saturating_sub(functions.len() as u64);
                    for (is_weak, module) in functions {
                        if module.index() >= hierarchy.len() {
                            continue;
                        }
                        let path = style::name(&hierarchy.path(module)).small();
                        let path = if is_weak { path.weak() } else { path };
                        ui.add(egui::Label::new(path).truncate());
                    }
                    if more > 0 {
                        ui.label(style::weak(format!("and {} more", text::count(more))));
                    }
                });
        });
}
