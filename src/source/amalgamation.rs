//! Amalgamations: one large generated file that holds many, with marks where each begins and ends.
//!
//! SQLite's `/************** Begin file X *****/`, zstd's `/**** start inlining X ****/`, simdjson's `/* begin file X */`.

use std::collections::HashMap;

use super::code_lines::CodeLines;
use super::definitions::Definition;
use callscape_facts::hierarchy::ModuleKind;

/// Part of a file that comes from one other file.
#[derive(Debug, PartialEq, Eq)]
struct Segment<'a> {
    file: &'a str,
    /// From 1, the line after the mark.
    first: u32,
    /// Included.
    last: u32,
}

/// Fewer files than this are no amalgamation.
const FEWEST_FILES: usize = 2;
/// Deeper nested marks are no marks.
const DEEPEST: usize = 100;

/// Puts `definitions` under the files that they come from, if `source` is an amalgamation: then each of its
/// files is a module of the kind file, in order of appearance, before all else. O(n).
pub(crate) fn regroup(
    source: &[u8],
    definitions: Vec<Definition>,
    lines: &CodeLines,
) -> Vec<Definition> {
    let segments = segments(source);
    let mut files: HashMap<&str, usize> = HashMap::new();
    let mut regrouped: Vec<Definition> = Vec::new();
    let mut file_of: Vec<usize> = Vec::new();
    for segment in &segments {
        let next = regrouped.len();
        let file = *files.entry(segment.file).or_insert(next);
        file_of.push(file);
        if file == next {
            regrouped.push(Definition {
                kind: ModuleKind::File,
                name: segment.file.to_owned(),
                line: segment.first,
                end_line: segment.last,
                loc: 0,
                comment_lines: 0,
                functions: 0,
                complexity: 0,
                parent: None,
            });
        }
        let file = &mut regrouped[file];
        file.end_line = file.end_line.max(segment.last);
        file.loc += lines.count(segment.first, segment.last);
        file.comment_lines += lines.comments(segment.first, segment.last);
    }
    if regrouped.len() < FEWEST_FILES {
        return definitions;
    }
    let shift = regrouped.len();
    for mut definition in definitions {
        definition.parent = match definition.parent {
            Some(parent) => Some(parent + shift),
            None => {
                let after = segments.partition_point(|segment| segment.first <= definition.line);
                let segment = after.checked_sub(1);
                let around = segment.filter(|&at| segments[at].last >= definition.line);
                around.map(|at| file_of[at])
            }
        };
        if let Some(file) = definition.parent.filter(|&parent| parent < shift) {
            let file = &mut regrouped[file];
            file.end_line = file.end_line.max(definition.end_line);
            file.functions += definition.functions;
            file.complexity = file.complexity.saturating_add(definition.complexity);
            // What begins in a part of the file may end in another.
            file.loc = file.loc.max(definition.loc);
            file.comment_lines = file.comment_lines.max(definition.comment_lines);
        }
        regrouped.push(definition);
    }
    regrouped
}

/// The parts of an amalgamation in order of line; none for other files.
fn segments(source: &[u8]) -> Vec<Segment<'_>> {
    let mut segments: Vec<Segment<'_>> = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut line = 0u32;
    // The line after the last mark.
    let mut first = 1u32;
    for text in source.split(|&byte| byte == b'\n') {
        line = line.saturating_add(1);
        let Some(mark) = mark(text) else { continue };
        if let Some(file) = open.last()
            && first < line
        {
            segments.push(Segment {
                file,
                first,
                last: line - 1,
            });
        }
        first = line.saturating_add(1);
        match mark {
            Mark::Begin(file) if open.len() < DEEPEST => open.push(file),
            Mark::Begin(_) => {}
            Mark::End(file) => {
                if let Some(at) = open.iter().rposition(|open| *open == file) {
                    open.truncate(at);
                }
            }
        }
    }
    segments
}

#[derive(Debug, PartialEq, Eq)]
enum Mark<'a> {
    Begin(&'a str),
    End(&'a str),
}

/// The mark that a line is: a comment of nothing but the words and a name.
fn mark(line: &[u8]) -> Option<Mark<'_>> {
    if !line.starts_with(b"/*") && !line.starts_with(b"//") || line.len() > 300 {
        return None;
    }
    let line = std::str::from_utf8(line).ok()?;
    let text = line.trim_matches(|c: char| matches!(c, '/' | '*' | '=' | '-') || c.is_whitespace());
    let (words, file) = text.rsplit_once(' ')?;
    let is_name = |file: &str| file.contains('.') && !file.contains(['(', ')', ',', ';']);
    if !is_name(file) {
        return None;
    }
    match words.to_ascii_lowercase().as_str() {
        "begin file" | "start inlining" => Some(Mark::Begin(file)),
        "end of" | "end file" | "end of file" | "ended inlining" => Some(Mark::End(file)),
        // The end of another file was marked before.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_of_the_innermost_file() {
        let source = b"int a;\n\
            /************** Begin file a.h ****/\n\
            int b;\n\
            /************** Include x/b.h in the middle of a.h ****/\n\
            /************** Begin file x/b.h ****/\n\
            int c;\n\
            /************** End of x/b.h ****/\n\
            /************** Continuing where we left off in a.h ****/\n\
            int d;\n\
            /************** End of a.h ****/\n\
            int e;\n";
        let found = segments(source);
        let found: Vec<_> = found.iter().map(|s| (s.file, s.first, s.last)).collect();
        assert_eq!(found, [("a.h", 3, 4), ("x/b.h", 6, 6), ("a.h", 8, 9)]);
        assert_eq!(
            mark(b"/**** start inlining ../a.h ****/"),
            Some(Mark::Begin("../a.h"))
        );
        assert_eq!(mark(b"/* end file a.cpp */"), Some(Mark::End("a.cpp")));
        assert_eq!(mark(b"// begin file"), None);
        assert_eq!(mark(b"/* the end of a.h. */"), None);
    }
}
