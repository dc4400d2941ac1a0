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
mod fault;
mod first_difference;
pub mod opening;
mod phases;
mod pieces;
mod places;
mod ranking;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::session::Resolved;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, ModuleId};
use callscape_source::history::change::{Changes, Region};
use callscape_source::history::{self, HistoryError};
pub use fault::{
    Counts, Failing, Fault, Faults, Flag, Flagged, NotRun, Part, PartOf, Question, Reason, Used,
};
use fault::{Regions, vec_regions};
pub use first_difference::FirstDifference;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum FaultsError {
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(
        "{recording}: none of its {functions} functions is in {source_dir}: it is the recording of another program"
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
