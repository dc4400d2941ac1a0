//! What a recording that is the mean of runs tells of them, by row of a comparison or by module.

use super::amounts::{Amounts, Measure, column};
use super::known::{Known, Told};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::profile::{MeanRuns, OfFunction, Spread};

/// Of self cost, total cost and calls, what is told; none of what is not known.
type ToldRow = [Option<Told>; 3];

/// What is told of runs, by thing.
pub(super) struct ToldRuns {
    pub runs: usize,
    rows: Vec<Option<ToldRow>>,
}

impl ToldRuns {
    /// By row, `row_of` saying by function which it is. `sample` is what one sample counts; `amounts` are those of the
    /// recording by row, which become the means as they are told. O(functions + rows).
    pub(super) fn new(
        of: &MeanRuns,
        row_of: &[u32],
        sample: Amounts,
        amounts: &mut [Amounts],
    ) -> ToldRuns {
        let told = |function: &OfFunction| -> ToldRow {
            Measure::TOLD.map(|measure| {
                let Spread {
                    mean,
                    deviation,
                    logs,
                } = spread_of(function, measure)?;
                Some(Told {
                    runs: of.runs as f64,
                    there: function.there as f64,
                    mean,
                    deviation,
                    logs,
                    sample: sample.of(measure),
                })
            })
        };
        let nothing = Some(Spread::default());
        let absent = OfFunction {
            there: 0,
            self_cost: nothing,
            total: nothing,
            calls: nothing,
        };
        let mut rows = vec![of.is_whole.then(|| told(&absent)); amounts.len()];
        let mut functions = vec![0u32; amounts.len()];
        for (function, &row) in row_of.iter().enumerate() {
            let row = row as usize;
            functions[row] += 1;
            let known = of.functions.get(function).copied().flatten();
            // How far two functions spread together is not told.
            let known = known.filter(|_| functions[row] == 1);
            rows[row] = known.as_ref().map(told);
            if let Some(known) = known {
                let mean =
                    |of: Option<Spread>, mean: &mut f64| *mean = of.map_or(*mean, |it| it.mean);
                mean(known.self_cost, &mut amounts[row].self_cost);
                mean(known.total, &mut amounts[row].total);
                mean(known.calls, &mut amounts[row].calls);
            }
        }
        ToldRuns {
            runs: usize::try_from(of.runs).unwrap_or(usize::MAX),
            rows,
        }
    }

    /// By module from now on, `places` saying where each row is: what is told of the one function that a module is. How
    /// far several spread together is not told.
    pub(super) fn put_into_modules(&mut self, hierarchy: &Hierarchy, places: &[ModuleId]) {
        let mut functions = vec![0u32; hierarchy.len()];
        let mut modules = vec![None; hierarchy.len()];
        for (place, row) in places.iter().zip(&self.rows) {
            let place = place.index();
            if let Some(module) = modules.get_mut(place) {
                functions[place] += 1;
                *module = row.filter(|_| functions[place] == 1);
            }
        }
        for module in hierarchy.modules().filter(|&it| !hierarchy.is_leaf(it)) {
            modules[module.index()] = None;
        }
        self.rows = modules;
    }

    /// What is known of a thing.
    pub(super) fn known(&self, place: usize, measure: Measure) -> Known<'static> {
        let told = self.rows.get(place).copied().flatten();
        let told = told.and_then(|it| it[column(measure)]);
        told.map_or(Known::Unknown, Known::Told)
    }
}

fn spread_of(of: &OfFunction, measure: Measure) -> Option<Spread> {
    match measure {
        Measure::SelfCost => of.self_cost,
        Measure::Total | Measure::Average => of.total,
        Measure::Calls => of.calls,
    }
}
