//! Looks that the user keeps under names of their own, in a file of the user's configuration directory.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::model::landscape::LandscapeSettings;
use crate::presentation::files::write_beside;
use crate::presentation::saved_look::SavedLook;

/// What files of this version hold; others are not read.
const VERSION: u32 = 1;

/// More than anyone takes.
const MOST: usize = 1000;

/// A look under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnLook {
    pub name: String,
    pub look: SavedLook,
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    version: u32,
    looks: Vec<OwnLook>,
}

/// The user's looks, and the file that keeps them.
#[derive(Debug, Default)]
pub struct OwnLooks {
    /// None where the user has no configuration directory.
    path: Option<PathBuf>,
    looks: Vec<OwnLook>,
}

impl OwnLooks {
    /// Reads those that are kept, and what could not be read.
    pub fn recall() -> (OwnLooks, Option<String>) {
        let path = dirs::config_dir().map(|dir| dir.join("callscape").join("looks.json"));
        OwnLooks::at(path)
    }

    fn at(path: Option<PathBuf>) -> (OwnLooks, Option<String>) {
        match path.as_deref().map(read).transpose() {
            Ok(looks) => {
                let looks = looks.unwrap_or_default();
                (OwnLooks { path, looks }, None)
            }
            // What cannot be read is not written over either.
            Err(reason) => (OwnLooks::default(), Some(reason)),
        }
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &OwnLook> {
        self.looks.iter()
    }

    /// The one with this number.
    pub fn get(&self, number: usize) -> Option<&OwnLook> {
        self.looks.get(number)
    }

    /// Keeps `settings` under a name, in place of what has it already, and writes the file.
    pub fn keep(&mut self, name: String, settings: &LandscapeSettings) -> io::Result<()> {
        let look = SavedLook::of(settings);
        match self.looks.iter().position(|it| it.name == name) {
            Some(number) => self.looks[number].look = look,
            None if self.looks.len() < MOST => self.looks.push(OwnLook { name, look }),
            None => {}
        }
        self.write()
    }

    /// Forgets the one with this number, and writes the file.
    pub fn remove(&mut self, number: usize) -> io::Result<()> {
        if number < self.looks.len() {
            self.looks.remove(number);
        }
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        let Some(path) = &self.path else {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "there is no configuration directory to keep looks in",
            ));
        };
        let text = serde_json::to_string_pretty(&Kept {
            version: VERSION,
            looks: self.looks.clone(),
        })?;
        write_beside(path, text.as_bytes())
    }
}

/// The looks in the file at `path`, none where there is no file.
fn read(path: &Path) -> Result<Vec<OwnLook>, String> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let mut found: Kept =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    if found.version != VERSION {
        let (found, path) = (found.version, path.display());
        return Err(format!("{path}: expected version {VERSION}, found {found}"));
    }
    found.looks.truncate(MOST);
    Ok(found.looks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::metric::Metric;
    use crate::model::surface::Surface;

    #[test]
    fn looks_are_kept_renewed_and_forgotten_and_a_file_that_cannot_be_read_stays() {
        let dir = std::env::temp_dir().join(format!("callscape-looks-{}", std::process::id()));
        let path = dir.join("looks.json");
        let recalled = || OwnLooks::at(Some(path.clone()));
        let (mut looks, notice) = recalled();
        assert!(looks.iter().len() == 0 && notice.is_none());
        let mut settings = LandscapeSettings::default();
        looks
            .keep("mine".to_owned(), &settings)
            .expect("there is room");
        settings.surface = Surface::Metric(Metric::Authors);
        for name in ["mine", "other"] {
            looks
                .keep(name.to_owned(), &settings)
                .expect("there is room");
        }
        let (mut again, _) = recalled();
        let names: Vec<&str> = again.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["mine", "other"]);
        let mut restored = LandscapeSettings::default();
        let first = again.get(0).expect("kept");
        assert_eq!(first.look.restore(&mut restored), 0);
        assert_eq!(restored.surface, settings.surface);
        again.remove(0).expect("there is room");
        assert_eq!(recalled().0.iter().len(), 1);
        std::fs::write(&path, "{").expect("there is room");
        let (mut broken, notice) = recalled();
        assert!(notice.is_some_and(|it| it.contains("looks.json")));
        assert!(broken.keep("mine".to_owned(), &settings).is_err());
        assert_eq!(std::fs::read_to_string(&path).expect("it stays"), "{");
        let _ = std::fs::remove_dir_all(&dir);
    }
}
