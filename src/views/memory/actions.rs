//! What can be done in the view of memory: the actions that it adds to the table of keys.

use callscape_state::action::{Action, Chord, Line, On, Scope};

pub const PEAK: &str = "memory.peak";
pub const ROWS: &str = "memory.rows";
pub const MODE: &str = "memory.mode";

pub const LIVING: &str = "memory.list.live";
pub const CREATED: &str = "memory.list.allocated";
pub const RELEASED: &str = "memory.list.released";
pub const TEMPORARY: &str = "memory.list.temporary";
pub const OF_RANGE: &str = "memory.list.range";
pub const AT_PEAK: &str = "memory.list.peak";

/// An action of the menu of a row.
const fn of_row(id: &'static str, title: &'static str, about: &'static str) -> Action {
    Action::own(Scope::Table, id, title, about, &[]).on(&[On::Object])
}

pub static KEYS: [Line; 2] = [
    Line {
        keys: "W  P  K",
        text: "memory: other rows; live, left of the range, temporary; go to the peak",
        actions: &[
            Action::own(
                Scope::Table,
                ROWS,
                "Other rows of memory",
                "Shows memory by module, function, context or type.",
                &[Chord::letter('w')],
            ),
            Action::own(
                Scope::Table,
                MODE,
                "Other objects of memory",
                "Shows what is live, what was left of the range, or what was temporary.",
                &[Chord::letter('p')],
            ),
            Action::own(
                Scope::Table,
                PEAK,
                "Go to the peak of memory",
                "Goes to the time at which most bytes were live.",
                &[Chord::letter('k')],
            ),
        ],
    },
    Line {
        keys: "Right click",
        text: "memory: list the objects of a row: live, allocated, released, temporary, left of the range, at the peak",
        actions: &[
            of_row(
                LIVING,
                "List what is live",
                "Lists the objects of the row that live now.",
            ),
            of_row(
                CREATED,
                "List what was allocated to date",
                "Lists the objects of the row that were allocated up to now.",
            ),
            of_row(
                RELEASED,
                "List what was released to date",
                "Lists the objects of the row that were released up to now.",
            ),
            of_row(
                TEMPORARY,
                "List what was temporary",
                "Lists the objects of the row that were soon released.",
            ),
            of_row(
                OF_RANGE,
                "List what is left of the range",
                "Lists the objects of the row that were allocated in the range and not released in it.",
            ),
            of_row(
                AT_PEAK,
                "List what is live at the peak",
                "Lists the objects of the row that live at the peak.",
            ),
        ],
    },
];
