//! Presenting a scene.

use crate::command::{Command, LiveAsk, PointsWith};
use callscape_state::action::{Action, Chord, Line, Scope};

use super::possible::is_open;

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "F5, Shift + F5",
        text: "present: from the start, from the chosen shot",
        actions: &[
            Action::new(
                "present.begin",
                "Present",
                "Presents the scene from its first shot.",
                &[Chord::key("F5")],
                || LiveAsk::Begin(0).into(),
            )
            .when(is_open),
            Action::new(
                "present.here",
                "Present from the chosen shot",
                "Presents the scene from the shot that is chosen.",
                &[Chord::key("F5").shift()],
                || LiveAsk::Begin(usize::MAX).into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "→ Page down Space",
        text: "next shot; ← Page up: the one before",
        actions: &[
            Action::new(
                "present.next",
                "Next shot",
                "Goes on to the next shot.",
                &[
                    Chord::key("Right"),
                    Chord::key("Down"),
                    Chord::key("PageDown"),
                    Chord::key("Space"),
                ],
                || LiveAsk::Next.into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.previous",
                "Previous shot",
                "Goes back to the shot before.",
                &[Chord::key("Left"), Chord::key("Up"), Chord::key("PageUp")],
                || LiveAsk::Previous.into(),
            )
            .within(Scope::Presentation),
        ],
    },
    Line {
        keys: "Number, Enter",
        text: "to that shot; Home, End: first and last",
        actions: &[
            Action::new(
                "present.digit-0",
                "Digit 0",
                "Types a digit of the number of a shot.",
                &[Chord::letter('0')],
                || LiveAsk::Digit('0').into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.digit-1",
                "Digit 1",
                "Types a digit of the number of a shot.",
                &[Chord::letter('1')],
                || LiveAsk::Digit('1').into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.digit-2",
                "Digit 2",
                "Types a digit of the number of a shot.",
                &[Chord::letter('2')],
                || LiveAsk::Digit('2').into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.digit-3",
                "Digit 3",
                "Types a digit of the number of a shot.",
                &[Chord::letter('3')],
                || LiveAsk::Digit('3').into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.digit-4",
                "Digit 4",
                "Types a digit of the number of a shot.",
                &[Chord::letter('4')],
                || LiveAsk::Digit('4').into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.digit-5",
                "Digit 5",
                "Types a digit of the number of a shot.",
                &[Chord::letter('5')],
                || LiveAsk::Digit('5').into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.digit-6",
                "Digit 6",
                "Types a digit of the number of a shot.",
                &[Chord::letter('6')],
                || LiveAsk::Digit('6').into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.digit-7",
                "Digit 7",
                "Types a digit of the number of a shot.",
                &[Chord::letter('7')],
                || LiveAsk::Digit('7').into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.digit-8",
                "Digit 8",
                "Types a digit of the number of a shot.",
                &[Chord::letter('8')],
                || LiveAsk::Digit('8').into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.digit-9",
                "Digit 9",
                "Types a digit of the number of a shot.",
                &[Chord::letter('9')],
                || LiveAsk::Digit('9').into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.enter",
                "Go to the shot",
                "Goes to the shot whose number was typed.",
                &[Chord::key("Enter")],
                || LiveAsk::Enter.into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.first",
                "First shot",
                "Goes to the first shot.",
                &[Chord::key("Home")],
                || LiveAsk::First.into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.last",
                "Last shot",
                "Goes to the last shot.",
                &[Chord::key("End")],
                || LiveAsk::Last.into(),
            )
            .within(Scope::Presentation),
        ],
    },
    Line {
        keys: "Drag, wheel",
        text: "look around; Backspace: back to the script",
        actions: &[Action::new(
            "present.script",
            "Back to the script",
            "Goes back to where the script has it.",
            &[Chord::key("Backspace")],
            || LiveAsk::Script.into(),
        )
        .within(Scope::Presentation)],
    },
    Line {
        keys: "L, F",
        text: "laser pointer, flashlight",
        actions: &[
            Action::new(
                "present.laser",
                "Laser pointer",
                "Shows a bright dot for the pointer.",
                &[Chord::letter('l')],
                || LiveAsk::Point(PointsWith::Laser).into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.flashlight",
                "Flashlight",
                "Dims all but the module under the pointer.",
                &[Chord::letter('f')],
                || LiveAsk::Point(PointsWith::Flashlight).into(),
            )
            .within(Scope::Presentation),
        ],
    },
    Line {
        keys: "N",
        text: "notes and next shot in a second window",
        actions: &[Action::new(
            "present.notes",
            "Notes",
            "Shows notes and the next shot in a second window.",
            &[Chord::letter('n')],
            || LiveAsk::Notes.into(),
        )
        .within(Scope::Presentation)],
    },
    Line {
        keys: "B .",
        text: "black",
        actions: &[Action::new(
            "present.black",
            "Black",
            "Shows nothing, or all again.",
            &[Chord::letter('b'), Chord::letter('.')],
            || LiveAsk::Black.into(),
        )
        .within(Scope::Presentation)],
    },
    Line {
        keys: "A",
        text: "by itself, or shot by shot",
        actions: &[Action::new(
            "present.auto",
            "By itself",
            "Has shots follow one another by themselves, or wait.",
            &[Chord::letter('a')],
            || LiveAsk::Auto.into(),
        )
        .within(Scope::Presentation)],
    },
    Line {
        keys: "F11, Escape",
        text: "full screen or not, leave",
        actions: &[
            Action::new(
                "window.full-screen",
                "Full screen",
                "Fills the screen, or no longer.",
                &[Chord::key("F11")],
                || LiveAsk::FullScreen.into(),
            ),
            Action::new(
                "present.full-screen",
                "Full screen",
                "Fills the screen, or no longer.",
                &[Chord::key("F11")],
                || LiveAsk::FullScreen.into(),
            )
            .within(Scope::Presentation),
            Action::new(
                "present.leave",
                "Leave the presentation",
                "Ends the presentation.",
                &[Chord::key("Escape"), Chord::key("F5")],
                || LiveAsk::Leave.into(),
            )
            .within(Scope::Presentation),
        ],
    },
];
