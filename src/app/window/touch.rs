//! Fingers on the landscape: one drags and selects as the left button does, two zoom, turn and move.

use glam::Vec2;
use winit::event::{Touch, TouchPhase};

use super::App;
use callscape_state::pointer::Button;

/// The fingers that are down, with their places in pixels, in the order in which they came.
#[derive(Default)]
pub(super) struct Fingers(Vec<(u64, Vec2)>);

/// What the movement of one of two fingers does to the segment between them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    /// The middle after it, and how far that moved.
    middle: Vec2,
    by: Vec2,
    /// By what share of their distance they parted.
    share: f32,
    /// How far they turned against the clock, in degrees.
    degrees: f32,
}

/// One finger went from `from` to `to`, the other stays.
fn change(from: Vec2, to: Vec2, other: Vec2) -> Change {
    let (before, after) = (from - other, to - other);
    let share = match before.length() {
        0.0 => 0.0,
        length => after.length() / length - 1.0,
    };
    // Downwards is positive on a screen: angles grow with the clock.
    let degrees = -before.angle_to(after).to_degrees();
    Change {
        middle: (to + other) / 2.0,
        by: (to - from) / 2.0,
        share,
        degrees: if degrees.is_finite() { degrees } else { 0.0 },
    }
}

impl App {
    pub(super) fn on_touch(&mut self, touch: &Touch) {
        let at = Vec2::new(touch.location.x as f32, touch.location.y as f32);
        let known = self.fingers.0.iter().position(|it| it.0 == touch.id);
        match touch.phase {
            TouchPhase::Started => {
                self.fingers.0.push((touch.id, at));
                if self.fingers.0.len() == 1 {
                    self.touched(at);
                    self.desk.state.pointer_pressed(Button::Left, false);
                } else {
                    self.desk.state.release_pointer();
                }
            }
            TouchPhase::Moved => {
                let Some(known) = known else { return };
                let from = std::mem::replace(&mut self.fingers.0[known].1, at);
                match self.fingers.0[..] {
                    [_] => self.touched(at),
                    [one, other] => {
                        let other = if known == 0 { other.1 } else { one.1 };
                        self.parted(change(from, at, other));
                    }
                    _ => {}
                }
            }
            TouchPhase::Ended | TouchPhase::Cancelled => {
                self.fingers.0.retain(|it| it.0 != touch.id);
                if !self.fingers.0.is_empty() {
                    return self.redraw();
                }
                match touch.phase {
                    TouchPhase::Ended => self.desk.state.pointer_released(Button::Left, false),
                    _ => self.desk.state.release_pointer(),
                }
                self.desk.state.pointer_left();
            }
        }
        self.redraw();
    }

    fn touched(&mut self, at: Vec2) {
        let Some(view) = &self.view else { return };
        let over_panel = view.overlay.covers(at.x, at.y);
        let state = &mut self.desk.state;
        state.enter_half(at);
        state.pointer_moved(at - state.moving.viewport.origin, over_panel);
    }

    fn parted(&mut self, change: Change) {
        self.touched(change.middle);
        let state = &mut self.desk.state;
        state.pinched(change.share);
        state.twisted(change.degrees);
        state.moved_along(change.by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_fingers_zoom_turn_and_move() {
        let apart = change(Vec2::new(10.0, 0.0), Vec2::new(20.0, 0.0), Vec2::ZERO);
        let expected = Change {
            middle: Vec2::new(10.0, 0.0),
            by: Vec2::new(5.0, 0.0),
            share: 1.0,
            degrees: 0.0,
        };
        assert_eq!(apart, expected);
        // Upwards on the screen is against the clock.
        let turned = change(Vec2::new(10.0, 0.0), Vec2::new(0.0, -10.0), Vec2::ZERO);
        assert!((turned.degrees - 90.0).abs() < 1e-3 && turned.share.abs() < 1e-6);
        let same = change(Vec2::ONE, Vec2::new(3.0, 1.0), Vec2::ONE);
        assert_eq!((same.share, same.degrees), (0.0, 0.0));
    }
}
