//! Actions: what the user can do by a key, a menu or the palette, each with its name and a sentence.

use super::chord::{Chord, written};
use super::own::Own;
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

/// Something that the user can do; what it asks for is an `A`.
pub struct Action<A: 'static = Own> {
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

/// A line of the help page, and the actions that it is about.
pub struct Line<A: 'static = Own> {
    /// What stands before the keys of the actions: what the mouse does, or where else the actions are found.
    pub said: &'static str,
    /// Several of the keys in one word, instead of them.
    pub instead: bool,
    pub text: &'static str,
    pub actions: &'static [Action<A>],
}

impl<A> Line<A> {
    /// What is pressed, as people write it: by the chords of the actions, but for those in fields.
    pub fn keys(&self) -> String {
        let scope = self.actions.first().map(|action| action.scope);
        let actions = self.actions.iter().filter(|it| Some(it.scope) == scope);
        let made = written(actions.map(|action| action.chords));
        let parts = match self.instead {
            true => vec![self.said.to_owned()],
            false => vec![self.said.to_owned(), made],
        };
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// Lines of the help that belong together.
pub struct Page<A: 'static> {
    pub title: &'static str,
    pub lines: &'static [Line<A>],
}

/// An action as it is.
pub const fn plain<A>(action: Action<A>) -> Action<A> {
    action
}

/// Lines of the help, and below each its actions, one a line: id, chords, title, sentence, what it asks for, and the rest of
/// it as calls of [`Action`]. `each` is done to every action.
///
/// Before the text of a line may stand in brackets what the mouse does, or behind a `=` what is said instead of the chords.
/// With `enum` in front the actions are a view's own; they have names in place of what they ask for.
#[macro_export]
macro_rules! keys {
    ($(#[$about:meta])* $vis:vis enum $does:ident of $view:literal, each $each:path;
        $($([$($said:tt)+])? $text:literal {
            $($name:ident $id:literal [$($chord:literal)*] $title:literal, $sentence:literal $(, $with:ident($($arg:tt)*))*;)*
        })*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $does { $($($name,)*)* }

        impl $crate::own::OwnAction for $does {
            const VIEW: &'static str = $view;
            const ALL: &'static [$does] = &[$($($does::$name,)*)*];
        }

        pub(super) const KEYS: &[$crate::action::Line] = $crate::keys! { @lines $each;
            $([$($($said)+)?] $text {
                $($id [$($chord)*] $title, $sentence => $crate::own::Own::of($does::$name) $(, $with($($arg)*))*;)*
            })*
        };
    };
    (@lines $each:path;
        $([$($said:tt)*] $text:literal {
            $($id:literal [$($chord:literal)*] $title:literal, $sentence:literal => $ask:expr $(, $with:ident($($arg:tt)*))*;)*
        })*
    ) => {
        &[$($crate::action::Line {
            said: $crate::keys!(@said $($said)*),
            instead: $crate::keys!(@instead $($said)*),
            text: $text,
            actions: &[$($each($crate::action::Action::new(
                $id, $title, $sentence, &[$($crate::chord::Chord::of($chord)),*], || $ask.into(),
            )$(.$with($($arg)*))*)),*],
        }),*]
    };
    (@said = $said:literal) => { $said };
    (@said $said:literal) => { $said };
    (@said) => { "" };
    (@instead = $said:literal) => { true };
    (@instead $($said:literal)?) => { false };
    (each $each:path; $($([$($said:tt)+])? $text:literal { $($actions:tt)* })*) => {
        $crate::keys! { @lines $each; $([$($($said)+)?] $text { $($actions)* })* }
    };
    ($($lines:tt)*) => {
        $crate::keys! { each $crate::action::plain; $($lines)* }
    };
}
