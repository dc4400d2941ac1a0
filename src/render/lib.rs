//! Rendering: device, passes, picking, read-back. Knows geometry, not traces.
//!
//! The passes stand in order in `Renderer::draw_sample`, each one file here and one of the same name in `shaders/`:
//!
//! - *scatter* puts changed looks in their places, and *ease* moves blocks to a new layout.
//! - *cull* lists the blocks in sight. What is smaller than a pixel merges into what it stands on (`shaders/city.wgsl`;
//!   its mean comes from `merged`).
//! - *heights* draws the city from above; *blocks* writes which block is seen at each pixel.
//! - *resolve* gives each pixel colour and light, by tracing cones through the heights.
//! - Outlines, names and arcs are drawn over that.
//! - *accumulate* averages shifted pictures while nothing moves. *steady* mixes the pictures of a moving camera into what
//!   was seen before. *compose* shows the result.
//!
//! A device that draws one picture a frame has its arcs over the steady picture. At rest, pictures with four different
//! shifts take turns there: where one differs from the last picture of the same shift, something has changed; everything
//! else is the mean of the four. How many pictures a frame gets (four at most), and how many pixels while the camera
//! moves, depends on whether the window holds the display's rate; frames that are late through the program's own part do
//! not count.
//!
//! A renderer makes its passes at the same time, each on a thread of its own (`made_at_once!` in `pass`), because that is
//! when drivers compile their shaders.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod gpu;
mod records;
mod squares;

mod growing;
mod pass;
pub mod readback;
mod recording;
mod targets;
mod timings;
mod uniform;

mod city;
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
pub mod text;

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
