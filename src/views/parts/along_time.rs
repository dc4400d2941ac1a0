//! What views along time share: zoom, pan and the drag of a range over a picture, its tooltips, and when it has to be drawn
//! again.
//!
//! The wheel zooms along time about the pointer; with Ctrl it zooms across; with Shift it scrolls. A drag
//! moves, a drag with Shift or the right button chooses a range.

use egui::{Color32, PointerButton, Pos2, Rect, Role, Sense, Ui};
use glam::Vec2;

use super::pane::{Pane, Surface};
use super::style;
use super::tip::Tip;
use super::widgets::tell;
use callscape_analysis::session::Session;
use callscape_base::units::{Cost, Time, TimeRange};
use callscape_filter::filters::Filters;
use callscape_filter::selection::{Pointed, Selection};
use callscape_model::theme::Theme;
use callscape_state::State;
use callscape_state::ask::{CameraAsk, PlayAsk, SelectAsk, SheetKey};
use callscape_state::choosing::Choosing;
use callscape_state::document::Document;
use callscape_state::panes::ViewId;

/// This many points of the wheel double the detail.
const WHEEL: f32 = 160.0;

/// What a view that draws on a sheet is shown with.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    pub session: &'a Session,
    /// The recording that is shown, as an index into the session's.
    pub recording: usize,
    pub selection: &'a Selection,
    /// What is left out of every view.
    pub filters: &'a Filters,
    pub theme: Theme,
    /// Of the sheet, in physical pixels.
    pub size: Vec2,
    /// Physical pixels of one point: letters of 12 points are 12 times this high.
    pub scale: f32,
}

/// What views along time say of a recording without times.
pub(crate) const NO_TIMES: &str =
    "This profile holds weights and no times: there is nothing to lay along time";

/// A picture along time. Places are in physical pixels from its top left corner.
pub trait AlongTime {
    fn pointed(&self, document: &Document, at: Vec2) -> Pointed;
    fn tip(&self, document: &Document, at: Vec2) -> Option<Tip>;
    /// The time of the run that plays at a place along x.
    fn time_at(&self, document: &Document, x: f32) -> Option<Time>;
    fn zoom(&mut self, at: Vec2, factor: Vec2);
    fn pan(&mut self, by: Vec2);

    /// What a click does that does not choose what is there; whether it did something.
    fn click(&mut self, _at: Vec2) -> bool {
        false
    }

    /// The range that a click at a place limits every view to, beside choosing what is there.
    fn range_at(&self, _at: Vec2) -> Option<TimeRange> {
        None
    }

    /// What a double-click on something does.
    fn double_click(&mut self, pointed: Pointed, pane: &mut Pane<'_>) {
        pane.asks.extend(pointed.module.map(CameraAsk::FlyTo));
    }
}

/// What a view along time hands on to the `model` of the run that it shows.
macro_rules! of_model {
    () => {
        fn tip(&self, document: &Document, at: Vec2) -> Option<Tip> {
            self.model.as_ref()?.tip(&document.session, at)
        }

        fn time_at(&self, _document: &Document, x: f32) -> Option<Time> {
            Some(self.model.as_ref()?.time_at(x))
        }

        fn range_at(&self, at: Vec2) -> Option<TimeRange> {
            self.model.as_ref()?.range_at(at)
        }

        fn zoom(&mut self, at: Vec2, factor: Vec2) {
            self.change(|model| model.zoom(at, factor));
        }

        fn pan(&mut self, by: Vec2) {
            self.change(|model| model.pan(by));
        }
    };
}
pub(crate) use of_model;

/// The same of what every view does.
macro_rules! view_of_model {
    () => {
        fn picture(&mut self, state: &State, surface: Surface) -> Picture<'_> {
            let (Some(model), Some(document)) = (&mut self.model, &state.document) else {
                return Picture::Nothing;
            };
            let scope = along_time::scope(state, document, surface);
            let selection = &document.selection;
            match self
                .drawn
                .is_other(&scope, selection, surface, model.is_waiting())
            {
                true => Picture::Sheet(model.show(&scope)),
                false => Picture::Same,
            }
        }

        fn along_time(&mut self) -> Option<&mut dyn AlongTime> {
            Some(self)
        }

        fn show_all(&mut self, document: &Document) {
            if let Some(whole) = along_time::whole(document) {
                self.change(|it| it.set_visible(whole));
            }
        }

        fn show_range(&mut self, document: &Document) {
            self.show_all(document);
        }
    };
}
pub(crate) use view_of_model;

/// What a picture was last drawn with: with the same there is nothing to draw.
#[derive(Clone, Debug, PartialEq)]
struct DrawnWith {
    selection: u64,
    filters: Filters,
    theme: Theme,
    size: [u32; 2],
    scale: f32,
    revision: u64,
}

/// Whether a picture has to be drawn again.
#[derive(Debug, Default)]
pub(crate) struct Drawn {
    with: Option<DrawnWith>,
    /// It was not all worked out when it was drawn.
    waited: bool,
    /// Counts what was done to the view: after that its picture has to be drawn again.
    pub revision: u64,
}

impl Drawn {
    /// Whether the picture has to be drawn again; it counts as drawn then.
    pub(crate) fn is_other(
        &mut self,
        scope: &Scope<'_>,
        selection: &Choosing,
        surface: Surface,
        is_waiting: bool,
    ) -> bool {
        let with = DrawnWith {
            selection: selection.stamp(),
            filters: scope.filters.clone(),
            theme: scope.theme,
            size: scope.size.as_uvec2().to_array(),
            scale: scope.scale,
            revision: self.revision,
        };
        let is_same = self.with.as_ref() == Some(&with);
        // What was waited for is drawn once more when it is there.
        let waited = std::mem::replace(&mut self.waited, is_waiting);
        if is_same && !surface.is_new && !is_waiting && !waited {
            return false;
        }
        self.with = Some(with);
        true
    }
}

/// What a picture on `surface` is made of.
pub(crate) fn scope<'a>(state: &State, document: &'a Document, surface: Surface) -> Scope<'a> {
    Scope {
        session: &document.session,
        recording: document.recording(),
        selection: &document.selection,
        filters: &document.filters,
        theme: state.settings.theme,
        size: Vec2::new(surface.size[0] as f32, surface.size[1] as f32),
        scale: surface.scale,
    }
}

/// The range that there is to see: the chosen one, else all of the recording.
pub(crate) fn whole(document: &Document) -> Option<TimeRange> {
    let all = document.resolved().map(|it| it.recording.trace.range());
    document.selection.range.or(all)
}

/// The visible range that a session file keeps, within the recording; none where that is nothing.
pub(crate) fn saved_range(saved: Option<[u64; 2]>, state: &State) -> Option<TimeRange> {
    let [start, end] = saved?;
    let whole = state.document.as_ref()?.resolved()?.recording.trace.range();
    let limit = |ns: u64| Time::from_ns(ns).clamp(whole.start, whole.end);
    let range = TimeRange::new(limit(start), limit(end));
    (range.length() > Cost::ZERO).then_some(range)
}

/// What every view along time does by a key.
pub(crate) fn press(view: &mut dyn AlongTime, key: SheetKey, state: &State) {
    let Some((own, at)) = state.panes.under_pointer else {
        return;
    };
    let width = state.panes.size(own).map_or(0.0, |size| size.x);
    match key {
        SheetKey::Zoom(factor) => view.zoom(at, Vec2::new(factor, 1.0)),
        SheetKey::Pan(share) => view.pan(Vec2::new(share * width, 0.0)),
    }
}

/// Shows the picture of a view along time, and does what the pointer does there.
pub(crate) fn show(ui: &mut Ui, own: ViewId, view: &mut dyn AlongTime, pane: &mut Pane<'_>) {
    let rect = ui.max_rect();
    ui.painter().rect_filled(rect, 0, ui.visuals().panel_fill);
    let Some(document) = &pane.state.document else {
        return;
    };
    if document.playback.is_none() {
        ui.centered_and_justified(|ui| {
            let hint = match document.profile() {
                Some(_) => NO_TIMES,
                None => "Open a recording to see what happened when.",
            };
            ui.label(style::weak(hint));
        });
        return;
    }
    if let Some(id) = pane.pictures[0] {
        let uv = Rect::from_min_max(Pos2::ZERO, egui::pos2(1.0, 1.0));
        ui.painter().image(id, rect, uv, Color32::WHITE);
    }
    let id = ui.scope_id().with(("sheet", own.id()));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    tell(
        &response,
        Role::Image,
        "Calls along time; the functions and calls tables list the same data",
    );
    let scale = ui.pixels_per_point();
    let place = |at: Pos2| {
        let at = (at - rect.min) * scale;
        Vec2::new(at.x, at.y)
    };
    turn(ui, view, &response, place, scale);
    drag(ui, view, &response, document, place, pane);
    if response.dragged() {
        return;
    }
    let Some(at) = response.hover_pos().map(place) else {
        return;
    };
    let pointed = view.pointed(document, at);
    pane.pointed = pointed;
    if response.double_clicked() {
        view.double_click(pointed, pane);
    } else if response.clicked() && !view.click(at) {
        pane.asks.push(SelectAsk::Choose(pointed));
        pane.asks.extend(pointed.time.map(PlayAsk::Seek));
        if let Some(range) = view.range_at(at) {
            // Where it is the range already it is given up.
            let range = (document.selection.range != Some(range)).then_some(range);
            pane.asks.push(SelectAsk::SetRange(range));
        }
    }
    if let Some(tip) = view.tip(document, at) {
        response.on_hover_ui_at_pointer(|ui| tip.show(ui, 340.0));
    }
}

/// The wheel over the picture: zooms and scrolls.
fn turn(
    ui: &Ui,
    view: &mut dyn AlongTime,
    response: &egui::Response,
    place: impl Fn(Pos2) -> Vec2,
    scale: f32,
) {
    let (shift, command, scroll) = ui.input(|input| {
        let modifiers = input.modifiers;
        (
            modifiers.shift,
            modifiers.command,
            input.smooth_scroll_delta,
        )
    });
    let Some(at) = response.hover_pos().map(place) else {
        return;
    };
    let turned = scroll.x + scroll.y;
    let factor = (turned / WHEEL).exp2();
    if turned != 0.0 && command {
        view.zoom(at, Vec2::new(1.0, factor));
    } else if scroll.y != 0.0 && !shift {
        view.zoom(at, Vec2::new((scroll.y / WHEEL).exp2(), 1.0));
    } else if scroll.y != 0.0 {
        view.pan(Vec2::new(0.0, scroll.y * scale));
    }
    if scroll.x != 0.0 && !command {
        let by = if shift {
            Vec2::new(0.0, scroll.x)
        } else {
            Vec2::new(scroll.x, 0.0)
        };
        view.pan(by * scale);
    }
}

/// A drag: moves what is shown, or chooses a range.
fn drag(
    ui: &Ui,
    view: &mut dyn AlongTime,
    response: &egui::Response,
    document: &Document,
    place: impl Fn(Pos2) -> Vec2,
    pane: &mut Pane<'_>,
) {
    let shift = ui.input(|input| input.modifiers.shift);
    // Where a drag that chooses a range began, as a time: what is shown may be moved meanwhile.
    let begun = ui.data(|data| data.get_temp::<Time>(response.id));
    let chooses = shift || response.dragged_by(PointerButton::Secondary);
    if response.drag_started() && chooses {
        let origin = ui.input(|input| input.pointer.press_origin());
        let time = origin.and_then(|at| view.time_at(document, place(at).x));
        if let Some(time) = time {
            ui.data_mut(|data| data.insert_temp(response.id, time));
        }
        return;
    }
    if response.drag_stopped() && begun.is_some() {
        ui.data_mut(|data| data.remove::<Time>(response.id));
        pane.asks.push(SelectAsk::EndRangeDrag);
        return;
    }
    if !response.dragged() {
        return;
    }
    match (begun, response.interact_pointer_pos()) {
        (Some(from), Some(at)) => {
            if let Some(to) = view.time_at(document, place(at).x) {
                let range = TimeRange::new(from, to);
                pane.asks.push(SelectAsk::DragRange(range));
            }
        }
        (None, _) => {
            let by = response.drag_delta() * ui.pixels_per_point();
            if by != egui::Vec2::ZERO {
                view.pan(Vec2::new(by.x, by.y));
            }
        }
        (Some(_), None) => {}
    }
}
