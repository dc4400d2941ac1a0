//! What the view of phases does by keys of its own.

use callscape_state::action::{On, plain};
use callscape_state::keys;

keys! {
    /// What the view of phases does by keys of its own.
    pub(super) enum Does of "phases", each plain;
    "next and previous instance of a repetition in the phases" {
        Next "phases.next-instance" ["Shift + P"] "Next instance", "Shows the next instance of the innermost repetition of phases that is unfolded.";
        Previous "phases.previous-instance" ["Shift + O"] "Previous instance", "Shows the previous instance of the innermost repetition of phases that is unfolded.";
    }
    ["Right click"] "phases: compare the phase with the previously selected one, or with the other run's" { Compare "phases.compare" [] "Compare the phases", "Shows the phase that the menu is of beside the one chosen before, or beside that of the other run.", on(&[On::Phase]); }
}
