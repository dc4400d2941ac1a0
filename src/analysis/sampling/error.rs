//! What is wrong with a control file.

use callscape_base::warnings::Place;

/// Why a control file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{place}: expected {expected}, found {found}")]
pub struct ControlError {
    pub place: Place,
    pub expected: String,
    pub found: String,
}

impl ControlError {
    pub(super) fn new(file: &str, line: u64, expected: &str, found: String) -> ControlError {
        ControlError {
            place: Place::line(file, line),
            expected: expected.to_owned(),
            found,
        }
    }
}
