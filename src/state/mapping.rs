//! The mapping file in use, and its editor: what the panel shows, and what typing changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::job::{Job, take};
use callscape_analysis::mapping::regroup::{Assignment, assign};
use callscape_analysis::mapping::{Mapping, MappingError};
use callscape_analysis::session::Session;
use callscape_base::files;

/// The text of a mapping being edited.
#[derive(Default)]
pub struct MappingEditor {
    pub is_open: bool,
    /// Where it is read from and saved to, as typed.
    pub file: String,
    pub text: String,
    /// The text as it is in the file; none before there is one.
    saved: Option<String>,
    pub mapping: Mapping,
    pub errors: Vec<MappingError>,
    /// What the entries of `mapping` take; none while that is found out.
    pub assignment: Option<Assignment>,
    finding: Option<Job<Assignment>>,
    /// Why it could not be saved or read.
    pub failure: Option<String>,
}

impl MappingEditor {
    pub fn path(&self) -> Option<PathBuf> {
        let file = self.file.trim();
        (!file.is_empty()).then(|| PathBuf::from(file))
    }

    /// Whether the text differs from that of the file.
    pub fn is_edited(&self) -> bool {
        self.saved.as_deref().unwrap_or_default() != self.text
    }

    /// Takes another text, and begins to find out what it takes of `session`.
    pub fn edit(
        &mut self,
        text: String,
        session: &Arc<Session>,
        wake: impl FnOnce() + Send + 'static,
    ) {
        self.text = text;
        let (mapping, errors) = Mapping::parse(&self.text, self.file.trim());
        (self.mapping, self.errors) = (mapping, errors);
        self.find_out(session, wake);
    }

    /// Begins to find out what the mapping takes of `session`.
    pub(crate) fn find_out(
        &mut self,
        session: &Arc<Session>,
        wake: impl FnOnce() + Send + 'static,
    ) {
        let (session, mapping) = (Arc::clone(session), self.mapping.clone());
        let work = move |progress: &callscape_base::progress::Progress| {
            assign(&session, &mapping, progress)
        };
        self.finding = Some(Job::start(wake, work));
    }

    /// Takes what has been found out; whether there was something.
    pub fn poll(&mut self) -> bool {
        let Some(assignment) = take(&mut self.finding) else {
            return false;
        };
        // Entries that have changed meanwhile are found out about already.
        let is_current = assignment.taken.len() == self.mapping.entries().len();
        self.assignment = is_current.then_some(assignment);
        true
    }

    /// Whether what the panel shows is of an earlier text.
    pub fn is_finding_out(&self) -> bool {
        self.finding.is_some()
    }

    /// Reads the file at `path` in place of the text; the text in it, or why there is none.
    pub fn read(&mut self, path: &Path) -> Result<String, String> {
        let text = Mapping::text(path).map_err(|error| error.to_string())?;
        self.file = path.display().to_string();
        self.saved = Some(text.clone());
        self.failure = None;
        Ok(text)
    }

    /// Writes the text beside the file and renames it; whether that was done.
    pub fn save(&mut self) -> bool {
        let Some(path) = self.path() else {
            self.failure = Some("Name the file to save it to.".to_owned());
            return false;
        };
        let written = files::write(&path, self.text.as_bytes());
        self.failure = written
            .err()
            .map(|error| format!("{}: {error}", path.display()));
        if self.failure.is_none() {
            self.saved = Some(self.text.clone());
        }
        self.failure.is_none()
    }
}

/// A file by the one name that it has wherever it is named from.
pub fn one_name(path: &Path) -> PathBuf {
    let whole = path.canonicalize().or_else(|_| std::path::absolute(path));
    whole.unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{open, settle, tiny};

    #[test]
    fn what_is_typed_is_read_and_saved() {
        let mut state = tiny();
        let session = Arc::clone(&open(&state).base);
        let folder = std::env::temp_dir();
        let path = folder.join(format!("callscape-mapping-{}.map", std::process::id()));
        let editor = &mut state.mapping;
        assert_eq!(editor.path(), None);
        assert!(!editor.save());
        assert!(editor.failure.is_some(), "it has no name");
        editor.file = format!(" {} ", path.display());
        assert_eq!(editor.path(), Some(path.clone()));
        editor.edit("Steps: function b.step\n".to_owned(), &session, || ());
        assert!(editor.is_edited() && editor.is_finding_out());
        settle(&mut state);
        let editor = &mut state.mapping;
        assert!(!editor.is_finding_out());
        assert!(editor.save(), "{:?}", editor.failure);
        assert!(!editor.is_edited() && editor.failure.is_none());
        let mut again = MappingEditor::default();
        let text = again.read(&path).expect("it was written");
        assert_eq!(text, editor.text);
        std::fs::remove_file(&path).expect("it is there");
        assert!(again.read(&path).is_err());
        editor.file = folder.join("no/such/folder/a.map").display().to_string();
        assert!(!editor.save());
        assert!(
            editor
                .failure
                .as_deref()
                .is_some_and(|it| it.contains("no/such/folder"))
        );
    }

    #[test]
    fn mistakes_are_found_while_typing() {
        let mut state = tiny();
        let session = Arc::clone(&open(&state).base);
        state.mapping.edit("???".to_owned(), &session, || ());
        assert!(!state.mapping.errors.is_empty());
        assert!(state.usable_map().is_none());
    }
}
