//! What the view knows.

use crate::parts::remarks::Remarks;

/// The view, and the row that keys walk from.
#[derive(Default)]
pub(super) struct FindingsView {
    pub(super) remarks: Remarks,
    pub(super) at: Option<usize>,
    /// A row to scroll to.
    pub(super) to_show: Option<usize>,
    /// A row to click with the next update: keys have no state.
    pub(super) to_click: Option<usize>,
    /// They are to be presented once they are found.
    pub(super) presents: bool,
}
