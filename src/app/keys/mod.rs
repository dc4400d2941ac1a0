//! Which action a key means: an event of the keyboard is looked up in the table of keys.

mod listed;
mod table;

use winit::event::KeyEvent;
use winit::keyboard::{Key, KeyCode, ModifiersState, NamedKey, PhysicalKey};

use crate::command::Command;
use callscape_state::State;
use callscape_state::action::{Action, Scope};
use callscape_state::ask::{Ask, PaneAsk, ViewAsk};
use callscape_state::camera::Thrust;
use callscape_state::chord::{Chord, Sign};
use callscape_state::panes::{Kind, Needs, ViewId};
use callscape_views::{Entry, REGISTRY};

pub(crate) use listed::{Listed, listed, with_keys};
pub(crate) use table::{FILES, PAGES, TWO_RUNS};

/// A page of the help: what is pressed, and what it does.
pub(crate) struct HelpPage {
    pub title: &'static str,
    pub lines: Vec<HelpLine>,
}

pub(crate) struct HelpLine {
    pub keys: String,
    pub text: &'static str,
    pub actions: Vec<Described>,
}

/// What help and menus say of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Described {
    pub id: &'static str,
    pub title: &'static str,
    pub about: &'static str,
}

/// What a page in a browser cannot do is not there: dialogs, recorders, editors, and pictures read back at once.
const AWAY: [&str; 14] = [
    "card.welcome",
    "edit.chosen",
    "file.folder",
    "file.page",
    "file.record",
    "file.recording",
    "file.save",
    "file.share",
    "film.card",
    "mapping.save",
    "picture.card",
    "picture.command",
    "picture.copy",
    "runs.compare",
];

/// Whether an action is there in this program.
fn is_here<A>(action: &Action<A>) -> bool {
    !cfg!(target_arch = "wasm32") || !AWAY.contains(&action.id)
}

fn described<A>(actions: &[Action<A>]) -> Vec<Described> {
    let here = actions.iter().filter(|it| is_here(it));
    let described = here.map(|action| Described {
        id: action.id,
        title: action.title,
        about: action.about,
    });
    described.collect()
}

/// The page of the help that has the key of a view.
fn page_of(entry: &Entry) -> &'static str {
    match entry.line.needs {
        Needs::TwoRuns | Needs::TwoRunsWithTimes => table::TWO_RUNS,
        _ => table::VIEWS,
    }
}

/// The page of the help that has a view's own keys.
fn page_of_keys(entry: &Entry) -> &'static str {
    match entry.line.kind {
        Kind::AlongTime => table::ALONG_TIME,
        Kind::Table | Kind::Chart => table::TABLES,
        Kind::Graph => table::GRAPHS,
        Kind::Plain => page_of(entry),
    }
}

/// The pages of the help: the table of keys, with the keys of the views.
pub(crate) fn help() -> Vec<HelpPage> {
    let pages = PAGES.iter().map(|page| {
        let of_views = REGISTRY.iter().filter(|entry| page_of(entry) == page.title);
        let of_views = of_views.map(|entry| HelpLine {
            keys: entry.line.key.to_string(),
            text: entry.line.help,
            actions: Vec::new(),
        });
        let lines = page.lines.iter();
        // A line whose actions are all away is about nothing.
        let lines = lines.filter(|it| it.actions.is_empty() || it.actions.iter().any(is_here));
        let lines = lines.map(|line| HelpLine {
            keys: line.keys(),
            text: line.text,
            actions: described(line.actions),
        });
        let own = REGISTRY
            .iter()
            .filter(|entry| page_of_keys(entry) == page.title);
        let own = own.flat_map(|entry| entry.keys).map(|line| HelpLine {
            keys: line.keys(),
            text: line.text,
            actions: described(line.actions),
        });
        HelpPage {
            title: page.title,
            lines: of_views.chain(lines).chain(own).collect(),
        }
    });
    pages.collect()
}

/// All actions that keys have in `scope`: those of the window, then those of the views.
fn actions(scope: Scope) -> impl Iterator<Item = Meant> {
    let lines = PAGES.iter().flat_map(|page| page.lines);
    let actions = lines.flat_map(|line| line.actions);
    let actions = actions.filter(|it| is_here(it)).map(Meant::Window);
    let of_views = REGISTRY.iter().flat_map(|entry| {
        let actions = entry.keys.iter().flat_map(|line| line.actions);
        actions.map(move |action| Meant::View(entry, action))
    });
    let all = actions.chain(of_views);
    all.filter(move |action| action.scope() == scope)
}

/// An action of the window, or one of a view's own.
#[derive(Clone, Copy)]
enum Meant {
    Window(&'static Action<Command>),
    View(&'static Entry, &'static Action),
}

impl Meant {
    fn scope(self) -> Scope {
        match self {
            Meant::Window(action) => action.scope,
            Meant::View(_, action) => action.scope,
        }
    }

    fn has(self, chord: Chord) -> bool {
        match self {
            Meant::Window(action) => action.chords.contains(&chord),
            Meant::View(_, action) => action.chords.contains(&chord),
        }
    }

    /// Whether keys mean it now: views have keys of their own while the pointer is over them.
    fn is_meant(self, state: &State) -> bool {
        match self {
            Meant::Window(_) => true,
            Meant::View(entry, action) => is_meant(entry, action, state),
        }
    }

    fn repeats(self) -> bool {
        match self {
            Meant::Window(action) => action.repeats,
            Meant::View(_, action) => action.repeats,
        }
    }

    /// What it asks for; nothing where it would do nothing.
    fn command(self, state: &State) -> Option<Command> {
        match self {
            Meant::Window(action) => (action.is_possible)(state).then(action.ask),
            Meant::View(entry, action) => command_of_view(entry, action, state),
        }
    }
}

/// Whether an action of a view can be meant: unless its keys mean it anywhere the pointer has to be over the view.
fn is_meant(entry: &'static Entry, action: &Action, state: &State) -> bool {
    let view = ViewId::of(&entry.line);
    let over = state.panes.under_pointer;
    action.scope == Scope::Anywhere || over.is_some_and(|(over, _)| over == view)
}

/// What an action of a view asks for; nothing where it would do nothing.
fn command_of_view(entry: &'static Entry, action: &Action, state: &State) -> Option<Command> {
    let view = ViewId::of(&entry.line);
    let can = is_meant(entry, action, state) && (action.is_possible)(state);
    can.then(|| Ask::View(Some(view), ViewAsk::Do((action.ask)())).into())
}

/// The action that a key means in `scope`: first with Shift, then, where Shift makes no difference, without.
fn action(
    scope: Scope,
    event: &KeyEvent,
    modifiers: ModifiersState,
    state: &State,
) -> Option<Meant> {
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
                signs.push(Sign::typed(letter));
            }
        }
        _ => {}
    }
    signs.extend(placed(event.physical_key).map(Sign::Place));
    let chords = [true, false].into_iter().filter(|&with| shift || !with);
    let chords = chords.flat_map(|with| signs.iter().map(move |&sign| (with, sign)));
    let mut chords = chords.map(|(with, sign)| chord(with, sign));
    let meant = |chord| actions(scope).find(|it: &Meant| it.has(chord) && it.is_meant(state));
    let found = chords.find_map(meant)?;
    (!event.repeat || found.repeats()).then_some(found)
}

fn named(key: NamedKey) -> Option<&'static str> {
    Some(match key {
        NamedKey::Space => "Space",
        NamedKey::ArrowLeft => "←",
        NamedKey::ArrowRight => "→",
        NamedKey::ArrowUp => "↑",
        NamedKey::ArrowDown => "↓",
        NamedKey::Home => "Home",
        NamedKey::End => "End",
        NamedKey::PageUp => "Page up",
        NamedKey::PageDown => "Page down",
        NamedKey::Tab => "Tab",
        NamedKey::Escape => "Escape",
        NamedKey::Enter => "Enter",
        NamedKey::Backspace => "Backspace",
        NamedKey::ContextMenu => "Menu key",
        NamedKey::F1 => "F1",
        NamedKey::F2 => "F2",
        NamedKey::F3 => "F3",
        NamedKey::F4 => "F4",
        NamedKey::F5 => "F5",
        NamedKey::F6 => "F6",
        NamedKey::F9 => "F9",
        NamedKey::F10 => "F10",
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

/// The view whose key was typed. Signs may take AltGr, which some systems tell as Alt, or as Ctrl and Alt.
fn view_of(key: &Key, modifiers: ModifiersState) -> Option<&'static Entry> {
    let Key::Character(typed) = key else {
        return None;
    };
    let mut letters = typed.chars();
    let letter = letters.next().filter(|_| letters.next().is_none())?;
    let (ctrl, alt) = (modifiers.control_key(), modifiers.alt_key());
    let can_be = match letter.is_alphanumeric() {
        true => !ctrl && !alt,
        false => !ctrl || alt,
    };
    if !can_be || modifiers.super_key() {
        return None;
    }
    let entry = REGISTRY.iter().find(|entry| entry.line.key == letter)?;
    Some(entry)
}

/// Whether a key types the sign of a view, wherever on the keyboard that is: AltGr + Q types `@` on a German one.
pub(crate) fn is_sign_of_view(key: &Key, modifiers: ModifiersState) -> bool {
    let entry = view_of(key, modifiers);
    entry.is_some_and(|entry| !entry.line.key.is_alphanumeric())
}

/// What a key asks for in `scope`; nothing for keys that mean nothing there, or nothing now.
pub(crate) fn asked(
    scope: Scope,
    event: &KeyEvent,
    modifiers: ModifiersState,
    state: &State,
) -> Option<Command> {
    if let Some(action) = action(scope, event, modifiers, state) {
        return action.command(state);
    }
    if scope != Scope::Anywhere || event.repeat {
        return None;
    }
    let entry = view_of(&event.logical_key, modifiers)?;
    Some(PaneAsk::Toggle(ViewId::of(&entry.line)).into())
}

/// What a key asks for of `view`, whose field for text has the keyboard.
pub(crate) fn asked_of_field(
    view: ViewId,
    event: &KeyEvent,
    modifiers: ModifiersState,
    state: &State,
) -> Option<Command> {
    match asked(Scope::TableField, event, modifiers, state)? {
        Command::Ask(Ask::Pointed(ask)) => Some(Ask::View(Some(view), ask).into()),
        command => Some(command),
    }
}

/// The keys of fly mode that are held down, by their place on the keyboard.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlyKeys {
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
    pub(crate) fn set(&mut self, key: PhysicalKey, pressed: bool) -> bool {
        let found = FLY_KEYS.iter().position(|&code| key == code);
        if let Some(place) = found {
            self.held = self.held & !(1 << place) | u8::from(pressed) << place;
        }
        found.is_some()
    }

    pub(crate) fn release_all(&mut self) {
        self.held = 0;
    }

    pub(crate) fn thrust(&self) -> Thrust {
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
            // Those of two views may be the same: the pointer is over one of them.
            let mut chords: Vec<(Chord, &str, Option<&str>)> = Vec::new();
            for meant in actions(scope) {
                let (action, all, of) = match meant {
                    Meant::Window(action) => {
                        (described(std::slice::from_ref(action)), action.chords, None)
                    }
                    Meant::View(entry, action) => {
                        let of = (scope != Scope::Anywhere).then_some(entry.line.id);
                        (described(std::slice::from_ref(action)), action.chords, of)
                    }
                };
                let action = action[0];
                assert!(ids.insert(action.id), "{} stands twice", action.id);
                assert!(!action.title.is_empty(), "{}", action.id);
                assert!(
                    action.about.ends_with('.'),
                    "{}: {}",
                    action.id,
                    action.about
                );
                for &chord in all {
                    let is_other = |a: Option<&str>| a.is_some() && of.is_some() && a != of;
                    let taken = chords.iter().find(|it| it.0 == chord && !is_other(it.2));
                    assert!(taken.is_none(), "{chord:?}: {} and {taken:?}", action.id);
                    chords.push((chord, action.id, of));
                }
            }
        }
        assert!(ids.len() > 80, "{}", ids.len());
    }

    /// The help as a document.
    fn document() -> String {
        let mut text = String::from("# Keys\n\nWhat F1 shows. Made from the table of keys.\n");
        for page in help() {
            text.push_str(&format!(
                "\n## {}\n\n| press | to |\n|---|---|\n",
                page.title
            ));
            for line in page.lines {
                let keys = line.keys.replace('|', "\\|");
                text.push_str(&format!("| {keys} | {} |\n", line.text.replace('|', "\\|")));
            }
        }
        text
    }

    /// With `CALLSCAPE_GOLDEN` set, the document is written instead.
    #[test]
    fn the_document_of_keys_is_what_the_table_says() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/keys.md");
        if std::env::var_os("CALLSCAPE_GOLDEN").is_some() {
            std::fs::write(path, document()).expect("the document can be written");
        }
        let found = std::fs::read_to_string(path).expect("the document of keys");
        assert!(
            found == document(),
            "docs/keys.md is made by this test with CALLSCAPE_GOLDEN=1"
        );
    }

    #[test]
    fn the_help_lists_every_view_once() {
        let pages = help();
        for view in REGISTRY.iter().map(|entry| &entry.line) {
            let key = view.key.to_string();
            let lines = pages.iter().flat_map(|page| &page.lines);
            let found = lines.filter(|line| line.keys == key && line.text == view.help);
            assert_eq!(found.count(), 1, "{}", view.id);
        }
    }

    #[test]
    fn signs_of_views_are_known_wherever_they_are_typed() {
        let (ctrl, alt) = (ModifiersState::CONTROL, ModifiersState::ALT);
        let shift = ModifiersState::SHIFT;
        let view = |typed: &str, modifiers| {
            let key = Key::Character(typed.into());
            let found = view_of(&key, modifiers).map(|it| it.line.key);
            let is_sign = found.is_some_and(|it| !it.is_alphanumeric());
            assert_eq!(is_sign_of_view(&key, modifiers), is_sign);
            found
        };
        for sign in REGISTRY.iter().map(|it| it.line.key) {
            let typed = sign.to_string();
            // AltGr is told as nothing, as Alt, or as Ctrl and Alt.
            for altgr in [ModifiersState::empty(), alt, ctrl | alt] {
                let is_meant = altgr.is_empty() || !sign.is_alphanumeric();
                for modifiers in [altgr, altgr | shift] {
                    assert_eq!(view(&typed, modifiers), is_meant.then_some(sign));
                }
            }
            assert_eq!(view(&typed, ctrl), None);
            assert_eq!(view(&typed, ModifiersState::SUPER), None);
        }
        assert!(REGISTRY.iter().any(|it| it.line.key == '@'));
        for typed in ["q", "~", "@@", ""] {
            assert_eq!(view(typed, ModifiersState::empty()), None, "{typed}");
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
