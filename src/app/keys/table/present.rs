//! Presenting a scene.

use crate::command::{Command, LiveAsk, PointsWith};
use callscape_state::action::{Line, Scope};
use callscape_state::keys;

use super::possible::is_open;

pub(super) const LINES: &[Line<Command>] = keys! {
    "present: from the start, from the chosen shot" {
        "present.begin" ["F5"] "Present", "Presents the scene from its first shot." => LiveAsk::Begin(0), when(is_open);
        "present.here" ["Shift + F5"] "Present from the chosen shot", "Presents the scene from the shot that is chosen." => LiveAsk::Begin(usize::MAX), when(is_open);
    }
    [= "→ Page down Space"] "next shot; ← Page up: previous shot" {
        "present.next" ["→" "↓" "Page down" "Space"] "Next shot", "Goes on to the next shot." => LiveAsk::Next, within(Scope::Presentation);
        "present.previous" ["←" "↑" "Page up"] "Previous shot", "Goes back to the shot before." => LiveAsk::Previous, within(Scope::Presentation);
    }
    [= "Number, Enter"] "to that shot; Home, End: first and last" {
        "present.digit-0" ["0"] "Digit 0", "Types a digit of the number of a shot." => LiveAsk::Digit('0'), within(Scope::Presentation);
        "present.digit-1" ["1"] "Digit 1", "Types a digit of the number of a shot." => LiveAsk::Digit('1'), within(Scope::Presentation);
        "present.digit-2" ["2"] "Digit 2", "Types a digit of the number of a shot." => LiveAsk::Digit('2'), within(Scope::Presentation);
        "present.digit-3" ["3"] "Digit 3", "Types a digit of the number of a shot." => LiveAsk::Digit('3'), within(Scope::Presentation);
        "present.digit-4" ["4"] "Digit 4", "Types a digit of the number of a shot." => LiveAsk::Digit('4'), within(Scope::Presentation);
        "present.digit-5" ["5"] "Digit 5", "Types a digit of the number of a shot." => LiveAsk::Digit('5'), within(Scope::Presentation);
        "present.digit-6" ["6"] "Digit 6", "Types a digit of the number of a shot." => LiveAsk::Digit('6'), within(Scope::Presentation);
        "present.digit-7" ["7"] "Digit 7", "Types a digit of the number of a shot." => LiveAsk::Digit('7'), within(Scope::Presentation);
        "present.digit-8" ["8"] "Digit 8", "Types a digit of the number of a shot." => LiveAsk::Digit('8'), within(Scope::Presentation);
        "present.digit-9" ["9"] "Digit 9", "Types a digit of the number of a shot." => LiveAsk::Digit('9'), within(Scope::Presentation);
        "present.enter" ["Enter"] "Go to the shot", "Goes to the shot whose number was typed." => LiveAsk::Enter, within(Scope::Presentation);
        "present.first" ["Home"] "First shot", "Goes to the first shot." => LiveAsk::First, within(Scope::Presentation);
        "present.last" ["End"] "Last shot", "Goes to the last shot." => LiveAsk::Last, within(Scope::Presentation);
    }
    ["Drag, wheel"] "look around; back to the script" { "present.script" ["Backspace"] "Back to the script", "Returns to the position in the script." => LiveAsk::Script, within(Scope::Presentation); }
    "laser pointer, flashlight" {
        "present.laser" ["L"] "Laser pointer", "Shows a bright dot for the pointer." => LiveAsk::Point(PointsWith::Laser), within(Scope::Presentation);
        "present.flashlight" ["F"] "Flashlight", "Dims all but the module under the pointer." => LiveAsk::Point(PointsWith::Flashlight), within(Scope::Presentation);
    }
    "notes and next shot in a second window" { "present.notes" ["N"] "Notes", "Shows notes and the next shot in a second window." => LiveAsk::Notes, within(Scope::Presentation); }
    "black" { "present.black" ["B" "."] "Black", "Shows nothing, or all again." => LiveAsk::Black, within(Scope::Presentation); }
    "automatically, or shot by shot" { "present.auto" ["A"] "By itself", "Switches between advancing automatically and shot by shot." => LiveAsk::Auto, within(Scope::Presentation); }
    [= "F11, Escape"] "full screen or not, leave" {
        "window.full-screen" ["F11"] "Full screen", "Fills the screen, or no longer." => LiveAsk::FullScreen;
        "present.full-screen" ["F11"] "Full screen", "Fills the screen, or no longer." => LiveAsk::FullScreen, within(Scope::Presentation);
        "present.leave" ["Escape" "F5"] "Leave the presentation", "Ends the presentation." => LiveAsk::Leave, within(Scope::Presentation);
    }
};
