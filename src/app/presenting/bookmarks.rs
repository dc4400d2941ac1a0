//! Bookmarks of the open session: taken, gone to, renamed, ordered, exported and read.

use std::path::{Path, PathBuf};

use crate::command::{BookmarkAsk, ScriptAsk, TalkAsk};
use crate::desk::Desk;
use crate::presenting::script::{shot_of, with_words};
use callscape_base::units::{Time, TimeSpec};
use callscape_presentation::bookmark::{Pending, bookmark_of, found_from, found_in, go_to};
use callscape_presentation::files::{folder_of, relative, write_scene};
use callscape_presentation::findings::shots;
use callscape_presentation::scene::{
    Bookmark, Scene, SceneFile, SceneInputs, Section, Shot, TimeText,
};
use callscape_state::ask::Chapter;

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

impl Desk {
    /// Keeps what is shown, under a name that says what is chosen or when it is.
    pub fn add_bookmark(&mut self) {
        let Some(document) = &self.state.document else {
            return;
        };
        let module = document.selection.chosen.module;
        let plays = document.playback.as_ref();
        let wanted = match (module, plays) {
            (Some(module), _) => document.module_name(module).to_owned(),
            (None, Some(playback)) if playback.time() > Time::ZERO => playback.time().to_string(),
            (None, _) => format!("Bookmark {}", self.talk.bookmarks.len() + 1),
        };
        let name = free_name(&self.talk.bookmarks, &wanted);
        let Some(bookmark) = bookmark_of(&self.state, name.clone()) else {
            return;
        };
        self.keep_talk();
        self.talk.bookmarks.push(bookmark);
        let number = self.talk.bookmarks.len();
        let line = format!("Bookmark {number} added: {name} (F4 lists them)");
        self.tell_done(line, Some(TalkAsk::Restore.into()));
    }

    /// Keeps bookmarks and scene as they are now, to be brought back.
    fn keep_talk(&mut self) {
        let now = (self.talk.bookmarks.clone(), self.talk.script.scene.clone());
        self.talk.before = Some(now);
    }

    pub(super) fn restore_talk(&mut self) {
        if let Some((bookmarks, scene)) = self.talk.before.take() {
            self.talk.bookmarks = bookmarks;
            self.talk.script.scene = scene;
            self.talk.script.chosen = None;
            self.done = None;
        }
    }

    /// A bookmark of what is shown for each stretch of the recording that was asked for, and a shot that goes there with
    /// its name as a caption.
    pub fn add_chapters(&mut self) {
        let chapters = std::mem::take(&mut self.state.errands.chapters);
        let count = chapters.len();
        if count > 0 {
            self.keep_talk();
        }
        for Chapter {
            name,
            range,
            module,
        } in chapters
        {
            let name = free_name(&self.talk.bookmarks, &name);
            let Some(mut bookmark) = bookmark_of(&self.state, name.clone()) else {
                return;
            };
            let text = |time: Time| TimeText(TimeSpec::At(time));
            bookmark.time = Some(text(range.start));
            bookmark.range = Some(vec![text(range.start), text(range.end)]);
            if let (Some(document), Some(module)) = (&self.state.document, module) {
                bookmark.module = Some(document.session.hierarchy.path(module));
            }
            let shot = Shot {
                caption: with_words(None, name),
                ..shot_of(&bookmark)
            };
            self.talk.bookmarks.push(bookmark);
            self.add_shot(shot);
        }
        self.tell_added(count);
    }

    fn tell_added(&mut self, count: usize) {
        if count > 0 {
            let text =
                format!("{count} bookmarks added, and a scene that shows them one by one (F4)");
            self.tell_done(text, Some(TalkAsk::Restore.into()));
        }
    }

    /// A bookmark for each finding that was to be presented, and a shot that shows it with its sentence as a caption.
    pub fn present_findings(&mut self) {
        let findings = std::mem::take(&mut self.state.errands.findings);
        let document = self
            .state
            .document
            .as_ref()
            .filter(|_| !findings.is_empty());
        let Some((session, resolved)) = document.and_then(|it| Some((&it.session, it.resolved()?)))
        else {
            return;
        };
        let shots = shots(&findings, session, resolved);
        self.keep_talk();
        for (mut bookmark, shot) in shots {
            bookmark.name = free_name(&self.talk.bookmarks, &bookmark.name);
            self.talk.bookmarks.push(bookmark);
            self.add_shot(shot);
        }
        self.tell_added(findings.len());
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
        if let Some(bookmark) = bookmark_of(&self.state, name) {
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

    fn go_to(&mut self, bookmark: &Bookmark, sections: &[Section]) {
        self.state.leaves_for_elsewhere();
        let pending = go_to(&mut self.state, bookmark, sections);
        if pending.is_some() {
            self.talk.pending = pending;
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
        let Some(document) = &self.state.document else {
            return SceneInputs::default();
        };
        let inputs = document.inputs_of_sides();
        let mapping = document
            .map
            .as_ref()
            .and_then(|_| self.state.mapping.path());
        let since = document.inputs.elsewhere.since.as_ref();
        SceneInputs {
            source: inputs.source_dir.as_ref().map(relative),
            recordings: inputs.recordings.iter().map(relative).collect(),
            runs_of_a: inputs.sides.runs_of_a,
            source_of_a: inputs.sides.source_of_a.as_ref().map(relative),
            mapping: mapping.as_ref().map(relative),
            session: None,
            good: since.map(|it| it.good.clone()),
            bad: since.and_then(|it| it.bad.clone()),
            good_recording: since.and_then(|it| it.good_recording.as_ref().map(relative)),
            results: document.inputs.elsewhere.files().map(relative).collect(),
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
    pub fn on_talk(&mut self, ask: TalkAsk) {
        let path = PathBuf::from(self.talk.file.trim());
        match ask {
            TalkAsk::Toggle => {
                self.talk.is_open ^= true;
                // Both lie in one corner.
                self.state.mapping.is_open &= !self.talk.is_open;
            }
            TalkAsk::Name(file) => self.talk.file = file,
            TalkAsk::Export => match self.export_bookmarks(&path) {
                Ok(()) => self
                    .state
                    .tell_briefly(format!("Written to {}", path.display())),
                Err(error) => self
                    .state
                    .tell("The bookmarks could not be written", format!("{error:#}")),
            },
            TalkAsk::Import => match self.import_bookmarks(&path) {
                Ok(0) => self
                    .state
                    .tell_briefly(format!("{} contains no bookmarks", path.display())),
                Ok(read) => self.state.tell_briefly(format!("{read} bookmarks read")),
                Err(error) => self
                    .state
                    .tell("The bookmarks could not be read", format!("{error:#}")),
            },
            TalkAsk::Restore => self.restore_talk(),
            TalkAsk::ShowScript(is_shown) => self.talk.shows_script = is_shown,
        }
    }

    /// What a key or the list asks for.
    pub fn on_bookmarks(&mut self, ask: BookmarkAsk) {
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
            BookmarkAsk::AddShot(index) => self.on_script(ScriptAsk::AddBookmark(index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_analysis::session::Inputs;
    use callscape_base::progress::Progress;
    use callscape_model::landscape::LandscapeSettings;
    use callscape_state::document::Document;

    #[test]
    fn bookmarks_that_were_added_are_told_of_and_taken_back() {
        let mut desk = desk();
        let range = callscape_base::units::TimeRange::new(Time::ZERO, Time::from_ns(10));
        desk.execute(BookmarkAsk::Add);
        let chapter = |name: &str| Chapter {
            name: name.to_owned(),
            range,
            module: None,
        };
        desk.state.errands.chapters = vec![chapter("one"), chapter("two")];
        desk.add_chapters();
        assert_eq!(desk.talk.bookmarks.len(), 3);
        assert_eq!(desk.talk.script.scene.shots.len(), 2);
        let done = desk.done.clone().expect("it is told");
        assert!(done.line.starts_with("2 bookmarks added"), "{}", done.line);
        desk.execute(done.undo.expect("it can be undone"));
        assert_eq!((desk.talk.bookmarks.len(), desk.done), (1, None));
        assert!(desk.talk.script.scene.shots.is_empty());
    }

    fn desk() -> Desk {
        let mut desk = Desk::unattended();
        let settings = LandscapeSettings::default();
        let document = Document::open(&Inputs::default(), None, &settings, &Progress::new());
        desk.show(document.expect("the demo is built in"));
        desk
    }

    #[test]
    fn numbers_that_mean_no_bookmark_do_nothing() {
        let mut desk = desk();
        desk.execute(BookmarkAsk::Add);
        for ask in [
            BookmarkAsk::GoTo(9, None),
            BookmarkAsk::Remove(9),
            BookmarkAsk::Move(9, 0),
            BookmarkAsk::Renew(9),
        ] {
            desk.execute(ask);
        }
        assert_eq!(desk.talk.bookmarks.len(), 1);
    }

    #[test]
    fn bookmarks_have_names_of_their_own_and_an_order() {
        let mut desk = desk();
        for _ in 0..3 {
            desk.execute(BookmarkAsk::Add);
        }
        let names = |desk: &Desk| -> Vec<String> {
            let names = desk.talk.bookmarks.iter().map(|it| it.name.clone());
            names.collect()
        };
        let [a, b, c] = <[String; 3]>::try_from(names(&desk)).expect("three");
        assert!(a != b && b != c && a != c);
        desk.execute(BookmarkAsk::Rename(1, a.clone()));
        desk.execute(BookmarkAsk::Rename(1, " ".to_owned()));
        assert_eq!(names(&desk), [a.clone(), b.clone(), c.clone()]);
        desk.execute(BookmarkAsk::Rename(1, "here".to_owned()));
        desk.execute(BookmarkAsk::Move(2, 0));
        assert_eq!(names(&desk), [c.clone(), a.clone(), "here".to_owned()]);
        desk.execute(BookmarkAsk::Remove(1));
        assert_eq!(names(&desk), [c, "here".to_owned()]);
    }
}
