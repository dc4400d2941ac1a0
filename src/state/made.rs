//! What is made of a document's ids, tied to that document. Ids of modules, functions, calls and contexts are numbers:
//! those of one document mean something else, or nothing, in the next.
//!
//! What outlives a frame and holds such ids is kept in the document itself, is a view, which whoever holds it makes anew
//! with each document, or is a [`Made`].

use std::sync::atomic::{AtomicU64, Ordering};

/// Which document ids are of: each that is made has a number of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Generation(u64);

impl Generation {
    /// That of a document which is being made.
    pub fn next() -> Generation {
        static MADE: AtomicU64 = AtomicU64::new(0);
        Generation(MADE.fetch_add(1, Ordering::Relaxed))
    }
}

/// A value made of the ids of one document, out of reach once another is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made<T> {
    of: Generation,
    value: T,
}

impl<T> Made<T> {
    pub fn new(of: Generation, value: T) -> Made<T> {
        Made { of, value }
    }

    /// The value, for the document that it was made of.
    pub fn get(&self, shown: Generation) -> Option<&T> {
        (self.of == shown).then_some(&self.value)
    }

    pub fn get_mut(&mut self, shown: Generation) -> Option<&mut T> {
        (self.of == shown).then_some(&mut self.value)
    }

    /// The value, for whoever reads no ids of it: how far work is.
    pub fn any(&self) -> &T {
        &self.value
    }

    pub fn into(self, shown: Generation) -> Option<T> {
        (self.of == shown).then_some(self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_out_of_reach_for_any_other_document() {
        let (first, second) = (Generation::next(), Generation::next());
        let mut made = Made::new(first, 7);
        assert_eq!(made.get(first), Some(&7));
        assert_eq!(made.get_mut(first), Some(&mut 7));
        assert_eq!(made.get(second), None);
        assert_eq!(made.get_mut(second), None);
        assert_eq!((made.into(second), made.into(first)), (None, Some(7)));
    }
}
