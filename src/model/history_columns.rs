//! What the history of a source tree says, by module.

use std::collections::BTreeSet;

use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_source::history::{FileHistory, History};

/// What the history says, by module; what stands in a file has the values of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct HistoryColumns {
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
}

const DAY: i64 = 86_400;

/// How many people are told apart.
const MOST_PEOPLE: usize = 8;

impl HistoryColumns {
    pub(crate) fn new(
        hierarchy: &Hierarchy,
        history: &History,
        path_of: impl Fn(ModuleId) -> String,
    ) -> HistoryColumns {
        let known = history.files.values().filter(|file| file.changes > 0);
        let first = known.map(|file| file.last_change).min().unwrap_or(0);
        let first_day = first.div_euclid(DAY);
        let day = |file: &FileHistory| {
            let days = file.last_change.div_euclid(DAY) - first_day + 1;
            u32::try_from(days).unwrap_or(0)
        };
        let mut columns = HistoryColumns {
            changes: vec![0; hierarchy.len()],
            recent_changes: vec![0; hierarchy.len()],
            last_change: vec![0; hierarchy.len()],
            authors: vec![0; hierarchy.len()],
            fixes: vec![0; hierarchy.len()],
            recent_lines: vec![0; hierarchy.len()],
            main_people: vec![0; hierarchy.len()],
            people: people(history),
            first_day,
        };
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
            let file = history.files.get(&path_of(id));
            let Some(file) = file.filter(|file| file.changes > 0) else {
                continue;
            };
            let inside = subtree.start as usize..subtree.end as usize;
            columns.changes[inside.clone()].fill(file.changes);
            columns.recent_changes[inside.clone()].fill(file.recent_changes);
            columns.last_change[inside.clone()].fill(day(file));
            columns.authors[inside.clone()].fill(file.authors.len() as u32);
            columns.fixes[inside.clone()].fill(file.fixes);
            let lines = u32::try_from(file.recent_lines).unwrap_or(u32::MAX);
            columns.recent_lines[inside.clone()].fill(lines);
            let main = columns.people.iter();
            let main = main.map(|it| Some(it.0)).position(|it| it == file.main_author);
            columns.main_people[inside].fill(main.map_or(0, |at| at as u8 + 1));
            for (around, _) in &open {
                let around = around.index();
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

/// Those with most changes, the most first.
fn people(history: &History) -> Vec<(u32, String)> {
    let people = history.people.iter().take(MOST_PEOPLE);
    let named = people.filter_map(|&author| {
        let of = history.authors.get(author as usize)?;
        let name = if of.name.is_empty() { &of.email } else { &of.name };
        Some((author, name.clone()))
    });
    named.collect()
}

/// For every module its complexity times the recent changes of its file; in a directory the sum over its files.
pub(super) fn hotspots(hierarchy: &Hierarchy, history: Option<&HistoryColumns>) -> Vec<f64> {
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
