//! What is collapsed, and laying the landscape out anew.

use super::super::job::Job;
use super::Workbench;
use crate::facts::hierarchy::Hierarchy;
use crate::filter::selection::Pointed;
use crate::model::highlight::Highlight;
use crate::model::landscape::LandscapeSettings;
use crate::progress::Progress;
use crate::units::ModuleId;

/// More modules are laid out on another thread: it takes longer than a frame may.
const MOST_AT_ONCE: usize = 60_000;

impl Workbench {
    pub(super) fn configure(&mut self, settings: LandscapeSettings) {
        self.settings = settings;
        self.lay_out();
        self.ask_history();
    }

    /// The device can hold so many blocks.
    pub(in crate::app) fn set_most_blocks(&mut self, most: usize) {
        self.settings.most_blocks = most;
        if self.document.is_some() {
            self.lay_out();
        }
    }

    /// Has a range of values stand out in the landscape.
    pub(in crate::app) fn highlight(&mut self, highlight: Option<Highlight>) {
        self.settings.highlight = highlight;
        if let Some(document) = &mut self.document {
            document.settings.highlight = highlight;
            let hierarchy = &document.session.hierarchy;
            document.landscape.highlight(hierarchy, highlight);
            if let Some(beside) = &mut document.beside {
                beside.highlight(hierarchy, highlight);
            }
            self.looks_are_new = true;
        }
    }

    pub(in crate::app) fn collapse_or_expand(&mut self, module: Option<ModuleId>) {
        let Some(document) = &mut self.document else {
            return;
        };
        let selection = &document.selection;
        let module = module
            .or(selection.chosen.module)
            .or(selection.pointed.module);
        let hierarchy = &document.session.hierarchy;
        let Some(module) = module.and_then(|module| collapsible(hierarchy, module)) else {
            return;
        };
        document.cut.toggle(module);
        self.detail_by_size = false;
        self.lay_out();
        self.choose(Pointed::at_module(Some(module)));
    }

    /// Lays the landscape out anew, a large one on another thread.
    pub(in crate::app) fn lay_out(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        if document.session.hierarchy.len() > MOST_AT_ONCE {
            let lay_out = document.relayout(self.settings);
            let work = move |progress: &Progress| {
                progress.start("laying out", 0);
                Ok(lay_out())
            };
            self.jobs.laying_out = Some(Job::start((self.wake)(), work));
            return;
        }
        self.jobs.laying_out = None;
        document.lay_out(&self.settings);
        self.blocks_moved();
    }

    /// The landscape has other blocks.
    pub(in crate::app) fn blocks_moved(&mut self) {
        if let Some(document) = &self.document {
            self.camera.set_bounds(document.bounds());
            self.blocks_are_new = true;
        }
        self.update_rows();
    }
}

/// The module to collapse for `module`: itself, or its parent when it has nothing to collapse. Not the
/// root: nothing would be left to see.
fn collapsible(hierarchy: &Hierarchy, module: ModuleId) -> Option<ModuleId> {
    let module = if hierarchy.is_leaf(module) {
        hierarchy.parent(module)?
    } else {
        module
    };
    (module != ModuleId::ROOT).then_some(module)
}
