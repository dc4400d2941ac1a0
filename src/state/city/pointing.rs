//! What the pointer meets, and the arcs that stand out for it.

use std::ops::Range;

use glam::{Vec2, Vec3};

use super::blocks::block_of_module;
use super::{City, eye};
use callscape_base::units::{ModuleId, ThreadId};
use callscape_filter::selection::Selection;
use callscape_layout::bundles::Ground;
use callscape_layout::emphasis::Focus;
use callscape_layout::geometry::Arcs;
use callscape_layout::pick::Hit;
use callscape_layout::pick_arc;
use callscape_look::camera::Camera;

/// An arc under the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickedArc {
    /// Its place among all that are drawn.
    pub arc: usize,
    pub from: ModuleId,
    pub to: ModuleId,
    /// Of a hop of a hyperarc.
    pub thread: Option<ThreadId>,
    pub point: Vec3,
    /// Pixels from its edge; 0 on it.
    pub distance: f32,
}

/// The pointer is on an arc when it is no further away than this, in pixels.
const ARC_REACH: f32 = 5.0;

/// A module fills a picture when it is met in the middle, and at this share of the way to each corner.
const FILLED: f32 = 0.7;

/// An arc that is pointed at or chosen is this many times as wide.
const MARKED_WIDTH: f32 = 1.7;

/// A block whose shorter side takes less than this share of the picture's, in the middle of it, has no arcs of its own.
const LEAST_WITH_ARCS: f32 = 0.045;

/// One comes near, or goes away, by this factor before arcs are parted or joined: then by as much at once.
const ARCS_PART_AT: f32 = 2.0;

/// What fills a picture of this size before a camera.
#[derive(Clone, Debug)]
pub(super) struct Filling {
    camera: Camera,
    size: Vec2,
    module: Option<ModuleId>,
}

impl City {
    /// Takes what is pointed at and chosen: the arcs of the one are shown alone, those of the other stand out.
    pub fn point(&mut self, selection: &Selection) {
        let displayed = |of: Option<ModuleId>| of.and_then(|module| self.displayed(module));
        let focused = [selection.pointed.module, selection.chosen.module].map(displayed);
        let [hovered, chosen] = self.focused;
        if focused == self.focused {
            return;
        }
        if focused[0] != hovered {
            if self.focus.share >= 0.5 {
                self.focus.before = std::mem::take(&mut self.focus.hovered);
            }
            self.focus.share = 0.0;
        }
        self.focused = focused;
        // What is chosen has arcs of its own.
        let is_of_chosen = focused[1] != chosen;
        if is_of_chosen || self.relations.left_out() > 0 {
            self.has_moved = true;
            return;
        }
        self.find_focus();
    }

    /// The blocks of a displayed module.
    pub(super) fn blocks_of(&self, module: Option<ModuleId>) -> Range<u32> {
        let block = module.and_then(|module| block_of_module(module, &self.block_of));
        block.map_or(0..0, |block| block..self.blocks[block as usize].subtree_end)
    }

    /// The blocks whose arcs stand out: of what is pointed at those that its arcs end at, and of what is chosen.
    pub(super) fn arc_blocks(&self) -> [Range<u32>; 2] {
        let [hovered, chosen] = self.focused.map(|module| self.blocks_of(module));
        let end = self.ends.end(hovered.start);
        let is_own = hovered.is_empty() || end == hovered.start || chosen.contains(&hovered.start);
        let hovered = if is_own { hovered } else { end..end + 1 };
        [hovered, chosen]
    }

    /// Finds out how clear the arcs are that stand out, after they or what is meant have changed.
    pub(super) fn find_focus(&mut self) {
        self.counts.outdate();
        self.named.is_old = true;
        let ground = Ground {
            blocks: &self.blocks,
            parents: &self.parents,
        };
        let [hovered, chosen] = self.arc_blocks();
        self.focus.hovered = self.relations.emphasize(ground, hovered);
        self.focus.chosen = self.relations.emphasize(ground, chosen);
    }

    /// Notes how large blocks are on a picture of this size: where arcs between them would be told apart no longer,
    /// or are again, the moment has to be shown anew.
    pub fn part_arcs(&mut self, camera: &Camera, size: Vec2) {
        let focal = eye(camera, size).focal / size.min_element().max(1.0);
        let least = LEAST_WITH_ARCS * camera.eye.distance(camera.target) / focal;
        let before = self.ends.least;
        let (low, high) = (before / ARCS_PART_AT, before * ARCS_PART_AT);
        let is_near_before = before > 0.0 && (low..=high).contains(&least);
        let least = if is_near_before { before } else { least };
        if least.is_finite() && self.ends.find(least, &self.blocks, &self.parents) {
            self.has_moved = true;
        }
    }

    /// Which arcs stand out, and which step back.
    pub fn arc_focus(&self) -> &Focus {
        &self.focus
    }

    /// What is pointed at is so at once: pictures do not ease.
    pub fn settle(&mut self) {
        self.fading = None;
        self.focus.share = 1.0;
    }

    /// The arc that is seen at a pixel of a picture of `size` and `scale`, or else near it: the modules at its ends, the thread
    /// of a hop of a hyperarc, and the place on it. What `block` hides, the place of a block that was met there, is
    /// not found, nor what is too faint. O(arcs).
    pub fn pick_arc(
        &self,
        camera: &Camera,
        at: Vec2,
        (size, scale): (Vec2, f32),
        block: Option<Vec3>,
    ) -> Option<PickedArc> {
        let pick = pick_arc::Pick {
            eye: &eye(camera, size),
            at,
            reach: ARC_REACH * scale,
            scale,
            block,
            focus: &self.focus,
            looks: &self.looks,
        };
        let hit = pick_arc::pick(self.relations.arcs(), &pick)?;
        let (ends, thread) = self.relations.ends(hit.arc)?;
        let [from, to] = ends.map(|block| self.blocks.get(block as usize).map(|it| it.module));
        Some(PickedArc {
            arc: hit.arc,
            from: from?,
            to: to?,
            thread,
            point: hit.point,
            distance: hit.distance,
        })
    }

    /// The arcs with those of the call relations pointed at and chosen standing out. O(arcs), and no work where
    /// none is.
    pub fn marked_arcs(&mut self, selection: &Selection) -> &Arcs {
        let arcs = &mut self.relations.arcs_mut().arcs;
        for (index, arc) in self.marked.drain(..) {
            if let Some(place) = arcs.get_mut(index) {
                *place = arc;
            }
        }
        // A relation between districts is that of all in them, one between functions that of what stands for these.
        let span = |module: ModuleId| {
            let block = *self.block_of.get(module.index())?;
            Some(block..self.blocks.get(block as usize)?.subtree_end)
        };
        let meant = [&selection.pointed, &selection.chosen].map(|of| {
            let ends = of
                .relation
                .and_then(|(from, to)| Some([span(from)?, span(to)?]));
            (ends, of.thread)
        });
        if meant.iter().all(|(ends, _)| ends.is_none()) {
            return self.relations.arcs();
        }
        for index in 0..self.relations.arcs().arcs.len() {
            let Some((ends, thread)) = self.relations.ends(index) else {
                continue;
            };
            let is_meant = |(spans, of): &(Option<[Range<u32>; 2]>, Option<ThreadId>)| {
                let spans = spans.as_ref();
                let is_in =
                    spans.is_some_and(|it| it[0].contains(&ends[0]) && it[1].contains(&ends[1]));
                is_in && (thread.is_none() || *of == thread)
            };
            if meant.iter().any(is_meant) {
                let arc = &mut self.relations.arcs_mut().arcs[index];
                self.marked.push((index, *arc));
                arc.width *= MARKED_WIDTH;
                arc.outlined = true;
                arc.opacity = 1.0;
            }
        }
        self.relations.arcs()
    }

    /// The module that a ray meets first, and where.
    pub fn pick(&self, origin: Vec3, direction: Vec3) -> Option<(ModuleId, Vec3)> {
        let Hit { block, point } =
            self.picker
                .pick(&self.blocks, &self.looks, origin, direction)?;
        Some((self.blocks[block as usize].module, point))
    }

    /// Finds the deepest displayed module that fills a picture of this size: whatever one looks at lies in it, but for the
    /// rim. None where that is the whole city, or more. No work where camera and size are the same.
    pub fn find_filling(&mut self, camera: &Camera, size: Vec2) {
        let is_known = |known: &Filling| (known.camera, known.size) == (*camera, size);
        if !self.filling.as_ref().is_some_and(is_known) {
            self.filling = Some(Filling {
                camera: *camera,
                size,
                module: self.module_filling(camera, size),
            });
        }
    }

    /// What was found last to fill the picture, of the blocks that are there.
    pub fn filling(&self) -> Option<ModuleId> {
        self.filling.as_ref()?.module
    }

    fn module_filling(&self, camera: &Camera, size: Vec2) -> Option<ModuleId> {
        let met = |by: Vec2| {
            let at = size * (0.5 + 0.5 * FILLED * by);
            let ray = camera.ray(at, size);
            let (blocks, looks) = (&self.blocks, &self.looks);
            let hit = self.picker.pick(blocks, looks, camera.eye, ray)?;
            Some(hit.block)
        };
        let mut filling = met(Vec2::ZERO)?;
        for corner in [
            Vec2::ONE,
            -Vec2::ONE,
            Vec2::new(1.0, -1.0),
            Vec2::new(-1.0, 1.0),
        ] {
            let other = met(corner)?;
            while !(filling..self.blocks[filling as usize].subtree_end).contains(&other) {
                filling = self.parents[filling as usize];
            }
        }
        (filling > 0).then(|| self.blocks[filling as usize].module)
    }
}
