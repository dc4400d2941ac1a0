//! Where names of districts can lie: found once for a layout.

use crate::geometry::{Block, BlockKind};
use crate::treemap::{Rect, joined, label_strip};

/// The height of the em square as a share of the strip.
pub(super) const EM: f32 = 0.72;

/// Where a name can lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub block: u32,
    /// One past the last place in the subtree, as an index into the places.
    pub subtree_end: u32,
    /// The highest em square, and the highest top, in the subtree.
    pub subtree_em: f32,
    pub subtree_top: f32,
    /// In world units; 0 where the name stands on the only terrace that stands on this one.
    pub em: f32,
    pub margin: f32,
    /// So many terraces below it are named with it.
    pub joined: u32,
}

/// The places of all terraces, in their order. O(n).
pub(super) fn find(blocks: &[Block]) -> Vec<Place> {
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
        if block.kind != BlockKind::Terrace {
            continue;
        }
        let rect = Rect::of_block(block);
        let over = blocks.get(index + 1);
        let is_link = over.is_some_and(|over| {
            over.kind != BlockKind::Leaf && over.subtree_end == block.subtree_end
        });
        let joined = match is_link {
            true => 0,
            false => joined(blocks, index),
        };
        let level = usize::from(block.level).saturating_sub(joined) as u16;
        let strip = match is_link {
            true => 0.0,
            false => label_strip(rect, level) as f32,
        };
        open.push(places.len() as u32);
        places.push(Place {
            block: index as u32,
            subtree_end: 0,
            subtree_em: strip * EM,
            subtree_top: block.max.z,
            em: strip * EM,
            margin: strip * 0.45,
            joined: joined as u32,
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
    places
}
