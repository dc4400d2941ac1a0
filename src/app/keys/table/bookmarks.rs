//! Bookmarks and recording scenes.

use crate::command::{BookmarkAsk, Command, ScriptAsk, TalkAsk};
use callscape_state::action::{Action, Chord, Line, On};

use super::possible::is_open;

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "F2",
        text: "keep what is shown as a bookmark",
        actions: &[Action::new(
            "bookmark.add",
            "Add a bookmark",
            "Keeps what is shown as a bookmark.",
            &[Chord::key("F2")],
            || BookmarkAsk::Add.into(),
        )
        .on(&[On::View])
        .when(is_open)],
    },
    Line {
        keys: "F4",
        text: "list them: go, rename, put in order, export",
        actions: &[Action::new(
            "card.bookmarks",
            "Bookmarks and scenes",
            "Lists the bookmarks and the scene that is edited.",
            &[Chord::key("F4")],
            || TalkAsk::Toggle.into(),
        )],
    },
    Line {
        keys: "Alt + 1 … 9",
        text: "go to a bookmark",
        actions: &[
            Action::new(
                "bookmark.1",
                "Go to bookmark 1",
                "Shows what bookmark 1 keeps.",
                &[Chord::letter('1').alt()],
                || BookmarkAsk::GoTo(0, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.2",
                "Go to bookmark 2",
                "Shows what bookmark 2 keeps.",
                &[Chord::letter('2').alt()],
                || BookmarkAsk::GoTo(1, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.3",
                "Go to bookmark 3",
                "Shows what bookmark 3 keeps.",
                &[Chord::letter('3').alt()],
                || BookmarkAsk::GoTo(2, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.4",
                "Go to bookmark 4",
                "Shows what bookmark 4 keeps.",
                &[Chord::letter('4').alt()],
                || BookmarkAsk::GoTo(3, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.5",
                "Go to bookmark 5",
                "Shows what bookmark 5 keeps.",
                &[Chord::letter('5').alt()],
                || BookmarkAsk::GoTo(4, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.6",
                "Go to bookmark 6",
                "Shows what bookmark 6 keeps.",
                &[Chord::letter('6').alt()],
                || BookmarkAsk::GoTo(5, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.7",
                "Go to bookmark 7",
                "Shows what bookmark 7 keeps.",
                &[Chord::letter('7').alt()],
                || BookmarkAsk::GoTo(6, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.8",
                "Go to bookmark 8",
                "Shows what bookmark 8 keeps.",
                &[Chord::letter('8').alt()],
                || BookmarkAsk::GoTo(7, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.9",
                "Go to bookmark 9",
                "Shows what bookmark 9 keeps.",
                &[Chord::letter('9').alt()],
                || BookmarkAsk::GoTo(8, None).into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "F9",
        text: "record a scene: fly and click; again: end",
        actions: &[Action::new(
            "scene.record",
            "Record a scene",
            "Makes shots of what is done from now on; again: ends it.",
            &[Chord::key("F9")],
            || ScriptAsk::Record.into(),
        )
        .when(is_open)],
    },
];
