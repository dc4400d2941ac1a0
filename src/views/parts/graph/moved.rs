//! Boxes that the user put elsewhere: they stay there in every later layout of the same graph.

use std::collections::BTreeMap;

use glam::Vec2;
use serde::{Deserialize, Serialize};

use super::labels;
use super::laid::{FRAME, Laid, SIGN};
use super::model::{Arrangement, Graph, GraphBox};
use super::sight::Sight;
use callscape_facts::hierarchy::Hierarchy;
use callscape_layout::labels::text::width;
use callscape_layout::sheet::Rect;

/// Places farther away than this, in points, and more places than this come from no user.
const FARTHEST: f32 = 100_000.0;
const MOST: usize = 10_000;

/// How far a line goes aside where both its boxes stand above each other, in points.
const ASIDE: f32 = 22.0;

/// By graph, and in it by box, where the user put the middle of the box, in points of the graph. Names instead of
/// numbers: these are other ones in another structure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Moved(BTreeMap<String, BTreeMap<String, [f32; 2]>>);

impl Moved {
    pub(crate) fn put(&mut self, graph: String, name: String, at: Vec2) {
        self.0.entry(graph).or_default().insert(name, at.to_array());
    }

    /// All boxes of a graph go where the layout has them.
    pub(crate) fn put_back(&mut self, graph: &str) {
        self.0.remove(graph);
    }

    pub(crate) fn has(&self, graph: &str) -> bool {
        self.0.contains_key(graph)
    }

    fn place(&self, graph: &str, name: &str) -> Option<Vec2> {
        self.0.get(graph)?.get(name).map(|&it| Vec2::from_array(it))
    }

    /// As numbers, for the list of changes.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let text = serde_json::to_string(self).unwrap_or_default();
        text.chars().map(u32::from).collect()
    }

    pub(crate) fn of_numbers(numbers: &[u32]) -> Moved {
        let text = numbers.iter().filter_map(|&it| char::from_u32(it));
        serde_json::from_str(&text.collect::<String>()).unwrap_or_default()
    }

    /// What a session file says without what no user can have done, and how many places that were.
    pub(crate) fn sound(mut self) -> (Moved, usize) {
        let (mut count, mut lost) = (0, 0);
        for boxes in self.0.values_mut() {
            boxes.retain(|_, at| {
                let is_near = at.iter().all(|it| it.abs() <= FARTHEST);
                count += 1;
                let is_kept = is_near && count <= MOST;
                lost += usize::from(!is_kept);
                is_kept
            });
        }
        self.0.retain(|_, boxes| !boxes.is_empty());
        (self, lost)
    }
}

/// A box that the pointer holds.
pub(super) struct Held {
    pub place: u32,
    /// Where the pointer took hold of it, in pixels, and where its middle was then.
    pub taken: Vec2,
    pub middle: Vec2,
    /// What is in sight does not change meanwhile.
    pub sight: Sight,
    pub before: Moved,
}

/// What was put elsewhere: in words, and all places before and after it.
pub(crate) struct Put {
    pub words: String,
    pub both: [Moved; 2],
}

/// The name of a box: its module, what it shows of that, and its function. None where it stands for others for which
/// there was no room: these are not the same in another layout.
pub(crate) fn name_of(of: &GraphBox, hierarchy: &Hierarchy) -> Option<String> {
    let module = of.of.module().filter(|it| it.index() < hierarchy.len())?;
    let (path, group) = (hierarchy.path(module), of.key >> 56);
    Some(match of.of.function() {
        Some(_) => format!("{group} {path} {}", of.title),
        None => format!("{group} {path}"),
    })
}

/// The name of a graph: that of the box in its middle, empty for one without. Each way to arrange it has its own places.
pub(crate) fn name_of_graph(graph: &Graph, hierarchy: &Hierarchy) -> String {
    let middle = graph.boxes.iter().find(|it| it.is_middle);
    let name = middle.and_then(|it| name_of(it, hierarchy));
    let name = name.unwrap_or_default();
    match graph.arrangement {
        Arrangement::Layered => name,
        Arrangement::Distance => format!("distance {name}"),
    }
}

/// The graph with boxes where the user put them; none where it has no such box. Frames keep the room that they have
/// around what is in them, lines from and to these boxes get other ways, and labels other places. O(boxes + lines), and
/// the labels.
pub(crate) fn apply(laid: &Laid, moved: &Moved, hierarchy: &Hierarchy) -> Option<Laid> {
    let graph = name_of_graph(&laid.graph, hierarchy);
    if !moved.has(&graph) {
        return None;
    }
    let boxes = laid.graph.boxes.iter().zip(&laid.layout.nodes);
    let by = boxes.map(|(of, &rect)| {
        let name = name_of(of, hierarchy)?;
        let at = moved.place(&graph, &name)?;
        Some(at - (rect.min + rect.max) * 0.5)
    });
    let by: Vec<Option<Vec2>> = by.collect();
    if by.iter().all(Option::is_none) {
        return None;
    }
    let by: Vec<Vec2> = by.into_iter().map(Option::unwrap_or_default).collect();
    let mut layout = laid.layout.clone();
    for (rect, &by) in layout.nodes.iter_mut().zip(&by) {
        *rect = Rect::new(rect.min + by, rect.max + by);
    }
    move_frames(laid, &layout.nodes, &mut layout.clusters);
    for (line, route) in laid.graph.lines.iter().zip(&mut layout.routes) {
        let (from, to) = (line.from as usize, line.to as usize);
        let (Some(&of_from), Some(&of_to)) = (by.get(from), by.get(to)) else {
            continue;
        };
        if of_from == of_to {
            route.iter_mut().for_each(|it| *it += of_from);
        } else if let [first, .., last] = route[..] {
            let boxes = [layout.nodes[from], layout.nodes[to]];
            *route = way([first.y + of_from.y, last.y + of_to.y], boxes, laid.grow);
        }
    }
    let labels = labels::place(&laid.graph, &layout, &laid.widths, laid.grow);
    Some(Laid {
        graph: laid.graph.clone(),
        layout,
        widths: laid.widths.clone(),
        labels,
        grow: laid.grow,
    })
}

/// What holds all of these; none of none.
fn around(rects: impl Iterator<Item = Rect>) -> Option<Rect> {
    rects.reduce(|a, b| Rect::new(a.min.min(b.min), a.max.max(b.max)))
}

/// Frames go with what is in them, the inner ones first: parents stand before children.
fn move_frames(laid: &Laid, nodes: &[Rect], frames: &mut [Rect]) {
    let old = &laid.layout;
    for frame in (0..frames.len()).rev() {
        let inside = |nodes: &[Rect], frames: &[Rect]| {
            let boxes = laid.graph.boxes.iter().zip(nodes);
            let boxes = boxes.filter(|it| it.0.frame == Some(frame as u32));
            let inner = laid.graph.frames.iter().zip(frames);
            let inner = inner.filter(|it| it.0.parent == Some(frame as u32));
            let boxes = boxes.map(|it| *it.1);
            around(boxes.chain(inner.map(|it| *it.1)))
        };
        let before = inside(&old.nodes, &old.clusters);
        if let (Some(before), Some(after)) = (before, inside(nodes, frames)) {
            let rect = old.clusters[frame];
            let min = after.min + (rect.min - before.min);
            let mut max = after.max + (rect.max - before.max);
            // Its title stays readable.
            let title = width(&laid.graph.frames[frame].title) * FRAME + SIGN;
            max.x = max.x.max(min.x + (title * laid.grow).min(rect.size().x));
            frames[frame] = Rect::new(min, max);
        }
    }
}

/// A way from one box to another at these heights: from the side that is nearer, and aside where they stand above each
/// other.
fn way([from, to]: [f32; 2], [caller, callee]: [Rect; 2], grow: f32) -> Vec<Vec2> {
    let at = |x: f32, y: f32| Vec2::new(x, y);
    if callee.min.x >= caller.max.x {
        return vec![at(caller.max.x, from), at(callee.min.x, to)];
    }
    if callee.max.x <= caller.min.x {
        return vec![at(caller.min.x, from), at(callee.max.x, to)];
    }
    let aside = caller.max.x.max(callee.max.x) + ASIDE * grow;
    vec![
        at(caller.max.x, from),
        at(aside, from),
        at(aside, to),
        at(callee.max.x, to),
    ]
}
