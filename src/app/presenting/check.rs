//! What a scene would show, without showing it.

use super::opening::Opened;
use crate::desk::Desk;
use crate::rest::wait_for_jobs;
use callscape_presentation::scene::{Bookmark, SceneError, SceneFile};
use callscape_presentation::show::Show;
use callscape_presentation::timeline::Timeline;

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
    let mut desk = Desk::unattended();
    let bookmarks = desk.show_staged(opened);
    let mut stuck = wait_for_jobs(&mut desk).err();
    let mut show = Show::new(file.clone(), bookmarks.clone(), &mut desk.state);
    // Modules have other paths through another mapping.
    for shot in show.first_of_mappings() {
        show.go_to(shot, &mut desk.state);
        stuck = stuck.or(wait_for_jobs(&mut desk).err());
        show.advance(0.0, &mut desk.state);
    }
    let mut problems = show.problems;
    problems.extend(stuck.map(|it| file.problem(&[], it.to_string())));
    Checked {
        timeline: show.timeline,
        problems,
        bookmarks,
    }
}
