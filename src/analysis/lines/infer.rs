//! Lines of calls from the text of the caller, where the recording knows callers and callees alone.
//!
//! A call belongs to the calls in the caller's text that are of the callee's name. Where several are, those go first behind
//! which the callee's class or module stands, as in `Version::new()`; the others share calls and cost evenly, for nothing
//! tells them apart. So all callees of a polymorphic call come to its line. Constructors are called by the name of their class, and
//! generators and comprehensions of Python where they stand.
//!
//! Compilers put functions into their callers, and then a call stands in the text of a function that was never called: where
//! the caller's own text does not have the name, that of the functions of its file counts that it calls and that were not
//! recorded. A callee whose name none of these has is placed only where they have a single call of something without a name,
//! such as `(*handler)(event)`, in C and C++ only if its address is taken somewhere.

use std::collections::{HashMap, HashSet};

use super::{Evidence, LineCalls};
use crate::resolve::{Rule, names, readings};
use crate::session::Resolved;
use callscape_base::units::{Cost, FunctionId, ModuleId};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::trace::Relation;
use callscape_source::relations::sites::{Behind, CallSite};

/// The calls of a file's text by the function that they are in.
pub(super) struct Inference<'a> {
    hierarchy: &'a Hierarchy,
    resolved: &'a Resolved,
    file: ModuleId,
    sites: &'a [CallSite],
    /// By function, or the file for what is in none, and name: places in `sites`, in order of line.
    by_name: HashMap<(ModuleId, &'a str), Vec<usize>>,
    /// By function, or the file, the names of what it calls, each once.
    called: HashMap<ModuleId, Vec<&'a str>>,
    /// The functions of the file by the last part of their name.
    functions: HashMap<&'a str, Vec<ModuleId>>,
}

/// How deep inlined functions are followed into the functions inlined in them, and how many at most.
const DEEPEST: usize = 4;
const MOST_INLINED: usize = 200;

impl<'a> Inference<'a> {
    /// O(functions of the file + sites × log).
    pub(super) fn new(
        hierarchy: &'a Hierarchy,
        resolved: &'a Resolved,
        file: ModuleId,
        sites: &'a [CallSite],
    ) -> Inference<'a> {
        let spans = Spans::new(hierarchy, file);
        let mut by_name: HashMap<(ModuleId, &str), Vec<usize>> = HashMap::new();
        let mut called: HashMap<ModuleId, Vec<&str>> = HashMap::new();
        for (at, site) in sites.iter().enumerate() {
            let around = spans.innermost(site.begins).unwrap_or(file);
            let of = by_name.entry((around, &site.name)).or_default();
            if of.is_empty() {
                called.entry(around).or_default().push(&site.name);
            }
            of.push(at);
        }
        let mut functions: HashMap<&str, Vec<ModuleId>> = HashMap::new();
        for &(_, _, function) in &spans.functions {
            if let Some(name) = names::parts(hierarchy.name(function)).last() {
                functions.entry(name).or_default().push(function);
            }
        }
        Inference {
            hierarchy,
            resolved,
            file,
            sites,
            by_name,
            called,
            functions,
        }
    }

    /// The call relations of one function with the lines in which it makes their calls; line 0 where that is not known. Calls
    /// and costs of each relation are kept whole.
    pub(super) fn place(
        &self,
        caller: FunctionId,
        module: ModuleId,
        relations: &[Relation],
    ) -> Vec<(u32, LineCalls)> {
        let own = self.text_of(caller, module);
        // Worked out where it is needed.
        let mut inlined: Option<Vec<Vec<ModuleId>>> = None;
        let mut placed = Vec::new();
        for relation in relations {
            let calls = LineCalls {
                caller: module,
                callee: self.module(relation.callee),
                function: relation.callee,
                calls: relation.calls,
                cost: relation.cost,
                evidence: Evidence::Recorded,
            };
            let found = own.and_then(|own| {
                let names = self.names_of(relation.callee);
                let named = self.named(own, module, &names);
                if let Some(lines) = named.or_else(|| self.comprehension(own, relation.callee)) {
                    let places = lines.len() as u32;
                    return Some((lines, Evidence::Name { places }));
                }
                let levels = inlined.get_or_insert_with(|| self.inlined(own, relations));
                let named = levels.iter().find_map(|level| self.named_in(level, &names));
                if let Some(lines) = named {
                    let places = lines.len() as u32;
                    return Some((lines, Evidence::Inlined { places }));
                }
                let own = [own];
                let parts = [own.as_slice()].into_iter();
                let mut parts = parts.chain(levels.iter().map(Vec::as_slice));
                let line = parts.find_map(|part| self.nameless(part, &names))?;
                Some((vec![line?], Evidence::Nameless))
            });
            match found {
                Some((lines, evidence)) => share(&lines, LineCalls { evidence, ..calls }, |it| {
                    placed.push(it);
                }),
                None => placed.push((0, calls)),
            }
        }
        placed
    }

    /// The functions of the file that may have been put into `own`: those that its text calls and that no relation of it
    /// leads to, then those that these call, and so on.
    fn inlined(&self, own: ModuleId, relations: &[Relation]) -> Vec<Vec<ModuleId>> {
        let mut seen: HashSet<ModuleId> = relations
            .iter()
            .map(|relation| self.module(relation.callee))
            .collect();
        seen.insert(own);
        let mut levels: Vec<Vec<ModuleId>> = Vec::new();
        let mut last = vec![own];
        while levels.len() < DEEPEST && !last.is_empty() && seen.len() < MOST_INLINED {
            let called = last.iter().filter_map(|it| self.called.get(it)).flatten();
            let functions = called.filter_map(|name| self.functions.get(name));
            let next: Vec<ModuleId> = functions
                .flatten()
                .copied()
                .filter(|&it| seen.insert(it))
                .collect();
            levels.push(next.clone());
            last = next;
        }
        levels
    }

    fn module(&self, function: FunctionId) -> ModuleId {
        let modules = &self.resolved.resolution.modules;
        modules
            .get(function.index())
            .copied()
            .unwrap_or(ModuleId::ROOT)
    }

    /// The function of the text that the caller is, or the file for code in none.
    fn text_of(&self, caller: FunctionId, module: ModuleId) -> Option<ModuleId> {
        // A function that only the recording knows has none.
        if self.hierarchy.module(module).functions > 0 {
            return Some(module);
        }
        let name = self.resolved.recording.functions.get(caller).name;
        (!names::has_own_name(name)).then_some(self.file)
    }

    /// The lines of the calls in `own` of something of these names, one for each call; none where there are none.
    fn named(&self, own: ModuleId, caller: ModuleId, names: &Names) -> Option<Vec<u32>> {
        let mut found: Vec<usize> = Vec::new();
        for name in &names.own {
            found.extend(
                self.by_name
                    .get(&(own, name.as_str()))
                    .into_iter()
                    .flatten(),
            );
        }
        found.sort_unstable();
        found.dedup();
        let is_behind = |at: &usize| match &self.sites[*at].behind {
            Behind::Named(before) => self.is_scope(before, caller, &names.scope),
            _ => false,
        };
        if found.iter().any(is_behind) {
            found.retain(is_behind);
        }
        let lines = found.iter().map(|&at| self.sites[at].line);
        (!found.is_empty()).then(|| lines.collect())
    }

    /// The same in several functions.
    fn named_in(&self, functions: &[ModuleId], names: &Names) -> Option<Vec<u32>> {
        let lines = functions.iter();
        let lines = lines
            .filter_map(|&own| self.named(own, own, names))
            .flatten();
        let lines: Vec<u32> = lines.collect();
        (!lines.is_empty()).then_some(lines)
    }

    /// The line of the only call of something without a name in these functions; the inner none where there are several, the
    /// outer where there are none. In C and C++ a macro may have made the call: only functions that the tree uses as values are
    /// called through a pointer.
    fn nameless(&self, functions: &[ModuleId], names: &Names) -> Option<Option<u32>> {
        let sites = functions.iter();
        let sites = sites.filter_map(|&it| self.by_name.get(&(it, "")));
        let mut sites = sites.flatten();
        let first = &self.sites[*sites.next()?];
        let is_taken = |name: &String| first.taken.as_ref().is_none_or(|it| it.contains(&**name));
        let may_be = names.own.is_empty() || names.own.iter().any(is_taken);
        Some((sites.next().is_none() && may_be).then_some(first.line))
    }

    /// The line of a generator or comprehension of Python, which runs where it stands.
    fn comprehension(&self, own: ModuleId, callee: FunctionId) -> Option<Vec<u32>> {
        let function = self.resolved.recording.functions.get(callee);
        let is_one = ["<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"]
            .iter()
            .any(|end| function.name.ends_with(end));
        let around = self.hierarchy.module(own);
        let is_inside = match around.kind {
            ModuleKind::Function => (around.line..=around.end_line).contains(&function.line),
            _ => self.module(callee) == own,
        };
        (is_one && is_inside && function.line > 0).then(|| vec![function.line])
    }

    /// Whether what stands before a name is the class or module of the callee.
    fn is_scope(&self, before: &str, caller: ModuleId, scope: &str) -> bool {
        let last = before.rsplit(['.', ':', '\\', '>']).next();
        match last.unwrap_or(before) {
            "self" | "Self" | "this" | "cls" | "$this" | "static" => {
                let around = self.hierarchy.parent(caller);
                around.is_some_and(|it| self.hierarchy.name(it) == scope)
            }
            last => !scope.is_empty() && last == scope,
        }
    }

    /// By what names the text may call a function, and what stands around it.
    fn names_of(&self, function: FunctionId) -> Names {
        let module = self.module(function);
        let is_found = self.resolved.resolution.rules.get(function.index());
        let in_source = matches!(
            is_found,
            Some(Rule::FileAndName | Rule::QualifiedName | Rule::UniqueName)
        );
        let mut names = Names::default();
        if in_source {
            names.add(&names::parts(self.hierarchy.name(module)));
            if let Some(around) = self.hierarchy.parent(module)
                && names.scope.is_empty()
            {
                let name = self.hierarchy.name(around);
                names.scope = match self.hierarchy.kind(around) {
                    ModuleKind::File => name.split('.').next().unwrap_or(name).to_owned(),
                    _ => name.to_owned(),
                };
                names.add_constructor();
            }
        }
        let recorded = self.resolved.recording.functions.get(function).name;
        for reading in readings::of(recorded).iter().filter(|it| it.is_own) {
            if names::has_own_name(&reading.name) {
                names.add(&names::parts(&reading.name));
            }
        }
        names
    }
}

/// By what names a function is called.
#[derive(Debug, Default)]
struct Names {
    own: Vec<String>,
    /// The class or module around it.
    scope: String,
}

impl Names {
    /// The parts of one name.
    fn add(&mut self, parts: &[&str]) {
        let Some((own, scopes)) = parts.split_last() else {
            return;
        };
        if !self.own.iter().any(|it| it == own) {
            self.own.push((*own).to_owned());
        }
        if let Some(scope) = scopes.last().filter(|_| self.scope.is_empty()) {
            self.scope = (*scope).to_owned();
        }
        self.add_constructor();
    }

    /// A constructor is called by the name of its class; in Ruby by `new` of it.
    fn add_constructor(&mut self) {
        const CONSTRUCTORS: [&str; 7] = [
            "__init__",
            "__new__",
            "__construct",
            "constructor",
            "initialize",
            "init",
            "<init>",
        ];
        let is_constructor = self.own.iter().any(|it| CONSTRUCTORS.contains(&&**it));
        let class = &self.scope;
        if is_constructor && !class.is_empty() && !self.own.contains(class) {
            self.own.push(class.clone());
        }
        if self.own.iter().any(|it| it == "initialize") && !self.own.iter().any(|it| it == "new") {
            self.own.push("new".to_owned());
        }
    }
}

/// Shares calls evenly among lines, each as often as it stands there; what does not divide goes to the later ones one by
/// one, so that the sum is kept.
fn share(lines: &[u32], calls: LineCalls, mut take: impl FnMut((u32, LineCalls))) {
    let count = lines.len() as u128;
    let part = |whole: u64, at: usize| {
        let until = |at: u128| u128::from(whole) * at / count;
        (until(at as u128 + 1) - until(at as u128)) as u64
    };
    for (at, &line) in lines.iter().enumerate() {
        take((
            line,
            LineCalls {
                calls: part(calls.calls, at),
                cost: Cost::from_ns(part(calls.cost.ns(), at)),
                ..calls
            },
        ));
    }
}

/// Which function of a file's text a line is in.
struct Spans {
    /// First line, last line and module, by first line; inner ones behind those around them.
    functions: Vec<(u32, u32, ModuleId)>,
    /// By place in `functions`, the place of the one around it.
    around: Vec<Option<usize>>,
}

impl Spans {
    fn new(hierarchy: &Hierarchy, file: ModuleId) -> Spans {
        let modules = hierarchy.subtree(file).map(ModuleId);
        let mut functions: Vec<(u32, u32, ModuleId)> = modules
            .filter(|&id| hierarchy.kind(id) == ModuleKind::Function)
            .map(|id| (hierarchy.module(id), id))
            .filter(|(module, _)| module.functions > 0 && module.line > 0)
            .map(|(module, id)| (module.line, module.end_line, id))
            .collect();
        functions.sort_by_key(|&(first, last, id)| (first, std::cmp::Reverse(last), id));
        let mut around = Vec::with_capacity(functions.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, &(first, ..)) in functions.iter().enumerate() {
            while open.pop_if(|open| functions[*open].1 < first).is_some() {}
            around.push(open.last().copied());
            open.push(at);
        }
        Spans { functions, around }
    }

    /// The innermost function with this line.
    fn innermost(&self, line: u32) -> Option<ModuleId> {
        let after = self.functions.partition_point(|&(first, ..)| first <= line);
        let mut at = after.checked_sub(1);
        while let Some(one) = at {
            if self.functions[one].1 >= line {
                return Some(self.functions[one].2);
            }
            at = self.around[one];
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_the_whole() {
        let calls = LineCalls {
            caller: ModuleId(1),
            callee: ModuleId(2),
            function: FunctionId(0),
            calls: 10,
            cost: Cost::from_ns(u64::MAX),
            evidence: Evidence::Name { places: 3 },
        };
        let mut shared = Vec::new();
        share(&[5, 5, 9], calls, |it| shared.push(it));
        let counts: Vec<u64> = shared.iter().map(|(_, it)| it.calls).collect();
        assert_eq!(counts, [3, 3, 4]);
        let cost: u128 = shared.iter().map(|(_, it)| u128::from(it.cost.ns())).sum();
        assert_eq!(cost, i64::MAX as u128);
        let lines: Vec<u32> = shared.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [5, 5, 9]);
    }
}
