//! The functions of stacks, of one run or of two: those of the run shown by their numbers, and behind them those that only
//! the other has.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use callscape_analysis::session::Session;
use callscape_base::escape;
use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::recording::Recording;
use callscape_state::document::Document;
use callscape_state::runs::Runs;

#[derive(Clone, Debug)]
pub(super) struct Functions {
    session: Arc<Session>,
    /// Where the run shown and the other stand in the session.
    places: [Option<usize>; 2],
    shown: u32,
}

impl Functions {
    pub(super) fn new(document: &Document) -> Functions {
        let runs = document.runs.as_ref();
        let shown = document.resolved();
        Functions {
            session: Arc::clone(&document.session),
            places: [
                shown.map(|_| document.recording()),
                runs.map(|it| it.place_of_other()),
            ],
            shown: shown.map_or(0, |it| it.recording.functions.len()) as u32,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        let other = self.recording(1).map_or(0, |it| it.functions.len());
        self.shown as usize + other
    }

    fn recording(&self, run: usize) -> Option<&Arc<Recording>> {
        let of = self.session.recordings.get(self.places[run]?)?;
        Some(&of.recording)
    }

    /// The run that a function is of, and its number there.
    fn place(&self, key: u32) -> (usize, FunctionId) {
        match key.checked_sub(self.shown) {
            None => (0, FunctionId(key)),
            Some(other) => (1, FunctionId(other)),
        }
    }

    /// As a function of the run shown, where that has it.
    pub(super) fn shown(&self, key: u32) -> Option<FunctionId> {
        let (run, function) = self.place(key);
        (run == 0).then_some(function)
    }

    /// As the recording has it.
    pub(super) fn name(&self, key: u32) -> &str {
        let (run, function) = self.place(key);
        let recording = self.recording(run);
        let there = recording.filter(|it| function.index() < it.functions.len());
        there.map_or("", |it| it.functions.get(function).name)
    }

    /// As all views call it.
    pub(super) fn title(&self, key: u32) -> Cow<'_, str> {
        let (run, function) = self.place(key);
        let place = self.places[run];
        escape::name(place.map_or("", |it| self.session.function_name(it, function)))
    }

    pub(super) fn module(&self, key: u32) -> Option<ModuleId> {
        let (run, function) = self.place(key);
        let of = self.session.recordings.get(self.places[run]?)?;
        of.resolution.modules.get(function.index()).copied()
    }

    /// The path of its module; empty where it has none.
    pub(super) fn path(&self, key: u32) -> String {
        let module = self.module(key);
        module.map_or_else(String::new, |it| self.session.hierarchy.path(it))
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// By function its place among their names. O(functions log functions).
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut all: Vec<u32> = (0..self.len() as u32).collect();
        all.sort_by_cached_key(|&it| self.name(it).to_lowercase());
        let mut ranks = vec![0; all.len()];
        for (rank, &key) in (0..).zip(&all) {
            ranks[key as usize] = rank;
        }
        ranks
    }

    /// By function of the other run the one that it is.
    pub(super) fn of_other(&self, runs: &Runs) -> Vec<u32> {
        let row = |side: usize, function: u32| runs.row_of(side, FunctionId(function));
        let side = runs.side();
        let mut places: HashMap<u32, u32> = HashMap::new();
        for function in 0..self.shown {
            if let Some(row) = row(side, function) {
                places.entry(row).or_insert(function);
            }
        }
        let others = self.len() as u32 - self.shown;
        let of = |other: u32| {
            let same = row(1 - side, other).and_then(|row| places.get(&row));
            same.copied().unwrap_or(self.shown + other)
        };
        (0..others).map(of).collect()
    }

    /// Whether numbers mean the same functions.
    pub(super) fn is_alike(&self, other: &Functions) -> bool {
        let same = |run: usize| match (self.recording(run), other.recording(run)) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        same(0) && same(1)
    }
}
