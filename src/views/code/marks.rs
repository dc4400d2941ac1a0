//! Which lines are meant by what is pointed at and by what is chosen.

use super::numbers::Numbers;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_model::navigate;
use callscape_state::document::Document;

/// What of a file is meant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Marks {
    /// In order: lines in which a call that is meant is made.
    pub lines: Vec<u32>,
    /// First and last lines of stretches that are in functions that are meant: in order, and apart from each other.
    pub functions: Vec<(u32, u32)>,
}

impl Marks {
    /// O(lines with calls + functions of the file).
    pub(super) fn of(document: &Document, numbers: &Numbers, of: &Pointed) -> Marks {
        if document.meant(of).is_nothing() {
            return Marks::default();
        }
        Marks {
            lines: lines(document, numbers, of),
            functions: functions(document, numbers, of),
        }
    }

    pub(super) fn has_line(&self, line: u32) -> bool {
        self.lines.binary_search(&line).is_ok()
    }

    /// Whether a function that is meant is around a line. O(log n).
    pub(super) fn has_function(&self, line: u32) -> bool {
        let after = self.functions.partition_point(|&(first, _)| first <= line);
        let around = after.checked_sub(1).map(|it| self.functions[it]);
        around.is_some_and(|(_, last)| line <= last)
    }
}

/// Who calls whom, as far as that is asked for.
enum Ends {
    /// As displayed.
    Displayed(ModuleId, ModuleId),
    /// In the structure without a mapping.
    Exactly(ModuleId, ModuleId),
    /// Whoever calls it.
    Callee(ModuleId),
}

fn lines(document: &Document, numbers: &Numbers, of: &Pointed) -> Vec<u32> {
    let Some(ends) = ends(document, of) else {
        return Vec::new();
    };
    let hierarchy = &document.session.hierarchy;
    let is_in = |outer: ModuleId, inner: ModuleId| {
        let inner = numbers.displayed(inner);
        inner.is_some_and(|inner| {
            outer.index() < hierarchy.len() && hierarchy.contains(outer, inner)
        })
    };
    let lines = numbers.lines.lines.iter().filter(|line| {
        line.by_callee.iter().any(|calls| match ends {
            Ends::Displayed(from, to) => is_in(from, calls.caller) && is_in(to, calls.callee),
            Ends::Exactly(from, to) => (calls.caller, calls.callee) == (from, to),
            Ends::Callee(to) => calls.callee == to,
        })
    });
    lines.map(|line| line.line).collect()
}

fn ends(document: &Document, of: &Pointed) -> Option<Ends> {
    if let Some(call) = of.call {
        let resolved = document.base.recordings.get(document.recording())?;
        let trace = &resolved.recording.trace;
        let callee = navigate::exists(trace, call).then(|| trace.call(call.thread, call.call))?;
        let caller = navigate::caller(trace, call)?;
        let caller = trace.call(caller.thread, caller.call);
        let modules = &resolved.resolution.modules;
        let module =
            |function: callscape_base::units::FunctionId| modules.get(function.index()).copied();
        return Some(Ends::Exactly(
            module(caller.function)?,
            module(callee.function)?,
        ));
    }
    if let Some((from, to)) = of.relation {
        return Some(Ends::Displayed(from, to));
    }
    of.function?;
    Some(Ends::Callee(document.base_module_of(of)?))
}

fn functions(document: &Document, numbers: &Numbers, of: &Pointed) -> Vec<(u32, u32)> {
    let hierarchy = &document.session.hierarchy;
    if of.relation.is_some() {
        return Vec::new();
    }
    // Of a function itself, whatever stands for it.
    let exact = of.function.and(document.base_module_of(of));
    let [around, _] = document.meant(of).modules();
    let is_meant = |module: ModuleId| match exact {
        Some(exact) => exact == module,
        None => around.is_some_and(|around| {
            let inner = numbers.displayed(module);
            inner.is_some_and(|inner| hierarchy.contains(around, inner))
        }),
    };
    let functions = numbers.lines.functions.iter();
    let functions = functions.filter(|it| it.lines.0 > 0 && is_meant(it.module));
    // In order of their first lines.
    let mut stretches: Vec<(u32, u32)> = Vec::new();
    for (first, last) in functions.map(|it| it.lines) {
        match stretches.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => stretches.push((first, last)),
        }
    }
    stretches
}
