//! What the view of differences does by keys of its own.

use callscape_state::State;
use callscape_state::action::Action;
use callscape_state::keys;

/// What all of these have in common.
const fn each(action: Action) -> Action {
    action.when(has_two_runs)
}

fn has_two_runs(state: &State) -> bool {
    state.document.as_ref().is_some_and(|it| it.runs.is_some())
}

keys! {
    /// What the view of differences does by keys of its own.
    pub(super) enum Does of "differences", each each;
    ["6, causes"] "why B differs from A, in sentences" {
        Causes "differences.causes" [] "Why two runs differ", "Lists the causes of the difference between A and B, largest first.";
    }
}
