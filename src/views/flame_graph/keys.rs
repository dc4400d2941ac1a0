//! What the flame graph does by keys of its own.

use callscape_state::action::{Action, On, Scope};
use callscape_state::keys;

/// What all of these have in common.
const fn each(action: Action) -> Action {
    action.within(Scope::Chart)
}

keys! {
    /// What the flame graph does by keys of its own.
    pub(super) enum Does of "flame-graph", each each;
    "flame graph: select the bar above, below, or beside" {
        Up "flame-graph.up" ["↑"] "Bar above", "Selects the bar above the selected one in the flame graph.", repeating();
        Down "flame-graph.down" ["↓"] "Bar below", "Selects the widest bar below the selected one in the flame graph.", repeating();
        Left "flame-graph.left" ["←"] "Bar to the left", "Selects the next bar to the left in the flame graph.", repeating();
        Right "flame-graph.right" ["→"] "Bar to the right", "Selects the next bar to the right in the flame graph.", repeating();
    }
    ["click"] "flame graph: zoom to a bar; back to the zoom before" {
        Zoom "flame-graph.zoom" ["Enter"] "Zoom to it", "Makes the bar as wide as the flame graph.", on(&[On::Context]);
        Back "flame-graph.back" ["Backspace"] "Zoom before", "Shows the part of the flame graph that was shown before.", on(&[On::Context]), repeating();
    }
    ["Ctrl + wheel"] "flame graph: larger and smaller" {
        Larger "flame-graph.larger" ["+"] "Zoom in", "Makes the bars of the flame graph wider.", repeating();
        Smaller "flame-graph.smaller" ["−"] "Zoom out", "Makes the bars of the flame graph narrower.", repeating();
    }
    "flame graph: all callers and callees of the selected function, or everything again" {
        Around "flame-graph.around" ["C"] "All its callers and callees", "Merges all calls of the function: its callers on one side, its callees on the other.", on(&[On::Context]);
        Everything "flame-graph.everything" ["Shift + C"] "Everything again", "Shows all stacks of the flame graph instead of the callers and callees of one function.", on(&[On::Context]);
    }
    "flame graph: hottest first or by name; callees below or above their callers" {
        Order "flame-graph.order" ["O"] "Next order", "Sorts the flame graph by name, or the hottest first.";
        Turn "flame-graph.turn" ["U"] "Turn upside down", "Shows callees above their callers in the flame graph, or below.";
    }
}
