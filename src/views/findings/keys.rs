//! What the view of findings does by keys of its own.

use crate::parts::remarks::one_run;
use callscape_state::State;
use callscape_state::action::Action;
use callscape_state::keys;

/// What all of these have in common.
const fn each(action: Action) -> Action {
    action.when(has_one_run)
}

fn has_one_run(state: &State) -> bool {
    one_run(state).is_some()
}

keys! {
    /// What the view of findings does by keys of its own.
    pub(super) enum Does of "findings", each each;
    ["^, Present"] "bookmarks and a scene of the findings" {
        Present "findings.present" [] "Present the findings", "Adds a bookmark and a shot with a caption for each finding.";
    }
}
