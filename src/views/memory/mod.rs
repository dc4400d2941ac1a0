//! The memory view: what lives when, whose it is, how old it gets, and the objects behind it.
//!
//! After AVID ("Visualizing dynamic software system information through high-level models"), sections 2.1 to 2.3: along
//! time what is consumed, allocated and temporary; below it a row for each module, function, context or type, with what it
//! has allocated and released to date and a histogram of ages; in the summary view when it allocated and how old its
//! objects got. A bar or bin leads to the objects behind it.

mod allocations;
mod along;
mod asking;
mod chart;
mod choice;
mod figures;
mod groups;
mod keys;
mod legend;
mod list_ui;
mod listing;
mod painting;
mod peaks;
mod saved;
mod sums;
mod table;
#[cfg(test)]
mod tests;
mod ui;

use std::sync::Arc;

use serde_json::{Map, Value};

use self::along::Along;
use self::choice::{By, Choice, Column, Mode, Tenths};
use self::figures::{Ages, Patterns};
use self::groups::{Groups, Row, Source};
use self::keys::{Does, KEYS};
use self::listing::{ObjectList, Query, Wish};
use super::{Entry, Pane, SavedViews, View};
use crate::parts::along_time;
use crate::parts::export::Exporting;
use crate::parts::found::Found;
use crate::parts::kept::next;
use crate::parts::list::At;
use callscape_analysis::session::Session;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_facts::memory::{
    CellTotals, Detail, Events, Known, Memory, Outcome, State as MemoryState, Temporary,
};
use callscape_facts::recording::Recording;
use callscape_filter::cut::Cut;
use callscape_model::memory::{self as model, BelongsTo};
use callscape_state::State;
use callscape_state::ask::{Asks, CameraAsk, PlayAsk, SelectAsk, TableKey};
use callscape_state::document::Document;
use callscape_state::job::Job;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{Function, Module, TimePoint, TimeRange as Range};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub(crate) static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "memory",
        title: "Memory",
        key: '*',
        about: "live memory over time, its owners and its age",
        help: "memory: live memory over time, its owners and its age",
        in_scenes: "",
        side: Side::Right,
        kind: Kind::Table,
        needs: Needs::Memory,
        offers: &[Function, Module, TimePoint, Range],
        answers: &[Function, Module, TimePoint, Range],
        opens_for: &[],
        purposes: &[Purpose::Memory],
    },
    keys: KEYS,
    open: || Box::new(MemoryView::default()),
};

/// The id of the field for text of the list, so that keys go to it while it has the focus.
pub(crate) const FIELD: &str = "objects search";

/// Ages of more events than this are counted beside the frames.
const MOST_AT_ONCE: u32 = 1 << 17;

/// What groups were made for.
#[derive(Clone, PartialEq)]
struct GroupsOf {
    by: By,
    belongs_to: BelongsTo,
    cut: Cut,
}

/// What the rows were made for.
#[derive(Clone, PartialEq)]
struct RowsOf {
    groups: u64,
    mode: Mode,
    sort: (Column, bool),
    position: u32,
    /// Where the cel begins.
    since: u32,
    range: (u32, u32),
    instant: usize,
    /// Whether what has to be looked for is there.
    has_temporary: bool,
    has_outcomes: bool,
}

#[derive(Default)]
pub(crate) struct MemoryView {
    choice: Choice,
    along: Along,
    /// What is shown, kept so that nothing else can be in its place.
    recording: Option<Arc<Recording>>,
    session: Option<Arc<Session>>,
    /// By cell the module that its objects belong to.
    owners: Found<BelongsTo, Arc<Vec<Option<ModuleId>>>>,
    grouping: Found<GroupsOf, Arc<Groups>>,
    groups: Arc<Groups>,
    /// Counts how often groups were made.
    groups_number: u64,
    temporary: Found<(), Temporary>,
    outcomes: Found<(u32, u32), Vec<Outcome>>,
    now: MemoryState,
    before: MemoryState,
    /// By group: to date, and at the start of the cel.
    totals: Vec<CellTotals>,
    totals_before: Vec<CellTotals>,
    rows: Vec<Row>,
    rows_of: Option<RowsOf>,
    /// Counters that are not drawn.
    hidden: Vec<usize>,
    ages: Found<(u64, Vec<u32>), Ages>,
    patterns: Found<(u64, Tenths), Patterns>,
    query: Option<Query>,
    filter: String,
    list_sort: (listing::Column, bool),
    list: Found<Wish, Arc<ObjectList>>,
    exporting: Exporting,
    /// Of sums at instants, the one shown; none for the last that tells who.
    instant: Option<usize>,
    /// The group whose row was chosen here.
    chosen_row: Option<u32>,
    /// The row that the menu was last opened on.
    menu_of: Option<u32>,
    at: At,
    list_at: At,
    /// What was chosen when rows were last brought into sight.
    chosen: u64,
}

impl MemoryView {
    /// As at first for another recording; what was chosen of the view stays.
    fn open(&mut self, document: &Document) {
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
    fn group(&mut self, state: &State, document: &Document) {
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
    fn has_groups(&self) -> bool {
        self.grouping.last().is_some()
    }

    /// Whether the sums over the whole run are shown.
    fn is_summary(document: &Document) -> bool {
        document.playback.as_ref().is_some_and(|it| it.summary)
    }

    /// The positions of the time shown and of the cels before it, as many as there are bins.
    fn edges(&self, document: &Document, events: &Events) -> Vec<u32> {
        let (Some(playback), Some(resolved)) = (&document.playback, document.resolved()) else {
            return vec![events.end(), 0];
        };
        let range = document.selection.range;
        if playback.summary {
            let end = range.map_or(events.end(), |range| events.position(range.end));
            return vec![end, end];
        }
        let trace = &resolved.recording.trace;
        figures::edges(playback, trace, events, self.choice.bins)
    }

    /// The positions that the chosen range lies between, all for none.
    fn range(document: &Document, events: &Events) -> (u32, u32) {
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
    fn look(&mut self, state: &State, events: &Events, range: (u32, u32)) {
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
    fn want_outcomes(&mut self, state: &State, of: Arc<Recording>, range: (u32, u32)) {
        self.outcomes.want(range, || {
            Job::named("objects left of a range", state.waker(), move |progress| {
                let events = of.memory.as_ref().and_then(Memory::timed);
                events.map_or_else(|| Ok(Vec::new()), |it| it.outcomes(range, progress))
            })
        });
    }

    /// Brings the rows up to the time shown. O(cells + rows log rows) where that changed.
    fn update_rows(&mut self, document: &Document, events: &Events, edges: &[u32]) {
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
    fn count(&mut self, state: &State, document: &Document, events: &Events, edges: Vec<u32>) {
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
                    let duration = recording.trace.duration();
                    Patterns::find(events, duration, tenths, &groups, progress)
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
    fn place_of(&self, group: u32) -> Option<usize> {
        self.rows.iter().position(|row| row.group == group)
    }

    /// Brings what was chosen elsewhere into sight.
    fn follow(&mut self, document: &Document) {
        let stamp = document.selection.chosen_stamp();
        if std::mem::replace(&mut self.chosen, stamp) == stamp {
            return;
        }
        let chosen = document.selection.chosen;
        let is_own = self.chosen_row.is_some_and(|group| {
            let pointed = self.groups.all.get(group as usize).map(|it| it.pointed);
            pointed.is_some_and(|it| document.complete(it) == chosen)
        });
        if is_own {
            return;
        }
        self.chosen_row = None;
        let meant = document.meant(&chosen);
        let found = self.rows.iter().position(|row| {
            let group = self.groups.all.get(row.group as usize);
            group.is_some_and(|it| table::is_meant(document, &meant, &it.pointed))
        });
        self.at.to_show = found.or(self.at.to_show);
    }
}

impl View for MemoryView {
    fn update(&mut self, state: &State, asks: &mut Asks) {
        self.exporting.tell(asks);
        let Some(document) = &state.document else {
            return;
        };
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        self.open(document);
        let Some(memory) = document.memory() else {
            return;
        };
        self.group(state, document);
        if memory.timed().is_some()
            && let Some(recording) = &self.recording
        {
            self.along.update(recording, state);
        }
        let Some(events) = memory.events() else {
            match &memory.known {
                Known::Allocations(of) => self.update_allocations(state, document, of),
                _ => self.update_sums(memory),
            }
            self.follow(document);
            return;
        };
        let edges = self.edges(document, events);
        self.look(state, events, MemoryView::range(document, events));
        if self.has_groups() {
            self.update_rows(document, events, &edges);
            if memory.detail != Detail::Samples {
                self.count(state, document, events, edges);
            }
            self.update_list(state, document);
        }
        self.follow(document);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn press(&mut self, key: TableKey, document: &Document, asks: &mut Asks) {
        let at = self.chosen_row.and_then(|group| self.place_of(group));
        let to = self.at.place(key, at, self.rows.len());
        let Some(row) = to.and_then(|to| self.rows.get(to)).copied() else {
            return;
        };
        let Some(group) = self.groups.all.get(row.group as usize) else {
            return;
        };
        let pointed = group.pointed;
        self.chosen_row = Some(row.group);
        self.at.to_show = to;
        asks.push(SelectAsk::Walk(pointed));
        if key == TableKey::Enter {
            self.list_row(document, row.group);
            asks.extend(pointed.module.map(CameraAsk::FlyIfSeen));
        }
    }

    fn show_all(&mut self, document: &Document) {
        if let Some(whole) = along_time::whole(document) {
            self.along.set_visible(whole);
        }
    }

    fn show_range(&mut self, document: &Document) {
        self.show_all(document);
    }

    fn by_modules(&mut self, _document: &Document) {
        self.choice.by = By::Module;
    }

    fn act(&mut self, own: Own, state: &State, asks: &mut Asks) {
        let (Some(does), Some(document)) = (own.action::<Does>(), &state.document) else {
            return;
        };
        match does {
            Does::Rows => self.choice.by = next(self.choice.by),
            Does::Mode => {
                let mode = match next(self.choice.mode) {
                    Mode::Peaks if self.groups.peaks.is_none() => next(Mode::Peaks),
                    mode => mode,
                };
                self.choice.set_mode(mode);
            }
            Does::Peak => {
                let events = document.memory().and_then(Memory::events);
                asks.extend(events.map(|events| PlayAsk::Seek(events.peak().1)));
            }
            Does::Living
            | Does::Created
            | Does::Released
            | Does::Temporary
            | Does::OfRange
            | Does::AtPeak => self.list_of_menu(document, does),
        }
    }

    fn field(&self) -> Option<&'static str> {
        Some(FIELD)
    }

    fn is_waiting(&self) -> bool {
        self.along.is_waiting()
            || self.owners.is_running()
            || self.grouping.is_running()
            || self.temporary.is_running()
            || self.outcomes.is_running()
            || self.ages.is_running()
            || self.patterns.is_running()
            || self.list.is_running()
            || self.exporting.is_running()
    }

    fn progress(&self) -> Option<&Progress> {
        let exporting = self.exporting.progress();
        let found = exporting.or(self.list.slow()).or(self.outcomes.slow());
        found.or(self.patterns.slow()).or(self.temporary.slow())
    }

    fn cancel(&mut self) {
        self.exporting.stop();
        self.list.stop();
        self.outcomes.stop();
        self.patterns.stop();
        self.temporary.stop();
    }

    fn save(&self, _state: &State, out: &mut SavedViews) {
        saved::save(&self.choice, out);
    }

    fn save_habits(&self, out: &mut SavedViews) {
        saved::save(&self.choice, out);
    }

    fn restore(&mut self, from: &SavedViews, _state: &State) -> usize {
        let (choice, lost) = saved::restore(from);
        self.choice = choice;
        lost
    }

    fn log(&self, line: &mut Map<String, Value>) {
        line.insert("memory_rows".to_owned(), self.rows.len().into());
        let listed = self.list.last().map(|(_, list)| list.counted);
        line.insert("objects_listed".to_owned(), listed.into());
    }
}
