//! What a scene names besides modules and times and the inputs do not have.

use super::place::of_shot;
use super::scene::{Bookmark, SceneFile};
use super::timeline::Problem;
use callscape_state::document::Document;

/// Bookmarks, runs and views that shots name and the inputs do not have.
pub(crate) fn missing(
    file: &SceneFile,
    bookmarks: &[Bookmark],
    document: Option<&Document>,
) -> Vec<Problem> {
    let is_pair = document.is_some_and(|it| it.runs.is_some());
    let mut problems = Vec::new();
    for (number, shot) in file.scene.shots.iter().enumerate() {
        let mut tell = |field: &[&str], problem: String| {
            problems.push((of_shot(number, field), problem));
        };
        if let Some(name) = &shot.bookmark
            && !bookmarks.iter().any(|it| it.name == *name)
        {
            tell(&["bookmark"], format!("no bookmark is named '{name}'"));
        }
        if !is_pair {
            let two = "this needs two recordings of one program".to_owned();
            if shot.run.is_some() {
                tell(&["run"], two.clone());
            }
            if shot.compare.is_some() {
                tell(&["compare"], two);
            }
        }
        for (index, view) in shot.show.iter().enumerate() {
            let line = view.0.line();
            if document.is_some_and(|it| !it.has(line.needs)) {
                let problem = format!("these inputs have no data for '{}'", line.id);
                tell(&["show", &index.to_string()], problem);
            }
        }
    }
    problems
}
