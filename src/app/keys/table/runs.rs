//! Two runs.

use crate::command::Command;
use callscape_state::action::{Action, Line};
use callscape_state::ask::RunsAsk;
use callscape_state::keys;

use super::possible::has_two_runs;

/// What all of these have in common.
const fn each(action: Action<Command>) -> Action<Command> {
    action.when(has_two_runs)
}

pub(super) const LINES: &[Line<Command>] = keys! {
    each each;
    ["Menu, Compare with…"] "choose a second run (B), or both" {}
    "what differs, A and B side by side, or a wipe from A to B" { "runs.together" ["Q"] "Difference, side by side or wipe", "Shows two runs in the next way: what differs, side by side, or a wipe." => RunsAsk::Together(None); }
    "the other run, at the time that is the same" { "runs.flip" ["V"] "The other run", "Shows the other run, at the time that is the same." => RunsAsk::Flip; }
    "swap A and B" { "runs.swap" ["Shift + V"] "Swap A and B", "Makes A of B, and B of A." => RunsAsk::Swap; }
    "collapse districts in which nothing differs" { "runs.only-differences" ["D"] "Only what differs", "Collapses districts in which nothing differs, or expands everything." => RunsAsk::ToggleOnlyDifferences; }
    ["X, B, [ ], Shift + G"] "exclude modules and threads, and limit the time, of both" {}
    ["Strip at the top"] "compared value, as recorded or per run or call; aligned runs" {}
};
