//! Where nodes are kept: in pieces, so that none is moved when there are more. With all of a million in one piece, one more
//! could take longer than a frame.

use std::ops::{Index, IndexMut};

use super::names::Name;

/// Contexts that have merged. Siblings are a list in both directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) weight: u64,
    /// The shortest compacted name in it, which it is shown by.
    pub(super) name: Name,
    pub(super) parent: u32,
    pub(super) child: u32,
    pub(super) before: u32,
    pub(super) after: u32,
    /// The first of its highest contexts, the others behind it in no order.
    pub(super) head: u32,
    /// How many contexts are highest.
    pub(super) highest: u32,
    /// How many contexts have merged.
    pub(super) contexts: u32,
    /// The most elements that a name in it has.
    pub(super) deepest: u16,
    /// Some of its highest contexts are in other nodes by now, or soon.
    pub(super) is_split: bool,
}

/// Nodes of a piece: 2 to the power of this.
const BITS: u32 = 12;
const PIECE: usize = 1 << BITS;

#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    /// All but the last are full.
    pieces: Vec<Vec<Node>>,
}

impl Nodes {
    pub(super) fn len(&self) -> usize {
        let last = self.pieces.last().map_or(0, Vec::len);
        self.pieces.len().saturating_sub(1) * PIECE + last
    }

    pub(super) fn get(&self, node: u32) -> Option<&Node> {
        let piece = self.pieces.get((node >> BITS) as usize)?;
        piece.get(node as usize % PIECE)
    }

    pub(super) fn get_mut(&mut self, node: u32) -> Option<&mut Node> {
        let piece = self.pieces.get_mut((node >> BITS) as usize)?;
        piece.get_mut(node as usize % PIECE)
    }

    /// Adds a node; its number.
    pub(super) fn push(&mut self, node: Node) -> u32 {
        let number = self.len() as u32;
        match self.pieces.last_mut().filter(|it| it.len() < PIECE) {
            Some(piece) => piece.push(node),
            None => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(node);
                self.pieces.push(piece);
            }
        }
        number
    }
}

impl Index<u32> for Nodes {
    type Output = Node;

    fn index(&self, node: u32) -> &Node {
        &self.pieces[(node >> BITS) as usize][node as usize % PIECE]
    }
}

impl IndexMut<u32> for Nodes {
    fn index_mut(&mut self, node: u32) -> &mut Node {
        &mut self.pieces[(node >> BITS) as usize][node as usize % PIECE]
    }
}
