//! Finding out where a feature runs.

use crate::command::Command;
use callscape_state::action::Line;
use callscape_state::keys;

pub(super) const LINES: &[Line<Command>] = keys! {
    ["/  name  Enter"] "find it: functions that ran come first" {}
    ["5"] "its calls; a click on one goes there" {}
    ["Shift + G"] "limit every view to that call" {}
    ["2, then P"] "its modules in the order of their first call" {}
    ["Escape, Alt + ←"] "out of it again" {}
};
