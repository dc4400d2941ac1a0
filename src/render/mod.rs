//! Rendering: device, passes, picking, read-back. Knows geometry, not traces.

pub mod camera;
pub mod gpu;
pub mod image;
pub mod theme;

mod growing;
mod pass;
mod readback;
mod targets;

mod city;
mod frame;

mod heights;

mod blocks;

mod resolve;

mod arcs;

mod accumulate;

mod compose;

pub mod renderer;
