//! What is said of a bar, and of what is too narrow to be seen.

use egui::Ui;

use super::graph::FlameGraph;
use super::making::{At, Made};
use crate::parts::context_chart::choice::Metric;
use crate::parts::contexts::of_both;
use crate::parts::{style, text};
use callscape_base::escape;
use callscape_base::units::Cost;
use callscape_layout::stacks::Shade;
use callscape_state::document::Document;

/// All that is known of a bar.
pub(super) fn of_bar(view: &FlameGraph, ui: &mut Ui, document: &Document, made: &Made, at: At) {
    ui.set_max_width(420.0);
    ui.spacing_mut().item_spacing.y = 2.0;
    let key = made.sides[at.0].key(at.1);
    let title = style::title(made.functions.title(key).into_owned());
    ui.add(egui::Label::new(title).wrap());
    let path = made.functions.path(key);
    if !path.is_empty() {
        ui.add(egui::Label::new(style::weak(escape::name(&path)).small()).wrap());
    }
    let lines = lines(view, document, made, at);
    ui.add(egui::Label::new(lines.join("\n")).wrap());
}

/// What it costs, in lines.
fn lines(view: &FlameGraph, document: &Document, made: &Made, (side, node): At) -> Vec<String> {
    let stacks = &made.sides[side];
    let shown = &made.shown;
    let [total, other] = stacks.totals(node);
    let of_run = |cost: Cost| {
        let share = text::percent(shown.share(cost));
        format!("{} ({share} % of the run)", document.show_cost(cost))
    };
    let is_caller = side == 1 && stacks.forest.parent(node).is_some();
    let mut lines = Vec::new();
    match made.focus.filter(|_| is_caller) {
        Some(key) => {
            let name = made.functions.title(key);
            lines.push(format!("calls {name} for {}", of_run(total)));
        }
        None => {
            lines.push(format!("total {}", of_run(total)));
            lines.push(format!("self {}", of_run(stacks.own(node))));
        }
    }
    if let Some(around) = stacks.forest.parent(node) {
        let share = stacks.forest.total(node) as f64 / stacks.forest.total(around).max(1) as f64;
        let name = made.functions.title(stacks.key(around));
        lines.push(format!("{} % of {name}", text::percent(share)));
    }
    if document.counts_calls() {
        lines.push(text::counted(stacks.calls(node), "call", "calls"));
    }
    let waiting = made.context(side, node).filter(|_| shown.knows_waiting);
    if let Some(context) = waiting {
        lines.push(format!("waiting {}", of_run(shown.waiting(context))));
    }
    if view.choice.metric == Metric::Waiting && waiting.is_none() && shown.knows_waiting {
        lines.push("as wide as what of it was waiting".to_owned());
    }
    if shown.has_other() {
        lines.extend(of_both(document, total, other));
        if stacks.is_gone(node) {
            lines.push(only_in(document));
        }
    }
    lines
}

/// Where what the run shown does not have is.
pub(super) fn only_in(document: &Document) -> String {
    let side = document.runs.as_ref().map_or(0, |it| it.side());
    format!(
        "only in {}, as wide as it is there",
        ["B", "A"][side.min(1)]
    )
}

/// How many bars a shade is of.
pub(super) fn of_shade(ui: &mut Ui, shade: &Shade) {
    let bars = text::counted(u64::from(shade.end - shade.node), "bar", "bars");
    ui.label(format!("{bars} narrower than a pixel; zoom in to see them"));
}
