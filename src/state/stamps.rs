//! What changed, as counters. Each piece of the state counts its own changes; here they stand together.

use super::state::State;

/// Counters of changes: whoever has seen another number has something to bring up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    /// Other inputs were opened.
    pub opened: u64,
    /// Another document shows the same inputs.
    pub document: u64,
    /// Another run is shown: calls, threads and times mean something else.
    pub run: u64,
    /// The files of the source tree, as far as it is watched.
    pub sources: u64,
    /// The blocks of the city.
    pub blocks: u64,
    /// Their colours.
    pub looks: u64,
    /// The names that are to be shown over the landscape.
    pub names: u64,
    /// What filters and range leave of the recording.
    pub left: u64,
    /// What is chosen, pointed at and shown of it, with the time; of the document that is shown.
    pub selection: u64,
}

impl State {
    /// What has changed so far.
    pub fn stamps(&self) -> Stamps {
        let (opening, look) = (&self.opening, &self.look);
        let selection = self.document.as_ref();
        Stamps {
            opened: opening.opened,
            document: opening.documents,
            run: opening.runs,
            sources: opening.sources,
            blocks: look.blocks,
            looks: look.looks,
            names: look.names,
            left: self.work.left,
            selection: selection.map_or(0, |it| it.selection.stamp()),
        }
    }
}
