//! What the user has taken out of every view: threads, modules, call trees. A list of steps; the operations are those
//! of Bohnet's thesis, section 6.1.1.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::marked::Marked;
use super::selection::CallOf;
use callscape_analysis::frequency::Frequent;
use callscape_base::units::{FunctionId, ModuleId, ThreadId};
use callscape_facts::frequency::Frequency;
use callscape_facts::hierarchy::Hierarchy;

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
    /// Removal of the functions that are called more often (section 4.3). Which they are is looked for once, with
    /// [`Filters::learn`]; before that nothing goes.
    RemoveFrequent(Frequency),
    /// Removal of the functions that are not marked. Before it is known which are, with [`Filters::mark`], nothing goes.
    RemoveNotMarked,
}

/// A step about something that is not there now: it is in force again once that is back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// With an id that means nothing any more.
    pub step: FilterStep,
    /// What it is about; empty for what has no name.
    pub name: String,
    /// Its place among the steps.
    at: usize,
}

/// What steps are about in another structure.
pub trait Renamed {
    /// The step there; none where it is about nothing that is there.
    fn step(&self, step: FilterStep) -> Option<FilterStep>;

    /// What a step of here is about, by name.
    fn name(&self, step: FilterStep) -> String;

    /// The step there about something that was not here.
    fn find(&self, gone: &Gone) -> Option<FilterStep>;
}

/// The steps in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filters {
    steps: Vec<FilterStep>,
    /// Those about what is not there.
    gone: Vec<Gone>,
    /// Which functions of the recording are called more often than steps allow, as far as that has been found.
    found: Vec<Arc<Frequent>>,
    /// What is marked, as far as a step asks for it.
    marked: Option<Arc<Marked>>,
}

impl Filters {
    pub fn new(steps: impl IntoIterator<Item = FilterStep>) -> Filters {
        let mut filters = Filters::default();
        for step in steps {
            filters.add(step);
        }
        filters
    }

    /// The same in another structure. Steps about what is not there are kept aside until it is.
    pub fn moved(&self, to: &dyn Renamed) -> Filters {
        let (mut steps, mut gone) = (Vec::new(), Vec::new());
        for (at, &step) in self.steps.iter().enumerate() {
            match to.step(step) {
                Some(there) => steps.push(there),
                None => gone.push(Gone {
                    step,
                    name: to.name(step),
                    at,
                }),
            }
        }
        for of in &self.gone {
            match to.find(of).filter(|step| !steps.contains(step)) {
                Some(step) => steps.insert(of.at.min(steps.len()), step),
                None => gone.push(of.clone()),
            }
        }
        Filters {
            steps,
            gone,
            found: self.found.clone(),
            // Of modules that may have other numbers: whoever marks them says it again.
            marked: None,
        }
    }

    /// What steps were about that is not there now.
    pub fn gone(&self) -> &[Gone] {
        &self.gone
    }

    /// The same for another run over the same structure, `thread` and `call` saying which of its threads and calls are
    /// which: modules are left out of both. A thread or call that the other does not have is left out of the one.
    /// `frequent` says which functions of the other are those that the one calls often.
    pub fn of_other_run(
        &self,
        thread: impl Fn(ThreadId) -> Option<ThreadId>,
        call: impl Fn(CallOf) -> Option<CallOf>,
        frequent: impl Fn(&Frequent) -> Frequent,
    ) -> Filters {
        let other = |step: &FilterStep| match *step {
            FilterStep::HideThread(of) => thread(of).map(FilterStep::HideThread),
            FilterStep::RemoveBelowCall(of) => call(of).map(FilterStep::RemoveBelowCall),
            step => Some(step),
        };
        Filters {
            steps: self.steps.iter().filter_map(other).collect(),
            gone: self.gone.clone(),
            found: self.found.iter().map(|it| Arc::new(frequent(it))).collect(),
            marked: self.marked.clone(),
        }
    }

    /// The first step whose functions have not been found yet.
    pub fn unknown(&self) -> Option<Frequency> {
        self.steps.iter().find_map(|step| match *step {
            FilterStep::RemoveFrequent(limit) => self.frequent(limit).is_none().then_some(limit),
            _ => None,
        })
    }

    /// The functions that a step takes away for being called often, once found.
    pub fn frequent(&self, limit: Frequency) -> Option<&Arc<Frequent>> {
        self.found.iter().find(|it| it.frequency == limit)
    }

    /// All that is known of the steps in force.
    pub fn all_frequent(&self) -> impl Iterator<Item = &Arc<Frequent>> {
        let limits = self.steps.iter().filter_map(|step| match *step {
            FilterStep::RemoveFrequent(limit) => Some(limit),
            _ => None,
        });
        limits.filter_map(|limit| self.frequent(limit))
    }

    /// Takes what was found of the recording.
    pub fn learn(&mut self, frequent: Arc<Frequent>) {
        self.found.retain(|it| it.frequency != frequent.frequency);
        self.found.push(frequent);
    }

    /// The same steps with what `other` of the same recording knows.
    pub fn knowing(mut self, other: &Filters) -> Filters {
        for found in &other.found {
            if self.frequent(found.frequency).is_none() {
                self.found.push(Arc::clone(found));
            }
        }
        self
    }

    /// Takes this limit in place of the one in force, as its step: none takes none.
    pub fn limit_frequency(&mut self, limit: Option<Frequency>) {
        let is_limit = |step: &FilterStep| matches!(step, FilterStep::RemoveFrequent(_));
        let place = self.steps.iter().position(is_limit);
        match (place, limit) {
            (Some(place), Some(limit)) => self.steps[place] = FilterStep::RemoveFrequent(limit),
            (Some(place), None) => self.remove(place),
            (None, Some(limit)) => self.add(FilterStep::RemoveFrequent(limit)),
            (None, None) => {}
        }
    }

    /// Whether a step waits to be told what is marked.
    pub fn wants_marked(&self) -> bool {
        self.marked.is_none() && self.steps.contains(&FilterStep::RemoveNotMarked)
    }

    /// Takes what is marked from now on; without a step that asks for it nothing changes.
    pub fn mark(&mut self, marked: Option<&Arc<Marked>>) {
        let is_asked = self.steps.contains(&FilterStep::RemoveNotMarked);
        self.marked = marked.filter(|_| is_asked).cloned();
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
                FilterStep::RemoveFrequent(limit) => {
                    let frequent = self.frequent(limit).into_iter();
                    for function in frequent.flat_map(|it| &it.functions) {
                        if let Some((removed, _)) = rules.functions.get_mut(function.index()) {
                            *removed = true;
                        }
                    }
                }
                FilterStep::RemoveNotMarked => {
                    let Some(marked) = &self.marked else {
                        continue;
                    };
                    for ((removed, _), module) in rules.functions.iter_mut().zip(modules) {
                        *removed |= !marked.has(*module);
                    }
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

/// Which functions of another run those are that are called often in the one: those of the same modules. O(functions).
pub fn same_functions(frequent: &Frequent, from: &[ModuleId], to: &[ModuleId]) -> Frequent {
    let modules = frequent
        .functions
        .iter()
        .filter_map(|it| from.get(it.index()));
    let modules: BTreeSet<ModuleId> = modules.copied().collect();
    let functions = to
        .iter()
        .zip(0..)
        .filter(|(module, _)| modules.contains(module));
    Frequent {
        functions: functions.map(|(_, id)| FunctionId(id)).collect(),
        ..frequent.clone()
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

    /// Whether what single calls triggered is removed.
    pub fn cuts_single_calls(&self) -> bool {
        !self.calls.is_empty()
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
    use callscape_base::units::CallId;
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

    /// A structure with the modules of these numbers.
    struct Only(&'static [u32]);

    impl Renamed for Only {
        fn step(&self, step: FilterStep) -> Option<FilterStep> {
            match step {
                FilterStep::RemoveModule(ModuleId(of)) => self.0.contains(&of).then_some(step),
                step => Some(step),
            }
        }

        fn name(&self, step: FilterStep) -> String {
            match step {
                FilterStep::RemoveModule(ModuleId(of)) => of.to_string(),
                _ => String::new(),
            }
        }

        fn find(&self, gone: &Gone) -> Option<FilterStep> {
            let of = gone.name.parse().ok().filter(|of| self.0.contains(of));
            of.map(|of| FilterStep::RemoveModule(ModuleId(of)))
        }
    }

    #[test]
    fn steps_about_what_is_gone_are_back_with_it_in_their_place() {
        let all = [1, 2, 3].map(|of| FilterStep::RemoveModule(ModuleId(of)));
        let filters = Filters::new(all);
        let gone = filters.moved(&Only(&[1, 3]));
        assert_eq!(gone.steps(), [all[0], all[2]]);
        assert_eq!(gone.gone().len(), 1);
        let still = gone.moved(&Only(&[1]));
        assert_eq!((still.steps(), still.gone().len()), (&all[..1], 2));
        let back = still.moved(&Only(&[1, 2, 3]));
        assert_eq!(back.steps().len(), 3);
        assert_eq!((back.steps()[0], back.gone().len()), (all[0], 0));
    }

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
            Frequent::clone,
        );
        let below = FilterStep::RemoveBelowCall(call(9));
        assert_eq!(
            other.steps(),
            [FilterStep::HideThread(ThreadId(7)), module, below]
        );
    }

    #[test]
    fn what_is_not_marked_goes_once_it_is_known_what_is() {
        let (hierarchy, _) = HierarchyBuilder::new("app").build();
        let modules = [2, 5, 2, 9].map(ModuleId);
        let removed = |filters: &Filters| {
            let rules = filters.rules(&hierarchy, &modules);
            [0, 1, 2, 3].map(|it| rules.removes(FunctionId(it)))
        };
        let marked = [ModuleId(2), ModuleId(9)].into();
        let marked = Marked::new(String::new(), marked, Arc::default(), Vec::new());
        let marked = Arc::new(marked);
        let mut filters = Filters::default();
        filters.mark(Some(&marked));
        assert_eq!(filters, Filters::default(), "no step asks for it");
        filters.add(FilterStep::RemoveNotMarked);
        assert_eq!(removed(&filters), [false; 4]);
        filters.mark(Some(&marked));
        assert_eq!(removed(&filters), [false, true, false, false]);
        filters.mark(None);
        assert_eq!(removed(&filters), [false; 4]);
    }

    #[test]
    fn what_is_called_often_goes_once_it_is_known() {
        let (hierarchy, _) = HierarchyBuilder::new("app").build();
        let modules = [ModuleId::ROOT; 3];
        let [limit, other] = [5, 9].map(|most| Frequency {
            most,
            ..Frequency::USUAL
        });
        let frequent = Frequent {
            frequency: limit,
            functions: vec![FunctionId(1), FunctionId(7)],
            calls: 3,
            of: 4,
        };
        let mut filters = Filters::default();
        filters.limit_frequency(Some(limit));
        assert_eq!(filters.unknown(), Some(limit));
        let removed = |filters: &Filters| {
            let rules = filters.rules(&hierarchy, &modules);
            [0, 1, 2].map(|it| rules.removes(FunctionId(it)))
        };
        assert_eq!(removed(&filters), [false; 3]);
        filters.learn(Arc::new(frequent.clone()));
        assert_eq!(filters.unknown(), None);
        assert_eq!(removed(&filters), [false, true, false]);
        // Another limit takes the place of the first, and what is known is known again.
        filters.limit_frequency(Some(other));
        assert_eq!(filters.steps(), [FilterStep::RemoveFrequent(other)]);
        assert_eq!(filters.unknown(), Some(other));
        let again = Filters::new([FilterStep::RemoveFrequent(limit)]).knowing(&filters);
        assert_eq!(removed(&again), [false, true, false]);
        filters.limit_frequency(None);
        assert!(filters.is_empty());
        let modules = [2, 3, 4].map(ModuleId);
        let there = same_functions(&frequent, &modules, &[3, 9, 3].map(ModuleId));
        assert_eq!(there.functions, [FunctionId(0), FunctionId(2)]);
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
