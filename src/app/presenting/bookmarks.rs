//! Bookmarks of the open session: taken, gone to, renamed, ordered, exported and read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::super::ask::TalkAsk;
use super::super::remembered::write_beside;
use super::super::saved::relative;
use super::super::workbench::{Message, Workbench};
use super::kept::{Kept, Modules, named_by};
use crate::presentation::scene::{Bookmark, Scene, SceneFile, SceneInputs, Section};
use crate::units::Time;

/// What one asks of the bookmarks; each by its number.
#[derive(Clone, Debug, PartialEq)]
pub enum BookmarkAsk {
    /// Keeps what is shown.
    Add,
    /// Goes to all of it, or to one section.
    GoTo(usize, Option<Section>),
    Rename(usize, String),
    Remove(usize),
    /// Keeps what is shown under its name.
    Renew(usize),
    /// Puts the first where the second is.
    Move(usize, usize),
    /// Adds a shot to the scene that goes there.
    AddShot(usize),
}

/// Sections of a bookmark that wait until the landscape stands in its mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub bookmark: Bookmark,
    pub sections: Vec<Section>,
}

/// A name that none of `bookmarks` has.
fn free_name(bookmarks: &[Bookmark], wanted: &str) -> String {
    let is_free = |name: &str| bookmarks.iter().all(|it| it.name != name);
    if is_free(wanted) {
        return wanted.to_owned();
    }
    let mut numbered = (2..).map(|number| format!("{wanted} {number}"));
    // One of as many names as there are bookmarks and one more is free.
    numbered.find(|name| is_free(name)).unwrap_or_default()
}

impl Workbench {
    /// A bookmark of what is shown.
    pub fn bookmark(&self, name: String) -> Option<Bookmark> {
        let document = self.document.as_ref()?;
        Some(Kept::of(self).bookmark(name, self.mapping_shown(), document))
    }

    /// Keeps what is shown, under a name that says what is chosen or when it is.
    pub fn add_bookmark(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let module = document.selection.chosen.module;
        let plays = document.playback.as_ref();
        let wanted = match (module, plays) {
            (Some(module), _) => document.session.hierarchy.name(module).to_owned(),
            (None, Some(playback)) if playback.time() > Time::ZERO => playback.time().to_string(),
            (None, _) => format!("Bookmark {}", self.talk.bookmarks.len() + 1),
        };
        let name = free_name(&self.talk.bookmarks, &wanted);
        let Some(bookmark) = self.bookmark(name.clone()) else {
            return;
        };
        self.talk.bookmarks.push(bookmark);
        let number = self.talk.bookmarks.len();
        self.tell_briefly(format!("Bookmark {number}: {name}"));
    }

    /// Gives a bookmark another name, unless another has it or it is empty.
    pub fn rename_bookmark(&mut self, index: usize, name: String) {
        let is_taken = |(at, it): (usize, &Bookmark)| at != index && it.name == name;
        if name.trim().is_empty() || self.talk.bookmarks.iter().enumerate().any(is_taken) {
            return;
        }
        if let Some(bookmark) = self.talk.bookmarks.get_mut(index) {
            bookmark.name = name;
        }
    }

    pub fn remove_bookmark(&mut self, index: usize) {
        if index < self.talk.bookmarks.len() {
            self.talk.bookmarks.remove(index);
        }
    }

    /// Takes what is shown now under the name of a bookmark.
    pub fn renew_bookmark(&mut self, index: usize) {
        let Some(name) = self.talk.bookmarks.get(index).map(|it| it.name.clone()) else {
            return;
        };
        if let Some(bookmark) = self.bookmark(name) {
            self.talk.bookmarks[index] = bookmark;
        }
    }

    /// Puts the bookmark with one number where another is.
    pub fn move_bookmark(&mut self, from: usize, to: usize) {
        if from < self.talk.bookmarks.len() {
            let bookmark = self.talk.bookmarks.remove(from);
            self.talk
                .bookmarks
                .insert(to.min(self.talk.bookmarks.len()), bookmark);
        }
    }

    /// Goes to a bookmark in these sections; the camera flies there.
    pub fn go_to_bookmark(&mut self, index: usize, sections: &[Section]) {
        if let Some(bookmark) = self.talk.bookmarks.get(index).cloned() {
            self.go_to(&bookmark, sections);
        }
    }

    pub(super) fn go_to(&mut self, bookmark: &Bookmark, sections: &[Section]) {
        let mapping = bookmark.mapping.as_ref();
        let mapping = mapping.filter(|_| sections.contains(&Section::Mapping));
        if let Some(mapping) = mapping
            && self.go_to_mapping(mapping)
        {
            let rest = sections.iter().filter(|&&it| it != Section::Mapping);
            self.talk.pending = Some(Pending {
                bookmark: bookmark.clone(),
                sections: rest.copied().collect(),
            });
            return;
        }
        let Some(document) = &self.document else {
            return;
        };
        let names: BTreeSet<String> = named_by(bookmark).cloned().collect();
        let modules = Modules::find(&document.session.hierarchy, &names);
        let mut state = Kept::of(self);
        let lost = state.take(bookmark, sections, document, &modules);
        if let Some((playback, _)) = self.document.as_mut().and_then(|it| it.playing())
            && sections.contains(&Section::Time)
        {
            playback.pause();
        }
        state.apply(self);
        if sections.contains(&Section::Camera) && bookmark.camera.is_some() {
            self.following.is_on = false;
            self.camera.fly_to_pose(state.pose);
        }
        if lost > 0 {
            self.messages.push(Message {
                is_error: true,
                is_open: false,
                title: format!("Parts of '{}' are no longer there", bookmark.name),
                lines: vec![format!("{lost} names mean nothing now and are left out")],
            });
        }
    }

    /// The mapping file through which the structure is shown. A mapping that was never saved is nowhere to be found
    /// again.
    pub(super) fn mapping_shown(&self) -> Option<PathBuf> {
        let document = self.document.as_ref()?;
        let path = document.map.as_ref().and_then(|_| self.mapping.path());
        path.map(|path| one_name(&path))
    }

    /// Begins to show the structure through the mapping of a bookmark, none for an empty path; whether it is another
    /// than now.
    pub(super) fn go_to_mapping(&mut self, path: &Path) -> bool {
        if self.document.is_none() {
            return false;
        }
        let wanted = (!path.as_os_str().is_empty()).then(|| one_name(path));
        if self.mapping_shown() == wanted {
            return false;
        }
        match &wanted {
            Some(path) => {
                self.use_map_file(path);
                self.revise_through_map()
            }
            None => self.revise_without_map(),
        }
    }

    /// Goes on to a bookmark once the structure is shown through its mapping.
    pub fn go_on_to_bookmark(&mut self) {
        if let Some(Pending { bookmark, sections }) = self.talk.pending.take() {
            self.go_to(&bookmark, &sections);
        }
    }

    /// Writes all bookmarks to a scene file, with what is open as its inputs.
    pub fn export_bookmarks(&self, path: &Path) -> anyhow::Result<()> {
        let scene = Scene {
            inputs: self.scene_inputs(path),
            bookmarks: self.bookmarks_in(folder_of(path)),
            ..Scene::default()
        };
        write_scene(path, &scene)
    }

    /// The bookmarks with paths that a file in `folder` finds.
    pub fn bookmarks_in(&self, folder: &Path) -> Vec<Bookmark> {
        let mut bookmarks = self.talk.bookmarks.clone();
        found_in(folder, &mut bookmarks);
        bookmarks
    }

    /// What is open, for a scene file at `path`.
    pub fn scene_inputs(&self, path: &Path) -> SceneInputs {
        let folder = folder_of(path);
        let relative = |path: &PathBuf| relative(path, folder);
        let Some(document) = &self.document else {
            return SceneInputs::default();
        };
        let inputs = document.inputs_of_sides();
        let mapping = document.map.as_ref().and_then(|_| self.mapping.path());
        SceneInputs {
            source: inputs.source_dir.as_ref().map(relative),
            recordings: inputs.recordings.iter().map(relative).collect(),
            runs_of_a: inputs.sides.runs_of_a,
            source_of_a: inputs.sides.source_of_a.as_ref().map(relative),
            mapping: mapping.as_ref().map(relative),
            session: None,
        }
    }

    /// Adds the bookmarks of a scene file; how many.
    pub fn import_bookmarks(&mut self, path: &Path) -> anyhow::Result<usize> {
        let file = SceneFile::read(path)?;
        let read = file.scene.bookmarks.len();
        for mut bookmark in found_from(file.folder(), file.scene.bookmarks.clone()) {
            bookmark.name = free_name(&self.talk.bookmarks, &bookmark.name);
            self.talk.bookmarks.push(bookmark);
        }
        Ok(read)
    }

    /// What the panel of bookmarks asks for.
    pub(in crate::app) fn on_talk(&mut self, ask: TalkAsk) {
        let path = PathBuf::from(self.talk.file.trim());
        match ask {
            TalkAsk::Toggle => {
                self.talk.is_open ^= true;
                // Both lie in one corner.
                self.mapping.is_open &= !self.talk.is_open;
            }
            TalkAsk::Name(file) => self.talk.file = file,
            TalkAsk::Export => match self.export_bookmarks(&path) {
                Ok(()) => self.tell_briefly(format!("Written to {}", path.display())),
                Err(error) => self.tell("The bookmarks could not be written", format!("{error:#}")),
            },
            TalkAsk::Import => match self.import_bookmarks(&path) {
                Ok(0) => self.tell_briefly(format!("{} holds no bookmarks", path.display())),
                Ok(read) => self.tell_briefly(format!("{read} bookmarks read")),
                Err(error) => self.tell("The bookmarks could not be read", format!("{error:#}")),
            },
            TalkAsk::ShowScript(is_shown) => self.talk.shows_script = is_shown,
        }
    }

    /// What a key or the list asks for.
    pub(in crate::app) fn on_bookmarks(&mut self, ask: BookmarkAsk) {
        match ask {
            BookmarkAsk::Add => self.add_bookmark(),
            BookmarkAsk::GoTo(index, section) => {
                let sections = section.map_or(Section::ALL.to_vec(), |it| vec![it]);
                self.go_to_bookmark(index, &sections);
            }
            BookmarkAsk::Rename(index, name) => self.rename_bookmark(index, name),
            BookmarkAsk::Remove(index) => self.remove_bookmark(index),
            BookmarkAsk::Renew(index) => self.renew_bookmark(index),
            BookmarkAsk::Move(from, to) => self.move_bookmark(from, to),
            BookmarkAsk::AddShot(index) => {
                self.on_script(super::script::ScriptAsk::AddBookmark(index))
            }
        }
    }
}

/// A file by the one name that it has wherever it is named from.
pub fn one_name(path: &Path) -> PathBuf {
    let whole = path.canonicalize().or_else(|_| std::path::absolute(path));
    whole.unwrap_or_else(|_| path.to_owned())
}

/// Bookmarks of a file in `folder`, with the paths of their mapping files from here.
pub fn found_from(folder: &Path, mut bookmarks: Vec<Bookmark>) -> Vec<Bookmark> {
    for mapping in bookmarks.iter_mut().filter_map(|it| it.mapping.as_mut()) {
        if !mapping.as_os_str().is_empty() {
            *mapping = one_name(&folder.join(&*mapping));
        }
    }
    bookmarks
}

/// The other way round: paths that a file in `folder` finds.
pub fn found_in(folder: &Path, bookmarks: &mut [Bookmark]) {
    for mapping in bookmarks.iter_mut().filter_map(|it| it.mapping.as_mut()) {
        if !mapping.as_os_str().is_empty() {
            *mapping = relative(mapping, folder);
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Writes a scene beside and renames it.
pub fn write_scene(path: &Path, scene: &Scene) -> anyhow::Result<()> {
    let text = toml::to_string(scene)?;
    write_beside(path, text.as_bytes()).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::session::Inputs;
    use crate::app::ask::{Ask, CardAsk, CutAsk, FilterAsk, LookAsk, PaneAsk, PlayAsk, SelectAsk};
    use crate::app::document::Document;
    use crate::filter::filters::FilterStep;
    use crate::model::arcs::ArcMode;
    use crate::model::landscape::LandscapeSettings;
    use crate::model::metric::Metric;
    use crate::model::surface::Surface;
    use crate::model::theme::Theme;
    use crate::progress::Progress;
    use crate::units::{ModuleId, ThreadId, TimeRange};
    use crate::views::table::ViewId;

    fn bench() -> Workbench {
        let mut bench = Workbench::new(Box::new(|| Box::new(|| ())));
        let settings = LandscapeSettings::default();
        let document = Document::open(&Inputs::default(), None, &settings, &Progress::new());
        bench.show(document.expect("the demo is built in"));
        bench
    }

    /// Changes every section.
    fn change(bench: &mut Workbench) {
        bench.execute(LookAsk::Configure(LandscapeSettings {
            theme: Theme::Dark,
            height: Some(Metric::Calls),
            surface: Surface::Language,
            arcs: ArcMode::Selection,
            bundling: 0.25,
            ..bench.settings
        }));
        bench.execute(CutAsk::CollapseOrExpand(Some(ModuleId(7))));
        bench.execute(SelectAsk::Select(Some(ModuleId(40))));
        bench.execute(FilterAsk::Add(FilterStep::HideThread(ThreadId(1))));
        bench.execute(FilterAsk::Add(FilterStep::RemoveBelow(ModuleId(40))));
        let range = TimeRange::new(Time::from_ns(1_000_000), Time::from_ns(9_000_000));
        bench.execute(SelectAsk::SetRange(Some(range)));
        bench.execute(PlayAsk::Seek(Time::from_ns(5_000_000)));
        bench.execute(PaneAsk::Toggle(ViewId::Mural));
        bench.execute(CardAsk::ToggleLegend);
        let mut pose = bench.camera.pose();
        (pose.yaw, pose.distance) = (2.0, 250.0);
        bench.camera.look_from(pose);
    }

    #[test]
    fn a_bookmark_brings_everything_back_through_a_file() {
        let mut first = bench();
        change(&mut first);
        first.execute(Ask::Bookmarks(BookmarkAsk::Add));
        let scene = Scene {
            bookmarks: first.talk.bookmarks.clone(),
            ..Scene::default()
        };
        let text = toml::to_string(&scene).expect("it can be written");
        let read = SceneFile::parse(Path::new("a.toml"), text).expect("it can be read");
        let mut second = bench();
        assert_ne!(Kept::of(&first), Kept::of(&second));
        second.talk.bookmarks = read.scene.bookmarks;
        second.execute(Ask::Bookmarks(BookmarkAsk::GoTo(0, None)));
        let (wanted, found) = (Kept::of(&first), Kept::of(&second));
        let near = |a: f32, b: f32| (a - b).abs() < 0.01;
        assert!(near(wanted.pose.yaw, found.pose.yaw));
        assert!(near(wanted.pose.distance, found.pose.distance));
        let pose = wanted.pose;
        assert_eq!(Kept { pose, ..found }, wanted);
        assert!(second.messages.iter().all(|it| !it.is_error));
    }

    #[test]
    fn a_section_alone_leaves_the_others_as_they_are() {
        let mut first = bench();
        change(&mut first);
        let all = first.bookmark("all".to_owned()).expect("the demo is open");
        let wanted = Kept::of(&first);
        let mut second = bench();
        let before = Kept::of(&second);
        second.talk.bookmarks = vec![all];
        for section in Section::ALL {
            before.apply(&mut second);
            second.camera.look_from(before.pose);
            second.go_to_bookmark(0, &[section]);
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
    fn what_is_no_longer_there_is_left_out_and_told() {
        let mut bench = bench();
        let mut bookmark = bench.bookmark("a".to_owned()).expect("the demo is open");
        bookmark.module = Some("no/such/module".to_owned());
        bookmark.collapsed = Some(vec!["neither".to_owned()]);
        bench.talk.bookmarks = vec![bookmark];
        bench.execute(Ask::Bookmarks(BookmarkAsk::GoTo(0, None)));
        let told = bench.messages.last().expect("it is told");
        assert!(
            told.is_error && told.lines[0].starts_with("2 names"),
            "{told:?}"
        );
        // Numbers that mean none do nothing.
        for ask in [
            BookmarkAsk::GoTo(9, None),
            BookmarkAsk::Remove(9),
            BookmarkAsk::Move(9, 0),
            BookmarkAsk::Renew(9),
        ] {
            bench.execute(Ask::Bookmarks(ask));
        }
        assert_eq!(bench.talk.bookmarks.len(), 1);
    }

    #[test]
    fn bookmarks_have_names_of_their_own_and_an_order() {
        let mut bench = bench();
        for _ in 0..3 {
            bench.execute(Ask::Bookmarks(BookmarkAsk::Add));
        }
        let names = |bench: &Workbench| -> Vec<String> {
            let names = bench.talk.bookmarks.iter().map(|it| it.name.clone());
            names.collect()
        };
        let [a, b, c] = <[String; 3]>::try_from(names(&bench)).expect("three");
        assert!(a != b && b != c && a != c);
        bench.execute(Ask::Bookmarks(BookmarkAsk::Rename(1, a.clone())));
        bench.execute(Ask::Bookmarks(BookmarkAsk::Rename(1, " ".to_owned())));
        assert_eq!(names(&bench), [a.clone(), b.clone(), c.clone()]);
        bench.execute(Ask::Bookmarks(BookmarkAsk::Rename(1, "here".to_owned())));
        bench.execute(Ask::Bookmarks(BookmarkAsk::Move(2, 0)));
        assert_eq!(names(&bench), [c.clone(), a.clone(), "here".to_owned()]);
        bench.execute(Ask::Bookmarks(BookmarkAsk::Remove(1)));
        assert_eq!(names(&bench), [c, "here".to_owned()]);
    }
}
