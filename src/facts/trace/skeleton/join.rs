//! The skeleton of a thread out of those of its parts.

use super::nodes::{Light, Node, Skeleton};
use callscape_base::units::CallId;

/// Joins the skeletons of parts of a thread, one after the other, each with its first call. A part has the nodes around that
/// call again, each with what lies below it in that part. None of no part.
pub(super) fn join(parts: Vec<(u32, Skeleton)>) -> Option<Skeleton> {
    let mut parts = parts.into_iter().map(|(first, part)| (CallId(first), part));
    let (_, mut all) = parts.next()?;
    for (first, part) in parts {
        // By node of the part, which of all it is.
        let mut places: Vec<u32> = Vec::with_capacity(part.nodes.len());
        for (index, node) in part.nodes.iter().enumerate() {
            let known = match index {
                0 => Some(0),
                _ if node.call < first => {
                    let found = all.nodes[1..].binary_search_by_key(&node.call, |it| it.call);
                    found.ok().map(|place| place + 1)
                }
                _ => None,
            };
            let place = known.unwrap_or(all.nodes.len());
            places.push(place as u32);
            match known {
                Some(place) => add_to(&mut all, place, &part, node),
                None => add(&mut all, places[node.parent as usize], &part, node),
            }
        }
    }
    for index in (1..all.nodes.len()).rev() {
        let Node { end, parent, .. } = all.nodes[index];
        let around = &mut all.nodes[parent as usize];
        around.end = around.end.max(end);
    }
    Some(all)
}

/// Adds a node of a part.
fn add(all: &mut Skeleton, parent: u32, part: &Skeleton, node: &Node) {
    let first = all.lights.len() as u32;
    all.lights.extend_from_slice(part.lights(node));
    let functions = all.sets.intern(part.sets.get(node.functions));
    all.nodes.push(Node {
        parent,
        end: all.nodes.len() as u32 + 1,
        functions,
        lights: (first, all.lights.len() as u32),
        ..*node
    });
}

/// Adds what a part has below a node that is known.
fn add_to(all: &mut Skeleton, place: usize, part: &Skeleton, node: &Node) {
    let of = all.nodes[place];
    let (own, more) = (all.sets.get(of.functions), part.sets.get(node.functions));
    let mut functions = [own, more].concat();
    functions.sort_unstable();
    functions.dedup();
    let functions = all.sets.intern(&functions);
    let mut lights: Vec<Light> = [all.lights(&of), part.lights(node)].concat();
    lights.sort_unstable_by_key(|light| light.function);
    lights.dedup_by(|next, kept| {
        let is_same = next.function == kept.function;
        if is_same {
            kept.add(next);
        }
        is_same
    });
    let mut of_node = of.lights;
    if !part.lights(node).is_empty() {
        let first = all.lights.len() as u32;
        all.lights.extend_from_slice(&lights);
        of_node = (first, all.lights.len() as u32);
    }
    let kept = &mut all.nodes[place];
    kept.functions = functions;
    kept.lights = of_node;
    kept.deepest = kept.deepest.max(node.deepest);
    if place == 0 {
        // Of the outermost calls of each part.
        kept.cost += node.cost;
    }
}
