//! What the user keeps under names of their own, such as looks and arrangements of views: a list, in a file of the user's
//! configuration directory.

use std::io;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::versioned;

/// More than anyone takes.
const MOST: usize = 1000;

/// Something under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Named<T> {
    pub name: String,
    #[serde(alias = "look")]
    pub kept: T,
}

#[derive(Serialize, Deserialize)]
struct Contents<T> {
    #[serde(alias = "looks")]
    all: Vec<Named<T>>,
}

/// What the user keeps, and the file that it is kept in.
#[derive(Debug)]
pub struct Own<T> {
    /// None where the user has no configuration directory.
    path: Option<PathBuf>,
    all: Vec<Named<T>>,
}

impl<T> Default for Own<T> {
    fn default() -> Own<T> {
        Own {
            path: None,
            all: Vec::new(),
        }
    }
}

impl<T: Clone + Serialize + DeserializeOwned> Own<T> {
    /// Reads what is kept in the file of this name, and says what could not be read.
    pub fn recall(file: &str) -> (Own<T>, Option<String>) {
        let path = dirs::config_dir().map(|dir| dir.join("callscape").join(file));
        Own::at(path)
    }

    fn at(path: Option<PathBuf>) -> (Own<T>, Option<String>) {
        match path.as_deref().map(versioned::read).transpose() {
            Ok(found) => {
                let found: Option<Contents<T>> = found.flatten();
                let mut all = found.map_or_else(Vec::new, |it| it.all);
                all.truncate(MOST);
                (Own { path, all }, None)
            }
            // What cannot be read is not written over either.
            Err(reason) => (Own::default(), Some(reason)),
        }
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Named<T>> {
        self.all.iter()
    }

    /// The one with this number.
    pub fn get(&self, number: usize) -> Option<&Named<T>> {
        self.all.get(number)
    }

    /// Keeps something under a name, in place of what has it already, and writes the file.
    pub fn keep(&mut self, name: String, kept: T) -> io::Result<()> {
        match self.all.iter().position(|it| it.name == name) {
            Some(number) => self.all[number].kept = kept,
            None if self.all.len() < MOST => self.all.push(Named { name, kept }),
            None => {}
        }
        self.write()
    }

    /// Forgets the one with this number, and writes the file.
    pub fn remove(&mut self, number: usize) -> io::Result<()> {
        if number < self.all.len() {
            self.all.remove(number);
        }
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        let Some(path) = &self.path else {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "no configuration directory to save it in",
            ));
        };
        let all = self.all.clone();
        versioned::write(path, &Contents { all })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_model::landscape::LandscapeSettings;
    use callscape_model::metric::Metric;
    use callscape_model::surface::Surface;
    use callscape_presentation::saved_look::SavedLook;

    #[test]
    fn looks_are_kept_renewed_and_forgotten_and_a_file_that_cannot_be_read_stays() {
        let dir = std::env::temp_dir().join(format!("callscape-looks-{}", std::process::id()));
        let path = dir.join("looks.json");
        let recalled = || Own::<SavedLook>::at(Some(path.clone()));
        let (mut looks, notice) = recalled();
        assert!(looks.iter().len() == 0 && notice.is_none());
        let mut settings = LandscapeSettings::default();
        looks
            .keep("mine".to_owned(), SavedLook::of(&settings))
            .expect("there is room");
        settings.surface = Surface::Metric(Metric::Authors);
        for name in ["mine", "other"] {
            looks
                .keep(name.to_owned(), SavedLook::of(&settings))
                .expect("there is room");
        }
        let (mut again, _) = recalled();
        let names: Vec<&str> = again.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["mine", "other"]);
        let mut restored = LandscapeSettings::default();
        let first = again.get(0).expect("kept");
        assert_eq!(first.kept.restore(&mut restored), 0);
        assert_eq!(restored.surface, settings.surface);
        again.remove(0).expect("there is room");
        assert_eq!(recalled().0.iter().len(), 1);
        // As files were written before arrangements were kept too.
        let text = std::fs::read_to_string(&path).expect("it is there");
        let before = text
            .replace("\"all\"", "\"looks\"")
            .replace("\"kept\"", "\"look\"");
        std::fs::write(&path, before).expect("there is room");
        assert_eq!(recalled().0.iter().len(), 1);
        std::fs::write(&path, "{").expect("there is room");
        let (mut broken, notice) = recalled();
        assert!(notice.is_some_and(|it| it.contains("looks.json")));
        assert!(
            broken
                .keep("mine".to_owned(), SavedLook::of(&settings))
                .is_err()
        );
        assert_eq!(std::fs::read_to_string(&path).expect("it stays"), "{");
        let _ = std::fs::remove_dir_all(&dir);
    }
}
