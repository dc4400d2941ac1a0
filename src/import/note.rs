//! What `callscape record` notes beside the files of a recorder that it drove.

use serde::{Deserialize, Serialize};

use super::input::Input;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::frequency::LeftOut;

/// The name of the note in the folder of a recording.
pub const NOTE: &str = "callscape-record.json";

/// So long a note is at most.
const LONGEST: u64 = 1 << 20;

/// What the recorder's own files do not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Functions that were not recorded, because they are called too often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

/// The note in a folder; one that is none is counted and left.
pub fn read(folder: &Input, reporter: &Reporter) -> Note {
    let input = folder.join(NOTE);
    if !input.is_file() {
        return Note::default();
    }
    let is_short = input.size().is_ok_and(|size| size <= LONGEST);
    let text = is_short.then(|| input.read().ok()).flatten();
    let note = text.and_then(|text| serde_json::from_slice(&text).ok());
    note.unwrap_or_else(|| {
        reporter.warn("malformed-note", || {
            Place::file(input.display().to_string())
        });
        Note::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::frequency::Frequency;

    #[test]
    fn a_note_is_read_again_and_what_is_none_is_counted() {
        let path = std::env::temp_dir().join(format!("callscape-note-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        let folder = Input::on_disk(path.clone());
        let reporter = Reporter::new();
        assert_eq!(read(&folder, &reporter), Note::default());
        let note = Note {
            left_out: Some(LeftOut {
                max_frequency: Frequency::USUAL,
                functions: 2,
                calls: Some(3),
                of: Some(4),
                of_run_before: true,
                names: vec!["f".to_owned()],
                before: None,
                found: Vec::new(),
                has_first_calls: false,
            }),
        };
        let text = serde_json::to_vec(&note).expect("JSON");
        std::fs::write(path.join(NOTE), text).expect("it can be written");
        assert_eq!(read(&folder, &reporter), note);
        assert!(reporter.warnings().is_empty());
        std::fs::write(path.join(NOTE), "7").expect("it can be written");
        assert_eq!(read(&folder, &reporter), Note::default());
        assert_eq!(reporter.warnings().len(), 1);
        std::fs::remove_dir_all(path).expect("it can be removed");
    }
}
