//! What a scene would show, without showing it.

use super::super::workbench::Workbench;
use super::Show;
use super::opening::Opened;
use super::stage::settle;
use crate::presentation::scene::{Bookmark, SceneError, SceneFile};
use crate::presentation::timeline::Timeline;

/// What is known of a scene and its inputs.
pub struct Checked {
    pub timeline: Timeline,
    /// What the inputs do not have.
    pub problems: Vec<SceneError>,
    /// Where shots can go to.
    pub bookmarks: Vec<Bookmark>,
}

/// Looks at a scene upon its inputs.
pub fn check(file: &SceneFile, opened: Opened) -> Checked {
    let mut bench = Workbench::new(Box::new(|| Box::new(|| ())));
    let bookmarks = opened.show(&mut bench);
    settle(&mut bench);
    let mut show = Show::new(file.clone(), bookmarks.clone(), &mut bench);
    // Modules have other paths through another mapping.
    for shot in show.first_of_mappings() {
        show.go_to(shot, &mut bench);
        settle(&mut bench);
        show.advance(0.0, &mut bench);
    }
    Checked {
        timeline: show.timeline,
        problems: show.problems,
        bookmarks,
    }
}
