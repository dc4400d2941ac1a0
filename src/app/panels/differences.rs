//! The view of what two runs have more and less, in numbers.

use egui::{Align, Layout, Sense, Ui};
use egui_extras::{Column as Width, TableBuilder};

use super::super::ask::{CameraAsk, RunsAsk, SelectAsk};
use super::super::style;
use super::{Context, pairs, table, text};
use crate::app::workbench::ROW;
use crate::filter::selection::Pointed;
use crate::model::difference::ratio;
use crate::model::differences::{By, Choice, Of};
use crate::model::theme::Theme;
use crate::render::ink::diverging;
use crate::views::differences::{DifferenceTable, Row};

pub fn show(ui: &mut Ui, context: &mut Context<'_>) {
    ui.painter()
        .rect_filled(ui.max_rect(), 0, ui.visuals().panel_fill);
    let bench = context.bench;
    let versus = bench.document.as_ref().and_then(|it| it.versus.as_ref());
    let Some(versus) = versus else {
        return table::hint(ui, "Open two recordings, A and B, to see what differs.");
    };
    let choice = &bench.pair.choice;
    let of = match choice.of {
        Of::Contexts => &*bench.pair.contexts,
        _ => &*bench.pair.table,
    };
    let frame = egui::Frame::new().inner_margin(egui::Margin {
        left: 10,
        right: 4,
        top: 6,
        bottom: 0,
    });
    frame.show(ui, |ui| {
        let found = match choice.of {
            Of::Pairs => (bench.pair.pairs_found.len(), versus.pairs.rows.len()),
            _ => (of.rows.len(), of.differing),
        };
        head(ui, found, choice, context);
        if choice.of == Of::Pairs {
            pairs::head(ui, versus, context);
            return pairs::rows(ui, versus, context);
        }
        rows(ui, of, choice, context);
    });
}

/// What is listed; `found` are how many rows there are, and of how many.
fn head(ui: &mut Ui, found: (usize, usize), choice: &Choice, context: &mut Context<'_>) {
    let mut next = choice.clone();
    ui.horizontal_wrapped(|ui| {
        for kind in Of::ALL {
            let button = egui::Button::new(kind.title()).selected(choice.of == kind);
            if ui.add(button).clicked() {
                next.of = kind;
            }
        }
        let width = (ui.available_width() * 0.6).clamp(80.0, 200.0);
        let edit = egui::TextEdit::singleline(&mut next.query)
            .hint_text("Name or module")
            .desired_width(width);
        ui.add(edit);
        let is_pairs = choice.of == Of::Pairs;
        let is_counting = choice.of == Of::Contexts && context.bench.work.counts_contexts();
        let counted = match found {
            _ if is_counting => "counting …".to_owned(),
            (0, 0) if is_pairs => "all others are paired".to_owned(),
            (0, 0) => "nothing differs".to_owned(),
            (shown, all) if shown == all && is_pairs => text::count(all as u64),
            (shown, all) if shown == all => format!("{} differ", text::count(all as u64)),
            (shown, all) => format!(
                "{} of {}",
                text::count(shown as u64),
                text::count(all as u64)
            ),
        };
        ui.add(egui::Label::new(style::weak(counted)).truncate());
        let document = context.bench.document.as_ref();
        let versus = document.and_then(|it| it.versus.as_ref());
        let counts = versus.and_then(|it| it.difference.amount.counted());
        if let Some(name) = counts.filter(|_| !is_pairs) {
            ui.label(style::weak(format!("in {name}")));
        }
        if choice.of == Of::Contexts && document.is_some_and(|it| !it.filters.is_empty()) {
            ui.label(style::weak("with what is left out elsewhere"));
        }
    });
    if next != *choice {
        context.asks.push(RunsAsk::ListDifferences(next));
    }
}

fn rows(ui: &mut Ui, of: &DifferenceTable, choice: &Choice, context: &mut Context<'_>) {
    let Some(document) = &context.bench.document else {
        return;
    };
    let theme = context.bench.settings.theme;
    let selection = &document.selection;
    let [pointed, chosen] = [&selection.pointed, &selection.chosen].map(|of| document.meant(of));
    let is_meant = |row: &Row, of: &Pointed| match row.callee {
        Some(callee) => of.relation.is_some_and(|(from, to)| {
            let shown = |module| document.landscape.displayed(module);
            (shown(row.module), shown(callee)) == (Some(from), Some(to))
        }),
        None => of.module == Some(row.module),
    };
    let place = ui.available_rect_before_wrap();
    // Where costs count samples or instructions they are long.
    let longest = of.rows.iter().take(9).map(|row| {
        let [a, b] =
            [row.change.a, row.change.b].map(|it| of.amount.text(it.of(of.amount.measure)));
        let letters = |text| of.amount.bare(text).chars().count();
        letters(a).max(letters(b))
    });
    let wide = if longest.max() > Some(11) {
        124.0
    } else {
        76.0
    };
    let numbers: &[By] = match ui.available_width() {
        room if room < 2.0 * wide + 178.0 => &[By::Delta],
        room if room < 4.0 * wide + 116.0 => &[By::Delta, By::Ratio],
        _ => &By::ALL[..4],
    };
    let mut builder = TableBuilder::new(ui)
        .id_salt("differences")
        .sense(Sense::click())
        .auto_shrink(false)
        .cell_layout(Layout::left_to_right(Align::Center));
    for _ in numbers {
        builder = builder.column(Width::exact(wide));
    }
    builder = builder.column(Width::remainder().at_least(90.0).clip(true));
    let table_ui = builder.header(table::HEADING, |mut header| {
        for by in numbers.iter().chain([&By::Name]) {
            header.col(|ui| {
                let order = (choice.by == *by).then_some(!choice.is_reversed);
                if table::heading(ui, by.title(), by.about(), *by != By::Name, order) {
                    let next = Choice {
                        is_reversed: choice.by == *by && !choice.is_reversed,
                        by: *by,
                        ..choice.clone()
                    };
                    context.asks.push(RunsAsk::ListDifferences(next));
                }
            });
        }
    });
    table_ui.body(|body| {
        body.rows(ROW, of.rows.len(), |mut line| {
            let Some(row) = of.rows.get(line.index()) else {
                return;
            };
            line.set_selected(is_meant(row, &selection.chosen) && chosen.modules() != [None; 2]);
            line.set_hovered(is_meant(row, &selection.pointed) && pointed.modules() != [None; 2]);
            let measure = of.amount.measure;
            let is_noise = !row.change.is_significant(measure);
            for by in numbers {
                let value = match by {
                    By::Delta => of.amount.delta(&row.change),
                    By::Ratio => ratio(&row.change, measure),
                    By::A => of.amount.text(row.change.a.of(measure)),
                    _ => of.amount.text(row.change.b.of(measure)),
                };
                let mut value = egui::RichText::new(of.amount.bare(value));
                if is_noise {
                    value = value.weak();
                } else if matches!(by, By::Delta | By::Ratio) {
                    value = value.color(tone(theme, row.change.delta(measure)));
                }
                line.col(|ui| table::number(ui, value));
            }
            line.col(|ui| match choice.of {
                // What is called stands first.
                Of::Contexts => {
                    ui.add(egui::Label::new(row.name.as_str()).truncate());
                }
                _ => table::name(ui, &row.name),
            });
            let pointed = Pointed {
                module: row.callee.is_none().then_some(row.module),
                relation: row.callee.and_then(|callee| {
                    let shown = |module| document.landscape.displayed(module);
                    shown(row.module).zip(shown(callee))
                }),
                ..Pointed::default()
            };
            let response = line.response();
            if response.hovered() {
                context.pointed = pointed;
            }
            if response.clicked() {
                context.asks.push(SelectAsk::Choose(pointed));
            }
            if response.double_clicked() {
                context
                    .asks
                    .push(CameraAsk::FlyTo(row.callee.unwrap_or(row.module)));
            }
            response.on_hover_ui(|ui| {
                ui.label(row.name.as_str());
                let path = document.session.hierarchy.path(row.module);
                ui.label(style::weak(path).small());
                if is_noise {
                    ui.label(style::weak("may be chance: noise of the runs").small());
                }
            });
        });
    });
    table::ruler(ui, place, of.rows.len(), context, |place| {
        match of.rows.get(place) {
            Some(row) if is_meant(row, &selection.chosen) => table::Mark::Chosen,
            Some(row) if is_meant(row, &selection.pointed) => table::Mark::Pointed,
            _ => table::Mark::None,
        }
    });
}

/// The colour of more or less for letters on a panel.
fn tone(theme: Theme, delta: f64) -> egui::Color32 {
    if delta == 0.0 {
        return style::colors(theme).text;
    }
    let [r, g, b] = diverging(theme, delta.signum() as f32);
    egui::Color32::from(egui::Rgba::from_rgb(r, g, b))
}
