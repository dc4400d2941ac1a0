//! Cuts the calls of a thread in a window into pieces that belong to one pixel column each: runs of calls of which
//! it is known what happens in them, and calls in between to be gone through one by one.

use std::ops::Range;

use super::detail::Columns;
use super::runs::{self, Page, SHORTEST, TOP_LEVEL};
use super::store::Calls;

/// Where the columns of a picture begin and end.
#[derive(Debug, Default)]
pub(super) struct Borders {
    times: Vec<u64>,
}

impl Borders {
    pub(super) fn new(columns: Columns) -> Borders {
        let mut borders = Borders::default();
        borders.set(columns, 0..columns.count());
        borders
    }

    /// Those of a part of the columns.
    pub(super) fn set(&mut self, columns: Columns, part: Range<u32>) {
        self.times.clear();
        let times = (part.start..=part.end).map(|k| columns.start(k).ns());
        self.times.extend(times);
    }

    pub(super) fn count(&self) -> usize {
        self.times.len().saturating_sub(1)
    }

    /// When a column begins; the last ends where the one behind it would begin.
    #[inline]
    pub(super) fn start(&self, column: usize) -> u64 {
        self.times.get(column).copied().unwrap_or(u64::MAX)
    }

    pub(super) fn window(&self) -> Range<u64> {
        self.start(0)..self.start(self.count())
    }

    /// The column of `t`, which is in the window, not before `column`.
    #[inline]
    pub(super) fn column(&self, t: u64, column: usize) -> usize {
        let mut column = column;
        while self.start(column + 1) <= t {
            column += 1;
        }
        column
    }
}

/// How exactly times are cut at the borders of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Exact,
    /// A run that reaches over a border counts as a whole for the column that its middle lies in: one of the
    /// shortest where it is no longer than `shortest`, others where they are no longer than `longer`.
    /// Nanoseconds.
    Near {
        shortest: u64,
        longer: u64,
    },
    /// No runs: calls are wanted one by one.
    Calls,
}

impl Cut {
    /// Borders are displaced by up to half a column; by up to a `finer`th of that where this spares no going through
    /// calls.
    pub(super) fn near(columns: Columns, finer: u64) -> Cut {
        let window = columns.start(columns.count()).since(columns.start(0));
        let column = window.ns() / u64::from(columns.count().max(1));
        Cut::Near {
            shortest: column,
            longer: column / finer.max(1),
        }
    }
}

/// A piece of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// What happens from `start` to `end` in a run of a level.
    Run {
        level: usize,
        run: u32,
        start: u64,
        end: u64,
        column: usize,
    },
    /// What happens from the start of call `from`, or when the window begins, up to `end`: to the start of call `to`, if
    /// there is one.
    Calls {
        from: u32,
        to: u32,
        start: u64,
        end: u64,
    },
}

/// The page of a level that was asked for last.
#[derive(Debug)]
struct Spans<'a> {
    number: u32,
    page: Page<'a>,
    base: u64,
    ends: Vec<u64>,
}

/// Goes through the pieces of a thread in order of time.
pub(super) struct Pieces<'a> {
    calls: Calls<'a>,
    cut: Cut,
    levels: Vec<Spans<'a>>,
    whole: u32,
    /// The shortest run that the next piece begins with, and up to which level it is worth looking.
    next: u32,
    level: usize,
    column: usize,
    is_over: bool,
    /// A run has been taken as a whole that reaches over a border.
    is_displaced: bool,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(calls: Calls<'a>, cut: Cut) -> Pieces<'a> {
        let whole = if cut == Cut::Calls || !calls.has_runs() {
            0
        } else {
            runs::whole_runs(calls.len())
        };
        let levels = (0..=TOP_LEVEL).map(|_| Spans {
            number: u32::MAX,
            page: Page::default(),
            base: 0,
            ends: Vec::new(),
        });
        Pieces {
            calls,
            cut,
            levels: levels.collect(),
            whole,
            next: 0,
            level: TOP_LEVEL,
            column: 0,
            is_over: false,
            is_displaced: false,
        }
    }

    /// Whether any time so far is counted beside the column that it lies in.
    pub(super) fn is_displaced(&self) -> bool {
        self.is_displaced
    }

    /// The page that a run lies in, and its place there.
    pub(super) fn page(&mut self, level: usize, run: u32) -> (&Page<'a>, usize) {
        let in_page = runs::in_page(level);
        let number = run / in_page;
        let spans = &mut self.levels[level];
        if spans.number != number {
            spans.number = number;
            (spans.base, spans.page) = self.calls.page(level, number);
            spans.page.ends(&mut spans.ends);
        }
        (&spans.page, (run % in_page) as usize)
    }

    /// From when to when a run goes.
    pub(super) fn span(&mut self, level: usize, run: u32) -> (u64, u64) {
        let (_, place) = self.page(level, run);
        let spans = &self.levels[level];
        let end = |place: usize| {
            let end = spans.ends.get(place).copied().unwrap_or(0);
            spans.base.saturating_add(end)
        };
        let start = place.checked_sub(1).map_or(spans.base, end);
        (start, end(place).max(start))
    }

    /// The number of whole shortest runs.
    pub(super) fn whole(&self) -> u32 {
        self.whole
    }

    fn fits(&self, level: usize) -> bool {
        self.next.is_multiple_of(1 << level) && self.next + (1 << level) <= self.whole
    }

    /// Whether it is known what happens in the run of a level that the next piece begins with.
    fn is_listed(&mut self, level: usize) -> bool {
        self.page(level, self.next >> level).0.is_listed
    }

    fn go_on(&mut self, level: usize) {
        self.next += 1 << level;
        self.level = (level + 1).min(TOP_LEVEL);
        while self.level < TOP_LEVEL && self.fits(self.level) && !self.is_listed(self.level) {
            self.level += 1;
        }
    }

    /// The next piece that is not before the window; none when it is behind.
    pub(super) fn next(&mut self, borders: &Borders) -> Option<Piece> {
        let window = borders.window();
        while !self.is_over {
            if self.next >= self.whole {
                self.is_over = true;
                let from = self.whole * SHORTEST;
                let to = self.calls.len();
                let start = if from < to {
                    self.calls.facts(from).start
                } else {
                    u64::MAX
                };
                return (start < window.end).then_some(Piece::Calls {
                    from,
                    to,
                    start,
                    end: u64::MAX,
                });
            }
            let mut level = self.level;
            while !self.fits(level) {
                level -= 1;
            }
            let run = self.next >> level;
            let (start, end) = self.span(level, run);
            if end < window.start {
                self.go_on(level);
                continue;
            }
            if start >= window.end {
                self.is_over = true;
                break;
            }
            if start >= window.start {
                self.column = borders.column(start, self.column);
                if end < borders.start(self.column + 1) && self.is_listed(level) {
                    self.go_on(level);
                    return Some(Piece::Run {
                        level,
                        run,
                        start,
                        end,
                        column: self.column,
                    });
                }
            }
            if let Cut::Near { shortest, longer } = self.cut
                && end - start <= if level == 0 { shortest } else { longer }
                && self.is_listed(level)
            {
                self.go_on(level);
                self.is_displaced = true;
                let middle = start + (end - start) / 2;
                if middle < window.start {
                    continue;
                }
                if middle >= window.end {
                    self.is_over = true;
                    break;
                }
                self.column = borders.column(middle, self.column);
                return Some(Piece::Run {
                    level,
                    run,
                    start,
                    end,
                    column: self.column,
                });
            }
            if level > 0 {
                self.level = level - 1;
                continue;
            }
            self.go_on(0);
            return Some(Piece::Calls {
                from: run * SHORTEST,
                to: (run + 1) * SHORTEST,
                start,
                end,
            });
        }
        None
    }
}
