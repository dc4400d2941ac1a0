//! Rendering: device, passes, picking, read-back. Knows geometry, not traces.

pub mod camera;
pub mod gpu;
pub mod image;
pub mod ink;
pub mod pose;
pub mod theme;

mod growing;
mod pass;
mod quality;
pub mod readback;
mod recording;
mod targets;
mod timings;
mod uniform;

pub(crate) mod city;
mod frame;
mod merged;

mod scatter;

mod ease;

mod cull;

mod heights;

mod blocks;

mod resolve;

mod outline;

mod glyphs;
pub(crate) mod text;

mod flat_labels;

mod arcs;

mod accumulate;

mod steady;

mod compose;

mod screen_labels;

pub mod sheet;

pub mod renderer;

#[cfg(test)]
mod shader_tests;
