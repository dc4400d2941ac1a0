//! Files and pictures: what is opened, and what is kept.

use crate::command::{Chosen, Command, FileAsk, PictureAsk, RecordAsk};
use callscape_state::action::{Action, Chord, Line, On};

use super::possible::is_open;

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "Ctrl + O",
        text: "open a folder; with Shift a recording",
        actions: &[
            Action::new(
                "file.folder",
                "Open a folder…",
                "Opens a folder of source code.",
                &[Chord::letter('o').ctrl()],
                || FileAsk::Choose(Chosen::Folder).into(),
            ),
            Action::new(
                "file.recording",
                "Open a recording…",
                "Opens what a tracer or a profiler has written.",
                &[Chord::letter('o').ctrl().shift()],
                || FileAsk::Choose(Chosen::Recording).into(),
            ),
            Action::new(
                "file.record",
                "Record a program…",
                "Runs a program under a recorder, and opens what was recorded.",
                &[],
                || RecordAsk::Toggle.into(),
            ),
            Action::new(
                "file.demo",
                "Open the demo",
                "Opens the built-in demo.",
                &[],
                || FileAsk::Demo.into(),
            ),
            Action::new(
                "card.welcome",
                "Welcome",
                "Shows what can be opened, and what was opened before.",
                &[],
                || FileAsk::Welcome.into(),
            ),
        ],
    },
    Line {
        keys: "Drop files",
        text: "open a source tree or a recording",
        actions: &[],
    },
    Line {
        keys: "Ctrl + S",
        text: "save the session: files, views, selection",
        actions: &[Action::new(
            "file.save",
            "Save the session",
            "Saves what is open and how it is looked at.",
            &[Chord::letter('s').ctrl()],
            || FileAsk::SaveSession.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "Ctrl + C",
        text: "copy the picture of the landscape",
        actions: &[Action::new(
            "picture.copy",
            "Copy the picture",
            "Copies the picture of the landscape to the clipboard.",
            &[Chord::letter('c').ctrl()],
            || PictureAsk::Copy.into(),
        )
        .on(&[On::View])
        .when(is_open)],
    },
    Line {
        keys: "Ctrl + Shift + S",
        text: "save a picture, of up to 16384 pixels a side, or a model",
        actions: &[Action::new(
            "picture.card",
            "Save a picture",
            "Asks for a picture or a model to be saved.",
            &[Chord::letter('s').ctrl().shift()],
            || PictureAsk::Toggle.into(),
        )
        .on(&[On::View])
        .when(is_open)],
    },
];
