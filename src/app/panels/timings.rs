//! What the readout of frame times says.

use super::context::Timings;
use callscape_views::text::counted;

pub(super) fn timings(timings: &Timings) -> String {
    format!(
        "{:.0} fps · {:.1} ms a frame · {:.1} ms on the CPU · frame {} of {}, {:.0} % as high · {}",
        1000.0 / timings.interval_ms.max(0.01),
        timings.interval_ms,
        timings.cpu_ms,
        timings.frames,
        counted(timings.drawn.pictures.into(), "picture", "pictures"),
        100.0 * timings.drawn.scale,
        timings.adapter
    )
}

/// The passes of a frame and what they took on the device.
pub(super) fn passes(passes: &[(&str, f32)]) -> String {
    if passes.is_empty() {
        return "the device cannot measure its passes".to_owned();
    }
    let sum: f32 = passes.iter().map(|(_, ms)| ms).sum();
    let mut text = format!("{sum:.1} ms on the device: ");
    for (place, (name, ms)) in passes.iter().enumerate() {
        text.push_str(if place == 0 { "" } else { " · " });
        text.push_str(&format!("{name} {ms:.1}"));
    }
    text
}
