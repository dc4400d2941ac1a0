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

/// As the window was when it was closed, where a monitor still shows that.
pub(super) fn placed(
    attributes: WindowAttributes,
    place: Place,
    event_loop: &ActiveEventLoop,
) -> WindowAttributes {
    let [width, height] = place.size.map(|side| side.max(200));
    let attributes = attributes
        .with_inner_size(PhysicalSize::new(width, height))
        .with_maximized(place.is_maximised);
    let is_seen = |at: [i32; 2]| {
        event_loop.available_monitors().any(|monitor| {
            let (corner, size) = (monitor.position(), monitor.size());
            let within = |at: i32, from: i32, side: u32| {
                (i64::from(from)..i64::from(from) + i64::from(side)).contains(&i64::from(at))
            };
            within(at[0], corner.x, size.width) && within(at[1], corner.y, size.height)
        })
    };
    match place.at.filter(|at| is_seen(*at)) {
        Some([x, y]) => attributes.with_position(PhysicalPosition::new(x, y)),
        None => attributes,
    }
}
