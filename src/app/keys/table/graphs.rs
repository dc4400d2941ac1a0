//! Graphs of who calls whom.

use crate::command::Command;
use callscape_state::action::{Action, Line, On, Scope};
use callscape_state::ask::{Ask, GraphKey, ViewAsk};
use callscape_state::keys;

use super::possible::has_recording;

/// The key over the view that is pointed at.
fn over(key: GraphKey) -> Command {
    Ask::Pointed(ViewAsk::Graph(key)).into()
}

/// What all of these have in common.
const fn each(action: Action<Command>) -> Action<Command> {
    action.within(Scope::Graph).repeating().when(has_recording)
}

pub(super) const LINES: &[Line<Command>] = keys! {
    each each;
    "unfold a module in place, fold it; a function: shows or hides its callers and callees" {
        "graph.more" ["Enter"] "Show more", "Unfolds the module under the pointer or the selected one; for a function, also shows its callers or callees." => over(GraphKey::More), on(&[On::Module]);
        "graph.less" ["Shift + Enter"] "Show less", "Folds the module under the pointer, the selected one, or the module around it; of a function, hides its callers or callees." => over(GraphKey::Less), on(&[On::Module]);
    }
    ["Double-click"] "toggle; a click on + or − does the same" { "graph.toggle" ["C"] "Unfold or fold", "Unfolds or folds the module under the pointer or the selected one; puts a function in the middle." => over(GraphKey::Toggle); }
    "all one level more, or less; neighbours: a step further out, or back" {
        "graph.all-more" [">"] "One level more", "Unfolds all modules by a level, or goes a step further out from the function in the middle." => over(GraphKey::AllMore);
        "graph.all-less" ["<"] "One level less", "Folds the innermost modules, or goes a step back." => over(GraphKey::AllLess);
    }
    "to its main callee, to its main caller, to the box above, below" {
        "graph.right" ["→"] "To its main callee", "Selects the main callee of the selected box." => over(GraphKey::Right);
        "graph.left" ["←"] "To its main caller", "Selects the main caller of the selected box." => over(GraphKey::Left);
        "graph.up" ["↑"] "The box above", "Selects the box above." => over(GraphKey::Up);
        "graph.down" ["↓"] "The box below", "Selects the box below." => over(GraphKey::Down);
    }
    ["Drag a box"] "moves the selected box; it stays there in every layout" {
        "graph.move-right" ["Shift + →"] "Move the box right", "Moves the selected box to the right; it stays there in every layout." => over(GraphKey::MoveRight);
        "graph.move-left" ["Shift + ←"] "Move the box left", "Moves the selected box to the left." => over(GraphKey::MoveLeft);
        "graph.move-up" ["Shift + ↑"] "Move the box up", "Moves the selected box up." => over(GraphKey::MoveUp);
        "graph.move-down" ["Shift + ↓"] "Move the box down", "Moves the selected box down." => over(GraphKey::MoveDown);
    }
    "put moved boxes back" { "graph.put-back" ["Shift + Home"] "Put boxes back", "Returns the boxes that you moved to the places that the layout gives them." => over(GraphKey::PutBack); }
    "width of lines by cost, by calls" { "graph.width" ["W"] "Width of lines", "Switches the width of lines between the cost and the number of calls." => over(GraphKey::Width); }
    "more of what there was no room for" { "graph.rest" ["R"] "Show the rest", "Shows more of what there was no room for." => over(GraphKey::Rest); }
    ["Wheel"] "nearer, farther; dragging the background moves all, Home shows all" {
        "graph.nearer" ["+"] "Nearer", "Shows the graph larger." => over(GraphKey::Nearer);
        "graph.farther" ["−"] "Farther", "Shows the graph smaller." => over(GraphKey::Farther);
    }
};
