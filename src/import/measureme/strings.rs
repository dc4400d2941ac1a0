//! The texts of a profile: components one behind the other, which are texts or refer to others.

use std::collections::HashMap;

use callscape_facts::hashing::BuildFast;

/// Up to here, ids of texts are looked up in the index; the last of them is that of the metadata.
pub(super) const METADATA: u64 = 100_000_001;

/// What the ids of other texts have in addition to their place.
const FIRST_REGULAR: u64 = METADATA + 2;

/// What ends a text, and what begins a reference; neither is in UTF-8.
const TERMINATOR: u8 = 0xff;
const REFERENCE: u8 = 0xfe;

/// A text of references to texts of references may be longer than all files: it ends after so many components or bytes.
const MOST_COMPONENTS: usize = 4096;
const LONGEST: usize = 64 << 10;

#[derive(Default)]
pub(super) struct Strings {
    /// With the header of the stream, which places count.
    pub data: Vec<u8>,
    /// By id, the place of a text.
    pub index: HashMap<u64, u64, BuildFast>,
    /// The bytes of an id.
    pub width: usize,
}

impl Strings {
    fn place(&self, id: u64) -> Option<usize> {
        let place = match id {
            ..=METADATA => *self.index.get(&id)?,
            _ => id.checked_sub(FIRST_REGULAR)?,
        };
        let place = usize::try_from(place).ok()?;
        (place < self.data.len()).then_some(place)
    }

    /// The text of this id, and whether all of it could be read.
    pub(super) fn text(&self, id: u64) -> (String, bool) {
        let mut text = Vec::new();
        let Some(place) = self.place(id) else {
            return (String::new(), false);
        };
        // Where to go on, the innermost last.
        let mut open = vec![place];
        let mut is_whole = true;
        for _ in 0..MOST_COMPONENTS {
            let Some(at) = open.pop() else {
                return (String::from_utf8_lossy(&text).into_owned(), is_whole);
            };
            let rest = self.data.get(at..).unwrap_or_default();
            match rest.split_first() {
                Some((&TERMINATOR, _)) => {}
                Some((&REFERENCE, behind)) => {
                    let Some(id) = number(behind, self.width) else {
                        is_whole = false;
                        continue;
                    };
                    open.push(at + 1 + self.width);
                    match self.place(id) {
                        Some(place) => open.push(place),
                        None => is_whole = false,
                    }
                }
                Some(_) => match memchr::memchr2(TERMINATOR, REFERENCE, rest) {
                    Some(length) => {
                        text.extend(&rest[..length]);
                        open.push(at + length);
                    }
                    None => is_whole = false,
                },
                None => is_whole = false,
            }
            if text.len() > LONGEST {
                break;
            }
        }
        text.truncate(LONGEST);
        (String::from_utf8_lossy(&text).into_owned(), false)
    }
}

/// A number of so many bytes, the lowest first.
pub(super) fn number(bytes: &[u8], width: usize) -> Option<u64> {
    let mut whole = [0; 8];
    whole.get_mut(..width)?.copy_from_slice(bytes.get(..width)?);
    Some(u64::from_le_bytes(whole))
}
