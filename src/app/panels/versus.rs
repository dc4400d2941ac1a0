//! Two runs: the strip that says how they stand beside each other and how their clocks are linked, and the pictures of
//! both with their captions.

use egui::{Align2, Color32, ComboBox, Id, Pos2, Rect, Sense, Stroke, TextureId, Ui, pos2, vec2};

use super::super::ask::RunsAsk;
use super::super::pair::PairView;
use super::super::style;
use super::super::versus::{Together, Versus};
use super::super::workbench::Workbench;
use super::{Context, Place, Split, beside};
use crate::analysis::alignment::Link;
use crate::analysis::comparison::amounts::Measure;
use crate::analysis::comparison::tables::Norm;
use crate::model::difference::Strength;
use crate::model::linked::Along;
use crate::views::table::ViewId;

/// Between two landscapes, and what of the divider of a wipe can be dragged, in points.
const GAP: f32 = 3.0;
const GRIP: f32 = 14.0;

pub fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let bench = context.bench;
    let Some(document) = &bench.document else {
        return;
    };
    let Some(versus) = &document.versus else {
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
            for together in Together::ALL {
                let button =
                    egui::Button::new(together.title()).selected(bench.pair.together == together);
                let about = match together {
                    Together::One => "One landscape: what B has more or less than A (Q)",
                    Together::SideBySide => {
                        "A at the left, B at the right: one camera, linked clocks (Q)"
                    }
                    Together::Wipe => "Both in one place, with a divider to drag (Q)",
                };
                if ui.add(button).on_hover_text(about).clicked() {
                    context.asks.push(RunsAsk::Together(Some(together)));
                }
            }
            ui.add_space(6.0);
            let (own, other) = (versus.side(), 1 - versus.side());
            let (own, other) = (versus.title_of(own), versus.title_of(other));
            let about = "time, call stacks and what is selected are of this run";
            let (text, about) = match bench.pair.together {
                Together::One => (
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
            let swap = ui.button("Swap");
            if swap
                .on_hover_text("A becomes B, and B becomes A (Shift + V)")
                .clicked()
            {
                context.asks.push(RunsAsk::Swap);
            }
            ui.add_space(6.0);
            compared_by(ui, versus, context);
            runs(ui, versus);
            let only = egui::Button::new("Only what differs").selected(bench.pair.only_differences);
            let about = "Collapse districts in which nothing differs (D)";
            if ui.add(only).on_hover_text(about).clicked() {
                context.asks.push(RunsAsk::ToggleOnlyDifferences);
            }
            clocks(ui, versus, context);
            along(ui, context);
        });
    });
}

/// What is drawn of both along time, while that can be seen.
fn along(ui: &mut Ui, context: &mut Context<'_>) {
    let document = context.bench.document.as_ref();
    let Some(sheets) = document.and_then(|it| it.sheets.as_ref()) else {
        return;
    };
    if !context.open.contains(&ViewId::Timelines) {
        return;
    }
    ui.add_space(6.0);
    for (along, title) in [
        (Along::Stacks, "Call stacks"),
        (Along::Overview, "Functions"),
    ] {
        let button = egui::Button::new(title).selected(sheets.along() == along);
        let about = "What is drawn of both along time";
        if ui.add(button).on_hover_text(about).clicked() {
            context.asks.push(RunsAsk::DrawAlong(along));
        }
    }
}

/// Of several runs of each side, what of them is compared.
fn runs(ui: &mut Ui, versus: &Versus) {
    let [a, b] = versus.runs();
    if [a, b] == [1, 1] {
        return;
    }
    let (text, about) = match (versus.is_limited(), a.min(b)) {
        (true, _) => (
            "of the runs that play".to_owned(),
            "Range and filters act on the two runs that play: without them the means of all are compared",
        ),
        (false, 1) => (
            format!("means of {a} and {b} runs"),
            "What is noise is not known: that takes two runs of each side",
        ),
        (false, _) => (
            format!("means of {a} and {b} runs"),
            "What is noise among the runs is grey: at most 5 % of what is not are expected to be chance",
        ),
    };
    said(ui, text).on_hover_text(about);
}

/// What is compared, and what a strong colour says.
fn compared_by(ui: &mut Ui, versus: &Versus, context: &mut Context<'_>) {
    let (measure, strength) = (versus.difference.measure, versus.difference.strength);
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
        .on_hover_text("What colours, marks and tables compare");
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
        .on_hover_text("What a strong colour says");
    if (wanted, strong) != (measure, strength) {
        context.asks.push(RunsAsk::CompareBy(wanted, strong));
    }
    brought_on(ui, versus, context);
}

/// What amounts are brought on: nothing, their runs, or the calls of a function.
fn brought_on(ui: &mut Ui, versus: &Versus, context: &mut Context<'_>) {
    let Some(document) = &context.bench.document else {
        return;
    };
    if versus.needs_shares() {
        let about = "They record different things: only what share a function has of its run can be compared";
        said(ui, "by shares of their runs").on_hover_text(about);
        return;
    }
    let now = versus.norm();
    let of_calls = versus.counts_calls();
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
    let chosen = chosen.and_then(|function| versus.row(function));
    rows.extend(chosen.filter(|row| of_calls && !rows.contains(row)));
    let name = |row: u32| versus.row_name(&document.session, row);
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
        "Amounts as they were recorded, or as shares of their runs; with a function chosen, per call of it",
    );
    if wanted != now {
        context.asks.push(RunsAsk::Normalise(wanted));
    }
}

/// What links the clocks, and how many times as long B takes here.
fn clocks(ui: &mut Ui, versus: &Versus, context: &mut Context<'_>) {
    let Some(document) = &context.bench.document else {
        return;
    };
    let Some(clocks) = versus.clocks() else {
        said(ui, "no clocks: one of them has no times");
        return;
    };
    let chosen = document.selection.chosen.function;
    let row = chosen.and_then(|function| versus.row(function));
    let mut links = vec![
        (Link::Share, "share of the run".to_owned()),
        (Link::WallTime, "wall time".to_owned()),
        (Link::Events, "number of events".to_owned()),
        (Link::Calls, "matching calls".to_owned()),
    ];
    let name = |row: u32| versus.row_name(&document.session, row).to_owned();
    let of_chosen = row.map(|row| (Link::CallsOf(row), format!("calls of {}", name(row))));
    if let Link::CallsOf(row) = *versus.link() {
        links.push((Link::CallsOf(row), format!("calls of {}", name(row))));
    }
    links.extend(of_chosen.filter(|(link, _)| link != versus.link()));
    let now = links.iter().find(|(link, _)| link == versus.link());
    let text = now.map_or_else(String::new, |(_, text)| format!("clocks by {text}"));
    let mut wanted = *versus.link();
    let combo = ComboBox::from_id_salt("clocks")
        .width(150.0)
        .selected_text(text)
        .show_ui(ui, |ui| {
            for (link, text) in links {
                ui.selectable_value(&mut wanted, link, text);
            }
        });
    let about = match versus.link() {
        Link::Calls | Link::CallsOf(_) => format!(
            "Which time of A is which of B: {} calls of A were found again in B",
            super::text::count(clocks.matched as u64)
        ),
        _ => "Which time of A is which of B. With a function chosen, by its calls too".to_owned(),
    };
    combo.response.on_hover_text(about);
    if wanted != *versus.link() {
        context.asks.push(RunsAsk::LinkClocks(wanted));
    }
    let time = document.selection.time;
    if let Some(stretch) = versus.stretch_at(time) {
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

/// Where two landscapes are to be drawn in `seen`, of which the window leaves `drawn` to one; none for one.
pub fn split(bench: &Workbench, seen: Rect, drawn: Rect) -> Option<Split> {
    if !bench.shows_both() {
        return None;
    }
    let PairView {
        together, divider, ..
    } = bench.pair;
    match together {
        Together::One => None,
        Together::SideBySide => {
            let width = ((seen.width() - GAP) * 0.5).max(1.0);
            let half =
                |left: f32| Rect::from_min_size(pos2(left, seen.top()), vec2(width, seen.height()));
            let places = [half(seen.left()), half(seen.right() - width)];
            Some(Split {
                places,
                seen: places,
                at: seen.center().x,
            })
        }
        Together::Wipe => Some(Split {
            places: [drawn; 2],
            seen: [seen; 2],
            at: seen.left() + seen.width() * divider,
        }),
    }
}

/// The part of a side's picture that is to be seen, and where in the picture that is.
pub fn part(split: &Split, side: usize) -> (Rect, Rect) {
    let place = split.places[side];
    let mut part = place;
    match side {
        _ if split.places[0] != split.places[1] => {}
        0 => part.max.x = split.at,
        _ => part.min.x = split.at,
    }
    let uv = |at: Pos2| ((at - place.min) / place.size()).to_pos2();
    (part, Rect::from_min_max(uv(part.min), uv(part.max)))
}

/// The captions of both landscapes end so high over their lower edges, in points.
pub const CAPTIONS: f32 = 32.0;

/// Draws both landscapes, `own` the picture of the run that plays and the other one's, with what they are.
pub fn draw(ui: &mut Ui, split: &Split, [own, other]: [TextureId; 2], context: &mut Context<'_>) {
    let bench = context.bench;
    let Some(document) = &bench.document else {
        return;
    };
    let Some(versus) = &document.versus else {
        return;
    };
    let colors = style::colors(bench.settings.theme);
    let is_wipe = bench.pair.together == Together::Wipe;
    let pictures = match versus.side() {
        0 => [own, other],
        _ => [other, own],
    };
    for side in [0, 1] {
        let (place, seen) = (split.places[side], split.seen[side]);
        let (part, uv) = part(split, side);
        ui.painter().image(pictures[side], part, uv, Color32::WHITE);
        if !is_wipe {
            beside::show(ui, Place { seen, drawn: place }, context);
        }
        let moment = match side == versus.side() {
            true => document.moment(),
            false => document.moment_beside(),
        };
        let at = moment
            .filter(|it| !it.summary)
            .map_or(String::new(), |it| format!("   {}", it.time));
        let text = format!("{}{at}", versus.title_of(side));
        let (align, corner) = match (is_wipe, side) {
            // Cards float at the top and at the right.
            (false, _) => (Align2::LEFT_BOTTOM, seen.left_bottom() + vec2(12.0, -10.0)),
            (true, 0) => (
                Align2::RIGHT_BOTTOM,
                pos2(split.at - 16.0, seen.bottom() - 10.0),
            ),
            (true, _) => (
                Align2::LEFT_BOTTOM,
                pos2(split.at + 16.0, seen.bottom() - 10.0),
            ),
        };
        let room = match (is_wipe, side) {
            (false, _) => seen.width(),
            (true, 0) => split.at - seen.left(),
            (true, _) => seen.right() - split.at,
        };
        caption(ui, &text, corner, align, room - 34.0, &colors);
    }
    if is_wipe {
        divider(ui, split, context);
    } else {
        let middle = split.seen[0].right()..=split.seen[1].left();
        let gap = Rect::from_x_y_ranges(middle, split.seen[0].y_range());
        ui.painter().rect_filled(gap, 0, colors.panel);
    }
}

fn caption(ui: &Ui, text: &str, corner: Pos2, align: Align2, room: f32, colors: &style::Colors) {
    let font = egui::FontId::proportional(13.0);
    let mut job = egui::text::LayoutJob::simple_singleline(text.to_owned(), font, colors.text);
    job.wrap = egui::text::TextWrapping::truncate_at_width(room.max(20.0));
    let galley = ui.painter().layout_job(job);
    let rect = align.anchor_size(corner, galley.size());
    ui.painter().rect_filled(
        rect.expand2(vec2(7.0, 3.0)),
        5,
        colors.panel.gamma_multiply(0.92),
    );
    ui.painter().galley(rect.min, galley, colors.text);
}

/// The line between A and B, and its handle.
fn divider(ui: &Ui, split: &Split, context: &mut Context<'_>) {
    let seen = split.seen[0];
    let colors = style::colors(context.bench.settings.theme);
    let area = egui::Area::new(Id::unique("divider of the wipe"))
        .order(egui::Order::Middle)
        .fixed_pos(pos2(split.at - GRIP * 0.5, seen.top()))
        .constrain(false)
        .fade_in(false);
    area.show(ui.ctx(), |ui| {
        ui.set_clip_rect(seen);
        let (rect, response) =
            ui.allocate_exact_size(vec2(GRIP, seen.height().max(0.0)), Sense::click_and_drag());
        let response = response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
        let middle = rect.center();
        let color = if response.hovered() || response.dragged() {
            colors.accent
        } else {
            colors.text
        };
        let line = Stroke::new(2.0, colors.panel);
        ui.painter().vline(middle.x - 1.0, seen.y_range(), line);
        ui.painter()
            .vline(middle.x + 1.0, seen.y_range(), Stroke::new(1.5, color));
        ui.painter()
            .circle(middle, 8.0, colors.panel, Stroke::new(1.5, color));
        for side in [-1.0, 1.0] {
            let tip = middle + vec2(5.0 * side, 0.0);
            let back = middle + vec2(1.5 * side, 0.0);
            let points = vec![tip, back + vec2(0.0, -3.5), back + vec2(0.0, 3.5)];
            ui.painter()
                .add(egui::Shape::convex_polygon(points, color, Stroke::NONE));
        }
        if response.dragged()
            && let Some(at) = response.interact_pointer_pos()
        {
            let share = (at.x - seen.left()) / seen.width().max(1.0);
            context.asks.push(RunsAsk::MoveDivider(share));
        }
        if response.double_clicked() {
            context.asks.push(RunsAsk::MoveDivider(0.5));
        }
    });
}
