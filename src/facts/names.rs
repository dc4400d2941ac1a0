//! Interned names: one copy of each string, a small integer in every table.

use super::hashing::BuildFast;
use super::lookup::Lookup;

/// A name in one [`Names`] table; the empty name is always [`NameId::EMPTY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

impl NameId {
    pub const EMPTY: NameId = NameId(0);
}

/// Strings in order of their first appearance. Besides its text each takes about 26 bytes.
#[derive(Clone, Debug)]
pub struct Names {
    /// All of them, one after the other.
    text: String,
    /// Where each begins, and where the last one ends.
    starts: Vec<usize>,
    /// All but the empty one.
    ids: Lookup,
    hash: BuildFast,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            text: String::new(),
            starts: vec![0, 0],
            ids: Lookup::default(),
            hash: BuildFast::default(),
        }
    }
}

impl Names {
    pub fn intern(&mut self, name: &str) -> NameId {
        let hash = self.hash(name);
        if let Some(id) = self.known(name, hash) {
            return id;
        }
        let id = self.len() as u32;
        self.text.push_str(name);
        self.starts.push(self.text.len());
        self.ids.insert(hash, id);
        NameId(id)
    }

    pub fn get(&self, id: NameId) -> &str {
        let at = id.0 as usize;
        &self.text[self.starts[at]..self.starts[at + 1]]
    }

    pub fn find(&self, name: &str) -> Option<NameId> {
        self.known(name, self.hash(name))
    }

    fn hash(&self, name: &str) -> u32 {
        self.hash.of_bytes(name.as_bytes()) as u32
    }

    fn known(&self, name: &str, hash: u32) -> Option<NameId> {
        if name.is_empty() {
            return Some(NameId::EMPTY);
        }
        let is_it = |id| self.get(NameId(id)) == name;
        self.ids.find(hash, is_it).map(NameId)
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// True while only the empty name is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }
}
