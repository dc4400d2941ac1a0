//! What the overview does by keys of its own.

use callscape_state::action::plain;
use callscape_state::keys;

keys! {
    /// What the overview does by keys of its own.
    pub(super) enum Does of "mural", each plain;
    "rows of the overview: functions, modules by level" { OtherRows "rows.next" ["P"] "Other rows", "Shows functions, or modules of the next level, in the rows of the overview."; }
}
