//! What arcs mean: which end calls, what their width says, and how many are not drawn.

use egui::{Color32, Rect, Sense, Ui, pos2, vec2};

use super::entries::{Meanings, RecordingShown, entry, together};
use callscape_base::escape;
use callscape_look::ink::difference_color;
use callscape_look::theme::Palette;
use callscape_model::arcs::{ArcMeasure, ArcMode};
use callscape_model::imports::is_part_of_file;
use callscape_model::metric::Metric;
use callscape_state::city::inherits_colors;
use callscape_views::style;
use callscape_views::text;

/// The width of the drawn samples in points.
const SAMPLE: f32 = 48.0;
const STROKE: f32 = 18.0;

/// Samples of widths, and the room that each has at least where room is kept, in points.
const SAMPLES: usize = 3;
const AMOUNT: f32 = 30.0;

pub(super) fn show(ui: &mut Ui, meanings: &Meanings<'_>, shown: &RecordingShown) {
    let settings = meanings.settings;
    let palette = Palette::of(settings.theme);
    if settings.arcs == ArcMode::None {
        return;
    }
    if settings.arcs == ArcMode::Difference
        && let Some(difference) = meanings.landscape.metrics().difference()
    {
        let of = difference.measure_of_relations().title();
        let tip = "Arcs from callers to callees: strong ones are causes of the difference, faint ones the rest";
        for (is_more, text) in [(true, "more"), (false, "less")] {
            together(ui, tip, |ui| {
                let color = difference_color(settings.theme, is_more);
                taper(ui, color, color);
                entry(ui, &format!("{of} in B:"), text, tip);
            });
        }
        let tip = "Arcs with an outline: calls that the other run does not have";
        return entry(ui, "outlined:", "only in one run", tip);
    }
    if shows_together(meanings) {
        return together_arcs(ui, meanings);
    }
    let of = match settings.arcs {
        ArcMode::All | ArcMode::Difference | ArcMode::Together | ArcMode::None => "",
        ArcMode::Selection => " of the selected module",
        ArcMode::Step => " of the last step",
        ArcMode::Whole => " of the whole recording",
    };
    let is_history = meanings.landscape.metrics().played().is_some();
    let (what, tip) = match is_history {
        true => (
            "broad at the person to thin at the file",
            "Each arc stands for all changes by one person to one file",
        ),
        false => (
            "broad at the caller to thin at the callee",
            "Each arc stands for all calls from one module to another",
        ),
    };
    together(ui, tip, |ui| {
        taper(ui, palette.caller, palette.callee);
        entry(ui, what, of.trim_start(), tip);
    });
    widths(ui, meanings, shown);
    ui.add_space(14.0);
    if shown.left_out > 0 || shown.keeps_room {
        left_out(ui, shown.left_out);
        ui.add_space(14.0);
    }
}

/// What arcs say where no recording is open.
pub(super) fn imports(ui: &mut Ui, meanings: &Meanings<'_>) {
    let settings = meanings.settings;
    if settings.arcs == ArcMode::None {
        return;
    }
    if shows_together(meanings) {
        return together_arcs(ui, meanings);
    }
    let palette = Palette::of(settings.theme);
    let tip = "Each arc stands for the imports or calls from one file to another";
    together(ui, tip, |ui| {
        taper(ui, palette.caller, palette.callee);
        let hierarchy = meanings.hierarchy;
        let chosen = meanings.landscape.chosen();
        match chosen.is_some_and(|chosen| is_part_of_file(hierarchy, chosen)) {
            true => entry(ui, "calls by name, inferred:", "from the caller", tip),
            false => {
                let meaning = "from the file that imports; outlined in a cycle";
                entry(ui, "imports of the selection:", meaning, tip);
            }
        }
    });
    let imports = meanings.landscape.metrics().imports();
    if imports.is_some_and(|it| !it.bases().is_empty()) {
        let tip = "Each arc stands for classes that inherit from another, found by name";
        let [class, base] = inherits_colors(settings.theme);
        ui.add_space(14.0);
        together(ui, tip, |ui| {
            taper(ui, class, base);
            entry(
                ui,
                "inheritance, inferred:",
                "from the class to its base",
                tip,
            );
        });
    }
}

/// Whether arcs join files that change together.
fn shows_together(meanings: &Meanings<'_>) -> bool {
    meanings.settings.joins_what_changes_together()
        && meanings.landscape.metrics().has(Metric::Coupled)
}

fn together_arcs(ui: &mut Ui, meanings: &Meanings<'_>) {
    let color = Palette::of(meanings.settings.theme).caller;
    let tip = "Files that at least 5 commits and 30 % of the commits to one of them changed both, more often than by chance. \
               Commits of more than 30 files do not count. Wide arcs: more commits";
    together(ui, tip, |ui| {
        taper(ui, color, color);
        let of = match meanings.landscape.chosen() {
            Some(_) => "with the selected files",
            None => "in the same commits",
        };
        entry(ui, "files that change together:", of, tip);
    });
    ui.add_space(14.0);
}

/// Which widths mean how much.
fn widths(ui: &mut Ui, meanings: &Meanings<'_>, shown: &RecordingShown) {
    let settings = meanings.settings;
    let palette = Palette::of(settings.theme);
    let landscape = meanings.landscape;
    let what = match (settings.arc_measure, shown.counts_calls) {
        _ if landscape.metrics().played().is_some() => "changes",
        (_, false) => shown.value.as_deref().unwrap_or("weight"),
        (ArcMeasure::Calls, true) => "calls",
        (ArcMeasure::Cost, true) => "sum of cost",
    };
    let most = landscape.most_of_arcs();
    let tip = "The wider an arc, the more; ten times as much is one step wider";
    together(ui, tip, |ui| {
        if most == 0 {
            // Nothing has called anything yet.
            ui.set_invisible();
        }
        ui.label(style::weak("Width").small());
        let of = shown
            .letter
            .map_or_else(String::new, |it| format!(" of {it}"));
        ui.label(egui::RichText::new(format!("{}{of}, logarithmic:", escape::name(what))).small());
        let room = if shown.keeps_room { AMOUNT } else { 0.0 };
        let mut drawn = 0;
        if most > 0 {
            let middle = (most as f64).sqrt().round() as u64;
            let mut samples = vec![(1, 0.0), (middle, 0.5), (most, 1.0)];
            samples.dedup_by_key(|(amount, _)| *amount);
            drawn = samples.len();
            for (amount, share) in samples {
                stroke(ui, share, palette.caller, palette.callee);
                let text = egui::RichText::new(landscape.arc_amount(amount)).small();
                let taken = ui.label(text).rect.width();
                ui.add_space((room - taken).max(0.0));
            }
        }
        if shown.keeps_room {
            let spacing = 2.0 * ui.spacing().item_spacing.x;
            let missing = SAMPLES.saturating_sub(drawn) as f32;
            ui.add_space(missing * (STROKE + room + spacing));
        }
    });
}

/// How many arcs are not drawn; where there are none, as much room as for one.
fn left_out(ui: &mut Ui, count: usize) {
    let text = format!(
        "{} less important ones not drawn",
        text::count(count.max(1) as u64)
    );
    let tip = "Settings, Maximum arcs, shows more of them";
    together(ui, tip, |ui| {
        if count == 0 {
            ui.set_invisible();
        }
        ui.label(style::weak("Arcs").small());
        ui.label(egui::RichText::new(text).small());
    });
}

fn color([r, g, b]: [f32; 3]) -> Color32 {
    Color32::from(egui::Rgba::from_rgb(r, g, b))
}

/// An arc from its caller to its callee.
fn taper(ui: &mut Ui, from: [f32; 3], to: [f32; 3]) {
    let (rect, _) = ui.allocate_exact_size(vec2(SAMPLE, 16.0), Sense::hover());
    const STEPS: usize = 24;
    for step in 0..STEPS {
        let share = |step: usize| step as f32 / STEPS as f32;
        let x = |share: f32| rect.left() + rect.width() * share;
        let half = 3.2 - 2.2 * share(step);
        let part = Rect::from_min_max(
            pos2(x(share(step)), rect.center().y - half),
            pos2(x(share(step + 1)), rect.center().y + half),
        );
        let color = color(from).lerp_to_gamma(color(to), share(step));
        ui.painter().rect_filled(part, 0, color);
    }
}

/// A part of an arc as broad as for a share of the widest.
fn stroke(ui: &mut Ui, share: f32, from: [f32; 3], to: [f32; 3]) {
    let (rect, _) = ui.allocate_exact_size(vec2(STROKE, 16.0), Sense::hover());
    // In the proportions of `src/layout/arcs.rs`.
    let height = 1.4 * (0.7 + 2.3 * share * share) / 0.7;
    let part = Rect::from_center_size(rect.center(), vec2(STROKE, height));
    let middle = color(from).lerp_to_gamma(color(to), 0.5);
    ui.painter().rect_filled(part, 0, middle);
}
