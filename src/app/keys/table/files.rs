//! Files and pictures: what is opened, and what is kept.

use crate::command::{Chosen, Command, FileAsk, PairAsk, PictureAsk, RecordAsk};
use callscape_state::action::{Line, On};
use callscape_state::keys;

use super::possible::{has_source, is_history, is_open};

pub(super) const LINES: &[Line<Command>] = keys! {
    "open a folder; with Shift a recording" {
        "file.folder" ["Ctrl + O"] "Open a folder…", "Opens a folder of source code." => FileAsk::Choose(Chosen::Folder);
        "file.recording" ["Ctrl + Shift + O"] "Open a recording…", "Opens a trace or profile; two of them are compared." => FileAsk::Choose(Chosen::Recordings);
        "runs.compare" [] "Compare with…", "Adds a second run (B) to the open recording, or chooses both, and shows why they differ." => PairAsk::Toggle, on(&[On::View]);
        "runs.revisions" [] "Compare two revisions…", "Shows what was added, removed, moved, grown and shrunk between two tags, branches or commits of the source tree." => PairAsk::Revisions, on(&[On::View]), when(has_source);
        "file.record" [] "Record a program…", "Runs a program under a recorder and opens the recording." => RecordAsk::Toggle;
        "file.history" [] "Play the history", "Plays who changed what when, from the git repository of the source tree." => FileAsk::History, when(has_source);
        "file.tree" [] "Open the source tree", "Opens the source tree whose history is displayed." => FileAsk::Tree, when(is_history);
        "file.tree-then" [] "Open the source tree of the displayed date", "Opens the source tree as it was at the displayed date of its history, with its functions." => FileAsk::TreeThen, when(is_history);
        "file.demo" [] "Open the demo", "Opens the built-in demo." => FileAsk::Demo;
        "card.welcome" [] "Welcome", "Shows inputs to open, and recent ones." => FileAsk::Welcome;
    }
    ["Drop files"] "open a source tree or a recording, or add a second run" {}
    "save the session: files, views, selection" {
        "file.save" ["Ctrl + S"] "Save the session", "Saves the open inputs and the current display." => FileAsk::SaveSession, when(is_open);
        "file.share" [] "Share…", "Bundles the open inputs, the session and the scene into one file for another machine." => FileAsk::Share, when(is_open);
        "file.page" [] "Share as a page…", "Writes one file that plays in a browser, without Callscape and without a network." => FileAsk::SharePage, when(is_open);
    }
    "copy the picture of the view under the pointer" { "picture.copy" ["Ctrl + C"] "Copy the picture", "Copies the view under the pointer to the clipboard as it is shown." => PictureAsk::Copy(None), on(&[On::View]), when(is_open); }
    "copy the command that renders the view under the pointer" { "picture.command" [] "Copy as command", "Copies the `callscape render` command that gives this picture." => PictureAsk::Command, on(&[On::View, On::Context, On::Row]), when(is_open); }
    "save a picture of the view under the pointer: a PNG, vector graphics, or a model of the landscape" {
        "picture.card" ["Ctrl + Shift + S"] "Save a picture", "Saves the view under the pointer as a picture." => PictureAsk::Toggle, on(&[On::View]), when(is_open);
        "film.card" [] "Make a film…", "Asks for a film of the scene, the way through the bookmarks, or the range." => FileAsk::Film, on(&[On::View]), when(is_open);
    }
};
