//! Why the whole of one run costs more or less than that of the other, in sentences.

use std::sync::Arc;

use egui::{Align, Layout, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

use super::super::Pane;
use crate::parts::rows::{self, ROW};
use crate::parts::style;
use callscape_analysis::comparison::causes::Cause;
use callscape_base::escape;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_model::causes::Words;
use callscape_state::State;
use callscape_state::ask::{Ask, CameraAsk};
use callscape_state::job::Job;
use callscape_state::runs::ContextsOf;

/// A cause as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub module: ModuleId,
    /// Rows of the comparison, outermost first, of the context with the largest part.
    pub path: Arc<[u32]>,
    /// The sentence.
    pub what: String,
    /// How much of the difference it is.
    pub share: String,
    /// All functions on the way to it.
    pub way: String,
    /// Share of the difference; negative of what makes it smaller.
    pub explains: f64,
}

/// All causes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lines {
    pub lines: Vec<Line>,
    /// Total of B less total of A.
    pub difference: String,
    /// The share of what is not told.
    pub rest: f64,
}

/// What the causes are found of: the runs, and whether A and B are exchanged.
type Of = (ContextsOf, bool);

/// The causes shown, and the search for others.
#[derive(Default)]
pub(super) struct Shown {
    pub lines: Lines,
    finding: Option<Job<(Of, Lines)>>,
    /// What is shown or on its way.
    of: Option<(u64, Of)>,
}

impl Shown {
    pub(super) fn is_waiting(&self) -> bool {
        self.finding.is_some()
    }

    /// How many causes a query finds, and how many there are.
    pub(super) fn counts(&self, query: &str) -> (usize, usize) {
        let found = self.lines.lines.iter().filter(|line| is_found(line, query));
        (found.count(), self.lines.lines.len())
    }

    /// Begins to look for the causes where other runs are shown, and takes what was found.
    pub(super) fn update(&mut self, state: &State) {
        if let Some(done) = self.finding.as_ref().and_then(Job::poll) {
            self.finding = None;
            if let Ok((_, lines)) = done {
                self.lines = lines;
            }
        }
        let Some(document) = &state.document else {
            return;
        };
        let Some(runs) = document.runs.clone() else {
            return;
        };
        let of = (
            runs.contexts_of(document.selection.range),
            runs.is_swapped(),
        );
        let wanted = (runs.revision(), of.clone());
        if self.of.as_ref() == Some(&wanted) {
            return;
        }
        self.of = Some(wanted);
        let session = Arc::clone(&document.session);
        self.finding = Some(Job::start(state.waker(), move |progress| {
            let causes = of.0.causes(of.1, progress)?;
            let names = runs.names_of_rows(&session);
            let modules = runs.modules(&session);
            let name = |row: u32| names.get(row as usize).copied().unwrap_or_default();
            let words = Words {
                unit: of.0.unit(),
                is_per_call: of.0.is_per_call(),
                counts_calls: causes.counts_calls,
            };
            let line = |cause: &Cause| {
                let way: Vec<&str> = cause.path.iter().map(|&row| name(row)).collect();
                let module = modules.get(cause.row() as usize);
                Line {
                    module: module.copied().unwrap_or(ModuleId::ROOT),
                    path: Arc::from(&*cause.path),
                    what: words.what(cause, name),
                    share: words.share(cause, &causes),
                    way: way.join(" → "),
                    explains: cause.explains,
                }
            };
            let lines = Lines {
                lines: causes.causes.iter().map(line).collect(),
                difference: words.difference(causes.difference),
                rest: causes.rest,
            };
            Ok((of, lines))
        }));
    }
}

/// Whether a cause has the query in its sentence or on the way to it.
fn is_found(line: &Line, query: &str) -> bool {
    let query = query.to_lowercase();
    query.is_empty()
        || line.what.to_lowercase().contains(&query)
        || line.way.to_lowercase().contains(&query)
}

/// The rows: a share of the difference, and a sentence. A click chooses the function, in the calling context with the
/// largest part.
pub(super) fn rows(shown: &Shown, ui: &mut Ui, query: &str, pane: &mut Pane<'_>) {
    let Some(document) = &pane.state.document else {
        return;
    };
    let lines = &shown.lines;
    if lines.lines.is_empty() {
        let hint = match shown.is_waiting() {
            true => "Looking for what differs in the call trees …",
            false => "No causes found: the runs do not differ, or were measured differently.",
        };
        return rows::hint(ui, hint);
    }
    let rest = format!("{:.0}", lines.rest * 100.0).replace('-', "−");
    let head = format!("B differs by {}; unexplained: {rest} %", lines.difference);
    ui.add(egui::Label::new(style::weak(head).small()).truncate());
    let selection = &document.selection;
    let found: Vec<&Line> = lines
        .lines
        .iter()
        .filter(|it| is_found(it, query))
        .collect();
    let table = TableBuilder::new(ui)
        .id_salt("causes")
        .sense(Sense::click())
        .auto_shrink(false)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Width::exact(64.0))
        .column(Width::remainder().at_least(90.0).clip(true));
    let table = table.header(rows::HEADING, |mut header| {
        for (title, about, is_number) in [
            ("explains", "Share of the whole difference", true),
            ("why", "What differs, below its callers", false),
        ] {
            header.col(|ui| {
                rows::heading(ui, title, about, is_number, is_number.then_some(true));
            });
        }
    });
    table.body(|body| {
        body.rows(ROW, found.len(), |mut row| {
            let Some(line) = found.get(row.index()) else {
                return;
            };
            let is_chosen = match document.chosen_way() {
                Some(way) => *way == line.path,
                None => selection.chosen.module == Some(line.module),
            };
            row.set_selected(is_chosen);
            row.set_hovered(selection.pointed.module == Some(line.module));
            row.col(|ui| {
                let share = format!("{:.1} %", line.explains * 100.0).replace('-', "−");
                rows::number(ui, share);
            });
            row.col(|ui| {
                ui.add(egui::Label::new(style::name(&line.what)).truncate());
            });
            let response = row.response();
            let at = Pointed::at_module(Some(line.module));
            if response.hovered() {
                pane.pointed = at;
            }
            if response.clicked() {
                pane.asks.push(Ask::Context(at, Arc::clone(&line.path)));
            }
            if response.double_clicked() {
                pane.asks.push(CameraAsk::FlyTo(line.module));
            }
            response.on_hover_ui(|ui| {
                ui.label(style::name(&format!("{}: {}", line.what, line.share)));
                ui.label(style::weak(escape::name(&line.way)).small());
            });
        });
    });
}
