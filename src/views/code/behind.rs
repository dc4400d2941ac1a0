//! What is behind a line: the calls made in it by callee, how often and how costly, and what the line costs itself.

use egui::{Align, Layout, Response, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

use super::numbers::{Numbers, relation};
use super::view::CodeView;
use crate::Pane;
use crate::parts::rows::{self, ROW};
use crate::parts::{style, text};
use callscape_analysis::lines::{Evidence, Line, LineCalls};
use callscape_base::escape;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{CameraAsk, SelectAsk};
use callscape_state::document::Document;

/// With less room than this the text needs all of it, in points.
const LEAST: f32 = 240.0;

/// More callees than these do not fit a pop-up.
const IN_TIP: usize = 8;

/// The panel below the text, of the line that has the caret.
pub(super) fn show(view: &mut CodeView, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let height = ui.available_height();
    let Some((side, line)) = view.caret.filter(|_| height >= LEAST) else {
        return;
    };
    let Some(numbers) = view.numbers(side) else {
        return;
    };
    let Some(of) = numbers.lines.line(line) else {
        return;
    };
    let frame = egui::Frame::new().inner_margin(egui::Margin {
        left: 0,
        right: 0,
        top: 4,
        bottom: 2,
    });
    let callees = of.callees();
    let wanted = 56.0 + callees.len() as f32 * (ROW + 6.0);
    let panel = egui::Panel::bottom(ui.scope_id().with("behind the line"))
        .frame(frame)
        .resizable(true)
        .default_size(wanted.min(height * 0.34))
        .size_range(44.0..=height * 0.6);
    let mut chosen = None;
    panel.show(ui, |ui| {
        let line = format!("Line {line}: {}", summary(numbers, of));
        ui.add(egui::Label::new(style::title(line).small()).truncate());
        if !callees.is_empty() {
            chosen = list(ui, document, numbers, &callees, pane);
        }
    });
    if let Some((of, goes_there)) = chosen {
        // The caller is shown already; of what is called the text is wanted.
        view.is_own = !goes_there;
        pane.asks.push(SelectAsk::Choose(of));
    }
}

/// What a line comes to, in a few words.
fn summary(numbers: &Numbers, of: &Line) -> String {
    let unit = &numbers.lines.unit;
    let mut parts = Vec::new();
    if !of.by_callee.is_empty() {
        let calls = match of.calls {
            0 => "calls".to_owned(),
            calls => text::counted(calls, "call", "calls"),
        };
        let share = 100.0 * of.share;
        let cost = unit.show(of.cost);
        parts.push(format!(
            "{calls} that cost {cost}, {share:.1} % of what all calls of the function cost"
        ));
    }
    if let Some(own) = of.self_cost {
        parts.push(format!("{} in the line itself", unit.show(own)));
    }
    if let Some(samples) = of.samples {
        parts.push(text::counted(samples, "sample", "samples"));
    }
    parts.join(" · ")
}

/// How it is known that calls were made in the line.
fn evidence(of: Evidence) -> Option<String> {
    let shared = |what: &str, places: u32| match places {
        1 => format!("inferred: {what} calls this name only here"),
        _ => format!(
            "inferred: {what} calls this name in {places} places, which share calls and cost"
        ),
    };
    match of {
        Evidence::Recorded => None,
        Evidence::Name { places } => Some(shared("the function", places)),
        Evidence::Inlined { places } => {
            Some(shared("a function that was put into the caller", places))
        }
        Evidence::Nameless => {
            Some("inferred: it is the only call here of something without a name".to_owned())
        }
    }
}

/// What some calls stand for: their relation, and what is called.
pub(super) fn pointed(
    document: &Document,
    numbers: &Numbers,
    calls: &LineCalls,
) -> Option<Pointed> {
    let relation = relation(document, numbers, calls);
    let module = numbers.displayed(calls.callee);
    (relation.is_some() || module.is_some()).then_some(Pointed {
        relation,
        module,
        function: Some(calls.function),
        ..Pointed::default()
    })
}

/// The rows; what was chosen, and whether its text is wanted.
fn list(
    ui: &mut Ui,
    document: &Document,
    numbers: &Numbers,
    callees: &[LineCalls],
    pane: &mut Pane<'_>,
) -> Option<(Pointed, bool)> {
    let resolved = document.resolved()?;
    let functions = &resolved.recording.functions;
    let hierarchy = &document.base.hierarchy;
    let counts = numbers.lines.unit.is_time() || callees.iter().any(|it| it.calls > 0);
    let has_room = ui.available_width() >= 420.0;
    let mut table = TableBuilder::new(ui)
        .id_salt("calls of the line")
        .sense(Sense::click())
        .auto_shrink(false)
        .min_scrolled_height(0.0)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Width::remainder().at_least(80.0).clip(true));
    if has_room {
        table = table.column(Width::initial(170.0).at_least(60.0).clip(true));
    }
    table = table.column(Width::exact(70.0)).column(Width::exact(80.0));
    let mut chosen = None;
    let headed = table.header(18.0, |mut header| {
        let titles = [
            ("Called", false),
            ("In", false),
            ("Calls", true),
            ("Cost", true),
        ];
        for (title, is_number) in titles.into_iter().filter(|it| has_room || it.0 != "In") {
            header.col(|ui| match is_number {
                true => rows::number(ui, style::weak(title).small()),
                false => drop(ui.label(style::weak(title).small())),
            });
        }
    });
    headed.body(|body| {
        body.rows(ROW, callees.len(), |mut row| {
            let Some(calls) = callees.get(row.index()) else {
                return;
            };
            let of = pointed(document, numbers, calls).unwrap_or_default();
            let pointed_at = document.selection.pointed;
            row.set_hovered(of.function.is_some() && pointed_at.function == of.function);
            let inferred = if calls.evidence.is_inferred() {
                "~ "
            } else {
                ""
            };
            row.col(|ui| {
                rows::name(
                    ui,
                    &format!("{inferred}{}", functions.get(calls.function).name),
                )
            });
            if has_room {
                row.col(|ui| {
                    let around = hierarchy.parent(calls.callee).map(|it| hierarchy.path(it));
                    rows::name(ui, &around.unwrap_or_default());
                });
            }
            row.col(|ui| match counts && calls.calls > 0 {
                true => rows::number(ui, text::count(calls.calls)),
                false => rows::number(ui, "–"),
            });
            row.col(|ui| rows::number(ui, numbers.cell(calls.cost)));
            let response = row.response();
            if response.hovered() {
                pane.pointed = of;
            }
            if response.double_clicked() {
                let there = Pointed {
                    relation: None,
                    ..of
                };
                chosen = Some((there, true));
                pane.asks.extend(of.module.map(CameraAsk::FlyIfSeen));
            } else if response.clicked() {
                chosen = Some((of, false));
            }
            response.on_hover_ui(|ui| {
                ui.label(style::name(functions.get(calls.function).name));
                ui.label(style::weak(escape::name(&hierarchy.path(calls.callee))).small());
                if let Some(why) = evidence(calls.evidence) {
                    ui.label(style::weak(why).small());
                }
                ui.label(
                    style::weak(
                        "Click: select these calls. Double-click: go to the called function",
                    )
                    .small(),
                );
            });
        });
    });
    chosen
}

/// The pop-up over a line.
pub(super) fn tip(
    view: &CodeView,
    response: &Response,
    document: &Document,
    (side, line): (usize, u32),
) {
    let Some(numbers) = view.numbers(side) else {
        return;
    };
    let Some(of) = numbers.lines.line(line) else {
        return;
    };
    let Some(resolved) = document.resolved() else {
        return;
    };
    response.clone().on_hover_ui_at_pointer(|ui| {
        ui.set_max_width(420.0);
        ui.spacing_mut().item_spacing.y = 2.0;
        ui.add(egui::Label::new(style::title(format!("Line {line}"))).wrap());
        ui.add(egui::Label::new(style::weak(summary(numbers, of)).small()).wrap());
        let callees = of.callees();
        for calls in callees.iter().take(IN_TIP) {
            let name = resolved.recording.functions.get(calls.function).name;
            let cost = numbers.lines.unit.show(calls.cost);
            let count = match calls.calls {
                0 => String::new(),
                calls => format!(" × {}", text::count(calls)),
            };
            let inferred = if calls.evidence.is_inferred() {
                "~ "
            } else {
                ""
            };
            let text = format!("{inferred}{}{count}, {cost}", escape::name(name));
            ui.add(egui::Label::new(text).truncate());
        }
        if callees.len() > IN_TIP {
            let more = text::count((callees.len() - IN_TIP) as u64);
            ui.label(style::weak(format!("and {more} more")).small());
        }
        if of.is_inferred() {
            ui.label(
                style::weak("~ inferred from names: the recording has no lines of calls").small(),
            );
        }
    });
}
