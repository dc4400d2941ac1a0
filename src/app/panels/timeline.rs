//! The timeline in the bottom bar: the playback position, and the marks on it.

use egui::{Color32, Rect, Role, Sense, Ui, Vec2};

use super::context::Context;
use super::ring;
use callscape_base::escape;
use callscape_base::units::{Cost, Time, TimeRange};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Trace;
use callscape_layout::sheet;
use callscape_model::navigate;
use callscape_state::ask::{PlayAsk, SelectAsk};
use callscape_state::playback::Playback;
use callscape_views::hatching;
use callscape_views::style;
use callscape_views::widgets::tell;

/// Shows the whole trace as a bar with the played part, the last step, and a handle that seeks.
pub(super) fn show(
    ui: &mut Ui,
    playback: &Playback,
    recording: &Recording,
    context: &mut Context<'_>,
) {
    let (trace, all) = (&recording.trace, recording.all_events());
    let size = Vec2::new(ui.available_width(), 18.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let clock = playback.cel(all).end;
    ring::mark(&response, "time");
    tell(
        &response,
        Role::Slider,
        format_args!(
            "Time: {} of {}",
            recording.written(clock),
            recording.written(trace.range().end)
        ),
    );
    let track = Rect::from_center_size(rect.center(), Vec2::new(rect.width() - 14.0, 4.0));
    let end = trace.range().end.ns().max(1) as f64;
    let x_of = |time: Time| {
        let share = (time.ns() as f64 / end) as f32;
        track.left() + track.width() * share.clamp(0.0, 1.0)
    };
    let time_at = |x: f32| {
        let share = f64::from((x - track.left()) / track.width().max(1.0)).clamp(0.0, 1.0);
        Time::from_ns((end * share) as u64)
    };
    let colors = style::colors(context.desk.state.settings.theme);
    let cel = playback.cel(all);
    let (start, now) = (x_of(cel.start), x_of(cel.end));
    let part = |from: f32, to: f32, color: Color32| {
        let part = Rect::from_x_y_ranges(from..=to, track.y_range());
        ui.painter().rect_filled(part, 2, color);
    };
    part(track.left(), track.right(), colors.inset);
    let range = context
        .desk
        .state
        .document
        .as_ref()
        .and_then(|it| it.selection.range);
    if let Some(range) = range {
        let shown = Rect::from_x_y_ranges(x_of(range.start)..=x_of(range.end), rect.y_range());
        let fill = colors.accent.gamma_multiply(0.22);
        ui.painter().rect_filled(shown, 3, fill);
    }
    mark_gaps(ui, rect, track, recording, x_of, colors.weak);
    mark_tags(ui, rect, recording, x_of, colors.weak);
    part(track.left(), now, colors.accent.gamma_multiply(0.55));
    part(start, now, colors.accent);
    let radius = if is_held(&response) || response.hovered() {
        7.0
    } else {
        6.0
    };
    mark_selection(ui, rect, track, trace, x_of, context);
    let handle = egui::pos2(now, track.center().y);
    ui.painter().circle_filled(handle, radius, colors.accent);
    ui.painter()
        .circle_filled(handle, radius - 3.0, colors.panel);
    // A click finds the tag that is near, a drag goes past it.
    let is_free = ui.input(|input| input.pointer.is_decidedly_dragging());
    let time_at = |x: f32| {
        let tag = tag_near(recording, x, x_of).filter(|_| !is_free);
        tag.map_or_else(|| time_at(x), |(time, _)| time)
    };
    scrub(ui, playback, &response, time_at, context);
    if let Some(pointer) = response.hover_pos() {
        context.pointed.time = Some(time_at(pointer.x));
        let time = time_at(pointer.x);
        let mut told = recording.written(time);
        if let Some((_, tag)) = tag_near(recording, pointer.x, x_of) {
            told = format!("{told}, {}; click to go there", escape::name(tag));
        }
        response.on_hover_text_at_pointer(told);
    }
}

/// How near the pointer has to be for a tag to be named, in points.
const TAG_NEAR: f32 = 4.0;

fn is_held(response: &egui::Response) -> bool {
    response.dragged() || response.is_pointer_button_down_on()
}

/// Hatches where nothing was recorded. O(pixels × log gaps).
fn mark_gaps(
    ui: &Ui,
    rect: Rect,
    track: Rect,
    recording: &Recording,
    x_of: impl Fn(Time) -> f32,
    color: Color32,
) {
    const STEP: f32 = 5.0;
    let range = recording.trace.range();
    let pixel = range.length().ns() as f64 / f64::from(track.width().max(1.0));
    let band = rect.shrink2(Vec2::new(0.0, 3.0));
    let painter = ui.painter();
    for gap in recording.gaps.seen(range, Cost::from_ns(pixel as u64)) {
        let (left, right) = (x_of(gap.start), x_of(gap.end));
        let part = Rect::from_x_y_ranges(left..=right.max(left + 1.0), band.y_range());
        painter.rect_filled(part, 0, color.gamma_multiply(0.2));
        let part = sheet::Rect::new(
            glam::vec2(part.left(), part.top()),
            glam::vec2(part.right(), part.bottom()),
        );
        hatching::slanted(part, STEP, |ends| {
            let ends = ends.map(|at| egui::pos2(at.x, at.y));
            painter.line_segment(ends, (1.0, color.gamma_multiply(0.6)));
        });
    }
}

/// Marks the commits that have tags, one a pixel. O(tags).
fn mark_tags(
    ui: &Ui,
    rect: Rect,
    recording: &Recording,
    x_of: impl Fn(Time) -> f32,
    color: Color32,
) {
    let mut last = f32::MIN;
    for (time, _) in tags(recording) {
        let x = x_of(time).round();
        if x > last {
            let tick = rect.top() + 1.0..=rect.top() + 5.0;
            ui.painter().vline(x, tick, (1.0, color));
            last = x;
        }
    }
}

/// The tag of a history that is nearest to a place on the bar, where one is near. O(tags).
fn tag_near(recording: &Recording, x: f32, x_of: impl Fn(Time) -> f32) -> Option<(Time, &str)> {
    let tags = tags(recording).map(|tag| ((x_of(tag.0) - x).abs(), tag));
    let nearest = tags.min_by(|a, b| a.0.total_cmp(&b.0));
    Some(nearest.filter(|it| it.0 <= TAG_NEAR)?.1)
}

/// The tags of a history, in order of commits.
fn tags(recording: &Recording) -> impl Iterator<Item = (Time, &str)> {
    recording.played.iter().flat_map(|played| played.tags())
}

/// Marks the time pointed at in another view, and the call pointed at or chosen.
fn mark_selection(
    ui: &Ui,
    rect: Rect,
    track: Rect,
    trace: &Trace,
    x_of: impl Fn(Time) -> f32,
    context: &Context<'_>,
) {
    let colors = style::colors(context.desk.state.settings.theme);
    let selection = context.desk.state.document.as_ref().map(|it| &it.selection);
    let Some(selection) = selection else {
        return;
    };
    let call = selection.pointed.call.or(selection.chosen.call);
    let call = call.filter(|&of| navigate::exists(trace, of));
    if let Some(call) = call.map(|of| trace.call(of.thread, of.call)) {
        let (from, to) = (x_of(call.start), x_of(call.end));
        let y = track.bottom() + 2.0..=track.bottom() + 4.0;
        let span = Rect::from_x_y_ranges(from..=to.max(from + 2.0), y);
        ui.painter().rect_filled(span, 0, colors.weak);
    }
    if let Some(time) = selection.pointed.time {
        let x = x_of(time);
        let line = Rect::from_x_y_ranges(x - 0.5..=x + 0.5, rect.y_range());
        ui.painter().rect_filled(line, 0, colors.weak);
    }
}

/// Seeks to where the pointer drags to; with Shift a drag chooses a range, from where it began.
fn scrub(
    ui: &Ui,
    playback: &Playback,
    response: &egui::Response,
    time_at: impl Fn(f32) -> Time,
    context: &mut Context<'_>,
) {
    let is_held = is_held(response);
    let shift = ui.input(|input| input.modifiers.shift);
    let begun = ui.data(|data| data.get_temp::<f32>(response.id));
    let pointer = response.interact_pointer_pos().filter(|_| is_held);
    let chooses = begun.is_some() || (shift && is_held && response.drag_started());
    if let Some(pointer) = pointer
        && chooses
    {
        let from = begun.unwrap_or_else(|| {
            let press = ui.input(|input| input.pointer.press_origin());
            press.unwrap_or(pointer).x
        });
        ui.data_mut(|data| data.insert_temp(response.id, from));
        let range = TimeRange::new(time_at(from), time_at(pointer.x));
        context.asks.push(SelectAsk::DragRange(range));
    } else if let Some(pointer) = pointer
        && !shift
    {
        let time = time_at(pointer.x);
        if time != playback.time() {
            context.asks.push(PlayAsk::Seek(time));
        }
    }
    if !is_held && begun.is_some() {
        ui.data_mut(|data| data.remove::<f32>(response.id));
        context.asks.push(SelectAsk::EndRangeDrag);
    }
}
