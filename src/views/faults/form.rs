//! Asks for a revision, and for results that are pasted.

use egui::{Id, Ui};

use super::listing::day;
use crate::Pane;
use crate::parts::{rows, style};
use callscape_analysis::session::Since;
use callscape_base::escape;
use callscape_source::history::change::Named;
use callscape_state::State;
use callscape_state::ask::FindingAsk;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    /// Two revisions; the second may be empty for the working tree.
    Since {
        good: String,
        bad: String,
        wants_focus: bool,
    },
    /// What is pasted.
    Paste { text: String, wants_focus: bool },
}

impl Form {
    /// With what was asked for last.
    pub(super) fn since(state: &State) -> Form {
        let document = state.document.as_ref();
        let since = document.and_then(|it| it.inputs.elsewhere.since.clone());
        let since = since.unwrap_or_default();
        Form::Since {
            good: since.good,
            bad: since.bad.unwrap_or_default(),
            wants_focus: true,
        }
    }

    pub(super) fn paste() -> Form {
        Form::Paste {
            text: String::new(),
            wants_focus: true,
        }
    }
}

/// The revisions that one may mean, or why they are not known.
pub(super) type Offered = Result<Vec<Named>, String>;

/// Shows a form; what is left of it.
pub(super) fn show(
    form: Form,
    offered: Option<&Offered>,
    ui: &mut Ui,
    pane: &mut Pane<'_>,
) -> Option<Form> {
    let next = match form {
        Form::Since {
            good,
            bad,
            wants_focus,
        } => since(offered, ui, (good, bad, wants_focus), pane),
        Form::Paste { text, wants_focus } => paste(ui, text, wants_focus, pane),
    };
    ui.separator();
    next
}

fn since(
    of: Option<&Offered>,
    ui: &mut Ui,
    (mut good, mut bad, wants_focus): (String, String, bool),
    pane: &mut Pane<'_>,
) -> Option<Form> {
    let (mut is_sent, mut is_alone) = (false, false);
    ui.horizontal_wrapped(|ui| {
        ui.label("All was well in");
        let width = (ui.available_width() * 0.45).clamp(90.0, 200.0);
        let field = egui::TextEdit::singleline(&mut good)
            .id(Id::unique("good revision"))
            .hint_text("v1.2, main, HEAD~5 …")
            .desired_width(width);
        let response = ui.add(field);
        if wants_focus {
            response.request_focus();
        }
        is_sent |= response.lost_focus() && ui.input(|it| it.key_pressed(egui::Key::Enter));
        ui.label("and recorded was");
        let field = egui::TextEdit::singleline(&mut bad)
            .id(Id::unique("bad revision"))
            .hint_text("the working tree")
            .desired_width(width.min(140.0));
        let response = ui.add(field);
        is_sent |= response.lost_focus() && ui.input(|it| it.key_pressed(egui::Key::Enter));
    });
    let mut is_left = false;
    ui.horizontal(|ui| {
        let find = egui::Button::new("Find");
        let is_named = !good.trim().is_empty();
        is_sent |= ui.add_enabled(is_named, find).clicked();
        let alone = ui.add_enabled(is_named, egui::Button::new("Find alone"));
        let about = "Leaves out the calls of all other functions, in every view";
        is_alone = alone.on_hover_text(about).clicked();
        is_left = ui.button("Cancel").clicked();
    });
    offer(of, ui, &mut good);
    if (is_sent || is_alone) && !good.trim().is_empty() {
        let document = pane.state.document.as_ref();
        let before = document.and_then(|it| it.inputs.elsewhere.since.clone());
        let since = Since {
            good: good.trim().to_owned(),
            bad: Some(bad.trim().to_owned()).filter(|it| !it.is_empty()),
            good_recording: before.and_then(|it| it.good_recording),
        };
        pane.asks.push(FindingAsk::Since(Some(since)));
        if is_alone {
            pane.asks.push(FindingAsk::Alone(true));
        }
        return None;
    }
    (!is_left).then_some(Form::Since {
        good,
        bad,
        wants_focus: false,
    })
}

/// Tags and the last commits; a click takes one.
fn offer(offered: Option<&Offered>, ui: &mut Ui, good: &mut String) {
    let offered = match offered {
        Some(Ok(offered)) => offered,
        Some(Err(reason)) => {
            let color = ui.visuals().error_fg_color;
            ui.label(style::weak(reason.as_str()).color(color));
            return;
        }
        None => return,
    };
    let typed = good.trim().to_lowercase();
    let is_meant = |name: &str, summary: &str| {
        typed.is_empty()
            || name.to_lowercase().contains(&typed)
            || summary.to_lowercase().contains(&typed)
    };
    let mut found: Vec<_> = offered
        .iter()
        .filter(|it| is_meant(&it.name, &it.commit.summary))
        .collect();
    if found.is_empty() || offered.iter().any(|it| it.name == good.trim()) {
        found = offered.iter().collect();
    }
    egui::ScrollArea::vertical()
        .id_salt("revisions")
        .max_height(7.0 * rows::ROW)
        .auto_shrink([false, true])
        .show_rows(ui, rows::ROW, found.len(), |ui, range| {
            for it in found.get(range).unwrap_or_default() {
                let summary = format!("{}  {}", day(&it.commit), it.commit.summary);
                let text = format!("{}   {}", escape::name(&it.name), escape::name(&summary));
                let size = egui::vec2(ui.available_width(), rows::ROW);
                let button = egui::Button::selectable(*good == it.name, text)
                    .truncate()
                    .right_text("")
                    .min_size(size);
                let author = format!("{} <{}>", it.commit.author, it.commit.email);
                if ui
                    .add(button)
                    .on_hover_text(escape::name(&author).into_owned())
                    .clicked()
                {
                    good.clone_from(&it.name);
                }
            }
        });
}

fn paste(ui: &mut Ui, mut text: String, wants_focus: bool, pane: &mut Pane<'_>) -> Option<Form> {
    ui.label(style::weak(
        "Paste (Ctrl + V) a stack trace, file:line as compilers and grep write it, SARIF, lcov, Cobertura or ripgrep's JSON.",
    ));
    egui::ScrollArea::vertical()
        .id_salt("pasted")
        .max_height(120.0)
        .show(ui, |ui| {
            let field = egui::TextEdit::multiline(&mut text)
                .id(Id::unique("pasted results"))
                .font(egui::TextStyle::Monospace)
                .desired_rows(5)
                .desired_width(f32::INFINITY);
            let response = ui.add(field);
            if wants_focus {
                response.request_focus();
            }
        });
    let (mut is_sent, mut is_left) = (false, false);
    ui.horizontal(|ui| {
        let read = egui::Button::new("Read");
        is_sent = ui.add_enabled(!text.trim().is_empty(), read).clicked();
        is_left = ui.button("Cancel").clicked();
    });
    if is_sent {
        pane.asks.push(FindingAsk::Paste(text));
        return None;
    }
    (!is_left).then_some(Form::Paste {
        text,
        wants_focus: false,
    })
}
