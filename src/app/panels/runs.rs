//! The strip of two runs: how they stand beside each other, what of them is compared, and how their clocks are linked.

use egui::containers::menu::MenuButton;
use egui::{ComboBox, Ui};

use super::context::Context;
use crate::command::{Command, PairAsk};
use crate::open_views::Views;
use callscape_analysis::alignment::Link;
use callscape_analysis::comparison::amounts::{Measure, Timed};
use callscape_analysis::comparison::tables::Norm;
use callscape_base::escape;
use callscape_model::difference::Strength;
use callscape_state::ask::RunsAsk;
use callscape_state::runs::{Runs, RunsLayout};
use callscape_views::{style, text};

pub(super) fn show(ui: &mut Ui, views: &mut Views, context: &mut Context<'_>) {
    let desk = context.desk;
    let Some(document) = &desk.state.document else {
        return;
    };
    let Some(runs) = &document.runs else {
        return;
    };
    let frame =
        egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::symmetric(12, 4));
    let panel = egui::Panel::top("two runs").frame(frame).resizable(false);
    panel.show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = egui::vec2(6.0, 4.0);
            ui.spacing_mut().interact_size.y = 22.0;
            ui.spacing_mut().button_padding.y = 2.0;
            chip(ui, 0, runs, context);
            let swap = ui.button("Swap");
            if swap
                .on_hover_text("A becomes B, and B becomes A (Shift + V)")
                .clicked()
            {
                context.asks.push(RunsAsk::Swap);
            }
            chip(ui, 1, runs, context);
            ui.add_space(6.0);
            for together in RunsLayout::ALL {
                let button = egui::Button::new(together.title())
                    .selected(desk.state.runs_view.together == together);
                let about = match together {
                    RunsLayout::One => "One landscape, coloured by the difference (Q)",
                    RunsLayout::SideBySide => {
                        "A on the left, B on the right: one camera, aligned timelines (Q)"
                    }
                    RunsLayout::Wipe => "Both in one place, with a movable divider (Q)",
                };
                if ui.add(button).on_hover_text(about).clicked() {
                    context.asks.push(RunsAsk::Together(Some(together)));
                }
            }
            ui.add_space(6.0);
            let [own, other] = [runs.side(), 1 - runs.side()].map(|side| SIDES[side]);
            let about = "time, call stacks and selection refer to this run";
            let document = desk.state.document.as_ref();
            let plays = document.is_some_and(|it| it.playback.is_some());
            let (text, about) = match (desk.state.runs_view.together, plays) {
                (_, false) => (
                    format!("{own} is shown"),
                    format!("Tables and selection refer to this run. Click for {other} (V)"),
                ),
                (RunsLayout::One, true) => (
                    format!("{own} plays"),
                    format!("This run plays: {about}. Click for {other} (V)"),
                ),
                _ => (
                    format!("time of {own}"),
                    format!("Both play: {about}. Click for {other} (V)"),
                ),
            };
            let shown = ui.button(text);
            if shown.on_hover_text(about).clicked() {
                context.asks.push(RunsAsk::Flip);
            }
            ui.add_space(6.0);
            compared_by(ui, runs, context);
            means(ui, runs);
            let only = egui::Button::new("Only what differs")
                .selected(desk.state.runs_view.only_differences);
            let about = "Collapse districts without differences (D)";
            if ui.add(only).on_hover_text(about).clicked() {
                context.asks.push(RunsAsk::ToggleOnlyDifferences);
            }
            clocks(ui, runs, context);
            for &view in desk.state.panes.all() {
                if desk.state.panes.is_open(view)
                    && let Some(view) = views.get_mut(view, desk.state)
                {
                    view.strip(ui, desk.state);
                }
            }
        });
    });
}

/// Names of the sides.
const SIDES: [&str; 2] = ["A", "B"];

/// A run by its file name, as a menu of what can be done with it.
fn chip(ui: &mut Ui, side: usize, runs: &Runs, context: &mut Context<'_>) {
    let (letter, title) = (SIDES[side], runs.title_of(side));
    let colors = style::colors(context.desk.state.settings.theme);
    let text = match ui.max_rect().width() < NARROW {
        true => letter.to_owned(),
        false => shortened(&title),
    };
    let button = egui::Button::new(text).fill(colors.accent.gamma_multiply(0.16));
    let menu = MenuButton::from_button(button);
    let (response, _) = menu.ui(ui, |ui| {
        ui.set_min_width(200.0);
        let document = context.desk.state.document.as_ref();
        let paths = document
            .map(|it| it.recordings_of_sides())
            .unwrap_or_default();
        for path in &paths[side] {
            let path = escape::name(&path.display().to_string()).into_owned();
            ui.add(egui::Label::new(style::weak(path)).wrap());
        }
        ui.separator();
        let mut entry = |text: String, about: &str, ask: Command| {
            if ui.button(text).on_hover_text(about).clicked() {
                context.asks.push(ask);
                ui.close();
            }
        };
        entry(
            "Change…".to_owned(),
            "Choose other recordings, or add runs",
            PairAsk::Toggle.into(),
        );
        if runs.side() != side {
            entry(format!("Show {letter}"), "V", RunsAsk::Flip.into());
        }
        let other = SIDES[1 - side];
        entry(
            format!("Close {letter}"),
            &format!("{other} stays open alone"),
            PairAsk::Close(side).into(),
        );
    });
    response.on_hover_text(format!("{title}: change or close it"));
}

/// A title with its middle left out where it is long: names of runs differ at their ends.
fn shortened(title: &str) -> String {
    let letters: Vec<char> = title.chars().collect();
    if letters.len() <= LONGEST {
        return title.to_owned();
    }
    let half = LONGEST / 2;
    let [start, end] = [&letters[..half], &letters[letters.len() - half..]];
    format!("{}…{}", String::from_iter(start), String::from_iter(end))
}

/// In a strip with less room than this, in points, chips have no names.
const NARROW: f32 = 800.0;

/// Letters of a chip.
const LONGEST: usize = 36;

/// Of several runs of each side, what of them is compared.
fn means(ui: &mut Ui, runs: &Runs) {
    let [a, b] = runs.counted_runs();
    if [a, b] == [1, 1] {
        return;
    }
    let (text, about) = match (runs.is_limited(), a.min(b)) {
        (true, _) => (
            "of the runs that play".to_owned(),
            "Range and filters apply only to the two runs that play; without them, the means of all runs are compared",
        ),
        (false, 1) => (
            format!("means of {a} and {b} runs"),
            "Noise is unknown: it needs two runs on each side",
        ),
        (false, _) => (
            format!("means of {a} and {b} runs"),
            "Noise between runs is grey. At most 5 % of the other differences are expected to be due to chance",
        ),
    };
    said(ui, text).on_hover_text(about);
}

/// What is compared, and what a strong colour says.
fn compared_by(ui: &mut Ui, runs: &Runs, context: &mut Context<'_>) {
    let (measure, strength) = (runs.difference.measure, runs.difference.strength);
    let (mut wanted, mut strong) = (measure, strength);
    let by = ComboBox::from_id_salt("compared by")
        .width(104.0)
        .selected_text(measure.title())
        .show_ui(ui, |ui| {
            for measure in Measure::ALL {
                ui.selectable_value(&mut wanted, measure, measure.title());
            }
        });
    by.response
        .on_hover_text("Value compared by colours, marks and tables");
    let title = |strength: Strength| match strength {
        Strength::Absolute => "share of the run",
        Strength::Relative => "times as much",
    };
    let strong_of = ComboBox::from_id_salt("strong colours")
        .width(112.0)
        .selected_text(title(strength))
        .show_ui(ui, |ui| {
            for strength in Strength::ALL {
                ui.selectable_value(&mut strong, strength, title(strength));
            }
        });
    strong_of
        .response
        .on_hover_text("Meaning of a strong colour");
    if (wanted, strong) != (measure, strength) {
        context.asks.push(RunsAsk::CompareBy(wanted, strong));
    }
    timed(ui, runs, context);
    brought_on(ui, runs, context);
}

/// Which time is compared, where there is a choice.
fn timed(ui: &mut Ui, runs: &Runs, context: &mut Context<'_>) {
    if !runs.knows_waiting() {
        return;
    }
    let mut wanted = runs.timed();
    let title = |timed: Timed| match timed {
        Timed::Running => "running time",
        Timed::Elapsed => "elapsed time",
    };
    let combo = ComboBox::from_id_salt("time compared")
        .width(96.0)
        .selected_text(title(wanted))
        .show_ui(ui, |ui| {
            for timed in Timed::ALL {
                ui.selectable_value(&mut wanted, timed, title(timed));
            }
        });
    combo.response.on_hover_text(
        "Running time excludes the time that threads waited, such as for another program",
    );
    if wanted != runs.timed() {
        context.asks.push(RunsAsk::CompareTime(wanted));
    }
}

/// What amounts are brought on: nothing, their runs, or the calls of a function.
fn brought_on(ui: &mut Ui, runs: &Runs, context: &mut Context<'_>) {
    let Some(document) = &context.desk.state.document else {
        return;
    };
    if runs.needs_shares() {
        let about = "The recordings measure different things, so only each function's share of its run can be compared";
        said(ui, "by shares of their runs").on_hover_text(about);
        return;
    }
    let now = runs.norm();
    let of_calls = runs.counts_calls();
    let mut norms = vec![
        (Norm::Recorded, "as recorded".to_owned()),
        (
            Norm::Shares { of_calls },
            "by shares of their runs".to_owned(),
        ),
    ];
    let mut rows: Vec<u32> = match now {
        Norm::PerCallOf(row) => vec![row],
        _ => Vec::new(),
    };
    let chosen = document.selection.chosen.function;
    let chosen = chosen.and_then(|function| runs.row(function));
    rows.extend(chosen.filter(|row| of_calls && !rows.contains(row)));
    let name = |row: u32| runs.row_name(&document.session, row);
    norms.extend(
        rows.iter()
            .map(|&row| (Norm::PerCallOf(row), format!("per call of {}", name(row)))),
    );
    let text = norms.iter().find(|(norm, _)| *norm == now);
    let text = text.map_or_else(String::new, |(_, text)| text.clone());
    let mut wanted = now;
    let combo = ComboBox::from_id_salt("brought on")
        .width(120.0)
        .truncate()
        .selected_text(text)
        .show_ui(ui, |ui| {
            for (norm, text) in norms {
                ui.selectable_value(&mut wanted, norm, text);
            }
        });
    combo.response.on_hover_text(
        "Amounts as recorded, as shares of their runs, or per call of the selected function",
    );
    if wanted != now {
        context.asks.push(RunsAsk::Normalise(wanted));
    }
}

/// What links the clocks, and how many times as long B takes here.
fn clocks(ui: &mut Ui, runs: &Runs, context: &mut Context<'_>) {
    let Some(document) = &context.desk.state.document else {
        return;
    };
    let Some(clocks) = runs.clocks() else {
        said(ui, "not aligned: one of them has no times");
        return;
    };
    let chosen = document.selection.chosen.function;
    let row = chosen.and_then(|function| runs.row(function));
    let mut links = vec![
        (Link::Share, "share of the run".to_owned()),
        (Link::WallTime, "wall time".to_owned()),
        (Link::Events, "number of events".to_owned()),
        (Link::Calls, "matching calls".to_owned()),
        (Link::Phases, "matching phases".to_owned()),
    ];
    let name = |row: u32| runs.row_name(&document.session, row).to_owned();
    let of_chosen = row.map(|row| (Link::CallsOf(row), format!("calls of {}", name(row))));
    if let Link::CallsOf(row) = *runs.link() {
        links.push((Link::CallsOf(row), format!("calls of {}", name(row))));
    }
    links.extend(of_chosen.filter(|(link, _)| link != runs.link()));
    let now = links.iter().find(|(link, _)| link == runs.link());
    let text = now.map_or_else(String::new, |(_, text)| format!("aligned by {text}"));
    let mut wanted = *runs.link();
    let combo = ComboBox::from_id_salt("clocks")
        .width(150.0)
        .selected_text(text)
        .show_ui(ui, |ui| {
            for (link, text) in links {
                ui.selectable_value(&mut wanted, link, text);
            }
        });
    let about = match runs.link() {
        Link::Calls | Link::CallsOf(_) => format!(
            "How times of A and B are matched: {} calls of A were found in B",
            text::count(clocks.matched as u64)
        ),
        Link::Phases => format!(
            "How times of A and B are matched: {} phases of A were found in B",
            text::count(clocks.matched as u64)
        ),
        _ => "How times of A and B are matched. Select a function to match by its calls".to_owned(),
    };
    combo.response.on_hover_text(about);
    if wanted != *runs.link() {
        context.asks.push(RunsAsk::LinkClocks(wanted));
    }
    let time = document.selection.time;
    if let Some(stretch) = runs.stretch_at(time) {
        let text = match stretch {
            it if it <= 0.0 => "here B takes no time".to_owned(),
            it if it >= 100.0 => format!("here B takes ×{it:.0}"),
            it if it >= 0.1 => format!("here B takes ×{it:.2}"),
            it => format!("here B takes ×{it:.4}"),
        };
        said(ui, text);
    }
}

/// Text of the strip, which stays on one line.
fn said(ui: &mut Ui, text: impl Into<String>) -> egui::Response {
    ui.add(egui::Label::new(style::weak(text)).extend())
}
