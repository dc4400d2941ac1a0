//! What the window keeps from one start to the next, in a file of the user's configuration directory: how the views of each
//! session were arranged, theme, size of text, and where the window was.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::versioned;
use callscape_analysis::session::Inputs;
use callscape_model::theme::Theme;
use callscape_state::State;
use callscape_state::panes::Arrangement;

/// More sessions than anyone comes back to.
const MOST: usize = 50;

/// Where the window was, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// Its corner at the top left; none where the window system does not tell.
    pub at: Option<[i32; 2]>,
    pub size: [u32; 2],
    pub is_maximised: bool,
}

/// The theme as the file names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kept {
    #[default]
    System,
    Light,
    Dark,
}

/// How the views of one session were arranged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct OfInputs {
    source: Option<PathBuf>,
    recordings: Vec<PathBuf>,
    views: Arrangement,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Remembered {
    /// The session used last comes first.
    sessions: Vec<OfInputs>,
    theme: Kept,
    /// None for the usual size.
    text_scale: Option<f32>,
    window: Option<Place>,
}

/// The file, and what is to be in it.
#[derive(Debug, Default)]
pub struct Memory {
    /// None where the user has no configuration directory, and without a window.
    path: Option<PathBuf>,
    now: Remembered,
    /// What the file was last known to hold.
    written: Remembered,
}

impl Memory {
    /// Reads the remembered state, and sets the theme and the size of text by it. Also returns why it could not be read.
    pub(crate) fn recall(state: &mut State) -> (Memory, Option<String>) {
        let path = dirs::config_dir().map(|dir| dir.join("callscape").join("window.json"));
        Memory::at(path, state)
    }

    fn at(path: Option<PathBuf>, state: &mut State) -> (Memory, Option<String>) {
        let recalled = path
            .as_deref()
            .map(versioned::read::<Remembered>)
            .transpose();
        let (now, notice) = match recalled {
            Ok(found) => (found.flatten().unwrap_or_default(), None),
            Err(reason) => (Remembered::default(), Some(reason)),
        };
        let theme = match now.theme {
            Kept::System => None,
            Kept::Light => Some(Theme::Light),
            Kept::Dark => Some(Theme::Dark),
        };
        state.begin_theme(theme);
        if let Some(scale) = now.text_scale {
            state.look.set_text_scale(scale);
        }
        let written = now.clone();
        (Memory { path, now, written }, notice)
    }

    /// Where the window was.
    pub(crate) fn place(&self) -> Option<Place> {
        self.now.window
    }

    /// How the views were arranged when these inputs were open; none where they never were.
    pub(crate) fn arrangement(&self, inputs: &Inputs) -> Option<&Arrangement> {
        let key = key(inputs);
        let mut all = self.now.sessions.iter();
        all.find(|it| (&it.source, &it.recordings) == (&key.0, &key.1))
            .map(|it| &it.views)
    }

    /// Notes how the views of these inputs are arranged.
    pub(crate) fn note(&mut self, inputs: &Inputs, views: &Arrangement) {
        if self.arrangement(inputs) == Some(views) {
            return;
        }
        let (source, recordings) = key(inputs);
        let all = &mut self.now.sessions;
        all.retain(|it| (&it.source, &it.recordings) != (&source, &recordings));
        let views = views.clone();
        let of = OfInputs {
            source,
            recordings,
            views,
        };
        all.insert(0, of);
        all.truncate(MOST);
    }

    /// Keeps what is shown, and where the window is, when that is other than before. An error is told once: it is not tried
    /// again before there is something else to keep.
    pub(crate) fn keep(&mut self, state: &State, place: Option<Place>) -> io::Result<()> {
        if let Some(document) = &state.document {
            self.note(&document.inputs, state.panes.arrangement());
        }
        self.now.theme = match (state.look.follows_system, state.settings.theme) {
            (true, _) => Kept::System,
            (false, Theme::Light) => Kept::Light,
            (false, Theme::Dark) => Kept::Dark,
        };
        self.now.text_scale = Some(state.look.text_scale).filter(|it| *it != 1.0);
        self.now.window = place.or(self.now.window);
        let Some(path) = self.path.as_deref().filter(|_| self.now != self.written) else {
            return Ok(());
        };
        self.written = self.now.clone();
        versioned::write(path, &self.written)
    }
}

/// What tells the sessions apart.
fn key(inputs: &Inputs) -> (Option<PathBuf>, Vec<PathBuf>) {
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let source = inputs.source_dir.as_ref().map(absolute);
    (source, inputs.recordings.iter().map(absolute).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Desk;
    use callscape_state::ask::LookAsk;

    #[test]
    fn theme_text_place_and_the_views_of_each_session_are_there_after_another_start() {
        let dir = std::env::temp_dir().join(format!("callscape-window-{}", std::process::id()));
        let path = dir.join("window.json");
        let place = Place {
            at: Some([30, 40]),
            size: [900, 700],
            is_maximised: false,
        };
        let inputs = |name: &str| Inputs {
            recordings: vec![name.into()],
            ..Inputs::default()
        };
        let mut desk = Desk::unattended();
        let (mut memory, notice) = Memory::at(Some(path.clone()), &mut desk.state);
        assert!(notice.is_none() && desk.state.look.follows_system);
        let views = Arrangement::View("functions".to_owned());
        memory.note(&inputs("a"), &views);
        desk.state.execute(LookAsk::SwitchTheme);
        desk.state.execute(LookAsk::ScaleText(1.1));
        let theme = desk.state.settings.theme;
        memory
            .keep(&desk.state, Some(place))
            .expect("there is room");

        let mut desk = Desk::unattended();
        let (memory, _) = Memory::at(Some(path.clone()), &mut desk.state);
        assert_eq!(desk.state.settings.theme, theme);
        assert_eq!(
            (desk.state.look.text_scale, memory.place()),
            (1.1, Some(place))
        );
        assert_eq!(memory.arrangement(&inputs("a")), Some(&views));
        assert_eq!(
            memory.arrangement(&inputs("b")),
            None,
            "it inherits nothing"
        );
        // What the user chose stays, whatever the system says; until it is to follow the system again.
        let other = [Theme::Dark, Theme::Light][usize::from(theme == Theme::Dark)];
        desk.state.execute(LookAsk::SystemTheme(other));
        assert_eq!(desk.state.settings.theme, theme);
        desk.state.execute(LookAsk::Theme(None));
        assert_eq!(desk.state.settings.theme, other);
        std::fs::write(&path, "{").expect("there is room");
        let (_, notice) = Memory::at(Some(path), &mut desk.state);
        assert!(notice.is_some_and(|it| it.contains("window.json")));
        let _ = std::fs::remove_dir_all(&dir);
    }
}
