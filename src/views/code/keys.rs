//! What the view of code does by keys of its own.

use callscape_state::action::{Action, Scope};
use callscape_state::keys;

/// What all of these have in common.
const fn each(action: Action) -> Action {
    action.within(Scope::Table).repeating()
}

keys! {
    /// What the view of code does by keys of its own.
    pub(super) enum Does of "code", each each;
    "code: the next and the previous line that ran" {
        Next "code.next" ["N"] "The next line that ran", "Goes to the next line of the code with a cost.";
        Previous "code.previous" ["Shift + N"] "The line before that ran", "Goes to the line before of the code with a cost.";
    }
    "code: the line that costs most in the function, then in the file" { Hottest "code.hottest" ["H"] "The line that costs most", "Goes to the most expensive line of the function, or of the file if it is there already."; }
    ["Enter"] "code: open the line in your editor" {}
    "code: colour lines by their share of the run, of their function, or their self cost" { Tint "code.colours" ["V"] "Other colours of lines", "Colours lines of code by their calls, as a share of the run or of the function, or by their self cost."; }
}
