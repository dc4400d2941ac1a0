//! What the colours and strokes mean, and to which module objects belong.

use egui::{Rect, Sense, Ui, vec2};

use super::chart::counter_color;
use super::choice::{Choice, Tenths};
use super::painting::{Paint, fill};
use super::view::MemoryView;
use crate::parts::hatching::Strokes;
use crate::parts::style;
use callscape_base::escape;
use callscape_base::units::grouped;
use callscape_facts::memory::{Detail, Known, Memory};
use callscape_layout::hues::encoded;
use callscape_model::theme::Theme;
use callscape_state::document::Document;
use callscape_state::playback::Step;

/// The size of a sample, in points.
const SAMPLE: egui::Vec2 = vec2(18.0, 10.0);

fn sample(ui: &mut Ui, color: egui::Color32, run: Option<Strokes>, ink: egui::Color32, what: &str) {
    let (place, _) = ui.allocate_exact_size(SAMPLE, Sense::hover());
    fill(
        ui,
        Rect::from_center_size(place.center(), SAMPLE),
        color,
        run,
        ink,
    );
    ui.label(style::weak(what).small());
    ui.add_space(6.0);
}

/// How long a cel is, in words.
fn step_text(document: &Document) -> String {
    match document.playback.as_ref().map(|it| it.step) {
        Some(Step::Span(span)) => span.to_string(),
        Some(Step::Events(1)) => "1 event".to_owned(),
        Some(Step::Events(events)) => format!("{} events", grouped(events)),
        None => String::new(),
    }
}

/// The legend of the chart; a click on a counter hides or shows it.
pub(super) fn of_chart(ui: &mut Ui, memory: &Memory, theme: Theme, hidden: &mut Vec<usize>) {
    let paint = Paint::of(theme);
    let living = paint.living.gamma_multiply(0.75);
    let has_objects = memory.detail != Detail::Counters;
    let lives_known = has_objects && memory.events().is_some();
    let live = match memory.sizes_known {
        true => "live bytes".to_owned(),
        false => {
            let most = memory.events().map_or(0, |events| events.peak().0);
            format!("live objects, {} at most", grouped(most))
        }
    };
    if lives_known {
        sample(ui, living, None, paint.strokes, &live);
    }
    for (number, counter) in memory.counters.iter().enumerate() {
        let [r, g, b, _] = encoded(counter_color(theme, number));
        let color = egui::Color32::from_rgb(r, g, b);
        let place = hidden.iter().position(|&it| it == number);
        let (square, _) = ui.allocate_exact_size(SAMPLE, Sense::hover());
        let mut name = style::weak(escape::name(&counter.name)).small();
        match place {
            None => fill(ui, square, color, None, paint.strokes),
            Some(_) => name = name.strikethrough(),
        }
        let label = ui.add(egui::Label::new(name).sense(Sense::click()));
        if label.on_hover_text("Click to hide or show it").clicked() {
            match place {
                Some(place) => drop(hidden.swap_remove(place)),
                None => hidden.push(number),
            }
        }
        ui.add_space(6.0);
    }
    if has_objects {
        let what = match &memory.known {
            Known::Allocations(_) => "bytes allocated in a pixel",
            _ => "allocations of a pixel",
        };
        sample(ui, paint.allocated, None, paint.strokes, what);
    }
    if lives_known {
        sample(ui, paint.temporary, None, paint.strokes, "temporary ones");
    }
}

/// The legend of the rows' figures.
pub(super) fn of_rows(
    ui: &mut Ui,
    view: &MemoryView,
    document: &Document,
    memory: &Memory,
    theme: Theme,
) {
    let paint = Paint::of(theme);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        if MemoryView::is_sampled(document) {
            ui.label(style::weak("sampling: bars and histograms are off").small());
        } else {
            figures(ui, &paint, &view.choice, document, view);
        }
        let belongs = format!("Objects belong {}.", view.choice.belongs_to.title());
        ui.label(style::weak(belongs).small());
        if memory.ages_inferred {
            ui.label(
                style::weak(
                    "Which of equal objects was released is not recorded: the youngest was taken.",
                )
                .small(),
            );
        }
    });
}

fn figures(ui: &mut Ui, paint: &Paint, choice: &Choice, document: &Document, view: &MemoryView) {
    let ink = paint.strokes;
    sample(ui, paint.allocated, None, ink, "allocated");
    sample(ui, paint.living, Some(Strokes::Upright), ink, "live");
    sample(ui, paint.released, Some(Strokes::Level), ink, "released");
    if MemoryView::is_summary(document) {
        let last = "never released, in the last bin of ages";
        sample(ui, paint.living, Some(Strokes::Upright), ink, last);
        let oldest = view.patterns.last().map(|(_, it)| it.oldest.to_string());
        let by = match choice.tenths {
            Tenths::Events => "of equally many events",
            Tenths::Time => "of equal time",
        };
        let text = format!(
            "Pattern: ten intervals {by}. Ages at release: nine bins up to {}.",
            oldest.unwrap_or_default()
        );
        ui.label(style::weak(text).small());
        return;
    }
    let new = format!("new in this step of {}", step_text(document));
    sample(ui, paint.new, None, ink, &new);
    let text = format!(
        "Ages in steps from 1, the last bin {} and older, each row to its own scale; bars to one scale.",
        choice.bins
    );
    ui.label(style::weak(text).small());
}
