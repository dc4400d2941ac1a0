//! Noting each change of what is shown as a step, and going back and forth between steps.

mod shown;
#[cfg(test)]
mod tests;
mod words;

use super::ask::StepAsk;
use super::destination::Goal;
use super::document::Document;
use super::state::State;
use super::steps::{Kind, Step};

pub use words::left_out;

impl State {
    fn goal(&self) -> Goal {
        let shown = self.document.as_ref().map(Document::generation);
        self.moving.goal(shown)
    }

    /// Notes what has changed since the last time as a step; not while `is_held`: what goes on is one step once it has
    /// ended. Where nothing has changed a few numbers are compared, none of them by what is open.
    pub fn note_step(&mut self, is_held: bool) {
        if self.document.is_none() || self.steps.opened != self.opening.opened {
            if self.steps.now().is_some() || self.document.is_some() {
                let shown = self.shown();
                self.steps.begin(shown, self.opening.opened);
            }
            return;
        }
        if self.steps.going.is_some() {
            return self.go_on_to_step();
        }
        let is_under_way = self.work.jobs.is_revising() || self.work.jobs.linking.is_some();
        if is_held || is_under_way || self.panes.is_moving() {
            return;
        }
        let is_touched = std::mem::take(&mut self.steps.is_touched);
        let goal = self.goal();
        let from = self.moving.take_flies_from().filter(|from| *from != goal);
        let settles = std::mem::take(&mut self.steps.settles);
        if from.is_none() && self.is_as_noted(is_touched) {
            return;
        }
        let (Some(before), Some(after)) = (self.steps.now().cloned(), self.shown()) else {
            return;
        };
        if settles {
            return self.steps.settle(after);
        }
        let (name, kind) = words::name(self, (&before, &after), from.map(|_| goal));
        let document = self.document.as_ref();
        let is_walk = kind == Kind::Choice && document.is_some_and(|it| it.selection.walks());
        let step = Step {
            name,
            kind: if is_walk { Kind::Walk } else { kind },
            after,
            camera: from.map(|from| (from, None)),
            at: self.now(),
        };
        self.steps.add(step);
    }

    pub fn on_step(&mut self, ask: StepAsk) {
        // What has just been done is the first to be undone.
        self.note_step(false);
        if self.steps.going.is_some() {
            return;
        }
        let (done, all) = (self.steps.done(), self.steps.all().len());
        let to = match ask {
            StepAsk::Undo => done.checked_sub(1),
            StepAsk::Redo => Some(done + 1),
            StepAsk::GoTo(to) => Some(to),
        };
        if let Some(to) = to.filter(|&to| to <= all && to != done) {
            self.steps.going = Some((to, None));
            self.go_on_to_step();
        }
    }

    /// Brings what is shown to the step that is gone to, as soon as the jobs for it are done.
    fn go_on_to_step(&mut self) {
        if self.work.jobs.is_revising() || !self.runs_view.to_do.is_empty() {
            return;
        }
        let Some((to, last)) = self.steps.going.take() else {
            return;
        };
        let Some(target) = self.steps.shown(to).cloned() else {
            return;
        };
        if let Some(ask) = self.job_towards(&target) {
            // What was cancelled, or led nowhere, is not begun again.
            if last.as_ref() != Some(&ask) {
                self.execute(ask.clone());
                self.steps.going = Some((to, Some(ask)));
            } else {
                self.steps.is_touched = true;
            }
            return;
        }
        self.restore(&target);
        let (done, goal) = (self.steps.done(), self.goal());
        if let Some(goal) = self.steps.go_to(to, goal) {
            self.moving.following.is_on = false;
            match goal {
                Goal::Pose(pose) => self.moving.fly_to_pose(pose),
                Goal::To(destination) => self.fly(destination),
            }
        }
        self.moving.take_flies_from();
        (self.steps.settles, self.steps.is_touched) = (true, true);
        self.tell_step(done, to);
    }

    /// Says what was undone or done again.
    fn tell_step(&mut self, from: usize, to: usize) {
        let (verb, step) = match to < from {
            true => ("Undone", to),
            false => ("Done again", to - 1),
        };
        let line = match (from.abs_diff(to), self.steps.all().nth(step)) {
            (1, Some(step)) => format!("{verb}: {}", step.name),
            (many, _) => format!("{verb}: {many} changes"),
        };
        self.tell_briefly(line);
    }
}
