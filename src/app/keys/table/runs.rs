//! Two runs.

use crate::command::Command;
use callscape_state::action::{Action, Chord, Line};
use callscape_state::ask::RunsAsk;

use super::possible::has_two_runs;

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "Q",
        text: "what differs, A and B side by side, or a wipe from A to B",
        actions: &[Action::new(
            "runs.together",
            "Difference, side by side or wipe",
            "Shows two runs in the next way: what differs, side by side, or a wipe.",
            &[Chord::letter('q')],
            || RunsAsk::Together(None).into(),
        )
        .when(has_two_runs)],
    },
    Line {
        keys: "V",
        text: "the other run, at the time that is the same",
        actions: &[Action::new(
            "runs.flip",
            "The other run",
            "Shows the other run, at the time that is the same.",
            &[Chord::letter('v')],
            || RunsAsk::Flip.into(),
        )
        .when(has_two_runs)],
    },
    Line {
        keys: "Shift + V",
        text: "swap A and B",
        actions: &[Action::new(
            "runs.swap",
            "Swap A and B",
            "Makes A of B, and B of A.",
            &[Chord::letter('v').shift()],
            || RunsAsk::Swap.into(),
        )
        .when(has_two_runs)],
    },
    Line {
        keys: "D",
        text: "collapse districts in which nothing differs",
        actions: &[Action::new(
            "runs.only-differences",
            "Only what differs",
            "Collapses districts in which nothing differs, or expands everything.",
            &[Chord::letter('d')],
            || RunsAsk::ToggleOnlyDifferences.into(),
        )
        .when(has_two_runs)],
    },
    Line {
        keys: "X, B, [ ], Shift + G",
        text: "leave modules and threads out, and limit the time, of both",
        actions: &[],
    },
    Line {
        keys: "Strip at the top",
        text: "what is compared, as it was recorded or per run or call; linked clocks",
        actions: &[],
    },
];
