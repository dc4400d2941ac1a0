//! A structure in a file of its own: what is known of a source tree without its text.
//!
//! The first line says what it is, each other line is a module, in preorder with its depth, as a JSON array: modules
//! nest as deep as directories do, which is deeper than JSON may.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::problem::SourceError;
use callscape_base::files::disk;
use callscape_base::progress::Progress;
use callscape_base::warnings::Place;
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape_facts::kinds::{FileKind, Made, Purpose};

/// How the names of such files end.
pub const ENDING: &str = ".callscape-structure";

/// The folder in which the text of the files of a structure lies, if somebody has put it there: beside the structure, under
/// its name with `.text`.
pub fn text_beside(structure: &Path) -> PathBuf {
    let name = structure.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(ENDING).unwrap_or(&name);
    structure.with_file_name(format!("{name}.text"))
}

const HEAD: &str = r#"{"format":"callscape-structure","version":"#;
/// The first version did not say how files were made and what they are for.
const VERSION: u32 = 2;
/// A module's line is no longer.
const LONGEST_LINE: u64 = 1 << 20;
/// Modules between two looks whether one wants to stop.
const STEP: u64 = 4096;

#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
    modules: u64,
}

/// Depth, kind, name, language, lines of code, first and last line, bytes, lines of comments, functions, complexity, and
/// how its file was made and what it is for.
type Line<'a> = (
    u16,
    ModuleKind,
    std::borrow::Cow<'a, str>,
    std::borrow::Cow<'a, str>,
    u32,
    u32,
    u32,
    u64,
    u32,
    u32,
    u32,
    Made,
    Purpose,
);

/// Whether a file is a structure, by its first bytes.
pub fn is_structure(path: &Path) -> bool {
    let mut head = [0; HEAD.len()];
    let is_file = disk::is_file(path);
    let mut read = || disk::open(path)?.read_exact(&mut head);
    is_file && read().is_ok() && head == *HEAD.as_bytes()
}

/// Writes a structure. O(modules).
pub fn write(hierarchy: &Hierarchy, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{HEAD}{VERSION},\"modules\":{}}}", hierarchy.len())?;
    for id in hierarchy.modules() {
        let of = hierarchy.module(id);
        let line: Line<'_> = (
            hierarchy.depth(id),
            of.kind,
            of.name.into(),
            of.language.into(),
            of.loc,
            of.line,
            of.end_line,
            of.bytes,
            of.comment_lines,
            of.functions,
            of.complexity,
            of.file_kind.made,
            of.file_kind.purpose,
        );
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The structure in the file at `path`.
pub fn read(path: &Path, progress: &Progress) -> Result<Hierarchy, SourceError> {
    let shown = path.display().to_string();
    let io = |source| SourceError::Io {
        path: path.to_owned(),
        source,
    };
    let file = disk::open(path).map_err(io)?;
    let mut file = BufReader::new(file);
    let mut text = String::new();
    let mut next = |number: u64| -> Result<Option<String>, SourceError> {
        text.clear();
        let read = Read::take(&mut file, LONGEST_LINE).read_line(&mut text);
        match read {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(text.clone())),
            Err(error) => Err(malformed(&shown, number, error.to_string())),
        }
    };
    let head = next(1)?.unwrap_or_default();
    let head: Head =
        serde_json::from_str(&head).map_err(|error| malformed(&shown, 1, error.to_string()))?;
    progress.start(format!("reading {shown}"), head.modules);
    let mut builder = None;
    let mut open: Vec<NodeId> = Vec::new();
    let mut number = 1;
    while let Some(line) = next(number + 1)? {
        number += 1;
        if number % STEP == 0 {
            progress.set(number)?;
        }
        let wrong = |found: String| malformed(&shown, number, found);
        let line = parse(&line, head.version).map_err(|error| wrong(error.to_string()))?;
        let (depth, module) = module_of(&line);
        let (kind, name) = (module.kind, module.name);
        let depth = usize::from(depth);
        let is_root = kind == ModuleKind::Root;
        match &mut builder {
            None if depth == 0 && is_root => {
                let mut made = HierarchyBuilder::new(name);
                made.set(NodeId::ROOT, module);
                builder = Some(made);
                open.push(NodeId::ROOT);
            }
            Some(builder) if depth > 0 && depth <= open.len() && !is_root => {
                open.truncate(depth);
                let parent = open.last().copied().unwrap_or(NodeId::ROOT);
                open.push(builder.add(parent, module));
            }
            _ => return Err(wrong(format!("a {} of depth {depth}", kind.name()))),
        }
    }
    let found = number - 1;
    match builder {
        Some(builder) if found == head.modules => Ok(builder.build().0),
        _ => {
            let found = format!("{found} of {}", head.modules);
            Err(malformed(&shown, number, found))
        }
    }
}

fn parse(line: &str, version: u32) -> Result<Line<'static>, serde_json::Error> {
    if version >= VERSION {
        return serde_json::from_str(line);
    }
    let (a, b, c, d, e, f, g, h, i, j, k) = serde_json::from_str(line)?;
    Ok((
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h,
        i,
        j,
        k,
        Made::Hand,
        Purpose::Product,
    ))
}

/// The module of a line, and its depth.
fn module_of<'a>(line: &'a Line<'_>) -> (u16, Module<'a>) {
    let &(depth, kind, ref name, ref language, loc, first, last, bytes, ..) = line;
    let &(.., comment_lines, functions, complexity, made, purpose) = line;
    let module = Module {
        kind,
        name,
        language,
        loc,
        line: first,
        end_line: last,
        bytes,
        comment_lines,
        functions,
        complexity,
        file_kind: FileKind { made, purpose },
    };
    (depth, module)
}

fn malformed(file: &str, line: u64, found: String) -> SourceError {
    SourceError::Structure {
        place: Place::line(file, line),
        expected: "modules of a structure",
        found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> std::path::PathBuf {
        let name = format!("callscape-{name}-{}{ENDING}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).expect("a temporary file");
        path
    }

    #[test]
    fn a_structure_comes_back_as_it_was_however_deep() {
        let mut builder = HierarchyBuilder::new("root");
        let mut parent = NodeId::ROOT;
        for depth in 0..500 {
            let module = Module {
                language: "C",
                loc: depth,
                bytes: u64::MAX,
                ..Module::named(ModuleKind::Directory, "with \"signs\" \n and / é")
            };
            parent = builder.add(parent, module);
            builder.add(parent, Module::named(ModuleKind::File, "leaf"));
        }
        let (hierarchy, _) = builder.build();
        let mut text = Vec::new();
        write(&hierarchy, &mut text).expect("memory takes it");
        let path = file("deep", std::str::from_utf8(&text).expect("it is text"));
        assert!(is_structure(&path));
        let again = read(&path, &Progress::new()).expect("it was just written");
        let _ = std::fs::remove_file(&path);
        assert!(hierarchy.modules().eq(again.modules()));
        for id in hierarchy.modules() {
            assert_eq!(hierarchy.module(id), again.module(id));
            assert_eq!(hierarchy.parent(id), again.parent(id));
        }
    }

    #[test]
    fn what_is_no_structure_is_refused_with_its_line() {
        let module = |depth: u16, kind: &str| {
            format!("[{depth},\"{kind}\",\"a\",\"\",0,0,0,0,0,0,0,\"data\",\"test\"]\n")
        };
        let with = |modules: u64, lines: &[String]| {
            format!(
                "{HEAD}{VERSION},\"modules\":{modules}}}\n{}",
                lines.concat()
            )
        };
        let root = module(0, "root");
        let wrong = [
            (with(1, &[]), "line 1: "),
            (with(2, std::slice::from_ref(&root)), "line 2: "),
            (with(2, &[root.clone(), module(2, "file")]), "line 3: "),
            (with(2, &[root.clone(), module(0, "file")]), "line 3: "),
            (with(2, &[root.clone(), root.clone()]), "line 3: "),
            (with(2, &[root.clone(), "[1]\n".to_owned()]), "line 3: "),
            (with(1, &[module(0, "file")]), "line 2: "),
        ];
        for (number, (text, place)) in wrong.into_iter().enumerate() {
            let path = file(&format!("wrong-{number}"), &text);
            let error = read(&path, &Progress::new()).expect_err(&text).to_string();
            let _ = std::fs::remove_file(&path);
            assert!(
                error.contains(place) && error.contains("expected modules"),
                "{error}"
            );
        }
    }
}
