//! Window, event loop, panels, films and pictures: what shows the state, and what asks for changes of it.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]
// What reaches out of the program is not used in a browser.
#![cfg_attr(target_arch = "wasm32", allow(dead_code, unused_imports))]

mod action_log;
mod canvas;
mod choosing;
mod clipboard;
mod command;
pub mod compare;
mod desk;
mod dock;
mod done;
#[cfg(test)]
mod driven;
mod editor;
mod feed;
pub mod glb;
pub mod goto;
mod graphics;
pub mod headless;
mod jobs;
mod keeping;
mod keys;
mod leaving;
mod legend;
mod letters;
#[cfg(any(test, target_arch = "wasm32"))]
mod link;
#[cfg(test)]
mod matrix_tests;
mod mixed;
#[cfg(test)]
mod monkey_tests;
mod naming;
mod offscreen;
mod open_views;
mod opening;
mod overlay;
mod own;
mod pace;
mod pair;
mod palette;
mod panels;
mod picture;
mod picture_card;
pub mod presenting;
mod recent;
mod record;
mod recording;
mod remarks;
mod remembered;
mod rescue;
mod rest;
pub mod saved;
mod share;
pub mod sharing;
#[cfg(test)]
mod sheet_tests;
mod snapshot;
mod state_log;
mod svg;
mod tour;
mod versioned;
pub mod view_picture;
mod view_settings;
mod welcome;
mod window;

#[cfg(target_arch = "wasm32")]
pub use window::page;
pub use window::{Opening, run, run_pack, run_scene, run_session};
