//! Names of districts, flat in the southern margin of their terrace like the lettering of a map.

use glam::{Vec2, Vec3};

use super::{Eye, ease, may_show, text};
use crate::facts::hierarchy::{Hierarchy, ModuleKind};
use crate::layout::geometry::{Block, BlockKind, FlatLabel};
use crate::layout::treemap::{Rect, label_strip};
use crate::units::ModuleId;

/// The height of the em square as a share of the strip, and of the baseline over the strip's lower edge.
const EM: f32 = 0.72;
const BASELINE: f32 = 0.30;

/// A long name may be set smaller than its strip allows, down to this share, before it is shortened.
const SMALLEST: f32 = 0.62;

/// Letters are seen from this height of the em square on the screen on, in pixels, and in full from
/// `LEGIBLE`.
const VISIBLE: f32 = 7.0;
const LEGIBLE: f32 = 8.5;

/// More names than this at once are a mat that nobody reads.
const MOST: usize = 200;

/// Where a name can lie.
#[derive(Clone, Copy, Debug)]
struct Place {
    block: u32,
    /// One past the last place in the subtree, as an index into the places.
    subtree_end: u32,
    /// The highest em square, and the highest top, in the subtree.
    subtree_em: f32,
    subtree_top: f32,
    /// In world units.
    em: f32,
    margin: f32,
}

/// At so many places along a name it is looked whether something stands before it.
const SAMPLES: usize = 6;

/// A name that may be shown this time.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    place: u32,
    /// The height of the em square on the screen, in pixels.
    pixels: f32,
}

/// The names of the districts of one layout, and which of them are shown.
#[derive(Debug, Default)]
pub struct FlatLabels {
    places: Vec<Place>,
    candidates: Vec<Candidate>,
    /// The labels shown, then spare ones whose texts keep their memory.
    labels: Vec<FlatLabel>,
    shown: usize,
    quads: Vec<[Vec2; 4]>,
    /// Whether names are turned to be read from the north.
    turned: bool,
}

impl FlatLabels {
    /// Prepares the names for new blocks. O(n).
    pub fn new(hierarchy: &Hierarchy, blocks: &[Block]) -> FlatLabels {
        let mut places: Vec<Place> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            while let Some(&last) = open.last() {
                let Place { block: over, .. } = places[last as usize];
                if blocks[over as usize].subtree_end as usize > index {
                    break;
                }
                places[last as usize].subtree_end = places.len() as u32;
                open.pop();
            }
            let is_function = hierarchy.kind(block.module) == ModuleKind::Function;
            if block.kind == BlockKind::Leaf && is_function {
                continue;
            }
            let rect = Rect::of_block(block);
            let strip = label_strip(rect, block.level) as f32;
            open.push(places.len() as u32);
            places.push(Place {
                block: index as u32,
                subtree_end: 0,
                subtree_em: strip * EM,
                subtree_top: block.max.z,
                em: strip * EM,
                margin: strip * 0.45,
            });
        }
        for last in open {
            places[last as usize].subtree_end = places.len() as u32;
        }
        // Maxima over subtrees: from the back, children before parents.
        let mut later: Vec<u32> = Vec::new();
        for index in (0..places.len()).rev() {
            let end = places[index].subtree_end;
            while let Some(&child) = later.last()
                && child < end
            {
                let Place {
                    subtree_em,
                    subtree_top,
                    ..
                } = places[child as usize];
                let place = &mut places[index];
                place.subtree_em = place.subtree_em.max(subtree_em);
                place.subtree_top = place.subtree_top.max(subtree_top);
                later.pop();
            }
            later.push(index as u32);
        }
        FlatLabels {
            places,
            ..FlatLabels::default()
        }
    }

    pub fn labels(&self) -> &[FlatLabel] {
        &self.labels[..self.shown]
    }

    /// Decides for each name, by the module that it is of, whether it is written in the other ink.
    pub fn ink(&mut self, is_inverted: impl Fn(ModuleId) -> bool) {
        for label in &mut self.labels[..self.shown] {
            label.is_inverted = is_inverted(label.module);
        }
    }

    /// Whether the name of `module` is shown in full strength.
    pub fn is_read(&self, module: ModuleId) -> bool {
        let mut labels = self.labels().iter();
        labels.any(|label| label.module == module && label.opacity > 0.9)
    }

    /// Chooses what is shown from `eye`: what is large enough to read and not hidden, the largest first,
    /// nothing over anything else. `is_seen` tells whether a point on the top of a block shows. Works in
    /// proportion to the districts on the screen, not to all.
    pub fn update(
        &mut self,
        hierarchy: &Hierarchy,
        blocks: &[Block],
        eye: &Eye,
        is_seen: impl Fn(u32, Vec3) -> bool,
    ) {
        // Seen from due east or west names keep the side that they had.
        if eye.right.x.abs() > 0.2 {
            self.turned = eye.right.x < 0.0;
        }
        self.find_candidates(blocks, eye);
        self.candidates.sort_unstable_by(|a, b| {
            let larger = b.pixels.total_cmp(&a.pixels);
            larger.then(a.place.cmp(&b.place))
        });
        self.shown = 0;
        self.quads.clear();
        for index in 0..self.candidates.len() {
            if self.shown == MOST {
                break;
            }
            let Candidate { place, pixels } = self.candidates[index];
            let place = self.places[place as usize];
            let block = &blocks[place.block as usize];
            if self.set(hierarchy, block, place, pixels, eye) {
                let label = &mut self.labels[self.shown - 1];
                let width = text::width(&label.text) * label.em;
                let seen = (0..SAMPLES).filter(|&sample| {
                    let along = (sample as f32 + 0.5) / SAMPLES as f32 * width;
                    let letter = label.right * along + label.up * label.em * 0.35;
                    is_seen(place.block, label.origin + letter)
                });
                let share = seen.count() as f32 / SAMPLES as f32;
                label.opacity *= ease(0.6, 1.0, share);
                if label.opacity == 0.0 {
                    self.shown -= 1;
                    self.quads.pop();
                }
            }
        }
    }

    fn find_candidates(&mut self, blocks: &[Block], eye: &Eye) {
        self.candidates.clear();
        let planes = eye.side_planes();
        let mut index = 0;
        while let Some(place) = self.places.get(index) {
            let block = &blocks[place.block as usize];
            let top = block.max.with_z(place.subtree_top);
            let nearest = eye.position.clamp(block.min, top).distance(eye.position);
            let largest = place.subtree_em * eye.focal / nearest.max(1e-3);
            if largest < VISIBLE || !may_show(&planes, block.min, top) {
                index = place.subtree_end as usize;
                continue;
            }
            // The strip's own size on the screen: how wide it looks and how tall, foreshortened.
            let strip_min = block.min.with_z(block.max.z);
            let strip_max = strip_min.with_x(block.max.x);
            let at = eye.position.clamp(strip_min, strip_max);
            let distance = at.distance(eye.position).max(1e-3);
            let tilt = ((eye.position.z - block.max.z) / distance).clamp(0.0, 1.0);
            let pixels = place.em * eye.focal / distance * tilt.sqrt();
            if pixels >= VISIBLE {
                self.candidates.push(Candidate {
                    place: index as u32,
                    pixels,
                });
            }
            index += 1;
        }
    }

    /// Lays the name of one district; false when it does not fit the strip, the screen or what is already
    /// laid.
    fn set(
        &mut self,
        hierarchy: &Hierarchy,
        block: &Block,
        place: Place,
        pixels: f32,
        eye: &Eye,
    ) -> bool {
        if self.shown == self.labels.len() {
            self.labels.push(FlatLabel {
                text: String::new(),
                module: block.module,
                origin: Vec3::ZERO,
                right: Vec3::X,
                up: Vec3::Y,
                em: 0.0,
                opacity: 0.0,
                is_inverted: false,
            });
        }
        let name = hierarchy.name(block.module);
        let room = block.max.x - block.min.x - 2.0 * place.margin;
        let needed = text::width(name).max(0.1);
        let em = place.em.min((room / needed).max(place.em * SMALLEST));
        let pixels = pixels * em / place.em;
        let label = &mut self.labels[self.shown];
        if pixels < VISIBLE || !text::shorten(name, room / em, &mut label.text) {
            return false;
        }
        let width = text::width(&label.text) * em;

        // The baseline runs through the strip; where the picture cuts it, the name slides along it.
        let sign = if self.turned { -1.0 } else { 1.0 };
        let right = Vec3::X * sign;
        let up = Vec3::Y * sign;
        let strip = place.em / EM;
        let low = strip * BASELINE;
        // Turned, the letters stand on the line that their tops would reach.
        let y = block.min.y + if self.turned { strip - low } else { low };
        let x = if self.turned {
            block.max.x - place.margin
        } else {
            block.min.x + place.margin
        };
        let start = Vec3::new(x, y, block.max.z);
        let Some((from, to)) = eye.visible(start, right, room) else {
            return false;
        };
        let slack = to - from - width;
        let origin = start + right * from.min(room - width).max(0.0);
        let quad = [
            origin - up * em * 0.22,
            origin + right * width - up * em * 0.22,
            origin + right * width + up * em * 0.76,
            origin + up * em * 0.76,
        ];
        let [Some(a), Some(b), Some(c), Some(d)] = quad.map(|corner| eye.project(corner)) else {
            return false;
        };
        let quad = [a, b, c, d];
        if slack < 0.0 || self.quads.iter().any(|other| overlap(&quad, other)) {
            return false;
        }
        self.quads.push(quad);
        label.module = block.module;
        (label.origin, label.right, label.up, label.em) = (origin, right, up, em);
        let is_cut = from > 0.0 || to < room;
        let space = if is_cut {
            ease(0.0, em * 1.5, slack)
        } else {
            1.0
        };
        label.opacity = ease(VISIBLE, LEGIBLE, pixels) * space;
        self.shown += 1;
        true
    }
}

impl Eye {
    /// The part of the line from `start` along `direction`, `length` long, that lies on the picture: from
    /// and to, as lengths. None when nothing does.
    fn visible(&self, start: Vec3, direction: Vec3, length: f32) -> Option<(f32, f32)> {
        let (mut from, mut to) = (0.0f32, length);
        for plane in self.side_planes() {
            let at_start = plane.dot(start.extend(1.0));
            let slope = plane.dot(direction.extend(0.0));
            if slope.abs() < 1e-12 {
                if at_start <= 0.0 {
                    return None;
                }
            } else if slope > 0.0 {
                from = from.max(-at_start / slope);
            } else {
                to = to.min(-at_start / slope);
            }
        }
        (from < to).then_some((from, to))
    }
}

/// Whether two convex quadrilaterals overlap: no side of either separates them.
fn overlap(a: &[Vec2; 4], b: &[Vec2; 4]) -> bool {
    let separated = |of: &[Vec2; 4]| {
        (0..4).any(|side| {
            let normal = (of[(side + 1) % 4] - of[side]).perp();
            let range = |quad: &[Vec2; 4]| {
                let along = quad.map(|corner| corner.dot(normal));
                let lowest = along.iter().copied().fold(f32::INFINITY, f32::min);
                (
                    lowest,
                    along.iter().copied().fold(f32::NEG_INFINITY, f32::max),
                )
            };
            let ((a_low, a_high), (b_low, b_high)) = (range(a), range(b));
            a_high <= b_low || b_high <= a_low
        })
    };
    !separated(a) && !separated(b)
}

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;
    use crate::facts::hierarchy::{HierarchyBuilder, Module, NodeId};
    use crate::filter::cut::Cut;
    use crate::layout::geometry::CITY_SIZE;
    use crate::layout::treemap::{Heights, Tiling, layout};

    fn square(x: f32, y: f32, turn: f32) -> [Vec2; 4] {
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
            .map(|(a, b)| Vec2::new(x, y) + Vec2::from_angle(turn).rotate(Vec2::new(a, b)))
    }

    #[test]
    fn quadrilaterals_overlap_unless_a_line_separates_them() {
        assert!(overlap(&square(0.0, 0.0, 0.0), &square(0.5, 0.5, 0.7)));
        assert!(!overlap(&square(0.0, 0.0, 0.0), &square(1.0, 0.0, 0.0)));
        // Their bounding boxes overlap, they do not.
        assert!(!overlap(&square(0.0, 0.0, 0.8), &square(0.75, 0.75, 0.8)));
        assert!(overlap(&square(0.0, 0.0, 0.0), &square(0.2, 0.2, 0.0)));
    }

    /// Nine districts of nine files with a function each.
    fn city() -> (Hierarchy, Vec<Block>) {
        let mut builder = HierarchyBuilder::new("city");
        for district in 0..9 {
            let name = format!("district_with_a_rather_long_name_{district}");
            let module = Module::named(ModuleKind::Directory, &name);
            let district = builder.add(NodeId::ROOT, module);
            for file in 0..9 {
                let name = format!("{file}.c");
                let file = builder.add(district, Module::named(ModuleKind::File, &name));
                builder.add(file, Module::named(ModuleKind::Function, "function"));
            }
        }
        let (hierarchy, _) = builder.build();
        let blocks = layout(
            &hierarchy,
            &Cut::all(),
            &[],
            &Heights::Even,
            Tiling::Squarified,
        );
        (hierarchy, blocks)
    }

    /// Straight from above, `width` world units across the picture, north at the top.
    fn above(middle: Vec2, width: f32) -> Eye {
        let size = Vec2::new(1400.0, 1000.0);
        let scale = 2.0 / width;
        let scale = Vec3::new(scale, scale * size.x / size.y, 1e-4);
        let position = middle.extend(1000.0);
        Eye {
            position,
            right: Vec3::X,
            clip_from_world: Mat4::from_scale(scale) * Mat4::from_translation(-middle.extend(0.0)),
            size,
            focal: size.x / width * 1000.0,
        }
    }

    fn names(labels: &FlatLabels) -> Vec<&str> {
        let shown = labels.labels().iter();
        shown.map(|label| label.text.as_str()).collect()
    }

    #[test]
    fn names_appear_as_they_become_large_enough_and_functions_stay_unnamed() {
        let (hierarchy, blocks) = city();
        let mut labels = FlatLabels::new(&hierarchy, &blocks);
        let middle = Vec2::new(500.0, 350.0);
        labels.update(&hierarchy, &blocks, &above(middle, 60_000.0), |_, _| true);
        assert!(names(&labels).is_empty());
        labels.update(
            &hierarchy,
            &blocks,
            &above(middle, 2.0 * CITY_SIZE),
            |_, _| true,
        );
        let far = names(&labels).len();
        labels.update(&hierarchy, &blocks, &above(middle, CITY_SIZE), |_, _| true);
        let near = names(&labels);
        assert!((1..near.len()).contains(&far), "{far} {near:?}");
        assert!(near.contains(&"city") && near.iter().any(|name| name.ends_with(".c")));
        assert!(near.iter().all(|&name| name != "function"));
        assert!(
            near.iter()
                .all(|name| !name.contains('…') || name.starts_with("district"))
        );
        labels.update(&hierarchy, &blocks, &above(middle, CITY_SIZE), |_, _| false);
        assert!(names(&labels).is_empty(), "all hidden");
    }

    #[test]
    fn a_name_slides_along_its_strip_into_the_picture() {
        let (hierarchy, blocks) = city();
        let mut labels = FlatLabels::new(&hierarchy, &blocks);
        // The west end of the root's strip lies outside.
        labels.update(
            &hierarchy,
            &blocks,
            &above(Vec2::new(700.0, 100.0), 600.0),
            |_, _| true,
        );
        let root = labels.labels().iter().find(|label| label.text == "city");
        let root = root.expect("the root's strip is in the picture");
        assert!((400.0..1000.0).contains(&root.origin.x), "{root:?}");
    }
}
