//! The bar at the bottom: play, step, scrub, speed.

use std::borrow::Cow;
use std::cell::Cell;

use egui::{Align, Layout, Ui, Vec2};

use super::context::Context;
use super::ring;
use super::timeline;
use callscape_base::escape;
use callscape_base::units::{Cost, Time, is_like_day};
use callscape_facts::profile::{Profile, Value};
use callscape_facts::recording::Recording;
use callscape_state::ask::{Ask, CameraAsk, OpenAsk, PlayAsk};
use callscape_state::call_steps::CallStep;
use callscape_state::playback::{CEL_SPEEDS, Clock, EVENT_SPEEDS, Playback, Step, WALL_SPEEDS};
use callscape_views::style;
use callscape_views::text;
use callscape_views::widgets::{Icon, icon_button, small_slider};

/// Speed and step need so much room beside the buttons, in points; else they get rows of their own.
const SETTINGS_WIDTH: f32 = 530.0;

/// In a lower window, in points, they are left to the keys: the landscape needs the rows.
const LEAST_HEIGHT: f32 = 400.0;

pub(super) fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let Some(document) = &context.desk.state.document else {
        return;
    };
    let recording = document.resolved().map(|it| &*it.recording);
    let other = document.runs.as_ref().map(|it| it.place_of_other());
    let other = other.and_then(|it| document.session.recordings.get(it));
    // What is compared is compared by one value, which both have.
    let choice = recording.map(|it| (it, other.map(|it| &*it.recording)));
    if let Some(profile) = document.profile().filter(|_| document.playback.is_none()) {
        let all = document.of_runs(|of| {
            let weight = of.profile.as_ref().map(Profile::weight);
            of.unit().show(weight.unwrap_or_default())
        });
        let shown = no_playback(ui, (profile, all), choice);
        context.asks.extend(shown.map(OpenAsk::ShowValue));
        return;
    }
    let (Some(playback), Some(resolved)) = (&document.playback, document.resolved()) else {
        return;
    };
    let frame =
        egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::symmetric(10, 8));
    let panel = egui::Panel::bottom("playback")
        .frame(frame)
        .resizable(false);
    let is_low = ui.available_height() < LEAST_HEIGHT;
    panel.show(ui, |ui| {
        timeline::show(ui, playback, &resolved.recording, context);
        let mut is_narrow = true;
        ui.horizontal(|ui| {
            buttons(ui, playback, context);
            ui.add_space(6.0);
            position(ui, playback, &resolved.recording, context);
            if let Some(choice) = choice {
                let shown = value_choice(ui, choice);
                context.asks.extend(shown.map(OpenAsk::ShowValue));
            }
            if ui.available_width() >= SETTINGS_WIDTH {
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    speed(ui, playback, context);
                    step_size(ui, playback, context);
                });
                is_narrow = false;
            }
        });
        if is_narrow && !is_low {
            let row = Layout::right_to_left(Align::Center);
            let size = Vec2::new(ui.available_width(), ui.spacing().interact_size.y);
            let in_one_row = size.x >= SETTINGS_WIDTH;
            ui.allocate_ui_with_layout(size, row, |ui| {
                speed(ui, playback, context);
                if in_one_row {
                    step_size(ui, playback, context);
                }
            });
            if !in_one_row {
                ui.allocate_ui_with_layout(size, row, |ui| step_size(ui, playback, context));
            }
        }
    });
}

/// Says why there is nothing to play, where one would look for it, and what is weighed: the name of another value
/// where one is chosen.
fn no_playback(
    ui: &mut Ui,
    (profile, all): (&Profile, String),
    choice: Option<(&Recording, Option<&Recording>)>,
) -> Option<String> {
    let mut chosen = None;
    let frame =
        egui::Frame::side_top_panel(ui.style()).inner_margin(egui::Margin::symmetric(10, 8));
    let panel = egui::Panel::bottom("no playback")
        .frame(frame)
        .resizable(false);
    panel.show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.label(style::title("A profile: no playback"));
            let value = profile.values().get(profile.shown());
            let name = value.map_or(Cow::default(), |value| escape::name(&value.name));
            let what = if all.ends_with(&*name) {
                all
            } else {
                format!("{name}: {all}")
            };
            if let Some(choice) = choice {
                chosen = value_choice(ui, choice);
            }
            ui.label(style::weak(format!(
                "weights of functions and calls without times · {what}"
            )));
        });
    });
    chosen
}

/// Which of a recording's values is shown, where it has several, of two runs those of both; the one that the user chose
/// instead.
fn value_choice(
    ui: &mut Ui,
    (recording, other): (&Recording, Option<&Recording>),
) -> Option<String> {
    let values = recording.values();
    let is_offered =
        |value: &Value| other.is_none_or(|other| other.values().iter().any(|it| it.is_like(value)));
    if values.iter().filter(|it| is_offered(it)).count() < 2 {
        return None;
    }
    let name = |index: usize| {
        let value = values.get(index);
        value.map_or_else(Default::default, |value| style::name(&value.name))
    };
    let mut chosen = None;
    egui::ComboBox::from_id_salt("value of a profile")
        .selected_text(name(recording.value()))
        .show_ui(ui, |ui| {
            let offered = values.iter().enumerate();
            for (index, value) in offered.filter(|(_, it)| is_offered(it)) {
                let is_shown = index == recording.value();
                if ui.selectable_label(is_shown, name(index)).clicked() && !is_shown {
                    chosen = Some(value.name.clone());
                }
            }
        })
        .response
        .on_hover_text("Value shown in all views");
    chosen
}

fn buttons(ui: &mut Ui, playback: &Playback, context: &mut Context<'_>) {
    ui.spacing_mut().item_spacing.x = 4.0;
    let (icon, tooltip) = if playback.is_playing() {
        (Icon::Pause, "Pause (Space)")
    } else {
        (Icon::Play, "Play (Space)")
    };
    let buttons = [
        (Icon::ToStart, false, "To the start (,)", PlayAsk::ToStart),
        (Icon::StepBack, false, "Step back (←)", PlayAsk::Step(-1)),
        (icon, false, tooltip, PlayAsk::PlayOrPause),
        (
            Icon::StepForward,
            false,
            "Step forward (→)",
            PlayAsk::Step(1),
        ),
        (Icon::ToEnd, false, "To the end (.)", PlayAsk::ToEnd),
        (
            Icon::Loop,
            playback.looping,
            "Repeat (R)",
            PlayAsk::ToggleLoop,
        ),
    ];
    for (icon, is_on, tooltip, command) in buttons {
        let button = icon_button(ui, icon, is_on, tooltip);
        match command {
            PlayAsk::PlayOrPause => ring::mark(&button, "play"),
            PlayAsk::Step(1) => ring::mark(&button, "step"),
            _ => {}
        }
        if button.clicked() {
            context.asks.push(command);
        }
    }
    if ui
        .selectable_label(playback.summary, "Summary")
        .on_hover_text("Summary of the whole recording or range (Y)")
        .clicked()
    {
        context.asks.push(PlayAsk::ToggleSummary);
    }
    let state = &context.desk.state;
    let is_of_one = state.document.as_ref().is_some_and(|it| it.runs.is_none());
    if is_of_one
        && ui
            .selectable_label(state.runs_view.with_sum, "With sum")
            .on_hover_text(
                "Show the sum of everything up to the time next to the current cel (Shift + Y)",
            )
            .clicked()
    {
        context.asks.push(PlayAsk::ToggleWithSum);
    }
    more(ui, playback, context);
}

/// What is seldom changed.
fn more(ui: &mut Ui, playback: &Playback, context: &mut Context<'_>) {
    ui.menu_button("More", |ui| {
        let mut stride = playback.stride;
        ui.horizontal(|ui| {
            ui.label("A step goes");
            ui.add(egui::DragValue::new(&mut stride).range(1..=1_000_000))
                .on_hover_text("Number of cels per step");
            ui.label(if stride == 1 { "cel" } else { "cels" });
        });
        if stride != playback.stride {
            context.asks.push(PlayAsk::SetStride(stride));
        }
        let mut skips = playback.skips_idle;
        let idle = ui
            .checkbox(&mut skips, "Skip idle stretches")
            .on_hover_text("Play quickly through stretches in which no call starts or ends");
        if idle.changed() {
            context.asks.push(PlayAsk::ToggleSkipIdle);
        }
        let mut follows = context.desk.state.moving.following.is_on;
        let following = ui
            .checkbox(&mut follows, "Follow with the camera (H)")
            .on_hover_text("The camera moves to the active district");
        if following.changed() {
            context.asks.push(CameraAsk::ToggleFollowing);
        }
        ui.separator();
        let steps = [
            ("Play backward (Shift + Space)", PlayAsk::PlayBackward),
            (
                "Into the next call (I)",
                PlayAsk::StepCall(CallStep::Into, true),
            ),
            (
                "Over the next call (J)",
                PlayAsk::StepCall(CallStep::Over, true),
            ),
            (
                "Out of the innermost call (U)",
                PlayAsk::StepCall(CallStep::Out, true),
            ),
        ];
        for (title, command) in steps {
            if ui.button(title).clicked() {
                context.asks.push(command);
                ui.close();
            }
        }
    });
}

/// Where playback stands, as a time and as a cel; both can be typed.
fn position(ui: &mut Ui, playback: &Playback, recording: &Recording, context: &mut Context<'_>) {
    let trace = &recording.trace;
    let end = trace.range().end;
    let mut ns = playback.time().ns();
    let refused = Cell::new(None);
    let field = egui::DragValue::new(&mut ns)
        .range(0..=end.ns())
        .speed((end.ns() as f64 / 2000.0).max(1.0))
        .update_while_editing(false)
        .custom_formatter(|ns, _| recording.written(Time::from_ns(ns as u64)))
        .custom_parser(|text| match typed_time(recording, playback.time(), text) {
            Ok(time) => Some(time.ns() as f64),
            Err(reason) => {
                refused.set(Some(reason));
                None
            }
        });
    let tip = match recording.played {
        Some(_) => "The day: drag, or click and type 2019-05-01, 2019, a tag, or 40%",
        None => "The time: drag, or click and type 12.5ms, 3s or 40%",
    };
    let response = ui.add(field).on_hover_text(tip);
    if response.changed() {
        context.asks.push(PlayAsk::Seek(Time::from_ns(ns)));
    }
    if let Some(reason) = refused.take() {
        context.asks.push(Ask::TellBriefly(reason));
    }
    let document = context.desk.state.document.as_ref();
    let ends = document.map(|it| it.of_runs(|of| of.written(of.trace.range().end)));
    ui.label(style::weak(format!("of {}", ends.unwrap_or_default())));
    let sampling = recording.sampling.as_ref();
    if let Some(sampling) = sampling.filter(|it| it.is_sampled_at(playback.time())) {
        let hint = format!("Sampled recording: {sampling}");
        ui.label("sampling")
            .on_hover_text(escape::name(&hint).into_owned());
    }
    if let Some(gap) = recording.gaps.at(playback.time()) {
        let hint = format!(
            "Recording was switched off from {} to {}",
            gap.start, gap.end
        );
        ui.label("not recorded").on_hover_text(hint);
    }
    let (mut cel, cels) = playback.cel_number(recording.all_events());
    let field = egui::DragValue::new(&mut cel)
        .range(1..=cels)
        .update_while_editing(false)
        .custom_formatter(|cel, _| text::count(cel as u64))
        .custom_parser(parse_events);
    ui.add_space(6.0);
    ui.label(style::weak("Cel"));
    let response = ui
        .add(field)
        .on_hover_text("The step that ends here: drag, or click and type");
    if response.changed() {
        context.asks.push(PlayAsk::ToCel(cel));
    }
    ui.label(style::weak(format!("of {}", text::count(cels))));
}

/// Parses a typed position; the text that is already displayed means `now`. In a history, a tag is accepted too, and a year
/// or a month means its beginning.
fn typed_time(recording: &Recording, now: Time, text: &str) -> Result<Time, String> {
    if text.trim() == recording.written(now) {
        return Ok(now);
    }
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let Some(played) = &recording.played else {
        return recording.when(compact.parse()?, false);
    };
    if let Some((time, _)) = played.tags().find(|(_, name)| *name == compact) {
        return Ok(time);
    }
    let first_day = match compact.len() {
        4 if compact.parse::<u16>().is_ok() => format!("{compact}-01-01"),
        7 if is_like_day(&compact) => format!("{compact}-01"),
        _ => {
            let wrong =
                || format!("expected a day such as 2019-05-01, a year or a tag, found {text}");
            return recording.when(compact.parse().map_err(|_: String| wrong())?, false);
        }
    };
    // A history may begin in the middle of it.
    match recording.written(Time::ZERO).starts_with(&compact) {
        true => Ok(Time::ZERO),
        false => recording.when(first_day.parse()?, true),
    }
}

fn speed(ui: &mut Ui, playback: &Playback, context: &mut Context<'_>) {
    let mut clock = playback.clock();
    egui::ComboBox::from_id_salt("clock")
        .width(110.0)
        .selected_text(clock_name(clock))
        .show_ui(ui, |ui| {
            for choice in [Clock::Wall, Clock::Event, Clock::Cel] {
                ui.selectable_value(&mut clock, choice, clock_name(choice));
            }
        })
        .response
        .on_hover_text("What advances at a constant rate during playback");
    if clock != playback.clock() {
        context.asks.push(PlayAsk::SetClock(clock));
    }
    let mut speed = playback.speed();
    let (range, readout): (_, fn(f64) -> String) = match playback.clock() {
        Clock::Wall => (WALL_SPEEDS, text::wall_speed),
        Clock::Event => (EVENT_SPEEDS, text::event_speed),
        Clock::Cel => (CEL_SPEEDS, text::cel_speed),
    };
    ui.spacing_mut().slider_width = 90.0;
    let mut typed = speed;
    let field = egui::DragValue::new(&mut typed)
        .range(range.clone())
        .speed((speed * 0.01).max(0.01))
        .update_while_editing(false)
        .custom_formatter(move |speed, _| readout(speed));
    let field = match playback.clock() {
        Clock::Wall => field.custom_parser(parse_span),
        Clock::Event | Clock::Cel => field.custom_parser(parse_number),
    };
    let hint = match playback.clock() {
        Clock::Wall => {
            "Recorded time played per second: drag, or click and type a value such as 5ms"
        }
        Clock::Event => "Events played per second: drag, or click and type",
        Clock::Cel => "Steps per second: drag, or click and type",
    };
    let field = ui
        .add_sized([104.0, ui.spacing().interact_size.y], field)
        .on_hover_text(hint);
    let slider = egui::Slider::new(&mut speed, range)
        .logarithmic(true)
        .show_value(false);
    let response = small_slider(ui, slider).on_hover_text("Speed (− and +)");
    if field.changed() {
        context.asks.push(PlayAsk::SetSpeed(typed));
    } else if response.changed() {
        context.asks.push(PlayAsk::SetSpeed(speed));
    }
    ui.label(style::weak("Speed"));
}

fn clock_name(clock: Clock) -> &'static str {
    match clock {
        Clock::Wall => "by time",
        Clock::Event => "by events",
        Clock::Cel => "cel by cel",
    }
}

fn step_size(ui: &mut Ui, playback: &Playback, context: &mut Context<'_>) {
    ui.add_space(8.0);
    let (value, is_events) = match playback.step {
        Step::Events(events) => (events, true),
        Step::Span(span) => (span.ns(), false),
    };
    let mut by_events = is_events;
    egui::ComboBox::from_id_salt("step unit")
        .width(64.0)
        .selected_text(if is_events { "events" } else { "time" })
        .show_ui(ui, |ui| {
            ui.selectable_value(&mut by_events, true, "events");
            ui.selectable_value(&mut by_events, false, "time");
        })
        .response
        .on_hover_text("Whether a cel is measured in events or in time");
    let mut value = value.max(1);
    let drag_speed = (value as f64 * 0.01).max(0.1);
    let drag = egui::DragValue::new(&mut value)
        .range(1..=u64::MAX / 2)
        .speed(drag_speed);
    let drag = if is_events {
        drag.custom_formatter(|value, _| text::count(value as u64))
            .custom_parser(parse_events)
    } else {
        drag.custom_formatter(|value, _| Cost::from_ns(value as u64).to_string())
            .custom_parser(parse_span)
    };
    let response = ui
        .add(drag)
        .on_hover_text("Length of a cel and of a step: drag, or click and type");
    if response.changed() && is_events {
        context.asks.push(PlayAsk::SetStep(Step::Events(value)));
    } else if response.changed() {
        let span = Step::Span(Cost::from_ns(value));
        context.asks.push(PlayAsk::SetStep(span));
    }
    if by_events != is_events
        && let Some(document) = &context.desk.state.document
        && let Some(resolved) = document.resolved()
    {
        // The same share of the trace in the other unit.
        let all = resolved.recording.all_events();
        let (events, span) = (all.count().max(1), all.trace.duration().ns().max(1));
        let ratio = events as f64 / span as f64;
        let step = if by_events {
            Step::Events(((value as f64 * ratio).round() as u64).max(1))
        } else {
            Step::Span(Cost::from_ns(
                ((value as f64 / ratio).round() as u64).max(1),
            ))
        };
        context.asks.push(PlayAsk::SetStep(step));
    }
    ui.label(style::weak("Cel size"));
}

fn parse_events(text: &str) -> Option<f64> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    digits.parse().ok()
}

fn parse_number(text: &str) -> Option<f64> {
    let digits = text.chars().filter(|c| c.is_ascii_digit() || *c == '.');
    digits.collect::<String>().parse().ok()
}

/// A span of time as people type it, in nanoseconds.
pub(super) fn parse_span(text: &str) -> Option<f64> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let compact = compact.strip_suffix("/s").unwrap_or(&compact);
    match compact.parse().ok()? {
        callscape_base::units::TimeSpec::At(time) => Some(time.ns() as f64),
        callscape_base::units::TimeSpec::Share(_) => None,
    }
}
