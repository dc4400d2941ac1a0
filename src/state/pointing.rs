//! What the pointer does to the landscape: drags, clicks and double-clicks, and what lies under it.

use glam::{Vec2, Vec3};

use super::ask::{CameraAsk, CutAsk, EditAsk, SelectAsk};
use super::camera::Mode;
use super::pointer::{Button, CLICK_RADIUS, Click, Press};
use super::state::State;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;

/// Two fingers move sideways when they go this many times as far to the side as up or down.
const SIDEWAYS: f32 = 1.5;

/// Radians that they turn by when they move by the height of the window.
const SCROLL_TURN: f32 = 2.4;

impl State {
    /// What is under a pixel: an arc, else a module.
    fn point_at(&self, at: Vec2) -> Pointed {
        let Some(document) = &self.document else {
            return Pointed::default();
        };
        let camera = self.moving.camera.camera();
        let block = self.pick(at);
        let size = (self.moving.viewport.size, self.moving.viewport.scale);
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
    pub(super) fn pick(&self, at: Vec2) -> Option<(ModuleId, Vec3)> {
        let camera = self.moving.camera.camera();
        let landscape = self.landscape_pointed_at()?;
        let ray = camera.ray(at, self.moving.viewport.size);
        landscape.pick(camera.eye, ray)
    }

    /// The point of the landscape, or else of the ground, under a pixel; none above the horizon.
    fn point_under(&self, at: Vec2) -> Option<Vec3> {
        if let Some((_, point)) = self.pick(at) {
            return Some(point);
        }
        let camera = self.moving.camera.camera();
        let ray = camera.ray(at, self.moving.viewport.size);
        let along = -camera.eye.z / ray.z;
        let reach = self.moving.camera.pose().distance * 4.0;
        (along > 0.0 && along < reach).then(|| camera.eye + ray * along)
    }

    /// Brings what is pointed at up to date: with pointer, camera and layout over the landscape, nothing
    /// while dragging; where a panel `covers` the place, what the panels say is `pointed` at. Whether it
    /// is something else than before.
    pub fn update_hover(&mut self, pointed: Pointed, covers: impl FnOnce(Vec2) -> bool) -> bool {
        let at = self.moving.pointer.at.filter(|&at| !covers(at));
        let press = self.moving.pointer.press;
        let carries = press.is_some_and(|it| it.is_drag && it.carries.is_some());
        let pointed = match at {
            Some(at) if press.is_none() => self.point_at(at),
            // The district that the one that is carried would change places with.
            Some(at) if carries => Pointed::at_module(self.district_at(at)),
            Some(_) => Pointed::default(),
            None => pointed,
        };
        let Some(document) = &mut self.document else {
            return false;
        };
        let pointed = document.complete(pointed);
        document.selection.change(|it| it.pointed = pointed)
    }

    /// The pointer is at `at`; `over_panel` when a panel lies there.
    pub fn pointer_moved(&mut self, at: Vec2, over_panel: bool) {
        let Some(press) = &mut self.moving.pointer.press else {
            self.moving.pointer.at = (!over_panel).then_some(at);
            return;
        };
        let mut from = self.moving.pointer.at.unwrap_or(press.at);
        self.moving.pointer.at = Some(at);
        if !press.is_drag {
            if at.distance(press.at) <= CLICK_RADIUS {
                return;
            }
            press.is_drag = true;
            from = press.at;
            let press = *press;
            if press.carries.is_some() {
                return;
            }
            let under = self.point_under(press.at);
            self.moving.following.is_on = false;
            if press.pans {
                self.moving.camera.start_pan(under);
            } else {
                self.moving.camera.start_turn(under);
            }
        }
        let press = self.moving.pointer.press;
        if press.is_none_or(|it| it.carries.is_none()) {
            self.moving.camera.drag(from, at, self.moving.viewport.size);
        }
    }

    pub fn pointer_left(&mut self) {
        if self.moving.pointer.press.is_none() {
            self.moving.pointer.at = None;
        }
    }

    /// A button went down over the landscape.
    pub fn pointer_pressed(&mut self, button: Button, shift: bool) {
        if let (Some(at), None) = (self.moving.pointer.at, self.moving.pointer.press) {
            self.close_search();
            self.moving.pointer.press = Some(Press {
                button,
                at,
                carries: None,
                pans: button == Button::Right || (button == Button::Left && shift),
                is_drag: false,
            });
        }
    }

    /// A drag that begins now carries the district under the pointer to another place.
    pub fn carry_district(&mut self) {
        let Some(at) = self.moving.pointer.press.map(|it| it.at) else {
            return;
        };
        let district = self.district_at(at);
        if let Some(press) = &mut self.moving.pointer.press {
            press.carries = district;
        }
    }

    /// A button went up: ends a drag, or clicks; with `command` held the editor shows what was clicked.
    pub fn pointer_released(&mut self, button: Button, command: bool) {
        let press = self.moving.pointer.press;
        let Some(press) = press.filter(|press| press.button == button) else {
            return;
        };
        let at = self.moving.pointer.at;
        self.release_pointer();
        if let (true, Some(carried)) = (press.is_drag, press.carries) {
            if let Some(onto) = at.and_then(|at| self.district_at(at)) {
                self.execute(CutAsk::Swap(carried, onto));
            }
            return;
        }
        if press.is_drag || button != Button::Left {
            return;
        }
        let pointed = self.point_at(press.at);
        let click = Click {
            at: press.at,
            heard: self.now(),
            drawing: self.moving.time.drawing,
        };
        let last = self.moving.pointer.last_click.take();
        let is_double = last.is_some_and(|last| click.follows(&last));
        self.execute(SelectAsk::Choose(pointed));
        if command {
            return self.execute(EditAsk::Meant(pointed));
        }
        match pointed.module {
            Some(module) if is_double => self.execute(CameraAsk::FlyTo(module)),
            _ => self.moving.pointer.last_click = Some(click),
        }
    }

    /// The window lost the pointer: no drag goes on.
    pub fn release_pointer(&mut self) {
        self.moving.pointer.press = None;
        self.moving.camera.end_drag();
    }

    /// A wheel turned, or two fingers moved, by this many lines, each worth `line` pixels: away from the user and
    /// back zooms to the pointer, sideways turns about what is under it, and with Shift the ground is moved.
    pub fn scrolled(&mut self, lines: Vec2, line: f32, shift: bool) {
        if !lines.is_finite() {
            return;
        }
        let is_sideways = lines.x.abs() > SIDEWAYS * lines.y.abs();
        if shift && self.moving.camera.mode() == Mode::Orbit {
            // Some systems turn the wheel sideways themselves while Shift is held.
            self.moved_along(lines * line);
        } else if is_sideways {
            let angle = lines.x * line * SCROLL_TURN / self.moving.viewport.size.y.max(1.0);
            self.moving.following.is_on = false;
            self.moving.camera.twist(angle, self.under_pointer());
        } else {
            self.moving.camera.wheel(lines.y, self.under_pointer());
        }
    }

    /// Two fingers parted by this share of their distance, or met where it is negative.
    pub fn pinched(&mut self, share: f32) {
        if self.moving.pointer.at.is_some() {
            self.moving.following.is_on = false;
            self.moving.camera.pinch(1.0 + share, self.under_pointer());
        }
    }

    /// Two fingers turned by this many degrees against the clock.
    pub fn twisted(&mut self, degrees: f32) {
        if self.moving.pointer.at.is_some() {
            self.moving.following.is_on = false;
            self.moving
                .camera
                .twist(degrees.to_radians(), self.under_pointer());
        }
    }

    /// The ground is moved by this many pixels.
    pub fn moved_along(&mut self, by: Vec2) {
        let Some(at) = self.moving.pointer.at.filter(|_| by.is_finite()) else {
            return;
        };
        // What is pressed drags already.
        if self.moving.pointer.press.is_none() {
            self.moving.following.is_on = false;
            self.moving.camera.start_pan(self.point_under(at));
            self.moving
                .camera
                .drag(at, at + by, self.moving.viewport.size);
            self.moving.camera.end_drag();
        }
    }

    fn under_pointer(&self) -> Option<Vec3> {
        self.moving.pointer.at.and_then(|at| self.point_under(at))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::RunsAsk;
    use super::super::runs::RunsLayout;
    use super::super::runs_view::Halves;
    use super::super::testing::{frame_at, module, nothing_open, open, tiny, two_runs};
    use super::*;
    use crate::Viewport;
    use callscape_look::pose::FreeArea;

    fn framed(mut state: State, width: f32) -> State {
        let viewport = Viewport {
            origin: Vec2::ZERO,
            size: Vec2::new(width, 720.0),
            scale: 1.0,
            free: FreeArea::WINDOW,
        };
        for _ in 0..5 {
            state.set_viewport(viewport);
        }
        state
    }

    /// The middle of a module's roof on the screen.
    fn place_of(state: &State, module: ModuleId) -> Vec2 {
        let bounds = open(state).bounds_of(module).expect("it has a block");
        let at = ((bounds.min + bounds.max) * 0.5).with_z(bounds.max.z);
        let size = state.moving.viewport.size;
        let clip = state
            .moving
            .camera
            .camera()
            .clip_from_world(size.x / size.y)
            * at.extend(1.0);
        let on = Vec2::new(clip.x, -clip.y) / clip.w;
        (on * 0.5 + 0.5) * size
    }

    #[test]
    fn what_is_under_the_pointer_is_pointed_at_and_a_click_chooses_it() {
        let mut state = framed(tiny(), 800.0);
        let step = module(&state, "step");
        let at = place_of(&state, step);
        state.pointer_moved(at, false);
        assert!(state.update_hover(Pointed::default(), |_| false));
        assert_eq!(open(&state).selection.pointed.module, Some(step));
        assert!(
            !state.update_hover(Pointed::default(), |_| false),
            "the same again"
        );
        // Where a panel covers it, what the panel says is pointed at.
        let other = Pointed::at_module(Some(module(&state, "run")));
        assert!(state.update_hover(other, |_| true));
        assert_eq!(open(&state).selection.pointed.module, other.module);
        state.pointer_pressed(Button::Left, false);
        state.pointer_released(Button::Left, false);
        assert_eq!(open(&state).selection.chosen.module, Some(step));
        assert_eq!(state.moving.camera.destination(), None);
        // Once more soon after: a double-click.
        state.pointer_pressed(Button::Left, false);
        state.pointer_released(Button::Left, false);
        assert!(state.is_moving(), "the camera flies there");
    }

    #[test]
    fn a_press_that_moves_is_a_drag_and_chooses_nothing() {
        let mut state = framed(tiny(), 800.0);
        let at = place_of(&state, module(&state, "step"));
        state.moving.following.is_on = true;
        state.pointer_moved(at, false);
        state.pointer_pressed(Button::Left, true);
        let before = state.moving.camera.pose();
        state.pointer_moved(at + Vec2::new(CLICK_RADIUS * 0.5, 0.0), false);
        assert_eq!(
            state.moving.camera.pose(),
            before,
            "no farther than a click"
        );
        state.pointer_moved(at + Vec2::new(60.0, 0.0), false);
        assert_ne!(state.moving.camera.pose(), before);
        assert!(!state.moving.following.is_on);
        state.pointer_released(Button::Right, false);
        assert!(state.moving.pointer.is_pressed(), "another button");
        state.pointer_released(Button::Left, false);
        assert_eq!(open(&state).selection.chosen, Pointed::default());
        frame_at(&mut state, 10);
    }

    #[test]
    fn fingers_move_the_one_camera_alike_on_either_landscape() {
        let after = |left: f32| {
            let mut state = two_runs();
            state.execute(RunsAsk::Together(Some(RunsLayout::SideBySide)));
            let mut state = framed(state, 640.0);
            state.set_halves(Some(Halves {
                origins: [Vec2::ZERO, Vec2::new(640.0, 0.0)],
                split: 640.0,
                pointed: 0,
            }));
            let at = Vec2::new(left + 330.0, 420.0);
            state.enter_half(at);
            state.pointer_moved(at - state.moving.viewport.origin, false);
            let mut eyes = vec![state.moving.camera.camera().eye];
            state.pinched(0.4);
            eyes.push(state.moving.camera.camera().eye);
            state.twisted(15.0);
            eyes.push(state.moving.camera.camera().eye);
            state.moved_along(Vec2::new(30.0, -12.0));
            eyes.push(state.moving.camera.camera().eye);
            // Two fingers sideways turn.
            state.scrolled(Vec2::new(2.0, 0.1), 50.0, false);
            eyes.push(state.moving.camera.camera().eye);
            for odd in [f32::NAN, f32::INFINITY, -2.0] {
                state.pinched(odd);
            }
            state.twisted(f32::NAN);
            state.moved_along(Vec2::NAN);
            state.scrolled(Vec2::NAN, 50.0, false);
            assert_eq!(
                state.moving.camera.camera().eye,
                eyes[4],
                "what is no number"
            );
            state.pointer_left();
            state.pinched(0.4);
            state.twisted(15.0);
            assert_eq!(state.moving.camera.camera().eye, eyes[4], "elsewhere");
            eyes
        };
        let (first, second) = (after(0.0), after(640.0));
        assert_eq!(first, second);
        for (gesture, eyes) in first.windows(2).enumerate() {
            assert!(eyes[0].distance(eyes[1]) > 1.0, "gesture {gesture}");
        }
    }

    #[test]
    fn without_a_landscape_nothing_is_pointed_at() {
        let mut state = nothing_open();
        state.pointer_moved(Vec2::new(10.0, 10.0), false);
        assert!(!state.update_hover(Pointed::default(), |_| false));
        state.pointer_moved(Vec2::new(10.0, 10.0), true);
        assert_eq!(state.moving.pointer.at, None, "a panel lies there");
        state.pointer_pressed(Button::Left, false);
        assert!(!state.moving.pointer.is_pressed());
    }
}
