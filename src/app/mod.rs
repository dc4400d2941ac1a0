//! Window, event loop, camera, playback clock, panels, settings; the same path without a window.

pub mod camera;
pub mod headless;
pub mod playback;
