//! What an answer tells of the runs of which its costs are the mean: how many there are, and how far they spread.

use super::values::Cell;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::profile::{Logs, MeanRuns, OfFunction, Spread};

/// How many runs the means are of: the same in all rows.
const RUNS: &str = "runs";

/// The means and deviations of self cost, total cost and calls.
const MEANS: [&str; 3] = ["mean_self", "mean_total", "mean_calls"];
const SPREADS: [&str; 3] = ["spread_self", "spread_total", "spread_calls"];

/// What may stand beside them of natural logarithms: mean and deviation; and the least cost.
const LOGS: [&str; 3] = ["log_self", "log_total", "log_calls"];
const LOG_SPREADS: [&str; 3] = ["log_spread_self", "log_spread_total", "log_spread_calls"];
const LEAST: [&str; 3] = ["least_self", "least_total", "least_calls"];

/// A deviation may be larger than numbers that are not negative have by so little, which rounding makes.
const ROUNDING: f64 = 1e-6;

/// What a column tells of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tells {
    Runs,
    /// In how many of the runs a function ran.
    There,
    /// How many samples all runs have; the same in all rows.
    Samples,
    /// How many functions ran in all, those too that have no row; the same in all rows.
    Functions,
    /// Of self cost, total cost or calls.
    Mean(usize),
    Spread(usize),
    Log(usize),
    LogSpread(usize),
    Least(usize),
}

impl Tells {
    /// What a column of this name tells, in a file that tells of runs.
    pub(super) fn named(name: &str) -> Option<Tells> {
        let at = |names: [&str; 3]| names.iter().position(|it| *it == name);
        match name {
            RUNS => Some(Tells::Runs),
            "recordings" => Some(Tells::There),
            "samples" => Some(Tells::Samples),
            "functions" => Some(Tells::Functions),
            _ => {
                let mean = at(MEANS).map(Tells::Mean);
                let spread = mean.or_else(|| at(SPREADS).map(Tells::Spread));
                let log = spread.or_else(|| at(LOGS).map(Tells::Log));
                let log_spread = log.or_else(|| at(LOG_SPREADS).map(Tells::LogSpread));
                log_spread.or_else(|| at(LEAST).map(Tells::Least))
            }
        }
    }

    /// Whether it is no value of its own.
    pub(super) fn is_about_runs(self) -> bool {
        !matches!(self, Tells::There | Tells::Mean(_))
    }
}

/// Whether columns tell of runs: how many, and of the self cost a mean and how far it spreads.
pub(super) fn are_told(has: impl Fn(&str) -> bool) -> bool {
    [RUNS, MEANS[0], SPREADS[0]].into_iter().all(has)
}

/// Whether a column of this name tells how far runs spread, where the file tells of runs.
pub(super) fn is_spread(name: &str) -> bool {
    SPREADS.contains(&name)
}

/// What the rows have told so far.
#[derive(Default)]
pub(super) struct Means {
    /// What is the same in all rows, as the first has it that has any.
    runs: Option<u64>,
    samples: Option<u64>,
    in_all: Option<u64>,
    rows: u64,
    /// By function.
    functions: Vec<Told>,
    row: Row,
}

/// What one row tells.
#[derive(Clone, Copy, Default)]
struct Row {
    runs: Option<u64>,
    there: Option<u64>,
    means: [Option<f64>; 3],
    spreads: [Option<f64>; 3],
    logs: [Option<f64>; 3],
    log_spreads: [Option<f64>; 3],
    least: [Option<f64>; 3],
}

#[derive(Clone, Copy, Default)]
enum Told {
    /// No row yet.
    #[default]
    Nothing,
    Once(OfFunction),
    /// What several rows spread together, or one that is wrong, nobody knows.
    Unknown,
}

impl Means {
    /// Takes a cell of the row that is read.
    pub(super) fn cell(
        &mut self,
        tells: Tells,
        cell: Cell<'_>,
        reporter: &Reporter,
        place: &impl Fn() -> Place,
    ) {
        let whole = || {
            let number = number(cell, reporter, place)?;
            if number.fract() != 0.0 {
                reporter.warn("not-a-whole-number", place);
                return None;
            }
            Some(number as u64)
        };
        match tells {
            Tells::Runs => self.row.runs = whole(),
            Tells::There => self.row.there = whole(),
            Tells::Samples => self.samples = self.samples.or_else(whole),
            Tells::Functions => self.in_all = self.in_all.or_else(whole),
            // The value of that name has told what is wrong with it.
            Tells::Mean(of) => self.row.means[of] = sound(cell),
            Tells::Spread(of) => self.row.spreads[of] = number(cell, reporter, place),
            Tells::Log(of) => self.row.logs[of] = logarithm(cell, reporter, place),
            Tells::LogSpread(of) => self.row.log_spreads[of] = number(cell, reporter, place),
            Tells::Least(of) => self.row.least[of] = number(cell, reporter, place),
        }
    }

    /// Ends the row, which is of a function.
    pub(super) fn end_row(
        &mut self,
        function: FunctionId,
        reporter: &Reporter,
        place: &impl Fn() -> Place,
    ) {
        let row = std::mem::take(&mut self.row);
        self.rows += 1;
        if self.functions.len() <= function.index() {
            self.functions.resize(function.index() + 1, Told::default());
        }
        self.runs = self.runs.or(row.runs.filter(|&runs| runs > 0));
        let told = match row.runs {
            Some(runs) if self.runs == Some(runs) => {
                row.told(runs, self.samples, (reporter, place))
            }
            _ => {
                reporter.warn("runs-not-those-of-others", place);
                None
            }
        };
        let known = &mut self.functions[function.index()];
        *known = match (*known, told) {
            (Told::Nothing, Some(told)) => Told::Once(told),
            (Told::Once(_), _) => {
                reporter.warn("spread-of-several-rows", place);
                Told::Unknown
            }
            _ => Told::Unknown,
        };
    }

    /// What all rows tell, of costs that are counted in this many of a unit; and how many samples the runs have. None
    /// where no row says how many runs there are.
    pub(super) fn finish(self, per_unit: f64) -> Option<(MeanRuns, u64)> {
        let scaled = |of: Spread| Spread {
            mean: of.mean * per_unit,
            deviation: of.deviation * per_unit,
            logs: of.logs.map(|logs| Logs {
                mean: logs.mean + per_unit.ln(),
                deviation: logs.deviation,
                least: logs.least * per_unit,
            }),
        };
        let of = |told: Told| match told {
            Told::Once(told) => Some(OfFunction {
                self_cost: told.self_cost.map(scaled),
                total: told.total.map(scaled),
                ..told
            }),
            Told::Nothing | Told::Unknown => None,
        };
        let runs = MeanRuns {
            runs: self.runs?,
            functions: self.functions.into_iter().map(of).collect(),
            is_whole: self.in_all.is_some_and(|in_all| in_all <= self.rows),
        };
        Some((runs, self.samples.unwrap_or_default()))
    }
}

impl Row {
    /// What the row at hand tells, for an answer from `runs` runs with `samples` samples.
    fn told(
        &self,
        runs: u64,
        samples: Option<u64>,
        (reporter, place): (&Reporter, &impl Fn() -> Place),
    ) -> Option<OfFunction> {
        let there = match self.there {
            Some(there) if there > runs => {
                reporter.warn("more-runs-than-there-are", place);
                runs
            }
            there => there.unwrap_or(runs),
        };
        let spread = |of: usize| {
            let (mean, deviation) = (self.means[of]?, self.spreads[of]?);
            // All of one run and nothing of the others spreads most.
            if deviation > mean * (runs as f64).sqrt() * (1.0 + ROUNDING) {
                reporter.warn("spread-out-of-range", place);
                return None;
            }
            let logs = self.logs(of).filter(|logs| {
                let most = mean * runs as f64 / there.max(1) as f64;
                let is_below = samples.unwrap_or_default() > 0 || logs.mean <= most.ln() + ROUNDING;
                let is_above = logs.mean >= logs.least.ln() - ROUNDING;
                let is_right = is_below && is_above && logs.deviation <= most_of_logarithms();
                if !is_right {
                    reporter.warn("logarithms-out-of-range", place);
                }
                is_right
            });
            Some(Spread {
                mean,
                deviation,
                logs,
            })
        };
        Some(OfFunction {
            there,
            self_cost: spread(0),
            total: spread(1),
            calls: spread(2),
        })
    }

    fn logs(&self, of: usize) -> Option<Logs> {
        Some(Logs {
            mean: self.logs[of]?,
            deviation: self.log_spreads[of]?,
            least: self.least[of]?,
        })
    }
}

/// The logarithm of the largest amount; of amounts that differ more, none is known.
fn most_of_logarithms() -> f64 {
    (u64::MAX as f64).ln()
}

/// A logarithm of an amount; what is none is counted.
fn logarithm(cell: Cell<'_>, reporter: &Reporter, place: &impl Fn() -> Place) -> Option<f64> {
    let found = match cell {
        Cell::Null => return None,
        Cell::Whole(number) => number as f64,
        Cell::Real(number) => number,
        Cell::Text(_) => f64::NAN,
    };
    let is_one = found.abs() <= most_of_logarithms();
    if !is_one {
        reporter.warn("not-a-number", place);
    }
    is_one.then_some(found)
}

/// A number that may stand there; what is wrong with another is counted.
fn number(cell: Cell<'_>, reporter: &Reporter, place: &impl Fn() -> Place) -> Option<f64> {
    let found = sound(cell);
    let is_less = |cell| match cell {
        Cell::Whole(number) => number < 0,
        Cell::Real(number) => number < 0.0 && number.is_finite(),
        Cell::Null | Cell::Text(_) => false,
    };
    match found {
        None if is_less(cell) => reporter.warn("negative-number", place),
        None if cell != Cell::Null => reporter.warn("not-a-number", place),
        _ => {}
    }
    found
}

/// A number that is neither negative nor without end, and no more than any amount.
fn sound(cell: Cell<'_>) -> Option<f64> {
    let number = match cell {
        Cell::Whole(number) => number as f64,
        Cell::Real(number) => number,
        Cell::Null | Cell::Text(_) => return None,
    };
    (0.0..=u64::MAX as f64).contains(&number).then_some(number)
}
