//! What is open and what is shown of it, in pieces that know no window.
//!
//! An ask comes in through [`State::execute`], which is a table: each group of asks goes to the piece that it is about, and
//! each piece changes its own fields and counts its own changes ([`Stamps`]). What concerns several pieces is a method of
//! [`State`], in the file of the subject.
//!
//! ```text
//! Ask ─→ State ─┬─ document     what is open: city, playback, cut, filters
//!               │   └─ selection   what is chosen and pointed at, and the way back
//!               ├─ settings     what the landscape maps to what
//!               ├─ look         quality, text, detail, the question that colours answer
//!               ├─ moving       camera, what it follows and flies to, pointer, time
//!               ├─ panes        which views are open, and how they stand
//!               ├─ cards, search, mapping   what lies over the views
//!               ├─ runs_view    how two runs stand beside each other
//!               ├─ steps        what can be undone
//!               ├─ findings     what is known of functions from elsewhere
//!               ├─ opening      what is being opened, followed and replaced
//!               ├─ work         jobs on other threads
//!               ├─ told         messages and notices
//!               └─ errands      what views, bookmarks and editor are still to do
//! ```

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod action;
mod apply;
pub mod arguments;
mod arranging;
pub mod ask;
mod asking;
pub mod call_steps;
pub mod camera;
mod cards;
pub mod choosing;
pub mod chord;
pub mod city;
mod counting;
mod destination;
pub mod details;
pub mod document;
pub mod editing;
mod errands;
mod finding;
pub mod findings;
mod flying;
mod following;
mod frame_time;
mod frequency;
pub mod growing;
pub mod history;
mod importing;
pub mod job;
mod jobs;
pub mod loading;
mod look;
pub mod made;
pub mod mapping;
mod mapping_asks;
pub mod message;
pub mod moments;
mod moving;
mod opening;
pub mod own;
pub mod own_view;
pub mod panes;
pub mod playback;
mod playing;
pub mod pointer;
mod pointing;
pub mod purpose;
pub mod question;
#[cfg(any(test, target_arch = "wasm32"))]
pub mod queue;
mod replacing;
mod revision;
pub mod runs;
pub mod runs_view;
mod search;
mod searching;
mod selecting;
mod showing;
mod stamps;
mod state;
pub mod stepping;
pub mod steps;
mod structure;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod told;
pub mod viewpoint;
mod viewport;
mod watch;
pub mod work;

pub use self::cards::Cards;
pub use self::destination::Destination;
pub use self::search::{Cue, Search};
pub use self::stamps::Stamps;
pub use self::state::State;
pub use self::viewport::Viewport;
