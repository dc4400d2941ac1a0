//! What is told of a folder that was dropped and has recordings among other files.

use std::path::Path;

use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_import::{self as import, mixed};
use callscape_state::message::Message;

/// Larger folders are source trees, whose files are not all looked at for this.
const MOST: usize = 200;

/// Lists the files of such a folder; none for a recording, a source tree alone, and large folders.
pub(crate) fn told_of(folder: &Path) -> Option<Message> {
    let entries = || Some(folder.read_dir().ok()?.take(MOST + 1).count());
    if !folder.is_dir() || import::is_recording(folder) || entries()? > MOST {
        return None;
    }
    let listed = mixed::list(folder, &Progress::new()).ok()?;
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
    lines.push("Drop the recordings themselves to open them".to_owned());
    Some(Message {
        is_error: false,
        is_open: true,
        title: "This folder has recordings among other files".to_owned(),
        lines,
    })
}
