//! Scenes: what is shown when, in a talk and in a film.
//!
//! A scene is a file that people write ([`scene`]); its shots follow one another in time ([`timeline`]); the
//! camera goes along smooth paths ([`path`]). [`show`] plays one on what is open; what it changes, and what bookmarks
//! keep, is one value ([`kept`]). `film` makes files of the frames. How all of that gets into a window and from there
//! before an audience is the application's part.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]
// No film is written in a browser.
#![cfg_attr(target_arch = "wasm32", allow(dead_code))]

pub mod bookmark;
pub mod check;
pub mod dissolve;
pub mod files;
pub mod film;
pub mod findings;
mod framing;
pub mod kept;
pub mod look;
mod mappings;
mod missing;
pub mod path;
pub mod place;
mod places;
pub mod saved_look;
pub mod scene;
pub mod scene_state;
pub mod schema;
pub mod show;
pub mod timeline;

#[cfg(test)]
mod show_tests;
#[cfg(test)]
mod tests;
