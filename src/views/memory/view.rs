//! What the view knows, and what it does with that.

use super::along::Along;
use super::choice::{By, Choice, Column, Mode, Tenths};
use super::figures::{Ages, Patterns};
use super::groups::{Groups, Row, Source};
use super::listing::{ObjectList, Query, Wish};
use super::{figures, groups, listing, peaks};
use crate::parts::export::Exporting;
use crate::parts::found::Found;
use crate::parts::list::At;
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_facts::memory::{
    CellTotals, Events, Memory, Outcome, State as MemoryState, Temporary,
};
use callscape_facts::recording::Recording;
use callscape_filter::cut::Cut;
use callscape_model::memory::{self as model, BelongsTo};
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::job::Job;
use std::sync::Arc;

/// The id of the field for text of the list, so that keys go to it while it has the focus.
pub(crate) const FIELD: &str = "objects search";

/// Ages of more events than this are counted beside the frames.
pub(super) const MOST_AT_ONCE: u32 = 1 << 17;

/// What groups were made for.
#[derive(Clone, PartialEq)]
pub(super) struct GroupsOf {
    pub(super) by: By,
    pub(super) belongs_to: BelongsTo,
    pub(super) cut: Cut,
}

/// What the rows were made for.
#[derive(Clone, PartialEq)]
pub(super) struct RowsOf {
    pub(super) groups: u64,
    pub(super) mode: Mode,
    pub(super) sort: (Column, bool),
    pub(super) position: u32,
    /// Where the cel begins.
    pub(super) since: u32,
    pub(super) range: (u32, u32),
    pub(super) instant: usize,
    /// Whether what has to be looked for is there.
    pub(super) has_temporary: bool,
    pub(super) has_outcomes: bool,
}

#[derive(Default)]
pub(crate) struct MemoryView {
    pub(super) choice: Choice,
    pub(super) along: Along,
    /// What is shown, kept so that nothing else can be in its place.
    pub(super) recording: Option<Arc<Recording>>,
    pub(super) session: Option<Arc<Session>>,
    /// By cell the module that its objects belong to.
    pub(super) owners: Found<BelongsTo, Arc<Vec<Option<ModuleId>>>>,
    pub(super) grouping: Found<GroupsOf, Arc<Groups>>,
    pub(super) groups: Arc<Groups>,
    /// Counts how often groups were made.
    pub(super) groups_number: u64,
    pub(super) temporary: Found<(), Temporary>,
    pub(super) outcomes: Found<(u32, u32), Vec<Outcome>>,
    pub(super) now: MemoryState,
    pub(super) before: MemoryState,
    /// By group: to date, and at the start of the cel.
    pub(super) totals: Vec<CellTotals>,
    pub(super) totals_before: Vec<CellTotals>,
    pub(super) rows: Vec<Row>,
    pub(super) rows_of: Option<RowsOf>,
    /// Counters that are not drawn.
    pub(super) hidden: Vec<usize>,
    pub(super) ages: Found<(u64, Vec<u32>), Ages>,
    pub(super) patterns: Found<(u64, Tenths), Patterns>,
    pub(super) query: Option<Query>,
    pub(super) filter: String,
    pub(super) list_sort: (listing::Column, bool),
    pub(super) list: Found<Wish, Arc<ObjectList>>,
    pub(super) exporting: Exporting,
    /// Of sums at instants, the one shown; none for the last that tells who.
    pub(super) instant: Option<usize>,
    /// The group whose row was chosen here.
    pub(super) chosen_row: Option<u32>,
    /// The row that the menu was last opened on.
    pub(super) menu_of: Option<u32>,
    pub(super) at: At,
    pub(super) list_at: At,
    /// What was chosen when rows were last brought into sight.
    pub(super) chosen: u64,
}

impl MemoryView {
    /// As at first for another recording; what was chosen of the view stays.
    pub(super) fn open(&mut self, document: &Document) {
        let resolved = document.resolved();
        let same =
            |known: &Arc<Recording>| resolved.is_some_and(|it| Arc::ptr_eq(&it.recording, known));
        let is_same_session = |known: &Arc<Session>| Arc::ptr_eq(known, &document.session);
        let is_same = self.recording.as_ref().is_some_and(same);
        if is_same && self.session.as_ref().is_some_and(is_same_session) {
            return;
        }
        let along = std::mem::take(&mut self.along);
        *self = MemoryView {
            choice: self.choice,
            recording: resolved.map(|it| Arc::clone(&it.recording)),
            session: Some(Arc::clone(&document.session)),
            groups_number: self.groups_number,
            ..MemoryView::default()
        };
        match (is_same, resolved) {
            (true, _) => self.along = along,
            (false, Some(resolved)) => self.along.open(resolved.recording.trace.range()),
            (false, None) => {}
        }
    }

    /// Makes groups where something else is to be counted together.
    pub(super) fn group(&mut self, state: &State, document: &Document) {
        let belongs_to = self.choice.belongs_to;
        let (session, place) = (Arc::clone(&document.session), document.recording());
        self.owners.want(belongs_to, || {
            Job::named("owners of objects", state.waker(), move |progress| {
                progress.start("looking for the owners of objects", 0);
                let resolved = session.recordings.get(place);
                let memory = resolved.and_then(|it| Some((it, it.recording.memory.as_ref()?)));
                let found =
                    memory.map(|(of, memory)| model::owners(&session, of, memory, belongs_to));
                Ok(Arc::new(found.unwrap_or_default()))
            })
        });
        self.owners.poll();
        let Some(owners) = self.owners.of(&belongs_to).map(Arc::clone) else {
            return;
        };
        let by = self.choice.by;
        let cut = match by {
            By::Module => document.cut.clone(),
            _ => Cut::all(),
        };
        let wanted = GroupsOf {
            by,
            belongs_to,
            cut: cut.clone(),
        };
        let (session, place) = (Arc::clone(&document.session), document.recording());
        let other = document.runs.as_ref().map(|runs| runs.place_of_other());
        self.grouping.want(wanted, || {
            Job::named("rows of memory", state.waker(), move |progress| {
                progress.start("counting objects together", 0);
                let resolved = session.recordings.get(place);
                let known = resolved.and_then(|it| Some((it, it.recording.memory.as_ref()?)));
                let Some((resolved, memory)) = known else {
                    return Ok(Arc::default());
                };
                let source = Source {
                    memory,
                    functions: &resolved.recording.functions,
                    hierarchy: &session.hierarchy,
                    modules: &resolved.resolution.modules,
                    owners: &owners,
                    cut: &cut,
                    session: Some((&session, place)),
                };
                let mut groups = Groups::new(&source, by);
                progress.check()?;
                let other = other.and_then(|place| {
                    let it = session.recordings.get(place)?;
                    Some((place, it, it.recording.memory.as_ref()?))
                });
                if let Some((place, other, memory)) = other {
                    let owners = model::owners(&session, other, memory, belongs_to);
                    let other = Source {
                        memory,
                        functions: &other.recording.functions,
                        modules: &other.resolution.modules,
                        owners: &owners,
                        session: Some((&session, place)),
                        ..source
                    };
                    groups.compare(&source, by, &other);
                }
                Ok(Arc::new(groups))
            })
        });
        if !self.grouping.poll() {
            return;
        }
        if let Some((_, groups)) = self.grouping.last() {
            self.groups = Arc::clone(groups);
            self.groups_number += 1;
            // A list is of a row that may be no more.
            (self.query, self.chosen_row) = (None, None);
            self.list.forget();
        }
    }

    /// Whether rows are known at all.
    pub(super) fn has_groups(&self) -> bool {
        self.grouping.last().is_some()
    }

    /// Whether the sums over the whole run are shown.
    pub(super) fn is_summary(document: &Document) -> bool {
        document.playback.as_ref().is_some_and(|it| it.summary)
    }

    /// Whether figures would be wrong, since memory events may be missing in the cel shown.
    pub(super) fn is_sampled(document: &Document) -> bool {
        let known = document.resolved().zip(document.moment());
        known.is_some_and(|(of, moment)| model::is_sampled(&of.recording, &moment))
    }

    /// The positions of the time shown and of the cels before it, as many as there are bins.
    pub(super) fn edges(&self, document: &Document, events: &Events) -> Vec<u32> {
        let (Some(playback), Some(resolved)) = (&document.playback, document.resolved()) else {
            return vec![events.end(), 0];
        };
        let range = document.selection.range;
        if playback.summary {
            let end = range.map_or(events.end(), |range| events.position(range.end));
            return vec![end, end];
        }
        let all = resolved.recording.all_events();
        figures::edges(playback, all, events, self.choice.bins)
    }

    /// The positions that the chosen range lies between, all for none.
    pub(super) fn range(document: &Document, events: &Events) -> (u32, u32) {
        match document.selection.range {
            None => (0, events.end()),
            Some(range) => {
                let before = range.start.ns().checked_sub(1);
                let from = before.map_or(0, |ns| {
                    events.position(callscape_base::units::Time::from_ns(ns))
                });
                (from, events.position(range.end).max(from))
            }
        }
    }

    /// Looks for what only a look at many events finds.
    pub(super) fn look(&mut self, state: &State, events: &Events, range: (u32, u32)) {
        self.temporary.poll();
        self.outcomes.poll();
        let Some(recording) = &self.recording else {
            return;
        };
        let of = Arc::clone(recording);
        self.temporary.want((), || {
            Job::named("temporary objects", state.waker(), move |progress| {
                let events = of.memory.as_ref().and_then(Memory::events);
                events.map_or_else(
                    || Ok(Temporary::default()),
                    |events| events.find_temporary(progress),
                )
            })
        });
        // While the pointer draws a range it is another one in each frame.
        if self.choice.mode != Mode::Range || state.draws_range() {
            return;
        }
        let of = Arc::clone(recording);
        debug_assert!(range.1 <= events.end());
        self.want_outcomes(state, of, range);
    }

    /// Looks for what became of what was created in a range.
    pub(super) fn want_outcomes(&mut self, state: &State, of: Arc<Recording>, range: (u32, u32)) {
        self.outcomes.want(range, || {
            Job::named("objects left of a range", state.waker(), move |progress| {
                let events = of.memory.as_ref().and_then(Memory::timed);
                events.map_or_else(|| Ok(Vec::new()), |it| it.outcomes(range, progress))
            })
        });
    }

    /// Brings the rows up to the time shown. O(cells + rows log rows) where that changed.
    pub(super) fn update_rows(&mut self, document: &Document, events: &Events, edges: &[u32]) {
        let range = MemoryView::range(document, events);
        let (position, since) = (edges[0], edges[1]);
        let wanted = RowsOf {
            groups: self.groups_number,
            mode: self.choice.mode,
            sort: self.choice.sort,
            position,
            since,
            range,
            instant: 0,
            has_temporary: self.temporary.last().is_some(),
            has_outcomes: self.outcomes.of(&range).is_some(),
        };
        if self.rows_of.as_ref() == Some(&wanted) {
            return;
        }
        let groups = Arc::clone(&self.groups);
        events.advance(&mut self.now, position);
        events.advance(&mut self.before, since);
        self.totals = groups::add_up(events, &self.now, &groups);
        self.totals_before = groups::add_up(events, &self.before, &groups);
        self.rows = match (self.choice.mode, self.outcomes.of(&range)) {
            (Mode::Peaks, _) => {
                let peaks = groups.peaks.as_deref().unwrap_or_default();
                peaks::rows_of_peaks(peaks)
            }
            (Mode::Range, None) => Vec::new(),
            (Mode::Range, Some(outcomes)) => groups::rows_of_range(outcomes, &groups),
            _ => {
                let temporary = self.temporary.last();
                let temporary = temporary.map(|(_, it)| events.temporary_at(it, position));
                groups::rows_at(&self.totals, &groups, temporary.as_deref())
            }
        };
        groups::arrange(&mut self.rows, &groups, self.choice.mode, self.choice.sort);
        self.rows_of = Some(wanted);
    }

    /// Counts ages, or patterns in the summary.
    pub(super) fn count(
        &mut self,
        state: &State,
        document: &Document,
        events: &Events,
        edges: Vec<u32>,
    ) {
        self.ages.poll();
        self.patterns.poll();
        let Some(recording) = self.recording.clone() else {
            return;
        };
        let number = self.groups_number;
        let groups = Arc::clone(&self.groups);
        if MemoryView::is_summary(document) {
            let tenths = self.choice.tenths;
            self.patterns.want((number, tenths), || {
                Job::named("patterns of objects", state.waker(), move |progress| {
                    let Some(events) = recording.memory.as_ref().and_then(Memory::events) else {
                        return Ok(Patterns::default());
                    };
                    let all = recording.all_events();
                    Patterns::find((all, events), tenths, &groups, progress)
                })
            });
            return;
        }
        let key = (number, edges);
        if self.ages.is_wanted(&key) {
            return;
        }
        let oldest = key.1.last().copied().unwrap_or_default();
        if key.1[0].saturating_sub(oldest) <= MOST_AT_ONCE {
            let ages = Ages::new(events, key.1.clone(), &groups, &self.now);
            self.ages.set(key, ages);
            return;
        }
        let of = key.1.clone();
        self.ages.want_next(key, || {
            Job::named("ages of objects", state.waker(), move |progress| {
                progress.start("counting ages", 0);
                let Some(events) = recording.memory.as_ref().and_then(Memory::events) else {
                    return Ok(Ages::default());
                };
                let now = events.state(of.first().copied().unwrap_or_default());
                Ok(Ages::new(events, of, &groups, &now))
            })
        });
    }

    /// The place of a group's row.
    pub(super) fn place_of(&self, group: u32) -> Option<usize> {
        self.rows.iter().position(|row| row.group == group)
    }
}
