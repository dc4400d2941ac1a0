//! Breaks cycles: says which edges go from right to left, light ones rather than heavy ones.
//!
//! By the heuristic of P. Eades, X. Lin and W. F. Smyth (*A fast and effective heuristic for the feedback arc set
//! problem*, 1993), with weights: nodes are lined up, first those that nothing leads to, last those that lead to
//! nothing, and between them those that lead to most more than leads to them. Edges that go back in the line are turned.

use super::graph::{Graph, Memory};
use super::levels::Level;

/// From one item to another.
#[derive(Clone, Copy)]
struct Arc {
    from: u32,
    to: u32,
    weight: f64,
    /// Never turned.
    is_firm: bool,
}

/// Notes which of the edges between items of a level go from right to left, and lines the items up so that all others go
/// on in the line. Edges without a line are never turned; items that `before` knows stand as they stood then, where that
/// allows it. O(items² + links).
pub(super) fn turn(
    graph: &Graph<'_>,
    level: &Level,
    before: &Memory,
    turned: &mut [bool],
) -> Vec<u32> {
    let items = level.items.len();
    let rank = |item: u32| {
        before
            .of(level.items[item as usize].key(graph))
            .map(|it| it.rank)
    };
    let arcs = level.links.iter().map(|link| {
        let edge = &graph.edges[link.edge as usize];
        let arc = Arc {
            from: link.from,
            to: link.to,
            weight: f64::from(edge.weight.max(0.0)),
            is_firm: !edge.is_drawn,
        };
        match (rank(link.from), rank(link.to)) {
            (Some(from), Some(to)) if edge.is_drawn && from != to => Arc {
                from: if from < to { arc.from } else { arc.to },
                to: if from < to { arc.to } else { arc.from },
                is_firm: true,
                ..arc
            },
            _ => arc,
        }
    });
    let arcs: Vec<Arc> = arcs.collect();
    let line = line(items, &arcs).unwrap_or_else(|| {
        // What stood one way before must stand the other way now.
        let anew: Vec<Arc> = level
            .links
            .iter()
            .map(|link| {
                let edge = &graph.edges[link.edge as usize];
                Arc {
                    from: link.from,
                    to: link.to,
                    weight: f64::from(edge.weight.max(0.0)),
                    is_firm: !edge.is_drawn,
                }
            })
            .collect();
        // Wishes that contradict each other are none.
        self::line(items, &anew).unwrap_or_else(|| (0..items as u32).collect())
    });
    let mut place = vec![0; items];
    for (&item, at) in line.iter().zip(0_u32..) {
        place[item as usize] = at;
    }
    for link in &level.links {
        turned[link.edge as usize] = place[link.from as usize] > place[link.to as usize];
    }
    line
}

/// Lines nodes up; none where arcs that are never turned go in a circle.
fn line(items: usize, arcs: &[Arc]) -> Option<Vec<u32>> {
    let mut of_item: Vec<Vec<u32>> = vec![Vec::new(); items];
    // How many arcs lead in and out of what is not lined up yet, how many of these are firm, and what all weigh.
    let mut counts = vec![[0_u32; 2]; items];
    let mut firm = vec![[0_u32; 2]; items];
    let mut weights = vec![[0.0_f64; 2]; items];
    for (arc, number) in arcs.iter().zip(0..) {
        for (item, way) in [(arc.from, 1), (arc.to, 0)] {
            let item = item as usize;
            of_item[item].push(number);
            counts[item][way] += 1;
            firm[item][way] += u32::from(arc.is_firm);
            weights[item][way] += arc.weight;
        }
    }
    let mut left: Vec<u32> = (0..items as u32).collect();
    let (mut first, mut last) = (Vec::with_capacity(items), Vec::new());
    while !left.is_empty() {
        let counted = |way: usize| left.iter().position(|&it| counts[it as usize][way] == 0);
        let (at, is_last) = if let Some(at) = counted(0) {
            (at, false)
        } else if let Some(at) = counted(1) {
            (at, true)
        } else {
            let more = |item: u32| {
                let [to, from] = weights[item as usize];
                from - to
            };
            let free = left.iter().enumerate();
            let free = free.filter(|(_, item)| firm[**item as usize][0] == 0);
            // Of equals the first.
            let best = free.reduce(|best, it| {
                if more(*it.1) > more(*best.1) {
                    it
                } else {
                    best
                }
            });
            (best?.0, false)
        };
        let item = left.remove(at);
        if is_last {
            last.push(item);
        } else {
            first.push(item);
        }
        for &number in &of_item[item as usize] {
            let arc = arcs[number as usize];
            let (other, way) = match arc.from == item {
                true => (arc.to as usize, 0),
                false => (arc.from as usize, 1),
            };
            counts[other][way] = counts[other][way].saturating_sub(1);
            firm[other][way] = firm[other][way].saturating_sub(u32::from(arc.is_firm));
            weights[other][way] -= arc.weight;
        }
    }
    last.reverse();
    first.append(&mut last);
    Some(first)
}
