//! The contexts of a thread by what they are, with where each was counted last: one look at memory a call.

use std::hash::BuildHasher;

use super::super::entries::NONE;
use super::rows::Node;
use crate::hashing::BuildFast;

/// A context. Its number is `NONE` in a free place, and its row is until it has one.
#[derive(Clone, Copy)]
pub(super) struct Place {
    node: Node,
    pub context: u32,
    /// Its row in the last piece that it is in.
    pub row: u32,
}

const FREE: Place = Place {
    node: Node {
        parent: NONE,
        function: NONE,
    },
    context: NONE,
    row: NONE,
};

/// Places of a table that something has been put into.
const FEWEST: usize = 64;

/// Each context in the first free place behind the one that its hash gives, at most two thirds of the places taken.
#[derive(Default)]
pub(super) struct Table {
    /// A power of two, or none yet.
    places: Vec<Place>,
    taken: usize,
    hasher: BuildFast,
}

impl Table {
    /// The place of a context, which has this number if it is new. O(1), but for when the table doubles.
    #[inline]
    pub(super) fn get(&mut self, node: Node, new: u32) -> &mut Place {
        if (self.taken + 1) * 3 > self.places.len() * 2 {
            self.double();
        }
        let at = self.find(node);
        let place = &mut self.places[at];
        if place.context == NONE {
            self.taken += 1;
            *place = Place {
                node,
                context: new,
                row: NONE,
            };
        }
        place
    }

    /// Where a context is, or would be.
    #[inline]
    fn find(&self, node: Node) -> usize {
        let key = u64::from(node.parent) << 32 | u64::from(node.function);
        let mask = self.places.len() - 1;
        let mut at = self.hasher.hash_one(key) as usize & mask;
        while self.places[at].context != NONE && self.places[at].node != node {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline(never)]
    fn double(&mut self) {
        let more = (self.places.len() * 2).max(FEWEST);
        for place in std::mem::replace(&mut self.places, vec![FREE; more]) {
            if place.context != NONE {
                let at = self.find(place.node);
                self.places[at] = place;
            }
        }
    }

    /// All contexts, in no order.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Place> {
        let places = self.places.iter_mut();
        places.filter(|place| place.context != NONE)
    }
}
