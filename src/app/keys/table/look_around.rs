//! Looking around the landscape.

use crate::command::Command;
use callscape_state::action::{Action, Chord, Line, On};
use callscape_state::ask::{CameraAsk, CardAsk};
use callscape_state::camera::Preset;

use super::possible::{is_open, is_something_meant};

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "Left drag",
        text: "turn about the point grabbed",
        actions: &[],
    },
    Line {
        keys: "Right drag",
        text: "move along the ground",
        actions: &[],
    },
    Line {
        keys: "Shift + drag",
        text: "the same",
        actions: &[],
    },
    Line {
        keys: "Wheel",
        text: "zoom to the pointer",
        actions: &[],
    },
    Line {
        keys: "Double-click, F",
        text: "fly to a module",
        actions: &[Action::new(
            "camera.fly-to-selection",
            "Fly to the selection",
            "Flies to the module that is chosen or pointed at.",
            &[Chord::letter('f')],
            || CameraAsk::FlyToSelection.into(),
        )
        .on(&[On::Module])
        .when(is_something_meant)],
    },
    Line {
        keys: "Two fingers",
        text: "zoom; sideways: turn; Shift: move; pinch, twist",
        actions: &[],
    },
    Line {
        keys: "Home",
        text: "show everything",
        actions: &[Action::new(
            "camera.home",
            "Show everything",
            "Shows all of the landscape, or of the view along time or the chart under the pointer.",
            &[Chord::key("Home")],
            || CameraAsk::FlyHome.into(),
        )
        .on(&[On::View])
        .when(is_open)],
    },
    Line {
        keys: "Page up, down",
        text: "from above; from a corner, isometric",
        actions: &[
            Action::new(
                "camera.top",
                "From above",
                "Looks at the landscape from above, north up.",
                &[Chord::key("PageUp")],
                || CameraAsk::LookFrom(Preset::Top).into(),
            )
            .on(&[On::View])
            .when(is_open),
            Action::new(
                "camera.isometric",
                "From a corner",
                "Looks at the landscape from a corner, isometric.",
                &[Chord::key("PageDown")],
                || CameraAsk::LookFrom(Preset::Isometric).into(),
            )
            .on(&[On::View])
            .when(is_open),
        ],
    },
    Line {
        keys: "Ctrl + ← →",
        text: "back and forward through past views",
        actions: &[
            Action::new(
                "camera.back",
                "The view before",
                "Goes back to where the camera looked from before.",
                &[Chord::key("Left").ctrl()],
                || CameraAsk::PastView.into(),
            )
            .when(is_open),
            Action::new(
                "camera.forward",
                "The view after",
                "Goes forward again through past views.",
                &[Chord::key("Right").ctrl()],
                || CameraAsk::NextView.into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "Shift + M",
        text: "the map: click and drag to go there",
        actions: &[Action::new(
            "card.map",
            "Map",
            "Shows or hides the map of the landscape.",
            &[Chord::letter('m').shift()],
            || CardAsk::ToggleMinimap.into(),
        )
        .on(&[On::View])],
    },
    Line {
        keys: "Title",
        text: "beside it the way to what fills the view: click to see all of it",
        actions: &[],
    },
    Line {
        keys: "Tab",
        text: "orbit or fly",
        actions: &[Action::new(
            "camera.mode",
            "Orbit or fly",
            "Switches between orbiting around the landscape and flying through it.",
            &[Chord::key("Tab")],
            || CameraAsk::OrbitOrFly.into(),
        )],
    },
    Line {
        keys: "W A S D  Q E",
        text: "fly: ahead, left, back, right, down, up",
        actions: &[],
    },
    Line {
        keys: "Drag, wheel",
        text: "fly: look around, change speed",
        actions: &[],
    },
];
