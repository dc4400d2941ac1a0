//! What is meant in a document by what is pointed at or chosen.

use super::Document;
use crate::facts::trace::FunctionMetrics;
use crate::filter::selection::{Meant, Pointed};
use crate::model::navigate;
use crate::units::{FunctionId, ModuleId};

impl Document {
    /// The module of a function of the recording that plays.
    pub fn module_of(&self, function: FunctionId) -> Option<ModuleId> {
        let modules = &self.resolved()?.resolution.modules;
        modules.get(function.index()).copied()
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

    /// How often the functions of a module are called in the whole recording; none where calls are not counted.
    pub fn calls_of(&self, module: ModuleId) -> Option<u64> {
        let is_known = self.resolved().is_some() && self.counts_calls();
        is_known.then(|| self.city.module_facts(&self.session, module).calls)
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
    pub fn functions_in(&self, module: ModuleId) -> impl Iterator<Item = FunctionId> + '_ {
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
