//! The selection and the hover, shared by all views.

use crate::units::{CallId, FunctionId, ModuleId, ThreadId, Time, TimeRange};

/// A call of the recording that is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallOf {
    pub thread: ThreadId,
    pub call: CallId,
}

/// What is pointed at or chosen, as far as the view that says so knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointed {
    pub module: Option<ModuleId>,
    pub function: Option<FunctionId>,
    pub call: Option<CallOf>,
    /// A call relation between displayed modules: caller and callee.
    pub relation: Option<(ModuleId, ModuleId)>,
    pub thread: Option<ThreadId>,
    pub time: Option<Time>,
}

impl Pointed {
    pub fn at_module(module: Option<ModuleId>) -> Pointed {
        Pointed {
            module,
            ..Pointed::default()
        }
    }
}

/// What the user has chosen and points at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// What is under the pointer, in whichever view.
    pub pointed: Pointed,
    /// What is chosen. Its time is the time at which it was chosen, not the clock's.
    pub chosen: Pointed,
    /// The time point that all views show.
    pub time: Time,
    /// The range that limits every view.
    pub range: Option<TimeRange>,
}
