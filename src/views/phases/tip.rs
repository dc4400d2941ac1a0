//! What a phase is, and what was dropped below it.

use super::boxes::firsts;
use super::finding::Found;
use super::layers::Of;
use crate::parts::text::counted;
use crate::parts::tip::Tip;
use callscape_analysis::phases::{Dropped, Kind, Parent};
use callscape_base::units::grouped;
use callscape_state::document::Document;

/// What the pop-up of a box says.
pub(super) fn of_box(document: &Document, found: &Found, of: Of) -> Tip {
    let mut tip = Tip::default();
    let phases = &found.phases;
    match of {
        Of::Phase(index) => {
            let Some(phase) = phases.phases.get(index as usize) else {
                return tip;
            };
            tip.title = found.labels.phase(index, phase).to_owned();
            if let Some(module) = document.module_of(phase.function) {
                tip.lines.push(document.session.hierarchy.path(module));
            }
            if let Some(resolved) = document.resolved() {
                let call = resolved.recording.trace.call(phase.thread, phase.call);
                tip.lines
                    .push(format!("from {} to {}", call.start, call.end));
                let (cost, elapsed) = (phase.cost, call.cost());
                if elapsed != cost {
                    let pre_empted = elapsed.saturating_sub(cost);
                    tip.lines
                        .push(format!("{cost} of {elapsed}: pre-empted for {pre_empted}"));
                }
            }
            tip.lines.push(format!(
                "{} calls, {} deep, {} {}, {} functions",
                grouped(phase.calls),
                grouped(u64::from(phase.levels)),
                cost_title(document),
                phase.cost,
                grouped(phases.functions(phase).len() as u64)
            ));
            tip.lines.push(match phase.kind {
                Kind::Inner => {
                    format!("{} phases below", grouped(u64::from(phase.end - index - 1)))
                }
                Kind::Leaf => "no phase below".to_owned(),
            });
            let firsts = firsts(document, phase);
            if let Some(marked) = document.selection.marked.as_ref().filter(|_| firsts > 0) {
                tip.lines.push(format!(
                    "{} run first in it: {}",
                    counted(firsts as u64, "marked function", "marked functions"),
                    marked.title
                ));
            }
            if phase.is_outlier {
                tip.lines.push(
                    "an outlier: other functions run than in most of its siblings".to_owned(),
                );
            }
            add_dropped(&mut tip, &phase.dropped);
        }
        Of::Gathered(number) => {
            let Some(row) = phases.gathered.get(number as usize) else {
                return tip;
            };
            tip.title = found.labels.function(row.function).to_owned();
            if let Some(module) = document.module_of(row.function) {
                tip.lines.push(document.session.hierarchy.path(module));
            }
            tip.lines.push(format!(
                "called {} times, each light; together {} calls, {} {}",
                grouped(row.of),
                grouped(row.calls),
                cost_title(document),
                row.cost
            ));
        }
    }
    tip
}

/// What was dropped right below a layer's phase or thread.
pub(super) fn of_layer(found: &Found, parent: Parent) -> Tip {
    let phases = &found.phases;
    let mut tip = Tip {
        title: "Dropped here".to_owned(),
        lines: Vec::new(),
    };
    let dropped = match parent {
        Parent::Root(root) => phases.roots.get(root).map(|it| it.dropped),
        Parent::Phase(phase) => phases.phases.get(phase as usize).map(|it| it.dropped),
    };
    add_dropped(&mut tip, &dropped.unwrap_or_default());
    tip
}

fn add_dropped(tip: &mut Tip, dropped: &Dropped) {
    if dropped.light > 0 {
        tip.lines.push(format!(
            "dropped: {} light calls, with {} calls in all, {}",
            grouped(dropped.light),
            grouped(dropped.calls),
            dropped.cost
        ));
    }
    if dropped.delegating > 0 {
        tip.lines.push(format!(
            "dropped: {} calls that only hand on",
            grouped(dropped.delegating)
        ));
    }
}

/// What the cost of phases is called: time in which the thread was pre-empted is not part of it.
pub(super) fn cost_title(document: &Document) -> &'static str {
    let trace = document.resolved().map(|it| &it.recording.trace);
    match trace.is_some_and(|it| it.knows_waiting()) {
        true => "time without pre-emption",
        false => "cost",
    }
}
