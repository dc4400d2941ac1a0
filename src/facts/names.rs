//! Interned names: one copy of each string, a small integer in every table.

use std::collections::HashMap;

/// A name in one [`Names`] table; the empty name is always [`NameId::EMPTY`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

impl NameId {
    pub const EMPTY: NameId = NameId(0);
}

/// Strings in order of their first appearance.
#[derive(Clone, Debug)]
pub struct Names {
    names: Vec<Box<str>>,
    ids: HashMap<Box<str>, NameId>,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            names: vec!["".into()],
            ids: HashMap::from([("".into(), NameId::EMPTY)]),
        }
    }
}

impl Names {
    pub fn intern(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.push(name.into());
        self.ids.insert(name.into(), id);
        id
    }

    pub fn get(&self, id: NameId) -> &str {
        &self.names[id.0 as usize]
    }

    pub fn find(&self, name: &str) -> Option<NameId> {
        self.ids.get(name).copied()
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True while only the empty name is known.
    pub fn is_empty(&self) -> bool {
        self.names.len() == 1
    }
}
