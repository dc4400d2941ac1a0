//! Where the window is, and how large.

use winit::dpi::{LogicalSize, PhysicalPosition, PhysicalSize};
use winit::event_loop::ActiveEventLoop;
use winit::window::WindowAttributes;

use crate::remembered::Place;

/// How large the window is at first, in points: on a small screen no larger than that shows with the title and the bars
/// of the desktop around, or the playback bar would lie below its edge.
pub(super) fn first_size(event_loop: &ActiveEventLoop) -> LogicalSize<f64> {
    const WANTED: [f64; 2] = [1280.0, 800.0];
    const AROUND: [f64; 2] = [0.0, 80.0];
    let mut monitors = event_loop.available_monitors();
    let screen = event_loop.primary_monitor().or_else(|| monitors.next());
    let [width, height] = match screen {
        Some(screen) if screen.size().width > 0 => {
            let room: LogicalSize<f64> = screen.size().to_logical(screen.scale_factor());
            [room.width - AROUND[0], room.height - AROUND[1]]
        }
        _ => WANTED,
    };
    LogicalSize::new(
        WANTED[0].min(width).max(320.0),
        WANTED[1].min(height).max(240.0),
    )
}

/// As the window was when it was closed, no larger than the monitor that it is on, and whole on it.
pub(super) fn placed(
    attributes: WindowAttributes,
    place: Place,
    event_loop: &ActiveEventLoop,
) -> WindowAttributes {
    let monitors = event_loop.available_monitors();
    let monitors = monitors.map(|it| (it.position().into(), it.size().into()));
    let (at, [width, height]) = fitted(place, monitors);
    let attributes = attributes
        .with_inner_size(PhysicalSize::new(width, height))
        .with_maximized(place.is_maximised);
    match at {
        Some([x, y]) => attributes.with_position(PhysicalPosition::new(x, y)),
        None => attributes,
    }
}

/// Position and size of a window on monitors with these corners and sizes. The position is none if no monitor shows the
/// window's corner.
fn fitted(
    place: Place,
    monitors: impl Iterator<Item = ([i32; 2], [u32; 2])>,
) -> (Option<[i32; 2]>, [u32; 2]) {
    const LEAST: u32 = 200;
    let mut size = place.size.map(|side| side.max(LEAST));
    let is_within = |at: i32, from: i32, side: u32| {
        (i64::from(from)..i64::from(from) + i64::from(side)).contains(&i64::from(at))
    };
    let mut monitors: Vec<_> = monitors.collect();
    // One that is unknown has no size.
    monitors.retain(|(_, of)| of.iter().all(|&side| side > LEAST));
    let shown = place.at.and_then(|at| {
        let shows = |corner: [i32; 2], of: [u32; 2]| {
            (0..2).all(|axis| is_within(at[axis], corner[axis], of[axis]))
        };
        let on = monitors.iter().find(|(corner, of)| shows(*corner, *of));
        on.map(|&(corner, of)| (at, corner, of))
    });
    let most = match shown {
        Some((_, _, of)) => of,
        None => monitors.first().map_or(size, |it| it.1),
    };
    size = [size[0].min(most[0]), size[1].min(most[1])];
    let at = shown.map(|(at, corner, of)| {
        let on_axis = |axis: usize| {
            let room = (of[axis] - size[axis]) as i32;
            at[axis].clamp(corner[axis], corner[axis].saturating_add(room))
        };
        [on_axis(0), on_axis(1)]
    });
    (at, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_a_larger_screen_is_whole_on_a_smaller_one() {
        let place = |at, size| Place {
            at,
            size,
            is_maximised: false,
        };
        let two = || [([0, 0], [1280, 720]), ([1280, 0], [1920, 1080])].into_iter();
        let fits = fitted(place(Some([1300, 20]), [1800, 1000]), two());
        assert_eq!(fits, (Some([1300, 20]), [1800, 1000]));
        let cut = fitted(place(Some([400, 300]), [1800, 600]), two());
        assert_eq!(cut, (Some([0, 120]), [1280, 600]));
        let nowhere = fitted(place(Some([9000, 9000]), [3840, 2160]), two());
        assert_eq!(nowhere, (None, [1280, 720]));
        let unknown = fitted(
            place(Some([5, 5]), [640, 480]),
            [([0, 0], [0, 0])].into_iter(),
        );
        assert_eq!(unknown, (None, [640, 480]));
    }
}
