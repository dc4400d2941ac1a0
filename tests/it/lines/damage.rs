//! What is read of the lines of damaged recordings.

use std::path::{Path, PathBuf};

use callscape::import;
use callscape::progress::Progress;

use crate::common;

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder of test data");
    for entry in entries {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files_below(&path, files),
            false => files.push(path),
        }
    }
}

/// Damaged recordings of all kinds: what is read of their lines belongs together.
#[test]
fn lines_of_damaged_recordings_do_no_harm() {
    let mut files = Vec::new();
    files_below(&common::data("import/fuzz"), &mut files);
    files.sort();
    for path in files {
        let Ok(recording) = import::open(&path, &Progress::new()) else {
            continue;
        };
        let Some(lines) = &recording.lines else {
            continue;
        };
        for at in 0..lines.len() {
            let place = lines.place(at);
            assert!(place.function().index() < recording.functions.len());
            for site in lines.sites(recording.value(), at) {
                assert!(site.callee.index() < recording.functions.len());
            }
        }
    }
}
