//! What the view knows, and what it does with that.

use super::finding::{Finding, Found, FoundIn};
use super::layers;
use super::layers::{Instances, Key, Layer};
use super::meaning::Meaning;
use super::other_run::FindingOther;
use super::two::Two;
use callscape_analysis::phases::{Parent, Phase};
use callscape_base::units::{FunctionId, TimeRange};
use callscape_filter::filters::Filters;
use callscape_filter::marked::Marked;
use callscape_filter::selection::{CallOf, Pointed};
use callscape_layout::hues::Hues;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, Chapter};
use callscape_state::document::Document;
use std::sync::Arc;

/// In the session file.
pub(super) const SAVED: &str = "phases";

/// At first so many layers are unfolded along the costliest phases.
pub(super) const UNFOLDED: usize = 3;

#[derive(Default)]
pub struct PhasesView {
    pub(super) finding: Finding,
    pub(super) found: Option<Arc<Found>>,
    /// Which thread's phases are shown.
    pub(super) root: usize,
    /// The phases that are unfolded, outermost first.
    pub(super) path: Vec<u32>,
    pub(super) instances: Instances,
    pub(super) layers: Vec<Layer>,
    /// Counts what was done to the layers.
    pub(super) revision: u64,
    /// Of the pane when layers were laid out last, in points.
    pub(super) width: f32,
    pub(super) laid_out: Option<u64>,
    pub(super) hues: Option<Hues>,
    pub(super) meaning: Meaning,
    pub(super) seen_document: u64,
    /// The call that was chosen when its phase was last brought into sight.
    pub(super) revealed: Option<CallOf>,
    /// Which phase's functions are lit in the landscape.
    pub(super) lit: Option<CallOf>,
    /// The two phases that are compared.
    pub(super) compared: Option<Two>,
    /// Those that the menu, which was last opened on one of them, can compare.
    pub(super) menu_of: Option<Two>,
    /// The phases of the other run, where one of them is compared.
    pub(super) other: FindingOther,
    /// What phases are found in, with the filters that it comes of.
    pub(super) wanted: Option<(Filters, FoundIn)>,
    /// A phase is to be scrolled to.
    pub(super) scroll_to: Option<u32>,
}

impl PhasesView {
    pub(super) fn phase(&self, index: u32) -> Option<&Phase> {
        self.found.as_ref()?.phases.phases.get(index as usize)
    }

    /// What phases are to be found in. O(functions) where that has changed.
    pub(super) fn wanted(&mut self, document: &Document) -> Option<FoundIn> {
        let resolved = document.resolved()?;
        let is_same = |of: &FoundIn| {
            Arc::ptr_eq(&of.named.0, &document.session)
                && Arc::ptr_eq(&of.recording, &resolved.recording)
        };
        let known = self.wanted.as_ref();
        let known = known.filter(|(filters, of)| {
            let is_as_shown = *filters == document.filters && is_same(of);
            is_as_shown && of.costs == self.finding.settings.costs
        });
        if let Some((_, of)) = known {
            return Some(of.clone());
        }
        let modules = &resolved.resolution.modules;
        let rules = document.filters.rules(&document.session.hierarchy, modules);
        let of = FoundIn {
            named: (Arc::clone(&document.session), document.recording()),
            recording: Arc::clone(&resolved.recording),
            rules: Arc::new(rules),
            costs: self.finding.settings.costs,
        };
        self.wanted = Some((document.filters.clone(), of.clone()));
        Some(of)
    }

    /// The phase that a call is.
    pub(super) fn phase_of(&self, of: CallOf) -> Option<u32> {
        let phases = &self.found.as_ref()?.phases;
        let key = |phase: &Phase| (phase.thread, phase.call);
        let found = phases
            .phases
            .binary_search_by_key(&(of.thread, of.call), key);
        found.ok().map(|index| index as u32)
    }

    /// Takes what was found, and shows it as before as far as it is still there.
    pub(super) fn take(&mut self, found: Found) {
        let before = self.found.take();
        let calls = self.path.iter().filter_map(|&index| {
            let phase = before.as_ref()?.phases.phases.get(index as usize)?;
            Some(CallOf {
                thread: phase.thread,
                call: phase.call,
            })
        });
        let calls: Vec<CallOf> = calls.collect();
        let is_new = before.is_none();
        self.found = Some(Arc::new(found));
        self.instances.clear();
        self.path.clear();
        for call in calls {
            if let Some(phase) = self.phase_of(call) {
                self.unfold(phase);
            }
        }
        if is_new {
            self.show_costliest();
            let saved = self.finding.to_unfold.take();
            if let Some(phase) = saved.and_then(|call| self.phase_of(call)) {
                self.reveal(phase);
            }
        }
        self.revision += 1;
    }

    /// The thread that costs most, unfolded along its costliest phases.
    pub(super) fn show_costliest(&mut self) {
        let Some(found) = &self.found else { return };
        let phases = &found.phases;
        let roots = phases.roots.iter().enumerate();
        let costliest = roots.max_by_key(|(index, root)| (root.cost, std::cmp::Reverse(*index)));
        self.root = costliest.map_or(0, |(index, _)| index);
        let mut parent = Parent::Root(self.root);
        let mut path = Vec::new();
        while path.len() < UNFOLDED {
            let below = phases.children(parent).filter_map(|index| {
                let phase = phases.phases.get(index as usize)?;
                (phase.end > index + 1).then_some((phase.cost, std::cmp::Reverse(index)))
            });
            let Some((_, std::cmp::Reverse(index))) = below.max() else {
                break;
            };
            path.push(index);
            parent = Parent::Phase(index);
        }
        match path.last() {
            Some(&innermost) => self.unfold(innermost),
            None => self.revision += 1,
        }
    }

    /// Unfolds a phase and those around it; another one of its depth is folded.
    pub(super) fn unfold(&mut self, index: u32) {
        let Some(found) = &self.found else { return };
        let phases = &found.phases.phases;
        let mut path = Vec::new();
        let mut next = Some(index);
        while let Some(index) = next {
            let Some(phase) = phases.get(index as usize) else {
                break;
            };
            if phase.end > index + 1 || !path.is_empty() {
                path.push(index);
            }
            next = phase.parent;
        }
        path.reverse();
        self.path = path;
        self.show_instances(index);
        self.revision += 1;
    }

    /// Has the repetitions that a phase and those around it stand in show the instances that hold them.
    pub(super) fn show_instances(&mut self, index: u32) {
        let Some(found) = self.found.clone() else {
            return;
        };
        let mut next = Some(index);
        while let Some(index) = next {
            let parent = found.phases.phases.get(index as usize);
            let parent = parent.and_then(|phase| phase.parent);
            let siblings = parent.map_or(Parent::Root(self.root), Parent::Phase);
            let instances = &mut self.instances;
            layers::show_instance_of(&found.phases, &found.folded, siblings, index, instances);
            next = parent;
        }
    }

    /// Folds a phase that is unfolded, unfolds one that is not.
    pub(super) fn toggle(&mut self, index: u32) {
        match self.path.iter().position(|&it| it == index) {
            Some(at) => {
                self.path.truncate(at);
                self.revision += 1;
            }
            None => self.unfold(index),
        }
    }

    /// Brings a phase into sight: the layers down to it, and its instances of repetitions.
    pub(super) fn reveal(&mut self, index: u32) {
        let Some(found) = self.found.clone() else {
            return;
        };
        let Some(phase) = found.phases.phases.get(index as usize) else {
            return;
        };
        let roots = &found.phases.roots;
        let root = roots.iter().position(|root| root.thread == phase.thread);
        self.root = root.unwrap_or(0);
        self.unfold(index);
        self.scroll_to = Some(index);
        self.revision += 1;
    }

    /// Shows another instance of a repetition, that of the deepest layer for none.
    pub(super) fn step_instance(&mut self, by: i64) {
        let frames = self.layers.iter().rev().flat_map(|it| it.frames.iter());
        let Some(frame) = frames.max_by_key(|frame| frame.layer) else {
            return;
        };
        let of = i64::from(frame.instances);
        let next = (i64::from(frame.shown) + by).rem_euclid(of.max(1));
        self.show_instance(frame.key, next as u32);
    }

    /// Shows an instance of a repetition.
    pub(super) fn show_instance(&mut self, of: Key, instance: u32) {
        self.instances.insert(of, instance);
        // What is unfolded below it is no longer there.
        self.lay_out();
        let is_shown = |layer: &Layer, index: u32| layer.shows(index);
        let kept = self
            .path
            .iter()
            .zip(&self.layers)
            .take_while(|(index, layer)| is_shown(layer, **index));
        let kept = kept.count();
        self.path.truncate(kept);
        self.revision += 1;
    }

    /// Lays layers out anew for a pane as wide as this.
    pub(super) fn fit(&mut self, width: f32) {
        if (width - self.width).abs() >= 1.0 {
            self.width = width;
            self.lay_out();
        }
    }

    pub(super) fn lay_out(&mut self) {
        self.laid_out = Some(self.revision);
        self.layers = match &self.found {
            Some(found) => {
                let instances = &mut self.instances;
                layers::lay_out(
                    &found.phases,
                    &found.folded,
                    self.root,
                    &self.path,
                    self.width,
                    instances,
                )
            }
            None => Vec::new(),
        };
    }

    /// Follows the call that is chosen elsewhere, and lights the functions of a phase that is chosen.
    pub(super) fn follow_chosen(&mut self, document: &Document, asks: &mut Asks) {
        let chosen = document.selection.chosen.call;
        if chosen != self.revealed && self.found.is_some() {
            self.revealed = chosen;
            let phase = chosen.and_then(|of| {
                let phases = &self.found.as_ref()?.phases;
                phases.around(of.thread, of.call)
            });
            let is_shown = phase.is_some_and(|phase| self.layers.iter().any(|it| it.shows(phase)));
            if let Some(phase) = phase.filter(|_| !is_shown) {
                self.reveal(phase);
            }
        }
        let lit = chosen.filter(|&of| self.phase_of(of).is_some());
        if lit != self.lit {
            self.lit = lit;
            let phase = lit.and_then(|of| self.phase(self.phase_of(of)?));
            asks.push(Ask::Light(
                phase.map(|phase| self.marked_of(document, phase)),
            ));
        }
    }

    /// Has the phases of the thread that is shown stand over the views along time too.
    pub(super) fn show_band(&self, state: &State, asks: &mut Asks) {
        let band = self.found.as_ref().and_then(|it| it.bands.get(self.root));
        let band = band.filter(|it| !it.rows.is_empty());
        let shown = state.band();
        if band.map(Arc::as_ptr) != shown.map(Arc::as_ptr) {
            asks.push(Ask::Band(band.cloned()));
        }
    }

    /// The phases of the first layer that shows several, as stretches of the recording.
    pub(super) fn chapters(&self, document: &Document) -> Vec<Chapter> {
        let several = self.layers.iter().find(|it| it.phases().count() > 1);
        let (Some(found), Some(resolved)) = (&self.found, document.resolved()) else {
            return Vec::new();
        };
        let layer = several.or(self.layers.first());
        let shown = layer.into_iter().flat_map(Layer::phases);
        let chapter = |index: u32| {
            let phase = found.phases.phases.get(index as usize)?;
            let call = resolved.recording.trace.call(phase.thread, phase.call);
            Some(Chapter {
                name: found.labels.phase(index, phase).to_owned(),
                range: TimeRange::new(call.start, call.end),
                module: document.module_of(phase.function),
            })
        };
        shown.filter_map(chapter).collect()
    }

    /// The functions that are active in a phase.
    pub(super) fn marked_of(&self, document: &Document, phase: &Phase) -> Arc<Marked> {
        let found = self.found.as_ref();
        let functions = found.map_or(&[][..], |it| it.phases.functions(phase));
        let functions = functions.iter().map(|&it| FunctionId(it)).collect();
        let name = document.function_name(phase.function);
        document.marked(format!("runs in the phase {name}"), functions)
    }
}

/// What pointing at a phase means.
pub(super) fn pointed_at(document: &Document, phase: &Phase) -> Pointed {
    let trace = &document.resolved().map(|it| &it.recording.trace);
    let start = trace.map(|trace| trace.call(phase.thread, phase.call).start);
    Pointed {
        function: Some(phase.function),
        module: document.module_of(phase.function),
        call: Some(CallOf {
            thread: phase.thread,
            call: phase.call,
        }),
        thread: Some(phase.thread),
        time: start,
        relation: None,
    }
}
