//! What is collapsed, and laying the landscape out anew.

use std::sync::Arc;

use super::ask::CutAsk;
use super::job::Job;
use super::made::Made;
use super::state::State;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::cut::Cut;
use callscape_filter::marked::Marked;
use callscape_filter::selection::Pointed;
use callscape_model::band::Band;
use callscape_model::difference::CauseAt;
use callscape_model::highlight::Highlight;
use callscape_model::landscape::LandscapeSettings;

/// More modules are laid out on another thread: it takes longer than a frame may.
const MOST_AT_ONCE: usize = 60_000;

/// A module whose blocks would be smaller on the screen, in pixels on average, is collapsed; one that is collapsed
/// is expanded when they would be larger than the second.
const SMALLEST: f32 = 5.0;
const LARGE_ENOUGH: f32 = 6.5;

impl State {
    pub fn configure(&mut self, settings: LandscapeSettings) {
        self.settings = settings;
        self.lay_out();
        self.ask_history();
    }

    /// The device can hold at most this many blocks.
    pub fn set_most_blocks(&mut self, most: usize) {
        self.settings.most_blocks = most;
        if self.document.is_some() {
            self.lay_out();
        }
    }

    /// Has a range of values stand out in the landscape.
    pub fn highlight(&mut self, highlight: Option<Highlight>) {
        self.settings.highlight = highlight;
        if let Some(document) = &mut self.document {
            document.settings.highlight = highlight;
            let hierarchy = &document.session.hierarchy;
            document.city.highlight(hierarchy, highlight);
            if let Some(beside) = &mut document.other_city {
                beside.highlight(hierarchy, highlight);
            }
            self.look.looks += 1;
        }
    }

    /// What stands over the views along time.
    pub fn band(&self) -> Option<&Arc<Band>> {
        self.document.as_ref()?.band.as_ref()
    }

    /// Has these functions stand out in the landscape, with what holds them. For none what is marked stands out, where it is
    /// to be coloured, else all are alike.
    pub fn light(&mut self, lit: Option<Arc<Marked>>) {
        if let Some(document) = &mut self.document {
            document.lit = lit;
            document.lit_for = None;
        }
        self.show_lit();
    }

    /// The same, until another module is chosen.
    pub(super) fn light_while_chosen(&mut self, lit: Arc<Marked>) {
        self.light(Some(lit));
        if let Some(document) = &mut self.document {
            document.lit_for = document.selection.chosen.module;
        }
    }

    /// What stands out while a module is chosen does so no longer than that.
    pub(super) fn outdate_lit(&mut self) {
        let document = self.document.as_ref();
        let lit = document.and_then(|it| Some((it.lit_for?, it.selection.chosen.module)));
        if lit.is_some_and(|(of, chosen)| chosen != Some(of)) {
            self.light(None);
        }
    }

    /// Has the causes of the difference of two runs, the largest first, stand out in the landscape.
    pub fn tell_causes(&mut self, causes: &Arc<[CauseAt]>) {
        if let Some(document) = &mut self.document
            && document.city.tell_causes(&document.session, causes)
        {
            self.look.looks += 1;
        }
    }

    /// Has the landscape light what is lit, or else what is marked and to be coloured.
    pub(super) fn show_lit(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        let marked = document.selection.marked.as_ref();
        let marked = marked.filter(|_| self.findings.is_colored);
        let lit = document.lit.as_ref().or(marked);
        let lit = lit.map(|it| Arc::clone(&it.modules));
        let hierarchy = &document.session.hierarchy;
        document.city.light(hierarchy, lit.clone());
        if let Some(beside) = &mut document.other_city {
            beside.light(hierarchy, lit);
        }
        self.look.looks += 1;
    }

    pub(crate) fn collapse_or_expand(&mut self, module: Option<ModuleId>) {
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
        self.look.detail_by_size = false;
        self.lay_out();
        self.choose(Pointed::at_module(Some(module)));
    }

    /// Lays the landscape out anew, a large one on another thread.
    pub fn lay_out(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        if document.session.hierarchy.len() > MOST_AT_ONCE {
            let (of, lay_out) = (document.generation(), document.relayout(self.settings));
            let work = move |progress: &Progress| {
                progress.start("laying out", 0);
                Ok(lay_out())
            };
            let job = Job::start(self.work.waker(), work);
            self.work.jobs.laying_out = Some(Made::new(of, job));
            return;
        }
        self.work.jobs.laying_out = None;
        document.lay_out(&self.settings);
        self.blocks_moved();
    }

    /// Blocks of the landscape have changed.
    pub(crate) fn blocks_moved(&mut self) {
        if let Some(document) = &self.document {
            self.moving.camera.set_bounds(document.bounds());
            self.look.blocks += 1;
        }
    }

    /// Collapses and expands.
    pub(crate) fn on_cut(&mut self, ask: CutAsk) {
        if let CutAsk::CollapseOrExpand(module) = ask {
            return self.collapse_or_expand(module);
        }
        if let CutAsk::Swap(..) | CutAsk::MoveDistrict(_) | CutAsk::PutBack = ask {
            return self.on_districts(ask);
        }
        let Some(document) = &mut self.document else {
            return;
        };
        let hierarchy = &document.session.hierarchy;
        let before = document.cut.clone();
        match ask {
            CutAsk::ToggleDetailBySize => {
                self.look.detail_by_size ^= true;
                self.look.detail_seen = None;
                if !self.look.detail_by_size {
                    document.cut.expand_all();
                }
            }
            CutAsk::ExpandAll => document.cut.expand_all(),
            CutAsk::ExpandWhole(module) => {
                let selection = &document.selection;
                let module = module
                    .or(selection.chosen.module)
                    .or(selection.pointed.module);
                if let Some(module) = module {
                    document.cut.expand_whole(hierarchy, module);
                }
            }
            CutAsk::SetLevel(level) => document.cut.set_level(hierarchy, level),
            CutAsk::ChangeLevel(by) => {
                let deepest = hierarchy.modules().map(|id| hierarchy.depth(id)).max();
                let deepest = deepest.unwrap_or(0);
                let level = document.cut.level(hierarchy).unwrap_or(deepest);
                let level = i32::from(level).saturating_add(by).max(1);
                if level >= i32::from(deepest) {
                    document.cut.expand_all();
                } else {
                    document.cut.set_level(hierarchy, level as u16);
                }
            }
            // Handled above.
            CutAsk::CollapseOrExpand(_)
            | CutAsk::Swap(..)
            | CutAsk::MoveDistrict(_)
            | CutAsk::PutBack => {}
        }
        if !matches!(ask, CutAsk::ToggleDetailBySize) {
            self.look.detail_by_size = false;
        }
        if document.cut != before {
            self.lay_out();
        }
    }

    /// Collapses what is too small on the screen and expands what is large enough, once the camera rests.
    pub(crate) fn fit_detail(&mut self) {
        if !self.look.detail_by_size
            || self.moving.camera.is_moving()
            || self.work.jobs.laying_out.is_some()
        {
            return;
        }
        let seen = Some((self.moving.camera.pose(), self.moving.viewport.size));
        let Some(document) = &mut self.document else {
            return;
        };
        if self.look.detail_seen == seen || document.city.is_moving() {
            return;
        }
        let (camera, size) = (self.moving.camera.camera(), self.moving.viewport.size);
        let mut cut = document.cut.clone();
        let shown = document.city.leaf_sizes(&document.session, &camera, size);
        let is_other = fit(&document.session.hierarchy, &mut cut, shown);
        if is_other {
            // What has been expanded may be large enough to be expanded further: looked at again when it is there.
            document.cut = cut;
            self.lay_out();
        } else {
            self.look.detail_seen = seen;
        }
    }
}

/// Collapses and expands modules by how large their leaves are on the screen; whether that changes anything.
fn fit(hierarchy: &Hierarchy, cut: &mut Cut, sizes: Vec<(ModuleId, f32)>) -> bool {
    let mut is_other = false;
    for (module, pixels) in sizes {
        if module == ModuleId::ROOT {
            continue;
        }
        let is_collapsed = cut.is_collapsed(module);
        if is_collapsed && pixels > LARGE_ENOUGH {
            cut.expand(hierarchy, module);
            // Its children are judged when they are there.
            for child in hierarchy.children(module) {
                cut.collapse(hierarchy, child);
            }
            is_other = true;
        } else if !is_collapsed && pixels < SMALLEST {
            cut.collapse(hierarchy, module);
            is_other = true;
        }
    }
    is_other
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

#[cfg(test)]
mod tests {
    use super::super::ask::RunsAsk;
    use super::super::runs::RunsLayout;
    use super::super::testing::{module, open, tiny, two_runs};
    use super::*;
    use callscape_model::metric::Metric;
    use callscape_model::tiling::Tiling;

    #[test]
    fn a_leaf_stands_for_its_parent_and_the_root_stays() {
        let mut state = tiny();
        let step = module(&state, "step");
        let parent = open(&state)
            .session
            .hierarchy
            .parent(step)
            .expect("a parent");
        let all = open(&state).city.blocks().len();
        state.collapse_or_expand(Some(step));
        assert!(open(&state).cut.is_collapsed(parent));
        assert_eq!(open(&state).selection.chosen.module, Some(parent));
        assert!(open(&state).city.blocks().len() < all);
        assert_eq!(open(&state).city.displayed(step), Some(parent));
        // What is chosen is what is meant where nothing is named.
        state.collapse_or_expand(None);
        assert!(!open(&state).cut.is_collapsed(parent));
        state.collapse_or_expand(Some(ModuleId::ROOT));
        assert_eq!(open(&state).cut.collapsed().count(), 0);
    }

    #[test]
    fn levels_collapse_and_expand_all_at_once() {
        let mut state = tiny();
        let level = |state: &State| {
            let document = open(state);
            document.cut.level(&document.session.hierarchy)
        };
        state.look.detail_by_size = true;
        state.execute(CutAsk::SetLevel(1));
        assert!(
            !state.look.detail_by_size,
            "the user has said what is collapsed"
        );
        assert_eq!(level(&state), Some(1));
        state.execute(CutAsk::ChangeLevel(-5));
        assert_eq!(level(&state), Some(1), "something is to be seen");
        for _ in 0..10 {
            state.execute(CutAsk::ChangeLevel(1));
        }
        assert_eq!(open(&state).cut.collapsed().count(), 0);
        state.execute(CutAsk::ChangeLevel(-1));
        assert!(open(&state).cut.collapsed().count() > 0);
        state.execute(CutAsk::ExpandAll);
        assert_eq!(open(&state).cut.collapsed().count(), 0);
    }

    #[test]
    fn a_highlight_is_on_both_landscapes() {
        let mut state = two_runs();
        state.execute(RunsAsk::Together(Some(RunsLayout::SideBySide)));
        let highlight = Highlight {
            metric: Metric::Calls,
            low: 100.0,
            high: f64::MAX,
        };
        state.highlight(Some(highlight));
        let document = open(&state);
        let (taken, all) = document.city.highlighted();
        assert!(0 < taken && taken < all, "{taken} of {all}");
        let beside = document.other_city.as_ref().expect("both are shown");
        assert_eq!(beside.settings().highlight, Some(highlight));
        state.highlight(None);
        assert_eq!(open(&state).city.highlighted().0, 0);
    }

    #[test]
    fn lit_modules_stand_out_and_so_does_what_holds_them() {
        let mut state = tiny();
        let hierarchy = &open(&state).session.hierarchy;
        let leaf = hierarchy.modules().find(|&it| hierarchy.is_leaf(it));
        let leaf = leaf.expect("a function");
        let parent = hierarchy.parent(leaf);
        let lit = Marked::new(String::new(), [leaf].into(), [].into(), Vec::new());
        state.light(Some(lit.into()));
        let (taken, all) = open(&state).city.highlighted();
        assert!(taken == 1 && all > 1, "{taken} of {all}");
        state.collapse_or_expand(parent);
        let again = open(&state).lit.clone();
        state.light(again);
        assert_eq!(open(&state).city.highlighted().0, 1, "what it is in");
        state.light(None);
        assert_eq!(open(&state).city.highlighted().0, 0);
    }

    #[test]
    fn other_settings_lay_the_landscape_out_anew() {
        let mut state = tiny();
        let before = open(&state).city.blocks().to_vec();
        let settings = LandscapeSettings {
            tiling: match state.settings.tiling {
                Tiling::Squarified => Tiling::Ordered,
                _ => Tiling::Squarified,
            },
            ..state.settings
        };
        state.configure(settings);
        assert_eq!(open(&state).settings, settings);
        assert_ne!(open(&state).city.blocks(), before);
        state.set_most_blocks(2);
        assert!(open(&state).city.blocks_left_out() > 0);
    }

    #[test]
    fn modules_collapse_and_expand_with_some_play_between() {
        let state = tiny();
        let hierarchy = &open(&state).session.hierarchy;
        let step = module(&state, "step");
        let parent = hierarchy.parent(step).expect("a parent");
        let mut cut = Cut::all();
        let between = (SMALLEST + LARGE_ENOUGH) * 0.5;
        assert!(!fit(hierarchy, &mut cut, vec![(parent, between)]));
        assert!(fit(hierarchy, &mut cut, vec![(parent, SMALLEST * 0.9)]));
        assert!(cut.is_collapsed(parent));
        assert!(!fit(hierarchy, &mut cut, vec![(parent, between)]));
        assert!(fit(hierarchy, &mut cut, vec![(parent, LARGE_ENOUGH * 1.1)]));
        assert!(!cut.is_collapsed(parent));
        assert!(
            !fit(hierarchy, &mut cut, vec![(ModuleId::ROOT, 0.0)]),
            "something is to be seen"
        );
    }
}
