//! What the view of memory does by keys of its own.

use callscape_state::action::{Action, On, Scope};
use callscape_state::keys;

/// What all of these have in common.
const fn each(action: Action) -> Action {
    action.within(Scope::Table)
}

keys! {
    /// What the view of memory does by keys of its own.
    pub(super) enum Does of "memory", each each;
    "memory: other rows; live, left of the range, temporary; go to the peak" {
        Rows "memory.rows" ["W"] "Other rows of memory", "Shows memory by module, function, context or type.";
        Mode "memory.mode" ["P"] "Other objects of memory", "Shows live objects, objects left of the range, or temporary objects.";
        Peak "memory.peak" ["K"] "Go to the peak of memory", "Goes to the time with the most live bytes.";
    }
    ["Right click"] "memory: list the objects of a row: live, allocated, released, temporary, left of the range, at the peak" {
        Living "memory.list.live" [] "List live objects", "Lists the live objects of the row.", on(&[On::Object]);
        Created "memory.list.allocated" [] "List objects allocated to date", "Lists the objects of the row that were allocated up to now.", on(&[On::Object]);
        Released "memory.list.released" [] "List objects released to date", "Lists the objects of the row that were released up to now.", on(&[On::Object]);
        Temporary "memory.list.temporary" [] "List temporary objects", "Lists the objects of the row that were soon released.", on(&[On::Object]);
        OfRange "memory.list.range" [] "List objects left of the range", "Lists the objects of the row that were allocated in the range and not released in it.", on(&[On::Object]);
        AtPeak "memory.list.peak" [] "List live objects at the peak", "Lists the objects of the row live at the peak.", on(&[On::Object]);
    }
}
