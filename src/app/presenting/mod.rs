//! Presentations: the states that bookmarks keep and scenes change, scenes on the workbench, and before an audience.

pub mod bookmarks;
pub mod check;
mod dissolve;
mod framing;
mod kept;
pub mod live;
mod mappings;
pub mod opening;
mod places;
mod recorder;
pub mod script;
mod show;
pub mod stage;
mod state;

use std::path::PathBuf;

use bookmarks::Pending;
pub use kept::{Kept, Modules, named_by, pose_of, range_of, view};
use live::Live;
use recorder::Recorder;
use script::Script;
pub use show::{Show, Words};

use crate::presentation::scene::Bookmark;

/// What the window knows of presentations.
#[derive(Default)]
pub struct Talk {
    /// Of the open session, in the order that the user gave them.
    pub bookmarks: Vec<Bookmark>,
    pending: Option<Pending>,
    /// Of the pack that is open.
    pub scenes: Vec<PathBuf>,
    /// The panel that lists them is open, and shows the scene that is edited.
    pub is_open: bool,
    pub shows_script: bool,
    pub script: Script,
    /// What is done becomes shots.
    pub recorder: Option<Recorder>,
    /// A scene is presented.
    pub live: Option<Live>,
    /// The window fills the screen.
    pub is_full: bool,
    /// The file that bookmarks are exported to and read from.
    pub file: String,
}

#[cfg(test)]
mod tests;
