//! Which calls are listed, and what a list is sorted by.

use callscape_base::units::{FunctionId, ModuleId, ThreadId, Time};
use callscape_filter::selection::Pointed;

/// Which calls are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallsOf {
    /// The calls of a function.
    Function(FunctionId),
    /// The calls of all functions in a module.
    Module(ModuleId),
    /// The calls from one displayed module to another.
    Relation(ModuleId, ModuleId),
    /// Of these the one that is open on a thread at a time: a hop of the hyperarc.
    Hop(ModuleId, ModuleId, ThreadId, Time),
}

impl CallsOf {
    /// The calls behind what is chosen.
    pub fn chosen(chosen: &Pointed) -> Option<CallsOf> {
        match (chosen.relation, chosen.thread, chosen.time) {
            (Some((from, to)), Some(thread), Some(time)) => {
                Some(CallsOf::Hop(from, to, thread, time))
            }
            (Some((from, to)), ..) => Some(CallsOf::Relation(from, to)),
            (None, ..) => {
                let of_module = chosen.module.map(CallsOf::Module);
                chosen.function.map(CallsOf::Function).or(of_module)
            }
        }
    }
}

/// A column of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallColumn {
    Start,
    Duration,
    Function,
    Caller,
    Thread,
}

impl CallColumn {
    pub const ALL: [CallColumn; 5] = [
        CallColumn::Start,
        CallColumn::Duration,
        CallColumn::Function,
        CallColumn::Caller,
        CallColumn::Thread,
    ];

    pub fn title(self) -> &'static str {
        match self {
            CallColumn::Start => "Start",
            CallColumn::Duration => "Duration",
            CallColumn::Function => "Function",
            CallColumn::Caller => "Caller",
            CallColumn::Thread => "Thread",
        }
    }
}
