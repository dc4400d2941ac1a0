//! Fingers on the landscape: one drags and selects as the left button does, two zoom, turn and move.

use glam::Vec2;
use winit::event::{Touch, TouchPhase};

/// The fingers that are down, with their places in pixels, in the order in which they came.
#[derive(Default)]
pub(super) struct Fingers(Vec<(u64, Vec2)>);

/// What the movement of one of two fingers does to the segment between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Change {
    /// The middle after it, and how far that moved.
    pub middle: Vec2,
    pub by: Vec2,
    /// By what share of their distance they parted.
    pub share: f32,
    /// How far they turned against the clock, in degrees.
    pub degrees: f32,
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

/// What the fingers did together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gesture {
    /// The first one went down.
    Down(Vec2),
    /// The only one moved.
    Moved(Vec2),
    /// A second one joined it.
    Joined,
    /// One of two moved.
    Parted(Change),
    /// The last one was lifted.
    Up,
    /// The system took the last one away.
    Cancelled,
}

impl Fingers {
    /// Takes an event of one finger; none where it changes nothing.
    pub(super) fn on(&mut self, touch: &Touch) -> Option<Gesture> {
        let at = Vec2::new(touch.location.x as f32, touch.location.y as f32);
        let known = self.0.iter().position(|it| it.0 == touch.id);
        match touch.phase {
            TouchPhase::Started => {
                self.0.push((touch.id, at));
                Some(match self.0.len() {
                    1 => Gesture::Down(at),
                    _ => Gesture::Joined,
                })
            }
            TouchPhase::Moved => {
                let known = known?;
                let from = std::mem::replace(&mut self.0.get_mut(known)?.1, at);
                match self.0[..] {
                    [_] => Some(Gesture::Moved(at)),
                    [one, other] => {
                        let other = if known == 0 { other.1 } else { one.1 };
                        Some(Gesture::Parted(change(from, at, other)))
                    }
                    _ => None,
                }
            }
            TouchPhase::Ended | TouchPhase::Cancelled => {
                self.0.retain(|it| it.0 != touch.id);
                let is_lifted = touch.phase == TouchPhase::Ended;
                self.0.is_empty().then_some(match is_lifted {
                    true => Gesture::Up,
                    false => Gesture::Cancelled,
                })
            }
        }
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
