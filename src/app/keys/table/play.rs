//! Playing the recording.

use crate::command::Command;
use callscape_state::action::{Action, Chord, Line, On};
use callscape_state::ask::{Ask, CameraAsk, PlayAsk, SelectAsk, ViewAsk};
use callscape_state::call_steps::CallStep;

use super::possible::{has_times, is_limited};

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "Space",
        text: "play and pause",
        actions: &[Action::new(
            "play.play",
            "Play or pause",
            "Plays the recording, or pauses it.",
            &[Chord::key("Space")],
            || PlayAsk::PlayOrPause.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: "Shift + Space",
        text: "play backward",
        actions: &[Action::new(
            "play.backward",
            "Play backward",
            "Plays the recording backward, or pauses it when it does.",
            &[Chord::key("Space").shift()],
            || PlayAsk::PlayBackward.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: "← →",
        text: "step back and forward",
        actions: &[
            Action::new(
                "play.step-back",
                "Step back",
                "Goes back by a cel.",
                &[Chord::key("Left")],
                || PlayAsk::Step(-1).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.step",
                "Step forward",
                "Goes forward by a cel.",
                &[Chord::key("Right")],
                || PlayAsk::Step(1).into(),
            )
            .repeating()
            .when(has_times),
        ],
    },
    Line {
        keys: "Shift + ← →",
        text: "ten steps",
        actions: &[
            Action::new(
                "play.ten-back",
                "Ten steps back",
                "Goes back by ten cels.",
                &[Chord::key("Left").shift()],
                || PlayAsk::Step(-10).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.ten",
                "Ten steps forward",
                "Goes forward by ten cels.",
                &[Chord::key("Right").shift()],
                || PlayAsk::Step(10).into(),
            )
            .repeating()
            .when(has_times),
        ],
    },
    Line {
        keys: "I  U  J",
        text: "step into, out of, over a call; Shift: back",
        actions: &[
            Action::new(
                "play.into",
                "Step into a call",
                "Goes to the next event of the thread, forward.",
                &[Chord::letter('i')],
                || PlayAsk::StepCall(CallStep::Into, true).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.into-back",
                "Step into a call, back",
                "Goes to the next event of the thread, backward.",
                &[Chord::letter('i').shift()],
                || PlayAsk::StepCall(CallStep::Into, false).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.out",
                "Step out of a call",
                "Goes to the end of the innermost call of the thread, forward.",
                &[Chord::letter('u')],
                || PlayAsk::StepCall(CallStep::Out, true).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.out-back",
                "Step out of a call, back",
                "Goes to the end of the innermost call of the thread, backward.",
                &[Chord::letter('u').shift()],
                || PlayAsk::StepCall(CallStep::Out, false).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.over",
                "Step over a call",
                "Goes to the next event of the thread that is no deeper, forward.",
                &[Chord::letter('j')],
                || PlayAsk::StepCall(CallStep::Over, true).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.over-back",
                "Step over a call, back",
                "Goes to the next event of the thread that is no deeper, backward.",
                &[Chord::letter('j').shift()],
                || PlayAsk::StepCall(CallStep::Over, false).into(),
            )
            .repeating()
            .when(has_times),
        ],
    },
    Line {
        keys: "H",
        text: "the camera follows what runs, until you turn it",
        actions: &[Action::new(
            "camera.follow",
            "Follow what runs",
            "Lets the camera follow what runs, until it is turned.",
            &[Chord::letter('h')],
            || CameraAsk::ToggleFollowing.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: "Y",
        text: "summary of the whole recording or range",
        actions: &[Action::new(
            "play.summary",
            "Summary",
            "Shows the sum of the whole recording or range, or the current moment again.",
            &[Chord::letter('y')],
            || PlayAsk::ToggleSummary.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: ",  .",
        text: "to the start, to the end",
        actions: &[
            Action::new(
                "play.to-start",
                "To the start",
                "Goes to the start of the recording or range.",
                &[Chord::letter(',')],
                || PlayAsk::ToStart.into(),
            )
            .when(has_times),
            Action::new(
                "play.to-end",
                "To the end",
                "Goes to the end of the recording or range.",
                &[Chord::letter('.')],
                || PlayAsk::ToEnd.into(),
            )
            .when(has_times),
        ],
    },
    Line {
        keys: "−  +",
        text: "half and double speed",
        actions: &[
            Action::new(
                "play.slower",
                "Half speed",
                "Plays at half the speed.",
                &[Chord::letter('-'), Chord::letter('−')],
                || PlayAsk::ScaleSpeed(0.5).into(),
            )
            .when(has_times),
            Action::new(
                "play.faster",
                "Double speed",
                "Plays at twice the speed.",
                &[Chord::letter('+'), Chord::letter('=')],
                || PlayAsk::ScaleSpeed(2.0).into(),
            )
            .when(has_times),
        ],
    },
    Line {
        keys: "R",
        text: "repeat",
        actions: &[Action::new(
            "play.loop",
            "Repeat",
            "Begins again at the end, or stops there.",
            &[Chord::letter('r')],
            || PlayAsk::ToggleLoop.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: "List below",
        text: "of a profile with several values: the one shown",
        actions: &[],
    },
    Line {
        keys: "[  ]",
        text: "start and end the range at the time shown",
        actions: &[
            Action::new(
                "range.start",
                "Start the range here",
                "Starts the range at the time shown.",
                &[Chord::letter('[')],
                || SelectAsk::StartRangeHere.into(),
            )
            .on(&[On::Time])
            .when(has_times),
            Action::new(
                "range.end",
                "End the range here",
                "Ends the range at the time shown.",
                &[Chord::letter(']')],
                || SelectAsk::EndRangeHere.into(),
            )
            .on(&[On::Time])
            .when(has_times),
            Action::new(
                "range.show",
                "Show all of the range",
                "Has the views along time show the range, and nothing else.",
                &[],
                || Ask::View(None, ViewAsk::ShowRange).into(),
            )
            .on(&[On::Range])
            .when(is_limited),
            Action::new(
                "range.clear",
                "Show all of the time",
                "Limits the views to no range any more.",
                &[],
                || SelectAsk::SetRange(None).into(),
            )
            .on(&[On::Range])
            .when(is_limited),
        ],
    },
    Line {
        keys: "Shift + drag",
        text: "on the time bar: choose a range",
        actions: &[],
    },
];
