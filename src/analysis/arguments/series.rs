//! Values of a function's arguments over time: the start of its state (Bohnet's thesis, 10.2.2).

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{FunctionId, Time, TimeRange};
use callscape_facts::trace::Trace;

/// The numbers that an argument is in the calls that start in a part of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Column {
    pub calls: u64,
    pub least: f64,
    pub most: f64,
    pub sum: f64,
}

impl Column {
    fn add(&mut self, number: f64) {
        if self.calls == 0 {
            (self.least, self.most) = (number, number);
        }
        self.calls += 1;
        self.least = self.least.min(number);
        self.most = self.most.max(number);
        self.sum += number;
    }

    /// Zero without calls.
    pub fn mean(&self) -> f64 {
        self.sum / self.calls.max(1) as f64
    }
}

/// The numbers that an argument of a function is, over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Of the argument.
    pub name: String,
    /// Of all columns.
    pub whole: Column,
    /// Calls in which it is no number.
    pub others: u64,
    /// Of equal parts of the range.
    pub columns: Vec<Column>,
}

/// More arguments of a function are left out.
const MOST: usize = 64;

/// The numbers that the arguments of the calls of `functions` are that start in `range`, in so many columns, in order of
/// their first appearance. O(calls with arguments).
pub fn series(
    trace: &Trace,
    functions: &[FunctionId],
    range: TimeRange,
    columns: usize,
    progress: &Progress,
) -> Result<Vec<Series>, Cancelled> {
    const TOLD: u64 = 1 << 12;
    progress.start("reading arguments", trace.calls_with_arguments());
    let length = range.end.since(range.start).ns().max(1);
    let place = |start: Time| {
        let passed = u128::from(start.since(range.start).ns());
        (passed * columns as u128 / u128::from(length)) as usize
    };
    let mut found: Vec<Series> = Vec::new();
    let mut seen = 0;
    for (thread, of) in trace.thread_ids().zip(trace.threads()) {
        let mut outcome = Ok(());
        trace.visit_arguments(thread, 0..of.calls as u32, |id, list| {
            seen += 1;
            if seen == TOLD {
                seen = 0;
                outcome = progress.add(TOLD);
            }
            let call = trace.call(thread, id);
            if !functions.contains(&call.function)
                || call.start < range.start
                || range.end < call.start
            {
                return outcome.is_ok();
            }
            let column = place(call.start).min(columns.saturating_sub(1));
            for argument in list {
                let known = found.iter().position(|it| it.name == argument.name);
                let at = match known {
                    Some(at) => at,
                    None if found.len() < MOST => {
                        found.push(Series {
                            name: argument.name.into_owned(),
                            whole: Column::default(),
                            others: 0,
                            columns: vec![Column::default(); columns],
                        });
                        found.len() - 1
                    }
                    None => continue,
                };
                let of = &mut found[at];
                match argument.value.number().map(|it| it.real()) {
                    Some(number) if number.is_finite() => {
                        of.whole.add(number);
                        if let Some(column) = of.columns.get_mut(column) {
                            column.add(number);
                        }
                    }
                    _ => of.others += 1,
                }
            }
            outcome.is_ok()
        });
        outcome?;
    }
    Ok(found)
}
