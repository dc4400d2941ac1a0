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
