//! What is known of the runs of one side of a row that is compared: each of them, or mean and deviation of all.

use callscape_facts::profile::Logs;

/// Fewer samples vary by their number alone.
const MANY: f64 = 5.0;

/// What is known of one row on one side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Known<'a> {
    /// What it has in each run; and by run what one sample counts, which is nothing of a run that was traced.
    Runs {
        values: &'a [f64],
        samples: &'a [f64],
    },
    /// Mean and deviation of runs that are not there themselves.
    Told(Told),
    /// There are runs, and what this row has in them is not known.
    Unknown,
}

/// What several runs have of one row, as another tool has summed it up. Nothing in it is negative or not finite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Told {
    /// At least two.
    pub runs: f64,
    /// In how many of them there is any.
    pub there: f64,
    /// Over all runs, those too in which there is none.
    pub mean: f64,
    /// The standard deviation of a run from that mean: the square root of the squares' sum over one less than the runs.
    pub deviation: f64,
    /// What is told of logarithms themselves.
    pub logs: Option<Logs>,
    /// What one sample counts; nothing of runs that were traced.
    pub sample: f64,
}

impl Known<'_> {
    pub(super) fn is_sampled(&self) -> bool {
        match self {
            Known::Runs { samples, .. } => samples.iter().any(|&sample| sample > 0.0),
            Known::Told(told) => told.sample > 0.0,
            Known::Unknown => false,
        }
    }

    /// Whether no run has any.
    pub(super) fn is_absent(&self) -> bool {
        match self {
            Known::Runs { values, .. } => values.iter().all(|&value| value <= 0.0),
            Known::Told(told) => told.mean <= 0.0,
            Known::Unknown => false,
        }
    }

    /// Whether all runs have some.
    pub(super) fn is_there(&self) -> bool {
        match self {
            Known::Runs { values, .. } => values.iter().all(|&value| value > 0.0),
            Known::Told(told) => {
                let has_some = told.logs.is_none_or(|it| it.least > 0.0);
                told.mean > 0.0 && told.there >= told.runs && has_some
            }
            Known::Unknown => false,
        }
    }

    /// What every run has, where they all have as much.
    pub(super) fn steady(&self) -> Option<f64> {
        match self {
            Known::Runs { values, .. } => {
                let first = *values.first()?;
                values.iter().all(|&value| value == first).then_some(first)
            }
            Known::Told(told) => (told.deviation <= 0.0).then_some(told.mean),
            Known::Unknown => None,
        }
    }

    /// The least that a run has, of those that have any: of what is told, as much below the mean as they spread.
    pub(super) fn least(&self) -> f64 {
        match self {
            Known::Runs { values, .. } => {
                let some = values.iter().copied().filter(|&value| value > 0.0);
                some.fold(f64::INFINITY, f64::min)
            }
            Known::Told(told) if told.mean > 0.0 => match told.logs {
                Some(logs) if logs.least > 0.0 => logs.least,
                _ => {
                    let (mean, variance, _) = told.logs_of_those_there();
                    (mean - variance.sqrt()).exp().max(f64::MIN_POSITIVE)
                }
            },
            Known::Told(_) | Known::Unknown => f64::INFINITY,
        }
    }

    /// Mean of the logarithms of all runs, and the sum of the squares of what is off it; `nothing` stands for what runs
    /// have that have none.
    pub(super) fn logs(&self, nothing: f64) -> (f64, f64) {
        match self {
            Known::Runs { values, samples } => {
                let log = |(&value, &sample): (&f64, &f64)| match sample {
                    sample if sample > 0.0 => (value + sample / 2.0).ln(),
                    _ if value > 0.0 => value.ln(),
                    _ => nothing.ln(),
                };
                let logs: Vec<f64> = values.iter().zip(*samples).map(log).collect();
                let mean = logs.iter().sum::<f64>() / logs.len() as f64;
                (mean, logs.iter().map(|it| (it - mean).powi(2)).sum())
            }
            Known::Told(told) => told.logs(nothing),
            Known::Unknown => (0.0, 0.0),
        }
    }

    /// The square of the error of the mean of logarithms that counting samples makes: the variance of a number of samples
    /// is about that number, so that of its logarithm one over it.
    pub(super) fn counting(&self) -> f64 {
        let one = |value: f64, sample: f64| sample / (value + sample / 2.0).max(sample / 2.0);
        match self {
            Known::Runs { values, samples } => {
                let ones = values.iter().zip(*samples).filter(|it| *it.1 > 0.0);
                let sum: f64 = ones.map(|(&value, &sample)| one(value, sample)).sum();
                sum / (values.len() as f64).powi(2)
            }
            Known::Told(told) if told.sample > 0.0 && told.mean > 0.0 => {
                // The mean of one over numbers whose logarithms are normally distributed.
                let (mean, variance, there) = told.logs_of_those_there();
                let some = told.sample * (variance / 2.0 - mean).exp();
                let nothing = one(0.0, told.sample);
                (there * some.min(nothing) + (told.runs - there) * nothing) / told.runs.powi(2)
            }
            Known::Told(told) if told.sample > 0.0 => one(0.0, told.sample) / told.runs,
            Known::Told(_) | Known::Unknown => 0.0,
        }
    }

    pub(super) fn is_many(&self) -> bool {
        match self {
            Known::Runs { values, samples } => {
                let mut counts = values.iter().zip(*samples);
                counts.all(|(value, sample)| *value >= MANY * sample)
            }
            Known::Told(told) if told.sample > 0.0 => {
                let least = told.logs.map_or(told.mean - told.deviation, |it| it.least);
                told.there >= told.runs && least >= MANY * told.sample
            }
            Known::Told(_) => true,
            Known::Unknown => false,
        }
    }
}

impl Told {
    /// Mean and variance of logarithms of the runs that have any, and how many these are. Where they are not told, they are
    /// taken for those of a log-normal distribution with this mean and deviation (J. Aitchison and J. A. C. Brown, The
    /// Lognormal Distribution, 1957), which is near where runs vary little.
    fn logs_of_those_there(&self) -> (f64, f64, f64) {
        let there = match self.there {
            there if there > 0.0 => there.min(self.runs),
            _ => self.runs,
        };
        if let Some(logs) = self.logs {
            return (logs.mean, logs.deviation.powi(2), there);
        }
        let mean = self.mean * (self.runs / there);
        // Of the squares of what is off the mean, those that runs without any leave to the others.
        let squares = (self.runs - 1.0) * self.deviation.powi(2)
            - (self.runs - there) * (self.runs / there) * self.mean.powi(2);
        let deviation = (squares.max(0.0) / (there - 1.0).max(1.0)).sqrt();
        logs(mean + self.sample / 2.0, deviation, there)
    }

    fn logs(&self, nothing: f64) -> (f64, f64) {
        let nothing = match self.sample {
            sample if sample > 0.0 => (sample / 2.0).ln(),
            _ => nothing.ln(),
        };
        if self.mean <= 0.0 {
            return (nothing, 0.0);
        }
        let (mean, variance, there) = self.logs_of_those_there();
        let squares = variance * (there - 1.0);
        let without = self.runs - there;
        if without <= 0.0 {
            return (mean, squares);
        }
        let off = mean - nothing;
        (
            mean - off * without / self.runs,
            squares + there * without / self.runs * off * off,
        )
    }
}

/// Mean and variance of the logarithms of `count` numbers with this mean and deviation, and `count` itself.
fn logs(mean: f64, deviation: f64, count: f64) -> (f64, f64, f64) {
    let variance = (deviation / mean).powi(2);
    let below = (variance * (count - 1.0) / count).ln_1p() / 2.0;
    (mean.ln() - below, variance.ln_1p(), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of numbers.
    fn told(values: &[f64], sample: f64) -> Told {
        let runs = values.len() as f64;
        let mean = values.iter().sum::<f64>() / runs;
        let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
        Told {
            runs,
            there: values.iter().filter(|&&it| it > 0.0).count() as f64,
            mean,
            deviation: (squares / (runs - 1.0)).sqrt(),
            logs: None,
            sample,
        }
    }

    fn told_with_logs(values: &[f64], sample: f64) -> Known<'static> {
        let some = values.iter().copied().filter(|&it| it > 0.0);
        let some: Vec<f64> = some.collect();
        let logs: Vec<f64> = some.iter().map(|it| (it + sample / 2.0).ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let squares: f64 = logs.iter().map(|it| (it - mean).powi(2)).sum();
        let logs = Logs {
            mean,
            deviation: (squares / (logs.len() as f64 - 1.0).max(1.0)).sqrt(),
            least: some.iter().copied().fold(f64::INFINITY, f64::min),
        };
        let logs = Some(logs);
        let told = told(values, sample);
        Known::Told(Told { logs, ..told })
    }

    /// Logarithms that are told of are near those of the numbers themselves, with runs that have nothing and without, and
    /// of samples.
    #[test]
    fn what_is_told_gives_the_logarithms_of_the_runs() {
        let mut below = callscape_facts::trace::random::random_numbers(11);
        for round in 0..300u32 {
            let runs = 3 + below(12) as usize;
            let sample = if round % 3 == 0 { 10.0 } else { 0.0 };
            let values: Vec<f64> = (0..runs)
                .map(|run| match round % 2 == 1 && run > 1 && below(3) == 0 {
                    true => 0.0,
                    false => 900.0 + below(200) as f64,
                })
                .collect();
            let samples = vec![sample; runs];
            let known = Known::Runs {
                values: &values,
                samples: &samples,
            };
            let of_told = Known::Told(told(&values, sample));
            let (mean, squares) = known.logs(450.0);
            let (mean_told, squares_told) = of_told.logs(450.0);
            assert!(
                (mean - mean_told).abs() < 1e-3,
                "{values:?}: {mean} {mean_told}"
            );
            let off = (squares - squares_told).abs();
            assert!(
                off < 0.1 * squares + 1e-9,
                "{values:?}: {squares} {squares_told}"
            );
            assert!(
                (known.least() / of_told.least()).ln().abs() < 0.2,
                "{values:?}"
            );
            assert!(
                (known.counting() - of_told.counting()).abs() < 0.02 * known.counting() + 1e-12
            );
            assert_eq!(known.is_there(), of_told.is_there());
            // With logarithms it is no matter of how they are distributed.
            let logs = told_with_logs(&values, sample);
            let (mean_told, squares_told) = logs.logs(450.0);
            assert!((mean - mean_told).abs() < 1e-9, "{values:?}");
            assert!((squares - squares_told).abs() < 1e-9, "{values:?}");
            assert!((known.counting() - logs.counting()).abs() < 0.01 * known.counting() + 1e-12);
            assert_eq!(known.least(), logs.least());
            assert_eq!(known.is_there(), logs.is_there());
            assert_eq!(known.is_many(), logs.is_many());
            assert_eq!(known.is_many(), of_told.is_many());
        }
    }

    #[test]
    fn what_never_varies_and_what_is_not_there_is_told_exactly() {
        let same = Known::Told(told(&[7.0; 4], 0.0));
        assert_eq!(same.steady(), Some(7.0));
        assert_eq!(same.logs(1.0), (7f64.ln(), 0.0));
        let nothing = Known::Told(told(&[0.0; 4], 0.0));
        assert!(nothing.is_absent() && !nothing.is_there());
        assert_eq!(nothing.logs(2.0), (2f64.ln(), 0.0));
        let in_two = Known::Told(told(&[5.0, 0.0, 5.0, 0.0], 0.0));
        assert!(!in_two.is_there() && !in_two.is_absent());
        let (mean, squares) = in_two.logs(2.0);
        assert!((mean - 10f64.ln() / 2.0).abs() < 1e-9, "{mean}");
        assert!((squares - 2.5f64.ln().powi(2)).abs() < 1e-9, "{squares}");
    }
}
