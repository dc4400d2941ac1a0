//! A pack of what the window shows, written beside what is open.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::jobs::Packed;
use super::saved::{self, SavedSession};
use super::sharing::{self, Wanted, Writer};
use crate::desk::Desk;
use callscape_base::progress::Progress;
use callscape_base::units::grouped;
use callscape_export::pack::ENDING;
use callscape_presentation::files::{write_beside, write_scene};
use callscape_state::job::{Job, take};
use callscape_state::message::Message;

/// Files that are made for a pack alone, removed with this.
#[derive(Default)]
struct Made(Vec<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        for path in &self.0 {
            // What is left says in its name what it is of.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// A file in `folder` that is not there yet, with this name or one with a number.
pub(crate) fn free(folder: &Path, name: &str, ending: &str) -> PathBuf {
    let numbered = |number: u32| match number {
        1 => folder.join(format!("{name}{ending}")),
        _ => folder.join(format!("{name}-{number}{ending}")),
    };
    let mut paths = (1..=u32::MAX).map(numbered);
    // There are fewer files than numbers.
    paths.find(|path| !path.exists()).unwrap_or_default()
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

impl Desk {
    /// What is open and how it is looked at, for a file in `folder`; none without anything open.
    pub fn saved_session(&self, folder: &Path) -> Option<SavedSession> {
        let bookmarks = self.bookmarks_in(folder);
        SavedSession::of(&self.state, &self.views, bookmarks, folder)
    }

    /// Saves what is open and how it is looked at to the file at `path`.
    pub fn save_session(&self, path: &Path) -> anyhow::Result<()> {
        let text = self.session_for(path).context("nothing is open")??;
        write_beside(path, text.as_bytes()).with_context(|| path.display().to_string())?;
        Ok(())
    }

    /// What a session file at `path` would hold; none while nothing is open.
    pub fn session_for(&self, path: &Path) -> Option<serde_json::Result<String>> {
        let saved = self.saved_session(&folder_of(path))?;
        Some(serde_json::to_string_pretty(&saved))
    }
}

impl Desk {
    /// Begins to open a pack.
    pub fn open_pack(&mut self, path: PathBuf) {
        let work = move |progress: &Progress| {
            let opened = sharing::open(&path, progress);
            progress.check()?;
            Ok(opened)
        };
        self.jobs.unpacking = Some(Job::start(self.state.waker(), work));
    }

    /// Opens what was unpacked.
    pub fn poll_unpacked(&mut self) {
        let Some(opened) = take(&mut self.jobs.unpacking) else {
            return;
        };
        let opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                return self
                    .state
                    .tell("The pack could not be opened", format!("{error:#}"));
            }
        };
        // Whoever opens a page that was made of a scene has no list of files to choose it from.
        let scene = opened.scenes.first();
        if let Some(scene) =
            scene.filter(|_| cfg!(target_arch = "wasm32") && opened.session.is_none())
        {
            return self.present_file(scene.clone());
        }
        match opened.session {
            Some(session) => self.open_session(session),
            None => {
                self.state.mapping = Default::default();
                if let Some(mapping) = &opened.mapping {
                    self.use_map_file(mapping);
                }
                self.open(opened.inputs);
            }
        }
        self.talk.scenes = opened.scenes;
    }

    /// Begins to put structure, recordings, the session as it is now and the scene that is edited into the pack at `out`. No
    /// text of the source is in it. `write` makes the pack, or a page around it.
    pub fn share(&mut self, out: PathBuf, write: Option<Writer>) {
        let Some(write) = write.filter(|_| self.jobs.packing.is_none()) else {
            return;
        };
        match self.begin_share(out.clone(), write) {
            Ok(job) => {
                self.jobs.packing = Some(job);
                match out.to_string_lossy().ends_with(ENDING) {
                    true => self.pack_file = Some(out),
                    false => self.page_file = Some(out),
                }
            }
            Err(error) => self.state.tell("It was not written", format!("{error:#}")),
        }
    }

    /// The default name of a pack or a page: next to the open inputs.
    pub(super) fn share_place(&self, ending: &str) -> anyhow::Result<PathBuf> {
        let document = self.state.document.as_ref().context("nothing is open")?;
        let inputs = &document.inputs;
        ensure!(
            inputs.source_dir.is_some() || !inputs.recordings.is_empty(),
            "the built-in demo is part of every Callscape; share a scene of it instead (F4)"
        );
        let place = match &self.session_file {
            Some(path) => path.clone(),
            None => saved::place(inputs)?,
        };
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(saved::ENDING).unwrap_or(&name).to_owned();
        Ok(free(&folder_of(&place), &name, ending))
    }

    fn begin_share(&self, out: PathBuf, write: Writer) -> anyhow::Result<Job<Packed>> {
        let document = self.state.document.as_ref().context("nothing is open")?;
        let inputs = document.inputs.clone();
        let folder = folder_of(&out);
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(ENDING).unwrap_or(&name).to_owned();
        let mut made = Made::default();
        let session = free(&folder, &format!("{name}.packing"), saved::ENDING);
        made.0.push(session.clone());
        let state = self.saved_session(&folder).context("nothing is open")?;
        let text = serde_json::to_string_pretty(&state)?;
        write_beside(&session, text.as_bytes()).with_context(|| session.display().to_string())?;
        let mut scenes = Vec::new();
        if !self.talk.script.scene.shots.is_empty() {
            let path = free(&folder, &format!("{name}.packing"), ".toml");
            made.0.push(path.clone());
            write_scene(&path, &self.script_for(&path))?;
            scenes.push(path);
        }
        let wanted = Wanted {
            inputs,
            session: Some(session),
            scenes,
            ..Wanted::default()
        };
        let work = move |progress: &Progress| {
            // Until it is written.
            let _made = made;
            let packed = write(&wanted, &out, progress);
            progress.check()?;
            Ok(packed.map(|(said, bytes)| (out, said, bytes)))
        };
        Ok(Job::start(self.state.waker(), work))
    }

    /// Takes what came of a pack.
    pub fn poll_pack(&mut self) {
        match take(&mut self.jobs.packing) {
            None => {}
            Some(Ok((path, mut lines, bytes))) => {
                lines.insert(0, format!("{}: {} bytes", path.display(), grouped(bytes)));
                let is_pack = path.to_string_lossy().ends_with(ENDING);
                let (title, how) = match is_pack {
                    true => (
                        "The pack is written",
                        "Open it with `callscape FILE`, or drop it on the window",
                    ),
                    false => ("The page is written", "Open it in a browser"),
                };
                lines.push(how.to_owned());
                self.state.told.messages.push(Message {
                    is_error: false,
                    is_open: true,
                    title: title.to_owned(),
                    lines,
                });
            }
            Some(Err(error)) => self
                .state
                .tell("It could not be written", format!("{error:#}")),
        }
    }
}
