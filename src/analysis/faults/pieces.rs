//! The changed lines of each file, cut at the functions that they are in.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::fault::{Counts, Flag, Flagged, Used, region, vec_regions};
use callscape_base::progress::{Cancelled, Progress};
use callscape_facts::hierarchy::ModuleKind;
use callscape_source::file_syntax::{Declared, FileSyntax};
use callscape_source::history::change::{Changes, FileChange, Hunk, Region};

/// Both versions of a changed file as their grammar has them; none without one, or where there is no such version.
#[derive(Default)]
pub(super) struct FileRead {
    pub before: Option<FileSyntax>,
    pub after: Option<FileSyntax>,
}

/// Reads the changed files, in their order.
pub(super) fn read(changes: &Changes, progress: &Progress) -> Result<Vec<FileRead>, Cancelled> {
    let read = changes.files.par_iter().map(|file| {
        progress.add(1)?;
        let old_path = file.was.as_ref().unwrap_or(&file.path);
        let of = |path: &str, text: &str, is_there: bool| match is_there {
            true => FileSyntax::read(Path::new(path), text.as_bytes(), progress),
            false => Ok(None),
        };
        let [before, after] = &file.texts;
        Ok(FileRead {
            before: of(old_path, before.text(), !file.is_added)?,
            after: of(&file.path, after.text(), !file.is_removed)?,
        })
    });
    read.collect()
}

/// What was changed of one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    pub lines: BTreeSet<u32>,
    pub before_deletions: BTreeSet<u32>,
    /// Words that were there are gone; else it was only added to.
    pub replaces: bool,
}

impl Piece {
    pub(super) fn regions(&self, file: usize) -> Vec<Region> {
        let lines: Vec<u32> = self.lines.iter().copied().collect();
        let mut regions = vec_regions(file, &lines);
        regions.extend(
            self.before_deletions
                .iter()
                .map(|&line| region(file, line + 1..line + 1)),
        );
        regions
    }
}

/// Something declared outside of functions that was changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Declaration {
    /// Index of the file in the changes.
    pub file: usize,
    pub name: String,
    /// In the version that has it.
    pub line: u32,
    /// In the later version: the same, or the line before where it was.
    pub line_after: u32,
    pub is_gone: bool,
}

impl Declaration {
    pub(super) fn used(&self, changes: &Changes) -> Used {
        Used {
            name: self.name.clone(),
            file: changes.files[self.file].path.clone(),
            line: self.line,
            is_gone: self.is_gone,
        }
    }

    pub(super) fn regions(&self) -> Vec<Region> {
        let line = self.line_after;
        vec![match self.is_gone {
            true => region(self.file, line + 1..line + 1),
            false => region(self.file, line..line + 1),
        }]
    }
}

/// The changed lines of all files.
#[derive(Default)]
pub(super) struct Cut {
    /// By file and definition.
    pub pieces: BTreeMap<(usize, usize), Piece>,
    /// By file, lines outside of functions that declare nothing: they run when the file is loaded, if at all.
    pub statements: BTreeMap<usize, Vec<u32>>,
    pub declared: Vec<Declaration>,
    pub flagged: Vec<Flagged>,
    pub counts: Counts,
}

/// Cuts the changes at functions.
pub(super) fn cut(changes: &Changes, files: &[FileRead]) -> Cut {
    let mut cut = Cut::default();
    for (at, (file, read)) in changes.files.iter().zip(files).enumerate() {
        cut.counts.files += 1;
        cut.counts.removed_files += u32::from(file.is_removed);
        if is_build_file(&file.path) {
            cut.flag(Flag::BuildFile, file, lines_of(&file.hunks), "");
            continue;
        }
        if read.after.is_none() && read.before.is_none() {
            cut.counts.other_files += 1;
            continue;
        }
        for hunk in &file.hunks {
            cut.take(at, file, read, hunk);
        }
    }
    cut.declared.sort();
    cut.declared.dedup();
    cut
}

fn lines_of(hunks: &[Hunk]) -> Vec<u32> {
    let lines = hunks.iter().flat_map(|hunk| match hunk.after.is_empty() {
        true => hunk.after.start.saturating_sub(1).max(1)..hunk.after.start.max(2),
        false => hunk.after.clone(),
    });
    let lines: BTreeSet<u32> = lines.collect();
    lines.into_iter().collect()
}

impl Cut {
    fn flag(&mut self, flag: Flag, file: &FileChange, lines: Vec<u32>, name: &str) {
        let known = self
            .flagged
            .iter_mut()
            .find(|it| it.flag == flag && it.file == file.path && it.name == name);
        match known {
            Some(known) => known.lines.extend(lines),
            None => self.flagged.push(Flagged {
                flag,
                file: file.path.clone(),
                lines,
                name: name.to_owned(),
            }),
        }
    }

    fn take(&mut self, at: usize, file: &FileChange, read: &FileRead, hunk: &Hunk) {
        let words = |syntax: &Option<FileSyntax>, lines: &Range<u32>| -> Vec<(u32, Vec<u8>)> {
            let words = syntax
                .as_ref()
                .map(|it| it.words(lines))
                .unwrap_or_default();
            words
                .into_iter()
                .map(|(depth, word)| (depth, word.to_vec()))
                .collect()
        };
        let words = [
            words(&read.before, &hunk.before),
            words(&read.after, &hunk.after),
        ];
        if words[0] == words[1] {
            self.counts.only_looks += 1;
            return;
        }
        let replaces = is_any_gone(&words[0], &words[1]);
        let with_code = |syntax: &Option<FileSyntax>, lines: &Range<u32>| {
            let lines = syntax.as_ref().map(|it| it.lines_with_code(lines));
            let mut lines: Vec<u32> = lines.unwrap_or_default().into_iter().collect();
            lines.sort_unstable();
            lines
        };
        let old = with_code(&read.before, &hunk.before);
        let new = with_code(&read.after, &hunk.after);
        if let Some(after) = &read.after {
            for &line in &new {
                match after.function_at(line) {
                    Some(function) => {
                        let piece = self.pieces.entry((at, function)).or_default();
                        piece.lines.insert(line);
                        piece.replaces |= replaces;
                    }
                    None => self.outside(at, file, after, line),
                }
            }
        }
        if let Some(before) = &read.before {
            self.deleted(at, file, read, before, hunk, &old, new.is_empty());
        }
    }

    /// A changed line outside of functions.
    fn outside(&mut self, at: usize, file: &FileChange, after: &FileSyntax, line: u32) {
        let declared = after.declared(line);
        if declared.is_empty() {
            self.statements.entry(at).or_default().push(line);
        }
        for declared in declared {
            match declared {
                Declared::Macro(name) => self.flag(Flag::Macro, file, vec![line], &name),
                Declared::Include(path) => self.flag(Flag::Include, file, vec![line], &path),
                Declared::Name(name) => self.declared.push(Declaration {
                    file: at,
                    name,
                    line,
                    line_after: line,
                    is_gone: false,
                }),
            }
        }
    }

    /// The lines that were deleted by a hunk, which added none where `is_all`.
    #[expect(clippy::too_many_arguments, reason = "both versions of one place")]
    fn deleted(
        &mut self,
        at: usize,
        file: &FileChange,
        read: &FileRead,
        before: &FileSyntax,
        hunk: &Hunk,
        lines: &[u32],
        is_all: bool,
    ) {
        let line_before = hunk.after.start.saturating_sub(1).max(1);
        let mut gone: HashSet<usize> = HashSet::new();
        for &line in lines {
            let Some(function) = before.function_at(line) else {
                self.declaration_gone(at, file, read, before, line, line_before);
                continue;
            };
            match read
                .after
                .as_ref()
                .and_then(|after| same_function(before, function, after))
            {
                Some(same) => {
                    let piece = self.pieces.entry((at, same)).or_default();
                    piece.replaces |= is_all;
                    if is_all || piece.lines.is_empty() {
                        piece.before_deletions.insert(line_before);
                    }
                }
                None => drop(gone.insert(function)),
            }
        }
        for function in gone {
            let definition = &before.definitions[function];
            self.declared.push(Declaration {
                file: at,
                name: last_name(&definition.name).to_owned(),
                line: definition.line,
                line_after: line_before,
                is_gone: true,
            });
        }
    }

    fn declaration_gone(
        &mut self,
        at: usize,
        file: &FileChange,
        read: &FileRead,
        before: &FileSyntax,
        line: u32,
        line_before: u32,
    ) {
        let still = |name: &str| {
            let hunks = file.hunks.iter().flat_map(|hunk| hunk.after.clone());
            let after = read.after.as_ref();
            after.is_some_and(|after| {
                hunks.into_iter().any(|line| {
                    after
                        .declared(line)
                        .iter()
                        .any(|it| matches!(it, Declared::Name(it) if it == name))
                })
            })
        };
        for declared in before.declared(line) {
            match declared {
                Declared::Macro(name) => self.flag(Flag::Macro, file, vec![line_before], &name),
                Declared::Include(path) => self.flag(Flag::Include, file, vec![line_before], &path),
                Declared::Name(name) if !still(&name) => self.declared.push(Declaration {
                    file: at,
                    name,
                    line,
                    line_after: line_before,
                    is_gone: true,
                }),
                Declared::Name(_) => {}
            }
        }
    }
}

/// Whether some of the words, counted, are in `after` no longer.
fn is_any_gone(before: &[(u32, Vec<u8>)], after: &[(u32, Vec<u8>)]) -> bool {
    let mut left: HashMap<&[u8], usize> = HashMap::new();
    for (_, word) in after {
        *left.entry(word).or_default() += 1;
    }
    let mut words = before.iter();
    words.any(|(_, word)| match left.get_mut(word.as_slice()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    })
}

/// The function of the same name in the same place of another version; of several the nearest.
fn same_function(before: &FileSyntax, function: usize, after: &FileSyntax) -> Option<usize> {
    let names = before.names_of(function);
    let line = before.definitions[function].line;
    let all = after.definitions.iter().enumerate();
    let functions = all.filter(|(_, it)| it.kind == ModuleKind::Function);
    let same = functions.filter(|(at, _)| after.names_of(*at) == names);
    same.min_by_key(|(_, it)| it.line.abs_diff(line))
        .map(|(at, _)| at)
}

fn last_name(name: &str) -> &str {
    name.rsplit(['.', ':']).next().unwrap_or(name)
}

/// Whether a file says how the program is built, or from what.
fn is_build_file(path: &str) -> bool {
    const NAMES: [&str; 40] = [
        "makefile",
        "gnumakefile",
        "cmakelists.txt",
        "cargo.toml",
        "cargo.lock",
        "build.rs",
        "package.json",
        "package-lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "tsconfig.json",
        "go.mod",
        "go.sum",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "gradle.properties",
        "setup.py",
        "setup.cfg",
        "pyproject.toml",
        "poetry.lock",
        "pipfile",
        "pipfile.lock",
        "meson.build",
        "meson_options.txt",
        "build",
        "build.bazel",
        "workspace",
        "module.bazel",
        "configure",
        "configure.ac",
        "configure.in",
        "makefile.am",
        "makefile.in",
        "dockerfile",
        "gemfile",
        "gemfile.lock",
        "composer.json",
    ];
    const ENDINGS: [&str; 13] = [
        ".mk", ".cmake", ".bzl", ".gradle", ".vcxproj", ".csproj", ".fsproj", ".sln", ".pro",
        ".gyp", ".gypi", ".gemspec", ".nimble",
    ];
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_requirements = name.starts_with("requirements") && name.ends_with(".txt");
    NAMES.contains(&name.as_str()) || ENDINGS.iter().any(|it| name.ends_with(it)) || is_requirements
}
