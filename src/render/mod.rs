//! Rendering: device, passes, picking, read-back. Knows geometry, not traces.

pub mod camera;
pub mod image;
