//! Growing: a call takes longer each time. The means of eighths of the calls are fitted by a power of their number.

use super::candidate::Candidate;
use super::kind::Kind;
use super::limits::{GROWING, GROWING_CALLS, GROWING_FIT, GROWS};
use super::run::{Run, sum};
use super::series::Series;
use callscape_base::progress::Cancelled;
use callscape_base::units::{TimeRange, grouped};

/// Number of parts of which the mean is fitted.
const PARTS: usize = 8;

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    found.extend(run.series.iter().filter_map(|it| grows(run, it)));
    Ok(())
}

/// A line through points: its slope, and R².
fn fit(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|it| it.0).sum::<f64>() / count;
    let mean_y = points.iter().map(|it| it.1).sum::<f64>() / count;
    let sum = |of: fn(f64, f64) -> f64| -> f64 {
        let terms = points.iter().map(|it| of(it.0 - mean_x, it.1 - mean_y));
        terms.sum()
    };
    let (xx, xy, yy) = (sum(|x, _| x * x), sum(|x, y| x * y), sum(|_, y| y * y));
    match xx > 0.0 && yy > 0.0 {
        true => (xy / xx, xy * xy / (xx * yy)),
        false => (0.0, 0.0),
    }
}

/// The candidate of a series that grows.
fn grows(run: &Run<'_>, series: &Series) -> Option<Candidate> {
    let calls = &series.calls;
    if (calls.len() as f64) < GROWING_CALLS.value {
        return None;
    }
    let part = |number: usize| calls.len() * number / PARTS..calls.len() * (number + 1) / PARTS;
    let mean = |number: usize| {
        let costs = calls[part(number)].iter().map(|it| it.cost);
        sum(costs) as f64 / part(number).len().max(1) as f64
    };
    let points = (0..PARTS).map(|number| {
        let middle = (part(number).start + part(number).end + 1) as f64 / 2.0;
        (middle.ln(), mean(number).max(1.0).ln())
    });
    let (exponent, r2) = fit(&points.collect::<Vec<_>>());
    let (first, last) = (mean(0), mean(PARTS - 1));
    if r2 < GROWING_FIT.value || exponent <= 0.0 || last < GROWING.value * first.max(1.0) {
        return None;
    }
    let said = format!(
        "{} takes longer each time: {} for the first eighth of its {} calls and {} for the last, as the power {exponent:.1} \
         of the number of the call (R² {r2:.2})",
        run.name(series.context),
        run.show(first.round() as u64),
        grouped(calls.len() as u64),
        run.show(last.round() as u64)
    );
    let end = calls.last()?;
    let range = TimeRange::new(calls.first()?.call.start, end.call.end);
    Some(Candidate {
        weight: GROWS.value,
        functions: vec![run.function(series.context)],
        when: Some((end.thread, range)),
        ..Candidate::of(
            Kind::Growing,
            series.context,
            run.subtree(series.context),
            said,
        )
    })
}
