//! The scene that the window edits: read, put together of bookmarks, recorded, and written.

use std::path::Path;

use crate::command::ScriptAsk;
use crate::desk::Desk;
use callscape_presentation::bookmark::found_in;
use callscape_presentation::files::write_scene;
use callscape_presentation::scene::{Bookmark, Caption, Scene, SceneFile, Shot};

/// Shots that the window can hold: more are for programs.
const MOST_SHOTS: usize = 100_000;

/// A shot for each bookmark.
pub fn shots_of(bookmarks: &[Bookmark]) -> Vec<Shot> {
    bookmarks.iter().map(shot_of).collect()
}

/// A shot that goes to a bookmark.
pub fn shot_of(bookmark: &Bookmark) -> Shot {
    Shot {
        name: bookmark.name.clone(),
        bookmark: Some(bookmark.name.clone()),
        ..Shot::default()
    }
}

/// The words of a caption, none for empty ones; all else of it stays.
pub fn with_words(caption: Option<Caption>, text: String) -> Option<Caption> {
    (!text.trim().is_empty()).then(|| Caption {
        text,
        ..caption.unwrap_or_default()
    })
}

impl Desk {
    pub fn on_script(&mut self, ask: ScriptAsk) {
        let count = self.talk.script.scene.shots.len();
        match ask {
            ScriptAsk::Name(file) => self.talk.script.file = file,
            ScriptAsk::Read => self.read_script(),
            ScriptAsk::Write => self.write_script(),
            ScriptAsk::Record => self.toggle_recording(),
            ScriptAsk::Choose(shot) => {
                self.talk.script.chosen = shot.filter(|shot| *shot < count);
            }
            ScriptAsk::AddBookmark(index) => {
                if let Some(bookmark) = self.talk.bookmarks.get(index) {
                    let shot = shot_of(bookmark);
                    self.add_shot(shot);
                }
            }
            ScriptAsk::Clear => {
                self.talk.script.scene.shots.clear();
                self.talk.script.chosen = None;
                self.talk.script.is_changed = true;
            }
            ScriptAsk::Remove(shot) if shot < count => {
                let script = &mut self.talk.script;
                script.scene.shots.remove(shot);
                script.chosen = None;
                script.is_changed = true;
            }
            ScriptAsk::Move(from, to) if from < count => {
                let script = &mut self.talk.script;
                let moved = script.scene.shots.remove(from);
                script.scene.shots.insert(to.min(count - 1), moved);
                script.chosen = script.chosen.map(|_| to.min(count - 1));
                script.is_changed = true;
            }
            ScriptAsk::Edit(index, shot) => {
                let script = &mut self.talk.script;
                if let Some(old) = script.scene.shots.get_mut(index)
                    && *old != *shot
                {
                    *old = *shot;
                    script.is_changed = true;
                }
            }
            ScriptAsk::Remove(_) | ScriptAsk::Move(..) => {}
        }
    }

    /// Puts a shot behind the others.
    pub fn add_shot(&mut self, shot: Shot) {
        let script = &mut self.talk.script;
        if script.scene.shots.len() < MOST_SHOTS {
            script.scene.shots.push(shot);
            script.is_changed = true;
        }
    }

    fn read_script(&mut self) {
        let Some(path) = self.talk.script.path() else {
            return;
        };
        match SceneFile::read(&path) {
            Ok(file) => {
                let shots = file.scene.shots.len();
                self.talk.script.take(&file);
                self.state.tell_briefly(format!("{shots} shots read"));
            }
            Err(error) => self
                .state
                .tell("The scene could not be read", format!("{error:#}")),
        }
    }

    fn write_script(&mut self) {
        let Some(path) = self.talk.script.path() else {
            return self
                .state
                .tell_briefly("Name the file to save the scene to".to_owned());
        };
        let scene = self.script_for(&path);
        // What is written can be read again.
        let text = toml::to_string(&scene).map_err(anyhow::Error::from);
        let read = text.and_then(|text| Ok(SceneFile::parse(&path, text)?));
        match read.and_then(|_| write_scene(&path, &scene)) {
            Ok(()) => {
                self.talk.script.is_changed = false;
                self.state
                    .tell_briefly(format!("Written to {}", path.display()));
            }
            Err(error) => self
                .state
                .tell("The scene could not be written", format!("{error:#}")),
        }
    }

    /// The scene with what is open as its inputs, and the bookmarks that its shots go to.
    pub fn script_for(&self, path: &Path) -> Scene {
        self.scene_for(path, self.talk.script.scene.clone())
    }

    /// A scene with these inputs, and the bookmarks that its shots go to.
    pub(super) fn scene_for(&self, path: &Path, mut scene: Scene) -> Scene {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        scene.inputs = self.scene_inputs(path);
        let known: Vec<String> = scene.bookmarks.iter().map(|it| it.name.clone()).collect();
        let used = |bookmark: &Bookmark| {
            let name = Some(&bookmark.name);
            let mut shots = scene.shots.iter();
            shots.any(|shot| shot.bookmark.as_ref() == name) && !known.contains(&bookmark.name)
        };
        let own: Vec<Bookmark> = (self.talk.bookmarks.iter())
            .filter(|it| used(it))
            .cloned()
            .collect();
        scene.bookmarks.extend(own);
        found_in(folder.unwrap_or(Path::new(".")), &mut scene.bookmarks);
        scene
    }
}
