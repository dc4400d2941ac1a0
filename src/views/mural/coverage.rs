//! What covers the mural's cells.

use std::time::Duration;

use super::places::Lines;
use super::profile::Profile;
use callscape_base::progress::{Cancelled, Progress};
use callscape_facts::trace::{Columns, Coverage, CoverageRoom, Measure, Thread, Trace, Without};
use callscape_filter::filters::FilterRules;
use callscape_filter::selection::CallOf;
use callscape_layout::axis::TimeAxis;
use callscape_state::job::{Job, rest};

/// Windows of up to this many calls are measured exactly within a frame, larger ones beside the frames.
const AT_ONCE: u64 = 80_000;

/// Of a larger window a frame measures a first picture: `FIRST` columns over all threads together, with at least
/// `CALLS` calls of a thread in a column, for runs of calls to be of use, but no fewer columns than `FEWEST`.
const FIRST: u32 = 1_000;
const CALLS: u64 = 128;
const FEWEST: u32 = 16;

/// The exact picture is begun when the window has been still for this long.
const STILL: Duration = Duration::from_millis(30);

/// What is to be measured.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    pub trace: &'a Trace,
    pub axis: TimeAxis,
    pub lines: Lines,
    /// By function its row, of `rows`.
    pub seen_rows: &'a [u32],
    pub rows: u32,
    /// The same by lines: what of several rows comes to lie on one line of the picture adds up there anyhow.
    pub seen_lines: &'a [u32],
    /// No row has several functions.
    pub rows_are_functions: bool,
    pub rules: &'a FilterRules,
    /// Of the curves along time.
    pub bars: u32,
}

impl Wanted<'_> {
    fn threads(&self) -> u32 {
        let range = self.axis.range();
        let runs =
            |info: &&Thread| info.calls > 0 && info.start <= range.end && range.start <= info.end;
        let threads = self.trace.threads().iter().filter(runs);
        threads.count().max(1) as u32
    }

    fn calls(&self) -> u64 {
        let range = self.axis.range();
        let calls = self.trace.thread_ids().map(|thread| {
            let times = [range.start, range.end];
            let [before, after] = times.map(|time| self.trace.started(thread, time));
            u64::from(after.saturating_sub(before))
        });
        calls.sum()
    }

    /// The columns of the first picture of a window of `calls`.
    fn first_columns(&self, calls: u64) -> Columns {
        let threads = self.threads();
        let count = self.axis.columns().0.count();
        let worth = calls / CALLS / u64::from(threads);
        let worth = u32::try_from(worth).unwrap_or(u32::MAX);
        let most = (FIRST / threads).min(worth).max(FEWEST);
        Columns::new(self.axis.range(), count.min(most))
    }

    /// Measures these columns, and the curves, in memory that was used before. None where it was to stop.
    fn measure(
        &self,
        columns: Columns,
        measure: Measure<'_>,
        room: &mut CoverageRoom,
    ) -> Option<Covered> {
        let (trace, rules) = (self.trace, self.rules);
        let without = Without {
            hides: &|thread| rules.hides(thread),
            removes: &|function| rules.removes(function),
            cuts_below: &|function, thread, call| {
                rules.cuts_below(function, CallOf { thread, call })
            },
        };
        let without = (!rules.is_empty()).then_some(&without);
        let is_near = matches!(measure, Measure::Near);
        let (seen, rows) = if is_near {
            (self.seen_lines, self.lines.count)
        } else {
            (self.seen_rows, self.rows)
        };
        if !trace.measure_coverage(columns, seen, rows, without, measure, room) {
            return None;
        }
        let mut profile = Profile::default();
        let bars = Columns::new(self.axis.range(), self.bars);
        profile.measure(trace, bars, is_near, rules);
        Some(Covered {
            axis: self.axis,
            lines: self.lines,
            columns,
            coverage: std::mem::take(&mut room.cells),
            profile,
            is_exact: !is_near,
        })
    }
}

/// What the cells of a window are covered with.
#[derive(Debug)]
pub(super) struct Covered {
    pub axis: TimeAxis,
    pub lines: Lines,
    pub columns: Columns,
    /// In order of row, then column; of lines instead of rows where it is not exact.
    pub coverage: Vec<Coverage>,
    pub profile: Profile,
    pub is_exact: bool,
}

/// The exact picture of a window on its way.
#[derive(Debug)]
struct Running {
    axis: TimeAxis,
    lines: Lines,
    job: Job<Covered>,
}

/// Measures windows. Large ones are measured exactly on a thread of their own; meanwhile a first picture is drawn, or
/// where there is none quick enough, what was measured before where it belongs.
#[derive(Debug, Default)]
pub(super) struct Measuring {
    covered: Option<Covered>,
    running: Option<Running>,
    room: CoverageRoom,
}

impl Measuring {
    /// What has been measured last.
    pub(super) fn covered(&self) -> Option<&Covered> {
        self.covered.as_ref()
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.is_some()
    }

    pub(super) fn forget(&mut self) {
        (self.covered, self.running) = (None, None);
    }

    /// Takes what has been measured meanwhile. Whether there is something new.
    pub(super) fn take(&mut self) -> bool {
        let Some(running) = &self.running else {
            return false;
        };
        match running.job.poll() {
            Some(Ok(covered)) => self.covered = Some(covered),
            None => return false,
            // Nothing comes any more: it is measured again.
            Some(Err(Cancelled)) => {}
        }
        self.running = None;
        true
    }

    /// Sees to it that a window is measured.
    pub(super) fn measure(&mut self, wanted: &Wanted<'_>) {
        let is_wanted =
            |axis: &TimeAxis, lines: &Lines| (axis, lines) == (&wanted.axis, &wanted.lines);
        let known = self.covered.as_ref();
        let known = known.filter(|known| is_wanted(&known.axis, &known.lines));
        if known.is_some_and(|known| known.is_exact) {
            self.running = None;
            return;
        }
        let is_known = known.is_some();
        // What is measured for a window that is no longer shown would only be in the way.
        self.running
            .take_if(|running| !is_wanted(&running.axis, &running.lines));
        let columns = wanted.axis.columns().0;
        let calls = wanted.calls();
        // Where calls have to be gone through one by one, fewer columns are no less work.
        let has_first = wanted.rules.is_empty() && wanted.rows_are_functions;
        let at_once = if calls <= AT_ONCE {
            Some((columns, Measure::Here))
        } else if has_first && !is_known {
            Some((wanted.first_columns(calls), Measure::Near))
        } else {
            None
        };
        if let Some((columns, measure)) = at_once {
            // In the memory of the picture before.
            if let Some(known) = self.covered.take() {
                self.room.cells = known.coverage;
            }
            self.covered = wanted.measure(columns, measure, &mut self.room);
        }
        if calls <= AT_ONCE {
            self.running = None;
        } else if self.running.is_none() {
            self.running = Some(begin(wanted, columns));
        }
    }
}

/// Begins to measure a window exactly.
fn begin(wanted: &Wanted<'_>, columns: Columns) -> Running {
    let trace = wanted.trace.clone();
    let (seen_rows, rules) = (wanted.seen_rows.to_vec(), wanted.rules.clone());
    let (axis, lines, rows, bars) = (wanted.axis, wanted.lines, wanted.rows, wanted.bars);
    let rows_are_functions = wanted.rows_are_functions;
    let work = move |progress: &Progress| {
        rest(STILL);
        let wanted = Wanted {
            trace: &trace,
            axis,
            lines,
            seen_rows: &seen_rows,
            rows,
            // What is measured exactly is measured by rows.
            seen_lines: &[],
            rows_are_functions,
            rules: &rules,
            bars,
        };
        let stops = || progress.check().is_err();
        let exact = Measure::Exact(&stops);
        let covered = wanted.measure(columns, exact, &mut CoverageRoom::default());
        covered.ok_or(Cancelled)
    };
    // Nobody needs to be woken: while a view waits, the window looks again by itself.
    let job = Job::named("mural", || (), work);
    Running { axis, lines, job }
}
