//! What the asks of the mapping do: it is read, edited, saved, and the structure is shown through it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ask::MappingAsk;
use super::mapping::one_name;
use super::state::State;
use callscape_analysis::mapping::Mapping;
use callscape_analysis::mapping::starting::{By, starting_mapping};

/// The name of the mapping file that is made where there is none.
const DEFAULT_FILE: &str = "architecture.map";

impl State {
    /// Reads the mapping file that the window was opened with.
    pub fn use_map_file(&mut self, path: &Path) {
        match self.mapping.read(path) {
            Ok(text) => {
                (self.mapping.mapping, self.mapping.errors) =
                    Mapping::parse(&text, &path.display().to_string());
                self.mapping.text = text;
                self.mapping.is_open = !self.mapping.errors.is_empty();
            }
            Err(failure) => self.tell("The mapping file could not be read", failure),
        }
    }

    /// The mapping of the editor's file, when nothing in it is wrong and it maps something.
    pub(crate) fn usable_map(&self) -> Option<Arc<Mapping>> {
        let editor = &self.mapping;
        let is_usable = editor.errors.is_empty() && !editor.mapping.entries().is_empty();
        (is_usable && !editor.is_edited()).then(|| Arc::new(editor.mapping.clone()))
    }

    /// Reads the mapping file again after it has changed; the mapping, if it says something new and has no mistakes.
    /// What is being typed is kept.
    pub(super) fn reread(&mut self, path: &Path) -> Option<Arc<Mapping>> {
        if self.mapping.is_edited() {
            return None;
        }
        let old = self.mapping.text.clone();
        let text = self.mapping.read(path).ok()?;
        if text == old {
            return None;
        }
        if let Some(document) = &self.document {
            let base = Arc::clone(&document.base);
            let wake = self.waker();
            self.mapping.edit(text, &base, wake);
        }
        if let Some(wrong) = self.mapping.errors.first() {
            let wrong = wrong.to_string();
            self.tell("The mapping file has errors", wrong);
        }
        self.usable_map()
    }

    /// Opens, edits, saves and leaves the mapping.
    pub(crate) fn on_mapping(&mut self, ask: MappingAsk) {
        match ask {
            MappingAsk::Toggle => {
                self.mapping.is_open ^= true;
                if self.mapping.is_open && self.mapping.text.is_empty() {
                    self.start_mapping();
                }
            }
            MappingAsk::Edit(text) => {
                if let Some(document) = &self.document {
                    let base = Arc::clone(&document.base);
                    let wake = self.waker();
                    self.mapping.edit(text, &base, wake);
                }
            }
            MappingAsk::Name(file) => self.mapping.file = file,
            MappingAsk::Save => self.save_mapping(),
            MappingAsk::UseNone => self.revise(false, None),
        }
    }

    /// The mapping file through which the structure is shown. A mapping that was never saved is nowhere to be found
    /// again.
    pub fn mapping_shown(&self) -> Option<PathBuf> {
        let document = self.document.as_ref()?;
        let path = document.map.as_ref().and_then(|_| self.mapping.path());
        path.map(|path| one_name(&path))
    }

    /// Begins to show the structure through a mapping file, none for an empty path; whether it is another than now.
    pub fn go_to_mapping(&mut self, path: &Path) -> bool {
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

    /// Begins to show the structure through the mapping that was read; whether there is one that can be used.
    pub fn revise_through_map(&mut self) -> bool {
        let map = self.usable_map();
        let is_usable = map.is_some();
        if is_usable {
            self.revise(false, map);
            self.watch_again();
        }
        is_usable
    }

    /// Begins to show the structure as it is.
    pub fn revise_without_map(&mut self) -> bool {
        self.revise(false, None);
        true
    }

    /// Writes the mapping to its file, and shows the structure through it.
    fn save_mapping(&mut self) {
        if self.mapping.errors.is_empty() && self.mapping.save() {
            let map = self.usable_map();
            self.revise(false, map);
            self.watch_again();
        }
    }

    /// Something to begin with: an entity a directory, or a package where there are no directories.
    fn start_mapping(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let base = Arc::clone(&document.base);
        let name = document.name();
        let by_directory = starting_mapping(&base, By::Directory, 1, &name);
        let text = by_directory.or_else(|| starting_mapping(&base, By::Package, 1, &name));
        if self.mapping.file.is_empty() {
            let folder = document.inputs.source_dir.clone();
            let folder = folder.unwrap_or_else(|| PathBuf::from("."));
            self.mapping.file = folder.join(DEFAULT_FILE).display().to_string();
        }
        let wake = self.waker();
        self.mapping.edit(text.unwrap_or_default(), &base, wake);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{open, settle, tiny};
    use super::*;

    #[test]
    fn a_mapping_shows_the_structure_through_it_and_none_as_it_is() {
        let mut state = tiny();
        let before = open(&state).session.hierarchy.len();
        state.execute(MappingAsk::Toggle);
        settle(&mut state);
        assert!(
            state.mapping.is_open && !state.mapping.text.is_empty(),
            "something to begin with"
        );
        assert!(
            state.mapping.errors.is_empty(),
            "{:?}",
            state.mapping.errors
        );
        let name = format!("callscape-revision-{}.map", std::process::id());
        let path = std::env::temp_dir().join(name);
        state.execute(MappingAsk::Name(path.display().to_string()));
        state.execute(MappingAsk::Save);
        settle(&mut state);
        let _ = std::fs::remove_file(&path);
        assert!(open(&state).map.is_some());
        state.execute(MappingAsk::UseNone);
        settle(&mut state);
        assert!(open(&state).map.is_none());
        assert_eq!(open(&state).session.hierarchy.len(), before);
    }
}
