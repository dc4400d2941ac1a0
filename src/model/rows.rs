//! What the rows of the temporal overview are.

use callscape_filter::cut::Cut;

/// What the rows of the overview are. Modules without a call have no row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OverviewRows {
    /// Functions in order of their first call, so that what is new appears further down.
    #[default]
    FirstCall,
    /// The modules of a cut in order of the hierarchy.
    Modules(Cut),
    /// The same in order of their first call: which are touched, one after the other.
    ModulesByFirstCall(Cut),
}
