//! What differs between the lines of a file in two recordings.

use callscape_base::units::Cost;
use std::collections::BTreeMap;

use super::{FileLines, Line, LineCalls};
use callscape_base::units::ModuleId;

/// A line of A, of B, or of both.
#[derive(Clone, Debug, PartialEq)]
pub struct LineDifference<'a> {
    /// In the text of A and in that of B; none where it is not there.
    pub in_a: Option<u32>,
    pub in_b: Option<u32>,
    /// None where the recording has nothing to say of the line.
    pub a: Option<&'a Line>,
    pub b: Option<&'a Line>,
}

/// What one function that is called in a line does in A and in B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalleeDifference {
    pub callee: ModuleId,
    pub a: Option<LineCalls>,
    pub b: Option<LineCalls>,
}

fn change(a: impl Into<i128>, b: impl Into<i128>) -> i64 {
    let change = b.into() - a.into();
    change.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

impl LineDifference<'_> {
    /// By how much the calls of the line cost more in B, in the recordings' unit.
    pub fn cost_change(&self) -> i64 {
        let cost = |line: Option<&Line>| line.map_or(Cost::ZERO, |it| it.cost);
        change(cost(self.a), cost(self.b))
    }

    /// By how much the line itself costs more in B; none where neither recording knows.
    pub fn self_change(&self) -> Option<i64> {
        let cost = |line: Option<&Line>| line.and_then(|it| it.self_cost);
        let (a, b) = (cost(self.a), cost(self.b));
        (a.is_some() || b.is_some()).then(|| change(a.unwrap_or_default(), b.unwrap_or_default()))
    }

    /// How many more calls are made in the line in B.
    pub fn calls_change(&self) -> i64 {
        let calls = |line: Option<&Line>| line.map_or(0, |it| it.calls);
        change(calls(self.a), calls(self.b))
    }

    /// What is called in the line, the largest difference of cost first. Both recordings are of one session, so that equal
    /// functions are equal modules.
    pub fn callees(&self) -> Vec<CalleeDifference> {
        let mut callees: BTreeMap<ModuleId, CalleeDifference> = BTreeMap::new();
        let mut add = |line: Option<&Line>, is_b: bool| {
            for calls in line.iter().flat_map(|it| it.callees()) {
                let of = callees.entry(calls.callee).or_insert(CalleeDifference {
                    callee: calls.callee,
                    a: None,
                    b: None,
                });
                let side = if is_b { &mut of.b } else { &mut of.a };
                match side {
                    None => *side = Some(calls),
                    Some(sum) => {
                        sum.calls = sum.calls.saturating_add(calls.calls);
                        sum.cost += calls.cost;
                    }
                }
            }
        };
        add(self.a, false);
        add(self.b, true);
        let mut callees: Vec<CalleeDifference> = callees.into_values().collect();
        let size = |it: &CalleeDifference| {
            let cost = |side: Option<LineCalls>| side.map_or(0, |it| it.cost.weight());
            cost(it.a).abs_diff(cost(it.b))
        };
        callees.sort_by_key(|it| (std::cmp::Reverse(size(it)), it.callee));
        callees
    }
}

/// The lines of a file in A and in B side by side, in order of the text of B; a line that only A has stands behind the last
/// one before it. `in_b` gives the line of B that a line of A is, none for one that B does not have any more; lines of A
/// must stay in their order. The same text needs `Some`. O(n log n).
pub fn difference<'a>(
    a: &'a FileLines,
    b: &'a FileLines,
    in_b: impl Fn(u32) -> Option<u32>,
) -> Vec<LineDifference<'a>> {
    // By line of B, 0 for those that have one, and line of A.
    let mut lines: BTreeMap<(u32, u32), LineDifference<'a>> = BTreeMap::new();
    let mut before = 0;
    for line in &a.lines {
        let place = in_b(line.line);
        before = place.unwrap_or(before).max(before);
        let key = match place {
            Some(place) => (place, 0),
            None => (before, line.line),
        };
        let of = lines.entry(key).or_insert(LineDifference {
            in_a: Some(line.line),
            in_b: place,
            a: None,
            b: None,
        });
        of.a = Some(line);
    }
    for line in &b.lines {
        let of = lines.entry((line.line, 0)).or_insert(LineDifference {
            in_a: None,
            in_b: Some(line.line),
            a: None,
            b: None,
        });
        of.b = Some(line);
    }
    lines.into_values().collect()
}
