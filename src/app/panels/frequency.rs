//! How often functions are called, and a limit above which they are left out: the distribution, what the limit would
//! save, and what it takes away.

use egui::{Align2, Context as Egui, Rect, Ui, Vec2, pos2};

use super::context::Context;
use callscape_analysis::frequency::Frequencies;
use callscape_base::escape;
use callscape_base::units::Cost;
use callscape_facts::frequency::{Frequency, percent};
use callscape_state::ask::{CardAsk, FilterAsk};
use callscape_state::document::Document;
use callscape_views::style;
use callscape_views::text::{count, counted};
use callscape_views::widgets::{Icon, icon_button, opened_card, small_slider};

const WIDTH: f32 = 318.0;

/// Bars of the distribution, each of twice as many calls as the one before.
const BARS: usize = 24;

/// What windows can be chosen, in milliseconds, with their names.
const WINDOWS: [(u64, &str); 5] = [
    (1, "1 ms"),
    (10, "10 ms"),
    (100, "100 ms"),
    (1000, "1 s"),
    (10_000, "10 s"),
];

/// Rows of the list that are seen at once.
const ROWS: f32 = 8.0;

pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) {
    let state = &context.desk.state;
    let Some(document) = state.document.as_ref().filter(|_| state.cards.frequency) else {
        return;
    };
    let in_force = state.frequency_limit();
    let limit = in_force.unwrap_or(Frequency::USUAL);
    let known = state.frequencies(limit.window);
    let share = state.work.frequency.share();
    let mut asks: Vec<FilterAsk> = Vec::new();
    let mut closes = false;
    opened_card(ctx, "frequency", Align2::LEFT_TOP, context.free, |ui| {
        ui.set_width(WIDTH);
        ui.horizontal(|ui| {
            ui.label(style::title("Called often"));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                closes = icon_button(ui, Icon::Close, false, "Close (Escape)").clicked();
            });
        });
        match known {
            Some(known) => asks = choose(ui, document, known, in_force),
            None => {
                let text = share.map_or("not counted".to_owned(), |share| {
                    format!("counting: {:.0} %", 100.0 * share)
                });
                ui.label(style::weak(&text));
            }
        }
    });
    if closes {
        context.asks.push(CardAsk::ToggleFrequency);
    }
    for ask in asks {
        context.asks.push(ask);
    }
}

/// Lets a limit be chosen; what is asked for.
fn choose(
    ui: &mut Ui,
    document: &Document,
    known: &Frequencies,
    in_force: Option<Frequency>,
) -> Vec<FilterAsk> {
    let mut asks = Vec::new();
    let highest = known.highest().max(1);
    let window = known.window();
    let id = egui::Id::unique("calls in a window");
    let usual = in_force.unwrap_or(Frequency::USUAL).most.min(highest);
    // While nothing is in force the limit that is tried stands here alone.
    let tried: Option<(Option<Frequency>, u64)> = ui.data(|data| data.get_temp(id));
    let tried = tried
        .filter(|(of, _)| *of == in_force)
        .map(|(_, most)| most);
    let mut most = tried.unwrap_or(usual).min(highest);
    distribution(ui, known, most);
    ui.spacing_mut().slider_width = WIDTH - 80.0;
    let slider = egui::Slider::new(&mut most, 0..=highest).logarithmic(true);
    let response = small_slider(ui, slider.custom_formatter(|it, _| count(it as u64)));
    response.on_hover_text("Functions with more calls than this in any such window are excluded");
    ui.horizontal(|ui| {
        ui.label(style::weak("calls in any"));
        ui.spacing_mut().item_spacing.x = 2.0;
        for (ms, name) in WINDOWS {
            let of = Cost::from_ns(ms * 1_000_000);
            let is_chosen = of == window;
            if ui.selectable_label(is_chosen, name).clicked() && !is_chosen {
                asks.push(FilterAsk::LimitFrequency(Some(Frequency {
                    most,
                    window: of,
                })));
            }
        }
    });
    let (gone, calls, of) = known.above(most);
    let functions = counted(gone.len() as u64, "function", "functions");
    let left = count(of.saturating_sub(calls));
    let share = percent(calls as f64 / of.max(1) as f64);
    ui.label(format!(
        "{functions} with {share} of the calls; {left} calls remain"
    ));
    list(ui, document, known, gone.len());
    let limit = Frequency { most, window };
    ui.horizontal(|ui| {
        let is_new = in_force != Some(limit);
        let leave = ui.add_enabled(is_new, egui::Button::new("Exclude"));
        if leave.clicked() {
            asks.push(FilterAsk::LimitFrequency(Some(limit)));
        }
        if in_force.is_some()
            && ui
                .button("Include again")
                .on_hover_text("Ctrl + Z")
                .clicked()
        {
            asks.push(FilterAsk::LimitFrequency(None));
        }
    });
    ui.data_mut(|data| data.insert_temp(id, (in_force, most)));
    asks
}

/// By how often functions are called, how many calls they have: a bar for each doubling, those that go in colour.
fn distribution(ui: &mut Ui, known: &Frequencies, most: u64) {
    let (rect, _) = ui.allocate_exact_size(Vec2::new(WIDTH, 48.0), egui::Sense::hover());
    let highest = known.highest().max(1);
    let bars = (highest.ilog2() as usize + 1).min(BARS);
    let calls_from = |bar: usize| match bar {
        bar if bar >= bars => 0,
        0 => known.above(0).1,
        bar => known.above((1 << bar) - 1).1,
    };
    let heights: Vec<u64> = (0..bars)
        .map(|bar| calls_from(bar) - calls_from(bar + 1))
        .collect();
    let highest_bar = heights.iter().copied().max().unwrap_or(0).max(1);
    let width = WIDTH / bars as f32;
    let painter = ui.painter();
    for (bar, calls) in heights.into_iter().enumerate() {
        let left = rect.left() + bar as f32 * width;
        // Of few calls something is seen too.
        let share = (calls as f32 / highest_bar as f32).sqrt();
        let top = rect.bottom() - share * rect.height();
        let area = Rect::from_min_max(
            pos2(left + 1.0, top),
            pos2(left + width - 1.0, rect.bottom()),
        );
        let goes = (1u64 << bar) > most;
        let color = match goes {
            true => ui.visuals().selection.bg_fill,
            false => ui.visuals().widgets.inactive.bg_fill,
        };
        painter.rect_filled(area, 1, color);
    }
    let line = ui.visuals().widgets.noninteractive.bg_stroke;
    painter.hline(rect.x_range(), rect.bottom(), line);
}

/// What would go, the most often called first. Only the rows that are seen are laid out.
fn list(ui: &mut Ui, document: &Document, known: &Frequencies, gone: usize) {
    let height = ui.text_style_height(&egui::TextStyle::Small);
    let rows = egui::ScrollArea::vertical()
        .id_salt("what goes")
        .max_height(ROWS * (height + 3.0))
        .auto_shrink([false, true]);
    let (functions, ..) = known.above(0);
    rows.show_rows(ui, height, gone, |ui, range| {
        for id in functions.get(range).unwrap_or_default() {
            let name = escape::name(document.function_name(*id));
            let called = known.called().get(id.index()).copied().unwrap_or_default();
            let text = format!("{} × {name}", count(called.peak));
            let about = format!("{name}: {} in all", counted(called.calls, "call", "calls"));
            let row = egui::Label::new(egui::RichText::new(text).small()).truncate();
            ui.add(row).on_hover_text(about);
        }
    });
}
