//! What of a difference is noise, where several runs of each side are known.
//!
//! Welch's test of two means whose variances differ (B. L. Welch, "The generalization of 'Student's' problem when
//! several different population variances are involved", Biometrika 34, 1947), and over all rows of a table the
//! bound on false discoveries of Y. Benjamini and Y. Hochberg ("Controlling the false discovery rate", Journal of
//! the Royal Statistical Society B 57, 1995): among thousands of functions some differ by chance alone.

/// Of the differences that are called significant no more than this share is expected to be chance.
pub const FALSE_DISCOVERIES: f64 = 0.05;

/// How probable a difference of means as large as this one is where there is none; none with fewer than two runs
/// on a side. Values that never vary, as numbers of calls often do, differ for certain or not at all.
pub fn probability(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let (mean_a, error_a) = mean_and_error(a);
    let (mean_b, error_b) = mean_and_error(b);
    let error = error_a + error_b;
    let difference = (mean_a - mean_b).abs();
    if difference == 0.0 {
        return Some(1.0);
    }
    if error <= 0.0 {
        return Some(0.0);
    }
    let freedom = |error: f64, runs: usize| error * error / (runs as f64 - 1.0);
    let freedom = error * error / (freedom(error_a, a.len()) + freedom(error_b, b.len()));
    let t2 = difference * difference / error;
    Some(incomplete_beta(
        freedom / 2.0,
        0.5,
        freedom / (freedom + t2),
    ))
}

/// The mean, and the square of its standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / (n - 1.0) / n)
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

    /// The third example of the article on Welch's test in Wikipedia, whose p is 0.001 (to three digits).
    #[test]
    fn welch_agrees_with_a_published_example() {
        let a = [19.8, 20.4, 19.6, 17.8, 18.5, 18.9, 18.3, 18.9, 19.5, 22.0];
        let b = [
            28.2, 26.6, 20.1, 23.3, 25.2, 22.1, 17.7, 27.6, 20.6, 13.7, 23.2, 17.5, 20.6, 18.0,
            23.9, 21.6, 24.3, 20.4, 24.0, 13.2,
        ];
        let p = probability(&a, &b).expect("runs enough");
        assert!((p - 0.036).abs() < 0.001, "{p}");
        assert_eq!(probability(&b, &a), Some(p));
    }

    #[test]
    fn what_never_varies_is_certain_and_one_run_says_nothing() {
        assert_eq!(probability(&[3.0, 3.0], &[3.0, 3.0]), Some(1.0));
        assert_eq!(probability(&[3.0, 3.0], &[4.0, 4.0]), Some(0.0));
        assert_eq!(probability(&[3.0], &[4.0, 4.0]), None);
        assert_eq!(probability(&[], &[]), None);
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
