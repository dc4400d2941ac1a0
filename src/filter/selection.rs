//! The selection and the hover, shared by all views.

use crate::units::{ModuleId, Time, TimeRange};

/// What the user has chosen and points at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// The module under the pointer.
    pub hovered: Option<ModuleId>,
    /// The chosen module.
    pub module: Option<ModuleId>,
    /// The time point that all views show.
    pub time: Time,
    /// The range that limits every view.
    pub range: Option<TimeRange>,
}
