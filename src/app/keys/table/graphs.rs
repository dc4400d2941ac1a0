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

pub const LINES: &[Line<Command>] = keys! {
    each each;
    "unfold a module in place, fold it; a function: its own callers and callees too, or no longer" {
        "graph.more" ["Enter"] "Show more", "Unfolds the module that is pointed at or chosen; of a function, shows who calls it or whom it calls, too." => over(GraphKey::More), on(&[On::Module]);
        "graph.less" ["Shift + Enter"] "Show less", "Folds the module that is pointed at or chosen, or what it lies in; of a function, no longer shows who calls it or whom it calls." => over(GraphKey::Less), on(&[On::Module]);
    }
    ["Double-click"] "the one that it is not; a click on + or − does too" { "graph.toggle" ["C"] "Unfold or fold", "Unfolds the module that is pointed at or chosen, or folds it; puts a function in the middle." => over(GraphKey::Toggle); }
    "all one level more, or less; neighbours: a step further out, or back" {
        "graph.all-more" [">"] "One level more", "Unfolds all modules by a level, or goes a step further out from the function in the middle." => over(GraphKey::AllMore);
        "graph.all-less" ["<"] "One level less", "Folds the innermost modules, or goes a step back." => over(GraphKey::AllLess);
    }
    "to what it calls most, to what calls it most, to the box above, below" {
        "graph.right" ["→"] "To what it calls", "Chooses what the chosen box calls most." => over(GraphKey::Right);
        "graph.left" ["←"] "To what calls it", "Chooses what calls the chosen box most." => over(GraphKey::Left);
        "graph.up" ["↑"] "The box above", "Chooses the box above the chosen one." => over(GraphKey::Up);
        "graph.down" ["↓"] "The box below", "Chooses the box below the chosen one." => over(GraphKey::Down);
    }
    "width of lines by cost, by calls" { "graph.width" ["W"] "Width of lines", "Has the width of lines say what calls cost, or how many they are." => over(GraphKey::Width); }
    "more of what there was no room for" { "graph.rest" ["R"] "Show the rest", "Shows more of what there was no room for." => over(GraphKey::Rest); }
    ["Wheel"] "nearer, farther; drag moves, Home shows all" {
        "graph.nearer" ["+"] "Nearer", "Shows the graph larger." => over(GraphKey::Nearer);
        "graph.farther" ["−"] "Farther", "Shows the graph smaller." => over(GraphKey::Farther);
    }
};
