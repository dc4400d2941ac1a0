//! Finding and choosing.

use crate::command::Command;
use callscape_state::action::{Line, On, Scope};
use callscape_state::ask::{
    CardAsk, CutAsk, EditAsk, FilterAsk, SearchAsk, SelectAsk, ShowAsk, StepAsk,
};
use callscape_state::keys;

use super::possible::{has_recording, has_times, is_open, is_something_meant};

pub(super) const LINES: &[Line<Command>] = keys! {
    "search; ↑ ↓ choose, Enter flies there" {
        "search.open" ["/" "Ctrl + F"] "Search", "Searches modules and functions by name." => SearchAsk::Open, when(is_open);
        "search.up" ["↑"] "The result above", "Marks the result above." => SearchAsk::Move(-1), within(Scope::Search), repeating();
        "search.down" ["↓"] "The result below", "Marks the result below." => SearchAsk::Move(1), within(Scope::Search), repeating();
        "search.take" ["Enter"] "Go to the result", "Chooses the marked result and flies there." => SearchAsk::Take(None), within(Scope::Search), repeating();
        "search.leave" ["Escape"] "Leave the search", "Closes the search." => Command::Escape, within(Scope::Search), repeating();
    }
    ["Point at"] "only the arcs of that module" {}
    ["Click"] "select: its arcs stand out" {}
    ["Click an arc"] "list its calls" {}
    "collapse or expand the module" { "cut.toggle" ["C"] "Collapse or expand", "Collapses or expands the module that is chosen or pointed at." => CutAsk::CollapseOrExpand(None), on(&[On::Module]), when(is_something_meant); }
    "exclude the module from every view" { "filter.module" ["X"] "Exclude the module", "Excludes the module that is chosen or pointed at from every view." => FilterAsk::RemoveModule, on(&[On::Module]), when(is_something_meant); }
    "exclude the calls it triggers" { "filter.below" ["Shift + X"] "Exclude the calls it triggers", "Leaves what the module triggers out of every view." => FilterAsk::RemoveBelow, on(&[On::Module]), when(is_something_meant); }
    "exclude the thread" { "filter.thread" ["B"] "Exclude the thread", "Excludes the thread that is chosen or pointed at from every view." => FilterAsk::HideThread, on(&[On::Thread, On::Call]), when(has_recording); }
    "exclude frequently called functions" { "filter.frequent" ["Shift + B"] "Exclude frequently called functions", "Shows how often functions are called, and leaves out those that are called more often than a limit." => CardAsk::ToggleFrequency, when(has_times); }
    "undo the last change of the display, and redo" {
        "step.undo" ["Ctrl + Z"] "Undo", "Undoes the last change of the display: excluding, collapsing, selecting, colouring, opening." => StepAsk::Undo, repeating(), when(|state| state.steps.can_undo());
        "step.redo" ["Ctrl + Shift + Z" "Ctrl + Y"] "Redo", "Redoes the last undone change." => StepAsk::Redo, repeating(), when(|state| state.steps.can_redo());
    }
    "list the changes; a click goes back to one" { "step.list" ["Ctrl + H"] "List of changes", "Lists the changes of the display, to go back to any of them." => CardAsk::ToggleSteps, when(is_open); }
    "expand the module and all in it" { "cut.expand" ["E"] "Expand the module and all in it", "Expands the module that is chosen or pointed at and all in it." => CutAsk::ExpandWhole(None), on(&[On::Module]), when(is_something_meant); }
    "collapse or expand everything by a level" {
        "cut.less" ["<"] "One level less", "Collapses everything by a level." => CutAsk::ChangeLevel(-1), when(is_open);
        "cut.more" [">"] "One level more", "Expands everything by a level." => CutAsk::ChangeLevel(1), when(is_open);
    }
    ["Ctrl + drag"] "swap outermost districts; keys move the selected one" {
        "district.back" ["Ctrl + Shift + ←"] "Move the district back", "Moves the selected district of the outermost level one place back in the order." => CutAsk::MoveDistrict(-1), repeating(), on(&[On::Module]), when(is_something_meant);
        "district.on" ["Ctrl + Shift + →"] "Move the district on", "Moves the selected district of the outermost level one place on in the order." => CutAsk::MoveDistrict(1), repeating(), on(&[On::Module]), when(is_something_meant);
        "district.put-back" ["Ctrl + Shift + Home"] "Put districts back", "Returns all districts that you moved to the places that the layout gives them." => CutAsk::PutBack, when(is_open);
    }
    "collapse modules that are small on the screen" { "cut.by-size" ["Z"] "Detail by size", "Switches collapsing of modules that are small on the screen, as the camera moves." => CutAsk::ToggleDetailBySize, when(is_open); }
    "back and forward through earlier selections" {
        "select.back" ["Alt + ←"] "Back", "Goes back to the previous selection." => SelectAsk::Back, when(is_open);
        "select.forward" ["Alt + →"] "Forward", "Goes forward to the next selection." => SelectAsk::Forward, when(is_open);
    }
    ["Ctrl + click"] "open it in your editor" { "edit.chosen" ["Ctrl + Enter"] "Open in the editor", "Opens the file of the selected item in your editor, at its line." => EditAsk::Chosen, on(&[On::Module, On::Call]), when(|state| state.line_of_chosen().is_some()); }
    "the code of the selected item; its callers and callees" {
        "show.code" ["Ctrl + L"] "Show its code", "Opens the code view at the selected item." => ShowAsk::Code, on(&[On::Module, On::Call]), when(|state| state.line_of_chosen().is_some());
        "show.neighbours" ["Ctrl + N"] "Show its neighbourhood", "Opens the view of the callers and callees of the selected item." => ShowAsk::Neighbours, on(&[On::Module, On::Call]), when(|state| has_recording(state) && is_something_meant(state));
    }
    "close the topmost item: menu, panel, help, search, notice, then flight, selection, range" { "escape" ["Escape"] "Leave", "Closes the topmost item: a menu, a panel, the help, the search, notices, a flight, the selection, the range." => Command::Escape; }
};
