//! Which ids of a document mean what those of the one before did.

use super::Document;
use callscape_base::units::{FunctionId, ModuleId, ThreadId};
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::filters::{FilterStep, Gone, Renamed};
use callscape_filter::selection::{CallOf, Pointed};

/// A document and the one that takes its place.
#[derive(Clone, Copy)]
pub struct Same<'a> {
    pub old: &'a Document,
    pub new: &'a Document,
    /// By module of the old one which it is in the new one, where both have the same recordings, whose ids are the same
    /// then. None where the recordings were read anew: by name.
    pub moved: Option<&'a [Option<ModuleId>]>,
}

impl Same<'_> {
    pub fn module(&self, module: ModuleId) -> Option<ModuleId> {
        match self.moved {
            Some(moved) => moved.get(module.index()).copied().flatten(),
            None => {
                let [old, new] = [self.old, self.new].map(|of| &of.session.hierarchy);
                same_module(old, module, new)
            }
        }
    }

    /// Functions keep their numbers when others follow them.
    fn function(&self, id: FunctionId) -> Option<FunctionId> {
        if self.moved.is_some() {
            return Some(id);
        }
        let known = |of: &Document| {
            let functions = &of.resolved()?.recording.functions;
            let function = (id.index() < functions.len()).then(|| functions.get(id))?;
            let [name, file] = [function.name, function.file].map(str::to_owned);
            Some((name, file, function.line))
        };
        let [old, new] = [self.old, self.new].map(known);
        (old.is_some() && old == new).then_some(id)
    }

    fn thread(&self, thread: ThreadId) -> Option<ThreadId> {
        if self.moved.is_some() {
            return Some(thread);
        }
        let is_same = self.old.thread_name(thread) == self.new.thread_name(thread);
        let trace = &self.new.resolved()?.recording.trace;
        let of = trace.threads().get(thread.index())?;
        (is_same && of.calls > 0).then_some(thread)
    }

    /// So do calls: the one with this number is the same where it is of the same function.
    fn call(&self, of: CallOf) -> Option<CallOf> {
        if self.moved.is_some() {
            return Some(of);
        }
        let thread = self.thread(of.thread)?;
        let function = |document: &Document| {
            let trace = &document.resolved()?.recording.trace;
            let calls = trace.threads().get(thread.index())?.calls;
            let is_there = u64::from(of.call.0) < calls;
            is_there.then(|| trace.call(thread, of.call).function)
        };
        let [old, new] = [self.old, self.new].map(function);
        (new.is_some() && new == self.function(old?)).then_some(of)
    }

    pub fn pointed(&self, of: Pointed) -> Pointed {
        let module = |it: ModuleId| self.module(it);
        Pointed {
            module: of.module.and_then(module),
            relation: of.relation.and_then(|(a, b)| module(a).zip(module(b))),
            function: of.function.and_then(|it| self.function(it)),
            thread: of.thread.and_then(|it| self.thread(it)),
            call: of.call.and_then(|it| self.call(it)),
            time: of.time,
        }
    }
}

impl Renamed for Same<'_> {
    fn step(&self, step: FilterStep) -> Option<FilterStep> {
        Some(match step {
            FilterStep::RemoveModule(of) => FilterStep::RemoveModule(self.module(of)?),
            FilterStep::RemoveBelow(of) => FilterStep::RemoveBelow(self.module(of)?),
            FilterStep::HideThread(of) => FilterStep::HideThread(self.thread(of)?),
            FilterStep::RemoveBelowCall(of) => FilterStep::RemoveBelowCall(self.call(of)?),
            FilterStep::RemoveFrequent(_) | FilterStep::RemoveNotMarked => step,
        })
    }

    fn name(&self, step: FilterStep) -> String {
        match step {
            FilterStep::RemoveModule(of) | FilterStep::RemoveBelow(of) => {
                let hierarchy = &self.old.session.hierarchy;
                match of.index() < hierarchy.len() {
                    true => hierarchy.path(of),
                    false => String::new(),
                }
            }
            FilterStep::HideThread(of) => self.old.thread_name(of).to_owned(),
            _ => String::new(),
        }
    }

    fn find(&self, gone: &Gone) -> Option<FilterStep> {
        let hierarchy = &self.new.session.hierarchy;
        let module = || {
            let mut all = hierarchy.modules();
            all.find(|&it| {
                gone.name.ends_with(hierarchy.name(it)) && hierarchy.path(it) == gone.name
            })
        };
        Some(match gone.step {
            FilterStep::RemoveModule(_) => FilterStep::RemoveModule(module()?),
            FilterStep::RemoveBelow(_) => FilterStep::RemoveBelow(module()?),
            FilterStep::HideThread(_) => {
                let threads = self.new.resolved()?.recording.trace.threads().len();
                let mut threads = (0..threads as u32).map(ThreadId);
                let found = threads.find(|&it| self.new.thread_name(it) == gone.name);
                FilterStep::HideThread(found?)
            }
            // A call has no name.
            FilterStep::RemoveBelowCall(_)
            | FilterStep::RemoveFrequent(_)
            | FilterStep::RemoveNotMarked => return None,
        })
    }
}

impl Document {
    /// As much of what is pointed at as there is here.
    pub fn existing(&self, of: Pointed) -> Pointed {
        let modules = self.session.hierarchy.len();
        let module = |it: &ModuleId| it.index() < modules;
        let recording = self.resolved().map(|it| &it.recording);
        let functions = recording.map_or(0, |it| it.functions.len());
        let calls = |thread: ThreadId| {
            let threads = recording.map(|it| it.trace.threads());
            let of = threads.and_then(|it| it.get(thread.index()));
            of.map_or(0, |it| it.calls)
        };
        Pointed {
            module: of.module.filter(module),
            relation: of.relation.filter(|(a, b)| module(a) && module(b)),
            function: of.function.filter(|it| it.index() < functions),
            thread: of.thread.filter(|it| calls(*it) > 0),
            call: of.call.filter(|it| u64::from(it.call.0) < calls(it.thread)),
            time: of.time,
        }
    }
}

/// The module of `new` with the names and kinds of `module` and all around it.
fn same_module(old: &Hierarchy, module: ModuleId, new: &Hierarchy) -> Option<ModuleId> {
    let Some(parent) = old.parent(module) else {
        return Some(ModuleId::ROOT);
    };
    let parent = same_module(old, parent, new)?;
    let mut children = new.children(parent);
    children
        .find(|&child| new.name(child) == old.name(module) && new.kind(child) == old.kind(module))
}
