//! The mapping file in use, and its editor: what the panel shows, and what typing changes.

use std::path::{Path, PathBuf};

use super::job::{Job, take};
use crate::analysis::session::Session;
use crate::filter::mapping::{Mapping, MappingError};
use crate::filter::regroup::{Assignment, assign};
use std::sync::Arc;

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

    /// Whether the text is another than that of the file.
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
    pub fn find_out(&mut self, session: &Arc<Session>, wake: impl FnOnce() + Send + 'static) {
        let (session, mapping) = (Arc::clone(session), self.mapping.clone());
        let work = move |progress: &crate::progress::Progress| assign(&session, &mapping, progress);
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
        let written = write(&path, &self.text);
        self.failure = written
            .err()
            .map(|error| format!("{}: {error}", path.display()));
        if self.failure.is_none() {
            self.saved = Some(self.text.clone());
        }
        self.failure.is_none()
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    std::fs::write(&beside, text)?;
    std::fs::rename(&beside, path).inspect_err(|_| {
        let _ = std::fs::remove_file(&beside);
    })
}
