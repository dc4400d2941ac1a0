//! One cell of a flame: a column at a depth.

use callscape_base::units::{Cost, FunctionId};

/// The calls of one depth in one column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepthCell {
    /// For how long a call is open.
    pub open: Cost,
    /// Calls that start in the column.
    pub started: u32,
    /// The function of the last call of the depth that starts before the column and is open in the window; where there
    /// is none, one that starts in the column.
    pub function: Option<FunctionId>,
}
