//! What differs between the lines of a file in two runs.

use callscape_analysis::line_changes::Aligned;
use callscape_analysis::lines::{self, LineDifference};

use super::numbers::{Numbers, Tint};

/// By how much each line costs more in B; by text and line, both in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Compared {
    /// Lines with their change, in the texts of A and of B.
    changes: [Vec<(u32, i64)>; 2],
    /// The largest change, whichever way.
    most: u64,
    /// The two count in different units, and cannot be compared.
    pub is_mixed: bool,
}

impl Compared {
    /// Both runs; `aligned` where they have texts of their own. O(n log n) in the lines that have something to say.
    pub(super) fn new([a, b]: [&Numbers; 2], aligned: Option<&Aligned>, tint: Tint) -> Compared {
        if a.lines.unit != b.lines.unit {
            return Compared {
                is_mixed: true,
                ..Compared::default()
            };
        }
        let in_b = |line: u32| match aligned {
            None => Some(line),
            Some(aligned) => {
                let row = aligned.rows.get(aligned.row_of(0, line)?)?;
                // What stands beside it in its place counts as what it has become.
                row.lines[1]
            }
        };
        let mut compared = Compared::default();
        for difference in lines::difference(&a.lines, &b.lines, in_b) {
            let Some(change) = change(&difference, tint).filter(|it| *it != 0) else {
                continue;
            };
            compared.most = compared.most.max(change.unsigned_abs());
            let sides = [
                difference.in_a.or(in_text_of_a(&difference, aligned)),
                difference.in_b,
            ];
            for (changes, line) in compared.changes.iter_mut().zip(sides) {
                changes.extend(line.map(|line| (line, change)));
            }
        }
        for changes in &mut compared.changes {
            changes.sort_unstable();
            changes.dedup_by_key(|(line, _)| *line);
        }
        compared
    }

    /// By how much a line of the text of A (0) or B (1) costs more in B; none where nothing differs.
    pub(super) fn change(&self, side: usize, line: u32) -> Option<i64> {
        let changes = self.changes.get(side)?;
        let found = changes.binary_search_by_key(&line, |(line, _)| *line);
        Some(changes[found.ok()?].1)
    }

    /// The same as a part of the largest change, from −1 to 1.
    pub(super) fn strength(&self, change: i64) -> f32 {
        (change as f64 / self.most.max(1) as f64) as f32
    }

    /// The lines of the text of A (0) or B (1) in which something differs, in order.
    pub(super) fn lines(&self, side: usize) -> impl DoubleEndedIterator<Item = (u32, i64)> {
        self.changes.get(side).into_iter().flatten().copied()
    }

    /// The largest change.
    pub(super) fn most(&self) -> u64 {
        self.most
    }
}

fn change(difference: &LineDifference<'_>, tint: Tint) -> Option<i64> {
    match tint {
        Tint::Run | Tint::Calls => Some(difference.cost_change()),
        Tint::Own => difference.self_change(),
    }
}

/// Where a line that only B says something of stands in A.
fn in_text_of_a(difference: &LineDifference<'_>, aligned: Option<&Aligned>) -> Option<u32> {
    let line = difference.in_b?;
    match aligned {
        None => Some(line),
        Some(aligned) => aligned.rows.get(aligned.row_of(1, line)?)?.lines[0],
    }
}
