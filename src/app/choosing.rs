//! The welcome, and dialogs of the desktop in which one chooses what to open.

use std::path::PathBuf;

use super::command::{Chosen, FileAsk, PairAsk};
use super::desk::Desk;
use super::keeping::last;
use super::pair::Replacement;
use super::recent::RecentInputs;
use super::welcome::{Welcome, no_dialog, typed_path};
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_source::history::{HistoryError, repository_around, written_at, written_of};
use callscape_state::job::{Job, take};

impl Desk {
    /// Opens the history of the repository around the source tree.
    pub(super) fn open_history(&mut self) {
        let document = self.state.document.as_ref();
        let Some(dir) = document.and_then(|it| it.session.source_dir.clone()) else {
            return;
        };
        let dir = written_of(&dir).unwrap_or(dir);
        let is_alone = document.is_some_and(|it| it.inputs.recordings.is_empty());
        match repository_around(&dir) {
            Ok(git) => {
                let history = Replacement::Inputs(Inputs {
                    recordings: vec![git],
                    ..Inputs::default()
                });
                self.replace(history, is_alone);
            }
            Err(error) => self.state.tell("No history", error.to_string()),
        }
    }

    /// Opens the source tree whose history is open.
    pub(super) fn open_tree(&mut self) {
        match self.tree_of_history() {
            // A bare repository has none.
            Some(dir) if dir.join("objects").is_dir() => self.read_tree("HEAD".to_owned()),
            Some(dir) => self.open_other_tree(dir),
            None => {}
        }
    }

    /// The source tree whose history is open.
    fn tree_of_history(&self) -> Option<PathBuf> {
        let git = self.state.document.as_ref()?.inputs.recordings.first()?;
        let tree = git.parent().filter(|_| git.ends_with(".git"));
        Some(tree.unwrap_or(git).to_owned())
    }

    fn open_other_tree(&mut self, dir: PathBuf) {
        let document = self.state.document.as_ref();
        let is_alone = document.is_some_and(|it| it.inputs.recordings.len() == 1);
        let tree = Replacement::Inputs(Inputs {
            source_dir: Some(dir),
            ..Inputs::default()
        });
        self.replace(tree, is_alone);
    }

    /// Begins to read the source tree as it was at the displayed date.
    pub(super) fn read_tree_then(&mut self) {
        let document = self.state.document.as_ref();
        let played = document.and_then(|it| it.city.metrics().played());
        let playback = document.and_then(|it| it.playback.as_ref());
        let Some((played, playback)) = played.zip(playback) else {
            return;
        };
        let last = played.commits_at(playback.time()).saturating_sub(1);
        if let Some(commit) = played.timeline.commits.get(last as usize) {
            self.read_tree(commit.id.clone());
        }
    }

    /// Begins to read the tree of the open history at a revision.
    fn read_tree(&mut self, revision: String) {
        let Some(dir) = self.tree_of_history() else {
            return;
        };
        let work = move |progress: &Progress| match written_at(&dir, &revision, progress) {
            Err(HistoryError::Cancelled(cancelled)) => Err(cancelled),
            done => Ok(done),
        };
        self.jobs.earlier = Some(Job::named("earlier tree", self.state.waker(), work));
    }

    pub(super) fn poll_tree_then(&mut self) {
        match take(&mut self.jobs.earlier) {
            Some(Ok(dir)) => self.open_other_tree(dir),
            Some(Err(error)) => self
                .state
                .tell("The tree could not be read", error.to_string()),
            None => {}
        }
    }

    /// Replaces the open document. Asks first, unless it `is_alone`: then Undo reopens it.
    fn replace(&mut self, replacement: Replacement, is_alone: bool) {
        match is_alone {
            true => {
                self.keep_replaced();
                self.open_replacement(replacement);
            }
            false => self.replace_with(replacement),
        }
    }

    /// Reads what was opened before; what could not be read, in a sentence. The welcome is open at first where nothing was
    /// named to be opened.
    pub fn begin_welcome(&mut self, is_open: bool) -> Option<String> {
        let (recent, unread) = RecentInputs::recall();
        self.welcome = Welcome {
            is_open,
            recent,
            last: is_open.then(last).flatten(),
            no_dialog: no_dialog(),
            ..Welcome::default()
        };
        unread
    }

    /// Files are dropped on a page: there is no dialog.
    #[cfg(target_arch = "wasm32")]
    pub fn choose_file(&mut self, _: Chosen) {
        self.welcome.is_open = true;
    }

    /// Opens a dialog beside the window, which goes on.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn choose_file(&mut self, chosen: Chosen) {
        if self.welcome.no_dialog.is_some() {
            self.welcome.is_open = true;
            return;
        }
        let work = move |_: &_| {
            let dialog = rfd::FileDialog::new();
            let paths = match chosen {
                Chosen::Folder => dialog
                    .set_title("Open a folder of source code")
                    .pick_folder()
                    .map(|path| vec![path]),
                Chosen::Recordings => dialog
                    .set_title("Open a recording, or two to compare them")
                    .pick_files(),
                Chosen::Run(side) => dialog
                    .set_title(
                        [
                            "Recordings of A, the first run",
                            "Recordings of B, the second run",
                        ][side.min(1)],
                    )
                    .pick_files(),
            };
            Ok(paths.map(|paths| (chosen, paths)))
        };
        self.jobs.choosing = Some(Job::start(self.state.waker(), work));
    }

    /// Opens what was chosen in a dialog.
    pub fn poll_chosen(&mut self) {
        match take(&mut self.jobs.choosing).flatten() {
            Some((Chosen::Run(side), paths)) => {
                self.execute(PairAsk::Add(side, paths));
                if self.pair.can_compare() {
                    self.execute(PairAsk::Compare);
                }
            }
            Some((_, paths)) => self.execute(FileAsk::Open(paths)),
            None => {}
        }
    }

    /// Opens the path that was typed.
    pub fn open_typed(&mut self) {
        if let Some(path) = typed_path(&self.welcome.path, &mut self.state) {
            self.execute(FileAsk::Open(vec![path]));
        }
    }

    /// Opens what was opened before.
    pub fn open_recent(&mut self, number: usize) {
        let recent = self.welcome.recent.iter().nth(number);
        if let Some(inputs) = recent.map(|it| it.inputs()) {
            self.replace_with(Replacement::Inputs(inputs));
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
