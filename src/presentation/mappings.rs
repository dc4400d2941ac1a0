//! The mapping files of the bookmarks that a scene goes to.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::place::{Step, of_shot};
use super::scene::{Bookmark, SceneFile};
use super::scene_state::mapping_of;
use super::timeline::Problem;
use callscape_analysis::mapping::Mapping;

/// By shot, the mapping file through which it is shown, `first` being that before the scene.
pub(crate) fn mappings(
    file: &SceneFile,
    bookmarks: &[Bookmark],
    first: Option<PathBuf>,
) -> Vec<Option<PathBuf>> {
    let by_name = by_name(bookmarks);
    let mut now = first;
    let shots = file.scene.shots.iter().map(|shot| {
        let bookmark = shot.bookmark.as_ref();
        let bookmark = bookmark.and_then(|name| by_name.get(name.as_str()));
        if let Some(mapping) = bookmark.and_then(|of| mapping_of(shot, of)) {
            now = mapping;
        }
        now.clone()
    });
    shots.collect()
}

/// Mapping files that shots go to and that cannot be read: their bookmarks leave the mapping as it is.
pub(crate) fn unusable_mappings(file: &SceneFile, bookmarks: &mut [Bookmark]) -> Vec<Problem> {
    let mut unusable: BTreeMap<String, String> = BTreeMap::new();
    for bookmark in bookmarks.iter_mut() {
        let path = bookmark.mapping.as_ref();
        let Some(path) = path.filter(|path| !path.as_os_str().is_empty()) else {
            continue;
        };
        if let Some(problem) = problem(path) {
            unusable.entry(bookmark.name.clone()).or_insert(problem);
            bookmark.mapping = None;
        }
    }
    let own: BTreeMap<&str, usize> = (file.scene.bookmarks.iter().enumerate())
        .map(|(number, it)| (it.name.as_str(), number))
        .collect();
    let mut problems = Vec::new();
    for (number, shot) in file.scene.shots.iter().enumerate() {
        // Told once for each bookmark, where it is first gone to.
        let name = shot.bookmark.as_ref();
        let Some((name, problem)) = name.and_then(|name| unusable.remove_entry(name)) else {
            continue;
        };
        let field = match own.get(name.as_str()) {
            Some(&own) => vec![
                Step::Key("bookmark".to_owned()),
                Step::Number(own),
                Step::Key("mapping".to_owned()),
            ],
            None => of_shot(number, &["bookmark"]),
        };
        problems.push((field, problem));
    }
    problems
}

/// Why a mapping file is of no use; none where it is.
fn problem(path: &std::path::Path) -> Option<String> {
    let shown = path.display();
    match Mapping::text(path) {
        Err(error) => Some(format!(
            "expected a mapping file, found none to read: {error}"
        )),
        Ok(text) => match Mapping::parse(&text, &shown.to_string()) {
            (_, errors) if !errors.is_empty() => Some(errors[0].to_string()),
            (mapping, _) if mapping.entries().is_empty() => Some(format!(
                "expected a mapping file with entries, found none in {shown}"
            )),
            _ => None,
        },
    }
}

fn by_name(bookmarks: &[Bookmark]) -> BTreeMap<&str, &Bookmark> {
    // The first of a name is the one that is gone to.
    let all = bookmarks.iter().rev();
    all.map(|it| (it.name.as_str(), it)).collect()
}
