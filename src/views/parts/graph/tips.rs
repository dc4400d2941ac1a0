//! What is said of boxes, frames and lines under the pointer.

use super::legend::amount;
use super::model::{By, Graph, Sum};
pub(crate) use crate::parts::tip::Tip;
use callscape_state::document::Document;

/// An amount of a line, of two runs of both with what B has more.
fn amounts(document: &Document, graph: &Graph, sum: &Sum, by: By) -> String {
    match sum.change {
        None => amount(document, graph, by, sum.by(by)),
        Some(change) => {
            let measure = by.measure();
            let [a, b] =
                [&change.a, &change.b].map(|it| amount(document, graph, by, it.of(measure)));
            format!("A {a}, B {b}: {}", difference(document, graph, sum, by))
        }
    }
}

/// What B has more or less than A, with its sign.
pub(crate) fn difference(document: &Document, graph: &Graph, sum: &Sum, by: By) -> String {
    let delta = sum.change.map_or(0.0, |it| it.delta(by.measure()));
    let size = amount(document, graph, by, delta.abs());
    match delta {
        delta if delta > 0.0 => format!("+{size}"),
        delta if delta < 0.0 => format!("−{size}"),
        _ => "no difference".to_owned(),
    }
}

/// What calls add up to, as lines.
fn sum_lines(document: &Document, graph: &Graph, sum: &Sum) -> Vec<String> {
    let mut lines = Vec::new();
    if document.counts_calls() {
        lines.push(format!(
            "calls: {}",
            amounts(document, graph, sum, By::Calls)
        ));
    }
    let cost = amounts(document, graph, sum, By::Cost);
    lines.push(format!("sum of cost: {cost}"));
    if sum.change.is_none() {
        let own = amount(document, graph, By::Cost, sum.own);
        lines.push(format!("self: {own}"));
    }
    lines
}

/// Of calls from one box to another.
pub(crate) fn of_line(document: &Document, graph: &Graph, place: u32) -> Option<Tip> {
    let line = graph.lines.get(place as usize)?;
    let name = |place: u32| {
        graph
            .boxes
            .get(place as usize)
            .map_or("", |it| it.title.as_str())
    };
    let mut lines = sum_lines(document, graph, &line.sum);
    if let Some(moments) = document.show_costs(&line.moments) {
        lines.push(format!("each moment once: {moments}"));
    }
    Some(Tip {
        title: format!("{} → {}", name(line.from), name(line.to)),
        lines,
    })
}

/// Of a box: where it is, what comes in and what goes out.
pub(crate) fn of_box(document: &Document, graph: &Graph, place: u32) -> Option<Tip> {
    let of = graph.boxes.get(place as usize)?;
    let mut tip = Tip {
        title: of.title.clone(),
        lines: Vec::new(),
    };
    if let Some(module) = of.of.module() {
        tip.lines.push(document.session.hierarchy.path(module));
    }
    if !of.own.is_empty() {
        tip.lines.push(format!("self cost: {}", of.own));
    }
    for (title, is_in) in [("called", true), ("calls others", false)] {
        let lines = graph.lines.iter().filter(|it| match is_in {
            true => it.to == place,
            false => it.from == place,
        });
        let mut sum = Sum::default();
        lines.for_each(|it| sum.add(&it.sum));
        if sum != Sum::default() {
            let text = sum_lines(document, graph, &sum);
            tip.lines.push(format!("{title}: {}", text.join("; ")));
        }
    }
    if of.inner != Sum::default() {
        let text = sum_lines(document, graph, &of.inner);
        tip.lines.push(format!("within it: {}", text.join("; ")));
    }
    Some(tip)
}

/// Of a frame: the module that it is.
pub(crate) fn of_frame(document: &Document, graph: &Graph, place: u32) -> Option<Tip> {
    let frame = graph.frames.get(place as usize)?;
    let inside = graph.boxes.iter().filter(|it| {
        let module = it.of.module();
        module.is_some_and(|it| document.session.hierarchy.contains(frame.module, it))
    });
    let count = inside.count() as u64;
    Some(Tip {
        title: frame.title.clone(),
        lines: vec![
            document.session.hierarchy.path(frame.module),
            crate::parts::text::counted(count, "box in it", "boxes in it"),
        ],
    })
}
