//! Where phases stand: layers of boxes in order of start, repetitions in frames.

use std::collections::HashMap;

use egui::{Rect, Vec2, pos2, vec2};

use callscape_analysis::phases::folding::{Folded, Item, Repeated};
use callscape_analysis::phases::{Parent, Phases};

/// In points.
pub(super) const BOX: Vec2 = vec2(184.0, 92.0);
const GAP: f32 = 8.0;
/// The edge of a frame around what is in it, and the line above it that says which instance is shown.
const EDGE: f32 = 6.0;
pub(super) const HEAD: f32 = 22.0;
/// A layer shows no more boxes; what is behind them is said.
pub(super) const MOST: usize = 5000;

/// Boxes are wider where there is room.
const WIDEST: f32 = 400.0;
/// A layer that does not fit into so many rows is wider than its pane.
const ROWS: f32 = 4.0;

/// A repetition, by its first phase and how many it stands in.
pub(super) type Key = (u32, usize);

/// By repetition the instance that is shown.
pub(super) type Instances = HashMap<Key, u32>;

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Phase(u32),
    /// A gathered row, by its number.
    Gathered(u32),
}

/// A box, from the top left corner of its layer on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub rect: Rect,
    pub of: Of,
}

/// The frame of a repetition.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame {
    pub rect: Rect,
    pub layer: usize,
    pub key: Key,
    pub instances: u32,
    /// From 0.
    pub shown: u32,
    /// The instances with an outlier, from 0.
    pub outliers: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layer {
    /// From the top, from 0.
    pub number: usize,
    pub parent: Parent,
    pub boxes: Vec<Placed>,
    pub frames: Vec<Frame>,
    pub size: Vec2,
    /// How many phases there are, folded ones too, how many of them are outliers, and how many boxes have no room.
    pub phases: u32,
    pub outliers: u32,
    pub left_out: usize,
}

impl Layer {
    pub(super) fn phases(&self) -> impl Iterator<Item = u32> + '_ {
        self.boxes.iter().filter_map(|placed| match placed.of {
            Of::Phase(phase) => Some(phase),
            Of::Gathered(_) => None,
        })
    }

    pub(super) fn shows(&self, phase: u32) -> bool {
        self.boxes.iter().any(|it| it.of == Of::Phase(phase))
    }
}

/// Places the items of a layer.
struct Placing<'a> {
    /// Of a box.
    size: Vec2,
    phases: &'a Phases,
    instances: &'a mut Instances,
    layer: usize,
    /// Where frames and boxes of a row begin along y, how far rows are apart, and how wide they may be.
    row: f32,
    top: f32,
    apart: f32,
    width: f32,
    x: f32,
    /// The right end of the widest row.
    right: f32,
    boxes: Vec<Placed>,
    frames: Vec<Frame>,
    left_out: usize,
}

/// How many frames stand in each other.
fn nesting(items: &[Item]) -> usize {
    let of_item = |item: &Item| match item {
        Item::One(_) => 0,
        Item::Repeated(repeated) => 1 + nesting(&repeated.pattern),
    };
    items.iter().map(of_item).max().unwrap_or(0)
}

impl Placing<'_> {
    fn items(&mut self, items: &[Item], mut siblings: &[u32], level: usize) {
        for item in items {
            let begun = self.begin();
            let (of_item, rest) = siblings.split_at(item.length() as usize);
            siblings = rest;
            match (item, of_item) {
                (Item::Repeated(repeated), _) => self.repeated(repeated, of_item, level),
                (Item::One(_), &[phase]) => self.place(Of::Phase(phase)),
                (Item::One(_), _) => {}
            }
            if level == 0 {
                self.wrap(begun);
            }
        }
    }

    fn repeated(&mut self, repeated: &Repeated, siblings: &[u32], level: usize) {
        if self.boxes.len() >= MOST {
            self.left_out += siblings.len();
            return;
        }
        let length = repeated.length as usize;
        let is_outlier = |&phase: &u32| {
            let phase = self.phases.phases.get(phase as usize);
            phase.is_some_and(|phase| phase.is_outlier)
        };
        let instances = (0..).zip(siblings.chunks(length));
        let outliers = instances
            .filter(|(_, of)| of.iter().any(is_outlier))
            .map(|(instance, _)| instance);
        let outliers: Vec<u32> = outliers.collect();
        let first = siblings.first().copied().unwrap_or(0);
        let usual = (0..repeated.instances).find(|it| outliers.binary_search(it).is_err());
        let shown = *self
            .instances
            .entry((first, level))
            .or_insert(usual.unwrap_or(0));
        let shown = shown.min(repeated.instances.saturating_sub(1));
        let from = shown as usize * length;
        let left = self.x;
        self.x += EDGE;
        let at = self.frames.len();
        self.frames.push(Frame {
            rect: Rect::NOTHING,
            layer: self.layer,
            key: (first, level),
            instances: repeated.instances,
            shown,
            outliers,
        });
        let of_shown = siblings.get(from..from + length).unwrap_or_default();
        self.items(&repeated.pattern, of_shown, level + 1);
        // What is in it ends with a gap.
        self.x += EDGE - GAP;
        let top = self.row + level as f32 * HEAD;
        let bottom = self.row + self.top + BOX.y + EDGE;
        let right = self.x.max(left + self.size.x);
        self.frames[at].rect = Rect::from_min_max(pos2(left, top), pos2(right, bottom));
        self.x = right + GAP;
    }

    /// What there is before an item: boxes, frames and where it begins.
    fn begin(&self) -> (usize, usize, f32) {
        (self.boxes.len(), self.frames.len(), self.x)
    }

    /// Moves what was placed since `begun` to the next row if this one has no room for it.
    fn wrap(&mut self, (boxes, frames, x): (usize, usize, f32)) {
        if self.x - GAP > self.width && x > 0.0 {
            let by = vec2(-x, self.apart);
            let frames = self.frames[frames..].iter_mut().map(|it| &mut it.rect);
            let rects = self.boxes[boxes..].iter_mut().map(|it| &mut it.rect);
            for rect in rects.chain(frames) {
                *rect = rect.translate(by);
            }
            self.x -= x;
            self.row += self.apart;
        }
        self.right = self.right.max(self.x - GAP);
    }

    fn place(&mut self, of: Of) {
        if self.boxes.len() >= MOST {
            self.left_out += 1;
            return;
        }
        let rect = Rect::from_min_size(pos2(self.x, self.row + self.top), self.size);
        self.boxes.push(Placed { rect, of });
        self.x += self.size.x + GAP;
    }
}

/// The layers down to what is unfolded last, in rows as wide as `width` if they have a few of them. O(phases of the
/// layers).
pub(super) fn lay_out(
    phases: &Phases,
    folded: &Folded,
    root: usize,
    path: &[u32],
    width: f32,
    instances: &mut Instances,
) -> Vec<Layer> {
    if root >= phases.roots.len() {
        return Vec::new();
    }
    let parents = path.iter().map(|&phase| Parent::Phase(phase));
    let parents = std::iter::once(Parent::Root(root)).chain(parents);
    let layers = parents.enumerate();
    let layers = layers.map(|(layer, parent)| {
        let whole = lay_out_one(
            phases,
            folded,
            (layer, f32::INFINITY),
            BOX.x,
            (parent, instances),
        );
        let left = width - whole.size.x;
        if left < 0.0 {
            // A layer of many rows would hide the next.
            let width = width.max(whole.size.x / ROWS + BOX.x);
            return lay_out_one(phases, folded, (layer, width), BOX.x, (parent, instances));
        }
        let more = left / whole.boxes.len().max(1) as f32;
        let wide = (BOX.x + more).floor().min(WIDEST);
        match width.is_finite() && wide > BOX.x {
            true => lay_out_one(
                phases,
                folded,
                (layer, f32::INFINITY),
                wide,
                (parent, instances),
            ),
            false => whole,
        }
    });
    layers
        .filter(|layer| !layer.boxes.is_empty() || layer.parent == Parent::Root(root))
        .collect()
}

fn lay_out_one(
    phases: &Phases,
    folded: &Folded,
    (layer, width): (usize, f32),
    wide: f32,
    (parent, instances): (Parent, &mut Instances),
) -> Layer {
    let items = folded.items(parent);
    let siblings: Vec<u32> = phases.children(parent).collect();
    let nesting = nesting(items);
    let top = nesting as f32 * HEAD;
    let height = top + BOX.y + if nesting > 0 { EDGE } else { 0.0 };
    let mut placing = Placing {
        phases,
        instances,
        layer,
        size: vec2(wide, BOX.y),
        row: 0.0,
        top,
        apart: height + GAP,
        width,
        x: 0.0,
        right: 0.0,
        boxes: Vec::new(),
        frames: Vec::new(),
        left_out: 0,
    };
    placing.items(items, &siblings, 0);
    let phase = match parent {
        Parent::Phase(phase) => Some(phase),
        Parent::Root(_) => None,
    };
    let thread = match parent {
        Parent::Root(root) => phases.roots.get(root).map(|it| it.thread),
        Parent::Phase(_) => None,
    };
    let from = phases.gathered.partition_point(|row| row.phase < phase);
    for (number, row) in (from as u32..).zip(phases.gathered_in(phase)) {
        if thread.is_none_or(|thread| thread == row.thread) {
            let begun = placing.begin();
            placing.place(Of::Gathered(number));
            placing.wrap(begun);
        }
    }
    let is_outlier = |phase: &&u32| phases.phases[**phase as usize].is_outlier;
    Layer {
        number: layer,
        parent,
        size: vec2(placing.right, placing.row + height),
        boxes: placing.boxes,
        frames: placing.frames,
        phases: siblings.len() as u32,
        outliers: siblings.iter().filter(is_outlier).count() as u32,
        left_out: placing.left_out,
    }
}

/// Has the repetitions that a phase stands in show the instances that hold it.
pub(super) fn show_instance_of(
    phases: &Phases,
    folded: &Folded,
    parent: Parent,
    phase: u32,
    instances: &mut Instances,
) {
    let siblings: Vec<u32> = phases.children(parent).collect();
    let (mut items, mut siblings) = (folded.items(parent), &*siblings);
    let mut level = 0;
    while let Some(item) = items.first() {
        let (of_item, rest) = siblings.split_at(item.length() as usize);
        if of_item.last().is_none_or(|&last| last < phase) {
            (items, siblings) = (&items[1..], rest);
            continue;
        }
        let Item::Repeated(repeated) = item else {
            return;
        };
        let length = repeated.length as usize;
        let mut of_instances = of_item.chunks(length);
        let holds = |of: &[u32]| of.last().is_some_and(|&last| last >= phase);
        let instance = of_instances.position(holds).unwrap_or(0);
        if let Some(&first) = of_item.first() {
            instances.insert((first, level), instance as u32);
            level += 1;
        }
        (items, siblings) = (
            &repeated.pattern,
            &of_item[instance * length..(instance + 1) * length],
        );
    }
}
