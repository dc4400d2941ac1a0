//! What the history of a source tree says, by module.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use callscape_analysis::history::{Limits, Span, coupled};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::history::Timeline;
use callscape_source::history::{FileHistory, History};

/// What the history says, by module; what stands in a file has the values of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct HistoryColumns {
    /// After the last commit that is looked at.
    pub lines: Vec<u32>,
    pub changes: Vec<u32>,
    pub recent_changes: Vec<u32>,
    /// Zero where nothing is known; else days, from 1.
    pub last_change: Vec<u32>,
    pub authors: Vec<u32>,
    pub fixes: Vec<u32>,
    /// Lines added and removed in the last year.
    pub recent_lines: Vec<u32>,
    /// Of files, and what is in them: the place from 1 among [`people`](Self::people) of who changed it most; 0 for others.
    pub main_people: Vec<u8>,
    /// Those who changed most: their number in the history, and their names.
    pub people: Vec<(u32, String)>,
    /// Days since 1970.
    pub first_day: i64,
    pub timeline: Arc<Timeline>,
    /// How many of its commits are looked at.
    commits: u32,
    /// By file of the timeline its module; none for what the hierarchy lacks.
    files: Vec<Option<ModuleId>>,
    /// The files that change together over the whole history, found when they are asked for.
    together: OnceLock<Together>,
    /// By module the files of the timeline that have its path in the end, found likewise.
    files_of: OnceLock<HashMap<ModuleId, Vec<u32>>>,
}

/// Files that change together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Together {
    /// Two files, and in how many commits both changed; the most certain first.
    pub pairs: Vec<(ModuleId, ModuleId, u32)>,
    /// How many commits changed too many files to say anything.
    pub large: u32,
}

const DAY: i64 = 86_400;

/// How many people are told apart.
const MOST_PEOPLE: usize = 8;

impl HistoryColumns {
    pub(crate) fn new(
        hierarchy: &Hierarchy,
        history: &History,
        is_played: bool,
        path_of: impl Fn(ModuleId) -> String,
    ) -> HistoryColumns {
        let known = history.files.values().filter(|file| file.changes > 0);
        let first = match is_played {
            // Each of its days is shown.
            true => history.timeline.clock.first().copied(),
            false => known.map(|file| file.last_change).min(),
        };
        let first = first.unwrap_or(0);
        let first_day = first.div_euclid(DAY);
        let day = |file: &FileHistory| {
            let days = file.last_change.div_euclid(DAY) - first_day + 1;
            u32::try_from(days).unwrap_or(0)
        };
        let mut columns = HistoryColumns {
            lines: vec![0; hierarchy.len()],
            changes: vec![0; hierarchy.len()],
            recent_changes: vec![0; hierarchy.len()],
            last_change: vec![0; hierarchy.len()],
            authors: vec![0; hierarchy.len()],
            fixes: vec![0; hierarchy.len()],
            recent_lines: vec![0; hierarchy.len()],
            main_people: vec![0; hierarchy.len()],
            people: people(history),
            first_day,
            timeline: Arc::clone(&history.timeline),
            commits: u32::try_from(history.commits).unwrap_or(u32::MAX),
            files: vec![None; history.timeline.files.len()],
            together: OnceLock::new(),
            files_of: OnceLock::new(),
        };
        let numbers = history.timeline.files.iter().zip(0_usize..);
        let numbers: HashMap<&str, usize> =
            numbers.map(|(file, at)| (file.path.as_str(), at)).collect();
        // The authors of the districts that are open.
        let mut open: Vec<(ModuleId, BTreeSet<u32>)> = Vec::new();
        let mut next = 0;
        while next < hierarchy.len() as u32 {
            let id = ModuleId(next);
            columns.close(hierarchy, &mut open, next);
            let subtree = hierarchy.subtree(id);
            if hierarchy.kind(id) != ModuleKind::File {
                open.push((id, BTreeSet::new()));
                next += 1;
                continue;
            }
            next = subtree.end;
            let path = path_of(id);
            if let Some(&number) = numbers.get(path.as_str()) {
                columns.files[number] = Some(id);
            }
            let file = history.files.get(&path);
            let Some(file) = file.filter(|file| file.changes > 0) else {
                continue;
            };
            let inside = subtree.start as usize..subtree.end as usize;
            columns.lines[inside.clone()].fill(file.lines);
            columns.changes[inside.clone()].fill(file.changes);
            columns.recent_changes[inside.clone()].fill(file.recent_changes);
            columns.last_change[inside.clone()].fill(day(file));
            columns.authors[inside.clone()].fill(file.authors.len() as u32);
            columns.fixes[inside.clone()].fill(file.fixes);
            let lines = u32::try_from(file.recent_lines).unwrap_or(u32::MAX);
            columns.recent_lines[inside.clone()].fill(lines);
            let main = columns.people.iter();
            let main = main
                .map(|it| Some(it.0))
                .position(|it| it == file.main_author);
            columns.main_people[inside].fill(main.map_or(0, |at| at as u8 + 1));
            for (around, _) in &open {
                let around = around.index();
                columns.lines[around] = columns.lines[around].saturating_add(file.lines);
                columns.changes[around] = columns.changes[around].saturating_add(file.changes);
                let recent = columns.recent_changes[around];
                columns.recent_changes[around] = recent.saturating_add(file.recent_changes);
                columns.fixes[around] = columns.fixes[around].saturating_add(file.fixes);
                columns.recent_lines[around] = columns.recent_lines[around].saturating_add(lines);
                columns.last_change[around] = columns.last_change[around].max(day(file));
            }
            // Those further out get them when this one is closed.
            if let Some((_, authors)) = open.last_mut() {
                authors.extend(&file.authors);
            }
        }
        columns.close(hierarchy, &mut open, u32::MAX);
        columns
    }

    /// The files of the timeline whose last path is that of the module; none if there are none.
    pub(crate) fn files_of(&self, module: ModuleId) -> Option<&[u32]> {
        let found = self.files_of.get_or_init(|| {
            let files = || self.timeline.files.iter().zip(&self.files);
            let known = files().filter_map(|(file, id)| Some((file.path.as_str(), (*id)?)));
            let modules: HashMap<&str, ModuleId> = known.collect();
            let mut found: HashMap<ModuleId, Vec<u32>> = HashMap::new();
            for ((file, _), at) in files().zip(0..) {
                if let Some(&id) = modules.get(file.path.as_str()) {
                    found.entry(id).or_default().push(at);
                }
            }
            found
        });
        found.get(&module).map(Vec::as_slice)
    }

    /// The files that change together over the whole history.
    pub(crate) fn together(&self) -> &Together {
        self.together
            .get_or_init(|| self.together_in(0..self.commits))
    }

    /// The same over some commits. As [`coupled`].
    pub(crate) fn together_in(&self, commits: Range<u32>) -> Together {
        let span = Span::of(&self.timeline, commits);
        let found = coupled(&self.timeline, &span, &Limits::default());
        let module = |file: u32| self.files.get(file as usize).copied().flatten();
        let pairs = found.pairs.iter();
        let pairs = pairs.filter_map(|it| Some((module(it.a)?, module(it.b)?, it.together)));
        Together {
            pairs: pairs.collect(),
            large: found.large,
        }
    }

    /// Closes the districts that end before `next`.
    fn close(
        &mut self,
        hierarchy: &Hierarchy,
        open: &mut Vec<(ModuleId, BTreeSet<u32>)>,
        next: u32,
    ) {
        while let Some((id, mut authors)) =
            open.pop_if(|(id, _)| hierarchy.subtree(*id).end <= next)
        {
            self.authors[id.index()] = authors.len() as u32;
            if let Some((_, around)) = open.last_mut() {
                if around.len() < authors.len() {
                    std::mem::swap(around, &mut authors);
                }
                around.extend(authors);
            }
        }
    }
}

/// What stands in files, with what is around it, which comes first.
pub(crate) fn parts_of_files(
    hierarchy: &Hierarchy,
) -> impl Iterator<Item = (ModuleId, ModuleId)> + '_ {
    hierarchy.modules().filter_map(|id| {
        let parent = hierarchy.parent(id)?;
        let kind = hierarchy.kind(parent);
        let is_in_file = !matches!(kind, ModuleKind::Root | ModuleKind::Directory);
        is_in_file.then_some((id, parent))
    })
}

/// Those with most changes, the most first.
fn people(history: &History) -> Vec<(u32, String)> {
    let people = history.people.iter().take(MOST_PEOPLE);
    let named = people.filter_map(|&author| {
        let of = history.authors.get(author as usize)?;
        let name = if of.name.is_empty() {
            &of.email
        } else {
            &of.name
        };
        Some((author, name.clone()))
    });
    named.collect()
}

/// For every module its complexity times the recent changes of its file; in a directory the sum over its files.
pub(crate) fn hotspots(hierarchy: &Hierarchy, history: Option<&HistoryColumns>) -> Vec<f64> {
    let mut values = vec![0.0; hierarchy.len()];
    let Some(history) = history.filter(|it| it.recent_changes.len() == hierarchy.len()) else {
        return values;
    };
    let holds_files = |id: ModuleId| {
        let kind = hierarchy.kind(id);
        matches!(
            kind,
            ModuleKind::Root | ModuleKind::Directory | ModuleKind::Entity
        )
    };
    for id in (0..hierarchy.len() as u32).rev().map(ModuleId) {
        let index = id.index();
        if !holds_files(id) {
            let complexity = f64::from(hierarchy.module(id).complexity);
            values[index] = complexity * f64::from(history.recent_changes[index]);
        }
        if let Some(parent) = hierarchy.parent(id).filter(|&parent| holds_files(parent)) {
            values[parent.index()] += values[index];
        }
    }
    values
}
