//! Puts boxes into frames: the modules around them.

use std::collections::HashMap;

use super::model::{Frame, GraphBox, Of, Sign};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_layout::layered::Key;

/// A box, and the modules that are to be frames around it, the outermost first.
pub(crate) struct Nested {
    pub of: GraphBox,
    pub around: Vec<ModuleId>,
    /// Boxes of different groups share no frame.
    pub group: u8,
}

/// The modules around one, and itself where it `is_inside`, the outermost first.
pub(crate) fn around(hierarchy: &Hierarchy, module: ModuleId, is_inside: bool) -> Vec<ModuleId> {
    let around = hierarchy.ancestors(module).skip(usize::from(!is_inside));
    let mut around: Vec<ModuleId> = around.filter(|&it| it != ModuleId::ROOT).collect();
    around.reverse();
    around
}

impl Nested {
    /// The box for so many that there was no room for.
    pub(crate) fn more(key: Key, count: u32, title: String, group: u8) -> Nested {
        Nested {
            of: GraphBox {
                sign: Some(Sign::More),
                ..GraphBox::new(key, Of::More(count), title)
            },
            around: Vec::new(),
            group,
        }
    }
}

/// Names a module in a group, as a box or as a frame.
pub(crate) fn module_key(group: u8, module: ModuleId) -> Key {
    u64::from(group) << 56 | u64::from(module.0)
}

struct Node {
    module: ModuleId,
    group: u8,
    parent: Option<u32>,
    boxes: u32,
    frames: u32,
}

/// The boxes, and the frames around them. A frame that holds nothing but another is one with it. Where `flat`, a frame
/// around a single box becomes its second line. O(boxes × depth).
pub(crate) fn nest(
    hierarchy: &Hierarchy,
    all: Vec<Nested>,
    flat: bool,
    folds: bool,
) -> (Vec<GraphBox>, Vec<Frame>) {
    let mut nodes: Vec<Node> = Vec::new();
    let mut known: HashMap<(u8, ModuleId), u32> = HashMap::new();
    let mut around: Vec<Option<u32>> = Vec::with_capacity(all.len());
    for nested in &all {
        let mut parent: Option<u32> = None;
        for &module in &nested.around {
            let next = *known.entry((nested.group, module)).or_insert_with(|| {
                if let Some(parent) = parent {
                    nodes[parent as usize].frames += 1;
                }
                nodes.push(Node {
                    module,
                    group: nested.group,
                    parent,
                    boxes: 0,
                    frames: 0,
                });
                nodes.len() as u32 - 1
            });
            parent = Some(next);
        }
        if let Some(parent) = parent {
            nodes[parent as usize].boxes += 1;
        }
        around.push(parent);
    }
    // Around a single box there is no frame, and so on outwards.
    let mut details: Vec<Option<u32>> = vec![None; all.len()];
    if flat {
        for (at, frame) in around.iter_mut().enumerate() {
            while let Some(of) = *frame {
                let node = &nodes[of as usize];
                if node.boxes + node.frames > 1 {
                    break;
                }
                details[at] = details[at].or(Some(of));
                *frame = node.parent;
                nodes[of as usize].boxes = 0;
                if let Some(outer) = *frame {
                    let outer = &mut nodes[outer as usize];
                    outer.frames -= 1;
                    outer.boxes += 1;
                }
            }
        }
    }
    // Frames that hold one frame alone are left out; the one inside has both names.
    let is_kept = |of: u32| {
        let node = &nodes[of as usize];
        node.boxes > 0 || node.frames > 1
    };
    let kept_around = |of: Option<u32>| {
        let mut next = of;
        while let Some(of) = next.filter(|&of| !is_kept(of)) {
            next = nodes[of as usize].parent;
        }
        next
    };
    let mut places: HashMap<u32, u32> = HashMap::new();
    let mut frames: Vec<Frame> = Vec::new();
    for (node, of) in nodes.iter().zip(0..).filter(|(_, of)| is_kept(*of)) {
        let parent = kept_around(node.parent);
        let outer = parent.map(|it| nodes[it as usize].module);
        places.insert(of, frames.len() as u32);
        frames.push(Frame {
            key: module_key(node.group, node.module),
            module: node.module,
            parent: parent.and_then(|it| places.get(&it).copied()),
            title: path_below(hierarchy, outer, node.module),
            folds,
        });
    }
    let boxes = all
        .into_iter()
        .zip(around)
        .zip(details)
        .map(|((nested, frame), detail)| {
            let frame = kept_around(frame);
            let mut of = nested.of;
            of.frame = frame.and_then(|it| places.get(&it).copied());
            if let (Some(detail), true) = (detail, of.detail.is_empty()) {
                let outer = frame.map(|it| nodes[it as usize].module);
                of.detail = path_below(hierarchy, outer, nodes[detail as usize].module);
            }
            of
        });
    (boxes.collect(), frames)
}

/// The path of a module below another one.
pub(crate) fn path_below(
    hierarchy: &Hierarchy,
    outer: Option<ModuleId>,
    module: ModuleId,
) -> String {
    let outer = outer.unwrap_or(ModuleId::ROOT);
    let names = hierarchy.ancestors(module).take_while(|&it| it != outer);
    let mut names: Vec<&str> = names.map(|it| hierarchy.name(it)).collect();
    names.reverse();
    names.join("/")
}

/// The module at a path as [`Hierarchy::path`] gives it. O(children of the modules on the way).
pub(crate) fn module_at(hierarchy: &Hierarchy, path: &str) -> Option<ModuleId> {
    // Names may hold what separates them.
    let mut open = vec![(ModuleId::ROOT, path)];
    while let Some((module, rest)) = open.pop() {
        for child in hierarchy.children(module) {
            match rest.strip_prefix(hierarchy.name(child)) {
                Some("") => return Some(child),
                Some(rest) => open.extend(rest.strip_prefix('/').map(|rest| (child, rest))),
                None => {}
            }
        }
    }
    None
}
