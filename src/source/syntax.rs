//! What the stretches of a source text are, for their colours: a text is parsed once, then any part of it is coloured by
//! itself, so that only what is seen has to be.
//!
//! The colours come from the `highlights` queries that the grammars bring. Their names are many and differ from grammar to
//! grammar; what a reader tells apart at a glance are a few [`Class`]es.

use std::ops::Range;
use std::path::Path;

use tree_sitter::{QueryCursor, StreamingIterator, Tree};

use super::count::{self, LARGEST_SYNTAX};
pub use super::highlights::Class;
use super::highlights::Colors;
use super::languages::Language;
use super::reader::{Reader, Unparsed};
use super::scan::candidates;
use callscape_base::progress::{Cancelled, Progress};

/// A stretch of a text, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub bytes: Range<usize>,
    pub class: Class,
}

/// A text as its grammar has it.
pub struct Syntax {
    tree: Tree,
    colors: &'static Colors,
    bytes: usize,
}

impl Syntax {
    /// Parses `text`, of the file at `path`; none where no grammar reads it, or it is too large to be read. Takes a second
    /// for 8 MB, and longer with the first text of a language.
    pub fn read(
        path: &Path,
        text: &[u8],
        progress: &Progress,
    ) -> Result<Option<Syntax>, Cancelled> {
        progress.check()?;
        let language = count::language(path).ok();
        let Some(language) = language.filter(|_| text.len() as u64 <= LARGEST_SYNTAX) else {
            return Ok(None);
        };
        let languages = candidates(language, text);
        let read = Reader::default().tree(&languages, text, progress);
        let (tree, language): (Tree, &'static Language) = match read {
            Ok(read) => read,
            Err(Unparsed::Cancelled) => return Err(Cancelled),
            Err(_) => {
                progress.check()?;
                return Ok(None);
            }
        };
        progress.check()?;
        Ok(language.colors().map(|colors| Syntax {
            tree,
            colors,
            bytes: text.len(),
        }))
    }

    /// The stretches of `range` that are not plain, in order and apart. `text` is the one that was parsed; of another
    /// nothing is coloured. O(k log k) in the nodes of the range, and linear in those beside them at the top of the file.
    pub fn spans(&self, text: &[u8], range: Range<usize>) -> Vec<Span> {
        if text.len() != self.bytes || range.is_empty() {
            return Vec::new();
        }
        let mut cursor = QueryCursor::new();
        // Patterns that wait for their end are dropped beyond this, as editors do; else a broken text takes for ever.
        cursor.set_match_limit(256);
        cursor.set_byte_range(range.clone());
        let mut found: Vec<Found> = Vec::new();
        let mut matches = cursor.matches(&self.colors.query, self.tree.root_node(), text);
        while let Some(of) = matches.next() {
            for capture in of.captures() {
                let bytes = capture.node.byte_range();
                let (start, end) = (bytes.start.max(range.start), bytes.end.min(range.end));
                let class = self.colors.classes.get(capture.index as usize);
                if let Some(&class) = class
                    && start < end
                {
                    found.push(Found {
                        whole: bytes,
                        bytes: start..end,
                        class,
                        pattern: of.pattern_index,
                    });
                }
            }
        }
        flatten(found)
    }
}

/// A node that a query captures: all of it, and what of it is asked for.
struct Found {
    whole: Range<usize>,
    bytes: Range<usize>,
    class: Class,
    pattern: usize,
}

/// The innermost class everywhere. Of one node the last pattern counts, but a plain one only where it stands alone: the
/// queries say of every name that it is a variable, some first and some last.
fn flatten(mut found: Vec<Found>) -> Vec<Span> {
    found.sort_by_key(|it| {
        let is_plain = it.class == Class::Plain;
        let of = &it.whole;
        (of.start, std::cmp::Reverse(of.end), !is_plain, it.pattern)
    });
    let mut spans: Vec<Span> = Vec::new();
    let mut add = |bytes: Range<usize>, class: Class| {
        if bytes.is_empty() || class == Class::Plain {
            return;
        }
        match spans.last_mut() {
            Some(last) if last.class == class && last.bytes.end == bytes.start => {
                last.bytes.end = bytes.end;
            }
            _ => spans.push(Span { bytes, class }),
        }
    };
    // What is open around the place `at`, the innermost last.
    let mut ends: Vec<Found> = Vec::new();
    let mut at = 0;
    // What lies around nothing stands behind everything.
    let last = Found {
        whole: 0..0,
        bytes: usize::MAX..usize::MAX,
        class: Class::Plain,
        pattern: 0,
    };
    for it in found.into_iter().chain(Some(last)) {
        while let Some(inner) = ends.pop_if(|inner| inner.bytes.end <= it.bytes.start) {
            add(at..inner.bytes.end, inner.class);
            at = at.max(inner.bytes.end);
        }
        if let Some(around) = ends.last() {
            add(at..it.bytes.start, around.class);
        }
        at = at.max(it.bytes.start);
        ends.push(it);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::super::languages::LANGUAGES;
    use super::*;

    fn read(path: &str, text: &str) -> Syntax {
        let read = Syntax::read(Path::new(path), text.as_bytes(), &Progress::new());
        read.expect("not cancelled").expect("a grammar")
    }

    /// The words of each class.
    fn words<'a>(syntax: &Syntax, text: &'a str, class: Class) -> Vec<&'a str> {
        let spans = syntax.spans(text.as_bytes(), 0..text.len());
        let spans = spans.into_iter().filter(|span| span.class == class);
        spans.map(|span| &text[span.bytes]).collect()
    }

    #[test]
    fn every_query_fits_its_grammar() {
        for language in &LANGUAGES {
            assert!(language.colors().is_some(), "{:?}", language.counted_as);
        }
    }

    #[test]
    fn what_a_reader_tells_apart_has_a_class() {
        let text =
            "/* why */ static int twice(const char *s) { return SIZE + use(\"a\\n\", 7); }\n";
        let syntax = read("a.c", text);
        assert_eq!(words(&syntax, text, Class::Comment), ["/* why */"]);
        assert_eq!(
            words(&syntax, text, Class::Keyword),
            ["static", "const", "return"]
        );
        assert_eq!(words(&syntax, text, Class::Type), ["int", "char"]);
        assert_eq!(words(&syntax, text, Class::Function), ["twice", "use"]);
        assert_eq!(words(&syntax, text, Class::Text), ["\"a\\n\""]);
        assert_eq!(words(&syntax, text, Class::Constant), ["SIZE", "7"]);
    }

    #[test]
    fn every_language_tells_comments_and_strings() {
        let samples = [
            ("a.c", "// c\nchar *s = \"t\";\n"),
            ("a.cpp", "// c\nauto s = \"t\";\n"),
            ("a.rs", "// c\nstatic S: &str = \"t\";\n"),
            ("a.py", "# c\ns = \"t\"\n"),
            ("a.js", "// c\nlet s = \"t\";\n"),
            ("a.ts", "// c\nlet s: string = \"t\";\n"),
            ("a.tsx", "// c\nlet s: string = \"t\";\n"),
            ("A.java", "// c\nclass A { String s = \"t\"; }\n"),
            #[cfg(feature = "kotlin")]
            ("a.kt", "// c\nval s = \"t\"\n"),
            #[cfg(feature = "csharp")]
            ("A.cs", "// c\nclass A { string s = \"t\"; }\n"),
            ("a.go", "// c\npackage a\nvar s = \"t\"\n"),
            ("a.rb", "# c\ns = \"t\"\n"),
            ("a.php", "<?php // c\n$s = \"t\";\n"),
            #[cfg(feature = "swift")]
            ("a.swift", "// c\nlet s = \"t\"\n"),
            ("a.lua", "-- c\nlocal s = \"t\"\n"),
            ("a.sh", "# c\ns=\"t\"\n"),
        ];
        assert_eq!(samples.len(), LANGUAGES.len());
        for (path, text) in samples {
            let syntax = read(path, text);
            let comments = words(&syntax, text, Class::Comment).concat();
            assert!(comments.trim().ends_with(" c"), "{path}: {comments:?}");
            let texts = words(&syntax, text, Class::Text).concat();
            assert!(texts.contains('t'), "{path}: {texts:?}");
        }
    }

    #[test]
    fn a_part_is_coloured_as_it_is_in_the_whole() {
        let text = include_str!("syntax.rs");
        let syntax = read("syntax.rs", text);
        let whole = syntax.spans(text.as_bytes(), 0..text.len());
        assert!(whole.is_sorted_by(|a, b| a.bytes.end <= b.bytes.start));
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let range = start..start + line.len();
            start = range.end;
            let of_whole = whole.iter().filter_map(|span| {
                let bytes = span.bytes.start.max(range.start)..span.bytes.end.min(range.end);
                let class = span.class;
                (!bytes.is_empty()).then_some(Span { bytes, class })
            });
            let of_whole: Vec<Span> = of_whole.collect();
            assert_eq!(syntax.spans(text.as_bytes(), range), of_whole, "{line}");
        }
    }

    #[test]
    fn what_is_in_a_string_and_no_part_of_it_stays_plain() {
        let text = "let a = `x ${b + 1} y`;\n";
        let syntax = read("a.js", text);
        assert_eq!(words(&syntax, text, Class::Text), ["`x ", " y`"]);
        assert_eq!(words(&syntax, text, Class::Constant), ["1"]);
    }

    #[test]
    fn nothing_is_coloured_that_no_grammar_reads_or_is_another_text() {
        let read_any = |path: &str, text: &[u8]| {
            Syntax::read(Path::new(path), text, &Progress::new()).expect("not cancelled")
        };
        assert!(read_any("a.txt", b"if (x)").is_none());
        assert!(read_any("no-ending", b"\0\xff\xfe").is_none());
        let syntax = read_any("a.c", b"\xff\xfe int \"\xff\" /*\0").expect("a grammar");
        syntax.spans(b"\xff\xfe int \"\xff\" /*\0", 0..14);
        let other = syntax.spans(b"int a;", 0..6);
        assert_eq!(other, []);
        let cancelled = Progress::new();
        cancelled.cancel();
        assert!(Syntax::read(Path::new("a.c"), b"int a;", &cancelled).is_err());
    }
}
