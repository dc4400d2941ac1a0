//! The keys: one table, from which both the commands and the help page are made.

use winit::event::KeyEvent;
use winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

use super::call_steps::CallStep;
use super::camera::{Preset, Thrust};
use super::command::{CallWalk, Command, SheetKey, TableKey};
use super::presenting::{bookmarks, live, script};
use crate::views::table::ViewId;

/// A page of the help: keys, and what they do.
pub const HELP: &[(&str, &[(&str, &str)])] = &[
    (
        "Look around",
        &[
            ("Left drag", "turn about the point grabbed"),
            ("Right drag", "move along the ground"),
            ("Shift + drag", "the same"),
            ("Wheel", "zoom to the pointer"),
            ("Double-click, F", "fly to a module"),
            (
                "Two fingers",
                "zoom; sideways: turn; Shift: move; pinch, twist",
            ),
            ("Home", "show everything"),
            ("Page up, down", "from above; from a corner, isometric"),
            ("Ctrl + ← →", "back and forward through past views"),
            ("Shift + M", "the map: click and drag to go there"),
            (
                "Title",
                "beside it the way to what fills the view: click to see all of it",
            ),
            ("Tab", "orbit or fly"),
            ("W A S D  Q E", "fly: ahead, left, back, right, down, up"),
            ("Drag, wheel", "fly: look around, change speed"),
        ],
    ),
    (
        "Where a feature runs",
        &[
            ("/  name  Enter", "find it: what ran stands first"),
            ("5", "its calls; a click on one goes there"),
            ("Shift + G", "limit every view to that call"),
            ("2, then P", "its modules in the order of their first call"),
            ("Escape, Alt + ←", "out of it again"),
        ],
    ),
    (
        "Play",
        &[
            ("Space", "play and pause"),
            ("Shift + Space", "play backward"),
            ("← →", "step back and forward"),
            ("Shift + ← →", "ten steps"),
            ("I  U  J", "step into, out of, over a call; Shift: back"),
            ("H", "the camera follows what runs, until you turn it"),
            ("Y", "summary of the whole recording or range"),
            (",  .", "to the start, to the end"),
            ("−  +", "half and double speed"),
            ("R", "repeat"),
            (
                "List below",
                "of a profile with several values: the one shown",
            ),
            ("[  ]", "start and end the range at the time shown"),
            ("Shift + drag", "on the time bar: choose a range"),
        ],
    ),
    (
        "Two runs",
        &[
            (
                "Q",
                "what differs, A and B side by side, or a wipe from A to B",
            ),
            ("V", "the other run, at the time that is the same"),
            ("Shift + V", "swap A and B"),
            ("D", "collapse districts in which nothing differs"),
            (
                "6",
                "what differs, in numbers; and which function is which, to be corrected",
            ),
            ("7", "both along one time axis"),
            (
                "X, B, [ ], Shift + G",
                "leave modules and threads out, and limit the time, of both",
            ),
            (
                "Strip at the top",
                "what is compared, as it was recorded or per run or call; linked clocks",
            ),
        ],
    ),
    (
        "Views",
        &[
            ("1", "landscape"),
            ("2", "overview: what is active when"),
            ("3", "call stacks of every thread"),
            ("4", "functions: calls, costs"),
            ("5", "calls behind what is chosen"),
            ("M", "the view under the pointer alone, all again"),
            ("Drag a title", "move the view beside others or among them"),
        ],
    ),
    (
        "Overview and call stacks",
        &[
            ("Wheel, W S", "zoom along time about the pointer"),
            ("Drag, A D", "move"),
            ("Ctrl, Shift + wheel", "zoom and scroll from top to bottom"),
            ("Shift + drag", "choose a range; the right button does too"),
            ("Click", "choose what is there, go to that time"),
            ("Double-click, G", "show all of the call"),
            ("Shift + G", "limit every view to the time of the call"),
            (
                "↑ ↓, Shift + ↓",
                "to the caller, the first and the longest call in it",
            ),
            ("N, Shift + N", "next and previous call of the function"),
            ("P", "rows of the overview: functions, modules by level"),
            ("Home", "show everything"),
        ],
    ),
    (
        "Functions and calls",
        &[
            ("Click, ↑ ↓", "choose a row; Page, Home and End go further"),
            (
                "Enter",
                "fly there; in the list of calls show all of the call",
            ),
            ("Click a heading", "sort; again: the other way round"),
            ("Caller, callee", "click: go on to it; Alt + ← comes back"),
        ],
    ),
    (
        "Find and choose",
        &[
            ("/, Ctrl + F", "search; ↑ ↓ choose, Enter flies there"),
            ("Point at", "the arcs of that module alone"),
            ("Click", "select: its arcs stand out"),
            ("Click an arc", "list the calls behind it"),
            ("C", "collapse or expand the module"),
            ("X", "leave the module out of every view"),
            ("Shift + X", "leave out what it triggers"),
            ("B", "leave the thread out"),
            ("Ctrl + Z, Y", "undo what was left out, and redo"),
            ("E", "expand the module and all in it"),
            ("<  >", "collapse or expand everything by a level"),
            ("Z", "collapse what is small on the screen"),
            ("Alt + ← →", "back and forward through what was selected"),
            ("Escape", "leave: search, help, flight, selection, range"),
        ],
    ),
    (
        "Bookmarks",
        &[
            ("F2", "keep what is shown as a bookmark"),
            ("F4", "list them: go, rename, put in order, export"),
            ("Alt + 1 … 9", "go to a bookmark"),
            ("F9", "record a scene: fly and click; again: end"),
        ],
    ),
    (
        "Present",
        &[
            (
                "F5, Shift + F5",
                "present: from the start, from the chosen shot",
            ),
            ("→ Page down Space", "next shot; ← Page up: the one before"),
            ("Number, Enter", "to that shot; Home, End: first and last"),
            ("Drag, wheel", "look around; Backspace: back to the script"),
            ("L, F", "laser pointer, flashlight"),
            ("N", "notes and next shot in a second window"),
            ("B .", "black"),
            ("A", "by itself, or shot by shot"),
            ("F11, Escape", "full screen or not, leave"),
        ],
    ),
    (
        "Window",
        &[
            ("F1, ?", "this help"),
            ("O", "settings"),
            ("A", "the mapping file and its editor"),
            ("L", "legend"),
            ("K", "call stacks"),
            ("T", "light or dark"),
            ("F3", "frame times, and those of the passes on the device"),
            (
                "Ctrl + −, +, 0",
                "smaller and larger letters and lines, as usual",
            ),
            ("Ctrl + S", "save the session: files, views, selection"),
            ("Ctrl + C", "copy the picture of the landscape"),
            (
                "Ctrl + P",
                "save a picture, of up to 16384 pixels a side, or a model",
            ),
            ("Drop files", "open a source tree or a recording"),
        ],
    ),
];

/// The command of a key pressed outside of text fields.
pub fn command(event: &KeyEvent, modifiers: ModifiersState) -> Option<Command> {
    let step = if modifiers.shift_key() { 10 } else { 1 };
    let plain = !modifiers.control_key() && !modifiers.alt_key() && !modifiers.super_key();
    // Held keys repeat where that is of use, and only there.
    let repeats = matches!(
        event.logical_key,
        Key::Named(NamedKey::ArrowLeft | NamedKey::ArrowRight)
    ) || matches!(&event.logical_key, Key::Character(text) if "iujnIUJN".contains(text.as_str()));
    if event.repeat && !repeats {
        return None;
    }
    match &event.logical_key {
        Key::Named(key) if plain => match key {
            NamedKey::Space if modifiers.shift_key() => Some(Command::PlayBackward),
            NamedKey::Space => Some(Command::PlayOrPause),
            NamedKey::ArrowLeft => Some(Command::Step(-step)),
            NamedKey::ArrowRight => Some(Command::Step(step)),
            NamedKey::ArrowUp => Some(Command::GoToCall(CallWalk::Caller)),
            NamedKey::ArrowDown if modifiers.shift_key() => {
                Some(Command::GoToCall(CallWalk::LongestChild))
            }
            NamedKey::ArrowDown => Some(Command::GoToCall(CallWalk::FirstChild)),
            NamedKey::Home => Some(Command::FlyHome),
            NamedKey::PageUp => Some(Command::LookFrom(Preset::Top)),
            NamedKey::PageDown => Some(Command::LookFrom(Preset::Isometric)),
            NamedKey::Tab => Some(Command::OrbitOrFly),
            NamedKey::Escape => Some(Command::Escape),
            NamedKey::F1 => Some(Command::ToggleHelp),
            NamedKey::F2 => Some(Command::Bookmarks(bookmarks::Ask::Add)),
            NamedKey::F4 => Some(Command::ToggleTalk),
            NamedKey::F5 if modifiers.shift_key() => {
                Some(Command::Live(live::Ask::Begin(usize::MAX)))
            }
            NamedKey::F5 => Some(Command::Live(live::Ask::Begin(0))),
            NamedKey::F9 => Some(Command::Script(script::Ask::Record)),
            NamedKey::F11 => Some(Command::Live(live::Ask::FullScreen)),
            NamedKey::F3 => Some(Command::ToggleTimings),
            _ => None,
        },
        Key::Character(text) if plain => match text.to_lowercase().as_str() {
            "/" => Some(Command::OpenSearch),
            "?" => Some(Command::ToggleHelp),
            "," => Some(Command::ToStart),
            "." => Some(Command::ToEnd),
            "-" | "−" => Some(Command::ScaleSpeed(0.5)),
            "+" | "=" => Some(Command::ScaleSpeed(2.0)),
            "r" => Some(Command::ToggleLoop),
            "i" => Some(Command::StepCall(CallStep::Into, !modifiers.shift_key())),
            "u" => Some(Command::StepCall(CallStep::Out, !modifiers.shift_key())),
            "j" => Some(Command::StepCall(CallStep::Over, !modifiers.shift_key())),
            "v" if modifiers.shift_key() => Some(Command::SwapRuns),
            "v" => Some(Command::Flip),
            "q" => Some(Command::Together(None)),
            "d" => Some(Command::ToggleOnlyDifferences),
            "y" => Some(Command::ToggleSummary),
            "h" => Some(Command::ToggleFollowing),
            "f" => Some(Command::FlyToSelection),
            "c" => Some(Command::CollapseOrExpand(None)),
            "e" => Some(Command::ExpandWhole(None)),
            "<" => Some(Command::ChangeLevel(-1)),
            ">" => Some(Command::ChangeLevel(1)),
            "z" => Some(Command::ToggleDetailBySize),
            "a" => Some(Command::ToggleMapping),
            "t" => Some(Command::SwitchTheme),
            "o" => Some(Command::ToggleSettings),
            "l" => Some(Command::ToggleLegend),
            "k" => Some(Command::ToggleStacks),
            "x" if modifiers.shift_key() => Some(Command::RemoveBelow),
            "x" => Some(Command::RemoveModule),
            "b" => Some(Command::HideThread),
            "n" if modifiers.shift_key() => Some(Command::GoToCall(CallWalk::PreviousOfFunction)),
            "n" => Some(Command::GoToCall(CallWalk::NextOfFunction)),
            "g" if modifiers.shift_key() => Some(Command::GoToCall(CallWalk::Limit)),
            "g" => Some(Command::GoToCall(CallWalk::Fit)),
            "m" if modifiers.shift_key() => Some(Command::ToggleMinimap),
            "m" => Some(Command::Maximise(None)),
            "p" => Some(Command::NextRows),
            "[" => Some(Command::StartRangeHere),
            "]" => Some(Command::EndRangeHere),
            key => {
                let key = key.chars().next().filter(|_| key.len() == 1)?;
                ViewId::from_key(key).map(Command::ToggleView)
            }
        },
        Key::Named(NamedKey::ArrowLeft) if modifiers.alt_key() => Some(Command::Back),
        Key::Named(NamedKey::ArrowRight) if modifiers.alt_key() => Some(Command::Forward),
        Key::Named(NamedKey::ArrowLeft) if modifiers.control_key() => Some(Command::PastView),
        Key::Named(NamedKey::ArrowRight) if modifiers.control_key() => Some(Command::NextView),
        Key::Character(text) if modifiers.alt_key() && !modifiers.control_key() => {
            let number: usize = text.parse().ok()?;
            let index = number.checked_sub(1)?;
            Some(Command::Bookmarks(bookmarks::Ask::GoTo(index, None)))
        }
        Key::Character(text) if modifiers.control_key() => match text.to_lowercase().as_str() {
            "f" => Some(Command::OpenSearch),
            "c" => Some(Command::CopyPicture),
            "p" => Some(Command::TogglePicture),
            "s" => Some(Command::SaveSession),
            "+" | "=" => Some(Command::ScaleText(1.1)),
            "-" | "−" => Some(Command::ScaleText(1.0 / 1.1)),
            "0" => Some(Command::ScaleText(0.0)),
            "z" if modifiers.shift_key() => Some(Command::RedoFilter),
            "z" => Some(Command::UndoFilter),
            "y" => Some(Command::RedoFilter),
            _ => None,
        },
        _ => None,
    }
}

/// The command of a key while a scene is presented; none for keys that mean the same as always.
pub fn in_presentation(event: &KeyEvent, modifiers: ModifiersState) -> Option<Command> {
    use live::{Ask, PointsWith};
    if modifiers.control_key() || modifiers.alt_key() || modifiers.super_key() {
        return None;
    }
    let ask = match &event.logical_key {
        Key::Named(key) => match key {
            NamedKey::ArrowRight | NamedKey::ArrowDown | NamedKey::PageDown | NamedKey::Space => {
                Ask::Next
            }
            NamedKey::ArrowLeft | NamedKey::ArrowUp | NamedKey::PageUp => Ask::Previous,
            NamedKey::Home => Ask::First,
            NamedKey::End => Ask::Last,
            NamedKey::Enter => Ask::Enter,
            NamedKey::Backspace => Ask::Script,
            NamedKey::Escape | NamedKey::F5 => Ask::Leave,
            NamedKey::F11 => Ask::FullScreen,
            _ => return None,
        },
        Key::Character(text) => match text.to_lowercase().as_str() {
            "b" | "." => Ask::Black,
            "l" => Ask::Point(PointsWith::Laser),
            "f" => Ask::Point(PointsWith::Flashlight),
            "n" => Ask::Notes,
            "a" => Ask::Auto,
            text => {
                let digit = text.chars().next().filter(char::is_ascii_digit)?;
                Ask::Digit(digit)
            }
        },
        _ => return None,
    };
    // A key that is held goes no further than one that is pressed.
    (!event.repeat).then_some(Command::Live(ask))
}

/// The command of a key pressed while the pointer is over a view that draws on a sheet.
pub fn on_sheet(event: &KeyEvent) -> Option<Command> {
    let key = match event.physical_key {
        PhysicalKey::Code(KeyCode::KeyW) => SheetKey::Zoom(1.3),
        PhysicalKey::Code(KeyCode::KeyS) => SheetKey::Zoom(1.0 / 1.3),
        PhysicalKey::Code(KeyCode::KeyA) => SheetKey::Pan(0.12),
        PhysicalKey::Code(KeyCode::KeyD) => SheetKey::Pan(-0.12),
        _ => return None,
    };
    Some(Command::SheetUnderPointer(key))
}

/// What a key does while the pointer is over a table, or its search field has the keyboard.
pub fn on_table(event: &KeyEvent) -> Option<TableKey> {
    Some(match event.logical_key {
        Key::Named(NamedKey::ArrowUp) => TableKey::Rows(-1),
        Key::Named(NamedKey::ArrowDown) => TableKey::Rows(1),
        Key::Named(NamedKey::PageUp) => TableKey::Pages(-1),
        Key::Named(NamedKey::PageDown) => TableKey::Pages(1),
        Key::Named(NamedKey::Home) => TableKey::First,
        Key::Named(NamedKey::End) => TableKey::Last,
        Key::Named(NamedKey::Enter) => TableKey::Enter,
        _ => return None,
    })
}

/// The same in the search field, where Home and End are the text's.
pub fn in_function_search(event: &KeyEvent) -> Option<TableKey> {
    on_table(event).filter(|key| !matches!(key, TableKey::First | TableKey::Last))
}

/// The command of a key pressed in the search field; none for what edits the text.
pub fn in_search(event: &KeyEvent) -> Option<Command> {
    match event.logical_key {
        Key::Named(NamedKey::ArrowUp) => Some(Command::MoveInResults(-1)),
        Key::Named(NamedKey::ArrowDown) => Some(Command::MoveInResults(1)),
        Key::Named(NamedKey::Enter) => Some(Command::TakeResult(None)),
        Key::Named(NamedKey::Escape) => Some(Command::Escape),
        _ => None,
    }
}

/// The keys of fly mode that are held down, by their place on the keyboard.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlyKeys {
    held: u8,
}

const FLY_KEYS: [KeyCode; 6] = [
    KeyCode::KeyW,
    KeyCode::KeyS,
    KeyCode::KeyD,
    KeyCode::KeyA,
    KeyCode::KeyE,
    KeyCode::KeyQ,
];

impl FlyKeys {
    /// Notes a key going down or up; whether it is one of fly mode's.
    pub fn set(&mut self, key: PhysicalKey, pressed: bool) -> bool {
        let found = FLY_KEYS.iter().position(|&code| key == code);
        if let Some(place) = found {
            self.held = self.held & !(1 << place) | u8::from(pressed) << place;
        }
        found.is_some()
    }

    pub fn release_all(&mut self) {
        self.held = 0;
    }

    pub fn thrust(&self) -> Thrust {
        let held = |place: u8| f32::from(self.held >> place & 1);
        Thrust {
            forward: held(0) - held(1),
            right: held(2) - held(3),
            up: held(4) - held(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fly_keys_add_up_and_are_released() {
        let mut keys = FlyKeys::default();
        let key = PhysicalKey::Code;
        assert!(keys.set(key(KeyCode::KeyW), true));
        assert!(keys.set(key(KeyCode::KeyA), true));
        assert!(!keys.set(key(KeyCode::KeyX), true));
        let thrust = keys.thrust();
        assert_eq!((thrust.forward, thrust.right, thrust.up), (1.0, -1.0, 0.0));
        keys.set(key(KeyCode::KeyS), true);
        assert_eq!(keys.thrust().forward, 0.0);
        keys.release_all();
        assert_eq!(keys.thrust(), Thrust::default());
    }
}
