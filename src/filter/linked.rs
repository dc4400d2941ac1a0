//! Who called a call by links, of what the filters leave.

use super::filters::FilterRules;
use super::selection::CallOf;
use callscape_base::units::{CallId, FunctionId, ThreadId};
use callscape_facts::trace::Trace;

/// The functions that links lead to a call from: of each link the innermost that is left of the call it comes from and of
/// those around that. O(links to it × (log n + depth)).
pub fn linked_callers(
    trace: &Trace,
    rules: &FilterRules,
    (thread, call): (ThreadId, CallId),
) -> Vec<FunctionId> {
    let links = trace.links_to(thread, call);
    let links = links.filter(|link| !rules.hides(link.from.0));
    links
        .filter_map(|link| {
            let (thread, call) = link.from;
            let mut path = Vec::new();
            trace.path_to(thread, call, &mut path);
            let (mut left, mut is_cut) = (None, false);
            for call in path {
                let function = trace.call(thread, call).function;
                if !is_cut && !rules.removes(function) {
                    left = Some(function);
                }
                is_cut |= rules.cuts_below(function, CallOf { thread, call });
            }
            left
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::{FilterStep, Filters};
    use crate::operations::tests::modules_of_trace;
    use crate::running::Running;
    use crate::summary::Summary;
    use callscape_base::progress::Progress;
    use callscape_base::units::{ModuleId, Time};
    use callscape_base::warnings::{Place, Reporter};
    use callscape_facts::builder::{Timestamp, TraceBuilder};
    use callscape_facts::functions::Function;
    use callscape_facts::trace::{LinkEnd, LinkKind, Relation};

    #[test]
    fn links_count_among_relations_of_what_is_left() {
        let (reporter, place) = (Reporter::new(), || Place::file("made here"));
        let mut builder = TraceBuilder::new(&reporter);
        let functions = ["a", "b", "c"].map(|name| {
            builder.function(Function {
                name,
                ..Function::default()
            })
        });
        let threads = ["1", "2"].map(|id| builder.thread("p", id));
        let at = Timestamp::from_ns;
        // On the first a calls b, which starts c on the second.
        builder.enter(threads[0], at(0), functions[0], place);
        builder.enter(threads[0], at(1), functions[1], place);
        builder.enter(threads[1], at(5), functions[2], place);
        for (thread, time) in [(0, 8), (0, 9), (1, 12)] {
            builder.exit(threads[thread], at(time), None, place);
        }
        let call = |thread: usize, call| LinkEnd::Call(threads[thread], CallId(call));
        builder.link(LinkKind::Flow, call(0, 1), call(1, 0), 0);
        let (_, trace) = builder.finish(place);
        let (hierarchy, modules) = modules_of_trace();
        let progress = Progress::new();
        let left = |steps: &[FilterStep]| {
            let rules = Filters::new(steps.iter().copied()).rules(&hierarchy, &modules);
            let summary = Summary::new(&trace, 3, None, &rules, &progress).expect("not cancelled");
            let running = Running::new(&trace, &rules, &progress).expect("not cancelled");
            let pair = |it: &Relation| (it.caller.0, it.callee.0, it.calls);
            let now: Vec<_> = running.at(&trace, Time::MAX).iter().map(pair).collect();
            let pairs: Vec<_> = summary.relations.iter().map(pair).collect();
            assert_eq!(now, pairs);
            summary.relations
        };
        assert_eq!(left(&[]), trace.relations(None));
        // What b started, a has started without it.
        let without = left(&[FilterStep::RemoveModule(ModuleId(2))]);
        let found: Vec<_> = without
            .iter()
            .map(|it| (it.caller, it.callee, it.links))
            .collect();
        assert_eq!(found, [(functions[0], functions[2], 1)]);
        assert_eq!(left(&[FilterStep::HideThread(threads[0])]), []);
    }
}
