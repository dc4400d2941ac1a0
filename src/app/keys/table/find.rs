//! Finding and choosing.

use crate::command::Command;
use callscape_state::action::{Line, On, Scope};
use callscape_state::ask::{
    CardAsk, CutAsk, EditAsk, FilterAsk, SearchAsk, SelectAsk, ShowAsk, StepAsk,
};
use callscape_state::keys;

use super::possible::{has_recording, has_times, is_open, is_something_meant};

pub const LINES: &[Line<Command>] = keys! {
    "search; ↑ ↓ choose, Enter flies there" {
        "search.open" ["/" "Ctrl + F"] "Search", "Searches modules and functions by name." => SearchAsk::Open, when(is_open);
        "search.up" ["↑"] "The result above", "Marks the result above." => SearchAsk::Move(-1), within(Scope::Search), repeating();
        "search.down" ["↓"] "The result below", "Marks the result below." => SearchAsk::Move(1), within(Scope::Search), repeating();
        "search.take" ["Enter"] "Go to the result", "Chooses the marked result and flies there." => SearchAsk::Take(None), within(Scope::Search), repeating();
        "search.leave" ["Escape"] "Leave the search", "Closes the search." => Command::Escape, within(Scope::Search), repeating();
    }
    ["Point at"] "the arcs of that module alone" {}
    ["Click"] "select: its arcs stand out" {}
    ["Click an arc"] "list the calls behind it" {}
    "collapse or expand the module" { "cut.toggle" ["C"] "Collapse or expand", "Collapses or expands the module that is chosen or pointed at." => CutAsk::CollapseOrExpand(None), on(&[On::Module]), when(is_something_meant); }
    "leave the module out of every view" { "filter.module" ["X"] "Leave the module out", "Leaves the module that is chosen or pointed at out of every view." => FilterAsk::RemoveModule, on(&[On::Module]), when(is_something_meant); }
    "leave out what it triggers" { "filter.below" ["Shift + X"] "Leave out what it triggers", "Leaves what the module triggers out of every view." => FilterAsk::RemoveBelow, on(&[On::Module]), when(is_something_meant); }
    "leave the thread out" { "filter.thread" ["B"] "Leave the thread out", "Leaves the thread that is chosen or pointed at out of every view." => FilterAsk::HideThread, on(&[On::Thread, On::Call]), when(has_recording); }
    "leave out what is called often" { "filter.frequent" ["Shift + B"] "Leave out what is called often", "Shows how often functions are called, and leaves out those that are called more often than a limit." => CardAsk::ToggleFrequency, when(has_times); }
    "undo the last change of what is shown, and redo" {
        "step.undo" ["Ctrl + Z"] "Undo", "Takes back the last change of what is shown: what was left out, collapsed, chosen, coloured, opened." => StepAsk::Undo, repeating(), when(|state| state.steps.can_undo());
        "step.redo" ["Ctrl + Shift + Z" "Ctrl + Y"] "Redo", "Does again what was undone." => StepAsk::Redo, repeating(), when(|state| state.steps.can_redo());
    }
    "list the changes; a click goes back to one" { "step.list" ["Ctrl + H"] "List of changes", "Lists what was changed of what is shown, to go back to any of it." => CardAsk::ToggleSteps, when(is_open); }
    "expand the module and all in it" { "cut.expand" ["E"] "Expand the module and all in it", "Expands the module that is chosen or pointed at and all in it." => CutAsk::ExpandWhole(None), on(&[On::Module]), when(is_something_meant); }
    "collapse or expand everything by a level" {
        "cut.less" ["<"] "One level less", "Collapses everything by a level." => CutAsk::ChangeLevel(-1), when(is_open);
        "cut.more" [">"] "One level more", "Expands everything by a level." => CutAsk::ChangeLevel(1), when(is_open);
    }
    "collapse what is small on the screen" { "cut.by-size" ["Z"] "Detail by size", "Collapses what is small on the screen as the camera moves, or no longer." => CutAsk::ToggleDetailBySize, when(is_open); }
    "back and forward through what was selected" {
        "select.back" ["Alt + ←"] "Back", "Goes back to what was selected before." => SelectAsk::Back, when(is_open);
        "select.forward" ["Alt + →"] "Forward", "Goes forward again through what was selected." => SelectAsk::Forward, when(is_open);
    }
    ["Ctrl + click"] "open it in your editor" { "edit.chosen" ["Ctrl + Enter"] "Open in the editor", "Opens the file of what is chosen in your editor, at its line." => EditAsk::Chosen, on(&[On::Module, On::Call]), when(|state| state.line_of_chosen().is_some()); }
    "the code of what is chosen; what calls it and what it calls" {
        "show.code" ["Ctrl + L"] "Show its code", "Opens the view of code at what is chosen." => ShowAsk::Code, on(&[On::Module, On::Call]), when(|state| state.line_of_chosen().is_some());
        "show.neighbours" ["Ctrl + N"] "Show its neighbourhood", "Opens the view of what calls what is chosen, and of what it calls." => ShowAsk::Neighbours, on(&[On::Module, On::Call]), when(|state| has_recording(state) && is_something_meant(state));
    }
    "leave what lies on top: menu, card, help, search, notice, then flight, selection, range" { "escape" ["Escape"] "Leave", "Leaves what lies on top: a menu, a card, the help, the search, notices, a flight, the selection, the range." => Command::Escape; }
};
