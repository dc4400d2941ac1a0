//! Actions: what the user can do by a key, a menu or the palette, each with its name and a sentence.

use super::state::State;

/// Where keys mean what they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Anywhere,
    /// While the pointer is over a view along time.
    AlongTime,
    /// While the pointer is over a table.
    Table,
    /// While the pointer is over a chart of calling contexts.
    Chart,
    /// While the pointer is over a graph of who calls whom.
    Graph,
    /// While the field that searches a table has the keyboard: Home and End are the text's.
    TableField,
    /// While the search field has the keyboard.
    Search,
    /// While the palette has it, or the menu of what is pointed at is open.
    Palette,
    /// While the mapping file is edited.
    Mapping,
    /// While a scene is presented.
    Presentation,
}

impl Scope {
    pub const ALL: [Scope; 10] = [
        Scope::Anywhere,
        Scope::AlongTime,
        Scope::Table,
        Scope::Chart,
        Scope::Graph,
        Scope::TableField,
        Scope::Search,
        Scope::Palette,
        Scope::Mapping,
        Scope::Presentation,
    ];
}

/// What is on a key, without modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The key of this name.
    Key(&'static str),
    /// The key that types this, in lower case.
    Letter(char),
    /// The key at the place where an American keyboard has this letter, whatever it types.
    Place(char),
}

/// Keys pressed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chord {
    pub ctrl: bool,
    pub alt: bool,
    /// Where no chord with Shift is known the one without means the same.
    pub shift: bool,
    pub sign: Sign,
}

impl Chord {
    const fn of(sign: Sign) -> Chord {
        Chord {
            ctrl: false,
            alt: false,
            shift: false,
            sign,
        }
    }

    pub const fn key(name: &'static str) -> Chord {
        Chord::of(Sign::Key(name))
    }

    pub const fn letter(letter: char) -> Chord {
        Chord::of(Sign::Letter(letter))
    }

    pub const fn place(letter: char) -> Chord {
        Chord::of(Sign::Place(letter))
    }

    pub const fn shift(self) -> Chord {
        Chord {
            shift: true,
            ..self
        }
    }

    pub const fn ctrl(self) -> Chord {
        Chord { ctrl: true, ..self }
    }

    pub const fn alt(self) -> Chord {
        Chord { alt: true, ..self }
    }
}

/// What an action is done with: it stands in the menu of such a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// A view, where it shows nothing in particular.
    View,
    Module,
    Call,
    Thread,
    Time,
    /// The range that limits every view.
    Range,
    /// A row of a table.
    Row,
    /// A calling context.
    Context,
    Phase,
    /// Objects in memory: a row of them.
    Object,
}

/// Something that the user can do; what it asks for is an `A`. That of a view asks for no more than its id says.
pub struct Action<A: 'static = ()> {
    /// Stays the same, whatever the title becomes.
    pub id: &'static str,
    pub title: &'static str,
    /// A sentence.
    pub about: &'static str,
    pub chords: &'static [Chord],
    /// Where the chords mean this.
    pub scope: Scope,
    /// In the menus of what it stands.
    pub on: &'static [On],
    /// A held key does it again and again.
    pub repeats: bool,
    pub ask: fn() -> A,
    /// Whether it would do something now.
    pub is_possible: fn(&State) -> bool,
}

impl<A> Action<A> {
    /// An action that is possible at any time, by keys that mean it anywhere.
    pub const fn new(
        id: &'static str,
        title: &'static str,
        about: &'static str,
        chords: &'static [Chord],
        ask: fn() -> A,
    ) -> Action<A> {
        Action {
            id,
            title,
            about,
            chords,
            scope: Scope::Anywhere,
            on: &[],
            repeats: false,
            ask,
            is_possible: |_| true,
        }
    }

    pub const fn within(self, scope: Scope) -> Action<A> {
        Action { scope, ..self }
    }

    pub const fn on(self, on: &'static [On]) -> Action<A> {
        Action { on, ..self }
    }

    pub const fn repeating(self) -> Action<A> {
        Action {
            repeats: true,
            ..self
        }
    }

    pub const fn when(self, is_possible: fn(&State) -> bool) -> Action<A> {
        Action {
            is_possible,
            ..self
        }
    }
}

impl Action {
    /// An action of a view, which is asked to do what has this id: while the pointer is over it, or at any time where the
    /// keys mean this anywhere.
    pub const fn own(
        scope: Scope,
        id: &'static str,
        title: &'static str,
        about: &'static str,
        chords: &'static [Chord],
    ) -> Action {
        Action::new(id, title, about, chords, || ()).within(scope)
    }
}

/// A line of the help page, and the actions that it is about.
pub struct Line<A: 'static = ()> {
    /// As people write the keys, or what the mouse does.
    pub keys: &'static str,
    pub text: &'static str,
    pub actions: &'static [Action<A>],
}

/// Lines of the help that belong together.
pub struct Page<A: 'static> {
    pub title: &'static str,
    pub lines: &'static [Line<A>],
}
