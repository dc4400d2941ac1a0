//! Bookmarks: taken of what is shown, gone to, and found from where their file is.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::files::relative;
use super::kept::{Kept, Modules, named_by};
use super::scene::{Bookmark, MarkedFor, Section};
use callscape_state::State;
use callscape_state::mapping::one_name;
use callscape_state::message::Message;

/// Sections of a bookmark that wait until the landscape stands in its mapping: [`go_to`] them then.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub bookmark: Bookmark,
    pub sections: Vec<Section>,
}

/// A bookmark of what is shown; none while nothing is open.
pub fn bookmark_of(state: &State, name: String) -> Option<Bookmark> {
    let document = state.document.as_ref()?;
    Some(Kept::of(state).bookmark(name, state.mapping_shown(), document))
}

/// Goes to a bookmark in these sections; the camera flies there. Where the structure has to be shown through another
/// mapping first, that begins, and the sections that wait for it are given.
#[must_use]
pub fn go_to(state: &mut State, bookmark: &Bookmark, sections: &[Section]) -> Option<Pending> {
    let mapping = bookmark.mapping.as_ref();
    let mapping = mapping.filter(|_| sections.contains(&Section::Mapping));
    if let Some(mapping) = mapping
        && state.go_to_mapping(mapping)
    {
        let rest = sections.iter().filter(|&&it| it != Section::Mapping);
        return Some(Pending {
            bookmark: bookmark.clone(),
            sections: rest.copied().collect(),
        });
    }
    let document = state.document.as_ref()?;
    let names: BTreeSet<String> = named_by(bookmark).cloned().collect();
    let modules = Modules::find(&document.session.hierarchy, &names);
    let mut kept = Kept::of(state);
    let lost = kept.take(bookmark, sections, document, &modules);
    if let Some((playback, _)) = state.document.as_mut().and_then(|it| it.playing())
        && sections.contains(&Section::Time)
    {
        playback.pause();
    }
    kept.apply(state);
    if sections.contains(&Section::Camera) && bookmark.camera.is_some() {
        state.moving.following.is_on = false;
        state.moving.camera.fly_to_pose(kept.pose);
    }
    if lost > 0 {
        state.told.messages.push(Message {
            is_error: true,
            is_open: false,
            title: format!("Parts of '{}' are no longer there", bookmark.name),
            lines: vec![format!("{lost} names no longer exist and are ignored")],
        });
    }
    None
}

/// The files that a bookmark names.
fn files(bookmark: &mut Bookmark) -> impl Iterator<Item = &mut PathBuf> {
    let results = bookmark.marked.as_mut().and_then(MarkedFor::file_mut);
    let mapping = bookmark.mapping.as_mut();
    let mapping = mapping.filter(|path| !path.as_os_str().is_empty());
    mapping.into_iter().chain(results)
}

/// Bookmarks of a file in `folder`, with the paths of the files that they name from here.
pub fn found_from(folder: &Path, mut bookmarks: Vec<Bookmark>) -> Vec<Bookmark> {
    for path in bookmarks.iter_mut().flat_map(files) {
        *path = one_name(&folder.join(&*path));
    }
    bookmarks
}

/// The other way round: paths that a file in `folder` finds.
pub fn found_in(folder: &Path, bookmarks: &mut [Bookmark]) {
    for path in bookmarks.iter_mut().flat_map(files) {
        *path = relative(path, folder);
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, SceneFile};
    use super::super::show_tests::{demo, opened};
    use super::*;
    use callscape_analysis::session::{Elsewhere, Inputs};
    use callscape_base::units::{ModuleId, ThreadId, Time, TimeRange};
    use callscape_filter::filters::FilterStep;
    use callscape_model::arcs::ArcMode;
    use callscape_model::landscape::LandscapeSettings;
    use callscape_model::metric::Metric;
    use callscape_model::surface::Surface;
    use callscape_model::theme::Theme;
    use callscape_state::ask::{CardAsk, CutAsk, FilterAsk, LookAsk, PaneAsk, PlayAsk, SelectAsk};
    use callscape_state::ask::{FindingAsk, Shown};

    /// Changes every section.
    fn change(state: &mut State) {
        state.execute(LookAsk::Configure(LandscapeSettings {
            theme: Theme::Dark,
            height: Some(Metric::Calls),
            surface: Surface::Language,
            arcs: ArcMode::Selection,
            bundling: 0.25,
            ..state.settings
        }));
        state.execute(CutAsk::CollapseOrExpand(Some(ModuleId(7))));
        state.execute(SelectAsk::Select(Some(ModuleId(40))));
        state.execute(FilterAsk::Add(FilterStep::HideThread(ThreadId(1))));
        state.execute(FilterAsk::Add(FilterStep::RemoveBelow(ModuleId(40))));
        let range = TimeRange::new(Time::from_ns(1_000_000), Time::from_ns(9_000_000));
        state.execute(SelectAsk::SetRange(Some(range)));
        state.execute(PlayAsk::Seek(Time::from_ns(5_000_000)));
        let mural = state.panes.named("mural").expect("it is a view");
        state.execute(PaneAsk::Toggle(mural));
        state.execute(CardAsk::ToggleLegend);
        let mut pose = state.moving.camera.pose();
        (pose.yaw, pose.distance) = (2.0, 250.0);
        state.moving.camera.look_from(pose);
    }

    fn taken(state: &State) -> Bookmark {
        bookmark_of(state, "here".to_owned()).expect("the demo is open")
    }

    #[test]
    fn a_bookmark_brings_everything_back_through_a_file() {
        let mut first = demo();
        change(&mut first);
        let scene = Scene {
            bookmarks: vec![taken(&first)],
            ..Scene::default()
        };
        let text = toml::to_string(&scene).expect("it can be written");
        let read = SceneFile::parse(Path::new("a.toml"), text).expect("it can be read");
        let mut second = demo();
        assert_ne!(Kept::of(&first), Kept::of(&second));
        let pending = go_to(&mut second, &read.scene.bookmarks[0], &Section::ALL);
        assert_eq!(pending, None);
        let (wanted, found) = (Kept::of(&first), Kept::of(&second));
        let near = |a: f32, b: f32| (a - b).abs() < 0.01;
        assert!(near(wanted.pose.yaw, found.pose.yaw));
        assert!(near(wanted.pose.distance, found.pose.distance));
        let pose = wanted.pose;
        assert_eq!(Kept { pose, ..found }, wanted);
        assert!(second.told.messages.iter().all(|it| !it.is_error));
    }

    #[test]
    fn a_section_alone_leaves_the_others_as_they_are() {
        let mut first = demo();
        change(&mut first);
        let all = taken(&first);
        let wanted = Kept::of(&first);
        let mut second = demo();
        let before = Kept::of(&second);
        for section in Section::ALL {
            before.apply(&mut second);
            second.moving.camera.look_from(before.pose);
            assert_eq!(go_to(&mut second, &all, &[section]), None);
            let now = Kept::of(&second);
            // A range moves the time into it.
            let time = if section == Section::Range {
                now.time
            } else {
                before.time
            };
            let mut expected = Kept {
                time,
                ..before.clone()
            };
            match section {
                Section::Camera => expected.pose = now.pose,
                Section::Cut => expected.cut = wanted.cut.clone(),
                Section::Look => {
                    expected.settings = wanted.settings;
                    expected.legend = wanted.legend;
                }
                Section::Mapping => {}
                Section::Filters => expected.filters = wanted.filters.clone(),
                Section::Selection => expected.module = wanted.module,
                Section::Time => expected.time = wanted.time,
                Section::Range => expected.range = wanted.range,
                Section::Views => expected.views = wanted.views.clone(),
            }
            assert_eq!(now, expected, "{section:?}");
            let is_same = now == before;
            assert_eq!(is_same, section == Section::Mapping, "{section:?}");
        }
    }

    #[test]
    fn a_bookmark_brings_back_which_functions_are_marked() {
        let folder =
            Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/data/results");
        let inputs = Inputs {
            source_dir: Some(folder.clone()),
            elsewhere: Elsewhere {
                results: ["names.info", "names.coverage.xml"]
                    .map(|it| folder.join(it))
                    .into(),
                ..Elsewhere::default()
            },
            ..Inputs::default()
        };
        let mut state = opened(&inputs);
        let marked = |state: &State| (state.findings.shown, state.findings.is_colored);
        let lost = |state: &State| state.told.messages.iter().filter(|it| it.is_error).count();
        assert_eq!(marked(&state), (Shown::Set(0), false));
        state.execute(FindingAsk::Show(Shown::Set(1)));
        state.execute(FindingAsk::Color(true));
        // Through a file in that folder.
        let mut bookmarks = vec![taken(&state)];
        found_in(&folder, &mut bookmarks);
        let results = MarkedFor::Results("names.coverage.xml".into());
        assert_eq!(bookmarks[0].marked, Some(results));
        let scene = Scene {
            bookmarks,
            ..Scene::default()
        };
        let text = toml::to_string(&scene).expect("it can be written");
        let read = SceneFile::parse(Path::new("a.toml"), text).expect("it can be read");
        let mut bookmark = found_from(&folder, read.scene.bookmarks.clone()).remove(0);
        let mut state = opened(&inputs);
        assert_eq!(go_to(&mut state, &bookmark, &[Section::Look]), None);
        assert_eq!(marked(&state), (Shown::Set(0), false));
        assert_eq!(go_to(&mut state, &bookmark, &[Section::Filters]), None);
        assert_eq!(marked(&state), (Shown::Set(1), true));
        // What the inputs do not name leaves marked what is, and is told.
        for wanted in [MarkedFor::Changed, MarkedFor::Results("none".into())] {
            let before = lost(&state);
            bookmark.marked = Some(wanted);
            assert_eq!(go_to(&mut state, &bookmark, &Section::ALL), None);
            assert_eq!(marked(&state), (Shown::Set(1), true));
            assert_eq!(lost(&state), before + 1);
            state.told.messages.clear();
        }
        // A text that was pasted is in no file: a bookmark says nothing of it.
        state.execute(FindingAsk::Paste("src/names.py:5: odd".to_owned()));
        assert_eq!(taken(&state).marked, None);
        bookmark.marked = Some(MarkedFor::Nothing);
        assert_eq!(go_to(&mut state, &bookmark, &Section::ALL), None);
        assert_eq!(marked(&state), (Shown::Nothing, true));
        assert_eq!(lost(&state), 0);
    }

    #[test]
    fn what_is_no_longer_there_is_left_out_and_told() {
        let mut state = demo();
        let mut bookmark = taken(&state);
        bookmark.module = Some("no/such/module".to_owned());
        bookmark.collapsed = Some(vec!["neither".to_owned()]);
        assert_eq!(go_to(&mut state, &bookmark, &Section::ALL), None);
        let told = state.told.messages.last().expect("it is told");
        assert!(
            told.is_error && told.lines[0].starts_with("2 names"),
            "{told:?}"
        );
    }
}
