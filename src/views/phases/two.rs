//! Which two phases are compared.

use callscape_filter::selection::CallOf;

/// Two phases that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Two {
    pub first: CallOf,
    pub second: Second,
}

/// Which phase is compared with the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Second {
    /// Of the same run.
    Here(CallOf),
    /// Of the other run: one that was chosen there, else the first one's counterpart.
    There(Option<CallOf>),
}
