//! Two recorded executions, or several of each side, over one structure: what is which, and what differs.
//!
//! A is the run before a change, B the one after it. Swapping them swaps every answer.

pub mod amounts;
pub mod calls;
pub mod causes;
mod compared;
pub mod condition;
pub mod contexts;
pub mod counted;
mod doubt;
mod doubts;
pub mod known;
pub mod pairing;
pub mod phases;
pub mod revised;
pub mod significance;
mod structure;
pub mod tables;
pub mod threads;
mod told;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::frequency::leave_out_frequent;
use super::resolve::{Resolution, resolve};
use super::session::{OpenError, Resolved, Session};
use amounts::Timed;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{FunctionId, ModuleId};
use callscape_base::warnings::Reporter;
use callscape_facts::frequency::Frequency;
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Enclosing;
use callscape_import as import;
use callscape_source as source;
pub use compared::{Comparison, Row};
pub use doubt::Doubt;
use pairing::{Correction, Entry, Evidence, How};

/// What to compare: recordings of both sides, and no source tree, one for both, or one for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    pub recordings: [Vec<PathBuf>; 2],
    pub source_dirs: Vec<PathBuf>,
}

/// How functions are paired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub corrections: Vec<Correction>,
    /// Only functions of one name in one place are the same.
    pub is_exact: bool,
    /// What to show of profiles that hold several values.
    pub value: Option<String>,
    /// What is called more often in any of the recordings is left out of all.
    pub max_frequency: Option<Frequency>,
}

impl Comparison {
    /// Opens both sides and pairs their functions.
    pub fn open(
        inputs: &Inputs,
        settings: &Settings,
        progress: &Progress,
    ) -> Result<Comparison, OpenError> {
        let reporter = Reporter::new();
        let mut sources = Vec::new();
        for dir in inputs.source_dirs.iter().take(2) {
            sources.push(source::scan(dir, progress, &reporter)?);
        }
        let mut sides = Vec::new();
        for paths in &inputs.recordings {
            sides.push(import::open_all(paths, progress)?);
        }
        if let Some(value) = &settings.value {
            show_value(sides.iter_mut().flatten(), value)?;
        }
        if let Some(limit) = settings.max_frequency {
            let of_a = sides.first().map_or(0, Vec::len);
            let mut all = sides.concat();
            leave_out_frequent(&mut all, limit, progress)?;
            let of_b = all.split_off(of_a);
            sides = vec![all, of_b];
        }
        let b = sides.pop().unwrap_or_default();
        let a = sides.pop().unwrap_or_default();
        let mut comparison = Comparison::of(&sources, [a, b], settings, progress)?;
        comparison.session.source_dir = inputs.source_dirs.last().cloned();
        comparison.session.source_warnings = reporter.warnings();
        Ok(comparison)
    }

    /// Both sides over no source hierarchy, one for both, or one for each. Can be cancelled between its steps.
    pub fn of(
        sources: &[Hierarchy],
        recordings: [Vec<Arc<Recording>>; 2],
        settings: &Settings,
        progress: &Progress,
    ) -> Result<Comparison, Cancelled> {
        progress.start("comparing both runs", 0);
        let runs = [recordings[0].len(), recordings[1].len()];
        let has_both_sources = sources.len() > 1;
        let mut placed = placed(sources, &recordings);
        let [a, b] = recordings;
        let recordings: Vec<Arc<Recording>> = a.into_iter().chain(b).collect();

        let mut sides = [Side::default(), Side::default()];
        let mut entry_of: Vec<Vec<u32>> = Vec::new();
        for (place, recording) in recordings.iter().enumerate() {
            progress.check()?;
            let side = usize::from(place >= runs[0]);
            entry_of.push(sides[side].take(place, recording, &placed.resolutions[place]));
        }
        let calls = calls_of_sides(&recordings, &entry_of, runs, progress)?;
        let pairing = pairing::pair(
            &sides[0].entries,
            &sides[1].entries,
            &Evidence {
                hierarchy: &placed.hierarchy,
                relations: [&calls[0], &calls[1]],
                corrections: &settings.corrections,
                guess: !settings.is_exact,
                has_both_sources,
                are_revisions: recordings.iter().all(|it| it.revision.is_some()),
            },
        );

        let (mut rows, row_of_entry) = rows_of(&pairing.pairs, &sides, &placed.hierarchy);
        let row_of: Vec<Vec<u32>> = entry_of
            .iter()
            .enumerate()
            .map(|(place, entries)| {
                let rows = &row_of_entry[usize::from(place >= runs[0])];
                entries.iter().map(|&entry| rows[entry as usize]).collect()
            })
            .collect();

        let modules = placed.settle(&rows, &row_of, runs);
        for row in &mut rows {
            row.module = modules[row.module.index()].unwrap_or(ModuleId::ROOT);
        }
        let resolved = recordings.into_iter().zip(placed.resolutions);
        let resolved = resolved.map(|(recording, resolution)| Resolved {
            recording,
            resolution,
        });
        let lines_of_a = placed.lines_of_a.as_deref();
        let structure_of_a = lines_of_a.map(|lines| placed.hierarchy.with_lines(lines));
        let session = Session {
            source_dir: None,
            hierarchy: placed.hierarchy,
            recordings: resolved.collect(),
            source_warnings: Vec::new(),
            named: Default::default(),
        };
        let mut comparison = Comparison {
            structure_of_a: structure_of_a.map(Arc::new),
            session,
            runs,
            rows,
            row_of,
            known: placed.known,
            moved_files: placed.moved_files,
            is_by_shares: false,
            timed: Timed::Elapsed,
            per: None,
            limits: Vec::new(),
            enclosing: Enclosing::default(),
            doubts: Vec::new(),
            unclear: pairing.unclear,
        };
        comparison.is_by_shares = doubts::needs_shares(&comparison);
        if [0, 1].iter().all(|&side| comparison.knows_waiting(side)) {
            comparison.timed = Timed::Running;
        }
        comparison.doubts = doubts::find(&comparison);
        Ok(comparison)
    }
}

/// Shows a value in all recordings that have it. Others are compared by the value that they show, with a doubt about it.
///
/// # Errors
/// If none of the recordings has it.
fn show_value<'a>(
    recordings: impl Iterator<Item = &'a mut Arc<Recording>>,
    value: &str,
) -> Result<(), OpenError> {
    let (mut is_shown, mut refused) = (false, None);
    for recording in recordings {
        match Recording::show_value_in(recording, value) {
            Ok(()) => is_shown = true,
            Err(why) => {
                let name = recording.name();
                refused.get_or_insert(OpenError::Value { name, why });
            }
        }
    }
    refused.filter(|_| !is_shown).map_or(Ok(()), Err)
}

/// The functions of one side, each once.
#[derive(Default)]
struct Side {
    entries: Vec<Entry>,
    /// Where each is named.
    named: Vec<(usize, FunctionId)>,
    places: HashMap<(ModuleId, String, u32), u32>,
}

impl Side {
    /// Takes the functions of a recording, and gives by function its place among those of the side.
    fn take(&mut self, place: usize, recording: &Recording, resolution: &Resolution) -> Vec<u32> {
        let functions = &recording.functions;
        let mut entries = Vec::with_capacity(functions.len());
        for id in functions.ids() {
            let function = functions.get(id);
            let module = resolution.modules[id.index()];
            let next = self.entries.len() as u32;
            let key = (module, function.name.to_owned(), function.line);
            let entry = *self.places.entry(key).or_insert(next);
            if entry == next {
                self.entries.push(Entry {
                    module,
                    name: function.name.to_owned(),
                    file: function.file.to_owned(),
                    line: function.line,
                    rule: resolution.rules[id.index()],
                });
                self.named.push((place, id));
            }
            entries.push(entry);
        }
        entries
    }
}

/// All recordings in one structure.
struct Placed {
    hierarchy: Hierarchy,
    known: Vec<[bool; 2]>,
    /// By recording, those of A first.
    resolutions: Vec<Resolution>,
    moved_files: Vec<[String; 2]>,
    /// Which modules are of a source tree.
    is_source: Vec<bool>,
    /// By module its first and last line in the source tree of A, where that has one of its own.
    lines_of_a: Option<Vec<(u32, u32)>>,
}

/// The recordings of both sides in the source trees that there are: none, one for both, or one for each.
fn placed(sources: &[Hierarchy], recordings: &[Vec<Arc<Recording>>; 2]) -> Placed {
    match sources {
        [a, b, ..] => in_two_sources([a, b], recordings),
        [one] => in_one_source(one, recordings),
        [] => {
            let name = |side: &[Arc<Recording>]| {
                let first = side.first().map(|recording| recording.name());
                first.unwrap_or_default()
            };
            let names = recordings.each_ref().map(|side| name(side));
            let root = if names[0] == names[1] {
                &names[0]
            } else {
                "comparison"
            };
            in_one_source(&HierarchyBuilder::new(root).build().0, recordings)
        }
    }
}

/// By side, which of its functions call which.
fn calls_of_sides(
    recordings: &[Arc<Recording>],
    entry_of: &[Vec<u32>],
    runs: [usize; 2],
    progress: &Progress,
) -> Result<[Vec<(u32, u32)>; 2], Cancelled> {
    let mut of_sides = [Vec::new(), Vec::new()];
    for (side, pairs) in of_sides.iter_mut().enumerate() {
        for (place, recording) in recordings.iter().enumerate() {
            progress.check()?;
            if usize::from(place >= runs[0]) == side {
                let entries = &entry_of[place];
                let entry = |id: FunctionId| entries[id.index()];
                let of = recording.relations(None);
                pairs.extend(of.iter().map(|it| (entry(it.caller), entry(it.callee))));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
    }
    Ok(of_sides)
}

/// A row for each pair, then for each function that is on one side alone; and by side, the row of each function.
fn rows_of(
    pairs: &[(u32, u32, How)],
    sides: &[Side; 2],
    hierarchy: &Hierarchy,
) -> (Vec<Row>, [Vec<u32>; 2]) {
    let mut rows: Vec<Row> = Vec::new();
    let mut row_of_entry = [
        vec![u32::MAX; sides[0].entries.len()],
        vec![u32::MAX; sides[1].entries.len()],
    ];
    for &(a, b, how) in pairs {
        row_of_entry[0][a as usize] = rows.len() as u32;
        row_of_entry[1][b as usize] = rows.len() as u32;
        let [old, new] = [&sides[0].entries[a as usize], &sides[1].entries[b as usize]];
        let is_elsewhere = how != How::Same && old.module != new.module;
        rows.push(Row {
            module: new.module,
            was: is_elsewhere.then(|| hierarchy.path(old.module)),
            names: [
                Some(sides[0].named[a as usize]),
                Some(sides[1].named[b as usize]),
            ],
            how: Some(how),
        });
    }
    for side in [0, 1] {
        for (entry, row) in row_of_entry[side].iter_mut().enumerate() {
            if *row == u32::MAX {
                *row = rows.len() as u32;
                let mut names = [None; 2];
                names[side] = Some(sides[side].named[entry]);
                rows.push(Row {
                    module: sides[side].entries[entry].module,
                    names,
                    how: None,
                    was: None,
                });
            }
        }
    }
    (rows, row_of_entry)
}

/// Resolved together, so that directories are named alike, then taken apart and united: what stands in a file that
/// moved has one place.
fn in_one_source(source: &Hierarchy, recordings: &[Vec<Arc<Recording>>; 2]) -> Placed {
    let all = recordings.iter().flatten();
    let functions: Vec<_> = all.map(|recording| &recording.functions).collect();
    let (hierarchy, mut resolutions) = resolve(source, &functions);
    let is_source = of_source(&hierarchy);
    let of_b = resolutions.split_off(recordings[0].len());
    let [a, b] = [resolutions, of_b].map(|mut of_side| {
        let mut is_needed = is_source.clone();
        for module in of_side.iter().flat_map(|it| &it.modules) {
            is_needed[module.index()] = true;
        }
        let (own, modules) = structure::in_order(&hierarchy, |id| !is_needed[id.index()]);
        for module in of_side.iter_mut().flat_map(|it| &mut it.modules) {
            *module = modules[module.index()].unwrap_or(ModuleId::ROOT);
        }
        (own, of_side)
    });
    unite([a, b], &[]).0
}

fn in_two_sources(sources: [&Hierarchy; 2], recordings: &[Vec<Arc<Recording>>; 2]) -> Placed {
    let [a, b] = [0, 1].map(|side| {
        let functions = recordings[side].iter().map(|it| &it.functions);
        resolve(sources[side], &functions.collect::<Vec<_>>())
    });
    let of_a = a.0.modules().map(|id| {
        let module = a.0.module(id);
        (module.line, module.end_line)
    });
    let of_a: Vec<(u32, u32)> = of_a.collect();
    let (mut placed, place_of_a) = unite([a, b], &renamed(recordings));
    let mut lines = vec![(0, 0); placed.hierarchy.len()];
    for (module, of) in place_of_a.iter().zip(of_a) {
        lines[module.index()] = of;
    }
    placed.lines_of_a = Some(lines);
    placed
}

/// Files that were renamed between two revisions, as their paths in A and in B, whichever of them is later.
fn renamed(recordings: &[Vec<Arc<Recording>>; 2]) -> Vec<[String; 2]> {
    let of = |side: usize| {
        let revisions = recordings[side].iter();
        let revisions = revisions.filter_map(|it| it.revision.as_deref());
        revisions.flat_map(|it| it.renamed.iter().cloned())
    };
    let of_a = of(0).map(|[old, new]| [new, old]);
    of(1).chain(of_a).collect()
}

/// Both sides, each resolved in a structure of its own, in the union of both; and by module of A the one of the union.
fn unite(
    [a, b]: [(Hierarchy, Vec<Resolution>); 2],
    renamed: &[[String; 2]],
) -> (Placed, Vec<ModuleId>) {
    let mut united = structure::unite(&a.0, &b.0, renamed);
    let mut resolutions = Vec::new();
    for (side, of_side) in [a.1, b.1].into_iter().enumerate() {
        for mut resolution in of_side {
            for module in &mut resolution.modules {
                *module = united.of[side][module.index()];
            }
            resolutions.push(resolution);
        }
    }
    let of_a = std::mem::take(&mut united.of[0]);
    let placed = Placed {
        is_source: of_source(&united.hierarchy),
        hierarchy: united.hierarchy,
        known: united.known,
        lines_of_a: None,
        resolutions,
        moved_files: united.moved_files,
    };
    (placed, of_a)
}

/// What a source tree says of a module a recording does not: its language, lines of code or bytes.
fn of_source(hierarchy: &Hierarchy) -> Vec<bool> {
    let is_source = |id: ModuleId| {
        let module = hierarchy.module(id);
        module.loc > 0 || module.bytes > 0 || module.functions > 0
    };
    hierarchy.modules().map(is_source).collect()
}

impl Placed {
    /// Moves the functions of A that are paired with others of B to their places, drops the modules that this
    /// leaves empty, and puts the rest in order. Gives by old module the new one.
    fn settle(
        &mut self,
        rows: &[Row],
        row_of: &[Vec<u32>],
        runs: [usize; 2],
    ) -> Vec<Option<ModuleId>> {
        let mut is_needed = vec![false; self.hierarchy.len()];
        for row in rows {
            is_needed[row.module.index()] = true;
        }
        let lines_before = self.lines_of_a.clone();
        for (recording, resolution) in self.resolutions.iter_mut().enumerate() {
            let side = usize::from(recording >= runs[0]);
            for (module, &row) in resolution.modules.iter_mut().zip(&row_of[recording]) {
                let before = std::mem::replace(module, rows[row as usize].module);
                if let (0, Some(lines), Some(old)) = (side, &mut self.lines_of_a, &lines_before)
                    && before != *module
                {
                    // It stands there in A under another name.
                    lines[module.index()] = old[before.index()];
                }
                self.known[module.index()][side] = true;
            }
        }
        let is_source = &self.is_source;
        let is_left_out = |id: ModuleId| !is_needed[id.index()] && !is_source[id.index()];
        let (hierarchy, modules) = structure::in_order(&self.hierarchy, is_left_out);
        let mut known = vec![[false; 2]; hierarchy.len()];
        let mut lines = vec![(0, 0); hierarchy.len()];
        for (old, new) in modules.iter().enumerate() {
            if let Some(new) = new {
                known[new.index()] = self.known[old];
                lines[new.index()] = self.lines_of_a.as_ref().map_or((0, 0), |it| it[old]);
            }
        }
        self.lines_of_a = self.lines_of_a.is_some().then_some(lines);
        for id in (1..hierarchy.len() as u32).rev().map(ModuleId) {
            let of = known[id.index()];
            if let Some(parent) = hierarchy.parent(id) {
                for side in [0, 1] {
                    known[parent.index()][side] |= of[side];
                }
            }
        }
        for resolution in &mut self.resolutions {
            for module in &mut resolution.modules {
                *module = modules[module.index()].unwrap_or(ModuleId::ROOT);
            }
        }
        self.hierarchy = hierarchy;
        self.known = known;
        modules
    }
}
