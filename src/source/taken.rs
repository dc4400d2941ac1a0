//! Which names a text uses as values: what may be called through a pointer to a function.
//!
//! Told by the words alone, so that macros count, which no syntax tree has: a name that no `(` follows, outside of comments
//! and strings. Declarations and calls have one, also where the name stands in parentheses.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use super::{count, walk};
use crate::relations::Family;
use callscape_base::progress::Progress;

/// Names that are used as values.
pub type Taken = HashSet<Box<str>>;

/// Of larger trees only the folder of a file is read.
const MOST: u64 = 16 << 20;

/// The names that the texts in C and C++ of the tree at `root` use as values; only those of the folder of `path` where the
/// tree is large. O(their size).
pub(crate) fn of_tree(root: &Path, path: &Path, progress: &Progress) -> Option<Taken> {
    let is_c = |path: &Path| {
        let family = count::language(path).ok().and_then(Family::of);
        family == Some(Family::C)
    };
    let (files, _) = walk::files(root, progress).ok()?;
    let sized = files.iter().filter(|path| is_c(path)).map(|path| {
        let path = root.join(path);
        let bytes = path.metadata().map_or(0, |it| it.len());
        (path, bytes)
    });
    let mut files: Vec<_> = sized.collect();
    if files.iter().map(|it| it.1).sum::<u64>() > MOST {
        files.retain(|(it, bytes)| it.parent() == path.parent() && *bytes <= MOST);
    }
    let mut taken = Taken::new();
    for (path, _) in files {
        progress.check().ok()?;
        // One that has gone meanwhile says nothing.
        add(&fs::read(path).unwrap_or_default(), &mut taken);
    }
    Some(taken)
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Adds the names that a text uses as values. O(n).
fn add(text: &[u8], taken: &mut Taken) {
    let at = |place: usize| text.get(place).copied().unwrap_or(0);
    let find = |from: usize, what: &[u8]| {
        let found = memchr::memmem::find(text.get(from..).unwrap_or_default(), what);
        found.map_or(text.len(), |it| from + it + what.len())
    };
    let (mut place, mut before) = (0, 0);
    while place < text.len() {
        match (at(place), at(place + 1)) {
            (b'/', b'*') => place = find(place + 2, b"*/"),
            (b'/', b'/') => place = find(place, b"\n"),
            (b'\'', b'\\') => place += 4,
            (b'\'', _) if at(place + 2) == b'\'' => place += 3,
            (b'"', _) => {
                place += 1;
                while place < text.len() && at(place) != b'"' && at(place) != b'\n' {
                    place += if at(place) == b'\\' { 2 } else { 1 };
                }
                place += 1;
            }
            (byte, _) if is_word(byte) => {
                let start = place;
                while is_word(at(place)) {
                    place += 1;
                }
                let next = |from: usize| (from..).find(|&it| !at(it).is_ascii_whitespace());
                let mut follows = next(place).unwrap_or(place);
                if before == b'(' && at(follows) == b')' {
                    follows = next(follows + 1).unwrap_or(follows);
                }
                if at(follows) != b'('
                    && !byte.is_ascii_digit()
                    && let Ok(name) = std::str::from_utf8(&text[start..place])
                    && !taken.contains(name)
                {
                    taken.insert(name.into());
                }
                before = byte;
                continue;
            }
            (byte, _) => {
                if !byte.is_ascii_whitespace() {
                    before = byte;
                }
                place += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_where_nothing_calls_them() {
        let text = b"#define next(L) (L->next ? L->next : extend(L))\n\
            /* raise is not it */ // nor print\n\
            static int (parenthesized) (void); int declared (void);\n\
            const char *s = \"quoted \\\" too\"; char c = '\"';\n\
            static const Reg functions[] = {{\"assert\", checked}, {\"x\", &pointed}};\n\
            void f() { call(given, 0x1f); (called)(1); run = chosen; }";
        let mut taken = Taken::new();
        add(text, &mut taken);
        for name in ["checked", "pointed", "given", "chosen"] {
            assert!(taken.contains(name), "{name}");
        }
        for name in [
            "extend",
            "raise",
            "print",
            "parenthesized",
            "declared",
            "quoted",
            "too",
            "call",
            "called",
            "f",
            "0x1f",
        ] {
            assert!(!taken.contains(name), "{name}");
        }
    }
}
