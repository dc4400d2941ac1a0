//! Tables.

use crate::command::Command;
use callscape_state::action::{Action, Chord, Line, On, Scope};
use callscape_state::ask::{Ask, TableKey, ViewAsk};

use super::possible::has_recording;

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "Click, ↑ ↓",
        text: "choose a row; Page, Home and End go further",
        actions: &[
            Action::new(
                "row.up",
                "The row above",
                "Chooses the row above.",
                &[Chord::key("Up")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Rows(-1))).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "row.down",
                "The row below",
                "Chooses the row below.",
                &[Chord::key("Down")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Rows(1))).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "row.page-up",
                "A page up",
                "Chooses the row a page further up.",
                &[Chord::key("PageUp")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Pages(-1))).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "row.page-down",
                "A page down",
                "Chooses the row a page further down.",
                &[Chord::key("PageDown")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Pages(1))).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "row.first",
                "The first row",
                "Chooses the first row.",
                &[Chord::key("Home")],
                || Ask::Pointed(ViewAsk::Press(TableKey::First)).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "row.last",
                "The last row",
                "Chooses the last row.",
                &[Chord::key("End")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Last)).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "field.row.up",
                "The row above",
                "Chooses the row above.",
                &[Chord::key("Up")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Rows(-1))).into(),
            )
            .within(Scope::TableField)
            .repeating()
            .when(has_recording),
            Action::new(
                "field.row.down",
                "The row below",
                "Chooses the row below.",
                &[Chord::key("Down")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Rows(1))).into(),
            )
            .within(Scope::TableField)
            .repeating()
            .when(has_recording),
            Action::new(
                "field.row.page-up",
                "A page up",
                "Chooses the row a page further up.",
                &[Chord::key("PageUp")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Pages(-1))).into(),
            )
            .within(Scope::TableField)
            .repeating()
            .when(has_recording),
            Action::new(
                "field.row.page-down",
                "A page down",
                "Chooses the row a page further down.",
                &[Chord::key("PageDown")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Pages(1))).into(),
            )
            .within(Scope::TableField)
            .repeating()
            .when(has_recording),
        ],
    },
    Line {
        keys: "Enter",
        text: "fly there; in the list of calls show all of the call",
        actions: &[
            Action::new(
                "row.enter",
                "Show the row",
                "Flies to what the chosen row stands for, and shows all of a call.",
                &[Chord::key("Enter")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Enter)).into(),
            )
            .within(Scope::Table)
            .on(&[On::Row])
            .repeating()
            .when(has_recording),
            Action::new(
                "field.row.enter",
                "Show the row",
                "Flies to what the chosen row stands for, and shows all of a call.",
                &[Chord::key("Enter")],
                || Ask::Pointed(ViewAsk::Press(TableKey::Enter)).into(),
            )
            .within(Scope::TableField)
            .repeating()
            .when(has_recording),
        ],
    },
    Line {
        keys: "Click a heading",
        text: "sort; again: the other way round",
        actions: &[],
    },
    Line {
        keys: "Caller, callee",
        text: "click: go on to it; Alt + ← comes back",
        actions: &[],
    },
];
