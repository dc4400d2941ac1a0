//! Sets of functions, each kept once.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// A set among those of the same [`FunctionSets`]: equal sets have equal ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetId(u32);

impl SetId {
    pub(super) const fn of(index: u32) -> SetId {
        SetId(index)
    }

    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Sets of functions. The first is empty.
#[derive(Clone, Debug)]
pub struct FunctionSets {
    /// All sets one after the other, each in order, and where each ends.
    functions: Vec<u32>,
    ends: Vec<u32>,
    /// By hash the last set with it, and by set the one before with the same hash.
    last: HashMap<u64, u32>,
    before: Vec<u32>,
    hasher: RandomState,
}

const NONE: u32 = u32::MAX;

impl Default for FunctionSets {
    fn default() -> FunctionSets {
        let mut sets = FunctionSets {
            functions: Vec::new(),
            ends: Vec::new(),
            last: HashMap::new(),
            before: Vec::new(),
            hasher: RandomState::new(),
        };
        sets.intern(&[]);
        sets
    }
}

impl FunctionSets {
    /// The id of a set, whose functions are in order and stand once.
    pub fn intern(&mut self, set: &[u32]) -> SetId {
        let hash = self.hasher.hash_one(set);
        let first = self.last.get(&hash).copied().unwrap_or(NONE);
        let mut next = first;
        while let Some(&before) = self.before.get(next as usize) {
            if self.get(SetId(next)) == set {
                return SetId(next);
            }
            next = before;
        }
        let id = self.ends.len() as u32;
        self.functions.extend_from_slice(set);
        self.ends.push(self.functions.len() as u32);
        self.before.push(first);
        self.last.insert(hash, id);
        SetId(id)
    }

    /// The functions of a set, in order.
    pub fn get(&self, id: SetId) -> &[u32] {
        let end = |index: usize| self.ends.get(index).copied().unwrap_or(0) as usize;
        let start = id.index().checked_sub(1).map_or(0, end);
        self.functions.get(start..end(id.index())).unwrap_or(&[])
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = SetId> + use<> {
        (0..self.ends.len() as u32).map(SetId)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never: the empty set is one.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.functions)
            + self.ends.len() * 2 * size_of::<u32>()
            + self.last.len() * 16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_equal_ids() {
        let mut sets = FunctionSets::default();
        assert!(sets.get(SetId::default()).is_empty());
        let ids: Vec<SetId> = (0..100u32)
            .map(|i| sets.intern(&[i % 10, 10 + i % 3]))
            .collect();
        for (i, &id) in ids.iter().enumerate() {
            let i = i as u32;
            assert_eq!(sets.get(id), [i % 10, 10 + i % 3]);
            assert_eq!(id, ids[i as usize % 30]);
        }
        assert_eq!(sets.len(), 31);
    }
}
