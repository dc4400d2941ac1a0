//! What the list of faults does by keys of its own.

use callscape_state::State;
use callscape_state::action::plain;
use callscape_state::keys;

fn has_marked(state: &State) -> bool {
    let document = state.document.as_ref();
    document.is_some_and(|it| it.selection.marked.is_some())
}

fn has_source(state: &State) -> bool {
    let document = state.document.as_ref();
    document.is_some_and(|it| it.inputs.source_dir.is_some() && it.resolved().is_some())
}

keys! {
    /// What the list of faults does by keys of its own.
    pub(super) enum Does of "faults", each plain;
    "next and previous call of a function that changed, or in which a tool has found something" {
        Next "faults.next" ["Alt + N"] "Next call of a marked function", "Chooses the next call of any function that is marked: that changed, or in which another tool has found something.", repeating(), when(has_marked);
        Previous "faults.previous" ["Alt + Shift + N"] "Previous call of a marked function", "Chooses the call before of any function that is marked.", repeating(), when(has_marked);
    }
    ["Ctrl + P, “changed”, “paste”"] "what changed since a revision, and results of other tools that are pasted" {
        Since "faults.since" [] "What changed since…", "Asks for a revision in which all was well, and lists what changed since then and ran, the most suspect first.", when(has_source);
        Paste "faults.paste" [] "Paste results…", "Takes the results of a linter, a search, a compiler or a stack trace from the clipboard, and marks the functions that ran.", when(has_source);
    }
    ["Ctrl + P, “marked”"] "highlight marked functions in the landscape" { Color "faults.color" [] "Highlight marked functions", "Has the functions that are marked stand out in the landscape, the rest in neutral colours; or no longer.", when(has_marked); }
}
