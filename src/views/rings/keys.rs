//! What the ring chart does by keys of its own.

use callscape_state::action::{Action, On, Scope};
use callscape_state::keys;

/// What all of these have in common.
const fn each(action: Action) -> Action {
    action.within(Scope::Chart)
}

keys! {
    /// What the ring chart does by keys of its own.
    pub(super) enum Does of "rings", each each;
    "ring chart: the next sizing; back to the root before, and forth again" {
        Sizing "rings.sizing" ["P"] "Next sizing", "Sizes the segments of the ring chart alike, by angle, or by area.", repeating();
        Root "rings.root" [] "Show the rings around it", "Makes the segment that the menu is of the middle of the ring chart.", on(&[On::Context]);
        Out "rings.out" ["Backspace"] "Root before", "Shows the ring chart around the root that it had before.", on(&[On::Context]), repeating();
        In "rings.in" ["Shift + Backspace"] "Root after", "Shows the ring chart around the root that the way back came from.", on(&[On::Context]), repeating();
    }
    ["Shift + wheel"] "ring chart: scroll the stack of the segment under the pointer" {
        StackDown "rings.stack.down" ["Page down"] "Callers further out", "Scrolls the stack in the tooltip of the ring chart down.", repeating();
        StackUp "rings.stack.up" ["Page up"] "Callers further in", "Scrolls the stack in the tooltip of the ring chart up.", repeating();
    }
    ["Wheel"] "ring chart: more and fewer rings" {
        Deeper "rings.deeper" ["+"] "One ring more", "Shows a ring more of the ring chart.", repeating();
        Shallower "rings.shallower" ["−"] "One ring less", "Shows a ring less of the ring chart.", repeating();
    }
}
