//! The message about a folder that contains recordings and other files.

use std::path::Path;

use crate::desk::Desk;
use callscape_analysis::session::Inputs;
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_import::{self as import, mixed};
use callscape_state::job::{Job, take};
use callscape_state::message::Message;

/// Larger folders are source trees: not all of their files are looked at.
const MOST: usize = 200;

impl Desk {
    /// Opens what the window was started with; of a folder of recordings it says what they are.
    pub(super) fn open_first(&mut self, inputs: Inputs) {
        if let (Some(dir), []) = (&inputs.source_dir, &inputs.recordings[..]) {
            self.list_folder(dir);
        }
        self.open(inputs);
    }

    /// Begins to look at a folder that is opened as a source tree.
    pub(super) fn list_folder(&mut self, folder: &Path) {
        let folder = folder.to_owned();
        let work = move |progress: &Progress| Ok(told_of(&folder, progress));
        self.jobs.listing = Some(Job::start(self.state.waker(), work));
    }

    pub(super) fn poll_listed(&mut self) {
        let message = take(&mut self.jobs.listing);
        self.state.told.messages.extend(message.flatten());
    }
}

/// Lists the files of such a folder; none for a recording, a folder without recordings, and large folders.
fn told_of(folder: &Path, progress: &Progress) -> Option<Message> {
    let entries = || Some(folder.read_dir().ok()?.take(MOST + 1).count());
    if !folder.is_dir() || import::is_recording(folder) || entries()? > MOST {
        return None;
    }
    let listed = mixed::list(folder, progress).ok()?;
    let recordings = listed.files.iter().filter(|it| it.format.is_some());
    let mut lines: Vec<String> = recordings
        .map(|it| {
            let format = it.format.unwrap_or_default();
            format!("{}: {format}", escape::name(&it.file))
        })
        .collect();
    if lines.is_empty() {
        return None;
    }
    for files in &listed.together {
        let names: Vec<_> = files.iter().map(|it| escape::name(it)).collect();
        lines.push(format!("One recording together: {}", names.join(", ")));
    }
    for file in listed.files.iter().filter(|it| it.bytes.is_some()) {
        if let Some(found) = &file.found {
            let name = escape::name(&file.file);
            lines.push(format!("{name}: not a recording, {}", escape::name(found)));
        }
    }
    lines.push("Open or drop the recordings themselves to see them".to_owned());
    Some(Message {
        is_error: false,
        is_open: true,
        title: "Recordings in this folder".to_owned(),
        lines,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_recordings_and_other_files_is_listed() {
        let name = format!("callscape-mixed-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let told = || told_of(&folder, &Progress::new());
        std::fs::write(folder.join("notes.txt"), "of the day\n").expect("a file");
        assert!(told().is_none(), "no recording");
        let sample = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/data/import/callgrind/fib.callgrind.out"
        );
        std::fs::copy(sample, folder.join("fib.out")).expect("a sample");
        let message = told().expect("a recording and a text");
        assert_eq!(message.lines[0], "fib.out: callgrind");
        assert!(message.lines[1].starts_with("notes.txt: not a recording, a text"));
        std::fs::remove_file(folder.join("notes.txt")).expect("it is ours");
        assert!(told().is_none(), "recordings alone are opened");
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}
