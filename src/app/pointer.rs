//! The pointer over the landscape: drags, clicks and double-clicks, and what lies under it.

use std::time::Duration;

use glam::{Vec2, Vec3};

use super::ask::{CameraAsk, SelectAsk};
use super::camera::Mode;
use super::workbench::Workbench;
use crate::filter::selection::Pointed;
use crate::units::ModuleId;

/// Two fingers move sideways when they do so this many times as far as up or down.
const SIDEWAYS: f32 = 1.5;
/// Radians that they turn by when they move by the height of the window.
const SCROLL_TURN: f32 = 2.4;

/// A press that moves no farther than this many pixels is a click.
const CLICK_RADIUS: f32 = 4.0;
const DOUBLE_CLICK: Duration = Duration::from_millis(400);
/// Where frames take long, clicks are heard late: the time of the frames between two clicks does not
/// count, up to this.
const DOUBLE_CLICK_HEARD: Duration = Duration::from_millis(2500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    Left,
    Right,
    Middle,
}

/// The pointer's state; places in physical pixels from the landscape's top left corner.
#[derive(Clone, Debug, Default)]
pub struct Pointer {
    /// None outside of the window and over panels.
    pub at: Option<Vec2>,
    press: Option<Press>,
    last_click: Option<Click>,
}

#[derive(Clone, Copy, Debug)]
struct Click {
    at: Vec2,
    /// When it was heard, and how much time frames had taken until then.
    heard: Duration,
    drawing: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Press {
    button: Button,
    at: Vec2,
    pans: bool,
    is_drag: bool,
}

impl Pointer {
    /// Whether a button is down.
    pub fn is_pressed(&self) -> bool {
        self.press.is_some()
    }
}

impl Click {
    /// Whether this click and the `last` are a double-click.
    fn follows(&self, last: &Click) -> bool {
        let between = self.heard.saturating_sub(last.heard);
        let drawing = self.drawing.saturating_sub(last.drawing);
        between.saturating_sub(drawing) < DOUBLE_CLICK
            && between < DOUBLE_CLICK_HEARD
            && self.at.distance(last.at) <= CLICK_RADIUS
    }
}

impl Workbench {
    /// What is under a pixel: an arc, else a module.
    fn point_at(&self, at: Vec2) -> Pointed {
        let Some(document) = &self.document else {
            return Pointed::default();
        };
        let camera = self.camera.camera();
        let block = self.pick(at);
        let size = (self.viewport.size, self.viewport.scale);
        // An arc behind a block is only hinted at.
        let hit = block.map(|(_, point)| point);
        let landscape = self.landscape_pointed_at();
        match landscape.and_then(|it| it.pick_arc(&camera, at, size, hit)) {
            Some(arc) => Pointed {
                relation: Some((arc.from, arc.to)),
                thread: arc.thread,
                time: arc.thread.map(|_| document.selection.time),
                ..Pointed::default()
            },
            None => Pointed::at_module(block.map(|(module, _)| module)),
        }
    }

    /// The module under a pixel, and the point of it.
    fn pick(&self, at: Vec2) -> Option<(ModuleId, Vec3)> {
        let camera = self.camera.camera();
        let landscape = self.landscape_pointed_at()?;
        let ray = camera.ray(at, self.viewport.size);
        landscape.pick(camera.eye, ray)
    }

    /// The point of the landscape, or else of the ground, under a pixel; none above the horizon.
    fn point_under(&self, at: Vec2) -> Option<Vec3> {
        if let Some((_, point)) = self.pick(at) {
            return Some(point);
        }
        let camera = self.camera.camera();
        let ray = camera.ray(at, self.viewport.size);
        let along = -camera.eye.z / ray.z;
        let reach = self.camera.pose().distance * 4.0;
        (along > 0.0 && along < reach).then(|| camera.eye + ray * along)
    }

    /// Brings what is pointed at up to date: with pointer, camera and layout over the landscape, nothing
    /// while dragging; where a panel `covers` the place, what the panels say is `pointed` at. Whether it
    /// is something else than before.
    pub fn update_hover(&mut self, pointed: Pointed, covers: impl FnOnce(Vec2) -> bool) -> bool {
        let at = self.pointer.at.filter(|&at| !covers(at));
        let is_dragging = self.pointer.press.is_some();
        let pointed = match at {
            Some(at) if !is_dragging => self.point_at(at),
            Some(_) => Pointed::default(),
            None => pointed,
        };
        let Some(document) = &mut self.document else {
            return false;
        };
        let pointed = document.complete(pointed);
        std::mem::replace(&mut document.selection.pointed, pointed) != pointed
    }

    /// The pointer is at `at`; `over_panel` when a panel lies there.
    pub fn pointer_moved(&mut self, at: Vec2, over_panel: bool) {
        let Some(press) = &mut self.pointer.press else {
            self.pointer.at = (!over_panel).then_some(at);
            return;
        };
        let mut from = self.pointer.at.unwrap_or(press.at);
        self.pointer.at = Some(at);
        if !press.is_drag {
            if at.distance(press.at) <= CLICK_RADIUS {
                return;
            }
            press.is_drag = true;
            from = press.at;
            let press = *press;
            let under = self.point_under(press.at);
            self.following.is_on = false;
            if press.pans {
                self.camera.start_pan(under);
            } else {
                self.camera.start_turn(under);
            }
        }
        self.camera.drag(from, at, self.viewport.size);
    }

    pub fn pointer_left(&mut self) {
        if self.pointer.press.is_none() {
            self.pointer.at = None;
        }
    }

    /// A button went down over the landscape.
    pub fn pointer_pressed(&mut self, button: Button, shift: bool) {
        if let (Some(at), None) = (self.pointer.at, self.pointer.press) {
            self.close_search();
            self.pointer.press = Some(Press {
                button,
                at,
                pans: button == Button::Right || (button == Button::Left && shift),
                is_drag: false,
            });
        }
    }

    /// A button went up: ends a drag, or clicks.
    pub fn pointer_released(&mut self, button: Button) {
        let press = self.pointer.press;
        let Some(press) = press.filter(|press| press.button == button) else {
            return;
        };
        self.release_pointer();
        if press.is_drag || button != Button::Left {
            return;
        }
        let pointed = self.point_at(press.at);
        let click = Click {
            at: press.at,
            heard: self.now(),
            drawing: self.drawing,
        };
        let last = self.pointer.last_click.take();
        let is_double = last.is_some_and(|last| click.follows(&last));
        self.execute(SelectAsk::Choose(pointed));
        match pointed.module {
            Some(module) if is_double => self.execute(CameraAsk::FlyTo(module)),
            _ => self.pointer.last_click = Some(click),
        }
    }

    /// The window lost the pointer: no drag goes on.
    pub fn release_pointer(&mut self) {
        self.pointer.press = None;
        self.camera.end_drag();
    }

    /// A wheel turned, or two fingers moved, by so many lines, each worth `line` pixels: away from the user and
    /// back zooms to the pointer, sideways turns about what is under it, and with Shift the ground is moved.
    pub fn scrolled(&mut self, lines: Vec2, line: f32, shift: bool) {
        if !lines.is_finite() {
            return;
        }
        let is_sideways = lines.x.abs() > SIDEWAYS * lines.y.abs();
        if shift && self.camera.mode() == Mode::Orbit {
            // Some systems turn the wheel sideways themselves while Shift is held.
            self.moved_along(lines * line);
        } else if is_sideways {
            let angle = lines.x * line * SCROLL_TURN / self.viewport.size.y.max(1.0);
            self.following.is_on = false;
            self.camera.twist(angle, self.under_pointer());
        } else {
            self.camera.wheel(lines.y, self.under_pointer());
        }
    }

    /// Two fingers parted by this share of their distance, or met where it is negative.
    pub fn pinched(&mut self, share: f32) {
        if self.pointer.at.is_some() {
            self.following.is_on = false;
            self.camera.pinch(1.0 + share, self.under_pointer());
        }
    }

    /// Two fingers turned by so many degrees against the clock.
    pub fn twisted(&mut self, degrees: f32) {
        if self.pointer.at.is_some() {
            self.following.is_on = false;
            self.camera
                .twist(degrees.to_radians(), self.under_pointer());
        }
    }

    /// The ground is moved by so many pixels.
    pub fn moved_along(&mut self, by: Vec2) {
        let Some(at) = self.pointer.at.filter(|_| by.is_finite()) else {
            return;
        };
        // What is pressed drags already.
        if self.pointer.press.is_none() {
            self.following.is_on = false;
            self.camera.start_pan(self.point_under(at));
            self.camera.drag(at, at + by, self.viewport.size);
            self.camera.end_drag();
        }
    }

    fn under_pointer(&self) -> Option<Vec3> {
        self.pointer.at.and_then(|at| self.point_under(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clicks_near_each_other_are_a_double_click_however_slow_the_frames() {
        let click = |at: f32, heard: u64, drawing: u64| Click {
            at: Vec2::splat(at),
            heard: Duration::from_millis(heard),
            drawing: Duration::from_millis(drawing),
        };
        let first = click(100.0, 5_000, 3_000);
        assert!(click(101.0, 5_200, 3_100).follows(&first));
        assert!(!click(101.0, 5_600, 3_100).follows(&first));
        assert!(!click(120.0, 5_200, 3_000).follows(&first));
        // A frame of a second lay between them.
        assert!(click(101.0, 6_200, 4_000).follows(&first));
        // Software rendering all the while, but clearly two clicks.
        assert!(!click(101.0, 8_000, 6_000).follows(&first));
    }
}
