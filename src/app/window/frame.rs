//! One frame: what is new is drawn, and when the next is due is found out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec2;
use winit::event_loop::ActiveEventLoop;

use super::copy::copy;
use super::{App, MAX_LOSSES};
use crate::app::canvas::{Canvas, Sharpness};
use crate::app::graphics::Presented;
use crate::app::pace::{Detail, Moved};
use crate::app::panels::{self, Layout};
use crate::app::style;
use crate::app::workbench::Message;
use crate::render::gpu::GpuError;
use crate::render::renderer::{Light, Quality};

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

impl App {
    /// Draws a frame and finds out when the next is due.
    pub(super) fn frame(&mut self, event_loop: &ActiveEventLoop) {
        self.next_frame = None;
        if self.bench.poll_loading()
            && let (Some(view), Some(document)) = (&self.view, &self.bench.document)
        {
            let title = format!("{} — Callscape", document.name());
            view.window.set_title(&title);
        }
        self.bench.poll_jobs();
        self.follow_presentation(event_loop);
        let Some(view) = &mut self.view else {
            return;
        };
        let begin = Instant::now();
        self.bench.advance();
        let camera = self.bench.camera.camera();
        let drawn = view.graphics.canvas.camera_drawn();
        // What a key of the presenter begins is seen at once, and finely when it has come to rest.
        let live = self.bench.talk.live.as_ref();
        let begins = live.is_some_and(|live| live.heard_ms.is_some()) && self.bench.is_moving();
        let in_motion = begins || drawn.is_some_and(|drawn| drawn != camera);
        let asked = view.display_asked;
        if asked.is_none_or(|asked| begin.duration_since(asked) > DISPLAY_INTERVAL) {
            view.display_asked = Some(begin);
            let display = view.window.current_monitor();
            let rate = display.and_then(|display| display.refresh_rate_millihertz());
            view.pace.set_display(rate);
        }
        let detail = view.pace.begin_frame(self.bench.now(), in_motion);
        let keeps = self.bench.keeps_what_was();
        let first = begins.then(|| view.pace.first(keeps)).flatten();
        let scale = first.unwrap_or(detail.scale);
        if view.graphics.size().contains(&0) {
            // Nothing to draw on until the window gets a size.
            return;
        }
        let mut dock = std::mem::take(&mut self.bench.dock);
        let canvas = &mut view.graphics.canvas;
        if keeps {
            let fill = self.bench.viewport.size.as_uvec2().to_array();
            let kept = canvas.keep_before(fill);
            let own = canvas.pictures().landscapes();
            view.before = view.painted.map(|painted| {
                let mut painted = painted?;
                let which = own.iter().position(|id| *id == painted.picture)?;
                painted.picture = kept[which];
                Some(painted)
            });
        }
        canvas.set_second(self.bench.shows_both());
        canvas.set_together(detail.pictures);
        self.timings.drawn = Detail { scale, ..detail };
        let mut pictures = canvas.pictures();
        pictures.before = view.before;
        pictures.before_strength = self.bench.strength_before();
        let (bench, timings, asks) = (&self.bench, &self.timings, &mut self.asks);
        let mut layout = Layout::default();
        let theme = bench.settings.theme;
        view.overlay.set_scale(bench.text_scale);
        let shown = view.overlay.run(&view.window, event_loop, theme, |ui| {
            asks.clear();
            layout = panels::show(ui, bench, &mut dock, &pictures, timings, asks);
            layout.covered.unwrap_or(egui::Rect::NOTHING)
        });
        self.bench.dock = dock;
        let side = self
            .bench
            .document
            .as_ref()
            .and_then(|it| it.versus.as_ref());
        let side = side.map_or(0, |versus| versus.side());
        view.painted = panels::painted(&layout, pictures.landscapes(), side);
        let points = shown.panels.pixels_per_point;
        let fine = (points, scale * view.finest);
        // What is hardly seen yet, through what was shown before, is to be there soon and no more.
        let is_rough = keeps && first.is_some();
        view.graphics.canvas.is_rough = is_rough;
        let targets = view.graphics.canvas.targets(&mut self.bench, &layout, fine);
        self.bench.search.wants_focus = false;
        self.bench.search.mark_moved = false;
        self.bench.row_to_show = None;
        self.bench.call_to_show = None;
        self.bench.view_pointed_at = layout.under_pointer;
        self.bench.rows_seen = layout.rows_seen;
        let place = layout
            .under_pointer
            .and_then(|view| self.bench.dock.place(view));
        self.bench.sheet_pointer = place.zip(layout.pointer).map(|(place, at)| {
            let at = (at - place.min) * points;
            Vec2::new(at.x, at.y)
        });
        self.asks.append(&mut self.after_typing);
        let had_asks = !self.asks.is_empty();
        let was_searching = self.bench.search.is_open;
        for ask in self.asks.take() {
            self.bench.execute(ask);
        }
        if was_searching && !self.bench.search.is_open {
            // The next key is none for the field.
            let field = egui::Id::unique(panels::SEARCH_FIELD);
            view.overlay
                .ctx()
                .memory_mut(|memory| memory.surrender_focus(field));
        }
        let (overlay, origin) = (&view.overlay, self.bench.viewport.origin);
        let covers = |at: Vec2| overlay.covers(at.x + origin.x, at.y + origin.y);
        let is_brushed = self.bench.update_hover(layout.pointed, covers);

        let restless = CALM.saturating_sub(self.last_input.elapsed());
        let may_settle = scale == 1.0 && restless.is_zero() && !shown.repaint_after.is_zero();
        let mut quality = self.bench.quality.unwrap_or(self.timings.quality);
        if is_rough {
            (quality.light, quality.shadow) = (Light::None, false);
        }
        let sharpness = Sharpness {
            quality,
            may_settle,
            may_spread: true,
        };
        let canvas = &mut view.graphics.canvas;
        let new = canvas.prepare(&mut self.bench, targets, sharpness, points);
        let is_waiting = self.bench.sheets_wait();
        #[cfg(debug_assertions)]
        self.fault.happen(self.timings.frames, &mut view.graphics);
        let own = begin.elapsed().as_secs_f32();
        let presented = view.graphics.draw(&new, theme, shown.panels);
        let canvas = &mut view.graphics.canvas;
        canvas.note_drawn(&new);
        // The picture gets better while nothing moves: the best is what one wants.
        let is_hidden = targets.iter().all(Option::is_none);
        let is_best = is_hidden || self.bench.is_moving() || canvas.settled();
        if self.bench.wants_copy && is_best {
            self.bench.wants_copy = false;
            let versus = self.bench.document.as_ref();
            let versus = versus.and_then(|document| document.versus.as_ref());
            let own = versus.map_or(0, |versus| versus.side());
            let gap = style::colors(theme).panel;
            let ctx = view.overlay.ctx();
            if let Some(message) = copy(canvas, ctx, &layout, own, gap) {
                self.bench.messages.push(message);
                view.window.request_redraw();
            }
        }
        self.timings.frames += 1;
        if self.bench.shown.timings {
            let Canvas { gpu, renderer, .. } = canvas;
            self.timings.passes.clear();
            self.timings.passes.extend_from_slice(renderer.timings(gpu));
        }
        let smooth = |old: f32, new: f32| old + (new - old) * 0.1;
        let interval = begin.duration_since(view.last_frame).as_secs_f32() * 1e3;
        self.timings.interval_ms = smooth(self.timings.interval_ms, interval);
        self.bench.drawing += begin.elapsed();
        if first.is_none() && !is_hidden && (in_motion || self.bench.is_moving()) {
            let moved = if in_motion {
                Moved::Camera
            } else {
                Moved::Inside
            };
            view.pace
                .end_frame(begin.elapsed().as_secs_f32(), own, moved);
        }
        let cpu = begin.elapsed().as_secs_f32() * 1e3;
        self.timings.cpu_ms = smooth(self.timings.cpu_ms, cpu);
        view.last_frame = begin;
        if let Some(log) = &mut self.log {
            log.write(self.timings.frames, self.is_focused, &self.bench);
        }
        if let Some(live) = &mut self.bench.talk.live {
            live.heard_ms = None;
        }

        let now = Instant::now();
        let mut due = None;
        let mut by = |after: Duration| {
            // Too far away to be told is never.
            let at = now.checked_add(after);
            due = [due, at].into_iter().flatten().min();
        };
        by(shown.repaint_after);
        if let Some((_, left)) = self.bench.notice() {
            by(left);
        }
        if let Some(left) = self.bench.recorder_waits() {
            by(left);
        }
        if self.bench.is_moving() || had_asks || is_brushed {
            by(Duration::ZERO);
        } else if targets[0].is_some() && self.bench.document.is_some() && !canvas.settled() {
            by(restless);
        }
        if let Some(rest) = view.pace.rests_in(self.bench.now()) {
            by(rest);
        }
        let is_working = self.bench.work.is_under_way() || self.bench.jobs.is_any();
        if self.bench.loading.is_some() || is_working || is_waiting {
            by(PROGRESS_INTERVAL);
        }
        match presented {
            Ok(Presented::Yes) => {}
            Ok(Presented::TryAgain) => by(RETRY_INTERVAL),
            Ok(Presented::NotNow) => due = None,
            Err(error) => {
                self.on_gpu_error(event_loop, error);
                return;
            }
        }
        match due {
            Some(at) if at <= now => self.redraw(),
            due => {
                self.next_frame = due;
                self.remember();
            }
        }
    }

    /// Keeps how the views are arranged.
    pub(super) fn remember(&mut self) {
        // A scene arranges the views its own way, for its time.
        if self.bench.is_live() {
            return;
        }
        if let Err(error) = self.memory.keep(&self.bench.dock) {
            self.bench.messages.push(Message {
                is_error: true,
                is_open: false,
                title: "The arrangement of the views cannot be kept".to_owned(),
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
            if !self.bench.messages.contains(&message) {
                self.bench.messages.push(message);
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
        self.bench.quality = Some(Quality {
            shadow: self.bench.quality.is_none_or(|chosen| chosen.shadow),
            ..Quality::LOW
        });
        self.bench.messages.push(Message {
            is_error: true,
            is_open: true,
            title: "The graphics device has no memory left".to_owned(),
            lines: vec![
                "The landscape is drawn more coarsely from now on.".to_owned(),
                "Closing other programs and opening the window again makes it as fine as before."
                    .to_owned(),
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
