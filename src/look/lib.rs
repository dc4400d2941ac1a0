//! The look of a picture before anything is drawn: inks, palettes, pose and camera, quality, and pictures as pixels.
//! Knows geometry and themes, no device.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod camera;
pub mod image;
pub mod ink;
pub mod lightness;
pub mod pose;
pub mod quality;
pub mod theme;
