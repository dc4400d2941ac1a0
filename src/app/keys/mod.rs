//! Which action a key means: an event of the keyboard is looked up in the table of keys.

mod table;

use winit::event::KeyEvent;
use winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

use super::action::{Action, Chord, Line, Scope, Sign};
use super::ask::{Ask, PaneAsk};
use super::camera::Thrust;
use super::workbench::Workbench;
use crate::views::table::{Needs, ViewId};

pub use table::PAGES;

/// A page of the help: what is pressed, and what it does.
pub struct HelpPage {
    pub title: &'static str,
    pub lines: Vec<HelpLine>,
}

pub struct HelpLine {
    pub keys: String,
    pub text: &'static str,
    pub actions: &'static [Action],
}

/// The pages of the help: the table of keys, with the keys of the views.
pub fn help() -> Vec<HelpPage> {
    let pages = PAGES.iter().map(|page| {
        let views = ViewId::ALL.into_iter().map(ViewId::line);
        let views = views.filter(|view| match view.needs {
            Needs::Comparison => page.title == table::TWO_RUNS,
            _ => page.title == table::VIEWS,
        });
        let views = views.map(|view| HelpLine {
            keys: view.key.to_string(),
            text: view.help,
            actions: &[],
        });
        let lines = page.lines.iter().map(|line: &Line| HelpLine {
            keys: line.keys.to_owned(),
            text: line.text,
            actions: line.actions,
        });
        HelpPage {
            title: page.title,
            lines: views.chain(lines).collect(),
        }
    });
    pages.collect()
}

/// All actions that keys have in `scope`.
fn actions(scope: Scope) -> impl Iterator<Item = &'static Action> {
    let lines = PAGES.iter().flat_map(|page| page.lines);
    let actions = lines.flat_map(|line| line.actions);
    actions.filter(move |action| action.scope == scope)
}

/// The action that a key means in `scope`: first with Shift, then, where Shift makes no difference, without.
fn action(scope: Scope, event: &KeyEvent, modifiers: ModifiersState) -> Option<&'static Action> {
    let chord = |shift: bool, sign: Sign| Chord {
        ctrl: modifiers.control_key(),
        alt: modifiers.alt_key(),
        shift,
        sign,
    };
    if modifiers.super_key() {
        return None;
    }
    let shift = modifiers.shift_key();
    let text;
    let mut signs = Vec::with_capacity(2);
    match &event.logical_key {
        Key::Named(key) => signs.extend(named(*key).map(Sign::Key)),
        Key::Character(typed) => {
            text = typed.to_lowercase();
            let mut letters = text.chars();
            if let (Some(letter), None) = (letters.next(), letters.next()) {
                signs.push(Sign::Letter(letter));
            }
        }
        _ => {}
    }
    signs.extend(placed(event.physical_key).map(Sign::Place));
    let chords = [true, false].into_iter().filter(|&with| shift || !with);
    let chords = chords.flat_map(|with| signs.iter().map(move |&sign| (with, sign)));
    let mut chords = chords.map(|(with, sign)| chord(with, sign));
    let found = chords.find_map(|chord| actions(scope).find(|it| it.chords.contains(&chord)))?;
    (!event.repeat || found.repeats).then_some(found)
}

fn named(key: NamedKey) -> Option<&'static str> {
    Some(match key {
        NamedKey::Space => "Space",
        NamedKey::ArrowLeft => "Left",
        NamedKey::ArrowRight => "Right",
        NamedKey::ArrowUp => "Up",
        NamedKey::ArrowDown => "Down",
        NamedKey::Home => "Home",
        NamedKey::End => "End",
        NamedKey::PageUp => "PageUp",
        NamedKey::PageDown => "PageDown",
        NamedKey::Tab => "Tab",
        NamedKey::Escape => "Escape",
        NamedKey::Enter => "Enter",
        NamedKey::Backspace => "Backspace",
        NamedKey::F1 => "F1",
        NamedKey::F2 => "F2",
        NamedKey::F3 => "F3",
        NamedKey::F4 => "F4",
        NamedKey::F5 => "F5",
        NamedKey::F9 => "F9",
        NamedKey::F11 => "F11",
        _ => return None,
    })
}

/// The letter at a place on the keyboard, as on an American one.
fn placed(key: PhysicalKey) -> Option<char> {
    let places = [
        (KeyCode::KeyW, 'w'),
        (KeyCode::KeyS, 's'),
        (KeyCode::KeyA, 'a'),
        (KeyCode::KeyD, 'd'),
    ];
    let mut places = places.into_iter();
    places.find_map(|(code, letter)| (key == code).then_some(letter))
}

/// What a key asks for in `scope`; nothing for keys that mean nothing there, or nothing now.
pub fn asked(
    scope: Scope,
    event: &KeyEvent,
    modifiers: ModifiersState,
    bench: &Workbench,
) -> Option<Ask> {
    if let Some(action) = action(scope, event, modifiers) {
        return (action.is_possible)(bench).then(action.ask);
    }
    let plain = !modifiers.control_key() && !modifiers.alt_key() && !modifiers.super_key();
    if scope != Scope::Anywhere || !plain || event.repeat {
        return None;
    }
    let Key::Character(typed) = &event.logical_key else {
        return None;
    };
    let mut letters = typed.chars();
    let letter = letters.next().filter(|_| letters.next().is_none())?;
    ViewId::from_key(letter).map(|view| PaneAsk::Toggle(view).into())
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
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_action_has_an_id_a_title_and_a_sentence_and_no_chord_means_two_things() {
        let mut ids = BTreeSet::new();
        for scope in Scope::ALL {
            let mut chords: Vec<(Chord, &str)> = Vec::new();
            for action in actions(scope) {
                assert!(ids.insert(action.id), "{} stands twice", action.id);
                assert!(!action.title.is_empty(), "{}", action.id);
                assert!(
                    action.about.ends_with('.'),
                    "{}: {}",
                    action.id,
                    action.about
                );
                for &chord in action.chords {
                    let taken = chords.iter().find(|(of, _)| *of == chord);
                    assert!(taken.is_none(), "{chord:?}: {} and {taken:?}", action.id);
                    chords.push((chord, action.id));
                }
            }
        }
        assert!(ids.len() > 80, "{}", ids.len());
    }

    #[test]
    fn the_help_lists_every_view_once() {
        let pages = help();
        for view in ViewId::ALL.map(ViewId::line) {
            let key = view.key.to_string();
            let lines = pages.iter().flat_map(|page| &page.lines);
            let found = lines.filter(|line| line.keys == key && line.text == view.help);
            assert_eq!(found.count(), 1, "{}", view.id);
        }
    }

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
