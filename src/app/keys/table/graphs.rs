//! Graphs of who calls whom.

use crate::command::Command;
use callscape_state::action::{Action, Chord, Line, On, Scope};
use callscape_state::ask::{Ask, GraphKey, ViewAsk};

use super::possible::has_recording;

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "Enter, Shift + Enter",
        text: "unfold a module in place, fold it; a function: its own callers and callees too, or no longer",
        actions: &[
            Action::new(
                "graph.more",
                "Show more",
                "Unfolds the module that is pointed at or chosen; of a function, shows who calls it or whom it calls, too.",
                &[Chord::key("Enter")],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::More)).into(),
            )
            .within(Scope::Graph)
            .on(&[On::Module])
            .repeating()
            .when(has_recording),
            Action::new(
                "graph.less",
                "Show less",
                "Folds the module that is pointed at or chosen, or what it lies in; of a function, no longer shows who calls it or whom it calls.",
                &[Chord::key("Enter").shift()],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::Less)).into(),
            )
            .within(Scope::Graph)
            .on(&[On::Module])
            .repeating()
            .when(has_recording),
        ],
    },
    Line {
        keys: "C, double-click",
        text: "the one that it is not; a click on + or − does too",
        actions: &[
            Action::new(
                "graph.toggle",
                "Unfold or fold",
                "Unfolds the module that is pointed at or chosen, or folds it; puts a function in the middle.",
                &[Chord::letter('c')],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::Toggle)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
        ],
    },
    Line {
        keys: ">  <",
        text: "all one level more, or less; neighbours: a step further out, or back",
        actions: &[
            Action::new(
                "graph.all-more",
                "One level more",
                "Unfolds all modules by a level, or goes a step further out from the function in the middle.",
                &[Chord::letter('>')],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::AllMore)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
            Action::new(
                "graph.all-less",
                "One level less",
                "Folds the innermost modules, or goes a step back.",
                &[Chord::letter('<')],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::AllLess)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
        ],
    },
    Line {
        keys: "→ ← ↑ ↓",
        text: "to what it calls most, to what calls it most, to the box above, below",
        actions: &[
            Action::new(
                "graph.right",
                "To what it calls",
                "Chooses what the chosen box calls most.",
                &[Chord::key("Right")],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::Right)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
            Action::new(
                "graph.left",
                "To what calls it",
                "Chooses what calls the chosen box most.",
                &[Chord::key("Left")],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::Left)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
            Action::new(
                "graph.up",
                "The box above",
                "Chooses the box above the chosen one.",
                &[Chord::key("Up")],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::Up)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
            Action::new(
                "graph.down",
                "The box below",
                "Chooses the box below the chosen one.",
                &[Chord::key("Down")],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::Down)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
        ],
    },
    Line {
        keys: "W",
        text: "width of lines by cost, by calls",
        actions: &[
            Action::new(
                "graph.width",
                "Width of lines",
                "Has the width of lines say what calls cost, or how many they are.",
                &[Chord::letter('w')],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::Width)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
        ],
    },
    Line {
        keys: "R",
        text: "more of what there was no room for",
        actions: &[
            Action::new(
                "graph.rest",
                "Show the rest",
                "Shows more of what there was no room for.",
                &[Chord::letter('r')],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::Rest)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
        ],
    },
    Line {
        keys: "Wheel, + −",
        text: "nearer, farther; drag moves, Home shows all",
        actions: &[
            Action::new(
                "graph.nearer",
                "Nearer",
                "Shows the graph larger.",
                &[Chord::letter('+'), Chord::letter('=')],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::Nearer)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
            Action::new(
                "graph.farther",
                "Farther",
                "Shows the graph smaller.",
                &[Chord::letter('-'), Chord::letter('−')],
                || Ask::Pointed(ViewAsk::Graph(GraphKey::Farther)).into(),
            )
            .within(Scope::Graph)
            .repeating()
            .when(has_recording),
        ],
    },
];
