//! Opening and arranging views.

use crate::command::Command;
use callscape_state::action::{Action, Chord, Line, On};
use callscape_state::ask::PaneAsk;
use callscape_state::panes::Purpose;

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
        keys: "Ctrl + Tab",
        text: "use the next view by keys, with Shift the one before, until the pointer moves",
        actions: &[
            Action::new(
                "pane.keys-next",
                "Keys to the next view",
                "Keys work in the next visible view, wherever the pointer is, until it moves.",
                &[Chord::key("Tab").ctrl()],
                || PaneAsk::GiveKeys { is_back: false }.into(),
            ),
            Action::new(
                "pane.keys-back",
                "Keys to the view before",
                "Keys work in the visible view before, wherever the pointer is, until it moves.",
                &[Chord::key("Tab").ctrl().shift()],
                || PaneAsk::GiveKeys { is_back: true }.into(),
            ),
        ],
    },
    Line {
        keys: "Menu, Ctrl + P",
        text: "the views that belong together for a question",
        actions: &[
            Action::new(
                "views.what-runs",
                "Views: which code runs?",
                "Opens the views that show which code runs when.",
                &[],
                || PaneAsk::For(Purpose::WhatRuns).into(),
            )
            .when(|state| state.arrangement_for(Purpose::WhatRuns).is_some()),
            Action::new(
                "views.time",
                "Views: where does the time go?",
                "Opens the views that show where the time goes.",
                &[],
                || PaneAsk::For(Purpose::TimeGoes).into(),
            )
            .when(|state| state.arrangement_for(Purpose::TimeGoes).is_some()),
            Action::new(
                "views.who-calls",
                "Views: who calls whom?",
                "Opens the views that show who calls whom.",
                &[],
                || PaneAsk::For(Purpose::WhoCalls).into(),
            )
            .when(|state| state.arrangement_for(Purpose::WhoCalls).is_some()),
            Action::new(
                "views.phases",
                "Views: what happens one after the other?",
                "Opens the views that show the phases of a run.",
                &[],
                || PaneAsk::For(Purpose::Phases).into(),
            )
            .when(|state| state.arrangement_for(Purpose::Phases).is_some()),
            Action::new(
                "views.memory",
                "Views: where does memory go?",
                "Opens the views that show what lives in memory.",
                &[],
                || PaneAsk::For(Purpose::Memory).into(),
            )
            .when(|state| state.arrangement_for(Purpose::Memory).is_some()),
            Action::new(
                "views.slower",
                "Views: why is one run slower?",
                "Opens the views that show why two runs differ in time.",
                &[],
                || PaneAsk::For(Purpose::Slower).into(),
            )
            .when(|state| state.arrangement_for(Purpose::Slower).is_some()),
            Action::new(
                "views.changed",
                "Views: what changed between two runs?",
                "Opens the views that show what two runs do differently.",
                &[],
                || PaneAsk::For(Purpose::WhatChanged).into(),
            )
            .when(|state| state.arrangement_for(Purpose::WhatChanged).is_some()),
        ],
    },
    Line {
        keys: "Drag a title",
        text: "move the view beside others or among them",
        actions: &[],
    },
];
