//! Finding and choosing.

use crate::command::Command;
use callscape_state::action::{Action, Chord, Line, On, Scope};
use callscape_state::ask::{
    CardAsk, CutAsk, EditAsk, FilterAsk, SearchAsk, SelectAsk, ShowAsk, StepAsk,
};

use super::possible::{has_recording, has_times, is_open, is_something_meant};

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "/, Ctrl + F",
        text: "search; ↑ ↓ choose, Enter flies there",
        actions: &[
            Action::new(
                "search.open",
                "Search",
                "Searches modules and functions by name.",
                &[Chord::letter('/'), Chord::letter('f').ctrl()],
                || SearchAsk::Open.into(),
            )
            .when(is_open),
            Action::new(
                "search.up",
                "The result above",
                "Marks the result above.",
                &[Chord::key("Up")],
                || SearchAsk::Move(-1).into(),
            )
            .within(Scope::Search)
            .repeating(),
            Action::new(
                "search.down",
                "The result below",
                "Marks the result below.",
                &[Chord::key("Down")],
                || SearchAsk::Move(1).into(),
            )
            .within(Scope::Search)
            .repeating(),
            Action::new(
                "search.take",
                "Go to the result",
                "Chooses the marked result and flies there.",
                &[Chord::key("Enter")],
                || SearchAsk::Take(None).into(),
            )
            .within(Scope::Search)
            .repeating(),
            Action::new(
                "search.leave",
                "Leave the search",
                "Closes the search.",
                &[Chord::key("Escape")],
                || Command::Escape,
            )
            .within(Scope::Search)
            .repeating(),
        ],
    },
    Line {
        keys: "Point at",
        text: "the arcs of that module alone",
        actions: &[],
    },
    Line {
        keys: "Click",
        text: "select: its arcs stand out",
        actions: &[],
    },
    Line {
        keys: "Click an arc",
        text: "list the calls behind it",
        actions: &[],
    },
    Line {
        keys: "C",
        text: "collapse or expand the module",
        actions: &[Action::new(
            "cut.toggle",
            "Collapse or expand",
            "Collapses or expands the module that is chosen or pointed at.",
            &[Chord::letter('c')],
            || CutAsk::CollapseOrExpand(None).into(),
        )
        .on(&[On::Module])
        .when(is_something_meant)],
    },
    Line {
        keys: "X",
        text: "leave the module out of every view",
        actions: &[Action::new(
            "filter.module",
            "Leave the module out",
            "Leaves the module that is chosen or pointed at out of every view.",
            &[Chord::letter('x')],
            || FilterAsk::RemoveModule.into(),
        )
        .on(&[On::Module])
        .when(is_something_meant)],
    },
    Line {
        keys: "Shift + X",
        text: "leave out what it triggers",
        actions: &[Action::new(
            "filter.below",
            "Leave out what it triggers",
            "Leaves what the module triggers out of every view.",
            &[Chord::letter('x').shift()],
            || FilterAsk::RemoveBelow.into(),
        )
        .on(&[On::Module])
        .when(is_something_meant)],
    },
    Line {
        keys: "B",
        text: "leave the thread out",
        actions: &[Action::new(
            "filter.thread",
            "Leave the thread out",
            "Leaves the thread that is chosen or pointed at out of every view.",
            &[Chord::letter('b')],
            || FilterAsk::HideThread.into(),
        )
        .on(&[On::Thread, On::Call])
        .when(has_recording)],
    },
    Line {
        keys: "Shift + B",
        text: "leave out what is called often",
        actions: &[Action::new(
            "filter.frequent",
            "Leave out what is called often",
            "Shows how often functions are called, and leaves out those that are called more often than a limit.",
            &[Chord::letter('b').shift()],
            || CardAsk::ToggleFrequency.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: "Ctrl + Z, Y",
        text: "undo the last change of what is shown, and redo",
        actions: &[
            Action::new(
                "step.undo",
                "Undo",
                "Takes back the last change of what is shown: what was left out, collapsed, chosen, coloured, opened.",
                &[Chord::letter('z').ctrl()],
                || StepAsk::Undo.into(),
            )
            .repeating()
            .when(|state| state.steps.can_undo()),
            Action::new(
                "step.redo",
                "Redo",
                "Does again what was undone.",
                &[Chord::letter('z').ctrl().shift(), Chord::letter('y').ctrl()],
                || StepAsk::Redo.into(),
            )
            .repeating()
            .when(|state| state.steps.can_redo()),
        ],
    },
    Line {
        keys: "Ctrl + H",
        text: "list the changes; a click goes back to one",
        actions: &[Action::new(
            "step.list",
            "List of changes",
            "Lists what was changed of what is shown, to go back to any of it.",
            &[Chord::letter('h').ctrl()],
            || CardAsk::ToggleSteps.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "E",
        text: "expand the module and all in it",
        actions: &[Action::new(
            "cut.expand",
            "Expand the module and all in it",
            "Expands the module that is chosen or pointed at and all in it.",
            &[Chord::letter('e')],
            || CutAsk::ExpandWhole(None).into(),
        )
        .on(&[On::Module])
        .when(is_something_meant)],
    },
    Line {
        keys: "<  >",
        text: "collapse or expand everything by a level",
        actions: &[
            Action::new(
                "cut.less",
                "One level less",
                "Collapses everything by a level.",
                &[Chord::letter('<')],
                || CutAsk::ChangeLevel(-1).into(),
            )
            .when(is_open),
            Action::new(
                "cut.more",
                "One level more",
                "Expands everything by a level.",
                &[Chord::letter('>')],
                || CutAsk::ChangeLevel(1).into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "Z",
        text: "collapse what is small on the screen",
        actions: &[Action::new(
            "cut.by-size",
            "Detail by size",
            "Collapses what is small on the screen as the camera moves, or no longer.",
            &[Chord::letter('z')],
            || CutAsk::ToggleDetailBySize.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "Alt + ← →",
        text: "back and forward through what was selected",
        actions: &[
            Action::new(
                "select.back",
                "Back",
                "Goes back to what was selected before.",
                &[Chord::key("Left").alt()],
                || SelectAsk::Back.into(),
            )
            .when(is_open),
            Action::new(
                "select.forward",
                "Forward",
                "Goes forward again through what was selected.",
                &[Chord::key("Right").alt()],
                || SelectAsk::Forward.into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "Ctrl + Enter, Ctrl + click",
        text: "open it in your editor",
        actions: &[Action::new(
            "edit.chosen",
            "Open in the editor",
            "Opens the file of what is chosen in your editor, at its line.",
            &[Chord::key("Enter").ctrl()],
            || EditAsk::Chosen.into(),
        )
        .on(&[On::Module, On::Call])
        .when(|state| state.line_of_chosen().is_some())],
    },
    Line {
        keys: "Ctrl + L, Ctrl + N",
        text: "the code of what is chosen; what calls it and what it calls",
        actions: &[
            Action::new(
                "show.code",
                "Show its code",
                "Opens the view of code at what is chosen.",
                &[Chord::letter('l').ctrl()],
                || ShowAsk::Code.into(),
            )
            .on(&[On::Module, On::Call])
            .when(|state| state.line_of_chosen().is_some()),
            Action::new(
                "show.neighbours",
                "Show its neighbourhood",
                "Opens the view of what calls what is chosen, and of what it calls.",
                &[Chord::letter('n').ctrl()],
                || ShowAsk::Neighbours.into(),
            )
            .on(&[On::Module, On::Call])
            .when(|state| has_recording(state) && is_something_meant(state)),
        ],
    },
    Line {
        keys: "Escape",
        text: "leave what lies on top: menu, card, help, search, notice, then flight, selection, range",
        actions: &[Action::new(
            "escape",
            "Leave",
            "Leaves what lies on top: a menu, a card, the help, the search, notices, a flight, the selection, the range.",
            &[Chord::key("Escape")],
            || Command::Escape,
        )],
    },
];
