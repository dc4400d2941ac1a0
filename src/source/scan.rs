//! Scanning in steps: first all files with their lines, then what is in them, as fast as it can be read.

use callscape_base::clock::Instant;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rayon::prelude::*;
use tokei::LanguageType;

use super::cache::{Cache, Known};
use super::count::{self, Counted, NotCounted};
use super::definitions::Definition;
use super::file::SourceFile;
use super::kinds::Kinds;
use super::languages::{self, Language};
use super::misread::Errors;
use super::problem::{Problem, SourceError};
use super::reader::{Reader, Unparsed};
use super::relations::FileRelations;
use super::workers::{Done, Workers};
use super::{misread, structure, tree, walk};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::kinds::FileKind;

/// Files of which none has been counted for this long are given up.
const COUNTING: Duration = Duration::from_secs(30);

/// What reading the syntax of a file gave.
struct Read {
    /// As counted again, where the file has changed since.
    counted: Counted,
    hash: u64,
    definitions: Vec<Definition>,
    relations: Option<FileRelations>,
}

/// A scan under way.
pub struct Scan {
    dir: PathBuf,
    files: Vec<SourceFile>,
    problems: Vec<Problem>,
    /// Of the second step; none before it, and when it is done.
    workers: Option<Workers<Result<Read, NotCounted>>>,
    /// By file, whether its syntax is still to be read.
    is_unread: Vec<bool>,
    unread: usize,
    cache: Option<Cache>,
    /// Whether it is also read what files say of one another.
    reads_relations: bool,
    /// Whether more is known than the cache has.
    is_worth_keeping: bool,
    kinds: Kinds,
    /// What was saved of the tree, in place of the tree.
    saved: Option<Hierarchy>,
    /// Stops the second step when nobody wants it any more; a caller who cancels may go on later.
    own: Progress,
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.own.cancel();
    }
}

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut scan = f.debug_struct("Scan");
        scan.field("dir", &self.dir).field("unread", &self.unread);
        scan.finish_non_exhaustive()
    }
}

impl Scan {
    /// Lists the files below `dir` and counts their lines. What an earlier scan of the same tree has kept in the
    /// user's cache directory is not read again.
    pub fn start(dir: &Path, progress: &Progress) -> Result<Scan, SourceError> {
        Scan::start_with_cache(dir, Cache::default_folder().as_deref(), progress)
    }

    /// As [`Scan::start`] with another folder for what is kept; nothing is kept without one.
    pub fn start_with_cache(
        dir: &Path,
        folder: Option<&Path>,
        progress: &Progress,
    ) -> Result<Scan, SourceError> {
        let io = |source| SourceError::Io {
            path: dir.to_path_buf(),
            source,
        };
        // First, since a page holds structures alone.
        if structure::is_structure(dir) {
            return Ok(Scan::of_structure(dir, structure::read(dir, progress)?));
        }
        if !std::fs::metadata(dir).map_err(io)?.is_dir() {
            let path = dir.to_path_buf();
            return Err(SourceError::NotADirectory { path });
        }
        std::fs::read_dir(dir).map_err(io)?;
        progress.start(format!("scanning {}", dir.display()), 0);
        let (paths, problems) = walk::files(dir, progress)?;
        let mut scan = Scan {
            dir: dir.to_path_buf(),
            files: Vec::new(),
            problems,
            workers: None,
            is_unread: Vec::new(),
            unread: 0,
            reads_relations: false,
            is_worth_keeping: false,
            own: Progress::new(),
            cache: folder.and_then(|folder| Cache::open(folder, dir)),
            kinds: Kinds::default(),
            saved: None,
        };
        scan.count_all(paths, progress)?;
        if scan.files.is_empty() {
            let path = dir.to_path_buf();
            return Err(SourceError::Empty { path });
        }
        Ok(scan)
    }

    /// What was saved of a tree: there is nothing more to read.
    fn of_structure(path: &Path, saved: Hierarchy) -> Scan {
        Scan {
            dir: path.to_path_buf(),
            files: Vec::new(),
            problems: Vec::new(),
            workers: None,
            is_unread: Vec::new(),
            unread: 0,
            reads_relations: false,
            is_worth_keeping: false,
            own: Progress::new(),
            cache: None,
            kinds: Kinds::default(),
            saved: Some(saved),
        }
    }

    /// The first step: the lines of all files.
    fn count_all(&mut self, paths: Vec<PathBuf>, progress: &Progress) -> Result<(), SourceError> {
        progress.start(
            format!("counting the lines of {}", self.dir.display()),
            paths.len() as u64,
        );
        let known = self.cache.as_ref().map(Cache::known);
        let paths = Arc::new(paths);
        let work = {
            let (dir, paths, progress) = (self.dir.clone(), Arc::clone(&paths), progress.clone());
            move |file: usize, _: &mut ()| {
                count_one(&dir, &paths[file], known.as_deref(), &progress)
            }
        };
        let mut counted: Vec<Result<(SourceFile, bool), NotCounted>> = Vec::new();
        counted.resize_with(paths.len(), || Err(NotCounted::TookTooLong));
        let mut workers = Workers::start((0..paths.len()).collect(), COUNTING, work)?;
        loop {
            match workers.next(progress)? {
                Done::File(file, result) => {
                    counted[file] = result.unwrap_or(Err(NotCounted::Unreadable));
                }
                Done::Waiting => {}
                Done::End => break,
            }
        }
        for (path, counted) in paths.iter().zip(counted) {
            match counted {
                Ok((file, is_unchanged)) => {
                    self.is_worth_keeping |= !is_unchanged;
                    let is_unread = file.hash == 0 && has_syntax(&file.counted);
                    self.unread += usize::from(is_unread);
                    self.is_unread.push(is_unread);
                    if let Some(kind) = file.counted.warning {
                        self.problem(kind, path);
                    }
                    self.files.push(file);
                }
                Err(NotCounted::Cancelled) => return Err(Cancelled.into()),
                Err(reason) => self.problem(kind_of(reason), path),
            }
        }
        let paths = self.files.iter().map(|file| file.path.as_path());
        self.kinds = Kinds::read(&self.dir, paths);
        for file in &mut self.files {
            let counted = &file.counted;
            file.kind = self.kinds.of(&file.path, counted.language, counted.made);
        }
        Ok(())
    }

    fn problem(&mut self, kind: &'static str, path: &Path) {
        let what = self.dir.join(path).to_string_lossy().into_owned();
        self.problems.push(Problem { kind, what });
    }

    /// How many files there are, and of how many the syntax is still to be read.
    pub fn state(&self) -> (usize, usize) {
        (self.files.len(), self.unread)
    }

    /// Bytes of the files whose syntax is still to be read.
    pub fn unread_bytes(&self) -> u64 {
        let files = self.files.iter().zip(&self.is_unread);
        let unread = files.filter(|(_, is_unread)| **is_unread);
        unread.map(|(file, _)| file.counted.stamp.bytes).sum()
    }

    /// Reads syntax for about `time`. Whether all of it has been read. Threads go on reading meanwhile; what they
    /// have read is taken by the next call.
    pub fn read_on(&mut self, time: Duration, progress: &Progress) -> Result<bool, SourceError> {
        let started = Instant::now();
        if self.unread > 0 {
            progress.start(
                format!("reading the files of {}", self.dir.display()),
                self.unread as u64,
            );
            if self.workers.is_none() {
                self.start_reading()?;
            }
        }
        if let Some(workers) = &mut self.workers {
            workers.resume();
        }
        while let Some(workers) = &mut self.workers {
            match workers.next(progress)? {
                Done::File(file, result) => {
                    self.unread -= 1;
                    self.is_unread[file] = false;
                    self.take(file, result.unwrap_or(Err(NotCounted::TookTooLong)))?;
                }
                Done::Waiting => {}
                Done::End => self.give_up(),
            }
            if self.unread == 0 {
                self.workers = None;
            }
            if started.elapsed() >= time {
                break;
            }
        }
        if self.unread == 0 && std::mem::take(&mut self.is_worth_keeping) {
            self.keep();
        }
        Ok(self.unread == 0)
    }

    /// Reads the syntax of all files.
    pub fn finish(&mut self, progress: &Progress) -> Result<(), SourceError> {
        while !self.read_on(Duration::MAX, progress)? {}
        Ok(())
    }

    /// Has it also read what files say of one another; files of which that is not known are read again. To be called
    /// before the syntax is read.
    pub fn read_relations(&mut self) {
        self.reads_relations = true;
        self.unread = 0;
        let known = self.cache.as_ref().map(Cache::known);
        for (file, is_unread) in self.files.iter_mut().zip(&mut self.is_unread) {
            if let Some(known) = known.as_ref().filter(|_| file.hash != 0) {
                file.relations = known.relations(file.hash);
            }
            let is_missing = file.relations.is_none();
            *is_unread = is_missing && has_syntax(&file.counted);
            self.unread += usize::from(*is_unread);
        }
        self.is_worth_keeping |= self.unread > 0;
    }

    /// The files of the tree in order of their path, with all that is known of them so far; none of a saved structure.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The root of the tree.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn start_reading(&mut self) -> Result<(), SourceError> {
        // What takes longest comes first, so that all threads end together.
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.retain(|&file| self.is_unread[file]);
        order.sort_by_key(|&file| {
            (
                std::cmp::Reverse(self.files[file].counted.stamp.bytes >> 18),
                file,
            )
        });
        let longest = order
            .iter()
            .map(|&file| self.files[file].counted.stamp.bytes);
        let patience = COUNTING + Reader::patience(longest.max().unwrap_or(0));
        let files = self.files.iter();
        let files: Vec<(PathBuf, Counted)> = files
            .map(|file| (file.path.clone(), file.counted))
            .collect();
        let (dir, progress) = (self.dir.clone(), self.own.clone());
        let reads_relations = self.reads_relations;
        let work = move |file: usize, reader: &mut Reader| {
            let (path, counted) = &files[file];
            reader.reads_relations = reads_relations;
            read_one(&dir.join(path), *counted, reader, &progress)
        };
        self.workers = Some(Workers::start(order, patience, work)?);
        Ok(())
    }

    fn take(&mut self, file: usize, read: Result<Read, NotCounted>) -> Result<(), SourceError> {
        match read {
            Ok(read) => {
                let file = &mut self.files[file];
                let before = file.counted.stamp;
                file.counted = read.counted;
                let counted = &file.counted;
                file.kind = self.kinds.of(&file.path, counted.language, counted.made);
                file.hash = read.hash;
                file.definitions = read.definitions;
                file.relations = read.relations;
                let path = file.path.clone();
                if let Some(kind) = read.counted.warning {
                    self.problem(kind, &path);
                }
                if before != read.counted.stamp {
                    self.problem("changed-while-it-was-scanned", &path);
                }
            }
            Err(NotCounted::Cancelled) => return Err(Cancelled.into()),
            Err(NotCounted::TookTooLong) => {
                let path = self.files[file].path.clone();
                self.problem("file-took-too-long-to-parse", &path);
            }
            // It was there when its lines were counted.
            Err(_) => {
                let path = self.files[file].path.clone();
                self.problem("changed-while-it-was-scanned", &path);
            }
        }
        Ok(())
    }

    /// What has not come by now hangs.
    fn give_up(&mut self) {
        for file in 0..self.files.len() {
            if std::mem::take(&mut self.is_unread[file]) {
                let path = self.files[file].path.clone();
                self.problem("file-took-too-long-to-parse", &path);
            }
        }
        self.unread = 0;
    }

    fn keep(&mut self) {
        if let Some(cache) = &self.cache
            && !cache.keep(&self.files)
        {
            self.problems.push(Problem {
                kind: "scan-not-kept",
                what: cache.path().to_string_lossy().into_owned(),
            });
        }
    }

    /// What is known so far as a hierarchy. Linear in files and definitions.
    pub fn hierarchy(&self) -> Hierarchy {
        let saved = self.saved.clone();
        saved.unwrap_or_else(|| tree::hierarchy(&root_name(&self.dir), &self.files))
    }

    /// Everything that was left out so far, by kind and then as it was met.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = self.problems.clone();
        problems.sort();
        problems
    }

    /// Where the grammars could not read what stands in the files, in order of path. All files are parsed for it.
    pub fn misread(&self, progress: &Progress) -> Result<Vec<Errors>, Cancelled> {
        let dir = self.dir.as_path();
        let files = self.files.par_iter();
        let with_syntax = files.filter(|file| has_syntax(&file.counted));
        let found = with_syntax.map_init(Reader::default, |reader, file| {
            let text = count::text(&dir.join(&file.path), file.counted, progress);
            // What has become unreadable is another problem.
            let (counted, source) = text.ok()?;
            let languages = candidates(counted.language, &source);
            let (tree, _) = reader.tree(&languages, &source, progress).ok()?;
            misread::errors(&tree, &file.path)
        });
        let mut found: Vec<Errors> = found.flatten_iter().collect();
        progress.check()?;
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Counts what was left out so far.
    pub fn report(&self, reporter: &Reporter) {
        let mut kinds: BTreeMap<&'static str, (u64, String)> = BTreeMap::new();
        for problem in self.problems() {
            kinds.entry(problem.kind).or_insert((0, problem.what)).0 += 1;
        }
        for (kind, (count, first)) in kinds {
            reporter.warn_many(kind, count, || Place::file(first));
        }
    }
}

/// Whether there is a grammar to read a file with.
fn has_syntax(counted: &Counted) -> bool {
    counted.warning.is_none() && languages::of(counted.language).is_some()
}

/// The name of a directory, also of `.` and `..`.
fn root_name(dir: &Path) -> String {
    let absolute = std::fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf());
    let name = absolute.file_name().unwrap_or(absolute.as_os_str());
    name.to_string_lossy().into_owned()
}

fn kind_of(reason: NotCounted) -> &'static str {
    match reason {
        NotCounted::UnknownLanguage => "unknown-language",
        NotCounted::TookTooLong => "file-took-too-long-to-count",
        NotCounted::Unreadable | NotCounted::Cancelled => "unreadable",
    }
}

/// The lines of one file, and its definitions where they are known from an earlier scan; and whether it is
/// unchanged since.
fn count_one(
    dir: &Path,
    path: &Path,
    known: Option<&Known>,
    progress: &Progress,
) -> Result<(SourceFile, bool), NotCounted> {
    let whole = dir.join(path);
    if let Some(known) = known
        && let Ok(metadata) = std::fs::symlink_metadata(&whole)
        && let Some((counted, hash, definitions)) =
            known.unchanged(path, count::Stamp::of(&metadata))
    {
        let path = path.to_path_buf();
        let file = SourceFile {
            path,
            counted,
            hash,
            kind: FileKind::default(),
            definitions,
            relations: None,
        };
        return Ok((file, true));
    }
    let language = count::language(&whole)?;
    let (counted, source) = count::count(&whole, language, progress)?;
    let mut file = SourceFile {
        path: path.to_path_buf(),
        counted,
        hash: 0,
        kind: FileKind::default(),
        definitions: Vec::new(),
        relations: None,
    };
    if let Some(known) = known
        && languages::of(language).is_some()
    {
        let hash = count::hash(&source).max(1);
        if let Some((definitions, warning)) =
            known.with_content(language, hash, counted.stamp.bytes)
        {
            (file.hash, file.definitions) = (hash, definitions);
            file.counted.warning = file.counted.warning.or(warning);
        }
    }
    Ok((file, false))
}

/// The definitions of one file.
fn read_one(
    path: &Path,
    before: Counted,
    reader: &mut Reader,
    progress: &Progress,
) -> Result<Read, NotCounted> {
    let (mut counted, source) = count::text(path, before, progress)?;
    let languages = candidates(counted.language, &source);
    let (mut definitions, mut relations) = (Vec::new(), None);
    if counted.warning.is_none() {
        match reader.read(
            &languages,
            &source,
            counted.loc,
            counted.comment_lines,
            progress,
        ) {
            Ok(found) => (definitions, relations) = found,
            Err(Unparsed::Cancelled) => return Err(NotCounted::Cancelled),
            // It may be read in time when the machine is less busy.
            Err(Unparsed::TookTooLong) => return Err(NotCounted::TookTooLong),
            Err(Unparsed::TooLarge) => counted.warning = Some("file-too-large-to-parse"),
            Err(Unparsed::NoGrammar) => counted.warning = Some("grammar-does-not-fit"),
        }
    }
    Ok(Read {
        counted,
        hash: count::hash(&source).max(1),
        definitions,
        relations,
    })
}

/// The languages whose grammars may read a file, the likelier first: a header `.h` may be C or C++.
pub(super) fn candidates(language: LanguageType, source: &[u8]) -> Vec<&'static Language> {
    let cpp = Some(LanguageType::Cpp);
    let languages = match language {
        LanguageType::CHeader => match cpp_in(source) {
            Cpp::Sure => [cpp, None],
            Cpp::Likely => [cpp, Some(language)],
            Cpp::Possible => [Some(language), cpp],
            Cpp::No => [Some(language), None],
        },
        _ => [Some(language), None],
    };
    let languages = languages.into_iter().flatten();
    languages.filter_map(languages::of).collect()
}

/// How much in a header says that it is of C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cpp {
    No,
    /// Something that C does not have, which may stand in a comment or in a part for C++ alone.
    Possible,
    /// A line begins as none does in C.
    Likely,
    /// And is written as no line of a comment.
    Sure,
}

fn cpp_in(source: &[u8]) -> Cpp {
    let lines = source.split(|&byte| byte == b'\n');
    let at_starts = lines.map(|line| cpp_at_start(line.trim_ascii())).max();
    if let Some(likely) = at_starts.filter(|cpp| *cpp > Cpp::No) {
        return likely;
    }
    let inside = [
        &b"::"[..],
        b"template",
        b"class ",
        b"operator",
        b"virtual ",
        b"nullptr",
        b"constexpr",
        b"noexcept",
        b"_cast<",
        b"namespace",
        b") const",
        b"&&)",
        b"& ",
        b" &",
    ];
    let has = |what: &&[u8]| memchr::memmem::find(source, what).is_some();
    match inside.iter().any(has) {
        true => Cpp::Possible,
        false => Cpp::No,
    }
}

fn cpp_at_start(line: &[u8]) -> Cpp {
    let starts = |words: &[&[u8]]| words.iter().any(|word| line.starts_with(word));
    let sure = [
        &b"template<"[..],
        b"template <",
        b"public:",
        b"private:",
        b"protected:",
    ];
    let ends_as_code = matches!(line.last(), Some(b'{' | b';'));
    let opens = [&b"namespace "[..], b"class ", b"using "];
    if starts(&sure) || starts(&opens) && ends_as_code {
        Cpp::Sure
    } else if starts(&opens) || line.starts_with(b"template") {
        Cpp::Likely
    } else {
        Cpp::No
    }
}
