//! What the compacted call tree does by keys of its own.

use callscape_state::action::{Action, On, Scope};
use callscape_state::keys;

/// What all of these have in common.
const fn each(action: Action) -> Action {
    action.within(Scope::Chart).repeating()
}

keys! {
    /// What the compacted call tree does by keys of its own.
    pub(super) enum Does of "fan", each each;
    "compacted call tree: all of it in one level more detail, or less" {
        More "fan.more" ["→"] "Expand everything", "Shows all of the compacted call tree in one level more detail.";
        Less "fan.less" ["←"] "Compact everything", "Shows all of the compacted call tree in one level less detail.";
    }
    ["Click, right click"] "compacted call tree: the disc in more detail, or less; held down: its menu" {
        MoreOfOne "fan.more.one" ["Enter"] "Expand the chosen disc", "Shows the chosen disc of the compacted call tree in one level more detail.", on(&[On::Context]);
        LessOfOne "fan.less.one" ["Shift + Enter"] "Compact the chosen disc", "Shows the chosen disc of the compacted call tree in one level less detail.", on(&[On::Context]);
    }
    ["Click its triangle"] "compacted call tree: collapse the branch below the chosen disc; open it again" {
        Collapse "fan.collapse" ["Shift + ←"] "Collapse the branch", "Hides all that the chosen disc of the compacted call tree calls.", on(&[On::Context]);
        Open "fan.open" ["Shift + →"] "Open the branch", "Shows what the chosen disc of the compacted call tree calls.", on(&[On::Context]);
    }
    "compacted call tree: select the next or the previous disc" {
        Next "fan.next" ["Page down"] "The next disc", "Selects the next disc of the compacted call tree: a callee, then the next sibling.";
        Previous "fan.previous" ["Page up"] "The disc before", "Chooses the disc before in the compacted call tree.";
    }
    "compacted call tree: nearer, and farther away; as the wheel" {
        Nearer "fan.nearer" ["↑" "+"] "Nearer", "Shows the compacted call tree larger.";
        Farther "fan.farther" ["↓" "−"] "Farther", "Shows the compacted call tree smaller.";
    }
}
