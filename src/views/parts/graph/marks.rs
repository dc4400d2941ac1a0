//! What of a graph is meant by what is pointed at, chosen, or on a call stack.

use super::model::{Graph, Of};
use callscape_base::units::{FunctionId, ModuleId, ThreadId, Time};
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::selection::Pointed;
use callscape_model::navigate;
use callscape_state::document::Document;

/// Places of what is meant, each list in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Marked {
    pub boxes: Vec<u32>,
    pub frames: Vec<u32>,
    pub lines: Vec<u32>,
    /// Lines at boxes that are meant.
    pub beside: Vec<u32>,
}

/// Whether a box stands for what is in a module, or for something around that.
fn touches(hierarchy: &Hierarchy, of: Of, module: ModuleId) -> bool {
    let is_there = module.index() < hierarchy.len();
    let own = of.module().filter(|_| is_there);
    own.is_some_and(|own| match of {
        // What it does itself is not what is in it.
        Of::Itself(own) => hierarchy.contains(module, own),
        _ => hierarchy.contains(module, own) || hierarchy.contains(own, module),
    })
}

/// Whether a box stands for a function: for itself, or for a module that it is in.
fn holds(document: &Document, of: Of, function: FunctionId) -> bool {
    let module = || document.module_of(function);
    let hierarchy = &document.session.hierarchy;
    match of {
        Of::Function(own, _) => own == Some(function),
        Of::Itself(own) => module() == Some(own),
        Of::Module(own) => module().is_some_and(|it| hierarchy.contains(own, it)),
        Of::More(_) => false,
    }
}

/// The boxes of the functions of a chosen phase, and of modules with such. O(boxes × log functions).
pub(crate) fn of_phase(document: &Document, graph: &Graph) -> Vec<u32> {
    let Some(lit) = &document.lit else {
        return Vec::new();
    };
    let hierarchy = &document.session.hierarchy;
    let is_lit = |of: Of| match of {
        Of::Function(function, _) => function.is_some_and(|it| lit.has_function(it)),
        Of::Itself(module) => lit.has(module),
        Of::Module(module) if module.index() < hierarchy.len() => {
            let subtree = hierarchy.subtree(module);
            let first = lit.modules.partition_point(|it| it.0 < subtree.start);
            lit.modules.get(first).is_some_and(|it| it.0 < subtree.end)
        }
        Of::Module(_) | Of::More(_) => false,
    };
    let boxes = graph.boxes.iter().zip(0..);
    boxes
        .filter(|(it, _)| is_lit(it.of))
        .map(|it| it.1)
        .collect()
}

/// What is meant by what is pointed at or chosen: a call relation, a call with that to its caller, a function, or a
/// module. O(boxes + lines).
pub(crate) fn marked(document: &Document, graph: &Graph, of: &Pointed) -> Marked {
    let hierarchy = &document.session.hierarchy;
    let mut marked = Marked::default();
    if document.meant(of).is_nothing() {
        return marked;
    }
    let boxes = || graph.boxes.iter().zip(0_u32..);
    let lines = || graph.lines.iter().zip(0_u32..);
    let box_of = |place: u32| graph.boxes[place as usize].of;
    if let Some((from, to)) = of.relation.filter(|_| of.call.is_none()) {
        // What is known of both ends tells more than their modules do.
        let is_meant = |line: &super::model::Line| {
            touches(hierarchy, box_of(line.from), from) && touches(hierarchy, box_of(line.to), to)
        };
        marked.lines = lines()
            .filter(|(it, _)| is_meant(it))
            .map(|it| it.1)
            .collect();
        let ends =
            |module: ModuleId| boxes().filter(move |(it, _)| touches(hierarchy, it.of, module));
        marked.boxes = ends(from).chain(ends(to)).map(|it| it.1).collect();
        marked.boxes.sort_unstable();
        marked.boxes.dedup();
        return marked;
    }
    if let Some(call) = of.call
        && let Some(resolved) = document.resolved()
        && navigate::exists(&resolved.recording.trace, call)
    {
        let trace = &resolved.recording.trace;
        let callee = trace.call(call.thread, call.call).function;
        let caller = navigate::caller(trace, call);
        let caller = caller.map(|of| trace.call(of.thread, of.call).function);
        marked.boxes = boxes()
            .filter(|(it, _)| holds(document, it.of, callee))
            .map(|it| it.1)
            .collect();
        marked.lines = lines_between(document, graph, caller, callee);
        return marked;
    }
    if let Some(function) = of.function {
        marked.boxes = boxes()
            .filter(|(it, _)| holds(document, it.of, function))
            .map(|it| it.1)
            .collect();
    } else if let Some(module) = of.module.filter(|it| it.index() < hierarchy.len()) {
        marked.boxes = boxes()
            .filter(|(it, _)| touches(hierarchy, it.of, module))
            .map(|it| it.1)
            .collect();
        let frames = graph.frames.iter().zip(0..);
        marked.frames = frames
            .filter(|(it, _)| it.module == module)
            .map(|it| it.1)
            .collect();
        if !marked.frames.is_empty() {
            // The frame says it; all that is in it would be too much.
            marked
                .boxes
                .retain(|&it| box_of(it).module() == Some(module));
        }
    }
    let is_end = |place: u32| marked.boxes.binary_search(&place).is_ok();
    marked.beside = lines()
        .filter(|(it, _)| is_end(it.from) || is_end(it.to))
        .map(|it| it.1)
        .collect();
    marked
}

/// The lines that stand for calls of one function by another.
fn lines_between(
    document: &Document,
    graph: &Graph,
    caller: Option<FunctionId>,
    callee: FunctionId,
) -> Vec<u32> {
    let Some(caller) = caller else {
        return Vec::new();
    };
    let box_of = |place: u32| graph.boxes[place as usize].of;
    let lines = graph.lines.iter().zip(0..);
    let lines = lines.filter(|(it, _)| {
        holds(document, box_of(it.from), caller) && holds(document, box_of(it.to), callee)
    });
    lines.map(|it| it.1).collect()
}

/// What is on the call stacks of threads at a time: of `thread`, or of all that run then; and how many of them have
/// something of the graph. O(threads × (log n + depth) + pairs × lines).
pub(crate) fn on_stacks(
    document: &Document,
    graph: &Graph,
    time: Time,
    thread: Option<ThreadId>,
) -> (Marked, u32) {
    let mut marked = Marked::default();
    let mut threads = 0;
    let Some(resolved) = document
        .resolved()
        .filter(|it| it.recording.profile.is_none())
    else {
        return (marked, threads);
    };
    let trace = &resolved.recording.trace;
    let mut stack = Vec::new();
    let mut functions: Vec<FunctionId> = Vec::new();
    for (of, info) in trace.thread_ids().zip(trace.threads()) {
        let is_meant = thread.is_none_or(|it| it == of) && !document.filters.hides(of);
        if !is_meant || time < info.start || info.end < time {
            continue;
        }
        trace.stack_with_links(of, time, &mut stack);
        functions.clear();
        let of_stack = stack
            .iter()
            .map(|&(of, call)| trace.call(of, call).function);
        functions.extend(of_stack);
        let before = marked.boxes.len() + marked.lines.len();
        for pair in functions.windows(2) {
            marked
                .lines
                .extend(lines_between(document, graph, Some(pair[0]), pair[1]));
        }
        functions.sort_unstable();
        functions.dedup();
        let is_open = |of: Of| {
            of.function()
                .is_some_and(|it| functions.binary_search(&it).is_ok())
        };
        let open = graph.boxes.iter().zip(0..).filter(|(it, _)| is_open(it.of));
        marked.boxes.extend(open.map(|it| it.1));
        threads += u32::from(marked.boxes.len() + marked.lines.len() > before);
    }
    for list in [&mut marked.boxes, &mut marked.lines] {
        list.sort_unstable();
        list.dedup();
    }
    (marked, threads)
}
