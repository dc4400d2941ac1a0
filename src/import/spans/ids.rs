//! Numbers for the ids of spans: each is asked for when its span is read, and again for every span that it started.

use std::collections::HashMap;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use callscape_facts::hashing::BuildFast;

/// The id of a span, whether or not there is a span of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanId(pub u32);

/// An id by its sixteen digits, where it has these, and its trace.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    trace: u32,
    number: Option<u64>,
}

/// The ids of spans, numbered in the order in which they are first seen.
#[derive(Default)]
pub(super) struct Ids {
    hash: BuildFast,
    /// By number. What is sought in is apart from it and small: a new id, as every other one is, has no need to
    /// look at others that are long out of the cache.
    keys: Vec<Key>,
    usual: HashTable<u32>,
    /// The last two that were asked for: siblings stand together, and have one parent.
    recent: [(Key, SpanId); 2],
    /// Those that are not sixteen hexadecimal digits.
    others: HashMap<(u32, Box<str>), SpanId, BuildFast>,
}

impl Ids {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The trace of an id.
    pub(super) fn trace(&self, id: SpanId) -> Option<u32> {
        self.keys.get(id.0 as usize).map(|key| key.trace)
    }

    fn next(&self) -> SpanId {
        SpanId(self.keys.len() as u32)
    }

    /// The id of a span of a trace by its text.
    pub(super) fn of_text(&mut self, trace: u32, text: &str) -> SpanId {
        let is_usual = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(text, 16).ok().filter(|_| is_usual);
        if let Some(number) = number {
            return self.of_number(trace, number);
        }
        let next = self.next();
        let id = *self.others.entry((trace, text.into())).or_insert(next);
        if id == next {
            self.keys.push(Key {
                trace,
                number: None,
            });
        }
        id
    }

    /// The same by the number that sixteen hexadecimal digits are.
    pub(super) fn of_number(&mut self, trace: u32, number: u64) -> SpanId {
        let key = Key {
            trace,
            number: Some(number),
        };
        if let Some(at) = self.recent.iter().position(|(known, _)| *known == key) {
            self.recent.swap(0, at);
            return self.recent[0].1;
        }
        let (next, keys) = (self.next(), &self.keys);
        let known = |id: &u32| keys.get(*id as usize) == Some(&key);
        let hashed = |id: &u32| {
            let key = keys.get(*id as usize);
            let key = key.map_or((0, 0), |key| (key.trace, key.number.unwrap_or(0)));
            self.hash.hash_one(key)
        };
        let hash = self.hash.hash_one((trace, number));
        let id = match self.usual.entry(hash, known, hashed) {
            Entry::Occupied(known) => SpanId(*known.get()),
            Entry::Vacant(place) => {
                place.insert(next.0);
                self.keys.push(key);
                next
            }
        };
        self.recent = [(key, id), self.recent[0]];
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_number_and_no_other_has_it() {
        for seed in 0..20u64 {
            let mut ids = Ids::default();
            let mut known: HashMap<(u32, String), SpanId> = HashMap::new();
            let mut state = seed;
            let mut below = |limit: u64| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                (state >> 33) % limit
            };
            for _ in 0..2_000 {
                let (trace, number) = (below(3) as u32, below(400));
                let text = match below(3) {
                    0 => format!("{number:x}"),
                    1 => format!("{number:015x}g"),
                    _ => format!("{number:016x}"),
                };
                let is_usual = text.len() == 16 && !text.ends_with('g');
                let id = match is_usual && below(2) == 0 {
                    true => ids.of_number(trace, number),
                    false => ids.of_text(trace, &text),
                };
                let new = SpanId(known.len() as u32);
                assert_eq!(
                    id,
                    *known.entry((trace, text)).or_insert(new),
                    "seed {seed}"
                );
            }
            assert_eq!(ids.len(), known.len());
        }
    }
}
