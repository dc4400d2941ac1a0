//! Puts the waits of a thread, as importers hand them over, into order.

use super::{WaitRow, Why};

/// A wait on the recording's own clock, times as `u64` of the same bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawWait {
    pub start: i64,
    pub end: i64,
    /// At most its length counts.
    pub waited: u64,
    pub why: Why,
}

/// The rows of the waits of a thread, times counted from `origin` on, and how many overlapped one before them: of these
/// counts what lies behind it. What lies before the origin is left out. O(n log n).
pub(super) fn clean(mut raw: Vec<RawWait>, origin: i64) -> (Vec<WaitRow>, u64) {
    // Stable, for importers hand them over in order as a rule.
    raw.sort_by_key(|wait| (wait.start, wait.end));
    let mut rows: Vec<WaitRow> = Vec::with_capacity(raw.len());
    let (mut before, mut last_end, mut overlapping) = (0u64, 0u64, 0);
    for wait in raw {
        let since = |time: i64| {
            time.checked_sub(origin)
                .map_or(u64::MAX, |ns| ns.max(0) as u64)
        };
        if wait.end <= origin || wait.end <= wait.start {
            continue;
        }
        let end = since(wait.end);
        let start = since(wait.start);
        overlapping += u64::from(start < last_end);
        let start = start.max(last_end);
        if start >= end {
            continue;
        }
        let length = wait.end.abs_diff(wait.start);
        let waited = wait.waited.min(length);
        // Of one that was cut the same part was waiting.
        let left = end - start;
        let waited = (u128::from(waited) * u128::from(left) / u128::from(length)) as u64;
        // Two bits tell why.
        let waited = waited.min(u64::MAX >> 2);
        if waited == 0 {
            continue;
        }
        rows.push(WaitRow {
            start,
            end,
            before,
            waited_and_why: waited << 2 | wait.why as u64,
        });
        before = before.saturating_add(waited);
        last_end = end;
    }
    (rows, overlapping)
}
