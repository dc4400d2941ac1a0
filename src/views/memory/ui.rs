//! The widgets of the view, from top to bottom: choices, facts, the chart along time, the legend, the table, the list.

use egui::{Role, Ui};

use super::along::amount;
use super::choice::{BINS, By, Mode, Tenths};
use super::sums::explanation;
use super::view::MemoryView;
use super::{allocations, chart, legend, list_ui, table};
use crate::Pane;
use crate::parts::widgets::{self, tell};
use crate::parts::{rows, style, text};
use callscape_base::units::{Cost, Time};
use callscape_facts::memory::{Allocations, Detail, Events, Known, Memory, Sums};
use callscape_model::memory::BelongsTo;
use callscape_state::ask::PlayAsk;
use callscape_state::document::Document;

/// The chart has this share of the view's height, within these, in points.
const CHART: f32 = 0.3;
const LEAST_CHART: f32 = 80.0;
const MOST_CHART: f32 = 300.0;

/// The share of what is left that a list has.
const LIST: f32 = 0.45;

/// What a recording without memory says.
const NOTHING: &str = "This recording tells nothing of memory. Recordings that do: heaptrack, and uftrace with arguments of \
                       malloc (every allocation and release), Chrome traces with objects, Java Flight Recorder (samples), \
                       DHAT, massif and V8 heap profiles (sums).";

pub(super) fn show(view: &mut MemoryView, ui: &mut Ui, pane: &mut Pane<'_>) {
    rows::ground(ui);
    let state = pane.state;
    let Some(document) = &state.document else {
        return;
    };
    if document.resolved().is_none() {
        return rows::hint(ui, "Open a memory recording to see live objects over time.");
    }
    let Some(memory) = document.memory() else {
        return rows::hint(ui, NOTHING);
    };
    rows::frame().show(ui, |ui| {
        head(view, ui, document, memory);
        match &memory.known {
            Known::Events(_) if memory.detail == Detail::Counters => {
                of_counters(view, ui, document, memory, pane);
            }
            Known::Events(events) => of_events(view, ui, document, memory, events, pane),
            Known::Allocations(of) => of_allocations(view, ui, document, memory, of, pane),
            Known::Sums(sums) => of_sums(view, ui, document, memory, sums, pane),
        }
    });
}

/// What the rows are, and which objects they count.
fn head(view: &mut MemoryView, ui: &mut Ui, document: &Document, memory: &Memory) {
    let has_events = memory.events().is_some();
    if memory.detail == Detail::Counters {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        for by in By::ALL {
            let has = by != By::Type || memory.types.len() > 1;
            let button = egui::Button::new(by.title()).selected(view.choice.by == by);
            let response = ui
                .add_enabled(has, button)
                .on_disabled_hover_text("The recording names no types");
            if response.clicked() {
                view.choice.by = by;
            }
        }
        ui.add_space(8.0);
        let has_other = view.groups.peaks.is_some();
        let is_known = |mode: &Mode| has_events && (*mode != Mode::Peaks || has_other);
        for mode in Mode::ALL.into_iter().filter(is_known) {
            let button = egui::Button::new(mode.title()).selected(view.choice.mode == mode);
            if ui.add(button).on_hover_text(mode.about()).clicked() {
                view.choice.set_mode(mode);
            }
        }
        ui.add_space(8.0);
        let label = ("object of", "Which module an object belongs to");
        let choice = &mut view.choice;
        widgets::choice(ui, label, 150.0, &mut choice.belongs_to, BelongsTo::ALL);
        if !has_events || MemoryView::is_sampled(document) {
            return;
        }
        if MemoryView::is_summary(document) {
            let label = ("intervals of", "Unit of the ten intervals of the summary");
            widgets::choice(ui, label, 120.0, &mut choice.tenths, Tenths::ALL);
        } else {
            let about = "How many ages a histogram has; the last bin holds all that are older";
            widgets::choice(ui, ("ages", about), 44.0, &mut choice.bins, BINS);
        }
    });
}

fn of_events(
    view: &mut MemoryView,
    ui: &mut Ui,
    document: &Document,
    memory: &Memory,
    events: &Events,
    pane: &mut Pane<'_>,
) {
    facts(view, ui, document, memory, events, pane);
    chart_with_legend(view, ui, document, memory, pane);
    ui.separator();
    legend::of_rows(ui, view, document, memory, pane.state.settings.theme);
    mode_line(view, ui, document, events);
    slow(view, ui);
    let left = ui.available_height();
    let has_list = view.query.is_some();
    let room = if has_list { left * (1.0 - LIST) } else { left };
    part(ui, room, "rows", |ui| {
        let text = match (view.rows.is_empty(), view.choice.mode) {
            (false, _) => return table::show(view, ui, document, pane),
            (true, _) if !view.has_groups() => "Looking for the owners of objects …",
            (true, Mode::Live) => "Nothing was allocated up to the time shown.",
            (true, Mode::Range) if view.outcomes.is_running() => "Searching for live objects …",
            (true, Mode::Range) => "No objects allocated in the range are live at its end.",
            (true, Mode::Temporary) if view.temporary.is_running() => {
                "Looking for temporary objects …"
            }
            (true, Mode::Temporary) => "No object was temporary up to the time shown.",
            (true, Mode::Peaks) => "Two runs with memory events are compared at their peaks.",
        };
        rows::hint(ui, text);
    });
    if has_list {
        ui.separator();
        let room = ui.available_height();
        part(ui, room, "objects", |ui| {
            list_ui::show(view, ui, document, pane);
        });
    }
}

/// The chart along time and what its colours mean.
fn chart_with_legend(
    view: &mut MemoryView,
    ui: &mut Ui,
    document: &Document,
    memory: &Memory,
    pane: &mut Pane<'_>,
) {
    let height = (ui.available_height() * CHART).clamp(LEAST_CHART, MOST_CHART);
    chart::show(view, ui, document, memory, height, pane);
    let theme = pane.state.settings.theme;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        legend::of_chart(ui, memory, theme, &mut view.hidden);
    });
}

/// Allocations without releases.
fn of_allocations(
    view: &mut MemoryView,
    ui: &mut Ui,
    document: &Document,
    memory: &Memory,
    of: &Allocations,
    pane: &mut Pane<'_>,
) {
    let [allocated, unknown] = allocations::explanation(document, of);
    ui.horizontal_wrapped(|ui| {
        ui.label(style::title("sampling"));
        ui.label(allocated);
    });
    ui.add(egui::Label::new(style::weak(unknown)).wrap());
    chart_with_legend(view, ui, document, memory, pane);
    ui.separator();
    belongs(view, ui);
    match (view.rows.is_empty(), view.has_groups()) {
        (false, _) => table::show(view, ui, document, pane),
        (true, false) => rows::hint(ui, "Looking for the owners of objects …"),
        (true, true) => rows::hint(ui, "Nothing was allocated then."),
    }
}

/// Says to which module objects belong.
fn belongs(view: &MemoryView, ui: &mut Ui) {
    let text = format!("Objects belong {}.", view.choice.belongs_to.title());
    ui.label(style::weak(text).small());
}

/// What was measured from time to time, where nothing else is known.
fn of_counters(
    view: &mut MemoryView,
    ui: &mut Ui,
    document: &Document,
    memory: &Memory,
    pane: &mut Pane<'_>,
) {
    chart_with_legend(view, ui, document, memory, pane);
    ui.separator();
    rows::hint(
        ui,
        "This recording has only periodic measurements, without allocators or live objects.",
    );
}

/// A part of the view, so many points high.
fn part(ui: &mut Ui, height: f32, name: &str, add: impl FnOnce(&mut Ui)) {
    let size = egui::vec2(ui.available_width(), height.max(0.0));
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    let mut inner = ui.new_child(egui::UiBuilder::new().max_rect(rect).id_salt(name));
    inner.set_clip_rect(rect.intersect(ui.clip_rect()));
    add(&mut inner);
}

/// What the rows count, where that is not what lives at the time shown.
fn mode_line(view: &MemoryView, ui: &mut Ui, document: &Document, events: &Events) {
    let text = match (view.choice.mode, document.selection.range) {
        (Mode::Live, _) => return,
        (Mode::Temporary, _) => "Rows count objects released by the next memory event.".to_owned(),
        (Mode::Range, Some(range)) => format!(
            "Rows count objects allocated from {} to {} and still live at its end.",
            range.start, range.end
        ),
        (Mode::Range, None) => "No range is chosen, so rows count what was never released. Shift + drag over the chart \
                                chooses one."
            .to_owned(),
        (Mode::Peaks, _) => {
            let peaks = view.groups.peaks.as_deref().unwrap_or_default();
            let other = peaks.iter().map(|it| it.1).sum();
            format!(
                "Rows count objects live at the peak: {} in the displayed run, {} in the other.",
                text::bytes(events.peak().0),
                text::bytes(other)
            )
        }
    };
    ui.add(egui::Label::new(style::weak(text).small()).wrap());
}

/// How far work is that keeps rows or figures waiting.
fn slow(view: &mut MemoryView, ui: &mut Ui) {
    let outcomes = view.outcomes.slow().is_some();
    let patterns = view.patterns.slow().is_some();
    let found = view.outcomes.slow().or(view.patterns.slow());
    let Some(progress) = found.or(view.temporary.slow()) else {
        return;
    };
    if rows::progress(ui, progress) {
        match (outcomes, patterns) {
            (true, _) => view.outcomes.stop(),
            (false, true) => view.patterns.stop(),
            (false, false) => view.temporary.stop(),
        }
    }
}

/// What lives now, and the most that ever did.
fn facts(
    view: &MemoryView,
    ui: &mut Ui,
    document: &Document,
    memory: &Memory,
    events: &Events,
    pane: &mut Pane<'_>,
) {
    let at = view.now.position();
    let totals = events.totals(at);
    let time = document.selection.time;
    let when = match MemoryView::is_summary(document) {
        true => "In the whole run".to_owned(),
        false => format!("At {time}"),
    };
    ui.horizontal_wrapped(|ui| {
        if MemoryView::is_sampled(document) {
            ui.label(style::title("sampling"));
        }
        let objects = text::counted(totals.live(), "object", "objects");
        let live = match memory.sizes_known {
            true => format!("{} live in {objects}", text::bytes(totals.live_bytes())),
            false => format!("{objects} live, of sizes that are not recorded"),
        };
        let line = format!(
            "{when}: {live}, of {} allocated, {} of them temporary",
            text::count(totals.allocations),
            text::count(totals.temporary),
        );
        ui.label(line);
        let (most, peak) = events.peak();
        let hint = format!("{} at {peak} (K)", amount(memory, most));
        if ui.button("Go to the peak").on_hover_text(hint).clicked() {
            pane.asks.push(PlayAsk::Seek(peak));
        }
    });
}

fn of_sums(
    view: &mut MemoryView,
    ui: &mut Ui,
    document: &Document,
    memory: &Memory,
    sums: &Sums,
    pane: &mut Pane<'_>,
) {
    let instant = view.instant(sums);
    let known = MemoryView::known_of(&view.groups, sums, instant.unwrap_or_default());
    let show = |time: Time| memory.clock.show(Cost::from_ns(time.ns()));
    ui.horizontal_wrapped(|ui| {
        if let Some((bytes, time)) = sums.peak {
            let line = format!("Peak {} at {}.", text::bytes(bytes), show(time));
            ui.label(line);
        }
        let text = explanation(sums, known);
        ui.add(egui::Label::new(style::weak(text)).wrap());
    });
    if sums.instants.len() > 1 {
        instants(view, ui, memory, sums, pane);
    }
    if let Some(of) = instant.and_then(|it| sums.instants.get(it)) {
        let mut line = match sums.instants.len() {
            1 => "The one instant".to_owned(),
            _ => format!("Instant at {}", show(of.time())),
        };
        if let Some(bytes) = of.whole.live_bytes {
            line.push_str(&format!(": {} live", text::bytes(bytes)));
        }
        if of.cells.is_empty() {
            line.push_str("; whose they are is not recorded for this one");
        }
        ui.horizontal(|ui| {
            if sums.instants.len() > 1 {
                for (title, forward) in [("Before", false), ("Next", true)] {
                    let button = ui.small_button(title);
                    let button = button.on_hover_text("The instant beside it that tells who");
                    if button.clicked() {
                        view.step_instant(sums, forward);
                    }
                }
            }
            ui.label(line);
        });
    }
    belongs(view, ui);
    match view.rows.is_empty() {
        true => rows::hint(ui, "Whose memory this is is not known."),
        false => table::show(view, ui, document, pane),
    }
}

/// A bar for each instant; a click shows it.
fn instants(view: &mut MemoryView, ui: &mut Ui, memory: &Memory, sums: &Sums, pane: &Pane<'_>) {
    let height = (ui.available_height() * CHART).clamp(LEAST_CHART, MOST_CHART);
    let size = egui::vec2(ui.available_width(), height);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click());
    tell(&response, Role::Image, "Memory at each instant");
    let paint = super::painting::Paint::of(pane.state.settings.theme);
    let accent = style::colors(pane.state.settings.theme).accent;
    let painter = ui.painter().with_clip_rect(rect);
    let plot = rect.shrink2(egui::vec2(4.0, 0.0));
    let first = sums.instants.first().map_or(0, |it| it.time);
    let last = sums.instants.last().map_or(0, |it| it.time);
    let bytes = sums.instants.iter().filter_map(|it| it.whole.live_bytes);
    let peak = sums.peak.map(|it| it.0);
    let most = bytes.chain(peak).max().unwrap_or(1).max(1);
    let x = |time: u64| {
        let share = time.saturating_sub(first) as f64 / last.saturating_sub(first).max(1) as f64;
        plot.left() + share as f32 * (plot.width() - 3.0)
    };
    let shown = view.instant(sums);
    let show = |time: u64| memory.clock.show(Cost::from_ns(time));
    let base = rect.bottom() - 16.0;
    // The one shown is drawn last, over those that lie on it.
    let others = sums
        .instants
        .iter()
        .enumerate()
        .filter(|it| shown != Some(it.0));
    let last_one = shown.and_then(|it| Some((it, sums.instants.get(it)?)));
    for (number, instant) in others.chain(last_one) {
        let Some(bytes) = instant.whole.live_bytes else {
            continue;
        };
        let high = (bytes as f64 / most as f64) as f32 * (base - rect.top() - 18.0);
        let left = x(instant.time);
        let bar = egui::Rect::from_min_max(
            egui::pos2(left, base - high.max(1.0)),
            egui::pos2(left + 3.0, base),
        );
        let color = match (shown == Some(number), instant.cells.is_empty()) {
            (true, _) => accent,
            (false, false) => paint.living,
            (false, true) => paint.allocated,
        };
        painter.rect_filled(bar, 0, color);
    }
    painter.hline(plot.x_range(), base, (1.0, paint.line));
    let font = egui::FontId::proportional(11.0);
    for (at, align, text) in [
        (
            egui::pos2(plot.left(), rect.bottom() - 7.0),
            egui::Align2::LEFT_CENTER,
            show(first),
        ),
        (
            egui::pos2(plot.right(), rect.bottom() - 7.0),
            egui::Align2::RIGHT_CENTER,
            show(last),
        ),
        (
            egui::pos2(plot.left(), rect.top() + 8.0),
            egui::Align2::LEFT_CENTER,
            format!("{} · green tells who", text::bytes(most)),
        ),
    ] {
        painter.text(at, align, text, font.clone(), paint.weak);
    }
    let Some(at) = response.hover_pos() else {
        return;
    };
    let away = |it: &&callscape_facts::memory::Instant| (x(it.time) + 1.5 - at.x).abs() as u32;
    let nearest = sums.instants.iter().min_by_key(away);
    let number = nearest.and_then(|it| sums.instants.iter().position(|of| std::ptr::eq(of, it)));
    if response.clicked() {
        view.instant = number;
    }
    if let Some(instant) = nearest {
        let bytes = instant.whole.live_bytes.map(text::bytes);
        let line = format!(
            "{}: {} live",
            show(instant.time),
            bytes.unwrap_or_else(|| "not known what is".to_owned())
        );
        response.on_hover_text(line);
    }
}
