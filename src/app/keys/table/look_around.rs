//! Looking around the landscape.

use crate::command::Command;
use callscape_state::action::{Line, On};
use callscape_state::ask::{CameraAsk, CardAsk};
use callscape_state::camera::Preset;
use callscape_state::keys;

use super::possible::{is_open, is_something_meant};

pub(super) const LINES: &[Line<Command>] = keys! {
    ["Left drag"] "turn about the point grabbed" {}
    ["Right drag"] "move along the ground" {}
    ["Shift + drag"] "the same" {}
    ["Wheel"] "zoom to the pointer" {}
    ["Double-click"] "fly to a module" { "camera.fly-to-selection" ["F"] "Fly to the selection", "Flies to the module that is chosen or pointed at." => CameraAsk::FlyToSelection, on(&[On::Module]), when(is_something_meant); }
    ["Two fingers"] "zoom; sideways: turn; Shift: move; pinch, twist" {}
    "show everything" { "camera.home" ["Home"] "Show everything", "Shows all of the landscape, or of the view along time or the chart under the pointer." => CameraAsk::FlyHome, on(&[On::View]), when(is_open); }
    "from above; from a corner, isometric" {
        "camera.top" ["Page up"] "From above", "Looks at the landscape from above, north up." => CameraAsk::LookFrom(Preset::Top), on(&[On::View]), when(is_open);
        "camera.isometric" ["Page down"] "From a corner", "Looks at the landscape from a corner, isometric." => CameraAsk::LookFrom(Preset::Isometric), on(&[On::View]), when(is_open);
    }
    "back and forward through past views" {
        "camera.back" ["Ctrl + ←"] "The view before", "Goes back to the previous camera position." => CameraAsk::PastView, when(is_open);
        "camera.forward" ["Ctrl + →"] "The view after", "Goes forward again through past views." => CameraAsk::NextView, when(is_open);
    }
    "the map: click and drag to go there" { "card.map" ["Shift + M"] "Map", "Shows or hides the map of the landscape." => CardAsk::ToggleMinimap, on(&[On::View]); }
    ["Title"] "next to it the path to the module that fills the view: click to see all of it" {}
    "orbit or fly" { "camera.mode" ["Tab"] "Orbit or fly", "Switches between orbiting around the landscape and flying through it." => CameraAsk::OrbitOrFly; }
    ["W A S D  Q E"] "fly: ahead, left, back, right, down, up" {}
    ["Drag, wheel"] "fly: look around, change speed" {}
};
