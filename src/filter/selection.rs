//! The selection and the hover, shared by all views, and what is meant by either.

use std::sync::Arc;

use super::marked::Marked;
use callscape_base::units::{CallId, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use callscape_facts::hierarchy::Hierarchy;

/// A call of the recording that is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallOf {
    pub thread: ThreadId,
    pub call: CallId,
}

/// What is pointed at or chosen, as far as the view that says so knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointed {
    pub module: Option<ModuleId>,
    pub function: Option<FunctionId>,
    pub call: Option<CallOf>,
    /// A call relation between displayed modules: caller and callee.
    pub relation: Option<(ModuleId, ModuleId)>,
    pub thread: Option<ThreadId>,
    pub time: Option<Time>,
}

impl Pointed {
    pub fn at_module(module: Option<ModuleId>) -> Pointed {
        Pointed {
            module,
            ..Pointed::default()
        }
    }
}

/// What the user has chosen and points at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// What is under the pointer, in whichever view.
    pub pointed: Pointed,
    /// What is chosen. Its time is the time at which it was chosen, not the clock's.
    pub chosen: Pointed,
    /// The time point that all views show.
    pub time: Time,
    /// The range that limits every view.
    pub range: Option<TimeRange>,
    /// Functions that are marked, whatever is chosen.
    pub marked: Option<Arc<Marked>>,
}

/// What of a session is meant by what is pointed at or chosen. Every view asks here what to highlight, so that
/// all of them answer alike (table 6.4 of Bohnet's thesis).
#[derive(Clone, Copy, Debug)]
pub struct Meant<'a> {
    of: Pointed,
    hierarchy: &'a Hierarchy,
    /// By function.
    modules: &'a [ModuleId],
}

impl<'a> Meant<'a> {
    /// `modules` says by function which module it is. What is no module of `hierarchy` is not meant.
    pub fn new(of: &Pointed, hierarchy: &'a Hierarchy, modules: &'a [ModuleId]) -> Meant<'a> {
        let is_there = |module: &ModuleId| module.index() < hierarchy.len();
        let of = Pointed {
            module: of.module.filter(is_there),
            relation: of
                .relation
                .filter(|(from, to)| is_there(from) && is_there(to)),
            ..*of
        };
        Meant {
            of,
            hierarchy,
            modules,
        }
    }

    /// Whether nothing is pointed at or chosen but times and threads.
    pub fn is_nothing(&self) -> bool {
        let of = &self.of;
        of.module.is_none() && of.function.is_none() && of.call.is_none() && of.relation.is_none()
    }

    /// The one call that is meant.
    pub fn call(&self) -> Option<CallOf> {
        self.of.call
    }

    /// The ends of a call relation, caller and callee, else the one module.
    pub fn modules(&self) -> [Option<ModuleId>; 2] {
        match (self.of.relation, self.of.module) {
            (Some((from, to)), _) => [Some(from), Some(to)],
            (None, module) => [module, None],
        }
    }

    fn is_in(&self, outer: ModuleId, function: FunctionId) -> bool {
        let inner = self.modules.get(function.index());
        inner.is_some_and(|&inner| self.hierarchy.contains(outer, inner))
    }

    /// Whether a function is meant: itself, by the module it is in, or as either end of a call relation.
    pub fn holds_function(&self, function: FunctionId) -> bool {
        match (self.of.relation, self.of.function, self.of.module) {
            (Some((from, to)), ..) => self.is_in(from, function) || self.is_in(to, function),
            (None, Some(meant), _) => meant == function,
            (None, None, Some(module)) => self.is_in(module, function),
            (None, None, None) => false,
        }
    }

    /// Whether a call of `callee` is meant: the one call alone, the calls of a relation, or those of the functions
    /// meant. `caller` is asked only where that decides.
    pub fn holds_call(
        &self,
        call: CallOf,
        callee: FunctionId,
        caller: impl FnOnce() -> Option<FunctionId>,
    ) -> bool {
        if let Some(meant) = self.of.call {
            return meant == call;
        }
        let Some((from, to)) = self.of.relation else {
            return self.holds_function(callee);
        };
        // A hop of a hyperarc is of one thread.
        self.of.thread.is_none_or(|thread| thread == call.thread)
            && self.is_in(to, callee)
            && caller().is_some_and(|caller| self.is_in(from, caller))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};

    #[test]
    fn what_is_meant_is_what_the_definition_says() {
        let mut builder = HierarchyBuilder::new("app");
        let mut add = |parent, kind, name| builder.add(parent, Module::named(kind, name));
        let file = add(NodeId::ROOT, ModuleKind::File, "a.c");
        for name in ["f", "g"] {
            add(file, ModuleKind::Function, name);
        }
        add(NodeId::ROOT, ModuleKind::Function, "h");
        let (hierarchy, _) = builder.build();
        let [file, f, g, h] = [1, 2, 3, 4].map(ModuleId);
        // The second and the third function are the same module.
        let modules = [f, g, g, h];
        let functions = [0, 1, 2, 3].map(FunctionId);
        let held = |of: &Pointed| {
            let meant = Meant::new(of, &hierarchy, &modules);
            functions.map(|function| meant.holds_function(function))
        };
        let module = |module| Pointed::at_module(Some(module));
        assert_eq!(held(&module(file)), [true, true, true, false]);
        assert_eq!(held(&module(g)), [false, true, true, false]);
        assert_eq!(held(&module(ModuleId::ROOT)), [true; 4]);
        assert_eq!(held(&module(ModuleId(99))), [false; 4]);
        let function = Pointed {
            function: Some(FunctionId(2)),
            ..module(g)
        };
        assert_eq!(held(&function), [false, false, true, false]);
        let relation = Pointed {
            relation: Some((file, h)),
            ..module(h)
        };
        assert_eq!(held(&relation), [true; 4]);
        let call = |thread, call| CallOf {
            thread: ThreadId(thread),
            call: CallId(call),
        };
        let meant = Meant::new(&relation, &hierarchy, &modules);
        let calls = |callee, caller: Option<u32>| {
            meant.holds_call(call(0, 1), FunctionId(callee), || caller.map(FunctionId))
        };
        assert!(calls(3, Some(0)) && calls(3, Some(2)));
        assert!(!calls(3, Some(3)) && !calls(3, None) && !calls(0, Some(3)));
        let hop = Pointed {
            thread: Some(ThreadId(1)),
            ..relation
        };
        let meant = Meant::new(&hop, &hierarchy, &modules);
        let of_thread =
            |thread| meant.holds_call(call(thread, 1), FunctionId(3), || Some(FunctionId(0)));
        assert!(of_thread(1) && !of_thread(0));
        let one = Pointed {
            call: Some(call(0, 7)),
            ..function
        };
        let meant = Meant::new(&one, &hierarchy, &modules);
        assert!(meant.holds_call(call(0, 7), FunctionId(2), || None));
        assert!(!meant.holds_call(call(0, 8), FunctionId(2), || None));
        assert!(Meant::new(&Pointed::default(), &hierarchy, &modules).is_nothing());
    }
}
