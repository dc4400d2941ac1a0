//! Views along time.

use crate::command::Command;
use callscape_state::action::{Action, Chord, Line, On, Scope};
use callscape_state::ask::{Ask, CallWalk, SelectAsk, SheetKey, ViewAsk};

use super::possible::{has_times, is_call_chosen, is_chosen};

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "Wheel, W S",
        text: "zoom along time about the pointer",
        actions: &[
            Action::new(
                "time.zoom-in",
                "Zoom in along time",
                "Shows more detail about the pointer.",
                &[Chord::place('w')],
                || Ask::Pointed(ViewAsk::Along(SheetKey::Zoom(1.3))).into(),
            )
            .within(Scope::AlongTime)
            .repeating()
            .when(has_times),
            Action::new(
                "time.zoom-out",
                "Zoom out along time",
                "Shows less detail about the pointer.",
                &[Chord::place('s')],
                || Ask::Pointed(ViewAsk::Along(SheetKey::Zoom(1.0 / 1.3))).into(),
            )
            .within(Scope::AlongTime)
            .repeating()
            .when(has_times),
        ],
    },
    Line {
        keys: "Drag, A D",
        text: "move",
        actions: &[
            Action::new(
                "time.earlier",
                "Earlier",
                "Moves to earlier times.",
                &[Chord::place('a')],
                || Ask::Pointed(ViewAsk::Along(SheetKey::Pan(0.12))).into(),
            )
            .within(Scope::AlongTime)
            .repeating()
            .when(has_times),
            Action::new(
                "time.later",
                "Later",
                "Moves to later times.",
                &[Chord::place('d')],
                || Ask::Pointed(ViewAsk::Along(SheetKey::Pan(-0.12))).into(),
            )
            .within(Scope::AlongTime)
            .repeating()
            .when(has_times),
        ],
    },
    Line {
        keys: "Ctrl, Shift + wheel",
        text: "zoom and scroll from top to bottom",
        actions: &[],
    },
    Line {
        keys: "Shift + drag",
        text: "choose a range; the right button does too",
        actions: &[],
    },
    Line {
        keys: "Click",
        text: "choose what is there, go to that time",
        actions: &[],
    },
    Line {
        keys: "Double-click, G",
        text: "show all of the call",
        actions: &[Action::new(
            "call.fit",
            "Show all of the call",
            "Shows all of the chosen call along time.",
            &[Chord::letter('g')],
            || SelectAsk::GoToCall(CallWalk::Fit).into(),
        )
        .on(&[On::Call])
        .when(is_call_chosen)],
    },
    Line {
        keys: "Shift + G",
        text: "limit every view to the time of the call",
        actions: &[Action::new(
            "call.limit",
            "Limit to the call",
            "Limits every view to the time of the chosen call.",
            &[Chord::letter('g').shift()],
            || SelectAsk::GoToCall(CallWalk::Limit).into(),
        )
        .on(&[On::Call])
        .when(is_call_chosen)],
    },
    Line {
        keys: "↑ ↓, Shift + ↓",
        text: "to the caller, the first and the longest call in it",
        actions: &[
            Action::new(
                "call.caller",
                "To the caller",
                "Chooses the call that the chosen one was made in.",
                &[Chord::key("Up")],
                || SelectAsk::GoToCall(CallWalk::Caller).into(),
            )
            .on(&[On::Call])
            .when(is_call_chosen),
            Action::new(
                "call.first",
                "To the first call in it",
                "Chooses the first call that the chosen one made.",
                &[Chord::key("Down")],
                || SelectAsk::GoToCall(CallWalk::FirstChild).into(),
            )
            .on(&[On::Call])
            .when(is_call_chosen),
            Action::new(
                "call.longest",
                "To the longest call in it",
                "Chooses the longest call that the chosen one made.",
                &[Chord::key("Down").shift()],
                || SelectAsk::GoToCall(CallWalk::LongestChild).into(),
            )
            .on(&[On::Call])
            .when(is_call_chosen),
        ],
    },
    Line {
        keys: "N, Shift + N",
        text: "next and previous call of the function",
        actions: &[
            Action::new(
                "call.next",
                "Next call of the function",
                "Chooses the next call of the same function or module.",
                &[Chord::letter('n')],
                || SelectAsk::GoToCall(CallWalk::NextOfFunction).into(),
            )
            .on(&[On::Call, On::Module])
            .repeating()
            .when(is_chosen),
            Action::new(
                "call.previous",
                "Previous call of the function",
                "Chooses the call before of the same function or module.",
                &[Chord::letter('n').shift()],
                || SelectAsk::GoToCall(CallWalk::PreviousOfFunction).into(),
            )
            .on(&[On::Call, On::Module])
            .repeating()
            .when(is_chosen),
        ],
    },
    Line {
        keys: "Home",
        text: "show everything",
        actions: &[],
    },
];
