//! A pack of what the window shows, written beside what is open.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::job::{Job, take};
use super::presenting::bookmarks::write_scene;
use super::remembered::write_beside;
use super::saved::{self, SavedSession};
use super::sharing::{Wanted, pack};
use super::workbench::{Message, Workbench};
use crate::facts::pack::ENDING;
use crate::progress::Progress;
use crate::units::grouped;

/// What came of a pack: where it is, what is in it, and its size in bytes.
pub type Packed = anyhow::Result<(PathBuf, Vec<String>, u64)>;

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
fn free(folder: &Path, name: &str, ending: &str) -> PathBuf {
    let numbered = |number: u32| match number {
        1 => folder.join(format!("{name}{ending}")),
        _ => folder.join(format!("{name}-{number}{ending}")),
    };
    let mut paths = (1..=u32::MAX).map(numbered);
    // There are fewer files than numbers.
    paths.find(|path| !path.exists()).unwrap_or_default()
}

impl Workbench {
    /// Begins to put structure, recordings, the session as it is now and the scene that is edited into a pack beside
    /// what is open. No text of the source is in it.
    pub(super) fn share(&mut self) {
        if self.jobs.packing.is_some() {
            return;
        }
        match self.begin_pack() {
            Ok(job) => self.jobs.packing = Some(job),
            Err(error) => self.tell("There is no pack", format!("{error:#}")),
        }
    }

    fn begin_pack(&self) -> anyhow::Result<Job<Packed>> {
        let document = self.document.as_ref().context("nothing is open")?;
        let inputs = document.inputs.clone();
        ensure!(
            inputs.source_dir.is_some() || !inputs.recordings.is_empty(),
            "the built-in demo is in every Callscape; what it shows is shared as a scene (F4)"
        );
        let place = match &self.session_file {
            Some(path) => path.clone(),
            None => saved::place(&inputs)?,
        };
        let folder = match place.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(saved::ENDING).unwrap_or(&name).to_owned();
        let out = free(&folder, &name, ENDING);
        let mut made = Made::default();
        let session = free(&folder, &format!("{name}.packing"), saved::ENDING);
        made.0.push(session.clone());
        let state = SavedSession::of(self, &folder).context("nothing is open")?;
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
            // Until the pack is written.
            let _made = made;
            let packed = pack(&wanted, &out, progress);
            progress.check()?;
            Ok(packed.map(|(said, bytes)| (out, said, bytes)))
        };
        Ok(Job::start(self.waker(), work))
    }

    /// Takes what came of a pack.
    pub(super) fn poll_pack(&mut self) {
        match take(&mut self.jobs.packing) {
            None => {}
            Some(Ok((path, mut lines, bytes))) => {
                lines.insert(0, format!("{}: {} bytes", path.display(), grouped(bytes)));
                lines.push(
                    "It opens with `callscape FILE`, or when it is dropped on the window"
                        .to_owned(),
                );
                self.messages.push(Message {
                    is_error: false,
                    is_open: true,
                    title: "The pack is written".to_owned(),
                    lines,
                });
            }
            Some(Err(error)) => self.tell("The pack could not be written", format!("{error:#}")),
        }
    }
}
