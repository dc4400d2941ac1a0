//! Window, event loop, camera, playback clock, panels, settings; the same path without a window.

pub mod call_steps;
pub mod camera;
mod canvas;
mod command;
pub mod compare;
mod details;
mod dock;
mod document;
mod following;
mod graphics;
mod growing;
pub mod headless;
mod history;
mod job;
mod keys;
mod legend;
#[cfg(test)]
mod linking;
mod loading;
mod mapping;
pub mod model;
mod offscreen;
mod overlay;
mod pace;
mod pair;
mod panels;
mod picture;
pub mod playback;
mod pointer;
pub mod presenting;
mod remembered;
mod revision;
mod rows;
pub mod saved;
mod share;
pub mod sharing;
mod sheets;
mod state_log;
mod style;
pub mod table_picture;
mod versus;
mod watch;
mod window;
mod work;
mod workbench;

pub use window::{run, run_pack, run_scene, run_session};
