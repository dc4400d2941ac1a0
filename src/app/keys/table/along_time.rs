//! Views along time.

use crate::command::Command;
use callscape_state::action::{Line, On, Scope};
use callscape_state::ask::{Ask, CallWalk, SelectAsk, SheetKey, ViewAsk};
use callscape_state::keys;

use super::possible::{has_times, is_call_chosen, is_chosen};

/// The key over the view along time that is pointed at.
fn over(key: SheetKey) -> Command {
    Ask::Pointed(ViewAsk::Along(key)).into()
}

pub(super) const LINES: &[Line<Command>] = keys! {
    ["Wheel"] "zoom along time about the pointer" {
        "time.zoom-in" ["at W"] "Zoom in along time", "Shows more detail about the pointer." => over(SheetKey::Zoom(1.3)), within(Scope::AlongTime), repeating(), when(has_times);
        "time.zoom-out" ["at S"] "Zoom out along time", "Shows less detail about the pointer." => over(SheetKey::Zoom(1.0 / 1.3)), within(Scope::AlongTime), repeating(), when(has_times);
    }
    ["Drag"] "move" {
        "time.earlier" ["at A"] "Earlier", "Moves to earlier times." => over(SheetKey::Pan(0.12)), within(Scope::AlongTime), repeating(), when(has_times);
        "time.later" ["at D"] "Later", "Moves to later times." => over(SheetKey::Pan(-0.12)), within(Scope::AlongTime), repeating(), when(has_times);
    }
    ["Ctrl, Shift + wheel"] "zoom and scroll from top to bottom" {}
    ["Shift + drag"] "choose a range; the right button does too" {}
    ["Click"] "select the item there, go to that time" {}
    ["Double-click"] "show all of the call" { "call.fit" ["G"] "Show all of the call", "Shows all of the chosen call along time." => SelectAsk::GoToCall(CallWalk::Fit), on(&[On::Call]), when(is_call_chosen); }
    "limit every view to the time of the call" { "call.limit" ["Shift + G"] "Limit to the call", "Limits every view to the time of the chosen call." => SelectAsk::GoToCall(CallWalk::Limit), on(&[On::Call]), when(is_call_chosen); }
    "to the caller, the first and the longest call in it" {
        "call.caller" ["↑"] "To the caller", "Chooses the call that the chosen one was made in." => SelectAsk::GoToCall(CallWalk::Caller), on(&[On::Call]), when(is_call_chosen);
        "call.first" ["↓"] "To the first call in it", "Chooses the first call that the chosen one made." => SelectAsk::GoToCall(CallWalk::FirstChild), on(&[On::Call]), when(is_call_chosen);
        "call.longest" ["Shift + ↓"] "To the longest call in it", "Chooses the longest call that the chosen one made." => SelectAsk::GoToCall(CallWalk::LongestChild), on(&[On::Call]), when(is_call_chosen);
    }
    "next and previous call of the function" {
        "call.next" ["N"] "Next call of the function", "Chooses the next call of the same function or module." => SelectAsk::GoToCall(CallWalk::NextOfFunction), on(&[On::Call, On::Module]), repeating(), when(is_chosen);
        "call.previous" ["Shift + N"] "Previous call of the function", "Chooses the call before of the same function or module." => SelectAsk::GoToCall(CallWalk::PreviousOfFunction), on(&[On::Call, On::Module]), repeating(), when(is_chosen);
    }
    ["Home"] "show everything" {}
};
