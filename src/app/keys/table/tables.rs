//! Tables.

use crate::command::Command;
use callscape_state::action::{Action, Line, On, Scope};
use callscape_state::ask::{Ask, TableKey, ViewAsk};
use callscape_state::keys;

use super::possible::has_recording;

/// The key over the table that is pointed at.
fn over(key: TableKey) -> Command {
    Ask::Pointed(ViewAsk::Press(key)).into()
}

/// What all of these have in common.
const fn each(action: Action<Command>) -> Action<Command> {
    action.repeating().when(has_recording)
}

pub(super) const LINES: &[Line<Command>] = keys! {
    each each;
    ["Click"] "choose a row" {
        "row.up" ["↑"] "The row above", "Chooses the row above." => over(TableKey::Rows(-1)), within(Scope::Table);
        "row.down" ["↓"] "The row below", "Chooses the row below." => over(TableKey::Rows(1)), within(Scope::Table);
        "field.row.up" ["↑"] "The row above", "Chooses the row above." => over(TableKey::Rows(-1)), within(Scope::TableField);
        "field.row.down" ["↓"] "The row below", "Chooses the row below." => over(TableKey::Rows(1)), within(Scope::TableField);
    }
    "choose a row a page further up or down, the first, the last" {
        "row.page-up" ["Page up"] "A page up", "Chooses the row a page further up." => over(TableKey::Pages(-1)), within(Scope::Table);
        "row.page-down" ["Page down"] "A page down", "Chooses the row a page further down." => over(TableKey::Pages(1)), within(Scope::Table);
        "row.first" ["Home"] "The first row", "Chooses the first row." => over(TableKey::First), within(Scope::Table);
        "row.last" ["End"] "The last row", "Chooses the last row." => over(TableKey::Last), within(Scope::Table);
        "field.row.page-up" ["Page up"] "A page up", "Chooses the row a page further up." => over(TableKey::Pages(-1)), within(Scope::TableField);
        "field.row.page-down" ["Page down"] "A page down", "Chooses the row a page further down." => over(TableKey::Pages(1)), within(Scope::TableField);
    }
    "fly there; in the call list, show the whole call" {
        "row.enter" ["Enter"] "Show the row", "Flies to what the chosen row stands for, and shows all of a call." => over(TableKey::Enter), within(Scope::Table), on(&[On::Row]);
        "field.row.enter" ["Enter"] "Show the row", "Flies to what the chosen row stands for, and shows all of a call." => over(TableKey::Enter), within(Scope::TableField);
    }
    ["Click a heading"] "sort; again: the other way round" {}
    ["Caller, callee"] "click: go on to it; Alt + ← comes back" {}
};
