//! The window itself, its palette, cards and letters.

use crate::command::{Command, PaletteAsk, TourAsk};
use callscape_state::action::{Action, Chord, Line, On, Scope};
use callscape_state::ask::{CardAsk, LookAsk, MappingAsk};

use super::possible::is_open;

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "Ctrl + P",
        text: "the palette: every action, view and module by its name",
        actions: &[
            Action::new(
                "palette.open",
                "Palette",
                "Lists every action, view and module by what one types of its name.",
                &[Chord::letter('p').ctrl()],
                || PaletteAsk::Toggle.into(),
            ),
            Action::new(
                "palette.up",
                "The row above",
                "Marks the row above.",
                &[Chord::key("Up")],
                || PaletteAsk::Move(-1).into(),
            )
            .within(Scope::Palette)
            .repeating(),
            Action::new(
                "palette.down",
                "The row below",
                "Marks the row below.",
                &[Chord::key("Down")],
                || PaletteAsk::Move(1).into(),
            )
            .within(Scope::Palette)
            .repeating(),
            Action::new(
                "palette.take",
                "Do it",
                "Does what the marked row says.",
                &[Chord::key("Enter")],
                || PaletteAsk::Take(None).into(),
            )
            .within(Scope::Palette),
            Action::new(
                "palette.leave",
                "Leave the palette",
                "Closes the palette or the menu.",
                &[Chord::key("Escape"), Chord::letter('p').ctrl()],
                || Command::Escape,
            )
            .within(Scope::Palette),
        ],
    },
    Line {
        keys: "Right click, Shift + F10",
        text: "what can be done with what is there",
        actions: &[Action::new(
            "menu.open",
            "Menu of what is pointed at",
            "Lists what can be done with what is pointed at or chosen.",
            &[Chord::key("F10").shift()],
            || PaletteAsk::Menu(None, &[]).into(),
        )
        .when(is_open)],
    },
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
        keys: "F1, Take the tour",
        text: "nine things to do on the demo",
        actions: &[Action::new(
            "tour.begin",
            "Take the tour",
            "Leads through nine things to do on the demo; Escape leaves it.",
            &[],
            || TourAsk::Begin.into(),
        )],
    },
    Line {
        keys: "F6, then Tab, Enter",
        text: "the buttons and fields by keys; Escape: back to the views",
        actions: &[Action::new(
            "focus.first",
            "Buttons by keys",
            "Gives the keyboard to the first button: Tab and Shift + Tab go on, Enter and Space press, Escape leaves.",
            &[Chord::key("F6")],
            || Command::Focus,
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
        )
        .on(&[On::View])],
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
        )
        .on(&[On::View])],
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
        )
        .on(&[On::View])],
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
        )
        .on(&[On::View])],
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
];
