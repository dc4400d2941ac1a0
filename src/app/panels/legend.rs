//! What area, height, colour and arcs mean: the strip over the playback bar, and under pictures.

use egui::{Align2, Color32, FontId, Rect, Response, Sense, Ui, Vec2, pos2, vec2};

use super::super::ask::LookAsk;
use super::super::style;
use super::{Context, text};
use crate::facts::hierarchy::Hierarchy;
use crate::model::highlight::Highlight;
use crate::model::landscape::LandscapeSettings;
use crate::model::metric::Metric;
use crate::model::surface::{Scale, Surface};
use crate::model::theme::Theme;
use crate::render::ink::diverging;
use crate::state::city::{BARS, City, ColorScale, color_at, languages};

/// What a legend explains.
pub struct Meanings<'a> {
    pub settings: &'a LandscapeSettings,
    pub hierarchy: &'a Hierarchy,
    pub landscape: &'a City,
    /// Of the recording that is shown, if one is.
    pub recording: Option<Shown>,
}

/// What a recording shows over the blocks.
pub struct Shown {
    /// Whether something runs at a time; profiles have none.
    pub plays: bool,
    pub counts_calls: bool,
    /// Call relations that are not drawn.
    pub left_out: usize,
    /// Room is kept for what comes and goes as the recording plays, so that nothing else moves.
    pub keeps_room: bool,
}

pub(super) fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let bench = context.bench;
    let Some(document) = &bench.document else {
        return;
    };
    if !bench.shown.legend {
        return;
    }
    let meanings = Meanings {
        settings: &bench.settings,
        hierarchy: &document.session.hierarchy,
        landscape: &document.landscape,
        recording: document.resolved().map(|_| Shown {
            plays: document.playback.is_some(),
            counts_calls: document.counts_calls(),
            left_out: document.landscape.arcs_left_out(),
            keeps_room: true,
        }),
    };
    let panel = egui::Panel::bottom("legend")
        .frame(frame(ui))
        .resizable(false);
    panel.show(ui, |ui| {
        // With the same meanings it never becomes lower again: the views over it stay where they are.
        let id = egui::Id::unique("height of the legend");
        let width = ui.available_width();
        let known: Option<Height> = ui.data(|data| data.get_temp(id));
        let known = known.filter(|it| it.width == width && it.settings == bench.settings);
        let least = known.map_or(0.0, |it| it.height);
        ui.set_min_height(least);
        context.asks.extend(strip(ui, &meanings));
        let height = ui.min_rect().height();
        if known.is_none() || height > least {
            let settings = bench.settings;
            let found = Height {
                width,
                settings,
                height,
            };
            ui.data_mut(|data| data.insert_temp(id, found));
        }
    });
}

/// How high the strip has been with these settings, in points.
#[derive(Clone, Copy)]
struct Height {
    width: f32,
    settings: LandscapeSettings,
    height: f32,
}

/// What surrounds the strip.
pub fn frame(ui: &Ui) -> egui::Frame {
    egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::symmetric(12, 5))
}

/// The legend in as many rows as it needs, in the window and in pictures without one; what is asked for by dragging
/// over a distribution.
pub fn strip(ui: &mut Ui, meanings: &Meanings<'_>) -> Option<LookAsk> {
    let Meanings {
        settings,
        hierarchy,
        landscape,
        ..
    } = *meanings;
    let palette = settings.theme.palette();
    let measure = landscape.metrics().measure();
    let amounts = landscape.amounts();
    // All entries are as high as the highest, or they would not stand on one line.
    ui.spacing_mut().interact_size.y = match settings.surface {
        Surface::Metric(_) => SCALE_HEIGHT,
        Surface::Neutral | Surface::District | Surface::Language | Surface::Difference => 24.0,
    };
    let highlight = settings.highlight;
    let mut wanted = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(5.0, 3.0);
        let all = match (amounts.area, settings.area) {
            (Some(all), area) => format!(", {} in all", measure.text(area, all)),
            (None, Metric::LinesOfCode) => ", none known: functions alike".to_owned(),
            // It does not add up.
            (None, _) => String::new(),
        };
        together(ui, |ui| {
            ui.label(style::weak("Area").small());
            let meaning = format!("{}{all}", measure.title(settings.area));
            ui.label(egui::RichText::new(meaning).small());
            let scale = landscape.area_scale(hierarchy);
            brush(ui, scale, highlight, &mut wanted);
        });
        ui.add_space(14.0);
        match settings.height {
            None => entry(ui, "Height", "level of the hierarchy"),
            Some(metric) => {
                let most = match amounts.height {
                    Some(most) => {
                        let scale = settings.height_scale.map_or("square root", Scale::name);
                        format!("{scale}, up to {}", measure.text(metric, most))
                    }
                    None => "nothing is known of it".to_owned(),
                };
                together(ui, |ui| {
                    ui.label(style::weak("Height").small());
                    let meaning = format!("{}, {most}", measure.title(metric));
                    ui.label(egui::RichText::new(meaning).small());
                    if let Some(scale) = landscape.height_scale(hierarchy) {
                        brush(ui, scale, highlight, &mut wanted);
                    }
                });
                ui.add_space(14.0);
            }
        }
        match settings.surface {
            Surface::Neutral => entry(ui, "Lightness", "level of the hierarchy"),
            Surface::District => entry(ui, "Colour", "district, as along time"),
            Surface::Language => {
                together(ui, |ui| {
                    ui.label(style::weak("Colour").small());
                    ui.label(egui::RichText::new("language").small());
                });
                for (name, color) in languages(hierarchy) {
                    together(ui, |ui| {
                        swatch(ui, color);
                        ui.label(egui::RichText::new(name).small());
                    });
                }
                ui.add_space(14.0);
            }
            Surface::Difference => {
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
                            together(ui, |ui| {
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
                            entry(ui, mark, meaning);
                        }
                    }
                }
                ui.add_space(14.0);
            }
            Surface::Metric(metric) => {
                let scale = landscape.color_scale();
                let meaning = format!("{}, {}", measure.title(metric), settings.scale.name());
                together(ui, |ui| {
                    ui.label(style::weak("Colour").small());
                    let title = ui.label(egui::RichText::new(meaning).small());
                    title.on_hover_text(metric.rule());
                    metric_scale(ui, settings.theme, scale, highlight, &mut wanted);
                });
                if scale.without > 0 && !scale.is_empty() {
                    let without = match scale.without {
                        1 => "1 block without a value".to_owned(),
                        many => format!("{} blocks without a value", text::count(many.into())),
                    };
                    entry(ui, "neutral:", &without);
                }
                ui.add_space(14.0);
            }
        }
        match landscape.blocks_left_out() {
            0 => {}
            left_out => {
                let text = format!(
                    "{} shown as one with what they lie in",
                    text::count(left_out as u64)
                );
                entry(ui, "Smallest modules", &text);
            }
        }
        highlighted(ui, meanings, &mut wanted);
        let Some(shown) = &meanings.recording else {
            return;
        };
        let is_difference = meanings.settings.surface == Surface::Difference;
        if shown.plays && is_difference {
            // What runs has the colour of what differs.
            if !landscape.is_summary() {
                together(ui, |ui| entry(ui, "raised:", "runs now"));
            }
        } else if shown.plays {
            together(ui, |ui| {
                if landscape.is_summary() {
                    ramp(ui, palette.warm, palette.hot);
                    entry(ui, "what ran:", "more self cost");
                } else {
                    ramp(ui, palette.hot, palette.warm);
                    let half_life = format!("half in {}", settings.half_life);
                    entry(ui, "runs now, then fades:", &half_life);
                }
            });
        }
        super::arc_legend::show(ui, meanings, shown);
    });
    wanted.map(LookAsk::Highlight)
}

/// What stands out, and what takes that away.
fn highlighted(ui: &mut Ui, meanings: &Meanings<'_>, wanted: &mut Option<Option<Highlight>>) {
    let landscape = meanings.landscape;
    let Some(highlight) = meanings.settings.highlight else {
        return;
    };
    let measure = landscape.metrics().measure();
    let text_of = |value| measure.text(highlight.metric, value);
    let range = match (highlight.low > 0.0, highlight.high < f64::MAX) {
        (true, false) => format!("{} and more", text_of(highlight.low)),
        (false, true) => format!("up to {}", text_of(highlight.high)),
        _ => format!("{} to {}", text_of(highlight.low), text_of(highlight.high)),
    };
    let (taken, all) = landscape.highlighted();
    let text = format!(
        "{} {range}: {} of {} blocks",
        measure.title(highlight.metric),
        text::count(taken.into()),
        text::count(all.into()),
    );
    together(ui, |ui| {
        let colors = style::colors(meanings.settings.theme);
        ui.label(
            egui::RichText::new("Highlighted")
                .small()
                .color(colors.accent),
        );
        let label = egui::Label::new(egui::RichText::new(text).small()).sense(Sense::click());
        let response = ui.add(label);
        if response
            .on_hover_text("Click to show all alike again (Escape)")
            .clicked()
        {
            *wanted = Some(None);
        }
    });
    ui.add_space(14.0);
}

/// The distribution of values, small; see [`drag_over`].
fn brush(
    ui: &mut Ui,
    scale: &ColorScale,
    highlight: Option<Highlight>,
    wanted: &mut Option<Option<Highlight>>,
) {
    if scale.is_empty() {
        return;
    }
    let size = vec2(96.0, 22.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let foot = rect.bottom() - 3.0;
    let line = ui.visuals().widgets.noninteractive.bg_stroke;
    ui.painter().hline(rect.x_range(), foot + 0.5, line);
    let plot = Rect::from_x_y_ranges(rect.x_range(), rect.top()..=foot);
    bars(ui, plot, scale, highlight);
    let said = format!("{}, {}", scale.title(), scale.scale.name());
    drag_over(ui, plot, response, scale, highlight, wanted, &said);
}

/// How many blocks have which values, standing on the lower edge of `plot`; those in the highlight stand out.
fn bars(ui: &Ui, plot: Rect, scale: &ColorScale, highlight: Option<Highlight>) {
    let highlight = highlight.filter(|it| Some(it.metric) == scale.metric);
    let accent = ui.visuals().selection.stroke.color;
    let ink = ui.visuals().weak_text_color();
    let painter = ui.painter();
    let most = scale.bars.iter().copied().max().unwrap_or(1).max(1);
    if let Some(highlight) = highlight {
        let x = |value| plot.left() + plot.width() * scale.share(value);
        let (left, right) = (x(highlight.low), x(highlight.high));
        let range = Rect::from_x_y_ranges(left..=right.max(left + 2.0), plot.y_range());
        painter.rect_filled(range, 0, accent.gamma_multiply(0.2));
    }
    for (bar, &count) in scale.bars.iter().enumerate() {
        if count == 0 {
            continue;
        }
        let share = |edge: usize| edge as f32 / BARS as f32;
        let middle = (share(bar) + share(bar + 1)) * 0.5;
        let is_in = highlight.is_some_and(|it| it.takes(scale.value_at(middle)));
        // The root, so that what is rare stays to be seen.
        let height = (plot.height() - 2.0) * (count as f32 / most as f32).sqrt();
        let rect = Rect::from_min_max(
            pos2(
                plot.left() + plot.width() * share(bar) + 0.5,
                plot.bottom() - height.max(1.0),
            ),
            pos2(
                plot.left() + plot.width() * share(bar + 1) - 0.5,
                plot.bottom(),
            ),
        );
        painter.rect_filled(rect, 0, if is_in { accent } else { ink });
    }
}

/// A drag over a distribution has the values from its start to its end stand out, a click those of a bar, or all
/// alike again where they do already.
fn drag_over(
    ui: &Ui,
    plot: Rect,
    response: Response,
    scale: &ColorScale,
    highlight: Option<Highlight>,
    wanted: &mut Option<Option<Highlight>>,
    said: &str,
) {
    let Some(metric) = scale.metric else { return };
    let share = |at: egui::Pos2| ((at.x - plot.left()) / plot.width()).clamp(0.0, 1.0);
    let of = |from: f32, to: f32| {
        let [low, high] = scale.range(from.min(to), from.max(to));
        Highlight { metric, low, high }
    };
    let bar_at = |at: egui::Pos2| ((share(at) * BARS as f32) as usize).min(BARS - 1);
    let edge = |edge: usize| edge as f32 / BARS as f32;
    if response.dragged()
        && let Some(at) = response.interact_pointer_pos()
    {
        let pressed = ui.input(|input| input.pointer.press_origin());
        let start = pressed.map_or(share(at), share);
        let next = of(start, share(at));
        if highlight != Some(next) {
            *wanted = Some(Some(next));
        }
    } else if response.clicked()
        && let Some(at) = response.interact_pointer_pos()
    {
        let bar = bar_at(at);
        let next = of(edge(bar), edge(bar + 1));
        let middle = scale.value_at((edge(bar) + edge(bar + 1)) * 0.5);
        let is_in = highlight.is_some_and(|it| it.metric == metric && it.takes(middle));
        *wanted = Some((!is_in).then_some(next));
    }
    if let Some(at) = response.hover_pos().filter(|_| !response.dragged()) {
        let bar = bar_at(at);
        let value = |at: usize| scale.text(scale.value_at(edge(at)));
        response.on_hover_text(format!(
            "{said}\n{} to {}: {} blocks\nDrag over a range to have it stand out",
            value(bar),
            value(bar + 1),
            text::count(scale.bars[bar].into())
        ));
    }
}

/// What is not torn apart at the end of a row; as high as the row.
pub(super) fn together(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    let row = ui.spacing().interact_size.y;
    // It is known only afterwards how wide it is: the pass before tells.
    let id = ui.next_auto_id().with("width");
    let width: f32 = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let shown = ui.allocate_ui_with_layout(
        vec2(width, row),
        egui::Layout::left_to_right(egui::Align::Center),
        |ui| {
            ui.set_min_height(row);
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            add(ui);
            ui.min_rect().width()
        },
    );
    let found = shown.inner;
    if (found - width).abs() > 0.5 {
        ui.data_mut(|data| data.insert_temp(id, found));
        ui.ctx().request_discard("the legend has other widths");
    }
}

/// The height of a metric's scale, and of that the bars over its colours at most.
const SCALE_HEIGHT: f32 = 36.0;
const PEAK: f32 = 16.0;

/// The colours of a metric with the values that they stand for, and over them how many blocks have which.
fn metric_scale(
    ui: &mut Ui,
    theme: Theme,
    scale: &ColorScale,
    highlight: Option<Highlight>,
    wanted: &mut Option<Option<Highlight>>,
) {
    if scale.is_empty() {
        ui.label(egui::RichText::new("nothing is known of it").small());
        return;
    }
    const WIDTH: f32 = 216.0;
    const BAR: f32 = 7.0;
    let font = FontId::proportional(10.0);
    let ink = ui.visuals().weak_text_color();
    let (rect, response) =
        ui.allocate_exact_size(vec2(WIDTH, SCALE_HEIGHT), Sense::click_and_drag());
    let ramp = Rect::from_min_size(rect.left_top() + vec2(0.0, PEAK), vec2(WIDTH, BAR));
    let painter = ui.painter();
    for bar in 0..BARS {
        let share = |edge: usize| edge as f32 / BARS as f32;
        let columns = ramp.left() + WIDTH * share(bar)..=ramp.left() + WIDTH * share(bar + 1);
        let middle = (share(bar) + share(bar + 1)) * 0.5;
        let [r, g, b] = color_at(theme, middle);
        let color = Color32::from(egui::Rgba::from_rgb(r, g, b));
        painter.rect_filled(Rect::from_x_y_ranges(columns, ramp.y_range()), 0, color);
    }
    let plot = Rect::from_x_y_ranges(ramp.x_range(), rect.top()..=ramp.top() - 1.0);
    bars(ui, plot, scale, highlight);
    for (share, align) in [
        (0.0, Align2::LEFT_TOP),
        (0.5, Align2::CENTER_TOP),
        (1.0, Align2::RIGHT_TOP),
    ] {
        let at = pos2(ramp.left() + WIDTH * share, ramp.bottom() + 1.0);
        let text = scale.text(scale.value_at(share));
        painter.text(at, align, text, font.clone(), ink);
    }
    let said = format!("{}, {}", scale.title(), scale.scale.name());
    drag_over(ui, plot, response, scale, highlight, wanted, &said);
}

/// A small square in a linear colour.
fn swatch(ui: &mut Ui, [r, g, b]: [f32; 3]) {
    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 16.0), Sense::hover());
    let color = Color32::from(egui::Rgba::from_rgb(r, g, b));
    let square = Rect::from_center_size(rect.center(), vec2(9.0, 9.0));
    ui.painter().rect_filled(square, 2, color);
    // Light ones would be lost on the panel.
    let line = ui.visuals().widgets.noninteractive.bg_stroke;
    ui.painter()
        .rect_stroke(square, 2, line, egui::StrokeKind::Inside);
}

pub(super) fn entry(ui: &mut Ui, what: &str, meaning: &str) {
    together(ui, |ui| {
        ui.label(style::weak(what).small());
        ui.label(egui::RichText::new(meaning).small());
    });
    ui.add_space(14.0);
}

/// A short bar that runs from one linear colour to another.
fn ramp(ui: &mut Ui, from: [f32; 3], to: [f32; 3]) {
    let color = |[r, g, b]: [f32; 3]| Color32::from(egui::Rgba::from_rgb(r, g, b));
    let (from, to) = (color(from), color(to));
    let (rect, _) = ui.allocate_exact_size(Vec2::new(48.0, 16.0), Sense::hover());
    let bar = rect.shrink2(Vec2::new(0.0, 5.0));
    const STEPS: usize = 24;
    for step in 0..STEPS {
        let share = |step: usize| step as f32 / STEPS as f32;
        let x = |share: f32| bar.left() + bar.width() * share;
        let part = Rect::from_x_y_ranges(x(share(step))..=x(share(step + 1)), bar.y_range());
        let color = from.lerp_to_gamma(to, share(step));
        ui.painter().rect_filled(part, 0, color);
    }
}
