//! What is shown where there is no text: the names of the functions of the file, and how to have the text.

use std::path::PathBuf;

use egui::{Align, Layout, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

use super::view::CodeView;
use crate::Pane;
use crate::parts::rows::{self, ROW};
use crate::parts::{style, text};
use callscape_analysis::session::Inputs;
use callscape_base::escape;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{CameraAsk, OpenAsk, SelectAsk};
use callscape_state::document::Document;

/// `failure` says why the text of a file of the tree is not there.
pub(super) fn show(
    view: &mut CodeView,
    ui: &mut Ui,
    document: &Document,
    failure: Option<String>,
    pane: &mut Pane<'_>,
) {
    match failure {
        Some(failure) => {
            let color = ui.visuals().error_fg_color;
            let failure = escape::name(&failure).into_owned();
            ui.add(egui::Label::new(egui::RichText::new(failure).color(color)).wrap());
        }
        None => offer(view, ui, document, pane),
    }
    ui.add_space(4.0);
    list(view, ui, document, pane);
}

/// What to do to see the text.
fn offer(view: &mut CodeView, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    if document.source_root().is_some() {
        let what = "This file is not in the source tree.";
        ui.label(style::weak(what));
        return;
    }
    if document.inputs == Inputs::default() {
        let what = "The built-in demo comes without the source of Lua; these are the functions of the file.";
        ui.add(egui::Label::new(style::weak(what)).wrap());
        return;
    }
    let what = "No source tree is open. Drop its folder on the window, or name it here:";
    ui.add(egui::Label::new(style::weak(what)).wrap());
    ui.horizontal(|ui| {
        if view.folder.is_empty() {
            view.folder = recorded_folder(document).unwrap_or_default();
        }
        let width = (ui.available_width() - 80.0).max(60.0);
        let edit = egui::TextEdit::singleline(&mut view.folder)
            .hint_text("The folder of the source tree")
            .char_limit(4096)
            .desired_width(width);
        let response = ui.add(edit);
        let enter = ui.input(|input| input.key_pressed(egui::Key::Enter));
        let is_asked = ui.button("Open").clicked() || (response.lost_focus() && enter);
        let folder = view.folder.trim();
        if is_asked && !folder.is_empty() {
            pane.asks.push(OpenAsk::Source(PathBuf::from(folder)));
        }
    });
}

/// The folder that all files lie in which the recording names from the root; only its name is used. O(functions).
fn recorded_folder(document: &Document) -> Option<String> {
    let functions = &document.resolved()?.recording.functions;
    let files = functions.ids().map(|id| functions.get(id).file);
    let mut files = files.filter(|file| file.starts_with('/'));
    let mut common = files.next()?.rsplit_once('/')?.0;
    for file in files {
        while !file
            .strip_prefix(common)
            .is_some_and(|rest| rest.starts_with('/'))
        {
            common = common.rsplit_once('/')?.0;
        }
    }
    (!common.is_empty()).then(|| escape::name(common).into_owned())
}

/// The functions of the file: what ran, and what did not, pale.
fn list(view: &mut CodeView, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let Some(numbers) = view.numbers(view.own) else {
        let what = match document.resolved() {
            Some(_) => "Adding up the calls of functions …",
            None => "Open a recording to see what ran.",
        };
        return rows::hint(ui, what);
    };
    let hierarchy = &document.base.hierarchy;
    let lines = &numbers.lines;
    let names: Vec<&_> = lines.functions.iter().collect();
    let ran = names.iter().filter(|it| it.is_executed).count();
    let all = text::counted(names.len() as u64, "function", "functions");
    ui.label(style::weak(format!("{all}, of which {} ran", text::count(ran as u64))).small());
    let is_meant = |of: &Pointed, module| {
        let displayed = numbers.displayed(module);
        let [from, to] = document.meant(of).modules();
        let shown = &document.session.hierarchy;
        displayed.is_some_and(|inner| {
            [from, to]
                .into_iter()
                .flatten()
                .any(|outer| shown.contains(outer, inner))
        })
    };
    let row_to_show = view.names_row(names.iter().map(|it| it.module), document);
    let mut table = TableBuilder::new(ui)
        .id_salt("functions of the file")
        .sense(Sense::click())
        .auto_shrink(false)
        .min_scrolled_height(0.0)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Width::exact(56.0))
        .column(Width::remainder().at_least(80.0).clip(true))
        .column(Width::exact(70.0))
        .column(Width::exact(80.0));
    if let Some(row) = row_to_show {
        table = table.scroll_to_row(row, None);
    }
    let headed = table.header(20.0, |mut header| {
        for (title, is_number) in [
            ("Line", true),
            ("Function", false),
            ("Calls", true),
            ("Total", true),
        ] {
            header.col(|ui| match is_number {
                true => rows::number(ui, style::weak(title).small()),
                false => drop(ui.label(style::weak(title).small())),
            });
        }
    });
    let mut chosen = None;
    headed.body(|body| {
        body.rows(ROW, names.len(), |mut row| {
            let Some(of) = names.get(row.index()) else {
                return;
            };
            let selection = &document.selection;
            row.set_selected(is_meant(&selection.chosen, of.module));
            row.set_hovered(is_meant(&selection.pointed, of.module));
            let ran = |text: String| match of.is_executed {
                true => egui::RichText::new(text),
                false => style::weak(text),
            };
            row.col(|ui| match of.lines.0 {
                0 => rows::number(ui, "–"),
                line => rows::number(ui, ran(line.to_string())),
            });
            row.col(|ui| {
                let name = escape::name(hierarchy.name(of.module)).into_owned();
                ui.add(egui::Label::new(ran(name)).truncate());
            });
            for number in [text::count(of.calls), numbers.cell(of.total)] {
                let number = if of.is_executed {
                    number
                } else {
                    "–".to_owned()
                };
                row.col(|ui| rows::number(ui, ran(number)));
            }
            let response = row.response();
            let pointed = document.complete(Pointed::at_module(numbers.displayed(of.module)));
            if response.hovered() {
                pane.pointed = pointed;
            }
            if response.clicked() {
                chosen = Some(pointed);
            }
            if response.double_clicked() {
                pane.asks.extend(pointed.module.map(CameraAsk::FlyIfSeen));
            }
        });
    });
    view.goal = None;
    if let Some(chosen) = chosen {
        view.is_own = true;
        pane.asks.push(SelectAsk::Choose(chosen));
    }
}

impl CodeView {
    /// The row of the function that was chosen elsewhere, once.
    fn names_row(
        &self,
        mut modules: impl Iterator<Item = ModuleId>,
        document: &Document,
    ) -> Option<usize> {
        self.goal?;
        let chosen = document.base_module_of(&document.selection.chosen)?;
        modules.position(|it| it == chosen)
    }
}
