//! Finds the numbers of things by the hashes of what they are, where the things themselves lie elsewhere.

/// Numbers by hash: each in the first free place behind the one that its hash gives, at most two thirds of the places
/// taken; twelve to 24 bytes each. Hashes are to be seeded anew in each run, so that no input can be made to collide.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    /// A power of two, or none yet.
    places: Vec<Place>,
    taken: usize,
}

/// A place of the table: comparing hashes first spares looks at other things.
#[derive(Clone, Copy, Debug)]
struct Place {
    hash: u32,
    /// One more than the number; 0 of a free place.
    number: u32,
}

const FREE: Place = Place { hash: 0, number: 0 };

/// Places of a table that something has been put into.
const FEWEST: usize = 16;

impl Lookup {
    /// The number of the thing with this hash that `is_it` says it is. O(1).
    #[inline]
    pub fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.places.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let place = self.places[at];
            let number = place.number.checked_sub(1)?;
            if place.hash == hash && is_it(number) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Takes a thing that is not in it; its number is less than `u32::MAX`. O(1), but for when the table doubles.
    #[inline]
    pub fn insert(&mut self, hash: u32, number: u32) {
        if (self.taken + 1) * 3 > self.places.len() * 2 {
            self.double();
        }
        self.taken += 1;
        let number = number + 1;
        self.put(Place { hash, number });
    }

    #[inline(never)]
    fn double(&mut self) {
        let more = (self.places.len() * 2).max(FEWEST);
        for place in std::mem::replace(&mut self.places, vec![FREE; more]) {
            if place.number != 0 {
                self.put(place);
            }
        }
    }

    #[inline]
    fn put(&mut self, place: Place) {
        let mask = self.places.len() - 1;
        let mut at = place.hash as usize & mask;
        while self.places[at].number != 0 {
            at = (at + 1) & mask;
        }
        self.places[at] = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_is_found_by_its_number_whatever_its_hash() {
        // Of one hash, of few, and of one each.
        for hashes in [1, 7, u32::MAX] {
            let hash = |thing: u32| thing.wrapping_mul(0x9e37_79b9) % hashes;
            let mut lookup = Lookup::default();
            for thing in 0..1000_u32 {
                let number = thing * 3;
                assert_eq!(lookup.find(hash(thing), |it| it == number), None);
                lookup.insert(hash(thing), number);
            }
            for thing in 0..1000 {
                let found = lookup.find(hash(thing), |it| it == thing * 3);
                assert_eq!(found, Some(thing * 3));
            }
            assert_eq!(lookup.find(hash(1000), |it| it == 3000), None);
        }
    }
}
