//! Recordings of allocations without releases: what was allocated up to the time shown or in the range chosen, and what lived
//! when that was looked for.

use std::sync::Arc;

use super::choice::{Column, Mode};
use super::groups::{self, Amounts, Groups, Row};
use super::view::{MemoryView, RowsOf};
use crate::parts::text;
use callscape_facts::memory::{Allocations, SumRow};
use callscape_state::State;
use callscape_state::document::Document;

impl MemoryView {
    /// Brings the rows up to the time shown, or to the range chosen.
    pub(super) fn update_allocations(
        &mut self,
        state: &State,
        document: &Document,
        of: &Allocations,
    ) {
        let Allocations { events, survivors } = of;
        let has_range = document.selection.range.is_some();
        let range = MemoryView::range(document, events);
        self.outcomes.poll();
        let recording = self.recording.clone();
        let recording = recording.filter(|_| has_range && !state.draws_range());
        if let Some(recording) = recording {
            self.want_outcomes(state, recording, range);
        }
        if !self.has_groups() {
            return;
        }
        let position = match MemoryView::is_summary(document) {
            true => events.end(),
            false => events.instant(document.selection.time),
        };
        let wanted = RowsOf {
            groups: self.groups_number,
            mode: Mode::Live,
            sort: self.choice.sort,
            position,
            since: 0,
            range: if has_range { range } else { (0, 0) },
            instant: 0,
            has_temporary: false,
            has_outcomes: has_range && self.outcomes.of(&range).is_some(),
        };
        if self.rows_of.as_ref() == Some(&wanted) {
            return;
        }
        let groups = Arc::clone(&self.groups);
        let rows = match (has_range, self.outcomes.of(&range)) {
            (true, None) => Vec::new(),
            (true, Some(outcomes)) => groups::rows_of_range(outcomes, &groups),
            (false, _) => {
                events.advance(&mut self.now, position);
                let totals = groups::add_up(events, &self.now, &groups);
                groups::rows_at(&totals, &groups, None)
            }
        };
        let lived = survivors.last().map(|it| it.cells.as_slice());
        self.rows = known_of(&rows, lived.filter(|_| !has_range), &groups);
        let sort = match self.choice.sort {
            (Column::LiveBytes, descending) => (Column::Allocated, descending),
            sort => sort,
        };
        groups::arrange(&mut self.rows, &groups, Mode::Live, sort);
        self.rows_of = Some(wanted);
    }
}

/// Of rows what is known without releases, and what lived at an instant.
fn known_of(rows: &[Row], lived: Option<&[SumRow]>, groups: &Groups) -> Vec<Row> {
    let lived = lived.map(|cells| groups::rows_of_sums(cells, groups));
    let known = rows.iter().map(|row| {
        let lived = lived.as_ref().and_then(|it| it.get(row.group as usize));
        Row {
            group: row.group,
            amounts: Amounts {
                allocations: row.amounts.allocations,
                allocated: row.amounts.allocated,
                live: lived.and_then(|it| it.amounts.live),
                live_bytes: lived.and_then(|it| it.amounts.live_bytes),
                ..Amounts::default()
            },
        }
    });
    known.collect()
}

/// How much of memory is known, in words: what was allocated up to the time shown or in the range chosen, and what is not.
pub(super) fn explanation(document: &Document, of: &Allocations) -> [String; 2] {
    let Allocations { events, survivors } = of;
    let (when, (from, to)) = match (document.selection.range, MemoryView::is_summary(document)) {
        (Some(range), _) => {
            let when = format!("From {} to {}", range.start, range.end);
            (when, MemoryView::range(document, events))
        }
        (None, true) => ("In the whole run".to_owned(), (0, events.end())),
        (None, false) => {
            let time = document.selection.time;
            (format!("Up to {time}"), (0, events.instant(time)))
        }
    };
    let (before, totals) = (events.totals(from), events.totals(to));
    let samples = totals.allocations.saturating_sub(before.allocations);
    let allocated = format!(
        "{when}: {} allocated, by {}",
        text::bytes(totals.allocated.saturating_sub(before.allocated)),
        text::counted(samples, "sample", "samples"),
    );
    let lives = match survivors.last() {
        None => "live objects are unknown".to_owned(),
        Some(instant) => format!("what lived is known of samples, at {}", instant.time()),
    };
    let unknown = format!(
        "Releases are not recorded: {lives}. Bytes are what the samples stand for; ages, single objects, what is left of a \
         range and what was temporary cannot be answered."
    );
    [allocated, unknown]
}
