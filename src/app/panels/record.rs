//! The card in which a program is recorded: its command, the recorder, and how far the run is.

use egui::{Align2, Context as Egui, RichText, ScrollArea, TextEdit, Ui};

use super::context::Context;
use crate::command::{RecordAsk, RecordWish};
use crate::recording::{Looked, RecordCard, Running};
use callscape_base::escape;
use callscape_base::units::{Cost, Unit, grouped};
use callscape_record::choice::Offer;
use callscape_record::recorder::Recorder;
use callscape_record::{Rate, Switch};
use callscape_views::style;
use callscape_views::text::counted;
use callscape_views::widgets::{Icon, icon_button, is_new, opened_card};

/// In points.
const WIDTH: f32 = 520.0;

/// How high the list of running programs is at most, in points.
const PROCESSES: f32 = 160.0;

/// How high the list of calls a second is at most, in points.
const RATES: f32 = 170.0;

/// How high what the program writes is at most, in points.
const OUTPUT: f32 = 130.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let shown = context.desk.recording;
    if !shown.is_open {
        return;
    }
    // Who opens the card wants to type a command.
    let is_new = is_new(ctx, "record");
    let room = context.free;
    let has_dialog = context.desk.welcome.no_dialog.is_none();
    let mut asks = Vec::new();
    // It grows downwards alone when the recorders are known, so that nothing moves away below the pointer.
    let below = room.with_min_y(room.top() + room.height() * 0.08);
    opened_card(ctx, "record", Align2::CENTER_TOP, below, |ui| {
        ui.set_width(WIDTH.min(room.width() * 0.9).max(0.0));
        ui.horizontal(|ui| {
            ui.label(style::title("Record a program"));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let about = match shown.running {
                    Some(_) => "Hide; the program keeps running (Escape)",
                    None => "Close (Escape)",
                };
                if icon_button(ui, Icon::Close, false, about).clicked() {
                    asks.push(RecordAsk::Toggle);
                }
            });
        });
        ScrollArea::vertical()
            .id_salt("record")
            .show(ui, |ui| match &shown.running {
                None => asks.extend(wish(ui, shown, is_new, has_dialog)),
                Some(running) => asks.extend(progress(ui, shown, running)),
            });
    });
    for ask in asks {
        context.asks.push(ask);
    }
}

/// Lets one say what is to be recorded.
fn wish(ui: &mut Ui, shown: &RecordCard, is_new: bool, has_dialog: bool) -> Vec<RecordAsk> {
    let mut asks = Vec::new();
    let mut wish = shown.wish.clone();
    let mut is_entered = false;
    ui.horizontal(|ui| {
        ui.selectable_value(&mut wish.is_of_process, false, "Start a program");
        ui.selectable_value(&mut wish.is_of_process, true, "A running program")
            .on_hover_text("Records a process that runs already; it continues when recording ends");
    });
    if wish.is_of_process {
        asks.extend(processes(ui, shown, &mut wish));
    } else {
        ui.label(style::weak(
            "The command runs as in a terminal, but with empty standard input and without a shell. Arguments are split \
             at white space outside quotes.",
        ));
        is_entered = command(ui, (&mut wish, is_new, has_dialog), &mut asks);
    }
    match &shown.looked {
        None => functions(ui, None, &mut wish),
        Some(Err(reason)) => {
            ui.colored_label(ui.visuals().error_fg_color, escape::lines(reason));
        }
        Some(Ok(looked)) => recorders(ui, shown, looked, &mut wish),
    }
    if let Some(failure) = &shown.failure {
        ui.colored_label(ui.visuals().error_fg_color, escape::lines(failure));
    }
    ui.add_space(4.0);
    let start = ui.add_enabled(shown.can_start(), egui::Button::new("Start"));
    if start.clicked() || is_entered && shown.can_start() {
        asks.push(RecordAsk::Start);
    }
    output(ui, shown);
    if wish != shown.wish {
        asks.insert(0, RecordAsk::Edit(wish));
    }
    asks
}

/// The processes that run, of which one is chosen.
fn processes(ui: &mut Ui, shown: &RecordCard, wish: &mut RecordWish) -> Option<RecordAsk> {
    let mut ask = None;
    ui.horizontal(|ui| {
        let found = counted(shown.processes.len() as u64, "program", "programs");
        ui.label(style::weak(format!("{found}, the busiest first")));
        let about = "Looks again which programs run";
        if ui.small_button("Refresh").on_hover_text(about).clicked() {
            ask = Some(RecordAsk::List);
        }
    });
    let line = ui.text_style_height(&egui::TextStyle::Body) + ui.spacing().item_spacing.y;
    ScrollArea::vertical()
        .id_salt("running programs")
        .max_height(PROCESSES)
        .auto_shrink([false, true])
        .show_rows(ui, line, shown.processes.len(), |ui, rows| {
            for process in shown.processes.get(rows).unwrap_or_default() {
                let name = escape::name(&process.name);
                let busy = (process.busy * 100.0).round();
                let text = format!("{name}  ({}, {busy} % of a processor)", process.pid);
                let is_chosen = wish.pid == Some(process.pid);
                let row = ui.add(egui::Button::selectable(is_chosen, text).truncate());
                let about = format!(
                    "{}\n{}",
                    escape::name(&process.about),
                    escape::name(&process.command)
                );
                if row.on_hover_text(about).clicked() {
                    wish.pid = Some(process.pid);
                }
            }
        });
    ask
}

/// The command that is to be started, and its folder; whether the command was entered.
fn command(
    ui: &mut Ui,
    (wish, is_new, has_dialog): (&mut RecordWish, bool, bool),
    asks: &mut Vec<RecordAsk>,
) -> bool {
    let mut is_entered = false;
    egui::Grid::new("recording options")
        .num_columns(2)
        .show(ui, |ui| {
            ui.label(style::weak("Command"));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if has_dialog && ui.button("Choose…").clicked() {
                    asks.push(RecordAsk::ChooseProgram);
                }
                let field = TextEdit::singleline(&mut wish.command)
                    .hint_text("./app input.txt, or python3 app.py")
                    .desired_width(f32::INFINITY);
                let field = ui.add(field);
                if is_new {
                    field.request_focus();
                }
                is_entered = field.lost_focus() && ui.input(|it| it.key_pressed(egui::Key::Enter));
            });
            ui.end_row();
            ui.label(style::weak("Folder"));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if has_dialog && ui.button("Choose…").clicked() {
                    asks.push(RecordAsk::ChooseFolder);
                }
                let field = TextEdit::singleline(&mut wish.folder);
                ui.add(field.desired_width(f32::INFINITY))
                    .on_hover_text("Working directory of the program, and folder of the recording");
            });
            ui.end_row();
        });
    is_entered
}

/// The recorders, those that can be taken first, and what can be chosen of the one that is.
fn recorders(ui: &mut Ui, shown: &RecordCard, looked: &Looked, wish: &mut RecordWish) {
    ui.label(style::weak(format!(
        "This is {}.",
        escape::name(&looked.about)
    )));
    let by = shown.by();
    let (ready, others): (Vec<&Offer>, Vec<&Offer>) =
        looked.offers.iter().partition(|it| it.refused.is_none());
    for offer in ready {
        let name = offer.recorder.name();
        let is_best = looked.best.as_ref().ok() == Some(&offer.recorder);
        let best = if is_best { " (the best here)" } else { "" };
        let text = format!("{name}: {}{best}", offer.recorder.about());
        if ui.radio(by == Some(offer.recorder), text).clicked() {
            wish.with = Some(offer.recorder);
        }
    }
    for note in looked.notes.iter().filter(|_| wish.with.is_none()) {
        ui.label(style::weak(escape::name(note)));
    }
    if let (Err(reason), None) = (&looked.best, by) {
        ui.colored_label(ui.visuals().warn_fg_color, escape::lines(reason));
    }
    functions(ui, by, wish);
    let is_switched = match wish.is_of_process {
        true => by == Some(Recorder::Frida),
        false => by.is_some_and(Recorder::can_be_switched),
    };
    if is_switched {
        ui.horizontal_wrapped(|ui| {
            if by == Some(Recorder::Uftrace) {
                ui.checkbox(&mut wish.memory, "allocations")
                    .on_hover_text("Allocations (malloc) and releases (free)");
            }
            ui.checkbox(&mut wish.is_paused, "start with recording off")
                .on_hover_text("Nothing is recorded until you switch recording on here");
        });
    }
    // Those that would do stand before those of other languages.
    let (missing, unfit): (Vec<&Offer>, Vec<&Offer>) = others.iter().partition(|it| it.fits);
    egui::CollapsingHeader::new(RichText::new("Other recorders").small())
        .id_salt("other recorders")
        .default_open(!missing.is_empty())
        .show(ui, |ui| {
            for offer in missing.into_iter().chain(unfit) {
                refused(ui, offer);
            }
        });
}

/// The functions that are recorded, for recorders that can choose, and if some were chosen.
fn functions(ui: &mut Ui, by: Option<Recorder>, wish: &mut RecordWish) {
    let can_choose = by.is_some_and(Recorder::can_choose);
    if !can_choose && wish.only.is_empty() && wish.without.is_empty() {
        return;
    }
    let can_count = by.is_some_and(Recorder::can_count);
    egui::Grid::new("recorded functions")
        .num_columns(2)
        .show(ui, |ui| {
            for (name, text, about) in [
                (
                    "Only",
                    &mut wish.only,
                    "Functions, files or folders to record, such as parse_* ./src/parser/; all if empty",
                ),
                (
                    "Without",
                    &mut wish.without,
                    "Functions, files or folders not to record, such as log_* ./src/log.c",
                ),
                (
                    "At most",
                    &mut wish.at_most,
                    "Excludes functions that are called more often, such as 80/100ms",
                ),
            ] {
                if name == "At most" && !can_count {
                    continue;
                }
                ui.label(style::weak(name));
                let field = TextEdit::singleline(text).desired_width(f32::INFINITY);
                ui.add(field.hint_text(about)).on_hover_text(about);
                ui.end_row();
            }
        });
    if let Some(by) = by.filter(|_| !can_choose) {
        let all = format!("{} records all functions", by.name());
        ui.colored_label(ui.visuals().warn_fg_color, all);
    }
}

/// One that cannot be taken, why, and the command that would help.
fn refused(ui: &mut Ui, offer: &Offer) {
    let name = offer.recorder.name();
    let reason = offer.refused.as_deref().unwrap_or_default();
    // What is quoted in it is to be typed elsewhere.
    let command = reason.split('`').nth(1);
    ui.horizontal_wrapped(|ui| {
        let text = match reason.starts_with(name) {
            true => escape::name(reason).into_owned(),
            false => format!("{name}: {}", escape::name(reason)),
        };
        ui.label(style::weak(text).small());
        let copy = |command: &str| format!("Copies {command}");
        if let Some(command) = command
            && ui
                .small_button("Copy")
                .on_hover_text(copy(command))
                .clicked()
        {
            ui.ctx().copy_text(command.to_owned());
        }
    });
}

/// How far the run is, and what can be done about it.
fn progress(ui: &mut Ui, shown: &RecordCard, running: &Running) -> Vec<RecordAsk> {
    let mut asks = Vec::new();
    let process = shown.wish.pid.filter(|_| shown.wish.is_of_process);
    let recorded = match process {
        Some(pid) => format!("process {pid}"),
        None => escape::name(&shown.wish.command).into_owned(),
    };
    let mono = RichText::new(recorded).monospace();
    ui.add(egui::Label::new(mono).truncate());
    let seen = running.control.seen();
    let bytes = Unit::Bytes.show(Cost::from_ns(seen.bytes));
    let mut facts = format!("{:.1} s, {bytes}", seen.elapsed.as_secs_f64());
    // At first the recorder keeps them to itself.
    if let Some(calls) = seen.calls.filter(|&it| it > 0) {
        facts += &format!(", ≈ {}", counted(calls, "call", "calls"));
    }
    ui.horizontal(|ui| {
        ui.add(egui::Spinner::new().size(14.0));
        let by = shown.by().map_or("", Recorder::name);
        let state = match running.is_on {
            true => format!("{by} records: {facts}"),
            false => format!("{by} waits: {facts}"),
        };
        ui.label(state);
    });
    ui.horizontal(|ui| {
        if running.is_switchable {
            let (text, to) = match running.is_on {
                true => ("Switch off", Switch::Off),
                false => ("Switch on", Switch::On),
            };
            let about = "The program keeps running; the time while recording is off becomes a gap";
            if ui.button(text).on_hover_text(about).clicked() {
                asks.push(RecordAsk::Switch(to));
            }
        }
        let (text, about) = match running.control.stops() {
            0 if shown.wish.is_of_process => (
                "Stop",
                "Ends the recording and opens it; the program continues",
            ),
            0 => ("Stop", "Asks the program to end, and opens the recording"),
            _ => (
                "End it",
                "The program is still running after being asked to end: force it to end",
            ),
        };
        if ui.button(text).on_hover_text(about).clicked() {
            asks.push(RecordAsk::Stop);
        }
    });
    if let Some(failure) = &shown.failure {
        ui.colored_label(ui.visuals().error_fg_color, escape::lines(failure));
    }
    rates(ui, &running.control.rates());
    output(ui, shown);
    asks
}

/// The functions that are called most often, and those that were excluded for that, which come last.
fn rates(ui: &mut Ui, rates: &[Rate]) {
    if rates.is_empty() {
        return;
    }
    ui.add_space(4.0);
    ui.label(style::weak("Calls a second"));
    let line = ui.spacing().interact_size.y;
    ScrollArea::vertical()
        .id_salt("calls a second")
        .max_height(RATES)
        .auto_shrink([false, true])
        .show_rows(ui, line, rates.len(), |ui, rows| {
            for rate in rates.get(rows).unwrap_or_default() {
                ui.horizontal(|ui| {
                    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                        one_rate(ui, rate);
                    });
                });
            }
        });
}

/// From the right: how often a function is called, and its name.
fn one_rate(ui: &mut Ui, rate: &Rate) {
    let mut name = RichText::new(escape::name(&rate.name)).monospace();
    match rate.is_excluded {
        true => {
            name = name.color(ui.visuals().weak_text_color()).strikethrough();
            let about = "Called too often: no longer recorded, and its calls are removed";
            ui.colored_label(ui.visuals().warn_fg_color, "excluded")
                .on_hover_text(about);
        }
        false => {
            ui.label(grouped(rate.calls));
        }
    }
    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
        ui.add(egui::Label::new(name).truncate());
    });
}

/// What the program wrote.
fn output(ui: &mut Ui, shown: &RecordCard) {
    if shown.wrote.is_empty() {
        return;
    }
    ui.add_space(4.0);
    ui.label(style::weak("Output of the program"));
    egui::Frame::new()
        .fill(ui.visuals().extreme_bg_color)
        .inner_margin(4)
        .show(ui, |ui| {
            ScrollArea::vertical()
                .id_salt("what the program wrote")
                .max_height(OUTPUT)
                .auto_shrink([false, true])
                .stick_to_bottom(true)
                .show(ui, |ui| {
                    let text = RichText::new(escape::lines(&shown.wrote))
                        .monospace()
                        .small();
                    ui.add(egui::Label::new(text).selectable(true));
                });
        });
}
