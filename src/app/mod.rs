//! Window, event loop, panels, films and pictures: what shows the state, and what asks for changes of it.

mod canvas;
mod choosing;
mod clipboard;
mod command;
pub mod compare;
mod desk;
mod dock;
mod feed;
pub mod glb;
mod graphics;
pub mod headless;
mod jobs;
mod keys;
mod legend;
mod letters;
mod offscreen;
mod open_views;
mod overlay;
mod own;
mod pace;
mod palette;
mod panels;
mod picture;
pub mod presenting;
mod recent;
mod remembered;
pub mod saved;
mod share;
pub mod sharing;
mod state_log;
mod versioned;
pub mod view_picture;
mod window;

pub use window::{run, run_pack, run_scene, run_session};
