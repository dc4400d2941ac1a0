//! What the user is told.

/// Something to tell the user, until dismissed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub is_error: bool,
    /// Shown in full from the start, not as its title only.
    pub is_open: bool,
    pub title: String,
    pub lines: Vec<String>,
}

impl Message {
    /// Something that went wrong, with why.
    pub fn error(title: &str, line: String) -> Message {
        Message {
            is_error: true,
            is_open: true,
            title: title.to_owned(),
            lines: vec![line],
        }
    }

    /// Something to know, shown as its title only.
    pub fn note(title: impl Into<String>, lines: Vec<String>) -> Message {
        Message {
            is_error: false,
            is_open: false,
            title: title.into(),
            lines,
        }
    }
}
