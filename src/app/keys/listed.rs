//! All that can be done, as menus and the palette list it: the actions of the table of keys, and the views.

use super::{PAGES, command_of_view, is_here, page_of, page_of_keys};
use crate::command::Command;
use callscape_state::State;
use callscape_state::action::{Action, On, Scope};
use callscape_state::ask::PaneAsk;
use callscape_state::chord::Chord;
use callscape_state::panes::{Kind, ViewId};
use callscape_views::{Entry, REGISTRY};

/// Something that can be done.
#[derive(Clone, Copy)]
pub struct Listed {
    pub id: &'static str,
    pub title: &'static str,
    /// A sentence, or what a view shows.
    pub about: &'static str,
    /// The title of the page of the help that it stands on.
    pub page: &'static str,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    OfWindow(&'static Action<Command>),
    OfView(&'static Entry, &'static Action),
    Toggle(&'static Entry),
}

/// All that keys do, but for those of fields and of a presentation; page by page, views first.
pub(crate) fn listed() -> impl Iterator<Item = Listed> {
    PAGES.iter().flat_map(|page| {
        let views = REGISTRY.iter().filter(|entry| page_of(entry) == page.title);
        let views = views.map(|entry| Listed {
            id: entry.line.id,
            title: entry.line.title,
            about: entry.line.about,
            page: page.title,
            what: What::Toggle(entry),
        });
        let of_window = page.lines.iter().flat_map(|line| line.actions);
        let of_window = of_window.filter(|it| is_here(it));
        let of_window = of_window.map(|action| Listed {
            id: action.id,
            title: action.title,
            about: action.about,
            page: page.title,
            what: What::OfWindow(action),
        });
        let own = REGISTRY
            .iter()
            .filter(|entry| page_of_keys(entry) == page.title);
        let own = own.flat_map(|entry| {
            let actions = entry.keys.iter().flat_map(|line| line.actions);
            actions.map(move |action| (entry, action))
        });
        let own = own.map(|(entry, action)| Listed {
            id: action.id,
            title: action.title,
            about: action.about,
            page: page.title,
            what: What::OfView(entry, action),
        });
        let all = views.chain(of_window).chain(own);
        all.filter(|listed| kind_of(listed.scope()).is_some())
    })
}

/// The kind of view that actions of a scope are about, for any view none; nothing for a scope that menus leave out.
fn kind_of(scope: Scope) -> Option<Option<Kind>> {
    match scope {
        Scope::Anywhere => Some(None),
        Scope::AlongTime => Some(Some(Kind::AlongTime)),
        Scope::Table => Some(Some(Kind::Table)),
        Scope::Chart => Some(Some(Kind::Chart)),
        Scope::Graph => Some(Some(Kind::Graph)),
        Scope::TableField
        | Scope::Search
        | Scope::Palette
        | Scope::Mapping
        | Scope::Presentation => None,
    }
}

impl Listed {
    fn scope(&self) -> Scope {
        match self.what {
            What::OfWindow(action) => action.scope,
            What::OfView(_, action) => action.scope,
            What::Toggle(_) => Scope::Anywhere,
        }
    }

    /// Whether it is done in one view only.
    pub fn is_of_view(&self) -> bool {
        matches!(self.what, What::OfView(..))
    }

    /// In the menus of what it stands.
    pub fn on(&self) -> &'static [On] {
        match self.what {
            What::OfWindow(action) => action.on,
            What::OfView(_, action) => action.on,
            What::Toggle(_) => &[],
        }
    }

    /// Its keys as people write them, the first of several; empty where it has none.
    pub fn keys(&self) -> String {
        let chords = match self.what {
            What::OfWindow(action) => action.chords,
            What::OfView(_, action) => action.chords,
            What::Toggle(entry) => return entry.line.key.to_string(),
        };
        chords.first().map(Chord::to_string).unwrap_or_default()
    }

    /// Whether it is a view, and open.
    pub fn is_on(&self, state: &State) -> bool {
        match self.what {
            What::Toggle(entry) => state.panes.is_open(ViewId::of(&entry.line)),
            _ => false,
        }
    }

    /// What it asks for; nothing where it would do nothing now.
    pub fn command(&self, state: &State) -> Option<Command> {
        let is_there = match kind_of(self.scope())? {
            Some(kind) => state.panes.under_pointer(kind).is_some(),
            None => true,
        };
        match self.what {
            _ if !is_there => None,
            What::OfWindow(action) => (action.is_possible)(state).then(action.ask),
            What::OfView(entry, action) => command_of_view(entry, action, state),
            What::Toggle(entry) => {
                let view = ViewId::of(&entry.line);
                let document = state.document.as_ref();
                let can = document.is_none_or(|it| it.has(entry.line.needs));
                (can || state.panes.is_open(view)).then(|| PaneAsk::Toggle(view).into())
            }
        }
    }
}

/// A text with the keys of actions and views in place of their ids in braces.
pub(crate) fn with_keys(text: &str) -> String {
    let mut written = String::new();
    for (number, part) in text.split(['{', '}']).enumerate() {
        match number % 2 {
            0 => written.push_str(part),
            _ => {
                let action = listed().find(|it| it.id == part);
                written.push_str(&action.map_or(String::new(), |it| it.keys()));
            }
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn menus_list_all_actions_of_the_keys_once() {
        let all: Vec<Listed> = listed().collect();
        let mut ids: Vec<&str> = all.iter().map(|it| it.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all.len());
        for id in ["landscape", "camera.home", "filter.module", "row.up"] {
            assert!(ids.binary_search(&id).is_ok(), "{id}");
        }
        for id in ["search.up", "mapping.save", "present.digit-1"] {
            assert!(ids.binary_search(&id).is_err(), "{id}");
        }
    }

    #[test]
    fn keys_are_written_as_the_help_writes_them() {
        let keys = |id: &str| listed().find(|it| it.id == id).map(|it| it.keys());
        assert_eq!(keys("step.redo").as_deref(), Some("Ctrl + Shift + Z"));
        assert_eq!(keys("play.ten-back").as_deref(), Some("Shift + ←"));
        assert_eq!(keys("landscape").as_deref(), Some("1"));
    }
}
