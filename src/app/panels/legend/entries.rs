//! What all legends are made of: words that stay together, entries, and colours.

use egui::{Color32, Rect, Sense, Ui, Vec2, vec2};

use callscape_base::units::Cost;
use callscape_facts::hierarchy::Hierarchy;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metric::{Metric, Origin};
use callscape_state::city::City;
use callscape_views::style;

/// What a legend explains.
pub(crate) struct Meanings<'a> {
    pub settings: &'a LandscapeSettings,
    pub hierarchy: &'a Hierarchy,
    pub landscape: &'a City,
    /// It stands in the window, where it can be clicked.
    pub is_window: bool,
    /// Of the recording that is shown, if one is.
    pub recording: Option<RecordingShown>,
}

/// What a recording shows over the blocks.
pub(crate) struct RecordingShown {
    /// Whether something runs at a time; profiles have none.
    pub plays: bool,
    /// Which of two runs it is, where there are two.
    pub letter: Option<&'static str>,
    pub counts_calls: bool,
    /// The value that a profile shows.
    pub value: Option<String>,
    /// How exactly it is known when sampled calls began and ended.
    pub known_to: Option<Cost>,
    /// Call relations that are not drawn.
    pub left_out: usize,
    /// What is not there because it is called too often.
    pub frequent: Option<String>,
    /// What has its edges drawn, in words.
    pub marked: Option<String>,
    /// Whether boxes beside blocks show their objects.
    pub has_boxes: bool,
    /// Room is kept for what comes and goes as the recording plays, so that nothing else moves.
    pub keeps_room: bool,
}

impl Meanings<'_> {
    /// What a metric is called, of two runs with the one that it is of.
    pub(crate) fn title(&self, metric: Metric) -> String {
        let title = self.landscape.metrics().measure().title(metric);
        let letter = self.recording.as_ref().and_then(|it| it.letter);
        match letter.filter(|_| {
            matches!(
                metric.origin(),
                Origin::Recording | Origin::Relations | Origin::Memory
            )
        }) {
            Some(letter) => format!("{title} of {letter}"),
            None => title,
        }
    }
}

/// What is not torn apart at the end of a row; as high as the row. `tip` explains it where it is pointed at.
pub(crate) fn together(ui: &mut Ui, tip: &str, add: impl FnOnce(&mut Ui)) {
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
    if !tip.is_empty() {
        shown.response.on_hover_text(tip);
    }
    if (found - width).abs() > 0.5 {
        ui.data_mut(|data| data.insert_temp(id, found));
        ui.ctx().request_discard("the legend has other widths");
    }
}

/// A small square in a linear colour.
pub(crate) fn swatch(ui: &mut Ui, [r, g, b]: [f32; 3]) {
    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 16.0), Sense::hover());
    let color = Color32::from(egui::Rgba::from_rgb(r, g, b));
    let square = Rect::from_center_size(rect.center(), vec2(9.0, 9.0));
    ui.painter().rect_filled(square, 2, color);
    // Light ones would be lost on the panel.
    let line = ui.visuals().widgets.noninteractive.bg_stroke;
    ui.painter()
        .rect_stroke(square, 2, line, egui::StrokeKind::Inside);
}

/// A word and what it means, and more of that where it is pointed at.
pub(crate) fn entry(ui: &mut Ui, what: &str, meaning: &str, tip: &str) {
    together(ui, tip, |ui| {
        ui.label(style::weak(what).small());
        ui.label(egui::RichText::new(meaning).small());
    });
    ui.add_space(14.0);
}

/// A short bar that runs from one linear colour to another.
pub(crate) fn ramp(ui: &mut Ui, from: [f32; 3], to: [f32; 3]) {
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
