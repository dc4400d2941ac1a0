//! Playing the recording.

use crate::command::Command;
use callscape_state::action::{Line, On};
use callscape_state::ask::{Ask, CameraAsk, PlayAsk, SelectAsk, ViewAsk};
use callscape_state::call_steps::CallStep;
use callscape_state::keys;

use super::possible::{has_times, is_limited, plays_one_run};

pub(super) const LINES: &[Line<Command>] = keys! {
    "play and pause" { "play.play" ["Space"] "Play or pause", "Plays the recording, or pauses it." => PlayAsk::PlayOrPause, when(has_times); }
    "play backward" { "play.backward" ["Shift + Space"] "Play backward", "Plays the recording backward, or pauses it when it does." => PlayAsk::PlayBackward, when(has_times); }
    "step back and forward" {
        "play.step-back" ["←"] "Step back", "Goes back by a cel." => PlayAsk::Step(-1), repeating(), when(has_times);
        "play.step" ["→"] "Step forward", "Goes forward by a cel." => PlayAsk::Step(1), repeating(), when(has_times);
    }
    "ten steps" {
        "play.ten-back" ["Shift + ←"] "Ten steps back", "Goes back by ten cels." => PlayAsk::Step(-10), repeating(), when(has_times);
        "play.ten" ["Shift + →"] "Ten steps forward", "Goes forward by ten cels." => PlayAsk::Step(10), repeating(), when(has_times);
    }
    "step into, out of, over a call; with Shift back" {
        "play.into" ["I"] "Step into a call", "Goes to the next event of the thread, forward." => PlayAsk::StepCall(CallStep::Into, true), repeating(), when(has_times);
        "play.into-back" ["Shift + I"] "Step into a call, back", "Goes to the next event of the thread, backward." => PlayAsk::StepCall(CallStep::Into, false), repeating(), when(has_times);
        "play.out" ["U"] "Step out of a call", "Goes to the end of the innermost call of the thread, forward." => PlayAsk::StepCall(CallStep::Out, true), repeating(), when(has_times);
        "play.out-back" ["Shift + U"] "Step out of a call, back", "Goes to the end of the innermost call of the thread, backward." => PlayAsk::StepCall(CallStep::Out, false), repeating(), when(has_times);
        "play.over" ["J"] "Step over a call", "Goes forward to the next event of the thread at this depth or above." => PlayAsk::StepCall(CallStep::Over, true), repeating(), when(has_times);
        "play.over-back" ["Shift + J"] "Step over a call, back", "Goes back to the last event of the thread at this depth or above." => PlayAsk::StepCall(CallStep::Over, false), repeating(), when(has_times);
    }
    "the camera follows running code until you turn it" { "camera.follow" ["H"] "Follow running code", "The camera follows running code until you turn it." => CameraAsk::ToggleFollowing, when(has_times); }
    "summary of the whole recording or range" { "play.summary" ["Y"] "Summary", "Shows the sum of the whole recording or range, or the current moment again." => PlayAsk::ToggleSummary, when(has_times); }
    "running sum next to the cel" { "play.with-sum" ["Shift + Y"] "Sum next to the cel", "Shows two landscapes of a run: the current cel, and the sum of everything up to it." => PlayAsk::ToggleWithSum, when(plays_one_run); }
    "to the start, to the end" {
        "play.to-start" [","] "To the start", "Goes to the start of the recording or range." => PlayAsk::ToStart, when(has_times);
        "play.to-end" ["."] "To the end", "Goes to the end of the recording or range." => PlayAsk::ToEnd, when(has_times);
    }
    "half and double speed" {
        "play.slower" ["−"] "Half speed", "Plays at half the speed." => PlayAsk::ScaleSpeed(0.5), when(has_times);
        "play.faster" ["+"] "Double speed", "Plays at twice the speed." => PlayAsk::ScaleSpeed(2.0), when(has_times);
    }
    "repeat" { "play.loop" ["R"] "Repeat", "Begins again at the end, or stops there." => PlayAsk::ToggleLoop, when(has_times); }
    ["List below"] "of a profile with several values: the one shown" {}
    "start and end the range at the time shown" {
        "range.start" ["["] "Start the range here", "Starts the range at the time shown." => SelectAsk::StartRangeHere, on(&[On::Time]), when(has_times);
        "range.end" ["]"] "End the range here", "Ends the range at the time shown." => SelectAsk::EndRangeHere, on(&[On::Time]), when(has_times);
        "range.show" [] "Show all of the range", "Has the views along time show the range, and nothing else." => Ask::View(None, ViewAsk::ShowRange), on(&[On::Range]), when(is_limited);
        "range.clear" [] "Show all of the time", "Limits the views to no range any more." => SelectAsk::SetRange(None), on(&[On::Range]), when(is_limited);
    }
    ["Shift + drag"] "on the time bar: choose a range" {}
};
