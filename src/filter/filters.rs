//! What the user has taken out of every view: threads, modules, call trees. A list of steps; the operations are those
//! of Bohnet's thesis, section 6.1.1.

use std::collections::BTreeSet;

use super::selection::CallOf;
use crate::facts::hierarchy::Hierarchy;
use crate::units::{FunctionId, ModuleId, ThreadId};

/// One thing left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterStep {
    /// All calls of a thread.
    HideThread(ThreadId),
    /// Module removal: the calls of the functions of a module. What they called is then called by what
    /// called them.
    RemoveModule(ModuleId),
    /// Call tree removal: what the calls of the functions of a module triggered.
    RemoveBelow(ModuleId),
    /// Call tree removal: what one call triggered.
    RemoveBelowCall(CallOf),
}

/// The steps in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters {
    steps: Vec<FilterStep>,
}

impl Filters {
    pub fn new(steps: impl IntoIterator<Item = FilterStep>) -> Filters {
        let mut filters = Filters::default();
        for step in steps {
            filters.add(step);
        }
        filters
    }

    /// The same in another structure, in which `to` says which module is which; steps about modules that are gone
    /// are dropped.
    pub fn moved(&self, to: impl Fn(ModuleId) -> Option<ModuleId>) -> Filters {
        let moved = |step: &FilterStep| match *step {
            FilterStep::RemoveModule(module) => to(module).map(FilterStep::RemoveModule),
            FilterStep::RemoveBelow(module) => to(module).map(FilterStep::RemoveBelow),
            step => Some(step),
        };
        Filters {
            steps: self.steps.iter().filter_map(moved).collect(),
        }
    }

    /// The same for another run over the same structure, `thread` and `call` saying which of its threads and calls are
    /// which: modules are left out of both. A thread or call that the other does not have is left out of the one.
    pub fn of_other_run(
        &self,
        thread: impl Fn(ThreadId) -> Option<ThreadId>,
        call: impl Fn(CallOf) -> Option<CallOf>,
    ) -> Filters {
        let other = |step: &FilterStep| match *step {
            FilterStep::HideThread(of) => thread(of).map(FilterStep::HideThread),
            FilterStep::RemoveBelowCall(of) => call(of).map(FilterStep::RemoveBelowCall),
            step => Some(step),
        };
        Filters {
            steps: self.steps.iter().filter_map(other).collect(),
        }
    }

    /// In the order in which they were taken.
    pub fn steps(&self) -> &[FilterStep] {
        &self.steps
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Takes a step; one that is in force already changes nothing.
    pub fn add(&mut self, step: FilterStep) {
        if !self.steps.contains(&step) {
            self.steps.push(step);
        }
    }

    /// Takes back the step with this number.
    pub fn remove(&mut self, index: usize) {
        if index < self.steps.len() {
            self.steps.remove(index);
        }
    }

    pub fn hides(&self, thread: ThreadId) -> bool {
        self.steps.contains(&FilterStep::HideThread(thread))
    }

    /// What the steps mean for the functions of a recording, whose modules are `modules` by function.
    /// O(functions × steps).
    pub fn rules(&self, hierarchy: &Hierarchy, modules: &[ModuleId]) -> FilterRules {
        let mut rules = FilterRules::default();
        if !self.is_empty() {
            rules.functions.resize(modules.len(), (false, false));
        }
        for step in &self.steps {
            match *step {
                FilterStep::HideThread(thread) => {
                    rules.hidden.insert(thread);
                }
                FilterStep::RemoveBelowCall(call) => {
                    rules.calls.insert((call.thread, call.call.0));
                }
                FilterStep::RemoveModule(of) | FilterStep::RemoveBelow(of) => {
                    let inside = rules.functions.iter_mut().zip(modules);
                    let inside = inside.filter(|(_, module)| hierarchy.contains(of, **module));
                    for ((removed, cut), _) in inside {
                        *removed |= matches!(step, FilterStep::RemoveModule(_));
                        *cut |= matches!(step, FilterStep::RemoveBelow(_));
                    }
                }
            }
        }
        rules
    }
}

/// The steps by function, thread and call of one recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilterRules {
    /// By function, empty where nothing is left out: whether its calls are removed, and whether what
    /// they triggered is.
    functions: Vec<(bool, bool)>,
    calls: BTreeSet<(ThreadId, u32)>,
    hidden: BTreeSet<ThreadId>,
}

impl FilterRules {
    pub fn is_empty(&self) -> bool {
        *self == FilterRules::default()
    }

    pub fn hides(&self, thread: ThreadId) -> bool {
        self.hidden.contains(&thread)
    }

    /// Whether all calls of a thread that is not hidden are left.
    pub fn leaves_threads_whole(&self) -> bool {
        self.calls.is_empty() && !self.functions.iter().any(|&(removed, cut)| removed || cut)
    }

    /// Whether the calls of `function` are removed.
    pub fn removes(&self, function: FunctionId) -> bool {
        self.functions
            .get(function.index())
            .is_some_and(|&(removed, _)| removed)
    }

    /// Whether what a call of `function` triggered is removed.
    pub fn cuts_below(&self, function: FunctionId, call: CallOf) -> bool {
        self.functions
            .get(function.index())
            .is_some_and(|&(_, cut)| cut)
            || (!self.calls.is_empty() && self.calls.contains(&(call.thread, call.call.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
    use crate::units::CallId;

    #[test]
    fn steps_are_taken_once_and_taken_back() {
        let mut filters = Filters::default();
        let [a, b] = [1, 2].map(|thread| FilterStep::HideThread(ThreadId(thread)));
        filters.add(a);
        filters.add(b);
        filters.add(a);
        assert_eq!(filters.steps(), [a, b]);
        filters.remove(0);
        assert_eq!(filters.steps(), [b]);
        filters.remove(1);
        assert_eq!(filters.steps(), [b], "there is no second");
    }

    #[test]
    fn another_run_is_left_what_is_of_both() {
        let module = FilterStep::RemoveModule(ModuleId(3));
        let [first, second] = [0, 1].map(|thread| FilterStep::HideThread(ThreadId(thread)));
        let call = |call| CallOf {
            thread: ThreadId(0),
            call: CallId(call),
        };
        let [below, below_other] = [4, 5].map(|of| FilterStep::RemoveBelowCall(call(of)));
        let filters = Filters::new([first, module, below, second, below_other]);
        let other = filters.of_other_run(
            |thread| (thread.0 == 0).then_some(ThreadId(7)),
            |of| (of.call.0 == 4).then_some(call(9)),
        );
        let below = FilterStep::RemoveBelowCall(call(9));
        assert_eq!(
            other.steps(),
            [FilterStep::HideThread(ThreadId(7)), module, below]
        );
    }

    #[test]
    fn a_module_stands_for_its_functions() {
        let mut builder = HierarchyBuilder::new("app");
        let file = builder.add(NodeId::ROOT, Module::named(ModuleKind::File, "a.c"));
        let function = |name| Module::named(ModuleKind::Function, name);
        builder.add(file, function("f"));
        builder.add(file, function("g"));
        builder.add(NodeId::ROOT, function("h"));
        let (hierarchy, _) = builder.build();
        let modules = [2, 3, 4].map(ModuleId);
        let call = |thread, call| CallOf {
            thread: ThreadId(thread),
            call: CallId(call),
        };
        let filters = Filters::new([
            FilterStep::RemoveModule(ModuleId(1)),
            FilterStep::RemoveBelow(ModuleId(4)),
            FilterStep::RemoveBelowCall(call(0, 7)),
        ]);
        let rules = filters.rules(&hierarchy, &modules);
        let removed = [0, 1, 2].map(|f| rules.removes(FunctionId(f)));
        assert_eq!(removed, [true, true, false]);
        assert!(rules.cuts_below(FunctionId(2), call(0, 1)));
        assert!(rules.cuts_below(FunctionId(0), call(0, 7)));
        assert!(!rules.cuts_below(FunctionId(0), call(1, 7)));
        assert!(Filters::default().rules(&hierarchy, &modules).is_empty());
    }
}
