//! The welcome, and dialogs of the desktop in which one chooses what to open.

use std::path::{Path, PathBuf};

use super::command::{Chosen, FileAsk};
use super::desk::Desk;
use super::recent::RecentInputs;
use super::welcome::{Welcome, no_dialog};
use callscape_analysis::session::Inputs;
use callscape_state::job::{Job, take};

impl Desk {
    /// Reads what was opened before; what could not be read, in a sentence. The welcome is open at first where nothing was
    /// named to be opened.
    pub fn begin_welcome(&mut self, is_open: bool) -> Option<String> {
        let (recent, unread) = RecentInputs::recall();
        self.welcome = Welcome {
            is_open,
            recent,
            no_dialog: no_dialog(),
            ..Welcome::default()
        };
        unread
    }

    /// Opens a dialog beside the window, which goes on.
    pub fn choose_file(&mut self, chosen: Chosen) {
        if self.welcome.no_dialog.is_some() {
            self.welcome.is_open = true;
            return;
        }
        let work = move |_: &_| {
            let dialog = rfd::FileDialog::new();
            Ok(match chosen {
                Chosen::Folder => dialog
                    .set_title("Open a folder of source code")
                    .pick_folder(),
                Chosen::Recording => dialog.set_title("Open a recording").pick_file(),
            })
        };
        self.jobs.choosing = Some(Job::start(self.state.waker(), work));
    }

    /// Opens what was chosen in a dialog.
    pub fn poll_chosen(&mut self) {
        if let Some(Some(path)) = take(&mut self.jobs.choosing) {
            self.execute(FileAsk::Open(vec![path]));
        }
    }

    /// Opens the path that was typed, with `~` for the home directory.
    pub fn open_typed(&mut self) {
        let typed = self.welcome.path.trim();
        let path = match (typed.strip_prefix("~/"), dirs::home_dir()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(typed),
        };
        if typed.is_empty() {
            return;
        }
        if !Path::new(&path).exists() {
            let line = format!("{}: file or folder not found", path.display());
            self.state.tell("The file could not be opened", line);
            return;
        }
        self.execute(FileAsk::Open(vec![path]));
    }

    /// Opens what was opened before.
    pub fn open_recent(&mut self, number: usize) {
        let recent = self.welcome.recent.iter().nth(number);
        if let Some(inputs) = recent.map(|it| it.inputs()) {
            self.welcome.is_open = false;
            self.open(inputs);
        }
    }

    pub fn open_demo(&mut self) {
        self.welcome.is_open = false;
        let open = self.state.document.as_ref().map(|it| &it.inputs);
        if open != Some(&Inputs::default()) {
            self.open(Inputs::default());
        }
    }
}
