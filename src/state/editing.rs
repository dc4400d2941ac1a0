//! Lines of the source: those that the user's editor is to show, and those that it asks to be shown here.

use std::path::Path;

use super::ask::{EditAsk, ShowAsk, ViewAsk};
use super::document::source::{SourceLine, ToEdit, module_at};
use super::state::State;
use crate::panes::Artifact;
use callscape_filter::selection::Pointed;

impl State {
    /// Has the editor show a line, as soon as what has one takes it.
    pub(super) fn on_edit(&mut self, ask: EditAsk) {
        let Some(document) = &self.document else {
            return;
        };
        let line = match ask {
            EditAsk::Line(line) => Some(line),
            EditAsk::Meant(of) => document.line_of(&document.complete(of)),
            EditAsk::Chosen => document.line_of(&document.selection.chosen),
        };
        let side = document.runs.as_ref().map_or(1, |runs| runs.side());
        let found = line.and_then(|it| Some((document.tree_file(it.file, side)?, it.line)));
        match (found, document.source_root()) {
            (Some((file, line)), _) => self.errands.to_edit.push(ToEdit { file, line }),
            (None, Some(_)) => self.tell_briefly("It has no line in the source tree".to_owned()),
            (None, None) => {
                self.tell_briefly("No source tree is open: drop one on the window".to_owned())
            }
        }
    }

    /// Where what is chosen stands in the source tree; none where that is not known, or no source tree is open.
    pub fn line_of_chosen(&self) -> Option<SourceLine> {
        let document = self.document.as_ref()?;
        document.source_root()?;
        document.line_of(&document.selection.chosen)
    }

    /// Opens the views that show code, or neighbours, at what is chosen.
    pub(super) fn on_show(&mut self, ask: ShowAsk) {
        let (opens_for, line) = match ask {
            ShowAsk::Code => (Artifact::Line, self.line_of_chosen()),
            ShowAsk::Neighbours => (Artifact::Neighbours, None),
        };
        let opens: Vec<_> = self.panes.opens_for(opens_for).collect();
        for view in opens {
            self.panes.open(view);
            if let Some(line) = line {
                self.ask_views(Some(view), ViewAsk::ShowLine(line));
            }
        }
    }

    /// Chooses what stands at a line of the file at an absolute path, and shows the line; why not where that cannot be.
    pub fn go_to_line(&mut self, path: &Path, line: u32) -> Result<(), String> {
        let document = self.document.as_ref().ok_or("nothing is open")?;
        if document.source_root().is_none() {
            return Err("no source tree is open".to_owned());
        }
        let file = document.file_at(path);
        let file = file.ok_or("the file is not in the open source tree")?;
        let hierarchy = &document.base.hierarchy;
        let module = module_at(hierarchy, file, line);
        let shown = document
            .with_map(module)
            .or_else(|| document.with_map(file));
        let opens: Vec<_> = self.panes.opens_for(Artifact::Line).collect();
        self.choose(Pointed::at_module(shown));
        for view in opens {
            self.panes.open(view);
            self.ask_views(Some(view), ViewAsk::ShowLine(SourceLine { file, line }));
        }
        Ok(())
    }
}
