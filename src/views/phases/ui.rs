//! The widgets of the view: thresholds, the band along time, and the layers.

use std::collections::HashSet;

use egui::{Rect, Role, ScrollArea, Sense, Ui, pos2, vec2};

use super::boxes::{Drawing, Look, Marks, Paint, Scales, firsts};
use super::finding::Found;
use super::layers::{BOX, Frame, HEAD, Key, Layer, MOST, Of};
use super::view::{PhasesView, pointed_at};
use super::{band, pair, sliders, tip};
use crate::Pane;
use crate::parts::along_time::NO_TIMES;
use crate::parts::text::counted;
use crate::parts::widgets::tell;
use crate::parts::{rows, style};
use callscape_analysis::phases::Parent;
use callscape_base::escape;
use callscape_base::units::{Cost, TimeRange, grouped};
use callscape_facts::recording::RecordingKind;
use callscape_filter::selection::{CallOf, Pointed};
use callscape_state::action::On;
use callscape_state::ask::{PlayAsk, SelectAsk};
use callscape_state::document::Document;

/// What a row of boxes leaves free at its sides, in points: the outlines, and the bar that scrolls.
const EDGES: f32 = 16.0;

/// The line above a layer, and the space below it, in points.
const TITLE: f32 = 22.0;
const BELOW: f32 = 14.0;

pub(super) fn show(view: &mut PhasesView, ui: &mut Ui, pane: &mut Pane<'_>) {
    rows::ground(ui);
    let state = pane.state;
    let Some(document) = &state.document else {
        return;
    };
    if document.playback.is_none() {
        let hint = match document.profile() {
            Some(_) => NO_TIMES,
            None => "Open a recording to see its phases.",
        };
        rows::hint(ui, hint);
        return;
    }
    let Some(found) = view.found.clone() else {
        let hint = match view.finding.is_running() {
            true => "Looking for phases …",
            false => "The search for phases was cancelled.",
        };
        rows::hint(ui, hint);
        return;
    };
    let margin = egui::Margin::symmetric(10, 6);
    egui::Frame::new().inner_margin(margin).show(ui, |ui| {
        sliders::show(view, ui, document, &found, pane.asks);
        let Some(hues) = view.hues.take() else { return };
        let paint = Paint::new(state.settings.theme, &hues);
        if found.phases.rows() == 0 {
            let hint = match document.filters.is_empty() {
                true => "Nothing is heavy: lower the thresholds.",
                false => "Nothing is heavy in what the filters leave: lower the thresholds, or take a filter away.",
            };
            rows::hint(ui, hint);
        } else {
            band::show(view, ui, document, &paint, pane);
            legend(ui, document, &found, view.root);
            pair::show(view, ui, document, &found, pane);
            layers(view, ui, document, &found, &paint, pane);
        }
        view.hues = Some(hues);
    });
}

/// The largest values of what is shown.
fn scales(document: &Document, found: &Found, root: usize) -> Scales {
    let root = found.phases.roots.get(root);
    let resolved = document.resolved();
    let levels = resolved.map_or(0, |it| {
        let threads = it.recording.trace.threads();
        let thread = root.and_then(|root| threads.get(root.thread.index()));
        thread.map_or(0, |thread| thread.max_depth)
    });
    Scales {
        calls: root.map_or(0, |root| root.calls),
        levels: u64::from(levels),
        cost: root.map_or(0, |root| root.cost.ns()),
        functions: resolved.map_or(0, |it| it.recording.functions.len() as u64),
    }
}

/// What the areas of a box mean, and that calls come of samples.
fn legend(ui: &mut Ui, document: &Document, found: &Found, root: usize) {
    let scales = scales(document, found, root);
    let mut text = format!(
        "Areas in a box, from the left: calls to {}, depth to {}, {} to {}, functions to {}.",
        grouped(scales.calls),
        grouped(scales.levels),
        tip::cost_title(document),
        Cost::from_ns(scales.cost),
        grouped(scales.functions)
    );
    let recording = document.resolved().map(|it| &it.recording);
    if let Some(recording) = recording.filter(|it| it.kind == RecordingKind::Sampled) {
        text.push_str(" Calls are reconstructed from samples");
        if let Some(interval) = recording.known_to() {
            text.push_str(&format!("; begins and ends are known to {interval}"));
        }
        text.push('.');
    }
    if let Some(left) = left(document, found, root) {
        text = format!("{left} {text}");
    }
    ui.add(egui::Label::new(style::weak(text).small()).truncate());
}

/// What the filters leave out of the thread that is shown.
fn left(document: &Document, found: &Found, root: usize) -> Option<String> {
    if found.of.rules.leaves_threads_whole() {
        return None;
    }
    let root = found.phases.roots.get(root)?;
    let threads = document.resolved()?.recording.trace.threads();
    let all = threads.get(root.thread.index())?.calls;
    let calls = grouped(root.calls);
    Some(format!(
        "Of {} calls the filters leave {calls}.",
        grouped(all)
    ))
}

fn layers(
    view: &mut PhasesView,
    ui: &mut Ui,
    document: &Document,
    found: &Found,
    paint: &Paint<'_>,
    pane: &mut Pane<'_>,
) {
    let scales = scales(document, found, view.root);
    view.fit(ui.available_width() - EDGES);
    let all = std::mem::take(&mut view.layers);
    let marks = Marks::new(document, found, &all);
    let mut act = Act::default();
    ScrollArea::vertical()
        .id_salt("layers of phases")
        .auto_shrink(false)
        .show(ui, |ui| {
            for (number, layer) in all.iter().enumerate() {
                title(ui, found, layer, &mut act);
                ScrollArea::horizontal()
                    .id_salt(("layer of phases", number))
                    .auto_shrink([false, true])
                    .show(ui, |ui| {
                        let size = layer.size + vec2(4.0, 4.0);
                        let (place, _) = ui.allocate_exact_size(size, Sense::hover());
                        let drawing = Drawing {
                            document,
                            found,
                            paint,
                            marks,
                            scales,
                            painter: ui.painter().clone(),
                        };
                        let place = place.translate(vec2(2.0, 2.0));
                        draw_layer(view, ui, layer, place, &drawing, pane, &mut act);
                    });
                ui.add_space(BELOW);
            }
        });
    view.layers = all;
    act.carry_out(view, document, pane);
}

/// What the user did.
#[derive(Default)]
struct Act {
    clicked: Option<u32>,
    limited: Option<u32>,
    /// Has its menu opened.
    menu_of: Option<u32>,
    /// A repetition, and which of its instances.
    instance: Option<(Key, u32)>,
    is_scrolled: bool,
}

impl Act {
    fn carry_out(self, view: &mut PhasesView, document: &Document, pane: &mut Pane<'_>) {
        if self.is_scrolled {
            view.scroll_to = None;
        }
        if let Some(index) = self.menu_of {
            // Before the menu chooses it.
            view.menu_of = view.pair(document, index);
        }
        if let Some((of, instance)) = self.instance {
            view.show_instance(of, instance);
        }
        if let Some(index) = self.limited
            && let Some(phase) = view.phase(index)
            && let Some(resolved) = document.resolved()
        {
            let call = resolved.recording.trace.call(phase.thread, phase.call);
            let range = TimeRange::new(call.start, call.end);
            pane.asks.push(SelectAsk::SetRange(Some(range)));
        } else if let Some(index) = self.clicked
            && let Some(phase) = view.phase(index)
        {
            let pointed = pointed_at(document, phase);
            pane.asks.push(SelectAsk::Choose(pointed));
            pane.asks.extend(pointed.time.map(PlayAsk::Seek));
            view.revealed = pointed.call;
            view.toggle(index);
        }
    }
}

/// The line above a layer: whose phases they are, how many, and which stand out.
fn title(ui: &mut Ui, found: &Found, layer: &Layer, act: &mut Act) {
    let phases = &found.phases;
    let of = match layer.parent {
        Parent::Root(_) => "The whole thread".to_owned(),
        Parent::Phase(index) => {
            let phase = phases.phases.get(index as usize);
            phase.map_or_else(String::new, |phase| {
                found.labels.phase(index, phase).to_owned()
            })
        }
    };
    ui.horizontal_wrapped(|ui| {
        ui.set_min_height(TITLE);
        let name = ui.label(style::title(escape::name(&of)));
        let rows = layer
            .boxes
            .iter()
            .filter(|it| matches!(it.of, Of::Gathered(_)));
        let mut text = counted(u64::from(layer.phases), "phase", "phases");
        if let count @ 1.. = rows.count() {
            let rows = counted(count as u64, "row", "rows");
            text.push_str(&format!(", {rows} of gathered calls"));
        }
        if layer.left_out > 0 {
            text.push_str(&format!(
                "; the first {} boxes are shown",
                grouped(MOST as u64)
            ));
        }
        let facts = ui.label(style::weak(text));
        for response in [name, facts] {
            response.on_hover_ui(|ui| tip::of_layer(found, layer.parent).show(ui, 340.0));
        }
        outliers(ui, layer, act);
    });
}

/// The outliers of a layer, each to be shown by a click.
fn outliers(ui: &mut Ui, layer: &Layer, act: &mut Act) {
    /// As many are named; arrows lead to the others.
    const NAMED: usize = 6;
    if layer.outliers == 0 {
        return;
    }
    let count = layer.outliers;
    let word = if count == 1 { "outlier" } else { "outliers" };
    ui.label(egui::RichText::new(format!("{count} {word}:")).strong());
    let instances = layer.frames.iter().flat_map(|frame| {
        let of_frame = frame.outliers.iter();
        of_frame.map(move |&instance| (frame, instance))
    });
    for (frame, instance) in instances.take(NAMED) {
        let is_shown = frame.shown == instance;
        let text = format!("{} of {}", instance + 1, frame.instances);
        if ui.selectable_label(is_shown, text).clicked() {
            act.instance = Some((frame.key, instance));
        }
    }
}

fn draw_layer(
    view: &PhasesView,
    ui: &mut Ui,
    layer: &Layer,
    place: Rect,
    drawing: &Drawing<'_>,
    pane: &mut Pane<'_>,
    act: &mut Act,
) {
    let clip = ui.clip_rect();
    let origin = place.min.to_vec2();
    for frame in &layer.frames {
        let rect = frame.rect.translate(origin);
        if rect.intersects(clip) {
            draw_frame(ui, frame, rect, drawing, act);
        }
    }
    let document = drawing.document;
    for (number, placed) in layer.boxes.iter().enumerate() {
        let rect = placed.rect.translate(origin);
        if view
            .scroll_to
            .is_some_and(|phase| placed.of == Of::Phase(phase))
        {
            ui.scroll_to_rect(rect, Some(egui::Align::Center));
            act.is_scrolled = true;
        }
        if !rect.intersects(clip) {
            continue;
        }
        drawing.draw(
            rect,
            placed.of,
            &look(view, document, drawing.found, drawing.marks, placed.of),
        );
        let id = ui.scope_id().with(("box of phases", layer.number, number));
        let response = ui.interact(rect, id, Sense::click());
        tell(&response, Role::Button, drawing.label(placed.of));
        if response.hovered() {
            pane.pointed = pointed(document, drawing.found, placed.of);
            pane.offer.on = &[On::Phase];
        }
        if let Of::Phase(index) = placed.of {
            if response.double_clicked() {
                act.limited = Some(index);
            } else if response.secondary_clicked() {
                act.menu_of = Some(index);
            } else if response.clicked() {
                act.clicked = Some(index);
            }
        } else if response.clicked() {
            let of = pointed(document, drawing.found, placed.of);
            pane.asks.push(SelectAsk::Choose(of));
        }
        response.on_hover_ui(|ui| {
            let mut tip = tip::of_box(document, drawing.found, placed.of);
            if let Of::Phase(index) = placed.of {
                view.add_to_tip(&mut tip, document, drawing.found, index);
            }
            tip.show(ui, 340.0);
        });
    }
}

/// What a box means to the other views.
fn pointed(document: &Document, found: &Found, of: Of) -> Pointed {
    let phases = &found.phases;
    match of {
        Of::Phase(index) => phases
            .phases
            .get(index as usize)
            .map(|phase| pointed_at(document, phase))
            .unwrap_or_default(),
        Of::Gathered(number) => {
            let row = phases.gathered.get(number as usize);
            row.map_or_else(Pointed::default, |row| Pointed {
                function: Some(row.function),
                module: document.module_of(row.function),
                ..Pointed::default()
            })
        }
    }
}

impl Marks {
    /// The innermost phase of a call that is shown stands for it.
    fn new(document: &Document, found: &Found, layers: &[Layer]) -> Marks {
        let shown: HashSet<u32> = layers.iter().flat_map(Layer::phases).collect();
        let mark = |of: Option<CallOf>| {
            let mut around = found.phases.around(of?.thread, of?.call)?;
            while !shown.contains(&around) {
                around = found.phases.phases.get(around as usize)?.parent?;
            }
            Some(around)
        };
        let selection = &document.selection;
        Marks {
            pointed: mark(selection.pointed.call),
            chosen: mark(selection.chosen.call),
        }
    }
}

/// How a box is shown, by what is pointed at and chosen.
fn look(view: &PhasesView, document: &Document, found: &Found, marks: Marks, of: Of) -> Look {
    let Of::Phase(index) = of else {
        return look_of_row(document, found, of);
    };
    let Some((phase, resolved)) = view.phase(index).zip(document.resolved()) else {
        return Look::default();
    };
    let call = resolved.recording.trace.call(phase.thread, phase.call);
    let selection = &document.selection;
    let is_within = |range: TimeRange| {
        call.start < range.end && range.start < call.end.max(call.start + Cost::from_ns(1))
    };
    let share = view.meaning.share(index);
    let lacks = view.meaning.is_of_functions() && share.is_none();
    Look {
        is_unfolded: view.path.contains(&index),
        is_pointed: marks.pointed == Some(index),
        is_chosen: marks.chosen == Some(index),
        is_pale: lacks || !selection.range.is_none_or(is_within),
        share,
        is_now: call.start <= selection.time && selection.time < call.end,
        firsts: firsts(document, phase),
    }
}

fn look_of_row(document: &Document, found: &Found, of: Of) -> Look {
    let selection = &document.selection;
    let holds = |pointed: &Pointed| {
        let Of::Gathered(number) = of else {
            return false;
        };
        let row = found.phases.gathered.get(number as usize);
        let meant = document.meant(pointed);
        meant.call().is_none() && row.is_some_and(|row| meant.holds_function(row.function))
    };
    Look {
        is_pointed: holds(&selection.pointed),
        is_chosen: holds(&selection.chosen),
        ..Look::default()
    }
}

/// The frame of a repetition, with arrows to its other instances.
fn draw_frame(ui: &mut Ui, frame: &Frame, rect: Rect, drawing: &Drawing<'_>, act: &mut Act) {
    let paint = drawing.paint;
    drawing.painter.rect_filled(rect, 6, paint.frame);
    let head = Rect::from_min_size(rect.min, vec2(rect.width().min(BOX.x + 12.0), HEAD));
    let middle = head.center().y;
    let mut arrow = |x: f32, by: i64| {
        let place = Rect::from_center_size(pos2(x, middle), vec2(20.0, HEAD));
        let id = ui.scope_id().with(("instance", frame.key, by));
        let response = ui.interact(place, id, Sense::click());
        let other = if by < 0 {
            "Instance before"
        } else {
            "Next instance"
        };
        tell(&response, Role::Button, other);
        let color = match response.hovered() {
            true => paint.accent,
            false => paint.text,
        };
        let way = by as f32;
        let points = [vec2(-4.0, -5.0), vec2(4.0, 0.0), vec2(-4.0, 5.0)];
        let points = points
            .map(|at| pos2(x + at.x * way, middle + at.y))
            .to_vec();
        drawing.painter.add(egui::Shape::convex_polygon(
            points,
            color,
            egui::Stroke::NONE,
        ));
        if response.clicked() {
            let of = i64::from(frame.instances).max(1);
            let next = (i64::from(frame.shown) + by).rem_euclid(of);
            act.instance = Some((frame.key, next as u32));
        }
        response.on_hover_text(match by {
            1 => "Next instance (Shift+P)",
            _ => "Previous instance (Shift+O)",
        });
    };
    arrow(head.left() + 14.0, -1);
    arrow(head.right() - 14.0, 1);
    let mut text = format!(
        "{} of {}",
        grouped(u64::from(frame.shown) + 1),
        grouped(u64::from(frame.instances))
    );
    if !frame.outliers.is_empty() {
        text.push_str(&format!(", {} odd", frame.outliers.len()));
    }
    let at = pos2(head.left() + 28.0, middle - 7.5);
    drawing.write(at, head.width() - 56.0, 1, 11.5, paint.text, &text);
}
