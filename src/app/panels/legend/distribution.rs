//! The distribution of values over the blocks, and the drag that has some of them stand out.

use egui::{Align2, Color32, FontId, Rect, Response, Role, Sense, Ui, pos2, vec2};

use super::entries::{Meanings, together};
use callscape_model::highlight::Highlight;
use callscape_model::theme::Theme;
use callscape_state::city::{BARS, ColorScale};
use callscape_views::widgets::tell;
use callscape_views::{style, text};

/// The height of a metric's scale, and of that the bars over its colours at most.
pub(super) const SCALE_HEIGHT: f32 = 36.0;
const PEAK: f32 = 16.0;

/// The colours of a metric with the values that they stand for, and over them how many blocks have which.
pub(super) fn metric_scale(
    ui: &mut Ui,
    theme: Theme,
    scale: &ColorScale,
    highlight: Option<Highlight>,
    wanted: &mut Option<Option<Highlight>>,
) {
    if scale.is_empty() {
        ui.label(egui::RichText::new("no data").small());
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
        let [r, g, b] = scale.color(theme, middle);
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

/// What stands out, and what takes that away.
pub(super) fn highlighted(
    ui: &mut Ui,
    meanings: &Meanings<'_>,
    wanted: &mut Option<Option<Highlight>>,
) {
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
    together(ui, "Blocks with these values keep their colours", |ui| {
        let colors = style::colors(meanings.settings.theme);
        ui.label(
            egui::RichText::new("Highlighted")
                .small()
                .color(colors.accent),
        );
        let label = egui::Label::new(egui::RichText::new(text).small()).sense(Sense::click());
        let response = ui.add(label);
        if response
            .on_hover_text("Click to clear the highlight (Escape)")
            .clicked()
        {
            *wanted = Some(None);
        }
    });
    ui.add_space(14.0);
}

/// The distribution of values, small; see [`drag_over`].
pub(super) fn brush(
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
    tell(
        &response,
        Role::Image,
        format_args!("number of blocks by value: {said}"),
    );
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
            "{said}\n{} to {}: {} blocks\nDrag over a range to highlight it",
            value(bar),
            value(bar + 1),
            text::count(scale.bars[bar].into())
        ));
    }
}
