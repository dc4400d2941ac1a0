//! Rendering: device, passes, picking, read-back. Knows geometry, not traces.

pub mod camera;
pub mod gpu;
pub mod image;
pub mod renderer;
pub mod theme;
