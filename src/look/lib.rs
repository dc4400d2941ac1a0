//! The look of a picture before anything is drawn: inks, palettes, pose and camera, quality, and pictures as pixels.
//! Knows geometry and themes, no device.

pub mod camera;
pub mod image;
pub mod ink;
pub mod lightness;
pub mod pose;
pub mod quality;
pub mod theme;
