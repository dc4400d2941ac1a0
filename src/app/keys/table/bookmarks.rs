//! Bookmarks and recording scenes.

use crate::command::{BookmarkAsk, Command, ScriptAsk, TalkAsk};
use callscape_state::action::{Line, On};
use callscape_state::keys;

use super::possible::is_open;

pub(super) const LINES: &[Line<Command>] = keys! {
    "save the current display as a bookmark" { "bookmark.add" ["F2"] "Add a bookmark", "Saves the current display as a bookmark." => BookmarkAsk::Add, on(&[On::View]), when(is_open); }
    "list them: go, rename, put in order, export" { "card.bookmarks" ["F4"] "Bookmarks and scenes", "Lists the bookmarks and the scene that is edited." => TalkAsk::Toggle; }
    [= "Alt + 1 … 9"] "go to a bookmark" {
        "bookmark.1" ["Alt + 1"] "Go to bookmark 1", "Shows what bookmark 1 keeps." => BookmarkAsk::GoTo(0, None), when(is_open);
        "bookmark.2" ["Alt + 2"] "Go to bookmark 2", "Shows what bookmark 2 keeps." => BookmarkAsk::GoTo(1, None), when(is_open);
        "bookmark.3" ["Alt + 3"] "Go to bookmark 3", "Shows what bookmark 3 keeps." => BookmarkAsk::GoTo(2, None), when(is_open);
        "bookmark.4" ["Alt + 4"] "Go to bookmark 4", "Shows what bookmark 4 keeps." => BookmarkAsk::GoTo(3, None), when(is_open);
        "bookmark.5" ["Alt + 5"] "Go to bookmark 5", "Shows what bookmark 5 keeps." => BookmarkAsk::GoTo(4, None), when(is_open);
        "bookmark.6" ["Alt + 6"] "Go to bookmark 6", "Shows what bookmark 6 keeps." => BookmarkAsk::GoTo(5, None), when(is_open);
        "bookmark.7" ["Alt + 7"] "Go to bookmark 7", "Shows what bookmark 7 keeps." => BookmarkAsk::GoTo(6, None), when(is_open);
        "bookmark.8" ["Alt + 8"] "Go to bookmark 8", "Shows what bookmark 8 keeps." => BookmarkAsk::GoTo(7, None), when(is_open);
        "bookmark.9" ["Alt + 9"] "Go to bookmark 9", "Shows what bookmark 9 keeps." => BookmarkAsk::GoTo(8, None), when(is_open);
    }
    "record a scene: fly and click; again: end" { "scene.record" ["F9"] "Record a scene", "Records your actions as shots; press again to stop." => ScriptAsk::Record, when(is_open); }
};
