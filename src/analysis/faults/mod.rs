//! From "it broke since last week" to the function: what changed between two revisions, where it ran, and what speaks for each
//! change being the cause.
//!
//! Source: Johannes Bohnet, *Visualization of Execution Traces and its Application to Software Maintenance* (doctoral thesis,
//! 2010), section 7.2. Lines that were added or changed, and the line before each deletion (7.2.3), are looked for in the bodies
//! of the functions that ran; of changed declarations outside of functions, those functions count that use their names (7.2.4).
//! Macros and build files are flagged for a person: what depends on them is not followed (7.2.1).
//!
//! Ours: lines that differ in comments and white space alone do not count; a deletion belongs to the function that it was made
//! in, where that still is; and the functions are ranked (`ranking`), each reason with its part of the score.

mod against;
pub mod by_commit;
mod declarations;
mod first_difference;
pub mod opening;
mod phases;
mod pieces;
mod places;
mod ranking;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use crate::comparison::Comparison;
use crate::session::{Resolved, Session};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use callscape_source::Scan;
use callscape_source::history::change::{Changes, Commit, Region};
use callscape_source::history::{self, HistoryError};
pub use first_difference::FirstDifference;
pub use ranking::{Part, PartOf};

/// Why a function counts as changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A line of it was added or changed.
    Body,
    /// Lines of it were deleted, and nothing else.
    BeforeDeletion,
    /// It uses the name of something outside of functions that was changed, as far as the text says.
    Declaration,
}

impl Reason {
    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Body => "body",
            Reason::BeforeDeletion => "before deletion",
            Reason::Declaration => "declaration",
        }
    }
}

/// A changed declaration that a function uses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Used {
    pub name: String,
    pub file: String,
    /// Of the declaration; of one that is gone, where it stood in the earlier revision.
    pub line: u32,
    pub is_gone: bool,
}

/// A function that ran and was touched by a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub module: ModuleId,
    /// As the recording has it; several where it has names for parts of it.
    pub functions: Vec<FunctionId>,
    /// Where the lines are: of a declaration not always the file of the function.
    pub file: String,
    /// In the later revision, in rising order: changed lines, or those before deletions.
    pub lines: Vec<u32>,
    pub reason: Reason,
    /// Words that stood in it are gone; else the change only adds to it.
    pub replaces: bool,
    /// What it uses of what was changed outside of functions.
    pub uses: Vec<Used>,
    /// Indices into [`Faults::commits`], the newest first.
    pub commits: Vec<u32>,
    /// Some of the lines are not committed yet.
    pub is_uncommitted: bool,
    /// None in a profile.
    pub first: Option<(Time, ThreadId)>,
    /// 0 where the recording does not count them.
    pub calls: u64,
    pub self_cost: Cost,
    pub total: Cost,
    /// The innermost phases that it runs in, in order.
    pub phases: Vec<String>,
    /// From 0 to 1.
    pub score: f64,
    pub why: Vec<Part>,
}

/// A changed function that the recording did not see run.
#[derive(Clone, Debug, PartialEq)]
pub struct NotRun {
    /// With the classes and namespaces around it, joined by points.
    pub name: String,
    pub file: String,
    pub line: u32,
    pub lines: Vec<u32>,
    pub commits: Vec<u32>,
    pub is_uncommitted: bool,
}

/// What a person has to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    Macro,
    /// An inclusion, whose names are not followed.
    Include,
    BuildFile,
}

impl Flag {
    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Flag::Macro => "macro",
            Flag::Include => "include",
            Flag::BuildFile => "build file",
        }
    }
}

/// A change whose effect is not followed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flagged {
    pub flag: Flag,
    pub file: String,
    pub lines: Vec<u32>,
    /// Of a macro; empty otherwise.
    pub name: String,
}

/// What is not in the list, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files that differ.
    pub files: u32,
    pub removed_files: u32,
    /// Differences in comments and white space alone.
    pub only_looks: u32,
    /// Changed lines outside of functions that declare nothing that a function which ran uses.
    pub unused_lines: u32,
    /// Changed files without a grammar: documents and data.
    pub other_files: u32,
}

impl Counts {
    /// How much of what was not looked into, in words; nothing of which there is none.
    pub fn not_looked_into(&self) -> impl Iterator<Item = (u64, &'static str)> {
        let all = [
            (
                self.unused_lines,
                "changed line outside functions, not used by any function that ran",
                "changed lines outside functions, not used by any function that ran",
            ),
            (
                self.only_looks,
                "difference only in comments or white space",
                "differences only in comments and white space",
            ),
            (
                self.other_files,
                "changed file in an unsupported language",
                "changed files in unsupported languages",
            ),
            (self.removed_files, "removed file", "removed files"),
        ];
        let told = all.into_iter().filter(|(count, ..)| *count > 0);
        told.map(|(count, one, many)| (count.into(), if count == 1 { one } else { many }))
    }
}

/// The functions that ran and were touched, and what is to be known of the rest.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Most suspect first.
    pub faults: Vec<Fault>,
    /// In order of file and line.
    pub not_run: Vec<NotRun>,
    pub flagged: Vec<Flagged>,
    pub counts: Counts,
    /// The newest first.
    pub commits: Vec<Commit>,
    /// How many commits lie between the two revisions.
    pub between: u64,
    /// Some of these are missing or not looked at.
    pub is_cut_off: bool,
    /// Where the run and that of the earlier revision part; none without a recording of that, or where they do not.
    pub first_difference: Option<FirstDifference>,
    /// How many functions ran and are in the source.
    pub executed: u64,
}

/// The part of the run that fails, as far as one knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failing {
    pub range: Option<TimeRange>,
    pub threads: Vec<ThreadId>,
}

/// What to look at.
pub struct Question<'a> {
    /// The source tree, and the recording of the later revision as its first.
    pub session: &'a Session,
    pub changes: &'a Changes,
    /// Of the source tree, with what imports what; without it declarations count in their own file alone.
    pub scan: Option<&'a Scan>,
    /// A run of the earlier revision and, as B, the recording.
    pub against: Option<&'a Comparison>,
    pub failing: Failing,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum FaultsError {
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(
        "{recording}: its {functions} functions are all missing in {source_dir}; expected a recording of this program"
    )]
    OtherProgram {
        recording: String,
        functions: usize,
        source_dir: String,
    },
    #[error("faults need a source tree and a recording")]
    Incomplete,
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The functions that ran and were touched by a change, ranked.
///
/// Only changed files are parsed, and of the others those that import a changed declaration and have its name in them. What ran
/// comes from the sums that the call store keeps; phases are looked for in one pass over the calls, and another run is
/// compared call by call up to where the two part.
pub fn find(question: &Question<'_>, progress: &Progress) -> Result<Faults, FaultsError> {
    let session = question.session;
    let dir = session.source_dir.as_deref();
    let (Some(dir), Some(resolved)) = (dir, session.recordings.first()) else {
        return Err(FaultsError::Incomplete);
    };
    ensure_same_program(resolved, dir)?;
    progress.start("reading changed files", question.changes.files.len() as u64);
    let files = pieces::read(question.changes, progress)?;
    let ran = places::Ran::new(session, resolved, question.changes, &files);
    let cut = pieces::cut(question.changes, &files);
    let mut found = Found::new(question.changes, &cut);
    found.bodies(&cut, &files, &ran);
    let users = declarations::users(question, dir, &files, &cut.declared, &ran, progress)?;
    found.declarations(users, &cut.declared);
    let mut faults = found.faults;
    faults.executed = ran.executed();
    faults.commits_of(dir, question.changes, found.regions, progress)?;
    for fault in &mut faults.faults {
        ran.measure(fault);
    }
    phases::fill(&mut faults.faults, &resolved.recording, progress)?;
    ranking::rank(&mut faults, question, progress)?;
    Ok(faults)
}

fn ensure_same_program(resolved: &Resolved, dir: &Path) -> Result<(), FaultsError> {
    let functions = resolved.recording.functions.len();
    if functions > 0 && resolved.resolution.found() == 0 {
        return Err(FaultsError::OtherProgram {
            recording: resolved.recording.name(),
            functions,
            source_dir: dir.display().to_string(),
        });
    }
    Ok(())
}

/// Where the lines of an entry lie, for the commits that touched them.
type Regions = Vec<Region>;

/// What is found so far, and where its lines lie.
struct Found<'a> {
    changes: &'a Changes,
    faults: Faults,
    /// Of the faults, then of those that did not run.
    regions: [Vec<Regions>; 2],
    at: BTreeMap<ModuleId, usize>,
}

impl<'a> Found<'a> {
    fn new(changes: &'a Changes, cut: &pieces::Cut) -> Found<'a> {
        let mut faults = Faults {
            counts: cut.counts,
            flagged: cut.flagged.clone(),
            ..Faults::default()
        };
        faults.flagged.sort();
        Found {
            changes,
            faults,
            regions: [Vec::new(), Vec::new()],
            at: BTreeMap::new(),
        }
    }

    fn bodies(&mut self, cut: &pieces::Cut, files: &[pieces::FileRead], ran: &places::Ran<'_>) {
        for (&(file, definition), piece) in &cut.pieces {
            let path = &self.changes.files[file].path;
            let lines: Vec<u32> = piece
                .lines
                .iter()
                .chain(&piece.before_deletions)
                .copied()
                .collect();
            let lines: BTreeSet<u32> = lines.into_iter().collect();
            let lines: Vec<u32> = lines.into_iter().collect();
            let regions = piece.regions(file);
            let Some(place) = ran.at(file, Some(definition)) else {
                let syntax = files[file].after.as_ref();
                let name = syntax.map(|it| it.names_of(definition).join("."));
                let line = syntax
                    .and_then(|it| it.definitions.get(definition))
                    .map(|it| it.line);
                self.faults.not_run.push(NotRun {
                    name: name.unwrap_or_default(),
                    file: path.clone(),
                    line: line.unwrap_or_default(),
                    lines,
                    commits: Vec::new(),
                    is_uncommitted: false,
                });
                self.regions[1].push(regions);
                continue;
            };
            let reason = match piece.lines.is_empty() {
                true => Reason::BeforeDeletion,
                false => Reason::Body,
            };
            self.add(place, path, lines, reason, regions);
            if let Some(&at) = self.at.get(&place.module) {
                self.faults.faults[at].replaces |= piece.replaces;
            }
        }
        for (&file, lines) in &cut.statements {
            let path = &self.changes.files[file].path;
            match ran.at(file, None) {
                Some(place) => {
                    let regions = vec_regions(file, lines);
                    self.add(place, path, lines.clone(), Reason::Body, regions);
                }
                None => self.faults.counts.unused_lines += lines.len() as u32,
            }
        }
    }

    fn declarations(&mut self, users: declarations::Users, declared: &[pieces::Declaration]) {
        let used: BTreeSet<usize> = users
            .by_place
            .values()
            .flat_map(|(_, used)| used.iter().copied())
            .collect();
        self.faults.counts.unused_lines += (declared.len() - used.len()) as u32;
        for (module, (functions, used)) in users.by_place {
            let uses = used.iter().map(|&at| declared[at].used(self.changes));
            let uses: Vec<Used> = uses.collect();
            if let Some(&at) = self.at.get(&module) {
                self.faults.faults[at].uses = uses;
                continue;
            }
            let Some(first) = used.first().map(|&at| &declared[at]) else {
                continue;
            };
            let file = first.file;
            let of_file = used
                .iter()
                .map(|&at| &declared[at])
                .filter(|it| it.file == file);
            let lines: BTreeSet<u32> = of_file.map(|it| it.line_after).collect();
            let regions = used.iter().flat_map(|&at| declared[at].regions()).collect();
            let place = places::Place { module, functions };
            let path = &self.changes.files[file].path;
            let lines = lines.into_iter().collect();
            self.add(&place, path, lines, Reason::Declaration, regions);
            if let Some(fault) = self.faults.faults.last_mut() {
                fault.uses = uses;
            }
        }
    }

    fn add(
        &mut self,
        place: &places::Place,
        file: &str,
        lines: Vec<u32>,
        reason: Reason,
        regions: Regions,
    ) {
        if let Some(&at) = self.at.get(&place.module) {
            let fault = &mut self.faults.faults[at];
            fault.lines.extend(lines);
            fault.lines.sort_unstable();
            fault.lines.dedup();
            fault.reason = fault.reason.min(reason);
            self.regions[0][at].extend(regions);
            return;
        }
        self.at.insert(place.module, self.faults.faults.len());
        self.regions[0].push(regions);
        self.faults.faults.push(Fault {
            module: place.module,
            functions: place.functions.clone(),
            file: file.to_owned(),
            lines,
            reason,
            replaces: false,
            uses: Vec::new(),
            commits: Vec::new(),
            is_uncommitted: false,
            first: None,
            calls: 0,
            self_cost: Cost::ZERO,
            total: Cost::ZERO,
            phases: Vec::new(),
            score: 0.0,
            why: Vec::new(),
        });
    }
}

impl Faults {
    /// Fills in which commits touched the lines of each entry.
    fn commits_of(
        &mut self,
        dir: &Path,
        changes: &Changes,
        regions: [Vec<Regions>; 2],
        progress: &Progress,
    ) -> Result<(), FaultsError> {
        let all: Vec<Region> = regions.iter().flatten().flatten().cloned().collect();
        let touched = history::touched(dir, changes, &all, progress)?;
        let mut next = 0;
        let mut of = |regions: &Regions| {
            let range = next..next + regions.len();
            next = range.end;
            let commits = touched.by_region[range.clone()].iter().flatten().copied();
            let commits: BTreeSet<u32> = commits.collect();
            let is_uncommitted = touched.uncommitted[range].contains(&true);
            (commits.into_iter().collect(), is_uncommitted)
        };
        for (fault, regions) in self.faults.iter_mut().zip(&regions[0]) {
            (fault.commits, fault.is_uncommitted) = of(regions);
        }
        for (not_run, regions) in self.not_run.iter_mut().zip(&regions[1]) {
            (not_run.commits, not_run.is_uncommitted) = of(regions);
        }
        self.not_run
            .sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        self.commits = touched.commits;
        self.between = touched.between;
        self.is_cut_off = touched.is_cut_off;
        Ok(())
    }
}

/// Lines of a file as regions, neighbours in one.
fn vec_regions(file: usize, lines: &[u32]) -> Regions {
    let mut regions: Vec<Region> = Vec::new();
    for &line in lines {
        match regions.last_mut() {
            Some(last) if last.lines.end == line => last.lines.end = line + 1,
            _ => regions.push(region(file, line..line + 1)),
        }
    }
    regions
}

fn region(file: usize, lines: Range<u32>) -> Region {
    Region {
        file: file as u32,
        lines,
    }
}
