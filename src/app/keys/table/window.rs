//! The window, files and pictures.

use crate::app::command::{Command, FileAsk, PictureAsk};
use crate::state::action::{Action, Chord, Line, Scope};
use crate::state::ask::{CardAsk, LookAsk, MappingAsk};

use super::possible::is_open;

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "F1, ?",
        text: "this help",
        actions: &[Action::new(
            "card.help",
            "Help",
            "Shows all keys.",
            &[Chord::key("F1"), Chord::letter('?')],
            || CardAsk::ToggleHelp.into(),
        )],
    },
    Line {
        keys: "O",
        text: "settings",
        actions: &[Action::new(
            "card.settings",
            "Settings",
            "Shows what the landscape is drawn by.",
            &[Chord::letter('o')],
            || CardAsk::ToggleSettings.into(),
        )],
    },
    Line {
        keys: "Shift + Q",
        text: "what the colours say, and what stands out",
        actions: &[Action::new(
            "card.question",
            "The question of the map",
            "Shows or hides what the colours say and the modules that stand out.",
            &[Chord::letter('q').shift()],
            || LookAsk::ToggleQuestion.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "A",
        text: "the mapping file and its editor",
        actions: &[
            Action::new(
                "card.mapping",
                "Mapping",
                "Shows the mapping file and its editor.",
                &[Chord::letter('a')],
                || MappingAsk::Toggle.into(),
            )
            .when(is_open),
            Action::new(
                "mapping.save",
                "Save the mapping",
                "Writes the mapping file and shows the structure through it.",
                &[Chord::letter('s').ctrl()],
                || MappingAsk::Save.into(),
            )
            .within(Scope::Mapping),
        ],
    },
    Line {
        keys: "L",
        text: "legend",
        actions: &[Action::new(
            "card.legend",
            "Legend",
            "Shows or hides the legend.",
            &[Chord::letter('l')],
            || CardAsk::ToggleLegend.into(),
        )],
    },
    Line {
        keys: "K",
        text: "call stacks",
        actions: &[Action::new(
            "card.stacks",
            "Running now",
            "Shows or hides what runs now.",
            &[Chord::letter('k')],
            || CardAsk::ToggleStacks.into(),
        )],
    },
    Line {
        keys: "T",
        text: "light or dark",
        actions: &[Action::new(
            "look.theme",
            "Light or dark",
            "Switches between the light and the dark theme.",
            &[Chord::letter('t')],
            || LookAsk::SwitchTheme.into(),
        )],
    },
    Line {
        keys: "F3",
        text: "frame times, and those of the passes on the device",
        actions: &[Action::new(
            "card.timings",
            "Frame times",
            "Shows or hides how long frames take.",
            &[Chord::key("F3")],
            || CardAsk::ToggleTimings.into(),
        )],
    },
    Line {
        keys: "Ctrl + −, +, 0",
        text: "smaller and larger letters and lines, as usual",
        actions: &[
            Action::new(
                "look.smaller",
                "Smaller letters",
                "Makes letters and lines smaller.",
                &[Chord::letter('-').ctrl(), Chord::letter('−').ctrl()],
                || LookAsk::ScaleText(1.0 / 1.1).into(),
            ),
            Action::new(
                "look.larger",
                "Larger letters",
                "Makes letters and lines larger.",
                &[Chord::letter('+').ctrl(), Chord::letter('=').ctrl()],
                || LookAsk::ScaleText(1.1).into(),
            ),
            Action::new(
                "look.usual",
                "Usual letters",
                "Makes letters and lines as large as usual.",
                &[Chord::letter('0').ctrl()],
                || LookAsk::ScaleText(0.0).into(),
            ),
        ],
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
        .when(is_open)],
    },
    Line {
        keys: "Ctrl + P",
        text: "save a picture, of up to 16384 pixels a side, or a model",
        actions: &[Action::new(
            "picture.card",
            "Save a picture",
            "Asks for a picture or a model to be saved.",
            &[Chord::letter('p').ctrl()],
            || PictureAsk::Toggle.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "Drop files",
        text: "open a source tree or a recording",
        actions: &[],
    },
];
