//! What area, height, colour and arcs mean: the strip over the playback bar, and under pictures.

pub(crate) mod entries;

mod arcs;
mod distribution;

use egui::Ui;

use self::distribution::{SCALE_HEIGHT, brush, highlighted, metric_scale};
use self::entries::{Meanings, RecordingShown, entry, ramp, swatch, together};
use super::context::Context;
use callscape_analysis::comparison::amounts::Measure;
use callscape_base::escape;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::marked::Marked;
use callscape_look::ink::{OBJECTS, diverging};
use callscape_look::theme::{Palette, linear};
use callscape_model::called_often;
use callscape_model::highlight::Highlight;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::measure;
use callscape_model::memory::BelongsTo;
use callscape_model::metric::{Metric, Origin};
use callscape_model::surface::{Scale, Surface};
use callscape_state::ask::LookAsk;
use callscape_state::city::{City, languages, people_colors, purposes};
use callscape_views::legend::rows;
use callscape_views::{style, text};

/// Shows the legend; where nothing can be clicked, all of it.
pub(super) fn show(ui: &mut Ui, context: &mut Context<'_>, can_click: bool) {
    let desk = context.desk;
    let Some(document) = &desk.state.document else {
        return;
    };
    if !desk.state.cards.legend {
        return;
    }
    let meanings = Meanings {
        settings: &desk.state.settings,
        hierarchy: &document.session.hierarchy,
        landscape: &document.city,
        is_window: can_click,
        recording: document.resolved().map(|of| RecordingShown {
            frequent: called_often::left_out(&of.recording, &document.filters),
            marked: marked(
                document.selection.marked.as_deref(),
                &desk.state.findings.dropped(),
            ),
            plays: document.playback.is_some(),
            letter: document.runs.as_ref().map(|it| it.letter()),
            counts_calls: document.counts_calls(),
            value: of.recording.value_shown().map(|it| it.name.clone()),
            known_to: of.recording.known_to(),
            left_out: document.city.arcs_left_out(),
            has_boxes: !document.city.object_boxes().0.is_empty(),
            keeps_room: true,
        }),
    };
    let panel = egui::Panel::bottom("legend")
        .frame(frame(ui))
        .resizable(false);
    panel.show(ui, |ui| {
        let settings = &desk.state.settings;
        let metrics = [
            Some(settings.area),
            settings.height,
            settings.surface.metric(),
        ];
        let metrics = metrics.map(|of| of.map(Metric::name));
        let of = (metrics, settings.arcs as u8, settings.highlight.is_some());
        let row = row(settings);
        let asked = rows(ui, (of, row), !can_click, |ui| strip(ui, &meanings));
        context.asks.extend(asked);
    });
}

/// How high a row is: as high as the highest entry, or they would not stand on one line.
fn row(settings: &LandscapeSettings) -> f32 {
    match settings.surface {
        Surface::Metric(_) => SCALE_HEIGHT,
        _ => 24.0,
    }
}

/// What surrounds the strip.
pub(crate) fn frame(ui: &Ui) -> egui::Frame {
    egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::symmetric(12, 5))
}

/// What is asked to stand out, if something is: nothing is to stand out for the inner none.
type Wanted = Option<Option<Highlight>>;

/// The legend in as many rows as it needs, in the window and in pictures without one; what is asked for by dragging
/// over a distribution.
pub(crate) fn strip(ui: &mut Ui, meanings: &Meanings<'_>) -> Option<LookAsk> {
    ui.spacing_mut().interact_size.y = row(meanings.settings);
    let (mut wanted, mut hills) = (None, None);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(5.0, 3.0);
        if let Some(date) = meanings.landscape.date() {
            let tip = "Day of the commits shown. Files that do not exist then are empty lots";
            entry(ui, "Date", &date, tip);
            ui.add_space(14.0);
        }
        area(ui, meanings, &mut wanted);
        ui.add_space(14.0);
        height(ui, meanings, &mut wanted);
        hills = hills_or_even(ui, meanings);
        colour(ui, meanings, &mut wanted);
        covered(ui, meanings);
        match meanings.landscape.blocks_left_out() {
            0 => {}
            left_out => {
                let text = format!(
                    "{} merged into their enclosing modules",
                    text::count(left_out as u64)
                );
                let tip = "More blocks than the graphics device can hold";
                entry(ui, "Smallest modules", &text, tip);
            }
        }
        let shown = meanings.recording.as_ref();
        if let Some(frequent) = shown.and_then(|it| it.frequent.as_ref()) {
            let tip = "Functions that are called too often to be shown";
            entry(ui, "Called often", frequent, tip);
        }
        if let Some(marked) = shown.and_then(|it| it.marked.as_ref()) {
            let tip =
                "Functions with drawn edges are marked, such as those changed since a revision";
            entry(ui, "Edges", marked, tip);
        }
        highlighted(ui, meanings, &mut wanted);
        not_by_hand(ui, meanings);
        not_shown(ui, meanings);
        if meanings.recording.is_none() && meanings.landscape.metrics().imports().is_some() {
            arcs::imports(ui, meanings);
        }
        objects(ui, meanings);
        // While memory alone plays no calls are shown.
        let plays_memory = !meanings.landscape.object_boxes().0.is_empty();
        let shown = meanings.recording.as_ref();
        if let Some(shown) = shown.filter(|it| it.counts_calls || !plays_memory) {
            running(ui, meanings, shown);
            arcs::show(ui, meanings, shown);
        }
    });
    wanted.map(LookAsk::Highlight).or(hills)
}

/// The button that shows the complexity of code, or else its size, as height, or heights alike again.
fn hills_or_even(ui: &mut Ui, meanings: &Meanings<'_>) -> Option<LookAsk> {
    if !meanings.is_window {
        return None;
    }
    let metrics = meanings.landscape.metrics();
    let sum = |metric| metrics.sum_of_all(meanings.hierarchy, metric);
    let hills = [Metric::Complexity, Metric::LinesOfCode];
    let hills = hills
        .into_iter()
        .find(|&it| sum(it).is_some_and(|sum| sum > 0.0));
    let (text, tip, height) = match (meanings.settings.height, hills) {
        (Some(_), _) => ("Even", "Give all blocks the same height", None),
        (None, Some(hills)) => ("Hills", "Show complex functions as hills", Some(hills)),
        (None, None) => return None,
    };
    let button = ui.add(egui::Button::new(text).small());
    ui.add_space(14.0);
    let is_asked = button.on_hover_text(tip).clicked();
    is_asked.then_some(LookAsk::Height(height))
}

/// What is marked, and what of it is not; nothing where nothing is.
pub(crate) fn marked(marked: Option<&Marked>, dropped: &str) -> Option<String> {
    let marked = marked?;
    let count = text::counted(marked.modules.len() as u64, "function", "functions");
    let mut told = format!("{}: {count}", escape::name(&marked.title));
    if !dropped.is_empty() {
        told += &format!("; not shown: {dropped}");
    }
    Some(told)
}

/// How much was not written by hand, and how it is shown.
fn not_by_hand(ui: &mut Ui, meanings: &Meanings<'_>) {
    let files = meanings.landscape.not_by_hand();
    if files == 0 {
        return;
    }
    let files = text::counted(files as u64, "file", "files");
    let is_pale = matches!(meanings.settings.surface, Surface::Metric(_));
    let pale = if is_pale { ", pale" } else { "" };
    let small = match meanings.landscape.keeps_small() {
        true => ", together a tenth of the ground",
        false => "",
    };
    ui.add_space(14.0);
    let tip = "Generated, vendored, minified and data-like files";
    let meaning = format!("{files}{pale}{small}");
    entry(ui, "Not written by hand:", &meaning, tip);
}

/// Where heights or colours say what lives in memory: to what objects belong, and what the boxes beside blocks say.
fn objects(ui: &mut Ui, meanings: &Meanings<'_>) {
    let settings = meanings.settings;
    let is_live = |metric: Option<Metric>| metric.is_some_and(Metric::is_live);
    if !is_live(settings.height) && !is_live(settings.surface.metric()) {
        return;
    }
    let tip = "Block that an object in memory counts for";
    entry(ui, "Objects belong", BelongsTo::default().title(), tip);
    let glows = !is_live(settings.surface.metric());
    if glows && !meanings.landscape.object_boxes().0.is_empty() {
        let tip = "Blocks whose objects change in this step of the playback";
        entry(ui, "glow:", "created or released in this step", tip);
    }
    if !meanings.recording.as_ref().is_some_and(|it| it.has_boxes) {
        return;
    }
    for (color, meaning) in OBJECTS
        .into_iter()
        .zip(["living", "released", "in this step"])
    {
        let tip = "Numbers of objects in the boxes beside the busiest blocks";
        together(ui, tip, |ui| {
            swatch(ui, linear(color));
            ui.label(egui::RichText::new(meaning).small());
        });
    }
    let meaning = "age in steps, the youngest first, the last all older";
    let tip = "How long the objects of a block have lived";
    entry(ui, "bars:", meaning, tip);
}

/// Files that are not shown by what they are for.
fn not_shown(ui: &mut Ui, meanings: &Meanings<'_>) {
    let parts = meanings.settings.without.iter();
    let parts = parts.map(|purpose| (meanings.landscape.of_purpose(purpose), purpose));
    let parts = parts.filter(|(files, _)| *files > 0);
    let parts = parts.map(|(files, purpose)| {
        let files = text::counted(files as u64, "file", "files");
        format!("{} ({files})", purpose.plural())
    });
    let parts: Vec<String> = parts.collect();
    if !parts.is_empty() {
        ui.add_space(14.0);
        let tip = "Files hidden by Settings, Files shown";
        entry(ui, "Not shown:", &parts.join(", "), tip);
    }
}

fn area(ui: &mut Ui, meanings: &Meanings<'_>, wanted: &mut Wanted) {
    let Meanings {
        settings,
        hierarchy,
        landscape,
        ..
    } = *meanings;
    let measure = landscape.metrics().measure();
    let amounts = landscape.amounts();
    let both = landscape.metrics().difference().and_then(|it| {
        let measure = match settings.area {
            Metric::Calls => Measure::Calls,
            Metric::SelfCost => Measure::SelfCost,
            _ => return None,
        };
        it.both(ModuleId::ROOT, measure)
    });
    let all = match (amounts.area, settings.area) {
        // Footprints are as large as in the run that has more there.
        (Some(_), _) if both.is_some() => format!(", {} in all", both.unwrap_or_default()),
        (Some(all), area) => format!(", {} in all", measure.text(area, all)),
        (None, Metric::LinesOfCode) => ", none known: functions alike".to_owned(),
        // It does not add up.
        (None, _) => String::new(),
    };
    let tip = "Ground that a block covers. Drag over the bars to highlight a range";
    together(ui, tip, |ui| {
        ui.label(style::weak("Area").small());
        let meaning = format!("{}{all}", measure.title(settings.area));
        ui.label(egui::RichText::new(meaning).small());
        let scale = landscape.area_scale(hierarchy);
        brush(ui, scale, settings.highlight, wanted);
    });
}

fn height(ui: &mut Ui, meanings: &Meanings<'_>, wanted: &mut Wanted) {
    let Meanings {
        settings,
        hierarchy,
        landscape,
        ..
    } = *meanings;
    let measure = landscape.metrics().measure();
    let amounts = landscape.amounts();
    match settings.height {
        None => {
            let tip = "Each terrace is a module and stands on the module that holds it";
            entry(ui, "Height", "level of the hierarchy", tip);
        }
        Some(metric) => {
            let most = match amounts.height {
                Some(most) => {
                    let scale = settings.height_scale.map_or("square root", Scale::name);
                    let when = match landscape.metrics().played() {
                        _ if metric.is_live() => " at the peak of live memory",
                        Some(_) if metric.is_of_history() => " at any time",
                        _ => "",
                    };
                    format!("{scale}, up to {}{when}", measure.text(metric, most))
                }
                None => "no data".to_owned(),
            };
            let tip = "Height of a block. Drag over the bars to highlight a range";
            together(ui, tip, |ui| {
                ui.label(style::weak("Height").small());
                let meaning = format!("{}, {most}", meanings.title(metric));
                ui.label(egui::RichText::new(meaning).small());
                if let Some(scale) = landscape.height_scale(hierarchy) {
                    brush(ui, scale, settings.highlight, wanted);
                }
            });
            ui.add_space(14.0);
        }
    }
}

fn colour(ui: &mut Ui, meanings: &Meanings<'_>, wanted: &mut Wanted) {
    match meanings.settings.surface {
        Surface::Neutral => {
            let tip = "The deeper a module is nested, the lighter it is";
            entry(ui, "Lightness", "level of the hierarchy", tip);
        }
        Surface::District => {
            let tip = "Each top-level directory has one colour in all views";
            entry(ui, "Colour", "district, as in timelines", tip);
        }
        Surface::Language => of_languages(ui, meanings.hierarchy),
        Surface::Purpose => of_purposes(ui, meanings.hierarchy),
        Surface::Person => of_people(ui, meanings.landscape),
        Surface::Difference => of_difference(ui, meanings),
        Surface::Metric(metric) => of_metric(ui, meanings, metric, wanted),
    }
}

fn of_languages(ui: &mut Ui, hierarchy: &Hierarchy) {
    let tip = "Programming language of a file";
    together(ui, tip, |ui| {
        ui.label(style::weak("Colour").small());
        ui.label(egui::RichText::new("language").small());
    });
    for (name, color) in languages(hierarchy) {
        together(ui, tip, |ui| {
            swatch(ui, color);
            ui.label(egui::RichText::new(name).small());
        });
    }
    ui.add_space(14.0);
}

fn of_purposes(ui: &mut Ui, hierarchy: &Hierarchy) {
    let tip = "Purpose of a file, inferred from its name";
    together(ui, tip, |ui| {
        ui.label(style::weak("Colour").small());
        ui.label(egui::RichText::new("purpose of files").small());
    });
    for (purpose, color) in purposes(hierarchy) {
        together(ui, tip, |ui| {
            swatch(ui, color);
            ui.label(egui::RichText::new(purpose.name()).small());
        });
    }
    let tip = "Generated, vendored, minified and data-like files";
    entry(ui, "neutral:", "not written by hand", tip);
}

fn of_people(ui: &mut Ui, landscape: &City) {
    let tip = "Who made most changes to a file, for those with most changes overall";
    together(ui, tip, |ui| {
        ui.label(style::weak("Colour").small());
        ui.label(egui::RichText::new("main author").small());
    });
    let people = landscape.metrics().people();
    for ((_, name), color) in people.iter().zip(people_colors()) {
        together(ui, tip, |ui| {
            swatch(ui, color);
            ui.label(egui::RichText::new(escape::name(name)).small());
        });
    }
    entry(ui, "neutral:", "other people", tip);
}

fn of_difference(ui: &mut Ui, meanings: &Meanings<'_>) {
    let (settings, landscape) = (meanings.settings, meanings.landscape);
    let palette = Palette::of(settings.theme);
    ui.label(style::weak("Colour").small());
    match landscape.metrics().difference() {
        None => {
            let text = "no difference through a mapping";
            ui.label(egui::RichText::new(text).small());
        }
        Some(difference) => {
            let meaning = format!("{}, B against A:", difference.measure.title());
            ui.label(egui::RichText::new(meaning).small());
            for (strength, text) in difference.ticks() {
                // What is equal keeps the colour of the terraces.
                let color = match strength {
                    0.0 => palette.deepest,
                    _ => diverging(settings.theme, strength),
                };
                let tip = "How much more, orange, or less, blue, B has in a block than A";
                together(ui, tip, |ui| {
                    swatch(ui, color);
                    ui.label(egui::RichText::new(text).small());
                });
            }
            for (mark, meaning) in [
                ("upright stripes:", "more"),
                ("level:", "less"),
                ("slanting:", "only in B"),
                ("crossed:", "only in A"),
            ] {
                let tip = "Pattern on a block, the same as its colour for those who cannot tell colours apart";
                entry(ui, mark, meaning, tip);
            }
            if landscape.tells_causes() {
                let tip = "Blocks that explain most of the difference; others are paler";
                entry(ui, "edges:", "a cause of more or less", tip);
            }
        }
    }
    ui.add_space(14.0);
}

fn of_metric(ui: &mut Ui, meanings: &Meanings<'_>, metric: Metric, wanted: &mut Wanted) {
    let (settings, landscape) = (meanings.settings, meanings.landscape);
    let scale = landscape.color_scale();
    let meaning = format!("{}, {}", meanings.title(metric), scale.scale.name());
    let tip = "Drag over the bars to highlight a range";
    together(ui, tip, |ui| {
        ui.label(style::weak("Colour").small());
        let title = ui.label(egui::RichText::new(meaning).small());
        title.on_hover_text(metric.rule());
        metric_scale(ui, settings.theme, scale, settings.highlight, wanted);
    });
    if scale.without > 0 && !scale.is_empty() {
        let without = match metric.origin() {
            Origin::Coverage => "without counted lines",
            _ => "without a value",
        };
        let blocks = text::counted(scale.without.into(), "block", "blocks");
        let without = format!("{blocks} {without}");
        entry(
            ui,
            "neutral:",
            &without,
            "Blocks in the colour of the terraces",
        );
    }
    ui.add_space(14.0);
}

/// Where something says coverage, that of the whole tree, and what of the reports is not in it.
fn covered(ui: &mut Ui, meanings: &Meanings<'_>) {
    let settings = meanings.settings;
    let shown = [
        Some(settings.area),
        settings.height,
        settings.surface.metric(),
    ];
    let metrics = meanings.landscape.metrics();
    let is_shown = shown
        .iter()
        .flatten()
        .any(|it| it.origin() == Origin::Coverage);
    let Some(coverage) = metrics.coverage().filter(|_| is_shown) else {
        return;
    };
    let mut told = match metrics.covered(meanings.hierarchy, ModuleId::ROOT) {
        Some(all) => format!("{} in all", measure::covered(all)),
        None => "the displayed modules contain no line of the reports".to_owned(),
    };
    if coverage.unknown > 0 {
        let lines = text::counted(coverage.unknown, "line", "lines");
        told += &format!("; ignored: {lines} of files outside the source");
    }
    let tip = "Lines of code that ran, of those that the reports count";
    entry(ui, "Coverage", &told, tip);
}

/// What runs, and what has run.
fn running(ui: &mut Ui, meanings: &Meanings<'_>, shown: &RecordingShown) {
    let (settings, landscape) = (meanings.settings, meanings.landscape);
    let palette = Palette::of(settings.theme);
    let is_difference = settings.surface == Surface::Difference;
    // A chosen colour is not hidden by the glow of changes.
    let is_history = landscape.metrics().played().is_some();
    let glows = !is_history || settings.surface == Surface::Neutral;
    if shown.plays && is_difference {
        // What runs has the colour of what differs.
        if !landscape.is_summary() {
            let tip = "Functions that run at the displayed time rise above the others";
            entry(ui, "raised:", "runs now", tip);
        }
    } else if shown.plays && glows {
        let tip = match landscape.is_summary() {
            true => "The more time a function took itself, the redder its block",
            false if is_history => {
                "Red files change at the displayed time; those changed before turn amber and fade"
            }
            false => {
                "Red functions run at the displayed time; those that ended turn amber and fade"
            }
        };
        together(ui, tip, |ui| {
            if landscape.is_summary() {
                ramp(ui, palette.warm, palette.hot);
                entry(ui, "past activity:", "more self cost", tip);
            } else {
                ramp(ui, palette.hot, palette.warm);
                let half_life = format!("half in {}", settings.half_life);
                let what = match is_history {
                    true => "changed now, then fades:",
                    false => "runs now, then fades:",
                };
                entry(ui, what, &half_life, tip);
            }
        });
    }
    if let Some(interval) = shown.known_to.filter(|_| shown.plays) {
        let known = format!("begins and ends of calls are known to {interval}");
        let tip = "A sampler looks at the stacks from time to time only";
        entry(ui, "Sampled:", &known, tip);
    }
}
