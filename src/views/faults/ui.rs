//! The view: what is marked, the list, and what speaks for the chosen row.

use egui::Ui;

use super::form::Form;
use super::listing::Of;
use super::view::FaultsView;
use super::{details, form, table};
use crate::Pane;
use crate::parts::widgets::{Icon, icon_button};
use crate::parts::{rows, style};
use callscape_base::escape;
use callscape_filter::filters::FilterStep;
use callscape_state::State;
use callscape_state::ask::{CallWalk, SelectAsk};
use callscape_state::ask::{FindingAsk, Shown};
use callscape_state::findings::SetFrom;

/// In a view this wide list and details stand beside each other, in points.
const WIDE: f32 = 900.0;

pub(super) fn show(view: &mut FaultsView, ui: &mut Ui, pane: &mut Pane<'_>) {
    rows::ground(ui);
    let state = pane.state;
    let Some(document) = &state.document else {
        return;
    };
    if document.inputs.source_dir.is_none() && document.session.source_dir.is_none() {
        return rows::hint(
            ui,
            "Open a source tree in a git repository as well as a recording to see changes that ran.",
        );
    }
    rows::frame().show(ui, |ui| {
        head(view, ui, pane);
        if let Some(form) = view.form.take() {
            let offered = view.revisions.last().map(|(_, offered)| offered);
            view.form = form::show(form, offered, ui, pane);
        }
        let failure = state.findings.failure(&document.base);
        if let Some(reason) = failure {
            let color = ui.visuals().error_fg_color;
            let told = egui::RichText::new(escape::lines(reason).into_owned()).color(color);
            ui.add(egui::Label::new(told).wrap());
            let about = "Repeats the search that was stopped or failed";
            let again = egui::Button::new("Look again");
            if ui.add(again).on_hover_text(about).clicked() {
                pane.asks.push(FindingAsk::Again);
            }
        }
        if state.findings.marked(&document.base).is_none() {
            match state.findings.is_under_way() {
                true => rows::hint(ui, "Looking for it …"),
                false if view.form.is_none() && failure.is_none() => nothing(ui, state),
                false => {}
            }
            return;
        }
        kinds(view, ui, pane);
        if details::has_any(view, state) {
            beside_the_list(ui, |ui| details::show(view, ui, pane));
        }
        table::show(view, ui, document, pane);
    });
}

/// A panel below the list, or to its right where there is room.
fn beside_the_list(ui: &mut Ui, show: impl FnOnce(&mut Ui)) {
    let is_wide = ui.available_width() >= WIDE;
    let frame = egui::Frame::new().inner_margin(match is_wide {
        true => egui::Margin {
            left: 10,
            ..egui::Margin::ZERO
        },
        false => egui::Margin::symmetric(0, 6),
    });
    match is_wide {
        true => {
            let width = ui.available_width();
            egui::Panel::right("what speaks for the fault, at the right")
                .resizable(true)
                .default_size(width * 0.55)
                .size_range(200.0..=(width - 300.0).max(200.0))
                .frame(frame)
                .show(ui, show);
        }
        false => {
            let height = ui.available_height();
            egui::Panel::bottom("what speaks for the fault")
                .resizable(true)
                .default_size((height * 0.55).max(80.0))
                .size_range(60.0..=(height - 90.0).max(60.0))
                .frame(frame)
                .show(ui, show);
        }
    }
}

/// What there is to be marked, and what can be asked for.
fn head(view: &mut FaultsView, ui: &mut Ui, pane: &mut Pane<'_>) {
    let state = pane.state;
    let findings = &state.findings;
    ui.horizontal_wrapped(|ui| {
        let document = state.document.as_ref();
        let since = document.and_then(|it| it.inputs.elsewhere.since.as_ref());
        if let Some(since) = since {
            let title = format!("Since {}", escape::name(&since.good));
            let is_shown = findings.shown == Shown::Changed;
            if tab(ui, &title, is_shown, "What changed since then and ran") {
                pane.asks.push(FindingAsk::Show(match is_shown {
                    true => Shown::Nothing,
                    false => Shown::Changed,
                }));
            }
        }
        for (at, set) in findings.sets.iter().enumerate() {
            set_tab(ui, (at, set), pane);
        }
        let asks_since = matches!(view.form, Some(Form::Since { .. }));
        if ui
            .add(egui::Button::new("What changed since…").selected(asks_since))
            .clicked()
        {
            view.form = (!asks_since).then(|| Form::since(state));
        }
        let pastes = matches!(view.form, Some(Form::Paste { .. }));
        if ui
            .add(egui::Button::new("Paste results…").selected(pastes))
            .on_hover_text("What a linter, a search, a compiler or a stack trace says")
            .clicked()
        {
            view.form = (!pastes).then(Form::paste);
        }
    });
}

fn tab(ui: &mut Ui, title: &str, is_shown: bool, about: &str) -> bool {
    let button = egui::Button::new(title).selected(is_shown);
    ui.add(button).on_hover_text(about).clicked()
}

/// A set of another tool; its menu intersects and forgets it.
fn set_tab(ui: &mut Ui, (at, set): (usize, &SetFrom), pane: &mut Pane<'_>) {
    let findings = &pane.state.findings;
    let hits = findings.hits.get(at);
    let title = match (set, hits) {
        (SetFrom::Both(_), Some(hits)) => hits.named.name.clone(),
        _ => set.title(),
    };
    let is_shown = findings.shown == Shown::Set(at);
    let button = egui::Button::new(escape::name(&title).into_owned()).selected(is_shown);
    let response = ui
        .add(button)
        .on_hover_text("A right click intersects it with another, or forgets it");
    if response.clicked() {
        pane.asks.push(FindingAsk::Show(match is_shown {
            true => Shown::Nothing,
            false => Shown::Set(at),
        }));
    }
    pane.offer.has_menu |= response.hovered();
    response.context_menu(|ui| {
        for (other, with) in pane.state.findings.sets.iter().enumerate() {
            let name = format!(
                "Only functions that are also in {}",
                escape::name(&with.title())
            );
            if other != at && ui.button(name).clicked() {
                pane.asks.push(FindingAsk::Both(at, other));
                ui.close();
            }
        }
        if ui.button("Forget it").clicked() {
            pane.asks.push(FindingAsk::Forget(at));
            ui.close();
        }
    });
}

/// What the rows are, how many, and what can be done with all of them.
fn kinds(view: &mut FaultsView, ui: &mut Ui, pane: &mut Pane<'_>) {
    let state = pane.state;
    ui.horizontal_wrapped(|ui| {
        if state.findings.shown == Shown::Changed {
            for of in Of::ALL {
                let button = egui::Button::new(of.title()).selected(view.wanted == of);
                if ui.add(button).on_hover_text(of.about()).clicked() {
                    view.wanted = of;
                }
            }
            ui.separator();
        }
        let has_times = state
            .document
            .as_ref()
            .is_some_and(|it| it.playback.is_some());
        if has_times {
            steps(ui, pane);
        }
        let is_colored = state.findings.is_colored;
        let button = egui::Button::new("Colour").selected(is_colored);
        let about = "Highlights these functions in the landscape, with the rest in neutral colours";
        if ui.add(button).on_hover_text(about).clicked() {
            pane.asks.push(FindingAsk::Color(!is_colored));
        }
        let document = state.document.as_ref();
        let is_alone =
            document.is_some_and(|it| it.filters.steps().contains(&FilterStep::RemoveNotMarked));
        let button = egui::Button::new("Alone").selected(is_alone);
        let about = "Leaves out the calls of all other functions, in every view";
        if ui.add(button).on_hover_text(about).clicked() {
            pane.asks.push(FindingAsk::Alone(!is_alone));
        }
    });
    let listing = &view.listing;
    let told = match listing.rest.first() {
        None => listing.summary.clone(),
        Some(_) => format!(
            "{}; not shown: {}",
            listing.summary,
            listing.rest.join(", ")
        ),
    };
    ui.add(egui::Label::new(style::weak(told.as_str()).small()).truncate())
        .on_hover_text(told);
}

/// Buttons to the calls before and after.
fn steps(ui: &mut Ui, pane: &mut Pane<'_>) {
    let can_step = pane.state.marked_steps();
    let told = can_step.err().unwrap_or_default();
    let mut button = |icon: Icon, about: &str, walk: CallWalk| {
        let button = ui.add_enabled_ui(can_step.is_ok(), |ui| icon_button(ui, icon, false, about));
        let button = button.inner.on_disabled_hover_text(told);
        if button.clicked() {
            pane.asks.push(SelectAsk::GoToCall(walk));
        }
    };
    let about = "The call before of any of these functions (Alt + Shift + N)";
    button(Icon::StepBack, about, CallWalk::PreviousMarked);
    let about = "The next call of any of these functions (Alt + N)";
    button(Icon::StepForward, about, CallWalk::NextMarked);
}

/// Nothing is known yet: what there is to ask for.
fn nothing(ui: &mut Ui, state: &State) {
    let document = state.document.as_ref();
    if document.is_none_or(|it| it.inputs.elsewhere.since.is_some()) {
        return;
    }
    ui.add_space(8.0);
    let told = "It worked last week, and now it does not? Name the revision in which all was well: the functions that changed since then \
                and ran are listed here, the most suspect first, and marked in every view.";
    ui.add(egui::Label::new(style::weak(told)).wrap());
}
