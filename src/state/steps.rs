//! The steps from what was shown at first to what is shown now: each can be undone, and done again.
//!
//! A step keeps what is shown after it, sharing what is large with the steps around it. Time and camera are no part of
//! that: playing and flying about by hand would bury all other steps. Only where an action has the camera fly somewhere
//! does its step lead the camera back.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::ask::Ask;
use super::destination::Goal;
use super::document::Same;
use super::own_view::{OwnView, OwnViews};
use super::panes::{Arrangement, ViewId};
use super::runs::RunsLayout;
use callscape_analysis::alignment::Link;
use callscape_analysis::comparison::amounts::{Measure, Timed};
use callscape_analysis::comparison::tables::Norm;
use callscape_base::units::{ModuleId, TimeRange};
use callscape_filter::cut::Cut;
use callscape_filter::filters::Filters;
use callscape_filter::selection::Pointed;
use callscape_model::difference::Strength;
use callscape_model::landscape::LandscapeSettings;

/// Older steps are forgotten.
pub const LONGEST: usize = 200;
/// So are the oldest where all together keep more collapsed modules than this: 40 MB or so.
const MOST_MODULES: usize = 1 << 20;
/// What is changed by degrees is one step while no more than this passes between two changes.
const PAUSE: Duration = Duration::from_secs(1);

/// What is shown of what is open.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Of two runs, which input is shown, and whether A is the second of them.
    pub run: Option<(usize, bool)>,
    /// Which value of a profile.
    pub value: Option<usize>,
    pub filters: Filters,
    pub cut: Arc<Cut>,
    pub detail_by_size: bool,
    pub range: Option<TimeRange>,
    pub settings: LandscapeSettings,
    pub runs: Option<ShownRuns>,
    pub chosen: Pointed,
    pub views: Arc<Arrangement>,
    pub maximised: Option<ViewId>,
    pub text_scale: f32,
    pub own: OwnViews,
}

/// How two runs are compared and how they stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShownRuns {
    pub together: RunsLayout,
    pub divider: f32,
    pub only_differences: bool,
    pub measure: Measure,
    pub strength: Strength,
    pub norm: Norm,
    pub timed: Timed,
    pub link: Link,
}

impl Shown {
    /// The same in another document; what is gone is left out, and steps about it are kept aside.
    fn moved(&self, same: &Same<'_>) -> Shown {
        Shown {
            filters: self.filters.moved(same),
            cut: Arc::new(self.cut.moved(|module| same.module(module))),
            chosen: same.pointed(self.chosen),
            ..self.clone()
        }
    }
}

/// What is changed by degrees, or else at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    AtOnce,
    /// Something is chosen.
    Choice,
    /// One row of a table after another is chosen.
    Walk,
    Bundling,
    MostArcs,
    HalfLife,
    Text,
    Divider,
    Shares,
}

/// A change of what is shown.
#[derive(Clone, Debug)]
pub struct Step {
    /// In plain words, as a list has it.
    pub name: String,
    pub kind: Kind,
    pub after: Shown,
    /// Where an action had the camera fly: from where, and, once it is undone, where to.
    pub camera: Option<(Goal, Option<Goal>)>,
    /// When it was made, since the start.
    pub at: Duration,
}

/// All steps, and how many of them are done.
#[derive(Debug, Default)]
pub struct Steps {
    /// What was shown before the first step that is remembered; none while nothing is open.
    first: Option<Shown>,
    steps: VecDeque<Step>,
    done: usize,
    /// The inputs that all this is about: [`super::Stamps::opened`].
    pub opened: u64,
    /// What views show of their own now.
    pub own: OwnViews,
    /// Something was asked for since what is shown was last looked at, so that it is looked at closely.
    pub(crate) is_touched: bool,
    /// How many steps are to be done, as soon as jobs for it are done; with the last job that was begun.
    pub going: Option<(usize, Option<Ask>)>,
    /// What is shown was brought to a step: whatever comes of that is no step of its own.
    pub settles: bool,
}

impl Steps {
    /// Begins anew with what is shown now, of the inputs `opened`.
    pub fn begin(&mut self, first: Option<Shown>, opened: u64) {
        *self = Steps {
            first,
            opened,
            ..Steps::default()
        };
    }

    /// Something was done in a view, which before showed the first of these and now the second.
    pub(crate) fn note_own(&mut self, view: ViewId, [before, after]: [OwnView; 2]) {
        if !self.own.contains_key(&view) {
            let steps = self.steps.iter_mut().map(|it| &mut it.after);
            for shown in self.first.iter_mut().chain(steps) {
                shown.own.insert(view, before.clone());
            }
        }
        self.own.insert(view, after);
    }

    /// In the order in which they were made, those undone too.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &Step> {
        self.steps.iter()
    }

    /// How many are done, the first of them; the rest is undone.
    pub fn done(&self) -> usize {
        self.done
    }

    pub fn can_undo(&self) -> bool {
        self.done > 0
    }

    pub fn can_redo(&self) -> bool {
        self.done < self.steps.len()
    }

    /// What is shown after so many steps.
    pub fn shown(&self, done: usize) -> Option<&Shown> {
        match done.checked_sub(1) {
            Some(last) => self.steps.get(last).map(|step| &step.after),
            None => self.first.as_ref(),
        }
    }

    /// What is shown now, as far as it was noted.
    pub fn now(&self) -> Option<&Shown> {
        self.shown(self.done)
    }

    /// What is shown now is part of the last step.
    pub fn settle(&mut self, shown: Shown) {
        match self.done.checked_sub(1) {
            Some(last) => {
                if let Some(step) = self.steps.get_mut(last) {
                    step.after = shown;
                }
            }
            None => self.first = Some(shown),
        }
    }

    /// Adds a step, which forgets those undone; one by degrees goes on from the last one.
    pub fn add(&mut self, step: Step) {
        self.steps.truncate(self.done);
        if let Some(last) = self.steps.back_mut()
            && last.kind == step.kind
            && last.camera.is_none()
            && step.camera.is_none()
            && match step.kind {
                Kind::AtOnce | Kind::Choice => false,
                Kind::Walk => true,
                _ => step.at.saturating_sub(last.at) <= PAUSE,
            }
        {
            *last = step;
            return;
        }
        self.steps.push_back(step);
        self.done = self.steps.len();
        while self.steps.len() > LONGEST || self.modules() > MOST_MODULES {
            let Some(oldest) = self.steps.pop_front() else {
                break;
            };
            self.first = Some(oldest.after);
            self.done -= 1;
        }
    }

    /// How many collapsed modules they keep; what steps share is there once.
    fn modules(&self) -> usize {
        let mut last: Option<&Arc<Cut>> = None;
        let mut modules = 0;
        for shown in self.first.iter().chain(self.all().map(|it| &it.after)) {
            if last.is_none_or(|it| !Arc::ptr_eq(it, &shown.cut)) {
                modules += shown.cut.collapsed().len();
            }
            last = Some(&shown.cut);
        }
        modules
    }

    /// Has so many steps done: where the camera goes from `camera`, if it has to.
    pub fn go_to(&mut self, done: usize, camera: Goal) -> Option<Goal> {
        let mut goal = camera;
        if done < self.done {
            for step in self.steps.range_mut(done..self.done).rev() {
                if let Some((from, to)) = &mut step.camera {
                    *to = Some(goal);
                    goal = *from;
                }
            }
        } else {
            for step in self.steps.range(self.done..done.min(self.steps.len())) {
                if let Some((_, Some(to))) = step.camera {
                    goal = to;
                }
            }
        }
        self.done = done.min(self.steps.len());
        (goal != camera).then_some(goal)
    }

    /// The structure is another, in which `to` says which module is which; steps that changed nothing but what is gone are
    /// forgotten.
    pub fn moved(&mut self, same: &Same<'_>) {
        let to = &|module: ModuleId| same.module(module);
        let Some(first) = &mut self.first else {
            return;
        };
        let mut shared: Option<(Arc<Cut>, Arc<Cut>)> = None;
        let mut moved = |shown: &Shown| {
            let mut after = shown.moved(same);
            match &shared {
                Some((old, new)) if Arc::ptr_eq(old, &shown.cut) => after.cut = Arc::clone(new),
                _ => shared = Some((Arc::clone(&shown.cut), Arc::clone(&after.cut))),
            }
            after
        };
        *first = moved(first);
        let (mut before, mut done) = (first.clone(), 0);
        let mut kept = VecDeque::with_capacity(self.steps.len());
        for (number, mut step) in std::mem::take(&mut self.steps).into_iter().enumerate() {
            step.after = moved(&step.after);
            step.camera = step
                .camera
                .map(|(from, goal)| (from.moved(to), goal.map(|goal| goal.moved(to))));
            if step.after == before && step.camera.is_none() {
                continue;
            }
            done += usize::from(number < self.done);
            before = step.after.clone();
            kept.push_back(step);
        }
        (self.steps, self.done) = (kept, done);
        self.going = None;
        self.is_touched = true;
    }
}
