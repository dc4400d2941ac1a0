//! What is meant in a document by what is pointed at or chosen.

use std::sync::Arc;

use super::Document;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::trace::FunctionMetrics;
use callscape_filter::marked::Marked;
use callscape_filter::selection::{Meant, Pointed};
use callscape_model::navigate;

impl Document {
    /// The module of a function of the recording that plays.
    pub fn module_of(&self, function: FunctionId) -> Option<ModuleId> {
        let modules = &self.resolved()?.resolution.modules;
        modules.get(function.index()).copied()
    }

    /// These functions, to be marked with their modules and without their first calls. O(n log n).
    pub fn marked(&self, title: String, mut functions: Vec<FunctionId>) -> Arc<Marked> {
        functions.sort_unstable();
        functions.dedup();
        let modules = functions.iter().filter_map(|&it| self.module_of(it));
        let mut modules: Vec<ModuleId> = modules.collect();
        modules.sort_unstable();
        modules.dedup();
        let (modules, functions) = (modules.into(), functions.into());
        Arc::new(Marked::new(title, modules, functions, Vec::new()))
    }

    /// What is pointed at, with the function of a call, the module of a function and the one function of a
    /// module added.
    pub fn complete(&self, pointed: Pointed) -> Pointed {
        let of_call = || {
            let (of, trace) = (pointed.call?, &self.resolved()?.recording.trace);
            navigate::exists(trace, of).then(|| trace.call(of.thread, of.call).function)
        };
        let function = pointed.function.or_else(of_call);
        let module = pointed.module.or_else(|| self.module_of(function?));
        // Of a call relation what is called.
        let module = module.or(pointed.relation.map(|(_, to)| to));
        let function = function.or_else(|| *self.function_of.get(module?.index())?);
        Pointed {
            module,
            function,
            ..pointed
        }
    }

    /// The rows of the comparison on the way to the one calling context that is chosen, outermost first; none where all
    /// contexts of what is chosen are.
    pub fn chosen_way(&self) -> Option<&Arc<[u32]>> {
        self.selection.way().filter(|_| self.runs.is_some())
    }

    /// How often the functions of a module are called in the whole recording; none where calls are not counted.
    pub fn calls_of(&self, module: ModuleId) -> Option<u64> {
        let is_known = self.resolved().is_some() && self.counts_calls();
        is_known.then(|| self.city.module_facts(&self.session, module).calls)
    }

    /// How many calls of the functions of a module ended with an error in the whole recording. O(functions with errors).
    pub fn failed_of(&self, module: ModuleId) -> u64 {
        let all = self.resolved().map_or(&[][..], |it| &it.recording.failed);
        let hierarchy = &self.session.hierarchy;
        let is_in = |it: &&(FunctionId, u64)| {
            let own = self.module_of(it.0);
            own.is_some_and(|own| hierarchy.contains(module, own))
        };
        all.iter().filter(is_in).map(|it| it.1).sum()
    }

    /// Whether a range or filters limit what is shown.
    pub fn is_limited(&self) -> bool {
        self.selection.range.is_some() || !self.filters.is_empty()
    }

    /// What range and filters leave of a module, none while that is still being counted; nothing where nothing
    /// limits what is shown. The total is that of one function alone. O(functions called).
    pub fn left_of(&self, module: ModuleId) -> Option<Option<FunctionMetrics>> {
        if !self.is_limited() {
            return None;
        }
        let hierarchy = &self.session.hierarchy;
        let is_in = |inner| module.index() < hierarchy.len() && hierarchy.contains(module, inner);
        Some(self.functions.as_ref()?.left_of(is_in))
    }

    /// What is meant by what is pointed at or chosen.
    pub fn meant(&self, of: &Pointed) -> Meant<'_> {
        let modules = self
            .resolved()
            .map_or(&[][..], |it| it.resolution.modules.as_slice());
        Meant::new(of, &self.session.hierarchy, modules)
    }

    /// The functions of the recording in a module. O(functions).
    pub(crate) fn functions_in(&self, module: ModuleId) -> impl Iterator<Item = FunctionId> + '_ {
        let modules = self
            .resolved()
            .map_or(&[][..], |it| it.resolution.modules.as_slice());
        let hierarchy = &self.session.hierarchy;
        let is_in = move |inner: ModuleId| {
            module.index() < hierarchy.len() && hierarchy.contains(module, inner)
        };
        let all = modules.iter().zip(0..);
        all.filter(move |(inner, _)| is_in(**inner))
            .map(|(_, function)| FunctionId(function))
    }

    /// The call relation between two functions as it is drawn: between displayed modules; none within one.
    pub fn displayed_relation(
        &self,
        caller: FunctionId,
        callee: FunctionId,
    ) -> Option<(ModuleId, ModuleId)> {
        let shown = |function| self.city.displayed(self.module_of(function)?);
        let (from, to) = (shown(caller)?, shown(callee)?);
        (from != to).then_some((from, to))
    }
}

#[cfg(test)]
mod tests {
    use crate::ask::{FilterAsk, SelectAsk};
    use crate::testing::{function, module, open, range, settle, tiny};
    use callscape_base::units::{CallId, ModuleId, ThreadId};
    use callscape_filter::filters::FilterStep;
    use callscape_filter::selection::{CallOf, Pointed};

    #[test]
    fn what_is_pointed_at_is_completed() {
        let state = tiny();
        let document = open(&state);
        let (step, run) = (function(&state, "step"), module(&state, "run"));
        let of_call = document.complete(Pointed {
            call: Some(CallOf {
                thread: ThreadId(0),
                call: CallId(2),
            }),
            ..Pointed::default()
        });
        assert_eq!(
            (of_call.function, of_call.module),
            (Some(step), document.module_of(step))
        );
        let of_relation = document.complete(Pointed {
            relation: Some((run, module(&state, "step"))),
            ..Pointed::default()
        });
        assert_eq!(
            of_relation.module,
            Some(module(&state, "step")),
            "what is called"
        );
        // A call that does not exist means nothing.
        let beyond = Pointed {
            call: Some(CallOf {
                thread: ThreadId(0),
                call: CallId(99),
            }),
            ..Pointed::default()
        };
        assert_eq!(document.complete(beyond), beyond);
    }

    #[test]
    fn functions_of_a_module_are_those_in_it() {
        let state = tiny();
        let document = open(&state);
        assert_eq!(document.functions_in(ModuleId::ROOT).count(), 4);
        let step = module(&state, "step");
        let parent = document.session.hierarchy.parent(step).expect("a parent");
        let inside: Vec<_> = document.functions_in(parent).collect();
        let mut expected = ["step", "wait"].map(|name| function(&state, name));
        expected.sort();
        assert_eq!(inside, expected);
        assert_eq!(document.functions_in(ModuleId(9_999)).count(), 0);
    }

    #[test]
    fn calls_are_those_of_the_recording_and_what_is_left_those_of_the_range() {
        let mut state = tiny();
        let step = module(&state, "step");
        assert_eq!(open(&state).calls_of(step), Some(3));
        assert_eq!(open(&state).left_of(step), None, "nothing limits it");
        state.work.is_asked = true;
        state.execute(SelectAsk::SetRange(Some(range(20, 100))));
        settle(&mut state);
        let left = open(&state)
            .left_of(step)
            .expect("limited")
            .expect("counted");
        assert_eq!(left.calls, 1);
        assert_eq!(open(&state).calls_of(step), Some(3));
        state.execute(FilterAsk::Add(FilterStep::HideThread(ThreadId(0))));
        settle(&mut state);
        let left = open(&state)
            .left_of(step)
            .expect("limited")
            .expect("counted");
        assert_eq!(left.calls, 0);
    }

    #[test]
    fn a_relation_is_drawn_between_what_is_displayed() {
        let mut state = tiny();
        let [run, step, wait] = ["run", "step", "wait"].map(|name| function(&state, name));
        let modules = ["run", "step"].map(|name| module(&state, name));
        let drawn = open(&state).displayed_relation(run, step);
        assert_eq!(drawn, Some((modules[0], modules[1])));
        let parent = open(&state).session.hierarchy.parent(modules[1]);
        state.collapse_or_expand(parent);
        let drawn = open(&state).displayed_relation(run, step);
        assert_eq!(drawn, Some((modules[0], parent.expect("a parent"))));
        assert_eq!(
            open(&state).displayed_relation(step, wait),
            None,
            "within one block"
        );
    }
}
