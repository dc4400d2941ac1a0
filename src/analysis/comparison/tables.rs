//! The tables of a comparison: functions, call relations and modules with what both sides show of them.

use std::collections::{BTreeMap, HashMap};

use super::Comparison;
use super::amounts::{Amounts, Change, Measure, Timed, column};
use super::known::Known;
use super::significance::{probabilities, significant};
use super::told::ToldRuns;
use callscape_base::units::{ModuleId, Time, TimeRange};
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::profile::MeanRuns;
use callscape_facts::recording::RecordingKind;
use callscape_facts::trace::{FunctionMetrics, Within};

/// A call relation, between functions or between modules, on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelationChange<T> {
    pub from: T,
    pub to: T,
    pub change: Change,
}

/// How amounts are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// As they are compared: where that is asked for or all that can be, as shares of their runs, or per call of a
    /// function.
    Compared,
    Recorded,
}

impl Comparison {
    /// What of a recording counts: all of it without limits, and of a profile.
    pub fn within(&self, recording: usize) -> Within {
        let limits = self.limits.get(recording).copied().unwrap_or_default();
        let of = self.session.recordings.get(recording);
        let is_limited = limits != [None; 2] && of.is_some_and(|it| it.recording.has_ranges());
        let from = limits[0].unwrap_or(Time::ZERO);
        // A run may be at the end before it is at the start: then nothing counts.
        let to = limits[1].unwrap_or(Time::MAX).max(from);
        Within {
            range: is_limited.then(|| TimeRange::new(from, to)),
            enclosing: self.enclosing,
        }
    }

    /// The range of a recording that counts, as far as it has times; none for the whole recording, and for a profile.
    pub fn range(&self, recording: usize) -> Option<TimeRange> {
        let range = self.within(recording).range?;
        let whole = self
            .session
            .recordings
            .get(recording)?
            .recording
            .timed()
            .range();
        let is_open = range.end == Time::MAX;
        let end = if is_open { whole.end } else { range.end };
        Some(TimeRange::new(range.start, end))
    }

    /// The recordings of a side, as places in the session.
    pub fn runs_of(&self, side: usize) -> std::ops::Range<usize> {
        match side {
            0 => 0..self.runs[0],
            _ => self.runs[0]..self.runs[0] + self.runs[1],
        }
    }

    /// What the one recording of a side tells of runs that it is the mean of; none where it tells nothing of them.
    pub fn mean_runs(&self, side: usize) -> Option<&MeanRuns> {
        let [one] = self.recordings(side) else {
            return None;
        };
        one.recording.profile.as_ref()?.mean_runs()
    }

    /// How many runs each side is of: recordings, or those that its recording is the mean of. What is noise takes two of
    /// each.
    pub fn counted_runs(&self) -> [usize; 2] {
        [0, 1].map(|side| match self.mean_runs(side) {
            Some(told) => usize::try_from(told.runs).unwrap_or(usize::MAX),
            None => self.runs[side],
        })
    }

    /// Whether amounts are compared as they were recorded.
    pub(super) fn is_plain(&self, given: Given) -> bool {
        given == Given::Recorded || (!self.is_by_shares && self.per.is_none())
    }

    /// Which time costs are, given so.
    pub(super) fn timed(&self, given: Given) -> Timed {
        match given {
            Given::Compared => self.timed,
            Given::Recorded => Timed::Elapsed,
        }
    }

    /// Whether a side has recordings, and all of them know when their threads wait.
    pub fn knows_waiting(&self, side: usize) -> bool {
        let of = self.recordings(side);
        !of.is_empty() && of.iter().all(|it| it.recording.trace.knows_waiting())
    }

    /// Every function on both sides, by row. Of several functions of a recording in one row, calls and costs are
    /// added up. O(functions) after the recordings' own summaries.
    pub fn functions(&self, given: Given) -> Vec<Change> {
        self.by_run(given).changes(self.rows.len())
    }

    /// What each run has of each row.
    fn by_run(&self, given: Given) -> Runs {
        let mut runs = Runs::default();
        for side in [0, 1] {
            for recording in self.runs_of(side) {
                let within = self.within(recording);
                let of = &self.session.recordings[recording].recording;
                let metrics = of.function_metrics(within);
                let mut rows = vec![Amounts::default(); self.rows.len()];
                for (metric, &row) in metrics.iter().zip(&self.row_of[recording]) {
                    rows[row as usize].add(&Amounts::from(metric).timed(self.timed(given)));
                }
                if let Some(told) = self.mean_runs(side).filter(|_| self.is_plain(given)) {
                    let sample = self.sample_of(recording, None);
                    let told = ToldRuns::new(told, &self.row_of[recording], sample, &mut rows);
                    runs.told[side] = Some(told);
                }
                let basis = (!self.is_plain(given)).then(|| {
                    let norm = self.norm();
                    Basis::of(&metrics, &self.row_of[recording], norm, self.timed(given))
                });
                if let Some(basis) = basis {
                    basis.scale(&mut rows);
                }
                runs.amounts[side].push(rows);
                runs.samples[side].push(self.sample_of(recording, basis));
            }
        }
        runs
    }

    /// What one sample of a recording counts, brought on what its amounts are; nothing where calls are exact.
    pub(super) fn sample_of(&self, recording: usize, basis: Option<Basis>) -> Amounts {
        let of = &self.session.recordings[recording].recording;
        if of.kind == RecordingKind::Trace || of.samples == 0 {
            return Amounts::default();
        }
        let costs = of.function_metrics(None);
        let costs: f64 = costs.iter().map(|it| it.self_cost.weight() as f64).sum();
        let runs = of.profile.as_ref().and_then(|it| it.mean_runs());
        let one = costs * runs.map_or(1.0, |it| it.runs as f64) / of.samples as f64;
        let mut sample = [Amounts {
            calls: 1.0,
            total: one,
            self_cost: one,
            ..Amounts::default()
        }];
        if let Some(basis) = basis {
            basis.scale(&mut sample);
        }
        let [sample] = sample;
        sample
    }

    /// Every call relation on both sides, between what `place_of` gives for rows; those within one place are left
    /// out where `is_outside` says so. In order of places. O(r log r) in the relations.
    fn relations_between(
        &self,
        given: Given,
        is_outside: bool,
        place_of: impl Fn(u32) -> Option<u32>,
    ) -> Vec<RelationChange<u32>> {
        let mut places: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut runs = Runs::default();
        for side in [0, 1] {
            for recording in self.runs_of(side) {
                let within = self.within(recording);
                let of = &self.session.recordings[recording].recording;
                let rows = &self.row_of[recording];
                let mut sums: HashMap<(u32, u32), Amounts> = HashMap::new();
                for relation in of.relations(within) {
                    let (caller, callee) = (relation.caller.index(), relation.callee.index());
                    let (from, to) = (place_of(rows[caller]), place_of(rows[callee]));
                    let (Some(from), Some(to)) = (from, to) else {
                        continue;
                    };
                    if is_outside && from == to {
                        continue;
                    }
                    let sum = sums.entry((from, to)).or_default();
                    sum.add(&Amounts::from(&relation).timed(self.timed(given)));
                }
                for &pair in sums.keys() {
                    let next = places.len() as u32;
                    places.entry(pair).or_insert(next);
                }
                let mut column = vec![Amounts::default(); places.len()];
                for (pair, sum) in sums {
                    column[places[&pair] as usize] = sum;
                }
                let basis = (!self.is_plain(given)).then(|| self.basis_of(recording, within));
                if let Some(basis) = basis {
                    basis.scale(&mut column);
                }
                runs.amounts[side].push(column);
                runs.samples[side].push(self.sample_of(recording, basis));
            }
        }
        let changes = runs.changes(places.len());
        let relations = places
            .into_iter()
            .map(|((from, to), place)| RelationChange {
                from,
                to,
                change: changes[place as usize],
            });
        relations.collect()
    }

    /// What amounts are brought on.
    pub fn norm(&self) -> Norm {
        match (self.per, self.is_by_shares) {
            (Some(row), _) => Norm::PerCallOf(row),
            (None, true) => Norm::Shares {
                of_calls: self.are_calls_alike(),
            },
            (None, false) => Norm::Recorded,
        }
    }

    /// What the amounts of a run are brought on.
    pub(super) fn basis_of(&self, recording: usize, within: Within) -> Basis {
        let of = &self.session.recordings[recording].recording;
        let metrics = of.function_metrics(within);
        let norm = self.norm();
        Basis::of(&metrics, &self.row_of[recording], norm, self.timed)
    }

    /// Every call relation between functions, as rows.
    pub fn relations(&self, given: Given) -> Vec<RelationChange<u32>> {
        self.relations_between(given, false, Some)
    }

    /// Every call relation between modules: `module_of` gives the one that stands for a module, none for what is
    /// left out. Relations of a module with itself are left out.
    pub fn module_relations(
        &self,
        given: Given,
        module_of: impl Fn(ModuleId) -> Option<ModuleId>,
    ) -> Vec<RelationChange<ModuleId>> {
        let place_of = |row: u32| module_of(self.rows[row as usize].module).map(|it| it.0);
        let relations = self.relations_between(given, true, place_of);
        let named = relations.into_iter().map(|relation| RelationChange {
            from: ModuleId(relation.from),
            to: ModuleId(relation.to),
            change: relation.change,
        });
        named.collect()
    }

    /// By module of the structure, the sums of calls and self costs of the functions in it; the total cost of a module
    /// is that of its longest open function.
    pub fn modules(&self, given: Given) -> Vec<Change> {
        let places: Vec<ModuleId> = self.rows.iter().map(|row| row.module).collect();
        self.modules_over(&self.session.hierarchy, &places, given)
    }

    /// The same by module of another structure, `places` saying where each row is. O(runs × (rows + modules)).
    pub fn modules_over(
        &self,
        hierarchy: &Hierarchy,
        places: &[ModuleId],
        given: Given,
    ) -> Vec<Change> {
        let mut runs = self.by_run(given);
        for run in runs.amounts.iter_mut().flatten() {
            *run = amounts_of_modules(hierarchy, places, run);
        }
        for told in runs.told.iter_mut().flatten() {
            told.put_into_modules(hierarchy, places);
        }
        runs.changes(hierarchy.len())
    }
}

/// By module of a structure what [`Comparison::modules`] gives, of the changes of rows of which `places` says where each
/// is. Nothing is known of their noise. O(functions + modules).
pub fn sums(hierarchy: &Hierarchy, places: &[ModuleId], functions: &[Change]) -> Vec<Change> {
    let side = |of: fn(&Change) -> Amounts| {
        let rows: Vec<Amounts> = functions.iter().map(of).collect();
        amounts_of_modules(hierarchy, places, &rows)
    };
    let (a, b) = (side(|it| it.a), side(|it| it.b));
    a.into_iter()
        .zip(b)
        .map(|(a, b)| Change::new(a, b))
        .collect()
}

/// By module, what the rows in it have.
fn amounts_of_modules(
    hierarchy: &Hierarchy,
    places: &[ModuleId],
    rows: &[Amounts],
) -> Vec<Amounts> {
    let mut modules = vec![Amounts::default(); hierarchy.len()];
    for (place, row) in places.iter().zip(rows) {
        if let Some(module) = modules.get_mut(place.index()) {
            module.add(row);
        }
    }
    for id in (1..hierarchy.len() as u32).rev().map(ModuleId) {
        let of = modules[id.index()];
        let Some(parent) = hierarchy.parent(id) else {
            continue;
        };
        let parent = &mut modules[parent.index()];
        parent.calls += of.calls;
        parent.self_cost += of.self_cost;
        parent.self_waiting += of.self_waiting;
        if of.total > parent.total {
            (parent.total, parent.waiting) = (of.total, of.waiting);
        }
    }
    modules
}

/// What the amounts of runs are brought on, to be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    #[default]
    Recorded,
    /// Shares of the self costs of everything in the run; calls as shares of all calls where both sides count what is
    /// alike, else left out: samples are no calls, and their numbers say nothing beside those of a trace.
    Shares { of_calls: bool },
    /// Amounts per call of the function of this row.
    PerCallOf(u32),
}

/// What the amounts of a run are divided by: calls, and costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basis {
    calls: f64,
    costs: f64,
}

impl Basis {
    /// Of a run, by function what it has and the row that it is.
    pub(super) fn of(
        metrics: &[FunctionMetrics],
        row_of: &[u32],
        norm: Norm,
        timed: Timed,
    ) -> Basis {
        let own = |of: &FunctionMetrics| Amounts::from(of).timed(timed).self_cost;
        match norm {
            Norm::Recorded => Basis {
                calls: 1.0,
                costs: 1.0,
            },
            Norm::Shares { of_calls } => Basis {
                calls: match of_calls {
                    true => metrics.iter().map(|it| it.calls as f64).sum(),
                    false => 0.0,
                },
                costs: metrics.iter().map(own).sum(),
            },
            Norm::PerCallOf(base) => {
                let rows = row_of.iter().zip(metrics);
                let of_base = rows.filter(|(row, _)| **row == base);
                let calls = of_base.map(|(_, metric)| metric.calls as f64).sum();
                Basis {
                    calls,
                    costs: calls,
                }
            }
        }
    }

    /// Divides amounts; what is divided by nothing is nothing.
    pub(super) fn scale(self, rows: &mut [Amounts]) {
        let factor = |of: f64| if of > 0.0 { 1.0 / of } else { 0.0 };
        let (calls, costs) = (factor(self.calls), factor(self.costs));
        for row in rows {
            *row = Amounts {
                calls: row.calls * calls,
                total: row.total * costs,
                self_cost: row.self_cost * costs,
                waiting: row.waiting * costs,
                self_waiting: row.self_waiting * costs,
            };
        }
    }
}

/// What the runs of both sides have of things that are compared.
#[derive(Default)]
pub(super) struct Runs {
    /// By side and run, of each thing; what is missing at the end is nothing.
    pub amounts: [Vec<Vec<Amounts>>; 2],
    /// By side and run, what one sample counts; nothing of a run whose calls are exact.
    pub samples: [Vec<Amounts>; 2],
    /// By side, what its one recording tells of runs.
    pub told: [Option<ToldRuns>; 2],
}

impl Runs {
    /// The changes of the first `count` things.
    pub(super) fn changes(&self, count: usize) -> Vec<Change> {
        let at = |run: &Vec<Amounts>, place: usize| run.get(place).copied().unwrap_or_default();
        let mean = |runs: &Vec<Vec<Amounts>>, place: usize| {
            let mut sum = Amounts::default();
            for run in runs {
                sum.add(&at(run, place));
            }
            match runs.len() {
                // Not divided: what is added up from whole numbers stays whole.
                0 | 1 => sum,
                runs => sum.times(1.0 / runs as f64),
            }
        };
        let [a, b] = &self.amounts;
        let mut changes: Vec<Change> = (0..count)
            .map(|place| Change::new(mean(a, place), mean(b, place)))
            .collect();
        let runs = [0, 1].map(|side| match &self.told[side] {
            Some(told) => told.runs,
            None => self.amounts[side].len(),
        });
        if runs.iter().any(|&of| of < 2) {
            return changes;
        }
        for measure in Measure::TOLD {
            // By side, the rows one after the other, of each its runs.
            let values = self.amounts.each_ref().map(|runs| {
                let of_row = |place| runs.iter().map(move |run| at(run, place).of(measure));
                (0..count).flat_map(of_row).collect::<Vec<f64>>()
            });
            let samples = self.samples.each_ref().map(|runs| {
                let samples = runs.iter().map(|it| it.of(measure));
                samples.collect::<Vec<f64>>()
            });
            let known = |side: usize, place: usize| match &self.told[side] {
                Some(told) => told.known(place, measure),
                None => Known::Runs {
                    values: &values[side][place * runs[side]..][..runs[side]],
                    samples: &samples[side],
                },
            };
            let rows = (0..count).map(|place| [known(0, place), known(1, place)]);
            let chances = probabilities(rows, runs);
            let noted = significant(&chances);
            for ((change, chance), noted) in changes.iter_mut().zip(chances).zip(noted) {
                // Of what is there without a chance, nothing is known.
                let is_there = change.a.of(measure) > 0.0 || change.b.of(measure) > 0.0;
                change.chance[column(measure)] = chance;
                change.is_significant[column(measure)] = noted || (chance.is_none() && is_there);
            }
        }
        changes
    }
}
