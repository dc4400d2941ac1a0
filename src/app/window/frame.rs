//! One frame: what is new is drawn, and when the next is due is found out.

use callscape_base::clock::Instant;
use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;
use winit::event_loop::ActiveEventLoop;

use super::copy::seen;
use super::{App, MAX_LOSSES};
use crate::canvas::{Canvas, Sharpness};
use crate::desk::Desk;
use crate::graphics::Presented;
use crate::overlay::PanelFrame;
use crate::pace::{Detail, Moved};
use crate::panels;
use crate::panels::context::{Cues, Layout};
use crate::picture::{copy, say};
use crate::recent::write_picture;
use crate::remembered::Place;
use crate::snapshot::Drawing;
use callscape_base::escape;
use callscape_look::quality::{Light, Quality};
use callscape_render::gpu::GpuError;
use callscape_state::document::Document;
use callscape_state::made::Made;
use callscape_state::message::Message;
use callscape_views::{Surface, main, style};

/// The picture of a landscape at rest is made better only when nothing else is going on: on a software
/// renderer each step takes long enough to make the panels stutter.
const CALM: Duration = Duration::from_millis(150);
/// How often the progress of work on another thread is looked at.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(60);
/// A landscape with sides of fewer pixels than this share of the window's is no longer worth drawing.
const COARSEST: f32 = 0.2;
/// How often it is asked how many frames the display shows: the window may be on another.
const DISPLAY_INTERVAL: Duration = Duration::from_secs(1);
/// When the display cannot take a frame it is tried again after this.
const RETRY_INTERVAL: Duration = Duration::from_millis(16);

/// How finely a frame is drawn.
#[derive(Clone, Copy, Debug)]
struct Fineness {
    detail: Detail,
    in_motion: bool,
    /// It is the first that a key of the presenter brings.
    is_first: bool,
    /// When the key of a presenter was heard whose frame this is, in milliseconds.
    heard_ms: Option<f64>,
    /// What is hardly seen yet, through what was shown before, is to be there soon and no more.
    is_rough: bool,
}

/// What the panels made of a frame.
struct Laid {
    layout: Layout,
    shown: PanelFrame,
    /// What landscapes are drawn on.
    targets: [Option<Surface>; 2],
    fineness: Fineness,
    /// Something was asked for or pointed at that the next frame shows.
    goes_on: bool,
}

impl App {
    /// Draws a frame and finds out when the next is due: applies what was asked for, to what it was asked of; collects what
    /// others have finished; brings everything up to date, shows the panels, and draws.
    pub(super) fn frame(&mut self, event_loop: &ActiveEventLoop) {
        self.next_frame = None;
        let begin = Instant::now();
        self.apply();
        self.collect(event_loop);
        if self.view.is_none() {
            return;
        }
        self.point();
        self.desk.update();
        self.desk.note_views();
        self.desk.keep_aside();
        let Some(laid) = self.ui(event_loop, begin) else {
            return;
        };
        self.draw(event_loop, begin, laid);
    }

    /// Takes what other threads have finished.
    fn collect(&mut self, event_loop: &ActiveEventLoop) {
        #[cfg(target_arch = "wasm32")]
        super::page::work_between_frames();
        if self.desk.collect()
            && let (Some(view), Some(document)) = (&self.view, &self.desk.state.document)
        {
            let title = format!("{} — Callscape", document.name());
            view.window.set_title(&escape::name(&title));
        }
        if let Some(goto) = &self.goto {
            goto.answer(|place| self.desk.state.go_to_line(&place.file, place.line));
        }
        self.follow_presentation(event_loop);
        #[cfg(target_arch = "wasm32")]
        self.follow_link();
    }

    /// Carries out what the last frame's panels were asked for.
    fn apply(&mut self) {
        for ask in self.asks.take() {
            self.desk.execute(ask);
        }
        let Some(view) = &self.view else { return };
        let is_searching = self.desk.state.search.is_open;
        if std::mem::replace(&mut self.was_searching, is_searching) && !is_searching {
            // The next key is none for the field.
            let field = egui::Id::unique(panels::SEARCH_FIELD);
            let ctx = view.overlay.ctx();
            ctx.memory_mut(|memory| memory.surrender_focus(field));
        }
    }

    /// Finds out what is under the pointer.
    fn point(&mut self) {
        let Some(view) = &self.view else { return };
        let (overlay, origin) = (&view.overlay, self.desk.state.moving.viewport.origin);
        let covers = |at: Vec2| overlay.covers(at.x + origin.x, at.y + origin.y);
        let state = &mut self.desk.state;
        let shown = state.document.as_ref().map(Document::generation);
        let pointed = self.pointed.zip(shown);
        let pointed = pointed.and_then(|(pointed, shown)| pointed.into(shown));
        state.update_hover(pointed.unwrap_or_default(), covers);
    }

    /// How finely this frame is drawn.
    fn fineness(&mut self, begin: Instant) -> Option<Fineness> {
        // What a key of the presenter begins is seen at once, and finely when it has come to rest.
        let live = self.desk.talk.live.as_mut();
        let heard_ms = live.and_then(|live| live.heard_ms.take());
        let begins = heard_ms.is_some() && self.desk.is_moving();
        let keeps = self.desk.keeps_what_was();
        let view = self.view.as_mut()?;
        let camera = self.desk.state.moving.camera.camera();
        let drawn = view.graphics.canvas.camera_drawn();
        let in_motion = begins || drawn.is_some_and(|drawn| drawn != camera);
        let asked = view.display_asked;
        if asked.is_none_or(|asked| begin.duration_since(asked) > DISPLAY_INTERVAL) {
            view.display_asked = Some(begin);
            let display = view.window.current_monitor();
            let rate = display.and_then(|display| display.refresh_rate_millihertz());
            view.pace.set_display(rate);
        }
        let detail = view.pace.begin_frame(self.desk.state.now(), in_motion);
        let first = begins.then(|| view.pace.first(keeps)).flatten();
        if keeps {
            view.keep_before(&self.desk);
        }
        let scale = first.unwrap_or(detail.scale);
        Some(Fineness {
            detail: Detail { scale, ..detail },
            in_motion,
            is_first: first.is_some(),
            heard_ms,
            is_rough: keeps && first.is_some(),
        })
    }

    /// Shows panels and views: what they are asked for is applied to the next frame. None where there is nothing to draw
    /// on until the window gets a size.
    fn ui(&mut self, event_loop: &ActiveEventLoop, begin: Instant) -> Option<Laid> {
        if self.view.as_ref()?.graphics.size().contains(&0) {
            return None;
        }
        let fineness = self.fineness(begin)?;
        let detail = fineness.detail;
        let view = self.view.as_mut()?;
        let canvas = &mut view.graphics.canvas;
        canvas.set_second(self.desk.state.shows_both());
        canvas.set_together(detail.pictures);
        self.timings.drawn = detail;
        canvas.name_pictures(&mut view.pictures);
        view.pictures.before = view.before;
        view.pictures.before_strength = self.desk.strength_before();
        let (desk, timings, asks) = (&mut self.desk, &self.timings, &mut self.asks);
        let mut layout = Layout::default();
        view.overlay.set_scale(desk.state.look.text_scale);
        let cues = Cues::take(desk);
        if cues.focus_first {
            view.overlay.focus_first();
        }
        let (theme, pictures) = (desk.state.settings.theme, &view.pictures);
        if let Some(text) = desk.text_to_copy.take() {
            view.overlay.ctx().copy_text(text);
        }
        let shown = view.overlay.run(&view.window, event_loop, theme, |ui| {
            asks.clear();
            layout = panels::show(ui, desk, cues, (pictures, timings), asks);
            layout.covered.unwrap_or(egui::Rect::NOTHING)
        });
        let runs = desk.state.document.as_ref();
        let side = runs
            .and_then(|it| it.runs.as_ref())
            .map_or(0, |it| it.side());
        if let Err(reason) = &shown.copied {
            desk.state.told.messages.push(Message {
                is_error: true,
                is_open: false,
                title: "It could not be copied".to_owned(),
                lines: vec![reason.clone()],
            });
        }
        view.painted = panels::painted(&layout, view.pictures.of_runs(), side);
        let points = shown.panels.pixels_per_point;
        let fine = (points, detail.scale * view.finest);
        view.graphics.canvas.is_rough = fineness.is_rough;
        let targets = view.graphics.canvas.targets(&mut desk.state, &layout, fine);
        desk.follow_layout();
        let has_menu = view.overlay.has_open_menu();
        desk.is_held = view.overlay.ctx().input(|input| input.pointer.any_down());
        desk.note_pointer(layout.under_pointer, layout.pointer, points, has_menu);
        self.asks.append(&mut self.after_typing);
        let document = self.desk.state.document.as_ref();
        let pointed = document.map(|it| Made::new(it.generation(), layout.pointed));
        let is_pointed = std::mem::replace(&mut self.pointed, pointed) != pointed;
        Some(Laid {
            goes_on: !self.asks.is_empty() || is_pointed,
            layout,
            shown,
            targets,
            fineness,
        })
    }

    /// Draws what is new, presents it with the panels, and finds out when the next frame is due.
    fn draw(&mut self, event_loop: &ActiveEventLoop, begin: Instant, laid: Laid) {
        let Some(view) = &mut self.view else { return };
        let Laid {
            layout,
            shown,
            targets,
            fineness,
            goes_on,
        } = laid;
        let repaint_after = shown.repaint_after;
        let restless = CALM.saturating_sub(self.last_input.elapsed());
        let may_settle =
            fineness.detail.scale == 1.0 && restless.is_zero() && !repaint_after.is_zero();
        let mut quality = self.desk.state.look.quality.unwrap_or(self.timings.quality);
        if fineness.is_rough {
            (quality.light, quality.shadow) = (Light::None, false);
        }
        let sharpness = Sharpness {
            quality,
            may_settle,
            may_spread: true,
        };
        let (canvas, spot) = (&mut view.graphics.canvas, self.desk.spot());
        let points = shown.panels.pixels_per_point;
        let of = (&mut self.desk.state, &mut self.desk.views);
        let new = canvas.prepare(of, spot, targets, sharpness, points);
        #[cfg(debug_assertions)]
        self.fault.happen(self.timings.frames, &mut view.graphics);
        let own = begin.elapsed().as_secs_f32();
        let theme = self.desk.state.settings.theme;
        let presented = view.graphics.draw(&new, theme, shown.panels);
        view.graphics.canvas.note_drawn(&new);
        let is_hidden = targets.iter().all(Option::is_none);
        self.copy_when_best(&layout, is_hidden);
        self.take_snapshot();
        self.note_times(begin, own, &fineness, is_hidden, goes_on);
        match presented {
            Err(error) => self.on_gpu_error(event_loop, error),
            Ok(presented) => {
                let calm = (!is_hidden).then_some(restless);
                let due = self.due(presented, goes_on, calm, repaint_after);
                self.wait_until(due);
            }
        }
    }

    /// Takes the picture of another view that was asked for.
    fn take_snapshot(&mut self) {
        let (Some(view), Some(wanted)) = (&mut self.view, &self.desk.wants_picture) else {
            return;
        };
        if wanted.view != main() {
            let texture = view.pictures.of(wanted.view);
            self.desk.take_snapshot(Drawing {
                ctx: view.overlay.ctx(),
                canvas: Some(&mut view.graphics.canvas),
                texture,
            });
            view.window.request_redraw();
        }
    }

    /// Copies the picture where that was asked for, once it is the best that it becomes.
    fn copy_when_best(&mut self, layout: &Layout, is_hidden: bool) {
        let Some(view) = &self.view else { return };
        let canvas = &view.graphics.canvas;
        // The picture gets better while nothing moves: the best is what one wants.
        let is_best = is_hidden || self.desk.is_moving() || canvas.settled();
        let is_calm = canvas.settled() && !is_hidden && !self.desk.is_working();
        let thumbnail = match is_calm {
            true => self.desk.welcome.recent.take_picture(),
            false => None,
        };
        let of_landscape = self.desk.wants_picture.as_ref();
        let wants_copy = of_landscape.is_some_and(|it| it.view == main()) && is_best;
        if !wants_copy && thumbnail.is_none() {
            return;
        }
        if wants_copy {
            self.desk.wants_picture = None;
        }
        let runs = self.desk.state.document.as_ref();
        let runs = runs.and_then(|document| document.runs.as_ref());
        let own = runs.map_or(0, |runs| runs.side());
        let gap = style::colors(self.desk.state.settings.theme).panel;
        let Some(seen) = seen(canvas, layout, own, gap) else {
            return;
        };
        if let (Some(path), Ok(seen)) = (thumbnail, &seen) {
            // Where it cannot be kept the welcome has a name without a picture.
            let _ = write_picture(seen, &path);
        }
        if wants_copy {
            let copied = seen.map(|it| copy(&it, view.overlay.ctx()));
            self.desk
                .state
                .told
                .messages
                .push(say(copied.map_err(Into::into), true));
            view.window.request_redraw();
        }
    }

    /// Notes how long the frame took, which decides how finely the next one is drawn.
    fn note_times(
        &mut self,
        begin: Instant,
        own: f32,
        fineness: &Fineness,
        is_hidden: bool,
        goes_on: bool,
    ) {
        let Some(view) = &mut self.view else { return };
        self.timings.frames += 1;
        if self.desk.state.cards.timings {
            let Canvas { gpu, renderer, .. } = &mut view.graphics.canvas;
            self.timings.passes.clear();
            self.timings.passes.extend_from_slice(renderer.timings(gpu));
        }
        let smooth = |old: f32, new: f32| old + (new - old) * 0.1;
        let interval = begin.duration_since(view.last_frame).as_secs_f32() * 1e3;
        self.timings.interval_ms = smooth(self.timings.interval_ms, interval);
        self.desk.state.moving.time.drawing += begin.elapsed();
        let moved = match fineness.in_motion {
            true => Some(Moved::Camera),
            false => self.desk.is_moving().then_some(Moved::Inside),
        };
        if let Some(moved) = moved.filter(|_| !fineness.is_first && !is_hidden) {
            let taken = begin.elapsed().as_secs_f32();
            view.pace.end_frame(taken, own, moved);
        }
        let cpu = begin.elapsed().as_secs_f32() * 1e3;
        self.timings.cpu_ms = smooth(self.timings.cpu_ms, cpu);
        view.last_frame = begin;
        if let Some(log) = &mut self.log {
            let frame = (self.timings.frames, own * 1e3, fineness.heard_ms);
            log.write(frame, self.is_focused, goes_on, &self.desk);
        }
    }

    /// When the next frame is due without an event; none for never.
    fn due(
        &self,
        presented: Presented,
        goes_on: bool,
        calm: Option<Duration>,
        repaint_after: Duration,
    ) -> Option<Instant> {
        let view = self.view.as_ref()?;
        let state = &self.desk.state;
        let now = Instant::now();
        let mut due = None;
        let mut by = |after: Duration| {
            // Too far away to be told is never.
            let at = now.checked_add(after);
            due = [due, at].into_iter().flatten().min();
        };
        by(repaint_after);
        if let Some((_, left)) = state.notice() {
            by(left);
        }
        let waits = [
            self.desk.recorder_waits(),
            self.desk.rescue.due(),
            self.desk.done_left(),
        ];
        waits.into_iter().flatten().for_each(&mut by);
        let settles = state.document.is_some() && !view.graphics.canvas.settled();
        #[cfg(target_arch = "wasm32")]
        let goes_on = goes_on || callscape_state::queue::is_any();
        if self.desk.is_moving() || goes_on {
            by(Duration::ZERO);
        } else if let Some(calm) = calm.filter(|_| settles) {
            by(calm);
        }
        if let Some(rest) = view.pace.rests_in(state.now()) {
            by(rest);
        }
        if self.desk.is_waiting() {
            by(PROGRESS_INTERVAL);
        }
        match presented {
            Presented::Yes => {}
            Presented::TryAgain => by(RETRY_INTERVAL),
            Presented::NotNow => due = None,
        }
        due
    }

    fn wait_until(&mut self, due: Option<Instant>) {
        match due {
            Some(at) if at <= Instant::now() => self.redraw(),
            due => {
                self.next_frame = due;
                self.remember();
            }
        }
    }

    /// Keeps how the views are arranged.
    pub(super) fn remember(&mut self) {
        // A scene arranges the views its own way, for its time.
        if self.desk.is_live() {
            return;
        }
        let place = self.view.as_ref().map(|view| {
            let size = view.window.inner_size();
            let at = view.window.outer_position().ok();
            Place {
                at: at.map(|at| [at.x, at.y]),
                size: [size.width, size.height],
                is_maximised: view.window.is_maximized(),
            }
        });
        let place = place.filter(|it| !it.size.contains(&0));
        let Desk { state, memory, .. } = &mut self.desk;
        if let Err(error) = memory.keep(state, place) {
            self.desk.state.told.messages.push(Message {
                is_error: true,
                is_open: false,
                title: "Arrangement, theme and size of the window cannot be saved".to_owned(),
                lines: vec![error.to_string()],
            });
            self.redraw();
        }
    }

    /// Opens the device anew when it is lost; tells of any other error once.
    fn on_gpu_error(&mut self, event_loop: &ActiveEventLoop, error: GpuError) {
        let Some(view) = &self.view else {
            return;
        };
        if error == GpuError::OutOfMemory {
            self.make_do_with_less(event_loop);
            return;
        }
        if !matches!(error, GpuError::Lost(_)) {
            let message = Message {
                is_error: true,
                is_open: true,
                title: "The graphics driver reported an error".to_owned(),
                lines: vec![error.to_string()],
            };
            if !self.desk.state.told.messages.contains(&message) {
                self.desk.state.told.messages.push(message);
                self.redraw();
            }
            return;
        }
        self.losses += 1;
        if self.losses > MAX_LOSSES {
            self.fail(event_loop, error.into());
            return;
        }
        let window = Arc::clone(&view.window);
        // The old surface has to go before the window can have another.
        self.notes = None;
        self.view = None;
        self.make_view(event_loop, window);
    }

    /// Draws more coarsely on a device opened anew, since the old one has no memory left; gives up where it is
    /// drawn as coarsely as can be already.
    fn make_do_with_less(&mut self, event_loop: &ActiveEventLoop) {
        let Some(view) = &self.view else {
            return;
        };
        let (window, finest) = (Arc::clone(&view.window), 0.5 * view.finest);
        if finest < COARSEST {
            self.fail(event_loop, GpuError::OutOfMemory.into());
            return;
        }
        self.desk.state.look.quality = Some(Quality {
            shadow: self
                .desk
                .state
                .look
                .quality
                .is_none_or(|chosen| chosen.shadow),
            ..Quality::LOW
        });
        self.desk.state.told.messages.push(Message {
            is_error: true,
            is_open: true,
            title: "The graphics device has no memory left".to_owned(),
            lines: vec![
                "The landscape is drawn at lower detail from now on.".to_owned(),
                "Close other programs and reopen the window to restore full detail.".to_owned(),
            ],
        });
        self.notes = None;
        self.view = None;
        self.make_view(event_loop, window);
        if let Some(view) = &mut self.view {
            view.finest = finest;
        }
    }
}
