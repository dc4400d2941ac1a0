//! The code view: the text of what is chosen with what its lines cost, beside its miniature.
//!
//! Source: section 6.4.1 of Bohnet's thesis, the enriched code view. A line is coloured where executed calls stand in it, by
//! what they cost; on demand it says which calls these are. Beyond the thesis lines are coloured by their own cost where the
//! recording knows which line ran, functions that never ran are pale, and two versions of a text stand beside each other.

mod actions;
mod behind;
mod column_ui;
mod columns;
mod compared;
mod following;
mod keys;
mod marks;
mod miniature;
mod miniature_ui;
mod names_ui;
mod numbers;
mod page;
mod pointing;
mod reading;
mod saved;
#[cfg(test)]
mod tests;
mod touched;
mod ui;

use std::sync::Arc;

use serde_json::{Map, Value};

use self::compared::Compared;
use self::keys::Does;
use self::marks::Marks;
use self::numbers::{Counting, FactsKey, Numbers, Question, Tint};
use self::page::Page;
use self::reading::{Reading, TextKey};
use self::touched::Touched;
use super::{Entry, Pane, SavedViews, View};
use crate::parts::found::Found;
use callscape_analysis::line_changes::Aligned;
use callscape_analysis::session::Session;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Asks, EditAsk, TableKey};
use callscape_state::document::Document;
use callscape_state::document::source::SourceLine;
use callscape_state::job::Job;
use callscape_state::own::Own;
use callscape_state::panes::Artifact::{Call, CallRelation, Function, Line, Module, TimeRange};
use callscape_state::panes::{Kind, Needs, Purpose, Side, ViewId, ViewLine};

pub static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "code",
        title: "Code",
        key: '$',
        about: "the source of the selected item, with the cost of each line",
        help: "code: the source of the selected item, with the cost of each line",
        in_scenes: "",
        side: Side::Right,
        kind: Kind::Table,
        needs: Needs::Nothing,
        offers: &[Function, CallRelation],
        answers: &[Function, Module, Call, CallRelation, TimeRange],
        opens_for: &[Line],
        purposes: &[Purpose::WhatRuns],
    },
    keys: keys::KEYS,
    open: || Box::new(CodeView::default()),
};

/// Columns between tab stops at first, and what can be chosen.
const TAB: u32 = 4;
const TABS: [u32; 3] = [2, 4, 8];

/// What is to be brought into sight as soon as it is known where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Goal {
    /// A line, with what stands above it.
    Line(u32),
    /// The line that costs most in the function around this one.
    Hottest(u32),
    /// The line in which the calls of the chosen relation cost most; this one where none is known.
    Relation(u32),
}

pub struct CodeView {
    /// The structure that is displayed, and how many there were before.
    session: Option<Arc<Session>>,
    sessions: u64,
    /// The file that is shown, or what is around a function without one: of the structure without a mapping.
    file: Option<ModuleId>,
    /// What was chosen when it was last followed, and whether it was chosen here.
    followed: u64,
    is_own: bool,
    goal: Option<Goal>,
    /// Of A and of B; of one run the latter.
    readings: [Reading; 2],
    countings: [Counting; 2],
    /// Which of these the run that is shown is.
    own: usize,
    alignment: Found<[TextKey; 2], Arc<Aligned>>,
    /// Both texts as they are beside each other, once that is known.
    aligned: Option<Arc<Aligned>>,
    compared: Option<Compared>,
    marks: [Marks; 2],
    /// What changed of the text of the run that is shown.
    touched: Touched,
    marked: Option<(u64, Pointed, Pointed)>,
    /// Counts what has become known: pictures of before are made anew.
    revision: u64,
    /// What the user has chosen that colours say.
    tint: Option<Tint>,
    /// Colours say what differs between two runs.
    compares: bool,
    /// Both versions of the text are shown.
    is_beside: bool,
    tab: u32,
    /// The line that keys move from: of A or B, and its number.
    caret: Option<(usize, u32)>,
    scroll: ui::Scroll,
    query: String,
    miniatures: [Option<miniature_ui::Miniature>; 2],
    /// The folder that is offered as source tree.
    folder: String,
    restored: Option<saved::Restored>,
}

impl Default for CodeView {
    fn default() -> CodeView {
        CodeView {
            session: None,
            sessions: 0,
            file: None,
            followed: 0,
            is_own: false,
            goal: None,
            readings: Default::default(),
            countings: Default::default(),
            own: 1,
            alignment: Found::default(),
            aligned: None,
            compared: None,
            marks: Default::default(),
            touched: Touched::default(),
            marked: None,
            revision: 0,
            tint: None,
            compares: true,
            is_beside: true,
            tab: TAB,
            caret: None,
            scroll: ui::Scroll::default(),
            query: String::new(),
            miniatures: [None, None],
            folder: String::new(),
            restored: None,
        }
    }
}

impl CodeView {
    /// As at first where another structure is displayed; what was chosen of the view stays.
    fn open(&mut self, document: &Document) {
        let session = &document.session;
        if self
            .session
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, session))
        {
            return;
        }
        *self = CodeView {
            session: Some(Arc::clone(session)),
            sessions: self.sessions + 1,
            revision: self.revision + 1,
            tint: self.tint,
            compares: self.compares,
            is_beside: self.is_beside,
            tab: self.tab,
            query: std::mem::take(&mut self.query),
            restored: self.restored.take(),
            ..CodeView::default()
        };
    }

    /// The texts that are shown: of A (0), of B (1), or both beside each other.
    fn sides(&self, document: &Document) -> &'static [usize] {
        match (document.has_two_sources() && self.is_beside, self.own) {
            (true, _) => &[0, 1],
            (false, 0) => &[0],
            (false, _) => &[1],
        }
    }

    /// Whether the numbers of the other run are wanted.
    fn wants_both(document: &Document) -> bool {
        document.runs.is_some()
    }

    /// Begins to read and to count what is wanted, and takes what was found.
    fn read(&mut self, state: &State, document: &Document) {
        let Some(file) = self.file else {
            return;
        };
        let both = CodeView::wants_both(document);
        let sides: &[usize] = if both { &[0, 1] } else { &[self.own] };
        let mut is_new = false;
        for &side in sides {
            let place = document.runs.as_ref().map_or(0, |runs| runs.places()[side]);
            let resolved = document.base.recordings.get(place);
            let known = resolved.and_then(|it| it.recording.lines.as_ref());
            let infers = resolved.is_some() && !known.is_some_and(|it| it.knows().sites);
            let key = document
                .tree_file(file, side)
                .filter(|_| document.is_file(file));
            let key = key.map(|file| TextKey {
                file,
                sources: state.stamps().sources,
                tab: self.tab,
                recording: resolved.map(|it| it.recording.path.clone()),
            });
            // A text that both runs have is read once.
            let text = match document.has_two_sources() {
                true => side,
                false => self.own,
            };
            if let Some(key) = &key
                && text == side
            {
                is_new |= self.readings[side].update(key, infers, state);
            }
            if resolved.is_none() {
                continue;
            }
            let reading = &self.readings[text];
            let is_read = key.is_some() && reading.failure().is_none();
            let range = match side == self.own {
                true => document.selection.range,
                false => document
                    .selection
                    .range
                    .zip(document.runs.as_ref())
                    .map(|(range, runs)| runs.range_of_other(range)),
            };
            let asked = Question {
                facts: FactsKey {
                    session: self.sessions,
                    recording: place,
                    range,
                },
                file,
                structure: document.structure_of(side),
                sites: reading
                    .sites()
                    .filter(|_| infers && is_read)
                    .map(|it| (it, state.stamps().sources)),
                waits: infers && is_read && reading.sites().is_none(),
            };
            is_new |= self.countings[side].update(asked, state, document);
        }
        is_new |= self.align(state, document);
        if is_new {
            self.revision += 1;
            self.compare(document);
        }
    }

    /// Lays both versions of the text beside each other: whether they are so now, and were not before.
    fn align(&mut self, state: &State, document: &Document) -> bool {
        let keys = [0, 1].map(|side| self.readings[side].key().cloned());
        let pages = [0, 1].map(|side| self.readings[side].page().cloned());
        let both = (document.has_two_sources(), keys, pages);
        let (true, [Some(a), Some(b)], [Some(of_a), Some(of_b)]) = both else {
            self.aligned = None;
            return false;
        };
        let keys = [a, b];
        self.alignment.want(keys.clone(), || {
            Job::named("comparing texts", state.waker(), move |progress| {
                progress.start("comparing the two versions", 0);
                Ok(Arc::new(Aligned::new([&of_a.text, &of_b.text])))
            })
        });
        let is_new = self.alignment.poll();
        self.aligned = self.alignment.of(&keys).cloned();
        is_new
    }

    fn compare(&mut self, document: &Document) {
        self.compared = None;
        if !CodeView::wants_both(document) {
            return;
        }
        let aligned = self.aligned.clone();
        if document.has_two_sources() && aligned.is_none() {
            return;
        }
        if let (Some(a), Some(b)) = (self.numbers(0), self.numbers(1)) {
            let compared = Compared::new([a, b], aligned.as_deref(), self.tint());
            self.compared = Some(compared);
        }
    }

    /// What the recording of A (0) or B (1) tells of the file.
    fn numbers(&self, side: usize) -> Option<&Numbers> {
        let of = self.countings[side].of(self.sessions, self.file?);
        of.map(|numbers| &**numbers)
    }

    /// The text of A (0) or B (1).
    fn page(&self, side: usize) -> Option<&Arc<Page>> {
        self.readings[side].page()
    }

    /// Finds the lines that are meant, where something else is.
    fn mark(&mut self, document: &Document) {
        let selection = &document.selection;
        let key = (self.revision, selection.pointed, selection.chosen);
        if self.marked == Some(key) {
            return;
        }
        self.marked = Some(key);
        self.marks = match self.numbers(self.own) {
            None => Default::default(),
            Some(numbers) => {
                [&selection.pointed, &selection.chosen].map(|of| Marks::of(document, numbers, of))
            }
        };
    }

    /// What colours say: what is chosen, else the lines themselves where the recording knows these and not their calls.
    fn tint(&self) -> Tint {
        self.tint.unwrap_or_else(|| match self.numbers(self.own) {
            Some(numbers) if numbers.lines.knows_self && !numbers.lines.knows_sites => Tint::Own,
            _ => Tint::Calls,
        })
    }

    fn set_tint(&mut self, tint: Tint, compares: bool, document: &Document) {
        if (self.tint(), self.compares) != (tint, compares) {
            (self.tint, self.compares) = (Some(tint), compares);
            self.revision += 1;
            self.compare(document);
        }
    }

    /// What differs between the runs, where colours say so.
    fn shown_difference(&self) -> Option<&Compared> {
        self.compared
            .as_ref()
            .filter(|it| self.compares && !it.is_mixed)
    }
}

impl View for CodeView {
    fn update(&mut self, state: &State, _asks: &mut Asks) {
        if !state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            return;
        }
        let Some(document) = &state.document else {
            return;
        };
        self.open(document);
        self.own = document.runs.as_ref().map_or(1, |runs| runs.side());
        self.follow(document);
        self.read(state, document);
        self.mark(document);
        let key = self.readings[self.own].key();
        self.touched.update(state, key);
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn press(&mut self, key: TableKey, _document: &Document, asks: &mut Asks) {
        match key {
            TableKey::Enter => asks.extend(self.to_edit().map(EditAsk::Line)),
            key => self.walk(key),
        }
    }

    fn show_line(&mut self, line: SourceLine) {
        self.go_to_line(line);
    }

    fn act(&mut self, own: Own, state: &State, _asks: &mut Asks) {
        let Some(does) = own.action::<Does>() else {
            return;
        };
        match does {
            Does::Next => self.step(true),
            Does::Previous => self.step(false),
            Does::Hottest => self.go_to_hottest(),
            Does::Tint => {
                let other = match self.tint() {
                    Tint::Calls => Tint::Own,
                    Tint::Own => Tint::Calls,
                };
                if let Some(document) = &state.document {
                    self.set_tint(other, self.compares, document);
                }
            }
        }
    }

    fn is_waiting(&self) -> bool {
        let reads = self.readings.iter().any(Reading::is_waiting);
        let counts = self.countings.iter().any(Counting::is_waiting);
        reads || counts || self.alignment.is_running()
    }

    fn progress(&self) -> Option<&Progress> {
        let reads = self.readings.iter().find_map(Reading::slow);
        let counts = || self.countings.iter().find_map(Counting::slow);
        reads.or_else(counts).or_else(|| self.alignment.slow())
    }

    fn cancel(&mut self) {
        self.readings.iter_mut().for_each(Reading::stop);
        self.countings.iter_mut().for_each(Counting::stop);
        self.alignment.stop();
    }

    fn save(&self, state: &State, out: &mut SavedViews) {
        saved::save(self, state, out);
    }

    fn save_habits(&self, out: &mut SavedViews) {
        saved::save_habits(self, out);
    }

    fn restore(&mut self, from: &SavedViews, state: &State) -> usize {
        saved::restore(self, from, state)
    }

    fn log(&self, line: &mut Map<String, Value>) {
        if self.file.is_none() {
            return;
        }
        let log = serde_json::json!({
            "lines": self.page(self.own).map(|page| page.text.lines()),
            "caret": self.caret.map(|(_, line)| line),
            "top": self.scroll.top().round(),
            "colours": self.tint().name(),
            "marked": self.marks[1].lines.len(),
        });
        line.insert("code".to_owned(), log);
    }
}
