//! The list of calls as a file of comma-separated values.

use std::path::PathBuf;

use super::CallList;
use crate::analysis::session::Session;
use crate::progress::Progress;

/// Writes `list` to a file of a name that is not taken in `folder`.
pub fn write(
    session: &Session,
    recording: usize,
    list: &CallList,
    folder: PathBuf,
    progress: &Progress,
) -> std::io::Result<PathBuf> {
    let names = (1..).map(|number: u32| match number {
        1 => "callscape-calls.csv".to_owned(),
        _ => format!("callscape-calls-{number}.csv"),
    });
    for name in names {
        let path = folder.join(name);
        // Taken names are found out by trying, so that no other program can take one in between.
        match std::fs::File::create_new(&path) {
            Ok(file) => {
                let file = std::io::BufWriter::new(file);
                let written = list.write_csv(session, recording, file, progress);
                return written.map(|()| path.clone()).inspect_err(|_| {
                    // What was begun is of no use; that it could not be removed adds nothing.
                    let _ = std::fs::remove_file(&path);
                });
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}
