//! The names in a trace: found by the bytes between the quotes of a JSON string, without decoding or copying
//! them for each event.

use crate::json::unescape;
use callscape_base::units::FunctionId;
use callscape_facts::hashing::{BuildFast, same};

/// A name: two spellings of the same text, such as with an escape and without, have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name(u32);

impl Name {
    /// A number that the name can be made of again.
    pub(crate) fn index(self) -> u32 {
        self.0
    }

    /// The name of a number that [`Name::index`] gave.
    pub(crate) fn from_index(index: u32) -> Name {
        Name(index)
    }
}

/// All spellings so far. About 25 bytes for each besides its own.
///
/// Each event looks for a name, and in a large program there are more of them than the nearest cache holds: so
/// all that is known of one lies together, and a search touches two places in memory.
pub(crate) struct Spellings {
    /// Entries, each from a multiple of eight on: [`HEAD`] bytes, then the spelling. A [`Name`] is where its
    /// entry stands, in eights.
    entries: Vec<u8>,
    /// Open addressing: the upper half of a spelling's hash, and where its entry stands, in eights and from 1 on;
    /// zero where free.
    table: Vec<(u32, u32)>,
    count: usize,
    hash: BuildFast,
}

/// What stands before a spelling: a number of four bytes, its length in three, its kind in one.
const HEAD: usize = 8;

/// The longest spelling that is kept whole.
const LONGEST: usize = (1 << 24) - 1;

/// How bytes spell a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// As they stand. The number is the function of events that say no more than this name, or [`NONE`].
    Plain,
    /// With escapes, or with bytes that are no text. The number is the name.
    Encoded,
    /// The same, and something was replaced.
    Repaired,
    /// They are a text that was only spelled in another way so far, and is never found in JSON as it stands.
    /// The number is as of `Plain`.
    Decoded,
}

const NONE: u32 = u32::MAX;

/// An entry.
#[derive(Clone, Copy)]
struct Entry<'a> {
    number: u32,
    kind: Kind,
    spelling: &'a [u8],
}

impl Default for Spellings {
    fn default() -> Spellings {
        Spellings {
            entries: Vec::new(),
            table: vec![(0, 0); 1024],
            count: 0,
            hash: BuildFast::default(),
        }
    }
}

impl Spellings {
    #[inline]
    fn hash(&self, bytes: &[u8]) -> u64 {
        self.hash.of_bytes(bytes)
    }

    /// Has the memory of a name's place in the table brought near, for it is looked up soon; gives its hash.
    #[inline]
    pub(crate) fn expect(&self, content: &[u8]) -> u64 {
        let hash = self.hash(content);
        #[cfg(target_arch = "x86_64")]
        if let Some(slot) = self.table.get(hash as usize & (self.table.len() - 1)) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: SSE is a part of every x86-64, and the address is one of a slot.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(slot).cast()) };
        }
        hash
    }

    /// Looks many names up at once, each with its hash: the waits for memory, which are most of a search, fall
    /// together. None for those that [`Spellings::name`] has to look at.
    pub(crate) fn known<const MOST: usize>(
        &self,
        contents: &[(u64, &[u8])],
        names: &mut [Option<Name>; MOST],
    ) {
        let mask = self.table.len() - 1;
        let mut slots = [(0, 0); MOST];
        for (&(hash, _), slot) in contents.iter().zip(&mut slots) {
            let (tag, place) = self.table[hash as usize & mask];
            let same_tag = tag == (hash >> 32) as u32;
            // Zero where nothing is found at the first look.
            *slot = (if same_tag { place } else { 0 }, 0);
        }
        // The start of each entry, which brings its name near.
        for (place, head) in slots.iter_mut().take(contents.len()) {
            let start = (*place as usize).wrapping_sub(1).wrapping_mul(8);
            let bytes = self.entries.get(start..).and_then(<[u8]>::first_chunk);
            *head = bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
        }
        for ((&(_, content), &(place, head)), name) in contents.iter().zip(&slots).zip(names) {
            let (kind, length) = (head >> 56, (head >> 32) as usize & LONGEST);
            let found = place != 0
                && kind == Kind::Plain as u64
                && length == content.len()
                && same(self.entry(Name(place - 1)).spelling, content);
            *name = found.then(|| Name(place - 1));
        }
    }

    /// The entry of a name, or of another place that the table gives.
    #[inline]
    fn entry(&self, name: Name) -> Entry<'_> {
        let (head, rest) = self.entries[name.0 as usize * 8..].split_at(HEAD);
        let number = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let length = u32::from_le_bytes([head[4], head[5], head[6], 0]);
        Entry {
            number,
            kind: match head[7] {
                0 => Kind::Plain,
                1 => Kind::Encoded,
                2 => Kind::Repaired,
                _ => Kind::Decoded,
            },
            spelling: &rest[..length as usize],
        }
    }

    /// The name that the content of a JSON string stands for, and whether something in it had to be replaced
    /// to be text.
    #[inline]
    pub(crate) fn name(&mut self, content: &[u8]) -> (Name, bool) {
        let content = &content[..content.len().min(LONGEST)];
        let Some(name) = self.find(content, false) else {
            return self.add(content);
        };
        let entry = self.entry(name);
        match entry.kind {
            Kind::Plain | Kind::Decoded => (name, false),
            Kind::Encoded => (Name(entry.number), false),
            Kind::Repaired => (Name(entry.number), true),
        }
    }

    /// Whether `content` spells `name` as it stands: an answer without a search.
    #[inline]
    pub(crate) fn is(&self, content: &[u8], name: Name) -> bool {
        let entry = self.entry(name);
        entry.kind == Kind::Plain && same(entry.spelling, content)
    }

    /// The place of these bytes. A text that is also a spelling is the same bytes twice.
    #[inline]
    fn find(&self, bytes: &[u8], decoded: bool) -> Option<Name> {
        let hash = self.hash(bytes);
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (tag, place) = self.table[at];
            if place == 0 {
                return None;
            }
            if tag == (hash >> 32) as u32 {
                let name = Name(place - 1);
                let entry = self.entry(name);
                if same(entry.spelling, bytes) && (entry.kind == Kind::Decoded) == decoded {
                    return Some(name);
                }
            }
            at = (at + 1) & mask;
        }
    }

    #[inline(never)]
    fn add(&mut self, content: &[u8]) -> (Name, bool) {
        let clean = !content.iter().any(|&byte| byte == b'\\' || byte < b' ');
        if clean && std::str::from_utf8(content).is_ok() {
            return (self.push(content, Kind::Plain, NONE), false);
        }
        let (text, repaired) = unescape(content);
        let text = text.as_bytes();
        let plain = !text
            .iter()
            .any(|&byte| matches!(byte, b'\\' | b'"') || byte < b' ');
        // Where the text stands for itself, it may be found by that spelling, before or later.
        let name = match self.find(text, !plain) {
            Some(name) => name,
            None if plain => self.push(text, Kind::Plain, NONE),
            None => self.push(text, Kind::Decoded, NONE),
        };
        let kind = if repaired {
            Kind::Repaired
        } else {
            Kind::Encoded
        };
        self.push(content, kind, name.0);
        (name, repaired)
    }

    fn push(&mut self, spelling: &[u8], kind: Kind, number: u32) -> Name {
        self.entries
            .resize(self.entries.len().next_multiple_of(8), 0);
        let Ok(place) = u32::try_from(self.entries.len() / 8) else {
            // 32 GiB of different names: those past that are the last.
            return Name(self.table.iter().map(|slot| slot.1).max().unwrap_or(1) - 1);
        };
        // Replaced bytes may make a text longer than its spelling.
        let length = spelling.len().min(LONGEST);
        let head = u64::from(number) | (length as u64) << 32 | (kind as u64) << 56;
        self.entries.extend_from_slice(&head.to_le_bytes());
        self.entries.extend_from_slice(&spelling[..length]);
        self.count += 1;
        // Half full, most are found where they are looked for first.
        if self.count * 2 > self.table.len() {
            let old = std::mem::take(&mut self.table);
            self.table = vec![(0, 0); old.len() * 2];
            for (_, place) in old.into_iter().filter(|&(_, place)| place != 0) {
                self.place(Name(place - 1));
            }
        }
        self.place(Name(place));
        Name(place)
    }

    fn place(&mut self, name: Name) {
        let hash = self.hash(self.entry(name).spelling);
        let mask = self.table.len() - 1;
        let mut at = hash as usize & mask;
        while self.table[at].1 != 0 {
            at = (at + 1) & mask;
        }
        self.table[at] = ((hash >> 32) as u32, name.0 + 1);
    }

    /// The text of a name.
    pub(crate) fn text(&self, name: Name) -> &str {
        // Names are spellings that were found to be text, or made of it; one that was cut may end in half a
        // character.
        let spelling = self.entry(name).spelling;
        match std::str::from_utf8(spelling) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&spelling[..error.valid_up_to()]).unwrap_or_default(),
        }
    }

    /// The function of events that say no more than this name, where it is known.
    #[inline]
    pub(crate) fn function(&self, name: Name) -> Option<FunctionId> {
        let function = self.entry(name).number;
        (function != NONE).then_some(FunctionId(function))
    }

    /// Keeps what [`Spellings::function`] gives from now on.
    pub(crate) fn set_function(&mut self, name: Name, function: FunctionId) {
        let start = name.0 as usize * 8;
        self.entries[start..start + 4].copy_from_slice(&function.0.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_text_are_one_name() {
        let mut spellings = Spellings::default();
        let mut name = |content: &str| {
            let (name, repaired) = spellings.name(content.as_bytes());
            (name, repaired, spellings.text(name).to_owned())
        };
        let (plain, _, _) = name("a");
        for _ in 0..2 {
            assert_eq!(name("a"), (plain, false, "a".into()));
            assert_eq!(name("\\u0061"), (plain, false, "a".into()));
            let (quoted, repaired, text) = name("\\\"");
            assert_eq!((repaired, text.as_str()), (false, "\""));
            assert_eq!(name("\\u0022").0, quoted);
            // A text that as a spelling would be another.
            let (text, _, shown) = name("\\\\b");
            let (backspace, _, other) = name("\\b");
            assert_eq!((shown.as_str(), other.as_str()), ("\\b", "\u{8}"));
            assert_ne!(text, backspace);
            let (broken, repaired, shown) = name("x\\ud800y");
            assert_eq!((repaired, shown.as_str()), (true, "x\u{fffd}y"));
            assert_eq!(name("x\u{fffd}y"), (broken, false, "x\u{fffd}y".into()));
            let (tab, repaired, shown) = name("x\ty");
            assert_eq!((repaired, shown.as_str()), (true, "x\ty"));
            assert_eq!(name("x\\ty"), (tab, false, "x\ty".into()));
            assert_eq!(name("").2, "");
        }
    }

    #[test]
    fn many_names_stay_apart() {
        let mut spellings = Spellings::default();
        let all: Vec<Name> = (0..5000)
            .map(|number| spellings.name(format!("name {number}").as_bytes()).0)
            .collect();
        for (number, &name) in all.iter().enumerate() {
            let text = format!("name {number}");
            assert_eq!(spellings.name(text.as_bytes()), (name, false));
            assert!(spellings.is(text.as_bytes(), name));
            assert!(!spellings.is(b"name", name));
            assert_eq!(spellings.text(name), text);
        }
    }
}
