//! What of a difference is noise, where several runs of each side are known.
//!
//! Costs vary by factors: a busy machine makes everything longer, so that logarithms of them are compared. A few runs
//! say little of how much a function varies, but all functions together say how much functions do: the variance of
//! each is drawn towards that of all, as far as they agree (G. K. Smyth, "Linear models and empirical Bayes methods for
//! assessing differential expression in microarray experiments", Statistical Applications in Genetics and Molecular
//! Biology 3, 2004, sections 3 and 6.2), and Student's test is made with it. Over all rows of a table holds the
//! bound on false discoveries of Y. Benjamini and Y. Hochberg ("Controlling the false discovery rate", Journal of the
//! Royal Statistical Society B 57, 1995): among thousands of functions some differ by chance alone.

use super::known::Known;

/// Of the differences that are called significant no more than this share is expected to be chance.
pub const FALSE_DISCOVERIES: f64 = 0.05;

/// So many variances say how much variances differ.
const LEAST_VARIANCES: usize = 10;

/// A variance that is larger than that of all with less than this probability stands for itself alone: a row of which one
/// run was held up says nothing of the others, and they nothing of it (B. Phipson and others, "Robust hyperparameter
/// estimation protects against hypervariable genes", Annals of Applied Statistics 10, 2016).
const UNLIKE: f64 = 0.01;

/// As many degrees of freedom as make no difference to infinitely many.
const MOST_FREEDOM: f64 = 1e4;

/// How probable differences as large as these are where there are none, by row: none with fewer than two runs on a
/// side, where all is nothing, and where a side is not known. `runs` says how many each side has. O(values).
///
/// What never varies on either side, as calls that were counted often do, differs for certain or not at all; so does
/// what is there in all runs of one side and in none of the other.
pub fn probabilities<'a>(
    rows: impl Iterator<Item = [Known<'a>; 2]>,
    runs: [usize; 2],
) -> Vec<Option<f64>> {
    let [of_a, of_b] = runs;
    let width = of_a.saturating_add(of_b);
    if of_a < 2 || of_b < 2 {
        return rows.map(|_| None).collect();
    }
    let rows: Vec<Row> = rows.map(|of| Row::of(of, width)).collect();
    let freedom = ((width - 2) as f64).min(MOST_FREEDOM);
    let variances = rows.iter().filter_map(|row| match *row {
        Row::Varies {
            variance, is_many, ..
        } if is_many && variance > 0.0 => Some(variance),
        _ => None,
    });
    let (prior, of_all) = prior(&variances.collect::<Vec<f64>>(), freedom);
    let probability = |row: &Row| match *row {
        Row::Nothing => None,
        Row::Certain(is_other) => Some(if is_other { 0.0 } else { 1.0 }),
        Row::Varies {
            difference,
            variance,
            counting,
            ..
        } => {
            let is_unlike = prior > 0.0 && fisher(variance / of_all, freedom, prior) < UNLIKE;
            let (variance, all) = match is_unlike {
                true => (variance, freedom),
                false => {
                    let all = freedom + prior;
                    ((freedom * variance + prior * of_all) / all, all)
                }
            };
            let error = variance * (1.0 / of_a as f64 + 1.0 / of_b as f64);
            // What counting alone makes is known, and the rest as well as the runs tell (Welch and Satterthwaite).
            let rest = (error - counting).max(0.0) / error.max(counting);
            let freedom = (all / (rest * rest)).min(MOST_FREEDOM);
            Some(student(
                difference * difference / error.max(counting),
                freedom,
            ))
        }
    };
    rows.iter().map(probability).collect()
}

/// What the runs say of one row.
#[derive(Clone, Copy, Debug)]
enum Row {
    Nothing,
    /// Whether it differs.
    Certain(bool),
    Varies {
        /// Of the means of logarithms.
        difference: f64,
        /// Of the logarithms of a side, from both.
        variance: f64,
        /// The square of the error of the difference that counting samples makes.
        counting: f64,
        /// Whether no run has so few samples that their variance tells nothing of that of others.
        is_many: bool,
    },
}

impl Row {
    /// What the runs of both sides tell of a row; `runs` is the sum of their numbers of runs.
    fn of(sides: [Known<'_>; 2], runs: usize) -> Row {
        if sides.contains(&Known::Unknown) || sides.iter().all(Known::is_absent) {
            return Row::Nothing;
        }
        let [a, b] = sides;
        if !sides.iter().any(Known::is_sampled) {
            if let (Some(a), Some(b)) = (a.steady(), b.steady()) {
                return Row::Certain(a != b);
            }
            if (a.is_there() && b.is_absent()) || (a.is_absent() && b.is_there()) {
                return Row::Certain(true);
            }
        }
        // Where a run has nothing, as much less than the least as half of it is; of samples, half a one.
        let nothing = a.least().min(b.least()) / 2.0;
        let [(mean_a, squares_a), (mean_b, squares_b)] = [a.logs(nothing), b.logs(nothing)];
        Row::Varies {
            difference: mean_b - mean_a,
            variance: (squares_a + squares_b) / runs.saturating_sub(2) as f64,
            counting: a.counting() + b.counting(),
            is_many: sides.iter().all(Known::is_many),
        }
    }
}

/// How many degrees of freedom all variances together are worth for each, and which variance they speak for (Smyth,
/// section 6.2); no degree of freedom where they are too few. Each variance has `freedom` of its own.
fn prior(variances: &[f64], freedom: f64) -> (f64, f64) {
    if variances.len() < LEAST_VARIANCES {
        return (0.0, 0.0);
    }
    let count = variances.len() as f64;
    let half = freedom / 2.0;
    let logs = variances
        .iter()
        .map(|of| of.ln() - digamma(half) + half.ln());
    let logs: Vec<f64> = logs.collect();
    let mean = logs.iter().sum::<f64>() / count;
    let spread = logs.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let more = spread - trigamma(half);
    let prior = match more > 0.0 {
        true => (2.0 * inverse_of_trigamma(more)).min(MOST_FREEDOM),
        false => MOST_FREEDOM,
    };
    (
        prior,
        (mean + digamma(prior / 2.0) - (prior / 2.0).ln()).exp(),
    )
}

/// How probable a larger square of Student's t is.
fn student(t2: f64, freedom: f64) -> f64 {
    match t2.is_nan() {
        // Nothing differs, and nothing varies.
        true => 1.0,
        false => incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t2)),
    }
}

/// How probable a larger quotient of two variances is, of so many degrees of freedom above and below (NIST Digital
/// Library of Mathematical Functions, 8.17).
fn fisher(quotient: f64, above: f64, below: f64) -> f64 {
    incomplete_beta(below / 2.0, above / 2.0, below / (below + above * quotient))
}

/// The derivative of the logarithm of the gamma function, for positive arguments: by its recurrence to where the
/// asymptotic series holds (NIST Digital Library of Mathematical Functions, 5.5.2 and 5.11.2).
fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 8.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum + x.ln() - 0.5 / x - y * (1.0 / 12.0 - y * (1.0 / 120.0 - y * (1.0 / 252.0 - y / 240.0)))
}

/// The derivative of [`digamma`].
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 8.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum + (1.0 + 0.5 / x + y * (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y / 30.0)))) / x
}

/// Where [`trigamma`], which falls from infinity to nothing, has a positive value: by halving.
fn inverse_of_trigamma(value: f64) -> f64 {
    let (mut low, mut high) = (1e-9, MOST_FREEDOM);
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        match trigamma(middle) > value {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// Which of these probabilities are significant, all being tested at once. Rows without one are not. O(n log n).
pub fn significant(probabilities: &[Option<f64>]) -> Vec<bool> {
    let mut known: Vec<f64> = probabilities.iter().copied().flatten().collect();
    known.sort_unstable_by(f64::total_cmp);
    let tests = known.len() as f64;
    let rank = |index: usize| (index + 1) as f64;
    let bound = known.iter().enumerate().rev();
    let bound = bound
        .filter(|&(index, &p)| p <= FALSE_DISCOVERIES * rank(index) / tests)
        .map(|(_, &p)| p)
        .next();
    let is_significant = |p: &Option<f64>| p.zip(bound).is_some_and(|(p, bound)| p <= bound);
    probabilities.iter().map(is_significant).collect()
}

/// The regularised incomplete beta function I_x(a, b), by its continued fraction (NIST Digital Library of
/// Mathematical Functions, 8.17.22, evaluated after Lentz).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast on this side; the other is its mirror image.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    let tiny = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / tiny(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..300 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for numerator in [even, odd] {
            d = 1.0 / tiny(1.0 + numerator * d);
            c = tiny(1.0 + numerator / c);
            fraction *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-12 {
            break;
        }
    }
    (front.exp() * fraction / a).clamp(0.0, 1.0)
}

/// The logarithm of the gamma function for positive arguments, after Lanczos with g = 7 and nine terms.
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        let sine = (std::f64::consts::PI * x).sin();
        return (std::f64::consts::PI / sine).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let terms = TERMS.iter().enumerate().skip(1);
    let sum: f64 = terms.map(|(k, term)| term / (x + k as f64)).sum();
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + (TERMS[0] + sum).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of rows one after the other, each the runs of A, then those of B.
    fn probabilities(values: &[f64], runs: [usize; 2], samples: &[f64]) -> Vec<Option<f64>> {
        let (samples_a, samples_b) = samples.split_at(runs[0]);
        let rows = values.chunks_exact((runs[0] + runs[1]).max(1)).map(|row| {
            let (a, b) = row.split_at(runs[0]);
            let known = |values, samples| Known::Runs { values, samples };
            [known(a, samples_a), known(b, samples_b)]
        });
        super::probabilities(rows, runs)
    }

    /// Against the closed forms of Student's distribution with one and two degrees of freedom.
    #[test]
    fn the_beta_function_gives_students_distribution() {
        for t in [0.1f64, 0.5, 1.0, 2.0, 5.0, 30.0] {
            let p = |freedom: f64| incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t));
            let one = 1.0 - 2.0 / std::f64::consts::PI * t.atan();
            let two = 1.0 - t / (2.0 + t * t).sqrt();
            assert!((p(1.0) - one).abs() < 1e-10, "{t}: {} {one}", p(1.0));
            assert!((p(2.0) - two).abs() < 1e-10, "{t}: {} {two}", p(2.0));
        }
    }

    #[test]
    fn gammas_derivatives_have_their_known_values() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        let pi2 = std::f64::consts::PI.powi(2);
        assert!((digamma(1.0) + EULER).abs() < 1e-10);
        assert!((digamma(0.5) + EULER + 4.0f64.ln()).abs() < 1e-10);
        assert!((trigamma(1.0) - pi2 / 6.0).abs() < 1e-10);
        assert!((trigamma(0.5) - pi2 / 2.0).abs() < 1e-10);
        for x in [0.01, 0.7, 3.0, 50.0, 4000.0] {
            let found = inverse_of_trigamma(trigamma(x));
            assert!((found / x - 1.0).abs() < 1e-6, "{found} {x}");
        }
    }

    /// Against the closed form of two degrees of freedom above: (1 + 2 f / n)^(-n / 2).
    #[test]
    fn quotients_of_variances_are_distributed_after_fisher() {
        for (f, n) in [(0.5f64, 3.0f64), (4.0, 7.0), (29.0, 1e4)] {
            let expected = (1.0 + 2.0 * f / n).powf(-n / 2.0);
            let found = fisher(f, 2.0, n);
            assert!(
                (found - expected).abs() < 1e-9,
                "{f} {n}: {found} {expected}"
            );
        }
    }

    /// Without other rows it is Student's test of the logarithms: those of [1, e, e²] and [e³, e⁴, e⁵] have the means 1
    /// and 4 and the variance 1, so that t is √13.5 with four degrees of freedom, for which 1 − F has a closed form.
    #[test]
    fn one_row_is_students_test_of_logarithms() {
        let values: Vec<f64> = (0..6).map(|power| f64::from(power).exp()).collect();
        let found = probabilities(&values, [3, 3], &[0.0; 6]);
        let t = 13.5f64.sqrt();
        let s = t / (t * t + 4.0).sqrt();
        let expected = 1.0 - 1.5 * s + 0.5 * s.powi(3);
        let [Some(found)] = found[..] else {
            panic!("{found:?}");
        };
        assert!((found - expected).abs() < 1e-10, "{found} {expected}");
        let mirrored: Vec<f64> = values[3..].iter().chain(&values[..3]).copied().collect();
        assert_eq!(probabilities(&mirrored, [3, 3], &[0.0; 6]), [Some(found)]);
    }

    #[test]
    fn what_never_varies_is_certain_and_one_run_says_nothing() {
        let found = |values: &[f64], runs: [usize; 2]| {
            probabilities(values, runs, &vec![0.0; runs[0] + runs[1]])
        };
        let rows = [
            [3.0; 4],
            [3.0, 3.0, 4.0, 4.0],
            [0.0; 4],
            [0.0, 0.0, 2.0, 9.0],
        ];
        assert_eq!(
            found(rows.as_flattened(), [2, 2]),
            [Some(1.0), Some(0.0), None, Some(0.0)]
        );
        assert_eq!(found(&[3.0, 4.0, 4.0], [1, 2]), [None]);
        assert_eq!(found(&[], [0, 0]), []);
        assert_eq!(found(&[], [2, 2]), []);
    }

    /// A number of samples is known no better than counting tells: equal ones are not certain, and 100 against 400 of
    /// them is a difference, 2 against 3 none.
    #[test]
    fn samples_are_counts() {
        let rows = [
            [1.0, 1.0, 0.0, 0.0],
            [2.0, 2.0, 3.0, 3.0],
            [100.0, 100.0, 400.0, 401.0],
        ];
        let rows = rows.map(|row| row.map(|samples| samples * 10.0));
        let found = probabilities(rows.as_flattened(), [2, 2], &[10.0; 4]);
        let found: Vec<f64> = found.into_iter().flatten().collect();
        assert!(found[0] > 0.2 && found[1] > 0.2, "{found:?}");
        assert!(found[2] < 0.01, "{found:?}");
    }

    /// Of a thousand rows of which one in ten differs threefold and each varies by about a fifth, more in some than in
    /// others, some held up once: hardly one that does not differ is taken to, and nearly all that do, of three runs of
    /// each side.
    #[test]
    fn few_runs_of_many_rows_tell_what_differs() {
        let mut below = callscape_facts::trace::random::random_numbers(7);
        let mut share = move || below(1 << 20) as f64 / f64::from(1 << 20);
        // Nearly: the sum of twelve shares has the variance 1.
        let mut normal = || (0..12).map(|_| share()).sum::<f64>() - 6.0;
        let mut values = Vec::new();
        for row in 0..1000 {
            let (size, spread) = ((4.0 * normal()).exp(), 0.2 * (0.4 * normal()).exp());
            for run in 0..6 {
                let factor = match (row % 10, row % 25, run) {
                    (0, _, 3..) => 3.0,
                    (_, 1, 2) => 30.0,
                    _ => 1.0,
                };
                values.push(size * factor * (spread * normal()).exp());
            }
        }
        let found = significant(&probabilities(&values, [3, 3], &[0.0; 6]));
        let of = |differs: bool| {
            let of = (0..1000).filter(|row| (row % 10 == 0) == differs);
            of.filter(|&row| found[row]).count()
        };
        assert!(of(true) >= 90, "{} of 100 found", of(true));
        assert!(
            of(false) <= 10,
            "{} of 900 taken for differences",
            of(false)
        );
    }

    /// The example of Benjamini and Hochberg, section 3.2: of fifteen probabilities the first four.
    #[test]
    fn false_discoveries_are_bounded_as_published() {
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        let found = significant(&p.map(Some));
        assert_eq!(found.iter().filter(|&&it| it).count(), 4);
        assert!(found[..4].iter().all(|&it| it));
        assert_eq!(significant(&[None, Some(0.9)]), [false, false]);
        assert!(significant(&[]).is_empty());
    }
}
