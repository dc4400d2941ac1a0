//! Opening and arranging views.

use crate::app::command::Command;
use crate::state::action::{Action, Chord, Line, On};
use crate::state::ask::PaneAsk;

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "M",
        text: "the view under the pointer alone, all again",
        actions: &[Action::new(
            "pane.maximise",
            "One view alone",
            "Shows the view under the pointer alone, or all again.",
            &[Chord::letter('m')],
            || PaneAsk::Maximise(None).into(),
        )
        .on(&[On::View])],
    },
    Line {
        keys: "Drag a title",
        text: "move the view beside others or among them",
        actions: &[],
    },
];
