//! What the pointer does to the lines of a text: points, clicks, and the menu.

use egui::{Pos2, Response, Ui};

use super::behind;
use super::page::Page;
use super::view::CodeView;
use crate::Pane;
use crate::parts::code_look::{COSTS, ROW};
use callscape_filter::selection::Pointed;
use callscape_state::ask::{EditAsk, SelectAsk};
use callscape_state::document::Document;

/// What the pointer is on, what a click asks for, and the menu.
pub(super) fn answer(
    view: &mut CodeView,
    ui: &mut Ui,
    document: &Document,
    response: &Response,
    (side, page): (usize, &Page),
    pane: &mut Pane<'_>,
) {
    let line_at = |view: &CodeView, at: Pos2| {
        let row = view.scroll.top() + f64::from((at.y - response.rect.min.y) / ROW);
        view.line_in(row.floor() as u32, side)
    };
    if let Some(line) = response.hover_pos().and_then(|at| line_at(view, at)) {
        pane.pointed = pointed_at(view, document, side, line);
        behind::tip(view, response, document, (side, line));
    }
    let at = response.interact_pointer_pos();
    if let Some((at, line)) = at.and_then(|at| Some((at, line_at(view, at)?))) {
        if response.clicked() || response.secondary_clicked() {
            view.caret = Some((side, line));
        }
        if response.clicked() {
            let is_cost = at.x < response.rect.min.x + COSTS;
            let opens = ui.input(|input| input.modifiers.command) || response.double_clicked();
            match opens {
                true => pane.asks.extend(view.to_edit().map(EditAsk::Line)),
                false => choose(view, document, (side, line), is_cost, pane),
            }
        }
    }
    pane.offer.has_menu |= response.hovered();
    response.context_menu(|ui| menu(view, ui, document, page, pane));
}

/// Chooses the calls of a line by its cost, and the function around it by its text. Nothing moves for it.
fn choose(
    view: &mut CodeView,
    document: &Document,
    (side, line): (usize, u32),
    is_cost: bool,
    pane: &mut Pane<'_>,
) {
    let of = match is_cost {
        true => pointed_at(view, document, side, line),
        false => around(view, document, side, line),
    };
    if of != Pointed::default() && document.selection.chosen != document.complete(of) {
        view.is_own = true;
        pane.asks.push(SelectAsk::Choose(of));
    }
}

/// What can be done with the line that has the caret.
fn menu(view: &mut CodeView, ui: &mut Ui, document: &Document, page: &Page, pane: &mut Pane<'_>) {
    let Some((side, line)) = view.caret else {
        return;
    };
    if ui.button("Open in your editor").clicked() {
        pane.asks.extend(view.to_edit().map(EditAsk::Line));
    }
    if ui.button("Copy the line").clicked() {
        let text = page.text.line(line).unwrap_or_default();
        ui.ctx().copy_text(text.to_owned());
    }
    if ui.button("Copy file and line").clicked() {
        let place = format!("{}:{line}", page.located.display());
        ui.ctx().copy_text(place);
    }
    let calls = pointed_at(view, document, side, line);
    let button = egui::Button::new("Choose the calls of the line");
    if ui.add_enabled(calls.relation.is_some(), button).clicked() {
        view.is_own = true;
        pane.asks.push(SelectAsk::Choose(calls));
    }
}

/// The call relation behind a line, that with the largest cost; else the function around it.
fn pointed_at(view: &CodeView, document: &Document, side: usize, line: u32) -> Pointed {
    let relation = view.numbers(side).and_then(|numbers| {
        let of = numbers.lines.line(line)?;
        let mut calls = of.by_callee.iter();
        calls.find_map(|calls| behind::pointed(document, numbers, calls))
    });
    match relation.filter(|of| of.relation.is_some() && side == view.own) {
        Some(relation) => relation,
        None => around(view, document, side, line),
    }
}

/// The function around a line.
fn around(view: &CodeView, document: &Document, side: usize, line: u32) -> Pointed {
    let module = view.numbers(side).and_then(|numbers| {
        let module = numbers.function_at(line)?.module;
        numbers.displayed(module)
    });
    document.complete(Pointed::at_module(module))
}
