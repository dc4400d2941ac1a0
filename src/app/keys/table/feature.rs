//! Finding out where a feature runs.

use crate::command::Command;
use callscape_state::action::Line;

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "/  name  Enter",
        text: "find it: what ran stands first",
        actions: &[],
    },
    Line {
        keys: "5",
        text: "its calls; a click on one goes there",
        actions: &[],
    },
    Line {
        keys: "Shift + G",
        text: "limit every view to that call",
        actions: &[],
    },
    Line {
        keys: "2, then P",
        text: "its modules in the order of their first call",
        actions: &[],
    },
    Line {
        keys: "Escape, Alt + ←",
        text: "out of it again",
        actions: &[],
    },
];
