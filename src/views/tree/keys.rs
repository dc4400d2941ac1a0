//! What the call tree does by keys of its own.

use callscape_state::action::{Action, On, Scope};
use callscape_state::keys;

/// What all of these have in common.
const fn each(action: Action) -> Action {
    action.within(Scope::Table).on(&[On::Context]).repeating()
}

keys! {
    /// What the call tree does by keys of its own.
    pub(super) enum Does of "tree", each each;
    "call tree: open the chosen row; close it, or go to the row around it" {
        Open "tree.open" ["→"] "Open the row", "Opens the chosen row of the call tree, or goes to the first row below it.";
        Close "tree.close" ["←"] "Close the row", "Closes the chosen row of the call tree, or goes to the row around it.";
    }
    "call tree: open the hottest way down from the chosen row" { Hottest "tree.hottest" ["E"] "Open the hottest way", "Opens the hottest row below the chosen one of the call tree, and so on to the end."; }
    "call tree: callers instead of callees; all callers and callees of the selected function" {
        Invert "tree.invert" ["C"] "Callers instead of callees", "Turns the call tree round: functions by their own cost, and their callers below them.";
        Sandwich "tree.sandwich" ["O"] "All callers and callees", "Shows the chosen function with all its callers and callees, or the whole call tree again.";
    }
}
